"""Pins in every store: all or none, once, for good; and files, trash and bases from before there were pins."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ebbtide.core.changes import Access, Forget, Merge, Pin, Restore
from ebbtide.core.errors import UnknownMemory
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import Tide
from ebbtide.core.ports import Store, Where
from ebbtide.core.snapshot import Snapshot
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, batch, born, configured
from tests.stores.conftest import Shelf
from tests.stores.furnished import without_speakers

T1, T2 = BIRTH + 100.0, BIRTH + 200.0


async def three(store: Store, metabolism: str = "activity") -> Store:
    await store.apply(batch(configured(metabolism), born(1), born(2), born(3)))
    return store


async def pins(store: Store) -> list[int]:
    s = await store.signals([1, 2, 3])
    found: list[int] = s.pinned.tolist()
    return found


async def test_some_are_pinned_and_found_by_it(store: Store) -> None:
    await three(store)
    await store.apply(batch(Pin(T1, (1, 3), True)))
    assert await pins(store) == [1, 0, 1]
    assert await store.page(Where(pinned=True)) == [1, 3]
    assert await store.page(Where(pinned=False)) == [2]


async def test_one_that_is_not_there_refuses_all(store: Store) -> None:
    await three(store)
    seq = store.seq
    with pytest.raises(UnknownMemory):
        await store.apply(batch(Pin(T1, (1, 99), True)))
    assert (await pins(store), store.seq) == ([0, 0, 0], seq)


async def test_what_is_so_already_is_told_and_not_journaled(store: Store) -> None:
    await three(store)
    await store.apply(batch(Pin(T1, (1,), True)))
    receipt = await store.apply(batch(Pin(T2, (1, 2, 2), True)))
    assert receipt.stale == (1,)
    assert (await store.journal())[-1].change == Pin(T2, (2,), True)
    seq = store.seq
    assert (await store.apply(batch(Pin(T2, (1, 2), True)))).stale == (1, 2)
    assert store.seq == seq


async def test_a_batch_may_put_pin_and_unpin(store: Store) -> None:
    await three(store)
    await store.apply(batch(born(4), Pin(T1, (4, 1), True), Pin(T1, (1,), False), Pin(T1, (2,), False)))
    assert (await store.signals([4])).pinned.tolist() == [1]
    assert await pins(store) == [0, 0, 0]


async def test_pins_are_there_after_opening_again(shelf: Shelf) -> None:
    await three(shelf.store)
    await shelf.store.apply(batch(Access(T1, (1,))), lazy=True)
    await shelf.store.apply(batch(Pin(T1, (1, 2), True)))
    await shelf.store.apply(batch(Pin(T2, (2,), False)))
    before = await shelf.store.snapshot()
    assert await (await shelf.reopen()).snapshot() == before
    assert (await shelf.store.signals([1])).access_count.tolist() == [1]


async def test_a_pin_goes_into_the_trash_and_comes_back_with_its_memory(store: Store) -> None:
    await three(store)
    await store.apply(batch(Pin(T1, (1,), True)))
    await store.apply(batch(Forget(T2, 1, "k1"), Forget(T2, 2, "k2")))
    rows = {gone.id: gone.row for _, gone in await store.trash()}
    assert (rows[1]["pinned"], "pinned" in rows[2]) == (1, False)  # told only where there is one
    await store.apply(batch(Restore(T2, 1, "k1"), Restore(T2, 2, "k2")))
    assert await pins(store) == [1, 0, 0]


async def test_what_was_pinned_stays_so_in_what_it_is_merged_into_until_that_is_undone(store: Store) -> None:
    await three(store)
    await store.apply(batch(Pin(T1, (2,), True)))
    one = (await store.contents([1]))[1]
    await store.apply(batch(Merge(T2, 1, 2, "k2", Content("k1", "both"), one)))
    assert (await store.signals([1])).pinned.tolist() == [1]
    await store.apply(batch(Restore(T2, 2, "k2")))
    assert await pins(store) == [0, 1, 0]


async def test_only_the_end_of_a_pin_is_an_exposure(store: Store) -> None:
    await three(store, "retention")
    await store.apply(batch(Pin(T1, (1,), True), Pin(T1, (2,), False)))
    assert (await store.signals([1, 2])).exposed_at.tolist() == [float("-inf")] * 2
    await store.apply(batch(Pin(T2, (1, 2), False)))
    assert (await store.signals([1, 2])).exposed_at.tolist() == [T2, float("-inf")]


# ---- from before there were pins


def without_pins(path: Path) -> None:
    """The file as the version before would have left it: without the column, and with its number."""
    with closing(sqlite3.connect(path)) as raw, raw:
        without_speakers(raw)
        for column in ("pinned", *Tide.own):
            raw.execute(f"ALTER TABLE memories DROP COLUMN {column}")
        raw.execute("PRAGMA user_version = 2")


@pytest.mark.parametrize("metabolism", [name for name in METABOLISMS if name != "tide"])  # which came later
async def test_a_file_from_before_opens_and_its_trash_comes_back(tmp_path: Path, metabolism: str) -> None:
    old = SqliteStore(tmp_path)
    await three(old, metabolism)
    await old.apply(batch(Forget(T1, 3, "k3")))
    before = await old.snapshot()
    await old.close()
    without_pins(tmp_path / "mind.db")
    store = SqliteStore(tmp_path)
    try:
        assert await store.snapshot() == before
        await store.apply(batch(Restore(T2, 3, "k3"), Pin(T2, (3,), True)))
        assert await pins(store) == [0, 0, 1]
    finally:
        await store.close()


async def test_a_base_from_before_has_no_pins_in_it() -> None:
    store = await three(MemoryStore())
    base = await store.snapshot()
    rows = [(said, {name: value for name, value in row.items() if name != "pinned"}) for said, row in base.memories]
    older: Snapshot = replace(base, memories=tuple(rows))
    assert await MemoryStore(older).snapshot() == base
