"""The budget of a mind: which memories leave, so that after no change it holds more than it may.   SPEC T7.

Every batch passes through `fitted` before it is admitted. Where it would go beyond a limit, the memories of the
lowest vitality leave first (of equals the oldest), as forgettings that come before what needs their room: so every
entry of the journal, applied by itself, stays within the budget as well, and a replay has nothing to decide.

A little more leaves than has to (`SLACK`), so that a full mind does not have to be judged again at every put. What
was pinned, is protected by its metabolism, is in focus or takes part in the batch stays; where that leaves too few,
the batch is refused. What has left for the budget waits in the trash, but no more of it than the mind itself may hold.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ebbtide.core.changes import Change, Configure, Discard, Forget, Merge, PutMemory, Recover, Restore, Rewrite
from ebbtide.core.errors import BudgetFull
from ebbtide.core.metabolism import Metabolism
from ebbtide.core.parameters import written_regime
from ebbtide.core.signals import Column, Signals
from ebbtide.core.state import MindState

BUDGET = "budget"  # the cause of a forgetting
SLACK = 100  # one part in so many leaves beyond what has to
_TRASH_SLACK = 10
_GROWING = (PutMemory, Rewrite, Restore, Recover, Merge, Configure)


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """What a mind holds, and what it may hold; a limit of 0 is none."""

    memories: int
    characters: int
    budget_memories: int
    budget_characters: int

    @property
    def fullness(self) -> float:
        """The share of the tighter limit that is taken; 0 where there is none."""
        taken = ((self.memories, self.budget_memories), (self.characters, self.budget_characters))
        return max((have / limit for have, limit in taken if limit), default=0.0)


def use_of(metabolism: Metabolism, s: Signals) -> BudgetUse:
    return BudgetUse(len(s), int(s.length.sum()), metabolism.budget_memories, metabolism.budget_characters)


def fitted(state: MindState, changes: Sequence[Change]) -> tuple[Sequence[Change], tuple[int, ...]]:
    """The changes, after what has to leave for them; and the ids of what leaves."""
    limited = state.regime.metabolism
    if not (limited.budget_memories or limited.budget_characters or any(isinstance(c, Configure) for c in changes)):
        return changes, ()
    if _are_puts_with_room(state, changes):
        return changes, ()
    needed = _Needed(state)
    for change in changes:
        needed.take(change)
    if needed.memories <= 0 and needed.characters <= 0:
        return changes, ()
    at = next(place for place, change in enumerate(changes) if isinstance(change, _GROWING))
    leaving = _leaving(state, needed, changes, changes[at].at)
    return [*changes[:at], *leaving, *changes[at:]], tuple(
        change.id for change in leaving if isinstance(change, Forget)
    )


def _are_puts_with_room(state: MindState, changes: Sequence[Change]) -> bool:
    """Mostly a batch is that, and it can be seen at one look: a put must not pay for a budget that is far off."""
    limits, table = state.regime.metabolism, state.table
    if limits.budget_memories and len(table) + len(changes) > limits.budget_memories:
        return False
    lengths = [len(change.content.text) for change in changes if type(change) is PutMemory]
    if len(lengths) < len(changes):
        return False
    return not limits.budget_characters or table.characters + sum(lengths) <= limits.budget_characters


class _Needed:
    """How far a batch goes beyond the limits at its worst moment, change by change."""

    def __init__(self, state: MindState) -> None:
        self._state = state
        self._lengths: dict[int, int] = {}  # of what this batch has put or changed
        self._count, self._total = len(state.table), state.table.characters
        self.limits: Metabolism = state.regime.metabolism
        self.memories = self.characters = 0

    def take(self, change: Change) -> None:
        match change:
            case PutMemory() | Recover():
                self._put(change.id, len(change.content.text))
            case Rewrite():
                self._resize(change.id, len(change.content.text))
            case Forget():
                self._drop(change.id)
            case Merge():
                self._drop(change.id)
                self._resize(change.into, len(change.content.text))
            case Restore():
                gone = self._state.trash.get(change.id)
                self._put(change.id, 0 if gone is None else int(gone.row["length"]))
            case Configure():
                self.limits = written_regime(change.metabolism, change.params).metabolism
            case _:
                return
        limits = self.limits
        if limits.budget_memories:
            self.memories = max(self.memories, self._count - limits.budget_memories)
        if limits.budget_characters:
            self.characters = max(self.characters, self._total - limits.budget_characters)

    def _put(self, memory: int, length: int) -> None:
        self._count += 1
        self._total += length
        self._lengths[memory] = length

    def _resize(self, memory: int, length: int) -> None:
        self._total += length - self._length(memory)
        self._lengths[memory] = length

    def _drop(self, memory: int) -> None:
        self._count -= 1
        self._total -= self._length(memory)

    def _length(self, memory: int) -> int:
        """0 of one that is not here: then admission refuses the change."""
        table = self._state.table
        known = int(table.columns["length"][table.row(memory)]) if memory in table else 0
        return self._lengths.get(memory, known)


def _leaving(state: MindState, needed: _Needed, changes: Sequence[Change], at: float) -> list[Change]:
    limits, s, part = needed.limits, state.signals(), _mentioned(changes)
    count = needed.memories + limits.budget_memories // SLACK if needed.memories > 0 else 0
    most = None if needed.characters > 0 else count
    order = next_to_leave(state.regime.metabolism, s, at, spare=part, most=most)
    if needed.characters > 0:
        freed = np.cumsum(s.length[order])
        wanted = needed.characters + limits.budget_characters // SLACK
        count = max(count, int(np.searchsorted(freed, wanted)) + 1)
    if len(order) < needed.memories or int(s.length[order].sum()) < needed.characters:
        raise BudgetFull(problem=_refusal(needed, len(s), len(order)))
    # In order of id, as a reaper's run: so that the last to leave can come back first.
    ids = np.sort(s.id[order[:count]]).tolist()
    run, keys = f"budget-{state.seq + 1}", _keys_of(state, ids)
    surplus = _surplus(state, limits, s.length[order[:count]], frozenset(part))
    discarded: list[Change] = [Discard(at, surplus)] if surplus else []
    return [*discarded, *(Forget(at, memory, keys[memory], BUDGET, run) for memory in ids)]


def next_to_leave(
    metabolism: Metabolism,
    s: Signals,
    at: float,
    spare: Iterable[int] = (),
    most: int | None = None,
    worth: Column | None = None,
) -> Column:
    """The rows that may leave, the first to go first: by vitality, of equals the oldest. `most`: so many suffice.

    `worth`: another order to compare with, by a number for each row.
    """
    kept = (s.pinned != 0) | metabolism.protects(s)
    stay = [*s.focus, *spare]
    if stay:
        kept |= np.isin(s.id, stay)
    rows = np.flatnonzero(~kept)
    vitality = (metabolism.vitality(s, at) if worth is None else worth)[rows]
    if most is not None and 0 < most < len(rows):
        lowest = vitality <= np.partition(vitality, most - 1)[most - 1]
        rows, vitality = rows[lowest], vitality[lowest]
    order: Column = rows[np.lexsort((s.id[rows], s.created_at[rows], vitality))]
    return order


def _surplus(state: MindState, limits: Metabolism, leaving: Column, part: frozenset[int]) -> tuple[int, ...]:
    """The first of what has left for the budget before, where with these lengths it were more than a mind may hold.

    Then a tenth of it goes at once: so the trash is looked through only now and then.
    """
    gone = [one for one in state.trash.values() if one.cause == BUDGET and one.id not in part]
    kept, most, space = len(gone), limits.budget_memories, limits.budget_characters
    if most and kept + len(leaving) > most:
        kept = max(0, most - most // _TRASH_SLACK - len(leaving))
    gone.sort(key=lambda one: (-one.at, -one.id)) if kept < len(gone) or space else None
    if space:
        total = int(leaving.sum()) + np.cumsum([int(one.row["length"]) for one in gone], dtype=np.int64)
        if len(gone) and total[-1] > space:
            kept = min(kept, int(np.searchsorted(total, space - space // _TRASH_SLACK, side="right")))
    return tuple(one.id for one in gone[kept:])


def _mentioned(changes: Sequence[Change]) -> list[int]:
    """Every memory that the batch speaks of: it must be there when its change comes."""
    found: list[int] = []
    for change in changes:
        found += [getattr(change, name) for name in ("id", "into", "source", "target") if hasattr(change, name)]
        found += getattr(change, "ids", ())
    return found


def _keys_of(state: MindState, ids: Sequence[int]) -> dict[int, str]:
    wanted = frozenset(ids)
    return {memory: key for key, memory in state.keys.items() if memory in wanted}


def _refusal(needed: _Needed, here: int, free: int) -> str:
    limits: Any = needed.limits
    name = "budget_memories" if needed.memories > free else "budget_characters"
    return (
        f"this mind may hold {getattr(limits, name):,} {name.removeprefix('budget_')}, and of the {here:,} memories"
        f" in it only {free:,} may leave (the others are pinned, protected or in focus, or part of this very change):"
        f" unpin some, or raise {name}"
    )
