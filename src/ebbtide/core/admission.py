"""What could be wrong with a batch, found before anything moves.

Looks at each change in the light of those before it in the same batch, so that folding cannot fail half-way.
"""

from collections.abc import Sequence
from dataclasses import replace

from ebbtide.core.changes import (
    Access,
    Change,
    Configure,
    Discard,
    Focus,
    Forget,
    Merge,
    PutLink,
    PutMemory,
    Restore,
    Rewrite,
    Scan,
    Traverse,
    Unlink,
    WriteDown,
)
from ebbtide.core.errors import Conflict, InvalidInput, KeyTaken, NotInTrash, UnknownLink, UnknownMemory
from ebbtide.core.state import MindState


class Admission:
    """Admits changes one after another; `stale` collects what a tick must leave alone."""

    def __init__(self, state: MindState) -> None:
        self._state = state
        self._alive: dict[int, bool] = {}
        self._keys: dict[str, bool] = {}
        self._trash: dict[int, bool] = {}
        self._links: dict[tuple[int, int, str], bool] = {}
        self.stale: list[int] = []

    def admit(self, changes: Sequence[Change]) -> list[Change]:
        """The changes as they will be folded and journaled; those with nothing left to do are dropped."""
        return [admitted for change in changes if (admitted := self._admit(change)) is not None]

    def _admit(self, change: Change) -> Change | None:
        match change:
            case PutMemory():
                self._put(change)
            case Access() | Traverse():
                alive = tuple(memory for memory in change.ids if self._is_alive(memory))
                return replace(change, ids=alive) if alive else None
            case WriteDown():
                return self._write_down(change)
            case PutLink():
                self._link(change)
            case Unlink():
                self._unlink(change)
            case Rewrite():
                self._require(change.id, change.content.key)
            case Forget():
                self._require(change.id, change.key)
                self._leave(change.id, change.key)
            case Merge():
                self._merge(change)
            case Restore():
                self._restore(change)
            case Discard():
                return self._discard(change)
            case Configure():
                self._configure(change)
            case Focus():
                for memory in change.ids:
                    self._require(memory, f"#{memory}")
            case Scan():
                pass
        return change

    def _put(self, c: PutMemory) -> None:
        if self._is_alive(c.id) or self._in_trash(c.id):
            raise Conflict(problem=f"the id {c.id} was given out already: ids are never used twice")
        self._claim(c.content.key)
        self._alive[c.id] = True

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
            there = self._state.links.find(*end) >= 0
        if not there or not self._is_alive(c.source):
            raise UnknownLink(source=f"#{c.source}", target=f"#{c.target}", relation=c.relation)
        self._links[end] = False

    def _merge(self, c: Merge) -> None:
        if c.into == c.id:
            raise InvalidInput(problem="a memory cannot be merged with itself")
        self._require(c.into, c.content.key)
        self._require(c.id, c.key)
        self._leave(c.id, c.key)

    def _restore(self, c: Restore) -> None:
        if not self._in_trash(c.id):
            raise NotInTrash(key=c.key)
        self._claim(c.key)
        self._trash[c.id] = False
        self._alive[c.id] = True

    def _discard(self, c: Discard) -> Change | None:
        here = tuple(memory for memory in c.ids if self._in_trash(memory))
        self._trash.update(dict.fromkeys(here, False))
        return replace(c, ids=here) if here else None

    def _configure(self, c: Configure) -> None:
        now = self._state.regime.metabolism.name
        if self._state.configured and c.metabolism != now:
            problem = f"this mind lives by {now}; `replay --metabolism {c.metabolism}` shows it under another"
            raise Conflict(problem=problem)

    def _write_down(self, c: WriteDown) -> Change | None:
        rows = self._state.table.rows(c.ids)
        versions = self._state.table.columns["version"][rows]
        fresh = [i for i, row in enumerate(rows.tolist()) if row >= 0 and versions[i] <= c.seen]
        if len(fresh) == len(c.ids):
            return c
        self.stale += [memory for i, memory in enumerate(c.ids) if rows[i] >= 0 and versions[i] > c.seen]
        if not fresh:
            return None
        return replace(
            c,
            ids=tuple(c.ids[i] for i in fresh),
            states=tuple(c.states[i] for i in fresh),
            marks=tuple(c.marks[i] for i in fresh),
            scores=None if c.scores is None else tuple(c.scores[i] for i in fresh),
        )

    def _leave(self, memory: int, key: str) -> None:
        self._alive[memory] = False
        self._keys[key] = False
        self._trash[memory] = True

    def _claim(self, key: str) -> None:
        taken = self._keys.get(key)
        if taken or (taken is None and key in self._state.keys):
            raise KeyTaken(key=key)
        self._keys[key] = True

    def _require(self, memory: int, name: str) -> None:
        if not self._is_alive(memory):
            raise UnknownMemory(key=name)

    def _is_alive(self, memory: int) -> bool:
        alive = self._alive.get(memory)
        return memory in self._state.table if alive is None else alive

    def _in_trash(self, memory: int) -> bool:
        trashed = self._trash.get(memory)
        return memory in self._state.trash if trashed is None else trashed
