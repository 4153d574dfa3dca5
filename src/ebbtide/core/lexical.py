"""The lexical index: which memories hold which terms, and how well they answer a query by BM25.

Memories are *slots*, small numbers the caller gives out. Every put takes a fresh *row*, so that what a slot held
before is dead at once and needs no searching for. Postings stand in a few sorted *segments*, each several times the
size of the next, and, for the latest puts, in a small *tail* of dicts. Dead rows are left out of every count and every
score, and swept out when they have become many, or by `compact`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.signals import Column
from ebbtide.core.terms import SCORED, Field, Terms, fields_of, firsts

K1, B = 1.2, 0.75  # of BM25, as everywhere
WEIGHTS = {Field.WORDS: 1.0, Field.GRAMS: 0.5, Field.EXACT: 1.0}  # pairs of characters say again what words have said

_TAIL = 1024  # memories
_MANY = 128  # put at once, they are sooner sorted than told one by one to the tail
_RATIO = 4  # a segment is merged with the one before it unless that is so many times its size
_DEAD = -1
_WEIGHTS = np.array([WEIGHTS[field] for field in SCORED])
_NONE = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class _Segment:
    """Postings by code: those of `codes[i]` are `rows[starts[i]:starts[i + 1]]`, in ascending order."""

    codes: Column
    starts: Column
    rows: Column
    counts: Column

    @classmethod
    def build(cls, rows: Column, terms: Sequence[Terms]) -> "_Segment":
        codes = np.concatenate([each.codes for each in terms])
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
        first = firsts(codes)
        sizes = np.fromiter(map(len, terms), np.int64, len(terms))
        return cls(
            codes[first],
            np.append(first, len(codes)),
            np.repeat(rows, sizes)[order],
            np.concatenate([each.counts for each in terms])[order],
        )

    def merged(self, younger: "_Segment") -> "_Segment":
        codes = np.concatenate([self.codes, younger.codes])
        codes.sort(kind="stable")  # two runs in order: hardly more than a copy
        codes = codes[firsts(codes)]
        sizes = np.zeros((2, len(codes)), np.int64)
        for part, size in zip((self, younger), sizes, strict=True):
            size[np.searchsorted(codes, part.codes)] = np.diff(part.starts)
        starts = np.append(0, np.cumsum(sizes.sum(axis=0)))
        rows, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.uint8)
        for part, size, begin in zip((self, younger), sizes, (starts[:-1], starts[:-1] + sizes[0]), strict=True):
            there = np.repeat(begin - (np.cumsum(size) - size), size) + np.arange(len(part.rows))
            rows[there], counts[there] = part.rows, part.counts
        return _Segment(codes, starts, rows, counts)

    def living(self, new_row: Column) -> "_Segment":
        """Without the postings of dead rows; the others under their new numbers."""
        rows = new_row[self.rows]
        keep = rows != _DEAD
        ends = np.append(0, np.cumsum(keep))[self.starts]
        left = np.diff(ends) > 0
        return _Segment(self.codes[left], np.append(ends[:-1][left], ends[-1]), rows[keep], self.counts[keep])

    def find(self, codes: Column) -> tuple[Column, Column]:
        """Where the postings of each code begin and end; an empty range for a code that is not here."""
        if not len(self.codes):
            return np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return self.starts[at], np.where(self.codes[at] == codes, self.starts[at + 1], self.starts[at])

    def nbytes(self) -> int:
        return self.codes.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes


class _Tail:
    """The latest puts, by code: quick to add to, and never sorted."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.terms: list[Terms] = []
        self.postings: dict[int, list[int]] = {}

    def add(self, row: int, terms: Terms) -> None:
        self.rows.append(row)
        self.terms.append(terms)
        for code, count in zip(terms.codes.tolist(), terms.counts.tolist(), strict=True):
            self.postings.setdefault(code, []).append(row << 8 | count)

    def find(self, code: int) -> tuple[Column, Column]:
        both = np.array(self.postings.get(code, ()), np.int64)
        return (both >> 8).astype(np.int32), (both & 255).astype(np.uint8)

    def nbytes(self) -> int:
        return 100 * sum(map(len, self.terms))  # a dict entry, a list and a number; a guess, but a small one


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How many memories there are, and how many of them have each of these codes (ascending)."""

    memories: int
    codes: Column
    having: Column


@dataclass(frozen=True, slots=True)
class Postings:
    """Where the terms of a query stand: the postings of `codes`, one code after the other, `sizes` of each."""

    codes: Column
    slots: Column
    rows: Column
    counts: Column
    sizes: Column

    def holds(self, codes: Column, slots: Column, size: int) -> Column:
        """For each of these codes (all of the query's) and each of these slots, whether the slot holds the code."""
        place = np.full(size, -1, np.int32)
        place[slots] = np.arange(len(slots), dtype=np.int32)
        row_of = np.full(len(self.codes), -1, np.int32)
        row_of[np.searchsorted(self.codes, codes)] = np.arange(len(codes), dtype=np.int32)
        there = place[self.slots]
        code = np.repeat(row_of, self.sizes)
        found = np.flatnonzero((there >= 0) & (code >= 0))
        holds = np.zeros((len(codes), len(slots)), np.bool_)
        holds[code[found], there[found]] = True
        return holds


class LexicalIndex:
    def __init__(self) -> None:
        self._segments: list[_Segment] = []
        self._tail = _Tail()
        self._size = 0  # rows given out
        self._count = 0  # of them, alive
        self._slot_of = np.empty(0, np.int32)
        self._row_of = np.empty(0, np.int32)
        self._lengths = np.empty((len(SCORED), 0), np.int32)  # by field and row
        self._total = np.zeros(len(SCORED), np.int64)  # of the lengths of the living
        self._having = np.zeros(len(SCORED), np.int64)  # how many of the living have anything in the field

    def __len__(self) -> int:
        return self._count

    def put(self, slots: Sequence[int] | Column, terms: Sequence[Terms]) -> None:
        """Index what the slots hold now; what they held before is forgotten. A slot may be named once in a call."""
        if not len(slots):
            return
        at = np.asarray(slots, np.int32)
        self._row_of = _grown(self._row_of, int(at.max()) + 1)
        self._kill(self._row_of[at])
        rows = self._rows_for(at, terms)
        if len(rows) < _MANY:
            for row, each in zip(rows.tolist(), terms, strict=True):
                self._tail.add(row, each)
        else:
            self._push(_Segment.build(rows, terms))
        if len(self._tail.rows) >= _TAIL:
            self._flush()
        self._sweep()

    def drop(self, slot: int) -> None:
        """Forget what the slot holds. Nothing happens if it holds nothing."""
        if 0 <= slot < len(self._row_of):
            self._kill(self._row_of[slot : slot + 1])
            self._row_of[slot] = _DEAD
            self._sweep()

    def scores(self, query: Terms, size: int) -> Column:
        """BM25 over all scored fields by their weights, for the slots below `size`; 0 where nothing matches."""
        return self.weighed(self.postings(query), size)

    def postings(self, query: Terms) -> Postings:
        """Where the scored terms of a query stand."""
        codes = query.scored()
        rows, counts, sizes = self._postings(codes)
        return Postings(codes, self._slot_of[rows], rows, counts, sizes)

    def weighed(self, found: Postings, size: int) -> Column:
        """The scores that these postings amount to."""
        if not len(found.rows):
            return np.zeros(size, np.float32)
        points = self._points(found.codes, found.rows, found.counts, found.sizes)
        return np.bincount(found.slots, points, size).astype(np.float32)

    def idf(self, having: Column) -> Column:
        """How much a term says that so many slots hold: 0 for one that none or all hold."""
        return np.where(having > 0, np.log((self._count + 0.5) / (having + 0.5)), 0.0).clip(0.0)

    def having(self, code: int) -> Column:
        """The slots that hold a term, ascending."""
        rows, _, _ = self._postings(np.array([code], np.uint64))
        return np.sort(self._slot_of[rows])

    def frequencies(self, codes: Column) -> Frequencies:
        """How many slots hold each of these terms, which are in ascending order."""
        if self._count < self._size:  # some rows are dead, and have to be looked at one by one
            return Frequencies(self._count, codes, self._postings(codes)[2])
        pairs, tail = zip(codes.tolist(), self._ranges(codes), strict=True), self._tail.postings
        sizes = (sum(high - low for low, high in each) + len(tail.get(code, ())) for code, each in pairs)
        return Frequencies(self._count, codes, np.fromiter(sizes, np.int64, len(codes)))

    def compact(self) -> None:
        """Sweep out whatever is dead, now: no code of it remains."""
        self._flush()
        alive = self._slot_of[: self._size] != _DEAD
        new_row = np.where(alive, np.cumsum(alive) - 1, _DEAD).astype(np.int32)
        segments, self._segments = self._segments, []
        for segment in segments:
            self._push(segment.living(new_row))
        self._slot_of, self._lengths = self._slot_of[: self._size][alive], self._lengths[:, : self._size][:, alive]
        self._size = self._count
        self._row_of[self._slot_of] = np.arange(self._size, dtype=np.int32)

    def nbytes(self) -> int:
        columns = self._slot_of.nbytes + self._row_of.nbytes + self._lengths.nbytes
        return columns + self._tail.nbytes() + sum(segment.nbytes() for segment in self._segments)

    # ---- scoring

    def _points(self, codes: Column, rows: Column, counts: Column, sizes: Column) -> Column:
        """What each posting is worth. How often the query says a word makes no difference."""
        field = fields_of(codes).astype(np.int64)
        worth = (K1 + 1) * _WEIGHTS[field] * np.log1p((self._count - sizes + 0.5) / (sizes + 0.5))
        shorten = K1 * B * np.maximum(self._having, 1) / np.maximum(self._total, 1)
        often = counts.astype(np.float32)
        long = self._lengths[np.repeat(field, sizes), rows].astype(np.float32)
        long *= np.repeat(shorten[field].astype(np.float32), sizes)
        long += np.float32(K1 * (1 - B))
        long += often
        often *= np.repeat(worth.astype(np.float32), sizes)
        often /= long
        return often

    def _postings(self, codes: Column) -> tuple[Column, Column, Column]:
        """The living postings of these codes, code by code: rows, counts, and how many each code has."""
        parts = [self._of(code, ranges) for code, ranges in zip(codes.tolist(), self._ranges(codes), strict=True)]
        sizes = np.fromiter((sum(len(rows) for rows, _ in part) for part in parts), np.int64, len(parts))
        rows = np.concatenate([_NONE, *(rows for part in parts for rows, _ in part)])
        counts = np.concatenate([np.empty(0, np.uint8), *(counts for part in parts for _, counts in part)])
        if self._count == self._size:
            return rows, counts, sizes
        alive = self._slot_of[rows] != _DEAD
        ends = np.append(0, np.cumsum(alive))[np.append(0, np.cumsum(sizes))]
        return rows[alive], counts[alive], np.diff(ends)

    def _ranges(self, codes: Column) -> Iterable[Sequence[tuple[int, int]]]:
        """For each code, where its postings lie in each segment."""
        found = [zip(*(ends.tolist() for ends in segment.find(codes)), strict=True) for segment in self._segments]
        return zip(*found, strict=True) if found else ((),) * len(codes)

    def _of(self, code: int, ranges: Sequence[tuple[int, int]]) -> list[tuple[Column, Column]]:
        pairs = zip(self._segments, ranges, strict=True)
        found = [(segment.rows[low:high], segment.counts[low:high]) for segment, (low, high) in pairs if low < high]
        return [*found, self._tail.find(code)] if code in self._tail.postings else found

    # ---- rows

    def _rows_for(self, slots: Column, terms: Sequence[Terms]) -> Column:
        rows = np.arange(self._size, self._size + len(slots), dtype=np.int32)
        self._size += len(slots)
        self._count += len(slots)
        self._slot_of = _grown(self._slot_of, self._size)
        self._lengths = _grown(self._lengths, self._size, fill=0)
        self._slot_of[rows], self._row_of[slots] = slots, rows
        lengths = _lengths(terms)
        self._lengths[:, rows] = lengths
        self._total += lengths.sum(axis=1)
        self._having += (lengths > 0).sum(axis=1)
        return rows

    def _kill(self, rows: Column) -> None:
        rows = rows[rows != _DEAD]
        self._slot_of[rows] = _DEAD
        self._count -= len(rows)
        lengths = self._lengths[:, rows]
        self._total -= lengths.sum(axis=1)
        self._having -= (lengths > 0).sum(axis=1)

    def _sweep(self) -> None:
        """Compact when more is dead than alive: each row is then paid for by another that died."""
        if self._size - self._count > max(self._count, _TAIL):
            self.compact()

    # ---- segments

    def _flush(self) -> None:
        tail, self._tail = self._tail, _Tail()
        if tail.rows:
            self._push(_Segment.build(np.array(tail.rows, np.int32), tail.terms))

    def _push(self, segment: _Segment) -> None:
        while self._segments and len(self._segments[-1].rows) < _RATIO * len(segment.rows):
            segment = self._segments.pop().merged(segment)
        self._segments.append(segment)


def _lengths(terms: Sequence[Terms]) -> Column:
    """How many words each has, by scored field."""
    sizes = np.fromiter(map(len, terms), np.int64, len(terms))
    field = fields_of(np.concatenate([each.codes for each in terms])).astype(np.int64)
    counts = np.concatenate([each.counts for each in terms])
    scored = field < len(SCORED)
    cell = (field * len(terms) + np.repeat(np.arange(len(terms)), sizes))[scored]
    sums = np.bincount(cell, counts[scored], len(SCORED) * len(terms))
    return sums.reshape(len(SCORED), len(terms)).astype(np.int32)


def _grown(column: Column, size: int, fill: int = _DEAD) -> Column:
    """With room for `size` in its last dimension; twice the room, so that growing one by one stays cheap."""
    have = column.shape[-1]
    if size <= have:
        return column
    room = np.full((*column.shape[:-1], max(size, 2 * have, 16) - have), fill, column.dtype)
    return np.concatenate([column, room], axis=-1)
