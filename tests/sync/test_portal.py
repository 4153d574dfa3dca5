"""A loop in a thread of its own: whoever is interrupted or late gets an answer, and nothing is left behind."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import StoreClosed
from ebbtide.sync.portal import Portal

_BOUND = 10.0  # seconds after which something hangs


class Resource:
    """Tells whether it was opened, and whether it was closed."""

    def __init__(self) -> None:
        self.told: list[str] = []

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[str]:
        self.told.append("opened")
        try:
            yield "the resource"
        finally:
            self.told.append("closed")


class Interrupted(Future[Any]):
    """Ctrl-C comes while somebody waits for it, or just when it is there."""

    def __init__(self, *, wait: bool) -> None:
        super().__init__()
        self._wait = wait

    def result(self, timeout: float | None = None) -> Any:
        if self._wait:
            super().result(_BOUND)
        raise KeyboardInterrupt


def ends(work: Callable[[], Any]) -> BaseException | None:
    """What it raised, in a thread, so that one that hangs is a failure and no more."""
    raised: list[BaseException | None] = []

    def run() -> None:
        try:
            work()
            raised.append(None)
        except BaseException as error:  # noqa: BLE001 — KeyboardInterrupt too
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(_BOUND)
    assert raised, "it hangs"
    return raised[0]


def test_an_interrupt_just_when_it_is_open_closes_it_again() -> None:
    resource = Resource()
    portal = Portal(resource.opening())
    portal._opened = Interrupted(wait=True)
    assert isinstance(ends(portal.__enter__), KeyboardInterrupt)
    assert resource.told == ["opened", "closed"]


def test_an_interrupt_before_the_thread_has_begun_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = Resource()
    portal = Portal(resource.opening())
    portal._opened = Interrupted(wait=False)
    given_up, run, join = threading.Event(), portal._run, portal._thread.join

    def late() -> None:
        assert given_up.wait(_BOUND)
        run()

    def joined() -> None:
        given_up.set()
        join()

    portal._thread._target = late  # type: ignore[attr-defined]
    monkeypatch.setattr(portal._thread, "join", joined)
    assert isinstance(ends(portal.__enter__), KeyboardInterrupt)
    assert not resource.told


class Announced:
    """A lock that says when somebody comes to it beside the one who has it."""

    def __init__(self, lock: Any) -> None:
        self._lock, self.waited_for = lock, threading.Event()
        self._first: int | None = None

    def __enter__(self) -> None:
        if self._first is None:
            self._first = threading.get_ident()
        elif self._first != threading.get_ident():
            self.waited_for.set()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_a_call_made_just_when_somebody_leaves_is_still_done(monkeypatch: pytest.MonkeyPatch) -> None:
    portal = Portal(Resource().opening()).__enter__()
    portal._door = door = Announced(portal._door)  # type: ignore[assignment]
    leaving = threading.Thread(target=lambda: portal.__exit__(None, None, None), daemon=True)
    submit = asyncio.run_coroutine_threadsafe

    def overtaken(work: Any, loop: asyncio.AbstractEventLoop) -> Any:
        leaving.start()
        assert door.waited_for.wait(_BOUND), "nobody keeps the door"
        return submit(work, loop)

    async def work() -> str:
        return "done"

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", overtaken)
    assert portal.call(work) == "done"
    leaving.join(_BOUND)
    assert not leaving.is_alive()


def test_whoever_calls_after_the_block_is_told_that_it_is_closed() -> None:
    with Portal(Resource().opening()) as portal:
        pass

    async def work() -> None:
        raise AssertionError

    assert isinstance(ends(lambda: portal.call(work)), StoreClosed)


FORKED = """
import os, signal, sys, ebbtide.sync
from ebbtide.core.errors import Conflict

def child(mind):
    signal.alarm(20)  # a bound for one that hangs
    try:
        mind.get("first")
    except Conflict as error:
        print("called:", error, flush=True)

try:
    with ebbtide.sync.open("ada", data=sys.argv[1]) as mind:
        mind.put("The ferry leaves at 8:40.", key="first")
        forked = os.fork()
        if forked == 0:
            child(mind)
            if sys.argv[2] == "raise":
                raise ZeroDivisionError
        else:
            assert os.waitpid(forked, 0)[1] == 0
            print("parent:", mind.get("first").text, flush=True)
except (Conflict, ZeroDivisionError) as error:
    print("left:", type(error).__name__, flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize(("how", "left"), [("leave", "Conflict"), ("raise", "ZeroDivisionError")])
def test_a_forked_child_is_told_to_open_the_mind_itself(tmp_path: Path, how: str, left: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path), how]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.splitlines()
    assert told[0].startswith("called: this mind was opened before a fork")
    assert told[1:] == [f"left: {left}", "parent: The ferry leaves at 8:40."]
