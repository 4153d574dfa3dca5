"""Many ids said briefly: as ranges that hold just these of all that are alive."""

from collections.abc import Sequence

import numpy as np

from ebbtide.core.signals import Column

Ranges = tuple[tuple[int, int], ...]


def ranges_of(chosen: Column, alive: Column) -> Ranges:
    """The fewest ranges (first, last) that hold all of `chosen` and nothing else of `alive`; both ascending."""
    if not len(chosen):
        return ()
    places = np.searchsorted(alive, chosen)
    breaks = np.flatnonzero(np.diff(places) != 1)
    firsts = np.concatenate([chosen[:1], chosen[breaks + 1]])
    lasts = np.concatenate([chosen[breaks], chosen[-1:]])
    return tuple(zip(firsts.tolist(), lasts.tolist(), strict=True))


def within(ids: Column, ranges: Sequence[tuple[int, int]]) -> Column:
    """Which of the ids lie in one of the ranges; these in any order, and they may overlap.

    They do when a cycle says them one after another: what it forgot on the way lies between those alive later.
    """
    if not ranges:
        return np.zeros(len(ids), np.bool_)
    bounds = np.array(sorted(ranges), np.int64)
    reach = np.maximum.accumulate(bounds[:, 1])  # how far the ranges that begin up to here go
    place = np.searchsorted(bounds[:, 0], ids, side="right") - 1
    found: Column = (place >= 0) & (ids <= reach[np.maximum(place, 0)])
    return found
