"""Large minds with a past, made by the store's own `apply`; only the millions of links of a network mind are written
into its file in bulk, which is what applying them one by one would leave there, without their journal entries.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from ebbtide.core.changes import Access, Batch, Change, Configure, PutMemory, Scan, Traverse
from ebbtide.core.memory import DAY, Content
from ebbtide.core.metabolism import Metabolism
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals
from ebbtide.stores.sqlite import FILE, SqliteStore

NOW = 1_760_000_000.0
LINKS_EACH = 3
SHARE = 100  # one in so many memories is to change with each tick

_CHUNK = 1000
_USES = 40  # rounds of use, each of one memory in twenty
_TEXT = "The ferry to Lamma leaves at 8:40 from pier four, every day but Sunday."
_DECAY = 0.97
_FADERS = 30  # scans after each of which another hundredth of a network mind begins to fade


class Clock:
    def __init__(self, moment: float = NOW) -> None:
        self.moment = moment

    def now(self) -> float:
        return self.moment


async def make(folder: Path, metabolism: str, count: int) -> None:
    """A closed mind of so many memories, put over two months and used until NOW."""
    store = SqliteStore(folder)
    for number, changes in enumerate(_past(metabolism, count)):
        await store.apply(Batch(tuple(changes), f"past-{number}"))
    await store.close()
    if metabolism == "network":
        with closing(sqlite3.connect(folder / FILE)) as connection, connection:
            _link(connection, count)


def _past(metabolism: str, count: int) -> Iterator[list[Change]]:
    yield [Configure(NOW - 70 * DAY, metabolism, {})]
    chance = np.random.default_rng(count)
    births = np.sort(NOW - chance.uniform(10 * DAY, 60 * DAY, count)).tolist()
    weighty = chance.uniform(0.1, 1.0, count).tolist() if metabolism == "retention" else [None] * count
    for first in range(0, count, _CHUNK):
        numbers = range(first + 1, min(first + _CHUNK, count) + 1)
        yield [PutMemory(births[i - 1], i, _said(i), births[i - 1], weighty[i - 1]) for i in numbers]
    for moment in np.linspace(NOW - 10 * DAY, NOW, _USES).tolist():
        used, walked = chance.choice(count, (2, count // 20), replace=False) + 1
        yield [Access(moment, tuple(used.tolist())), Traverse(moment, tuple(walked.tolist()))]


def _said(number: int) -> Content:
    return Content(f"m{number}", f"{_TEXT} {number}")


def _link(connection: sqlite3.Connection, count: int) -> None:
    """Memory i of every hundred starts to fade after scan i + 1, up to thirty; the others hold on for longer."""
    place = np.arange(count) % SHARE
    importance = np.where(place < _FADERS, _DECAY ** -(place + 0.5), float(LINKS_EACH))
    strengths = (importance / LINKS_EACH).tolist()
    rows = (
        (i + 1, (i + step) % count + 1, 0, strengths[i], 0) for i in range(count) for step in (1, 7, 31)[:LINKS_EACH]
    )
    connection.execute("INSERT INTO relations (id, name) VALUES (0, 'about')")
    connection.executemany("INSERT INTO links (source, target, relation, strength, since) VALUES (?, ?, ?, ?, ?)", rows)


# ---- bringing about that one memory in a hundred is due


async def stir(store: Store, clock: Clock, count: int) -> None:
    """Let so much time or so many scans pass that the next tick finds a hundredth of the memories changed."""
    if store.regime.metabolism.name == "network":
        await store.apply(Batch((Scan(clock.now(), ((1, count),)),), f"scan-{store.seq}"))
    else:
        clock.moment = _moment(store.regime.metabolism, await store.signals(), clock.now(), count // SHARE)


def _moment(metabolism: Metabolism, s: Signals, now: float, wanted: int) -> float:
    """The first moment at which so many memories are due, to the thousandth of a second."""
    low, step = now, 60.0
    while _due(metabolism, s, now + step) < wanted:
        low, step = now + step, step * 2
    high = now + step
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if _due(metabolism, s, middle) >= wanted else (middle, high)
    return high


def _due(metabolism: Metabolism, s: Signals, now: float) -> int:
    verdicts = metabolism.judge(s, now)
    differs: Column = (verdicts.state != s.state) | (verdicts.marks != s.marks)
    if verdicts.score is not None:
        differs |= verdicts.score != s.score
    return int(np.count_nonzero(differs))
