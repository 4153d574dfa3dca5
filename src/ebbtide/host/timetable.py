"""When each mind's jobs are due, kept in one small file for the whole data folder.   SPEC S3, S6.

A job has a rhythm: it is due every `interval` seconds from the first time on. Being late, being off for a month or a
run that takes long never moves the rhythm; what was missed is made up by one run, because a run writes down what is
true now, however long it was not written down. The file may be lost: then everything is due, and nothing else happens.
"""

import logging
import math
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec

log = logging.getLogger("ebbtide")

FILE = "_schedule.json"
SHORTEST = 1.0  # seconds; a shorter interval would leave no time for anything else
RETRY = 900.0  # seconds; for a mind that could never be opened, so that nobody knows its interval

Seconds = Annotated[float, msgspec.Meta(ge=SHORTEST)]
_UNREADABLE = (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run did. `error` is what it failed of, or None."""

    at: float
    seconds: float = 0.0
    seen: int = 0
    changed: int = 0
    skipped: int = 0
    conflicts: int = 0
    discarded: int = 0
    deferred: int = 0  # what the reaper leaves to its next run
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """One job of one mind. `due` None: this mind has no such job; `interval` None: nobody knows it yet.

    `runs` counts those that came to an end, well or not; `failures` those that did not end well.
    """

    due: float | None
    interval: Seconds | None = None
    runs: int = 0
    failures: int = 0
    last: Figures | None = None


Jobs = dict[str, Due]


@dataclass(frozen=True, slots=True)
class _File:
    format: Literal[1] = 1
    minds: dict[str, Jobs] = field(default_factory=dict)


_decoder = msgspec.json.Decoder(_File)


def slot_after(due: float, interval: float, now: float) -> float:
    """The one moment of this rhythm that is later than now, but by no more than an interval."""
    slot = due + (math.floor((now - due) / interval) + 1) * interval
    return slot if slot > now else slot + interval  # a division that was rounded up leaves it where now is


class Timetable:
    """All due times in RAM; `save` takes them to the file. A job nobody has heard of is due now."""

    def __init__(self, path: Path, minds: dict[str, Jobs] | None = None) -> None:
        self.path = path
        self._minds = minds or {}
        self._dirty = False

    @classmethod
    def load(cls, path: Path) -> "Timetable":
        """What the file says. One that makes no sense is kept aside, with a warning, and everything is due."""
        try:
            return cls(path, _decoder.decode(path.read_bytes()).minds)
        except FileNotFoundError:
            return cls(path)
        except _UNREADABLE as error:
            log.warning("%s cannot be read (%s): every mind is due now%s", path, error, _kept_aside(path))
            return cls(path)

    # ---- reading

    def minds(self) -> dict[str, Jobs]:
        """Every mind's jobs, as they stand."""
        return {agent: dict(jobs) for agent, jobs in self._minds.items()}

    def due(self, agent: str, jobs: Iterable[str], now: float) -> list[str]:
        """Which of these jobs are due in this mind."""
        known = self._minds.get(agent, {})
        return [job for job in jobs if job not in known or _is_due(known[job], now)]

    def wanted(self, agent: str, jobs: Iterable[str]) -> list[str]:
        """Those of these jobs that this mind has, as far as anybody knows."""
        known = self._minds.get(agent, {})
        return [job for job in jobs if job not in known or known[job].due is not None]

    def waiting_since(self, agent: str, jobs: Iterable[str]) -> float:
        """When the first of these jobs was due; a mind nobody has heard of has waited longest."""
        known = self._minds.get(agent, {})
        return min((_moment(known[job]) if job in known else -math.inf for job in jobs), default=math.inf)

    def next_due(self, jobs: Collection[str]) -> float:
        """When the first of these jobs is due in any mind; never, if there is none."""
        return min(
            (self.waiting_since(agent, self._minds[agent].keys() & jobs) for agent in self._minds), default=math.inf
        )

    # ---- writing

    def set_interval(self, agent: str, job: str, interval: float | None, now: float) -> bool:
        """How often this mind does this job; None: it has no such job. Returns whether that is news.

        The next run is then one new interval after the time at which the last one was due.
        """
        old = self._minds.get(agent, {}).get(job)
        new = _paced(old or Due(now), None if interval is None else max(interval, SHORTEST), now)
        if new == old:
            return False
        self._put(agent, job, new)
        return True

    def record(self, agent: str, job: str, figures: Figures, now: float) -> None:
        """A run has come to an end: it has made up for all that was missed, and the next one keeps the rhythm.

        A run that announces what the next one will delete starts the rhythm anew: a whole interval is left to object.
        """
        old = self._minds.get(agent, {}).get(job, Due(now))
        slot = None if old.due is None else slot_after(old.due, old.interval or RETRY, now)
        due = now + (old.interval or RETRY) if slot is not None and figures.deferred else slot
        failures = old.failures + (figures.error is not None)
        self._put(agent, job, replace(old, due=due, runs=old.runs + 1, failures=failures, last=figures))

    def keep_pace(self, now: float) -> None:
        """After a clock was put back nothing is to wait longer than its interval; the rhythm stays."""
        for agent, jobs in self._minds.items():
            for job, old in jobs.items():
                interval = old.interval or RETRY
                if old.due is not None and old.due > now + interval:
                    self._put(agent, job, replace(old, due=slot_after(old.due, interval, now)))

    def keep_only(self, agents: Collection[str]) -> None:
        """Drop the minds that have gone."""
        for agent in self._minds.keys() - set(agents):
            self.drop(agent)

    def drop(self, agent: str) -> None:
        self._dirty |= self._minds.pop(agent, None) is not None

    def _put(self, agent: str, job: str, new: Due) -> None:
        self._minds.setdefault(agent, {})[job] = new
        self._dirty = True

    # ---- the file

    def unsaved(self) -> bytes | None:
        """What the file should say from now on; None if it says so already. Whoever asks must then `write` it."""
        if not self._dirty:
            return None
        self._dirty = False
        return msgspec.json.format(msgspec.json.encode(_File(minds=self._minds)), indent=2) + b"\n"

    def write(self, text: bytes) -> None:
        """The whole file or none of it: who is killed in between leaves the old one. Blocks."""
        new = self.path.with_name(f"{self.path.name}.new")
        try:
            with new.open("wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self.path)
        except OSError as error:
            self._dirty = True
            log.warning("due times could not be saved: %s", error)

    def save(self) -> None:
        """Take everything to the file. One that cannot be written is a warning: the next save tries again."""
        text = self.unsaved()
        if text is not None:
            self.write(text)


def _is_due(job: Due, now: float) -> bool:
    return job.due is not None and job.due <= now


def _moment(job: Due) -> float:
    return math.inf if job.due is None else job.due


def _paced(job: Due, interval: float | None, now: float) -> Due:
    """The same job at this pace."""
    if interval == job.interval is not None:
        return job
    if interval is None:
        return replace(job, due=None, interval=None)
    if job.due is None:
        due = now
    elif job.interval is None:
        due = min(job.due, now + interval)
    else:
        due = job.due - job.interval + interval
    return replace(job, due=due, interval=interval)


def _kept_aside(path: Path) -> str:
    """Whoever wants to know what was in it still can. Returns a few words about where it is."""
    if not path.is_file():
        return ""
    aside = path.with_name(f"{path.name}.damaged")
    try:
        path.replace(aside)
    except OSError:
        return ""
    return f"; it is kept as {aside.name}"
