"""Which memories of an activity mind say nearly the same, low and lonely as they are.   SPEC A4."""

import asyncio
import logging
from collections.abc import Sequence

import numpy as np

from ebbtide.core.changes import Pair
from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.index import Material
from ebbtide.core.metabolism import merging
from ebbtide.core.pairs import similar_pairs
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column
from ebbtide.core.state import Twins
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.marks import standing
from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

_AT_ONCE = 4096  # vectors that are copied before others have their turn
_NO_CHANGE = 1e-4  # the same two compared again may differ in the last digits, by the order of summing

Pairs = dict[Twins, float]


async def find_pairs(store: Store, indexing: Indexing | None, now: float, progress: Progress | None) -> Pair | None:
    """What has changed since pairs were last written down; None where pairs are not looked for.

    Without an embedder no pair is found, but those whose conditions no longer hold are let go.
    """
    activity = merging(store.regime.metabolism)
    if activity is None:
        return None
    seen, known = store.seq, await store.pairs()
    found = still = await standing(store, known, now)
    if indexing is not None and indexing.has_embedder:
        signals = await store.signals()
        lonely = np.sort(signals.id[activity.mergeable(signals, now)])
        if await _embedded(indexing, lonely, progress):
            parts = await _material(store, lonely)
            found = await asyncio.to_thread(_compared, parts, still, activity.merge_overlap)
    new = tuple((*twins, overlap) for twins, overlap in sorted(found.items()) if known.get(twins) != overlap)
    return Pair(now, seen, new, tuple(sorted(known.keys() - found.keys())))


async def _embedded(indexing: Indexing, lonely: Column, progress: Progress | None) -> bool:
    """Whether there is anything to compare. An embedder that fails holds no tick up: what has a vector will do."""
    if len(lonely) < 2:
        return False
    try:
        await indexing.catch_up(lonely, progress)
    except EmbedderFailed as error:
        log.warning("not all memories could be compared: %s", error)
        return indexing.opened
    return True


async def _material(store: Store, lonely: Column) -> list[Material]:
    """As half floats, which is how vectors are kept: so a mind that was closed and opened compares the same."""
    parts = []
    for start in range(0, len(lonely), _AT_ONCE):
        ids, vectors, group = await store.material(lonely[start : start + _AT_ONCE])
        parts.append(Material(ids, await asyncio.to_thread(vectors.astype, np.float16), group))
    return parts


def _compared(parts: Sequence[Material], known: Pairs, threshold: float) -> Pairs:
    """The pairs among these; of the known ones, also those of which one has no vector at the moment."""
    ids, vectors, group = (np.concatenate([part[i] for part in parts]) for i in range(3))
    ends = np.array(list(known), np.int64).reshape(-1, 2)
    embedded = np.isin(ends, ids)
    here = embedded[:, 0] & embedded[:, 1]
    rows = np.searchsorted(ids, ends[here])
    first, second, cosine = similar_pairs(vectors, group, threshold, known=(rows[:, 0], rows[:, 1]))
    twins = zip(ids[first].tolist(), ids[second].tolist(), strict=True)
    overlaps = np.round(cosine.astype(np.float64), 6).tolist()
    found = {two: overlap for (two, overlap), compared in zip(known.items(), here, strict=True) if not compared}
    for two, overlap in zip(twins, overlaps, strict=True):
        before = known.get(two, -1.0)
        found[two] = before if abs(overlap - before) < _NO_CHANGE else overlap
    return {two: overlap for two, overlap in found.items() if overlap >= threshold}
