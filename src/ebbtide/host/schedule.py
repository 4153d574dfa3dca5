"""The scheduler: does each mind's jobs when they are due, one after another, host-wide.   SPEC S3, A5, S4, S6.

What it knows of a job is its name, how often a mind wants it, and how to do it. Between two passes over what is due
it waits; a mind that is not due is not opened. One run at a time, whoever asked for it: a run by hand waits for the
one in hand, and then runs itself, so that it has seen everything that was there when it was asked for.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from ebbtide.core.errors import EbbtideError, InvalidAgent, InvalidInput, UnknownMind
from ebbtide.core.ports import Clock
from ebbtide.host.timetable import Figures, Jobs, Timetable
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

LONGEST_WAIT = 60.0  # seconds; a machine that was asleep is noticed soon after it wakes
SAVE_EVERY = 64  # minds; the file has all of them in it, so it is not written after each one

Wait = Callable[[float, asyncio.Event], Awaitable[None]]


class Minds(Protocol):
    """What the scheduler needs of a host."""

    def agents(self) -> list[str]: ...

    def mind(self, agent: str) -> AbstractAsyncContextManager[Mind]:
        """Open for as long as the block lasts. Raises UnknownMind if it has gone."""
        ...


class Report(Protocol):
    """What a job's run says it did. A `TickReport` is one, and so are `Figures`."""

    @property
    def seen(self) -> int: ...
    @property
    def changed(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def conflicts(self) -> int: ...
    @property
    def discarded(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Job:
    """Something minds want done again and again.

    `interval_of` says after how many seconds, or None for a mind that has no such job. `run` does it and must
    call the progress it is given between any two batches, and let pass what that raises: so a run is stopped.
    """

    name: str
    interval_of: Callable[[Mind], float | None]
    run: Callable[[Mind, Progress], Awaitable[Report]]


@dataclass(frozen=True, slots=True)
class Run:
    """One job, done once. One that was stopped half way is not finished, and stays as due as it was."""

    agent: str
    job: str
    figures: Figures
    finished: bool = True


@dataclass(frozen=True, slots=True)
class Totals:
    """All finished runs of one job since this scheduler was made, in all minds."""

    runs: int = 0
    failures: int = 0
    seconds: float = 0.0
    seen: int = 0
    changed: int = 0
    skipped: int = 0
    conflicts: int = 0
    discarded: int = 0
    deferred: int = 0

    def plus(self, run: Figures) -> "Totals":
        return Totals(
            self.runs + 1,
            self.failures + (run.error is not None),
            self.seconds + run.seconds,
            self.seen + run.seen,
            self.changed + run.changed,
            self.skipped + run.skipped,
            self.conflicts + run.conflicts,
            self.discarded + run.discarded,
            self.deferred + run.deferred,
        )


@dataclass(frozen=True, slots=True)
class Status:
    """`current` is the agent and the job in hand. `minds` has, for each agent and job, next due time and last run."""

    running: bool
    current: tuple[str, str] | None
    minds: dict[str, Jobs]


@dataclass(slots=True)
class _Watch:
    """From one stop to the next. Who began under a watch that is over makes an end after the batch in hand."""

    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _over: bool = False

    def is_over(self) -> bool:
        return self._over

    def end(self) -> None:
        self._over = True
        self.wake.set()

    def between_batches(self, done: int, total: int) -> None:
        """The progress of a job. After the last batch there is nothing to be stopped any more."""
        if self._over and done < total:
            raise _Stopped


class _Stopped(Exception):
    """Not an error: somebody said stop."""


async def wait(seconds: float, wake: asyncio.Event) -> None:
    """So long, or until woken; never longer than a minute."""
    with suppress(TimeoutError):
        async with asyncio.timeout(min(seconds, LONGEST_WAIT)):
            await wake.wait()


class Scheduler:
    """Use it from one event loop. Stop it before its host is closed."""

    def __init__(
        self, minds: Minds, clock: Clock, timetable: Timetable, jobs: Sequence[Job], wait: Wait = wait
    ) -> None:
        self._minds = minds
        self._clock = clock
        self._timetable = timetable
        self._jobs = {job.name: job for job in jobs}
        self._wait = wait
        self._watch = _Watch()
        self._worker: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # fair: who has waited longest is next
        self._saving = asyncio.Lock()
        self._current: tuple[str, str] | None = None
        self._totals = {job.name: Totals() for job in jobs}

    # ---- by hand

    @property
    def running(self) -> bool:
        return self._worker is not None and not self._worker.done()

    def start(self) -> None:
        """Do everything when it is due, at once what is due already. Starting twice is starting once."""
        if not self.running:
            self._worker = asyncio.get_running_loop().create_task(self._keep(self._watch))

    async def stop(self) -> None:
        """Nothing runs any more after the batch in hand, not by hand either; returns when that is so, and saved.

        A run that was stopped is as due as before. `start` and `trigger` work as ever afterwards.
        """
        watch, self._watch = self._watch, _Watch()
        worker, self._worker = self._worker, None
        watch.end()
        if worker is not None:
            await asyncio.wait([worker])
        async with self._turn:  # who was before us in the line has left it
            await self._save()

    async def trigger(self, agent: str | None = None, job: str | None = None) -> list[Run]:
        """Do it now, due or not, running or stopped: in one mind or all, one job or all that these minds have.

        A failure is in the run; a mind that is not there is an error if it was named. The rhythm stays: what was
        not due yet is still due when it was.
        """
        if job is not None and job not in self._jobs:
            raise InvalidInput(problem=f"there is no job {job!r}: there are {', '.join(self._jobs)}")
        names, watch = list(self._jobs) if job is None else [job], self._watch
        if agent is None:
            return await self._round([(each, names) for each in await self._agents()], watch)
        runs = await self._visit(agent, names, watch)
        await self._save()
        return runs

    def notice(self, mind: Mind) -> None:
        """A mind that is new or just opened, or whose parameters have changed: it may be due at another time now."""
        if self._pace(mind):
            self._watch.wake.set()

    def status(self) -> Status:
        return Status(self.running, self._current, self._timetable.minds())

    @property
    def metrics(self) -> dict[str, Totals]:
        """By job, since this scheduler was made."""
        return dict(self._totals)

    # ---- by the clock

    async def _keep(self, watch: _Watch) -> None:
        """Until the watch is over. Whatever happens in a pass, there is a next one."""
        while not watch.is_over():
            watch.wake.clear()  # before looking: who calls meanwhile is heard afterwards
            rest = LONGEST_WAIT
            try:
                await self._round(await self._due(), watch, only_due=True)
                rest = self._timetable.next_due(self._jobs.keys()) - self._clock.now()
            except (EbbtideError, OSError) as error:
                log.warning("the scheduler could not look for what is due: %s", error)
            except Exception:
                log.exception("the scheduler could not look for what is due")
            if not watch.is_over():
                await self._wait(max(rest, 0.0), watch.wake)

    async def _due(self) -> list[tuple[str, list[str]]]:
        """Each mind with the jobs due in it, those who have waited longest first."""
        agents, now = await self._agents(), self._clock.now()
        self._timetable.keep_only(agents)
        self._timetable.keep_pace(now)
        due = [(agent, self._timetable.due(agent, self._jobs, now)) for agent in agents]
        return sorted(
            ((agent, names) for agent, names in due if names),
            key=lambda entry: self._timetable.waiting_since(*entry),
        )

    async def _round(
        self, visits: Sequence[tuple[str, list[str]]], watch: _Watch, *, only_due: bool = False
    ) -> list[Run]:
        """One mind after another, giving way in between to whoever asks for a single run."""
        runs: list[Run] = []
        for number, (agent, names) in enumerate(visits, start=1):
            with suppress(UnknownMind, InvalidAgent):  # it was there when the minds were listed
                runs += await self._visit(agent, names, watch, only_due=only_due)
            if number % SAVE_EVERY == 0:
                await self._save()
        await self._save()
        return runs

    # ---- one mind

    async def _visit(self, agent: str, names: Sequence[str], watch: _Watch, *, only_due: bool = False) -> list[Run]:
        """Do these jobs in this mind, as far as it has them. Raises only if there is no such mind."""
        runs: list[Run] = []
        async with self._turn:
            at = self._clock.now()
            if only_due:  # somebody may have done it by hand while we waited for our turn
                names = self._timetable.due(agent, names, at)
            if watch.is_over() or not names:
                return runs
            try:
                async with self._minds.mind(agent) as mind:
                    self._pace(mind)
                    wanted = self._timetable.wanted(agent, names)
                    runs = [await self._run(mind, self._jobs[name], watch) for name in wanted if not watch.is_over()]
            except (UnknownMind, InvalidAgent):
                self._timetable.drop(agent)
                raise
            except Exception as error:  # noqa: BLE001 — whatever is wrong with this mind, the next one has its turn
                failed = Figures(at, error=_told(error, f"the scheduler's visit to {agent}"))
                missed = set(self._timetable.wanted(agent, names)) - {run.job for run in runs}
                runs += [self._ended(Run(agent, name, failed)) for name in names if name in missed]
        return runs

    def _pace(self, mind: Mind) -> bool:
        """How often this mind wants its jobs done, and whether that is news."""
        now = self._clock.now()
        wishes = [(job.name, job.interval_of(mind)) for job in self._jobs.values()]
        news = [self._timetable.set_interval(mind.agent, name, interval, now) for name, interval in wishes]
        return any(news)

    async def _run(self, mind: Mind, job: Job, watch: _Watch) -> Run:
        figures = Figures(self._clock.now())
        started = time.perf_counter()
        self._current = mind.agent, job.name
        finished = True
        try:
            figures = _figures(figures.at, await job.run(mind, watch.between_batches))
        except _Stopped:
            finished = False
        except Exception as error:  # noqa: BLE001 — a failing job is told, and the next one has its turn
            figures = replace(figures, error=_told(error, f"{job.name} of {mind.agent}"))
        finally:
            self._current = None
        figures = replace(figures, seconds=time.perf_counter() - started)
        return self._ended(Run(mind.agent, job.name, figures, finished))

    def _ended(self, run: Run) -> Run:
        """A run that was stopped leaves no trace: it comes again."""
        if run.finished:
            self._timetable.record(run.agent, run.job, run.figures, self._clock.now())
            self._totals[run.job] = self._totals[run.job].plus(run.figures)
        return run

    # ----

    async def _agents(self) -> list[str]:
        return await asyncio.to_thread(self._minds.agents)

    async def _save(self) -> None:
        async with self._saving:  # no two write at once, and the later one has the later news
            text = self._timetable.unsaved()
            if text is not None:
                await asyncio.to_thread(self._timetable.write, text)


def _figures(at: float, report: Report) -> Figures:
    return Figures(
        at,
        seen=report.seen,
        changed=report.changed,
        skipped=report.skipped,
        conflicts=report.conflicts,
        discarded=report.discarded,
        deferred=report.deferred if isinstance(report, Figures) else 0,  # ticks put nothing off
    )


def _told(error: Exception, what: str) -> str:
    """Logged: what we raise on purpose in one line, a bug with its way there. Returns what to remember of it."""
    if isinstance(error, EbbtideError):
        log.warning("%s failed: %s", what, error)
        return str(error)
    log.error("%s failed", what, exc_info=error)
    return f"{type(error).__name__}: {error}"
