"""Parameters: a bad value falls back and says so, a bad name is an error (C9)."""

import math
from typing import Any

import pytest

from ebbtide.core.errors import InvalidInput
from ebbtide.core.metabolism import METABOLISMS, Activity, Network, Score, traits_of
from ebbtide.core.parameters import Common, Fallback, Regime, known_metabolism, parameters_of, regime


def refused(metabolism: str, **given: Any) -> list[Fallback]:
    """The fallbacks; whatever fell back must stand at its default."""
    made, fallbacks = regime(metabolism, given)
    for fallback in fallbacks:
        assert made.params()[fallback.name] == fallback.default
    return fallbacks


# ---- values


def test_good_values_are_taken_as_they_are() -> None:
    made, fallbacks = regime("activity", {"a": 2.0, "theta_active": 1.0, "trash_days": 7.0})
    assert made == Regime(Activity(a=2.0, theta_active=1.0), Common(trash_days=7.0))
    assert fallbacks == []


def test_numbers_get_the_type_of_their_parameter() -> None:
    made, fallbacks = regime("network", {"focus_limit": 7.0, "decay_rate": 1, "basis": "current"})
    assert (repr(made.params()["focus_limit"]), repr(made.params()["decay_rate"])) == ("7", "1.0")
    assert (made.params()["basis"], fallbacks) == ("current", [])


@pytest.mark.parametrize(
    ("metabolism", "name", "value", "default", "reason"),
    [
        ("activity", "t_access", 0.0, 24.0, "is not above 0"),
        ("activity", "g", -0.1, 0.3, "is below 0"),
        ("activity", "theta_active", math.nan, -0.2, "is not a finite number"),
        ("activity", "theta_delete", -math.inf, -1.0, "is not a finite number"),
        ("activity", "a", "1.0", 1.0, "is not a finite number"),
        ("activity", "a", None, 1.0, "is not a finite number"),
        ("activity", "a", True, 1.0, "is not a finite number"),
        ("activity", "a", [1.0], 1.0, "is not a finite number"),
        ("activity", "a", 10**400, 1.0, "is not a finite number"),
        ("score", "initial", 100.1, 50.0, "is above 100"),
        ("score", "daily_factor", 1.01, 0.95, "is above 1"),
        ("score", "decay", 1, True, "is not true or false"),
        ("retention", "delete_below", 0, 0.05, "is not above 0"),
        ("retention", "initial_strength", 366.0, 1.0, "is above 365"),
        ("retention", "trash_days", -1, 30.0, "is below 0"),
        ("network", "decay_rate", 1.2, 0.97, "is above 1"),
        ("network", "focus_limit", 2.5, 5, "is not a whole number"),
        ("network", "focus_limit", 0, 5, "is below 1"),
        ("network", "basis", "originl", "original", "is not one of original, current"),
        ("network", "traces", 3, "keep", "is not one of keep, sweep"),
    ],
)
def test_a_bad_value_falls_back_to_the_default_and_is_named(
    metabolism: str, name: str, value: Any, default: Any, reason: str
) -> None:
    assert refused(metabolism, **{name: value}) == [Fallback(name, value, default, reason)]


def test_the_warning_names_the_parameter_its_value_the_reason_and_what_is_used_instead() -> None:
    [fallback] = refused("network", decay_rate=1.2)
    assert str(fallback) == "parameter decay_rate = 1.2 is above 1; using the default 0.97"


@pytest.mark.parametrize(
    ("metabolism", "name", "border"),
    [
        ("score", "daily_factor", 0.0),
        ("score", "daily_factor", 1.0),
        ("score", "initial", 100.0),
        ("network", "decay_rate", 1.0),
        ("network", "focus_limit", 1),
        ("network", "link_break_threshold", 0.0),
        ("retention", "delete_below", 1.0),
        ("activity", "delete_idle", 0.0),
        ("activity", "trash_days", 0.0),
    ],
)
def test_a_value_on_the_border_of_its_range_is_good(metabolism: str, name: str, border: float) -> None:
    made, fallbacks = regime(metabolism, {name: border})
    assert (made.params()[name], fallbacks) == (border, [])


def test_one_bad_value_does_not_spoil_the_good_ones() -> None:
    made, fallbacks = regime("network", {"decay_rate": 2.0, "focus_limit": 9})
    assert (made.metabolism, [f.name for f in fallbacks]) == (Network(focus_limit=9), ["decay_rate"])


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_parameter_refuses_nonsense_by_its_name(metabolism: str) -> None:
    for parameter in parameters_of(metabolism):
        nonsense = object()
        [fallback] = refused(metabolism, **{parameter.name: nonsense})
        assert (fallback.name, fallback.value, fallback.default) == (
            parameter.name, nonsense, parameter.default
        )  # fmt: skip


# ---- thresholds in order


def test_crossed_thresholds_fall_back_together_and_both_are_named() -> None:
    assert refused("activity", theta_delete=0.9, theta_active=0.1) == [
        Fallback("theta_delete", 0.9, -1.0, "is not below theta_active"),
        Fallback("theta_active", 0.1, -0.2, "is not above theta_delete"),
    ]
    assert refused("score", cold_from=80, active_from=20) == [
        Fallback("cold_from", 80, 30.0, "is not below active_from"),
        Fallback("active_from", 20, 70.0, "is not above cold_from"),
    ]


def test_equal_thresholds_leave_no_room_and_are_crossed() -> None:
    assert [f.name for f in refused("score", cold_from=50.0, active_from=50.0)] == [
        "cold_from",
        "active_from",
    ]


def test_a_threshold_can_cross_a_default_and_then_it_alone_is_named() -> None:
    # θ_active stands at −0.2
    assert refused("activity", theta_delete=0.5) == [Fallback("theta_delete", 0.5, -1.0, "is not below theta_active")]


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
def test_a_threshold_at_its_default_has_not_fallen_back_when_the_other_crosses_it(metabolism: str) -> None:
    low, high = traits_of(metabolism).ordered or ("", "")
    defaults = regime(metabolism, {})[0].params()
    given = {low: defaults[low], high: defaults[low]}
    assert refused(metabolism, **given) == [
        Fallback(high, defaults[low], defaults[high], f"is not above {low}"),
    ]


def test_thresholds_in_order_are_taken_even_if_one_alone_would_cross_a_default() -> None:
    made, fallbacks = regime("score", {"cold_from": 75.0, "active_from": 90.0})
    assert (made.metabolism, fallbacks) == (Score(cold_from=75.0, active_from=90.0), [])


def test_a_threshold_that_is_no_number_is_told_so_even_if_the_other_crosses_its_default() -> None:
    assert refused("activity", theta_active="high", theta_delete=0.9) == [
        Fallback("theta_delete", 0.9, -1.0, "is not below theta_active"),
        Fallback("theta_active", "high", -0.2, "is not a finite number"),
    ]


# ---- names


@pytest.mark.parametrize(
    ("metabolism", "name", "message"),
    [
        ("network", "decay_rat", "'decay_rat' is not a parameter of network: did you mean 'decay_rate'?"),
        (
            "activity",
            "theta_activ",
            "'theta_activ' is not a parameter of activity: did you mean 'theta_active'?",
        ),
        ("score", "trash_day", "'trash_day' is not a parameter of score: did you mean 'trash_days'?"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_suggestion(metabolism: str, name: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        regime(metabolism, {name: 0.9})
    assert str(error.value) == message


def test_a_name_like_no_other_is_answered_with_those_there_are() -> None:
    with pytest.raises(InvalidInput) as error:
        regime("score", {"zzz": 1})
    assert str(error.value) == (
        "'zzz' is not a parameter of score: there are active_from, budget_characters, budget_memories, candidates, "
        "cold_from, count_hits, credit_threshold, daily_factor, decay, distil, initial, journal_entries, match_floor, "
        "max_retries, rank_answer, rank_bonus, rank_coverage, rank_first_person, rank_joint_words, rank_last_sentence, "
        "rank_neighbour, rank_question, rank_recency, rank_sentence, rank_speaker, rank_superseded, rank_time, "
        "rank_two_after, rank_two_before, rank_user, rank_when, "
        "spread, structure_gain, structure_scale, tick_every, touch_spacing, trash_days, "
        "usage_gain, usage_spacing"
    )


def test_a_parameter_of_another_metabolism_is_unknown_here() -> None:
    with pytest.raises(InvalidInput, match="'decay_rate' is not a parameter of retention"):
        regime("retention", {"decay_rate": 0.9})


def test_an_unknown_metabolism_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(InvalidInput) as error:
        regime("retension", {})
    assert str(error.value) == "'retension' is not a metabolism: did you mean 'retention'?"


def test_a_metabolism_like_no_other_is_answered_with_those_there_are() -> None:
    with pytest.raises(InvalidInput) as error:
        known_metabolism("x")
    assert str(error.value) == "'x' is not a metabolism: there are activity, network, retention, score, tide"


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_the_parameters_of_a_mind_can_be_given_back_to_make_the_same_mind(metabolism: str) -> None:
    made, _ = regime(metabolism, {"trash_days": 3.0})
    assert regime(metabolism, made.params()) == (made, [])
