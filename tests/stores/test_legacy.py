"""Taking over files of the older system: `memories(key, summary, text, meta, links, created_at)`.   SPEC S5."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import InvalidInput, StoreUnreadable
from ebbtide.core.memory import DAY, State
from ebbtide.mind import Mind
from ebbtide.stores.sqlite.legacy import Takeover, take_over
from tests.helpers import METABOLISMS, FakeClock, everything, mind_on_disk, store_of
from tests.legacy_files import AT, GROWN, OLD, dump, older_file, query, row


@asynccontextmanager
async def taken_over(
    data: Path, *rows: dict[str, Any], metabolism: str = "score", clock: FakeClock | None = None, **params: Any
) -> AsyncIterator[tuple[Mind, Takeover]]:
    report = take_over(older_file(data / "ada" / "mind.db", rows), AT, metabolism, params)
    async with mind_on_disk(data, clock=clock or FakeClock(AT)) as mind:
        yield mind, report
        assert await mind.check() == []


async def links_of(mind: Mind, key: str) -> set[tuple[str, str, float]]:
    keys = {memory.id: memory.key for memory in await everything(mind)}
    (source,) = (memory for memory, name in keys.items() if name == key)
    links = await store_of(mind).links(source, outgoing=True)
    return {(link.relation, keys[link.target], link.strength) for link in links}


# ---- memories


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_every_row_becomes_a_memory_of_a_mind_whose_journal_replays_to_it(
    tmp_path: Path, metabolism: str
) -> None:
    rows = (
        row(
            "渡轮",
            "去南丫岛的渡轮八点四十分开。",
            summary="渡轮时间",
            meta={"type": "事实", "domain": "出行", "tags": ["船"]},
        ),
        row("pier", "Pier 4.", links=["渡轮"], created_at=OLD + 60),
        row("ticket", "票价二十元", links=[{"key": "渡轮", "relation": "关于", "weight": 0.25}]),
    )
    async with taken_over(tmp_path, *rows, metabolism=metabolism) as (mind, report):
        assert (mind.metabolism, report.memories, report.links, report.skipped) == (metabolism, 3, 2, ())
        ferry, pier, _ = await everything(mind)
        assert (ferry.key, ferry.text, ferry.phrase) == ("渡轮", "去南丫岛的渡轮八点四十分开。", "渡轮时间")
        assert (ferry.kind, ferry.domain, ferry.keywords) == ("事实", "出行", ("船",))
        assert (ferry.created_at, pier.created_at) == (OLD, OLD + 60)
        assert ferry.meta.in_degree == 2
        assert await links_of(mind, "pier") == {("related", "渡轮", 0.5)}
        assert await links_of(mind, "ticket") == {("关于", "渡轮", 0.25)}


async def test_every_score_starts_at_50_and_at_the_takeover_whatever_the_older_file_says(tmp_path: Path) -> None:
    clock = FakeClock(AT)
    async with taken_over(tmp_path, row("a", meta={"score": 97, "access_count": 12}), clock=clock) as (mind, report):
        (memory,) = await everything(mind)
        assert (memory.meta.score, memory.meta.access_count, memory.state) == (50, 0, State.COLD)
        assert report.warnings == ()
        clock.forward(10 * DAY)  # 50 · 0.95^10 = 29.937
        (memory,) = await everything(mind)
        assert memory.vitality == pytest.approx(29.937, abs=1e-3)


async def test_the_switch_turns_decay_off(tmp_path: Path) -> None:
    clock = FakeClock(AT)
    async with taken_over(tmp_path, row("a"), clock=clock, decay=False) as (mind, _):
        clock.forward(3650 * DAY)
        (memory,) = await everything(mind)
        assert memory.vitality == 50.0


async def test_later_life_goes_on_as_in_any_mind(tmp_path: Path) -> None:
    async with taken_over(tmp_path, row("a"), row("b", links=["a"])) as (mind, _):
        new = await mind.put("later", key="c")
        assert new.id == 3
        await mind.link("c", "a", "about")
        await mind.forget("b")
        await mind.tick()
        await mind.restore("b")
    async with mind_on_disk(tmp_path, clock=FakeClock(AT)) as mind:
        assert await mind.check() == []
        assert {memory.key for memory in await everything(mind)} == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("written", "created_at"),
    [
        (1_700_000_000, 1_700_000_000.0),
        (1_700_000_000.25, 1_700_000_000.25),
        (1_700_000_000_250, 1_700_000_000.25),
        ("1700000000250", 1_700_000_000.25),
        ("2023-11-14 22:13:20", 1_700_000_000.0),  # no zone: UTC
        ("2023-11-14T22:13:20.250Z", 1_700_000_000.25),
        ("2023-11-15T06:13:20+08:00", 1_700_000_000.0),
        ("20231114", 1_699_920_000.0),
        ("2023-11-14", 1_699_920_000.0),
    ],
)
async def test_created_at_is_read_in_any_usual_spelling(tmp_path: Path, written: Any, created_at: float) -> None:
    async with taken_over(tmp_path, row("a", created_at=written)) as (mind, report):
        (memory,) = await everything(mind)
        assert memory.created_at == created_at
        assert report.warnings == ()


@pytest.mark.parametrize("written", [None, "last summer", b"x", "", 9e999, AT + DAY, "9999-12-31"])
async def test_a_created_at_that_cannot_be_counts_as_now_with_a_warning(tmp_path: Path, written: Any) -> None:
    async with taken_over(tmp_path, row("a", created_at=written)) as (mind, report):
        (memory,) = await everything(mind)
        assert memory.created_at == AT
        assert "`created_at`" in str(report.warnings[0])
        assert "row 1, key 'a'" in str(report.warnings[0])


@pytest.mark.parametrize(
    ("meta", "kind", "domain", "keywords"),
    [
        (None, "note", "", ()),
        ("", "note", "", ()),
        ({"type": "fact", "kind": "other"}, "fact", "", ()),
        ({"type": "", "kind": "other"}, "other", "", ()),
        ({"keywords": ["a", " b "], "tags": ["b", "丙"]}, "note", "", ("a", "b", "丙")),
        ({"tags": "红、黄，blue, green"}, "note", "", ("红", "黄", "blue", "green")),
        ({"domain": "工作", "keywords": None}, "note", "工作", ()),
    ],
)
async def test_labels_come_from_meta(tmp_path: Path, meta: Any, kind: str, domain: str, keywords: Any) -> None:
    async with taken_over(tmp_path, row("a", meta=meta)) as (mind, report):
        (memory,) = await everything(mind)
        assert (memory.kind, memory.domain, memory.keywords) == (kind, domain, keywords)
        assert report.warnings == ()


@pytest.mark.parametrize(
    "meta",
    ["{not json", "[1]", "3", "[" * 100_000, {"type": 5}, {"domain": "x" * 300}, {"tags": [1]}, {"tags": 7},
     {"keywords": [f"w{i}" for i in range(300)]}, {"author": "ada"}],
)  # fmt: skip
async def test_what_meta_says_beyond_that_is_told_and_costs_nothing_else(tmp_path: Path, meta: Any) -> None:
    async with taken_over(tmp_path, row("a", meta=meta), row("b", meta=meta)) as (mind, report):
        assert len(await everything(mind)) == 2
        assert [warning.count for warning in report.warnings] in ([2], [600 - 512])
        assert "row 1, key 'a'" in report.warnings[0].first


async def test_an_empty_text_is_replaced_by_the_summary(tmp_path: Path) -> None:
    rows = (row("a", "", summary="要点"), row("b", None, summary="point"), row("c", " \n", summary="x"))
    async with taken_over(tmp_path, *rows) as (mind, _):
        assert [memory.text for memory in await everything(mind)] == ["要点", "point", "x"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (row("b", ""), "row 2, key 'b': 'text' is empty"),
        (row("b", None), "row 2, key 'b': neither a text nor a summary"),
        (row("b", "", summary=" "), "row 2, key 'b': 'text' is empty"),
        (row("b", b"\xff"), "row 2, key 'b': 'text' must be text"),
        (row("b", "x" * 1_000_001), "row 2, key 'b': 'text' has 1,000,001 characters"),
        (row(None), "row 2, key None: the key is NULL"),
        (row(""), "row 2, key '': 'key' is empty"),
        (row(" b"), "row 2, key ' b'"),
        (row("b\n"), "row 2, key 'b\\n'"),
        (row("a"), "row 2, key 'a': another row before it has the same key"),
    ],
)
def test_a_row_that_cannot_be_a_memory_is_named_and_nothing_changes(
    tmp_path: Path, bad: dict[str, Any], said: str
) -> None:
    path = older_file(tmp_path / "old.db", [row("a"), bad, row("z", "")])
    before, content = dump(path), path.read_bytes()
    with pytest.raises(InvalidInput) as error:
        take_over(path, AT, "score", {})
    assert said in str(error.value)
    assert "row 3, key 'z': 'text' is empty" in str(error.value)
    assert "\n" not in str(error.value)
    assert (dump(path), path.read_bytes()) == (before, content)


def test_a_text_that_is_not_utf8_is_named_too(tmp_path: Path) -> None:
    path = older_file(tmp_path / "old.db", [row("a")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO memories (key, text) VALUES ('b', CAST(x'80ff' AS TEXT))")
        connection.commit()
    with pytest.raises(InvalidInput, match=r"row 2, key 'b': .* not valid text"):
        take_over(path, AT, "score", {})


async def test_memories_that_are_hidden_from_the_start_are_told(tmp_path: Path) -> None:
    async with taken_over(tmp_path, row("a"), metabolism="retention") as (mind, report):
        assert [str(w) for w in report.warnings] == ["1 of 1 memory is expired from the start, by age"]
        assert len(await everything(mind)) == 1


async def test_a_bad_parameter_falls_back_and_is_told_an_unknown_one_is_refused(tmp_path: Path) -> None:
    async with taken_over(tmp_path, row("a"), daily_factor=7.0) as (mind, report):
        assert mind.params["daily_factor"] == 0.95
        assert "daily_factor" in str(report.warnings[0])
    path = older_file(tmp_path / "old.db", [row("a")])
    with pytest.raises(InvalidInput, match="daily_factor"):
        take_over(path, AT, "score", {"daily_facto": 0.9})


# ---- links


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (["b", "c"], {("related", "b", 0.5), ("related", "c", 0.5)}),
        ([{"key": "b"}], {("related", "b", 0.5)}),
        ([{"target": "b", "type": "属于", "strength": 1}], {("属于", "b", 1.0)}),
        ([{"to": "b", "rel": "x", "weight": "0.25"}, "c"], {("x", "b", 0.25), ("related", "c", 0.5)}),
        ({"属于": ["b", "c"], "x": "b"}, {("属于", "b", 0.5), ("属于", "c", 0.5), ("x", "b", 0.5)}),
        ({"b": 0.25, "c": None}, {("related", "b", 0.25), ("related", "c", 0.5)}),
        ({"b": {"weight": 0.25, "relation": "x"}}, {("x", "b", 0.25)}),
        ({"x": [{"key": "b", "weight": 0.25}]}, {("x", "b", 0.25)}),
        ({"key": "b", "relation": "x"}, {("x", "b", 0.5)}),
        ([7], {("related", "7", 0.5)}),
        ("b", set()),  # not JSON
        ('"b"', {("related", "b", 0.5)}),
        (None, set()),
        ("", set()),
        ([], set()),
        ({}, set()),
    ],
)
async def test_links_are_read_in_any_of_their_forms(tmp_path: Path, links: Any, expected: Any) -> None:
    rows = (row("a", links=links), row("b"), row("c"), row("7"))
    async with taken_over(tmp_path, *rows) as (mind, report):
        assert await links_of(mind, "a") == expected
        assert (report.links, report.skipped) == (len(expected), ())


async def test_links_that_lead_nowhere_are_skipped_and_counted(tmp_path: Path) -> None:
    rows = (row("a", links=["b", "gone", "a", "b", 1.5, None, ["b"]]), row("b", links={"gone": 0.5}))
    async with taken_over(tmp_path, *rows) as (mind, report):
        assert await links_of(mind, "a") == {("related", "b", 0.5)}
        skipped = {tally.reason.split(":")[0]: (tally.count, tally.first) for tally in report.skipped}
        assert skipped == {
            "not a link": (3, "row 1, key 'a'"),
            "no memory has the key it points to": (2, "'a' → 'gone'"),
            "a memory cannot be linked to itself": (1, "'a' → 'a'"),
            "the same link is there twice; the first one stands": (1, "'a' → 'b'"),
        }


async def test_weights_above_one_are_a_scale_of_their_own_and_none_is_zero(tmp_path: Path) -> None:
    rows = (row("a", links={"b": 5, "c": 2, "d": 0}), row("b", links={"c": -1, "d": True}), row("c"), row("d"))
    async with taken_over(tmp_path, *rows) as (mind, report):
        # divided by the largest, 5; what is not above 0 becomes 0.01; what is no number 0.5
        assert await links_of(mind, "a") == {("related", "b", 1.0), ("related", "c", 0.4), ("related", "d", 0.01)}
        assert await links_of(mind, "b") == {("related", "c", 0.01), ("related", "d", 0.5)}
        assert {tally.count for tally in report.warnings} == {1, 2}
        assert len(report.warnings) == 3


# ---- files


@pytest.mark.parametrize("wal", [False, True])
def test_the_older_table_stays_in_the_file_as_it_was(tmp_path: Path, wal: bool) -> None:
    rows = [row("a", "甲", links=["b"], score=3), row("b", "乙", score=99)]
    path = older_file(tmp_path / "old.db", rows, GROWN, wal=wal)
    before = query(path, "SELECT *, rowid FROM memories")
    take_over(path, AT, "score", {})
    assert query(path, "SELECT *, rowid FROM legacy_memories") == before
    assert query(path, "SELECT text FROM recent") == [("甲",), ("乙",)]  # older views still show the older table
    assert query(path, "SELECT count(*) FROM log") == [(2,)]  # and its triggers have not fired


def test_a_table_without_rowids_and_one_without_rows_can_be_taken_over(tmp_path: Path) -> None:
    schema = "CREATE TABLE memories (key TEXT PRIMARY KEY, summary, text, meta, links, created_at) WITHOUT ROWID"
    path = older_file(tmp_path / "old.db", [row("b", links=["a"]), row("a")], schema)
    assert take_over(path, AT, "score", {}) == Takeover(2, 1)
    assert take_over(older_file(tmp_path / "empty.db", []), AT, "score", {}) == Takeover(0, 0)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("CREATE TABLE other (x)", "no table memories"),
        ("CREATE TABLE memories (key, text)", "no table memories"),
        ("CREATE VIEW memories AS SELECT 1 key, 2 summary, 3 text, 4 meta, 5 links, 6 created_at", "no table memories"),
        (GROWN + "; CREATE TABLE Links (x); CREATE TABLE meta (y)", "it has 'links', 'meta' where"),
    ],
)
def test_a_file_that_is_no_older_one_is_refused_and_left_alone(tmp_path: Path, schema: str, said: str) -> None:
    path = older_file(tmp_path / "old.db", [], schema)
    before = path.read_bytes()
    with pytest.raises(StoreUnreadable, match=said):
        take_over(path, AT, "score", {})
    assert path.read_bytes() == before


def test_a_file_is_taken_over_once(tmp_path: Path) -> None:
    path = older_file(tmp_path / "old.db", [row("a")])
    take_over(path, AT, "score", {})
    with pytest.raises(StoreUnreadable, match="taken over already"):
        take_over(path, AT, "score", {})


async def test_an_older_file_in_a_minds_place_is_not_opened_whatever_its_version_number(tmp_path: Path) -> None:
    older_file(tmp_path / "ada" / "mind.db", [row("a")], GROWN.replace("user_version = 7", "user_version = 1"))
    with pytest.raises(StoreUnreadable, match="adopt"):
        async with mind_on_disk(tmp_path):
            pass


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    path = older_file(tmp_path / "old.db", [row(f"k{i}", links=[f"k{i - 1}"]) for i in range(2500)])
    seen: list[tuple[int, int]] = []
    report = take_over(path, AT, "score", {}, lambda done, total: seen.append((done, total)))
    assert (report.memories, report.links, report.skipped[0].count) == (2500, 2499, 1)
    assert [done for done, _ in seen] == [1000, 2000, 2500, 3500, 4500, 5000]
    assert {total for _, total in seen} == {5000}
