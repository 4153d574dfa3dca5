"""The scheduler (S3) with real minds: ticks on disk, restarts, conflicts, and stopping between two batches."""

from collections.abc import Awaitable
from pathlib import Path

from ebbtide.app import running
from ebbtide.core.changes import Batch, WriteDown
from ebbtide.core.memory import DAY, HOUR, State
from ebbtide.host import Host
from ebbtide.host.schedule import Job, Minds, Report, Scheduler
from ebbtide.host.timetable import FILE, RETRY, Timetable
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress
from ebbtide.settings import Settings
from tests.builders import BIRTH
from tests.helpers import FakeClock, store_of, written_down
from tests.host.village import Alarm, until


def settings(data: Path) -> Settings:
    """Without an embedder: then a tick finds no pairs, and writes states alone."""
    return Settings(data=data, embedder="none")


def minds_of(host: Host) -> Minds:
    """A host is what the scheduler needs; the type checker says so."""
    return host


def ticks(batch_size: int = 100, pause: float = 0.0) -> Job:
    """As often as seeds 000 and 002 have it."""
    hours = {"activity": 6.0, "score": 0.25, "retention": 1.0, "network": 6.0}

    def run(mind: Mind, progress: Progress) -> Awaitable[Report]:
        return mind.tick(batch_size=batch_size, pause=pause, progress=progress)

    return Job("tick", lambda mind: hours[mind.metabolism] * HOUR, run)


async def written(mind: Mind) -> list[WriteDown]:
    return [entry.change async for entry in mind.entries() if isinstance(entry.change, WriteDown)]


async def test_two_metabolisms_tick_at_their_own_pace_and_a_restart_changes_nothing(tmp_path: Path) -> None:
    clock = FakeClock()
    for hours in (0.0, 3.0, 3.0):  # three processes, three hours each
        async with running(settings(tmp_path), clock) as host:
            if not hours:
                await host.create("ada", "activity")
                await host.create("sam", "score")
                for agent in ("ada", "sam"):
                    async with host.mind(agent) as mind:
                        await mind.put("the ferry leaves at 8:40", key="ferry")
            alarm = Alarm(clock)
            scheduler = Scheduler(minds_of(host), clock, Timetable.load(tmp_path / FILE), [ticks()], alarm)
            scheduler.start()
            await alarm.forward(hours * HOUR)
            await scheduler.stop()
    minds = Timetable.load(tmp_path / FILE).minds()
    # From 0 to 6 hours, both included: every 6 hours is 2 times, every 15 minutes 25 times.
    assert {agent: (jobs["tick"].runs, jobs["tick"].due) for agent, jobs in minds.items()} == {
        "ada": (2, BIRTH + 12 * HOUR),
        "sam": (25, BIRTH + 6.25 * HOUR),
    }
    assert all(jobs["tick"].last and jobs["tick"].last.seen == 1 for jobs in minds.values())


async def test_a_month_off_gives_the_same_mind_as_a_month_on(tmp_path: Path) -> None:
    found = []
    for name, steps in (("on", 30), ("off", 1)):
        clock = FakeClock()
        async with running(Settings(data=tmp_path / name), clock) as host:
            await host.create("sam", "score")
            alarm = Alarm(clock)
            table = Timetable.load(tmp_path / name / FILE)
            scheduler = Scheduler(minds_of(host), clock, table, [ticks()], alarm)
            async with host.mind("sam") as mind:
                for number in range(5):
                    await mind.put(f"memory {number}", key=f"k{number}")
                for _ in range(steps):
                    clock.forward(30 * DAY / steps)
                    await scheduler.trigger("sam")
                found.append(await written_down(mind))
    assert found[0] == found[1]
    assert found[0]["k0"][2] == 11  # 50 · 0.95^30 = 50 · 0.2146 = 10.73


async def test_a_mind_another_process_works_on_waits_for_its_next_time(tmp_path: Path) -> None:
    clock, alarm = FakeClock(), Alarm(FakeClock())
    async with (
        running(settings(tmp_path), clock) as elsewhere,
        running(settings(tmp_path), clock) as host,
    ):
        await elsewhere.create("ada", "activity")
        scheduler = Scheduler(minds_of(host), clock, Timetable.load(tmp_path / FILE), [ticks()], alarm)
        async with elsewhere.mind("ada"):
            (run,) = await scheduler.trigger()
    assert run.figures.error is not None
    assert "in use by another process" in run.figures.error
    assert scheduler.status().minds["ada"]["tick"].due == BIRTH + RETRY


async def test_stop_in_the_middle_of_a_long_tick_stops_between_two_batches(tmp_path: Path) -> None:
    clock = FakeClock()
    async with running(settings(tmp_path), clock) as host:
        await host.create("ada", "activity")
        async with host.mind("ada") as mind:
            await mind.put_many({"text": f"memory {number}", "key": f"k{number}"} for number in range(50))
            clock.forward(400 * DAY)  # all of them are cold by now
            before = store_of(mind).seq
            table = Timetable.load(tmp_path / FILE)
            scheduler = Scheduler(minds_of(host), clock, table, [ticks(batch_size=1, pause=0.001)], Alarm(clock))
            scheduler.start()
            await until(lambda: store_of(mind).seq >= before + 3)
            await scheduler.stop()
            batches = await written(mind)
            assert 3 <= len(batches) < 50
            assert {len(batch.ids) for batch in batches} == {1}
            states = await written_down(mind)
            assert sum(state != 0 for state, _, _ in states.values()) == len(batches)
            assert table.due("ada", ["tick"], clock.now()) == ["tick"]
            assert await mind.check() == []
            (rest,) = await scheduler.trigger("ada")  # what is left, and nothing twice
            assert rest.figures.changed == 50 - len(batches)
    async with running(settings(tmp_path), clock) as host, host.mind("ada") as mind:
        assert (await mind.stats()).states == {State.COLD: 50}
        assert await mind.check() == []


async def test_what_changes_during_a_run_is_counted_and_left_for_the_next_one(tmp_path: Path) -> None:
    clock = FakeClock()
    async with running(settings(tmp_path), clock) as host:
        await host.create("ada", "activity")
        async with host.mind("ada") as mind:
            await mind.put_many({"text": f"memory {number}", "key": f"k{number}"} for number in range(10))
            clock.forward(400 * DAY)
            store = store_of(mind)
            apply = store.apply

            async def used_first(batch: Batch, *, lazy: bool = False) -> object:
                if isinstance(batch.changes[0], WriteDown) and batch.changes[0].ids[0] == 1:
                    await mind.get("k9")  # after the judging, before its batch
                return await apply(batch, lazy=lazy)

            store.apply = used_first  # type: ignore[method-assign, assignment]
            table = Timetable.load(tmp_path / FILE)
            scheduler = Scheduler(minds_of(host), clock, table, [ticks(batch_size=2)], Alarm(clock))
            (first,) = await scheduler.trigger("ada")
            assert (first.figures.seen, first.figures.changed, first.figures.conflicts) == (10, 9, 1)
            assert scheduler.metrics["tick"].conflicts == 1
