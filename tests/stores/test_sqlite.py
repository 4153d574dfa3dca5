"""What is the SQLite store's alone: recovery from the journal, commits that fail, files that are not whole."""

import asyncio
import random
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ebbtide.core.changes import Access, Batch, Forget, PutLink, Rewrite, Scan, Traverse
from ebbtide.core.errors import KeyTaken, MindBusy, StoreDamaged, StoreFull, StoreUnreadable
from ebbtide.core.memory import HOUR, Content
from ebbtide.core.ports import Where
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import FILE, SqliteStore, loader
from ebbtide.stores.sqlite import store as module
from ebbtide.stores.sqlite.connection import write
from ebbtide.stores.sqlite.writer import Statement
from tests.builders import BIRTH
from tests.helpers import batch, born, configured

T = TypeVar("T")


@pytest.fixture
async def full(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Power-loss durability: commits are made by a thread, in groups."""
    store = SqliteStore(tmp_path / "mind", "full")
    await store.apply(batch(configured("score"), *(born(i) for i in range(1, 6))))
    yield store
    await store.close()


def after_a_crash(folder: Path) -> SqliteStore:
    """Another process opens what is on disk now; the first one never got to close."""
    copy = folder.with_name("after a crash")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("lock", "owner", "*-shm"))
    return SqliteStore(copy)


# ---- recovery


async def test_counters_come_back_from_the_journal_under_the_regime_of_their_time(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "mind")
    await store.apply(batch(configured("score"), born(1), born(2)))
    await store.apply(batch(Access(BIRTH + HOUR, (1,)), Traverse(BIRTH + HOUR, (2,))))
    await store.apply(batch(configured("score", usage_gain=80.0)))
    await store.apply(batch(Access(BIRTH + 2 * HOUR, (2,)), Scan(BIRTH, ((1, 1),))))
    expected = await store.snapshot()
    other = after_a_crash(tmp_path / "mind")
    assert await other.snapshot() == expected
    await other.close()
    await store.close()


async def test_recovery_does_not_count_twice_what_was_written_with_something_else(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "mind")
    await store.apply(batch(configured("activity"), born(1), born(2), born(3)))
    await store.apply(batch(Access(BIRTH + 1, (1, 1, 2, 3))))
    await store.apply(batch(PutLink(BIRTH + 2, 1, 2, "r", 0.5)))  # writes both rows, counters and all
    await store.apply(batch(Access(BIRTH + 3, (1, 3))), lazy=True)
    await store.apply(batch(Rewrite(BIRTH + 4, 2, Content("k2", "new"))))
    other = after_a_crash(tmp_path / "mind")
    assert (await other.signals([1, 2, 3])).access_count.tolist() == [3, 1, 2]
    assert await other.snapshot() == await store.snapshot()
    await other.close()
    await store.close()


async def test_counters_are_written_out_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHECKPOINT_EVERY", 5)
    store = SqliteStore(tmp_path / "mind")
    await store.apply(batch(configured("activity"), born(1)))
    for i in range(5):
        await store.apply(batch(Access(BIRTH + i, (1,))), lazy=True)
    await store.journal()
    with sqlite3.connect(tmp_path / "mind" / FILE) as raw:
        assert raw.execute("SELECT access_count FROM memories").fetchone() == (5,)
    raw.close()
    await store.close()


# ---- commits that fail


class Broken:
    """A disk that refuses the next so many commits."""

    def __init__(self, patch: pytest.MonkeyPatch, times: int) -> None:
        self.times = times
        patch.setattr(module, "write", self)

    def __call__(self, connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
        if self.times:
            self.times -= 1
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        write(connection, statements)


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_a_commit_that_fails_never_was(
    tmp_path: Path, durability: module.Durability, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "mind", durability)
    await store.apply(batch(configured("score"), born(1), born(2)))
    await store.apply(batch(Access(BIRTH + 1, (1,))))
    before = await store.snapshot()
    Broken(monkeypatch, 1)
    with pytest.raises(StoreFull, match="everything before it is safe"):
        await store.apply(batch(born(3), Forget(BIRTH + 2, 1, "k1"), token="mine"))
    assert await store.snapshot() == before
    assert (await store.contents([1, 2, 3])).keys() == {1, 2}
    receipt = await store.apply(batch(born(3), Forget(BIRTH + 2, 1, "k1"), token="mine"))  # room is back
    assert (receipt.repeated, await store.find("k3")) == (False, 3)
    await store.close()


async def test_all_who_share_a_commit_that_fails_are_told_and_none_is_left_waiting(
    full: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    Broken(monkeypatch, 1)
    puts = [full.apply(batch(born(i))) for i in range(10, 20)]
    results = await asyncio.wait_for(asyncio.gather(*puts, return_exceptions=True), 30)
    assert all(isinstance(result, StoreFull) for result in results)
    assert sorted((await full.signals()).id.tolist()) == [1, 2, 3, 4, 5]
    await full.apply(batch(born(10)))


async def test_a_mind_that_cannot_even_be_read_again_says_so_to_everyone(
    full: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoiled(connection: sqlite3.Connection) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    Broken(monkeypatch, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "load", spoiled)
        with pytest.raises(StoreFull):
            await asyncio.wait_for(full.apply(batch(born(10))), 30)
        for _ in range(2):
            with pytest.raises(StoreDamaged, match=r"mind\.db is damaged"):
                await full.find("k1")
    assert await full.find("k1") == 1  # it can be read again


# ---- reading while others write


class Gate:
    """A disk that commits when told to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._allowed = threading.Semaphore(0)
        patch.setattr(module, "write", self)

    def __call__(self, connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
        assert self._allowed.acquire(timeout=30)
        write(connection, statements)

    def open(self, times: int = 1) -> None:
        self._allowed.release(times)


async def begun(work: Coroutine[Any, Any, T]) -> "asyncio.Future[T]":
    """The work has got as far as it gets without the disk."""
    task = asyncio.ensure_future(work)
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_a_reader_never_sees_one_that_was_forgotten_while_it_waited(
    full: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    first = await begun(full.apply(batch(born(6))))
    reading = await begun(full.contents([1, 2]))
    gate.open()
    await first  # now it is the reader's turn to wait for the disk
    leaving = await begun(full.apply(batch(Forget(BIRTH, 1, "k1"))))
    gate.open()
    seen = await reading  # what is on disk still knows k1, what is in RAM does not
    assert set(seen) == {2}
    gate.open(10)
    await leaving


async def test_a_snapshot_is_of_one_moment_however_busy_the_mind(full: SqliteStore) -> None:
    async def keep_writing(first: int) -> None:
        for i in range(first, first + 20):
            await full.apply(batch(born(i)))
            await full.apply(batch(Forget(BIRTH, i, f"k{i}")))

    writers = [asyncio.ensure_future(keep_writing(100 * n)) for n in range(1, 4)]
    await asyncio.sleep(0)
    seen = await full.snapshot()
    await asyncio.gather(*writers)
    copy = MemoryStore()
    for entry in await full.journal():
        if entry.seq <= seen.seq:
            copy.apply_now(Batch((entry.change,), f"{entry.seq}"))
    assert await copy.snapshot() == seen


async def test_two_who_close_at_once_close_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "mind", "full")
    await store.apply(batch(configured("activity"), born(1)))
    await store.apply(batch(Access(BIRTH, (1,))), lazy=True)
    await asyncio.gather(store.close(), store.close())
    again = SqliteStore(tmp_path / "mind")
    assert (await again.signals([1])).access_count.tolist() == [1]
    await again.close()


# ---- files


async def test_a_folder_is_one_stores_at_a_time(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "mind")
    with pytest.raises(MindBusy, match="'mind' is in use"):
        SqliteStore(tmp_path / "mind")
    await store.close()
    await SqliteStore(tmp_path / "mind").close()


async def test_an_emptied_file_is_damage_and_not_a_new_mind(tmp_path: Path) -> None:
    await SqliteStore(tmp_path / "mind").close()
    path = tmp_path / "mind" / FILE
    path.write_bytes(b"")
    with pytest.raises(StoreDamaged, match="put back a backup"):
        SqliteStore(tmp_path / "mind")
    assert path.read_bytes() == b""


async def test_a_file_that_is_gone_beside_its_log_is_damage_and_not_a_new_mind(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "mind")
    await store.apply(batch(configured("activity"), born(1)))
    shutil.copytree(tmp_path / "mind", tmp_path / "other", ignore=shutil.ignore_patterns("lock", "owner"))
    await store.close()
    (tmp_path / "other" / FILE).unlink()
    with pytest.raises(StoreDamaged, match="its log is still there"):
        SqliteStore(tmp_path / "other")


async def test_a_file_half_made_by_a_process_that_died_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "mind").mkdir()
    (tmp_path / "mind" / "new.db").write_bytes(b"half a file")
    store = SqliteStore(tmp_path / "mind")
    await store.apply(batch(configured("activity"), born(1)))
    await store.close()
    assert {file.name for file in (tmp_path / "mind").iterdir()} <= {FILE, "lock"}


async def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mind").mkdir()
    path = tmp_path / "mind" / FILE
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE theirs (x)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreUnreadable, match="the database of another program"):
        SqliteStore(tmp_path / "mind")
    assert path.read_bytes() == before


async def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    await SqliteStore(tmp_path / "mind").close()
    with sqlite3.connect(tmp_path / "mind" / FILE) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreUnreadable, match=r"written by a later Ebbtide .*: update Ebbtide"):
        SqliteStore(tmp_path / "mind")


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnreadable, match=r"file/mind/mind\.db cannot be used"):
        SqliteStore(tmp_path / "file" / "mind")


@pytest.mark.parametrize(
    ("table", "column"), [("journal", "body"), ("trash", "way_back"), ("trash", "keywords"), ("memories", "keywords")]
)
async def test_words_that_cannot_be_understood_are_damage(tmp_path: Path, table: str, column: str) -> None:
    store = SqliteStore(tmp_path / "mind")
    await store.apply(batch(configured("activity"), born(1, keywords=("w",)), born(2, keywords=("w",))))
    await store.apply(batch(Forget(BIRTH, 2, "k2"), Rewrite(BIRTH, 1, Content("k1", "x", keywords=("v",)))))
    with sqlite3.connect(tmp_path / "mind" / FILE) as raw:
        raw.execute(f"UPDATE {table} SET {column} = '[garb'")
    raw.close()
    with pytest.raises(StoreDamaged, match=r"mind\.db is damaged"):
        await everything(store)
    await store.close()


def spoilt(raw: bytes, chance: random.Random) -> bytes:
    """The file cut short, with a page of noise or of zeros, or with noise strewn all over it."""
    page, bytes_ = chance.randrange(len(raw) // 4096) * 4096, bytearray(raw)
    match chance.choice(("cut", "noise", "zeros", "strewn")):
        case "cut":
            return raw[: chance.randrange(1, len(raw))]
        case "noise":
            return raw[:page] + chance.randbytes(4096) + raw[page + 4096 :]
        case "zeros":
            return raw[:page] + bytes(4096) + raw[page + 4096 :]
    for _ in range(200):
        bytes_[chance.randrange(100, len(raw))] = chance.randrange(256)
    return bytes(bytes_)


async def test_a_file_damaged_in_any_way_can_be_used_or_says_that_it_is_damaged(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "mind")
    many = [born(i, text="tide " * 30, keywords=("w",)) for i in range(1, 60)]
    await store.apply(batch(configured("retention"), *many, *(PutLink(BIRTH, 1, i, "r", 0.5) for i in range(2, 30))))
    await store.apply(batch(*(Forget(BIRTH, i, f"k{i}") for i in range(40, 50))))
    await store.close()
    raw, damaged = (tmp_path / "mind" / FILE).read_bytes(), 0
    for seed in range(60):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / FILE).write_bytes(spoilt(raw, random.Random(seed)))
        damaged += await is_damaged(folder)
    assert damaged > 40


async def is_damaged(folder: Path) -> bool:
    """As far as the store says so itself; any other error than that is the test's failure."""
    store: SqliteStore | None = None
    try:
        store = SqliteStore(folder)
        await everything(store)
    except StoreDamaged as error:
        return str(folder / FILE) in str(error)
    finally:
        if store is not None:
            await store.close()
    return False


async def everything(store: SqliteStore) -> None:
    await store.journal()
    await store.trash()
    await store.contents([1])
    await store.snapshot()
    await store.page(Where(kind="note"))


async def test_a_refused_batch_leaves_the_statements_of_others_alone(full: SqliteStore) -> None:
    good = asyncio.ensure_future(full.apply(batch(born(6))))
    await asyncio.sleep(0)
    with pytest.raises(KeyTaken):
        await full.apply(batch(born(7), born(8, "k1")))
    await good
    assert (await full.contents([6, 7])).keys() == {6}
