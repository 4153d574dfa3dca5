"""The five ways a memory ages. Each is a frozen set of parameters with pure arithmetic over `Signals`.

A mind has exactly one of these.
To add another: write its module, name it in METABOLISMS, give it golden numbers.
"""

from typing import Any

from ebbtide.core.metabolism.activity import Activity
from ebbtide.core.metabolism.base import Forecast, Metabolism, Traits, Verdicts
from ebbtide.core.metabolism.network import Network
from ebbtide.core.metabolism.retention import Retention
from ebbtide.core.metabolism.score import Score
from ebbtide.core.metabolism.tide import Tide

METABOLISMS: dict[str, type[Any]] = {m.name: m for m in (Activity, Network, Score, Retention, Tide)}


def traits_of(name: str) -> Traits:
    """The traits of the metabolism of that name, for what knows a mind only by name."""
    traits: Traits = METABOLISMS[name].traits
    return traits


def appraising(metabolism: Metabolism) -> Tide | None:
    """The metabolism itself where it looks at what memories say."""
    return metabolism if isinstance(metabolism, Tide) else None


def networked(metabolism: Metabolism) -> Network | None:
    """The metabolism itself where it has a focus and links that age."""
    return metabolism if isinstance(metabolism, Network) else None


def merging(metabolism: Metabolism) -> Activity | None:
    """The metabolism itself where it looks for memories to merge."""
    return metabolism if isinstance(metabolism, Activity) else None


def reaping(metabolism: Metabolism) -> Retention | None:
    """The metabolism itself where it has a reaper."""
    return metabolism if isinstance(metabolism, Retention) else None


__all__ = [
    "METABOLISMS",
    "Activity",
    "Forecast",
    "Metabolism",
    "Network",
    "Retention",
    "Score",
    "Tide",
    "Traits",
    "Verdicts",
    "appraising",
    "merging",
    "networked",
    "reaping",
    "traits_of",
]
