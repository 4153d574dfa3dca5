"""Every command as a new user would try it."""

import io
import json
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from ebbtide import __version__
from ebbtide.core.memory import DAY
from ebbtide.serve.cli.main import hoisted, run
from tests.helpers import FakeClock
from tests.serve.shell import PANELS, Shell

METABOLISMS = ("activity", "network", "score", "retention")


# ---- remembering and reading


def test_what_was_put_can_be_read(ebbtide: Shell) -> None:
    assert ebbtide.said("put", "The ferry leaves at 8:40.", "--key", "ferry") == "remembered ferry (active)"
    said = ebbtide.said("get", "ferry")
    assert said.startswith("ferry active ")
    assert said.endswith("The ferry leaves at 8:40.")


def test_a_key_is_made_up_where_none_is_given(ebbtide: Shell) -> None:
    assert ebbtide.said("put", "one") == "remembered m1 (active)"
    assert ebbtide.said("put", "two") == "remembered m2 (active)"


def test_all_that_can_be_said_of_a_memory_is_kept(ebbtide: Shell) -> None:
    words = ("--phrase", "渡轮", "--keyword", "travel", "--keyword", "八点", "--kind", "fact", "--domain", "Lamma")
    ebbtide.said("put", "渡轮八点四十分开。", "--key", "渡轮", *words)
    found = ebbtide.json("get", "渡轮")
    kept = {name: found[name] for name in ("key", "text", "phrase", "keywords", "kind", "domain")}
    assert kept == {
        "key": "渡轮",
        "text": "渡轮八点四十分开。",
        "phrase": "渡轮",
        "keywords": ["travel", "八点"],
        "kind": "fact",
        "domain": "Lamma",
    }
    assert "keywords: travel, 八点" in ebbtide.said("get", "渡轮")
    assert "渡轮八点四十分开。" in ebbtide.said("list")


def test_a_text_that_begins_with_a_dash_goes_after_two_dashes(ebbtide: Shell) -> None:
    ebbtide.said("put", "--key", "cold", "--", "-5 degrees --json")
    assert ebbtide.json("get", "cold")["text"] == "-5 degrees --json"


def test_replacing_a_text_keeps_the_signals(ferry: Shell) -> None:
    ferry.said("get", "ferry")
    ferry.said("put", "It leaves at 9:10 now.", "--key", "ferry", "--replace")
    found = ferry.json("get", "ferry")
    assert found["text"] == "It leaves at 9:10 now."
    assert found["meta"]["access_count"] == 2
    assert found["meta"]["out_degree"] == 1


def test_the_earlier_text_of_a_living_memory_can_be_brought_back(ferry: Shell) -> None:
    ferry.said("put", "It leaves at 9:10 now.", "--key", "ferry", "--replace")
    assert "The ferry leaves at 8:40." in ferry.said("restore", "ferry", "--text")
    assert ferry.json("get", "ferry")["text"] == "The ferry leaves at 8:40."


def test_reading_counts_as_use_and_looking_does_not(ferry: Shell) -> None:
    for look in (["list"], ["explain", "ferry"], ["journal", "ferry"], ["stats"], ["replay"], ["check"], ["trash"]):
        ferry.said(*look)
    assert ferry.json("get", "ferry")["meta"]["access_count"] == 1


# ---- from files and standard input


def test_standard_input_is_read_for_a_dash(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("渡轮\n八点四十\r\n".encode())))
    ebbtide.said("put", "-", "--key", "ferry")
    assert ebbtide.json("get", "ferry")["text"] == "渡轮\n八点四十"


def test_a_file_holds_one_memory_a_line(ebbtide: Shell, tmp_path: Path) -> None:
    lines = [
        '{"text": "The ferry leaves at 8:40.", "key": "ferry", "keywords": ["travel"], "kind": "fact"}',
        "",
        '"a text alone"',
        '{"text": "渡轮\u2028八点\u0085四十", "key": "渡轮"}\r',
    ]
    (tmp_path / "memories.jsonl").write_bytes("\n".join(lines).encode("utf-8-sig"))
    assert ebbtide.said("put", "--from", str(tmp_path / "memories.jsonl")) == "remembered 3 memories"
    texts = {memory["key"]: memory["text"] for memory in ebbtide.json("list")["memories"]}
    assert texts == {
        "ferry": "The ferry leaves at 8:40.",
        "m2": "a text alone",
        "渡轮": "渡轮\u2028八点\u0085四十",
    }


def test_no_key_is_made_up_that_a_later_line_asks_for(ebbtide: Shell, tmp_path: Path) -> None:
    lines = ['"first"', *['"more"'] * 1500, '{"text": "last", "key": "m1"}']
    (tmp_path / "memories.jsonl").write_text("\n".join(lines))
    assert ebbtide.said("put", "--from", str(tmp_path / "memories.jsonl")) == "remembered 1502 memories"
    assert ebbtide.json("get", "m1")["text"] == "last"
    assert ebbtide.json("get", "m1-2")["text"] == "first"


def test_a_file_may_come_from_standard_input(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "one", "key": "a"}\n')))
    assert ebbtide.said("put", "--from", "-") == "remembered 1 memory"


def test_a_bar_shows_the_progress_to_people_at_a_terminal(
    ebbtide: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memories.jsonl").write_text('"one"\n"two"\n')
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    answer = ebbtide("put", "--from", str(tmp_path / "memories.jsonl"))
    assert answer.words == "remembered 2 memories"
    assert "remembering" in answer.err
    assert "100%" in answer.err


# ---- links


def test_links_can_be_made_walked_and_taken_away(ferry: Shell) -> None:
    assert ferry.said("follow", "ferry") == "—leads to 0.80→ lamma Lamma is an island."
    assert ferry.said("follow", "ferry", "--relation", "comes from") == "no links lead on from here"
    assert ferry.json("get", "lamma")["meta"]["traverse_count"] == 1
    assert ferry.said("unlink", "ferry", "lamma", "leads to") == "ferry and lamma are no longer linked by leads to"
    assert ferry.said("follow", "ferry") == "no links lead on from here"


def test_a_link_to_what_was_forgotten_is_a_trace(ferry: Shell) -> None:
    ferry.said("forget", "lamma")
    assert ferry.said("follow", "ferry") == "—leads to 0.80→ lamma once known, now forgotten"
    assert "1 (1 traces)" in ferry.said("stats")
    ferry.said("unlink", "ferry", "lamma", "leads to")
    assert ferry.said("follow", "ferry") == "no links lead on from here"


# ---- lists


def test_lists_are_by_state_kind_and_domain(ebbtide: Shell) -> None:
    ebbtide.said("put", "one", "--key", "a", "--kind", "fact")
    ebbtide.said("put", "two", "--key", "b", "--domain", "Lamma")

    def listed(*words: str) -> list[str]:
        return [memory["key"] for memory in ebbtide.json("list", *words)["memories"]]

    assert listed() == ["a", "b"]
    assert listed("--state", "active") == ["a", "b"]
    assert listed("--state", "cold") == []
    assert listed("--state", "cold", "--state", "active") == ["a", "b"]
    assert listed("--kind", "fact") == ["a"]
    assert listed("--domain", "Lamma") == ["b"]
    assert ebbtide.said("list", "--state", "cold") == "nothing to list"


def test_a_long_list_goes_on_where_it_says(ebbtide: Shell) -> None:
    for number in range(5):
        ebbtide.said("put", f"memory {number}", "--key", f"k{number}")
    assert ebbtide.said("list", "--limit", "2").endswith("more: --after 2")
    assert ebbtide.said("list", "--limit", "2", "--after", "4").endswith("memory 4")
    assert "more" not in ebbtide.said("journal", "--limit", "6")
    assert ebbtide.said("journal", "--limit", "5").endswith("more: --after 5")


def test_what_is_out_of_sight_is_counted_and_shown_when_asked_for(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "retention")
    ebbtide.said("put", "soon gone", "--key", "brief", "--policy", "ephemeral")
    ebbtide.said("put", "here to stay", "--key", "lasting", "--policy", "persistent")
    later = ("--as-of", "+30d")
    said = ebbtide.said("list", *later)
    assert "here to stay" in said
    assert "soon gone" not in said
    assert said.endswith("out of sight: 1 expired (--all or --state shows them)")
    assert "soon gone" in ebbtide.said("list", "--all", *later)
    assert "soon gone" in ebbtide.said("list", "--state", "expired", *later)


def test_score_minds_can_be_listed_by_score(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "score")
    ebbtide.said("put", "fifty at first", "--key", "a")
    assert "score 50" in ebbtide.said("list", "--score", "50-50")
    assert ebbtide.said("list", "--score", "51-100").startswith("nothing to list")


# ---- explaining


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_explain_shows_every_term_and_what_is_to_come(ebbtide: Shell, metabolism: str) -> None:
    ebbtide.said("init", "--metabolism", metabolism)
    ebbtide.said("put", "The ferry leaves at 8:40.", "--key", "ferry")
    ebbtide.said("put", "Lamma", "--key", "lamma")
    ebbtide.said("link", "ferry", "lamma", "--strength", "0.8")
    said, found = ebbtide.said("explain", "ferry"), ebbtide.json("explain", "ferry")
    assert f"{metabolism} at 20" in said
    assert ("scans ahead: " if metabolism == "network" else "30.0 days ahead: ") in said  # networks know no clock
    assert len(found["terms"]) >= 1
    for term in found["terms"]:
        assert term in said
    for coming in found["forecast"]:
        assert f"{coming['event'].replace('_', ' ')}: " in said


def test_explain_looks_ahead_as_far_as_one_likes(ferry: Shell) -> None:
    found = ferry.json("explain", "ferry", "--at", "2300-01-01", "--days", "60")
    assert found["at"] == "2300-01-01T00:00:00Z"
    assert found["curve"][0]["at"] == "2300-01-01T00:00:00Z"
    assert found["curve"][-1]["at"] == "2300-03-02T00:00:00Z"  # 31 + 28 + 1 days on
    assert found["memory"]["state"] == "cold"
    assert "60.0 days ahead" in ferry.said("explain", "ferry", "--days", "60")


# ---- forgetting and undoing it


def test_what_was_forgotten_waits_in_the_trash_and_comes_back(ferry: Shell) -> None:
    assert ferry.said("forget", "ferry", "lamma") == "forgot ferry, lamma; `ebbtide restore KEY` undoes it"
    assert ferry.said("list") == "nothing to list"
    said = ferry.said("trash")
    assert "ferry asked in 30.0 days The ferry leaves at 8:40." in said
    assert ferry.said("restore", "lamma").startswith("lamma is back")
    assert ferry.said("restore", "ferry").startswith("ferry is back")
    assert ferry.said("trash") == "the trash is empty"
    assert ferry.said("follow", "ferry") == "—leads to 0.80→ lamma Lamma is an island."


def test_a_memory_can_come_back_under_another_key(ferry: Shell) -> None:
    ferry.said("forget", "ferry")
    ferry.said("put", "another ferry", "--key", "ferry")
    ferry.said("restore", "ferry", "--as", "old ferry")
    assert ferry.json("get", "old ferry")["text"] == "The ferry leaves at 8:40."
    assert ferry.json("get", "ferry")["text"] == "another ferry"


def test_two_memories_become_one_and_two_again(ferry: Shell) -> None:
    said = ferry.said("merge", "ferry", "lamma")
    assert said == "lamma is now part of ferry: The ferry leaves at 8:40. Lamma is an island."
    ferry.said("restore", "lamma")
    assert ferry.json("get", "ferry")["text"] == "The ferry leaves at 8:40."
    assert ferry.json("get", "lamma")["text"] == "Lamma is an island."
    assert "now part of" in ferry.said("merge", "ferry", "lamma", "--text", "The ferry to Lamma leaves at 8:40.")
    assert ferry.json("get", "ferry")["text"] == "The ferry to Lamma leaves at 8:40."


def test_a_dry_run_lists_what_a_tick_would_write(ebbtide: Shell) -> None:
    ebbtide.said("init", "--metabolism", "score")
    ebbtide.said("put", "fifty at first", "--key", "a")
    # 50 · 0.95³⁰ = 10.73: what is cold at 50 is deprecated at 11
    said = ebbtide.said("tick", "--dry-run", "--at", "+30d")
    assert "a cold 50 deprecated 11" in said
    assert "seen 1, would change 1, conflicts 0, gone for good 0" in said
    assert "seen 1, changed 0, conflicts 0, gone for good 0" in ebbtide.said("tick")


def test_a_tick_writes_down_what_has_become_true(ferry: Shell, clock: FakeClock) -> None:
    clock.forward(200 * DAY)
    assert "lamma active cold" in ferry.said("tick", "--dry-run")
    assert "seen 2, changed 2" in ferry.said("tick")
    assert "seen 2, changed 0" in ferry.said("tick")
    assert "lamma cold" in ferry.said("list", "--all")


def test_a_tick_empties_the_trash_of_what_has_waited_its_time(ferry: Shell, clock: FakeClock) -> None:
    ferry.said("forget", "lamma")
    clock.forward(30 * DAY - 1)
    assert "gone for good 0" in ferry.said("tick")
    assert "lamma asked in 1 seconds" in ferry.said("trash")
    clock.forward(1)
    assert "gone for good 1" in ferry.said("tick", "--dry-run")
    assert "gone for good 1" in ferry.said("tick")
    assert "gone for good 0" in ferry.said("tick")
    assert "is not in the trash" in ferry.refused(3, "restore", "lamma")


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


def test_the_mind_can_be_looked_at_as_it_will_be_if_nothing_happens(ferry: Shell) -> None:
    assert ferry.json("stats", "--as-of", "+1y")["states"] == {"cold": 2}
    assert ferry.json("stats")["states"] == {"active": 2}


def test_looking_at_the_past_leaves_no_trace_there_or_here(ferry: Shell) -> None:
    before = ferry.json("journal")
    ferry.said("get", "ferry", "--as-of", "+1d")
    ferry.said("follow", "ferry", "--as-of", "+1d")
    assert ferry.json("journal") == before


def test_replay_says_what_would_be_remembered_under_another_metabolism(ferry: Shell) -> None:
    said = ferry.said("replay", "--metabolism", "retention", "--as-of", "+10d")
    assert "ferry cold expired lamma active expired" in said
    assert said.endswith("now: activity: 1 active, 1 cold then: retention: 2 expired")
    said = ferry.said("replay", "--set", "theta_active=9")
    assert said.endswith("ferry active cold lamma active cold now: activity: 2 active then: activity: 2 cold")
    assert ferry.said("replay") == "now: activity: 2 active then: activity: 2 active"


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


def test_parameters_are_shown_and_changed(ferry: Shell) -> None:
    assert "trash_days 30.0" in ferry.said("config")
    assert "trash_days 60.0" in ferry.said("config", "trash_days=60", "t_age=10")
    assert ferry.json("config")["params"]["t_age"] == 10.0


def test_a_bad_value_falls_back_to_the_default_with_a_warning_that_names_it(
    ferry: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    found = ferry.json("config", "t_age=-1", "trash_days=60")
    complaint = "parameter t_age = -1 is not above 0; using the default 30.0"
    assert found["fallbacks"] == [complaint]
    assert (found["params"]["t_age"], found["params"]["trash_days"]) == (30.0, 60.0)
    ferry.said("replay", "--set", "t_age=soon")
    ferry.said("init", "-a", "ada", "--set", "a=NaN")
    assert caplog.messages == [
        complaint,
        "replay: parameter t_age = 'soon' is not a finite number; using the default 30.0",
        "mind ada: parameter a = nan is not a finite number; using the default 1.0",
    ]


def test_stats_are_the_mind_in_numbers(ferry: Shell) -> None:
    said = ferry.said("stats")
    for part in ("mind default", "metabolism activity", "active 2", "memories 2", "links 1 (0 traces)"):
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
    assert said.startswith("took over 1 memories and 0 links into the mind 'ada'")
    assert ebbtide.json("get", "ferry", "-a", "ada")["phrase"] == "a ferry"
    ebbtide.said("put", "new since", "-a", "ada")
    assert "1" in ebbtide.refused(4, "adopt", "--roll-back", str(again), "-a", "ada")
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
    assert said.count("as it was") == 4
    assert said.count("the same, bit for bit") == 4
    for metabolism in METABOLISMS:
        assert f"─ {metabolism} ─" in said
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not ebbtide.data.exists()


def test_the_demo_has_an_answer_for_programs_too(ebbtide: Shell) -> None:
    scenes = ebbtide.json("demo")
    assert [scene["metabolism"] for scene in scenes] == list(METABOLISMS)
    assert all(scene["undone"] and scene["same"] and scene["journal_entries"] > 10 for scene in scenes)
    assert ebbtide.said("version") == f"ebbtide {__version__}"  # and silence is over


# ---- options, environment, settings


@pytest.mark.parametrize(
    "words",
    [
        ("--agent", "ada", "put", "x"),
        ("put", "--agent", "ada", "x"),
        ("put", "x", "--agent", "ada"),
        ("put", "x", "--agent=ada"),
        ("put", "x", "-a", "ada"),
        ("put", "x", "-aada"),
        ("-aada", "put", "x"),
    ],
)
def test_global_options_may_stand_anywhere(ebbtide: Shell, words: tuple[str, ...]) -> None:
    ebbtide.said(*words)
    assert ebbtide.json("minds") == ["ada"]


def test_after_two_dashes_nothing_is_an_option() -> None:
    assert hoisted(["put", "--json", "--", "--json", "-a"]) == ["--json", "put", "--", "--json", "-a"]
    assert hoisted(["get", "k", "--as-of", "-3d", "--data=x"]) == ["--as-of", "-3d", "--data=x", "get", "k"]
    assert hoisted(["get", "k", "--data"]) == ["--data"]


def test_the_environment_says_who_and_how(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBTIDE_AGENT", "ada")
    monkeypatch.setenv("EBBTIDE_METABOLISM", "score")
    assert ebbtide.json("put", "x")["meta"]["score"] == 50
    assert ebbtide.json("minds") == ["ada"]
    assert ebbtide.said("put", "x", "--agent", "bob") == "remembered m1 (cold)"
    assert ebbtide.json("minds") == ["ada", "bob"]


def test_the_file_in_the_data_folder_says_how_new_minds_live(ebbtide: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    ebbtide.data.mkdir()
    (ebbtide.data / "ebbtide.toml").write_text(
        'agent = "ada"\nmetabolism = "retention"\n[params]\ndelete_below = 0.1\n'
    )
    ebbtide.said("put", "x", "--importance", "0.9")
    found = ebbtide.json("config")
    assert (found["metabolism"], found["params"]["delete_below"]) == ("retention", 0.1)
    assert ebbtide.json("minds") == ["ada"]
    monkeypatch.setenv("EBBTIDE_AGENT", "bob")
    ebbtide.said("put", "x")
    assert ebbtide.json("minds") == ["ada", "bob"]


def test_without_a_data_folder_minds_live_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["put", "x"]) == 0
    assert (tmp_path / ".ebbtide" / "default" / "mind.db").exists()
    monkeypatch.setenv("EBBTIDE_DATA", str(tmp_path / "elsewhere"))
    assert run(["put", "x", "-a", "ada"]) == 0
    assert (tmp_path / "elsewhere" / "ada" / "mind.db").exists()


# ---- help


@pytest.mark.parametrize("command", PANELS)
def test_every_command_has_help_that_says_what_it_is_for(ebbtide: Shell, command: str) -> None:
    said = ebbtide.said(command, "--help")
    assert said.startswith(f"Usage: ebbtide {command} ")
    assert ebbtide.said(command, "-h") == said
    assert not ebbtide.data.exists()


def test_help_lists_every_command_and_something_to_try(ebbtide: Shell) -> None:
    said = ebbtide.said("--help")
    for command in PANELS:
        assert f"│ {command} " in said
    assert 'Try it: ebbtide put "The ferry to Lamma leaves at 8:40." --key ferry' in said


def test_nothing_typed_shows_the_help(ebbtide: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "Try it:" in capsys.readouterr().out


def test_the_version_is_the_packages(ebbtide: Shell) -> None:
    assert ebbtide.said("version") == f"ebbtide {__version__}"
    assert ebbtide.json("version") == {"version": __version__}


# ---- whatever somebody wrote into a memory

NASTY = "\x1b[31mred\x1b[0m \x1b]0;title\x07 [bold]not bold[/bold] :warning: \u202egnp.exe \\"


def test_no_command_obeys_what_is_written_in_a_memory(ebbtide: Shell) -> None:
    ebbtide.said("put", NASTY, "--key", "a[red]", "--phrase", NASTY, "--keyword", NASTY, "--domain", NASTY)
    ebbtide.said("put", "plain", "--key", "b:smile:\\")
    told = [
        ebbtide.said("link", "b:smile:\\", "a[red]", NASTY),
        ebbtide.said("get", "a[red]"),
        ebbtide.said("list"),
        ebbtide.said("explain", "a[red]"),
        ebbtide.said("follow", "b:smile:\\"),
        ebbtide.said("journal"),
        ebbtide.said("forget", "a[red]"),
        ebbtide.said("trash"),
        ebbtide.said("restore", "a[red]"),
        ebbtide.said("merge", "a[red]", "b:smile:\\"),
    ]
    for said in told:
        assert "\x1b" not in said
        assert "\x07" not in said
        assert "\u202e" not in said
        assert "[bold]not bold[/bold] :warning:" in said or "a[red]" in said
    assert "[bold]not bold[/bold] :warning: �gnp.exe \\" in told[1]
    assert "b:smile:\\ —" in told[0]
    assert json.loads(json.dumps(ebbtide.json("get", "a[red]")))["text"].startswith(NASTY)


def test_the_working_folder_does_not_matter(ebbtide: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    relative = Shell(Path(os.path.relpath(ebbtide.data)), ebbtide.capsys)
    relative.said("put", "x", "--key", "a")
    assert ebbtide.json("get", "a")["text"] == "x"
