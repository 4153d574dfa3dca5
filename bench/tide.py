"""The engine's `tide` as a policy of `bench.forgetting`: what is read off a text, what supersedes what, uses and
departures are the engine's own changes, made as `mind/appraising.py` makes them, one memory at a time. Vectors come
with the time line, and words count while the memory that holds them lives, as in the engine's index."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bench.engine_policies import Engine
from bench.timelines import TimeLine
from ebbtide.core.changes import Appraise, Supersede
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import appraising
from ebbtide.core.metabolism.tide import AGAIN
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field
from ebbtide.mind.appraising import NEAREST, NEAREST_AGAIN, features_of, rarity, share_of, superseded
from ebbtide.models.analysis import Analyzer

_ANALYZER = Analyzer()


class Tide(Engine):
    metabolism = "tide"

    def __init__(self, line: TimeLine, budget: int) -> None:
        super().__init__(line, budget)
        tide = appraising(self._state.regime.metabolism)
        assert tide is not None
        self._tide = tide
        self._alive = np.zeros(self.size, np.bool_)
        self._cosines = _cosines(line)

    def put(self, item: int, at: float) -> None:
        super().put(item, at)
        self._alive[item] = True
        self._read(item, at)
        self._supersede([item], NEAREST, frozenset(), at)

    def drop(self, item: int, at: float) -> None:
        super().drop(item, at)
        self._alive[item] = False
        columns, size = self._state.table.columns, len(self._state.table)
        again = np.sort(columns["id"][:size][columns["superseded_by"][:size] == AGAIN])
        if len(again):
            self._supersede((again - 1).tolist(), NEAREST_AGAIN, frozenset(again.tolist()), at)

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

    def _supersede(self, items: Sequence[int], nearest: int, again: frozenset[int], at: float) -> None:
        pairs = [
            (item + 1, other + 1, share_of(self._tide, float(self._cosines[item, other])))
            for item in items
            for other in self._nearest(item, nearest).tolist()
        ]
        ids = sorted({*again, *(memory for one, other, _ in pairs for memory in (one, other))})
        if ids and (found := superseded(pairs, self._state.signals_of(ids), again, self._allowed)):
            self._apply(Supersede(at, self._seq, found))

    def _allowed(self, older: int, newer: int) -> bool:
        return _ANALYZER.supersedes(*(Content("", self.line.texts[memory - 1]) for memory in (older, newer)))

    def _nearest(self, item: int, count: int) -> Column:
        """The living that are alike enough, at most as many as the engine looks at."""
        others = np.flatnonzero(self._alive & (self._cosines[item] > self._tide.supersede_from))
        others = others[others != item]
        nearest: Column = others[np.argsort(-self._cosines[item, others], kind="stable")[:count]]
        return nearest


@lru_cache(maxsize=64)
def _cosines(line: TimeLine) -> Column:
    cosines: Column = line.vectors @ line.vectors.T
    return cosines
