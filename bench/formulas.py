"""The formulas of the five metabolisms as anyone would type them, with the default parameters and nothing around them:
no clamping, no states, no marks. What judging is measured against."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ebbtide.core.memory import DAY
from ebbtide.core.signals import Signals


def activity(s: Signals, now: float) -> Any:
    """A1."""
    return (
        1.0 * np.log1p(s.in_degree)
        + 0.8 * np.log1p(s.out_degree)
        + 1.2 * np.log1p(s.access_count)
        + 0.8 * np.log1p(s.traverse_count)
        + 1.5 * np.exp(-(now - s.last_accessed_at) / DAY)
        + 1.0 * np.exp(-(now - s.last_linked_at) / (3 * DAY))
        - 0.3 * (now - s.created_at) / (30 * DAY)
    )


def network(s: Signals, now: float) -> Any:
    """N5 over links that scans wear down."""
    scans = s.scan_count[s.links.row] - s.links.since
    return np.bincount(s.links.row, weights=s.links.strength * 0.97**scans, minlength=len(s))


def score(s: Signals, now: float) -> Any:
    """S2, with its two decaying terms already drawn together."""
    rate = 0.95 + 0.04 * (1 - np.exp(-s.weight / 3))
    return s.base * rate ** ((now - s.scored_at) / DAY)


def retention(s: Signals, now: float) -> Any:
    """R1 and R2."""
    return (
        s.importance * np.exp(-(now - s.last_accessed_at) / (s.strength * DAY)),
        s.last_accessed_at + s.strength * DAY * np.log(s.importance / 0.05),
    )


def tide(s: Signals, now: float) -> Any:
    """T1 and T2, with w = 0.35, as before any use, and what both regimes weigh drawn together."""
    apart = (now - s.used_at) / DAY
    return (
        0.65 * np.log2(1 + s.use_long * np.exp2(apart / -1000))
        + 0.175 * np.log2(1 + s.use_short * np.exp2(apart / -30))
        + 1.15 * s.prior
        + 1.025 / (1 + (now - s.last_accessed_at) / (14 * DAY))
        - s.superseded
    )


FORMULAS: dict[str, Callable[[Signals, float], Any]] = {
    "activity": activity,
    "network": network,
    "score": score,
    "retention": retention,
    "tide": tide,
}
