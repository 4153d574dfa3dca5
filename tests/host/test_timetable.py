"""When jobs are due: the rhythm, what a restart or a wrong clock does to it, and the file that keeps it."""

import json
import logging
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.memory import DAY, HOUR
from ebbtide.host.timetable import RETRY, SHORTEST, Due, Figures, Timetable, slot_after
from tests.builders import BIRTH

QUARTER = 900.0


def a_timetable(path: Path, interval: float | None = HOUR, now: float = BIRTH) -> Timetable:
    """Ada's tick, due for the first time now."""
    table = Timetable(path)
    table.set_interval("ada", "tick", interval, now)
    return table


def tick_of(table: Timetable, agent: str = "ada") -> Due:
    return table.minds()[agent]["tick"]


def run(table: Timetable, now: float, error: str | None = None) -> float:
    table.record("ada", "tick", Figures(now, error=error), now)
    due = tick_of(table).due
    assert due is not None
    return due


# ---- the rhythm


@pytest.mark.parametrize(
    ("due", "now", "slot"),
    [
        (100.0, 100.0, 110.0),  # just in time: the next one
        (100.0, 100.1, 110.0),
        (100.0, 137.0, 140.0),  # 110, 120 and 130 were missed
        (100.0, 140.0, 150.0),  # a slot that is now is not after now
        (100.0, 95.0, 100.0),  # early, by hand: it stays
        (100.0, 90.0, 100.0),
        (100.0, 89.0, 90.0),  # the clock was put back: 100 would be 11 s away
        (100.0, 12.0, 20.0),
    ],
)
def test_the_next_slot_is_of_the_same_rhythm_and_within_an_interval(due: float, now: float, slot: float) -> None:
    assert slot_after(due, 10.0, now) == slot


@given(due=st.floats(0.0, 4e9), interval=st.floats(SHORTEST, 366 * DAY), now=st.floats(0.0, 4e9))
def test_a_slot_is_always_ahead_and_never_farther_than_an_interval(due: float, interval: float, now: float) -> None:
    slot = slot_after(due, interval, now)
    assert now < slot <= now + interval + 1e-5  # at four billion a float has steps of 5e-7
    turns = (slot - due) / interval
    assert turns == pytest.approx(round(turns), abs=1e-5)


def test_a_mind_nobody_has_heard_of_is_due_now_and_longest(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json")
    assert table.due("bob", ["tick", "reap"], BIRTH - DAY) == ["tick", "reap"]
    assert table.waiting_since("bob", ["tick"]) < table.waiting_since("ada", ["tick"]) == BIRTH
    assert table.next_due({"tick"}) == BIRTH


def test_runs_missed_in_a_month_are_made_up_by_one(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json")
    assert run(table, BIRTH + 5.0) == BIRTH + HOUR
    late = BIRTH + 30 * DAY + 1234.0
    assert table.due("ada", ["tick"], late) == ["tick"]
    assert run(table, late) == BIRTH + 30 * DAY + HOUR  # 1234 s is within the first hour of that day
    assert table.due("ada", ["tick"], late) == []
    assert tick_of(table).runs == 2


def test_being_a_little_late_each_time_never_adds_up(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json", QUARTER)
    due = BIRTH
    for _ in range(1000):
        due = run(table, due + 7.7)
    assert due == BIRTH + 1000 * QUARTER


def test_a_shorter_interval_counts_from_when_the_last_run_was_due(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json", 6 * HOUR)
    run(table, BIRTH)
    assert table.set_interval("ada", "tick", 2 * HOUR, BIRTH + HOUR)
    assert tick_of(table).due == BIRTH + 2 * HOUR
    table.set_interval("ada", "tick", QUARTER, BIRTH + HOUR)  # that would have been three quarters of an hour ago
    assert table.due("ada", ["tick"], BIRTH + HOUR) == ["tick"]
    assert run(table, BIRTH + HOUR + 1.0) == BIRTH + HOUR + QUARTER


def test_a_longer_interval_counts_from_then_too(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json", QUARTER)
    run(table, BIRTH)
    table.set_interval("ada", "tick", DAY, BIRTH + 60.0)
    assert tick_of(table).due == BIRTH + DAY


def test_the_same_interval_again_is_no_news(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json", 0.1 * HOUR)
    run(table, BIRTH + 0.7)
    before = tick_of(table)
    assert not table.set_interval("ada", "tick", 0.1 * HOUR, BIRTH + 1.0)
    assert tick_of(table) == before


def test_no_interval_is_too_short_to_live_with(tmp_path: Path) -> None:
    assert tick_of(a_timetable(tmp_path / "s.json", 0.0)).interval == SHORTEST


def test_a_job_a_mind_does_not_have_is_never_due(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json", None)
    assert table.due("ada", ["tick"], BIRTH + 1000 * DAY) == []
    assert table.wanted("ada", ["tick", "reap"]) == ["reap"]
    assert table.next_due({"tick"}) == float("inf")
    table.set_interval("ada", "tick", HOUR, BIRTH + DAY)  # it has it after all
    assert table.due("ada", ["tick"], BIRTH + DAY) == ["tick"]


def test_a_mind_that_never_opened_is_tried_again_after_a_while(tmp_path: Path) -> None:
    table = Timetable(tmp_path / "s.json")
    assert run(table, BIRTH, error="busy") == BIRTH + RETRY
    assert table.set_interval("ada", "tick", 60.0, BIRTH + 1.0)
    assert tick_of(table) == Due(BIRTH + 61.0, 60.0, 1, 1, Figures(BIRTH, error="busy"))


def test_a_clock_put_back_by_years_delays_nothing_by_more_than_an_interval(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json")
    run(table, BIRTH)
    table.keep_pace(BIRTH - 1000 * DAY + 60.0)
    assert tick_of(table).due == BIRTH - 1000 * DAY + HOUR


def test_minds_that_have_gone_are_dropped(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "s.json")
    table.set_interval("bob", "tick", HOUR, BIRTH)
    table.keep_only(["bob", "eve"])
    assert list(table.minds()) == ["bob"]


steps = st.one_of(
    st.tuples(st.just("wait"), st.integers(0, 90 * 86_400)),
    st.tuples(st.just("back"), st.integers(1, 400 * 86_400)),
    st.tuples(st.sampled_from(("pass", "trigger", "restart", "crash")), st.just(0)),
)


@given(interval=st.integers(1, 2 * 86_400), story=st.lists(steps, max_size=30))
def test_whatever_happens_the_rhythm_stays_and_after_a_run_the_next_is_ahead(
    interval: int, story: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "rhythm.json"
    table, now = a_timetable(path, interval), BIRTH
    table.save()
    for step, seconds in story:
        match step:
            case "wait" | "back":
                now += seconds if step == "wait" else -seconds
            case "restart":
                table.save()
                table = Timetable.load(path)
            case "crash":  # what was not saved is forgotten, not the rhythm
                table = Timetable.load(path)
            case "pass" | "trigger":
                table.keep_pace(now)
                if step == "trigger" or table.due("ada", ["tick"], now):
                    assert now < run(table, now) <= now + interval
        due = tick_of(table).due
        assert due is not None
        assert (due - BIRTH) % interval == 0


# ---- the file


def test_a_run_that_leaves_something_to_the_next_one_is_followed_by_it_a_whole_interval_later(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "_schedule.json")
    late = BIRTH + 10.75 * HOUR  # the rhythm would have the next run a quarter of an hour later
    table.record("ada", "tick", Figures(late), late)
    assert table.minds()["ada"]["tick"].due == BIRTH + 11 * HOUR
    table.record("ada", "tick", Figures(late, deferred=1), late)
    assert table.minds()["ada"]["tick"].due == late + HOUR
    table.keep_pace(late)
    assert table.minds()["ada"]["tick"].due == late + HOUR


def test_the_file_says_all_there_is_to_know(tmp_path: Path) -> None:
    path = tmp_path / "_schedule.json"
    table = a_timetable(path)
    table.record("ada", "tick", Figures(BIRTH, 0.5, 10, 3, 6, 1, 2), BIRTH)
    table.set_interval("ada", "reap", None, BIRTH)
    table.save()
    assert json.loads(path.read_text()) == {
        "format": 1,
        "minds": {
            "ada": {
                "tick": {
                    "due": BIRTH + HOUR,
                    "interval": HOUR,
                    "runs": 1,
                    "failures": 0,
                    "last": {
                        "at": BIRTH, "seconds": 0.5, "seen": 10, "changed": 3, "skipped": 6, "conflicts": 1,
                        "discarded": 2, "deferred": 0, "error": None,
                    },
                },
                "reap": {"due": None, "interval": None, "runs": 0, "failures": 0, "last": None},
            }
        },
    }  # fmt: skip
    assert path.read_text().count("\n") > 20  # for people too
    assert Timetable.load(path).minds() == table.minds()


def test_what_is_in_the_file_already_is_not_written_again(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "_schedule.json")
    table.save()
    assert table.unsaved() is None
    assert Timetable.load(table.path).unsaved() is None


def test_the_first_start_finds_no_file_and_is_not_alarmed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert Timetable.load(tmp_path / "nowhere" / "_schedule.json").minds() == {}
    assert caplog.messages == []


GOOD = b'{"format": 1, "minds": {"ada": {"tick": {"due": 1.0, "interval": 900.0}}}}'


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\0" * 100,
        GOOD[:-7],
        GOOD.replace(b"1.0", b'"soon"'),
        GOOD.replace(b"1.0", b"1e999"),
        GOOD.replace(b"900.0", b"-900.0"),
        GOOD.replace(b"900.0", b"0"),
        GOOD.replace(b'"format": 1', b'"format": 2'),
        GOOD.replace(b"ada", b"\xff\xfe"),
        b"[" * 100_000,
        b'{"later": ' + b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_kept_aside_and_everything_is_due(
    damaged: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "_schedule.json"
    path.write_bytes(damaged)
    table = Timetable.load(path)
    assert table.due("ada", ["tick"], 0.0) == ["tick"]
    assert [(record.levelno, record.exc_info) for record in caplog.records] == [(logging.WARNING, None)]
    assert "kept as _schedule.json.damaged" in caplog.text
    assert (tmp_path / "_schedule.json.damaged").read_bytes() == damaged
    run(table, BIRTH)
    table.save()
    assert Timetable.load(path).minds() == table.minds()


def test_fields_of_a_later_version_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "_schedule.json"
    path.write_bytes(GOOD.replace(b'"due"', b'"mood": "good", "due"'))
    assert tick_of(Timetable.load(path)) == Due(1.0, 900.0)


def test_where_no_file_can_be_the_schedule_lives_in_ram(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "_schedule.json"
    path.mkdir()
    table = Timetable.load(path)
    run(table, BIRTH)
    table.save()
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert path.is_dir()
    path.rmdir()
    table.save()  # what could not be written is not forgotten
    assert Timetable.load(path).minds() == table.minds()


def test_who_dies_while_writing_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    table = a_timetable(tmp_path / "_schedule.json")
    table.save()
    (tmp_path / "_schedule.json.new").write_bytes(b'{"format": 1, "minds": {"ad')
    again = Timetable.load(table.path)
    assert again.minds() == table.minds()
    run(again, BIRTH)
    again.save()
    assert Timetable.load(table.path).minds() == again.minds()
    assert [entry.name for entry in tmp_path.iterdir()] == ["_schedule.json"]


WRITER = """
import itertools, sys
from pathlib import Path
from ebbtide.host.timetable import Figures, Timetable

table = Timetable.load(Path(sys.argv[1]))
for number in itertools.count():
    for agent in range(300):
        table.set_interval(f"a{agent}", "tick", 900.0, 0.0)
        table.record(f"a{agent}", "tick", Figures(float(number)), float(number))
    table.save()
    if number == 0:
        print("saved", flush=True)
"""


@pytest.mark.slow
def test_kill_it_at_any_moment_and_the_file_is_whole(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "_schedule.json"
    for turn in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "saved\n"
            time.sleep(0.013 * turn)  # it is in the middle of something else each time
            writer.send_signal(signal.SIGKILL)
        assert len(Timetable.load(path).minds()) == 300
    assert caplog.messages == []
