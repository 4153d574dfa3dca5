"""A linear rank fitted to questions: candidates in, weights out, and how well an order finds the evidence.

Loss: softmax cross entropy over the candidates of a question; its pieces of evidence share the mass. Each data set
weighs the same, however many questions it has. What is added to the terms (similarity, vitality) has the weight 1; how
sharp the softmax is, is fitted too. A penalty draws the weights to where they start.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from bench.conversations import K, Score
from ebbtide.core.signals import Column

PENALTY = 0.02  # × squared distance, for each data set
_SHARPNESS = float(np.log(12.0))  # to begin with
_STEPS = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's candidates: row i of each column is one. `groups`: of which one row is to be found, each."""

    base: Column  # what counts in the rank beside the terms
    terms: Column  # (candidate, term)
    groups: tuple[Column, ...]  # rows; empty where no candidate belongs to it

    def score(self, weights: Column) -> Score:
        """Of equals the first row comes first."""
        order = np.argsort(-(self.base + self.terms @ weights), kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        places = [int(min(place[rows].min(initial=K), K)) for rows in self.groups]
        return Score(tuple(places), tuple(0.0 for _ in places))


class Set:
    """One data set as flat columns, question after question; those whose evidence is no candidate teach nothing."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        found = [each for each in asked if any(map(len, each.groups))]
        sizes = np.array([len(each.base) for each in found])
        self.base = np.concatenate([each.base for each in found])
        self.terms = np.concatenate([each.terms for each in found])
        self.starts = np.cumsum(sizes) - sizes
        self.question = np.repeat(np.arange(len(found)), sizes)
        self.wanted = np.concatenate([_wanted(each) for each in found])

    def loss(self, weights: Column, sharpness: float) -> tuple[float, Column, float]:
        """The mean over the questions, and its derivatives by the weights and by the sharpness."""
        raw = self.base + self.terms @ weights
        score = sharpness * raw
        top = np.maximum.reduceat(score, self.starts)
        mass = np.exp(score - top[self.question])
        total = np.add.reduceat(mass, self.starts)
        losses = np.log(total) + top - np.add.reduceat(self.wanted * score, self.starts)
        slope = (mass / total[self.question] - self.wanted) / len(self.starts)
        return float(losses.mean()), sharpness * (slope @ self.terms), float(slope @ raw)


def _wanted(asked: Asked) -> Column:
    """What each row should have of the mass."""
    wanted = np.zeros(len(asked.base))
    wanted[np.unique(np.concatenate(asked.groups)).astype(np.int64)] = 1.0
    wanted /= wanted.sum()
    return wanted


def fit(sets: Mapping[str, Sequence[Set]], start: Column, penalty: float = PENALTY) -> Column:
    """The weights of the terms. The parts of a data set share its weight."""

    def loss(x: Column) -> tuple[float, Column]:
        weights, sharpness = x[:-1], float(np.exp(x[-1]))
        off = weights - start
        value, slope = penalty * len(sets) * float(off @ off), np.append(2 * penalty * len(sets) * off, 0.0)
        for parts in sets.values():
            for part in parts:
                one, by_weight, by_sharpness = part.loss(weights, sharpness)
                value += one / len(parts)
                slope += np.append(by_weight, sharpness * by_sharpness) / len(parts)
        return value, slope

    found = minimize(loss, np.append(start, _SHARPNESS), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    weights: Column = found.x[:-1]
    return weights
