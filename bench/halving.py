"""When to halve: is it better to keep some memories whole, or more of them halved, in the same number of characters?

As `bench.forgetting`, with tide and right confirmation. Of the survivors, those needed least are halved by the built-in
small model, and found by the words and the meaning of what is left. The fewer characters they take, the more survive:
if a share h is halved, 1 / (1 − h/2) times as many.
"""

import argparse
import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench import timelines
from bench.confirming import right
from bench.conversations import Cached
from bench.forgetting import MACRO, Cell, Protocol, Table, protocols
from bench.measure import options, progress, report
from bench.policies import Policy
from bench.replaying import Budget, replay
from bench.tide import Tide
from bench.timelines import Ask, TimeLine
from ebbtide.core.memory import Content
from ebbtide.core.signals import Column
from ebbtide.models.analysis import Analyzer
from ebbtide.models.builtin.compress import compress

SHARES = (0.25, 0.10)
HALVED = (0.0, 0.25, 0.5, 0.75, 1.0)

_ROOT = Path(__file__).parent.parent


Lines = list[tuple[TimeLine, TimeLine, list[Ask]]]  # as they are, with every item twice, and what is asked


@dataclass(frozen=True, slots=True)
class Halves:
    """A time line with every item twice: whole, and behind all of these, halved."""

    both: TimeLine
    share: float  # of the living, those needed least, that are halved

    def similar(self, ask: Ask, policy: Policy, alive: Column) -> Column:
        count, living = len(alive), np.flatnonzero(alive)
        lowest = living[np.argsort(policy.worth(ask.at)[living], kind="stable")[: round(self.share * len(living))]]
        whole, halved = alive.copy(), np.zeros_like(alive)
        whole[lowest], halved[lowest] = False, True
        which = np.concatenate([whole, halved])
        similarity = self.both.matchers[ask.question.number].similarity(which)
        return similarity[np.argsort(np.flatnonzero(which) % count)]


async def doubled(line: TimeLine, embedder: Cached) -> TimeLine:
    halves, analyzer = [compress(text, len(text) // 2) or text for text in line.texts], Analyzer()
    await embedder.learn(halves)
    vectors = await embedder.embed(halves)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return replace(
        line,
        texts=[*line.texts, *halves],
        vectors=np.concatenate([line.vectors, vectors / lengths]),
        terms=[*line.terms, *(analyzer.content(Content(f"h{place}", text)) for place, text in enumerate(halves))],
    )


def cell(lines: Lines, share: float, halved: float) -> Cell:
    budget, found = Budget(share), []
    for line, both, asks in lines:
        policy = Tide(line, budget.room(len(line), len(line)))
        similar = Halves(both, halved).similar
        found.append(replay(line, asks, policy, budget, right, lift=policy.lift, similar=similar))
    return Cell(found)


async def measure(data: Path, cache: Path) -> list[Table]:
    embedder = Cached(cache)
    try:
        rows = [row for name in MACRO for row in tabled(name, await read(protocols(data)[name], embedder))]
    finally:
        await embedder.aclose()
    return [[["%, by the share of survivors halved", *(f"{halved:.0%}" for halved in HALVED)], *rows]]


async def read(protocol: Protocol, embedder: Cached) -> Lines:
    lines = await timelines.read(protocol.file, embedder)
    return [(line, await doubled(line, embedder), protocol.asks(line, place)) for place, line in enumerate(lines)]


def tabled(name: str, lines: Lines) -> Table:
    rows = []
    for share in SHARES:
        as_many = [cell(lines, share, halved) for halved in HALVED]
        as_long = [as_many[0], *(cell(lines, share / (1 - halved / 2), halved) for halved in HALVED[1:])]
        for title, what, cells in (
            ("as many memories, recall@10", "lifted", as_many),
            ("as many characters, kept", "kept", as_long),
            ("as many characters, recall@10", "lifted", as_long),
        ):
            rows.append([f"{name}, {share:.0%}, {title}", *(f"{each.points(what):.1f}" for each in cells)])
        progress(f"{name}, {share:.0%}")
    return rows


NOTES = ("Recall@10 is with what tide adds to the similarity.",)


def parsed() -> argparse.Namespace:
    parser = options("halving", "Whether more memories, halved, are better than fewer, whole.")
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data", help="the folder of *.jsonl")
    parser.add_argument(
        "--cache", type=Path, default=_ROOT / ".cache" / "retrieval.npz", help="where vectors are kept between runs"
    )
    return parser.parse_args()


def main() -> None:
    given = parsed()
    if missing := [name for name in MACRO if not protocols(given.data)[name].file.exists()]:
        progress(
            f"nothing to measure with: {given.data} has no time line for {missing[0]}; name another folder with --data"
        )
        return
    report("halving", given, [], NOTES, asyncio.run(measure(given.data, given.cache)))


if __name__ == "__main__":
    main()
