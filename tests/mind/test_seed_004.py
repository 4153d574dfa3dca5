"""Seed 004, scenario by scenario, each test named after its own: minds on disk, and time that is turned by hand."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from ebbtide.app import running, scheduler
from ebbtide.core.changes import WriteDown
from ebbtide.core.memory import DAY, HOUR, State
from ebbtide.host import Host
from ebbtide.host.schedule import Scheduler
from ebbtide.mind import Mind
from ebbtide.settings import Settings
from tests.builders import BIRTH
from tests.helpers import MINUTE, FakeClock, everything, mind_on_disk, store_of, written_down
from tests.host.village import Alarm


async def scores(mind: Mind) -> dict[str, int | None]:
    """As a reader sees them at this moment."""
    return {memory.key: memory.meta.score for memory in await everything(mind)}


def on_disk(data: Path) -> dict[str, int]:
    """As the file has them, whoever looks."""
    with closing(sqlite3.connect(data / "ada" / "mind.db")) as file:
        return dict(file.execute("SELECT key, score FROM memories"))


async def slips(mind: Mind) -> list[WriteDown]:
    """What ticks have written."""
    return [entry.change async for entry in mind.entries() if isinstance(entry.change, WriteDown)]


@asynccontextmanager
async def server(data: Path, clock: FakeClock, **settings: Any) -> AsyncIterator[tuple[Host, Scheduler, Alarm]]:
    """A process with its scheduler, as a server starts it, up to its end."""
    given = Settings(data=data, **settings)
    async with running(given, clock) as host:
        if "ada" not in host.agents():
            await host.create("ada", "score")
        alarm, schedule = Alarm(clock), scheduler(host, given, clock)
        schedule._wait = alarm
        schedule.start()
        await alarm.quiet()
        yield host, schedule, alarm
        await schedule.stop()


# ---- Requirement: Memory score calculation


async def test_initial_score_assignment(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, "score") as mind:
        memory = await mind.put("the ferry leaves at 8:40", key="ferry")
        assert memory.meta.score == 50
        assert (await mind.get("ferry")).meta.score == 50
    assert on_disk(tmp_path) == {"ferry": 50}


async def test_score_update_during_decay_calculation(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock) as mind:
        await mind.put("nobody asks", key="idle")
        await mind.put("somebody asks", key="used")
        clock.forward(DAY)
        await mind.get("used")
        report = await mind.tick()
        assert (report.seen, report.changed) == (2, 2)
    # idle: 50 · 0.95 = 47.5, rounded up.  used: 47.5 + 10 · (1 − e^−(24 h / 6 h)) = 47.5 + 9.8168 = 57.3168
    assert on_disk(tmp_path) == {"idle": 48, "used": 57}


async def test_score_boundary_enforcement(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock, usage_gain=100.0) as mind:
        await mind.put("asked for again and again", key="used")
        await mind.put("never asked for", key="idle")
        clock.forward(DAY)
        # 47.5 + 100 · 0.9817 = 145.7
        assert (await mind.get("used")).meta.score == 100
        clock.forward(10_000 * DAY)
        await mind.tick()
        assert await scores(mind) == {"used": 0, "idle": 0}  # 100 · 0.95^10,000 < 1e−220
        clock.forward(DAY)
        assert (await mind.get("used")).meta.score == 100  # 0 + 100 · (1 − e^−40,004)
    assert on_disk(tmp_path) == {"used": 0, "idle": 0}


# ---- Requirement: Decay algorithm factors


async def test_usage_frequency_impact(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock) as mind:
        for key in ("daily", "once", "hammered", "idle"):
            await mind.put(f"this is {key}", key=key)
        for day in range(3):
            clock.forward(DAY)
            await mind.get("daily")
            for _ in range(10 if day == 0 else 0):
                await mind.get("hammered")
        await mind.touch("once")
        # A day's use adds 10 · (1 − e^−4) = 9.8168; a second one in the same moment adds nothing.
        # daily: 57.3168;  57.3168 · 0.95 + 9.8168 = 64.2678;  64.2678 · 0.95 + 9.8168 = 70.8712
        # hammered: 57.3168 · 0.95² = 51.7285.  once: 42.86875 + 10 · (1 − e^−12) = 52.8687.  idle: 42.86875
        assert await scores(mind) == {"daily": 71, "hammered": 52, "once": 53, "idle": 43}
        counts = {memory.key: memory.meta.access_count for memory in await everything(mind)}
        assert counts == {"daily": 3, "hammered": 10, "once": 1, "idle": 0}


@pytest.mark.parametrize(("rate", "left"), [(0.95, 30), (0.9, 17), (1.0, 50)])
async def test_time_decay_impact(tmp_path: Path, rate: float, left: int) -> None:
    # 50 · 0.95¹⁰ = 50 · 0.598737 = 29.94;  50 · 0.9¹⁰ = 50 · 0.348678 = 17.43
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock, daily_factor=rate) as mind:
        await mind.put("nobody asks", key="idle")
        seen = []
        for _ in range(10):
            clock.forward(DAY)
            seen.append((await everything(mind))[0].vitality)
        assert seen == sorted(seen, reverse=True)
        assert await scores(mind) == {"idle": left}


async def test_structural_relationship_impact(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock) as mind:
        for key in ("lone", "faint", "hub", "x", "y", "z"):
            await mind.put(f"this is {key}", key=key)
        await mind.link("faint", "x", "near", 0.1)
        await mind.link("y", "faint", "near", 0.2)
        for key in ("x", "y", "z"):
            await mind.link("hub", key, "holds", 1.0)
        clock.forward(10 * DAY)
        found = await scores(mind)
    # Σ 0: d = 0.95 → 29.94.  Σ 0.3: d = 0.95 + 0.04 · (1 − e^−0.1) = 0.953806; 50 · d¹⁰ = 50 · 0.623163 = 31.16
    # Σ 3: d = 0.95 + 0.04 · (1 − e^−1) = 0.975285; 50 · d¹⁰ = 50 · 0.778606 = 38.93
    assert (found["lone"], found["faint"], found["hub"]) == (30, 31, 39)


# ---- Requirement: Configurable decay parameters


async def test_parameter_configuration(tmp_path: Path) -> None:
    clock = FakeClock()
    async with running(Settings(data=tmp_path), clock) as host:
        await host.create("ada", "score", {"daily_factor": 0.5, "usage_gain": 20, "usage_spacing": 12, "cold_from": 20})
        async with host.mind("ada") as mind:
            params = mind.params
            await mind.put("a text", key="a")
            clock.forward(DAY)
            # 50 · 0.5 + 20 · (1 − e^−(24 / 12)) = 25 + 20 · 0.8647 = 42.29
            assert (await mind.get("a")).meta.score == 42
            await mind.configure(active_from=40)
            assert (await mind.get("a")).state is State.ACTIVE
    given = {"daily_factor": 0.5, "usage_gain": 20.0, "usage_spacing": 12.0, "cold_from": 20.0}
    defaults = {"initial": 50.0, "structure_gain": 0.04, "structure_scale": 3.0, "active_from": 70.0, "decay": True}
    assert {name: params[name] for name in given | defaults} == given | defaults


async def test_parameter_validation(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock, bad = FakeClock(), {"daily_factor": 1.7, "usage_spacing": 0, "cold_from": float("nan"), "usage_gain": 20}
    async with running(Settings(data=tmp_path), clock) as host:
        await host.create("ada", "score", bad)
        async with host.mind("ada") as mind:
            assert [mind.params[name] for name in bad] == [0.95, 6.0, 30.0, 20.0]
            await mind.put("a text", key="a")
            clock.forward(DAY)
            assert await scores(mind) == {"a": 48}  # 47.5: by the default rate
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    for name in ("daily_factor", "usage_spacing", "cold_from"):
        assert f"parameter {name} = " in caplog.text


# ---- Requirement: Scheduled decay calculation


async def test_periodic_execution(tmp_path: Path) -> None:
    clock = FakeClock()
    async with server(tmp_path, clock) as (host, schedule, alarm), host.mind("ada") as mind:
        await mind.put("nobody asks", key="idle")
        await alarm.forward(DAY)
        # At once when it starts, and then every 15 minutes: 1 + 24 · 4
        assert schedule.status().minds["ada"]["tick"].runs == 97
        # From 50 to 47.5 the rounded value changes twice: below 49.5, and below 48.5 (47.5 itself still rounds up)
        assert [slip.scores for slip in await slips(mind)] == [(49,), (48,)]
        await mind.configure(tick_every=2.0)
        schedule.notice(mind)
        await alarm.forward(DAY)
        assert schedule.status().minds["ada"]["tick"].runs == 97 + 12
        assert (await written_down(mind))["idle"][2] == 45  # 45.125


async def test_scheduler_persistence(tmp_path: Path) -> None:
    clock = FakeClock()
    async with server(tmp_path, clock) as (host, schedule, alarm):
        async with host.mind("ada") as mind:
            await mind.put("nobody asks", key="idle")
        await alarm.forward(20 * MINUTE)
    assert schedule.status().minds["ada"]["tick"].runs == 2  # at 0 and 15 minutes
    clock.forward(5 * MINUTE)
    async with server(tmp_path, clock) as (_, schedule, alarm):
        assert schedule.status().minds["ada"]["tick"].runs == 2  # a new process is no reason to run
        await alarm.forward(5 * MINUTE)
        assert schedule.status().minds["ada"]["tick"].runs == 3  # at 30 minutes, when it would have been
    clock.forward(30 * DAY)
    async with server(tmp_path, clock) as (host, schedule, _):
        job = schedule.status().minds["ada"]["tick"]
        assert (job.runs, job.due) == (4, BIRTH + 30 * DAY + 45 * MINUTE)  # one makes up for a month
        async with host.mind("ada") as mind:
            assert (await written_down(mind))["idle"][2] == 11  # 50 · 0.95^30.02 = 10.72


async def test_concurrent_execution_safety(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, sleep = FakeClock(), asyncio.sleep
    async with mind_on_disk(tmp_path, "score", clock, touch_spacing=0.0) as mind:
        keys = [f"k{number}" for number in range(30)]
        await mind.put_many({"text": f"this is {key}", "key": key} for key in keys)
        clock.forward(40 * DAY)
        used, seen = list(reversed(keys[15:])), list[int]()

        async def others(seconds: float, result: object = None) -> None:
            """While the tick pauses between two batches, others use and write."""
            await sleep(0)
            if seconds == 0.25:
                key = used[len(seen)]
                await mind.touch(key)
                await mind.put(f"written meanwhile, after {key}")
                seen.append(len(await slips(mind)))

        monkeypatch.setattr(asyncio, "sleep", others)
        report = await mind.tick(batch_size=2, pause=0.25)
        monkeypatch.setattr(asyncio, "sleep", sleep)
        # The nth pause uses k(30 − n), which is of batch ⌊(30 − n) / 2⌋ + 1: still to come for n = 1 … 10.
        assert (report.changed, report.conflicts) == (20, 10)
        # Nobody waited for the tick's end: somebody was served after each of its ten batches with anything to write.
        assert seen == [*range(1, 11), 10, 10, 10, 10, 10]
        counted = {memory.key: memory.meta.access_count for memory in await everything(mind) if memory.key in keys}
        assert counted == {key: int(key in used) for key in keys}
        await mind.tick()
        # 50 · 0.95⁴⁰ = 6.43;  with a use then: 6.43 + 10 · (1 − e^−160) = 16.43
        assert {key: (await written_down(mind))[key][2] for key in keys} == {
            key: 16 if key in used else 6 for key in keys
        }
        assert await mind.check() == []


# ---- Requirement: Performance optimization


async def test_batch_processing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pauses, sleep = FakeClock(), list[float](), asyncio.sleep

    async def noted(seconds: float, result: object = None) -> None:
        pauses.append(seconds)
        await sleep(0)

    async with server(tmp_path, clock, batch_size=7, batch_pause=0.25) as (host, schedule, _), host.mind("ada") as mind:
        await mind.put_many({"text": f"memory {number}"} for number in range(20))
        clock.forward(DAY)
        monkeypatch.setattr(asyncio, "sleep", noted)
        (run,) = await schedule.trigger("ada", "tick")
        monkeypatch.setattr(asyncio, "sleep", sleep)
        assert (run.figures.seen, run.figures.changed) == (20, 20)
        assert [len(slip.ids) for slip in await slips(mind)] == [7, 7, 6]
        assert pauses.count(0.25) >= 2
        tokens = [entry.token async for entry in mind.entries() if isinstance(entry.change, WriteDown)]
        assert len(set(tokens)) == 3  # three batches, each whole or not there
    assert Settings().batch_size == 100


async def test_incremental_updates(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock) as mind:
        await mind.put("an older one", key="old")
        clock.forward(4 * HOUR)
        await mind.put("a newer one", key="new")
        clock.forward(2 * HOUR)
        # old: 50 · 0.95^(6/24) = 49.36 → 49.  new: 50 · 0.95^(2/24) = 49.79 → 50, as it is
        report = await mind.tick()
        assert (report.seen, report.changed, report.skipped) == (2, 1, 1)
        (slip,) = await slips(mind)
        assert slip.scores == (49,)
        before = store_of(mind).seq
        clock.forward(MINUTE)
        assert (await mind.tick()).changed == 0
        assert store_of(mind).seq == before  # nothing is written where nothing has changed


async def test_memory_state_caching(tmp_path: Path) -> None:
    clock, asked = FakeClock(), list[str]()
    async with mind_on_disk(tmp_path, "score", clock) as mind:
        for key in ("a", "b"):
            await mind.put(f"this is {key}", key=key)
        store: Any = store_of(mind)
        for connection in (store._connection, store._reader):
            connection.set_trace_callback(asked.append)
        clock.forward(10 * DAY)
        assert (await mind.tick()).changed == 2
        # What it needs to know of the memories it knows: it writes, and asks the tables for nothing about them.
        assert [line for line in asked if "FROM memories" in line] == []
        assert any("INTO journal" in line for line in asked)
        await mind.link("a", "b", "near", 1.0)  # and it knows at once what has changed
        await mind.get("b")
        clock.forward(10 * DAY)
        await mind.tick()
        # d = 0.95 + 0.04 · (1 − e^−(1/3)) = 0.961339; d¹⁰ = 0.674187
        # a: 29.94 · d¹⁰ = 20.18.  b: (29.94 + 10 · (1 − e^−40)) · d¹⁰ = 39.94 · d¹⁰ = 26.93
        found = await written_down(mind)
        assert (found["a"][2], found["b"][2]) == (20, 27)
