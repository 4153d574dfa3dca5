"""What must survive: kill -9, a full disk, a second process, bad bytes.   SPEC C2.

The writer tells every key it was acknowledged, line by line; whatever it told must be there when it is gone.
"""

import asyncio
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

import ebbtide
from ebbtide.core.errors import Conflict, StoreDamaged, StoreError, StoreFull, StoreUnreadable
from ebbtide.mind import Mind

pytestmark = pytest.mark.slow

ROUNDS = 50
WRITER = """
import asyncio, itertools, random, sys
import ebbtide

async def main(data, metabolism, start, seed):
    chance = random.Random(seed)
    async with ebbtide.open("ada", data=data, metabolism=metabolism) as mind:
        print("open", flush=True)
        keys = []
        for number in itertools.count(start):
            key = f"k{number}"
            await mind.put(f"memory number {number}, 第{number}条", key=key)
            print("put", key, flush=True)
            keys.append(key)
            if len(keys) > 1:
                one, other = chance.sample(keys, 2)
                await mind.link(one, other, "next")
                print("link", one, other, flush=True)
                await mind.get(one)
            if chance.random() < 0.1:
                gone = keys.pop(chance.randrange(len(keys)))
                await mind.forget(gone)
                print("forget", gone, flush=True)
            if chance.random() < 0.05:
                await mind.tick()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
"""


def write_until_killed(data: Path, metabolism: str, start: int, chance: random.Random) -> list[list[str]]:
    """What the writer was acknowledged before it was killed, at a random moment after it had opened the mind."""
    command = [sys.executable, "-c", WRITER, str(data), metabolism, str(start), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        time.sleep(chance.uniform(0.0, 0.08))
        writer.send_signal(signal.SIGKILL)
        told = writer.stdout.read()
    whole = told if told.endswith("\n") else told[: told.rfind("\n") + 1]
    return [line.split() for line in whole.splitlines()]


async def require_all(mind: Mind, told: list[list[str]]) -> None:
    """Every acknowledged write is there; the one the writer was killed in may be there or not."""
    forgotten = {words[1] for words in told if words[0] == "forget"}
    alive = {m.key for m in (await mind.list(everything=True, limit=10_000)).memories}
    trash = {gone.key for gone in await mind.trash()}
    for words in told:
        match words:
            case ["put", key]:
                assert key in (trash if key in forgotten else alive | trash)
            case ["forget", key]:
                assert key in trash
            case ["link", one, other] if {one, other} <= alive:
                assert other in {step.key for step in await mind.follow(one)}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("metabolism", ["activity", "score"])
async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path, metabolism: str) -> None:
    chance = random.Random(20260101)
    told: list[list[str]] = []
    for number in range(ROUNDS // 2):
        told += write_until_killed(tmp_path, metabolism, number * 100_000, chance)
        with sqlite3.connect(tmp_path / "ada" / "mind.db") as raw:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        raw.close()
        async with ebbtide.open("ada", data=tmp_path) as mind:
            await require_all(mind, told)
            assert await mind.check() == []  # replay = store
    assert len(told) > ROUNDS  # the writer did get to write


# ---- no room

CRAMPED = """
import asyncio, resource, sys
import ebbtide
from ebbtide.core.errors import StoreFull

async def main(data):
    async with ebbtide.open("ada", data=data, durability=sys.argv[2]) as mind:
        await mind.put("here before", key="before")
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, most))
        number = 0
        try:
            while number < 10_000:
                await mind.put("x" * 10_000, key=f"k{number}")
                print("put", f"k{number}", flush=True)
                number += 1
        except StoreFull as error:
            print("full", error, flush=True)
        assert (await mind.get("before")).text == "here before"
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        await mind.put("there is room again", key="after")
        print("differences", await mind.check(), flush=True)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_a_full_disk_is_said_clearly_and_costs_nothing_old(tmp_path: Path, durability: str) -> None:
    command = [sys.executable, "-c", CRAMPED, str(tmp_path), durability]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(re.match(r"full No room to write .*mind\.db .*everything before it is safe", line) for line in lines)
    assert lines[-1] == "differences []"
    acknowledged = {line.split()[1] for line in lines if line.startswith("put ")}
    async with ebbtide.open("ada", data=tmp_path) as mind:
        keys = {memory.key for memory in (await mind.list(everything=True, limit=10_000)).memories}
        assert keys == acknowledged | {"before", "after"}


# ---- two at once

HOLDER = """
import asyncio, sys
import ebbtide

async def main():
    async with ebbtide.open("ada", data=sys.argv[1]):
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


async def test_a_second_process_shares_the_mind_and_keeps_it_when_the_first_one_leaves(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "open\n"
        async with ebbtide.open("ada", data=tmp_path) as mind:
            await mind.put("said through the other one", key="there")
            holder.stdin.close()
            await asyncio.to_thread(holder.wait, 30)
            await mind.put("said here", key="here")
            assert [seen.key for seen in (await mind.list()).memories] == ["there", "here"]
    async with ebbtide.open("ada", data=tmp_path) as mind:
        assert (await mind.get("here")).text == "said here"


async def test_a_process_that_has_the_folder_and_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ebbtide.host.ownership.PATIENCE", 0.1)
    monkeypatch.setattr("ebbtide.host.line._HELLO", 0.1)
    deaf = HOLDER.replace("await asyncio.to_thread(sys.stdin.readline)", "sys.stdin.readline()")
    with subprocess.Popen(
        [sys.executable, "-c", deaf, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(Conflict, match=rf"in use by a process \({holder.pid}\) that does not answer"):
            async with ebbtide.open("ada", data=tmp_path):
                pass
        holder.kill()


async def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        holder.kill()
    async with ebbtide.open("ada", data=tmp_path) as mind:
        await mind.put("nobody is in the way", key="free")


# ---- bad bytes


async def a_closed_mind(data: Path, memories: int = 300) -> Path:
    async with ebbtide.open("ada", data=data) as mind:
        await mind.put_many([{"text": f"memory {i} " * 40, "key": f"k{i}"} for i in range(memories)])
    return data / "ada" / "mind.db"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: b"this is not a database at all" * 100,
        lambda raw: raw[: len(raw) // 3],
        lambda raw: raw[:4096] + bytes(len(raw) - 4096),
        lambda raw: raw[:100] + b"\xff" * (len(raw) - 100),
    ],
    ids=["another file", "cut short", "pages of zeros", "pages of garbage"],
)
async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, spoil: object) -> None:
    path = await a_closed_mind(tmp_path)
    assert callable(spoil)
    path.write_bytes(spoil(path.read_bytes()))
    damaged = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(str(path))) as refused:
        async with ebbtide.open("ada", data=tmp_path) as mind:
            await mind.check()
    assert isinstance(refused.value, StoreDamaged | StoreUnreadable)
    assert path.read_bytes() == damaged  # nothing made it worse
    if isinstance(refused.value, StoreDamaged):
        assert "put back a backup" in str(refused.value)


async def test_damage_met_while_reading_is_named_too(tmp_path: Path) -> None:
    path = await a_closed_mind(tmp_path)
    stack = AsyncExitStack()
    mind = await stack.enter_async_context(ebbtide.open("ada", data=tmp_path))
    raw = bytearray(path.read_bytes())
    for page in range(2, len(raw) // 4096):
        raw[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(raw)
    with pytest.raises(StoreDamaged, match=r"mind\.db is damaged"):
        await read_all(mind)
    with pytest.raises(StoreDamaged, match=r"mind\.db is damaged"):  # the uses that wait cannot be written either
        await stack.aclose()


async def read_all(mind: Mind) -> None:
    for number in range(300):
        await mind.get(f"k{number}")


def test_every_error_about_the_disk_says_which_file(tmp_path: Path) -> None:
    for error in (StoreFull, StoreDamaged, StoreUnreadable):
        assert str(tmp_path) in str(error(path=tmp_path, detail="why"))
