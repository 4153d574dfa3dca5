"""How the weights of the rank's terms were found: fitted on the development data, on all sets and leaving one out.

The terms of every candidate come from the engine itself: a tide mind by default, one memory an item, neighbours of a
session linked as `remember` links them. Fitted weights are told beside those in force, which are rounded and were
chosen so that no set loses; `core/weights.py` has them. SPEC K1's weights are where a fit starts.
"""

import asyncio
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import ebbtide
from bench.asking import EVER, Items, mind_of
from bench.conversations import CACHE, DATA, FILES, Cached, Conversation, Question, Score, learn, missing, read
from bench.listwise import Asked, Set, fit
from bench.measure import Figure, Goal, options, progress, report
from bench.retrieval import DEFAULT, WITH_LINKS, mrr, recall, three, with_links
from ebbtide.core.embedding import Embedder
from ebbtide.core.parameters import Common
from ebbtide.core.ranking import TERMS
from ebbtide.core.signals import Column
from ebbtide.mind.search import Asked as SearchAsked
from ebbtide.mind.search import Search

SETS = {
    "LoCoMo": ("locomo-dev",),
    "RealMem": ("realmem-dev",),
    "LongMemEval": ("lme-dev",),
    "MADial": ("madial-zh", "madial-en"),
}
START = {
    "neighbour": 0.6, "two_before": 0.4, "two_after": 0.1, "answer": 0.05, "sentence": 0.5, "coverage": 0.1,
    "time": 0.2, "user": 0.15, "speaker": 0.05, "question": -0.2, "first_person": 0.1, "recency": 0.1,
    "superseded": -0.4,
}  # fmt: skip
ALL = "all"

Gathered = dict[str, list[Asked]]  # by file
Scores = dict[str, list[Score]]  # by file


# ---- what the engine knows of each candidate


class Gather(Search):
    """A search that stops before its candidates are put in order."""

    async def gathered(self, question: Question) -> Asked:
        vectors = await self._vectors()
        await self._indexing.ready(EVER)
        found = await self._store.match(self._query(vectors))
        signals = await self._store.signals(found.ids.tolist())
        vitality = self._metabolism.vitality(signals, self._now)
        standing = self._metabolism.standing(signals, vitality, self._now)
        base = self._metabolism.rank(found.similarity + found.lift, vitality, standing)
        terms = self._terms(found)
        columns = [terms.get(name, np.zeros(len(found.ids))) for name in TERMS]
        items = await self._items(found.ids)
        young = np.argsort(-found.ids)  # of equals a search tells the youngest first
        groups = tuple(np.flatnonzero(np.isin(items[young], list(group))) for group in question.groups)
        return Asked(base[young], np.stack(columns, axis=1)[young], groups)

    async def _items(self, ids: Column) -> Column:
        said = await self._store.contents(ids.tolist())
        return np.array([int(said[memory].key[1:]) for memory in ids.tolist()])


async def gather(data: Path, talk: Conversation, embedder: Embedder) -> list[Asked]:
    found = []
    async with mind_of(data, "gathered", DEFAULT, talk, embedder) as (mind, clock):
        ours = Items(mind, clock, talk, "order")
        for question in talk.questions:
            await ours.until(question)
            found.append(await _search(mind, question).gathered(question))
    return found


def _search(mind: ebbtide.Mind, question: Question) -> Gather:
    asked = SearchAsked(question.text, 10, (), None, None, (), None, None, 0.0, True, False, EVER)
    return Gather(mind._store, mind._indexing, asked, mind.now())


async def measured(data: Path, cache: Path) -> tuple[Gathered, Scores]:
    """The candidates of every question; and how similarity with links does, which no set is to fall below."""
    embedder, gathered, links = Cached(cache), Gathered(), Scores()
    try:
        for file in FILES:
            talks, start, rows = read(data / f"{file}.jsonl"), time.perf_counter(), Scores({WITH_LINKS: []})
            await learn(talks, embedder)
            gathered[file] = []
            for talk in talks:
                with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
                    gathered[file] += await gather(Path(folder), talk, embedder)
                    await with_links(Path(folder), talk, embedder, rows)
            links[file] = rows[WITH_LINKS]
            progress(f"{file}: {len(gathered[file])} questions, {time.perf_counter() - start:.0f} s")
    finally:
        await embedder.aclose()
    return gathered, links


# ---- weights, and what they find


def start() -> Column:
    return np.array([START.get(name, 0.0) for name in TERMS])


def in_force() -> Column:
    common = Common()
    return np.array([common.weight(name) for name in TERMS])


def fitted(gathered: Gathered) -> dict[str, Column]:
    """On all sets; by the name of each set, without it; and by that of a file of a set of two, without that file."""
    sets = {name: [Set(gathered[file]) for file in files] for name, files in SETS.items()}
    found = {ALL: fit(sets, start())}
    for out in SETS:
        found[out] = fit({name: parts for name, parts in sets.items() if name != out}, start())
        progress(f"fitted without {out}")
    for name, files in SETS.items():
        for out in files if len(files) > 1 else ():
            rest = [Set(gathered[file]) for file in files if file != out]
            found[out] = fit({**sets, name: rest}, start())
            progress(f"fitted without {FILES[out]}")
    return found


def scored(gathered: Gathered, weights: Column) -> Scores:
    return {file: [asked.score(weights) for asked in questions] for file, questions in gathered.items()}


def left_out(gathered: Gathered, weights: Mapping[str, Column]) -> Scores:
    """Each set by the weights that were fitted without it."""
    return _each(gathered, {file: weights[name] for name, files in SETS.items() for file in files})


def file_left_out(gathered: Gathered, weights: Mapping[str, Column]) -> Scores:
    """Each file by the weights that were fitted without it, though the other language of the same set was there."""
    return _each(gathered, {file: weights.get(file, weights[name]) for name, files in SETS.items() for file in files})


def _each(gathered: Gathered, without: Mapping[str, Column]) -> Scores:
    return {file: [asked.score(without[file]) for asked in questions] for file, questions in gathered.items()}


def occurring(gathered: Gathered) -> list[str]:
    """The terms that some candidate has; a metabolism leaves out those that its vitality counts already."""
    occurs = np.any([asked.terms.any(axis=0) for questions in gathered.values() for asked in questions], axis=0)
    return [name for name, there in zip(TERMS, occurs, strict=True) if there]


def ablated(gathered: Gathered, weights: Column) -> dict[str, Scores]:
    """By term: the same weights without it."""
    names = np.array(TERMS)
    return {name: scored(gathered, np.where(names == name, 0.0, weights)) for name in occurring(gathered)}


# ---- what is reported


def figures(loso: Scores, links: Scores) -> list[Figure]:
    what = "recall@10 by weights fitted on the other sets, less that of similarity with links"
    return [
        Figure(f"{FILES[file]}: {what}", recall(scores) - recall(links[file]), None, "%", Goal("≥", 0.0, "ours"))
        for file, scores in loso.items()
    ]


def tables(gathered: Gathered, links: Scores, weights: Mapping[str, Column]) -> list[list[list[str]]]:
    ours = scored(gathered, in_force())
    rows = {
        "similarity with links": links,
        "no term, vitality alone": scored(gathered, np.zeros(len(TERMS))),
        "SPEC K1": scored(gathered, start()),
        "weights in force": ours,
        "fitted on all": scored(gathered, weights[ALL]),
        "fitted on the other sets": left_out(gathered, weights),
        "fitted on the other files": file_left_out(gathered, weights),
    }
    names = [FILES[file] for file in gathered]
    found = [[name, *(three(scores[file]) for file in gathered)] for name, scores in rows.items()]
    return [_weights(gathered, weights), [["recall@10 / @5 / MRR, %", *names], *found], _ablation(ours, gathered)]


def _weights(gathered: Gathered, weights: Mapping[str, Column]) -> list[list[str]]:
    known = occurring(gathered)
    columns = [start(), in_force(), *(weights[name] for name in (ALL, *SETS))]
    head = ["weight", "SPEC K1", "in force", "fitted on all", *(f"without {name}" for name in SETS)]
    rows = [[name, *(f"{column[at]:.2f}" for column in columns)] for at, name in enumerate(TERMS) if name in known]
    return [head, *rows]


def _ablation(ours: Scores, gathered: Gathered) -> list[list[str]]:
    head = ["weights in force without …: change of recall@10 / @5 / MRR", *(FILES[file] for file in gathered)]
    rows = [
        [name, *(_change(scores[file], ours[file]) for file in gathered)]
        for name, scores in ablated(gathered, in_force()).items()
    ]
    return [head, *rows]


def _change(scores: Sequence[Score], ours: Sequence[Score]) -> str:
    pairs = ((recall(scores), recall(ours)), (recall(scores, 5), recall(ours, 5)), (mrr(scores), mrr(ours)))
    return " / ".join(f"{one - other:+.2f}" for one, other in pairs)


NOTES = (
    "Loss: softmax cross entropy over a question's candidates, evidence sharing the mass; each set weighs the same, "
    "MADial in both languages is one; similarity, lift and tide's bonus for need count 1; 0.02 × squared distance from "
    "SPEC K1's weights for each set; L-BFGS.",
    "Candidates: those that a search ranks, with conversations linked. The weights in force are one set of numbers for "
    "all, rounded, and were chosen with all sets in sight; the rows fitted on the other sets were not.",
    "Terms that tide's vitality counts already, and those that no candidate has, are left out of the tables.",
)


def main() -> None:
    parser = options("weights", "How the weights of the rank's terms were found.")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of *.jsonl")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where vectors are kept between runs")
    given = parser.parse_args()
    if problem := missing(given.data, list(FILES)):
        progress(problem)
        return
    gathered, links = asyncio.run(measured(given.data, given.cache))
    weights = fitted(gathered)
    report("weights", given, figures(left_out(gathered, weights), links), NOTES, tables(gathered, links, weights))


if __name__ == "__main__":
    main()
