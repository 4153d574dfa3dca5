"""The queue of one mind: one thing at a time, strictly in the order it came.   SPEC N2, N10.

Tasks are on disk before anybody is told they were taken; recalls only wait their turn.
"""

import asyncio
import heapq
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from ebbtide.core.changes import Batch, Enqueue, Requeue, SetAside
from ebbtide.core.errors import EbbtideError, StoreClosed, StoreError, UnknownTask
from ebbtide.core.memory import Message
from ebbtide.core.ports import Clock, Store
from ebbtide.core.state import REMEMBER, Task
from ebbtide.mind.tokens import new_token

log = logging.getLogger("ebbtide")
T = TypeVar("T")
Work = Callable[[], Awaitable[None]]


class Mailbox:
    def __init__(self, store: Store, clock: Clock, handle: Callable[[Task], Awaitable[None]]) -> None:
        self._store = store
        self._clock = clock
        self._handle = handle
        self._waiting: list[tuple[int, int, Work]] = []
        self._held: list[tuple[int, int]] = []  # tasks (place, number) that wait until a store that failed works again
        self._answers: set[asyncio.Future[Any]] = set()  # that somebody waits for
        self._number = 0
        self._worker: asyncio.Task[None] | None = None
        self._loaded = False
        self._closed = False

    async def post(self, messages: tuple[Message, ...]) -> int:
        """Take a task. Returns its number once it is on disk."""
        await self.wake()
        receipt = await self._store.apply(Batch((Enqueue(self._clock.now(), REMEMBER, messages),), new_token()))
        self._push_task(receipt.seq, receipt.seq)
        return receipt.seq

    async def turn(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do this when all that came before it is done."""
        if self._closed:
            raise StoreClosed
        await self.wake()
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)

        async def do() -> None:
            try:
                result = await work()
            except Exception as error:  # noqa: BLE001 — it belongs to whoever asked
                if not answer.done():
                    answer.set_exception(error)
            else:
                if not answer.done():
                    answer.set_result(result)

        self._push(self._store.seq, do)
        return await answer

    async def wake(self) -> None:
        """Take up what an earlier life of this mind left in the queue, and what a failing store has held up since."""
        held, self._held = self._held, []
        for place, number in held:
            self._push_task(place, number)
        if not self._loaded:
            tasks = await self._store.tasks()
            self._loaded = True
            for task in tasks:
                if task.kind == REMEMBER and task.error is None:
                    self._push_task(task.place, task.id)

    async def again(self, number: int) -> None:
        """A task that was set aside waits again, behind all others."""
        await self.wake()
        receipt = await self._store.apply(Batch((Requeue(self._clock.now(), number),), new_token()))
        self._push_task(receipt.seq, number)

    @property
    def busy(self) -> bool:
        return self._worker is not None and not self._worker.done()

    async def idle(self) -> None:
        """Until nothing waits any more."""
        await self.wake()
        while self._worker is not None and not self._worker.done():
            await asyncio.wait([self._worker])

    async def close(self) -> None:
        """Stop between two steps; what waits stays on disk, and whoever waits is told."""
        self._closed = True
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait([self._worker])
        for answer in [answer for answer in self._answers if not answer.done()]:
            answer.set_exception(StoreClosed())

    def _push_task(self, place: int, number: int) -> None:
        self._push(place, partial(self._run, place, number))

    def _push(self, place: int, work: Work) -> None:
        self._number += 1
        heapq.heappush(self._waiting, (place, self._number, work))
        if not self.busy and not self._closed:
            self._worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._waiting:
            _, _, work = heapq.heappop(self._waiting)
            await work()

    async def _run(self, place: int, number: int) -> None:
        """One task. Whatever it fails of, the mind goes on with the next; if it is the store, those behind it wait."""
        if not self._held:
            try:
                return await self._attempt(number)
            except StoreError:
                log.exception("task %s waits: the store failed", number)
        self._held.append((place, number))
        return None

    async def _attempt(self, number: int) -> None:
        task = await self._store.task(number)
        if task is None or task.error is not None:  # dropped meanwhile
            return
        try:
            await self._handle(task)
        except StoreError:
            raise
        except UnknownTask:
            log.info("task %s was dropped while it was worked on", number)
        except Exception as error:  # noqa: BLE001 — set aside with what went wrong, for somebody to see
            await self._set_aside(number, error)

    async def _set_aside(self, number: int, error: Exception) -> None:
        reason = str(error) if isinstance(error, EbbtideError) else f"{type(error).__name__}: {error}"
        log.warning("task %s set aside: %s", number, reason)
        with suppress(UnknownTask):  # dropped meanwhile
            await self._store.apply(Batch((SetAside(self._clock.now(), number, reason),), new_token()))
