"""The engine's `tide` as a policy of `bench.forgetting`: what is read off a text, what supersedes what, uses and
departures are the engine's own changes, made as `mind/appraising.py` makes them, one memory at a time. Vectors come
with the time line, and words count while the memory that holds them lives, as in the engine's index."""

from functools import lru_cache

import numpy as np

from bench.engine_policies import Engine
from bench.timelines import TimeLine
from ebbtide.core.changes import Appraise, Supersede
from ebbtide.core.metabolism import appraising
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field
from ebbtide.mind.appraising import NEAREST, agree, features_of, rarity, share_of, superseded
from ebbtide.models.analysis import Analyzer

_ANALYZER = Analyzer()


class Tide(Engine):
    metabolism = "tide"

    def __init__(self, line: TimeLine, budget: int) -> None:
        super().__init__(line, budget)
        tide = appraising(self._state.regime.metabolism)
        assert tide is not None
        self._tide, self._from = tide, tide.supersede_from
        self._alive = np.zeros(self.size, np.bool_)
        self._cosines = _cosines(line)

    def put(self, item: int, at: float) -> None:
        super().put(item, at)
        self._alive[item] = True
        self._read(item, at)
        self._compare(item, at)

    def drop(self, item: int, at: float) -> None:
        super().drop(item, at)
        self._alive[item] = False

    def lift(self, now: float) -> Column:
        """What a search adds to the similarity of each item."""
        signals, lift = self._state.signals(), np.zeros(self.size)
        need = self._tide.vitality(signals, now)
        lift[signals.id - 1] = self._tide.rank_bonus * self._tide.standing(signals, need, now)
        return lift

    def _read(self, item: int, at: float) -> None:
        words = self.line.terms[item].among(Field.WORDS)
        idf = rarity([words], self.line.frequencies(words, self._alive))[0]
        self._apply(Appraise(at, (item + 1,), (features_of(_ANALYZER, self.line.texts[item], idf),)))

    def _compare(self, item: int, at: float) -> None:
        pairs = [
            (item + 1, other + 1, share_of(self._tide, float(self._cosines[item, other])))
            for other in self._nearest(item).tolist()
            if agree(_ANALYZER, self.line.texts[item], self.line.texts[other])
        ]
        ids = [item + 1, *(other for _, other, _ in pairs)]
        if found := superseded(pairs, self._state.signals_of(ids)):
            self._apply(Supersede(at, self._seq, found))

    def _nearest(self, item: int) -> Column:
        """The living that are alike enough, at most as many as the engine looks at."""
        others = np.flatnonzero(self._alive & (self._cosines[item] > self._from))
        others = others[others != item]
        nearest: Column = others[np.argsort(-self._cosines[item, others], kind="stable")[:NEAREST]]
        return nearest


@lru_cache(maxsize=64)
def _cosines(line: TimeLine) -> Column:
    cosines: Column = line.vectors @ line.vectors.T
    return cosines
