"""Vectors: unit vectors by slot, and which of them lie nearest to a query.

While there are few, a query is multiplied with all of them. When there are many, each also has a *sketch*: on which
side of the average it lies, seen along a few hundred fixed axes, one bit each. A query is then compared with all
sketches, which takes an xor and a count of bits, and only the shortlist of the most alike is multiplied. So the cosines
that come back are always those of the vectors themselves; all a sketch can do wrong is to keep a slot off the list.

One writer at a time, and nobody asks while it writes. Nor does anybody change a query once it was asked.
"""

from collections.abc import Sequence

import numpy as np

from ebbtide.core.signals import Column

EXACT_BELOW = 30_000  # so many of 512 dimensions take 2 ms; soon after, sketches are faster
SHORTLIST = 2_000  # with it 0.998 of the ten nearest of 100,000 sentences are found
_DEAR = 20  # multiplying one vector takes as long as comparing so many sketches
_DIGITS = 6  # equal vectors must tie, whichever way their products were summed
_ROWS = 1 << 12  # vectors at a time: what is worked on stays in the cache, and small
_WORDS = 1 << 15  # words at a time, likewise
_SAMPLE = 1 << 14
_MOVED = 0.1  # how far the average may wander before the sketches are drawn again


class VectorIndex:
    """A slot is a small number of the caller's choice: space is taken up to the highest one."""

    def __init__(self, dimensions: int, exact_below: int = EXACT_BELOW) -> None:
        self.dimensions = dimensions
        self.exact_below = exact_below
        self._rows: Column = np.zeros((16, dimensions), np.float32)
        self._here = np.zeros(16, np.bool_)
        self._size = 0
        self._count = 0
        self._sketches: _Sketches | None = None
        self._due = 0  # how many more may come before the average is looked at again
        self._lately: tuple[Column, Column] | None = None  # a query and its products with all: it asks more than once

    def __len__(self) -> int:
        return self._count

    def __contains__(self, slot: int) -> bool:
        return 0 <= slot < self._size and bool(self._here[slot])

    @property
    def exact(self) -> bool:
        """Whether `nearest` looks at every vector. Once it does not, it never does again."""
        return self._sketches is None

    def has(self, slots: Sequence[int] | Column) -> Column:
        """For each slot, whether there is a vector."""
        asked = np.asarray(slots, np.int64)
        known = (asked >= 0) & (asked < self._size)
        return known & self._here[np.where(known, asked, 0)]

    def put(self, slots: Sequence[int] | Column, vectors: Column) -> None:
        """Set vectors of unit length, in place of any that were there. Of a slot said twice the last one stays.

        Raises ValueError, and has done nothing, unless there is one vector of our dimensions for each slot.
        """
        where, given = np.asarray(slots, np.int64), np.asarray(vectors, np.float32)
        if given.shape != (len(where), self.dimensions):
            raise ValueError(f"{len(where)} vectors of {self.dimensions} dimensions are needed, not {given.shape}")
        if not len(where):
            return
        if where.min() < 0:
            raise ValueError("slots are not negative")
        self._lately = None
        if self._count + np.count_nonzero(~self.has(where)) >= self.exact_below:
            self._rows = self._rows.astype(np.float16, copy=False)  # before it grows: never both in full
        self._reserve(int(where.max()) + 1)
        self._rows[where] = given
        self._here[where] = True
        self._count = int(np.count_nonzero(self._here[: self._size]))
        self._sketch(where, given)

    def drop(self, slot: int) -> None:
        """Leave nothing of this slot's vector. Nothing happens when there is none."""
        if slot not in self:
            return
        self._lately = None
        self._rows[slot] = 0
        self._here[slot] = False
        self._count -= 1
        if self._sketches is not None:
            self._sketches.drop(slot)

    def nearest(self, query: Column, limit: int, allowed: Column | None = None) -> tuple[Column, Column]:
        """Up to `limit` slots with their cosines, best first, equal ones by slot.

        `allowed` says for slots 0, 1, 2 … whether they may be found; those beyond its end may not.
        """
        asked = self._checked(query)
        may = self._here[: self._size] if allowed is None else self._here[: self._size][: len(allowed)]
        if allowed is not None:
            may = may & allowed[: len(may)]
        shortlist = SHORTLIST + 10 * max(limit, 0) + self._count // 500
        few = shortlist + len(may) // _DEAR
        if self._sketches is not None and np.count_nonzero(may) > few:
            slots = self._sketches.alike(asked, may, shortlist)
        else:
            slots = np.flatnonzero(may)
        return _best(slots, self._products(asked, slots), limit)

    def cosines(self, query: Column, slots: Sequence[int] | Column) -> Column:
        """The cosine with each slot's vector; NaN where there is none."""
        asked, where = self._checked(query), np.asarray(slots, np.int64)
        there = self.has(where)
        cosines = np.full(len(where), np.nan, np.float32)
        cosines[there] = self._products(asked, where[there])
        return cosines

    def vectors(self, slots: Sequence[int] | Column) -> Column:
        """A copy of these slots' vectors, a row each; zeros where there is none."""
        where = np.asarray(slots, np.int64)
        there = self.has(where)
        vectors = np.zeros((len(where), self.dimensions), np.float32)
        vectors[there] = _singles(self._rows[where[there]])
        return vectors

    def nbytes(self) -> int:
        sketches = 0 if self._sketches is None else self._sketches.nbytes()
        return self._rows.nbytes + self._here.nbytes + sketches

    def _checked(self, query: Column) -> Column:
        asked = np.asarray(query, np.float32)
        if asked.shape != (self.dimensions,):
            raise ValueError(f"a query of {self.dimensions} dimensions is needed, not {asked.shape}")
        return asked

    def _products(self, query: Column, slots: Column) -> Column:
        """Row by row, not as one matrix product: that wakes a second thread, and waits for it on a busy machine."""
        if self._lately is not None and self._lately[0] is query:
            return self._lately[1][slots]
        if self._rows.dtype == np.float32 and 4 * len(slots) > self._size:  # to pick rows first would cost more
            self._lately = query, np.vecdot(self._rows[: self._size], query).round(_DIGITS)
            return self._lately[1][slots]
        parts = (slots[start : start + _ROWS] for start in range(0, max(len(slots), 1), _ROWS))
        return np.concatenate([np.vecdot(_singles(self._rows[part]), query) for part in parts]).round(_DIGITS)

    def _sketch(self, slots: Column, vectors: Column) -> None:
        if self._sketches is not None:
            self._sketches.put(slots, vectors)
        elif self._count < self.exact_below:
            return
        self._due -= len(slots)
        if self._due <= 0:
            self._learn()

    def _learn(self) -> None:
        """Draw all sketches, if there are none yet or the vectors have become others; look again at twice as many."""
        slots = np.flatnonzero(self._here[: self._size])
        average = _singles(self._rows[slots[:: len(slots) // _SAMPLE + 1]]).mean(axis=0)
        if self._sketches is None or np.linalg.norm(average - self._sketches.average) > _MOVED:
            self._sketches = _Sketches(average, len(self._here))
            for start in range(0, len(slots), _ROWS):
                part = slots[start : start + _ROWS]
                self._sketches.put(part, _singles(self._rows[part]))
        self._due = self._count

    def _reserve(self, size: int) -> None:
        self._size = max(self._size, size)
        if size > len(self._here):
            capacity = max(size, len(self._here) + len(self._here) // 2)
            self._rows = _grown(self._rows, (capacity, self.dimensions))
            self._here = _grown(self._here, (capacity,))
            if self._sketches is not None:
                self._sketches.reserve(capacity)


class _Sketches:
    """The signs of vectors along fixed axes, as words of 64 bits: word w of all slots stands together."""

    def __init__(self, average: Column, capacity: int) -> None:
        self.average = average
        self._axes = _axes(len(average))
        self._words = np.zeros((len(self._axes) // 64, capacity), np.uint64)
        self._lately: tuple[Column, Column] | None = None  # a query and how unlike all are: it asks more than once

    def put(self, slots: Column, vectors: Column) -> None:
        self._lately = None
        for start in range(0, len(slots), _ROWS):
            part = slice(start, start + _ROWS)
            self._words[:, slots[part]] = self._drawn(vectors[part])

    def drop(self, slot: int) -> None:
        self._lately = None
        self._words[:, slot] = 0

    def alike(self, query: Column, may: Column, count: int) -> Column:
        """The `count` slots, out of more that may be found, with the fewest bits unlike the query's; in order."""
        unlike = np.where(may, self._unlike(query, len(may)), np.uint16(len(self._axes) + 1))
        most = np.searchsorted(np.cumsum(np.bincount(unlike)), count)  # as many bits as the last one has unlike
        fewer, equal = np.flatnonzero(unlike < most), np.flatnonzero(unlike == most)
        return np.sort(np.concatenate([fewer, equal[: count - len(fewer)]]))

    def nbytes(self) -> int:
        return self._words.nbytes + self._axes.nbytes

    def reserve(self, capacity: int) -> None:
        self._words = _grown(self._words, (len(self._words), capacity))

    def _drawn(self, vectors: Column) -> Column:
        """A column of words for each vector."""
        off_centre = vectors - self.average
        # A query must not wait for a second thread: as in `_products`.
        sides = np.vecdot(self._axes, off_centre)[None, :] if len(vectors) == 1 else off_centre @ self._axes.T
        return np.packbits(sides > 0, axis=1).view(np.uint64).T

    def _unlike(self, query: Column, size: int) -> Column:
        """For slots 0 … size − 1: how many bits differ."""
        if self._lately is not None and self._lately[0] is query and len(self._lately[1]) == size:
            return self._lately[1]
        drawn = self._drawn(query[None, :])[:, 0]
        unlike = np.zeros(size, np.uint16)
        for start in range(0, size, _WORDS):
            total = unlike[start : start + _WORDS]
            for words, word in zip(self._words[:, start : start + len(total)], drawn, strict=True):
                total += np.bitwise_count(words ^ word)
        self._lately = query, unlike
        return unlike


def _axes(dimensions: int) -> Column:
    """512 axes, or 1,024 where vectors are longer: turned at random, so that no bit says more than another.

    As many as there are dimensions are at right angles to each other, then the next as many.
    """
    wanted = 512 if dimensions <= 512 else 1024
    chance = np.random.default_rng(20)
    turns = [_turn(chance, dimensions) for _ in range(-(-wanted // dimensions))]
    return np.concatenate(turns)[:wanted]


def _turn(chance: np.random.Generator, dimensions: int) -> Column:
    square: Column = np.linalg.qr(chance.standard_normal((dimensions, dimensions), np.float32)).Q
    return square


def _singles(rows: Column) -> Column:
    """Half floats as single ones, exactly. NumPy's own cast takes eight times as long.

    A half float's exponent and fraction are moved to where a single one has them; what is then missing is 2^112, the
    difference of what the two add to their exponents.
    """
    if rows.dtype != np.float16:
        return rows
    bits = rows.view(np.int16).astype(np.int32)  # the sign fills the upper half
    bits <<= 13
    bits &= ~0x70001FFF  # what the sign left in the exponent's upper bits
    singles = bits.view(np.float32)
    singles *= np.float32(2.0**112)
    return singles


def _best(slots: Column, cosines: Column, limit: int) -> tuple[Column, Column]:
    """The best `limit` of slots that are in ascending order."""
    if limit < len(slots):
        least = np.partition(cosines, len(slots) - limit)[len(slots) - limit] if limit > 0 else np.inf
        good = np.flatnonzero(cosines >= least)
        slots, cosines = slots[good], cosines[good]
    order = np.argsort(-cosines, kind="stable")[: max(limit, 0)]
    return slots[order], cosines[order]


def _grown(column: Column, shape: tuple[int, ...]) -> Column:
    grown = np.zeros(shape, column.dtype)
    grown[tuple(slice(0, length) for length in column.shape)] = column
    return grown
