"""What could be wrong with a batch, found before anything moves.

Looks at each change in the light of those before it in the same batch, so that folding cannot fail half-way.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ebbtide.core.changes import (
    Access,
    Appraise,
    Change,
    Configure,
    Discard,
    Dismiss,
    Enqueue,
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
    Rewrite,
    Scan,
    SetAside,
    Settle,
    Supersede,
    Sweep,
    Touch,
    Traverse,
    Unlink,
    WriteDown,
)
from ebbtide.core.errors import (
    Conflict,
    InvalidInput,
    KeyTaken,
    NotInTrash,
    UnknownLink,
    UnknownMemory,
    UnknownTask,
)
from ebbtide.core.signals import Column
from ebbtide.core.state import MindState

_FOUND = (Pair, WriteDown, Supersede)
_MOVES_NOTHING = (Pair, WriteDown)


class Admission:
    """Admits changes one after another; `stale` collects what a tick must leave alone."""

    def __init__(self, state: MindState) -> None:
        self._state = state
        self._alive: dict[int, bool] = {}
        self._holders: dict[str, int | None] = {}
        self._trash: dict[int, bool] = {}
        self._links: dict[tuple[int, int, str], bool] = {}
        self._rewired = False
        self._tasks: dict[int, bool] = {}
        self._pins: set[int] = set()
        self._read: set[int] = set()
        self.stale: list[int] = []

    def admit(self, changes: Sequence[Change]) -> list[Change]:
        """The changes as they will be folded and journaled; those with nothing left to do are dropped."""
        if self._all_new(changes):
            return list(changes)
        if any(isinstance(two, _FOUND) and not isinstance(one, _MOVES_NOTHING) for one, two in pairwise(changes)):
            # It is weighed against the mind before the batch, and must mean the same when replayed by itself.
            raise InvalidInput(problem="a tick's findings come before anything else in their batch")
        return [admitted for change in changes if (admitted := self._admit(change)) is not None]

    def _admit(self, change: Change) -> Change | None:
        match change:
            case PutMemory():
                self._put(change)
            case Access():
                alive = self._living(change.ids)
                return replace(change, ids=alive, newness=self._newness(change, alive)) if alive else None
            case Traverse():
                alive = self._living(change.ids)
                return replace(change, ids=alive) if alive else None
            case Appraise():
                return self._appraise(change)
            case Supersede():
                return self._supersede(change)
            case Touch():
                return self._touch(change)
            case Pin():
                return self._pin(change)
            case Pair():
                return self._pair(change)
            case WriteDown():
                return self._write_down(change)
            case PutLink():
                self._link(change)
            case Unlink():
                self._unlink(change)
            case Rewrite():
                self._require_holder(change.content.key, change.id)
            case Forget():
                self._leave(change.id, change.key)
            case Merge():
                self._merge(change)
            case Restore():
                self._restore(change)
            case Recover():
                if self._is_alive(change.id) or self._in_trash(change.id):
                    raise KeyTaken(key=change.content.key)
                self._claim(change.content.key, change.id)
                self._rewire()
            case Discard():
                return self._discard(change)
            case Configure():
                self._configure(change)
            case Focus():
                self._require_network()
                for memory in change.ids:
                    self._require(memory, f"#{memory}")
            case Settle() | SetAside() | Requeue():
                self._task(change)
            case Sweep():
                self._rewire()
            case Scan() | Enqueue() | Dismiss() | Reaped():
                pass
        return change

    def _all_new(self, changes: Sequence[Change]) -> bool:
        """Nothing but puts, and no clash: mostly that is so, and it can be seen at one look."""
        puts = [change for change in changes if type(change) is PutMemory]
        if len(puts) < len(changes):
            return False
        ids, keys = {put.id for put in puts}, {put.content.key for put in puts}
        state = self._state
        return (
            len(ids) == len(keys) == len(puts)
            and state.keys.keys().isdisjoint(keys)
            and state.trash.keys().isdisjoint(ids)
            and not any(memory in state.table for memory in ids)
        )

    def _task(self, c: Settle | SetAside | Requeue) -> None:
        if self._tasks.get(c.task, c.task in self._state.tasks) is False:
            raise UnknownTask(task=c.task)
        self._tasks[c.task] = not isinstance(c, Settle)

    def _require_network(self) -> None:
        """Focus pins links; elsewhere links do not age, and pinning them would be an event nobody accounts for."""
        if not self._state.regime.metabolism.traits.network:
            raise Conflict(problem="only a network mind has a focus")

    def _touch(self, c: Touch) -> Change | None:
        """Who is alive, once each, and was not touched within the spacing; a clock that was put back holds nobody up.

        That is decided here and now: a replay counts whoever is left, so the spacing is not kept.
        """
        alive = [memory for memory in dict.fromkeys(c.ids) if self._is_alive(memory)]
        rows = self._state.table.rows(alive)
        waited = c.at - self._state.table.columns["last_touched_at"][rows]
        due = (rows < 0) | (np.abs(waited) >= c.spacing)
        self.stale += np.asarray(alive, np.int64)[~due].tolist()
        ids = tuple(memory for memory, is_due in zip(alive, due.tolist(), strict=True) if is_due)
        return replace(c, ids=ids, spacing=0.0, newness=self._newness(c, ids)) if ids else None

    def _newness(self, c: Access | Touch, ids: Sequence[int]) -> tuple[float, ...] | None:
        """As it was found before, of a change from a journal: others in its batch may have moved the mind since."""
        return self._state.newness_of(ids, c.at) if c.newness is None else c.newness

    def _living(self, ids: Sequence[int]) -> tuple[int, ...]:
        return tuple(memory for memory in ids if self._is_alive(memory))

    def _appraise(self, c: Appraise) -> Change | None:
        """Those that are alive and were not read before, each once."""
        new = {
            memory: features
            for memory, features in zip(c.ids, c.features, strict=True)
            if self._is_alive(memory) and memory not in self._read and self._state.is_unread(memory)
        }
        self._read.update(new)
        return replace(c, ids=tuple(new), features=tuple(new.values())) if new else None

    def _supersede(self, c: Supersede) -> Change | None:
        """Those of which both are alive and have said the same since; no newer one (0) goes with a share of 0 only."""
        still = self._still([newer for _, newer, _ in c.found], c.seen)
        still |= np.array([newer == 0 and share == 0.0 for _, newer, share in c.found], np.bool_)
        still &= self._still([older for older, _, _ in c.found], c.seen)
        found = tuple(each for each, holds in zip(c.found, still.tolist(), strict=True) if holds and each[0] != each[1])
        return replace(c, found=found) if found else None

    def _pin(self, c: Pin) -> Change | None:
        """Those that are not so already. One that is new in this batch, or back in it, is left to the fold."""
        for memory in c.ids:
            self._require(memory, f"#{memory}")
        ids = tuple(dict.fromkeys(c.ids))
        rows = self._state.table.rows(ids)
        moved = np.array([memory in self._alive or memory in self._pins for memory in ids], np.bool_)
        due = moved | (self._state.table.columns["pinned"][rows] != c.pinned)
        self._pins.update(ids)
        self.stale += np.asarray(ids, np.int64)[~due].tolist()
        left = tuple(memory for memory, is_due in zip(ids, due.tolist(), strict=True) if is_due)
        return replace(c, ids=left) if left else None

    def _pair(self, c: Pair) -> Change | None:
        """Those of which both are alive and have not moved on."""
        still = self._still([memory for pair in c.found for memory in pair[:2]], c.seen)
        both = (still[::2] & still[1::2]).tolist()
        found = tuple(pair for pair, holds in zip(c.found, both, strict=True) if holds)
        return replace(c, found=found) if found or c.lost else None

    def _still(self, ids: Sequence[int] | Column, seen: int) -> Column:
        """Who is alive, and unchanged since that entry."""
        rows = self._state.table.rows(ids)
        still: Column = (rows >= 0) & (self._state.table.columns["version"][rows] <= seen)
        return still

    def _put(self, c: PutMemory) -> None:
        if self._is_alive(c.id) or self._in_trash(c.id):
            raise Conflict(problem=f"the id {c.id} was given out already: ids are never used twice")
        self._claim(c.content.key, c.id)

    def _link(self, c: PutLink) -> None:
        self._require(c.source, f"#{c.source}")
        self._require(c.target, f"#{c.target}")
        if c.source == c.target:
            raise InvalidInput(problem="a memory cannot be linked to itself")
        self._links[c.source, c.target, c.relation] = True

    def _unlink(self, c: Unlink) -> None:
        end = (c.source, c.target, c.relation)
        there = self._links.get(end)
        if there is None:
            there = not self._rewired and self._state.links.find(*end) >= 0
        if not there or not self._is_alive(c.source):
            raise UnknownLink(source=f"#{c.source}", target=f"#{c.target}", relation=c.relation)
        self._links[end] = False

    def _merge(self, c: Merge) -> None:
        if c.into == c.id:
            raise InvalidInput(problem="a memory cannot be merged with itself")
        self._require_holder(c.content.key, c.into)
        self._leave(c.id, c.key)
        self._rewire()

    def _restore(self, c: Restore) -> None:
        if not self._in_trash(c.id):
            raise NotInTrash(key=c.key)
        self._claim(c.key, c.id)
        self._trash[c.id] = False
        self._rewire()

    def _rewire(self) -> None:
        """Which links stand after a merge, its undoing or a sweep only the fold knows: from here on, only new ones."""
        self._links.clear()
        self._rewired = True

    def _discard(self, c: Discard) -> Change | None:
        here = tuple(memory for memory in c.ids if self._in_trash(memory))
        self._trash.update(dict.fromkeys(here, False))
        return replace(c, ids=here) if here else None

    def _configure(self, c: Configure) -> None:
        now = self._state.regime.metabolism.name
        settled = self._state.configured or len(self._state.table) > 0
        if settled and c.metabolism != now:
            problem = f"this mind lives by {now}; `replay --metabolism {c.metabolism}` shows it under another"
            raise Conflict(problem=problem)

    def _write_down(self, c: WriteDown) -> Change | None:
        still = self._still(c.ids, c.seen)
        if still.all():
            return c
        self.stale += np.asarray(c.ids)[~still].tolist()
        fresh = np.flatnonzero(still).tolist()
        if not fresh:
            return None
        return c.only(fresh)

    def _leave(self, memory: int, key: str) -> None:
        self._require_holder(key, memory)
        self._holders[key] = None
        self._alive[memory] = False
        self._trash[memory] = True

    def _claim(self, key: str, memory: int) -> None:
        if self._holder(key) is not None:
            raise KeyTaken(key=key)
        self._holders[key] = memory
        self._alive[memory] = True

    def _holder(self, key: str) -> int | None:
        return self._holders[key] if key in self._holders else self._state.keys.get(key)

    def _require_holder(self, key: str, memory: int) -> None:
        if self._holder(key) != memory:
            raise UnknownMemory(key=key)

    def _require(self, memory: int, name: str) -> None:
        if not self._is_alive(memory):
            raise UnknownMemory(key=name)

    def _is_alive(self, memory: int) -> bool:
        alive = self._alive.get(memory)
        return memory in self._state.table if alive is None else alive

    def _in_trash(self, memory: int) -> bool:
        trashed = self._trash.get(memory)
        return memory in self._state.trash if trashed is None else trashed
