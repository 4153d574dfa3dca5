"""Long work as tasks: begun by one request, looked at by others, left between two batches if nobody wants it."""

import asyncio
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
from ebbtide.serve.http.shapes import plain

log = logging.getLogger("ebbtide")

KEPT = 3600.0  # seconds a finished task can still be looked at
MOST_KEPT = 100  # finished ones of one mind
MOST_RUNNING = 16  # of one mind
RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"

Doing = Callable[[Mind, Progress], Awaitable[Any]]


class _Left(Exception):
    """Somebody wants it no more."""


@dataclass(slots=True)
class Work:
    id: str
    agent: str
    verb: str
    started_at: float
    state: str = RUNNING
    cancelling: bool = False
    finished_at: float | None = None
    done: int = 0
    total: int | None = None
    result: Any = None
    problem: dict[str, Any] | None = None
    waits: bool = False  # it only waits for others, and can be left anywhere
    running: "asyncio.Task[None] | None" = field(default=None, repr=False)

    def told(self) -> dict[str, Any]:
        names = ("id", "agent", "verb", "state", "cancelling", "started_at", "finished_at", "result", "problem")
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

    def begin(self, agent: str, verb: str, doing: Doing, *, waits: bool = False) -> Work:
        """Returns at once. Raises TooMuch if this mind has enough to do."""
        self._tidy(agent)
        if sum(work.state == RUNNING for work in self._works.values() if work.agent == agent) >= MOST_RUNNING:
            raise TooMuch(f"{MOST_RUNNING} tasks of this mind are running: wait for one to end.")
        work = Work(uuid.uuid4().hex, agent, verb, self._now(), waits=waits)
        work.running = asyncio.get_running_loop().create_task(self._run(work, doing))
        work.running.add_done_callback(lambda _: self._settle(work))
        self._works[work.id] = work
        return work

    def find(self, number: str) -> Work | None:
        """None: it ended long ago, or with an earlier process."""
        return self._works.get(number)

    def all(self) -> list[Work]:
        """Those begun last first."""
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
            work.state = DONE
        except (_Left, asyncio.CancelledError):
            work.state = CANCELLED
        except EbbtideError as error:
            work.state, work.problem = FAILED, problems.told(error)
        except Exception as error:  # a bug: whoever looks is told, and the log has it
            log.exception("%s of %s failed", work.verb, work.agent)
            work.state, work.problem = FAILED, problems.told(error)
        work.finished_at = self._now()

    def _settle(self, work: Work) -> None:
        """For one that was left before it had begun."""
        if work.state == RUNNING:
            work.state, work.finished_at = CANCELLED, self._now()

    def _tidy(self, agent: str) -> None:
        """Finished ones go after their time, and earlier if there are many."""
        ended = [work for work in self._works.values() if work.finished_at is not None]
        mine = [work for work in ended if work.agent == agent]
        for work in ended:
            if self._now() - (work.finished_at or 0.0) > KEPT:
                del self._works[work.id]
        for work in mine[: max(0, len(mine) - MOST_KEPT)]:
            self._works.pop(work.id, None)
