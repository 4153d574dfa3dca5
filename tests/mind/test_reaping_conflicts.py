"""What may come between a reaper and its run: somebody uses a memory, the archive fails, the run is stopped."""

from pathlib import Path

import pytest

from ebbtide.core.errors import ArchiveUnreachable, Conflict, EbbtideError
from ebbtide.core.memory import DAY
from tests.helpers import FakeClock, snapshot
from tests.mind.test_reaping import done, evidence_mind, keys
from tests.reapers import LONG, WatchedArchive, of_every_level, reapable

TROUBLES = (Conflict(problem="it holds other records"), ArchiveUnreachable(archive="s3://x", detail="it is gone"))

# ---- conflicts


async def test_who_is_touched_meanwhile_stays(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await of_every_level(mind)
    clock.forward(4 * DAY)

    async def touched(part: int) -> None:
        await mind.touch("low", revive=True)
        await mind.put("another text", key="mid", replace=True)

    archive.meanwhile = touched
    report = await mind.reap()
    assert done(report) == (0, 1, 0, 2)
    assert (await mind.get("low")).text.startswith("low")
    texts = {memory.key: memory.text for memory in (await mind.list(everything=True)).memories}
    assert texts["mid"] == "another text"


async def test_who_is_forgotten_meanwhile_stays_in_the_trash(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await of_every_level(mind)
    clock.forward(2 * DAY)

    async def forgotten(part: int) -> None:
        await mind.forget("low")
        await mind.put("a namesake", key="low", importance=1.0)

    archive.meanwhile = forgotten
    assert done(await mind.reap()) == (0, 0, 0, 1)
    assert (await mind.get("low")).text == "a namesake"
    assert [gone.cause for gone in await mind.trash()] == ["asked"]


async def test_evidence_stays_when_what_it_supports_is_brought_back_meanwhile(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await mind.put(LONG, key="claim")
    await mind.put(LONG, key="proof", importance=0.3)
    await mind.link("claim", "proof", "SUPPORTED_BY")
    clock.forward(4 * DAY)

    async def reverted(part: int) -> None:
        if part == 2:
            await mind.revert("claim")

    archive.meanwhile = reverted
    assert done(await mind.reap()) == (0, 1, 0, 1)
    assert await keys(mind) == {"claim", "proof"}


async def test_a_new_rule_counts_at_once(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await of_every_level(mind)
    clock.forward(2 * DAY)

    async def gentler(part: int) -> None:
        await mind.configure(reap_buffer=1000)

    archive.meanwhile = gentler
    report = await mind.reap()
    assert "low" in await keys(mind)
    assert done(report) == (0, 0, 0, 1)


# ---- stopping


class Stopped(Exception):
    pass


async def test_a_run_stopped_between_batches_is_whole_so_far_and_can_be_undone() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    for number in range(10):
        await mind.put(LONG, key=f"k{number}", importance=0.1 if number % 2 else 0.5)
    clock.forward(5 * DAY)
    before = await snapshot(mind)

    def stop(done: int, total: int) -> None:
        assert total == 10
        if done == 4:
            raise Stopped

    with pytest.raises(Stopped):
        await mind.reap(batch_size=2, progress=stop)
    (run,) = {gone.run for gone in await mind.trash()}
    assert [gone.key for gone in await mind.trash()] == ["k3", "k1"]
    assert not await mind.check()
    undone = await mind.unreap(run)
    assert (undone.restored, undone.unpruned) == (("k3", "k1"), ("k0", "k2"))
    assert await snapshot(mind) == before


async def test_a_run_goes_on_where_another_was_stopped() -> None:
    clock = FakeClock()
    mind, other = await evidence_mind(clock), await evidence_mind(clock)
    clock.forward(5 * DAY)

    def stop(done: int, total: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        await mind.reap(batch_size=1, progress=stop)
    with pytest.raises(Stopped):
        await mind.reap(batch_size=1, progress=stop)
    await mind.reap()
    await other.reap()
    assert (await snapshot(mind)).memories == (await snapshot(other)).memories


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_what_cannot_be_archived_is_not_touched(tmp_path: Path, trouble: EbbtideError) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await of_every_level(mind)
    clock.forward(4 * DAY)

    async def failing(part: int) -> None:
        if part == 2:
            raise trouble

    archive.meanwhile = failing
    with pytest.raises(type(trouble)):
        await mind.reap(batch_size=1)
    texts = {memory.key: memory.text for memory in (await mind.list(everything=True)).memories}
    assert texts == {key: f"{key}: {LONG}" for key in ("edge", "mid", "high")}
    (gone,) = await mind.trash()
    assert (await mind.unreap(gone.run)).restored == ("low",)


async def test_all_that_goes_is_in_the_archive_before(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await of_every_level(mind)
    await mind.put("a trace of it", key="proof", importance=0.4)
    await mind.link("mid", "proof", "SUPPORTED_BY", 0.25)
    clock.forward(4 * DAY)
    report = await mind.reap(batch_size=2)
    (run,) = await mind.archived()
    assert (run.run, run.memories, report.archived) == (report.run, 4, 4)
    found = {record.content.key: record for record in (await archive.find("ada", run=report.run)).records}
    assert {key: record.cause for key, record in found.items()} == {
        "low": "reaped", "edge": "pruned", "mid": "pruned", "proof": "evidence",
    }  # fmt: skip
    assert found["mid"].content.text == f"mid: {LONG}"
    assert [(link.relation, link.strength) for link in found["mid"].links] == [("SUPPORTED_BY", 0.25)]
    assert list(found["mid"].keys.values()) == ["proof"]
