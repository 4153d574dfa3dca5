"""330 real turns told to minds of every metabolism but the network's, in two languages, and killed 50 times (C14, C2).

A nursery imports Ebbtide once and forks a teller for each life. A teller goes on where the journal says the last one
stopped, tells all that is left and prints a line at every step of the queue; it is killed on one of these lines.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.core.answers import bones
from ebbtide.core.changes import Enqueue, PutMemory, Settle
from ebbtide.core.memory import Message
from ebbtide.core.sources import said_at
from ebbtide.mind import Mind

pytestmark = pytest.mark.slow

TURNS, AT_ONCE, KILLS = 330, 6, 50
MINDS = [(metabolism, language) for metabolism in ("activity", "score", "retention") for language in ("en", "zh")]
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("EBBTIDE_TEST_DATA", ROOT.parent / "shared" / "data"))
SETS = {"en": "locomo-dev.jsonl", "zh": "madial-zh.jsonl"}

NURSERY = """
import asyncio, json, os, sys
import ebbtide
from ebbtide.core.changes import Enqueue
from ebbtide.models.builtin import BuiltinModel
from ebbtide.stores.sqlite import SqliteStore

AT_ONCE = 6

def say(line):
    # At one stroke: a teller killed in the middle of a line would leave its half before the next one.
    os.write(1, f"{line}\\n".encode())

class Signing(BuiltinModel):
    async def distil(self, segment):
        say("understanding")
        return await super().distil(segment)

class SigningStore:
    apply = SqliteStore.apply

async def apply(store, batch, **options):
    say("writing")
    receipt = await SigningStore.apply(store, batch, **options)
    say("written")
    return receipt

SqliteStore.apply = apply

async def tell(data, agent, metabolism, file):
    turns = json.loads(open(file, encoding="utf-8").read())
    async with ebbtide.open(agent, data=data, metabolism=metabolism, model=Signing()) as mind:
        done = 0
        async for entry in mind.entries():
            done += len(entry.change.messages) if isinstance(entry.change, Enqueue) else 0
        for first in range(done, len(turns), AT_ONCE):
            await mind.remember(turns[first : first + AT_ONCE])
            say(f"told {first + AT_ONCE}")
        await mind.idle()

for line in sys.stdin:
    child = os.fork()
    if not child:
        asyncio.run(tell(*json.loads(line)))
        os._exit(0)
    say(f"born {child}")
    os.waitpid(child, 0)
    say("over")
"""


def turns(language: str) -> list[dict[str, Any]]:
    """Real turns where the data sets are at hand; else the conversations of these pages, again and again."""
    found = [json.loads(line) for line in (ROOT / f"docs/conversations/{language}.jsonl").read_text().splitlines()]
    if (file := DATA / SETS[language]).exists():
        items = json.loads(file.read_text("utf-8").splitlines()[0])["items"]
        real = [{"role": "user", "content": item["text"], "timestamp": item["at"]} for item in items]
        found = real if len(real) >= TURNS else real + found
    return list(islice(cycle(found), TURNS))


@contextmanager
def nursery() -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


def live(home: "subprocess.Popen[str]", life: list[str], lines: int) -> tuple[bool, int]:
    """One teller's life, killed at its so-manieth line. Whether it was, and how many turns it was acknowledged."""
    assert home.stdin is not None
    assert home.stdout is not None
    print(json.dumps(life), file=home.stdin, flush=True)
    child = int(home.stdout.readline().split()[1])
    told, killed, seen = 0, False, 0
    while (line := home.stdout.readline()) != "over\n":
        assert line, "the nursery died"
        seen += 1
        if line.startswith("told "):
            told = int(line.split()[1])
        if seen == lines:
            os.kill(child, signal.SIGKILL)
            killed = True
    return killed, told


def assert_sound(file: Path) -> None:
    with sqlite3.connect(file) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    raw.close()


async def assert_all_told_once(mind: Mind, said: list[dict[str, Any]]) -> None:
    """Segments put together are the turns, letter by letter: nothing lost, nothing doubled, in order, at its time."""
    changes = [entry.change async for entry in mind.entries()]
    queued = [message for change in changes if isinstance(change, Enqueue) for message in change.messages]
    messages = [Message(**turn) for turn in said]
    assert queued == messages
    puts = [change for change in changes if isinstance(change, PutMemory)]
    assert {put.content.kind for put in puts} == {"segment"}
    segments = [put.content.text for put in puts]
    assert "".join(map(bones, segments)) == "".join(bones(message.content) for message in messages)
    settled = [change.task for change in changes if isinstance(change, Settle)]
    assert len(settled) == len(set(settled)) == TURNS // AT_ONCE
    if messages[0].timestamp is not None:
        times = said_at(messages, segments)
        assert [put.created_at for put, at in zip(puts, times, strict=True) if at is not None] == [
            at for at in times if at is not None
        ]
    assert await mind.queue() == []
    assert await mind.check() == []


@pytest.mark.timeout(900)
async def test_330_turns_are_remembered_once_and_in_order_though_the_process_is_killed_50_times(
    tmp_path: Path,
) -> None:
    chance = random.Random(20261116)
    kills = 0
    for language in SETS:
        (tmp_path / f"{language}.json").write_text(json.dumps(turns(language)), "utf-8")
    with nursery() as home:
        while kills < KILLS:
            metabolism, language = MINDS[kills % len(MINDS)]
            agent = f"{metabolism}-{language}"
            life = [str(tmp_path / "data"), agent, metabolism, str(tmp_path / f"{language}.json")]
            killed, told = live(home, life, chance.randrange(1, 60))
            assert killed, f"{agent} had nothing left to do"
            kills += 1
            assert_sound(tmp_path / "data" / agent / "mind.db")
            async with ebbtide.open(agent, data=tmp_path / "data") as mind:
                on_disk = [entry.change async for entry in mind.entries()]
            assert sum(len(change.messages) for change in on_disk if isinstance(change, Enqueue)) >= told
    for metabolism, language in MINDS:
        agent, said = f"{metabolism}-{language}", turns(language)
        async with ebbtide.open(agent, data=tmp_path / "data") as mind:
            queued = [entry.change async for entry in mind.entries() if isinstance(entry.change, Enqueue)]
            done = sum(len(change.messages) for change in queued)
            for first in range(done, TURNS, AT_ONCE):
                await mind.remember(said[first : first + AT_ONCE])
            await mind.idle()
            assert mind.metabolism == metabolism
            await assert_all_told_once(mind, said)
