"""The parameters of a mind as something to turn, whatever somebody has written into an address."""

import math
from typing import Any

import pytest

from ebbtide.core.parameters import regime
from ebbtide.serve.page import knobs, parts
from tests.helpers import METABOLISMS

NOW = regime("activity", {})[0].params()


@pytest.mark.parametrize("value", ["x", None, math.inf, -math.inf, math.nan, True, [], {}, 10**400])
def test_what_no_mind_could_live_by_is_left_out(value: Any) -> None:
    assert knobs.accepted("activity", NOW, {"a": value, "b": 2, "unknown": 1}) == {"b": 2.0}


def test_two_thresholds_in_the_wrong_order_are_both_left_out() -> None:
    now = regime("score", {})[0].params()
    assert knobs.accepted("score", now, {"cold_from": 90, "active_from": 50, "initial": 60}) == {"initial": 60.0}


@pytest.mark.parametrize("metabolism", METABOLISMS)
@pytest.mark.parametrize("value", [0, 1, 5e-324, 1e-9, 1e15, 1e308, 10**300])
def test_every_value_a_mind_can_live_by_can_be_turned(metabolism: str, value: float) -> None:
    now = regime(metabolism, {})[0].params()
    for name in now:
        lived = now | knobs.accepted(metabolism, now, {name: value})
        for knob in knobs.knobs(metabolism, lived):
            assert all(math.isfinite(end) for end in (knob.low, knob.high, knob.step))
            assert knob.options or knob.switch or (knob.low < knob.high and knob.step > 0), name


@pytest.mark.parametrize(
    ("said", "number"), [("0", 0), ("41", 41), ("", None), ("-1", None), ("x", None), ("9" * 5000, None)]
)
def test_a_number_in_an_address_is_one_that_has_an_end(said: str, number: int | None) -> None:
    assert parts.whole({"after": said}, "after") == number
    assert parts.whole({}, "after") is None
