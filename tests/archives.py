"""What every archive promises, and records to put into one."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ebbtide.core.archive import Archive, Archived
from ebbtide.core.errors import Conflict, InvalidAgent, InvalidInput, StoreDamaged, StoreError
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import CODE_OF, Content, State
from tests.builders import BIRTH, table_row

OWN = ("importance", "strength", "policy")
DAY_OF_BIRTH = "2025-06-15"  # BIRTH is 15:06:40 of that day, UTC
LATER = 86_400.0


def record(number: int = 1, run: str = "r1", agent: str = "ada", at: float = BIRTH + LATER, **content: Any) -> Archived:
    """One with numbers that are hard to keep, words in two languages, and a link to somebody unknown."""
    row = table_row(number, salt=number, own=OWN) | {
        "created_at": BIRTH + 1 / 3,
        "last_touched_at": None,
        "importance": 0.1 + 0.2,
        "state": CODE_OF[State.EXPIRED],
    }
    text = f"渡轮八点四十分开。\nThe ferry leaves at 8:4{number % 10}.\u2028\x85"  # line ends, but not to JSON
    said = {"key": f"渡轮/{number}", "text": text, **content}
    links = (LinkRow(number, 7, "属于", 1 / 3, 4), LinkRow(number, 8, "about", 5e-324, 0))
    return Archived(run, agent, at, "reaped", Content(**said, keywords=("渡轮", "ferry")), row, links, {7: "港口"})


class ArchiveContract:
    """Subclasses say where: `archive` gives an empty one, and the others look at what lies there past it."""

    @abstractmethod
    @pytest.fixture
    def archive(self) -> Archive: ...

    @abstractmethod
    def names(self) -> list[str]:
        """Everything that lies there, from the agent on."""

    @abstractmethod
    def write(self, name: str, body: bytes) -> None: ...

    @abstractmethod
    def read(self, name: str) -> bytes: ...

    async def test_what_comes_back_is_what_went_in(self, archive: Archive) -> None:
        records = [record(1), record(2)]
        await archive.put("ada", "r1", records)
        found = await archive.find("ada")
        assert sorted(found.records, key=lambda each: each.id) == records
        assert not found.damaged

    async def test_a_record_has_its_speaker_and_one_from_before_speakers_is_read(self, archive: Archive) -> None:
        spoken, silent = record(1, speaker="小林"), record(2)
        await archive.put("ada", "r1", [spoken, silent])
        first, second = self.read(self.names()[0]).splitlines()
        assert '"domain": "", "speaker": "小林", "created_at"'.encode() in first
        assert b"speaker" not in second  # as lines of earlier versions
        assert sorted((await archive.find("ada")).records, key=lambda each: each.id) == [spoken, silent]

    async def test_one_run_of_a_day_is_one_file_of_the_agents_folder(self, archive: Archive) -> None:
        where = await archive.put("ada", "r1", [record(1, at=BIRTH), record(2, at=BIRTH)])
        assert self.names() == [f"ada/{DAY_OF_BIRTH}-r1.jsonl"]
        assert where.endswith(f"/ada/{DAY_OF_BIRTH}-r1.jsonl")
        assert self.read(self.names()[0]).count(b"\n") == 2

    async def test_a_file_can_be_read_by_people(self, archive: Archive) -> None:
        await archive.put("ada", "r1", [record(1)])
        assert self.read(self.names()[0]).decode().startswith('{"key": "渡轮/1", "text": "渡轮八点四十分开。')

    async def test_nothing_to_keep_leaves_nothing(self, archive: Archive) -> None:
        assert await archive.put("ada", "r1", []) == ""
        assert self.names() == []
        assert (await archive.find("ada")).records == ()
        assert await archive.runs("ada") == []

    async def test_the_same_again_changes_nothing(self, archive: Archive) -> None:
        one = await archive.put("ada", "r1", [record(1), record(2)])
        assert await archive.put("ada", "r1", [record(1), record(2)]) == one
        assert len((await archive.find("ada")).records) == 2

    async def test_other_records_under_the_same_name_are_refused_and_the_first_stay(self, archive: Archive) -> None:
        await archive.put("ada", "r1", [record(1)])
        with pytest.raises(Conflict, match=r"r1\.jsonl holds other records"):
            await archive.put("ada", "r1", [record(2)])
        assert [found.id for found in (await archive.find("ada")).records] == [1]

    async def test_a_run_in_several_goes_numbers_its_parts(self, archive: Archive) -> None:
        await archive.put("ada", "r1", [record(1, at=BIRTH)])
        await archive.put("ada", "r1", [record(2, at=BIRTH)], part=2)
        assert self.names() == [f"ada/{DAY_OF_BIRTH}-r1.2.jsonl", f"ada/{DAY_OF_BIRTH}-r1.jsonl"]
        assert [found.id for found in (await archive.find("ada", run="r1")).records] == [2, 1]

    async def test_ten_thousand_records_lie_in_pieces_and_all_come_back(self, archive: Archive) -> None:
        records = [record(number, "big", at=BIRTH) for number in range(1, 10_001)]
        await archive.put("ada", "big", records)
        assert self.names() == [f"ada/{DAY_OF_BIRTH}-big.1-2.jsonl", f"ada/{DAY_OF_BIRTH}-big.jsonl"]
        assert list((await archive.find("ada")).records) == records[::-1]
        (run,) = await archive.runs("ada")
        assert (run.memories, run.bytes) == (10_000, sum(len(self.read(name)) for name in self.names()))

    async def test_a_key_is_found_in_every_run_the_latest_first(self, archive: Archive) -> None:
        for number, run in enumerate(("z", "a", "m")):
            await archive.put("ada", run, [record(1, run, at=BIRTH + number), record(2, run, at=BIRTH + number)])
        found = (await archive.find("ada", key="渡轮/1")).records
        assert [(each.run, each.id) for each in found] == [("m", 1), ("a", 1), ("z", 1)]
        assert [each.id for each in (await archive.find("ada", key="渡轮/2", run="a")).records] == [2]
        assert (await archive.find("ada", key="nobody")).records == ()
        assert (await archive.find("ada", run="../ada")).records == ()

    async def test_runs_are_counted_the_latest_first(self, archive: Archive) -> None:
        await archive.put("ada", "r1", [record(1, at=BIRTH + 1), record(2, at=BIRTH)])
        await archive.put("ada", "r1", [record(3, at=BIRTH + 2)], part=2)
        await archive.put("ada", "r0", [record(4, "r0", at=BIRTH + LATER)])
        runs = [(run.run, run.at, run.memories, run.damaged) for run in await archive.runs("ada")]
        assert runs == [("r0", BIRTH + LATER, 1, 0), ("r1", BIRTH, 3, 0)]

    async def test_agents_do_not_see_each_other(self, archive: Archive) -> None:
        await archive.put("ada", "r1", [record(1)])
        await archive.put("ad", "r1", [record(2, agent="ad")])
        await archive.put("ada.b", "r1", [record(3, agent="ada.b")])
        for agent, number in (("ada", 1), ("ad", 2), ("ada.b", 3)):
            assert [found.id for found in (await archive.find(agent)).records] == [number]
        assert (await archive.find("a")).records == ()

    async def test_what_was_copied_from_another_agent_is_not_read(self, archive: Archive) -> None:
        await archive.put("bob", "r1", [record(1, agent="bob")])
        self.write(self.names()[0].replace("bob", "ada"), self.read(self.names()[0]))
        found = await archive.find("ada")
        assert found.records == ()
        assert "not a record of the agent 'ada'" in str(found.damaged[0])

    @pytest.mark.parametrize("agent", ["..", ".", "", "a/b", "../bob", "/etc", "a\n", "渡轮", "a*", "a" * 129])
    async def test_no_agent_leads_out_of_its_folder(self, archive: Archive, agent: str) -> None:
        with pytest.raises(InvalidAgent):
            await archive.put(agent, "r1", [record(1, agent=agent)])
        with pytest.raises(InvalidAgent):
            await archive.find(agent)
        with pytest.raises(InvalidAgent):
            await archive.runs(agent)
        assert self.names() == []

    @pytest.mark.parametrize("run", ["../x", "..", "a/b", "", "a.2", "a\x00", "a\n", "/r", "?versionId=1", "r" * 129])
    async def test_no_run_leads_out_of_its_folder(self, archive: Archive, run: str) -> None:
        with pytest.raises(InvalidInput, match="is not a run"):
            await archive.put("ada", run, [record(1, run)])
        assert self.names() == []

    async def test_records_of_another_run_or_agent_are_not_taken(self, archive: Archive) -> None:
        for stranger in (record(2, run="r2"), record(2, agent="bob")):
            with pytest.raises(InvalidInput, match="not all of the agent 'ada' and the run 'r1'"):
                await archive.put("ada", "r1", [record(1), stranger])
        with pytest.raises(InvalidInput, match="numbered from 1"):
            await archive.put("ada", "r1", [record(1)], part=0)
        assert self.names() == []

    @pytest.mark.parametrize(
        ("damage", "told"),
        [
            (lambda line: line[: len(line) // 2], "not JSON"),
            (lambda line: line.replace("八点".encode(), "九点".encode()), "not what was written"),
            (lambda line: line.replace("八点".encode(), b"\xff\xfe"), "not JSON"),
            (lambda line: b"[1, 2]", "not a record"),
            (lambda line: line.replace(b'"format": 1', b'"format": 99'), "format 99"),
        ],
    )
    async def test_a_damaged_line_is_named_and_the_others_are_read(
        self, archive: Archive, damage: Any, told: str
    ) -> None:
        await archive.put("ada", "r1", [record(1), record(2), record(3)])
        (name,) = self.names()
        lines = self.read(name).split(b"\n")
        lines[1] = damage(lines[1])
        self.write(name, b"\n".join(lines))
        found = await archive.find("ada")
        assert [each.id for each in found.records] == [3, 1]
        (error,) = found.damaged
        assert isinstance(error, StoreError)
        assert f"/{name}, line 2, " in str(error)
        assert told in str(error)
        (run,) = await archive.runs("ada")
        assert (run.memories, run.damaged) == (2, 1)

    async def test_a_run_of_which_nothing_can_be_read_is_still_listed(self, archive: Archive) -> None:
        self.write("ada/2025-06-15-r1.jsonl", b"\x00" * 100)
        (run,) = await archive.runs("ada")
        assert (run.run, run.at, run.memories, run.bytes, run.damaged) == ("r1", None, 0, 100, 1)
        assert isinstance((await archive.find("ada")).damaged[0], StoreDamaged)

    async def test_strange_files_are_left_alone(self, archive: Archive) -> None:
        await archive.put("ada", "r1", [record(1)])
        for name in (
            "notes.txt",
            ".2025-06-15-r2.jsonl.0a.tmp",
            "2025-06-15-r2.jsonl.bak",
            "in/2025-06-15-r3.jsonl",
        ):
            self.write(f"ada/{name}", b"{")
        found = await archive.find("ada")
        assert (len(found.records), found.damaged) == (1, ())
        assert [run.run for run in await archive.runs("ada")] == ["r1"]


@contextmanager
def named(told: str, *never: str) -> Iterator[None]:
    """A store error that says this, and nothing of what must not be said."""
    with pytest.raises(StoreError, match=told) as raised:
        yield
    assert not [secret for secret in never if secret in str(raised.value)]
