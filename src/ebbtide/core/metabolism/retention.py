"""Retention: Ebbinghaus forgetting, R = I · exp(−Δt / S), with a soft time to live.   SPEC R1–R6.

expires_at = last access + S · ln(I / T_delete): the moment R reaches T_delete. Never sooner than an hour, never
while something is SUPPORTED_BY it or it is in an EQUIV relation, and not before the last such link has gone.
A touch makes it stronger, the more the longer it was left alone: S ← S · (1 + g · (1 − exp(−Δt / S))), Δt since the
touch before (or since it was made: reading alone neither strengthens nor takes anything away).
What has been expired for longer than `reap_buffer` the reaper deletes, prunes or keeps, by its importance. What is
of middling importance is pruned first, and deleted `prune_days` after that pruning has really happened. The first run
after a pause (`after_pause`) deletes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ebbtide.core import ranking
from ebbtide.core.memory import CODE_OF, DAY, HOUR, POLICIES, Policy, State
from ebbtide.core.metabolism.base import (
    FOREVER,
    Budgeted,
    Forecast,
    Traits,
    Verdicts,
    at_least,
    graded,
    param,
    since,
)
from ebbtide.core.metabolism.pinning import keeps_pinned
from ebbtide.core.signals import NEVER, Column, Signals

KEEP, PRUNE, DELETE = np.int8(0), np.int8(1), np.int8(2)


@keeps_pinned
@dataclass(frozen=True, slots=True, kw_only=True)
class Retention(Budgeted):
    name: ClassVar[str] = "retention"
    own: ClassVar[tuple[str, ...]] = ("importance", "strength", "policy", "protected", "exposed_at", "pruned_at")
    states: ClassVar[tuple[State, ...]] = (State.ACTIVE, State.EXPIRED)
    hidden: ClassVar[tuple[State, ...]] = (State.EXPIRED,)
    traits: ClassVar[Traits] = Traits(
        counts=frozenset({"recency"}),
        reaps=True,
        inputs=("importance", "policy"),
        ordered=("delete_importance", "prune_importance"),
        borders=(("delete_below", "expired"),),
        total="R = product",
        product=True,
    )

    delete_below: float = param(0.05, above=0.0, high=1.0)
    initial_importance: float = param(0.5, 0.0, 1.0)
    initial_strength: float = param(1.0, above=0.0, high=365.0, unit="days")
    ephemeral_strength: float = param(0.25, above=0.0, unit="days")
    ephemeral_max: float = param(1.0, above=0.0, unit="days")
    max_strength: float = param(365.0, above=0.0, unit="days")
    shortest_life: float = param(1.0, 0.0, unit="hours")
    touch_gain: float = param(1.0, 0.0)
    decay_weight: float = param(1.0, 0.0)
    reap_buffer: float = param(24.0, 0.0, unit="hours")
    delete_importance: float = param(0.2, 0.0, 1.0)
    prune_importance: float = param(0.7, 0.0, 1.0)
    prune_days: float = param(30.0, 0.0, unit="days")
    tick_every: float = param(1.0, above=0.0, unit="hours")
    reap_every: float = param(24.0, above=0.0, unit="hours")
    reap_pause: float = param(7.0, 0.0, unit="days")
    auto_reap: bool = param(True)

    def vitality(self, s: Signals, now: float) -> Column:
        return s.importance * np.exp(since(now, s.last_accessed_at) / (s.strength * -DAY))

    def judge(self, s: Signals, now: float) -> Verdicts:
        expired = self.spent(s, now) & (s.protected == 0)
        return Verdicts(self.vitality(s, now), graded(_ACTIVE, (expired, _EXPIRED)), np.zeros(len(s), np.int8))

    def protects(self, s: Signals) -> Column:
        kept: Column = (s.protected > 0) | (s.policy == _PERSISTENT)
        return kept

    def scaled(self, vitality: Column) -> Column:
        return vitality

    def standing(self, s: Signals, vitality: Column, now: float) -> Column:
        return vitality

    @property
    def rank_gain(self) -> float | None:
        return None if self.decay_weight else 0.0

    def rank(self, similarity: Column, vitality: Column, standing: Column) -> Column:
        return ranking.retained(similarity, vitality, self.decay_weight)

    def rank_formula(self) -> str:
        return f"(similarity + lift + terms) × R^{self.decay_weight:g}"

    def terms(self, s: Signals, now: float) -> dict[str, Column]:
        return {
            "I": s.importance,
            "exp(−Δt/S)": np.exp(since(now, s.last_accessed_at) / (s.strength * -DAY)),
        }

    def expires_at(self, s: Signals) -> Column:
        return np.where((s.policy == _PERSISTENT) | (s.protected > 0), FOREVER, self._ends(s))

    def _ends(self, s: Signals) -> Column:
        """When each would expire by its strength alone, or did once nothing protected it any more."""
        with np.errstate(divide="ignore"):  # importance 0: ln 0 = −inf, lifted to the shortest life
            life = s.strength * DAY * np.log(s.importance / self.delete_below)
        ends: Column = s.last_accessed_at + at_least(self.shortest_life * HOUR, life)
        return ends if s.exposed_at.max(initial=NEVER) == NEVER else np.maximum(ends, s.exposed_at)

    def spent(self, s: Signals, now: float) -> Column:
        """Who would have expired by now if nothing protected it."""
        spent: Column = (self._ends(s) <= now) & (s.policy != _PERSISTENT)
        return spent

    def fades_at(self, s: Signals, now: float) -> list[Forecast]:
        """As if the reaper ran whenever something is due: what should have been pruned by now is pruned now."""
        expires = self.expires_at(s)
        due = self._due(expires)
        pruned = np.maximum(np.where(self._middling(s) & (s.pruned_at == NEVER), due, FOREVER), now)
        deleted = np.where(s.pruned_at == NEVER, pruned + self.prune_days * DAY, self._deleted_at(s, due))
        deleted = np.where(s.importance < self.delete_importance, due, deleted)
        return [
            Forecast("expired", at=np.maximum(expires, now)),
            Forecast("pruned", at=pruned),
            Forecast("deleted", at=np.maximum(deleted, now)),
        ]

    def reaping(self, s: Signals, now: float) -> Column:
        """What the reaper does with each row at this moment: KEEP, PRUNE or DELETE."""
        due = self._due(self.expires_at(s))
        prune = self._middling(s) & (s.pruned_at == NEVER) & (due <= now)
        delete = self._deleted_at(s, due) <= now
        return graded(KEEP, (prune | delete, PRUNE), (delete, DELETE))

    def after_pause(self, reaped_at: float | None, now: float) -> bool:
        """Whether nothing has run for so long that a run deletes nothing. A clock put back by as much counts as well.

        A rhythm slower than the pause is no pause: two intervals have to pass at least.
        """
        pause = max(self.reap_pause * DAY, 2.0 * self.reap_every * HOUR)
        return reaped_at is None or abs(now - reaped_at) > pause

    def _due(self, expires: Column) -> Column:
        return expires + self.reap_buffer * HOUR

    def _middling(self, s: Signals) -> Column:
        middling: Column = (s.importance >= self.delete_importance) & (s.importance < self.prune_importance)
        return middling

    def _deleted_at(self, s: Signals, due: Column) -> Column:
        """When each may be deleted; never where it has to be pruned before, or is kept."""
        pruned = self._middling(s) & (s.pruned_at > NEVER)
        after_pruning = np.where(pruned, np.maximum(s.pruned_at, due) + self.prune_days * DAY, FOREVER)
        return np.where(s.importance < self.delete_importance, due, after_pruning)

    def why(self, s: Signals, now: float) -> str:
        left = float(self.expires_at(s)[0]) - now
        retention = f"R {float(self.vitality(s, now)[0]):.4f}"
        if s.policy[0] == _PERSISTENT:
            return f"{retention}; the policy is persistent: it never expires"
        if s.protected[0]:
            return f"{retention}; it does not expire while something is SUPPORTED_BY it or EQUIV to it"
        side = "left" if left > 0 else "over"
        pruned = "" if s.pruned_at[0] == NEVER else f"; pruned {(now - float(s.pruned_at[0])) / DAY:.2f} days ago"
        return f"{retention}, T_delete {self.delete_below:g}: {abs(left) / DAY:.2f} days {side}{pruned}"

    def born(self, at: float, given: Mapping[str, Any]) -> dict[str, Any]:
        policy = Policy(given.get("policy") or Policy.NORMAL)
        importance = given.get("importance")
        return {
            "importance": self.initial_importance if importance is None else importance,
            "strength": self._strength_at_birth(policy),
            "policy": POLICIES.index(policy),
            "protected": 0,
            "exposed_at": NEVER,
            "pruned_at": NEVER,
        }

    def _strength_at_birth(self, policy: Policy) -> float:
        if policy is Policy.EPHEMERAL:
            return min(self.ephemeral_strength, self.ephemeral_max)
        return min(self.initial_strength, self.max_strength)

    def used(self, s: Signals, at: Column) -> dict[str, Column]:
        return {}

    def touched(self, s: Signals, at: Column) -> dict[str, Column]:
        """Never weaker than before, also where the cap was lowered meanwhile."""
        apart = since(at, np.maximum(s.last_touched_at, s.created_at)) / DAY
        grown = s.strength * (1.0 - self.touch_gain * np.expm1(-apart / s.strength))
        cap = np.where(s.policy == _EPHEMERAL, min(self.ephemeral_max, self.max_strength), self.max_strength)
        return {"strength": np.maximum(s.strength, np.minimum(grown, cap))}

    def relinked(self, s: Signals, at: float, weight: Column) -> dict[str, Column]:
        return {}


_ACTIVE, _EXPIRED = np.int8(CODE_OF[State.ACTIVE]), np.int8(CODE_OF[State.EXPIRED])
_PERSISTENT, _EPHEMERAL = (np.int8(POLICIES.index(policy)) for policy in (Policy.PERSISTENT, Policy.EPHEMERAL))
