"""The content prior: how likely a memory is to be needed, from what can be read off its text.   SPEC T3.

    x = Σ weight · z(feature)        z: by the running mean and deviation within the mind, the memory itself included
    P = share of the mind's earlier memories with a lower x, as if ten more stood evenly around

`Appraisals` is the running part: counts, means, squared deviations and a histogram of x. It grows with every memory
that is read and never shrinks, so that P compares a memory with all that came before it, also with what has left.
The histogram makes it bounded: x is compared in steps of 0.025, which is at most one hundredth of P.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ebbtide.core.signals import Column

LOW, HIGH, BINS = -5.0, 5.0, 400
_FEW = 10  # memories that are imagined evenly around: a place among one or two says little, and P stays for life


class Features(NamedTuple):
    """What can be read off one memory's text; flags are 0 or 1."""

    length: float  # ln(1 + characters), where a Han character counts as three
    idf: float  # how rare its words are in the mind, 0 to 1 on average: 1 where no other memory has any of them
    time: float  # names a time
    asks: float  # ends in a question mark
    first: float  # speaks in the first person
    second: float  # addresses a second person


# How far each of `NAMES` varies in conversations; see `Appraisals.variety`.
_USUAL = np.array([0.6, 0.06, 0.35, 0.4, 0.5, 0.5, 0.4])

# The columns that are weighed. `answers`: the memory before it asked.
NAMES = (*Features._fields, "answers")


@dataclass(slots=True)
class Appraisals:
    """What a mind knows of the features of all memories it has read so far."""

    count: int
    mean: Column
    squares: Column  # sums of squared deviations from the mean
    bins: Column
    asked: float  # whether the last one ended in a question mark

    @classmethod
    def none(cls) -> "Appraisals":
        return cls(0, np.zeros(len(NAMES)), np.zeros(len(NAMES)), np.zeros(BINS, np.int64), 0.0)

    def take(self, rows: Sequence[Features], weights: Sequence[float]) -> list[float]:
        """The priors of these, in order; each is compared with those before it, and then known itself."""
        return [self._prior(row, np.asarray(weights)) for row in rows]

    def _prior(self, row: Features, weights: Column) -> float:
        values = np.array([*row, self.asked])
        self.asked = row.asks
        self._learn(values)
        x = math.fsum(weights * self._standing_out(values))  # the same on every machine, unlike a product of matrices
        place = min(max(int((x - LOW) / (HIGH - LOW) * BINS), 0), BINS - 1)
        below = int(self.bins[:place].sum()) + 0.5 * int(self.bins[place])
        self.bins[place] += 1
        return (below + _FEW / 2.0) / (self.count - 1 + _FEW)

    def _learn(self, values: Column) -> None:
        """Welford's running mean and sum of squares."""
        self.count += 1
        apart = values - self.mean
        self.mean = self.mean + apart / self.count
        self.squares = self.squares + apart * (values - self.mean)

    def _standing_out(self, values: Column) -> Column:
        """By how many deviations; nothing stands out where all are alike."""
        spread = np.sqrt(self.squares / self.count)
        out = values - self.mean
        standing: Column = np.divide(out, spread, out=np.zeros_like(out), where=spread > _ALIKE)
        return standing

    def variety(self, weights: Sequence[float]) -> float:
        """How far the texts differ in what is read off them: 1 as in conversations, 0 where they are all of one form.

        P tells memories apart by these features. Among short facts of one form it is chance what stands out, for z
        makes the smallest differences large. The share of the weighed variance of conversations counts: all from two
        thirds on, nothing up to one third.
        """
        spread = np.minimum(np.sqrt(self.squares / max(self.count, 1)) / _USUAL, 1.0)
        squared = np.asarray(weights) ** 2
        share = float((squared * spread**2).sum() / max(squared.sum(), _ALIKE))
        return min(max(3.0 * share - 1.0, 0.0), 1.0)

    # ---- as plain values

    def plain(self) -> dict[str, Any]:
        """Bins that are empty at both ends are left out: most minds use a tenth of them."""
        used = np.flatnonzero(self.bins)
        first, last = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
        return {
            "count": self.count,
            "mean": self.mean.tolist(),
            "squares": self.squares.tolist(),
            "first": first,
            "bins": self.bins[first:last].tolist(),
            "asked": self.asked,
        }

    @classmethod
    def of(cls, plain: dict[str, Any]) -> "Appraisals":
        if not plain:
            return cls.none()
        bins = np.zeros(BINS, np.int64)
        bins[plain["first"] : plain["first"] + len(plain["bins"])] = plain["bins"]
        mean, squares = np.array(plain["mean"], np.float64), np.array(plain["squares"], np.float64)
        return cls(plain["count"], mean, squares, bins, plain["asked"])


_ALIKE = 1e-9
