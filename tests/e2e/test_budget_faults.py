"""A mind with a budget whose process is killed while memories come and leave.   SPEC T7, C2."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ebbtide

pytestmark = pytest.mark.slow

BUDGET = 20
ROUNDS = 12
WRITER = """
import asyncio, itertools, sys
import ebbtide

async def main(data, start):
    async with ebbtide.open("ada", data=data, budget_memories=int(sys.argv[3]), journal_entries=300) as mind:
        print("open", flush=True)
        for number in itertools.count(start):
            await mind.put(f"memory number {number}: the ferry to Lamma left at 8:40, 第{number}条", key=f"k{number}")
            print(number, flush=True)
            if number % 7 == 0:
                await mind.touch(f"k{number}")
            if number % 13 == 0:
                await mind.squeeze()
            if number % 60 == 0:
                await mind.compact()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def last_put(data: Path, start: int, chance: random.Random) -> int:
    """The number of the last put that was acknowledged before the writer was killed."""
    command = [sys.executable, "-c", WRITER, str(data), str(start), str(BUDGET)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        numbers = [int(writer.stdout.readline()) for _ in range(2 * BUDGET)]
        time.sleep(chance.uniform(0.0, 0.3))
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read()
    whole = rest[: rest.rfind("\n") + 1].split()
    return int(whole[-1]) if whole else numbers[-1]


@pytest.mark.timeout(900)
async def test_a_killed_mind_is_within_its_budget_and_as_its_journal_says(tmp_path: Path) -> None:
    chance = random.Random(20261116)
    for number in range(ROUNDS):
        last = last_put(tmp_path, number * 100_000, chance)
        async with ebbtide.open("ada", data=tmp_path) as mind:
            stats = await mind.stats()
            assert stats.budget.memories <= BUDGET
            assert stats.store.trash <= BUDGET
            assert stats.store.journal_entries < 1000
            # Halved, or gone for a put that came after it but was not acknowledged any more.
            known = {memory.key: memory.text for memory in (await mind.list(everything=True, limit=100)).memories}
            known |= {gone.key: gone.text for gone in await mind.trash()}
            assert str(last) in known[f"k{last}"]
            assert list(await mind.check()) == []
