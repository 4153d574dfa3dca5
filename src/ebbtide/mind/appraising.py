"""Behind the puts of a mind that looks at what memories say: content priors, and what supersedes what.   SPEC T3, T4.

When the words of memories are first read, what can be read off them is journaled, in order of birth; the priors follow.
When their vectors are there, each is compared with those nearest to it: the older of two that say the same is
superseded by the newer one, if both name the same.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ebbtide.core.appraisal import Features
from ebbtide.core.changes import Appraise, Batch, Supersede
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import appraising
from ebbtide.core.metabolism.tide import UNREAD
from ebbtide.core.ports import Analyzer, Clock, Store
from ebbtide.core.terms import Field, Terms
from ebbtide.mind.tokens import new_token

NEAREST = 8  # memories that each one is compared with
_AT_ONCE = 500


class Appraiser:
    """What `Indexing` tells: whose words were read, and whose vectors are there."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def read(self, analyzer: Analyzer, contents: Mapping[int, Content], terms: Mapping[int, Terms]) -> None:
        """These can be found by words now."""
        ids = sorted(memory for memory in contents if memory in terms)
        rarity = await self._rarity([terms[memory] for memory in ids])
        features = tuple(
            _features(analyzer, contents[memory].text, idf) for memory, idf in zip(ids, rarity, strict=True)
        )
        if ids:
            await self._store.apply(Batch((Appraise(self._clock.now(), tuple(ids), features),), new_token()), lazy=True)

    async def catch_up(self, analyzer: Analyzer) -> None:
        """What was read by an earlier process that ended before it was appraised."""
        s = await self._store.signals()
        left = np.sort(s.id[s.prior == UNREAD])
        for start in range(0, len(left), _AT_ONCE):
            contents = await self._store.contents(left[start : start + _AT_ONCE].tolist())
            await self.read(analyzer, contents, {memory: analyzer.content(contents[memory]) for memory in contents})

    async def _rarity(self, terms: Sequence[Terms]) -> list[float]:
        """The mean idf of the words of each; of one without words 0, which says as much."""
        words = [each.among(Field.WORDS) for each in terms]
        known = await self._store.frequencies(np.unique(np.concatenate(words))) if words else None
        if known is None:
            return []
        idf = np.log((known.memories + 0.5) / (known.having + 0.5))
        return [float(idf[np.searchsorted(known.codes, some)].mean()) if len(some) else 0.0 for some in words]

    async def compare(self, analyzer: Analyzer, ids: Sequence[int]) -> None:
        """These can be found by meaning now."""
        tide, seen = appraising(self._store.regime.metabolism), self._store.seq
        if tide is None or not ids:
            return
        near = [pair for pair in await self._store.alike(np.array(ids), NEAREST) if pair[2] > tide.supersede_from]
        said = await self._store.contents(sorted({memory for one, other, _ in near for memory in (one, other)}))
        pairs = [
            (one, other, (cosine - tide.supersede_from) / (1.0 - tide.supersede_from))
            for one, other, cosine in near
            if one in said and other in said and agree(analyzer, said[one].text, said[other].text)
        ]
        found = await self._superseded(pairs)
        if found:
            await self._store.apply(Batch((Supersede(self._clock.now(), seen, found),), new_token()))

    async def _superseded(self, pairs: Sequence[tuple[int, int, float]]) -> tuple[tuple[int, int, float], ...]:
        """For each older one the newer that says the most of it, where that is more than is known already."""
        ids = sorted({memory for one, other, _ in pairs for memory in (one, other)})
        if not ids:
            return ()
        s = await self._store.signals(ids)
        age = {memory: (float(at), memory) for memory, at in zip(ids, s.created_at, strict=True)}
        known = dict(zip(ids, s.superseded.tolist(), strict=True))
        best: dict[int, tuple[int, float]] = {}
        for one, other, share in pairs:
            older, newer = sorted((one, other), key=age.__getitem__)
            if share > best.get(older, (0, known[older]))[1]:
                best[older] = newer, round(min(share, 1.0), 6)
        return tuple((older, newer, share) for older, (newer, share) in sorted(best.items()))


class Rereader:
    """Reads the memories of a copy that has no index: it counts the words itself, as they are told."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._having: Counter[int] = Counter()
        self._memories = 0

    def read(self, at: float, contents: Mapping[int, Content]) -> Appraise:
        features = tuple(self._features(contents[memory]) for memory in sorted(contents))
        return Appraise(at, tuple(sorted(contents)), features)

    def _features(self, content: Content) -> Features:
        words = self._analyzer.content(content).among(Field.WORDS).tolist()
        self._memories += 1
        self._having.update(words)
        idf = [math.log((self._memories + 0.5) / (self._having[word] + 0.5)) for word in words]
        return _features(self._analyzer, content.text, math.fsum(idf) / max(len(idf), 1))


def agree(analyzer: Analyzer, one: str, other: str) -> bool:
    """Whether one of two texts names all that the other does: two people's facts of one shape are not the same fact."""
    here, there = analyzer.names(one), analyzer.names(other)
    return here <= there or there <= here


def _features(analyzer: Analyzer, text: str, idf: float) -> Features:
    read = analyzer.features(text)
    flags = (float(flag) for flag in (read.time, read.asks, read.first, read.second))
    return Features(round(read.length, 6), round(idf, 6), *flags)
