"""How a newcomer and an owner make sure of each other: each shows that it knows the folder's word, and neither says it.

A card may be that of an owner that has died: whoever has its port by now must neither hear the word nor be believed.
"""

import asyncio
import hmac
import secrets

import msgspec

from ebbtide.host import wire

LANGUAGE = 3  # of the wire; another is not understood
_SIZE = 32  # bytes of a challenge

_HELLO = msgspec.msgpack.Decoder(tuple[int, bytes])  # a language, and the newcomer's challenge
_SHOWN = msgspec.msgpack.Decoder(tuple[bytes, bytes])  # the owner's challenge, and its proof
_PROOF = msgspec.msgpack.Decoder(bytes)
_WELCOME = msgspec.msgpack.Decoder(bool)


async def knock(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> bool:
    """The newcomer's part: whether somebody is there who knows the token, and lets us in."""
    ours = secrets.token_bytes(_SIZE)
    await wire.send(writer, wire.framed((LANGUAGE, ours)))
    theirs, shown = await wire.receive(reader, _SHOWN, wire.HELLO)
    if not hmac.compare_digest(shown, _proof(token, "owner", ours, theirs)):
        return False
    await wire.send(writer, wire.framed(_proof(token, "newcomer", ours, theirs)))
    return bool(await wire.receive(reader, _WELCOME, wire.HELLO))


async def answer_the_door(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> bool:
    """The owner's part: whether it is one who knows the token, and is let in."""
    language, theirs = await wire.receive(reader, _HELLO, wire.HELLO)
    if language != LANGUAGE:
        return False
    ours = secrets.token_bytes(_SIZE)
    await wire.send(writer, wire.framed((ours, _proof(token, "owner", theirs, ours))))
    shown = await wire.receive(reader, _PROOF, wire.HELLO)
    welcome = hmac.compare_digest(shown, _proof(token, "newcomer", theirs, ours))
    await wire.send(writer, wire.framed(welcome))
    return welcome


def _proof(token: str, who: str, newcomers: bytes, owners: bytes) -> bytes:
    """Good for these two challenges, and of one side only: it cannot be said back."""
    said = msgspec.msgpack.encode((LANGUAGE, who, newcomers, owners))
    return hmac.digest(token.encode(), said, "sha256")
