"""The write-ahead log is copied back beside the writing: it stays short, and nothing written is lost by it."""

from pathlib import Path

import pytest

from ebbtide.core.changes import Batch, PutMemory
from ebbtide.core.memory import Content
from ebbtide.stores.sqlite import FILE, SqliteStore, log

PAGE = 4096


async def put(store: SqliteStore, number: int) -> None:
    memory = PutMemory(float(number), number, Content(f"k{number}", "tide"), float(number))
    await store.apply(Batch((memory,), f"put-{number}"))


async def test_the_log_begins_anew_under_steady_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_COPY_AFTER", 100)
    store = SqliteStore(tmp_path)
    for number in range(1, 1501):  # at least three pages each: 4,500 pages, if the log never began anew
        await put(store, number)
    grown = (tmp_path / f"{FILE}-wal").stat().st_size
    await store.close()
    again = SqliteStore(tmp_path)
    count = (await again.info()).memories
    await again.close()
    assert count == 1500
    assert grown < 2000 * PAGE


async def test_a_copying_that_fails_is_nobodys_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_COPY_AFTER", 1)
    store = SqliteStore(tmp_path)
    store._copier.close()  # whatever is asked of it from now on fails
    for number in range(1, 20):
        await put(store, number)
    assert (await store.info()).memories == 19
    await store.close()
