"""The curves of a tuning: which lines there are, and what they go through."""

from ebbtide.core.candidates import EVERYTHING, LRU, VITALITY, Candidate
from ebbtide.core.tuning import Budget, Kept, Outcome, Step, Tuning
from ebbtide.serve.page import tuning_chart


def outcome(number: int, name: str, metabolism: str, kept: tuple[int, int], rule: str = VITALITY) -> Outcome:
    results = tuple(Kept(each, 10 - each, 0, 0, 0, (each, 0), ()) for each in kept)
    return Outcome(number, Candidate(name, metabolism, {}, rule), results)


FOUND = Tuning(
    metabolism="score",
    memories=40,
    uses=10,
    steps=(Step(0.0, 10), Step(86400.0, 0)),
    budgets=(Budget(4, 0.1), Budget(20, 0.5)),
    main=0,
    outcomes=(
        outcome(1, "current", "score", (4, 8)),
        outcome(2, "default", "tide", (5, 9)),
        outcome(3, "lasting", "tide", (6, 9)),
        outcome(4, "everything", "", (10, 10), EVERYTHING),
        outcome(5, "LRU", "", (3, 7), LRU),
    ),
    best=3,
    clear=False,
    enough=False,
    decided=0,
    seconds=0.0,
)


def test_each_metabolism_has_the_line_of_its_best_set() -> None:
    assert [one.number for one in tuning_chart.shown(FOUND)] == [1, 3, 5]


def test_the_curve_goes_from_room_for_all_down_to_the_least() -> None:
    lines = tuning_chart.shown(FOUND)
    drawn = tuning_chart.by_room(FOUND, lines, ["now", "tide", "LRU"])
    assert drawn["xAxis"]["data"] == ["100%", "50%", "10%"]
    assert [(each["name"], each["data"]) for each in drawn["series"]] == [
        ("now", [100.0, 80.0, 40.0]),
        ("tide", [100.0, 90.0, 60.0]),
        ("LRU", [100.0, 70.0, 30.0]),
    ]
    assert [each["lineStyle"]["type"] for each in drawn["series"]] == ["solid", "solid", "dashed"]


def test_over_time_a_step_without_uses_is_a_gap() -> None:
    drawn = tuning_chart.by_time(FOUND, FOUND.outcomes[:1], ["now"])
    assert drawn["xAxis"]["data"] == ["1970-01-01", "1970-01-02"]
    assert drawn["series"][0]["data"] == [40.0, None]
