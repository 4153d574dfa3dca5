"""What a store keeps of a tide mind: also after a kill, and in a file from before there was tide."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ebbtide.core.appraisal import Features
from ebbtide.core.changes import Appraise, Supersede, Touch
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import Tide
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, batch, born, configured
from tests.stores.furnished import without_speakers

LATER = BIRTH + 3 * DAY


def features(length: float, asks: float = 0.0) -> Features:
    return Features(length, 1.0, 0.0, asks, 0.0, 0.0)


async def used(store: SqliteStore | MemoryStore) -> None:
    """Hot entries: read, used, superseded, used again."""
    await store.apply(batch(Appraise(LATER, (1, 2), (features(3.0), features(4.0, 1.0)))), lazy=True)
    await store.apply(batch(Touch(LATER, (2,))), lazy=True)
    await store.apply(batch(Supersede(LATER, store.seq, ((1, 2, 0.5),))))
    await store.apply(batch(Touch(LATER + DAY, (1,))), lazy=True)
    await store.apply(batch(Appraise(LATER + DAY, (3,), (features(2.0),))), lazy=True)


async def three(store: SqliteStore | MemoryStore) -> None:
    await store.apply(batch(configured("tide"), *(born(memory) for memory in (1, 2, 3))))


async def test_a_file_copied_while_hot_entries_wait_becomes_the_same_mind(tmp_path: Path) -> None:
    """As after a kill: the tables are behind, the journal is not."""
    store = SqliteStore(tmp_path / "live")
    await three(store)
    await used(store)
    expected = await store.snapshot()
    shutil.copytree(tmp_path / "live", tmp_path / "killed", ignore=shutil.ignore_patterns("*.lock"))
    await store.close()
    again = SqliteStore(tmp_path / "killed")
    try:
        assert await again.snapshot() == expected
    finally:
        await again.close()


async def test_both_stores_keep_the_same(tmp_path: Path) -> None:
    ram, disk = MemoryStore(), SqliteStore(tmp_path)
    for store in (ram, disk):
        await three(store)
        await used(store)
    expected = await ram.snapshot()
    assert expected.senses is not None
    # 2 is the second of three that are older than a day; 1, a day later, the first of three.
    assert list(expected.senses.newness) == pytest.approx([2 / 3 + 1 / 3, 2])
    assert await disk.snapshot() == expected
    await disk.close()
    reopened = SqliteStore(tmp_path)
    try:
        assert await reopened.snapshot() == expected
    finally:
        await reopened.close()


async def test_a_put_leaves_out_what_every_memory_starts_with(tmp_path: Path) -> None:
    """Files in which a put wrote these values, and files in which it did not, read alike."""
    store = SqliteStore(tmp_path)
    await three(store)
    expected = await store.snapshot()
    await store.close()
    with closing(sqlite3.connect(tmp_path / "mind.db")) as raw, raw:
        found = raw.execute("SELECT use_long, use_short, prior, superseded, superseded_by FROM memories").fetchall()
        assert found == [(None,) * 5] * 3
        raw.execute("UPDATE memories SET use_long = 0, use_short = 0, prior = -1, superseded = 0, superseded_by = 0")
        raw.execute("UPDATE memories SET prior = NULL, superseded = NULL WHERE id = 2")
    again = SqliteStore(tmp_path)
    try:
        assert await again.snapshot() == expected
        s = await again.signals([1, 2])
        assert s.prior.tolist() == [-1.0, -1.0]
        assert s.superseded_by.tolist() == [0, 0]
    finally:
        await again.close()


@pytest.mark.parametrize("metabolism", [name for name in METABOLISMS if name != "tide"])
async def test_a_file_from_before_tide_opens(tmp_path: Path, metabolism: str) -> None:
    old = SqliteStore(tmp_path)
    await old.apply(batch(configured(metabolism), born(1), born(2)))
    before = await old.snapshot()
    await old.close()
    with closing(sqlite3.connect(tmp_path / "mind.db")) as raw, raw:
        without_speakers(raw)
        for column in Tide.own:
            raw.execute(f"ALTER TABLE memories DROP COLUMN {column}")
        raw.execute("PRAGMA user_version = 3")
    store = SqliteStore(tmp_path)
    try:
        assert await store.snapshot() == before
        await store.apply(batch(Touch(LATER, (1,))))
        assert (await store.signals([1])).access_count.tolist() == [1]
    finally:
        await store.close()
