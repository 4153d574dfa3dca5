"""Retention: golden numbers of R1 and R2, and the moment of expiry."""

import math
from typing import Any

import numpy as np
import pytest

from ebbtide.core.memory import DAY, HOUR, POLICIES, Policy, State
from ebbtide.core.metabolism import Retention
from ebbtide.core.parameters import regime
from ebbtide.core.signals import NEVER, Signals
from tests.builders import BIRTH, COMMON_DEFAULTS, forecast, one, rows, states

RETENTION = Retention()
PERSISTENT = POLICIES.index(Policy.PERSISTENT)


def life(s: Signals, retention: Retention = RETENTION) -> float:
    """Days from birth to expiry."""
    return float((retention.expires_at(s)[0] - BIRTH) / DAY)


def born(**given: Any) -> Signals:
    return one(**RETENTION.born(BIRTH, given))


def test_the_defaults_are_those_of_the_specification() -> None:
    assert regime("retention", {})[0].params() == {
        "delete_below": 0.05, "initial_importance": 0.5, "initial_strength": 1.0,
        "ephemeral_strength": 0.25, "ephemeral_max": 1.0, "max_strength": 365.0,
        "shortest_life": 1.0, "touch_gain": 1.0, "decay_weight": 1.0, "reap_buffer": 24.0,
        "delete_importance": 0.2, "prune_importance": 0.7, "prune_days": 30.0, "tick_every": 1.0, "reap_every": 24.0,
        "reap_pause": 7.0, "auto_reap": True,
    } | COMMON_DEFAULTS  # fmt: skip


# ---- R1: the curve


def test_after_as_many_days_as_its_strength_a_memory_keeps_a_share_of_one_in_e() -> None:
    # 0.5 · exp(−1/1) = 0.5 · 0.3678794412
    assert RETENTION.vitality(one(), BIRTH + DAY)[0] == pytest.approx(0.1839397206, abs=1e-9)
    # strength 7: 0.5 · exp(−1/7) = 0.5 · 0.8668778998
    assert RETENTION.vitality(one(strength=7.0), BIRTH + DAY)[0] == pytest.approx(0.4334389499, abs=1e-9)


def test_retention_begins_at_the_importance() -> None:
    s = rows(3, importance=[0.0, 0.5, 1.0])
    assert RETENTION.vitality(s, BIRTH).tolist() == [0.0, 0.5, 1.0]


def test_the_two_factors_are_importance_and_the_share_kept() -> None:
    terms = RETENTION.terms(one(importance=0.8, strength=2.0), BIRTH + DAY)
    # exp(−1/2) = 0.6065306597
    assert {name: float(column[0]) for name, column in terms.items()} == pytest.approx(
        {"I": 0.8, "exp(−Δt/S)": 0.6065306597}, abs=1e-9
    )


def test_a_memory_that_was_never_accessed_fades_from_its_creation_on() -> None:
    never_read = one(access_count=0)
    # 0.5 · exp(−2) = 0.5 · 0.1353352832
    assert RETENTION.vitality(never_read, BIRTH + 2 * DAY)[0] == pytest.approx(0.0676676416, abs=1e-9)


def test_a_clock_that_went_backwards_counts_as_no_time_at_all() -> None:
    verdicts = RETENTION.judge(one(), BIRTH - 100 * DAY)
    assert (verdicts.vitality[0], states(verdicts)) == (0.5, [State.ACTIVE])


# ---- R2: soft time to live


def test_the_seeds_example_lives_sixteen_days() -> None:
    # 7 · ln(0.5/0.05) = 7 · ln 10 = 7 · 2.3025850930
    assert life(one(importance=0.5, strength=7.0)) == pytest.approx(16.1180956510, abs=1e-8)


def test_a_memory_nobody_says_anything_about_lives_two_days_and_seven_hours() -> None:
    # 1 · ln 10 = 2.3025850930 days
    assert life(born()) == pytest.approx(2.3025850930, abs=1e-8)


def test_the_most_important_memory_lives_three_times_its_strength() -> None:
    # 1 · ln(1/0.05) = ln 20 = 2.9957322736
    assert life(born(importance=1.0)) == pytest.approx(2.9957322736, abs=1e-8)


def test_expiry_is_where_retention_reaches_the_threshold() -> None:
    s = one(importance=0.5, strength=7.0)
    expiry = float(RETENTION.expires_at(s)[0])
    assert RETENTION.vitality(s, expiry)[0] == pytest.approx(0.05, abs=1e-9)


def test_use_moves_expiry_by_moving_the_last_access() -> None:
    assert life(one(last_accessed_at=BIRTH + 10 * DAY)) == pytest.approx(12.3025850930, abs=1e-8)


def test_an_ephemeral_memory_starts_with_a_quarter_of_a_day() -> None:
    # 0.25 · ln 10 = 0.5756462732 days = 13.8155 hours
    assert RETENTION.born(BIRTH, {"policy": "ephemeral"})["strength"] == 0.25
    assert life(born(policy="ephemeral")) == pytest.approx(0.5756462732, abs=1e-8)


def test_a_strength_at_birth_is_capped_by_what_strength_can_become() -> None:
    short = Retention(ephemeral_strength=3.0, ephemeral_max=1.0, initial_strength=200.0, max_strength=100.0)
    assert short.born(BIRTH, {"policy": "ephemeral"})["strength"] == 1.0
    assert short.born(BIRTH, {})["strength"] == 100.0


def test_a_persistent_memory_never_expires_however_little_is_left_of_it() -> None:
    s = one(importance=0.0, policy=PERSISTENT)
    assert life(s) == math.inf
    assert states(RETENTION.judge(s, BIRTH + 36_500 * DAY)) == [State.ACTIVE]


@pytest.mark.parametrize(
    ("importance", "hours"),
    [
        (0.0, 1.0),  # ln 0 = −∞
        (0.01, 1.0),  # ln 0.2 < 0
        (0.05, 1.0),  # ln 1 = 0
        (0.052, 1.0),  # 24 · ln 1.04 = 24 · 0.0392207132 = 0.9412971
        (0.06, 4.3757173631),  # 24 · ln 1.2 = 24 · 0.1823215568
    ],
)
def test_no_memory_lives_for_less_than_an_hour(importance: float, hours: float) -> None:
    assert life(one(importance=importance)) * 24 == pytest.approx(hours, abs=1e-6)


def test_an_ephemeral_memory_of_little_importance_has_its_hour_too() -> None:
    # 0.25 · 24 · ln 1.1 = 6 · 0.0953101798 = 0.5719 hours, lifted to 1
    assert life(born(policy="ephemeral", importance=0.055)) * 24 == pytest.approx(1.0, abs=1e-6)


def test_a_memory_is_expired_from_the_very_moment_of_expiry_on() -> None:
    s = one(importance=0.05)  # lives for exactly the shortest life: one hour
    expiry = BIRTH + HOUR
    assert states(RETENTION.judge(s, float(np.nextafter(expiry, 0.0)))) == [State.ACTIVE]
    assert states(RETENTION.judge(s, expiry)) == [State.EXPIRED]


def test_thresholds_and_shortest_life_are_parameters() -> None:
    # ln(0.5/0.1) = ln 5 = 1.6094379124
    assert life(one(), Retention(delete_below=0.1)) == pytest.approx(1.6094379124, abs=1e-8)
    assert life(one(importance=0.05), Retention(shortest_life=12.0)) == 0.5


# ---- birth


def test_what_the_caller_says_at_birth_stands() -> None:
    assert RETENTION.born(BIRTH, {"importance": 0.0, "policy": "persistent"}) == {
        "importance": 0.0, "strength": 1.0, "policy": PERSISTENT,
        "protected": 0, "exposed_at": NEVER, "pruned_at": NEVER,
    }  # fmt: skip
    assert RETENTION.born(BIRTH, {"importance": None, "policy": None}) == {
        "importance": 0.5, "strength": 1.0, "policy": POLICIES.index(Policy.NORMAL),
        "protected": 0, "exposed_at": NEVER, "pruned_at": NEVER,
    }  # fmt: skip


# ---- the forecast


def test_the_forecast_is_the_moment_of_expiry_or_now_if_that_has_passed() -> None:
    now = BIRTH + 10 * DAY
    s = rows(3, strength=[1.0, 7.0, 1.0], policy=[0, 0, PERSISTENT])
    days = [(at - now) / DAY for at in forecast(RETENTION, s, now)["expired"]]
    # 2.3 days: over; 16.118 days: 6.118 to come; persistent: never
    assert days == pytest.approx([0.0, 6.1180956510, math.inf], abs=1e-8)


# ---- why


@pytest.mark.parametrize(
    ("days", "policy", "reason"),
    [
        (1.0, 0, "R 0.1839, T_delete 0.05: 1.30 days left"),  # 2.3026 − 1
        (4.0, 0, "R 0.0092, T_delete 0.05: 1.70 days over"),  # 0.5 · exp(−4) = 0.0091578; 4 − 2.3026
        (4.0, PERSISTENT, "R 0.0092; the policy is persistent: it never expires"),
    ],
)
def test_why_names_what_is_left_and_for_how_long(days: float, policy: int, reason: str) -> None:
    assert RETENTION.why(one(policy=policy), BIRTH + days * DAY) == reason
