"""The links of a mind as columns, with an index by source and by target.

A link's slot never moves while the index stands; removed links keep their slot with strength 0 until
the table is rebuilt. What was added since the last build is found through two small dicts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ebbtide.core.neighbours import BACK, FORWARD, Neighbours
from ebbtide.core.relations import ORDER
from ebbtide.core.signals import Column, LinkColumns, SignalTable

_TYPES: dict[str, Any] = {
    "source": np.int64,
    "target": np.int64,
    "relation": np.int32,
    "strength": np.float64,
    "since": np.int64,
    "pinned": np.bool_,
    "alive": np.bool_,
}


class LinkRow(NamedTuple):
    """One link in full. `since` is the source's scan_count when `strength` was set."""

    source: int
    target: int
    relation: str
    strength: float
    since: int


class _Index:
    """Slots by one end of the link: sorted once, plus what came since."""

    def __init__(self, ends: Column) -> None:
        self.order = np.argsort(ends, kind="stable")
        self.keys = ends[self.order]
        self.added: defaultdict[int, list[int]] = defaultdict(list)

    def slots(self, memory: int) -> Column:
        low, high = np.searchsorted(self.keys, (memory, memory + 1))
        found = self.order[low:high]
        added = self.added.get(memory)
        return np.concatenate([found, np.asarray(added, np.int64)]) if added else found

    def slots_of(self, memories: Column) -> Column:
        low, high = np.searchsorted(self.keys, memories), np.searchsorted(self.keys, memories + 1)
        counts = high - low
        steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        found = self.order[np.repeat(low, counts) + steps]
        added = [slot for memory in memories.tolist() for slot in self.added.get(memory, ())]
        return np.concatenate([found, np.asarray(added, np.int64)]) if added else found

    def nbytes(self) -> int:
        return self.order.nbytes + self.keys.nbytes


class LinkTable:
    def __init__(self) -> None:
        self.relations: list[str] = []
        self._code_of: dict[str, int] = {}
        self.columns: dict[str, Column] = {name: np.zeros(16, dtype) for name, dtype in _TYPES.items()}
        self.size = 0
        self.count = 0
        self._neighbours = Neighbours()
        self._index()

    def __len__(self) -> int:
        return self.count

    def load(self, columns: dict[str, Column], relations: Sequence[str]) -> None:
        """Take over columns as a store reads them: source, target, relation (a code), strength, since."""
        n = len(columns["source"])
        self.relations = list(relations)
        self._code_of = {name: code for code, name in enumerate(relations)}
        self.columns = {
            name: np.ascontiguousarray(columns[name], dtype) if name in columns else np.zeros(n, dtype)
            for name, dtype in _TYPES.items()
        }
        self.columns["alive"][:] = True
        self.size = self.count = n
        self._index()
        self._neighbours = Neighbours()
        slots = np.arange(n)
        self._neighbours.put_many(*self._ends(slots, FORWARD))
        self._neighbours.put_many(*self._ends(slots, BACK)[::-1])

    def pin(self, focus: Sequence[int]) -> None:
        """Pin the links that touch these, and no others."""
        c = self.columns
        c["pinned"][: self.size] = np.isin(c["source"][: self.size], focus) | np.isin(c["target"][: self.size], focus)

    def code(self, relation: str) -> int:
        code = self._code_of.get(relation)
        if code is None:
            code = self._code_of[relation] = len(self.relations)
            self.relations.append(relation)
        return code

    def codes(self, relations: Iterable[str]) -> list[int]:
        """The codes of those relations that there are."""
        return [self._code_of[name] for name in relations if name in self._code_of]

    def find(self, source: int, target: int, relation: str) -> int:
        """The link's slot, or −1."""
        code = self._code_of.get(relation, -1)
        slots = self.leaving(source)
        hits = slots[(self.columns["target"][slots] == target) & (self.columns["relation"][slots] == code)]
        return int(hits[0]) if len(hits) else -1

    def add(self, link: LinkRow, *, pinned: bool = False) -> int:
        if self.size - self._built > max(1024, self._built // 4):
            self._rebuild()
        slot = self.size
        self._reserve(slot + 1)
        code = self.code(link.relation)
        values = (link.source, link.target, code, link.strength, link.since, pinned, True)
        for column, value in zip(self.columns.values(), values, strict=True):
            column[slot] = value
        if link.relation in FORWARD:
            self._neighbours.put(link.source, link.target)
        elif link.relation in BACK:
            self._neighbours.put(link.target, link.source)
        self._out.added[link.source].append(slot)
        self._in.added[link.target].append(slot)
        self.size += 1
        self.count += 1
        return slot

    def remove(self, slot: int) -> None:
        self.columns["alive"][slot] = False
        self.columns["strength"][slot] = 0.0
        self.columns["pinned"][slot] = False
        self.count -= 1
        if self.relations[self.columns["relation"][slot]] in ORDER:
            self._neighbours.unlinked(int(self.columns["source"][slot]), int(self.columns["target"][slot]))

    def beside(self, memories: Column) -> tuple[Column, Column]:
        """What stands before and after each of these in a conversation, by links of order; 0: nothing does."""
        return self._neighbours.of(memories, self._beside)

    def leaving(self, memory: int) -> Column:
        return self._living(self._out.slots(memory))

    def leaving_any(self, memories: Column) -> Column:
        """The slots of all links that leave any of these."""
        return self._living(self._out.slots_of(memories))

    def reaching_any(self, memories: Column) -> Column:
        """The slots of all links that lead to any of these."""
        return self._living(self._in.slots_of(memories))

    def reaching(self, memory: int) -> Column:
        return self._living(self._in.slots(memory))

    def get(self, slot: int) -> LinkRow:
        c = self.columns
        return LinkRow(
            int(c["source"][slot]),
            int(c["target"][slot]),
            self.relations[c["relation"][slot]],
            float(c["strength"][slot]),
            int(c["since"][slot]),
        )

    def rows(self) -> list[LinkRow]:
        return [self.get(int(slot)) for slot in np.flatnonzero(self.columns["alive"][: self.size])]

    def as_columns(self, table: SignalTable) -> LinkColumns:
        """What a metabolism sees: living links only, each with its source's row. Not copied while none has died."""
        every = slice(0, self.size)
        alive = every if self.count == self.size else np.flatnonzero(self.columns["alive"][every])
        c = self.columns
        return LinkColumns(table.rows(c["source"][alive]), c["strength"][alive], c["since"][alive], c["pinned"][alive])

    def nbytes(self) -> int:
        indexes = self._out.nbytes() + self._in.nbytes() + self._neighbours.nbytes()
        return sum(c.nbytes for c in self.columns.values()) + indexes

    def _beside(self, memory: int) -> tuple[int, int]:
        """The same of one memory, from its links."""
        leaving, reaching = self.leaving(memory), self.reaching(memory)
        before = [self._ends(leaving, BACK)[1], self._ends(reaching, FORWARD)[0]]
        after = [self._ends(leaving, FORWARD)[1], self._ends(reaching, BACK)[0]]
        return int(np.concatenate(before).max(initial=0)), int(np.concatenate(after).max(initial=0))

    def _ends(self, slots: Column, relations: Iterable[str]) -> tuple[Column, Column]:
        """The sources and targets of those of these links that have one of these relations."""
        found = slots[np.isin(self.columns["relation"][slots], self.codes(relations))]
        return self.columns["source"][found], self.columns["target"][found]

    def _living(self, slots: Column) -> Column:
        return slots[self.columns["alive"][slots]]

    def _index(self) -> None:
        self._built = self.size
        self._out = _Index(self.columns["source"][: self.size])
        self._in = _Index(self.columns["target"][: self.size])

    def _rebuild(self) -> None:
        keep = np.flatnonzero(self.columns["alive"][: self.size])
        self.columns = {name: column[keep] for name, column in self.columns.items()}
        self.size = len(keep)
        self._index()

    def _reserve(self, size: int) -> None:
        if size > len(self.columns["source"]):
            room = max(size, 2 * len(self.columns["source"])) - len(self.columns["source"])
            self.columns = {
                name: np.concatenate([column, np.zeros(room, column.dtype)]) for name, column in self.columns.items()
            }
