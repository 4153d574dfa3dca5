"""Which of the best candidates of a search a newer one among them says again.   SPEC K4, T4.

For minds whose metabolism does not keep count of that itself. Looked for among the best candidates alone, each search
anew: what is superseded by a memory that is no candidate is a candidate like any other.
"""

import numpy as np

from ebbtide.core.ports import Analyzer, Store
from ebbtide.core.signals import Column

LOOKED_AT = 40  # candidates
ALIKE_FROM = 0.75  # cosine
_COMPARED = 12  # pairs of texts in a search, those of the best candidates: the first time each takes up to 1 ms


async def superseded(store: Store, analyzer: Analyzer, ids: Column, made: Column) -> Column:
    """How much a newer one of these says the same as each, 0–1.   S = (cosine − 0.75) / 0.25."""
    found = np.zeros(len(ids))
    material = await store.material(ids)
    if len(material.ids) < 2:
        return found
    row = {int(memory): place for place, memory in enumerate(ids.tolist())}
    rows = np.array([row[memory] for memory in material.ids.tolist()])
    cosines = material.vectors @ material.vectors.T
    order = np.lexsort((material.ids, made[rows]))
    age = np.empty(len(rows), np.int64)
    age[order] = np.arange(len(rows))
    cosines[age[None, :] <= age[:, None]] = 0.0  # only what is newer
    older, newer = np.nonzero(cosines > ALIKE_FROM)
    if not len(older):
        return found
    said = await store.contents(material.ids.tolist())
    place = np.argsort(rows[older], kind="stable")[:_COMPARED]  # the best candidates come first
    for old, new in zip(older[place].tolist(), newer[place].tolist(), strict=True):
        pair = said.get(int(material.ids[old])), said.get(int(material.ids[new]))
        if pair[0] and pair[1] and analyzer.supersedes(pair[0], pair[1]):
            share = (cosines[old, new] - ALIKE_FROM) / (1.0 - ALIKE_FROM)
            found[rows[old]] = max(found[rows[old]], min(share, 1.0))
    return found
