"""From which similarity on is a hit a match?   What the best hit of a question reaches that the mind cannot answer.

Each conversation is a mind, and is asked questions of its own and questions of other conversations in the same language.
A question of its own is *answered* by the memories that hold its evidence. All similarities are those of a search (stage
one, without links): words and meaning, and words alone for minds without an embedder. Small minds hold the evidence of
one question and a few other memories, so that a floor does not only fit minds that are large.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Figure, Goal, options, progress, report
from bench.retrieval import FILES, Cached
from ebbtide.core import ranking
from ebbtide.core.lexical import LexicalIndex
from ebbtide.core.memory import Content
from ebbtide.core.parameters import Common
from ebbtide.core.ranking import Noise
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, Terms
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
        asked = [Asked(turn, frozenset()) for turn in turns if turn.rstrip().endswith(("?", "？"))]
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
    """The similarity of the best hit of one question, by both ways; `told`: of the best that answers it."""

    file: str
    language: str
    size: int  # of the mind; 0: a whole conversation
    hit: dict[str, float]
    told: dict[str, float] | None


async def own(engine: Engine, mind: Mind) -> Iterator[Best]:
    found = await engine.similarities(mind.items, [one.text for one in mind.asked])
    return (_best(mind, 0, each, sorted(one.evidence)) for one, each in zip(mind.asked, found, strict=True))


async def strange(engine: Engine, mind: Mind, others: Sequence[str], size: int = 0) -> Iterator[Best]:
    items = mind.items[-size:]
    return (_best(mind, size, each) for each in await engine.similarities(items, others))


async def small(engine: Engine, mind: Mind, one: Asked, size: int, chance: np.random.Generator) -> Best:
    """A mind of so many memories, of which one answers."""
    rest = [place for place in range(len(mind.items)) if place not in one.evidence]
    others = chance.choice(rest, size - 1, replace=False).tolist()
    items = [mind.items[place] for place in (min(one.evidence), *others)]
    return _best(mind, size, (await engine.similarities(items, [one.text]))[0], [0])


def _best(mind: Mind, size: int, found: Mapping[str, Column], evidence: Sequence[int] = ()) -> Best:
    told = {way: float(found[way][evidence].max()) for way in WAYS} if len(evidence) else None
    return Best(mind.file, mind.language, size, {way: float(found[way].max()) for way in WAYS}, told)


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
    """Whether the questions of the other are strange to it. RealMem's and LoCoMo's persons share subjects, not facts."""
    return other is not mind and other.language == mind.language


# ---- what is told


def below(found: Sequence[Best], way: str, floor: float, *, told: bool = False) -> float:
    """Percent whose best hit (or best hit that answers) lies below the floor."""
    values = [(one.told if told else one.hit) for one in found]
    return 100 * float(np.mean([value is not None and value[way] < floor for value in values]))


def quantile(found: Sequence[Best], way: str, share: float) -> float:
    return float(np.quantile([one.hit[way] for one in found], share))


def figures(related: Sequence[Best], unrelated: Sequence[Best], floor: float) -> list[Figure]:
    told = []
    for way in WAYS:
        for language in _TALKS:
            good, bad = ([one for one in some if one.language == language and not one.size] for some in (related, unrelated))
            told.append(Figure(f"{language}, {way}: unrelated called weak", below(bad, way, floor), None, "%"))
            told.append(Figure(f"{language}, {way}: related called weak", below(good, way, floor), None, "%"))
    return told


def tables(related: Sequence[Best], unrelated: Sequence[Best], floor: float) -> list[list[list[str]]]:
    rows = [["best hit", "mind", "way", "unrelated: median", "95 %", f"below {floor:g}", "related: 5 %", "median", f"below {floor:g}", "answer below"]]
    groups = [(file, 0) for file in (*FILES, "")] + [(file, size) for size in SMALL for file in ("madial-zh", "locomo-dev", "realmem-dev", "madial-en")]
    for file, size in groups:
        good, bad = ([one for one in some if (one.file, one.size) == (file, size)] for some in (related, unrelated))
        for way in WAYS:
            rows.append([FILES.get(file, "docs"), str(size or "whole"), way, f"{quantile(bad, way, .5):.3f}", f"{quantile(bad, way, .95):.3f}", f"{below(bad, way, floor):.1f} %"] + ([f"{quantile(good, way, .05):.3f}", f"{quantile(good, way, .5):.3f}", f"{below(good, way, floor):.1f} %", f"{below(good, way, floor, told=True):.1f} %"] if good else ["", "", "", ""]))
    return [rows]


def main() -> None:
    import sys
    floor = float(sys.argv[1])
    r, u = asyncio.run(measure(Path("/work/shared/data"), _CACHE))
    import pickle
    pickle.dump((r, u), open("/tmp/w/silent/.cache/floor.pkl", "wb"))
    for row in tables(r, u, floor)[0]:
        print(" | ".join(row))


if __name__ == "__main__":
    main()
