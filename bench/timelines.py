"""Time lines for `bench.forgetting`: memories in the order they arrive, and the moments at which questions are asked.

Protocols
- `as_it_is`: every question is asked once, when it says, and counts (RealMem, the Chinese year).
- `twice`: every question is asked at the end of a random session after its last evidence, and again at the end of the
  time line. Only the second time counts: what was needed once is needed again.
- `half`: half of the questions are asked during the time line, as in `twice`; the other half at the end, and only
  those count: what was never asked for is needed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bench.conversations import Cached
from ebbtide.core import ranking
from ebbtide.core.credit import counted
from ebbtide.core.lexical import K1, WEIGHTS, B, Frequencies
from ebbtide.core.memory import Content
from ebbtide.core.ranking import Noise
from ebbtide.core.signals import Column
from ebbtide.core.terms import SCORED, Field, Terms, fields_of
from ebbtide.models.analysis import Analyzer

_FIELD_WEIGHTS = np.array([WEIGHTS[field] for field in SCORED])


@dataclass(frozen=True, slots=True)
class Question:
    number: int
    text: str
    groups: tuple[tuple[int, ...], ...]  # item numbers; each group counts once, any member satisfies it
    at: float
    after: int  # so many items have arrived
    answer: str
    category: str

    @property
    def evidence(self) -> Column:
        return np.unique([item for group in self.groups for item in group])

    def share(self, have: Column) -> float:
        """The share of its groups of which a member is marked in `have`, a column over all items."""
        return float(np.mean([have[list(group)].any() for group in self.groups]))


@dataclass(frozen=True, slots=True)
class Ask:
    """One moment at which a question is asked; only those that count are measured."""

    after: int
    at: float
    question: Question
    counts: bool


@dataclass(frozen=True, eq=False)
class TimeLine:
    """One person or conversation. Row i of every column is item i."""

    id: str
    texts: list[str]
    at: Column
    session: list[str]
    questions: list[Question]
    vectors: Column  # of items, length 1
    asked: Column  # of questions, length 1
    terms: list[Terms]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def session_ends(self) -> list[int]:
        """How many items have arrived when each session ends."""
        marks = [*self.session, None]
        return [i + 1 for i in range(len(self)) if not marks[i] or marks[i] != marks[i + 1]]

    @cached_property
    def matchers(self) -> "list[Matcher]":
        postings = Postings(self.terms)
        analyzer = Analyzer()
        return [
            Matcher(postings, analyzer.query(question.text), self.vectors @ vector)
            for question, vector in zip(self.questions, self.asked, strict=True)
        ]

    def frequencies(self, codes: Column, alive: Column) -> Frequencies:
        """How many of the items marked in `alive` hold each of these terms, which are in ascending order."""
        known, holding = self._holding
        at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        having = np.count_nonzero(holding[at] & alive, axis=1)
        return Frequencies(int(alive.sum()), codes, np.where(known[at] == codes, having, 0))

    @cached_property
    def _holding(self) -> tuple[Column, Column]:
        """The codes of all items' words and grams, ascending, and which item holds which."""
        items = [counted(each) for each in self.terms]
        known = np.unique(np.concatenate(items))
        holding = np.zeros((len(known), len(items)), np.bool_)
        for item, codes in enumerate(items):
            holding[np.searchsorted(known, codes), item] = True
        return known, holding


class Postings:
    """Which items hold which terms, and how long each item is by field."""

    def __init__(self, terms: Sequence[Terms]) -> None:
        self.count = len(terms)
        self.lengths = np.zeros((len(SCORED), len(terms)))
        self.of: dict[int, list[tuple[int, int]]] = {}
        for item, each in enumerate(terms):
            fields = fields_of(each.codes).astype(np.int64)
            scored = fields < len(SCORED)
            self.lengths[:, item] = np.bincount(fields[scored], each.counts[scored], len(SCORED))
            for code, often in zip(each.codes[scored].tolist(), each.counts[scored].tolist(), strict=True):
                self.of.setdefault(code, []).append((item, often))


class Matcher:
    """One question's similarity to any subset of the items, exactly as the engine's index would rank that subset."""

    def __init__(self, postings: Postings, query: Terms, cosines: Column) -> None:
        codes = [code for code in query.scored().tolist() if code in postings.of]
        self._lengths, self._cosines = postings.lengths, cosines
        self._field = fields_of(np.array(codes, np.uint64)).astype(np.int64)
        self._words = len(query.among(Field.WORDS))
        flat = [(place, item, often) for place, code in enumerate(codes) for item, often in postings.of[code]]
        self._code, self._item, self._often = np.array(flat, np.int64).reshape(-1, 3).T

    def similarity(self, alive: Column) -> Column:
        """Of the items marked in `alive`, in their order."""
        words = self._bm25(alive)[alive]
        cosines = self._cosines[alive]
        meant = ranking.by_meaning(cosines, Noise.of(cosines))
        return ranking.fuse(ranking.by_words(words, float(words.max(initial=0.0)), self._words), meant)

    def _bm25(self, alive: Column) -> Column:
        living = alive[self._item]
        code, item, often = self._code[living], self._item[living], self._often[living]
        holding = np.bincount(code, minlength=len(self._field))
        worth = (K1 + 1) * _FIELD_WEIGHTS[self._field] * np.log1p((alive.sum() - holding + 0.5) / (holding + 0.5))
        lengths = self._lengths[:, alive]
        shorten = K1 * B * np.maximum((lengths > 0).sum(axis=1), 1) / np.maximum(lengths.sum(axis=1), 1)
        field = self._field[code]
        long = self._lengths[field, item] * shorten[field] + K1 * (1 - B) + often
        return np.bincount(item, worth[code] * often / long, len(alive))


# ---- reading


async def read(file: Path, embedder: Cached) -> list[TimeLine]:
    rows = _rows(file)
    texts = [each["text"] for row in rows for part in ("items", "queries") for each in row[part]]
    await embedder.learn(texts)
    return [await _time_line(row, embedder) for row in rows]


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def _time_line(row: Mapping[str, Any], embedder: Cached) -> TimeLine:
    items, analyzer = row["items"], Analyzer()
    place = {item["id"]: number for number, item in enumerate(items)}
    queries = [each for each in row["queries"] if each["any_of"] or each["evidence"]]
    return TimeLine(
        id=row["id"],
        texts=[item["text"] for item in items],
        at=np.array([item["at"] for item in items]),
        session=[item["session"] for item in items],
        questions=[_question(number, each, place) for number, each in enumerate(queries)],
        vectors=_unit(await embedder.embed([item["text"] for item in items])),
        asked=_unit(await embedder.embed([each["text"] for each in queries])),
        terms=[analyzer.content(Content(f"i{number}", item["text"])) for number, item in enumerate(items)],
    )


def _question(number: int, row: Mapping[str, Any], place: Mapping[str, int]) -> Question:
    groups = row["any_of"] or [[each] for each in row["evidence"]]
    return Question(
        number=number,
        text=row["text"],
        groups=tuple(tuple(place[each] for each in group) for group in groups),
        at=row["at"],
        after=row["after"],
        answer=row.get("answer") or "",
        category=row["category"],
    )


def _unit(vectors: Column) -> Column:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Column = vectors / np.maximum(lengths, 1e-12)
    return unit


# ---- protocols


def as_it_is(line: TimeLine, seed: int) -> list[Ask]:
    return _in_order([Ask(each.after, each.at, each, True) for each in line.questions])


def twice(line: TimeLine, seed: int) -> list[Ask]:
    chance = np.random.default_rng(seed)
    first = [_during(line, each, chance, counts=False) for each in line.questions]
    return _in_order([*first, *(_at_the_end(line, each) for each in line.questions)])


def half(line: TimeLine, seed: int) -> list[Ask]:
    chance = np.random.default_rng(seed)
    during = set(chance.permutation(len(line.questions))[: len(line.questions) // 2].tolist())
    return _in_order(
        [
            _during(line, each, chance, counts=False) if each.number in during else _at_the_end(line, each)
            for each in line.questions
        ]
    )


def _during(line: TimeLine, question: Question, chance: np.random.Generator, *, counts: bool) -> Ask:
    ends = [end for end in line.session_ends if end > int(question.evidence.max())]
    after = int(chance.choice(ends))
    return Ask(after, float(line.at[after - 1]), question, counts)


def _at_the_end(line: TimeLine, question: Question) -> Ask:
    return Ask(len(line), max(question.at, float(line.at[-1])), question, True)


def _in_order(asks: Sequence[Ask]) -> list[Ask]:
    """By the moment; at one moment those that do not count first: they are asked during the time line."""
    return sorted(asks, key=lambda ask: (ask.after, ask.counts, ask.at, ask.question.number))
