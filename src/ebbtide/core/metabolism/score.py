"""Score: a stored 0–100 that use lifts and time wears down.   SPEC S1–S2.

The exact value is a real number that lives between events. From its last event on
    exact(t) = base·0.95^days + base·(d^days − 0.95^days) = base·d^days,
    d = 0.95 + 0.04·(1 − exp(−Σ strengths / 3)),
so links slow the decay and never reverse it. An access adds 10·(1 − exp(−Δ / 6 h)), Δ since the one before.
The stored integer is exact(t) rounded (halves up); how often a tick writes it down changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ebbtide.core.memory import CODE_OF, DAY, HOUR, State
from ebbtide.core.metabolism.base import (
    Bonus,
    Budgeted,
    Forecast,
    Traits,
    Verdicts,
    first_moment,
    graded,
    param,
    since,
)
from ebbtide.core.metabolism.pinning import keeps_pinned
from ebbtide.core.signals import Column, Signals


@keeps_pinned
@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Bonus, Budgeted):
    name: ClassVar[str] = "score"
    own: ClassVar[tuple[str, ...]] = ("base", "scored_at", "weight", "score")
    states: ClassVar[tuple[State, ...]] = (State.ACTIVE, State.COLD, State.DEPRECATED)
    hidden: ClassVar[tuple[State, ...]] = (State.DEPRECATED,)
    traits: ClassVar[Traits] = Traits(
        counts=frozenset({"recency"}),
        scored=True,
        ordered=("cold_from", "active_from"),
        borders=(("active_from", "cold"), ("cold_from", "deprecated")),
        limits=(0.0, 100.0),
        total="exact score",
    )

    initial: float = param(50.0, 0.0, 100.0)
    daily_factor: float = param(0.95, 0.0, 1.0)
    structure_gain: float = param(0.04, 0.0, 1.0)
    structure_scale: float = param(3.0, above=0.0)
    usage_gain: float = param(10.0, 0.0, 100.0)
    usage_spacing: float = param(6.0, above=0.0, unit="hours")
    active_from: float = param(70.0, 0.0, 100.0)
    cold_from: float = param(30.0, 0.0, 100.0)
    decay: bool = param(True)
    rank_bonus: float = param(0.1, 0.0, 1.0)
    tick_every: float = param(0.25, above=0.0, unit="hours")

    def vitality(self, s: Signals, now: float | Column) -> Column:
        exact: Column = s.base * self._rate(s) ** _days(s, now)
        return exact

    def judge(self, s: Signals, now: float) -> Verdicts:
        vitality = self.vitality(s, now)
        score = np.floor(vitality + 0.5)
        return Verdicts(vitality, self._state(score), np.zeros(len(s), np.int8), score.astype(np.int8))

    def scaled(self, vitality: Column) -> Column:
        return vitality / 100.0

    def terms(self, s: Signals, now: float) -> dict[str, Column]:
        worn = s.base * self._plain() ** _days(s, now)
        return {
            "base·time_factor": worn,
            "structure_boost": self.vitality(s, now) - worn,
        }

    def fades_at(self, s: Signals, now: float) -> list[Forecast]:
        rate, start = self._rate(s), np.full(len(s), now)

        def below(limit: float) -> Column:
            return first_moment(lambda t: np.floor(s.base * rate ** _days(s, t) + 0.5) < limit, start)

        return [
            Forecast("cold", at=below(self.active_from)),
            Forecast("deprecated", at=below(self.cold_from)),
        ]

    def why(self, s: Signals, now: float) -> str:
        verdict = self.judge(s, now)
        assert verdict.score is not None
        text = f"score {int(verdict.score[0])} (exactly {float(verdict.vitality[0]):.3f})"
        if verdict.score[0] >= self.active_from:
            return f"{text} ≥ {self.active_from:g}"
        if verdict.score[0] >= self.cold_from:
            return f"{text} lies between {self.cold_from:g} and {self.active_from:g}"
        return f"{text} < {self.cold_from:g}"

    def born(self, at: float, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "base": self.initial,
            "scored_at": at,
            "weight": 0.0,
            "score": int(self.initial + 0.5),
        }

    def used(self, s: Signals, at: Column) -> dict[str, Column]:
        boost = self.usage_gain * -np.expm1(-since(at, s.last_accessed_at) / (self.usage_spacing * HOUR))
        return {
            "base": np.minimum(self.vitality(s, at) + boost, 100.0),
            "scored_at": np.maximum(at, s.scored_at),
        }

    def touched(self, s: Signals, at: Column) -> dict[str, Column]:
        return self.used(s, at)

    def relinked(self, s: Signals, at: float, weight: Column) -> dict[str, Column]:
        return {"base": self.vitality(s, at), "scored_at": np.maximum(at, s.scored_at), "weight": weight}

    def _plain(self) -> float:
        return self.daily_factor if self.decay else 1.0

    def _rate(self, s: Signals) -> Column:
        """d: what a day leaves of the score, given the memory's links."""
        slowed: Column = self._plain() - self.structure_gain * np.expm1(s.weight / -self.structure_scale)
        return slowed if self._plain() + self.structure_gain <= 1.0 else np.minimum(slowed, 1.0)

    def _state(self, score: Column) -> Column:
        return graded(_ACTIVE, (score < self.active_from, _COLD), (score < self.cold_from, _DEPRECATED))


def _days(s: Signals, now: float | Column) -> Column:
    return since(now, s.scored_at) / DAY


_ACTIVE, _COLD = np.int8(CODE_OF[State.ACTIVE]), np.int8(CODE_OF[State.COLD])
_DEPRECATED = np.int8(CODE_OF[State.DEPRECATED])
