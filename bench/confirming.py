"""What an agent says that it used after a question: the truth, part of it, also wrong ones, a guess, nothing, all."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache

import numpy as np

from bench.timelines import Question, TimeLine
from ebbtide.core import dates
from ebbtide.core.credit import Shown, counted, weigh
from ebbtide.core.parameters import Common
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, code_of
from ebbtide.models.analysis import Analyzer

SPARSE = 0.25
THRESHOLD = Common().credit_threshold

# From the question, the living items, the hits (best first) with their similarity, and chance: the items confirmed.
Confirm = Callable[["Asked"], list[int]]


class Asked:
    """A question at the moment it is answered."""

    def __init__(
        self, line: TimeLine, question: Question, alive: Column, hits: Column, similarity: Column, seed: int
    ) -> None:
        self.line, self.question, self.alive = line, question, alive
        self.hits, self.similarity = hits, similarity
        self.chance = np.random.default_rng(seed)

    @property
    def right(self) -> list[int]:
        return [item for item in self.question.evidence.tolist() if self.alive[item]]


def right(asked: Asked) -> list[int]:
    return asked.right


def sparse(asked: Asked) -> list[int]:
    """Each right confirmation is made with a chance of a quarter."""
    evidence = asked.question.evidence
    made = asked.chance.random(len(evidence)) < SPARSE
    return [item for item in evidence[made].tolist() if asked.alive[item]]


def half_wrong(asked: Asked) -> list[int]:
    """For each right one also a wrong one, drawn from the other hits."""
    right = asked.right
    others = [item for item in asked.hits.tolist() if item not in right]
    wrong = asked.chance.permutation(others)[: len(right)].astype(np.int64).tolist()
    return [*right, *wrong]


def credited(asked: Asked) -> list[int]:
    """The hits that the answer surely draws on, by the engine's own measure and default threshold."""
    if not asked.question.answer or not len(asked.hits):
        return []
    sure = confidence(asked)
    return [int(item) for item in asked.hits[(sure > 0.0) & (sure >= THRESHOLD)]]


def nothing(asked: Asked) -> list[int]:
    return []


def every_hit(asked: Asked) -> list[int]:
    return [int(item) for item in asked.hits]


CONFIRMATIONS: dict[str, Confirm] = {
    "right": right,
    "25 %": sparse,
    "one wrong for each right": half_wrong,
    "credit": credited,
    "none": nothing,
    "every hit": every_hit,
}


# ---- credit, fed as `mind.credit` feeds it


def confidence(asked: Asked) -> Column:
    """How surely the answer draws on each of the hits."""
    line, question = asked.line, asked.question
    answer = _terms(question.answer)
    terms = [_terms(line.texts[item]) for item in asked.hits.tolist()]
    named = [_dates(line.texts[item], float(line.at[item])) for item in asked.hits.tolist()]
    codes = np.unique(np.concatenate([answer, *terms]))
    return weigh(
        Shown(terms, named, asked.similarity),
        np.concatenate([answer, _dates(question.answer)]),
        np.concatenate([_terms(question.text), _dates(question.text)]),
        line.frequencies(codes, asked.alive),
    ).confidence


_ANALYZER = Analyzer()


@lru_cache(maxsize=1 << 15)
def _terms(text: str) -> Column:
    return counted(_ANALYZER.query(text))


@lru_cache(maxsize=1 << 15)
def _dates(text: str, made: float | None = None) -> Column:
    """The dates that a text names, and that of the day it was made."""
    found: list[Iterable[str]] = [dates.named(text)]
    if made is not None:
        day = datetime.fromtimestamp(made, UTC)
        found.append(dates.of(day.year, day.month, day.day))
    return np.array([code_of(Field.EXACT, f"date {term}") for some in found for term in some], np.uint64)
