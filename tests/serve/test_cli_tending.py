"""What time does, on the command line: ticks of all minds, suggestions, the reaper and its ways back, forecasts."""

from pathlib import Path

import pytest

from ebbtide.core.memory import DAY, HOUR
from tests.helpers import FakeClock
from tests.serve.shell import Shell, everything_in, is_moment


@pytest.fixture
def fading(ebbtide: Shell, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A retention mind of which one is to be deleted, one to be pruned and one to be kept, when its time has come."""
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    ebbtide.said("init", "--metabolism", "retention", "--set", "reap_pause=100")
    for key, importance in (("trifle", "0.1"), ("middling", "0.5"), ("weighty", "0.9")):
        ebbtide.said("put", f"Something {key} " * 10, "--key", key, "--phrase", key, "--importance", importance)
    clock.forward(DAY)
    assert "deleted 0, pruned 0" in ebbtide.said("reap")  # the first run, which deletes nothing anyway
    clock.forward(9 * DAY)
    return ebbtide


@pytest.fixture
def untidy(ebbtide: Shell, clock: FakeClock) -> Shell:
    """An activity mind with two memories that say nearly the same, both long out of use."""
    ebbtide.said("init", "--metabolism", "activity")
    for key, text in (
        ("ferry", "The ferry to Lamma leaves Central pier 4 at 8:40 in the morning."),
        ("boat", "The ferry to Lamma leaves Central pier 4 at 8:40 every morning."),
    ):
        ebbtide.said("put", text, "--key", key)
    clock.forward(40 * DAY)
    return ebbtide


# ---- tick


def test_a_tick_of_all_minds_is_one_line_each(activity_ferry: Shell) -> None:
    activity_ferry.said("--agent", "ada", "init", "--metabolism", "score")
    said = activity_ferry("tick", "--all").out
    assert [line.split(", conflicts")[0] for line in said.splitlines()] == [
        "ada: seen 0, changed 0",
        "default: seen 2, changed 0",
    ]
    found = activity_ferry.json("tick", "--all", "--dry-run", "--at", "+1y")
    assert [(one["agent"], one["changed"], len(one["shifts"])) for one in found] == [("ada", 0, 0), ("default", 2, 2)]


def test_where_a_tick_fails_the_other_minds_go_on(ferry: Shell) -> None:
    (ferry.data / "ada").mkdir()
    (ferry.data / "ada" / "mind.db").write_bytes(b"not a database at all, by any means" * 200)
    answer = ferry("tick", "--all")
    first, second = answer.out.splitlines()
    assert (answer.code, answer.err) == (1, "")
    assert first.startswith("ada: failed: ")
    assert second.startswith("default: seen 2")
    answer = ferry("tick", "--all", "--json")
    assert [sorted(one)[:2] for one in answer.json] == [["agent", "error"], ["agent", "at"]]


def test_without_minds_there_is_nothing_to_tick(ebbtide: Shell) -> None:
    assert "no minds yet" in ebbtide.said("tick", "--all")
    assert ebbtide.json("tick", "--all") == []


def test_a_tick_tells_who_was_newly_found_alike(untidy: Shell) -> None:
    assert "newly found alike 1" in untidy.said("tick", "--dry-run")
    said = untidy.said("tick")
    assert "newly found alike 1" in said
    assert "`ebbtide suggestions` shows what may be merged" in said
    assert "alike" not in untidy.said("tick")


# ---- suggestions


def test_a_merge_is_suggested_accepted_and_undone(untidy: Shell) -> None:
    assert untidy.said("suggestions").startswith("nothing to tidy up; what says nearly the same is found by")
    untidy.said("tick")
    (one,) = untidy.json("suggestions", "--kind", "merge")
    assert (one["kind"], sorted(one["keys"])) == ("merge", ["boat", "ferry"])
    stays, goes = one["keys"]
    said = untidy.said("suggestions")
    assert f"`ebbtide suggestions accept merge {stays} {goes}` does it" in said
    assert "overlap 0.9" in said
    said = untidy.said("suggestions", "accept", "merge", goes, stays, "--text", "The ferry leaves at 8:40.")
    assert said == f"{goes} is now part of {stays}; `ebbtide restore {goes}` undoes it"
    assert untidy.json("suggestions", "--kind", "merge") == []
    untidy.said("restore", goes)
    assert {m["key"] for m in untidy.json("list", "--all")["memories"]} == {"ferry", "boat"}


def test_a_deletion_is_suggested_and_dismissed_or_accepted(untidy: Shell, clock: FakeClock) -> None:
    clock.forward(220 * DAY)
    assert [one["keys"] for one in untidy.json("suggestions", "--kind", "delete")] == [["ferry"], ["boat"]]
    said = untidy.said("suggestions", "dismiss", "delete", "boat")
    assert said == "not to delete boat: until its facts change"
    assert [one["keys"] for one in untidy.json("suggestions", "--kind", "delete")] == [["ferry"]]
    found = untidy.json("suggestions", "accept", "delete", "ferry")
    assert found == {"accepted": "delete", "keys": ["ferry"], "gone": "ferry"}
    assert "ferry is back" in untidy.said("restore", "ferry")


def test_other_minds_make_no_suggestions_and_say_so(fading: Shell) -> None:
    said = fading.said("suggestions")
    assert said == "only activity minds make suggestions; this one lives by retention and tidies up itself"
    assert fading.json("suggestions") == []


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (("suggestions", "--kind", "rename"), 2, "'rename' is no kind of suggestion"),
        (("suggestions", "--kind", "merge", "accept", "merge", "a", "b"), 2, "--kind is for the list"),
        (("suggestions", "accept", "rename", "ferry"), 2, "'rename' is no kind of suggestion"),
        (("suggestions", "accept", "merge", "ferry"), 2, "delete with one key, or merge with two"),
        (("suggestions", "accept", "delete", "ferry"), 3, "to delete 'ferry' is not suggested"),
        (("suggestions", "accept", "delete", "nobody"), 3, "There is no memory 'nobody'"),
        (("suggestions", "accept", "delete", "ferry", "--text", "x"), 2, "--text is what a merged memory says"),
        (
            ("suggestions", "dismiss", "merge", "ferry", "lamma"),
            3,
            "is not suggested: `suggestions` lists what there is",
        ),
        (("suggestions", "dismiss", "delete"), 2, "Missing argument"),
        (("suggestions", "do"), 2, "No such command 'do'"),
        (("tick", "--all", "--agent", "ada"), 2, "--all and --agent do not go together"),
        (("tick", "--all", "--as-of", "now"), 2, "--as-of only looks"),
        (("reap",), 2, "only a retention mind has a reaper"),
        (("reap", "--dry-run"), 2, "only a retention mind has a reaper"),
        (("reap", "--dry-run", "undo", "x"), 2, "do not go with `reap undo`"),
        (("reap", "undo", "x"), 2, "only a retention mind has a reaper"),
        (("reap", "recover", "ferry"), 2, "no archive"),
        (("forecast", "--days", "0"), 2, "looks ahead, not 0 days"),
        (("forecast", "--days", "many"), 2, "--days"),
        (("forecast", "--scans", "5"), 2, "only a network mind fades by scans"),
        (("forecast", "--set", "theta"), 2, "'theta' is not NAME=VALUE"),
        (("forecast", "--set", "fading_shore=1"), 2, "did you mean 'fading_share'?"),
        (("forecast", "--metabolism", "sleep"), 2, "'sleep' is not a metabolism"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(ferry: Shell, words: tuple[str, ...], code: int, problem: str) -> None:
    assert problem in ferry.refused(code, *words)


# ---- the reaper


def test_a_dry_run_lists_exactly_what_would_go_and_why(fading: Shell) -> None:
    before = everything_in(fading.data)
    report = fading.json("reap", "--dry-run")
    assert [(one["key"], one["action"], one["importance"]) for one in report["harvest"]] == [
        ("trifle", "delete", 0.1),
        ("middling", "prune", 0.5),
    ]
    assert (report["run"], report["kept"]) == ("", 1)
    said = fading.said("reap", "--dry-run")
    assert "trifle delete 0.10 R 0.0000, T_delete 0.05: " in said
    assert "seen 3, expired 3: would have deleted 1, pruned 1, evidence 0, kept 1, conflicts 0" in said
    assert everything_in(fading.data) == before


def test_a_run_says_how_to_take_it_back_and_that_works(fading: Shell) -> None:
    said = fading.said("reap")
    assert "seen 3, expired 3: deleted 1, pruned 1, evidence 0, kept 1" in said
    run = said.partition(" run ")[2].partition(";")[0]
    assert f"`ebbtide reap undo {run}` takes it back" in said
    assert "what comes back is still expired: `ebbtide touch --revive KEY` keeps it" in said
    (kept,) = fading.json("reap", "runs")
    assert (kept["run"], kept["in_trash"], kept["archived"]) == (run, 1, 0)
    assert is_moment(kept["at"])
    assert run in fading.said("reap", "runs")
    said = fading.said("reap", "undo", run)
    assert said.startswith("back from the trash: trifle whole again: middling what comes back is still expired")
    assert "nothing left of a run" in fading.refused(3, "reap", "undo", run)
    assert fading.said("touch", "--revive", "trifle") == "touched trifle"
    assert fading.said("reap", "runs") == "no run of the reaper that could be taken back"


def test_what_is_gone_for_good_comes_back_from_the_archive(
    fading: Shell, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EBBTIDE_ARCHIVE", str(tmp_path / "archive"))
    report = fading.json("reap")
    assert (report["deleted"], report["pruned"], report["archived"]) == (1, 1, 2)
    assert "cannot come from the archive" in fading.refused(3, "reap", "recover", "nobody")
    clock.forward(31 * DAY)
    assert "gone for good 1" in fading.said("tick")
    (kept,) = fading.json("reap", "runs")
    assert (kept["run"], kept["in_trash"], kept["archived"]) == (report["run"], 0, 2)
    said = fading.said("reap", "recover", "trifle")
    assert said.startswith("trifle is back expired Something trifle")
    assert "touch --revive" in said


def test_the_first_run_after_a_pause_says_what_the_next_one_will_delete(fading: Shell) -> None:
    fading.said("config", "reap_pause=7")
    said = fading.said("reap", "--dry-run")
    assert "would have deleted 0, pruned 1, evidence 0, kept 1, left to the next run 1" in said
    assert "key by the next run importance why" in said
    assert "trifle delete 0.10" in said
    report = fading.json("reap", "--dry-run")
    assert [one["key"] for one in report["deferrals"]] == ["trifle"]
    said = fading.said("reap")
    assert "the first run after a pause deletes nothing: the next one will delete 1" in said
    assert "deleted 1, pruned 0" in fading.said("reap")


def test_the_reaper_of_all_minds_leaves_those_alone_that_have_none(fading: Shell) -> None:
    fading.said("--agent", "ada", "init", "--metabolism", "score")
    (line,) = fading("reap", "--all").out.splitlines()
    assert line.startswith("default: seen 3, expired 3: deleted 1, pruned 1")
    assert "; `ebbtide --agent default reap undo reap-" in line
    (report,) = fading.json("reap", "--all", "--dry-run")
    assert (report["agent"], report["deleted"]) == ("default", 0)


# ---- forecast


def test_a_forecast_tells_what_will_become_of_whom_when_and_why(activity_ferry: Shell) -> None:
    # 0.8 · ln 2 − 0.01 · t < −0.2 from day 75.5 on, and of lamma, which has a link in, ln 2 − 0.01 · t from day 89.3
    found = activity_ferry.json("forecast", "--days", "90")
    assert [(fate["key"], fate["event"]) for fate in found["fates"]] == [("ferry", "cold"), ("lamma", "cold")]
    assert (found["counts"], found["days"]) == ({"cold": 2}, 90.0)
    assert all(is_moment(fate["at"]) for fate in found["fates"])
    said = activity_ferry.said("forecast", "--days", "90", "--limit", "1")
    assert "ferry cold in " in said
    assert said.endswith("… and 1 more (--limit lists them) within 90.0 days: 2 cold")
    assert activity_ferry.said("forecast", "--days", "1") == "within 1.0 days: nothing changes"


def test_a_timeline_counts_states_week_by_week(activity_ferry: Shell) -> None:
    found = activity_ferry.json("timeline", "--back", "1", "--ahead", "20")
    assert [point["states"] for point in found["points"]][:1] == [{"active": 2}]
    # ferry turns cold on day 75.5 and lamma on day 89.3: in the eleventh week and in the thirteenth
    assert [point["states"].get("cold", 0) for point in found["points"]] == [0] * 11 + [1] * 2 + [2] * 8
    said = activity_ferry.said("timeline", "--back", "0", "--ahead", "13")
    assert said.startswith("week to memories active cold")
    assert "now 2 2 0" in said
    assert "--ahead" in activity_ferry.refused(2, "timeline", "--ahead", "-1")


def test_a_what_if_stands_beside_what_is_to_come(activity_ferry: Shell) -> None:
    before = everything_in(activity_ferry.data)
    what_if = ("forecast", "--days", "5", "--set", "theta_active=1.4")
    said = activity_ferry.said(*what_if)
    assert said.startswith("now (activity, 5.0 days) what if (activity, 5.0 days)")
    assert "─ cold 0 2 " in said
    found = activity_ferry.json(*what_if)
    assert (found["now"]["counts"], found["then"]["counts"]) == ({}, {"cold": 2})
    assert everything_in(activity_ferry.data) == before


def test_a_what_if_may_compare_days_with_scans(ferry: Shell) -> None:
    found = ferry.json("forecast", "--metabolism", "network", "--days", "90", "--scans", "500")
    assert (found["now"]["days"], found["now"]["scans"]) == (90.0, None)
    assert (found["then"]["days"], found["then"]["scans"]) == (None, 500)
    # 0.8 · 0.97^n · 25 characters < 5: n > ln(4) / −ln(0.97) = 45.5
    assert "after 46 more scans" in ferry.said("forecast", "--metabolism", "network", "--scans", "500")


def test_a_retention_mind_foretells_expiry_and_the_reaper(fading: Shell, clock: FakeClock) -> None:
    clock.forward(-10 * DAY + HOUR)
    counts = fading.json("forecast", "--days", "60")["counts"]
    assert counts == {"expired": 3, "pruned": 1, "deleted": 2}


# ---- the budget


def test_a_budget_is_kept_and_its_runs_can_be_listed_and_taken_back(ebbtide: Shell, clock: FakeClock) -> None:
    ebbtide.said("init", "--metabolism", "score", "--set", "budget_memories=3")
    for day in range(4):
        clock.forward(DAY)
        ebbtide.said(
            "put", f"On day {day} the ferry left Central pier 4 at 8:40 with Lin on board.", "--key", f"d{day}"
        )
    assert "3 of 3 memories" in ebbtide.said("stats")
    listed = ebbtide.said("squeeze", "--dry-run")
    assert "d1" in listed
    assert "3 of 3 memories; would halve 1" in listed
    (run,) = ebbtide.json("squeeze", "runs")
    assert (run["in_trash"], is_moment(run["at"])) == (1, True)
    halved = ebbtide.said("squeeze")
    assert "halved 1" in halved
    name = halved.split("`ebbtide squeeze undo ")[1].split("`")[0]
    assert ebbtide.said("squeeze", "undo", name) == "whole again: d1"
    said = ebbtide.said("squeeze", "undo", run["run"])
    assert "back from the trash: d0" in said
    assert "1 memory left in their place" in said
    assert "there is nothing left of a run 'budget-0'" in ebbtide.refused(3, "squeeze", "undo", "budget-0")


def test_a_file_with_more_than_the_budget_holds_is_told_of(ebbtide: Shell, tmp_path: Path) -> None:
    ebbtide.said("init", "--set", "budget_memories=2")
    (tmp_path / "some.jsonl").write_text("".join(f'"memory {i}"\n' for i in range(5)), "utf-8")
    assert ebbtide("put", "--from", str(tmp_path / "some.jsonl")).out.splitlines() == [
        "remembered 5 memories",
        "the budget is full: 3 memories left for the trash; `ebbtide squeeze runs` lists them",
    ]
