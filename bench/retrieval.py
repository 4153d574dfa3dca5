"""Is what answers a question among the memories told?   Evidence recall@10 and @5, and MRR, through `Mind.search`.

Each conversation is a mind of its own, see `bench.asking`. BM25, vectors and their 0.5/0.5 min-max fusion are worked
out in the same run, from the same terms and the same vectors.

By default: `search(question, 10)` with every parameter at its default, nothing touched. Memories come from `put`, item
by item, from `put` with neighbours of a session linked as `remember` links them, and from `remember` itself.
"""

import argparse
import asyncio
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.asking import Items, Told, mind_of
from bench.conversations import (
    CACHE,
    DATA,
    FILES,
    LONG,
    Cached,
    Conversation,
    Question,
    Score,
    learn,
    missing,
    read,
)
from bench.measure import Figure, Goal, options, progress, report, shown
from ebbtide.core.lexical import LexicalIndex
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.signals import Column
from ebbtide.models.analysis import Analyzer
from ebbtide.models.embedders import BuiltinEmbedder
from ebbtide.models.questions import sentences
from ebbtide.settings import Settings

DEFAULT = Settings().metabolism
BASELINES = ("BM25", "vectors", "min-max 0.5/0.5")
SIMILAR, WITH_LINKS = "similarity", "similarity with links"
PUT, LINKED, TOLD = "by default, put by put", "by default, conversation linked", "by default, after `remember`"
ROWS = (*BASELINES, SIMILAR, WITH_LINKS, PUT, LINKED, TOLD)
HIDING, EVERYTHING = "as it is", "over everything"
LEAST = {"locomo-dev": 78.0, "realmem-dev": 51.0}  # recall@10, conversation linked
MORE = {"locomo-dev": 4.0}  # than by similarity, put by put
AGES = (7.0, 30.0, 90.0, math.inf)  # days: evidence younger than these, each without those before it
EMBEDDED = 60  # questions of each file whose embedding is timed

Scores = dict[str, list[Score]]  # by row


def _rows() -> Scores:
    return defaultdict(list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one file. `seconds`: of each search by similarity and by default, and of embedding a question without and
    with its sentences."""

    rows: Scores = field(default_factory=_rows)
    metabolisms: dict[str, Scores] = field(default_factory=lambda: {name: _rows() for name in METABOLISMS})
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


# ---- what anyone would do


async def baselines(talk: Conversation, embedder: Cached, rows: Scores) -> None:
    analyzer, index, put = Analyzer(), LexicalIndex(), 0
    terms = [analyzer.content(Content(f"i{place}", item["text"])) for place, item in enumerate(talk.items)]
    vectors = await embedder.embed([item["text"] for item in talk.items])
    for question in talk.questions:
        index.put(range(put, question.after), terms[put : question.after])
        put = question.after
        words = index.scores(analyzer.query(question.text), put)
        cosines = vectors[:put] @ (await embedder.embed([question.text]))[0]
        both = 0.5 * _scaled(words) + 0.5 * _scaled(cosines)
        for name, scores in zip(BASELINES, (words, cosines, both), strict=True):
            best = np.argsort(-scores, kind="stable").tolist()
            rows[name].append(question.score([frozenset([number]) for number in best]))


def _scaled(scores: Column) -> Column:
    low, high = scores.min(), scores.max()
    scaled: Column = (scores - low) / max(high - low, 1e-12)
    return scaled


# ---- ours


async def unlinked(data: Path, talk: Conversation, embedder: Cached, outcome: Outcome) -> None:
    """One mind, each question by similarity and by default in turns."""
    async with mind_of(data, "unlinked", DEFAULT, talk, embedder) as (mind, clock):
        ours = Items(mind, clock, talk)
        for number, question in enumerate(talk.questions):
            await ours.until(question)
            works = [(SIMILAR, {"vitality": False, "everything": True}), (PUT, {})]
            for name, given in works[:: 1 if number % 2 else -1]:
                start = time.perf_counter()
                found = await ours.asked(question, **given)
                outcome.seconds[name].append(time.perf_counter() - start)
                outcome.rows[name].append(question.score(ours.items(found)))


async def with_links(data: Path, talk: Conversation, embedder: Cached, rows: Scores) -> None:
    """By similarity and the lift of links, over everything."""
    async with mind_of(data, "links", DEFAULT, talk, embedder) as (mind, clock):
        ours = Items(mind, clock, talk, "next")
        for question in talk.questions:
            await ours.until(question)
            found = await ours.asked(question, vitality=False, everything=True)
            rows[WITH_LINKS].append(question.score(ours.items(found)))


async def linked(data: Path, metabolism: str, talk: Conversation, embedder: Cached, rows: Scores) -> None:
    """As this metabolism answers by default, and with what it hides as well."""
    async with mind_of(data, metabolism, metabolism, talk, embedder) as (mind, clock):
        ours = Items(mind, clock, talk, "order")
        for question in talk.questions:
            await ours.until(question)
            rows[HIDING].append(question.score(ours.items(await ours.asked(question))))
            rows[EVERYTHING].append(question.score(ours.items(await ours.asked(question, everything=True))))


async def told(data: Path, talk: Conversation, embedder: Cached, rows: Scores) -> None:
    async with mind_of(data, "told", DEFAULT, talk, embedder) as (mind, clock):
        ours = Told(mind, clock, talk)
        for question in talk.questions:
            await ours.until(question)
            rows[TOLD].append(question.score(ours.items(await ours.asked(question))))


async def embedding(questions: Sequence[Question], outcome: Outcome) -> None:
    """How long an embedder takes for the question alone, and another, with its sentences as a search asks for them."""
    embedders = [BuiltinEmbedder(), BuiltinEmbedder()]  # each text is to be new: an embedder remembers the last ones
    for question in questions[:: max(1, len(questions) // EMBEDDED)]:
        parts = sentences(question.text)
        asked = [question.text], [question.text, *(parts if len(parts) > 1 else ())]
        for name, embedder, texts in zip(("question", "sentences"), embedders, asked, strict=True):
            start = time.perf_counter()
            await embedder.embed(texts)
            outcome.seconds[name].append(time.perf_counter() - start)
    for embedder in embedders:
        await embedder.aclose()


async def measured(file: Path, embedder: Cached, *, remember: bool) -> Outcome:
    talks, outcome, start = read(file), Outcome(), time.perf_counter()
    await learn(talks, embedder)
    await embedding([question for talk in talks for question in talk.questions], outcome)
    for talk in talks:
        with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
            data = Path(folder)
            await baselines(talk, embedder, outcome.rows)
            await unlinked(data, talk, embedder, outcome)
            await with_links(data, talk, embedder, outcome.rows)
            for name, rows in outcome.metabolisms.items():
                await linked(data, name, talk, embedder, rows)
                progress(f"{file.stem}: {name}, {time.perf_counter() - start:.0f} s")
            if remember:
                await told(data, talk, embedder, outcome.rows)
        progress(f"{file.stem}: {len(talk.items)} items, {len(talk.questions)} questions")
    outcome.rows[LINKED] = outcome.metabolisms[DEFAULT][HIDING]
    return outcome


# ---- what is reported


def recall(scores: Sequence[Score], k: int = 10) -> float:
    return 100 * float(np.mean([score.recall(k) for score in scores]))


def mrr(scores: Sequence[Score]) -> float:
    return 100 * float(np.mean([score.reciprocal() for score in scores]))


def three(scores: Sequence[Score]) -> str:
    return f"{recall(scores):.2f} / {recall(scores, 5):.2f} / {mrr(scores):.2f}" if scores else "–"


def by_age(scores: Sequence[Score]) -> list[str]:
    """The share of evidence of each age that was found, and of how many."""
    ages = np.array([age for score in scores for age in score.ages])
    hits = np.array([place < 10 for score in scores for place in score.places])
    place = np.searchsorted(AGES, ages, side="right")
    return [
        f"{100 * hits[place == i].mean():.1f} of {(place == i).sum():,}" if (place == i).any() else "–"
        for i in range(len(AGES))
    ]


def figures(outcomes: Mapping[str, Outcome]) -> list[Figure]:
    return [figure for judged in (_linked, _first, _unlinked) for figure in judged(outcomes)]


def _linked(outcomes: Mapping[str, Outcome]) -> list[Figure]:
    found = []
    for file, outcome in outcomes.items():
        ours, name = recall(outcome.rows[LINKED]), f"{FILES[file]}: recall@10, conversation linked"
        if file in LEAST:
            found.append(Figure(name, ours, None, "%", Goal("≥", LEAST[file], "ours")))
        else:
            found.append(_gain(f"{name}, less similarity's", ours, recall(outcome.rows[SIMILAR])))
    return found


def _first(outcomes: Mapping[str, Outcome]) -> list[Figure]:
    what = "MRR, conversation linked, less similarity's"
    return [
        _gain(f"{FILES[file]}: {what}", mrr(outcome.rows[LINKED]), mrr(outcome.rows[SIMILAR]))
        for file, outcome in outcomes.items()
    ]


def _unlinked(outcomes: Mapping[str, Outcome]) -> list[Figure]:
    what = "recall@10, put by put, less similarity's"
    return [
        _gain(f"{FILES[file]}: {what}", recall(rows[PUT]), recall(rows[SIMILAR]), MORE.get(file, 0.0))
        for file, rows in ((file, outcome.rows) for file, outcome in outcomes.items())
    ]


def _gain(what: str, ours: float, other: float, least: float = 0.0) -> Figure:
    return Figure(what, ours - other, None, "%", Goal("≥", least, "ours"))


def tables(outcomes: Mapping[str, Outcome]) -> list[list[list[str]]]:
    names = [FILES[file] for file in outcomes]
    ours = [[row, *(three(outcome.rows[row]) for outcome in outcomes.values())] for row in ROWS]
    lives = [
        [metabolism, way, *(three(outcome.metabolisms[metabolism][way]) for outcome in outcomes.values())]
        for metabolism in METABOLISMS
        for way in (HIDING, EVERYTHING)
    ]
    return [
        [["recall@10 / @5 / MRR, %", *names], *ours],
        [["by default, conversation linked", "", *names], *lives],
        _aged(outcomes),
        _costs(outcomes),
    ]


def _aged(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    rows = [["evidence found, %, by its age", "", "0–7 days", "7–30", "30–90", "> 90"]]
    for file, outcome in outcomes.items():
        rows += [[FILES[file], row, *by_age(outcome.rows[row])] for row in (SIMILAR, LINKED)]
    return rows


def _costs(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    names = (SIMILAR, PUT, "question", "sentences")
    head = ["per question, median", "search by similarity", "by default", "ratio"]
    rows = [[*head, "embedding the question", "with its sentences", "ratio"]]
    for file, outcome in outcomes.items():
        similar, default, question, parts = (float(np.median(outcome.seconds[name])) for name in names)
        searches = [shown(similar, "s"), shown(default, "s"), f"{default / similar:.2f}"]
        embeds = [shown(question, "s"), shown(parts, "s"), f"{parts / question:.2f}"]
        rows.append([FILES[file], *searches, *embeds])
    return rows


NOTES = (
    "MRR: 1 / rank of the first evidence told, 0 where none is among the ten.",
    "Similarity: no metabolism and no terms of the rank, over everything (`vitality=False, everything=True`). "
    "With links: neighbours of a session linked by a relation of no meaning, strength 0.5, which lifts. MADial "
    "has no sessions, and so no links.",
    "By default: each item put by itself at its time, the question asked at its time with `search(question, 10)`, "
    "every parameter at its default: what the metabolism hides by then is not found. Conversation linked: "
    "neighbours of a session linked by after and before at 0.5, as `remember` links segments. Nothing is touched.",
    "After `remember`: sessions are cut into segments by the built-in small model, so this row measures something "
    "else: an item is found with the memory by which half of its letters are told, and ten memories hold less "
    "text than ten items. Of a session that a question cuts, the part before the question is remembered, then the "
    "rest.",
    "Over everything: the same with what is hidden, which tells ranking and hiding apart. Nothing is used between "
    "being said and being asked for, which is the worst case for a metabolism: by its defaults activity hides a "
    "memory after 20 days, score after 10.3 days, retention after 2.3 days (importance 0.5).",
    "Network minds are put to as well, not told by `remember`: nothing is scanned, so nothing fades.",
    "By age: of all pieces of evidence of that age when the question is asked, the share among the ten hits; "
    "where one of several items is enough, the age is that of the youngest.",
    "Cost: both searches in turns in one mind, vectors of questions looked up; the embedder is timed apart, with "
    f"every text new to it, on {EMBEDDED} questions of each set.",
)


async def measure(data: Path, cache: Path, files: Sequence[str], *, long: bool) -> dict[str, Outcome]:
    embedder = Cached(cache)
    try:
        return {
            file: await measured(data / f"{file}.jsonl", embedder, remember=long or file not in LONG) for file in files
        }
    finally:
        await embedder.aclose()


def parsed() -> argparse.Namespace:
    parser = options("retrieval", "How often a search tells what answers the question.")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of *.jsonl")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where vectors are kept between runs")
    parser.add_argument("--files", nargs="+", choices=FILES, default=list(FILES), help="of the folder, without .jsonl")
    parser.add_argument("--long", action="store_true", help="`remember` LongMemEval as well: 28,000 more vectors, once")
    return parser.parse_args()


def main() -> None:
    given = parsed()
    if problem := missing(given.data, given.files):
        progress(problem)
        return
    outcomes = asyncio.run(measure(given.data, given.cache, given.files, long=given.long))
    report("retrieval", given, figures(outcomes), NOTES, tables(outcomes))


if __name__ == "__main__":
    main()
