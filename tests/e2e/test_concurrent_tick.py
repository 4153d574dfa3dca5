"""Twenty callers against ticks that never cease, for half a minute: nothing lost, nobody waits long.   SPEC S4.

How many seconds a call takes depends on the machine and on who else works there. How many memories a tick writes down
while a call waits does not: a tick gives way after each batch, so they are those of a few batches, never of a tick.
"""

import asyncio
import itertools
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

import ebbtide
from ebbtide.core.memory import HOUR, Memory
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import TickReport
from tests.helpers import LetterEmbedder

pytestmark = pytest.mark.slow

T = TypeVar("T")

SECONDS = 30.0
MEMORIES = 2_000
HOT = 20  # whom most calls are about
CALLERS = 20
BATCH = 10
PASSED = 3  # batches that may come before a call's turn; one does as a rule
HASTE = 24 * HOUR  # a second on the wall is a day in the mind: every tick finds many scores changed


class HastyClock:
    """The clock on the wall, only faster."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._epoch = time.time()

    def now(self) -> float:
        return self._epoch + (time.monotonic() - self._start) * HASTE


@dataclass
class Acknowledged:
    """What the callers were told has happened."""

    uses: Counter[str] = field(default_factory=Counter)
    touches: int = 0
    put: set[str] = field(default_factory=set)
    numbers: Iterator[int] = field(default_factory=itertools.count)


@dataclass
class Watch:
    """What the ticks have written down, how much of it while each call waited, and what they said."""

    until: float
    written: int = 0
    meanwhile: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    reports: list[TickReport] = field(default_factory=list)

    def is_over(self) -> bool:
        return time.monotonic() >= self.until

    async def over(self, verb: str, call: Awaitable[T]) -> T:
        before = self.written
        answer = await call
        self.meanwhile[verb].append(self.written - before)
        return answer


async def tick_on_and_on(mind: Mind, watch: Watch) -> None:
    while not watch.is_over():
        before = watch.written

        def between_batches(done: int, total: int, before: int = before) -> None:
            watch.written = before + done

        watch.reports.append(await mind.tick(batch_size=BATCH, progress=between_batches))
        await asyncio.sleep(0)


async def caller(mind: Mind, told: Acknowledged, watch: Watch, chance: random.Random) -> None:
    """Touches, reads, puts, links and searches, as fast as it is answered."""
    while not watch.is_over():
        key, other = f"k{chance.randrange(HOT)}", f"k{chance.randrange(HOT, MEMORIES)}"
        if chance.random() < 0.3:
            key, other = other, key
        match chance.choices(("touch", "get", "put", "link", "list", "search"), (50, 20, 15, 10, 3, 2))[0]:
            case "touch":
                counted = (await watch.over("touch", mind.touch(key))).counted
                told.uses.update(counted)
                told.touches += len(counted)
            case "get":
                await watch.over("get", mind.get(key))
                told.uses[key] += 1
            case "put":
                new = f"new{next(told.numbers)}"
                await watch.over("put", mind.put(f"this is {new}", key=new))
                told.put.add(new)
            case "link":
                await watch.over("link", mind.link(key, other, "near", 0.01))
            case "list":
                await watch.over("list", mind.list(limit=20, everything=True))
            case "search":
                await watch.over("search", mind.search(f"memory {key}", 5))
        await asyncio.sleep(0)


async def crowded(mind: Mind, told: Acknowledged) -> Watch:
    watch = Watch(time.monotonic() + SECONDS)
    callers = [caller(mind, told, watch, random.Random(number)) for number in range(CALLERS)]
    await asyncio.gather(*callers, tick_on_and_on(mind, watch))
    return watch


async def require_nothing_lost(mind: Mind, told: Acknowledged) -> None:
    found = {memory.key: memory for memory in await all_of(mind)}
    assert {key: found[key].meta.access_count for key in told.uses} == dict(told.uses)
    assert told.put <= found.keys()


async def all_of(mind: Mind) -> list[Memory]:
    page = await mind.list(everything=True, limit=1000)
    found = list(page.memories)
    while page.next is not None:
        page = await mind.list(everything=True, limit=1000, after=page.next)
        found += page.memories
    return found


@pytest.mark.timeout(240)
async def test_twenty_callers_against_ticks_that_never_cease(tmp_path: Path) -> None:
    told = Acknowledged()
    how: dict[str, Any] = {"data": tmp_path, "clock": HastyClock(), "embedder": LetterEmbedder()}
    async with ebbtide.open("ada", metabolism="score", touch_spacing=0.0, **how) as mind:
        await mind.put_many({"text": f"memory k{n}", "key": f"k{n}"} for n in range(MEMORIES))
        await mind.search("memory", 1)  # what is slow only once is done
        watch = await crowded(mind, told)
        await require_nothing_lost(mind, told)
        await mind.tick()
        assert await mind.check() == []
    async with ebbtide.open("ada", **how) as mind:
        await require_nothing_lost(mind, told)
    require_much_to_do(told, watch)
    require_no_long_waits(watch)


def require_much_to_do(told: Acknowledged, watch: Watch) -> None:
    """It was a crowd, the ticks had much to write, and whom a call had moved meanwhile they left alone and counted."""
    assert told.touches > 1_000
    assert sum(report.changed for report in watch.reports) > 1_000
    assert sum(report.conflicts for report in watch.reports) > 0
    assert all(report.seen == report.changed + report.skipped + report.conflicts for report in watch.reports)


def require_no_long_waits(watch: Watch) -> None:
    """A tick wrote hundreds of memories down before it was done: nobody waited for that.

    A search does wait, for the vectors of what is new, and ticks go on meanwhile: of it this says nothing.
    """
    assert max(report.changed for report in watch.reports) > 10 * PASSED * BATCH
    for verb in ("touch", "get", "put", "link", "list"):
        assert max(watch.meanwhile[verb]) <= PASSED * BATCH, verb
