"""After its final removal nothing of a memory is left: in no table, no index, no mirror, and in no byte of the file.

Until the journal is compacted its text stands there, by design: that is what a replay is told from.   SPEC C8, R6.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import FakeClock, store_of
from tests.reapers import reapable_on_disk

KEY = "quokka/袋鼠账本"
TEXT = "The zanzibar ledger ZX-90417 lies in 鹦鹉洲's vault, says 欧阳若兰. " * 3
PHRASE = "zanzibar 鹦鹉洲"
WORDS = ("quokka", "袋鼠账本", "zanzibar", "ZX-90417", "90417", "鹦鹉洲", "欧阳若兰", "vault")
FOLDER = Path("minds") / "ada"


async def lived(mind: Mind, clock: FakeClock, importance: float) -> int:
    """Put, embedded, found, linked both ways and touched. Returns its id."""
    await mind.put(TEXT, key=KEY, phrase=PHRASE, keywords=["zanzibar", "欧阳若兰"], importance=importance)
    await mind.put("the ferry leaves at 8:40", key="ferry", importance=1.0, policy="persistent")
    await mind.link(KEY, "ferry", "about")
    await mind.link("ferry", KEY, "about")
    for query in ("zanzibar ledger", "ZX-90417", "鹦鹉洲", "欧阳若兰的账本"):
        assert KEY in [hit.memory.key for hit in (await mind.search(query)).hits]
    clock.forward(3600.0)
    await mind.touch(KEY)
    memory = await store_of(mind).find(KEY)
    assert memory is not None
    return memory


async def removed(mind: Mind, clock: FakeClock, memory: int) -> None:
    """Pruned or deleted by the reaper as its importance has it, then its time in the trash passes."""
    for _ in range(40):
        clock.forward(3 * DAY)
        await mind.reap()
        await mind.tick()
        await mind.search("zanzibar ledger 鹦鹉洲 ZX-90417")
    store = store_of(mind)
    assert memory not in (await store.living()).tolist()
    assert not await store.trash()


def values(folder: Path) -> Iterator[tuple[str, Any]]:
    """Every value of every table there is, with its table."""
    with closing(sqlite3.connect(folder / "mind.db")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert {"memories", "trash", "index_rows", "journal", "base", "pairs", "dismissed", "meta"} <= set(tables)
        for table in tables:
            yield from ((table, value) for row in connection.execute(f'SELECT * FROM "{table}"') for value in row)


def holding(folder: Path) -> set[str]:
    """Tables that hold any of the words."""
    found = set()
    for table, value in values(folder):
        body = value if isinstance(value, bytes) else str(value).encode()
        if any(form in body for form in forms()):
            found.add(table)
    return found


def indexed(folder: Path) -> list[int]:
    with closing(sqlite3.connect(folder / "mind.db")) as connection:
        return [memory for (memory,) in connection.execute("SELECT id FROM index_rows")]


def forms() -> list[bytes]:
    """The words as a file could hold them: as they are, and as JSON in ASCII."""
    return [form for word in WORDS for form in (word.encode(), word.encode("ascii", "backslashreplace"))]


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


def codes() -> set[int]:
    return set(Analyzer().query(f"{TEXT} {PHRASE}").codes.tolist())


@pytest.mark.parametrize("importance", [0.1, 0.5])
async def test_nothing_is_left_after_the_final_removal(tmp_path: Path, importance: float) -> None:
    clock = FakeClock()
    folder = tmp_path / FOLDER
    async with reapable_on_disk(tmp_path / "minds", clock, archive=False) as mind:
        memory = await lived(mind, clock, importance)
        await removed(mind, clock, memory)
        await _no_index_holds_it(mind, memory)
    assert holding(folder) == {"journal"}  # by design, until it is compacted
    assert memory not in indexed(folder)

    clock.forward(31 * DAY)
    async with reapable_on_disk(tmp_path / "minds", clock, archive=False) as mind:
        assert await mind.compact(clock.now()) > 0
        assert not any(form in bytes_of(folder) for form in forms())  # while it is open, its log included
        await _no_mirror_holds_it(mind, memory)
        await mind.search("anything at all")
        await _no_index_holds_it(mind, memory)
        assert not await mind.check()
    assert holding(folder) == set()
    assert not any(form in bytes_of(folder) for form in forms())
    assert not list(folder.glob("*-wal"))


async def _no_index_holds_it(mind: Mind, memory: int) -> None:
    """Codes that only it had are in no posting list, and its slot has no vector."""
    store = store_of(mind)
    assert isinstance(store, SqliteStore)
    index = await store._shelf.index()
    ferry = set(Analyzer().query("the ferry leaves at 8:40").codes.tolist())
    own = codes() - ferry
    assert own
    for code in own:
        assert not len(index.lexical.having(code))
    kept = {code for segment in index.lexical._segments for code in segment.codes.tolist()}
    assert not own & (kept | set(index.lexical._tail.postings))
    assert index.slots([memory]).tolist() == [-1]
    assert index.vectors is not None
    free = np.flatnonzero(index.ids[: index.size] == 0)
    assert not index.vectors.has(free).any()
    assert len((await store.material(np.array([memory]))).ids) == 0


async def _no_mirror_holds_it(mind: Mind, memory: int) -> None:
    store = store_of(mind)
    assert isinstance(store, SqliteStore)
    state = store._state
    assert KEY not in state.keys
    assert memory not in state.table
    assert memory not in state.trash
    assert not state.pairs.of([memory])
    assert not [ids for _, ids in state.dismissed if memory in ids]
    base = await store.base()
    assert base is not None
    assert not any(word in repr(base) for word in WORDS)
    assert not any(word in token for token in store._ledger._tokens for word in WORDS)


async def test_pruning_takes_the_vector_and_leaves_the_key(tmp_path: Path) -> None:
    clock = FakeClock()
    folder = tmp_path / FOLDER
    async with reapable_on_disk(tmp_path / "minds", clock, archive=False) as mind:
        memory = await lived(mind, clock, 0.5)
        clock.forward(20 * DAY)
        assert (await mind.reap()).pruned == 1
        await mind.search("ferry")
        await mind.settled()
        assert len((await store_of(mind).material(np.array([memory]))).ids) == 0
        explained = await mind.explain(KEY)
        assert explained.memory.text == PHRASE
    with closing(sqlite3.connect(folder / "mind.db")) as connection:
        assert connection.execute("SELECT vector FROM index_rows WHERE id = ?", (memory,)).fetchall() in ([(None,)], [])
        assert connection.execute("SELECT text FROM memories WHERE key = ?", (KEY,)).fetchall() == [(PHRASE,)]
