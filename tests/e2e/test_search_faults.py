"""What searching must survive: kill -9 while embedding, spoiled rows, an emptied table, a full disk.

Whatever happens to the index, no memory is lost, and the next search finds everything again.
"""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from tests.hashing import Hashing

pytestmark = pytest.mark.slow

COUNT = 1500
REEMBED = """
import asyncio, sys
import ebbtide
from tests.hashing import Hashing

class Tired(Hashing):
    calls = 0

    async def embed(self, texts):
        self.calls += 1
        await asyncio.sleep(0.05 if self.calls <= int(sys.argv[2]) else 600)
        return await super().embed(texts)

async def main(data):
    async with ebbtide.open("ada", data=data, embedder=Tired("another")) as mind:
        await mind.reembed()

asyncio.run(main(sys.argv[1]))
"""


KEPT = "SELECT count(*) FROM index_rows JOIN recipes r ON r.id = recipe WHERE space LIKE 'another/%'"


async def fill(folder: Path, count: int = COUNT) -> None:
    async with ebbtide.open("ada", data=folder, embedder=Hashing()) as mind:
        await mind.put_many([{"text": f"memory of day {n}, 第{n}天", "key": f"k{n}"} for n in range(count)])
        await mind.reembed()


def raw(folder: Path, statement: str, rows: Sequence[tuple[Any, ...]] = ((),)) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "ada" / "mind.db")) as connection, connection:
        return [answer for row in rows for answer in connection.execute(statement, row).fetchall()]


async def require_everything(folder: Path, embedder: Hashing, count: int = COUNT) -> None:
    async with ebbtide.open("ada", data=folder, embedder=embedder) as mind:
        info = await mind.reembed()
        assert (info.memories, info.unread, info.unembedded) == (count, 0, 0)
        for n in (0, count // 2, count - 1):
            assert (await mind.search(f"memory of day {n}", 1)).hits[0].memory.key == f"k{n}"
        assert await mind.check() == []
    with closing(sqlite3.connect(folder / "ada" / "mind.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# ---- kill -9


def reembed_until_killed(folder: Path, calls: int, kept: int) -> int:
    """How many rows are written down, killed as soon as there are more than before. It embeds for so many calls."""
    command = [sys.executable, "-c", REEMBED, str(folder), str(calls)]
    until = time.monotonic() + 90
    with subprocess.Popen(command) as process:
        try:
            while written(folder) <= kept:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.002)
        finally:
            process.send_signal(signal.SIGKILL)
    return written(folder)


def written(folder: Path) -> int:
    [(count,)] = raw(folder, KEPT)
    return int(count)


@pytest.mark.timeout(300)
async def test_killed_while_embedding_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """Rows may wait for a second before they are written. Three times seven batches of 64 are not all 1500."""
    await fill(tmp_path)
    chance, reached = random.Random(4), 0
    for _ in range(3):
        reached = reembed_until_killed(tmp_path, chance.randint(4, 7), reached)
        assert raw(tmp_path, "SELECT count(*) FROM memories") == [(COUNT,)]
    assert reached < COUNT
    later = Hashing("another")
    await require_everything(tmp_path, later)
    embedded = [text for text in later.texts if text.startswith("memory of day") and "第" in text]
    assert len(embedded) == COUNT - reached  # none of what was kept is made again


# ---- spoiled rows


async def test_spoiled_rows_are_noticed_and_made_again(tmp_path: Path) -> None:
    await fill(tmp_path, 60)
    chance = random.Random(7)
    rows = {row[0]: row[1:] for row in raw(tmp_path, "SELECT id, terms, vector FROM index_rows")}
    assert len(rows) == 60
    ids = sorted(rows)

    def spoil(blob: bytes) -> bytes:
        place = chance.randrange(len(blob))
        return blob[:place] + bytes([blob[place] ^ (1 << chance.randrange(8))]) + blob[place + 1 :]

    cut = rows[ids[13]][0][:-1]
    bad_terms = [spoil(rows[i][0]) for i in ids[:10]] + [b"", b"x", bytes(13), cut, chance.randbytes(90)]
    bad_vectors = [spoil(rows[i][1]) for i in ids[20:30]] + [b"", b"\xff" * 36, bytes(36), rows[ids[33]][1] * 2, None]
    raw(tmp_path, "UPDATE index_rows SET terms = ? WHERE id = ?", list(zip(bad_terms, ids, strict=False)))
    raw(tmp_path, "UPDATE index_rows SET vector = ? WHERE id = ?", list(zip(bad_vectors, ids[20:], strict=False)))
    embedder = Hashing()
    await require_everything(tmp_path, embedder, 60)
    again = [text for text in embedder.texts if "第" in text]
    assert len(again) == 30  # 15 whose words were spoiled, 15 whose vector was
    await require_everything(tmp_path, embedder, 60)


EMPTIED = ["DELETE FROM index_rows", "DELETE FROM recipes", "UPDATE index_rows SET recipe = 99"]


@pytest.mark.parametrize("statement", EMPTIED)
async def test_an_emptied_table_is_filled_again(tmp_path: Path, statement: str) -> None:
    await fill(tmp_path, 60)
    raw(tmp_path, statement)
    await require_everything(tmp_path, Hashing(), 60)
    later = Hashing()
    await require_everything(tmp_path, later, 60)
    assert [text for text in later.texts if "第" in text] == []


async def test_a_row_of_nobody_is_not_found(tmp_path: Path) -> None:
    await fill(tmp_path, 5)
    raw(tmp_path, "INSERT INTO index_rows SELECT 4711, terms, vector, recipe FROM index_rows WHERE id = 1")
    await require_everything(tmp_path, Hashing(), 5)


# ---- no room

CRAMPED = """
import asyncio, resource, sys
import ebbtide
from tests.hashing import Hashing

async def main(data):
    async with ebbtide.open("ada", data=data, durability=sys.argv[2], embedder=Hashing(dimensions=512)) as mind:
        await mind.put_many([{"text": f"memory of day {n}, 第{n}天", "key": f"k{n}"} for n in range(1000)])
        await mind.stats()
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, most))
        await mind.reembed()
        await mind.stats()  # waits until the rows are written, or are not
        found = await mind.search("memory of day 7", 1)
        print("found", found.hits[0].memory.key, found.unembedded, flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        await mind.put("there is room again", key="after")
        print("found", (await mind.search("room again", 1)).hits[0].memory.key, 0, flush=True)
        print("differences", await mind.check(), flush=True)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_a_disk_that_is_full_while_indexing_costs_only_rows(tmp_path: Path, durability: str) -> None:
    command = [sys.executable, "-c", CRAMPED, str(tmp_path), durability]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["found k7 0", "found after 0", "differences []"]
    assert "the search index could not be written" in done.stderr
    async with ebbtide.open("ada", data=tmp_path, embedder=Hashing(dimensions=512)) as mind:
        info = await mind.reembed()
        assert (info.memories, info.unembedded) == (1001, 0)
        assert (await mind.search("memory of day 7", 1)).hits[0].memory.key == "k7"
