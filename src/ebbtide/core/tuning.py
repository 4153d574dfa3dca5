"""Which regime would have kept what was needed? The rules of the measure, and its arithmetic.   SPEC B3.

A mind's own journal is replayed under each candidate with room for so many memories:

- A *use* is an access or a confirmed use of a memory that has been in the mind for more than a day. Uses of one memory
  within an hour of each other (`touch_spacing`) count once. Younger memories say nothing about forgetting.
- Whenever a put goes over the budget, what the engine's own budget would let go leaves (core/budget.py): the lowest
  vitality first, of equals the oldest, down to 1 % below the budget. Pinned and protected memories, those in focus and
  the one that was just put stay. Nothing is halved first: a text is there, or it is not.
- A use is *kept* if the memory is still there at that moment. What has left does not come back: all its later uses are
  lost. Only its owner can bring it back, by telling it anew or by restoring it.
- A use that is kept is *hidden* if its memory was in a state that a search leaves out.

All candidates are asked for the same uses, so two of them can be compared use by use.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.budget import SLACK, next_to_leave
from ebbtide.core.candidates import LRU, RANDOM, Candidate
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import Metabolism
from ebbtide.core.signals import Column, Signals

SHARES = (0.5, 0.25, 0.1)  # of the memories ever made, where the mind has no budget that matters
USUAL = 0.25  # the one of these by which candidates are compared, and the only one if the journal is long
LONG = 20_000  # entries
FEWEST = 20  # uses that say something
NAMED = 10  # lost memories that are named for each candidate
_STEPS = 12  # at most, of the time from the first use to the last
_LENGTHS = (DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 182 * DAY, 365 * DAY)
_CLEAR = 3.0  # deviations: a dozen candidates are compared with the first
_SCATTER, _MASK = np.int64(2_654_435_761), np.int64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Budget:
    """Room for so many memories, and which share that is of all the mind ever made."""

    memories: int
    share: float


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the time that was replayed: when it begins, and how many uses fall into it."""

    starts_at: float
    uses: int


@dataclass(frozen=True, slots=True)
class Loss:
    """A memory that would have left before it was used: how many of its uses that would have cost, and since when."""

    key: str
    text: str
    uses: int
    left_at: float | None


@dataclass(frozen=True, slots=True)
class Kept:
    """What one candidate keeps under one budget, in uses. `gained` and `missed`: against the mind's own parameters."""

    kept: int
    lost: int
    hidden: int
    gained: int
    missed: int
    steps: tuple[int, ...]  # how many of them are kept in each step
    losses: tuple[Loss, ...]  # most used first


@dataclass(frozen=True, slots=True)
class Outcome:
    """A candidate, and what it keeps under each of the budgets. `number` names it for a caller that chooses one."""

    number: int
    candidate: Candidate
    results: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Tuning:
    """What replaying a journal says about each candidate; the first one is the mind as it is.

    `main`: by which of the budgets they are compared. `best`: the number of the candidate that keeps the most uses
    there, the first of equals. `clear`: that this is more than chance explains. `enough`: whether there are uses to
    judge by at all. `decided`: memories the mind has let go by itself, whose later use could not be seen.
    """

    metabolism: str
    memories: int
    uses: int
    steps: tuple[Step, ...]
    budgets: tuple[Budget, ...]
    main: int
    outcomes: tuple[Outcome, ...]
    best: int
    clear: bool
    enough: bool
    decided: int
    seconds: float


# ---- budgets


def budgets(asked: Sequence[str | int], own: int, made: int, entries: int = 0) -> tuple[list[Budget], int]:
    """The budgets to test, and which is the main one: those asked for, the mind's own if it matters, or the usual."""
    if asked:
        return [_asked(each, made) for each in asked], 0
    if 0 < own < made:
        return [_of(own, made)], 0
    shares = SHARES if entries <= LONG else (USUAL,)
    return [_of(_share(share, made), made) for share in shares], shares.index(USUAL)


def _asked(said: str | int, made: int) -> Budget:
    """`25%` is a share of the memories ever made, a whole number is as many."""
    text = str(said).strip().replace("％", "%")
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    if isinstance(said, bool) or not math.isfinite(number) or number <= 0.0:
        raise InvalidInput(problem=f"{said!r:.80} is no budget: give a share such as 25%, or a number of memories")
    if text.endswith("%"):
        if number > 100.0:
            raise InvalidInput(problem=f"a budget of {said!r:.80} is more than all memories: at most 100%")
        return _of(_share(number / 100.0, made), made)
    if number != int(number):
        raise InvalidInput(problem=f"{said!r:.80} is no number of memories: give a whole one, or a share such as 25%")
    return _of(int(number), made)


def _share(share: float, made: int) -> int:
    return max(1, round(share * made))


def _of(memories: int, made: int) -> Budget:
    return Budget(memories, min(memories / made, 1.0) if made else 1.0)


# ---- who leaves


def worth(rule: str, s: Signals) -> Column | None:
    """How much each memory is worth to a reference; None: its vitality decides."""
    if rule == LRU:
        return s.last_accessed_at
    if rule == RANDOM:
        return (s.id * _SCATTER) & _MASK
    return None


def leaving(metabolism: Metabolism, rule: str, s: Signals, budget: int, now: float, new: int) -> Column:
    """The ids of those that leave a mind above its budget, as the engine's own budget would have it.

    The memory `new` was just put, and stays.
    """
    over = len(s) - budget
    if over <= 0:
        return s.id[:0]
    count = over + budget // SLACK
    return s.id[next_to_leave(metabolism, s, now, spare=(new,), most=count, worth=worth(rule, s))[:count]]


# ---- what came of it


def steps(at: Column) -> tuple[list[float], Column]:
    """When each step begins, and into which step each of these moments falls. At most a dozen, of a usual length."""
    if not len(at):
        return [], np.empty(0, np.int64)
    first, span = float(at.min()), float(at.max() - at.min())
    length = next((each for each in _LENGTHS if span < _STEPS * each), max(span / _STEPS, 1.0) * 1.001)
    place = ((at - first) / length).astype(np.int64)
    return [first + step * length for step in range(int(place.max()) + 1)], place


def per_step(place: Column, mask: Column, count: int) -> tuple[int, ...]:
    return tuple(np.bincount(place[mask], minlength=count).tolist())


def most_lost(memory: Column, kept: Column) -> list[tuple[int, int]]:
    """The memories with the most lost uses, and how many; of equals the oldest first."""
    ids, counts = np.unique(memory[~kept], return_counts=True)
    order = np.lexsort((ids, -counts))[:NAMED]
    return list(zip(ids[order].tolist(), counts[order].tolist(), strict=True))


def is_clear(gained: int, missed: int) -> bool:
    """Whether so many uses gained, against so many missed, is more than chance explains (a sign test)."""
    return gained - missed > _CLEAR * math.sqrt(gained + missed)
