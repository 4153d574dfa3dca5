"""The arithmetic of tuning: which candidates there are, which budgets, and who leaves."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core import tuning
from ebbtide.core.candidates import LRU, RANDOM, SETS, VITAL, Candidate, candidates, regime_of
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.parameters import parameters_of, regime
from ebbtide.core.signals import Signals, SignalTable
from ebbtide.core.tuning import Budget


def params_of(metabolism: str, **given: Any) -> dict[str, Any]:
    return regime(metabolism, given)[0].params()


def names(found: list[Candidate]) -> list[str]:
    return [f"{one.metabolism}/{one.name}".removeprefix("/") for one in found]


# ---- candidates


def test_the_mind_as_it_is_comes_first_and_references_last() -> None:
    found = candidates("tide", params_of("tide"))
    assert names(found) == [
        "tide/current", "tide/lasting", "tide/new", "tide/use",
        "activity/default", "activity/slow", "activity/use", "network/default", "score/default", "score/slow",
        "retention/default", "retention/slow", "everything", "LRU", "random",
    ]  # fmt: skip


def test_a_set_that_the_mind_already_lives_by_is_not_listed_again() -> None:
    assert "score/default" not in names(candidates("score", params_of("score")))
    found = candidates("score", params_of("score", daily_factor=0.99, structure_gain=0.01), ["score"])
    assert names(found)[:-3] == ["score/current", "score/default"]
    assert found[1].params == {"daily_factor": 0.95, "structure_gain": 0.04}


def test_a_set_leaves_parameters_alone_that_decide_nothing_about_who_leaves() -> None:
    mind = params_of("score", usage_gain=3.0, active_from=60.0, tick_every=2.0)
    default = candidates("score", mind)[1]
    assert (default.name, default.params) == ("default", {"usage_gain": 10.0})
    assert regime_of(default, "score", mind).params() == mind | {"usage_gain": 10.0}


def test_parameters_of_all_minds_go_along_into_another_metabolism() -> None:
    mind = params_of("score", touch_spacing=4.0)
    tide = next(one for one in candidates("score", mind) if one.metabolism == "tide")
    assert regime_of(tide, "score", mind).common.touch_spacing == 4.0


def test_parameters_given_are_the_second_candidate() -> None:
    own = candidates("score", params_of("score"), given={"usage_gain": 2.0})[1]
    assert own == Candidate("given", "score", {"usage_gain": 2.0})
    other = candidates("score", params_of("score"), ["tide"], {"long_use": 2.0})
    assert names(other)[:3] == ["score/current", "tide/given", "tide/default"]


@pytest.mark.parametrize(
    ("only", "given", "said"),
    [
        (["tied"], None, "'tied' is not a metabolism: did you mean 'tide'?"),
        ([], {"usage_gian": 1.0}, "'usage_gian' is not a parameter of score: did you mean 'usage_gain'?"),
        ([], {"usage_gain": -1.0}, "parameter usage_gain = -1.0 is below 0"),
        (["tide", "score"], {"usage_gain": 1.0}, "parameters belong to one metabolism: name only that one"),
    ],
)
def test_what_cannot_be_a_candidate_is_refused(only: list[str], given: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("?", r"\?")):
        candidates("score", params_of("score"), only, given)


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_metabolism_has_sets_of_parameters_it_knows(metabolism: str) -> None:
    known = {f.name for f in parameters_of(metabolism)}
    assert set(VITAL[metabolism]) <= known
    for changed in SETS[metabolism].values():
        assert set(changed) <= set(VITAL[metabolism])
        assert regime(metabolism, changed)[1] == []


def test_only_the_scans_of_a_network_mind_tell_sets_of_network_apart() -> None:
    assert "network/slow" in names(candidates("network", params_of("network")))
    assert "network/slow" not in names(candidates("activity", params_of("activity")))


# ---- budgets


def test_a_budget_is_a_share_of_all_memories_or_a_number() -> None:
    assert tuning.budgets(["25%", "7", 300], 0, 200) == ([Budget(50, 0.25), Budget(7, 0.035), Budget(300, 1.0)], 0)
    assert tuning.budgets(["0.4%"], 0, 200) == ([Budget(1, 0.005)], 0)  # 0.8 of a memory is one


@pytest.mark.parametrize("said", ["", "0", "-5%", "much", "nan%", "101%", "2.5", True, "1e999"])
def test_what_is_no_budget_is_refused(said: Any) -> None:
    with pytest.raises(InvalidInput):
        tuning.budgets([said], 0, 200)


def test_the_minds_own_budget_is_tested_where_it_matters() -> None:
    usual = [Budget(100, 0.5), Budget(50, 0.25), Budget(20, 0.1)]
    assert tuning.budgets([], 0, 200) == (usual, 1)
    assert tuning.budgets([], 200, 200) == (usual, 1)
    assert tuning.budgets([], 150, 200) == ([Budget(150, 0.75)], 0)


def test_of_a_long_journal_one_budget_is_enough() -> None:
    assert tuning.budgets([], 0, 200, tuning.LONG) == tuning.budgets([], 0, 200)
    assert tuning.budgets([], 0, 200, tuning.LONG + 1) == ([Budget(50, 0.25)], 0)


# ---- who leaves


def rows(count: int, **columns: Any) -> Signals:
    metabolism = METABOLISMS[columns.pop("metabolism", "activity")]()
    table = SignalTable(metabolism.own)
    for memory in range(1, count + 1):
        plain = dict.fromkeys(table.columns, 0) | metabolism.born(0.0, {}) | {"id": memory}
        table.append(plain | {name: values[memory - 1] for name, values in columns.items()})
    return table.view()


def left(s: Signals, budget: int, new: int = 0, metabolism: str = "activity") -> list[int]:
    found: list[int] = tuning.leaving(METABOLISMS[metabolism](), LRU, s, budget, 99.0, new).tolist()
    return found


def test_the_least_worth_leave_and_of_equals_the_oldest() -> None:
    s = rows(5, last_accessed_at=[3.0, 1.0, 1.0, 0.5, 2.0], created_at=[0.0, 0.2, 0.1, 0.0, 0.0])
    assert left(s, 3) == [4, 3]
    assert left(s, 5) == []


def test_what_was_just_put_is_pinned_or_protected_stays() -> None:
    used = [1.0, 2.0, 3.0, 4.0]
    assert left(rows(4, last_accessed_at=used), 3, new=1) == [2]
    assert left(rows(4, last_accessed_at=used, pinned=[1, 0, 0, 0]), 2) == [2, 3]
    held = rows(4, metabolism="retention", last_accessed_at=used, protected=[0, 2, 0, 0])
    assert left(held, 2, metabolism="retention") == [1, 3]
    assert left(rows(4, last_accessed_at=used, pinned=[1, 1, 1, 0]), 1, new=4) == []


def test_a_large_budget_makes_room_for_one_percent_at_a_time() -> None:
    # 301 in a mind of 300: one is over, and 3 more make the slack
    assert left(rows(301, last_accessed_at=[float(n) for n in range(301)]), 300) == [1, 2, 3, 4]


def test_references_go_by_last_use_and_by_chance_and_a_regime_by_its_vitality() -> None:
    # Nine uses are worth 1.2 · ln 10 = 2.76 more than none; four seconds of recency next to nothing.
    s = rows(3, last_accessed_at=[5.0, 1.0, 9.0], access_count=[0, 9, 0])
    activity = METABOLISMS["activity"]()
    assert left(s, 2) == [2]
    assert tuning.leaving(activity, "vitality", s, 2, 99.0, 0).tolist() == [1]
    # The ids times 2,654,435,761, modulo 2³²: 2654435761, 1013904226 and 3668339987.
    assert tuning.leaving(activity, RANDOM, s, 2, 99.0, 0).tolist() == [2]


# ---- what came of it


def test_steps_have_a_usual_length() -> None:
    starts, place = tuning.steps(np.array([0.0, 1.0, 11.9]) * DAY)  # less than 12 days: days
    assert (len(starts), place.tolist()) == (12, [0, 1, 11])
    starts, place = tuning.steps(np.array([3.0, 15.5]) * DAY)  # 12.5 days: weeks
    assert (starts, place.tolist()) == ([3 * DAY, 10 * DAY], [0, 1])
    assert tuning.steps(np.array([]))[0] == []


@given(st.lists(st.floats(0, 1e10), min_size=1, max_size=20))
def test_there_are_at_most_a_dozen_steps(at: list[float]) -> None:
    starts, place = tuning.steps(np.array(at))
    assert 1 <= len(starts) <= 12
    assert sum(tuning.per_step(place, np.ones(len(at), np.bool_), len(starts))) == len(at)


def test_the_most_lost_are_named_first() -> None:
    memory, kept = np.array([7, 3, 7, 5, 3, 9]), np.array([False, False, False, False, True, True])
    assert tuning.most_lost(memory, kept) == [(7, 2), (3, 1), (5, 1)]


def test_a_gain_is_clear_beyond_three_deviations() -> None:
    assert not tuning.is_clear(9, 0)  # 9 = 3 · √9
    assert tuning.is_clear(10, 0)
    assert not tuning.is_clear(30, 12)  # 18 < 3 · √42 = 19.4
