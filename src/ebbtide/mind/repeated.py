"""Which of the best candidates of a search a newer one among them says again.   SPEC K4, T4.

For minds whose metabolism does not keep count of that itself. Looked for among the best candidates alone, each search
anew: what is superseded by a memory that is no candidate is a candidate like any other.
"""

import numpy as np

from ebbtide.core.memory import Content
from ebbtide.core.ports import Analyzer, Store
from ebbtide.core.signals import Column

LOOKED_AT = 40  # candidates
ALIKE_FROM = 0.75  # cosine
_NEAREST = 2  # of the newer ones that are alike, how many each is compared with
_COMPARED = 12  # pairs of texts that a search compares, the best candidates' first: each may take 1 ms


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
    alike = np.flatnonzero(cosines.max(axis=1) > ALIKE_FROM)
    if not len(alike):
        return found
    said = await store.contents(material.ids.tolist())
    rule = _Rule(analyzer)
    for old in alike[np.argsort(rows[alike])].tolist():  # the best candidates first
        for new in np.argsort(-cosines[old], kind="stable")[:_NEAREST].tolist():
            pair = said.get(int(material.ids[old])), said.get(int(material.ids[new]))
            if cosines[old, new] > ALIKE_FROM and pair[0] and pair[1] and rule.holds(pair[0], pair[1]):
                found[rows[old]] = min((cosines[old, new] - ALIKE_FROM) / (1.0 - ALIKE_FROM), 1.0)
                break
    return found


class _Rule:
    """Whether one supersedes another; of texts that differ, only so many are compared."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer, self._left = analyzer, _COMPARED

    def holds(self, older: Content, newer: Content) -> bool:
        if (older.text, older.speaker) == (newer.text, newer.speaker):
            return True
        self._left -= 1
        return self._left >= 0 and self._analyzer.supersedes(older, newer)
