"""Every command as a new user would try it: remembering, reading, forgetting."""

import io
import os
import sys
from pathlib import Path

import pytest

from ebbtide.core.memory import DAY
from tests.helpers import METABOLISMS, FakeClock
from tests.serve.shell import Shell

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
    ebbtide.said("put", "渡轮八点四十分开。", "--key", "渡轮", *words, "--speaker", "小林")
    found = ebbtide.json("get", "渡轮")
    kept = {name: found[name] for name in ("key", "text", "phrase", "keywords", "kind", "domain", "speaker")}
    assert kept == {
        "key": "渡轮",
        "text": "渡轮八点四十分开。",
        "phrase": "渡轮",
        "keywords": ["travel", "八点"],
        "kind": "fact",
        "domain": "Lamma",
        "speaker": "小林",
    }
    assert "said by: 小林" in ebbtide.said("get", "渡轮")
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
    assert ebbtide.said("put", "--from", str(tmp_path / "memories.jsonl")) == "remembered 1,502 memories"
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
    assert "1 (1 trace)" in ferry.said("stats")
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
    assert listed("--state", "fading") == []
    assert listed("--state", "fading", "--state", "active") == ["a", "b"]
    assert listed("--kind", "fact") == ["a"]
    assert listed("--domain", "Lamma") == ["b"]
    assert ebbtide.said("list", "--state", "fading") == "nothing to list"


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
    assert "out of sight: 1 expired `ebbtide list --state expired` shows what has expired" in said
    assert ebbtide.json("list", "--all", *later)["left_out"] == {}
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


def test_explain_looks_ahead_as_far_as_one_likes(activity_ferry: Shell) -> None:
    found = activity_ferry.json("explain", "ferry", "--at", "2300-01-01", "--days", "60")
    assert found["at"] == "2300-01-01T00:00:00Z"
    assert found["curve"][0]["at"] == "2300-01-01T00:00:00Z"
    assert found["curve"][-1]["at"] == "2300-03-02T00:00:00Z"  # 31 + 28 + 1 days on
    assert found["memory"]["state"] == "cold"
    assert "60.0 days ahead" in activity_ferry.said("explain", "ferry", "--days", "60")


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


def test_a_tick_writes_down_what_has_become_true(activity_ferry: Shell, clock: FakeClock) -> None:
    clock.forward(200 * DAY)
    assert "lamma active cold" in activity_ferry.said("tick", "--dry-run")
    assert "seen 2, changed 2" in activity_ferry.said("tick")
    assert "seen 2, changed 0" in activity_ferry.said("tick")
    assert "lamma cold" in activity_ferry.said("list", "--all")


def test_a_tick_empties_the_trash_of_what_has_waited_its_time(ferry: Shell, clock: FakeClock) -> None:
    ferry.said("forget", "lamma")
    clock.forward(30 * DAY - 1)
    assert "gone for good 0" in ferry.said("tick")
    assert "lamma asked in 1 second" in ferry.said("trash")
    clock.forward(1)
    assert "gone for good 1" in ferry.said("tick", "--dry-run")
    assert "gone for good 1" in ferry.said("tick")
    assert "gone for good 0" in ferry.said("tick")
    assert "is not in the trash" in ferry.refused(3, "restore", "lamma")


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
    assert ebbtide.json("get", "a[red]")["text"].startswith(NASTY)


def test_the_working_folder_does_not_matter(ebbtide: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    relative = Shell(Path(os.path.relpath(ebbtide.data)), ebbtide.capsys)
    relative.said("put", "x", "--key", "a")
    assert ebbtide.json("get", "a")["text"] == "x"
