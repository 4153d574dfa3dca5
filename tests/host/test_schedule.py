"""The scheduler (S3): when it is due and not before, and whatever fails, the rest goes on."""

import logging
from pathlib import Path

import pytest

from ebbtide.core.errors import EbbtideError, InvalidInput, MindBusy
from ebbtide.core.memory import DAY, HOUR
from ebbtide.host.schedule import LONGEST_WAIT
from ebbtide.host.timetable import FILE, Timetable
from tests.host.village import QUARTER, Bug, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / FILE)


# ---- by the clock


async def test_each_mind_has_its_own_rhythm(place: Place) -> None:
    await place.village.settle("ada", "bob")
    place.tick.intervals = {"ada": HOUR, "bob": 1.5 * HOUR}
    async with place.started():
        assert place.told() == [("ada", "tick", 0.0), ("bob", "tick", 0.0)]
        await place.alarm.forward(3 * HOUR)
    assert place.told() == [
        ("ada", "tick", HOUR),
        ("bob", "tick", 1.5 * HOUR),
        ("ada", "tick", 2 * HOUR),
        ("ada", "tick", 3 * HOUR),
        ("bob", "tick", 3 * HOUR),
    ]


async def test_two_jobs_of_a_mind_keep_their_own_times_and_share_an_opening(place: Place) -> None:
    await place.village.settle("ada", "bob")
    place.reap.intervals = {"ada": 2 * HOUR, "bob": None}
    async with place.started("tick", "reap"):
        assert place.told() == [("ada", "tick", 0.0), ("ada", "reap", 0.0), ("bob", "tick", 0.0)]
        assert place.village.openings == {"ada": 1, "bob": 1}
        await place.alarm.forward(2 * HOUR)
        assert [entry for entry in place.told() if entry[0] == "ada"] == [
            ("ada", "tick", HOUR),
            ("ada", "tick", 2 * HOUR),
            ("ada", "reap", 2 * HOUR),
        ]


async def test_a_mind_that_is_not_due_is_not_opened(place: Place) -> None:
    await place.village.settle(*(f"a{number}" for number in range(200)))
    place.tick.intervals = {f"a{number}": DAY for number in range(1, 200)}
    async with place.started():
        await place.alarm.forward(12 * HOUR)
    place.village.openings.clear()
    async with place.started():
        await place.alarm.forward(6 * HOUR)
    assert place.village.openings == {"a0": 6}  # 13 to 18 hours; the others are due at 24


async def test_who_has_waited_longest_is_first(place: Place) -> None:
    await place.village.settle("ada", "bob")
    place.tick.intervals = {"ada": 2 * HOUR, "bob": HOUR}
    async with place.started():
        pass
    await place.village.settle("new")
    place.clock.forward(5 * HOUR)
    place.told()
    async with place.started():
        assert [agent for agent, _, _ in place.told()] == ["new", "bob", "ada"]


async def test_a_mind_made_by_somebody_else_is_found_at_the_next_look(place: Place) -> None:
    async with place.started() as scheduler:
        assert place.alarm.rest == float("inf")
        await place.village.settle("ada")
        await place.alarm.look()
        assert place.told() == [("ada", "tick", 0.0)]
        await place.village.settle("bob")
        place.alarm.asleep.clear()
        scheduler.notice(place.village.minds["bob"])  # this one is told of
        await place.alarm.quiet()
        assert place.told() == [("bob", "tick", 0.0)]


async def test_a_changed_interval_is_taken_up_when_it_is_told_of(place: Place) -> None:
    await place.village.settle("ada")
    place.tick.intervals = {"ada": 6 * HOUR}
    async with place.started() as scheduler:
        await place.alarm.forward(10 * 60)
        place.tick.intervals = {"ada": QUARTER}
        place.alarm.asleep.clear()
        scheduler.notice(place.village.minds["ada"])
        await place.alarm.quiet()
        await place.alarm.forward(25 * 60)
        assert [at for _, _, at in place.told()] == [0.0, QUARTER, 2 * QUARTER]


async def test_a_changed_interval_nobody_told_of_is_seen_at_the_next_run(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started():
        place.tick.intervals = {"ada": QUARTER}
        await place.alarm.forward(1.5 * HOUR)
    # The run at one hour sees it; the slots of the new rhythm are at 15, 30, 45 and 60 minutes.
    assert [at / HOUR for _, _, at in place.told()] == [0.0, 1.0, 1.25, 1.5]


async def test_a_run_that_takes_longer_than_its_interval_leaves_slots_out(place: Place) -> None:
    await place.village.settle("ada")

    async def slow(agent: str) -> None:
        place.clock.forward(0.5 * HOUR)  # three batches of half an hour

    place.tick.at_each = slow
    async with place.started():
        assert place.due() == 2 * HOUR  # now it is half past one
        assert place.alarm.rest == 0.5 * HOUR


# ---- restarts and clocks


async def test_the_next_run_is_due_when_it_would_have_been(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started():
        pass
    place.clock.forward(0.75 * HOUR)
    async with place.started():
        assert place.told() == [("ada", "tick", 0.0)]  # from before; nothing was due
        await place.alarm.forward(0.25 * HOUR)
        assert place.told() == [("ada", "tick", HOUR)]


async def test_a_month_off_is_made_up_by_one_run_and_the_rhythm_goes_on(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started():
        pass
    place.told()
    place.clock.forward(30 * DAY + 100.0)
    async with place.started():
        await place.alarm.forward(HOUR)
    assert place.told() == [("ada", "tick", 30 * DAY + 100.0), ("ada", "tick", 30 * DAY + HOUR)]


async def test_a_clock_that_was_put_back_does_not_stop_the_schedule(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started():
        place.clock.forward(-365 * DAY)
        await place.alarm.look()
        assert place.alarm.rest == HOUR
        place.told()
        await place.alarm.forward(HOUR)
        assert place.told() == [("ada", "tick", -365 * DAY + HOUR)]


async def test_a_damaged_file_means_that_everybody_is_due(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    await place.village.settle("ada", "bob")
    async with place.started():
        pass
    place.told()
    place.path.write_bytes(b"{}}")
    async with place.started():
        assert [agent for agent, _, _ in place.told()] == ["ada", "bob"]
    assert "every mind is due now" in caplog.text
    assert Timetable.load(place.path).minds().keys() == {"ada", "bob"}


async def test_many_minds_are_saved_as_it_goes(place: Place) -> None:
    """A crash in the middle of a long pass does not begin it all over."""
    await place.village.settle(*(f"a{number:03}" for number in range(100)))
    saved: list[int] = []

    async def look(agent: str) -> None:
        saved.append(len(Timetable.load(place.path).minds()))

    place.tick.at_each = look
    async with place.started():
        assert saved[0] == 0
        assert saved[-1] == 64
    assert len(Timetable.load(place.path).minds()) == 100


# ---- failures


async def test_a_mind_that_fails_is_recorded_and_the_others_go_on(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await place.village.settle("ada", "bob", "eve", "zoe")
    place.tick.failing = {"ada": InvalidInput(problem="out of sorts"), "bob": Bug("oh")}
    place.village.troubles = {"eve": MindBusy(agent="eve", owner=" (process 7)")}
    async with place.started() as scheduler:
        await place.alarm.forward(HOUR)
        minds = scheduler.status().minds
        errors = {agent: jobs["tick"].last.error for agent, jobs in minds.items() if jobs["tick"].last}
        assert errors == {
            "ada": "out of sorts",
            "bob": "Bug: oh",
            "eve": "The mind 'eve' is in use by another process (process 7): close that one first.",
            "zoe": None,
        }
        assert {agent: (jobs["tick"].runs, jobs["tick"].failures) for agent, jobs in minds.items()} == {
            "ada": (2, 2),
            "bob": (2, 2),
            "eve": (5, 5),  # nobody knows its interval yet: 0, 15, 30, 45 and 60 minutes
            "zoe": (2, 0),
        }
        traces = {record.message: record.exc_info is not None for record in caplog.records}
        assert traces["tick of ada failed: out of sorts"] is False
        assert traces["tick of bob failed"] is True
        assert traces[f"the scheduler's visit to eve failed: {errors['eve']}"] is False
        del place.village.troubles["eve"]
        place.tick.failing = {}
        await place.alarm.forward(HOUR)
        assert all(jobs["tick"].last and not jobs["tick"].last.error for jobs in scheduler.status().minds.values())


async def test_a_busy_mind_is_tried_again_when_it_is_next_due(place: Place) -> None:
    await place.village.settle("ada")
    async with place.started():
        place.village.troubles = {"ada": MindBusy(agent="ada", owner="")}
        await place.alarm.forward(HOUR)
        assert place.due() == 2 * HOUR
        assert place.village.openings == {"ada": 2}


async def test_one_job_failing_leaves_the_other_job_of_the_mind_alone(place: Place) -> None:
    await place.village.settle("ada")
    place.tick.failing = {"ada": Bug()}
    async with place.started("tick", "reap") as scheduler:
        jobs = scheduler.status().minds["ada"]
        assert (jobs["tick"].failures, jobs["reap"].failures) == (1, 0)


async def test_a_mind_deleted_between_listing_and_opening_is_no_failure(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    await place.village.settle("ada", "zoe")
    place.village.listed_only = ["gone"]
    async with place.started() as scheduler:
        assert [agent for agent, _, _ in place.told()] == ["ada", "zoe"]
        assert scheduler.status().minds.keys() == {"ada", "zoe"}
        assert scheduler.metrics["tick"].failures == 0
    assert caplog.messages == []


async def test_a_mind_that_has_gone_is_dropped_from_the_file(place: Place) -> None:
    await place.village.settle("ada", "bob")
    async with place.started():
        del place.village.minds["bob"]
        await place.alarm.look()
    assert Timetable.load(place.path).minds().keys() == {"ada"}


@pytest.mark.parametrize("trouble", [PermissionError("not yours"), EbbtideError(), Bug("oh")])
async def test_a_look_that_fails_is_not_the_last_one(
    place: Place, trouble: Exception, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    await place.village.settle("ada")

    def agents() -> list[str]:
        raise trouble

    with monkeypatch.context() as patched:
        patched.setattr(place.village, "agents", agents)
        place.scheduler.start()
        await place.alarm.quiet()
    assert place.alarm.rest == LONGEST_WAIT
    assert [record.exc_info is not None for record in caplog.records] == [isinstance(trouble, Bug)]
    await place.alarm.look()
    assert place.told() == [("ada", "tick", 0.0)]
    await place.scheduler.stop()


async def test_a_file_that_cannot_be_written_stops_nothing(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    await place.village.settle("ada")
    place.path.mkdir()
    async with place.started():
        await place.alarm.forward(HOUR)
    assert [at for _, _, at in place.told()] == [0.0, HOUR]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}
