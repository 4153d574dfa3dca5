"""How many memories a mind had in each state, week by week: as it was, as it is, and as it will be if nothing happens.

    past   One pass over the journal into columns without texts, which stops at the end of each week and judges there.
           Beyond `EXACT_UP_TO` entries that takes too long: then the memories that are still here are judged by
           today's columns, and the result is marked as estimated.
    ahead  Today's columns, judged at each moment. A mind that ages by scans does not change by itself: nothing ahead.

Weeks end at midnight UTC, so what was counted for one never changes and is kept for the next call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

import numpy as np

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, State
from ebbtide.core.metabolism import Metabolism
from ebbtide.core.ports import Store
from ebbtide.core.replay import fold
from ebbtide.core.signals import Peers, Signals
from ebbtide.core.snapshot import load
from ebbtide.core.state import MindState
from ebbtide.mind.history import entries
from ebbtide.mind.reading import counts

WEEK = 7 * DAY
MOST_WEEKS = 520
EXACT_UP_TO = 50_000  # journal entries, about three seconds


@dataclass(frozen=True, slots=True)
class TimelinePoint:
    """The memories there were at a moment, or will be, by state. States without any are left out."""

    at: float
    memories: int
    states: dict[State, int]


@dataclass(frozen=True, slots=True)
class Timeline:
    """`points` in order of time; the one of now has the moment `at`. Weeks before the mind's first are left out.

    `estimated`: the journal is long, so the weeks back count only what is still here, judged by today's columns.
    `compacted`: weeks back are missing because the journal starts later.
    """

    at: float
    metabolism: str
    points: tuple[TimelinePoint, ...]
    estimated: bool = False
    compacted: bool = False


class Timelines:
    """What was counted for past weeks, for the next call."""

    def __init__(self) -> None:
        self._known: dict[float, TimelinePoint | None] = {}  # None: the journal does not tell

    async def timeline(self, store: Store, now: float, weeks_back: int, weeks_ahead: int) -> Timeline:
        for weeks in (weeks_back, weeks_ahead):
            _require_weeks(weeks)
        metabolism = store.regime.metabolism
        midnight = now // DAY * DAY
        before = [midnight - week * WEEK for week in range(weeks_back, 0, -1)]
        after = [] if metabolism.traits.by_scans else [midnight + week * WEEK for week in range(1, weeks_ahead + 1)]
        signals = (await store.signals()).copy()
        estimated = await _is_long(store) and any(moment not in self._known for moment in before)
        past = _estimated(metabolism, signals, before) if estimated else await self._past(store, before)
        points = dropwhile(lambda point: not point.memories, (point for point in past if point is not None))
        ahead = [_counted(metabolism, signals, moment) for moment in (now, *after)]
        return Timeline(now, metabolism.name, (*points, *ahead), estimated, None in past)

    async def _past(self, store: Store, moments: Sequence[float]) -> list[TimelinePoint | None]:
        missing = [moment for moment in moments if moment not in self._known]
        if missing:
            self._known |= await _replayed(store, missing)
        return [self._known[moment] for moment in moments]


def _require_weeks(weeks: Any) -> None:
    if isinstance(weeks, bool) or not isinstance(weeks, int) or not 0 <= weeks <= MOST_WEEKS:
        raise InvalidInput(problem=f"a timeline has 0 to {MOST_WEEKS} whole weeks each way, not {weeks!r:.40}")


async def _is_long(store: Store) -> bool:
    return (await store.info()).journal_entries > EXACT_UP_TO


async def _replayed(store: Store, moments: Sequence[float]) -> dict[float, TimelinePoint | None]:
    """The journal told once, and looked at when each of these moments, in order of time, has passed."""
    base = await store.base()
    state, last = (MindState(), -np.inf) if base is None else (load(base), None)
    found: dict[float, TimelinePoint | None] = {}
    left = list(moments)
    async for entry in entries(store):
        while left and entry.change.at > left[0]:
            found[left[0]] = None if last is None else _seen(state, left[0])
            left.pop(0)
        if not left:
            break
        fold(state, entry.change, entry.seq)
        last = entry.change.at
    return found | {moment: _seen(state, moment) for moment in left}


def _seen(state: MindState, moment: float) -> TimelinePoint:
    return _counted(state.regime.metabolism, state.signals(), moment)


def _estimated(metabolism: Metabolism, s: Signals, moments: Sequence[float]) -> list[TimelinePoint | None]:
    return [_counted(metabolism, _born(s, moment), moment) for moment in moments]


def _born(s: Signals, moment: float) -> Signals:
    """Those that were there by then, compared with each other."""
    here = np.flatnonzero(s.created_at <= moment)
    if s.peers is None:
        return replace(s.take(here), peers=None)
    peers = s.peers.signals
    return replace(s.take(here), peers=Peers(peers.take(np.flatnonzero(peers.created_at <= moment))))


def _counted(metabolism: Metabolism, s: Signals, moment: float) -> TimelinePoint:
    found = counts(metabolism.judge(s, moment).state) if len(s) else {}
    return TimelinePoint(moment, len(s), {state: found[state] for state in metabolism.states if state in found})
