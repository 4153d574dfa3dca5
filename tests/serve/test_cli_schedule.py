"""When minds are ticked and reaped: looking at it, doing it now, and keeping it running."""

import json
import os
import re
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from ebbtide.core.memory import HOUR
from tests.helpers import FakeClock
from tests.serve.shell import Shell, everything_in, is_moment, launch, process

posix = pytest.mark.skipif(os.name != "posix", reason="speaks of signals")


@pytest.fixture
def minds(ferry: Shell) -> Shell:
    ferry.said("--agent", "lin", "init", "--metabolism", "retention")
    return ferry


def test_who_was_never_visited_is_due_now(minds: Shell) -> None:
    before = everything_in(minds.data)
    said = minds.said("schedule")
    assert said.startswith("mind job due every last run")
    assert said.endswith("default everything now ? never lin everything now ? never")
    assert minds.json("schedule", "--agent", "lin") == [
        {"agent": "lin", "job": None, "due_at": None, "interval": None, "runs": 0, "failures": 0, "last": None}
    ]
    assert everything_in(minds.data) == before


def test_each_mind_has_its_own_jobs_and_rhythm(minds: Shell, clock: FakeClock) -> None:
    said = minds.said("schedule", "trigger")
    for run in ("default tick: seen 2, changed 0", "lin tick: seen 0", "lin reap: seen 0"):
        assert run in said
    clock.forward(HOUR / 2)
    said = minds.said("schedule")
    assert "default tick in 5.5 hours (" in said
    assert "lin tick in 30.0 minutes (" in said
    assert "lin reap in 23.5 hours (" in said
    assert "1.0 days 30.0 minutes ago: seen 0, changed 0, conflicts 0" in said
    found = minds.json("schedule")
    assert [(one["agent"], one["job"], one["interval"] / HOUR, one["runs"]) for one in found] == [
        ("default", "tick", 6.0, 1),
        ("default", "squeeze", 6.0, 1),
        ("lin", "tick", 1.0, 1),
        ("lin", "reap", 24.0, 1),
    ]
    assert all(is_moment(one["due_at"]) and is_moment(one["last"]["at"]) for one in found)


def test_one_job_of_one_mind_can_be_done_now(minds: Shell) -> None:
    (run,) = minds.json("schedule", "trigger", "--agent", "lin", "--job", "reap")
    assert (run["agent"], run["job"], run["finished"], run["figures"]["error"]) == ("lin", "reap", True, None)
    assert minds.said("schedule", "trigger", "--job", "reap", "--agent", "default") == "nothing to do"


def test_where_a_job_fails_the_others_go_on_and_the_exit_code_says_so(minds: Shell) -> None:
    (minds.data / "ada").mkdir()
    (minds.data / "ada" / "mind.db").write_bytes(b"not a database at all, by any means" * 200)
    answer = minds("schedule", "trigger", "--job", "tick")
    assert answer.code == 1
    assert "ada tick: failed: " in answer.words
    assert "lin tick: seen 0" in answer.words
    assert "Traceback" not in answer.err
    assert "failed: " in minds.said("schedule", "--agent", "ada")


def test_without_minds_nothing_is_due(ebbtide: Shell) -> None:
    assert "no minds yet" in ebbtide.said("schedule")
    assert ebbtide.json("schedule") == []
    assert not ebbtide.data.exists()


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (("schedule", "--agent", "nobody"), 3, "There is no mind 'nobody'"),
        (("schedule", "trigger", "--agent", "nobody"), 3, "There is no mind 'nobody'"),
        (("schedule", "trigger", "--job", "nap"), 2, "there is no job 'nap': there are tick, reap, squeeze"),
        (("schedule", "--as-of", "-1d"), 2, "--as-of only looks"),
        (("schedule", "run", "--agent", "lin"), 2, "--agent does not go with `schedule run`"),
        (("schedule", "stop"), 2, "No such command 'stop'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(minds: Shell, words: tuple[str, ...], code: int, problem: str) -> None:
    assert problem in minds.refused(code, *words)


# ---- as a process


@pytest.mark.slow
@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_runs_until_it_is_told_to_stop_and_others_work_beside_it(ebbtide: Shell, number: signal.Signals) -> None:
    ebbtide.said("put", "The ferry leaves at 8:40.", "--key", "ferry")
    with launch(ebbtide.data, "schedule", "run") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "looking after 1 mind; Ctrl-C stops it\n"
        assert running.stdout.readline().startswith("default tick: seen 1, changed 0")
        assert running.stdout.readline().startswith("default squeeze: seen 1, changed 0")
        assert process(ebbtide.data, "get", "ferry").code == 0
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (0, "stopped; what was not finished is still due\n", "")
    assert ebbtide.json("schedule")[0]["runs"] == 1


@pytest.mark.slow
@posix
def test_programs_read_one_run_a_line(ebbtide: Shell) -> None:
    ebbtide.said("put", "x")
    with launch(ebbtide.data, "schedule", "run", "--json") as running:
        assert running.stdout is not None
        found, other = (json.loads(running.stdout.readline()) for _ in range(2))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (found["agent"], found["job"], found["seen"], is_moment(found["at"])) == ("default", "tick", 1, True)
    assert other["job"] == "squeeze"
    assert (running.returncode, out, err) == (0, "", "")


@pytest.mark.slow
@posix
def test_embedding_that_is_interrupted_goes_on_where_it_was(ebbtide: Shell, tmp_path: Path) -> None:
    many = 1500
    drafts = tmp_path / "many.jsonl"
    long = "and it goes on for a while, so that nobody has embedded all of them before somebody says stop. " * 3
    drafts.write_text("\n".join(json.dumps(f"memory number {number} of many, {long}") for number in range(many)))
    ebbtide.said("put", "--from", str(drafts))
    with launch(ebbtide.data, "reembed") as running:
        wait_for_vectors(running, ebbtide.data)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    told = re.fullmatch(
        r"ebbtide: interrupted( after (\d+) of 1500 memories)?; `ebbtide reembed` goes on from there\n", err
    )
    assert told, err
    done = int(told[2] or 0)  # vectors reach the disk before they are reported
    found = ebbtide.json("reembed")
    assert (found["memories"], found["unembedded"]) == (many, 0)
    assert 0 < found["embedded"] <= many - done


def wait_for_vectors(running: "subprocess.Popen[str]", data: Path) -> None:
    """Until the first vectors are on disk."""
    while running.poll() is None:
        with closing(sqlite3.connect(data / "default" / "mind.db", timeout=10)) as connection:
            if connection.execute("SELECT 1 FROM index_rows WHERE vector IS NOT NULL LIMIT 1").fetchone():
                return
    raise AssertionError("it was done before it could be interrupted")
