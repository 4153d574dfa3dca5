"""Activity: golden numbers of A1 and the borders of A3."""

import math
from typing import Any

import numpy as np
import pytest

from ebbtide.core.memory import DAY, HOUR, Mark, State
from ebbtide.core.metabolism import Activity
from ebbtide.core.parameters import regime
from tests.builders import BIRTH, COMMON_DEFAULTS, forecast, marks, one, rows, states

ACTIVITY = Activity()


def test_the_defaults_are_those_of_the_specification() -> None:
    assert regime("activity", {})[0].params() == {
        "a": 1.0, "b": 0.8, "c": 1.2, "d": 0.8, "e": 1.5, "f": 1.0, "g": 0.3,
        "t_access": 24.0, "t_link": 72.0, "t_age": 30.0,
        "theta_active": -0.2, "theta_delete": -1.0, "delete_idle": 30.0,
        "merge_idle": 14.0, "merge_degree": 2, "merge_overlap": 0.85, "rank_bonus": 0.1, "tick_every": 6.0,
    } | COMMON_DEFAULTS  # fmt: skip


# ---- A1: the formula


def test_each_term_is_worked_out_as_written() -> None:
    now = BIRTH + 15 * DAY
    s = one(
        in_degree=3, out_degree=2, access_count=5, traverse_count=1,
        last_accessed_at=now - 12 * HOUR, last_linked_at=now - 24 * HOUR,
    )  # fmt: skip
    terms = {name: float(column[0]) for name, column in ACTIVITY.terms(s, now).items()}
    assert terms == pytest.approx(
        {
            "A·ln(1+in_degree)": 1.3862943611,  # 1.0 · ln 4 = 1.3862943611
            "B·ln(1+out_degree)": 0.8788898309,  # 0.8 · ln 3 = 0.8 · 1.0986122887
            "C·ln(1+access_count)": 2.1501113631,  # 1.2 · ln 6 = 1.2 · 1.7917594692
            "D·ln(1+traverse_count)": 0.5545177444,  # 0.8 · ln 2 = 0.8 · 0.6931471806
            "E·exp(−idle/T_access)": 0.9097959896,  # 1.5 · exp(−12/24) = 1.5 · 0.6065306597
            "F·exp(−unlinked/T_link)": 0.7165313106,  # 1.0 · exp(−24/72) = 0.7165313106
            "−G·age/T_age": -0.15,  # −0.3 · 15/30
        },
        abs=1e-9,
    )
    # 1.3862943611 + 0.8788898309 + 2.1501113631 + 0.5545177444 + 0.9097959896 + 0.7165313106 − 0.15
    assert ACTIVITY.vitality(s, now)[0] == pytest.approx(6.4461405997, abs=1e-9)


def test_a_newborn_scores_exactly_its_recency() -> None:
    # ln 1 four times, 1.5 · exp(0), never linked, no age: 1.5
    assert ACTIVITY.vitality(one(), BIRTH)[0] == 1.5


def test_every_coefficient_and_every_time_constant_counts() -> None:
    other = Activity(a=2.0, b=3.0, c=5.0, d=7.0, e=11.0, f=13.0, g=17.0, t_access=12.0, t_link=48.0, t_age=10.0)
    now = BIRTH + 5 * DAY
    s = one(
        in_degree=1, out_degree=1, access_count=1, traverse_count=1,
        last_accessed_at=now - 24 * HOUR, last_linked_at=now - 24 * HOUR,
    )  # fmt: skip
    # (2 + 3 + 5 + 7) · ln 2 = 17 · 0.6931471806 = 11.7835020695
    # 11 · exp(−24/12) = 11 · 0.1353352832 = 1.4886881156
    # 13 · exp(−24/48) = 13 · 0.6065306597 = 7.8848985763
    # −17 · 5/10 = −8.5;  together 12.6570887614
    assert other.vitality(s, now)[0] == pytest.approx(12.6570887614, abs=1e-9)


def test_a_memory_that_never_had_a_link_gets_nothing_for_links() -> None:
    terms = ACTIVITY.terms(one(), BIRTH)
    assert terms["F·exp(−unlinked/T_link)"][0] == 0.0


def test_a_memory_that_was_never_accessed_counts_its_creation_as_the_first_access_time() -> None:
    # 24 h after its creation: 1.5 · exp(−1) − 0.3 · 1/30 = 0.5518191618 − 0.01
    assert ACTIVITY.vitality(one(access_count=0), BIRTH + DAY)[0] == pytest.approx(0.5418191618, abs=1e-9)


def test_a_clock_that_went_backwards_counts_as_no_time_at_all() -> None:
    s = one(last_linked_at=BIRTH)
    # 1.5 · exp(0) + 1.0 · exp(0) − 0: neither above the full recency nor rejuvenated
    assert ACTIVITY.vitality(s, BIRTH - 100 * DAY)[0] == 2.5
    assert ACTIVITY.vitality(s, BIRTH)[0] == 2.5


def test_a_very_old_score_goes_below_zero_without_bound() -> None:
    # 1,000 days: recency 1.5 · exp(−1000) ≈ 0, −0.3 · 1000/30 = −10
    assert ACTIVITY.vitality(one(), BIRTH + 1000 * DAY)[0] == pytest.approx(-10.0, abs=1e-9)


# ---- A3: states and marks


def test_a_score_of_exactly_theta_active_is_active() -> None:
    # a newborn scores exactly 1.5
    just_above = float(np.nextafter(1.5, 2.0))
    assert states(Activity(theta_active=1.5).judge(one(), BIRTH)) == [State.ACTIVE]
    assert states(Activity(theta_active=just_above).judge(one(), BIRTH)) == [State.COLD]


# With these neither age nor recency counts: a memory that was never used or linked scores exactly 0.
STILL: dict[str, Any] = {"e": 0.0, "g": 0.0, "theta_active": 0.5}
IDLE = BIRTH + 30 * DAY


def test_a_score_of_exactly_theta_delete_is_a_delete_candidate_and_still_only_cold() -> None:
    verdicts = Activity(**STILL, theta_delete=0.0).judge(one(), IDLE)
    assert (verdicts.vitality[0], states(verdicts), marks(verdicts)) == (0.0, [State.COLD], [Mark.DELETE])


def test_a_score_just_above_theta_delete_is_no_delete_candidate() -> None:
    just_below_zero = float(np.nextafter(0.0, -1.0))
    verdicts = Activity(**STILL, theta_delete=just_below_zero).judge(one(), IDLE)
    assert (states(verdicts), marks(verdicts)) == ([State.COLD], [Mark.NONE])


def test_a_delete_candidate_has_been_idle_for_thirty_days_to_the_second() -> None:
    still = Activity(**STILL, theta_delete=0.0)
    assert marks(still.judge(one(), float(np.nextafter(IDLE, 0.0)))) == [Mark.NONE]
    assert marks(still.judge(one(), IDLE)) == [Mark.DELETE]


@pytest.mark.parametrize("clock", ["last_accessed_at", "last_linked_at"])
def test_both_reading_and_walking_end_idleness(clock: str) -> None:
    still = Activity(**STILL, f=0.0, theta_delete=0.0)
    used_yesterday = one(**{clock: IDLE - DAY})
    assert marks(still.judge(used_yesterday, IDLE)) == [Mark.NONE]
    assert marks(still.judge(used_yesterday, IDLE + 29 * DAY)) == [Mark.DELETE]


def test_a_memory_that_something_links_to_is_cold_however_low_it_falls() -> None:
    # ln 2 − 0.3 · 300/30 = 0.6931 − 3 = −2.3069, far below −1
    verdicts = ACTIVITY.judge(one(in_degree=1), BIRTH + 300 * DAY)
    assert verdicts.vitality[0] == pytest.approx(0.6931471806 - 3.0, abs=1e-9)
    assert (states(verdicts), marks(verdicts)) == ([State.COLD], [Mark.NONE])


def test_links_that_only_leave_a_memory_do_not_save_it_from_the_mark() -> None:
    # 0.8 · ln 2 − 3 = −2.4455
    assert marks(ACTIVITY.judge(one(out_degree=1), BIRTH + 300 * DAY)) == [Mark.DELETE]


def test_a_mark_disappears_when_its_conditions_no_longer_hold() -> None:
    now = BIRTH + 120 * DAY
    forgotten, found = one(), one(access_count=1, last_accessed_at=now)
    assert marks(ACTIVITY.judge(forgotten, now)) == [Mark.DELETE]  # −0.3 · 120/30 = −1.2
    assert marks(ACTIVITY.judge(found, now)) == [Mark.NONE]  # 1.2 · ln 2 + 1.5 − 1.2 = 1.1318
    assert states(ACTIVITY.judge(found, now)) == [State.ACTIVE]


# ---- the forecast


def test_the_forecast_of_a_memory_left_alone() -> None:
    days = {event: (at - BIRTH) / DAY for event, [at] in forecast(ACTIVITY, one(), BIRTH).items()}
    assert days == pytest.approx(
        {
            # 0 − 0.3 · 20/30 = −0.2, and 1.5 · exp(−20) = 3.0917e−9 of recency: 3.0917e−9 / 0.01 days more
            "cold": 20.00000030917,
            # 0 − 0.3 · 100/30 = −1.0 (1.5 · exp(−100) = 5.6e−44 is nothing beside it), later than the 30 idle days
            "delete_candidate": 100.0,
        },
        abs=1e-9,
    )


def test_a_mark_waits_for_the_thirty_idle_days_when_the_score_fell_before() -> None:
    # −0.1 · d ≤ −1 from d = 10 on, but idle for 30 days only at d = 30
    assert forecast(Activity(g=3.0), one(), BIRTH)["delete_candidate"] == [BIRTH + 30 * DAY]


def test_what_has_come_already_is_forecast_for_now_and_what_never_comes_for_never() -> None:
    now = BIRTH + 300 * DAY
    s = rows(2, in_degree=[0, 1])
    assert forecast(ACTIVITY, s, now) == {"cold": [now, now], "delete_candidate": [now, math.inf]}


def test_a_score_that_age_does_not_lower_never_turns_cold() -> None:
    # 1.2 · ln 2 = 0.8318 ≥ −0.2 for ever
    assert forecast(Activity(g=0.0), one(access_count=1), BIRTH)["cold"] == [math.inf]


@pytest.mark.parametrize(("years", "comes"), [(999.0, True), (1001.0, False)])
def test_what_lies_beyond_a_thousand_years_is_called_never(years: float, comes: bool) -> None:
    # G · d/30 eats up 1.2 · ln 2 + 0.2 = 1.0317766167 after exactly so many years of 365.25 days
    slow = Activity(g=1.0317766167 * 30.0 / (years * 365.25))
    [cold] = forecast(slow, one(access_count=1), BIRTH)["cold"]
    assert (cold - BIRTH) / DAY == pytest.approx(years * 365.25 if comes else math.inf, rel=1e-6)


# ---- why


@pytest.mark.parametrize(
    ("days", "in_degree", "reason"),
    [
        (0, 0, "score 1.500 ≥ θ_active -0.2"),
        (30, 0, "score -0.300 lies between θ_delete -1 and θ_active -0.2"),
        (120, 0, "score -1.200 ≤ θ_delete -1, nothing links to it, and it has long been idle"),
        (300, 1, "score -2.307 ≤ θ_delete -1, but something links to it or it was used lately"),
    ],
)
def test_why_names_the_score_and_the_threshold_it_is_measured_by(days: int, in_degree: int, reason: str) -> None:
    assert ACTIVITY.why(one(in_degree=in_degree), BIRTH + days * DAY) == reason
