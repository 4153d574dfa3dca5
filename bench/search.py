"""Searching, and putting what is searched, against plain NumPy + SQLite in the same run, and next to other libraries.

The floor is what anybody would write in an hour: one matrix in RAM, a product with the query, the ten best texts from a
WAL file, and their access counts written back in one commit. It knows no words, no filters and no vitality. Vectors are
made beforehand, and nobody's time includes embedding. Ours is `Mind.search` as it is: words and meaning, vitality, and
access statistics (`count_hits`).
"""

import asyncio
import json
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ebbtide
from bench.corpus import DIMENSIONS, Corpus, Known, memories, questions
from bench.measure import Figure, Goal, medians, options, progress, report, shown, timed
from bench.rank_cost import ROOM, costs
from ebbtide.core.parameters import Common
from ebbtide.core.signals import Column
from ebbtide.core.vectors import VectorIndex

K = 10
BATCH = 1000
RIVALS = ("chromadb", "langgraph", "pylethe", "mem0")
_ROOT = Path(__file__).parent.parent
_RIVALS_PYTHON = _ROOT / ".venv-rivals" / "bin" / "python"


class Floor:
    """A matrix in RAM and a table in a WAL file."""

    def __init__(self, path: Path) -> None:
        self._rows = np.empty((16, DIMENSIONS), np.float32)
        self._size = 0
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(
            "CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT, vector BLOB, used INTEGER, used_at REAL)"
        )

    def put(self, text: str, vector: Column) -> None:
        self._insert([(self._size, text, vector.tobytes(), 0, time.time())])
        self._append(vector[None, :])

    def put_many(self, some: Corpus) -> None:
        rows = zip(some.texts, some.vectors, strict=True)
        now, first = time.time(), self._size
        self._insert([(first + i, text, vector.tobytes(), 0, now) for i, (text, vector) in enumerate(rows)])
        self._append(some.vectors)

    def search(self, query: Column) -> list[str]:
        cosines = self._rows[: self._size] @ query
        best = np.argpartition(-cosines, K)[:K]
        ids = best[np.argsort(-cosines[best])].tolist()
        marks = ",".join("?" * K)
        found = dict(self._connection.execute(f"SELECT id, text FROM memories WHERE id IN ({marks})", ids).fetchall())
        now = time.time()
        update = "UPDATE memories SET used = used + 1, used_at = ? WHERE id = ?"
        self._connection.executemany(update, [(now, memory) for memory in ids])
        self._connection.commit()
        return [found[memory] for memory in ids]

    def close(self) -> None:
        self._connection.close()

    def _insert(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._connection.executemany("INSERT INTO memories VALUES (?, ?, ?, ?, ?)", rows)
        self._connection.commit()

    def _append(self, vectors: Column) -> None:
        needed = self._size + len(vectors)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * len(self._rows)), DIMENSIONS), np.float32)
            grown[: self._size] = self._rows[: self._size]
            self._rows = grown
        self._rows[self._size : needed] = vectors
        self._size = needed


@asynccontextmanager
async def mind_of(data: Path, name: str, *known: Corpus) -> AsyncIterator[ebbtide.Mind]:
    async with ebbtide.open(name, data=data, embedder=Known(*known), count_hits=True, **ROOM) as mind:
        yield mind


def some_of(whole: Corpus, first: int, count: int) -> Corpus:
    return Corpus(whole.texts[first : first + count], whole.vectors[first : first + count])


# ---- searching


async def searching(data: Path, count: int, queries: int) -> list[Figure]:
    """Both asked the same questions in turns, each question once."""
    held = memories(count)
    asked = questions(held, queries)
    floor = Floor(data / f"floor-{count}.db")
    floor.put_many(held)
    async with mind_of(data, f"search-{count}", held, asked) as mind:
        await mind.put_many([ebbtide.Draft(text) for text in held.texts])
        await mind.reembed()
        progress(f"{count:,} memories are in")
        await _take_turns(mind, floor, some_of(asked, 0, 20))
        ours, bare = await _take_turns(mind, floor, asked)
    floor.close()
    size, goal = f"{count:,} memories", _search_goal(count)
    return [
        Figure(f"{size}: search, p50", float(np.percentile(ours, 50)), float(np.percentile(bare, 50)), "s", goal),
        Figure(f"{size}: search, p95", float(np.percentile(ours, 95)), float(np.percentile(bare, 95))),
    ]


def _search_goal(count: int) -> Goal:
    return Goal("≤", 1.5) if count <= 10_000 else Goal("≤", 0.010, "ours")


async def _take_turns(mind: ebbtide.Mind, floor: Floor, asked: Corpus) -> tuple[list[float], list[float]]:
    ours, bare = [], []
    for text, vector in zip(asked.texts, asked.vectors, strict=True):
        start = time.perf_counter()
        found = await mind.search(text, K)
        middle = time.perf_counter()
        floor.search(vector)
        ours.append(middle - start)
        bare.append(time.perf_counter() - middle)
        assert len(found.hits) == K
    return ours, bare


def nearest_recall(count: int, queries: int) -> Figure:
    """Of the ten nearest by an exact search, how many are among the first ten that a search by meaning looks at."""
    held = memories(count)
    asked = questions(held, queries, seed=5)
    index = VectorIndex(DIMENSIONS)
    index.put(np.arange(count), held.vectors)
    found = [index.nearest(vector, Common().candidates)[0][:K] for vector in asked.vectors]
    exact = [np.argpartition(-(held.vectors @ vector), K)[:K] for vector in asked.vectors]
    share = np.mean([len(np.intersect1d(a, b)) / K for a, b in zip(found, exact, strict=True)])
    return Figure(f"{count:,} memories: recall@{K} of the nearest", 100 * float(share), 100.0, "%", Goal("≥", 0.99))


# ---- putting


async def putting(data: Path, rounds: int, count: int = 1000) -> list[Figure]:
    """One after the other, each on disk before the next; counted until all of them can be found."""
    held = memories(2 * rounds * count, seed=6)
    floor, taken = Floor(data / "floor-puts.db"), []
    async with mind_of(data, "puts", held) as mind:
        for number in range(rounds):
            some = some_of(held, number * count, count)
            taken.append((*await _puts(mind, some), timed(partial(_bare_puts, floor, some))))
        many = []
        for number in range(rounds, 2 * rounds):
            some = some_of(held, number * count, count)
            many.append((*await _batch(mind, some), timed(partial(floor.put_many, some))))
    floor.close()
    return _rates("put after put", taken, count) + _rates(f"a batch of {count:,}", many, count)


def _rates(what: str, taken: Sequence[Sequence[float]], count: int) -> list[Figure]:
    acknowledged, findable, bare = medians(taken)
    return [
        Figure(f"{what}, until on disk", count / acknowledged, count / bare, "/s"),
        Figure(f"{what}, until it can be found", count / findable, count / bare, "/s", Goal("≥", 1.0)),
    ]


async def _puts(mind: ebbtide.Mind, some: Corpus) -> tuple[float, float]:
    start = time.perf_counter()
    for text in some.texts:
        await mind.put(text)
    return time.perf_counter() - start, await _found(mind) - start


async def _batch(mind: ebbtide.Mind, some: Corpus) -> tuple[float, float]:
    drafts = [ebbtide.Draft(text) for text in some.texts]
    start = time.perf_counter()
    await mind.put_many(drafts)
    return time.perf_counter() - start, await _found(mind) - start


async def _found(mind: ebbtide.Mind) -> float:
    """The moment from which on everything can be found by words and meaning, and its index rows are on disk."""
    info = await mind.reembed()
    assert not info.unembedded
    await mind.stats()  # waits for whatever is still to be written
    return time.perf_counter()


def _bare_puts(floor: Floor, some: Corpus) -> None:
    for text, vector in zip(some.texts, some.vectors, strict=True):
        floor.put(text, vector)


# ---- others


def rivals(python: Path, count: int, queries: int) -> list[list[str]]:
    """Each in a process of its own; one that cannot be had is said to be missing, and one that fails why."""
    held = memories(count)
    asked = questions(held, queries)
    rows = [["library", "memories", "search p50", "p95", f"puts, {BATCH:,} at a time"]]
    for name in RIVALS:
        with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
            _hand_over(Path(folder), held, asked)
            rows.append(_rival(python, name, Path(folder)))
        progress(" | ".join(rows[-1]))
    return rows


def _hand_over(folder: Path, held: Corpus, asked: Corpus) -> None:
    for name, texts in (("texts", held.texts), ("questions", asked.texts)):
        (folder / f"{name}.json").write_text(json.dumps(texts), "utf-8")
    np.save(folder / "vectors.npy", held.vectors)
    np.save(folder / "asked.npy", asked.vectors)


def _rival(python: Path, name: str, folder: Path) -> list[str]:
    if not python.exists():
        return [name, "not installed: `make rivals`", "", "", ""]
    command: list[str | Path] = [python, Path(__file__).with_name("rivals.py"), name, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return [name, f"failed: {(done.stderr.strip().splitlines() or ['?'])[-1][:80]}", "", "", ""]
    told = json.loads(done.stdout.splitlines()[-1])
    times = [shown(told[name], "s") for name in ("p50", "p95")]
    return [f"{name} {told['version']}", f"{told['memories']:,}", *times, shown(told["rate"], "/s")]


NOTES = (
    "The floor of a search is a product with one f32 matrix, the ten best texts from SQLite, and one commit of their "
    "access counts: it knows no words, no states and no links. NumPy's BLAS uses all cores for it, and waits for them "
    "on a busy machine; ours uses one. Our access counts are gathered, and committed within a second.",
    "The floor of a put is one row with text and vector, one commit, and a row appended to the matrix. Ours also "
    "writes the journal, reads the text for words, and writes the index rows behind the puts.",
    "Conversations: 20 memories each, linked by before and after. What the terms of the rank and vitality cost is the "
    "difference of the same question by default and with `vitality=False`, in turns in one mind; vectors of questions "
    "and of their sentences are looked up. CPU time, the least of three.",
    "Other libraries, each in a process of its own, with the same vectors: chromadb searches an approximate index, "
    "LangGraph and pylethe go through sqlite-vec, pylethe also through FTS5, mem0 (`infer=False`, no language model) "
    "through a local qdrant. Only ours, the floor and pylethe write access statistics.",
)


async def measure(data: Path, sizes: Sequence[int], queries: int, rounds: int) -> list[Figure]:
    figures = [figure for size in sizes for figure in await searching(data, size, queries)]
    figures += [figure for size in sizes for figure in await costs(data, size, queries)]
    if max(sizes) > 10_000:
        figures.append(nearest_recall(max(sizes), queries))
    return figures + await putting(data, rounds)


def main() -> None:
    parser = options("search", "Searching and putting, next to plain NumPy + SQLite and other libraries.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="how many memories")
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=7, help="of puts, a thousand each")
    parser.add_argument("--rivals", type=Path, default=_RIVALS_PYTHON, help="the Python that has the other libraries")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
        figures = asyncio.run(measure(Path(folder), given.sizes, given.queries, given.rounds))
    others = rivals(given.rivals, 10_000, given.queries)
    report("search", given, figures, NOTES, [others])


if __name__ == "__main__":
    main()
