"""Defaults of earlier versions: which minds still have them, and what to set instead."""

import pytest

from ebbtide.core.outdated import as_arguments, outdated
from ebbtide.core.parameters import regime


def test_a_mind_with_the_thresholds_of_the_first_version_is_told_todays() -> None:
    old, _ = regime("activity", {"theta_active": 0.5, "theta_delete": -0.5})
    assert outdated(old) == {"theta_active": -0.2, "theta_delete": -1.0}
    assert as_arguments(outdated(old)) == "theta_active=-0.2 theta_delete=-1"


@pytest.mark.parametrize(
    "params", [{}, {"theta_active": 0.5}, {"theta_delete": -0.5}, {"theta_active": 0.51, "theta_delete": -0.5}]
)
def test_values_that_were_chosen_are_no_former_defaults(params: dict[str, float]) -> None:
    assert outdated(regime("activity", params)[0]) == {}


@pytest.mark.parametrize("metabolism", ["network", "score", "retention"])
def test_other_metabolisms_have_no_former_defaults(metabolism: str) -> None:
    assert outdated(regime(metabolism, {})[0]) == {}
