"""Tide: need, estimated from use, content and what the mind is used for.   SPEC T1–T6.

need = (1−w)·[long_use·log2(1+U_long) + long_prior·P + long_recent·R]
     +    w ·[short_use·log2(1+U_short) + short_prior·P + short_recent·R] − superseded·S

U_h   confirmed uses, each of which is worth half after h days
R     1 / (1 + idle/recent_days), idle since the last confirmed use or birth
P     the content prior, 0–1, fixed when the words are first read (core/appraisal.py); a half until then
S     how much a newer memory says the same, 0–1
w     0: this agent lives by what lasts; towards 1: by what is new. From the newness of what it uses (`regime_weight`)

Nothing is hidden: a memory fades when its need is among the lowest of the mind, which only a budget acts upon. So its
state depends on the others: `Signals.peers` are the memories it is compared with.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ebbtide.core.memory import CODE_OF, DAY, State
from ebbtide.core.metabolism.base import (
    FOREVER,
    Bonus,
    Budgeted,
    Forecast,
    Traits,
    Verdicts,
    graded,
    param,
    since,
)
from ebbtide.core.metabolism.pinning import keeps_pinned
from ebbtide.core.signals import Column, Newness, Signals

UNREAD = -1.0  # the prior of a memory whose words were not read yet
AGAIN = -1  # in `superseded_by`: what superseded it has left or says something else; it waits to be compared again
_UNKNOWN = 0.5  # what it counts as until then
_HORIZON = np.geomspace(0.25, 3650.0, 48)  # days at which a forecast looks


@keeps_pinned
@dataclass(frozen=True, slots=True, kw_only=True)
class Tide(Bonus, Budgeted):
    name: ClassVar[str] = "tide"
    own: ClassVar[tuple[str, ...]] = ("use_long", "use_short", "used_at", "prior", "superseded", "superseded_by")
    states: ClassVar[tuple[State, ...]] = (State.ACTIVE, State.FADING)
    hidden: ClassVar[tuple[State, ...]] = ()
    traits: ClassVar[Traits] = Traits(
        relative=True,
        appraises=True,
        total="need",
        counts=frozenset({"recency", "superseded", "first_person"}),
    )

    long_use: float = param(1.0, 0.0)
    long_prior: float = param(1.5, 0.0)
    long_recent: float = param(0.5, 0.0)
    short_use: float = param(0.5, 0.0)
    short_prior: float = param(0.5, 0.0)
    short_recent: float = param(2.0, 0.0)
    superseded: float = param(1.0, 0.0)
    long_days: float = param(1000.0, above=0.0, unit="days")
    short_days: float = param(30.0, above=0.0, unit="days")
    recent_days: float = param(14.0, above=0.0, unit="days")
    supersede_from: float = param(0.75, 0.0, 0.999)
    prior_length: float = param(0.5)
    prior_idf: float = param(0.35)
    prior_time: float = param(0.3)
    prior_answers: float = param(0.4)
    prior_first: float = param(0.15)
    prior_asks: float = param(-0.2)
    prior_second: float = param(-0.1)
    regime_start: float = param(0.577, 0.0, 1.0)
    regime_belief: float = param(5.0, above=0.0, unit="uses")
    regime_from: float = param(0.54, 0.0, 1.0)
    regime_width: float = param(0.11, above=0.0)
    regime_most: float = param(0.9, 0.0, 1.0)
    fading_share: float = param(0.25, 0.0, 1.0)
    rank_bonus: float = param(0.2, 0.0, 1.0)
    tick_every: float = param(6.0, above=0.0, unit="hours")
    budget_memories: int = param(20_000, 0, unit="memories")

    # ---- need

    def vitality(self, s: Signals, now: float | Column) -> Column:
        """Block by block, so that what is worked out on the way stays in the processor's cache."""
        w, need = self.regime_weight(s.newness), np.empty(len(s))
        for start in range(0, len(s), _BLOCK):
            block = slice(start, start + _BLOCK)
            self._fill(need[block], s, block, now[block] if isinstance(now, np.ndarray) else now, w)
        return need

    def _fill(self, need: Column, s: Signals, block: slice, now: float | Column, w: float) -> None:
        """The needs of these rows. Logarithms and powers take the time: only for what was used at all."""
        self._recent(s.last_accessed_at[block], now, out=need)
        need *= (1.0 - w) * self.long_recent + w * self.short_recent
        need += ((1.0 - w) * self.long_prior + w * self.short_prior) * _prior(s.prior[block])
        if s.use_long[block].any():
            apart = since(now, s.used_at[block])
            need += ((1.0 - w) * self.long_use) * _worth(s.use_long[block], apart, self.long_days)
            if w:
                need += (w * self.short_use) * _worth(s.use_short[block], apart, self.short_days)
        if s.superseded[block].any():
            need -= self.superseded * s.superseded[block]

    def terms(self, s: Signals, now: float) -> dict[str, Column]:
        w = self.regime_weight(s.newness)
        long, short = self._uses(s, now)
        prior, recent = _prior(s.prior), self._recent(s.last_accessed_at, now)
        return {
            "lasting use": (1.0 - w) * self.long_use * long,
            "recent use": w * self.short_use * short,
            "content": ((1.0 - w) * self.long_prior + w * self.short_prior) * prior,
            "recency": ((1.0 - w) * self.long_recent + w * self.short_recent) * recent,
            "superseded": 0.0 - self.superseded * s.superseded,
        }

    def regime_weight(self, newness: Newness) -> float:
        """w: by the mean newness of what was used, starting from what is usual."""
        rho = (self.regime_belief * self.regime_start + newness.total) / (self.regime_belief + newness.uses)
        return float(min(max((rho - self.regime_from) / self.regime_width, 0.0), self.regime_most))

    def prior_weights(self) -> tuple[float, ...]:
        """In the order of `appraisal.NAMES`."""
        return (
            self.prior_length, self.prior_idf, self.prior_time, self.prior_asks, self.prior_first, self.prior_second,
            self.prior_answers,
        )  # fmt: skip

    def _uses(self, s: Signals, now: float | Column) -> tuple[Column, Column]:
        apart = since(now, s.used_at)
        return _worth(s.use_long, apart, self.long_days), _worth(s.use_short, apart, self.short_days)

    def _recent(self, used: Column, now: float | Column, out: Column | None = None) -> Column:
        recent = np.multiply(since(now, used), 1.0 / (self.recent_days * DAY), out=out)
        recent += 1.0
        return np.reciprocal(recent, out=recent)

    # ---- states

    def judge(self, s: Signals, now: float) -> Verdicts:
        need = self.vitality(s, now)
        floor = self._lowest(np.sort(need)) if s.peers is None else self.floor(s, now)
        return Verdicts(need, graded(_ACTIVE, (need < floor, _FADING)), np.zeros(len(s), np.int8))

    def floor(self, s: Signals, now: float) -> float:
        """The need below which a memory of this mind fades. With one memory, or a few, nothing does."""
        return self._lowest(self._ordered(self.vitality, s, now))

    def _lowest(self, ordered: Column) -> float:
        """The quantile `fading_share`, between two of these where it falls between them."""
        if len(ordered) * self.fading_share < 1.0:
            return -FOREVER
        place = self.fading_share * (len(ordered) - 1)
        low, high = ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)]
        return float(low + (high - low) * (place - int(place)))

    def _ordered(self, worth: Callable[[Signals, float], Column], s: Signals, now: float) -> Column:
        """What all that these are compared with are worth, ascending."""
        return np.sort(worth(s, now)) if s.peers is None else s.peers.ordered(worth, self, now)

    def scaled(self, vitality: Column) -> Column:
        """Few memories are needed more than by 2."""
        return np.clip(vitality / _MUCH, 0.0, 1.0)

    def standing(self, s: Signals, vitality: Column, now: float) -> Column:
        """The share of the mind's other memories that are needed less; equals share their place.

        It stays near a half where it says little, so that chance does not outrank a better match: among a few memories,
        as if there were `_FEW` more, spread evenly; where needs hardly differ, by their distance from the middle one;
        and where all texts are of one form, content is left out.
        """
        # Where texts differ enough that is need itself, which is sorted already for what is fading.
        ordered = self._ordered(self.vitality if s.variety == 1.0 else self._telling, s, now)
        need = self._told(s, vitality)
        twice = ordered.searchsorted(need, "left") + ordered.searchsorted(need, "right")
        place = (twice + (_FEW - 1)) / (2.0 * (len(ordered) - 1 + _FEW)) - 0.5
        most = np.abs(need - _middle(ordered)) / _APART
        standing: Column = 0.5 + np.clip(place, -most, most)
        return standing

    def _telling(self, s: Signals, now: float) -> Column:
        return self._told(s, self.vitality(s, now))

    def _told(self, s: Signals, need: Column) -> Column:
        """Need, with content only as far as the texts of this mind differ."""
        if s.variety == 1.0:
            return need
        w = self.regime_weight(s.newness)
        content = (1.0 - w) * self.long_prior + w * self.short_prior
        told: Column = need - (1.0 - s.variety) * content * (_prior(s.prior) - _UNKNOWN)
        return told

    def fades_at(self, s: Signals, now: float) -> list[Forecast]:
        """The first moment, of those a forecast looks at, at which it is among the lowest while all go unused."""
        at = np.full(len(s), FOREVER)
        for moment in (now, *(now + _HORIZON * DAY)):
            fading = (self.vitality(s, moment) < self.floor(s, moment)) & (at == FOREVER)
            at[fading] = moment
        return [Forecast("fading", at=at)]

    # ---- in words

    def why(self, s: Signals, now: float, told: Sequence[str] | None = None) -> str:
        """Its uses, its content and its place in the mind. `told`: what is to be said of the content instead."""
        about = (self.content_said(s),) if told is None else told
        return "; ".join(each for each in (self._used(s, now), *about, self._place(s, now)) if each)

    def content_said(self, s: Signals, says: str = "") -> str:
        """`says`: what can be read off the text; after it, what that amounts to."""
        if s.prior[0] == UNREAD:
            return "its words are not read yet, so its content counts as average"
        if s.id[0] == _FIRST_ID or len(_peers(s)) < 2:  # there was, or is, nothing to compare it with
            return says
        compared = f"content rated {100 * float(s.prior[0]):.0f} %"
        return f"{says} ({compared})" if says else compared

    def lives_by(self, newness: Newness) -> str:
        """The regime, as a sentence."""
        w = self.regime_weight(newness)
        if not newness.uses:
            return f"What this agent lives by is not known yet (w {w:.2f})."
        part = min(int(3.0 * w / max(self.regime_most, _ALIKE)), 2)
        what = ("by what lasts", "by what lasts and by what is new alike", "by what is new")[part]
        return f"This agent lives {what} (w {w:.2f})."

    def _place(self, s: Signals, now: float) -> str:
        need, floor = float(self.vitality(s, now)[0]), self.floor(s, now)
        fading = f": among the lowest {100 * self.fading_share:g} %, so it fades" if need < floor else ""
        return f"{self._compared(s, need, now)} (need {need:.3f}){fading}"

    def _compared(self, s: Signals, need: float, now: float) -> str:
        others = self.vitality(_peers(s), now)
        less, more = int((others < need - _ALIKE).sum()), int((others > need + _ALIKE).sum())
        if len(others) < 2:
            return "the only memory of this mind"
        if not less and not more:
            return "needed as much as every other memory of this mind"
        if not less or not more:
            return f"needed {'most' if less else 'least'} in this mind"
        share = min(max(round(100 * less / (len(others) - 1)), 1), 99)
        return f"needed more than {share} % of this mind"

    def _used(self, s: Signals, now: float) -> str:
        used, days = int(s.access_count[0]), f"{float(since(now, s.last_accessed_at)[0]) / DAY:.0f}"
        when = "today" if days == "0" else "1 day ago" if days == "1" else f"{days} days ago"
        if not used and s.use_long[0] > 0.0:
            return f"not used itself, but an older memory that it replaces was, put {when}"
        if not used:
            return "not used yet, put today" if days == "0" else f"never used, put {when}"
        return f"used once, {when}" if used == 1 else f"used {used} times, last {when}"

    # ---- bookkeeping

    def born(self, at: float, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "use_long": 0.0, "use_short": 0.0, "used_at": at, "prior": UNREAD, "superseded": 0.0, "superseded_by": 0,
        }  # fmt: skip

    def used(self, s: Signals, at: Column) -> dict[str, Column]:
        long, short = self.decayed(s, at)
        return {"use_long": long + 1.0, "use_short": short + 1.0, "used_at": np.maximum(at, s.used_at)}

    def touched(self, s: Signals, at: Column) -> dict[str, Column]:
        return self.used(s, at)

    def decayed(self, s: Signals, at: float | Column) -> tuple[Column, Column]:
        """U_long and U_short as they stand at a moment."""
        apart = since(at, s.used_at) / DAY
        return s.use_long * np.exp2(apart / -self.long_days), s.use_short * np.exp2(apart / -self.short_days)

    def relinked(self, s: Signals, at: float, weight: Column) -> dict[str, Column]:
        return {}


def _worth(uses: Column, apart: Column, days: float) -> Column:
    """log2(1 + U) after so many seconds."""
    worth: Column = np.exp2(apart * (-1.0 / (days * DAY)))
    worth *= uses
    worth += 1.0
    return np.log2(worth, out=worth)


def _middle(ordered: Column) -> float:
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2.0 if len(ordered) else 0.0


def _prior(prior: Column) -> Column:
    unread = prior == UNREAD
    return np.where(unread, _UNKNOWN, prior) if unread.any() else prior


def _peers(s: Signals) -> Signals:
    """The memories these are compared with."""
    return s if s.peers is None else s.peers.signals


_BLOCK = 32_768  # rows
_FIRST_ID = 1
_MUCH = 2.0
_APART = 1.5  # a need half of this above the middle one may have the whole bonus
_FEW = 10  # memories that are imagined beside the others when a place among them is told
_ALIKE = 1e-9
_ACTIVE, _FADING = np.int8(CODE_OF[State.ACTIVE]), np.int8(CODE_OF[State.FADING])
