"""What the what-if view says of parameters that cannot be applied: which is wrong, why, and what to do."""

import math
import re

import pytest

from ebbtide.core.metabolism import METABOLISMS, traits_of
from ebbtide.core.parameters import parameters_of, regime
from ebbtide.serve.page.refusals import refusals

ORDERED = {name: ordered for name in METABOLISMS if (ordered := traits_of(name).ordered)}


@pytest.mark.parametrize("metabolism", ORDERED)
def test_of_two_thresholds_that_crossed_both_are_named_once_with_the_way_out(metabolism: str) -> None:
    low, high = ORDERED[metabolism]
    now = regime(metabolism, {})[0].params()
    # The lower one stands at its default, and the other one is moved onto it: the lower one is not at fault.
    wanted = {**now, high: now[low]}
    value = f"{now[low]:g}"
    assert refusals(metabolism, wanted, "en") == [
        f"{low} ({value}) must be less than {high} ({value}): lower {low}, or raise {high}."
    ]
    assert refusals(metabolism, wanted, "zh") == [
        f"{low}（{value}）必须小于 {high}（{value}）：请调低 {low}，或调高 {high}。"
    ]


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_what_can_be_applied_is_not_refused(metabolism: str) -> None:
    assert refusals(metabolism, regime(metabolism, {})[0].params(), "en") == []


@pytest.mark.parametrize(
    ("metabolism", "name", "value", "en", "zh"),
    [
        (
            "network",
            "decay_rate",
            1.2,
            "a number above 0, at most 1. The default is 0.97.",
            "大于 0 且不大于 1 的数字。",
        ),
        ("score", "daily_factor", 1.5, "a number from 0 to 1. ", "0 到 1 之间的数字。"),
        ("network", "focus_limit", 2.5, "a whole number of at least 1. ", "不小于 1 的整数。"),
        ("activity", "t_age", 0.0, "a number above 0. ", "大于 0 的数字。"),
    ],
)
def test_a_value_out_of_range_is_told_its_range_and_the_default(
    metabolism: str, name: str, value: float, en: str, zh: str
) -> None:
    wanted = {**regime(metabolism, {})[0].params(), name: value}
    [said], [told] = refusals(metabolism, wanted, "en"), refusals(metabolism, wanted, "zh")
    assert said.startswith(f"{name} cannot be {value}: it must be {en}")
    assert told.startswith(f"{name} 不能是 {value}：必须是{zh}")


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_no_refusal_says_that_a_value_would_become_itself(metabolism: str) -> None:
    now = regime(metabolism, {})[0].params()
    for field in parameters_of(metabolism):
        if isinstance(field.default, bool | str):
            continue
        for value in (-1e300, math.nan, field.default, 1e300):
            for said in refusals(metabolism, {**now, field.name: value}, "en"):
                found = re.fullmatch(r"\w+ cannot be (\S+): it must be .+\. The default is (\S+)\.", said)
                assert found is None or found[1] != found[2], said
