"""Score: golden numbers of S2 and the borders of S1."""

import math

import numpy as np
import pytest

from ebbtide.core.memory import DAY, HOUR, State
from ebbtide.core.metabolism import Score
from ebbtide.core.parameters import regime
from ebbtide.core.signals import Signals
from tests.builders import BIRTH, COMMON_DEFAULTS, forecast, one, rows, states

SCORE = Score()


def exact(s: Signals, days: float, score: Score = SCORE) -> float:
    return float(score.vitality(s, BIRTH + days * DAY)[0])


def base_after_use(s: Signals, at: float, score: Score = SCORE) -> float:
    return float(score.used(s, np.array([at]))["base"][0])


def integers(s: Signals, now: float) -> list[int]:
    score = SCORE.judge(s, now).score
    assert score is not None
    return [int(value) for value in score]


def test_the_defaults_are_those_of_the_specification() -> None:
    assert regime("score", {})[0].params() == {
        "initial": 50.0, "daily_factor": 0.95, "structure_gain": 0.04, "structure_scale": 3.0,
        "usage_gain": 10.0, "usage_spacing": 6.0, "active_from": 70.0, "cold_from": 30.0,
        "decay": True, "rank_bonus": 0.1, "tick_every": 0.25,
    } | COMMON_DEFAULTS  # fmt: skip


def test_a_memory_is_born_with_fifty_points_and_no_links() -> None:
    assert SCORE.born(BIRTH, {}) == {"base": 50.0, "scored_at": BIRTH, "weight": 0.0, "score": 50}


# ---- S2: the formula between events


def test_a_day_leaves_ninety_five_hundredths_of_an_unlinked_score() -> None:
    assert exact(one(base=50.0), 1.0) == pytest.approx(47.5, abs=1e-9)  # 50 · 0.95
    assert exact(one(base=50.0), 2.0) == pytest.approx(45.125, abs=1e-9)  # 47.5 · 0.95
    assert exact(one(base=50.0), 10.0) == pytest.approx(29.936846962, abs=1e-9)  # 50 · 0.5987369392


def test_a_quarter_of_an_hour_is_a_part_of_a_day() -> None:
    # 0.95^(1/96) = exp(−0.0512932944 / 96) = exp(−0.00053430515) = 0.99946583756
    assert exact(one(base=50.0), 1 / 96) == pytest.approx(49.973291878, abs=1e-8)


def test_links_slow_the_decay_by_their_weight() -> None:
    linked = one(base=50.0, weight=3.0)
    # d = 0.95 + 0.04 · (1 − exp(−3/3)) = 0.95 + 0.04 · 0.6321205588 = 0.9752848224
    assert exact(linked, 1.0) == pytest.approx(48.764241118, abs=1e-9)  # 50 · 0.9752848224
    assert exact(linked, 10.0) == pytest.approx(38.930023057, abs=1e-8)  # 50 · d^10 = 50 · 0.7786004611


def test_the_two_terms_are_time_and_structure() -> None:
    terms = SCORE.terms(one(base=50.0, weight=3.0), BIRTH + 10 * DAY)
    # 50 · 0.95^10 = 29.9368469619, and 50 · (0.9752848224^10 − 0.95^10) = 50 · 0.1798635219
    assert {name: float(column[0]) for name, column in terms.items()} == pytest.approx(
        {"base·time_factor": 29.936846962, "structure_boost": 8.993176095}, abs=1e-8
    )


def test_no_weight_of_links_reverses_the_decay() -> None:
    # d → 0.95 + 0.04 = 0.99
    assert exact(one(base=80.0, weight=1e9), 1.0) == pytest.approx(79.2, abs=1e-9)
    # a gain so large that d would be 0.95 + 0.5 = 1.45 stops at 1
    assert exact(one(base=80.0, weight=1e9), 100.0, Score(structure_gain=0.5)) == 80.0


def test_decay_can_be_switched_off() -> None:
    assert exact(one(base=50.0), 3650.0, Score(decay=False)) == 50.0


def test_a_clock_that_went_backwards_counts_as_no_time_at_all() -> None:
    assert exact(one(base=50.0), -100.0) == 50.0
    back = SCORE.used(one(base=50.0), np.array([BIRTH - 100 * DAY]))
    assert {name: float(column[0]) for name, column in back.items()} == {"base": 50.0, "scored_at": BIRTH}


# ---- S2: events


def test_an_access_adds_by_the_time_since_the_last_one() -> None:
    # at the first access its creation is the last one; +10 · (1 − exp(−6/6)) = 10 · 0.6321205588
    # on what 6 hours have left: 50 · 0.95^0.25 = 50 · 0.9872585449 = 49.3629272453
    assert base_after_use(one(base=50.0), BIRTH + 6 * HOUR) == pytest.approx(55.684132828, abs=1e-8)
    # a day later: 47.5 + 10 · (1 − exp(−4)) = 47.5 + 9.8168436111
    assert base_after_use(one(base=50.0), BIRTH + DAY) == pytest.approx(57.316843611, abs=1e-8)


def test_hammering_does_not_count() -> None:
    assert base_after_use(one(base=50.0), BIRTH) == 50.0
    # one second: 10 · (1 − exp(−1/21600)) = 0.00046295
    assert base_after_use(one(base=50.0), BIRTH + 1.0) == pytest.approx(50.00043327, abs=1e-7)
    # 0.00046295 less what the second cost: 50 · 0.0512932944 / 86400 = 0.00002968


def test_use_cannot_lift_a_score_above_a_hundred() -> None:
    # 98 · 0.95^0 + 10 · (1 − exp(−∞)) would be 108
    assert base_after_use(one(base=98.0, last_accessed_at=BIRTH - 365 * DAY), BIRTH) == 100.0
    assert base_after_use(one(base=100.0, last_accessed_at=BIRTH - 365 * DAY), BIRTH) == 100.0


def test_an_access_starts_the_clock_anew() -> None:
    assert SCORE.used(one(), np.array([BIRTH + DAY]))["scored_at"].tolist() == [BIRTH + DAY]


def test_a_link_made_settles_the_past_at_the_old_rate_and_the_future_at_the_new() -> None:
    made = SCORE.relinked(one(base=50.0), BIRTH + DAY, np.array([3.0]))
    assert {name: float(column[0]) for name, column in made.items()} == pytest.approx(
        {"base": 47.5, "scored_at": BIRTH + DAY, "weight": 3.0}, abs=1e-9
    )
    s = one(**made)
    # another day: 47.5 · 0.9752848224
    assert exact(s, 2.0) == pytest.approx(46.326029062, abs=1e-8)


def test_a_link_made_at_an_earlier_time_than_the_last_event_does_not_bring_days_back() -> None:
    made = SCORE.relinked(one(base=50.0), BIRTH - DAY, np.array([3.0]))
    assert {name: float(column[0]) for name, column in made.items()} == {
        "base": 50.0, "scored_at": BIRTH, "weight": 3.0
    }  # fmt: skip


# ---- S1: the stored integer and the states


def just_below(value: float) -> float:
    return float(np.nextafter(value, 0.0))


def test_the_stored_integer_is_the_exact_value_rounded_halves_up() -> None:
    s = rows(5, base=[0.49, 0.5, just_below(69.5), 69.5, 100.0])
    assert integers(s, BIRTH) == [0, 1, 69, 70, 100]


def test_active_begins_at_seventy_and_cold_at_thirty() -> None:
    s = rows(7, base=[100.0, 69.5, just_below(69.5), 50.0, 29.5, just_below(29.5), 0.0])
    assert states(SCORE.judge(s, BIRTH)) == [
        State.ACTIVE,  # 100
        State.ACTIVE,  # 69.5 is written down as 70
        State.COLD,  # 69
        State.COLD,
        State.COLD,  # 29.5 is written down as 30
        State.DEPRECATED,  # 29
        State.DEPRECATED,
    ]


def test_the_exact_value_stays_between_zero_and_a_hundred() -> None:
    s = rows(3, base=[100.0, 50.0, 0.0])
    # 100 · 0.95^10000 = 100 · exp(−512.9) ≈ 1.7e−221: never below 0
    verdicts = SCORE.judge(s, BIRTH + 10_000 * DAY)
    assert integers(s, BIRTH + 10_000 * DAY) == [0, 0, 0]
    assert verdicts.vitality[0] == pytest.approx(1.7e-221, rel=0.05)
    assert verdicts.vitality[2] == 0.0


# ---- the forecast


def test_the_forecast_is_when_the_integer_falls_below_the_threshold() -> None:
    days = {event: (at - BIRTH) / DAY for event, [at] in forecast(SCORE, one(base=80.0), BIRTH).items()}
    assert days == pytest.approx(
        {
            "cold": 2.7430463140,  # ln(69.5/80) / ln 0.95 = −0.1406998821 / −0.0512932944
            "deprecated": 19.4496450899,  # ln(29.5/80) / ln 0.95 = −0.9976363713 / −0.0512932944
        },
        abs=1e-9,
    )


def test_links_push_the_forecast_away() -> None:
    s = rows(2, base=50.0, weight=[3.0, 0.0])
    days = [(at - BIRTH) / DAY for at in forecast(SCORE, s, BIRTH)["deprecated"]]
    # ln(29.5/50) / ln 0.9752848224 = −0.5276327421 / −0.0250257252 = 21.0836145139
    # ln(29.5/50) / ln 0.95 = −0.5276327421 / −0.0512932944 = 10.2865832344
    assert days == pytest.approx([21.0836145139, 10.2865832344], abs=1e-9)


def test_what_has_come_already_is_forecast_for_now_and_what_never_comes_for_never() -> None:
    now = BIRTH + DAY
    s = rows(2, base=[50.0, 80.0])
    assert forecast(Score(decay=False), s, now) == {
        "cold": [now, math.inf],
        "deprecated": [math.inf, math.inf],
    }


# ---- why


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        (69.5, "score 70 (exactly 69.500) ≥ 70"),
        (69.4, "score 69 (exactly 69.400) lies between 30 and 70"),
        (29.4, "score 29 (exactly 29.400) < 30"),
    ],
)
def test_why_names_the_score_and_its_threshold(base: float, reason: str) -> None:
    assert SCORE.why(one(base=base), BIRTH) == reason
