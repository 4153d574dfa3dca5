"""The most that any policy could keep, by one that knows every question beforehand: a linear program.

An item is wanted at some of the questions that count. x[i, k] is how much of item i is kept until the k-th of them: at
most 1, never more than until the one before, and gone after the last. Between two questions the room is tightest just
before the second, so one limit for each moment is enough. Fractions of an item are allowed, so this is an upper bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.optimize import linprog  # type: ignore[import-untyped]
from scipy.sparse import coo_matrix  # type: ignore[import-untyped]

from bench.replaying import Budget
from bench.timelines import Ask, TimeLine


@dataclass(slots=True)
class _Program:
    """Rows of A·x ≤ b, as they come."""

    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)

    def add(self, terms: Sequence[tuple[int, float]], limit: float) -> None:
        self.rows += [len(self.limits)] * len(terms)
        self.columns += [column for column, _ in terms]
        self.values += [value for _, value in terms]
        self.limits.append(limit)


def bound(line: TimeLine, asks: Sequence[Ask], budget: Budget) -> float:
    """The highest possible mean share of evidence kept over the questions that count."""
    counted = [ask for ask in asks if ask.counts]
    moments = sorted({ask.after for ask in counted})
    wanted: dict[int, list[int]] = {}  # of each item: the moments at which it is wanted
    for ask in counted:
        for item in ask.question.evidence.tolist():
            wanted.setdefault(item, []).append(ask.after)
    column = {
        (item, moment): place
        for place, (item, moment) in enumerate(
            (item, moment) for item, times in wanted.items() for moment in sorted(set(times))
        )
    }
    program, gains = _Program(), np.zeros(len(column) + sum(len(ask.question.groups) for ask in counted))
    _fade(program, wanted, column)
    _fit(program, wanted, column, moments, line, budget)
    _serve(program, counted, column, gains)
    shape = (len(program.limits), len(gains))
    matrix = coo_matrix((program.values, (program.rows, program.columns)), shape)
    solved = linprog(-gains, A_ub=matrix.tocsr(), b_ub=program.limits, bounds=(0.0, 1.0), method="highs")
    return float(-solved.fun)


def _fade(program: _Program, wanted: dict[int, list[int]], column: dict[tuple[int, int], int]) -> None:
    for item, times in wanted.items():
        in_order = sorted(set(times))
        for earlier, later in pairwise(in_order):
            program.add([(column[item, later], 1.0), (column[item, earlier], -1.0)], 0.0)


def _fit(
    program: _Program,
    wanted: dict[int, list[int]],
    column: dict[tuple[int, int], int],
    moments: Sequence[int],
    line: TimeLine,
    budget: Budget,
) -> None:
    """What is held at each moment: every item born by then, for the sake of the next moment that wants it."""
    for moment in moments:
        held = [
            (column[item, min(time for time in times if time >= moment)], 1.0)
            for item, times in wanted.items()
            if item < moment and max(times) >= moment
        ]
        program.add(held, budget.room(moment, len(line)))


def _serve(program: _Program, counted: Sequence[Ask], column: dict[tuple[int, int], int], gains: np.ndarray) -> None:
    """Each group of a question is served by its members, at most once."""
    place = len(column)
    for ask in counted:
        for group in ask.question.groups:
            program.add([(place, 1.0), *((column[item, ask.after], -1.0) for item in set(group))], 0.0)
            gains[place] = 1 / len(ask.question.groups) / len(counted)
            place += 1
