"""The archive in a folder, and what a line of it looks like.   SPEC R6, C8."""

import asyncio
import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.archive import Archive, Archived, day, decode, encode, from_line, iso, to_line
from ebbtide.core.errors import ArchiveUnreachable, InvalidInput, StoreDamaged, StoreUnreadable
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import Content
from ebbtide.stores.archive import FsspecArchive
from tests.archives import ArchiveContract, named, record
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, mind_in_ram, store_of

# ---- a line


def test_a_line_says_first_what_people_look_for() -> None:
    line = to_line(record(1, text="The ferry leaves at 8:40.", phrase="ferry", kind="fact", domain="travel"))
    assert list(line.items())[:14] == [
        ("key", "渡轮/1"),
        ("text", "The ferry leaves at 8:40."),
        ("phrase", "ferry"),
        ("keywords", ["渡轮", "ferry"]),
        ("kind", "fact"),
        ("domain", "travel"),
        ("created_at", "2025-06-15T15:06:40Z"),
        ("created_epoch", BIRTH + 1 / 3),
        ("archived_at", "2025-06-16T15:06:40Z"),
        ("archived_epoch", BIRTH + 86_400.0),
        ("why", "reaped"),
        ("state", "expired"),
        ("agent", "ada"),
        ("run", "r1"),
    ]
    assert list(line)[14:] == ["signals", "links", "format"]


def test_a_link_says_its_relation_and_where_it_leads_by_name_if_there_is_one() -> None:
    assert to_line(record(1))["links"] == [
        {"relation": "属于", "to": 7, "key": "港口", "strength": 1 / 3, "since": 4},
        {"relation": "about", "to": 8, "strength": 5e-324, "since": 0},
    ]


def test_a_moment_is_said_in_utc_and_one_off_the_calendar_in_seconds() -> None:
    # 1,750,000,000 s = 20,254 days (2025-06-15) and 54,400 s (15:06:40)
    assert (iso(BIRTH), day(BIRTH)) == ("2025-06-15T15:06:40Z", "2025-06-15")
    assert (iso(0.9), day(86_399.9)) == ("1970-01-01T00:00:00Z", "1970-01-01")
    assert (iso(1e15), day(1e15)) == ("1000000000000000 s", "undated")
    assert (iso(-5.0), day(-5.0)) == ("-5 s", "undated")


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False)
ids = st.integers(1, 2**62)


@given(
    content=st.builds(Content, words, words, words, st.lists(words).map(tuple), words, words),
    at=numbers,
    signals=st.dictionaries(words, numbers | st.integers(-(2**62), 2**62) | st.none()),
    created=numbers,
    links=st.lists(st.tuples(ids, words, numbers, ids), max_size=3),
    memory=ids,
)
def test_whatever_was_written_is_read_back_to_the_bit(
    content: Content,
    at: float,
    signals: dict[str, float | None],
    created: float,
    links: list[tuple[int, str, float, int]],
    memory: int,
) -> None:
    row = signals | {"id": memory, "created_at": created, "state": 0}
    rows = tuple(LinkRow(memory, *link) for link in links)
    one = Archived("r1", "ada", at, "reaped", content, row, rows, {row.target: "名" for row in rows[:1]})
    body = encode(one)
    assert body.count(b"\n") == 1
    assert decode(body, "here") == one
    assert from_line(json.loads(body)) == one


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_what_the_trash_holds_goes_through_an_archive_unchanged(metabolism: str) -> None:
    mind = await mind_in_ram(metabolism)
    for key in ("渡轮", "港口"):
        await mind.put(f"this is {key}", key=key)
    await mind.link("渡轮", "港口", "属于", 0.7)
    await mind.forget("渡轮")
    ((content, gone),) = await store_of(mind).trash()
    one = Archived("r1", "ada", gone.at, gone.cause, content, gone.row, gone.removed)
    assert decode(encode(one), "here") == one
    assert one.id == gone.id


def test_a_line_mended_by_hand_may_go_without_its_check() -> None:
    line = json.loads(encode(record(1)))
    line["text"] = "mended"
    with pytest.raises(StoreDamaged, match="not what was written"):
        decode(json.dumps(line).encode(), "here")
    del line["check"]
    assert decode(json.dumps(line).encode(), "here").content.text == "mended"


@pytest.mark.parametrize(
    "change",
    [
        {"text": 5},
        {"keywords": [5]},
        {"keywords": None},
        {"signals": {}},
        {"signals": []},
        {"signals": {"id": 1, "created_at": "now"}},
        {"links": [{"to": 7}]},
        {"links": [[]]},
        {"archived_epoch": "yesterday"},
    ],
)
def test_a_line_that_makes_no_sense_is_damaged(change: dict[str, object]) -> None:
    with pytest.raises(StoreDamaged, match="file, line 3"):
        from_line(to_line(record(1)) | change, "file, line 3")


def test_a_line_without_a_part_of_it_is_damaged_and_one_from_the_future_is_not_guessed_at() -> None:
    whole = to_line(record(1))
    for name in whole.keys() - {"created_at", "created_epoch", "archived_at", "state"}:  # said for people only
        with pytest.raises(StoreDamaged):
            from_line({key: value for key, value in whole.items() if key != name})
    with pytest.raises(StoreUnreadable, match="format 2, and this version of Ebbtide reads the format 1"):
        from_line(whole | {"format": 2})


# ---- a folder


class TestInAFolder(ArchiveContract):
    @pytest.fixture
    def archive(self, tmp_path: Path) -> Archive:
        self.folder = tmp_path / "deep" / "档案 1"
        return FsspecArchive(str(self.folder))

    def names(self) -> list[str]:
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())

    def write(self, name: str, body: bytes) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(body)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


async def test_an_address_of_a_file_is_a_folder_too(tmp_path: Path) -> None:
    await FsspecArchive((tmp_path / "档案 1").as_uri()).put("ada", "r1", [record(1)])
    assert (await FsspecArchive(str(tmp_path / "档案 1")).find("ada")).records == (record(1),)


@pytest.mark.parametrize("url", ["memory://x", "http://host/x", "file://host/x", "s3://", "s3:///x"])
def test_an_address_that_leads_nowhere_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        FsspecArchive(url)


def test_a_folder_has_no_options(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no options: key"):
        FsspecArchive(str(tmp_path), {"key": "k"})


async def test_a_folder_that_is_none_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    archive = FsspecArchive(str(tmp_path / "file"))
    with pytest.raises(ArchiveUnreachable, match=r"/file cannot be used: (File exists|Not a directory)"):
        await archive.put("ada", "r1", [record(1)])


async def test_two_at_once_under_one_name_leave_one_of_them_whole(tmp_path: Path) -> None:
    archive = FsspecArchive(str(tmp_path))
    sizes = range(1, 9)
    puts = [archive.put("ada", "r1", [record(n, at=BIRTH) for n in range(1, size * 50)]) for size in sizes]
    outcomes = await asyncio.gather(*puts, return_exceptions=True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == 1
    found = await archive.find("ada")
    assert len(found.records) + 1 in [size * 50 for size in sizes]
    assert [path.name for path in (tmp_path / "ada").iterdir()] == ["2025-06-15-r1.jsonl"]


# ---- faults

CRAMPED = """
import asyncio, resource, signal, sys
from ebbtide.core.errors import StoreFull
from ebbtide.stores.archive import FsspecArchive
from tests.archives import record

async def main(folder):
    archive = FsspecArchive(folder)
    await archive.put("ada", "before", [record(1, "before")])
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
    try:
        await archive.put("ada", "large", [record(n, "large") for n in range(1, 1000)])
    except StoreFull as error:
        print(error, flush=True)

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
asyncio.run(main(sys.argv[1]))
"""

WRITER = """
import asyncio, itertools, sys
from ebbtide.stores.archive import FsspecArchive
from tests.archives import record

async def main(folder, start):
    archive = FsspecArchive(folder)
    print("open", flush=True)
    for number in itertools.count(start):
        run = f"run{number}"
        await archive.put("ada", run, [record(n, run) for n in range(1, 301)])
        print(run, flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


async def test_a_full_disk_is_said_clearly_and_costs_nothing_old(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CRAMPED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"No room to write {tmp_path} (File too large): nothing of this change was kept")
    assert [path.name for path in (tmp_path / "ada").iterdir()] == ["2025-06-16-before.jsonl"]


@pytest.mark.slow
async def test_whoever_is_killed_while_writing_leaves_whole_files_only(tmp_path: Path) -> None:
    chance = random.Random(6)
    told: list[str] = []
    for start in range(0, 10_000, 1000):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "open\n"
            await asyncio.sleep(chance.uniform(0.02, 0.2))
            writer.send_signal(signal.SIGKILL)
            told += [line for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    archive = FsspecArchive(str(tmp_path))
    assert not (await archive.find("ada")).damaged
    runs = {run.run: run.memories for run in await archive.runs("ada")}
    assert set(runs.values()) == {300}
    assert {run.strip() for run in told} <= runs.keys()
    assert told


async def test_a_file_left_over_by_one_who_was_killed_is_not_seen_and_not_in_the_way(tmp_path: Path) -> None:
    left = tmp_path / "ada" / ".2025-06-16-r1.jsonl.0a1b2c3d.tmp"
    left.parent.mkdir()
    left.write_bytes(encode(record(1))[:100])
    archive = FsspecArchive(str(tmp_path))
    assert (await archive.find("ada")).records == ()
    await archive.put("ada", "r1", [record(1)])
    assert (await archive.find("ada")).records == (record(1),)


async def test_a_folder_that_leads_round_in_circles_is_said_plainly(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with named("cannot be used"):
        await FsspecArchive(str(loop)).put("ada", "r1", [record(1)])
