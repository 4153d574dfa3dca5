"""Judging, ticking and foretelling large minds, finding what they say twice, and opening them: next to the bare NumPy
formula, the bare product and the bare SELECT."""

import argparse
import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from bench import alike, lives
from bench.formulas import FORMULAS
from bench.measure import Figure, Goal, alternate, medians, options, progress, report, timed
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.signals import SignalTable
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import FILE, SqliteStore
from ebbtide.stores.sqlite.queries import stored

MERGING = "merging"
NOTES = (
    "The formulas stand in bench/formulas.py: A1; N5 over three links a memory; S2; R1 and R2; T1 and T2. They give "
    "numbers; judging gives states and marks as well.",
    "A tick is `mind.tick()` with its default batches of 100, each committed with its journal entry. It leaves the "
    "`memories` table to the next checkpoint, like all hot columns; the line below it is that checkpoint, by closing "
    "the mind, after all the ticks measured (and, in a network mind, as many scans of every memory).",
    "RAM counts the signal columns, the index from id to row, the keys, and the links with their two indexes. "
    "The line below is by how much a process grows that opens the mind.",
    "A forecast looks 30 days ahead (a network mind's 100 scans) and tells the first 100 events, with reasons; "
    "beside it stands the formula, once. The plan of a reaping is its dry run 90 days later, which lists all it "
    "would do, with keys and reasons.",
    "Merging: all memories are low and lonely, and their vectors (512 dimensions, made up, three in ten said again) "
    "are in the index. The baseline is the blocked product of all with all, timed for 20,000 and multiplied by the "
    "square of how many times more there are. The share of those with a partner that are given one is of the same "
    "20,000. Somebody who waits is a task that wants a turn every millisecond.",
    "The bare SELECT fetches the key and every stored signal of all memories, in a network mind the links too.",
)


async def measure(folder: Path, metabolism: str, count: int, rounds: int) -> list[Figure]:
    name = f"{metabolism}, {count:,}"
    progress(f"{name}: making the mind")
    await lives.make(folder, metabolism, count)
    progress(f"{name}: opening it")
    opened = await _opening(name, folder, metabolism)
    progress(f"{name}: ticking")
    store, clock = SqliteStore(folder), lives.Clock()
    mind = Mind("bench", store, clock, MemoryStore)
    await mind.tick()
    figures = [
        await _judging(name, store, clock, rounds),
        await _ticking(name, mind, store, clock, rounds),
        *await _foretelling(name, mind, store, clock),
    ]
    weight = (await store.info()).ram_bytes / count
    start = time.perf_counter()
    await mind.close()
    written_out = Figure(f"{name}: writing all of it to the tables", time.perf_counter() - start)
    return [*figures, written_out, opened, *_weight(name, folder, weight, count)]


async def _judging(name: str, store: SqliteStore, clock: lives.Clock, rounds: int) -> Figure:
    signals, metabolism, now = await store.signals(), store.regime.metabolism, clock.now()
    formula = FORMULAS[metabolism.name]
    ours, baseline = alternate(
        5 * rounds,
        partial(timed, partial(metabolism.judge, signals, now)),
        partial(timed, partial(formula, signals, now)),
    )
    return Figure(f"{name}: judging", ours, baseline, goal=Goal("≤", 1.5))


async def _ticking(name: str, mind: Mind, store: SqliteStore, clock: lives.Clock, rounds: int) -> Figure:
    taken, changed = [], []
    for _ in range(rounds):
        await lives.stir(store, clock, len(await store.signals()))
        signals, now = await store.signals(), clock.now()
        baseline = timed(partial(FORMULAS[mind.metabolism], signals, now))
        start = time.perf_counter()
        done = await mind.tick()
        taken.append([time.perf_counter() - start, baseline])
        changed.append(done.changed)
    ours, baseline = medians(taken)
    return Figure(f"{name}: a tick that changes {max(changed):,}", ours, baseline, goal=Goal("≤", 10.0))


async def _foretelling(name: str, mind: Mind, store: SqliteStore, clock: lives.Clock) -> list[Figure]:
    """What is to come, and in a retention mind what the reaper would then do."""
    formula = timed(partial(FORMULAS[mind.metabolism], await store.signals(), clock.now()))
    start = time.perf_counter()
    ahead = await mind.forecast()
    events = f"{sum(ahead.counts.values()):,} events"
    figures = [Figure(f"{name}: a forecast of {events}", time.perf_counter() - start, formula)]
    if mind.metabolism == "retention":
        clock.moment += 90 * DAY
        start = time.perf_counter()
        plan = await mind.reap(dry_run=True)
        figures.append(Figure(f"{name}: the plan to reap {len(plan.harvest):,}", time.perf_counter() - start))
        clock.moment -= 90 * DAY
    return figures


async def _opening(name: str, folder: Path, metabolism: str, rounds: int = 3) -> Figure:
    taken = [(await _opened(folder), timed(partial(_selected, folder, metabolism))) for _ in range(rounds)]
    ours, baseline = medians(taken)
    return Figure(f"{name}: opening", ours, baseline, goal=Goal("≤", 2.0))


async def _opened(folder: Path) -> float:
    start = time.perf_counter()
    store = SqliteStore(folder)
    taken = time.perf_counter() - start
    await store.close()
    return taken


def _selected(folder: Path, metabolism: str) -> None:
    names = stored(list(SignalTable(METABOLISMS[metabolism].own).types))
    with closing(sqlite3.connect(folder / FILE)) as connection:
        rows = connection.execute(f"SELECT key, {', '.join(names)} FROM memories").fetchall()
        links = connection.execute("SELECT source, target, relation, strength, since FROM links").fetchall()
    del rows, links


def _weight(name: str, folder: Path, counted: float, count: int) -> list[Figure]:
    grown = subprocess.run(
        [sys.executable, "-m", "bench.weigh", str(folder)], capture_output=True, check=True, text=True
    )
    return [
        Figure(f"{name}: RAM a memory, counted", counted, unit="B"),
        Figure(f"{name}: RAM a memory, by the process", int(grown.stdout) / count, unit="B"),
    ]


def _figures(given: argparse.Namespace) -> Sequence[Figure]:
    figures: list[Figure] = []
    for count in given.sizes:
        for part in given.parts:
            with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
                if part == MERGING:
                    figures += alike.measure(Path(folder), count)
                else:
                    figures += asyncio.run(measure(Path(folder), part, count, given.rounds))
    return figures


def main() -> None:
    parser = options("tick", "Judging, ticking, foretelling and opening large minds, and finding what they say twice.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000], help="memories in a mind")
    parts = [*FORMULAS, MERGING]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="minds of which metabolism; merging")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    report("tick", given, _figures(given), NOTES)


if __name__ == "__main__":
    main()
