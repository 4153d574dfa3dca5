"""The tick: write down what is already true, and empty the trash of what is past coming back.   SPEC A5, S4, S6, C8."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.changes import Batch, Discard, Pair, WriteDown
from ebbtide.core.memory import DAY, STATES, Mark, State
from ebbtide.core.metabolism import Verdicts
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals
from ebbtide.core.state import Twins
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
class TickReport:
    """`shifts` is filled by a dry run only: it lists exactly what a run would change."""

    at: float
    dry_run: bool
    seen: int
    changed: int
    skipped: int
    conflicts: int
    discarded: int
    seconds: float
    shifts: tuple[Shift, ...] = ()
    pairs: int = 0  # memories that say nearly the same, newly found


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
    paired = await _write_pairs(store, pairs)
    findings = _judge(await store.signals(), store, now, paired)
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
    found = 0 if pairs is None else len(pairs.found)
    return TickReport(
        now, False, findings.seen, changed, findings.seen - total, conflicts, discarded, seconds, pairs=found
    )


async def dry_run(store: Store, now: float, pairs: Pair | None = None) -> TickReport:
    started = time.perf_counter()
    findings = _judge(await store.signals(), store, now, _after(await store.pairs(), pairs))
    shifts = await _shifts(store, findings)
    due = len(await overdue(store, now))
    seconds = time.perf_counter() - started
    total = len(findings.ids)
    found = 0 if pairs is None else len(pairs.found)
    return TickReport(now, True, findings.seen, total, findings.seen - total, 0, due, seconds, shifts, found)


async def _write_pairs(store: Store, pairs: Pair | None) -> frozenset[int]:
    """Returns who is one of a pair from now on."""
    if pairs is not None and (pairs.found or pairs.lost):
        await store.apply(Batch((pairs,), new_token()))
    return _after(await store.pairs(), None)


def _after(known: Iterable[Twins], pairs: Pair | None) -> frozenset[int]:
    """Who is one of a pair, once these changes are written."""
    lost = frozenset(pairs.lost if pairs else ())
    new = [found[:2] for found in pairs.found] if pairs else []
    return frozenset(memory for twins in [*(t for t in known if t not in lost), *new] for memory in twins)


async def empty_trash(store: Store, now: float) -> int:
    """Discard what has waited its time. What is not yet due stays, whoever asks."""
    due = await overdue(store, now)
    if due:
        await store.apply(Batch((Discard(now, tuple(due)),), new_token()))
    return len(due)


async def overdue(store: Store, now: float) -> list[int]:
    wait = store.regime.common.trash_days * DAY
    return sorted(trashed.id for _, trashed in await store.trash() if now - trashed.at >= wait)


def _judge(s: Signals, store: Store, now: float, paired: frozenset[int]) -> _Findings:
    """Only what differs from what is written down, copied out of the living columns."""
    verdicts = store.regime.metabolism.judge(s, now)
    marks = verdicts.marks
    if paired:
        marks = marks | np.isin(s.id, list(paired)) * np.int8(Mark.MERGE)
    differs = (verdicts.state != s.state) | (marks != s.marks)
    if verdicts.score is not None:
        differs |= verdicts.score != s.score
    rows = np.flatnonzero(differs)
    scores = None if verdicts.score is None else verdicts.score[rows]
    return _Findings(store.seq, len(s), s.id[rows], verdicts.state[rows], marks[rows], scores)


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
    ids: Sequence[int] = f.ids.tolist()
    if not ids:
        return ()
    contents = await store.contents(ids)
    before = await store.signals(ids)
    return tuple(
        Shift(
            id=memory,
            key=contents[memory].key,
            before=STATES[before.state[i]],
            after=STATES[f.states[i]],
            marks=Mark(int(f.marks[i])),
            score_before=None if f.scores is None else int(before.score[i]),
            score=None if f.scores is None else int(f.scores[i]),
        )
        for i, memory in enumerate(ids)
    )


def counts(verdicts: Verdicts) -> tuple[dict[State, int], dict[str, int]]:
    """How many memories are in each state, and how many bear each mark."""
    states = {state: int((verdicts.state == code).sum()) for code, state in enumerate(STATES)}
    marks = {name: int((verdicts.marks & mark != 0).sum()) for mark in Mark if mark for name in mark.names}
    return {state: n for state, n in states.items() if n}, {name: n for name, n in marks.items() if n}
