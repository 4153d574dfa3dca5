"""From which similarity on is a hit a good match?   What the best hit of a question reaches that a mind cannot answer.

Each conversation is a mind, and is asked its own questions (related) and questions of other conversations in the same
language (unrelated). All similarities are those of a search (stage one, without links): by words and meaning, and by
words alone for minds without an embedder. Small minds hold what answers one question and a few other memories, so that
the floor does not only fit large minds.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.conversations import SHORT as FILES
from bench.conversations import Cached
from bench.measure import Figure, Goal, options, progress, report
from ebbtide.core import ranking
from ebbtide.core.lexical import LexicalIndex
from ebbtide.core.memory import Content
from ebbtide.core.parameters import Common
from ebbtide.core.ranking import Noise
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, Terms
from ebbtide.mind.left_out import floor_of
from ebbtide.models.analysis import Analyzer

BOTH, WORDS = "words and meaning", "words alone"
WAYS = (BOTH, WORDS)
SMALL = (1, 3, 10)
STRANGE = 200  # questions of others that each mind is asked
_CHANCE = 20  # seed
_TALKS = ("en", "zh")  # turns of docs/conversations: more questions that others cannot answer, and minds that hold them
_ROOT = Path(__file__).parent.parent
_CACHE = _ROOT / ".cache" / "retrieval.npz"


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    evidence: frozenset[int]  # item numbers that answer it


@dataclass(frozen=True, slots=True)
class Mind:
    """One conversation: `file` names the data set."""

    file: str
    language: str
    items: list[str]
    asked: list[Asked]


def read(data: Path) -> list[Mind]:
    found = [_mind(file, row) for file in FILES for row in _rows(data / f"{file}.jsonl")]
    for language in _TALKS:
        turns = [row["content"] for row in _rows(_ROOT / "docs" / "conversations" / f"{language}.jsonl")]
        asked = [Asked(turn, frozenset()) for turn in turns]
        found.append(Mind("", language, turns, asked))
    return found


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _mind(file: str, row: Mapping[str, Any]) -> Mind:
    at = {item["id"]: place for place, item in enumerate(row["items"])}
    asked = []
    for query in row["queries"]:
        named = query["evidence"] or [each for group in query["any_of"] for each in group]
        if named:
            asked.append(Asked(query["text"], frozenset(at[each] for each in named)))
    language = "zh" if file.endswith("zh") else "en"
    return Mind(file, language, [item["text"] for item in row["items"]], asked)


# ---- similarity


class Engine:
    """What a search says of each memory of a mind, by both ways."""

    def __init__(self, embedder: Cached) -> None:
        self._embedder, self._analyzer = embedder, Analyzer()
        self._terms: dict[str, Terms] = {}

    async def similarities(self, items: Sequence[str], questions: Sequence[str]) -> list[dict[str, Column]]:
        index = LexicalIndex()
        index.put(range(len(items)), [self._read(item) for item in items])
        vectors, asked = await self._embedder.embed(items), await self._embedder.embed(questions)
        return [
            self._similarity(index, vectors @ vector, question)
            for question, vector in zip(questions, asked, strict=True)
        ]

    def _similarity(self, index: LexicalIndex, cosines: Column, question: str) -> dict[str, Column]:
        terms = self._analyzer.query(question)
        scores = index.scores(terms, len(cosines))
        words = ranking.by_words(scores, float(scores.max(initial=0.0)), len(terms.among(Field.WORDS)))
        return {BOTH: ranking.fuse(words, ranking.by_meaning(cosines, Noise.of(cosines))), WORDS: words}

    def _read(self, item: str) -> Terms:
        if item not in self._terms:
            self._terms[item] = self._analyzer.content(Content("k", item))
        return self._terms[item]


# ---- asking


@dataclass(frozen=True, slots=True)
class Best:
    """The similarity of the best hit of one question, by both ways, in a mind of so many memories."""

    file: str
    language: str
    size: int  # 0: a whole conversation
    memories: int
    hit: dict[str, float]

    def weak(self, way: str) -> bool:
        return self.hit[way] < floor_of(Common().match_floor, self.memories, words_only=way == WORDS)


async def own(engine: Engine, mind: Mind) -> Iterator[Best]:
    found = await engine.similarities(mind.items, [one.text for one in mind.asked])
    return (_best(mind, 0, each) for each in found)


async def strange(engine: Engine, mind: Mind, others: Sequence[str], size: int = 0) -> Iterator[Best]:
    items = mind.items[-size:]
    return (_best(mind, size, each) for each in await engine.similarities(items, others))


async def small(engine: Engine, mind: Mind, one: Asked, size: int, chance: np.random.Generator) -> Best:
    """A mind of so many memories, of which one answers."""
    rest = [place for place in range(len(mind.items)) if place not in one.evidence]
    others = chance.choice(rest, size - 1, replace=False).tolist()
    items = [mind.items[place] for place in (min(one.evidence), *others)]
    return _best(mind, size, (await engine.similarities(items, [one.text]))[0])


def _best(mind: Mind, size: int, found: Mapping[str, Column]) -> Best:
    return Best(mind.file, mind.language, size, len(found[BOTH]), {way: float(found[way].max()) for way in WAYS})


async def measure(data: Path, cache: Path) -> tuple[list[Best], list[Best]]:
    """Of questions that the mind can answer, and of questions that it cannot."""
    minds, embedder, chance = read(data), Cached(cache), np.random.default_rng(_CHANCE)
    await embedder.learn([text for mind in minds for text in (*mind.items, *(one.text for one in mind.asked))])
    engine = Engine(embedder)
    related: list[Best] = []
    unrelated: list[Best] = []
    for mind in minds:
        others = [one.text for other in minds if _apart(mind, other) for one in other.asked]
        others = chance.choice(others, min(STRANGE, len(others)), replace=False).tolist()
        unrelated += await strange(engine, mind, others)
        for size in SMALL:
            unrelated += await strange(engine, mind, others, size)
        if mind.file:
            related += await own(engine, mind)
            related += [await small(engine, mind, one, size, chance) for one in mind.asked for size in SMALL]
        progress(f"{mind.file or 'docs'} {mind.language}: {len(mind.items)} memories")
    await embedder.aclose()
    return related, unrelated


def _apart(mind: Mind, other: Mind) -> bool:
    """Whether the questions of the other are unrelated to it. Its persons share subjects with others, not facts."""
    return other is not mind and other.language == mind.language


# ---- what is told


def share(found: Sequence[Best], way: str) -> float:
    """Percent that are called weak."""
    return 100 * float(np.mean([one.weak(way) for one in found]))


def _of(found: Sequence[Best], file: str, size: int) -> list[Best]:
    return [one for one in found if (one.file, one.size) == (file, size)]


def figures(related: Sequence[Best], unrelated: Sequence[Best]) -> list[Figure]:
    """A related question that is called weak is the worse mistake: of all sizes of minds the one with most of them."""
    told = []
    for file, name in FILES.items():
        wrong = max(share(_of(related, file, size), BOTH) for size in (*SMALL, 0))
        told.append(Figure(f"{name}: related, called weak", wrong, None, "%", Goal("≤", 10.0, "ours")))
        told.append(Figure(f"{name}: unrelated, called weak (all)", share(_of(unrelated, file, 0), BOTH), None, "%"))
    return told


def tables(related: Sequence[Best], unrelated: Sequence[Best]) -> list[list[list[str]]]:
    head = ["mind", "memories", "by", "unrelated: median", "95 %", "weak", "related: 5 %", "median", "weak"]
    rows = [
        [
            name,
            str(size or "all"),
            way,
            *_row(_of(unrelated, file, size), way, 0.95),
            *_row(_of(related, file, size), way),
        ]
        for way in WAYS
        for size in (*SMALL, 0)
        for file, name in FILES.items()
    ]
    return [[head, *rows]]


def _row(found: Sequence[Best], way: str, high: float | None = None) -> list[str]:
    best = [one.hit[way] for one in found]
    ends = (0.5, high) if high else (0.05, 0.5)
    return [*(f"{np.quantile(best, end):.3f}" for end in ends), f"{share(found, way):.1f} %"]


NOTES = (
    f"The floor is `match_floor` ({Common().match_floor:g}) in a mind of 1,000 memories, and in proportion to 1 + "
    "log₁₀ of their number up to 10,000; by words alone a quarter of it. It was chosen on these data: the highest "
    "multiple of 0.05 that calls at most 10 % of the related questions weak, whatever the size of the mind.",
    "Unrelated questions come from other conversations in the same language: they share subjects and words, which is "
    "why most of them reach a similarity that related questions have as well. In large minds the floor catches only "
    "what is far from everything; in small ones it catches most.",
)


def main() -> None:
    parser = options("floor", "From which similarity on a hit is a good match.")
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data", help="the folder of *.jsonl")
    parser.add_argument("--cache", type=Path, default=_CACHE, help="where vectors are kept between runs")
    given = parser.parse_args()
    if missing := [file for file in FILES if not (given.data / f"{file}.jsonl").exists()]:
        progress(f"nothing to measure with: {given.data} has no {missing[0]}.jsonl; name another folder with --data")
        return
    related, unrelated = asyncio.run(measure(given.data, given.cache))
    report("floor", given, figures(related, unrelated), NOTES, tables(related, unrelated))


if __name__ == "__main__":
    main()
