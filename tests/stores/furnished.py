"""A store with something in it, and a way to look at all of it."""

import sqlite3
from dataclasses import dataclass

from ebbtide.core.changes import (
    Access,
    Entry,
    Forget,
    Merge,
    PutLink,
    WriteDown,
)
from ebbtide.core.memory import Content
from ebbtide.core.ports import Store
from ebbtide.core.snapshot import Snapshot
from ebbtide.stores.sqlite.schema import statements
from tests.builders import BIRTH
from tests.helpers import batch, born, configured

SPEAKERLESS = 4  # the schema before memories had speakers

T1, T2, T3 = BIRTH + 1, BIRTH + 2, BIRTH + 3


def says(key: str, text: str = "something else") -> Content:
    return Content(key, text)


def without_speakers(raw: sqlite3.Connection) -> None:
    """A file as the version before would have left it: without the columns, with its view and its number."""
    raw.execute("DROP VIEW memory_states")
    for table in ("memories", "trash"):
        raw.execute(f"ALTER TABLE {table} DROP COLUMN speaker")
    (view,) = (each for each in statements(1) if "CREATE VIEW memory_states" in each)
    raw.execute(view)
    raw.execute(f"PRAGMA user_version = {SPEAKERLESS}")


async def furnish(store: Store, metabolism: str = "activity") -> None:
    """k1 → k2 → k3, k4 forgotten, k5 merged into k1 (so that k5's link to k3 is k1's now)."""
    await store.apply(batch(configured(metabolism), *(born(i) for i in range(1, 6))))
    await store.apply(
        batch(PutLink(T1, 1, 2, "next", 0.5), PutLink(T1, 2, 3, "next", 0.7), PutLink(T1, 5, 3, "about", 0.9))
    )
    await store.apply(batch(Access(T1, (1, 2)), Forget(T2, 4, "k4")))
    await store.apply(batch(Merge(T2, 1, 5, "k5", says("k1", "both"), born(1).content)))


@dataclass(frozen=True)
class Everything:
    """All there is to see of a store."""

    snapshot: Snapshot
    journal: list[Entry]
    contents: dict[int, Content]
    seq: int


async def look(store: Store) -> Everything:
    contents = await store.contents(list(range(1, 10)))
    return Everything(await store.snapshot(), await store.journal(), contents, store.seq)


def found(seen: int, *ids: int, scores: tuple[int, ...] | None = None) -> WriteDown:
    return WriteDown(T3, seen, ids, (1,) * len(ids), (1,) * len(ids), scores)
