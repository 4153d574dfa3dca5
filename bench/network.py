"""The network mind at size: telling it something, a compression cycle, and recall.

The mind holds 100 k memories and 1 M links. One memory in a hundred needs new text in a cycle; the small model
answers at once, so that what is measured is all the rest.
"""

import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.measure import Figure, Goal, medians, options, progress, report
from ebbtide.core.changes import Batch, Change, Configure, Focus, PutLink, PutMemory
from ebbtide.core.memory import Content, Message
from ebbtide.core.ports import Distilled
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import FILE, SqliteStore
from ebbtide.stores.sqlite.connection import connect

MEMORIES = 100_000
LINKS_EACH = 10
SHORTENED = MEMORIES // 100
POINTS = 5
NOW = 1_767_225_600.0
_TEXT = "Lin takes the ferry to Lamma at 8:40, and the last one back at 23:30; the café by the pier is closed. "


class Instant:
    """A small model that answers at once: what it costs is left out of the figures."""

    deterministic = True

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        return [message.content for message in messages]

    async def distil(self, segment: str) -> Distilled:
        return Distilled(segment[:12], (), ())

    async def relation(self, segment: str, entity: str) -> str:
        return "about"

    async def compress(self, text: str, length: int) -> str:
        return text[: text.rfind(" ", 0, length + 1)]

    async def overlap(self, one: str, two: str) -> float:
        return 0.0

    async def aclose(self) -> None:
        pass


class StoppedClock:
    def now(self) -> float:
        return NOW


def mind_of(store: SqliteStore) -> Mind:
    return Mind("bench", store, StoppedClock(), MemoryStore, model=Instant())


async def fill(store: SqliteStore) -> None:
    """Links at full strength but for one memory in a hundred, whose own are so weak that its text must shrink."""
    chance = random.Random(7)
    await store.apply(Batch((Configure(NOW, "network", {}),), "regime"))
    for first in range(1, MEMORIES + 1, 5000):
        puts = [PutMemory(NOW, i, Content(f"m{i}", f"{_TEXT}{i}"), NOW) for i in range(first, first + 5000)]
        await store.apply(Batch(tuple(puts), f"puts-{first}"))
    for first in range(1, MEMORIES + 1, 1000):
        links = [link for i in range(first, first + 1000) for link in links_of(i, chance)]
        await store.apply(Batch(tuple(links), f"links-{first}"))
        progress(f"links {first * LINKS_EACH:,}")
    await store.apply(Batch((Focus(NOW, tuple(range(1, POINTS + 1))),), "focus"))


def links_of(memory: int, chance: random.Random) -> list[Change]:
    weak = memory % 100 == 50
    targets = chance.sample(range(POINTS + 1, MEMORIES + 1), LINKS_EACH)
    strength = 0.09 if weak else 0.9
    return [PutLink(NOW, memory, target, "about", strength) for target in targets if target != memory]


# ---- telling


async def telling(folder: Path, rounds: int = 9, calls: int = 300) -> Figure:
    message = Message("user", _TEXT * 2)
    store = SqliteStore(folder / "told")
    await store.apply(Batch((Configure(NOW, "network", {}),), "regime"))
    mind = mind_of(store)
    with closing(connect(folder / "bare.db", "normal")) as bare:
        bare.execute("CREATE TABLE told (id INTEGER PRIMARY KEY, body TEXT)")
        taken = [(await tell(mind, message, calls), commit(bare, message, calls)) for _ in range(rounds)]
    await mind.close()
    ours, floor = medians(taken)
    return Figure("remember() until it is on disk; one bare commit of the same bytes", ours, floor, "s", Goal("≤", 3))


async def tell(mind: Mind, message: Message, calls: int) -> float:
    """The queue's worker is let run between two calls, outside of the measured time."""
    taken = []
    for _ in range(calls):
        start = time.perf_counter()
        await mind.remember([message])
        taken.append(time.perf_counter() - start)
        await mind.idle()
    return statistics.median(taken)


def commit(bare: sqlite3.Connection, message: Message, calls: int) -> float:
    taken = []
    for _ in range(calls):
        start = time.perf_counter()
        bare.execute("INSERT INTO told (body) VALUES (?)", (message.content,))
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


# ---- fading and recalling


async def cycles(mind: Mind, rounds: int = 5) -> Figure:
    taken = []
    for number in range(rounds):
        start = time.perf_counter()
        await mind.fade()
        taken.append(time.perf_counter() - start)
        progress(f"cycle {number + 1}")
    return Figure("a cycle, 1 % get new text", statistics.median(taken), None, "s", Goal("≤", 0.5, "ours"))


async def recalls(mind: Mind, store: SqliteStore, file: Path, calls: int = 200) -> list[Figure]:
    taken, floor = [], []
    with closing(sqlite3.connect(file)) as bare:
        for number in range(calls):
            await store.apply(Batch((Focus(NOW, points(number)),), f"focus-{number}"))
            start = time.perf_counter()
            await mind.recall(["ferry"], [], 2)
            taken.append(time.perf_counter() - start)
            floor.append(fetch(bare, points(number)))
    ours, bare_sql = statistics.quantiles(taken, n=20), statistics.quantiles(floor, n=20)
    return [
        Figure(
            "recall, depth 2, p50; the bare SQL for the same rows", ours[9], bare_sql[9], "s", Goal("≤", 5e-3, "ours")
        ),
        Figure("recall, depth 2, p95", ours[18], bare_sql[18], "s", Goal("≤", 20e-3, "ours")),
    ]


def points(number: int) -> tuple[int, ...]:
    first = POINTS * (number + 1) + 1
    return tuple(range(first, first + POINTS))


def fetch(bare: sqlite3.Connection, focus: Sequence[int]) -> float:
    start = time.perf_counter()
    seen, layer = set(focus), list(focus)
    for _ in range(2):
        marks = ",".join("?" * len(layer))
        rows = bare.execute(f"SELECT target, strength FROM links WHERE source IN ({marks})", layer)
        layer = [target for target, _ in rows if target not in seen]
        seen.update(layer)
    bare.execute(f"SELECT id, text FROM memories WHERE id IN ({','.join('?' * len(seen))})", list(seen)).fetchall()
    return time.perf_counter() - start


async def measure(folder: Path) -> list[Figure]:
    figures = [await telling(folder)]
    store = SqliteStore(folder / "large")
    await fill(store)
    mind = mind_of(store)
    figures.append(await cycles(mind))
    figures += await recalls(mind, store, folder / "large" / FILE)
    await mind.close()
    return figures


def main() -> None:
    given = options("network", "Telling, fading and recalling at 100 k memories and 1 M links.").parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder)))
    report("network", given, figures, ["The small model answers at once; its time is not part of the figures."])


if __name__ == "__main__":
    main()
