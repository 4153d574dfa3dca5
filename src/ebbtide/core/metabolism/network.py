"""Network: importance is the strength of a memory's own links; scans, not seconds, wear it down.

SPEC N1, N5, N6.

A link's strength now = strength · decay_rate^(scan_count of its source − since), 1.0 while focus pins it,
and nothing once it is under link_break_threshold. Importance = Σ of these. From it follow
    importance ≥ 1      the text is protected
    0 < importance < 1  target length = length · importance
    target < delete_threshold, or importance 0: the next scan forgets it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ebbtide.core.memory import CODE_OF, State
from ebbtide.core.metabolism.base import (
    FOREVER,
    Bonus,
    Budgeted,
    Forecast,
    Quiet,
    Traits,
    Verdicts,
    choice,
    graded,
    param,
)
from ebbtide.core.metabolism.pinning import keeps_pinned
from ebbtide.core.signals import Column, Signals


@keeps_pinned
@dataclass(frozen=True, slots=True, kw_only=True)
class Network(Bonus, Quiet, Budgeted):
    name: ClassVar[str] = "network"
    states: ClassVar[tuple[State, ...]] = (State.ACTIVE, State.FADING, State.VANISHING)
    hidden: ClassVar[tuple[State, ...]] = ()
    traits: ClassVar[Traits] = Traits(by_scans=True, network=True, borders=((1.0, "fading"),), total="importance")

    focus_limit: int = param(5, 1)
    decay_rate: float = param(0.97, above=0.0, high=1.0)
    link_initial_strength: float = param(0.5, above=0.0, high=1.0)
    delete_threshold: int = param(5, 0, unit="characters")
    link_break_threshold: float = param(0.01, 0.0, 1.0)
    time_slice: int = param(30_000, 1, unit="milliseconds")
    default_search_depth: int = param(2, 1)
    scan_budget: int = param(0, 0, unit="nodes per cycle, 0: no limit")
    node_pool: int = param(0, 0, unit="nodes, 0: no limit")
    basis: str = choice("original", ("original", "current"))
    traces: str = choice("keep", ("keep", "sweep"))
    cue: str = choice("when_empty", ("when_empty", "never"))
    rank_bonus: float = param(0.1, 0.0, 1.0)
    tick_every: float = param(6.0, above=0.0, unit="hours")

    def strengths(self, s: Signals, extra_scans: Column | int = 0) -> Column:
        """Each link's strength now, or after so many more scans of its source."""
        scan_count, links = s.scan_count + extra_scans, s.links
        strengths = np.empty(len(links.row))
        for first in range(0, len(strengths), _BLOCK):
            some = slice(first, first + _BLOCK)
            scans = scan_count[links.row[some]] - links.since[some]
            worn = links.strength[some] * np.power(self.decay_rate, scans.astype(float))
            worn[worn < self.link_break_threshold] = 0.0
            worn[links.pinned[some]] = 1.0
            strengths[some] = worn
        return strengths

    def vitality(self, s: Signals, now: float, extra_scans: Column | int = 0) -> Column:
        return np.bincount(s.links.row, weights=self.strengths(s, extra_scans), minlength=len(s))

    def target_length(self, s: Signals, importance: Column) -> Column:
        """The length N6 leaves to the text, in whole characters."""
        target: Column = np.floor(self._basis_length(s) * np.minimum(importance, 1.0)).astype(np.int64)
        return target

    @property
    def shortest(self) -> int:
        """The fewest characters a text may have. With none left it is forgotten, however low the threshold."""
        return max(self.delete_threshold, 1)

    def judge(self, s: Signals, now: float) -> Verdicts:
        importance = self.vitality(s, now)
        return Verdicts(importance, self._state(s, importance), np.zeros(len(s), np.int8))

    def scaled(self, vitality: Column) -> Column:
        return np.minimum(vitality, 1.0)

    def terms(self, s: Signals, now: float) -> dict[str, Column]:
        pinned = np.bincount(s.links.row, weights=s.links.pinned.astype(float), minlength=len(s))
        return {"Σ pinned links": pinned, "Σ fading links": self.vitality(s, now) - pinned}

    def fades_at(self, s: Signals, now: float) -> list[Forecast]:
        return [
            Forecast("fading", scans=self._scans_until(s, lambda code: code != _ACTIVE)),
            Forecast("vanishing", scans=self._scans_until(s, lambda code: code == _VANISHING)),
        ]

    def why(self, s: Signals, now: float) -> str:
        importance = float(self.vitality(s, now)[0])
        if s.id[0] in s.focus:
            return "in focus: neither scanned nor shortened"
        if importance >= 1.0:
            return f"importance {importance:.3f} ≥ 1: the text is protected"
        target = int(self.target_length(s, np.array([importance]))[0])
        if importance == 0.0 or target < self.shortest:
            return f"importance {importance:.3f} leaves {target} characters: the next scan forgets it"
        length = int(self._basis_length(s)[0])
        return f"importance {importance:.3f} < 1 leaves {target} of {length} characters"

    def _basis_length(self, s: Signals) -> Column:
        return s.original_length if self.basis == "original" else s.length

    def _state(self, s: Signals, importance: Column) -> Column:
        # A target in whole characters is below a whole number just where the fraction is.
        gone = (importance == 0.0) | (self._basis_length(s) * importance < self.shortest)
        faded = importance < 1.0
        state = graded(_ACTIVE, (faded, _FADING), (faded & gone, _VANISHING))
        if s.focus:
            state[np.isin(s.id, s.focus)] = _ACTIVE
        return state

    def _scans_until(self, s: Signals, reached: Callable[[Column], Column]) -> Column:
        """How many more scans bring each row there (bisection; a row that never gets there: inf)."""
        low, high = np.full(len(s), -1), np.full(len(s), self.longest_life())
        never = ~reached(self._state(s, self.vitality(s, 0.0, high)))
        while (high - low > 1).any():
            middle = high - (high - low) // 2  # a row that is done asks at `high` again, where it is true
            true = reached(self._state(s, self.vitality(s, 0.0, middle)))
            high, low = np.where(true, middle, high), np.where(true, low, middle)
        return np.where(never, FOREVER, high)

    def longest_life(self) -> int:
        """Scans after which any link that is not pinned has broken; 0 if none ever will."""
        if self.decay_rate == 1.0:
            return 0
        broken = np.log(self.link_break_threshold) if self.link_break_threshold else _LOG_OF_NOTHING
        return int(np.ceil(broken / np.log(self.decay_rate))) + 1


# Links worked on at a time: at 128 kB a column, what is computed on the way stays in the processor's cache, and its
# memory is used again instead of being given back to the system each time.
_BLOCK = 16_000
_LOG_OF_NOTHING = -746.0  # e^−746 is 0 in a float
_ACTIVE, _FADING = np.int8(CODE_OF[State.ACTIVE]), np.int8(CODE_OF[State.FADING])
_VANISHING = np.int8(CODE_OF[State.VANISHING])
