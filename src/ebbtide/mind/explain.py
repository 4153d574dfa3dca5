"""Why a memory is what it is, and what will become of it if nothing happens.   SPEC C7."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ebbtide.core.errors import UnknownMemory
from ebbtide.core.memory import DAY, Memory
from ebbtide.core.metabolism import Metabolism, networked
from ebbtide.core.metabolism.base import FOREVER
from ebbtide.core.ports import Analyzer, Store
from ebbtide.core.signals import Signals
from ebbtide.mind.reading import read
from ebbtide.mind.reasons import reason

CURVE_POINTS = 48


@dataclass(frozen=True, slots=True)
class Coming:
    """What will happen if nothing does: a moment, or a number of scans; both None: never."""

    event: str
    at: float | None = None
    scans: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The terms of the formula, what they were computed from, and the curve ahead if nothing happens."""

    memory: Memory
    metabolism: str
    at: float
    terms: dict[str, float]
    inputs: dict[str, Any]
    why: str
    forecast: tuple[Coming, ...]
    curve: tuple[tuple[float, float], ...]  # (moment, vitality) from now on; in a network mind (scans, vitality)


async def explain(
    store: Store, memory: int, now: float, days: float, analyzer: Callable[[], Analyzer | None] = lambda: None
) -> Explanation:
    metabolism = store.regime.metabolism
    seen = await read(store, [memory], now)
    if not seen:  # forgotten while we waited for the disk
        raise UnknownMemory(key=f"#{memory}")
    signals = await store.signals([memory])
    signals = signals.copy()  # nothing may move under our hands
    forecast = _forecast(metabolism, signals, now)
    return Explanation(
        memory=seen[0],
        metabolism=metabolism.name,
        at=now,
        terms={name: float(column[0]) for name, column in metabolism.terms(signals, now).items()},
        inputs=_inputs(signals, now),
        why=await reason(store, seen[0].text, signals, now, forecast[0].at, analyzer),
        forecast=forecast,
        curve=_curve(metabolism, signals, now, days),
    )


def _inputs(s: Signals, now: float) -> dict[str, Any]:
    """The numbers the formula was fed with, times as seconds before now."""
    counts = (
        "in_degree",
        "out_degree",
        "access_count",
        "traverse_count",
        "scan_count",
        "original_length",
        "length",
    )
    times = ("created_at", "last_accessed_at", "last_linked_at", "scored_at")
    own = ("base", "weight", "importance", "strength", "use_long", "use_short", "prior", "superseded")
    found: dict[str, Any] = {name: int(getattr(s, name)[0]) for name in counts}
    for name in times:
        if len(column := getattr(s, name)) and np.isfinite(column[0]):
            found[f"seconds_since_{name.removesuffix('_at')}"] = now - float(column[0])
    for name in own:
        if len(column := getattr(s, name)):
            found[name] = float(column[0])
    return found


def _forecast(metabolism: Metabolism, s: Signals, now: float) -> tuple[Coming, ...]:
    coming = []
    for forecast in metabolism.fades_at(s, now):
        at = None if forecast.at is None else float(forecast.at[0])
        scans = None if forecast.scans is None else float(forecast.scans[0])
        coming.append(
            Coming(
                forecast.event,
                at=None if at == FOREVER else at,
                scans=None if scans is None or scans == FOREVER else int(scans),
            )
        )
    return tuple(coming)


def _curve(metabolism: Metabolism, s: Signals, now: float, days: float) -> tuple[tuple[float, float], ...]:
    """From now on, over days; for a network mind, which knows no days, over scans until every link is worn away."""
    if (network := networked(metabolism)) is not None:
        scans = np.linspace(0, network.longest_life(), CURVE_POINTS).astype(int).tolist()
        return tuple((float(n), float(network.vitality(s, now, n)[0])) for n in scans)
    moments = np.linspace(now, now + days * DAY, CURVE_POINTS).tolist()
    return tuple((moment, float(metabolism.vitality(s, moment)[0])) for moment in moments)
