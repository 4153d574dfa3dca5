"""A network mind killed at any moment (N2, N6, C2): what it was told it remembers, once, and it fades as if unharmed.

The teller says every number it was acknowledged; each stands for two segments that nobody else says.
"""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import ebbtide
from ebbtide.core.changes import Enqueue, Forget, PutMemory, Restore, Scan, Settle
from ebbtide.mind import Mind
from tests.scripted_model import ScriptedModel, settle

pytestmark = pytest.mark.slow

ROUNDS = 50
TELLER = """
import asyncio, sys
import ebbtide
from ebbtide.core.ports import Distilled

class Small:
    deterministic = True
    async def segment(self, messages):
        return [part.strip() for message in messages for part in message.content.split("|")]
    async def distil(self, segment):
        words = segment.split()
        return Distilled(words[0], tuple(words[1:4]), tuple(word for word in words if word[0].isupper()))
    async def relation(self, segment, entity):
        return "about"
    async def compress(self, text, length):
        return text[:length]
    async def overlap(self, one, two):
        return 0.0
    async def aclose(self):
        pass

def word(number):
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:06d}")

async def main(data, durability, start):
    params = {"focus_limit": 3, "decay_rate": 0.9, "time_slice": 1}  # cycles are left in the middle, again and again
    opened = ebbtide.open(
        "ada", data=data, metabolism="network", durability=durability, model=Small(), **params
    )
    async with opened as mind:
        print("open", flush=True)
        for number in range(start, start + 8):
            name = word(number)
            text = f"T{name} walked along {name} shore in the rain | and then {name} went home again to sleep"
            await mind.remember([{"role": "user", "content": text}])
            print(number, flush=True)
            if number % 3 == 0:
                await mind.idle()
        await mind.idle()
        while True:
            await mind.fade()
            await asyncio.sleep(0)

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def word(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:06d}")


def tell_until_killed(data: Path, durability: str, start: int, chance: random.Random) -> list[int]:
    """The numbers the teller was acknowledged, killed at a random moment after it had said some of them, or none."""
    command = [sys.executable, "-c", TELLER, str(data), durability, str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as teller:
        assert teller.stdout is not None
        assert teller.stdout.readline() == "open\n"
        told = "".join(teller.stdout.readline() for _ in range(chance.randrange(5)))
        time.sleep(chance.choice((0.004, 0.02, 0.06)) * chance.random() * (4 if durability == "full" else 1))
        teller.send_signal(signal.SIGKILL)
        told += teller.stdout.read()
    return [int(line) for line in told[: told.rfind("\n") + 1].split()]


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Mind]:
    async with ebbtide.open("ada", data=data, model=ScriptedModel()) as mind:
        yield mind


async def assert_told_once(mind: Mind, acknowledged: Sequence[int]) -> None:
    """Whatever was acknowledged has become its two segments; whatever was not, these two or nothing."""
    made: Counter[str] = Counter()
    async for entry in mind.entries():
        if isinstance(entry.change, PutMemory) and entry.change.content.kind == "segment":
            made[entry.change.content.text] += 1
    for number in acknowledged:
        name = word(number)
        assert made[f"T{name} walked along {name} shore in the rain"] == 1
        assert made[f"and then {name} went home again to sleep"] == 1
    assert set(made.values()) == {1}
    first, second = (sum(text.startswith(start) for text in made) for start in ("T", "and then"))
    assert first == second


async def assert_each_cycle_passed_once(mind: Mind) -> None:
    """No cycle scanned a memory twice, and every cycle and task came to its end once."""
    alive: set[int] = set()
    passed: defaultdict[int, set[int]] = defaultdict(set)
    due: set[int] = set()
    async for entry in mind.entries():
        match entry.change:
            case PutMemory(id=memory) | Restore(id=memory):
                alive.add(memory)
            case Forget(id=memory):
                alive.discard(memory)
            case Enqueue():
                due.add(entry.seq)
            case Settle(task=task):
                due.remove(task)
            case Scan(ranges=ranges, task=task, count=count):
                scanned = {memory for memory in alive for first, last in ranges if first <= memory <= last}
                assert len(scanned) == count
                assert passed[task].isdisjoint(scanned)
                passed[task] |= scanned
    assert due == set()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_nothing_told_is_lost_or_doubled_when_the_process_is_killed(tmp_path: Path, durability: str) -> None:
    chance = random.Random(20260102)
    acknowledged: list[int] = []
    for number in range(ROUNDS // 2):
        acknowledged += tell_until_killed(tmp_path, durability, number * 100, chance)
        with sqlite3.connect(tmp_path / "ada" / "mind.db") as raw:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        raw.close()
        if number % 5 == 4:  # else the next teller takes up what this one left
            async with opened(tmp_path) as mind:
                assert await mind.check() == []  # replay = store, just as the crash left it
                await settle(mind)
                await assert_told_once(mind, acknowledged)
                await assert_each_cycle_passed_once(mind)
                assert await mind.queue() == []
                assert await mind.check() == []
    assert len(acknowledged) > ROUNDS // 2  # the teller did get to tell
