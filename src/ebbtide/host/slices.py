"""Time slices: compression shares the machine between minds, round robin.   SPEC N11.

Each mind with a cycle due gets its `time_slice` and then makes way for the next, wherever it is; it goes on
when its turn comes again. Between any two memories it can be paused or stopped.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger("ebbtide")


class Sliced(Protocol):
    """What the slices need of a mind."""

    agent: str

    @property
    def time_slice(self) -> float:
        """Seconds a turn lasts."""
        ...

    async def compress(self, enough: Callable[[], bool]) -> bool:
        """Work until nothing is due (True) or it is enough (False), asked between any two memories."""
        ...


class Slices:
    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._line: deque[Sliced] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._current: Sliced | None = None
        self._going = asyncio.Event()
        self._going.set()
        self._free = asyncio.Event()  # nobody's turn
        self._free.set()
        self._leaving: set[str] = set()
        self._stopped = False
        self.turns = 0

    def enter(self, mind: Sliced) -> None:
        """A mind has a cycle due. Entering twice is entering once; who is about to close need not."""
        if self._stopped or mind.agent in self._leaving:
            return
        if all(other.agent != mind.agent for other in self._line) and self._current is not mind:
            self._line.append(mind)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(self._run())

    def pause(self) -> None:
        """Nothing more is compressed after the memory at hand, until `resume`."""
        self._going.clear()

    def resume(self) -> None:
        self._going.set()

    async def leave(self, mind: Sliced) -> None:
        """This mind is about to close: stop its turn after the memory at hand."""
        self._line = deque(other for other in self._line if other is not mind)
        self._leaving.add(mind.agent)
        if self._current is mind:
            await self._free.wait()
        self._leaving.discard(mind.agent)

    async def idle(self) -> None:
        """Until no mind has a cycle due."""
        while self._worker is not None and not self._worker.done():
            await asyncio.wait([self._worker])

    async def stop(self) -> None:
        """For good, after the memory at hand."""
        self._stopped = True
        self._line.clear()
        self.pause()
        await self._free.wait()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait([self._worker])

    async def _run(self) -> None:
        while self._line:
            await self._going.wait()
            if not self._line:
                return
            mind = self._current = self._line.popleft()
            self._free.clear()
            try:
                done = await self._turn(mind)
            except Exception:  # whatever it is, the others go on
                log.exception("compression of %s stopped", mind.agent)
                done = True
            finally:
                self._current = None
                self._free.set()
            if not done and mind.agent not in self._leaving:
                self._line.append(mind)
            await asyncio.sleep(0)

    async def _turn(self, mind: Sliced) -> bool:
        self.turns += 1
        ends = self._monotonic() + mind.time_slice

        def enough() -> bool:
            return self._monotonic() >= ends or not self._going.is_set() or mind.agent in self._leaving

        return await mind.compress(enough)
