"""Long work as tasks: begun by one request, looked at by others, left between two batches if nobody wants it."""

import asyncio
import itertools
import logging
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ebbtide.core.errors import EbbtideError
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress
from ebbtide.serve.http import problems
from ebbtide.serve.http.problems import TooMuch
from ebbtide.serve.http.shapes import encoded, plain

log = logging.getLogger("ebbtide")

KEPT = 3600.0  # seconds a finished task can still be looked at
MOST_KEPT = 100  # finished ones of one mind
MOST_BYTES = 32 << 20  # of what came of all of them; the last one is kept whatever its size
MOST_RUNNING = 16  # of one mind
RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"

Doing = Callable[[Mind, Progress], Awaitable[Any]]


class _Left(Exception):
    """Somebody wants it no more."""


@dataclass(slots=True)
class Work:
    id: str
    number: int  # of all that were begun here
    agent: str
    verb: str
    started_at: float
    state: str = RUNNING
    cancelling: bool = False
    finished_at: float | None = None
    done: int = 0
    total: int | None = None
    result: Any = None
    size: int = 0  # of the result, in bytes
    problem: dict[str, Any] | None = None
    waits: bool = False  # it only waits for others, and can be left anywhere
    running: "asyncio.Task[None] | None" = field(default=None, repr=False)

    def told(self) -> dict[str, Any]:
        return {**self.in_brief(), "result": self.result}

    def in_brief(self) -> dict[str, Any]:
        names = ("id", "agent", "verb", "state", "cancelling", "started_at", "finished_at", "problem")
        return {name: getattr(self, name) for name in names} | {"progress": {"done": self.done, "total": self.total}}

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if self.cancelling:
            raise _Left


class Works:
    """The tasks of this process. They end with it: what they had done is in the minds, the rest is asked for again."""

    def __init__(self, house: House, now: Callable[[], float] = time.time) -> None:
        self._house, self._now = house, now
        self._works: dict[str, Work] = {}
        self._ended: dict[str, Work] = {}  # in the order they ended
        self._size = 0  # of what came of them
        self._numbers = itertools.count(1)

    def begin(self, agent: str, verb: str, doing: Doing, *, waits: bool = False) -> Work:
        """Returns at once. Raises TooMuch if this mind has enough to do."""
        self._tidy()
        if sum(work.state == RUNNING for work in self._works.values() if work.agent == agent) >= MOST_RUNNING:
            raise TooMuch(f"{MOST_RUNNING} tasks of this mind are running: wait for one to end.")
        work = Work(uuid.uuid4().hex, next(self._numbers), agent, verb, self._now(), waits=waits)
        work.running = asyncio.get_running_loop().create_task(self._run(work, doing))
        work.running.add_done_callback(lambda _: self._settle(work))
        self._works[work.id] = work
        return work

    def find(self, number: str) -> Work | None:
        """None: it ended long ago, or with an earlier process."""
        self._tidy()
        return self._works.get(number)

    def all(self) -> list[Work]:
        """Those begun last first."""
        self._tidy()
        return list(self._works.values())[::-1]

    def cancel(self, work: Work) -> None:
        """Between two batches, where it has any; what is done stays done. One that has ended stays as it is."""
        if work.state == RUNNING:
            work.cancelling = True
            if work.waits and work.running is not None:
                work.running.cancel()

    async def close(self) -> None:
        running = [work for work in self._works.values() if work.running is not None and not work.running.done()]
        for work in running:
            work.cancelling = True
            assert work.running is not None
            work.running.cancel()
        if running:
            await asyncio.wait([work.running for work in running if work.running is not None])

    async def _run(self, work: Work, doing: Doing) -> None:
        try:
            async with self._house.mind(work.agent) as mind:
                work.result = plain(await doing(mind, work.progress))
                work.size = len(encoded(work.result))
            work.state = DONE
        except (_Left, asyncio.CancelledError):
            work.state = CANCELLED
        except EbbtideError as error:
            work.state, work.problem = FAILED, problems.told(error)
        except Exception as error:  # a bug: whoever looks is told, and the log has it
            log.exception("%s of %s failed", work.verb, work.agent)
            work.state, work.problem = FAILED, problems.told(error)
        self._end(work)

    def _settle(self, work: Work) -> None:
        """For one that was left before it had begun."""
        if work.state == RUNNING:
            work.state = CANCELLED
            self._end(work)

    def _end(self, work: Work) -> None:
        work.finished_at = self._now()
        self._ended[work.id] = work
        self._size += work.size
        mine = [other for other in self._ended.values() if other.agent == work.agent]
        if len(mine) > MOST_KEPT:
            self._drop(mine[0])
        self._tidy()

    def _tidy(self) -> None:
        """Finished ones go after their time, and earlier if much came of them."""
        while self._ended:
            oldest = next(iter(self._ended.values()))
            late = self._now() - (oldest.finished_at or 0.0) > KEPT
            if not late and (self._size <= MOST_BYTES or len(self._ended) == 1):
                return
            self._drop(oldest)

    def _drop(self, ended: Work) -> None:
        del self._works[ended.id], self._ended[ended.id]
        self._size -= ended.size
