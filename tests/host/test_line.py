"""A line knows whether somebody is at its other end."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ebbtide.app import SystemClock
from ebbtide.core.errors import Conflict
from ebbtide.host import door, line, wire
from ebbtide.host.remote import RemoteMind
from ebbtide.mind import Mind
from tests.host.neighbours import card, entered, line_of, street
from tests.host.village import until

OWNER = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.host.neighbours import entered

async def main():
    async with entered(Path(sys.argv[1])) as house:
        await house.create("ada", "activity")
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        if not (child := os.fork()):
            while True:
                signal.pause()
        print(child, flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


class Pulse:
    """The beats of a line: they come when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._beats: asyncio.Queue[None] = asyncio.Queue()
        monkeypatch.setattr(line, "_beat", self._beats.get)

    def beats(self, times: int) -> None:
        for _ in range(times):
            self._beats.put_nowait(None)


@pytest.fixture
async def pulse(monkeypatch: pytest.MonkeyPatch) -> Pulse:
    return Pulse(monkeypatch)


@contextmanager
def deaf(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Event]:
    """The owner takes no call, like one that is stopped. Tells when there was one."""
    called = asyncio.Event()
    with monkeypatch.context() as patched:
        patched.setattr(door._Guest, "_take", lambda *_: called.set())
        yield called


async def test_an_owner_that_does_not_answer_is_named_and_heard_again_when_it_goes_on(
    tmp_path: Path, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        with deaf(monkeypatch) as called:
            calls = [asyncio.create_task(mind.put("tide", key=key)) for key in "ab"]
            await asyncio.wait_for(called.wait(), 60)
            pulse.beats(10)
            for call in calls:
                with pytest.raises(Conflict, match=rf"process \({os.getpid()}\) that does not answer"):
                    await asyncio.wait_for(call, 60)
        assert (await mind.put("tide", key="c")).key == "c"
        assert not here.guests[0].owner


async def test_an_owner_that_does_not_listen_to_the_end_is_named_too(
    tmp_path: Path, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is more to say than a line holds that nobody reads."""
    stopped = asyncio.Event()

    async def at_the_first_call(self: door._Guest) -> None:
        await wire.receive(self._reader, wire.calls)
        stopped.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(wire, "_PART", 1 << 20)
    monkeypatch.setattr(door._Guest, "serve", at_the_first_call)
    async with entered(tmp_path) as owner, entered(tmp_path) as guest:
        assert owner.owner
        mind = RemoteMind(guest, "ada", SystemClock())
        put = asyncio.create_task(mind.put_many([{"text": "x" * 1_000_000}] * 64))
        await asyncio.wait_for(stopped.wait(), 60)
        pulse.beats(10)
        with pytest.raises(Conflict, match="does not answer"):
            await asyncio.wait_for(put, 60)


async def test_an_owner_that_lost_the_folder_and_never_hung_up_is_left(
    tmp_path: Path, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with street(tmp_path, open_minds=0) as here, here.guests[0].mind("ada") as mind:
        with deaf(monkeypatch) as called:
            put = asyncio.create_task(mind.put("tide", key="tide"))
            await asyncio.wait_for(called.wait(), 60)
            here.owner._lock.release()
            pulse.beats(10)
            assert (await asyncio.wait_for(put, 60)).key == "tide"
        assert here.guests[0].owner


async def test_an_owner_whose_folder_another_has_by_now_is_left_for_that_one(
    tmp_path: Path, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with street(tmp_path, open_minds=0) as here, here.guests[0].mind("ada") as mind:
        here.owner._lock.release()
        async with entered(tmp_path) as heir:
            assert heir.owner
            with deaf(monkeypatch) as called:
                put = asyncio.create_task(mind.put("tide", key="tide"))
                await asyncio.wait_for(called.wait(), 60)
            pulse.beats(10)
            assert (await asyncio.wait_for(put, 60)).key == "tide"
            assert not here.guests[0].owner
            assert heir.host is not None
            assert heir.host.opened() == ["ada"]


async def test_who_does_something_that_takes_long_is_waited_for(
    tmp_path: Path, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def slowly(self: Mind) -> None:
        begun.set()
        await go.wait()

    monkeypatch.setattr(Mind, "idle", slowly)
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        waiting = asyncio.create_task(mind.idle())
        await asyncio.wait_for(begun.wait(), 60)
        to_owner = line_of(here.guests[0])
        for _ in range(10):
            await until(lambda: to_owner._heard)
            pulse.beats(1)
            await until(lambda: not to_owner._heard)
        assert not waiting.done()
        go.set()
        await asyncio.wait_for(waiting, 60)


@asynccontextmanager
async def neighbour(data: Path) -> AsyncIterator[Any]:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        try:
            assert owner.stdout is not None
            assert owner.stdout.readline() == "open\n"
            yield owner
        finally:
            owner.kill()


@pytest.mark.slow
async def test_an_owner_that_is_stopped_is_named(tmp_path: Path, pulse: Pulse) -> None:
    async with neighbour(tmp_path) as owner, entered(tmp_path) as guest, guest.mind("ada") as mind:
        assert card(tmp_path)["pid"] == owner.pid
        owner.send_signal(signal.SIGSTOP)
        await asyncio.to_thread(os.waitpid, owner.pid, os.WUNTRACED)  # until it has stopped
        put = asyncio.create_task(mind.put("tide"))
        await asyncio.sleep(0)
        pulse.beats(10)
        with pytest.raises(Conflict, match=rf"process \({owner.pid}\) that does not answer"):
            await asyncio.wait_for(put, 60)
        owner.kill()
        assert (await asyncio.wait_for(mind.put("tide", key="tide"), 60)).key == "tide"
        assert guest.owner


@pytest.mark.slow
async def test_a_child_of_an_owner_that_was_killed_holds_nobody(tmp_path: Path, pulse: Pulse) -> None:
    """Without a single beat: the line breaks as it would without the child."""
    async with neighbour(tmp_path) as owner, entered(tmp_path) as guest, guest.mind("ada") as mind:
        await mind.put("said before the fork", key="before")
        print(file=owner.stdin, flush=True)
        child = int(owner.stdout.readline())
        try:
            await mind.put("said after it", key="after")
            owner.kill()
            await asyncio.wait_for(mind.put("said to nobody", key="then"), 60)
            assert guest.owner
            assert [seen.key for seen in (await mind.list()).memories] == ["before", "after", "then"]
        finally:
            os.kill(child, signal.SIGKILL)
