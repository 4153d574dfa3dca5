"""Which of the memories shown did an answer draw on?   Precision and recall of `credit`, against the evidence.

Each conversation is a mind of its own, filled in order by a clock that shows the items' times; nothing is linked. Every
question that has an answer is asked when its items are in. Shown are the ten memories that are most similar to it; the
recorded answer stands for the model's. What credit says of each is compared with the evidence among these ten.

The second part does the same through `mind.turn`, as the agent loop of the docs does: the memories of its context, the
mind's own threshold, and the uses it really counted.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ebbtide
from bench.conversations import Cached
from bench.lives import Clock
from bench.measure import Figure, Goal, options, progress, report
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.parameters import Common
from ebbtide.core.signals import Column

FILES = {"locomo-dev": "LoCoMo", "realmem-dev": "RealMem"}
GOALS = {"locomo-dev": (69.0, 51.0), "realmem-dev": (33.0, 36.0)}  # SPEC C15: precision, recall
THRESHOLDS = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7)
DEFAULT = Common().credit_threshold
TURNS = 200  # of each file
METABOLISM = "activity"

Half = int  # every other conversation
_ROOT = Path(__file__).parent.parent
_EVER = 600.0  # seconds: nothing is shown by its words only because it was not embedded in time


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answer: str
    at: float
    after: int
    evidence: frozenset[str]  # keys
    half: Half


@dataclass(frozen=True, slots=True)
class Conversation:
    items: list[dict[str, Any]]
    questions: list[Question]  # in the order they can be asked


@dataclass(slots=True)
class Judged:
    """One row for every memory shown: how sure credit is, whether it is evidence, and which half it belongs to."""

    confidence: list[float] = field(default_factory=list)
    evidence: list[bool] = field(default_factory=list)
    half: list[Half] = field(default_factory=list)

    def add(self, question: Question, credited: Mapping[str, float], shown: Iterable[str]) -> None:
        for key in shown:
            self.confidence.append(credited[key])
            self.evidence.append(key in question.evidence)
            self.half.append(question.half)

    def of(self, half: Half | None) -> tuple[Column, Column]:
        mine = np.array([half in (None, one) for one in self.half])
        return np.array(self.confidence)[mine], np.array(self.evidence)[mine]


@dataclass(frozen=True, slots=True)
class Outcome:
    shown: Judged = field(default_factory=Judged)
    turns: Judged = field(default_factory=Judged)  # confidence 1: its use was counted


def read(file: Path) -> list[Conversation]:
    """Halves: every other conversation."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [Conversation(row["items"], _questions(row, number % 2)) for number, row in enumerate(rows)]


def _questions(row: Mapping[str, Any], half: Half) -> list[Question]:
    key = {item["id"]: f"i{place}" for place, item in enumerate(row["items"])}
    found = []
    for each in row["queries"]:
        evidence = {*each["evidence"], *(one for group in each["any_of"] or () for one in group)}
        if each.get("answer") and evidence:
            keys = frozenset(key[one] for one in evidence)
            found.append(Question(each["text"], str(each["answer"]), each["at"], each["after"], keys, half))
    return sorted(found, key=lambda question: (question.after, question.at))


# ---- a mind, and what it is asked


@asynccontextmanager
async def asked(talk: Conversation, embedder: Cached) -> AsyncIterator[AsyncIterator[tuple[ebbtide.Mind, Question]]]:
    """A mind of its own, each question at its time, when what it may see is in."""

    async def questions() -> AsyncIterator[tuple[ebbtide.Mind, Question]]:
        put = 0
        for question in talk.questions:
            for number in range(put, question.after):
                clock.moment = talk.items[number]["at"]
                await mind.put(talk.items[number]["text"], key=f"i{number}")
            put = max(put, question.after)
            clock.moment = question.at
            yield mind, question

    clock = Clock(talk.items[0]["at"])
    how: dict[str, Any] = {"metabolism": METABOLISM, "clock": clock, "embedder": embedder, "touch_spacing": 0.0}
    with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
        async with ebbtide.open("credit", data=folder, **how) as mind:
            yield questions()


def everything() -> dict[str, Any]:
    """By similarity alone, over all memories."""
    return {"state": METABOLISMS[METABOLISM].states, "vitality": False, "patience": _EVER}


async def shown(talk: Conversation, embedder: Cached, judged: Judged) -> None:
    async with asked(talk, embedder) as questions:
        async for mind, question in questions:
            found = await mind.search(question.text, 10, **everything())
            credited = await mind.credit(question.answer, found, question=question.text, dry_run=True)
            keys = [hit.memory.key for hit in found.hits]
            judged.add(question, {one.key: one.confidence for one in credited.memories}, keys)


async def turns(talk: Conversation, embedder: Cached, judged: Judged) -> None:
    """As an agent lives: each answer's uses are counted before the next question."""
    async with asked(talk, embedder) as questions:
        async for mind, question in questions:
            async with mind.turn(question.text, **everything()) as turn:
                turn.answered(question.answer)
            assert turn.used is not None
            keys = [hit.memory.key for hit in turn.hits]
            judged.add(question, {key: float(key in turn.used.touched) for key in keys}, keys)


async def measured(file: Path, embedder: Cached) -> Outcome:
    talks, outcome = read(file), Outcome()
    await embedder.learn([item["text"] for talk in talks for item in talk.items])
    await embedder.learn([question.text for talk in talks for question in talk.questions])
    for talk, few in zip(talks, thinned(talks), strict=True):
        await shown(talk, embedder, outcome.shown)
        await turns(few, embedder, outcome.turns)
        progress(f"{file.stem}: {len(talk.questions)} questions, {len(few.questions)} turns")
    return outcome


def thinned(talks: Sequence[Conversation]) -> list[Conversation]:
    """The same conversations with 200 questions in all, evenly taken."""
    total = sum(len(talk.questions) for talk in talks)
    chosen, found, first = {place * total // TURNS for place in range(TURNS)}, [], 0
    for talk in talks:
        kept = [question for place, question in enumerate(talk.questions, first) if place in chosen]
        first += len(talk.questions)
        found.append(Conversation(talk.items, kept))
    return found


# ---- what is told


def precision(judged: Judged, threshold: float, half: Half | None = None) -> float:
    confidence, evidence = judged.of(half)
    credited = (confidence > 0.0) & (confidence >= threshold)
    return 100 * float((credited & evidence).sum() / max(credited.sum(), 1))


def recall(judged: Judged, threshold: float, half: Half | None = None) -> float:
    """Of the evidence that was shown."""
    confidence, evidence = judged.of(half)
    credited = (confidence > 0.0) & (confidence >= threshold)
    return 100 * float((credited & evidence).sum() / max(evidence.sum(), 1))


def average_precision(judged: Judged, half: Half | None = None) -> float:
    """The mean, over all evidence, of the precision at its confidence."""
    confidence, evidence = judged.of(half)
    ranked = evidence[np.argsort(-confidence, kind="stable")]
    return 100 * float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean())


def chance(judged: Judged, half: Half | None = None) -> float:
    return 100 * float(judged.of(half)[1].mean())


def figures(outcomes: Mapping[str, Outcome]) -> list[Figure]:
    told = []
    for file, outcome in outcomes.items():
        wanted = GOALS[file]
        for part, judged in (("ten hits", outcome.shown), (f"{TURNS} turns", outcome.turns)):
            for name, measure, goal in (("precision", precision, wanted[0]), ("recall", recall, wanted[1])):
                found = measure(judged, DEFAULT)
                told.append(Figure(f"{FILES[file]}, {part}: {name}", found, goal, "%", Goal("≥", 1.0)))
    return told


def tables(outcomes: Mapping[str, Outcome]) -> list[list[list[str]]]:
    rows = [_row("average precision", average_precision, outcomes), _row("the same by chance", chance, outcomes)]
    for threshold in THRESHOLDS:
        rows.append(_row(f"precision at {threshold:g}", partial(precision, threshold=threshold), outcomes))
        rows.append(_row(f"recall at {threshold:g}", partial(recall, threshold=threshold), outcomes))
    return [[["%", *(f"{FILES[file]}: even / odd / all" for file in outcomes)], *rows]]


def _row(name: str, measure: Callable[..., float], outcomes: Mapping[str, Outcome]) -> list[str]:
    halves: tuple[Half | None, ...] = (0, 1, None)
    found = [[measure(outcome.shown, half=half) for half in halves] for outcome in outcomes.values()]
    return [name, *(" / ".join(f"{value:.1f}" for value in values) for values in found)]


NOTES = (
    f"Baseline: what SPEC C15 names for similarity + said + explained. The default threshold is {DEFAULT:g}.",
    "Ten hits: the ten most similar of all memories for every question that has an answer, nothing linked. Turns: "
    f"{TURNS} questions through `mind.turn`, whose context holds 1,000 tokens; what was really touched counts.",
    "Recall is of the evidence among the memories shown: what a search did not find cannot be credited.",
    "Even and odd: every other conversation. The weights are round numbers near those of regressions on the even half; "
    "which components there are, and the threshold, was decided with both halves in sight: no half is held out.",
)


async def measure(data: Path, cache: Path) -> dict[str, Outcome]:
    embedder = Cached(cache)
    try:
        return {file: await measured(data / f"{file}.jsonl", embedder) for file in FILES}
    finally:
        await embedder.aclose()


def parsed() -> argparse.Namespace:
    parser = options("credit", "How often credit finds what an answer drew on.")
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data", help="the folder of *.jsonl")
    parser.add_argument(
        "--cache", type=Path, default=_ROOT / ".cache" / "retrieval.npz", help="where vectors are kept between runs"
    )
    return parser.parse_args()


def main() -> None:
    given = parsed()
    if missing := [file for file in FILES if not (given.data / f"{file}.jsonl").exists()]:
        progress(f"nothing to measure with: {given.data} has no {missing[0]}.jsonl; name another folder with --data")
        return
    outcomes = asyncio.run(measure(given.data, given.cache))
    report("credit", given, figures(outcomes), NOTES, tables(outcomes))


if __name__ == "__main__":
    main()
