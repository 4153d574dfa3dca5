"""What every metabolism answers, and the arithmetic they share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from ebbtide.core import ranking
from ebbtide.core.memory import State
from ebbtide.core.signals import Column, Signals

FOREVER = float("inf")
_HORIZON = 1000 * 365.25 * 86400.0  # beyond a thousand years we say "never"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a metabolism says of each row at one moment."""

    vitality: Column
    state: Column  # codes, see memory.STATES
    marks: Column  # bits, see memory.Mark
    score: Column | None = None  # the integer to be written down, where there is one


@dataclass(frozen=True, slots=True)
class Forecast:
    """When each row will reach something if nothing happens: a moment, or a number of scans; inf is never."""

    event: str
    at: Column | None = None
    scans: Column | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a metabolism does beyond judging, so that no other module has to ask for its name.

    Adding a metabolism is one module with its traits; what has methods of its own is narrowed to by `networked`,
    `merging` and `reaping` of this package.
    """

    by_scans: bool = False  # ages by scans of the compression cycle, not by time
    network: bool = False  # focus, entities, recall, compression, and links that age
    merges: bool = False  # looks for memories that say nearly the same, and makes suggestions
    reaps: bool = False  # has a reaper; a touch also reaches the evidence of what was touched
    scored: bool = False  # writes down a whole number from 0 to 100
    inputs: tuple[str, ...] = ()  # what a caller may say of a new memory beside its content
    ordered: tuple[str, str] | None = None  # two thresholds, the first of which must be the lower
    borders: tuple[tuple[str | float, str], ...] = ()  # vitality (a parameter or a number) below which a state begins
    limits: tuple[float, float] | None = None  # the ends of the scale, where vitality has fixed ones
    total: str = "vitality"  # what the terms amount to
    product: bool = False  # the terms are multiplied, not added
    relative: bool = False  # a memory's state depends on the other memories of the mind: `Signals.peers`
    counts: frozenset[str] = frozenset()  # of the terms of a rank, those that vitality says already
    appraises: bool = False  # looks at what a memory says, and at what is used: `Appraise`, `Supersede`, newness


class Metabolism(Protocol):
    """Pure arithmetic: `now` is an argument, columns in, columns out, one value per row.

    The methods `born`, `used`, `touched` and `relinked` are the metabolism's own bookkeeping. They return
    new values for the columns named in `own`, computed from the signals *before* the event.
    """

    name: ClassVar[str]
    own: ClassVar[tuple[str, ...]]
    states: ClassVar[tuple[State, ...]]
    hidden: ClassVar[tuple[State, ...]]  # left out of reading unless asked for
    traits: ClassVar[Traits]

    @property
    def budget_memories(self) -> int: ...
    @property
    def budget_characters(self) -> int: ...
    def protects(self, s: Signals) -> Column: ...
    def vitality(self, s: Signals, now: float) -> Column: ...
    def judge(self, s: Signals, now: float) -> Verdicts: ...
    def scaled(self, vitality: Column) -> Column:
        """Vitality as a number from 0 to 1."""
        ...

    def standing(self, s: Signals, vitality: Column, now: float) -> Column:
        """How these rows stand in their mind, from 0 to 1: what counts in ranking."""
        ...

    @property
    def rank_gain(self) -> float | None:
        """The most that `rank` adds to similarity, of which it takes nothing away; None where that is not so.

        A search need not look at what cannot come among its hits by that much.
        """
        ...

    def rank(self, similarity: Column, vitality: Column, standing: Column) -> Column:
        """The score by which a search orders its candidates."""
        ...

    def rank_formula(self) -> str:
        """The same in words, for explanations."""
        ...

    def terms(self, s: Signals, now: float) -> dict[str, Column]: ...
    def fades_at(self, s: Signals, now: float) -> list[Forecast]: ...
    def why(self, s: Signals, now: float) -> str: ...
    def born(self, at: float, given: Mapping[str, Any]) -> dict[str, Any]: ...
    def used(self, s: Signals, at: Column) -> dict[str, Column]: ...
    def touched(self, s: Signals, at: Column) -> dict[str, Column]: ...
    def relinked(self, s: Signals, at: float, weight: Column) -> dict[str, Column]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgeted:
    """What a mind may hold, whatever it ages by; 0 is no limit. `core/budget.py` says what leaves.   SPEC T7."""

    budget_memories: int = field(default=0, metadata={"low": 0, "unit": "memories"})
    budget_characters: int = field(default=0, metadata={"low": 0, "unit": "characters"})

    def protects(self, s: Signals) -> Column:
        """The rows that never leave for a budget, beside what is pinned or in focus."""
        return np.zeros(len(s), np.bool_)


class Bonus:
    """The rank in most metabolisms: vitality, scaled to 0–1, is worth at most `rank_bonus`.   SPEC R3, T6."""

    __slots__ = ()
    rank_bonus: float

    def scaled(self, vitality: Column) -> Column:
        """Vitality from 0 to 1."""
        return vitality

    def standing(self, s: Signals, vitality: Column, now: float) -> Column:
        return self.scaled(vitality)

    @property
    def rank_gain(self) -> float | None:
        return self.rank_bonus

    def rank(self, similarity: Column, vitality: Column, standing: Column) -> Column:
        return ranking.vital(similarity, standing, self.rank_bonus)

    def rank_formula(self) -> str:
        return f"similarity + lift + terms + {self.rank_bonus:g} × scaled"


class Quiet:
    """The bookkeeping of a metabolism that keeps no books of its own."""

    own: ClassVar[tuple[str, ...]] = ()

    def born(self, at: float, given: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def used(self, s: Signals, at: Column) -> dict[str, Column]:
        return {}

    def touched(self, s: Signals, at: Column) -> dict[str, Column]:
        return {}

    def relinked(self, s: Signals, at: float, weight: Column) -> dict[str, Column]:
        return {}


def param(
    default: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    above: float | None = None,
    unit: str = "",
) -> Any:
    """A parameter with its permitted range: low ≤ value ≤ high, or value > above."""
    return field(default=default, metadata={"low": low, "high": high, "above": above, "unit": unit})


def choice(default: str, options: Sequence[str]) -> Any:
    return field(default=default, metadata={"options": tuple(options)})


def graded(best: np.int8, *worse: tuple[Column, np.int8]) -> Column:
    """State codes: the best, then for each further condition the code it leads to; each condition implies the ones
    before it. Sums of bytes, which NumPy does many times quicker than `where`."""
    codes: Column = np.full(len(worse[0][0]), best)
    before = best
    for holds, code in worse:
        codes += holds * np.int8(code - before)
        before = code
    return codes


def since(now: float | Column, then: Column) -> Column:
    """Elapsed seconds; a clock that went backwards counts as no time at all."""
    return at_least(0.0, now - then)


def at_least(low: float, column: Column) -> Column:
    """np.maximum, several times quicker for columns that need no lifting, which is most of them."""
    return column if column.min(initial=low) >= low else np.maximum(column, low)


def first_moment(holds: Callable[[Column], Column], start: Column) -> Column:
    """The first moment ≥ start at which `holds` (false before, true ever after).

    Inf if that is not within a thousand years.
    Exact to the last bit of the float: at the moment just before it does not hold.
    """
    low = np.array(start, np.float64)
    already = holds(low)
    step = np.full(low.shape, 1.0)
    high = low + step
    while (short := ~holds(high) & (step < _HORIZON)).any():
        step = np.where(short, np.minimum(step * 4.0, _HORIZON), step)
        high = np.where(short, start + step, high)
    never = ~holds(high)
    middle = _between(low, high)
    while ((middle > low) & (middle < high)).any():
        true = holds(middle)
        high = np.where(true, middle, high)
        low = np.where(true, low, middle)
        middle = _between(low, high)
    return np.where(already, start, np.where(never, FOREVER, high))


def _between(low: Column, high: Column) -> Column:
    middle: Column = low + (high - low) / 2.0
    return middle
