"""Finding what is said twice: a mind of low and lonely memories with vectors, next to comparing all with all.

The vectors are made up, the same in every run: as sentence embeddings do they share a direction, gather in topics, and
vary more along some axes than along others. Three in ten say again, more or less, what another one says.
"""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from bench.lives import NOW
from bench.measure import Figure, Goal, progress, timed
from ebbtide.core.changes import Batch, Configure, PutMemory
from ebbtide.core.index import IndexRow, Recipe
from ebbtide.core.memory import DAY, Content
from ebbtide.core.metabolism import Activity
from ebbtide.core.pairs import similar_pairs
from ebbtide.core.ports import Store, TextFeatures
from ebbtide.core.question import Question
from ebbtide.core.signals import Column
from ebbtide.core.terms import Terms
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.merging import find_pairs
from ebbtide.mind.tools import Tools
from ebbtide.mind.upkeep import tick
from ebbtide.stores.sqlite import SqliteStore

DIMENSIONS = 512
SAMPLE = 20_000  # rows that are compared all with all; the time for more is reckoned from that
OVERLAP = Activity().merge_overlap
MINUTE = Goal("≤", 60.0, on="ours")

_CHUNK = 4096
_TOPICS = 300
_AGAIN = 0.3
_BLOCK = 1024
_WORDLESS = Terms.counted([])


class _Reader:
    """Says nothing: only vectors matter here, and all are in the index already."""

    name = "bench"
    dimensions = DIMENSIONS

    def content(self, content: Content) -> Terms:
        return _WORDLESS

    def query(self, text: str) -> Terms:
        return _WORDLESS

    def question(self, text: str, at: float) -> Question:
        return Question()

    def keyword(self, keyword: str) -> int:
        return 0

    def features(self, text: str) -> TextFeatures:
        return TextFeatures(0.0, False, False, False, False)

    def says_where(self, text: str) -> bool:
        return False

    def supersedes(self, older: Content, newer: Content) -> bool:
        return True

    async def embed(self, texts: Sequence[str]) -> Column:
        raise AssertionError("every vector is there")

    async def aclose(self) -> None:
        pass


def vectors(chunk: int, count: int) -> Column:
    """The rows of this chunk; those said again are said first in the same chunk."""
    chance = np.random.default_rng((chunk, 20))
    shared = np.random.default_rng(20)
    common, topics = shared.standard_normal(DIMENSIONS), shared.standard_normal((_TOPICS, DIMENSIONS))
    spread = np.linspace(1.8, 0.4, DIMENSIONS)
    rows = chance.standard_normal((count, DIMENSIONS), np.float32) * spread
    rows += 0.5 * common + 0.8 * topics[chance.integers(0, _TOPICS, count)]
    again = np.flatnonzero(chance.random(count) < _AGAIN)
    noise = chance.standard_normal((len(again), DIMENSIONS), np.float32) * spread
    rows[again] = rows[chance.integers(0, count, len(again))] + chance.uniform(0.0, 0.9, (len(again), 1)) * noise
    found: Column = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def measure(folder: Path, count: int) -> list[Figure]:
    name = f"merging, {count:,}"
    progress(f"{name}: comparing all with all, of a sample")
    baseline, found = _all_with_all(min(SAMPLE, count), count)
    progress(f"{name}: making the mind")
    return asyncio.run(_finding(name, folder, count, baseline, found))


def _all_with_all(sample: int, count: int) -> tuple[float, float]:
    """How long it would take for so many; and which share of those with a partner, in the sample, we give one."""
    rows = np.concatenate([vectors(chunk, _CHUNK) for chunk in range(-(-sample // _CHUNK))])[:sample]
    has = np.zeros(sample, np.bool_)
    taken = timed(partial(_compare, rows, has))
    first, second, _ = similar_pairs(rows.astype(np.float16), np.zeros(sample, np.int64), OVERLAP)
    ours = np.zeros(sample, np.bool_)
    ours[first] = ours[second] = True
    return taken * (count / sample) ** 2, float((ours & has).sum() / max(1, has.sum()))


def _compare(rows: Column, has: Column) -> None:
    """The bare product, block by block, as anyone would write it."""
    for start in range(0, len(rows), _BLOCK):
        alike = rows[start : start + _BLOCK] @ rows.T >= OVERLAP
        has[start : start + _BLOCK] = alike.sum(axis=1) > 1


async def _finding(name: str, folder: Path, count: int, baseline: float, found: float) -> list[Figure]:
    store, reader = SqliteStore(folder), _Reader()
    tools = Tools(analyzer=lambda: reader, embedder=lambda: reader)
    await _fill(store, count)
    progress(f"{name}: looking")
    watch, start = _Watch(), time.perf_counter()
    watching = asyncio.create_task(watch.run())
    pairs = await find_pairs(store, Indexing(store, tools), NOW, None)
    watching.cancel()
    taken = time.perf_counter() - start
    assert pairs is not None
    start = time.perf_counter()
    done = await tick(store, NOW, pairs=pairs)
    written = time.perf_counter() - start
    await store.close()
    what = f"{len(pairs.found):,} pairs, {100 * found:.1f} % of those with a partner have one"
    return [
        Figure(f"{name}: finding {what}", taken, baseline, goal=MINUTE if count <= 100_000 else None),
        Figure(f"{name}: the longest anybody waited meanwhile", watch.longest),
        Figure(f"{name}: writing them down, and {done.changed:,} states and marks", written),
    ]


class _Watch:
    """Somebody else on the same event loop, who wants a turn every millisecond."""

    longest = 0.0

    async def run(self) -> None:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            self.longest = max(self.longest, time.perf_counter() - start - 0.001)


async def _fill(store: Store, count: int) -> None:
    born = NOW - 40 * DAY
    await store.apply(Batch((Configure(born, "activity", {}),), "regime"))
    await store.open_index(Recipe(_Reader.name, f"{_Reader.name}/{DIMENSIONS}", DIMENSIONS))
    for chunk, first in enumerate(range(1, count + 1, _CHUNK)):
        ids = range(first, min(first + _CHUNK, count + 1))
        puts = tuple(PutMemory(born, memory, Content(f"m{memory}", f"memory {memory}"), born) for memory in ids)
        await store.apply(Batch(puts, f"past-{first}"))
        editions = {one.id: one.edition for one in await store.unread(len(ids))}
        rows = zip(ids, vectors(chunk, _CHUNK), strict=False)
        await store.index([IndexRow(memory, editions[memory], _WORDLESS, row) for memory, row in rows])
