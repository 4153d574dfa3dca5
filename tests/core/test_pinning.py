"""A pin protects and is no score (SPEC C12): what it changes in a metabolism's answers, and all that it does not."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.cycle import FORGET, LEAVE, SHORTEN, next_fates
from ebbtide.core.memory import CODE_OF, DAY, HOUR, Mark, State
from ebbtide.core.metabolism import METABOLISMS, Activity, Network, Retention, Score
from ebbtide.core.metabolism.retention import DELETE, KEEP
from ebbtide.core.signals import Signals
from tests.builders import BIRTH, links, one, rows
from tests.core.test_properties import MOMENT, law, memories

RULES: list[Any] = [rule() for rule in METABOLISMS.values()]
rules = pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.name))
LONG_AFTER = BIRTH + 400 * DAY


@st.composite
def pinned(draw: st.DrawFn) -> tuple[Signals, Signals]:
    """The same memories, without pins and with some."""
    s = draw(memories())
    pins = draw(st.lists(st.booleans(), min_size=len(s), max_size=len(s)))
    return s, replace(s, pinned=np.array(pins, np.int8))


@rules
@law
@given(pinned(), MOMENT)
def test_a_pin_changes_no_vitality_no_term_and_no_score(rule: Any, both: tuple[Signals, Signals], now: float) -> None:
    free, held = both
    assert np.array_equal(rule.vitality(free, now), rule.vitality(held, now))
    for name, column in rule.terms(free, now).items():
        assert np.array_equal(column, rule.terms(held, now)[name])
    before, after = rule.judge(free, now), rule.judge(held, now)
    assert np.array_equal(before.vitality, after.vitality)
    assert (before.score is None and after.score is None) or np.array_equal(before.score, after.score)
    for name in ("used", "touched"):
        one_way, other_way = (getattr(rule, name)(s, np.full(len(s), now)) for s in (free, held))
        assert all(np.array_equal(one_way[column], other_way[column]) for column in one_way)


@rules
@law
@given(pinned(), MOMENT)
def test_what_is_pinned_is_in_the_best_state_without_marks_and_nothing_comes(
    rule: Any, both: tuple[Signals, Signals], now: float
) -> None:
    _, held = both
    there = held.pinned != 0
    verdicts = rule.judge(held, now)
    assert set(verdicts.state[there].tolist()) <= {CODE_OF[State.ACTIVE]}
    assert not verdicts.marks[there].any()
    for forecast in rule.fades_at(held, now):
        when = forecast.at if forecast.at is not None else forecast.scans
        assert when is not None
        assert np.isposinf(when[there]).all()


@rules
@law
@given(pinned(), MOMENT)
def test_others_are_judged_as_if_there_were_no_pins(rule: Any, both: tuple[Signals, Signals], now: float) -> None:
    free, held = both
    others = held.pinned == 0
    before, after = rule.judge(free, now), rule.judge(held, now)
    assert np.array_equal(before.state[others], after.state[others])
    assert np.array_equal(before.marks[others], after.marks[others])
    for one_way, other_way in zip(rule.fades_at(free, now), rule.fades_at(held, now), strict=True):
        for a, b in ((one_way.at, other_way.at), (one_way.scans, other_way.scans)):
            assert (a is None and b is None) or np.array_equal(a[others], b[others])


def test_a_delete_candidate_loses_its_mark_and_no_pair_is_made_of_it() -> None:
    rule = Activity(theta_active=0.5, theta_delete=-0.5)
    s = rows(2, pinned=[0, 1])
    # 400 days old: −0.3 · 400 / 30 = −4, far below θ_delete, idle and alone.
    assert rule.judge(s, LONG_AFTER).marks.tolist() == [Mark.DELETE, 0]
    assert rule.mergeable(s, LONG_AFTER).tolist() == [True, False]


def test_the_reaper_keeps_what_is_pinned() -> None:
    rule = Retention()
    s = rows(2, importance=0.1, pinned=[0, 1])
    assert rule.reaping(s, LONG_AFTER).tolist() == [DELETE, KEEP]
    assert rule.spent(s, LONG_AFTER).tolist() == [True, False]
    # 1 day · ln(0.1 / 0.05) = 0.693 days
    assert rule.expires_at(s).tolist() == [pytest.approx(BIRTH + 0.693147 * DAY, abs=1.0), float("inf")]


def test_the_cycle_neither_shortens_nor_forgets_it() -> None:
    # Strength 0.5 · 0.97 = 0.485 of 100 characters leaves 48; a row without links is forgotten.
    s = rows(4, pinned=[0, 1, 0, 1], links=links(0.5, 0.5, row=[0, 1]))
    action, target = next_fates(Network(), s)
    assert action.tolist() == [SHORTEN, LEAVE, FORGET, LEAVE]
    assert target.tolist() == [48, 48, 0, 0]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Activity(theta_active=0.5, theta_delete=-9.0), "pinned; without the pin cold: score -4.000 lies between"),
        (Score(), "pinned; without the pin deprecated: score 0 (exactly 0.000) < 30"),
        (Retention(), "pinned; without the pin expired: R 0.0000, T_delete 0.05: 397.70 days over"),
        (Network(), "pinned; without the pin vanishing: importance 0.000 leaves 0 characters"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_it_says_that_it_is_pinned_and_what_it_would_be_without(rule: Any, told: str) -> None:
    assert rule.why(one(pinned=1), LONG_AFTER).startswith(told)
    assert rule.why(one(), LONG_AFTER) == rule.why(one(pinned=1), LONG_AFTER).split(": ", 1)[1]


def test_the_end_of_a_pin_counts_as_the_end_of_a_protection() -> None:
    # Expired for 397 days, exposed an hour ago: due 24 hours after that, not 24 hours after it had expired.
    s = one(importance=0.1, exposed_at=LONG_AFTER - HOUR)
    assert Retention().judge(s, LONG_AFTER).state.tolist() == [CODE_OF[State.EXPIRED]]
    assert Retention().reaping(s, LONG_AFTER + 22.9 * HOUR).tolist() == [KEEP]
    assert Retention().reaping(s, LONG_AFTER + 23 * HOUR).tolist() == [DELETE]
