"""Retention: Ebbinghaus forgetting, R = I · exp(−Δt / S), with a soft time to live.   SPEC R1–R2.

expires_at = last access + S · ln(I / T_delete): the moment R reaches T_delete. Never sooner than an hour.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ebbtide.core.memory import CODE_OF, DAY, HOUR, POLICIES, Policy, State
from ebbtide.core.metabolism.base import FOREVER, Forecast, Verdicts, at_least, graded, param, since
from ebbtide.core.signals import Column, Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    name: ClassVar[str] = "retention"
    own: ClassVar[tuple[str, ...]] = ("importance", "strength", "policy")
    states: ClassVar[tuple[State, ...]] = (State.ACTIVE, State.EXPIRED)
    hidden: ClassVar[tuple[State, ...]] = (State.EXPIRED,)

    delete_below: float = param(0.05, above=0.0, high=1.0)
    initial_importance: float = param(0.5, 0.0, 1.0)
    initial_strength: float = param(1.0, above=0.0, high=365.0, unit="days")
    ephemeral_strength: float = param(0.25, above=0.0, unit="days")
    ephemeral_max: float = param(1.0, above=0.0, unit="days")
    max_strength: float = param(365.0, above=0.0, unit="days")
    shortest_life: float = param(1.0, 0.0, unit="hours")

    def vitality(self, s: Signals, now: float) -> Column:
        return s.importance * np.exp(since(now, s.last_accessed_at) / (s.strength * -DAY))

    def judge(self, s: Signals, now: float) -> Verdicts:
        expired = (self._ends(s) <= now) & (s.policy != _PERSISTENT)
        return Verdicts(self.vitality(s, now), graded(_ACTIVE, (expired, _EXPIRED)), np.zeros(len(s), np.int8))

    def terms(self, s: Signals, now: float) -> dict[str, Column]:
        return {
            "I": s.importance,
            "exp(−Δt/S)": np.exp(since(now, s.last_accessed_at) / (s.strength * -DAY)),
        }

    def expires_at(self, s: Signals) -> Column:
        return np.where(s.policy == _PERSISTENT, FOREVER, self._ends(s))

    def _ends(self, s: Signals) -> Column:
        """When each would expire by its strength alone."""
        with np.errstate(divide="ignore"):  # importance 0: ln 0 = −inf, lifted to the shortest life
            life = s.strength * DAY * np.log(s.importance / self.delete_below)
        ends: Column = s.last_accessed_at + at_least(self.shortest_life * HOUR, life)
        return ends

    def fades_at(self, s: Signals, now: float) -> list[Forecast]:
        return [Forecast("expired", at=np.maximum(self.expires_at(s), now))]

    def why(self, s: Signals, now: float) -> str:
        left = float(self.expires_at(s)[0]) - now
        retention = f"R {float(self.vitality(s, now)[0]):.4f}"
        if left == FOREVER:
            return f"{retention}; the policy is persistent: it never expires"
        side = "left" if left > 0 else "over"
        return f"{retention}, T_delete {self.delete_below:g}: {abs(left) / DAY:.2f} days {side}"

    def born(self, at: float, given: Mapping[str, Any]) -> dict[str, Any]:
        policy = Policy(given.get("policy") or Policy.NORMAL)
        importance = given.get("importance")
        return {
            "importance": self.initial_importance if importance is None else importance,
            "strength": self._strength_at_birth(policy),
            "policy": POLICIES.index(policy),
        }

    def _strength_at_birth(self, policy: Policy) -> float:
        if policy is Policy.EPHEMERAL:
            return min(self.ephemeral_strength, self.ephemeral_max)
        return min(self.initial_strength, self.max_strength)

    def used(self, s: Signals, at: Column) -> dict[str, Column]:
        return {}

    def relinked(self, s: Signals, at: float, weight: Column) -> dict[str, Column]:
        return {}


_ACTIVE, _EXPIRED = np.int8(CODE_OF[State.ACTIVE]), np.int8(CODE_OF[State.EXPIRED])
_PERSISTENT = np.int8(POLICIES.index(Policy.PERSISTENT))
