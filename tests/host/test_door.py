"""The door lets in who knows the word, and no stranger does any harm."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import Conflict, EbbtideError, InvalidInput, UnknownMind
from ebbtide.host import door, handshake, wire
from ebbtide.host.card import read
from ebbtide.host.handshake import LANGUAGE
from ebbtide.host.line import Gone, Line
from ebbtide.host.wire import Call
from ebbtide.mind import Mind
from tests.host.neighbours import card, entered, street

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def knocking(data: Path) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", card(data)["port"])
    try:
        yield reader, writer
    finally:
        await wire.hang_up(writer)


async def hung_up(reader: asyncio.StreamReader) -> bool:
    try:
        return await asyncio.wait_for(reader.read(), 10) == b""
    except ConnectionError:
        return True


async def test_only_the_right_word_opens(tmp_path: Path) -> None:
    async with street(tmp_path):
        there = card(tmp_path)
        for word in ("wrong", "", there["token"][:-1]):
            with pytest.raises(Gone):
                await Line.to(there["port"], word)
        await (await Line.to(there["port"], there["token"])).close()


async def test_who_cannot_show_that_it_knows_the_word_is_not_let_in(tmp_path: Path) -> None:
    async with street(tmp_path), knocking(tmp_path) as (reader, writer):
        await wire.send(writer, wire.framed((LANGUAGE, b"challenge")))
        _, said_back = await wire.receive(reader, handshake._SHOWN)
        await wire.send(writer, wire.framed(said_back))
        assert await wire.receive(reader, handshake._WELCOME) is False
        assert await hung_up(reader)


async def test_only_the_right_language_is_understood(tmp_path: Path) -> None:
    async with street(tmp_path), knocking(tmp_path) as (reader, writer):
        await wire.send(writer, wire.framed((LANGUAGE + 1, b"challenge")))
        assert await hung_up(reader)


@pytest.mark.parametrize("answers", [[True, True], [(b"challenge", b"proof"), True]], ids=["yes", "a proof"])
async def test_a_stranger_at_an_owners_port_is_neither_believed_nor_told_the_word(answers: list[Any]) -> None:
    heard = bytearray()

    async def agreeing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(map(wire.framed, answers)))
        heard.extend(await reader.read())
        writer.close()

    async with await asyncio.start_server(agreeing, "127.0.0.1", 0) as stranger:
        with pytest.raises(Gone):
            await Line.to(stranger.sockets[0].getsockname()[1], "the-word")
    assert b"the-word" not in heard


@pytest.mark.parametrize(
    "noise",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x00\x00\x00\x05\xff\xff\xff\xff\xff",
        b"\x00\x00\x00\x00",
        b"\xff" * 100_000,
        (wire.HELLO + 1).to_bytes(4, "big"),
        wire.framed([1, 2, 3]),
    ],
    ids=["http", "garbage", "nothing", "much", "too long", "wrong"],
)
async def test_a_stranger_who_makes_noise_is_hung_up_on(tmp_path: Path, noise: bytes) -> None:
    async with street(tmp_path) as here:
        async with knocking(tmp_path) as (reader, writer):
            writer.write(noise)
            assert await hung_up(reader)
        async with here.guests[0].mind("ada") as mind:
            assert (await mind.put("undisturbed")).text == "undisturbed"


async def test_who_does_not_say_who_it_is_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_PATIENCE", 0.05)
    async with street(tmp_path), knocking(tmp_path) as (reader, writer):
        writer.write(b"\x00\x00")
        assert await hung_up(reader)


@pytest.mark.parametrize(
    "call",
    [
        Call("ada", "_apply"),
        Call("ada", "close"),
        Call("ada", "__init__"),
        Call("ada", "no_such"),
        Call("", "close"),
        Call("", "no_such"),
        Call("../ada", "stats"),
        Call("nobody", "stats"),
        Call("ada", "stats", view=7),
        Call("ada", "put", (1, 2, 3)),
        Call("ada", "put", ("text",), {"self": 1}),
        Call("", "create", ("../up", "activity", {})),
        Call("", "create", ()),
    ],
    ids=str,
)
async def test_only_verbs_can_be_called(tmp_path: Path, call: Call, caplog: pytest.LogCaptureFixture) -> None:
    async with street(tmp_path / "minds") as here:
        line = await Line.to(card(tmp_path / "minds")["port"], card(tmp_path / "minds")["token"])
        with pytest.raises((EbbtideError, TypeError)):
            await line.ask(call)
        await line.close()
        assert here.owner.agents() == ["ada"]
        async with here.owner.mind("ada") as mind:
            assert (await mind.stats()).store.memories == 0
    assert [name for _, names, _ in os.walk(tmp_path) for name in names] == ["minds", "ada"]


@pytest.mark.parametrize(
    ("raised", "heard"),
    [
        (UnknownMind(agent="ada", data="caf\udce9"), UnknownMind),
        (ZeroDivisionError("\udce9"), RuntimeError),
        (asyncio.CancelledError(), Conflict),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
async def test_whatever_a_call_fails_of_is_answered(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    raised: BaseException,
    heard: type[Exception],
) -> None:
    caplog.set_level(logging.CRITICAL, "ebbtide")  # what cannot be encoded cannot be reported by a test's process

    async def failing(self: Mind) -> None:
        raise raised

    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        monkeypatch.setattr(Mind, "trash", failing)
        with pytest.raises(heard):
            await asyncio.wait_for(mind.trash(), 60)
        assert (await mind.put("the line holds")).text == "the line holds"


async def test_news_are_told_also_where_the_answer_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind, here.owner.mind("ada") as owned:
        await owned.put("x" * 60_000, key="long")
        await owned.configure(trash_days=3.0)
        monkeypatch.setattr(wire, "LARGEST", 50_000)
        with pytest.raises(InvalidInput, match="too much at once"):
            await mind.get("long")
        assert mind.params["trash_days"] == 3.0


async def test_the_word_is_in_no_log_and_in_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with street(tmp_path) as here:
        word = card(tmp_path)["token"]
        async with here.guests[0].mind("ada") as mind:
            await mind.put("tide")
        assert word not in repr(read(tmp_path))
        async with knocking(tmp_path) as (reader, writer):
            await wire.send(writer, wire.framed((LANGUAGE, word.encode())))
            await wire.send(writer, wire.framed(word[:-1].encode()))
            assert await hung_up(reader) is False
    assert len(word) > 40
    assert word not in caplog.text


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """`put` and `idle` wait until they are let go; what has begun is told."""
    told: dict[str, Any] = {"begun": asyncio.Event(), "go": asyncio.Event(), "left": asyncio.Event()}
    put = Mind.put

    async def held_put(self: Mind, text: str, **given: Any) -> Any:
        told["begun"].set()
        await told["go"].wait()
        return await put(self, text, **given)

    async def held_idle(self: Mind) -> None:
        told["begun"].set()
        try:
            await asyncio.Event().wait()
        finally:
            told["left"].set()

    monkeypatch.setattr(Mind, "put", held_put)
    monkeypatch.setattr(Mind, "idle", held_idle)
    return told


async def test_calls_in_hand_are_answered_before_the_door_is_closed(tmp_path: Path, slow: dict[str, Any]) -> None:
    async with entered(tmp_path) as owner:
        await owner.create("ada", "activity")
        line = await Line.to(card(tmp_path)["port"], card(tmp_path)["token"])
        put = asyncio.create_task(line.ask(Call("ada", "put", ("tide",), {"key": "tide"}, "a-name")))
        await asyncio.wait_for(slow["begun"].wait(), 10)
        leaving = asyncio.create_task(owner.leave())
        await asyncio.sleep(0.01)
        assert not leaving.done()
        slow["go"].set()
        assert (await asyncio.wait_for(put, 10)).value["key"] == "tide"
        await asyncio.wait_for(leaving, 10)
        await line.close()


async def test_a_call_without_end_does_not_keep_the_owner(
    tmp_path: Path, slow: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_GRACE", 0.05)
    async with entered(tmp_path) as owner:
        await owner.create("ada", "activity")
        line = await Line.to(card(tmp_path)["port"], card(tmp_path)["token"])
        waiting = asyncio.create_task(line.ask(Call("ada", "idle")))
        await asyncio.wait_for(slow["begun"].wait(), 10)
        await asyncio.wait_for(owner.leave(), 10)
        assert slow["left"].is_set()
        with pytest.raises(Gone):
            await waiting
        await line.close()


async def test_when_a_guest_dies_its_writes_are_finished_and_its_waiting_is_not(
    tmp_path: Path, slow: dict[str, Any]
) -> None:
    async with street(tmp_path) as here:
        line = await Line.to(card(tmp_path)["port"], card(tmp_path)["token"])
        calls = [
            asyncio.create_task(line.ask(call))
            for call in (Call("ada", "put", ("tide",), {"key": "tide"}, "a-name"), Call("ada", "idle"))
        ]
        await asyncio.wait_for(slow["begun"].wait(), 10)
        await asyncio.sleep(0.01)
        await line.close()
        await asyncio.wait_for(slow["left"].wait(), 10)
        slow["go"].set()
        await asyncio.wait(calls)
        async with here.guests[0].mind("ada") as mind:
            for _ in range(1000):
                if await mind.applied("a-name"):
                    break
            assert (await mind.get("tide")).text == "tide"


async def test_a_guest_that_does_not_listen_keeps_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_GRACE", 0.05)
    monkeypatch.setattr(door, "_WRITING", 0.05)
    monkeypatch.setattr(wire, "_FAREWELL", 0.05)
    async with entered(tmp_path) as owner:
        await owner.create("ada", "activity")
        async with owner.mind("ada") as mind:
            await mind.put_many([{"text": "x" * 500_000, "key": f"k{number}"} for number in range(20)])
        reader, deaf = await asyncio.open_connection("127.0.0.1", card(tmp_path)["port"])
        assert await handshake.knock(reader, deaf, card(tmp_path)["token"])
        deaf.write(wire.framed(Call("ada", "list", id=1)) * 3)
        async with entered(tmp_path) as guest, guest.mind("ada") as mind:
            assert (await mind.get("k1")).key == "k1"
            await asyncio.wait_for(owner.leave(), 20)
            assert (await mind.get("k1")).key == "k1"
        await wire.hang_up(deaf)
