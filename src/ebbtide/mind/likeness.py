"""What supersedes what in a copy that has no index, by the vectors of the mind it is a copy of.   SPEC T4, C6.

A replay under another metabolism tells a copy everything in order. Where a memory says what it says in the original
today, the original's vector of it counts: the pairs that say nearly the same are found once, for the youngest MOST
memories, and each pair is looked at when the later of the two is told. Of what has left the original, or has got
another text since, there is no vector: it supersedes nothing here.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ebbtide.core.index import Material
from ebbtide.core.memory import Content
from ebbtide.core.metabolism.tide import AGAIN, Tide
from ebbtide.core.pairs import similar_pairs
from ebbtide.core.ports import Analyzer, Store
from ebbtide.mind.appraising import share_of

MOST = 50_000  # memories whose vectors are compared

Found = tuple[tuple[int, int, float], ...]  # as in `Supersede`


class Likeness:
    """Pairs of memories of the original that say nearly the same, and what they say there."""

    def __init__(
        self, pairs: Iterable[tuple[int, int, float]], said: dict[int, Content], analyzer: Analyzer, tide: Tide
    ) -> None:
        self._said, self._analyzer, self._tide = said, analyzer, tide
        self._near: dict[int, dict[int, float]] = defaultdict(dict)
        self._allowed: dict[tuple[int, int], bool] = {}
        for one, other, cosine in pairs:
            self._near[one][other] = self._near[other][one] = cosine

    @classmethod
    async def of(cls, original: Store, material: Material, analyzer: Analyzer, tide: Tide) -> "Likeness":
        """In a thread, for that may take seconds. Whatever kind and domain memories are of, as when they are put."""
        ids, vectors = material.ids, material.vectors
        group = np.zeros(len(ids), np.int64)
        found = await asyncio.to_thread(similar_pairs, vectors, group, tide.supersede_from)
        first, second, cosine = ids[found[0]].tolist(), ids[found[1]].tolist(), found[2].tolist()
        said = await original.contents(sorted({*first, *second}))
        return cls(zip(first, second, cosine, strict=True), said, analyzer, tide)

    async def told(self, copy: Store, memory: int) -> Found:
        """The memory has come, or says something else: what it supersedes, and what supersedes it."""
        near = await self._living(copy, memory)
        found: dict[int, tuple[int, float]] = {}
        for one, other in ((memory, partner) for partner in near if partner != memory and memory in near):
            older, newer = sorted((one, other), key=lambda each: near[each][0])
            share = self._share(older, newer)
            if share > (found[older] if older in found else near[older])[1]:
                found[older] = newer, share
        return tuple((older, *by) for older, by in sorted(found.items()))

    async def gone(self, copy: Store, memory: int) -> Found:
        """The memory has left, or says something else: what supersedes now those that it superseded."""
        near = await self._living(copy, memory)
        waiting = [partner for partner in near if near[partner][2] == AGAIN]
        return tuple([(partner, *await self._superseder(copy, partner)) for partner in sorted(waiting)])

    async def _superseder(self, copy: Store, memory: int) -> tuple[int, float]:
        near = await self._living(copy, memory)
        newer = [partner for partner in near if memory in near and near[partner][0] > near[memory][0]]
        shares = [(self._share(memory, partner), partner) for partner in newer]
        share, by = max(shares, default=(0.0, 0))
        return (by, share) if share else (0, 0.0)

    async def _living(self, copy: Store, memory: int) -> dict[int, tuple[tuple[float, int], float, int]]:
        """It and those near it that are alive in the copy and say what they say in the original.

        Of each its place in time, by how much it is superseded, and by which one.
        """
        contents = await copy.contents([memory, *self._near.get(memory, ())])
        here = sorted(each for each, content in contents.items() if self._says(each, content))
        if not here:
            return {}
        s = await copy.signals(here)
        columns = (s.created_at.tolist(), s.superseded.tolist(), s.superseded_by.tolist())
        return {each: ((at, each), share, by) for each, at, share, by in zip(here, *columns, strict=True)}

    def _says(self, memory: int, content: Content) -> bool:
        said = self._said.get(memory)
        return said is not None and said.text == content.text

    def _share(self, older: int, newer: int) -> float:
        """By how much the newer of the two supersedes; nothing if it is about another person or matter."""
        pair = older, newer
        if pair not in self._allowed:
            self._allowed[pair] = self._analyzer.supersedes(self._said[older], self._said[newer])
        return share_of(self._tide, self._near[older].get(newer, 0.0)) if self._allowed[pair] else 0.0
