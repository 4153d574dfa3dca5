"""What an agent says that it used after a question: the truth, part of it, also wrong ones, a guess, nothing, all."""

from collections.abc import Callable

import numpy as np

from bench.timelines import Question, TimeLine
from ebbtide.core.memory import Content
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field
from ebbtide.models.analysis import Analyzer

SPARSE = 0.25
THRESHOLD = 1.2  # C15: of similarity, share of the memory's words in the answer, share of the answer explained

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
    """C15: the hits that the answer seems to draw on."""
    if not asked.question.answer:
        return []
    worth = credit(asked.line, asked.question, asked.hits, asked.similarity, asked.alive)
    return [int(item) for item in asked.hits[worth >= THRESHOLD]]


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


def credit(line: TimeLine, question: Question, hits: Column, similarity: Column, alive: Column) -> Column:
    """How surely the answer draws on each hit; similarity, and two shares of words weighed by idf."""
    answer, asked = _words(question.answer), _words(question.text)
    known = alive.sum()

    def weight(words: frozenset[int]) -> float:
        return sum(float(np.log(1 + known / (1 + _holding(line, word, alive)))) for word in words)

    whole = weight(answer - asked)
    worth = np.array(similarity, np.float64)
    for place, item in enumerate(hits.tolist()):
        own = line.words[item] - asked
        shared = weight(own & answer)
        worth[place] += (shared / weight(own) if own else 0.0) + (shared / whole if whole else 0.0)
    return worth


def _holding(line: TimeLine, word: int, alive: Column) -> int:
    items = line.holding.get(word)
    return 0 if items is None else int(alive[items].sum())


_ANALYZER = Analyzer()
_CACHE: dict[str, frozenset[int]] = {}


def _words(text: str) -> frozenset[int]:
    if text not in _CACHE:
        _CACHE[text] = frozenset(_ANALYZER.content(Content("k", text)).among(Field.WORDS).tolist())
    return _CACHE[text]
