"""A memory's life so far, from the journal: all that happened to it, and what its vitality was in between.

Between two events only the formula is at work. So the journal is folded once, from its beginning, and whenever the
memory's own numbers or the parameters have changed, both are kept: from there to the next change the curve is exact.
Where that cannot be told, the stretch since the last such change is: the formula alone tells it.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan

import numpy as np

from ebbtide.core.changes import (
    Access,
    Appraise,
    Change,
    Configure,
    Discard,
    Dismiss,
    Enqueue,
    Entry,
    Focus,
    Forget,
    Merge,
    Pair,
    Pin,
    PutLink,
    PutMemory,
    Reaped,
    Recover,
    Requeue,
    Restore,
    Scan,
    SetAside,
    Settle,
    Supersede,
    Sweep,
    Touch,
    Traverse,
    Unlink,
    WriteDown,
    subject,
)
from ebbtide.core.memory import DAY, Memory
from ebbtide.core.metabolism import Metabolism, traits_of
from ebbtide.core.replay import fold
from ebbtide.core.signals import Signals
from ebbtide.core.state import MindState
from ebbtide.mind import Mind
from ebbtide.mind.explain import Explanation
from ebbtide.serve.page.curve import Point, last_event

LONGEST = 5000  # journal entries that are read through for what happened to a memory together with others
FOLDED = 30_000  # journal entries that are folded for one curve
STRETCHES = 400
_POINTS = 4000  # of a whole curve
_PAGE = 500
_BREATH = 128  # entries
_VISIBLE = 0.005  # of vitality
_NEARER = (8, 64, 512)  # parts of a span that are looked at as closely as all of it

# What moves no vitality where days count: findings, the queue, and what only a network mind heeds.
_IDLE = (WriteDown, Reaped, Pair, Pin, Dismiss, Focus, Scan, Sweep, Enqueue, Settle, SetAside, Requeue)
# Whoever comes or goes takes links along: that may matter to a memory they do not name.
_LEAVING = (Forget, Restore, Merge, Recover)


@dataclass(frozen=True, slots=True)
class Told:
    """What happened to a memory, in order; `whole` if that is all. Since `quiet`, nothing but time has moved it."""

    entries: tuple[Entry, ...]
    whole: bool
    quiet: float


async def told(mind: Mind, memory: Memory) -> Told:
    """Of a journal that is longer than is read through, or compacted: before that what happened to it alone."""
    store = (await mind.stats()).store
    start = max(store.journal_from, store.journal_from + store.journal_entries - LONGEST)
    latest = [entry async for entry in _entries(mind, start)]
    about = [entry for entry in latest if concerns(entry, memory.id)]
    whole = start == 0 or any(isinstance(entry.change, PutMemory) for entry in about)
    if not whole:
        alone = await mind.journal(key=memory.key, limit=LONGEST)
        about = [entry for entry in alone if entry.seq <= start] + about
    moved = [entry.change.at for entry in latest if _may_move(entry.change, memory.id)]
    unread = [latest[0].change.at] if start and latest else []
    return Told(tuple(about), whole, max(last_event(memory), *moved, *unread))


async def _entries(mind: Mind, after: int) -> AsyncIterator[Entry]:
    while some := await mind.journal(after=after, limit=_PAGE):
        for entry in some:
            yield entry
        after = some[-1].seq


def concerns(entry: Entry, memory: int) -> bool:
    match entry.change:
        case PutLink(source=source, target=target) | Unlink(source=source, target=target):
            return memory in (source, target)
        case Access(ids=ids) | Touch(ids=ids) | Traverse(ids=ids) | Pin(ids=ids) | Discard(ids=ids) | Appraise(ids=ids):
            return memory in ids
        case Supersede(found=found):
            return any(memory in pair[:2] for pair in found)
        case Merge(into=into, id=gone):
            return memory in (into, gone)
    return subject(entry.change) == memory


def _may_move(change: Change, memory: int) -> bool:
    """Whether a memory may be worth something else after this, now or later."""
    if isinstance(change, Pin):  # no formula sees it
        return False
    regime = isinstance(change, Access | Touch) and bool(change.newness)
    return regime or isinstance(change, (Configure, *_LEAVING)) or concerns(Entry(0, change, ""), memory)


# ---- its curve


async def lived(mind: Mind, memory: Memory, until: float) -> tuple[Point, ...]:
    """Its vitality from one event to the next; while it was gone, not a number. Empty: it cannot be told."""
    store = (await mind.stats()).store
    if store.journal_from or store.journal_entries > FOLDED:
        return ()
    entries = [one async for one in _entries(mind, 0) if one.change.at <= until and not isinstance(one.change, _IDLE)]
    family = _absorbed(entries, memory.id)
    every_use = traits_of(mind.metabolism).appraises  # what the mind uses, new or old, is part of the formula
    life = _Life(memory.id)
    for place, entry in enumerate(entries):
        if place % _BREATH == 0:
            await asyncio.sleep(0)  # others want to be served too
        if not isinstance(entry.change, Access | Touch | Traverse) or not family.isdisjoint(entry.change.ids):
            life.take(entry)
        elif every_use:
            life.take_use(entry)
    return life.curve(until)


def _absorbed(entries: Sequence[Entry], memory: int) -> set[int]:
    """Itself and all that went into it by merging, directly or through others: their uses became its own."""
    family = {memory}
    for entry in reversed(entries):
        if isinstance(entry.change, Merge) and entry.change.into in family:
            family.add(entry.change.id)
    return family


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Some time in which nothing happened to it: by which formula and from which numbers it aged."""

    metabolism: Metabolism
    signals: Signals
    start: float
    end: float

    def points(self, many: int) -> list[Point]:
        return [(moment, _vitality(self.metabolism, self.signals, moment)) for moment in self._moments(many)]

    def _moments(self, many: int) -> list[float]:
        """Ever further apart: right after an event the most happens."""
        span = self.end - self.start
        between = self.start + np.geomspace(min(60.0, span / many), span, many - 1)
        return [self.start, *between[:-1].tolist(), self.end]


class _Life:
    """One memory while its mind's journal is folded."""

    def __init__(self, memory: int) -> None:
        self._memory, self._mind = memory, MindState()
        self._stretches: deque[_Stretch] = deque(maxlen=STRETCHES)
        self._stands: tuple[Metabolism, Signals] | None = None
        self._since = 0.0

    def take(self, entry: Entry) -> None:
        fold(self._mind, entry.change, entry.seq)
        if _may_move(entry.change, self._memory):
            now = self._standing()
            if not _same(self._stands, now):
                self._end(entry.change.at)
                self._stands, self._since = now, max(entry.change.at, self._since)

    def take_use(self, entry: Entry) -> None:
        """Of another memory: it moves the regime by a little, which ends a stretch when it has become visible."""
        fold(self._mind, entry.change, entry.seq)
        now = self._standing()
        if self._stands is not None and now is not None and _moved(self._stands, now, entry.change.at) > _VISIBLE:
            self._end(entry.change.at)
            self._stands, self._since = now, max(entry.change.at, self._since)

    def curve(self, until: float) -> tuple[Point, ...]:
        self._end(until)
        many = min(max(_POINTS // max(len(self._stretches), 1), 8), 48)
        points: list[Point] = []
        for before, stretch in pairwise([None, *self._stretches]):
            if before is not None and stretch is not None and before.end < stretch.start:
                points.append((before.end, nan))
            points += stretch.points(many) if stretch is not None else []
        stands = self._standing()
        last = None if stands is None else (until, _vitality(*stands, until))
        if last is not None and points[-1:] != [last]:  # something happened at this very moment, or moved it unseen
            points.append(last)
        return tuple(points)

    def _standing(self) -> tuple[Metabolism, Signals] | None:
        if self._memory not in self._mind.table:
            return None
        return self._mind.regime.metabolism, self._mind.signals_of([self._memory])

    def _end(self, at: float) -> None:
        if self._stands is not None and at > self._since:
            self._stretches.append(_Stretch(*self._stands, self._since, at))


def _vitality(metabolism: Metabolism, signals: Signals, moment: float) -> float:
    return float(metabolism.vitality(signals, moment)[0])


def _moved(one: tuple[Metabolism, Signals], other: tuple[Metabolism, Signals], at: float) -> float:
    return abs(_vitality(*one, at) - _vitality(*other, at))


def _same(one: tuple[Metabolism, Signals] | None, other: tuple[Metabolism, Signals] | None) -> bool:
    if one is None or other is None:
        return one is other
    return one[0] == other[0] and one[1].plain(0) == other[1].plain(0)


async def closely(mind: Mind, key: str, at: float, days: float) -> Explanation:
    """Explained, with a curve that is the closer the nearer to `at`: right after an event the most happens."""
    whole = await mind.explain(key, at=at, days=days)
    if traits_of(whole.metabolism).by_scans:
        return whole
    nearer = [await mind.explain(key, at=at, days=days / part) for part in _NEARER]
    return replace(whole, curve=tuple(sorted({point for one in (whole, *nearer) for point in one.curve})))


async def tail(mind: Mind, explained: Explanation, since: float) -> tuple[Point, ...]:
    """From then on to now, by the formula alone; a network mind has no past in days."""
    span = explained.at - since
    if traits_of(explained.metabolism).by_scans or span < 60.0:
        return ()
    return (await closely(mind, explained.memory.key, since, span / DAY)).curve


def ends_at(curve: Sequence[Point], vitality: float) -> bool:
    """Whether a curve leads to where the memory is: one that does not has missed something."""
    return bool(curve) and abs(curve[-1][1] - vitality) <= 1e-6 * max(1.0, abs(vitality))
