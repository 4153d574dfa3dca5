"""Signals: the statistics of many memories as columns.

`Signals` is what a metabolism reads: plain arrays, row i of each belongs to one memory.
`SignalTable` is where a store keeps them: it grows, forgets rows, and finds a memory's row by its id.

Times are epoch seconds; a moment that never was is −inf, so that exp(−(now − never) / T) is exactly 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ebbtide.core.quick import quick

Column = NDArray[Any]
NEVER = float("-inf")

COMMON: dict[str, Any] = {
    "id": np.int64,
    "created_at": np.float64,
    "in_degree": np.int32,
    "out_degree": np.int32,
    "access_count": np.int64,
    "traverse_count": np.int64,
    "last_accessed_at": np.float64,
    "last_linked_at": np.float64,
    "last_touched_at": np.float64,
    "scan_count": np.int64,
    "original_length": np.int32,
    "length": np.int32,
    "state": np.int8,
    "marks": np.int8,
    "pinned": np.int8,  # 1: its owner has pinned it; `LinkColumns.pinned` is about focus, and of links
    "version": np.int64,  # the journal entry that last changed this row
}
OWN: dict[str, Any] = {
    "base": np.float64,
    "scored_at": np.float64,
    "weight": np.float64,
    "score": np.int8,
    "importance": np.float64,
    "strength": np.float64,
    "policy": np.int8,
    "protected": np.int32,  # links that keep it from expiring
    "exposed_at": np.float64,  # when the last such link went
    "pruned_at": np.float64,
    "use_long": np.float64,  # tide: confirmed uses as they stood at `used_at`, each worth half after `long_days`
    "use_short": np.float64,
    "used_at": np.float64,
    "prior": np.float64,  # −1: its words were not read yet
    "superseded": np.float64,
    "superseded_by": np.int64,  # 0: by no memory
}
# What a row that was written down before there was such a column has in it.
_SINCE_THEN: dict[str, Any] = {"pinned": 0, "protected": 0, "exposed_at": NEVER, "pruned_at": NEVER}
_COLUMNS = (*COMMON, *OWN)
_EMPTY: Column = np.empty(0)


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """Outgoing links of the rows of a `Signals`; `row` says which row a link leaves from."""

    row: Column
    strength: Column
    since: Column  # the source's scan_count when the strength was set
    pinned: Column


@dataclass(frozen=True, slots=True)
class Newness:
    """How new, from 0 to 1, the memories were that this mind has used: summed up, over so many uses.   SPEC T5."""

    total: float = 0.0
    uses: int = 0


NO_LINKS = LinkColumns(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64), np.empty(0, np.bool_))


@quick
@dataclass(frozen=True, slots=True)
class Signals:
    id: Column
    created_at: Column
    in_degree: Column
    out_degree: Column
    access_count: Column
    traverse_count: Column
    last_accessed_at: Column
    last_linked_at: Column
    last_touched_at: Column
    scan_count: Column
    original_length: Column
    length: Column
    state: Column
    marks: Column
    version: Column
    pinned: Column = field(default_factory=lambda: _EMPTY)
    base: Column = field(default_factory=lambda: _EMPTY)
    scored_at: Column = field(default_factory=lambda: _EMPTY)
    weight: Column = field(default_factory=lambda: _EMPTY)
    score: Column = field(default_factory=lambda: _EMPTY)
    importance: Column = field(default_factory=lambda: _EMPTY)
    strength: Column = field(default_factory=lambda: _EMPTY)
    policy: Column = field(default_factory=lambda: _EMPTY)
    protected: Column = field(default_factory=lambda: _EMPTY)
    exposed_at: Column = field(default_factory=lambda: _EMPTY)
    pruned_at: Column = field(default_factory=lambda: _EMPTY)
    use_long: Column = field(default_factory=lambda: _EMPTY)
    use_short: Column = field(default_factory=lambda: _EMPTY)
    used_at: Column = field(default_factory=lambda: _EMPTY)
    prior: Column = field(default_factory=lambda: _EMPTY)
    superseded: Column = field(default_factory=lambda: _EMPTY)
    superseded_by: Column = field(default_factory=lambda: _EMPTY)
    links: LinkColumns = NO_LINKS
    focus: tuple[int, ...] = ()
    newness: Newness = Newness()
    variety: float = 1.0  # how far the texts of the mind differ, see core/appraisal.py
    peers: "Peers | None" = None  # where a state depends on the other memories: those; None: these rows

    def __len__(self) -> int:
        return len(self.id)

    def copy(self) -> "Signals":
        """The same, for keeps. Links are never a view."""
        columns = {name: getattr(self, name).copy() for name in _COLUMNS}
        return replace(self, **columns, peers=None if self.peers is None else Peers(self.peers.signals.copy()))

    def unpinned(self) -> "Signals":
        """The same memories, had none of them been pinned."""
        return replace(self, pinned=_EMPTY)

    def plain(self, row: int) -> dict[str, Any]:
        """One row as plain numbers, without the version; a moment that never was is None."""
        columns = {name: getattr(self, name) for name in _COLUMNS if name != "version"}
        plain = {name: column[row].item() for name, column in columns.items() if len(column)}
        return {name: None if value == NEVER else value for name, value in plain.items()}

    def take(self, rows: Column) -> "Signals":
        """These rows only, each at most once. Links follow their source."""
        columns = {name: (column[rows] if len(column := getattr(self, name)) else column) for name in _COLUMNS}
        return replace(self, **columns, links=self._links_of(rows), peers=self.peers or Peers(self))

    def _links_of(self, rows: Column) -> LinkColumns:
        if not len(self.links.row):
            return self.links
        new_row = np.full(len(self), -1, np.int64)
        new_row[rows] = np.arange(len(rows))
        moved = new_row[self.links.row]
        keep = moved >= 0
        return LinkColumns(moved[keep], self.links.strength[keep], self.links.since[keep], self.links.pinned[keep])


class Peers:
    """The memories that others are compared with. What they are worth at one moment is worked out and sorted once."""

    __slots__ = ("_known", "signals")

    def __init__(self, signals: Signals) -> None:
        self.signals = signals
        self._known: dict[str, tuple[object, float, Column]] = {}

    def ordered(self, worth: Callable[[Signals, float], Column], by: object, now: float) -> Column:
        """Ascending; `by`: the metabolism that `worth` is a method of."""
        known = self._known.get(worth.__name__)
        if known is None or known[0] is not by or known[1] != now:
            known = self._known[worth.__name__] = by, now, np.sort(worth(self.signals, now))
        return known[2]


class SignalTable:
    """Growable columns without holes: removing a row moves the last one into its place. Unused rows are all 0."""

    def __init__(self, own: Sequence[str]) -> None:
        self.types = {**COMMON, **{name: OWN[name] for name in own}}
        self.columns: dict[str, Column] = {name: np.zeros(16, dtype) for name, dtype in self.types.items()}
        self.dirty = np.zeros(16, np.bool_)
        self.size = 0
        self.characters = 0  # the sum of `length`
        self.removals = 0  # so many times a row may have moved
        self._row_of = np.full(16, -1, np.int32)

    def __len__(self) -> int:
        return self.size

    def __contains__(self, memory: int) -> bool:
        return 0 <= memory < len(self._row_of) and self._row_of[memory] >= 0

    def row(self, memory: int) -> int:
        return int(self._row_of[memory])

    def rows(self, memories: Iterable[int] | Column) -> Column:
        """The rows of these memories; −1 for one that is not here."""
        ids = np.asarray(memories if isinstance(memories, np.ndarray) else list(memories), np.int64)
        if not len(ids) or ids.view(np.uint64).max() < len(self._row_of):  # a negative id is a very large one there
            return self._row_of[ids]
        known = (ids >= 0) & (ids < len(self._row_of))
        return np.where(known, self._row_of[np.where(known, ids, 0)], -1)

    def view(self, links: LinkColumns = NO_LINKS, focus: tuple[int, ...] = (), **mind: Any) -> Signals:
        """All rows, without copying: true until the next change. `mind`: `newness` and `peers`, where it has them."""
        columns: dict[str, Any] = {name: column[: self.size] for name, column in self.columns.items()}
        return Signals(**columns, links=links, focus=focus, **mind)

    def at(self, rows: Column, links: LinkColumns = NO_LINKS, focus: tuple[int, ...] = (), **mind: Any) -> Signals:
        """These rows, copied; `links` speak of the rows of the result."""
        rows = rows.astype(np.intp, copy=False)  # once, not once for each column
        columns: dict[str, Any] = {name: column.take(rows) for name, column in self.columns.items()}
        return Signals(**columns, links=links, focus=focus, **mind)

    def values(self, row: int) -> dict[str, Any]:
        """One row as plain numbers, as `append` takes it back; a moment that never was is None."""
        plain = {name: column[row].item() for name, column in self.columns.items()}
        return {name: None if value == NEVER else value for name, value in plain.items()}

    def append(self, values: Mapping[str, Any]) -> int:
        row = self.size
        self._reserve(row + 1, values["id"])
        for name, column in self.columns.items():
            value = values[name] if name in values else _SINCE_THEN[name]
            if value is None:
                column[row] = NEVER
            elif value:  # beyond the last row all is 0
                column[row] = value
        self.dirty[row] = False
        self._row_of[values["id"]] = row
        self.size = row + 1
        self.characters += int(values["length"])
        return row

    def extend(self, count: int, values: Mapping[str, Any]) -> slice:
        """Many rows at once; each value is a sequence of `count` or one value for all."""
        ids = np.asarray(values["id"], np.int64)
        rows = slice(self.size, self.size + count)
        self._reserve(rows.stop, int(ids.max()) if count else 0)
        for name, column in self.columns.items():
            column[rows] = values[name]
        self.dirty[rows] = False
        self._row_of[ids] = np.arange(rows.start, rows.stop, dtype=np.int32)
        self.size = rows.stop
        self.characters += int(self.columns["length"][rows].sum())
        return rows

    def remove(self, memory: int) -> int:
        """Returns the id of the memory that now sits in the freed row (the same id: nothing moved)."""
        row, last = self.row(memory), self.size - 1
        self.characters -= int(self.columns["length"][row])
        for column in (*self.columns.values(), self.dirty):
            column[row] = column[last]
        moved = int(self.columns["id"][row])
        for column in self.columns.values():
            column[last] = 0
        self._row_of[moved] = row
        self._row_of[memory] = -1
        self.size = last
        self.removals += 1
        return moved

    def resize(self, row: int, length: int) -> None:
        """Its text is so long from now on."""
        self.characters += length - int(self.columns["length"][row])
        self.columns["length"][row] = length

    def moved(self) -> list[int]:
        """The memories whose hot columns are ahead of what a store has written."""
        moved: list[int] = self.columns["id"][: self.size][self.dirty[: self.size]].tolist()
        return moved

    def nbytes(self) -> int:
        return sum(c.nbytes for c in self.columns.values()) + self.dirty.nbytes + self._row_of.nbytes

    def _reserve(self, rows: int, highest_id: int) -> None:
        if rows > len(self.dirty):
            capacity = max(rows, 2 * len(self.dirty))
            self.columns = {name: _grown(column, capacity, 0) for name, column in self.columns.items()}
            self.dirty = _grown(self.dirty, capacity, 0)
        if highest_id >= len(self._row_of):
            self._row_of = _grown(self._row_of, max(highest_id + 1, 2 * len(self._row_of)), -1)


def _grown(column: Column, capacity: int, fill: int) -> Column:
    grown = np.full(capacity, fill, column.dtype)
    grown[: len(column)] = column
    return grown
