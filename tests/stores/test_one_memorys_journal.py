"""Asking for the entries about one memory reads those, however long the journal; only for one long gone all of it."""

from pathlib import Path

from ebbtide.core.changes import Discard, Forget
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import batch, born


async def steps(store: SqliteStore, memory: int) -> int:
    """Hundreds of steps SQLite takes to find them."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    store._reader.set_progress_handler(step, 100)
    entries = await store.journal(memory=memory)
    store._reader.set_progress_handler(None, 0)
    assert entries[0].change == born(memory)
    return count


async def test_a_long_journal_costs_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.apply(batch(*[born(number) for number in range(1, 5001)]))
    await store.apply(batch(Forget(BIRTH, 7, "k7"), Forget(BIRTH, 8, "k8")))
    await store.apply(batch(Discard(BIRTH, (8,))))
    assert await steps(store, 2500) < 10
    assert await steps(store, 7) < 10
    assert await steps(store, 8) > 100
    await store.close()
