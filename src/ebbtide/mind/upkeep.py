"""The tick: write down what is already true, and empty the trash of what is past coming back.   SPEC A5, S4, S6, C8."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ebbtide.core.changes import Batch, Discard, Pair, WriteDown
from ebbtide.core.memory import DAY, STATES, Mark, State
from ebbtide.core.metabolism import Verdicts
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals
from ebbtide.core.state import Twins
from ebbtide.mind.marks import judged, marked, standing
from ebbtide.mind.tokens import new_token

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Shift:
    """One memory that stands differently now than it was written down."""

    id: int
    key: str
    before: State
    after: State
    marks: Mark
    score_before: int | None
    score: int | None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two memories that say nearly the same, by so much; None: they do no longer, or are no longer low and lonely."""

    keys: tuple[str, str]
    overlap: float | None


@dataclass(frozen=True, slots=True)
class TickReport:
    """`shifts` and `pairings` are filled by a dry run only: they list exactly what a run would change."""

    at: float
    dry_run: bool
    seen: int
    changed: int
    skipped: int
    conflicts: int
    discarded: int
    seconds: float
    shifts: tuple[Shift, ...] = ()
    pairs: int = 0  # of memories that say nearly the same, newly found
    pairings: tuple[Pairing, ...] = ()


@dataclass(frozen=True, slots=True)
class _Findings:
    seq: int
    seen: int
    ids: Column
    states: Column
    marks: Column
    scores: Column | None


async def tick(
    store: Store,
    now: float,
    *,
    pairs: Pair | None = None,
    batch_size: int = 100,
    pause: float = 0.0,
    progress: Progress | None = None,
) -> TickReport:
    """Judges all columns at once, then writes what differs, batch by batch, giving way in between.

    `pairs`: what has changed about who says nearly the same, where that was looked into.
    """
    started = time.perf_counter()
    found = await _write_pairs(store, pairs, batch_size, pause)
    signals = await store.signals()
    findings = _differing(signals, store.seq, await judged(store, signals, now))
    total, conflicts = len(findings.ids), 0
    for first in range(0, total, batch_size):
        receipt = await store.apply(Batch((_slip(findings, now, slice(first, first + batch_size)),), new_token()))
        conflicts += len(receipt.stale)
        if progress:
            progress(min(first + batch_size, total), total)
        await asyncio.sleep(pause)
    discarded = await empty_trash(store, now)
    changed = total - conflicts
    seconds = time.perf_counter() - started
    return TickReport(
        now, False, findings.seen, changed, findings.seen - total, conflicts, discarded, seconds, pairs=found
    )


async def dry_run(store: Store, now: float, pairs: Pair | None = None) -> TickReport:
    started = time.perf_counter()
    twins = await standing(store, await _after(store, pairs), now)
    signals = await store.signals()
    verdicts = marked(signals, store.regime.metabolism.judge(signals, now), twins)
    findings = _differing(signals, store.seq, verdicts)
    shifts, pairings = await _shifts(store, findings), await _pairings(store, pairs)
    due = len(await overdue(store, now))
    seconds = time.perf_counter() - started
    total = len(findings.ids)
    found = sum(pairing.overlap is not None for pairing in pairings)
    return TickReport(now, True, findings.seen, total, findings.seen - total, 0, due, seconds, shifts, found, pairings)


async def _write_pairs(store: Store, pairs: Pair | None, batch_size: int, pause: float) -> int:
    """Batch by batch, too. Returns how many were found of which neither has moved on meanwhile."""
    if pairs is None:
        return 0
    for part in _parts(pairs, batch_size):
        await store.apply(Batch((part,), new_token()))
        await asyncio.sleep(pause)
    known = await store.pairs()
    return sum(found[:2] in known for found in pairs.found)


def _parts(pairs: Pair, size: int) -> Iterator[Pair]:
    for first in range(0, len(pairs.lost), size):
        yield replace(pairs, found=(), lost=pairs.lost[first : first + size])
    for first in range(0, len(pairs.found), size):
        yield replace(pairs, found=pairs.found[first : first + size], lost=())


async def _after(store: Store, pairs: Pair | None) -> dict[Twins, float]:
    """The pairs there will be once these changes are written."""
    known = await store.pairs()
    if pairs is None:
        return known
    lost, alive = frozenset(pairs.lost), frozenset((await store.living()).tolist())
    new = {found[:2]: found[2] for found in pairs.found if alive.issuperset(found[:2])}
    return {twins: overlap for twins, overlap in known.items() if twins not in lost} | new


async def empty_trash(store: Store, now: float) -> int:
    """Discard what has waited its time. What is not yet due stays, whoever asks."""
    due = await overdue(store, now)
    if due:
        await store.apply(Batch((Discard(now, tuple(due)),), new_token()))
    return len(due)


async def overdue(store: Store, now: float) -> list[int]:
    wait = store.regime.common.trash_days * DAY
    about = now - wait + 1.0  # whom the sum might round to either side is looked at
    return sorted(trashed.id for _, trashed in await store.trash(until=about) if now - trashed.at >= wait)


def _differing(s: Signals, seq: int, verdicts: Verdicts) -> _Findings:
    """Only what differs from what is written down, copied out of the living columns."""
    differs = (verdicts.state != s.state) | (verdicts.marks != s.marks)
    if verdicts.score is not None:
        differs |= verdicts.score != s.score
    rows = np.flatnonzero(differs)
    scores = None if verdicts.score is None else verdicts.score[rows]
    return _Findings(seq, len(s), s.id[rows], verdicts.state[rows], verdicts.marks[rows], scores)


def _slip(f: _Findings, now: float, part: slice) -> WriteDown:
    return WriteDown(
        at=now,
        seen=f.seq,
        ids=tuple(f.ids[part].tolist()),
        states=tuple(f.states[part].tolist()),
        marks=tuple(f.marks[part].tolist()),
        scores=None if f.scores is None else tuple(f.scores[part].tolist()),
    )


async def _shifts(store: Store, f: _Findings) -> tuple[Shift, ...]:
    """Who has left while we waited for the disk is left out."""
    contents = await store.contents(f.ids.tolist())
    rows = [row for row, memory in enumerate(f.ids.tolist()) if memory in contents]
    ids: list[int] = f.ids[rows].tolist()
    before = await store.signals(ids)
    return tuple(
        Shift(
            id=memory,
            key=contents[memory].key,
            before=STATES[before.state[i]],
            after=STATES[f.states[row]],
            marks=Mark(int(f.marks[row])),
            score_before=None if f.scores is None else int(before.score[i]),
            score=None if f.scores is None else int(f.scores[row]),
        )
        for i, (row, memory) in enumerate(zip(rows, ids, strict=True))
    )


async def _pairings(store: Store, pairs: Pair | None) -> tuple[Pairing, ...]:
    if pairs is None:
        return ()
    every: list[tuple[int, int, float | None]] = [*pairs.found, *((*twins, None) for twins in pairs.lost)]
    contents = await store.contents(sorted({memory for pair in every for memory in pair[:2]}))
    return tuple(
        Pairing((contents[one].key, contents[other].key), overlap)
        for one, other, overlap in every
        if one in contents and other in contents
    )


def counts(verdicts: Verdicts) -> tuple[dict[State, int], dict[str, int]]:
    """How many memories are in each state, and how many bear each mark."""
    states = {state: int((verdicts.state == code).sum()) for code, state in enumerate(STATES)}
    marks = {name: int((verdicts.marks & mark != 0).sum()) for mark in Mark if mark for name in mark.names}
    return {state: n for state, n in states.items() if n}, {name: n for name, n in marks.items() if n}
