"""Pairs: which rows of a group are so alike that they may be one memory said twice.

A small group is multiplied with itself. A large one is first dealt into *cells*, a row going to the few cells whose
centres lie nearest, and each cell is multiplied with itself: two rows that are alike share a cell nearly always. Rows
with the very same vector are found by sorting, and only the first of them is compared with others.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ebbtide.core.signals import Column

PARTNERS = 3  # the best, and two to fall back on when that one is refused; the next pass finds the rest
WHOLE = 4_096  # a group up to this size is one cell
CELL = 512  # rows that have their nearest centre in a cell, about
CELLS_OF_A_ROW = 3
_ROUNDS = 4  # of moving the centres
_BLOCK = 2_048  # rows at a time
_PRODUCTS = 1 << 22  # at a time: 16 MB, whatever the size of a cell
_DIGITS = 6

Progress = Callable[[int, int], None]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class _Found:
    """`row` has found `partner`; the other way round is another find."""

    row: Column
    partner: Column
    cosine: Column


def similar_pairs(
    vectors: Column,
    group: Column,
    threshold: float,
    *,
    known: tuple[Column, Column] | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> tuple[Column, Column, Column]:
    """Rows first < second of one group and their cosine, where it reaches `threshold`; best pairs first.

    `vectors` are of unit length, single or half floats. Each row names its best PARTNERS, and a pair is told when
    either row has named the other: at most PARTNERS times as many pairs as rows, and every row that has a partner is in
    one. Of rows with the same vector each is paired with the next one, and only the first looks for others.

    `known`: pairs of rows that were found before. They are looked at again, whatever cells their rows are dealt to now.

    The same rows give the same pairs. `progress` is told how many rows of all are done, now and then. When `stop` says
    yes, what has been found until then comes back.
    """
    done, total = 0, len(group)
    twins, speakers = _twins(vectors, group, threshold)
    found = [twins]
    if known is not None:
        found += _again(vectors, group, speakers, known, threshold)
    for rows in _groups(speakers, group):
        for cell, finished in _cells(vectors, rows):
            if stop is not None and stop():
                return _pairs(found)
            found.extend(_within(vectors, cell, threshold))
            done += finished
            if progress is not None:
                progress(done, total)
    if progress is not None:
        progress(total, total)
    return _pairs(found)


def _twins(vectors: Column, group: Column, threshold: float) -> tuple[_Found, Column]:
    """Each row with the one before it that has the same vector and group; and the rows that have none before them."""
    prints = _prints(vectors) + group.astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    order = np.argsort(prints, kind="stable")
    before, after = order[:-1], order[1:]
    maybe = np.flatnonzero((prints[before] == prints[after]) & (group[before] == group[after]))
    before, after = before[maybe], after[maybe]
    same = np.zeros(len(maybe), np.bool_)
    cosine = np.zeros(len(maybe), np.float32)
    for start in range(0, len(maybe), _BLOCK):
        part = slice(start, start + _BLOCK)
        one, other = vectors[before[part]].astype(np.float32), vectors[after[part]]
        same[part] = (one == other).all(axis=1)
        cosine[part] = np.round(np.vecdot(one, one), _DIGITS)
    speaks = np.ones(len(group), np.bool_)
    speaks[after[same]] = False
    good = same & (cosine >= np.float32(threshold))
    return _Found(before[good], after[good], cosine[good]), np.flatnonzero(speaks)


def _again(
    vectors: Column, group: Column, speakers: Column, known: tuple[Column, Column], threshold: float
) -> Iterator[_Found]:
    """Those of the known pairs that are pairs still, from either side."""
    speaks = np.zeros(len(group), np.bool_)
    speaks[speakers] = True
    one, other = known
    good = speaks[one] & speaks[other] & (group[one] == group[other])
    one, other = one[good], other[good]
    for start in range(0, len(one), _BLOCK):
        row, partner = one[start : start + _BLOCK], other[start : start + _BLOCK]
        cosine = np.vecdot(vectors[row].astype(np.float32), vectors[partner].astype(np.float32))
        enough = cosine >= _enough(threshold)
        row, partner, cosine = row[enough], partner[enough], np.round(cosine[enough], _DIGITS)
        yield _Found(row, partner, cosine)
        yield _Found(partner, row, cosine)


def _enough(threshold: float) -> np.float32:
    """What is rounded to the threshold reaches it."""
    return np.float32(threshold - 0.5 * 10**-_DIGITS)


def _prints(vectors: Column) -> Column:
    """A number for each row; the same for the same vector, and hardly ever for another."""
    chance = np.random.default_rng(7)
    weights = chance.integers(0, 2**63, vectors.shape[1], np.uint64) | np.uint64(1)
    prints = np.empty(len(vectors), np.uint64)
    for start in range(0, len(vectors), _BLOCK):
        part = np.ascontiguousarray(vectors[start : start + _BLOCK], np.float32) + np.float32(0)  # −0 is 0
        prints[start : start + _BLOCK] = part.view(np.uint32).astype(np.uint64) @ weights
    return prints


def _groups(rows: Column, group: Column) -> Iterator[Column]:
    """The rows of each group, ascending."""
    order = rows[np.argsort(group[rows], kind="stable")]
    borders = np.flatnonzero(np.diff(group[order])) + 1
    return iter(np.split(order, borders))


def _cells(vectors: Column, rows: Column) -> Iterator[tuple[Column, int]]:
    """Rows to be compared with each other, and how many of all rows are done after it."""
    if len(rows) <= WHOLE:
        yield rows, len(rows)
        return
    shares, done = _shares(vectors, rows), 0
    for index, share in enumerate(shares):
        until = len(rows) * (index + 1) // len(shares)
        yield from ((cell, 0) for cell in _split(vectors, share, len(rows)))
        yield share[:0], until - done
        done = until


def _split(vectors: Column, share: Column, whole: int) -> Iterator[Column]:
    """A cell that has drawn far too many is dealt out again, seen from its own midst."""
    if len(share) <= 2 * WHOLE or len(share) > whole // 2:
        yield share
        return
    for part in _shares(vectors, share):
        yield from _split(vectors, part, len(share))


def _shares(vectors: Column, rows: Column) -> list[Column]:
    """The rows of each cell, ascending."""
    members, cell = _dealt(vectors, rows, *_centres(vectors, rows))
    order = np.lexsort((members, cell))
    return np.split(rows[members[order]], np.flatnonzero(np.diff(cell[order])) + 1)


def _centres(vectors: Column, rows: Column) -> tuple[Column, Column]:
    """Unit vectors in the midst of rows, as seen from the average, which is the second.

    More of them where rows are dense, for they start as rows drawn by lot. Seen from the average, for what all rows
    have in common would draw most of them to the few centres that have most of it.
    """
    count = len(rows) // CELL
    chance = np.random.default_rng(len(rows))
    drawn = chance.choice(rows, min(len(rows), 32 * count), replace=False)
    sample = vectors[drawn].astype(np.float32)
    average = sample.mean(axis=0)
    sample -= average
    sample /= np.maximum(np.linalg.norm(sample, axis=1, keepdims=True), 1e-9)
    centres: Column = sample[:count].copy()
    for _ in range(_ROUNDS):
        centres = _moved(centres, sample)
    return centres, average


def _moved(centres: Column, sample: Column) -> Column:
    """Each centre at the mean of what lies nearest to it; one that nothing is near to stays."""
    parts = (sample[start : start + _BLOCK] for start in range(0, len(sample), _BLOCK))
    nearest: Column = np.concatenate([(part @ centres.T).argmax(axis=1) for part in parts])
    order = np.argsort(nearest, kind="stable")
    taken, starts = np.unique(nearest[order], return_index=True)
    sums = np.add.reduceat(sample[order], starts, axis=0)
    moved: Column = centres.copy()
    moved[taken] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return moved


def _dealt(vectors: Column, rows: Column, centres: Column, average: Column) -> tuple[Column, Column]:
    """Each row's number among `rows` and its cells, CELLS_OF_A_ROW times over."""
    common = centres @ average
    nearest = np.empty((len(rows), CELLS_OF_A_ROW), np.int32)
    for start in range(0, len(rows), _BLOCK):
        part = nearest[start : start + _BLOCK]
        products = vectors[rows[start : start + _BLOCK]].astype(np.float32, copy=False) @ centres.T - common
        for turn in range(CELLS_OF_A_ROW):
            part[:, turn] = products.argmax(axis=1)
            products[np.arange(len(part)), part[:, turn]] = -np.inf
    return np.repeat(np.arange(len(rows)), CELLS_OF_A_ROW), nearest.ravel()


def _within(vectors: Column, rows: Column, threshold: float) -> Iterator[_Found]:
    """What the rows of one cell find in it: each its best PARTNERS."""
    if len(rows) < 2:
        return
    cell = vectors[rows].astype(np.float32, copy=False)
    step = max(1, _PRODUCTS // len(rows))
    for start in range(0, len(rows), step):
        products = cell[start : start + step] @ cell.T
        own = np.arange(len(products))
        products[own, own + start] = -np.inf
        yield from _best(products, rows[start : start + step], rows, threshold)


def _best(products: Column, rows: Column, columns: Column, threshold: float) -> Iterator[_Found]:
    """The best PARTNERS of each row, one after the other. Overwrites `products`."""
    enough = _enough(threshold)
    for _ in range(PARTNERS):
        best = products.argmax(axis=1)
        cosine = products[np.arange(len(best)), best]
        good = np.flatnonzero(cosine >= enough)
        if not len(good):
            return
        rows, best, products = rows[good], best[good], products[good]
        yield _Found(rows, columns[best], np.round(cosine[good], _DIGITS))
        products[np.arange(len(best)), best] = -np.inf


def _pairs(found: list[_Found]) -> tuple[Column, Column, Column]:
    """What was found, from either side and in any cell, as pairs: each row's best, each pair once, best first."""
    row, partner, cosine = (np.concatenate([getattr(each, name) for each in found]) for name in _Found.__slots__)
    kept = _ranked(row, partner, cosine)
    first, second, cosine = np.minimum(row, partner)[kept], np.maximum(row, partner)[kept], cosine[kept]
    once = _once(first, second)
    first, second, cosine = first[once], second[once], cosine[once]
    order = np.lexsort((second, first, -cosine))
    return first[order], second[order], cosine[order]


def _ranked(row: Column, partner: Column, cosine: Column) -> Column:
    """The finds to keep: none twice, and of each row its best PARTNERS."""
    once = _once(row, partner)
    order = once[np.lexsort((partner[once], -cosine[once], row[once]))]
    starts = np.flatnonzero(_changes(row[order]))
    place = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return order[place < PARTNERS]


def _once(one: Column, other: Column) -> Column:
    """Where each two stand for the first time, in their order."""
    order = np.lexsort((other, one))
    return order[_changes(one[order], other[order])]


def _changes(*columns: Column) -> Column:
    """Where a value is not that of the line before."""
    changes = np.ones(len(columns[0]), np.bool_)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return changes
