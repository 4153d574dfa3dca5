"""Tuning on the command line: the table, what it comes to, and applying a row only when asked."""

import pytest

from ebbtide.core.memory import DAY
from tests.helpers import FakeClock
from tests.serve.shell import Shell


@pytest.fixture
def lived_in(ebbtide: Shell, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A score mind with four memories, one of which is used every fourth day."""
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "160")
    ebbtide.said("init", "--metabolism", "score")
    for key in ("ferry", "tide", "pier", "gull"):
        ebbtide.said("put", f"All there is to say of the {key}.", "--key", key)
    return ebbtide


def used(shell: Shell, clock: FakeClock, times: int, key: str = "ferry") -> None:
    for _ in range(times):
        clock.forward(4 * DAY)
        shell.said("touch", key)


def test_too_few_uses_are_said_to_be_too_few_above_the_table_of_what_they_say(
    lived_in: Shell, clock: FakeClock
) -> None:
    used(lived_in, clock, 3)
    said = lived_in("tune").words
    assert "3 uses of memories older than a day, 4 memories ever made" in said
    assert "1* score/current" in said
    assert "LRU" in said
    assert "too few to judge by, 20 at least" in said


def test_a_mind_that_was_never_used_has_a_table_without_percentages(lived_in: Shell) -> None:
    said = lived_in("tune").words
    assert "0 uses of memories older than a day" in said
    assert "score/current – – – 0" in said


def test_what_would_have_been_lost_is_named_with_its_text(lived_in: Shell, clock: FakeClock) -> None:
    # All four are born at one moment: with room for one, the oldest of equals leave until the last put is left.
    used(lived_in, clock, 25)
    said = lived_in("tune", "--budget", "1", "--metabolism", "score").words
    assert "ferry 25 20" in said
    assert "All there is to say of the ferry." in said
    assert "no row keeps more than the mind does by its own parameters" in said
    assert "keeps as much as the best row" in said
    assert said.count("would have lost") == 1
    everything = lived_in("tune", "--budget", "1", "--metabolism", "score", "--lost").words
    assert everything.count("would have lost") == 4  # all rows but that of everything


def test_the_command_that_applies_the_best_row_is_told_with_the_options_the_rows_depend_on(
    lived_in: Shell, clock: FakeClock
) -> None:
    """A use lifts a score by nothing here, so the oldest leaves; and 25 uses in a row are more than chance."""
    lived_in.said("config", "usage_gain=0")
    lived_in.said("forget", "tide", "pier", "gull")
    clock.forward(DAY / 2)
    for key in ("young", "younger", "youngest"):
        lived_in.said("put", f"All there is to say of the {key}.", "--key", key)
    used(lived_in, clock, 25)
    lived_in.said("put", "All there is to say of the last one.", "--key", "last")
    used(lived_in, clock, 25)
    asked = ("--agent", "default", "tune", "--metabolism", "score", "--set", "usage_gain=5")
    said = lived_in(*asked, "--budget", "4").words
    assert "row 2 (score/given) keeps 25 uses more than now (25 gained, 0 missed)" in said
    assert "`ebbtide --agent default tune --metabolism score --set usage_gain=5 --apply 2` sets its parameters" in said
    applied = lived_in(*asked, "--apply", "2")
    assert "usage_gain 0.0 5" in applied.words
    assert "back: ebbtide --agent default config usage_gain=0.0" in applied.words


def test_in_json_it_is_the_value_itself(lived_in: Shell, clock: FakeClock) -> None:
    used(lived_in, clock, 2)
    found = lived_in.json("tune", "--budget", "50%", "--set", "usage_gain=3")
    assert (found["uses"], found["budgets"]) == (2, [{"memories": 2, "share": 0.5}])
    assert found["outcomes"][1]["candidate"] == {
        "name": "given", "metabolism": "score", "params": {"usage_gain": 3}, "rule": "vitality",
    }  # fmt: skip


def test_a_row_is_applied_when_asked_and_the_way_back_is_told(lived_in: Shell) -> None:
    said = lived_in("tune", "--apply", "2").words
    assert "daily_factor 0.95 0.99" in said
    assert "the mind lives by score/slow from now on" in said
    assert "back: ebbtide config daily_factor=0.95 structure_gain=0.04" in said
    assert lived_in.json("config")["params"]["daily_factor"] == 0.99
    again = lived_in.json("tune", "--apply", "2")  # now the defaults are the second row
    assert (again["name"], again["params"]["daily_factor"], again["before"]["daily_factor"]) == ("default", 0.95, 0.99)


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("--apply", "1"), 2, "row 1 is how the mind lives now: there is nothing to apply"),
        (("--apply", "99"), 2, "there is no row 99: they go from 1 to 15"),
        (("--apply", "0"), 2, "there is no row 0: they go from 1 to 15"),
        (("--apply", "15"), 2, "row 15 (random) is a reference to compare with: no mind can live by it"),
        (("--apply", "2", "--budget", "5"), 2, "--apply replays nothing: leave out --budget and --lost"),
        (("--budget", "most"), 2, "'most' is no budget: give a share such as 25%, or a number of memories"),
        (("--metabolism", "tied"), 2, "'tied' is not a metabolism: did you mean 'tide'?"),
        (("--set", "usage_gian=1"), 2, "'usage_gian' is not a parameter of score: did you mean 'usage_gain'?"),
        (("--set", "usage_gain=-1"), 2, "parameter usage_gain = -1 is below 0"),
    ],
)
def test_what_cannot_be_is_one_line(lived_in: Shell, words: tuple[str, ...], code: int, complaint: str) -> None:
    answer = lived_in("tune", *words)
    assert (answer.code, answer.complaint) == (code, complaint)
    assert lived_in.json("config")["params"]["daily_factor"] == 0.95


def test_another_metabolism_is_not_applied_and_the_way_there_is_told(lived_in: Shell) -> None:
    answer = lived_in("tune", "--metabolism", "tide", "--apply", "3")
    assert answer.code == 4
    assert answer.complaint == (
        "row 3 is another metabolism, and a mind keeps its own: `ebbtide --agent NEW init --metabolism tide "
        "--set regime_most=0.0` makes a new mind; put the memories there, where their signals start anew"
    )


def test_nothing_is_applied_in_the_past(lived_in: Shell, clock: FakeClock) -> None:
    clock.forward(DAY)
    answer = lived_in("--as-of", "-1h", "tune", "--apply", "2")
    assert answer.code == 4
    assert "nothing can be written to it" in answer.complaint
    assert "0 uses" in lived_in("--as-of", "-1h", "tune").words
