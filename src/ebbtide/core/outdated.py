"""Defaults of earlier versions that a mind may still live by.

A mind keeps the parameters it was made with: they stand in its journal. So a better default reaches only new minds,
and an older one is told which of its values come from an earlier default. Nothing is changed without being asked for.
"""

from typing import Any

from ebbtide.core.parameters import Regime, parameters_of

# By metabolism: values that were defaults together. 0.1.0 hid a memory that was never used or linked after 26 hours.
FORMER: dict[str, tuple[dict[str, Any], ...]] = {"activity": ({"theta_active": 0.5, "theta_delete": -0.5},)}


def outdated(regime: Regime) -> dict[str, Any]:
    """Parameters that all have the values of one former set of defaults, each with its default of today."""
    name, params = regime.metabolism.name, regime.params()
    today = {f.name: f.default for f in parameters_of(name)}
    for former in FORMER.get(name, ()):
        if all(params[parameter] == value for parameter, value in former.items()):
            return {parameter: today[parameter] for parameter in former}
    return {}


def as_arguments(values: dict[str, Any]) -> str:
    """As `ebbtide config` takes them."""
    return " ".join(f"{name}={value:g}" for name, value in values.items())
