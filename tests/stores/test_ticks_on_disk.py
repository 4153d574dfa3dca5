"""What a tick finds is in the journal at once and in the tables from the next checkpoint on."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ebbtide.core.changes import Access, Batch, PutMemory, WriteDown
from ebbtide.core.memory import CODE_OF, Content, State
from ebbtide.core.ports import Where
from ebbtide.stores.sqlite import FILE, SqliteStore

COLD = CODE_OF[State.COLD]
KINDS = ("note", "letter")


async def filled(folder: Path, count: int = 4) -> SqliteStore:
    store = SqliteStore(folder)
    puts = [PutMemory(1.0, i, Content(f"k{i}", "tide", kind=KINDS[i % 2]), 1.0) for i in range(1, count + 1)]
    await store.apply(Batch(tuple(puts), "puts"))
    return store


def written(folder: Path) -> dict[int, int]:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return dict(connection.execute("SELECT id, state FROM memories"))


def cold(store: SqliteStore, *ids: int) -> WriteDown:
    return WriteDown(2.0, store.seq, ids, (COLD,) * len(ids), (0,) * len(ids))


async def died(store: SqliteStore) -> None:
    """The process is gone: nothing is written any more, the lock is free."""
    store._lock.release()


async def test_the_tables_follow_when_the_mind_is_closed(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await store.apply(Batch((cold(store, 2, 3),), "tick"))
    assert written(tmp_path) == {1: 0, 2: 0, 3: 0, 4: 0}
    await store.close()
    assert written(tmp_path) == {1: 0, 2: COLD, 3: COLD, 4: 0}


async def test_a_page_by_state_knows_what_the_tables_do_not_have_yet(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await store.apply(Batch((cold(store, 2, 3, 4),), "tick"))
    assert await store.page(Where(states=(State.COLD,))) == [2, 3, 4]
    assert await store.page(Where(states=(State.COLD,), kind="note")) == [2, 4]
    assert await store.page(Where(states=(State.COLD,), kind="note"), limit=1) == [2]
    assert await store.page(Where(states=(State.COLD,), kind="note"), after=2) == [4]
    await store.close()


async def test_a_tick_survives_the_death_of_the_process(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await store.apply(Batch((cold(store, 1, 2),), "tick"))
    await store.apply(Batch((Access(3.0, (2,)),), "use"))
    before = await store.snapshot()
    await died(store)
    again = SqliteStore(tmp_path)
    assert await again.snapshot() == before
    assert await again.page(Where(states=(State.COLD,))) == [1, 2]
    await again.close()


async def test_puts_are_written_alike_in_whatever_number_they_come(tmp_path: Path) -> None:
    counts = (1, 49, 50, 51, 150, 151)
    stores = [await filled(tmp_path / str(count), count) for count in counts]
    for count, store in zip(counts, stores, strict=True):
        contents = await store.contents(range(1, count + 1))
        assert contents == {i: Content(f"k{i}", "tide", kind=KINDS[i % 2]) for i in range(1, count + 1)}
        assert [entry.seq for entry in await store.journal()] == list(range(1, count + 1))
        await store.close()
