"""The search index of one mind, in RAM: the words and the vectors of its memories, and who still waits to be read.

All of it follows from what memories say. A memory takes a *slot* here; what is indexed is known by its *edition*, the
journal entry that last changed what it says, so that a row made from an earlier text is never taken for the present.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ebbtide.core.changes import Change, Discard, Forget, Merge, PutMemory, Recover, Restore, Rewrite
from ebbtide.core.lexical import Frequencies, LexicalIndex
from ebbtide.core.memory import State
from ebbtide.core.ranking import Noise, Noises
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, Terms, Trait, fields_of, trait_code
from ebbtide.core.vectors import VectorIndex

_SAMPLE = 1024  # memories that tell what cosines strangers have
_SMALL_SAMPLE = 256
_NO_LABEL = np.uint64(0)
_SETTLED, _UNREAD, _UNEMBEDDED = range(3)  # what a memory waits for
HALF = np.dtype("<f2")
_ODD = np.uint64(0x9E3779B97F4A7C15)  # so that a kind and a domain that change places are another group


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
    """Vectors of some memories, and a number for each, the same in every answer, for its kind and domain."""

    ids: Column
    vectors: Column
    group: Column


class SearchIndex:
    def __init__(self, recipe: Recipe, since: int = 0) -> None:
        """`since`: the journal entry from which on it is told what happens."""
        self.recipe = recipe
        self.since = since
        self.lexical = LexicalIndex()
        self.vectors = VectorIndex(recipe.dimensions) if recipe.space else None
        self.size = 0  # slots given out
        self.ids = np.zeros(16, np.int64)  # by slot; 0: free
        self.kinds = np.zeros(16, np.uint64)
        self.domains = np.zeros(16, np.uint64)
        self.speakers = np.zeros(16, np.uint64)  # codes; 0: not known
        self.traits = np.zeros(16, np.uint8)  # bits, see `Trait`
        self._free: list[int] = []
        self._slot_of = np.full(16, -1, np.int32)  # this and the next two by id
        self._editions = np.zeros(16, np.int64)  # 0: as it was at `since`
        self._waits = np.full(16, _SETTLED, np.uint8)
        self._waiting = [0, 0, 0]  # how many there are of each kind of waiting
        self._residue = False  # whether codes of what is no longer said may still be here
        self._sample: Column | None = None  # slots
        self._strangers: Column | None = None  # their vectors, where reading them each time would take long
        self._few: Column | None = None  # those of some of them
        self._stride = 1
        self._voices: Counter[int] = Counter()  # how many memories each speaker has
        self.sparse: set[tuple[State, ...]] = set()  # where most memories are in other states than these

    # ---- what is missing

    def expect(self, ids: Column) -> None:
        """These are alive; whoever of them is not here is to be read."""
        self._wait(ids[self.slots(ids) < 0], _UNREAD)

    def unread(self, limit: int) -> list[Unread]:
        """The youngest first."""
        return self._first(np.flatnonzero(self._waits == _UNREAD), limit) if self._waiting[_UNREAD] else []

    def unembedded(self, limit: int, among: frozenset[int] | None = None) -> list[Unread]:
        """Whose words are here and whose vector is not, the youngest first."""
        if not self._waiting[_UNEMBEDDED]:
            return []
        if among is None:
            return self._first(np.flatnonzero(self._waits == _UNEMBEDDED), limit)
        asked = np.sort(np.fromiter(among, np.int64, len(among)))
        asked = asked[asked < len(self._waits)]
        return self._first(asked[self._waits[asked] == _UNEMBEDDED], limit)

    @property
    def waiting(self) -> tuple[int, int]:
        """How many are still to be read, and how many to be embedded."""
        unread, unembedded = self._waiting[_UNREAD], self._waiting[_UNEMBEDDED]
        return unread, unembedded + (unread if self.vectors is not None else 0)

    def stands(self, row: IndexRow) -> bool:
        """Whether its memory is here and still says what the row was made from."""
        return self._has(row.id) and self._edition(row.id) == row.edition

    def _first(self, ids: Column, limit: int) -> list[Unread]:
        return [Unread(memory, self._edition(memory)) for memory in ids[::-1][:limit].tolist()]

    def _edition(self, memory: int) -> int:
        return max(int(self._editions[memory]), self.since)

    def _wait(self, ids: Column, how: int) -> None:
        if not len(ids):
            return
        self._reach(int(ids.max()) + 1)
        for kind, count in enumerate(np.bincount(self._waits[ids], minlength=3).tolist()):
            self._waiting[kind] -= count
        self._waits[ids] = how
        self._waiting[how] += len(ids)

    # ---- changes

    def note(self, changes: Sequence[Change], seq: int) -> None:
        """What happened to the mind: who says something else is no longer here until it is read again."""
        match changes[0]:  # a run is of one kind
            case PutMemory():
                self._born(np.array([put.id for put in changes if isinstance(put, PutMemory)], np.int64), seq)
            case Rewrite(_, memory) | Restore(_, memory) | Recover(_, memory):
                self._changed(memory, seq)
            case Forget(_, memory):
                self._gone(memory)
            case Merge(_, into, memory):
                self._gone(memory)
                self._changed(into, seq)
            case Discard():
                self._sweep()
            case _:
                pass

    def _born(self, ids: Column, seq: int) -> None:
        self._wait(ids, _UNREAD)
        self._editions[ids] = np.arange(seq, seq + len(ids))

    def _changed(self, memory: int, edition: int) -> None:
        self._gone(memory)
        self._born(np.array([memory]), edition)

    def _gone(self, memory: int) -> None:
        if memory >= len(self._waits):
            return
        self._wait(np.array([memory]), _SETTLED)
        if (slot := int(self._slot_of[memory])) < 0:
            return
        self.lexical.drop(slot)
        if self.vectors is not None:
            self.vectors.drop(slot)
            self._resample(np.array([slot]))
        self.ids[slot] = 0
        self.kinds[slot] = self.domains[slot] = _NO_LABEL
        self._silence(int(self.speakers[slot]))
        self.speakers[slot], self.traits[slot] = _NO_LABEL, 0
        self._slot_of[memory] = -1
        self._free.append(slot)
        self._residue = True

    def _silence(self, speaker: int) -> None:
        """One memory less of this speaker."""
        self._voices[speaker] -= 1
        if self._voices[speaker] <= 0:
            del self._voices[speaker]

    def _sweep(self) -> None:
        """Something is gone for good: no code of it remains."""
        if self._residue:
            self.lexical.compact()
        self._residue = False

    def load(self, ids: Sequence[int], terms: Sequence[Terms], embedded: Sequence[int], vectors: Column) -> None:
        """Rows that a store had kept, before anything else: `vectors` are of the memories at the places `embedded`."""
        every = np.array(ids, np.int64)
        self._wait(every, _SETTLED if self.vectors is None else _UNEMBEDDED)
        self._put_terms(every, terms)
        if self.vectors is not None and len(embedded):
            self._put_vectors(every[embedded], vectors.astype(np.float32))

    def keep_only(self, living: Column) -> None:
        """Let go of rows whose memory is not among these."""
        alive = np.zeros(len(self._waits), np.bool_)
        alive[living[living < len(alive)]] = True
        here = self.ids[: self.size]
        for memory in here[(here > 0) & ~alive[here]].tolist():
            self._gone(memory)

    def put(self, rows: Sequence[IndexRow]) -> list[IndexRow]:
        """Take these in. Returns those that were: not who has gone, says something else by now, or is here already.

        A vector of other dimensions than ours, or with a part that is no number, is as none. The others count as half
        floats, which is how they are kept: so it makes no difference whether a mind was closed since.
        """
        taken = [row for row in map(self._fitting, rows) if self._wanted(row)]
        read = [row for row in taken if row.terms is not None]
        if read:
            ids = np.array([row.id for row in read], np.int64)
            self._put_terms(ids, [row.terms for row in read if row.terms is not None])
            self._wait(ids, _SETTLED if self.vectors is None else _UNEMBEDDED)
        if embedded := [row for row in taken if row.vector is not None]:
            vectors = np.array([row.vector for row in embedded]).astype(HALF).astype(np.float32)  # as they are kept
            self._put_vectors(np.array([row.id for row in embedded]), vectors)
        self._wait(np.array([row.id for row in taken if row.bare], np.int64), _SETTLED)
        return taken

    def _fitting(self, row: IndexRow) -> IndexRow:
        if row.vector is None:
            return row
        fits = self.vectors is not None and np.shape(row.vector) == (self.vectors.dimensions,)
        return row if fits and np.isfinite(row.vector).all() else replace(row, vector=None)

    def _wanted(self, row: IndexRow) -> bool:
        if row.id >= len(self._waits) or self._edition(row.id) != row.edition:
            return False
        if row.terms is not None:
            return bool(self._waits[row.id] == _UNREAD)
        return bool(self._waits[row.id] == _UNEMBEDDED) and (row.vector is not None or row.bare)

    def _put_terms(self, ids: Column, terms: Sequence[Terms]) -> None:
        slots = self._slots_for(ids)
        self.lexical.put(slots, terms)
        labels, traits = _labels(terms, Field.KIND, Field.DOMAIN, Field.SPEAKER)
        self.kinds[slots], self.domains[slots], self.speakers[slots] = labels
        self.traits[slots] = traits
        self._voices.update(labels[-1].tolist())

    def _put_vectors(self, ids: Column, vectors: Column) -> None:
        assert self.vectors is not None
        slots = self._slot_of[ids]
        self.vectors.put(slots, vectors)
        self._resample(slots)
        self._wait(ids, _SETTLED)

    def _slots_for(self, ids: Column) -> Column:
        reused = [self._free.pop() for _ in range(min(len(self._free), len(ids)))]
        slots = np.array([*reused, *range(self.size, self.size + len(ids) - len(reused))], np.int64)
        self.size = max(self.size, int(slots.max()) + 1)
        columns = (self.ids, self.kinds, self.domains, self.speakers, self.traits)
        self.ids, self.kinds, self.domains, self.speakers, self.traits = (_grown(c, self.size, 0) for c in columns)
        self.ids[slots] = ids
        self._slot_of[ids] = slots
        return slots

    def _reach(self, size: int) -> None:
        """Room for ids below this."""
        if size > len(self._waits):
            self._slot_of = _grown(self._slot_of, size, -1)
            self._editions, self._waits = _grown(self._editions, size, 0), _grown(self._waits, size, _SETTLED)

    # ---- reading

    def slots(self, ids: Sequence[int] | Column) -> Column:
        """The slot of each; −1 for one that is not here."""
        asked = np.asarray(ids, np.int64)
        known = asked < len(self._slot_of)
        return np.where(known, self._slot_of[np.where(known, asked, 0)], -1)

    def takes(self, query: Column | None) -> bool:
        """Whether this is a vector of the space of ours."""
        return query is not None and self.vectors is not None and len(query) == self.vectors.dimensions

    def cosines(self, query: Column | None, slots: Column) -> Column:
        if query is None or self.vectors is None:
            return np.full(len(slots), np.nan, np.float32)
        return self.vectors.cosines(query, slots)

    def noise(self, query: Column) -> Noise:
        """What cosines this query has with memories that have nothing to do with it."""
        assert self.vectors is not None
        sample = self._sampled()
        if self.vectors.exact:  # whoever looks at all has looked at these
            return Noise.of(self.vectors.cosines(query, sample))
        if self._strangers is None:
            self._strangers = self.vectors.vectors(sample)
        return Noise.of(np.vecdot(self._strangers, query))

    def _sampled(self) -> Column:
        assert self.vectors is not None
        if self._sample is None:
            self._stride = _stride(self.size)
            slots = np.arange(0, self.size, self._stride)
            self._sample, self._strangers, self._few = slots[self.vectors.has(slots)], None, None
        return self._sample

    def _resample(self, slots: Column) -> None:
        """The sample is every so-manieth slot, whatever happened before: forgotten as soon as one of these moves."""
        if _stride(self.size) != self._stride or not (slots % self._stride).all():
            self._sample = self._strangers = self._few = None

    def noises(self, queries: Column) -> Noises:
        """The same for several queries, one a row, by a smaller sample: each is but a part of a question."""
        assert self.vectors is not None
        sample = self._sampled()
        if self._few is None:
            self._few = self.vectors.vectors(sample[:: max(1, len(sample) // _SMALL_SAMPLE)])
        return Noises.of(np.vecdot(queries[:, None, :], self._few[None, :, :]))

    def speaker(self, names: Column) -> int:
        """The one known speaker among these codes; 0: none of them is, or several are."""
        known = [code for code in names.tolist() if code in self._voices]
        return known[0] if len(known) == 1 else 0

    def frequencies(self, codes: Column) -> Frequencies:
        return self.lexical.frequencies(codes)

    def alike(self, ids: Column, limit: int) -> list[tuple[int, int, float]]:
        """For each of these that has a vector the nearest others, best first, with their cosines."""
        found: list[tuple[int, int, float]] = []
        if self.vectors is None:
            return found
        slots = self.slots(ids)
        for slot in slots[(slots >= 0) & self.vectors.has(slots)].tolist():
            near, cosines = self.vectors.nearest(self.vectors.vectors([slot])[0], limit + 1)
            others = zip(self.ids[near].tolist(), cosines.tolist(), strict=True)
            found += [(int(self.ids[slot]), other, cosine) for other, cosine in others if other != self.ids[slot]]
        return found

    def material(self, ids: Column) -> Material:
        """The vectors of those of these that have one, copied."""
        slots = self.slots(ids)
        if self.vectors is None:
            return Material(np.empty(0, np.int64), np.empty((0, 0), np.float32), np.empty(0, np.int64))
        here = (slots >= 0) & self.vectors.has(slots)
        group = self.kinds[slots[here]] * _ODD + self.domains[slots[here]]
        return Material(np.asarray(ids)[here], self.vectors.vectors(slots[here]), group.view(np.int64))

    def nbytes(self) -> int:
        vectors = 0 if self.vectors is None else self.vectors.nbytes()
        by_slot = sum(c.nbytes for c in (self.ids, self.kinds, self.domains, self.speakers, self.traits))
        by_id = self._slot_of.nbytes + self._editions.nbytes + self._waits.nbytes
        return by_slot + by_id + self.lexical.nbytes() + vectors

    def _has(self, memory: int) -> bool:
        return memory < len(self._slot_of) and self._slot_of[memory] >= 0


def _stride(size: int) -> int:
    return max(1, size // _SAMPLE)


def _labels(terms: Sequence[Terms], *fields: Field) -> tuple[list[Column], Column]:
    """For each field, the code that each of these has there, 0 where it has none; and their traits as bits."""
    codes = np.concatenate([each.codes for each in terms])
    owner = np.repeat(np.arange(len(terms)), [len(each) for each in terms])
    stands_in, found = fields_of(codes), []
    for field in fields:
        label, there = np.zeros(len(terms), np.uint64), np.flatnonzero(stands_in == field)
        label[owner[there]] = codes[there]
        found.append(label)
    traits, there = np.zeros(len(terms), np.uint8), np.flatnonzero(stands_in == Field.TRAIT)
    for trait, code in _TRAITS:
        traits[owner[there[codes[there] == code]]] |= trait
    return found, traits


_TRAITS = [(np.uint8(trait), np.uint64(trait_code(trait))) for trait in Trait]


def _grown(column: Column, size: int, fill: int) -> Column:
    if size <= len(column):
        return column
    grown = np.full(max(size, 2 * len(column)), fill, column.dtype)
    grown[: len(column)] = column
    return grown
