"""Ahead of a full budget: what is to leave next is halved first, in runs that can be taken back.   SPEC T7.

What leaves is decided where a batch is admitted (`core/budget.py`), since no batch may go beyond the budget. A small
model cannot be asked there. So a squeeze, which the scheduler does with the ticks, comes before: once a mind is nearly
full, the texts of those that would leave next are halved, each once, and their memories leave only with a later batch.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ebbtide.core.budget import BUDGET, SLACK, BudgetUse, next_to_leave, use_of
from ebbtide.core.changes import Batch, Change, Restore, Rewrite
from ebbtide.core.errors import NotFound
from ebbtide.core.memory import Content
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals
from ebbtide.core.whatif import HALVED, UNHALVED
from ebbtide.mind import forgetting
from ebbtide.mind.tokens import new_token
from ebbtide.mind.unreaping import Undone
from ebbtide.mind.upkeep import Progress, empty_trash

NEAR = 0.95  # of the budget: from here on those that would leave next are halved
SHORTEST = 40  # characters; what says less is not worth halving
_AT_ONCE = 16  # memories halved between two commits

Shorten = Callable[[Content, int], Awaitable[Content | None]]


@dataclass(frozen=True, slots=True)
class Leaver:
    """A memory that is among the next to leave, and what a squeeze does with it: halve, or nothing any more."""

    key: str
    text: str
    vitality: float
    action: str  # halve or leave


@dataclass(frozen=True, slots=True)
class SqueezeReport:
    """`leavers` are listed by a dry run only: those that would leave with the next batch that goes over the budget,
    the first to go first; all that a run would halve are among them."""

    run: str
    at: float
    dry_run: bool
    budget: BudgetUse
    halved: int
    conflicts: int
    seconds: float
    leavers: tuple[Leaver, ...] = ()

    @property
    def seen(self) -> int:
        return self.budget.memories

    @property
    def changed(self) -> int:
        return self.halved

    @property
    def skipped(self) -> int:
        return self.budget.memories - self.halved - self.conflicts

    @property
    def discarded(self) -> int:
        return 0


async def dry_run(store: Store, now: float) -> SqueezeReport:
    started = time.perf_counter()
    s = (await store.signals()).copy()
    rows, due = _next(store, s, now)
    said = await store.contents(s.id[rows].tolist())
    vitality = store.regime.metabolism.vitality(s, now)
    halving = frozenset(s.id[due].tolist())
    leavers = tuple(
        Leaver(said[memory].key, said[memory].text, float(vitality[row]), "halve" if memory in halving else "leave")
        for row, memory in zip(rows.tolist(), s.id[rows].tolist(), strict=True)
        if memory in said
    )
    use = use_of(store.regime.metabolism, s)
    return SqueezeReport("", now, True, use, len(due), 0, time.perf_counter() - started, leavers)


async def squeeze(store: Store, shorten: Shorten, now: float, pause: float, progress: Progress | None) -> SqueezeReport:
    started, seen = time.perf_counter(), store.seq
    s = (await store.signals()).copy()
    _, due = _next(store, s, now)
    run, halved = f"halve-{seen + 1}", 0
    ids: list[int] = s.id[due].tolist()
    for first in range(0, len(ids), _AT_ONCE):
        some = ids[first : first + _AT_ONCE]
        changes = await _unmoved(store, await _halvings(store, some, shorten, run, now), seen)
        if changes:
            await store.apply(Batch(tuple(changes), new_token()))
        halved += len(changes)
        if progress:
            progress(first + len(some), len(ids))
        await asyncio.sleep(pause)
    use = use_of(store.regime.metabolism, await store.signals())
    return SqueezeReport(
        run if halved else "", now, False, use, halved, len(ids) - halved, time.perf_counter() - started
    )


def _next(store: Store, s: Signals, now: float) -> tuple[Column, Column]:
    """The rows that would leave with the next batch, and those of them that are to be halved before."""
    metabolism = store.regime.metabolism
    use = use_of(metabolism, s)
    if use.fullness < NEAR:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    order = next_to_leave(metabolism, s, now)
    rows = order[: max(_by_count(use), _by_length(use, s.length[order]))]
    whole = (s.length[rows] >= s.original_length[rows]) & (s.length[rows] >= SHORTEST)
    return rows, rows[whole]


def _by_count(use: BudgetUse) -> int:
    """What goes with one batch, and what would have to go until the mind were at `NEAR` again."""
    limit = use.budget_memories
    if not limit or use.memories < NEAR * limit:
        return 0
    return max(1 + limit // SLACK, use.memories - int(NEAR * limit))


def _by_length(use: BudgetUse, lengths: Column) -> int:
    limit = use.budget_characters
    if not limit or use.characters < NEAR * limit:
        return 0
    wanted = max(limit // SLACK, use.characters - int(NEAR * limit))
    return int(np.searchsorted(np.cumsum(lengths // 2), wanted)) + 1


async def turn_of(store: Store, memory: int, now: float) -> int | None:
    """Which of the next to leave this one is, from 1 on; None: it is not among them."""
    s = await store.signals()
    rows, _ = _next(store, s, now)
    found = np.flatnonzero(s.id[rows] == memory)
    return int(found[0]) + 1 if len(found) else None


async def _halvings(store: Store, ids: Sequence[int], shorten: Shorten, run: str, now: float) -> list[Rewrite]:
    said = await store.contents(ids)
    found: list[Rewrite] = []
    for memory in ids:
        if memory not in said:
            continue
        shorter = await shorten(said[memory], len(said[memory].text) // 2)
        if shorter is not None:
            found.append(Rewrite(now, memory, shorter, HALVED, run))
    return found


async def _unmoved(store: Store, changes: Sequence[Rewrite], seen: int) -> list[Change]:
    """Those about memories that nothing has happened to since the run began; what was used meanwhile stays whole."""
    here = [change for change in changes if await store.find(change.content.key) == change.id]
    s = await store.signals([change.id for change in here])
    still = ((s.version <= seen) & (s.pinned == 0)).tolist()
    return [change for change, unmoved in zip(here, still, strict=True) if unmoved]


async def undo(store: Store, run: str, now: float) -> Undone:
    """All that left in this run comes back, or all that it halved is whole again. What has a namesake by now is named.

    A mind that is full makes room for it: the next to leave go in their place, in a run of their own.
    """
    await empty_trash(store, now)
    gone = [gone for _, gone in await store.trash() if gone.run == run and gone.cause == BUDGET]
    free = [one for one in gone if await store.find(one.key) is None]
    lost = tuple(one.key for one in gone if one not in free)
    back: list[Change] = [Restore(now, one.id, one.key) for one in sorted(free, key=lambda one: -one.id)]
    whole = await _unhalvings(store, run, now)
    if not (back or whole or lost):
        raise NotFound(problem=f"there is nothing left of a run {run!r} to take back")
    left = (await store.apply(Batch((*back, *whole), new_token()))).left if back or whole else ()
    restored = tuple(one.key for one in free)
    return Undone(run, restored, tuple(change.content.key for change in whole), (), lost, displaced=len(left))


async def _unhalvings(store: Store, run: str, now: float) -> list[Rewrite]:
    s = await store.signals()
    shorter = s.id[s.length < s.original_length].tolist() if run.startswith("halve-") else []
    base = await forgetting.said_in_base(store) if shorter else {}
    changes: list[Rewrite] = []
    for memory in shorter:
        said = await forgetting.every_saying(store, memory, base)
        if len(said) > 1 and said[-1].cause == HALVED and said[-1].run == run:
            changes.append(Rewrite(now, memory, replace(said[-2].content, key=said[-1].content.key), UNHALVED, run))
    return changes
