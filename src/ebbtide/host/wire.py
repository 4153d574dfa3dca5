"""How two processes on one machine speak of minds: a call is a verb of `Mind` with its arguments, an answer is a value.

Frames of MessagePack, each after its length. What an answer means is read off the verb's own annotation, so there is no
second description of what a mind can do.
"""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_type_hints

import msgspec

from ebbtide.core import errors
from ebbtide.core.changes import KIND_OF, KINDS, Entry
from ebbtide.core.errors import EbbtideError
from ebbtide.mind import Mind

LARGEST = 1 << 28  # bytes of a frame: a thousand memories of the longest kind fit
_HEAD = 4

# Verbs whose answer is another mind: it stays where it was made, and is known by a number.
VIEWS = frozenset({"as_of", "replay", "rehearsal"})
# Verbs that are one batch, so that they can be asked for twice and happen once.
ONCE = frozenset(
    {
        "put", "put_many", "link", "unlink", "configure", "forget", "restore", "revert", "merge", "touch", "remember",
        "retry", "drop", "accept", "dismiss", "recover",
    }
)  # fmt: skip
_LOCAL = frozenset({"close", "now", "entries", "wake"})  # not asked for over the wire


@dataclass(frozen=True, slots=True)
class Call:
    """`name` is the call's own, where it may come again. `view` is the number of a mind made by another call."""

    id: int
    agent: str
    verb: str
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    view: int = 0
    progress: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """To the call of that id: how far it is, or what came of it, or what was wrong with it."""

    id: int
    value: Any = None
    error: tuple[str, dict[str, Any], str] | None = None
    progress: tuple[int, int] | None = None


@cache
def verbs() -> frozenset[str]:
    found = inspect.getmembers(Mind, inspect.isfunction)
    return frozenset(name for name, _ in found if not name.startswith("_")) - _LOCAL


# ---- frames


async def send(writer: asyncio.StreamWriter, value: Any) -> None:
    body = msgspec.msgpack.encode(value)
    writer.write(len(body).to_bytes(_HEAD, "big") + body)
    await writer.drain()


async def receive(reader: asyncio.StreamReader, decoder: "msgspec.msgpack.Decoder[Any]") -> Any:
    """The next frame. Raises IncompleteReadError at the end, MsgspecError or ValueError for what is none."""
    length = int.from_bytes(await reader.readexactly(_HEAD), "big")
    if length > LARGEST:
        raise ValueError(f"a frame of {length} bytes is more than anybody sends here")
    return decoder.decode(await reader.readexactly(length))


calls: "msgspec.msgpack.Decoder[Call]" = msgspec.msgpack.Decoder(Call)
answers: "msgspec.msgpack.Decoder[Answer]" = msgspec.msgpack.Decoder(Answer)


# ---- values


def plain(verb: str, value: Any) -> Any:
    """An answer on its way out. A change is known by its kind."""
    if verb == "journal":
        return [(entry.seq, KIND_OF[type(entry.change)], entry.change, entry.token) for entry in value]
    return value


def across(verb: str, value: Any) -> Any:
    """An answer as it would have come over the wire."""
    return msgspec.to_builtins(plain(verb, value))


def meant(verb: str, value: Any) -> Any:
    """An answer as the verb's annotation says."""
    if verb == "journal":
        return [_entry(*parts) for parts in value]
    return msgspec.convert(value, _returned(verb), strict=False)


def _entry(seq: int, kind: str, change: Any, token: str) -> Entry:
    return Entry(seq, msgspec.convert(change, KINDS[kind]), token)


@cache
def _returned(verb: str) -> Any:
    return get_type_hints(getattr(Mind, verb))["return"]


def refusal(error: EbbtideError) -> tuple[str, dict[str, Any], str]:
    """An error on its way out: its name, its facts as far as they are plain, and what it says."""
    facts = {
        name: fact if isinstance(fact, str | int | float | None) else str(fact) for name, fact in error.facts.items()
    }
    return type(error).__name__, facts, str(error)


def refused(name: str, facts: dict[str, Any], message: str) -> EbbtideError:
    """The error somebody else raised. One that this version does not know is told in its words."""
    kind: Callable[..., EbbtideError] | None = getattr(errors, name, None)
    try:
        assert kind is not None
        return kind(**facts)
    except (AssertionError, KeyError, TypeError, IndexError):
        return errors.Conflict(problem=message)
