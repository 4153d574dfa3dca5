"""Which memories of an activity mind say nearly the same, low and lonely as they are.   SPEC A4."""

import asyncio

from ebbtide.core.changes import Pair
from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.metabolism import Activity
from ebbtide.core.pairs import similar_pairs
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column
from ebbtide.core.state import Twins
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.upkeep import Progress


async def find_pairs(store: Store, indexing: Indexing | None, now: float, progress: Progress | None) -> Pair | None:
    """What has changed since pairs were last written down; None where pairs are not looked for.

    Without an embedder no pair is found, but those whose conditions no longer hold are let go.
    """
    activity = store.regime.metabolism
    if not isinstance(activity, Activity):
        return None
    seen, signals = store.seq, await store.signals()
    lonely = signals.id[activity.mergeable(signals, now)].copy()
    known = await store.pairs()
    found = await _found(store, indexing, activity, lonely, progress)
    if found is None:
        here = frozenset(lonely.tolist())
        found = {twins: overlap for twins, overlap in known.items() if here.issuperset(twins)}
    found = {twins: overlap for twins, overlap in found.items() if twins in known or await _unmoved(store, twins, seen)}
    new = tuple((*twins, overlap) for twins, overlap in sorted(found.items()) if known.get(twins) != overlap)
    return Pair(now, new, tuple(sorted(known.keys() - found.keys())))


async def _found(
    store: Store, indexing: Indexing | None, activity: Activity, lonely: Column, progress: Progress | None
) -> dict[Twins, float] | None:
    if indexing is None or not indexing.has_embedder:
        return None
    if len(lonely) < 2:
        return {}
    try:
        await indexing.catch_up(lonely, progress)
    except EmbedderFailed:  # whatever has a vector already will do
        if not (await store.index_info()).memories:
            return None
    ids, vectors, group = await store.material(lonely)
    first, second, cosine = await asyncio.to_thread(similar_pairs, vectors, group, activity.merge_overlap)
    ends = zip(ids[first].tolist(), ids[second].tolist(), strict=True)
    return {(min(ends), max(ends)): round(overlap, 6) for ends, overlap in zip(ends, cosine.tolist(), strict=True)}


async def _unmoved(store: Store, twins: Twins, seen: int) -> bool:
    """Nothing happened to either while vectors were compared; else it is left to the next tick."""
    contents = await store.contents(twins)
    return len(contents) == 2 and bool(((await store.signals(twins)).version <= seen).all())
