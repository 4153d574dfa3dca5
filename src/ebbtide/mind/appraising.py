"""Behind the puts of a mind that looks at what memories say: content priors, and what supersedes what.   SPEC T3, T4.

When the words of memories are first read, what can be read off them is journaled, in order of birth; the priors follow.
When their vectors are there, each is compared with those nearest to it: the older of two that say the same is
superseded by the newer one, if both are about the same person and the same matter (`Analyzer.supersedes`). When the
newer one leaves or says something else, the older one is compared once more.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ebbtide.core.appraisal import Features
from ebbtide.core.changes import Appraise, Batch, Supersede
from ebbtide.core.lexical import Frequencies
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import appraising
from ebbtide.core.metabolism.tide import AGAIN, UNREAD, Tide
from ebbtide.core.ports import Analyzer, Clock, Store
from ebbtide.core.signals import Column, Signals
from ebbtide.core.terms import Field, Terms
from ebbtide.mind.tokens import new_token

NEAREST = 8  # memories that each one is compared with
NEAREST_AGAIN = 64  # when a superseder is looked for among all that came since, of which some are older
_AT_ONCE = 500
_COMPARED_AT_ONCE = 32


class Appraiser:
    """What `Indexing` tells: whose words were read, and whose vectors are there."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def read(self, analyzer: Analyzer, contents: Mapping[int, Content], terms: Mapping[int, Terms]) -> None:
        """These can be found by words now."""
        ids = sorted(memory for memory in contents if memory in terms)
        rarity = await self._rarity([terms[memory] for memory in ids])
        features = tuple(
            features_of(analyzer, contents[memory].text, idf) for memory, idf in zip(ids, rarity, strict=True)
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
        words = [each.among(Field.WORDS) for each in terms]
        return rarity(words, await self._store.frequencies(np.unique(np.concatenate(words)))) if words else []

    async def compare(self, analyzer: Analyzer, ids: Sequence[int]) -> None:
        """These can be found by meaning now; or what superseded them has gone (`look_again`)."""
        tide, seen = appraising(self._store.regime.metabolism), self._store.seq
        here = sorted(await self._store.contents(ids))
        if tide is None or not here:
            return
        s = await self._store.signals(here)
        again = s.id[s.superseded_by != 0]  # which may not hold any longer
        pairs = await self._pairs(tide, s.id[s.superseded_by == 0], NEAREST)
        pairs += await self._pairs(tide, again, NEAREST_AGAIN)
        found = await self._superseded(analyzer, pairs, frozenset(again.tolist()))
        if found:
            await self._store.apply(Batch((Supersede(self._clock.now(), seen, found),), new_token()))

    async def look_again(self, analyzer: Analyzer) -> None:
        """What was superseded by a memory that has left, or says something else, may be superseded by another one."""
        s = await self._store.signals()
        waiting = np.sort(s.id[s.superseded_by == AGAIN])
        waiting = (await self._store.material(waiting)).ids if len(waiting) else waiting  # those that have a vector
        for start in range(0, len(waiting), _COMPARED_AT_ONCE):
            await self.compare(analyzer, waiting[start : start + _COMPARED_AT_ONCE].tolist())
            await asyncio.sleep(0)  # others have their turn

    async def _pairs(self, tide: Tide, ids: Column, nearest: int) -> list[tuple[int, int, float]]:
        """Each of these with those nearest to it, and by how much the newer one would supersede."""
        alike = await self._store.alike(ids, nearest) if len(ids) else []
        return [(one, other, share_of(tide, cosine)) for one, other, cosine in alike if cosine > tide.supersede_from]

    async def _superseded(
        self, analyzer: Analyzer, pairs: Sequence[tuple[int, int, float]], again: frozenset[int]
    ) -> tuple[tuple[int, int, float], ...]:
        """In a thread if there are texts to read: the first time that takes up to a millisecond each."""
        ids = sorted({*again, *(memory for one, other, _ in pairs for memory in (one, other))})
        said = await self._store.contents(ids)
        if not said:
            return ()
        s = await self._store.signals(sorted(said))

        def allowed(older: int, newer: int) -> bool:
            return analyzer.supersedes(said[older], said[newer])

        return await asyncio.to_thread(superseded, pairs, s, again, allowed) if pairs else superseded((), s, again)


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
        rare = _rare(self._memories, np.array([self._having[word] for word in words]))
        return features_of(self._analyzer, content.text, math.fsum(rare) / max(len(rare), 1))


def rarity(words: Sequence[Column], known: Frequencies) -> list[float]:
    """How rare the words of each are, on average; of one without words 0, which says as much."""
    share = _rare(known.memories, known.having)
    return [float(share[np.searchsorted(known.codes, some)].mean()) if len(some) else 0.0 for some in words]


def _rare(memories: int, having: Column) -> Column:
    """The idf of words as a share of that of a word which one memory has.

    Else all words of a large mind were rarer than those of a small one, and of a mind that grows, those of what is new.
    """
    most = math.log((memories + 0.5) / 1.5)
    return np.log((memories + 0.5) / (having + 0.5)) / most if most > 0.0 else np.ones(len(having))


def superseded(
    pairs: Sequence[tuple[int, int, float]],
    s: Signals,
    again: frozenset[int] = frozenset(),
    allowed: Callable[[int, int], bool] = lambda older, newer: True,
) -> tuple[tuple[int, int, float], ...]:
    """For each older one the newer that says the most of it, where that is more than is known already.

    For those of `again` whatever is so now, also that there is none (0). `allowed` is asked only of pairs that would
    count, the greatest share first, because it reads both texts.
    """
    ids = s.id.tolist()
    age = {memory: (float(at), memory) for memory, at in zip(ids, s.created_at, strict=True)}
    known = dict(zip(ids, zip(s.superseded_by.tolist(), s.superseded.tolist(), strict=True), strict=True))
    best: dict[int, tuple[int, float]] = {memory: (0, 0.0) for memory in again if memory in known}
    for one, other, share in sorted(pairs, key=lambda pair: -pair[2]):
        if one in known and other in known:
            older, newer = sorted((one, other), key=age.__getitem__)
            said_by = best[older] if older in best else known[older]
            if share > said_by[1] and allowed(older, newer):
                best[older] = newer, share
    return tuple((older, *found) for older, found in sorted(best.items()) if found != known[older])


def share_of(tide: Tide, cosine: float) -> float:
    """By how much a newer memory of this cosine supersedes.   SPEC T4."""
    return round(min(max(cosine - tide.supersede_from, 0.0) / (1.0 - tide.supersede_from), 1.0), 6)


def features_of(analyzer: Analyzer, text: str, idf: float) -> Features:
    read = analyzer.features(text)
    flags = (float(flag) for flag in (read.time, read.asks, read.first, read.second))
    return Features(round(read.length, 6), round(idf, 6), *flags)
