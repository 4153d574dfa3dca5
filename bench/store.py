"""Writing memories against bare `sqlite3` loops: the same rows, table, indexes and settings, on the same disk.

The bare loops write the `memories` row and nothing else. Ebbtide checks the draft, keeps keys and columns in RAM,
and writes the journal entry in the same transaction.
"""

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import ebbtide
from bench.measure import Figure, Goal, medians, options, progress, report, timed
from ebbtide.stores.sqlite.queries import births, insert_memory
from ebbtide.stores.sqlite.schema import make

CALLERS = 64
BATCH = 1000
ROOM: dict[str, Any] = {"budget_memories": 100_000_000}  # what leaves a full mind is not what is measured here
_INSERT = insert_memory(births(()))
_TEXT = "The ferry to Lamma leaves at 8:40 from pier four, every day but Sunday; the last one back sails at 23:30. "

Row = tuple[Any, ...]
Work = Callable[[ebbtide.Mind, "Supply"], Awaitable[float]]


@dataclass(slots=True)
class Supply:
    """Memories nobody has put yet: each number names one."""

    used: int = 0

    def numbers(self, count: int) -> range:
        self.used += count
        return range(self.used - count + 1, self.used + 1)


@dataclass(slots=True)
class Bare:
    """A file with Ebbtide's own tables, written to by nothing but `sqlite3`: WAL, and otherwise as SQLite is."""

    path: Path
    durability: str
    supply: Supply = field(default_factory=Supply)
    connection: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        make(self.path)
        self.connection = sqlite3.connect(self.path)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute(f"PRAGMA synchronous = {self.durability}")

    def one_by_one(self, count: int) -> float:
        rows = self._rows(count)
        start = time.perf_counter()
        for row in rows:
            self.connection.execute(_INSERT, row)
            self.connection.commit()
        return time.perf_counter() - start

    def batches(self, count: int) -> float:
        parts = [self._rows(BATCH) for _ in range(count)]
        return sum(timed(partial(self._batch, part)) for part in parts)

    def _batch(self, rows: Sequence[Row]) -> None:
        self.connection.executemany(_INSERT, rows)
        self.connection.commit()

    def _rows(self, count: int) -> list[Row]:
        return [_row(number) for number in self.supply.numbers(count)]


def _row(number: int) -> Row:
    text, now = _text(number), time.time()
    return (f"k{number}", text, "", "[]", "note", "", "", number, now, now, len(text), len(text), number, 0, number)


def _text(number: int) -> str:
    return f"{_TEXT}{number}"


# ---- ours


async def _puts(mind: ebbtide.Mind, numbers: Sequence[int]) -> None:
    for number in numbers:
        await mind.put(_text(number), key=f"k{number}")


async def _one_by_one(mind: ebbtide.Mind, supply: Supply, count: int) -> float:
    start = time.perf_counter()
    await _puts(mind, supply.numbers(count))
    return time.perf_counter() - start


async def _concurrently(mind: ebbtide.Mind, supply: Supply, each: int) -> float:
    shares = [supply.numbers(each) for _ in range(CALLERS)]
    start = time.perf_counter()
    await asyncio.gather(*(_puts(mind, share) for share in shares))
    return time.perf_counter() - start


async def _batches(mind: ebbtide.Mind, supply: Supply, count: int) -> float:
    taken = 0.0
    for _ in range(count):
        drafts = [ebbtide.Draft(_text(number), key=f"k{number}") for number in supply.numbers(BATCH)]
        start = time.perf_counter()
        await mind.put_many(drafts)
        taken += time.perf_counter() - start
    return taken


# ---- side by side


async def one_caller(data: Path, rounds: int, count: int = 2000) -> Figure:
    bare, supply = Bare(data / "one.db", "normal"), Supply()
    async with ebbtide.open("one", data=data, durability="normal", **ROOM) as mind:
        taken = [(await _one_by_one(mind, supply, count), bare.one_by_one(count)) for _ in range(rounds)]
    ours, baseline = medians(taken)
    what = "one caller, put after put"
    return Figure(what, count / ours, count / baseline, "/s", Goal("≥", 0.4))


async def many_callers(data: Path, rounds: int, each: int = 20, count: int = 200) -> Figure:
    bare, supply = Bare(data / "full.db", "full"), Supply()
    async with ebbtide.open("full", data=data, durability="full", **ROOM) as mind:
        taken = [(await _concurrently(mind, supply, each), bare.one_by_one(count)) for _ in range(rounds)]
    ours, baseline = medians(taken)
    what = f"{CALLERS} callers, power-loss durability, against one bare loop"
    return Figure(what, CALLERS * each / ours, count / baseline, "/s", Goal("≥", 15.0))


async def in_batches(data: Path, rounds: int, count: int = 5) -> Figure:
    bare, supply = Bare(data / "many.db", "normal"), Supply()
    async with ebbtide.open("many", data=data, durability="normal", **ROOM) as mind:
        taken = [(await _batches(mind, supply, count), bare.batches(count)) for _ in range(rounds)]
    ours, baseline = medians(taken)
    what = f"put_many, batches of {BATCH:,}, against executemany"
    return Figure(what, BATCH * count / ours, BATCH * count / baseline, "/s", Goal("≥", 0.3))


async def unsynced_callers(data: Path, rounds: int, each: int = 20) -> Figure:
    """The same callers where nobody waits for the disk: what a put costs besides syncing."""
    supply = Supply()
    async with ebbtide.open("unsynced", data=data, durability="normal", **ROOM) as mind:
        taken = [[await _concurrently(mind, supply, each)] for _ in range(rounds)]
    return Figure(f"one put of {CALLERS} callers without syncing", medians(taken)[0] / (CALLERS * each))


async def beside_activity(data: Path, rounds: int) -> list[Figure]:
    """What tide's own columns cost a put: the same puts into two minds, a few at a time in turns."""
    async with (
        ebbtide.open("tide", data=data / "tide", durability="normal", metabolism="tide", **ROOM) as tide,
        ebbtide.open("activity", data=data / "activity", durability="normal", metabolism="activity") as activity,
    ):
        minds = [(tide, Supply()), (activity, Supply())]
        single = [await _in_turns(minds, partial(_one_by_one, count=100), number) for number in range(20 * rounds)]
        many = [await _in_turns(minds, partial(_batches, count=1), number) for number in range(4 * rounds)]
    (one, one_before), (many_now, many_before) = medians(single), medians(many)
    return [
        Figure(
            "a put into a tide mind, against an activity mind, CPU time",
            one / 100,
            one_before / 100,
            "s",
            Goal("≤", 1.1),
        ),
        Figure(
            f"put_many of {BATCH:,} into a tide mind, against an activity mind, CPU time",
            many_now,
            many_before,
            "s",
            Goal("≤", 1.1),
        ),
    ]


async def _in_turns(minds: Sequence[tuple[ebbtide.Mind, Supply]], work: Work, number: int) -> list[float]:
    """The CPU time of each, which other work on the machine does not change much; now one begins, now the other."""
    taken = {}
    for mind, supply in minds if number % 2 else minds[::-1]:
        start = time.process_time()
        await work(mind, supply)
        taken[mind.agent] = time.process_time() - start
    return [taken[mind.agent] for mind, _ in minds]


def one_sync(data: Path, count: int = 300) -> Figure:
    """What the disk asks for making a page durable, as in a log in use: all that a group of callers can share."""
    sync = getattr(os, "fdatasync", os.fsync)
    file = os.open(data / "sync", os.O_RDWR | os.O_CREAT)
    os.write(file, bytes(4096 * count))
    os.fsync(file)
    taken = []
    for number in range(count):
        os.pwrite(file, os.urandom(4096), number * 4096)
        taken.append([timed(partial(sync, file))])
    os.close(file)
    return Figure("one sync of this disk", medians(taken)[0])


async def measure(data: Path, rounds: int) -> list[Figure]:
    figures = []
    for work in (one_caller, many_callers, in_batches, unsynced_callers):
        figures.append(await work(data, rounds))
        progress(figures[-1].what)
    return [*figures, *await beside_activity(data, rounds), one_sync(data)]


def notes(figures: Sequence[Figure]) -> list[str]:
    """What a missed group-commit goal comes from, worked out from this run's own figures."""
    full = figures[1]
    assert full.baseline is not None
    cost, sync = 1 / full.ours, figures[-1].ours
    alone = max(1 / full.baseline - sync, 0.0)
    cpu = max(cost - sync / CALLERS, 0.0)
    needed = (15 * cpu - alone) / (1 - 15 / CALLERS)
    return [
        f"Of a bare FULL insert {sync * 1e6:.0f} µs are the sync and {alone * 1e6:.0f} µs everything else. A group of "
        f"{CALLERS} shares one sync; the remaining {cpu * 1e6:.0f} µs of each put are CPU time. At that cost "
        f"15 × needs a disk whose sync takes {needed * 1e6:.0f} µs or more."
    ]


def main() -> None:
    parser = options("store", "Writing memories, next to bare sqlite3 loops.")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ebbtide-bench-") as folder:
        figures = asyncio.run(measure(Path(folder), given.rounds))
    report("store", given, figures, notes(figures))


if __name__ == "__main__":
    main()
