"""A place to try the scheduler in: minds in RAM, work that notes what it does, and time that a test lets pass."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ebbtide.core.errors import UnknownMind
from ebbtide.core.memory import HOUR
from ebbtide.host.schedule import Job, Report, Scheduler
from ebbtide.host.timetable import Figures, Timetable
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH
from tests.helpers import FakeClock, batch, configured

QUARTER = 900.0


class Bug(Exception):
    pass


async def until(reached: Callable[[], bool]) -> None:
    for _ in range(1_000_000):
        if reached():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never comes")


class Alarm:
    """The scheduler's waiting: it lasts until the test lets the time pass, or until somebody wakes it."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.asleep = asyncio.Event()
        self.rest = 0.0
        self._rings = asyncio.Event()

    async def __call__(self, seconds: float, wake: asyncio.Event) -> None:
        self.rest = seconds
        self._rings.clear()
        if not wake.is_set():
            self.asleep.set()
            called = [asyncio.ensure_future(event.wait()) for event in (wake, self._rings)]
            await asyncio.wait(called, return_when=asyncio.FIRST_COMPLETED)
            for call in called:
                call.cancel()
            self.asleep.clear()

    async def quiet(self) -> None:
        """Until all is done that was due."""
        await asyncio.wait_for(self.asleep.wait(), 60)

    async def look(self) -> None:
        """Wake it, and wait until it has done what it finds."""
        self.asleep.clear()
        self._rings.set()
        await self.quiet()

    async def forward(self, seconds: float) -> None:
        """Let the time pass, as the scheduler would sleep through it."""
        await self.quiet()
        until = self.clock.now() + seconds
        while (rings := self.clock.now() + self.rest) <= until:
            self.clock.moment = rings
            await self.look()
        self.clock.moment = until


class Village:
    """Minds in RAM. Some are busy elsewhere, some are listed and gone, and every opening is counted."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.minds: dict[str, Mind] = {}
        self.troubles: dict[str, Exception] = {}
        self.listed_only: list[str] = []
        self.openings: Counter[str] = Counter()

    async def settle(self, *agents: str, metabolism: str = "activity") -> None:
        for agent in agents:
            store = MemoryStore()
            await store.apply(batch(configured(metabolism)))
            self.minds[agent] = Mind(agent, store, self.clock, MemoryStore)

    def agents(self) -> list[str]:
        return sorted([*self.minds, *self.listed_only])

    @asynccontextmanager
    async def mind(self, agent: str) -> AsyncIterator[Mind]:
        self.openings[agent] += 1
        if agent in self.troubles:
            raise self.troubles[agent]
        if agent not in self.minds:
            raise UnknownMind(agent=agent, data="the village")
        yield self.minds[agent]


@dataclass
class Work:
    """A job that notes what it does, and fails or takes its time where it is told to."""

    name: str
    clock: FakeClock
    intervals: dict[str, float | None]
    log: list[tuple[str, str, float]]
    failing: dict[str, Exception]
    at_each: Callable[[str], Awaitable[None]] | None = None

    def job(self) -> Job:
        return Job(self.name, lambda mind: self.intervals.get(mind.agent, HOUR), self.run)

    async def run(self, mind: Mind, progress: Progress) -> Report:
        self.log.append((mind.agent, self.name, self.clock.now()))
        for done in range(1, 4):
            if self.at_each:
                await self.at_each(mind.agent)
            progress(done, 3)
        if mind.agent in self.failing:
            raise self.failing[mind.agent]
        return Figures(self.clock.now(), seen=10, changed=3, skipped=6, conflicts=1, discarded=2)


class Place:
    """Everything one test needs, with a file that outlives the scheduler."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.village = Village(self.clock)
        self.log: list[tuple[str, str, float]] = []
        self.tick, self.reap = (Work(name, self.clock, {}, self.log, {}) for name in ("tick", "reap"))
        self.alarm = Alarm(self.clock)
        self.scheduler = self.made()

    def made(self, jobs: Sequence[str] = ("tick",)) -> Scheduler:
        works = {"tick": self.tick, "reap": self.reap}
        return Scheduler(
            self.village, self.clock, Timetable.load(self.path), [works[name].job() for name in jobs], self.alarm
        )

    @asynccontextmanager
    async def started(self, *jobs: str) -> AsyncIterator[Scheduler]:
        """A process: it starts, does what is due, and ends."""
        self.scheduler = self.made(jobs or ("tick",))
        self.alarm.asleep.clear()
        self.scheduler.start()
        await self.alarm.quiet()
        yield self.scheduler
        await self.scheduler.stop()

    def told(self) -> list[tuple[str, str, float]]:
        """What was done since the last time, and how long after the beginning."""
        told = [(agent, job, at - BIRTH) for agent, job, at in self.log]
        self.log.clear()
        return told

    def due(self, agent: str = "ada", job: str = "tick") -> float:
        due = self.scheduler.status().minds[agent][job].due
        assert due is not None
        return due - BIRTH
