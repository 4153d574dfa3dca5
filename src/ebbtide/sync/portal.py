"""An event loop in a thread of its own, and the way in for everybody else."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import Generic, Self, TypeVar

from ebbtide.core.errors import Conflict, StoreClosed

T = TypeVar("T")
R = TypeVar("R")


class Portal(Generic[T]):
    """Holds an asynchronous resource open while its block lasts. What was asked for is done before it is closed."""

    def __init__(self, opening: AbstractAsyncContextManager[T]) -> None:
        self._opening = opening
        self._opened: Future[T] = Future()
        self._closed: Future[None] = Future()
        # A daemon: whoever never leaves the block must still be able to leave the program.
        self._thread = threading.Thread(target=self._run, name="ebbtide", daemon=True)
        self._calls: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop
        self._holder: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        # Whoever calls is on the loop before whoever leaves, or finds that somebody has left. A handler of signals may
        # come back to it in the same thread.
        self._door = threading.RLock()
        self._left = False
        self._process = os.getpid()

    @property
    def value(self) -> T:
        return self._opened.result()

    def __enter__(self) -> Self:
        # Made here, so that there is something to be told even before the thread has run a line.
        self._loop = asyncio.new_event_loop()
        try:
            self._thread.start()
            self._opened.result()
        except BaseException:  # it could not be opened; or this thread was interrupted, and nobody will leave
            self._give_up()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._is_elsewhere:  # the thread stayed behind, and what is open is the other process's to close
            if error is None:  # else that is what whoever leaves has to know
                raise _elsewhere()
            return
        with self._door:
            self._left = True
            self._loop.call_soon_threadsafe(self._leave.set)
        self._closed.result()
        self._thread.join()

    def call(self, work: Callable[[], Awaitable[R]]) -> R:
        """Wait for it. Interrupted, it is cancelled: what was not yet written stays unwritten."""
        if threading.current_thread() is self._thread:
            raise Conflict(problem="a callback of one call cannot make another: note it down, and call afterwards")
        if self._is_elsewhere:
            raise _elsewhere()
        with self._door:
            if self._left:
                raise StoreClosed
            answer: Future[R] = asyncio.run_coroutine_threadsafe(self._counted(work), self._loop)
        try:
            return answer.result()
        except BaseException:
            answer.cancel()  # does nothing if the error is the answer
            raise

    @property
    def _is_elsewhere(self) -> bool:
        """A fork has copied this object, and neither its thread nor who may hold the door."""
        return os.getpid() != self._process

    async def _counted(self, work: Callable[[], Awaitable[R]]) -> R:
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            return await work()
        finally:
            self._calls.discard(task)

    def _give_up(self) -> None:
        with suppress(RuntimeError):  # the loop has ended, or the thread never began
            self._loop.call_soon_threadsafe(self._abandon)
        with suppress(RuntimeError):
            self._thread.join()

    def _abandon(self) -> None:
        """On the loop, where nothing can be opened in between."""
        self._leave.set()
        if self._holder is not None and not self._opened.done():
            self._holder.cancel()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._hold())
        except BaseException as error:  # noqa: BLE001 — whoever opened or closed it is told
            (self._closed if self._opened.done() else self._opened).set_exception(error)
        else:
            self._closed.set_result(None)

    async def _hold(self) -> None:
        self._holder = asyncio.current_task()
        if self._leave.is_set():
            raise asyncio.CancelledError  # before it had begun
        async with self._opening as value:
            self._opened.set_result(value)
            await self._leave.wait()
            while self._calls:
                await asyncio.wait(list(self._calls))


def _elsewhere() -> Conflict:
    return Conflict(problem="this mind was opened before a fork, in the process that forked: open it again in this one")
