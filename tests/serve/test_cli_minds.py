"""Every command as a new user would try it: whole minds, and what happened to them."""

import sqlite3
from pathlib import Path

import pytest

from ebbtide import __version__
from ebbtide.core.memory import DAY
from tests.helpers import METABOLISMS, FakeClock
from tests.serve.shell import Shell

# ---- history


def test_the_journal_tells_everything_in_order(ferry: Shell) -> None:
    ferry.said("get", "ferry")
    ferry.said("forget", "lamma")
    told = [(entry["seq"], entry["kind"]) for entry in ferry.json("journal")]
    assert told == [(1, "configure"), (2, "put"), (3, "put"), (4, "link"), (5, "access"), (6, "forget")]
    assert [entry["kind"] for entry in ferry.json("journal", "lamma")] == ["put", "forget"]
    assert [entry["seq"] for entry in ferry.json("journal", "--after", "3", "--limit", "2")] == [4, 5]
    assert "leads to" in ferry.said("journal")


def test_the_mind_can_be_looked_at_as_it_was(ferry: Shell, clock: FakeClock) -> None:
    clock.forward(10 * DAY)
    ferry.said("forget", "lamma")
    ferry.said("put", "It leaves at 9:10 now.", "--key", "ferry", "--replace")
    clock.forward(10 * DAY)
    assert "The ferry leaves at 8:40." in ferry.said("get", "ferry", "--as-of", "-11d")
    assert "The ferry leaves at 8:40." in ferry.said("get", "ferry", "--as-of", "2025-06-25T15:06:39Z")
    assert "It leaves at 9:10 now." in ferry.said("get", "ferry", "--as-of", "2025-06-25T15:06:40Z")
    assert ferry.json("stats", "--as-of", "-11d")["store"]["memories"] == 2
    assert ferry.json("stats")["store"]["memories"] == 1


def test_the_mind_can_be_looked_at_as_it_will_be_if_nothing_happens(activity_ferry: Shell) -> None:
    assert activity_ferry.json("stats", "--as-of", "+1y")["states"] == {"cold": 2}
    assert activity_ferry.json("stats")["states"] == {"active": 2}


def test_looking_at_the_past_leaves_no_trace_there_or_here(ferry: Shell) -> None:
    before = ferry.json("journal")
    ferry.said("get", "ferry", "--as-of", "+1d")
    ferry.said("follow", "ferry", "--as-of", "+1d")
    assert ferry.json("journal") == before


def test_replay_says_what_would_be_remembered_under_another_metabolism(activity_ferry: Shell) -> None:
    said = activity_ferry.said(
        "replay", "--metabolism", "retention", "--as-of", "+80d"
    )  # cold from day 75.5 and 89.3 on
    assert "ferry cold expired lamma active expired" in said
    assert said.endswith("now: activity: 1 active, 1 cold then: retention: 2 expired")
    said = activity_ferry.said("replay", "--set", "theta_active=9")
    assert said.endswith("ferry active cold lamma active cold now: activity: 2 active then: activity: 2 cold")
    assert activity_ferry.said("replay") == "now: activity: 2 active then: activity: 2 active"


def test_check_finds_journal_and_mind_the_same(ferry: Shell) -> None:
    assert ferry.said("check") == "journal and mind are the same"


def test_check_finds_what_somebody_changed_behind_the_journals_back(ferry: Shell) -> None:
    with sqlite3.connect(ferry.data / "default" / "mind.db") as connection:
        connection.execute("UPDATE memories SET text = 'It never leaves.' WHERE key = 'ferry'")
    connection.close()
    answer = ferry("check")
    assert (answer.code, answer.err) == (1, "")
    assert answer.words == "journal and mind differ in: memory 'ferry'"
    assert ferry("check", "--json").json == {"same": False, "differences": ["memory 'ferry'"]}


def test_compacting_folds_the_journal_and_changes_nothing_else(ferry: Shell, clock: FakeClock) -> None:
    clock.forward(1)
    assert ferry.said("compact", "--older-than", "0s") == "folded 0 entries into the base"  # the trash may need them
    clock.forward(31 * 86400)
    assert ferry.said("compact") == "folded 0 entries into the base"
    assert ferry.said("compact", "--older-than", "0s") == "folded 4 entries into the base"
    assert ferry.json("stats")["store"]["journal_entries"] == 0
    assert ferry.said("check") == "journal and mind are the same"
    assert ferry.said("follow", "ferry") == "—leads to 0.80→ lamma Lamma is an island."


# ---- minds


def test_minds_are_made_listed_and_kept_apart(ebbtide: Shell) -> None:
    assert ebbtide.said("minds") == f"no minds yet in {ebbtide.data}"
    assert ebbtide.said("init", "--agent", "ada", "--metabolism", "score") == "the mind 'ada' lives by score"
    ebbtide.said("put", "for Bob alone", "--key", "secret", "-a", "bob")
    assert ebbtide.said("minds") == "ada bob"
    assert ebbtide.json("minds") == ["ada", "bob"]
    assert ebbtide.said("list", "-a", "ada") == "nothing to list"
    assert ebbtide.json("get", "secret", "-a", "bob")["text"] == "for Bob alone"


def test_a_new_mind_lives_by_the_parameters_it_was_given(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "network", "--set", "decay_rate=0.9", "--set", "basis=current")
    params = ebbtide.json("config")["params"]
    assert (params["decay_rate"], params["basis"], params["focus_limit"]) == (0.9, "current", 5)


def test_parameters_are_shown_and_changed(activity_ferry: Shell) -> None:
    assert "trash_days 30.0" in activity_ferry.said("config")
    assert "trash_days 60.0" in activity_ferry.said("config", "trash_days=60", "t_age=10")
    assert activity_ferry.json("config")["params"]["t_age"] == 10.0


def test_a_bad_value_falls_back_to_the_default_with_a_warning_that_names_it(
    activity_ferry: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    found = activity_ferry.json("config", "t_age=-1", "trash_days=60")
    complaint = "parameter t_age = -1 is not above 0; using the default 30.0"
    assert found["fallbacks"] == [complaint]
    assert (found["params"]["t_age"], found["params"]["trash_days"]) == (30.0, 60.0)
    activity_ferry.said("replay", "--set", "t_age=soon")
    activity_ferry.said("init", "-a", "ada", "--metabolism", "activity", "--set", "a=NaN")
    assert caplog.messages == [
        complaint,
        "replay: parameter t_age = 'soon' is not a finite number; using the default 30.0",
        "mind ada: parameter a = nan is not a finite number; using the default 1.0",
    ]


def test_stats_are_the_mind_in_numbers(ferry: Shell) -> None:
    said = ferry.said("stats")
    for part in ("mind default", "metabolism tide", "active 2", "memories 2", "links 1 (0 traces)"):
        assert part in said
    assert ferry.json("stats")["store"]["memories"] == 2


def test_an_older_file_is_taken_over_and_given_back(ebbtide: Shell, tmp_path: Path) -> None:
    old, again = tmp_path / "old.db", tmp_path / "again.db"
    with sqlite3.connect(old) as connection:
        connection.execute("CREATE TABLE memories (key, summary, text, meta, links, created_at)")
        row = ("ferry", "a ferry", "The ferry leaves at 8:40.", '{"score": 80}', "[]", 1_750_000_000.0)
        connection.execute("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?)", row)
    connection.close()
    said = ebbtide.said("adopt", str(old), "-a", "ada")
    assert said.startswith("took over 1 memory and 0 links into the mind 'ada'")
    assert ebbtide.json("adopt", str(old), "-a", "bob")["memories"] == 1
    assert ebbtide.json("get", "ferry", "-a", "ada")["phrase"] == "a ferry"
    ebbtide.said("put", "new since", "-a", "ada")
    assert "--keep-new" in ebbtide.refused(4, "adopt", "--roll-back", str(again), "-a", "ada")
    assert "it was taken over already" in ebbtide.refused(
        5, "adopt", str(ebbtide.data / "ada" / "mind.db"), "-a", "cyd"
    )
    assert "is still here" in ebbtide.said("adopt", "--roll-back", str(again), "--drop-new", "-a", "ada")
    with sqlite3.connect(again) as connection:
        assert connection.execute("SELECT key, text FROM memories").fetchall() == [(row[0], row[2])]
    connection.close()


def test_the_demo_undoes_its_forgetting_and_replays_each_life_bit_for_bit(
    ebbtide: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    said = ebbtide.said("demo")
    assert said.count("as it was") == 5
    assert said.count("the same, bit for bit") == 5
    for metabolism in METABOLISMS:
        assert f"─ {metabolism} ─" in said
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not ebbtide.data.exists()


def test_the_demo_has_an_answer_for_programs_too(ebbtide: Shell) -> None:
    scenes = ebbtide.json("demo")
    others = [metabolism for metabolism in METABOLISMS if metabolism != "tide"]
    assert [scene["metabolism"] for scene in scenes] == ["tide", *others]
    assert all(scene["undone"] and scene["same"] and scene["journal_entries"] > 10 for scene in scenes)
    assert ebbtide.said("version") == f"ebbtide {__version__}"  # and silence is over


def test_a_mind_with_defaults_of_an_earlier_version_is_told_how_to_have_todays(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "activity", "--set", "theta_active=0.5", "--set", "theta_delete=-0.5")
    command = "ebbtide config theta_active=-0.2 theta_delete=-1"
    told = f"theta_active, theta_delete are defaults of an earlier version; `{command}` sets those of today"
    assert told in ebbtide.said("stats")
    assert told in ebbtide.said("config")
    assert ebbtide.json("stats")["outdated"] == {"theta_active": -0.2, "theta_delete": -1.0}
    ebbtide.said(*command.split()[1:])
    assert "earlier version" not in ebbtide.said("stats")
    assert ebbtide.json("stats")["outdated"] == {}
