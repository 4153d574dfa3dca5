"""Activity: how much a memory still takes part. Derived at every look, stored nowhere.   SPEC A1–A3.

score = A·ln(1+in) + B·ln(1+out) + C·ln(1+accesses) + D·ln(1+walks)
      + E·exp(−idle/T_access) + F·exp(−unlinked/T_link) − G·age/T_age
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ebbtide.core.memory import CODE_OF, DAY, HOUR, Mark, State
from ebbtide.core.metabolism.base import (
    Bonus,
    Budgeted,
    Forecast,
    Quiet,
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
class Activity(Bonus, Quiet, Budgeted):
    name: ClassVar[str] = "activity"
    states: ClassVar[tuple[State, ...]] = (State.ACTIVE, State.COLD)
    hidden: ClassVar[tuple[State, ...]] = (State.COLD,)
    traits: ClassVar[Traits] = Traits(
        counts=frozenset({"recency"}),
        merges=True,
        ordered=("theta_delete", "theta_active"),
        borders=(("theta_active", "cold"), ("theta_delete", "delete_candidate")),
        total="score",
    )

    a: float = param(1.0, 0.0)
    b: float = param(0.8, 0.0)
    c: float = param(1.2, 0.0)
    d: float = param(0.8, 0.0)
    e: float = param(1.5, 0.0)
    f: float = param(1.0, 0.0)
    g: float = param(0.3, 0.0)
    t_access: float = param(24.0, above=0.0, unit="hours")
    t_link: float = param(72.0, above=0.0, unit="hours")
    t_age: float = param(30.0, above=0.0, unit="days")
    theta_active: float = param(-0.2)
    theta_delete: float = param(-1.0)
    delete_idle: float = param(30.0, 0.0, unit="days")
    merge_idle: float = param(14.0, 0.0, unit="days")
    merge_degree: int = param(2, 0, unit="links")
    merge_overlap: float = param(0.85, above=0.0, high=1.0)
    rank_bonus: float = param(0.1, 0.0, 1.0)
    tick_every: float = param(6.0, above=0.0, unit="hours")

    def terms(self, s: Signals, now: float) -> dict[str, Column]:
        idle, unlinked = since(now, s.last_accessed_at), since(now, s.last_linked_at)
        return {
            "A·ln(1+in_degree)": self.a * np.log1p(s.in_degree),
            "B·ln(1+out_degree)": self.b * np.log1p(s.out_degree),
            "C·ln(1+access_count)": self.c * np.log1p(s.access_count),
            "D·ln(1+traverse_count)": self.d * np.log1p(s.traverse_count),
            "E·exp(−idle/T_access)": self.e * np.exp(idle / (-self.t_access * HOUR)),
            "F·exp(−unlinked/T_link)": self.f * np.exp(unlinked / (-self.t_link * HOUR)),
            "−G·age/T_age": since(now, s.created_at) * (-self.g / (self.t_age * DAY)),
        }

    def vitality(self, s: Signals, now: float) -> Column:
        return self._standing(s) + self._passing(s, now)

    def judge(self, s: Signals, now: float) -> Verdicts:
        vitality = self.vitality(s, now)
        state = graded(_ACTIVE, (vitality < self.theta_active, _COLD))
        return Verdicts(vitality, state, self._deletable(s, vitality, now) * _DELETE)

    def scaled(self, vitality: Column) -> Column:
        """A half at θ_active; ever closer to 1 above it, and to 0 below."""
        scaled: Column = 0.5 + 0.5 * np.tanh((vitality - self.theta_active) / 2.0)
        return scaled

    def mergeable(self, s: Signals, now: float) -> Column:
        """Low for long and nearly alone: nothing happened to it for `merge_idle`, and it was below θ_active then."""
        then = now - self.merge_idle * DAY
        quiet = np.maximum(np.maximum(s.last_accessed_at, s.last_linked_at), s.created_at) <= then
        low = self.vitality(s, then) < self.theta_active
        mergeable: Column = quiet & low & (s.in_degree + s.out_degree <= self.merge_degree)
        return mergeable

    def fades_at(self, s: Signals, now: float) -> list[Forecast]:
        standing, start = self._standing(s), np.full(len(s), now)

        def cold(t: Column) -> Column:
            return standing + self._passing(s, t) < self.theta_active

        def deletable(t: Column) -> Column:
            return self._deletable(s, standing + self._passing(s, t), t)

        return [
            Forecast("cold", at=first_moment(cold, start)),
            Forecast("delete_candidate", at=first_moment(deletable, start)),
        ]

    def why(self, s: Signals, now: float) -> str:
        score = float(self.vitality(s, now)[0])
        active, delete = f"θ_active {self.theta_active:g}", f"θ_delete {self.theta_delete:g}"
        if score >= self.theta_active:
            return f"score {score:.3f} ≥ {active}"
        if score > self.theta_delete:
            return f"score {score:.3f} lies between {delete} and {active}"
        if self.judge(s, now).marks[0]:
            return f"score {score:.3f} ≤ {delete}, nothing links to it, and it has long been idle"
        return f"score {score:.3f} ≤ {delete}, but something links to it or it was used lately"

    def _standing(self, s: Signals) -> Column:
        """What time does not change."""
        standing: Column = (
            _counted(self.a, s.in_degree)
            + _counted(self.b, s.out_degree)
            + self.c * np.log1p(s.access_count)
            + _counted(self.d, s.traverse_count)
        )
        return standing

    def _passing(self, s: Signals, now: float | Column) -> Column:
        return (
            self.e * np.exp(since(now, s.last_accessed_at) / (-self.t_access * HOUR))
            + self.f * np.exp(since(now, s.last_linked_at) / (-self.t_link * HOUR))
            - since(now, s.created_at) * (self.g / (self.t_age * DAY))
        )

    def _deletable(self, s: Signals, vitality: Column, now: float | Column) -> Column:
        idle = since(now, np.maximum(s.last_accessed_at, s.last_linked_at))
        deletable: Column = (vitality <= self.theta_delete) & (s.in_degree == 0) & (idle >= self.delete_idle * DAY)
        return deletable


def _counted(weight: float, counts: Column) -> Column | float:
    """What links and walks are worth; where nobody links anything there is nothing to work out."""
    return weight * np.log1p(counts) if counts.any() else 0.0


_ACTIVE, _COLD, _DELETE = np.int8(CODE_OF[State.ACTIVE]), np.int8(CODE_OF[State.COLD]), np.int8(Mark.DELETE)
