"""Marks as they stand at this moment: one is there for as long as its conditions hold, tick or no tick.   SPEC A3–A5.

Only which texts say nearly the same has to be found out, by a tick; everything else about a pair is looked at anew.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ebbtide.core.memory import Mark
from ebbtide.core.metabolism import Verdicts, merging
from ebbtide.core.ports import Store
from ebbtide.core.signals import Signals
from ebbtide.core.state import Twins

_FEW = 1000  # so many are asked about one by one


async def judged(store: Store, s: Signals, now: float) -> Verdicts:
    """What the metabolism says of these memories, columns fresh from the store, and who of them might be merged."""
    verdicts = store.regime.metabolism.judge(s, now)
    if not store.regime.metabolism.traits.merges:
        return verdicts
    pairs = await store.pairs(s.id.tolist() if len(s) <= _FEW else None)
    return marked(s, verdicts, await standing(store, pairs, now))


def marked(s: Signals, verdicts: Verdicts, pairs: Iterable[Twins]) -> Verdicts:
    """With a mark on everyone in one of these pairs."""
    ends = [memory for twins in pairs for memory in twins]
    if not ends:
        return verdicts
    return replace(verdicts, marks=verdicts.marks | np.isin(s.id, ends) * np.int8(Mark.MERGE))


async def standing(store: Store, pairs: Mapping[Twins, float], now: float) -> dict[Twins, float]:
    """Those of these pairs, of living memories, that fulfil every condition of A4."""
    activity = merging(store.regime.metabolism)
    if not pairs or activity is None:
        return {}
    ids, place = np.unique(np.array(list(pairs), np.int64), return_inverse=True)
    low = activity.mergeable(await store.signals(ids.tolist()), now)
    alike = np.fromiter(pairs.values(), np.float64, len(pairs)) >= activity.merge_overlap
    stands = alike & low[place.reshape(-1, 2)].all(axis=1)
    return {twins: overlap for (twins, overlap), holds in zip(pairs.items(), stands.tolist(), strict=True) if holds}
