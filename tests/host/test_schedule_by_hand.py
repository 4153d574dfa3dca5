"""The scheduler (S3) in somebody's hands: triggered, stopped, started again, asked how it is."""

import asyncio
from pathlib import Path

import pytest

from ebbtide.core.errors import InvalidAgent, InvalidInput, MindBusy, UnknownMind
from ebbtide.core.memory import DAY, HOUR
from ebbtide.host import schedule
from ebbtide.host.schedule import Run, Totals
from ebbtide.host.timetable import FILE, Figures, Timetable
from tests.builders import BIRTH
from tests.host.village import Bug, Place, until


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / FILE)


async def test_by_hand_it_runs_at_once_even_when_stopped_and_the_rhythm_stays(place: Place) -> None:
    await place.village.settle("ada", "bob")
    runs = await place.scheduler.trigger()
    assert [(run.agent, run.job, run.finished) for run in runs] == [("ada", "tick", True), ("bob", "tick", True)]
    place.clock.forward(600.0)
    (run,) = await place.scheduler.trigger("ada", "tick")
    assert run == Run("ada", "tick", Figures(BIRTH + 600.0, run.figures.seconds, 10, 3, 6, 1, 2))
    assert place.due("ada") == HOUR
    assert not place.scheduler.status().running
    assert Timetable.load(place.path).minds() == place.scheduler.status().minds


async def test_what_was_done_by_hand_when_it_was_due_is_not_done_again(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started():
        place.clock.forward(HOUR + 1.0)
        await place.scheduler.trigger("ada")
        await place.alarm.quiet()
        await place.alarm.look()
        assert place.told() == [("ada", "tick", 0.0), ("ada", "tick", HOUR + 1.0)]


async def test_nor_if_somebody_was_quicker_while_it_stood_in_line(place: Place) -> None:
    await place.village.settle("ada", "bob")
    asked: list[asyncio.Task[list[Run]]] = []

    async def ask_for_bob(agent: str) -> None:
        if not asked:
            asked.append(asyncio.ensure_future(place.scheduler.trigger("bob")))
            await asyncio.sleep(0)

    place.tick.at_each = ask_for_bob
    async with place.started():
        assert [agent for agent, _, _ in place.told()] == ["ada", "bob"]
        assert [run.agent for run in await asked[0]] == ["bob"]


async def test_by_hand_a_mind_or_a_job_that_is_not_there_is_an_error(place: Place) -> None:
    await place.village.settle("ada")
    with pytest.raises(UnknownMind, match="no mind 'bob'"):
        await place.scheduler.trigger("bob")
    with pytest.raises(InvalidInput, match="there is no job 'tock': there are tick"):
        await place.scheduler.trigger("ada", "tock")
    place.village.troubles = {"../etc": InvalidAgent(agent="../etc")}
    with pytest.raises(InvalidAgent):
        await place.scheduler.trigger("../etc")
    assert place.scheduler.status().minds == {}


async def test_by_hand_a_mind_does_only_the_jobs_it_has(place: Place) -> None:
    await place.village.settle("ada")
    place.reap.intervals = {"ada": None}
    scheduler = place.made(("tick", "reap"))
    assert [run.job for run in await scheduler.trigger("ada")] == ["tick"]
    assert await scheduler.trigger("ada", "reap") == []
    place.village.troubles = {"ada": MindBusy(agent="ada", owner="")}
    assert [(run.job, run.figures.error is None) for run in await scheduler.trigger("ada")] == [("tick", False)]


async def test_however_many_ask_at_once_no_two_runs_overlap_anywhere(place: Place) -> None:
    await place.village.settle("ada", "bob", "eve")
    at_work: list[str] = []
    most = 0

    async def watched(agent: str) -> None:
        nonlocal most
        at_work.append(agent)
        most = max(most, len(at_work))
        for _ in range(5):
            await asyncio.sleep(0)
        at_work.remove(agent)

    place.tick.at_each = place.reap.at_each = watched
    async with place.started("tick", "reap") as scheduler:
        asked = [scheduler.trigger(agent) for agent in ("ada", None, "ada", "bob")]
        place.clock.forward(HOUR)
        scheduler.notice(place.village.minds["ada"])
        runs = await asyncio.gather(*asked, place.alarm.look())
        assert [len(done) for done in runs[:-1] if done is not None] == [2, 6, 2, 2]
    assert most == 1


async def test_who_asks_during_a_run_gets_one_that_began_afterwards(place: Place) -> None:
    """The run in hand may have looked at the mind before that happened for which somebody asks."""
    await place.village.settle("ada")
    asked: list[asyncio.Task[list[Run]]] = []

    async def ask(agent: str) -> None:
        if not asked:
            asked.append(asyncio.ensure_future(place.scheduler.trigger(agent)))
            await asyncio.sleep(0)
            assert place.scheduler.status().current == ("ada", "tick")

    place.tick.at_each = ask
    async with place.started():
        (run,) = await asked[0]
        assert run.finished
        assert len(place.told()) == 2


# ---- stopping


async def test_starting_twice_is_starting_once_and_stopping_can_be_undone(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started() as scheduler:
        scheduler.start()
        await place.alarm.forward(HOUR)
        assert len(place.told()) == 2
        await scheduler.stop()
        await scheduler.stop()
        assert not scheduler.status().running
        place.clock.forward(HOUR)
        place.alarm.asleep.clear()
        scheduler.start()
        assert scheduler.status().running
        await place.alarm.quiet()
        assert place.told() == [("ada", "tick", 2 * HOUR)]


async def test_a_run_stopped_half_way_is_as_due_as_before(place: Place) -> None:
    await place.village.settle("ada", "bob")
    stops: list[asyncio.Task[None]] = []

    async def stop(agent: str) -> None:
        stops.append(asyncio.ensure_future(place.scheduler.stop()))
        await asyncio.sleep(0)

    place.tick.at_each = stop
    place.scheduler.start()
    await until(lambda: bool(stops))
    await stops[0]
    assert place.told() == [("ada", "tick", 0.0)]
    assert len(stops) == 1  # the batch in hand was the last
    assert place.scheduler.metrics == {"tick": Totals()}
    place.tick.at_each = None
    async with place.started():
        assert sorted(place.told()) == [("ada", "tick", 0.0), ("bob", "tick", 0.0)]


async def test_stop_ends_runs_by_hand_too_and_says_so(place: Place) -> None:
    await place.village.settle("ada", "bob")
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def linger(agent: str) -> None:
        reached.set()
        await go_on.wait()

    place.tick.at_each = linger
    by_hand = [asyncio.ensure_future(place.scheduler.trigger())]
    await reached.wait()
    by_hand.append(asyncio.ensure_future(place.scheduler.trigger("bob")))  # stands in line
    stopping = asyncio.ensure_future(place.scheduler.stop())
    await asyncio.sleep(0)
    assert not stopping.done()
    go_on.set()
    await stopping
    everybody, bob = await asyncio.gather(*by_hand)
    assert [(run.agent, run.finished) for run in everybody] == [("ada", False)]
    assert bob == []
    assert [run.finished for run in await place.scheduler.trigger("bob")] == [True]  # asked for afterwards


async def test_metrics_add_up_over_minds_and_runs(place: Place) -> None:
    await place.village.settle("ada", "bob")
    place.reap.failing = {"bob": Bug()}
    async with place.started("tick", "reap") as scheduler:
        tick, reap = scheduler.metrics["tick"], scheduler.metrics["reap"]
        assert tick == Totals(2, 0, tick.seconds, 20, 6, 12, 2, 4)
        assert reap == Totals(2, 1, reap.seconds, 10, 3, 6, 1, 2)
        assert tick.seconds > 0.0


async def test_the_real_wait_ends_when_woken_and_never_lasts_longer_than_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[float | None] = []
    timeout = asyncio.timeout

    def noted(delay: float | None) -> asyncio.Timeout:
        limits.append(delay)
        return timeout(delay)

    monkeypatch.setattr(asyncio, "timeout", noted)
    wake = asyncio.Event()
    await schedule.wait(0.0, wake)
    asleep = asyncio.ensure_future(schedule.wait(float("inf"), wake))
    await asyncio.sleep(0)
    wake.set()
    await asleep
    await schedule.wait(DAY, wake)
    await schedule.wait(0.25, wake)
    assert limits == [0.0, 60.0, 60.0, 0.25]
