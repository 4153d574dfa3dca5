"""Giving an older file back: the identity, unless something came since and was to be kept.   SPEC S5."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.changes import Enqueue
from ebbtide.core.errors import Conflict, StoreUnreadable
from ebbtide.core.memory import Message
from ebbtide.mind import Mind
from ebbtide.stores.sqlite import SqliteStore
from ebbtide.stores.sqlite.legacy import Since, roll_back, take_over
from tests.helpers import METABOLISMS, FakeClock, batch, everything, mind_on_disk
from tests.legacy_files import AT, GROWN, OLD, PLAIN, dump, older_file, query, row

ROWS = (
    row(
        "a", "甲", summary="要点", meta={"type": "fact", "tags": ["x"], "author": "ada"}, links={"b": 2.0, "gone": 1.0}
    ),
    row("b", "乙", links={"a": 1.0}, created_at=1_700_000_000_000),
    row("c", "", summary="only a summary"),
)


@asynccontextmanager
async def life(
    data: Path, *rows: dict[str, Any], schema: str = PLAIN, metabolism: str = "score"
) -> AsyncIterator[Mind]:
    """A mind that was an older file, open for a while."""
    take_over(older_file(data / "ada" / "mind.db", rows or ROWS, schema), AT, metabolism, {})
    async with mind_on_disk(data, clock=FakeClock(AT)) as mind:
        yield mind


def rolled_back(data: Path, *, keep_new: bool | None = True) -> dict[str, dict[str, Any]]:
    """The rows of the older table afterwards, by key."""
    path = data / "ada" / "mind.db"
    roll_back(path, keep_new)
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {found["key"]: dict(found) for found in connection.execute("SELECT * FROM memories ORDER BY rowid")}


# ---- the identity


@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("schema", [PLAIN, GROWN, 'CREATE TABLE "Memories"' + PLAIN[21:]])
def test_there_and_back_is_the_identity(tmp_path: Path, schema: str, wal: bool) -> None:
    path = older_file(tmp_path / "old.db", ROWS, schema, wal=wal)
    before, ids = dump(path), query(path, "SELECT rowid, key FROM memories")
    take_over(path, AT, "score", {})
    assert dump(path) != before
    assert roll_back(path) == Since()
    assert dump(path) == before
    assert query(path, "SELECT rowid, key FROM memories") == ids


def test_also_with_statistics_for_the_planner(tmp_path: Path) -> None:
    path = older_file(tmp_path / "old.db", ROWS, GROWN, last="ANALYZE")
    before = dump(path)
    take_over(path, AT, "score", {})
    roll_back(path)
    assert dump(path) == before
    assert ("memories", "idx_memories_score") in query(path, "SELECT tbl, idx FROM sqlite_stat1")


def test_also_with_a_full_text_index_that_hangs_on_the_table(tmp_path: Path) -> None:
    schema = (
        GROWN
        + """
        CREATE VIRTUAL TABLE found USING fts5(text, content='memories', content_rowid='id');
        CREATE TRIGGER indexed AFTER INSERT ON memories
        BEGIN INSERT INTO found(rowid, text) VALUES (new.id, new.text); END;
    """
    )
    path = older_file(tmp_path / "old.db", [row("a", "ebb and tide")], schema)
    before = dump(path)
    take_over(path, AT, "score", {})
    roll_back(path)
    assert dump(path) == before
    assert query(path, "SELECT rowid FROM found WHERE found MATCH 'tide'") == [(1,)]


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_use_ticks_and_compaction_are_no_news(tmp_path: Path, metabolism: str) -> None:
    path = older_file(tmp_path / "ada" / "mind.db", ROWS, GROWN)
    before = dump(path)
    take_over(path, AT, metabolism, {})
    clock = FakeClock(AT)
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        if metabolism != "retention":  # there they are too old to be read
            await mind.get("a")
            await mind.follow("a")
        clock.forward(3600.0)
        await mind.tick()
        await mind.configure(trash_days=10.0)
        await mind.forget("b")
        await mind.restore("b")
        await mind.compact(clock.now())
    assert not roll_back(path)
    assert dump(path) == before


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(lambda text: text.strip())
keys = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=8)
values = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-2, 9) | keys
links = st.recursive(values, lambda below: st.lists(below, max_size=4) | st.dictionaries(keys, below, max_size=4))
older_rows = st.lists(
    st.builds(
        row,
        keys,
        texts,
        summary=st.none() | texts,
        meta=links.map(json.dumps) | texts,
        links=links.map(json.dumps) | texts,
        created_at=st.none() | st.integers(0, 2**62) | st.floats(allow_nan=False) | texts,
    ),
    unique_by=lambda found: found["key"],
    max_size=6,
)


@settings(deadline=None, max_examples=40)
@given(rows=older_rows)
def test_there_and_back_is_the_identity_whatever_the_rows_hold(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    path = older_file(tmp_path_factory.mktemp("old") / "old.db", rows)
    before = dump(path)
    assert take_over(path, AT, "score", {}).memories == len(rows)
    assert not roll_back(path)
    assert dump(path) == before


# ---- what came since


async def test_news_are_not_dropped_unasked(tmp_path: Path) -> None:
    async with life(tmp_path) as mind:
        await mind.put("new", key="n")
        await mind.put("other", key="b", replace=True)
        await mind.forget("c")
        await mind.link("a", "n", "x")
    path = tmp_path / "ada" / "mind.db"
    before = dump(path)
    with pytest.raises(Conflict, match=r"1 put, 1 changed, 1 forgotten, 1 linked otherwise.*--keep-new"):
        roll_back(path)
    assert dump(path) == before
    async with mind_on_disk(tmp_path) as mind:
        assert await mind.check() == []


async def test_dropped_news_leave_the_older_file_as_it_was(tmp_path: Path) -> None:
    before = dump(older_file(tmp_path / "same.db", ROWS, GROWN))
    async with life(tmp_path, schema=GROWN) as mind:
        await mind.put("a secret nobody keeps", key="n")
        await mind.merge("a", "b")
        await mind.forget("c")
    path = tmp_path / "ada" / "mind.db"
    assert roll_back(path, keep_new=False)
    assert dump(path) == before
    assert b"a secret nobody keeps" not in path.read_bytes()


async def test_kept_news_are_written_as_the_file_writes_such_things(tmp_path: Path) -> None:
    async with life(tmp_path, schema=GROWN) as mind:
        await mind.put("新的", key="新", phrase="短", kind="fact", domain="d", keywords=["k"], speaker="梅")
        await mind.link("新", "a", "about", 0.25)
        await mind.put("甲变了", key="a", phrase="要点", keywords=["x", "y"], kind="fact", speaker="林", replace=True)
        await mind.forget("c")
    found = rolled_back(tmp_path)
    assert list(found) == ["a", "b", "新"]
    assert found["a"]["text"] == "甲变了"
    assert (found["a"]["summary"], found["a"]["created_at"]) == ("要点", str(OLD))
    assert json.loads(found["a"]["meta"]) == {"type": "fact", "tags": ["x", "y"], "author": "ada", "speaker": "林"}
    assert json.loads(found["a"]["links"]) == {"b": 2.0, "gone": 1.0}
    assert (found["新"]["text"], found["新"]["summary"], found["新"]["score"]) == ("新的", "短", 50)
    assert json.loads(found["新"]["meta"]) == {"type": "fact", "domain": "d", "speaker": "梅", "tags": ["k"]}
    assert json.loads(found["新"]["links"]) == {"a": 0.5}  # 0.25, on the file's scale of 0 to 2
    log = query(tmp_path / "ada" / "mind.db", "SELECT what FROM log")
    assert log[-1] == ("put 新",)  # its own triggers saw it


@pytest.mark.parametrize(
    ("sample", "written"),
    [
        (int(OLD), int(AT)),
        (OLD + 0.5, AT),
        (int(OLD * 1000), int(AT * 1000)),
        ("2024-05-01 08:00:00", "2025-06-15 15:06:40"),
        ("2024-05-01T08:00:00.000Z", "2025-06-15T15:06:40.000Z"),
        ("2024-05-01T08:00:00+00:00", "2025-06-15T15:06:40.000+00:00"),
        (None, "2025-06-15 15:06:40"),
    ],
)
async def test_new_rows_spell_their_moment_like_the_older_ones(tmp_path: Path, sample: Any, written: Any) -> None:
    async with life(tmp_path, row("a", created_at=sample)) as mind:
        await mind.put("new", key="n")
    assert rolled_back(tmp_path)["n"]["created_at"] == written


@pytest.mark.parametrize(
    ("older", "written"),
    [
        (["b", "gone"], ["gone", "c"]),
        ({"about": ["b"], "x": ["gone"]}, {"x": ["gone"], "about": ["c"]}),
        ({"b": 0.5, "gone": 0.25}, {"gone": 0.25, "c": 0.75}),
        ([{"to": "b", "rel": "about"}], [{"to": "c", "rel": "about", "weight": 0.75}]),
        ([{"target": "b", "type": "about", "strength": 0.5}, {"target": "gone"}],
         [{"target": "gone"}, {"target": "c", "type": "about", "strength": 0.75}]),
    ],
)  # fmt: skip
async def test_other_links_are_written_in_the_files_own_form(tmp_path: Path, older: Any, written: Any) -> None:
    async with life(tmp_path, row("a", links=older), row("b"), row("c")) as mind:
        (step,) = await mind.follow("a")
        await mind.unlink("a", "b", step.relation)
        await mind.link("a", "c", "about", 0.75)
    found = rolled_back(tmp_path)
    assert json.loads(found["a"]["links"]) == written
    assert [found[key]["links"] for key in ("b", "c")] == [None, None]


async def test_links_to_what_was_forgotten_stay_what_they_were(tmp_path: Path) -> None:
    async with life(tmp_path, row("a", links=["b", "c"]), row("b"), row("c")) as mind:
        await mind.forget("b")
    assert rolled_back(tmp_path)["a"]["links"] == '["b", "c"]'


async def test_keys_that_changed_hands_arrive_at_their_new_holders(tmp_path: Path) -> None:
    async with life(tmp_path, row("a", "was a"), row("b", "was b", links=["a"]), schema=GROWN) as mind:
        await mind.forget("a", "b")
        await mind.restore("a", new_key="b")
        await mind.restore("b", new_key="a")
    found = rolled_back(tmp_path)
    assert (found["b"]["text"], found["a"]["text"]) == ("was a", "was b")


async def test_a_table_that_cannot_take_the_news_refuses_and_nothing_changes(tmp_path: Path) -> None:
    schema = PLAIN.replace("created_at", "created_at, owner TEXT NOT NULL")
    async with life(tmp_path, row("a", owner="ada"), schema=schema) as mind:
        await mind.put("new", key="n")
    path = tmp_path / "ada" / "mind.db"
    before = dump(path)
    with pytest.raises(Conflict, match=r"memories\.owner.*--drop-new"):
        roll_back(path, keep_new=True)
    assert dump(path) == before
    roll_back(path, keep_new=False)


async def test_what_waits_in_the_queue_is_not_dropped_unasked_either(tmp_path: Path) -> None:
    path = older_file(tmp_path / "ada" / "mind.db", ROWS)
    before = dump(path)
    take_over(path, AT, "network", {})
    store = SqliteStore(path.parent)
    await store.apply(batch(Enqueue(AT, "remember", (Message("user", "not yet a memory"),))))
    await store.close()
    for choice in (None, True):
        with pytest.raises(Conflict, match="queue"):
            roll_back(path, choice)
    roll_back(path, keep_new=False)
    assert dump(path) == before


async def test_taken_over_again_nothing_of_the_news_is_missing(tmp_path: Path) -> None:
    async with life(tmp_path) as mind:
        await mind.put("新的", key="n", keywords=["k"], domain="d")
        await mind.link("n", "b", "related", 1.0)
        await mind.link("a", "n", "related", 0.25)
        before = [(m.key, m.text, m.keywords, m.kind, m.domain, m.created_at) for m in await everything(mind)]
    path = tmp_path / "ada" / "mind.db"
    roll_back(path, keep_new=True)
    report = take_over(path, AT, "score", {})
    assert (report.memories, report.links) == (4, 4)
    async with mind_on_disk(tmp_path, clock=FakeClock(AT)) as mind:
        assert [(m.key, m.text, m.keywords, m.kind, m.domain, m.created_at) for m in await everything(mind)] == before


def test_a_schema_that_was_altered_since_keeps_its_alterations(tmp_path: Path) -> None:
    path = older_file(tmp_path / "old.db", ROWS)
    take_over(path, AT, "score", {})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE legacy_memories ADD COLUMN more TEXT DEFAULT 'm'")
    roll_back(path)
    assert query(path, "SELECT key, more FROM memories") == [("a", "m"), ("b", "m"), ("c", "m")]
    assert dump(path)


@pytest.mark.parametrize("content", [[], [row("a")]])
async def test_what_was_never_taken_over_cannot_be_rolled_back(tmp_path: Path, content: list[dict[str, Any]]) -> None:
    path = tmp_path / "ada" / "mind.db"
    if content:
        older_file(path, content)
    else:
        async with mind_on_disk(tmp_path):
            pass
    with pytest.raises(Conflict, match="not taken over"):
        roll_back(path)
    with pytest.raises(StoreUnreadable):
        roll_back(tmp_path / "missing.db")
