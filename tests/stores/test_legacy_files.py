"""Older files into the folders of minds, and back out: `adopt` and `unadopt`.   SPEC S5."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ebbtide import app
from ebbtide.core.errors import Conflict, InvalidAgent, InvalidInput, MindBusy, StoreUnreadable, UnknownMind
from ebbtide.settings import Settings
from ebbtide.stores.sqlite.lock import MindLock
from tests.helpers import FakeClock, everything, mind_on_disk, snapshot
from tests.legacy_files import AT, GROWN, dump, names, older_file, query, row

ROWS = (row("a", "甲", links=["b"]), row("b", "乙"), row("c"))

# ---- adopting


def digest(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir() if file.is_file()}


def left_by_a_crash(path: Path) -> None:
    """An older file whose last writes are still in its log."""
    with closing(sqlite3.connect(path.with_name("living.db"))) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE memories (key, summary, text, meta, links, created_at)")
        connection.execute("INSERT INTO memories VALUES ('a', '', 'in the log', '', '', 1)")
        connection.commit()
        for end in ("", "-wal"):
            shutil.copy(path.with_name(f"living.db{end}"), path.with_name(path.name + end))


@pytest.mark.parametrize("kind", ["plain", "wal", "crashed"])
async def test_adopting_copies_and_never_touches_the_file(tmp_path: Path, kind: str) -> None:
    old = tmp_path / "files" / "旧 old?#.db"
    older_file(old, [row("a", "in the log")], wal=kind == "wal")
    if kind == "crashed":
        old.unlink()
        left_by_a_crash(old)
    before = digest(old.parent)
    settings = Settings(data=tmp_path / "data", params={"decay": False, "theta_active": 3.0})
    assert app.adopt(settings, "ada", old).memories == 1
    assert {name: digest(old.parent).get(name) for name in before} == before
    if kind != "crashed":
        assert digest(old.parent) == before  # nothing was left lying beside it
    async with mind_on_disk(tmp_path / "data") as mind:
        assert (mind.metabolism, mind.params["decay"]) == ("score", False)
        assert [memory.text for memory in await everything(mind)] == ["in the log"]
        assert await mind.check() == []


def test_a_file_in_the_middle_of_a_transaction_is_left_for_its_own_program(tmp_path: Path) -> None:
    old = older_file(tmp_path / "old.db", [row(f"k{i}", "x" * 500) for i in range(200)])
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 5")
        connection.execute("BEGIN")
        connection.execute("UPDATE memories SET text = 'y'")  # spills: the file holds half of it, the journal the rest
        (tmp_path / "cut").mkdir()
        for name in ("old.db", "old.db-journal"):
            shutil.copy(tmp_path / name, tmp_path / "cut" / name)
    before = digest(tmp_path / "cut")
    with pytest.raises(StoreUnreadable, match="cut off"):
        app.adopt(Settings(data=tmp_path / "data"), "ada", tmp_path / "cut" / "old.db")
    assert digest(tmp_path / "cut") == before
    assert not (tmp_path / "data").exists()


def test_adopting_needs_a_new_mind_and_a_good_id(tmp_path: Path) -> None:
    old = older_file(tmp_path / "old.db", [row("a")])
    settings = Settings(data=tmp_path / "data")
    app.adopt(settings, "ada", old, "activity")
    before = digest(tmp_path / "data" / "ada")
    with pytest.raises(Conflict, match="exists already"):
        app.adopt(settings, "ada", old)
    with pytest.raises(Conflict, match="case only"):
        app.adopt(settings, "Ada", old)
    with pytest.raises(InvalidAgent):
        app.adopt(settings, "../x", old)
    assert digest(tmp_path / "data" / "ada") == before
    assert names(tmp_path / "data") == ["ada"]


@pytest.mark.parametrize("case", ["bad row", "no file", "a folder", "no database", "empty file", "typo", "stopped"])
def test_a_failed_adoption_leaves_no_folder_behind(tmp_path: Path, case: str) -> None:
    old = tmp_path / "old.db"
    older_file(old, [row("a"), row("b", "" if case == "bad row" else "b")])
    match case:
        case "no file":
            old.unlink()
        case "a folder":
            old = tmp_path
        case "no database":
            old.write_text("key,text\n" * 10)
        case "empty file":
            old.write_bytes(b"")
    metabolism = "scroe" if case == "typo" else "score"

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises((InvalidInput, StoreUnreadable, KeyboardInterrupt)):
        app.adopt(
            Settings(data=tmp_path / "deep" / "data"), "ada", old, metabolism, stop if case == "stopped" else None
        )
    assert not (tmp_path / "deep").exists()


def test_adopting_into_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    old = older_file(tmp_path / "old.db", [row("a")])
    (tmp_path / "data" / "ada").mkdir(parents=True)
    lock = MindLock(tmp_path / "data" / "ada")
    with pytest.raises(MindBusy):
        app.adopt(Settings(data=tmp_path / "data"), "ada", old)
    lock.release()
    app.adopt(Settings(data=tmp_path / "data"), "ada", old)


async def test_an_adoption_that_was_cut_off_can_be_done_again(tmp_path: Path) -> None:
    old = older_file(tmp_path / "old.db", [row("a")])
    unfinished = older_file(tmp_path / "data" / "ada" / "adopting.db", [row("left behind")])
    chosen = Settings(data=tmp_path / "data")
    app.adopt(chosen, "ada", old)
    assert not unfinished.exists()
    async with mind_on_disk(chosen.data) as mind:
        assert [memory.key for memory in await everything(mind)] == ["a"]


# ---- unadopting


async def test_unadopting_writes_a_file_and_leaves_the_mind_alone(tmp_path: Path) -> None:
    old = older_file(tmp_path / "old.db", ROWS, GROWN)
    chosen = Settings(data=tmp_path / "data")
    app.adopt(chosen, "ada", old, clock=FakeClock(AT))
    app.unadopt(chosen, "ada", tmp_path / "again.db")
    assert dump(tmp_path / "again.db") == dump(old)
    async with mind_on_disk(chosen.data) as mind:
        await mind.put("new", key="n")
        before = await snapshot(mind)
    with pytest.raises(Conflict, match="1 put"):
        app.unadopt(chosen, "ada", tmp_path / "third.db")
    app.unadopt(chosen, "ada", tmp_path / "third.db", True)
    assert query(tmp_path / "third.db", "SELECT count(*) FROM memories") == [(4,)]
    async with mind_on_disk(chosen.data) as mind:
        assert await snapshot(mind) == before
        assert await mind.check() == []
    assert names(tmp_path) == ["again.db", "data", "old.db", "third.db"]


async def test_unadopting_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    old = older_file(tmp_path / "old.db", ROWS)
    chosen = Settings(data=tmp_path / "data")
    app.adopt(chosen, "ada", old)
    with pytest.raises(Conflict, match="exists already"):
        app.unadopt(chosen, "ada", old)
    with pytest.raises(UnknownMind):
        app.unadopt(chosen, "bob", tmp_path / "new.db")
    with pytest.raises(StoreUnreadable):
        app.unadopt(chosen, "ada", tmp_path / "no folder" / "new.db")
    async with mind_on_disk(chosen.data):
        with pytest.raises(MindBusy):
            app.unadopt(chosen, "ada", tmp_path / "new.db")
    assert names(tmp_path) == ["data", "old.db"]
