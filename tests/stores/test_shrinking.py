"""A compacted journal gives its room back: the file is written anew, and nobody's change is lost meanwhile."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from ebbtide.core.changes import Access, Discard, Forget
from ebbtide.core.errors import StoreError
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import batch, born, configured
from tests.host.village import until
from tests.stores.conftest import Shelf

SECRET = "渡轮 ZX-4471 leaves"


async def furnished(store: SqliteStore, count: int = 300) -> None:
    """Many memories, all but one of them gone for good; their texts are in the journal."""
    await store.apply(batch(configured("retention")))
    await store.apply(batch(*[born(number, text=f"{SECRET} {number} " * 40) for number in range(1, count + 1)]))
    await store.apply(batch(born(count + 1, "kept", text="what stays")))
    await store.apply(batch(*[Forget(BIRTH, number, f"k{number}") for number in range(1, count + 1)]))
    await store.apply(batch(Discard(BIRTH, tuple(range(1, count + 1)))))


def opened(shelf: Shelf) -> SqliteStore:
    assert isinstance(shelf.store, SqliteStore)
    return shelf.store


def bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.glob("mind.db*")))


async def test_nothing_of_what_was_dropped_is_left_in_the_file_or_its_log(shelf: Shelf) -> None:
    store = opened(shelf)
    await furnished(store)
    before = (await store.info()).disk_bytes
    assert SECRET.encode() in bytes_in(shelf.folder)
    await store.compact(await store.snapshot())
    assert SECRET.encode() not in bytes_in(shelf.folder)
    assert (await store.info()).disk_bytes < before / 4
    again = await shelf.reopen()
    assert {said.text for said in (await again.contents([301])).values()} == {"what stays"}
    assert SECRET.encode() not in bytes_in(shelf.folder)


async def test_who_writes_and_reads_meanwhile_is_served(shelf: Shelf) -> None:
    store = opened(shelf)
    await furnished(store)
    base = await store.snapshot()

    async def writing() -> None:
        for number in range(400, 440):
            await store.apply(batch(born(number)))
            assert number in await store.contents([number])

    await asyncio.gather(store.compact(base), writing(), store.compact(base), writing_lazily(store))
    again = await shelf.reopen()
    assert len(await again.living()) == 41
    assert (await again.base()) == base


async def writing_lazily(store: SqliteStore) -> None:
    for _ in range(20):
        await store.apply(batch(Access(BIRTH, (301,))), lazy=True)
        await asyncio.sleep(0)


async def test_who_no_longer_waits_for_it_does_no_harm(shelf: Shelf) -> None:
    store = opened(shelf)
    await furnished(store)
    compacting = asyncio.create_task(store.compact(await store.snapshot()))
    await until(lambda: "_shrink" in repr(store._flusher))
    compacting.cancel()
    await store.apply(batch(born(400)))
    again = await shelf.reopen()
    assert (await again.living()).tolist() == [301, 400]
    assert SECRET.encode() not in bytes_in(shelf.folder)


async def test_room_that_cannot_be_given_back_is_said_and_the_mind_goes_on(shelf: Shelf) -> None:
    store = opened(shelf)
    await furnished(store)
    store._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # it works on a second file, which it now may not have
    with pytest.raises(StoreError, match="journal was compacted, but the room it took up could not be given back"):
        await store.compact(await store.snapshot())
    assert (await store.info()).journal_entries == 0
    await store.apply(batch(born(400)))
    assert 400 in await store.contents([400])
    store._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
    await store.compact(await store.snapshot())
    assert SECRET.encode() not in bytes_in(shelf.folder)
