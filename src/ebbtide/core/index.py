"""The search index of one mind, in RAM: the words and the vectors of its memories, and who still waits to be read.

All of it follows from what memories say. A memory takes a *slot* here; what is indexed is known by its *edition*, the
journal entry that last changed what it says, so that a row made from an earlier text is never taken for the present.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ebbtide.core.changes import Change, Discard, Forget, Merge, PutMemory, Recover, Restore, Rewrite
from ebbtide.core.lexical import LexicalIndex
from ebbtide.core.ranking import Noise
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, Terms
from ebbtide.core.vectors import VectorIndex

_SAMPLE = 1024  # memories that tell what cosines strangers have
_NO_LABEL = np.uint64(0)


class Recipe(NamedTuple):
    """How index rows are made: the analysis of words, and the embedder. Rows made otherwise are made anew."""

    analysis: str
    space: str = ""  # the embedder's name; empty: no vectors
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """A memory that is to be indexed, as it was said by this edition."""

    id: int
    edition: int


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What a memory is found by. Without `terms` only the vector is new; `bare`: it is to have no vector."""

    id: int
    edition: int
    terms: Terms | None
    vector: Column | None = None
    bare: bool = False


class Material(NamedTuple):
    """Vectors of some memories, and a number for each that tells which are of one kind and domain."""

    ids: Column
    vectors: Column
    group: Column


class SearchIndex:
    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.lexical = LexicalIndex()
        self.vectors = VectorIndex(recipe.dimensions) if recipe.space else None
        self.size = 0  # slots given out
        self.ids = np.zeros(16, np.int64)  # by slot; 0: free
        self.kinds = np.zeros(16, np.uint64)
        self.domains = np.zeros(16, np.uint64)
        self._slot_of = np.full(16, -1, np.int32)  # by id
        self._free: list[int] = []
        self._editions: dict[int, int] = {}  # of those that have changed since this index was made
        self._unread: dict[int, None] = {}
        self._unembedded: dict[int, None] = {}
        self._sample: Column | None = None

    # ---- what is missing

    def expect(self, ids: Iterable[int]) -> None:
        """These are alive; whoever of them is not here is to be read."""
        self._unread |= dict.fromkeys(memory for memory in ids if not self._has(memory))

    def unread(self, limit: int) -> list[Unread]:
        return self._first(self._unread, limit)

    def unembedded(self, limit: int, among: frozenset[int] | None = None) -> list[Unread]:
        """Whose words are here and whose vector is not."""
        if among is None:
            return self._first(self._unembedded, limit)
        return self._first([memory for memory in self._unembedded if memory in among], limit)

    @property
    def waiting(self) -> tuple[int, int]:
        """How many are still to be read, and how many to be embedded."""
        return len(self._unread), len(self._unembedded) + (len(self._unread) if self.vectors is not None else 0)

    def _first(self, ids: Iterable[int], limit: int) -> list[Unread]:
        return [Unread(memory, self._editions.get(memory, 0)) for _, memory in zip(range(limit), ids, strict=False)]

    # ---- changes

    def note(self, changes: Sequence[Change], seq: int) -> None:
        """What happened to the mind: who says something else is no longer here until it is read again."""
        for number, change in enumerate(changes, seq):
            match change:
                case PutMemory() | Rewrite() | Restore() | Recover():
                    self._changed(change.id, number)
                case Forget():
                    self._gone(change.id)
                case Merge():
                    self._gone(change.id)
                    self._changed(change.into, number)
                case Discard():
                    self.lexical.compact()  # gone for good: no code of it remains
                case _:
                    return  # a run is of one kind

    def _changed(self, memory: int, edition: int) -> None:
        self._gone(memory)
        self._editions[memory] = edition
        self._unread[memory] = None

    def _gone(self, memory: int) -> None:
        self._unread.pop(memory, None)
        self._unembedded.pop(memory, None)
        self._editions.pop(memory, None)
        if not self._has(memory):
            return
        slot = int(self._slot_of[memory])
        self.lexical.drop(slot)
        if self.vectors is not None:
            self.vectors.drop(slot)
        self.ids[slot] = 0
        self.kinds[slot] = self.domains[slot] = _NO_LABEL
        self._slot_of[memory] = -1
        self._free.append(slot)

    def load(self, rows: Sequence[IndexRow]) -> None:
        """Rows that a store had kept, each with its terms; before anything else."""
        self._unread |= dict.fromkeys(row.id for row in rows)
        self.put(rows)

    def keep_only(self, living: Column) -> None:
        """Let go of rows whose memory is not among these."""
        for memory in np.setdiff1d(self.ids[: self.size], np.append(living, 0)).tolist():
            self._gone(memory)

    def put(self, rows: Sequence[IndexRow]) -> list[IndexRow]:
        """Take these in. Returns those that were: not who has gone, says something else by now, or is here already."""
        taken = [row for row in rows if self._wanted(row)]
        read = [row for row in taken if row.terms is not None]
        if read:
            self._put_terms([row.id for row in read], [row.terms for row in read if row.terms is not None])
        self._put_vectors([row for row in taken if row.vector is not None])
        for row in taken:
            self._settle(row)
        return taken

    def _wanted(self, row: IndexRow) -> bool:
        if self._editions.get(row.id, 0) != row.edition:
            return False
        return row.id in (self._unembedded if row.terms is None else self._unread)

    def _settle(self, row: IndexRow) -> None:
        self._unread.pop(row.id, None)
        if row.vector is not None or row.bare or self.vectors is None:
            self._unembedded.pop(row.id, None)
        else:
            self._unembedded[row.id] = None

    def _put_terms(self, ids: Sequence[int], terms: Sequence[Terms]) -> None:
        slots = self._slots_for(ids)
        self.lexical.put(slots, terms)
        self.kinds[slots] = [_label(each, Field.KIND) for each in terms]
        self.domains[slots] = [_label(each, Field.DOMAIN) for each in terms]

    def _put_vectors(self, rows: Sequence[IndexRow]) -> None:
        if self.vectors is None or not rows:
            return
        vectors = np.array([row.vector for row in rows], np.float32)
        self.vectors.put(self._slot_of[[row.id for row in rows]], vectors)
        self._sample = None

    def _slots_for(self, ids: Sequence[int]) -> Column:
        reused = [self._free.pop() for _ in range(min(len(self._free), len(ids)))]
        slots = np.array([*reused, *range(self.size, self.size + len(ids) - len(reused))], np.int64)
        self.size = max(self.size, int(slots.max()) + 1)
        self.ids, self.kinds, self.domains = (_grown(c, self.size, 0) for c in (self.ids, self.kinds, self.domains))
        self._slot_of = _grown(self._slot_of, max(ids) + 1, -1)
        self.ids[slots] = ids
        self._slot_of[list(ids)] = slots
        return slots

    # ---- reading

    def slots(self, ids: Sequence[int] | Column) -> Column:
        """The slot of each; −1 for one that is not here."""
        asked = np.asarray(ids, np.int64)
        known = asked < len(self._slot_of)
        return np.where(known, self._slot_of[np.where(known, asked, 0)], -1)

    def cosines(self, query: Column | None, slots: Column) -> Column:
        if query is None or self.vectors is None:
            return np.full(len(slots), np.nan, np.float32)
        return self.vectors.cosines(query, slots)

    def noise(self, query: Column) -> Noise:
        """What cosines this query has with memories that have nothing to do with it."""
        assert self.vectors is not None
        if self._sample is None:
            here = np.flatnonzero(self.vectors.has(np.arange(self.size)))
            self._sample = self.vectors.vectors(here[:: max(1, len(here) // _SAMPLE)])
        return Noise.of(self._sample @ query)

    def material(self, ids: Column) -> Material:
        """The vectors of those of these that have one, copied."""
        slots = self.slots(ids)
        if self.vectors is None:
            return Material(np.empty(0, np.int64), np.empty((0, 0), np.float32), np.empty(0, np.int64))
        here = (slots >= 0) & self.vectors.has(slots)
        labels = np.stack([self.kinds[slots[here]], self.domains[slots[here]]], axis=1)
        group = np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1)
        return Material(np.asarray(ids)[here], self.vectors.vectors(slots[here]), group)

    def nbytes(self) -> int:
        vectors = 0 if self.vectors is None else self.vectors.nbytes()
        columns = self.ids.nbytes + self.kinds.nbytes + self.domains.nbytes + self._slot_of.nbytes
        return columns + self.lexical.nbytes() + vectors

    def _has(self, memory: int) -> bool:
        return memory < len(self._slot_of) and self._slot_of[memory] >= 0


def _label(terms: Terms, field: Field) -> int:
    codes = terms.among(field)
    return int(codes[0]) if len(codes) else 0


def _grown(column: Column, size: int, fill: int) -> Column:
    if size <= len(column):
        return column
    grown = np.full(max(size, 2 * len(column)), fill, column.dtype)
    grown[: len(column)] = column
    return grown
