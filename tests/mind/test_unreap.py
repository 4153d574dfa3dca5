"""Taking a run of the reaper back (SPEC C8): from the trash, with its text, and from the archive long after."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.errors import InvalidInput, KeyTaken, NotFound, StoreDamaged
from ebbtide.core.memory import DAY, Memory
from ebbtide.core.snapshot import Snapshot
from ebbtide.mind import Mind
from ebbtide.stores.archive import FsspecArchive
from tests.helpers import Deed, FakeClock, everything, live, lives, snapshot
from tests.mind.test_reaping import BORN, happenings, waits
from tests.reapers import LONG, of_every_level, reapable, reapable_on_disk


def rows(found: Snapshot, *names: str) -> dict[str, Any]:
    """Contents, columns and links by key, of these or of all; without what others' leaving did to them."""
    ids = [row["id"] for _, row in found.memories]
    links = {number: [link for link in found.links if number in link[:2]] for number in ids}
    every = {content.key: (content, row, links[row["id"]]) for content, row in found.memories}
    return {name: every[name] for name in names} if names else every


async def connected(mind: Mind) -> None:
    """Two that will be deleted and know each other both ways, one that links to them, one they link to."""
    await mind.put(f"旧事 one {LONG}", key="one", importance=0.1, phrase="一", keywords=["旧", "old"], kind="fact")
    await mind.put(f"two {LONG}", key="two", importance=0.1, domain="travel")
    await mind.put(LONG, key="far", importance=1.0, policy="persistent")
    await mind.put(LONG, key="near", importance=1.0, policy="persistent")
    await mind.link("one", "two", "causes", 0.3)
    await mind.link("two", "one", "caused by", 0.4)
    await mind.link("one", "far", "about", 0.25)
    await mind.link("near", "one", "属于", 0.75)
    await mind.get("one")
    await mind.follow("near")
    await mind.touch("two")


def lying_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.jsonl"))


# ---- while the trash holds it


@lives
@given(deeds=happenings, wait=waits, later=st.floats(0.0, 29.0), batch_size=st.sampled_from((1, 3, 100)))
async def test_reaping_and_taking_it_back_is_the_identity(
    deeds: list[Deed], wait: float, later: float, batch_size: int
) -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await live([*BORN, *deeds], mind, clock)
    clock.forward(wait * DAY)
    before = await snapshot(mind)
    report = await mind.reap(batch_size=batch_size)
    clock.forward(later * DAY)
    if not report.run:
        return
    told: list[tuple[int, int]] = []
    undone = await mind.unreap(report.run, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (len(undone.restored) + len(undone.unpruned),) * 2
    assert len(undone.restored) == report.deleted + report.evidence
    assert len(undone.unpruned) == report.pruned
    assert not undone.lost
    after = await snapshot(mind)
    assert (after.memories, after.links) == (before.memories, before.links)
    assert not await mind.check()


async def test_a_run_is_taken_back_after_the_mind_was_closed(tmp_path: Path) -> None:
    clock = FakeClock()
    async with reapable_on_disk(tmp_path / "minds", clock, archive=False) as mind:
        await of_every_level(mind)
        await connected(mind)
        clock.forward(5 * DAY)
        seen, before = await everything(mind), await snapshot(mind)
        run = (await mind.reap(batch_size=2)).run
    async with reapable_on_disk(tmp_path / "minds", clock, archive=False) as mind:
        undone = await mind.unreap(run)
        assert set(undone.restored) == {"low", "one", "two"}
        assert set(undone.unpruned) == {"edge", "mid"}
        assert await everything(mind) == seen
        assert await snapshot(mind) == before
        assert not await mind.check()


async def test_twice_is_a_clear_error(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, FsspecArchive(str(tmp_path)))
    await of_every_level(mind)
    clock.forward(5 * DAY)
    run = (await mind.reap()).run
    await mind.unreap(run)
    for name in (run, "reap-nobody", ""):
        with pytest.raises(NotFound, match="nothing left of a run"):
            await mind.unreap(name)


async def test_only_this_run_is_taken_back() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    await mind.put("not by the reaper", key="asked")
    await mind.forget("asked")
    clock.forward(2 * DAY)
    first = await mind.reap()  # low
    clock.forward(2 * DAY)
    second = await mind.reap()  # edge and mid
    assert (await mind.unreap(second.run)).unpruned == ("edge", "mid")
    assert {gone.key for gone in await mind.trash()} == {"low", "asked"}
    assert (await mind.unreap(first.run)).restored == ("low",)


async def test_a_namesake_is_named_and_nothing_else_fails() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    await mind.put(LONG, key="slight", importance=0.1)
    clock.forward(5 * DAY)
    run = (await mind.reap()).run
    await mind.put("another", key="low", importance=1.0)
    undone = await mind.unreap(run)
    assert (undone.restored, undone.unpruned, undone.lost) == (("slight",), ("edge", "mid"), ("low",))
    assert (await mind.get("low")).text == "another"
    await mind.forget("low")
    assert (await mind.unreap(run)).restored == ("low",)  # the way is free now
    assert (await mind.list(everything=True)).memories[0].text == f"low: {LONG}"


async def test_what_was_given_another_text_since_keeps_it() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await mind.put(LONG, key="mid")
    await mind.put(LONG, key="also")
    clock.forward(5 * DAY)
    run = (await mind.reap()).run
    await mind.put("its owner's words", key="mid", replace=True)
    assert (await mind.unreap(run)).unpruned == ("also",)
    texts = {memory.key: memory.text for memory in await everything(mind)}
    assert texts == {"mid": "its owner's words", "also": LONG}


async def test_a_text_too_short_to_lose_anything_is_unpruned_too() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await mind.put("short", key="short")
    clock.forward(5 * DAY)
    before = await snapshot(mind)
    assert (await mind.unreap((await mind.reap()).run)).unpruned == ("short",)
    assert await snapshot(mind) == before


@pytest.mark.parametrize("ticked", [False, True])
async def test_after_its_time_nothing_comes_back_without_an_archive(ticked: bool) -> None:
    clock = FakeClock()
    mind = await reapable(clock, prune_days=1000)
    await of_every_level(mind)
    clock.forward(5 * DAY)
    run = (await mind.reap()).run
    clock.forward(30 * DAY)
    if ticked:
        await mind.tick()
    with pytest.raises(NotFound, match="nothing left"):
        await mind.unreap(run)
    with pytest.raises(InvalidInput, match="no archive"):
        await mind.recover("low")


async def test_a_pruned_text_older_than_the_journal_comes_back_all_the_same(tmp_path: Path) -> None:
    clock = FakeClock()
    async with reapable_on_disk(tmp_path / "minds", clock, archive=False) as mind:
        await mind.put(LONG, key="mid")
        clock.forward(100 * DAY)
        await mind.touch("mid", revive=True)  # S = 2: due again after 2 · ln 10 + 1 = 5.6 days
        clock.forward(50 * DAY)
        assert await mind.compact(clock.now()) > 0
        await mind.configure(prune_days=1000)
        run = (await mind.reap()).run
        assert (await mind.unreap(run)).unpruned == ("mid",)
        assert [memory.text for memory in await everything(mind)] == [LONG]
        await mind.reap()
        assert (await mind.revert("mid")).text == LONG


# ---- from the archive


async def archived_mind(tmp_path: Path, clock: FakeClock, deeds: Any = connected) -> tuple[Mind, str, Snapshot]:
    """Reaped at day 5, and by day 40 gone from the trash for good. Returns the run, and the mind before it."""
    mind = await reapable(clock, FsspecArchive(str(tmp_path)), prune_days=1000)
    await deeds(mind)
    clock.forward(5 * DAY)
    before = await snapshot(mind)
    run = (await mind.reap(batch_size=1)).run
    clock.forward(35 * DAY)
    await mind.tick()
    assert not (await snapshot(mind)).trash
    return mind, run, before


async def test_from_the_archive_comes_the_identical_memory(tmp_path: Path) -> None:
    clock = FakeClock()
    mind, run, before = await archived_mind(tmp_path, clock)
    undone = await mind.unreap(run)
    assert (undone.restored, set(undone.recovered), undone.lost) == ((), {"one", "two"}, ())
    after = await snapshot(mind)
    assert rows(after, "one", "two") == rows(before, "one", "two")
    assert after.links == before.links
    assert not await mind.check()


async def test_the_memory_itself_reads_as_it_did(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, FsspecArchive(str(tmp_path)))
    await connected(mind)
    clock.forward(5 * DAY)
    at = clock.moment
    seen = {memory.key: memory for memory in await everything(mind)}
    run = (await mind.reap()).run
    clock.forward(31 * DAY)
    await mind.unreap(run)
    clock.moment = at
    assert {memory.key: memory for memory in await everything(mind)} == seen


async def test_one_alone_comes_back_with_its_links_and_its_friends_find_it_again(tmp_path: Path) -> None:
    clock = FakeClock()
    mind, _, before = await archived_mind(tmp_path, clock)
    back: Memory = await mind.recover("one")
    assert (back.text, back.phrase, back.keywords) == (f"旧事 one {LONG}", "一", ("旧", "old"))
    assert (back.meta.in_degree, back.meta.out_degree) == (1, 2)  # near still leads here; two is a trace
    await mind.recover("two")
    assert rows(await snapshot(mind), "one") == rows(before, "one")
    assert rows(await snapshot(mind), "two") == rows(before, "two")
    assert not await mind.check()


async def test_over_time_but_not_ticked_it_comes_from_the_archive(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, FsspecArchive(str(tmp_path)))
    await of_every_level(mind)
    clock.forward(2 * DAY)
    run = (await mind.reap()).run
    clock.forward(30 * DAY)
    assert (await mind.unreap(run)).recovered == ("low",)


async def test_recovering_needs_the_memory_to_be_gone_and_its_key_free(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, FsspecArchive(str(tmp_path)))
    await of_every_level(mind)
    with pytest.raises(NotFound, match="nothing was archived under that key"):
        await mind.recover("low")
    clock.forward(2 * DAY)
    run = (await mind.reap()).run
    with pytest.raises(NotFound, match="in the trash"):
        await mind.recover("low")
    clock.forward(31 * DAY)
    await mind.put("another", key="low", importance=1.0)
    with pytest.raises(KeyTaken):
        await mind.recover("low")
    assert (await mind.unreap(run)).lost == ("low",)
    await mind.forget("low")
    assert (await mind.recover("low")).text == f"low: {LONG}"
    with pytest.raises(NotFound, match="it lives"):
        await mind.recover("low")


async def test_evidence_comes_back_to_what_it_supports(tmp_path: Path) -> None:
    clock = FakeClock()

    async def supported(mind: Mind) -> None:
        await mind.put(LONG, key="claim")
        await mind.put(LONG, key="proof", importance=0.3)
        await mind.link("claim", "proof", "SUPPORTED_BY")

    mind, run, before = await archived_mind(tmp_path, clock, supported)
    undone = await mind.unreap(run)
    assert (undone.recovered, undone.unpruned) == (("proof",), ("claim",))
    after = await snapshot(mind)
    assert rows(after, "proof") == rows(before, "proof")
    (said, row, _), (said_before, row_before, _) = rows(after)["claim"], rows(before)["claim"]
    assert (said, row["pruned_at"], row["length"]) == (said_before, row_before["pruned_at"], row_before["length"])


async def test_after_compaction_the_texts_come_from_the_archive(tmp_path: Path) -> None:
    clock = FakeClock()
    async with reapable_on_disk(tmp_path / "minds", clock) as mind:
        await mind.configure(prune_days=1000)
        await of_every_level(mind)
        await connected(mind)
        clock.forward(5 * DAY)
        before = await snapshot(mind)
        run = (await mind.reap()).run
        clock.forward(31 * DAY)
        await mind.tick()
        clock.forward(31 * DAY)
        assert await mind.compact(clock.now()) > 0
    async with reapable_on_disk(tmp_path / "minds", clock) as mind:
        undone = await mind.unreap(run)
        assert (set(undone.recovered), set(undone.unpruned)) == ({"low", "one", "two"}, {"edge", "mid"})
        after = await snapshot(mind)
        assert {key: row[0] for key, row in rows(after).items()} == {key: row[0] for key, row in rows(before).items()}
        assert rows(after, "one", "two") == rows(before, "one", "two")
        assert not await mind.check()
    async with reapable_on_disk(tmp_path / "minds", clock) as mind:
        assert await snapshot(mind) == after


async def test_two_runs_are_taken_back_one_after_the_other(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, FsspecArchive(str(tmp_path)))
    await mind.put(LONG, key="mid")
    clock.forward(5 * DAY)
    pruned = (await mind.reap()).run
    clock.forward(40 * DAY)
    deleted = (await mind.reap()).run
    clock.forward(40 * DAY)
    with pytest.raises(NotFound):  # that run only took its text, and there is nobody to give it to
        await mind.unreap(pruned)
    assert (await mind.unreap(deleted)).recovered == ("mid",)
    assert [len(memory.text) for memory in await everything(mind)] == [80]
    assert (await mind.unreap(pruned)).unpruned == ("mid",)
    assert [memory.text for memory in await everything(mind)] == [LONG]


async def test_a_damaged_line_is_counted_and_the_others_come_back(tmp_path: Path) -> None:
    clock = FakeClock()
    mind, run, _ = await archived_mind(tmp_path, clock)
    files = lying_in(tmp_path)
    files[0].write_bytes(b"{")
    undone = await mind.unreap(run)
    assert (len(undone.recovered), undone.damaged) == (1, 1)
    for file in files:
        file.write_bytes(b"{")
    with pytest.raises(StoreDamaged):
        await mind.unreap(run)


async def test_a_trace_at_the_time_is_a_trace_again(tmp_path: Path) -> None:
    clock = FakeClock()

    async def with_a_trace(mind: Mind) -> None:
        await mind.put(LONG, key="lost", importance=0.1)
        await mind.put(LONG, key="one", importance=0.1)
        await mind.link("one", "lost", "about")
        await mind.forget("lost")

    mind, run, before = await archived_mind(tmp_path, clock, with_a_trace)
    await mind.unreap(run)
    after = await snapshot(mind)
    assert (after.memories, after.links) == (before.memories, before.links)


async def test_more_than_a_batch_comes_back(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, FsspecArchive(str(tmp_path)))
    levels = [0.1, 0.4] * 225
    await mind.put_many([{"text": f"{n} {LONG}", "key": f"k{n}", "importance": i} for n, i in enumerate(levels)])
    clock.forward(5 * DAY)
    before = await snapshot(mind)
    run = (await mind.reap()).run
    await mind.put("in the way", key="k220", importance=1.0)
    undone = await mind.unreap(run)
    assert (len(undone.restored), len(undone.unpruned), undone.lost) == (224, 225, ("k220",))
    await mind.forget("k220")
    await mind.unreap(run)
    assert rows(await snapshot(mind)) == rows(before)
