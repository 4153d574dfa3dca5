"""The reaper after a pause (SPEC R6): what it deletes was pruned 30 days before, and the first run deletes nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.app import running, scheduler
from ebbtide.core.changes import Forget, PutMemory, Reaped, Rewrite
from ebbtide.core.memory import DAY, State
from ebbtide.core.metabolism import Retention
from ebbtide.mind import Mind
from ebbtide.settings import Settings
from tests.builders import BIRTH
from tests.helpers import FakeClock, batch, lives, mind_in_ram, store_of
from tests.mind.test_reaping import done, keys
from tests.reapers import LONG, of_every_level


async def new_mind(clock: FakeClock, **params: Any) -> Mind:
    """As a new user has it: by the defaults, and the reaper has never run."""
    return await mind_in_ram("retention", clock, **params)


@asynccontextmanager
async def opened(data: Path, clock: FakeClock) -> AsyncIterator[Mind]:
    """The same on disk."""
    async with running(Settings(data=data, embedder="none"), clock) as host:
        if "ada" not in host.agents():
            await host.create("ada", "retention")
        async with host.mind("ada") as mind:
            yield mind


async def test_a_server_that_was_off_for_sixty_days_deletes_nothing(tmp_path: Path) -> None:
    clock, settings = FakeClock(), Settings(data=tmp_path, embedder="none")
    async with running(settings, clock) as host:
        await host.create("ada", "retention")
        async with host.mind("ada") as mind:
            await mind.put(LONG, key="mid")
            await mind.put(LONG, key="low", importance=0.1)
    clock.forward(60 * DAY)
    async with running(settings, clock) as host:
        rounds = scheduler(host, settings, clock)
        [run] = await rounds.trigger("ada", "reap")
        assert (run.figures.changed, run.figures.deferred) == (1, 1)  # mid is pruned, low waits for the next run
        async with host.mind("ada") as mind:
            assert await keys(mind) == {"mid", "low"}
            assert await mind.trash() == []
            assert not await mind.check()
        clock.forward(DAY)
        [run] = await rounds.trigger("ada", "reap")
        assert (run.figures.changed, run.figures.deferred) == (1, 0)  # low
        clock.forward(29 * DAY - 1)  # a second before 30 days after the pruning
        await rounds.trigger("ada", "reap")
        async with host.mind("ada") as mind:
            assert await keys(mind) == {"mid"}


async def test_a_middling_memory_is_deleted_thirty_days_after_it_was_really_pruned() -> None:
    clock = FakeClock()
    mind = await new_mind(clock, reap_pause=100_000.0)
    await mind.put(LONG, key="mid")  # due at 3.3 days; with a pruning on that day it would go at 33.3
    clock.moment = BIRTH + 50 * DAY
    assert done(await mind.reap()) == (0, 1, 0, 0)
    clock.moment = BIRTH + 80 * DAY - 1
    assert done(await mind.reap()) == (0, 0, 0, 0)
    clock.moment = BIRTH + 80 * DAY
    assert done(await mind.reap()) == (1, 0, 0, 0)


async def test_the_first_run_prunes_and_names_what_the_next_one_deletes() -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await of_every_level(mind)
    await mind.put(LONG, key="proof", importance=0.3)
    await mind.link("mid", "proof", "SUPPORTED_BY")
    clock.forward(4 * DAY)
    listed = await mind.reap(dry_run=True)
    assert [(one.key, one.action) for one in listed.harvest] == [("edge", "prune"), ("mid", "prune")]
    assert [(one.key, one.action) for one in listed.deferrals] == [("low", "delete"), ("proof", "evidence")]
    report = await mind.reap()
    assert done(report) == done(listed) == (0, 2, 0, 0)
    assert (report.deferred, listed.deferred, report.previous) == (2, 2, None)
    following = await mind.reap()
    assert (done(following), following.deferred, following.previous) == ((1, 0, 1, 0), 0, clock.now())


@pytest.mark.parametrize(("days", "deleted"), [(7.0, 1), (7.001, 0)])
async def test_a_pause_is_longer_than_seven_days(days: float, deleted: int) -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await mind.put(LONG, key="low", importance=0.1)  # expired at 0.69 days, due at 1.69
    clock.forward(DAY)
    assert done(await mind.reap()) == (0, 0, 0, 0)
    clock.forward(days * DAY)
    report = await mind.reap()
    assert (report.deleted, report.deferred) == (deleted, 1 - deleted)


def test_a_rhythm_slower_than_the_pause_is_no_pause() -> None:
    monthly = Retention(reap_every=30 * 24.0)
    assert not monthly.after_pause(0.0, 60 * DAY)
    assert monthly.after_pause(0.0, 60 * DAY + 1)


def test_a_clock_put_back_by_more_than_the_pause_counts_as_a_pause() -> None:
    assert Retention().after_pause(0.0, -7 * DAY - 1)
    assert not Retention().after_pause(0.0, -7 * DAY)


async def test_a_run_that_was_stopped_half_way_does_not_end_the_pause() -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await of_every_level(mind)
    clock.forward(20 * DAY)

    def stop(done: int, total: int) -> None:
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        await mind.reap(batch_size=1, progress=stop)
    assert (await mind.reap()).deferred == 1
    assert "low" in await keys(mind)


async def test_the_last_run_is_known_after_reopening_and_to_a_replay(tmp_path: Path) -> None:
    clock = FakeClock()
    async with opened(tmp_path, clock) as mind:
        await mind.put(LONG, key="low", importance=0.1)
        clock.forward(DAY)
        await mind.reap()
    clock.forward(DAY / 3)
    async with opened(tmp_path, clock) as mind:
        assert (await mind.reap(dry_run=True)).previous == BIRTH + DAY
        assert not await mind.check()
        await mind.compact(before=clock.now() + 1)
        assert not await mind.check()
    async with opened(tmp_path, clock) as mind:
        assert (await mind.reap(dry_run=True)).previous == BIRTH + DAY


async def test_where_nothing_has_expired_a_run_writes_nothing() -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await mind.put(LONG, key="low", importance=0.1)
    before = store_of(mind).seq
    await mind.reap()
    assert store_of(mind).seq == before


async def test_a_mind_without_auto_reap_is_reaped_by_hand_only(tmp_path: Path) -> None:
    clock, settings = FakeClock(), Settings(data=tmp_path, embedder="none")
    async with running(settings, clock) as host:
        await host.create("ada", "retention", {"auto_reap": False})
        rounds = scheduler(host, settings, clock)
        assert {run.job for run in await rounds.trigger("ada")} == {"tick"}
        async with host.mind("ada") as mind:
            assert (await mind.reap()).seen == 0
            await mind.configure(auto_reap=True)
        assert {run.job for run in await rounds.trigger("ada")} == {"tick", "reap"}


async def test_what_is_overdue_is_forecast_as_pruned_now_and_deleted_thirty_days_later() -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await mind.put(LONG, key="mid")
    clock.forward(60 * DAY)
    fates = {fate.event: fate.at for fate in (await mind.explain("mid")).forecast}
    assert (fates["pruned"], fates["deleted"]) == (clock.now(), clock.now() + 30 * DAY)


# ---- whatever the times of runs

waits = st.sampled_from((0.0, 0.1, 1.0, 3.0, 6.9, 7.1, 29.0, 31.0, 90.0))
importances = st.sampled_from((0.0, 0.1, 0.2, 0.5, 0.69, 0.7))


@lives
@given(
    steps=st.lists(st.tuples(waits, st.sampled_from(("reap", "touch", "reap", "put"))), min_size=1, max_size=15),
    levels=st.lists(importances, min_size=1, max_size=4),
)
async def test_no_run_deletes_what_was_not_pruned_thirty_days_before_or_anything_after_a_pause(
    steps: list[tuple[float, str]], levels: list[float]
) -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    for number, level in enumerate(levels):
        await mind.put(LONG, key=f"k{number}", importance=level)
    for number, (days, deed) in enumerate(steps):
        clock.forward(days * DAY)
        if deed == "reap":
            await mind.reap(batch_size=1 + number % 3)
        elif deed == "touch" and "k0" in await keys(mind):
            await mind.touch("k0", revive=True)
        elif deed == "put":
            await mind.put(LONG, key=f"n{number}", importance=levels[0])
    await _rules_were_kept(mind)
    assert not await mind.check()


async def _rules_were_kept(mind: Mind) -> None:
    importance: dict[int, float] = {}
    pruned: dict[int, float] = {}
    runs: list[float] = []
    async for entry in mind.entries():
        match entry.change:
            case Rewrite(at=at, id=memory, cause="pruned"):
                pruned[memory] = at
            case Forget(at=at, id=memory):
                assert runs
                assert at - runs[-1] <= 7 * DAY
                assert importance[memory] < 0.2 or at - pruned[memory] >= 30 * DAY
            case Reaped(at=at):
                runs.append(at)
            case PutMemory(id=memory, importance=float(given)):
                importance[memory] = given


async def test_two_runs_asked_for_at_once_are_both_first_runs() -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await of_every_level(mind)
    clock.forward(20 * DAY)
    reports = await asyncio.gather(mind.reap(), mind.reap())
    assert [report.deleted for report in reports] == [0, 0]
    assert {memory.key for memory in (await mind.list(State.EXPIRED)).memories} == {"low", "edge", "mid", "high"}


async def test_a_reaped_entry_moves_nothing_but_the_time_of_the_last_run() -> None:
    clock = FakeClock()
    mind = await new_mind(clock)
    await mind.put(LONG, key="a")
    before = await store_of(mind).snapshot()
    await store_of(mind).apply(batch(Reaped(clock.now() + 5, "reap-1", 2)))
    after = await store_of(mind).snapshot()
    assert (after.memories, after.links, after.params) == (before.memories, before.links, before.params)
    assert (before.reaped_at, after.reaped_at) == (None, BIRTH + 5)
