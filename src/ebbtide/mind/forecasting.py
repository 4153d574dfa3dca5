"""What will become of a whole mind if nothing happens: who turns cold, expires or becomes deletable, when and why."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, Content
from ebbtide.core.metabolism import Forecast, Metabolism, networked
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals


@dataclass(frozen=True, slots=True)
class Fate:
    """One thing that will happen to one memory, what the formula will say then, and what the memory says."""

    key: str
    event: str
    at: float | None  # a moment, or
    scans: int | None  # in a network mind, after so many scans
    why: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Outlook:
    """`counts` has every event within reach, `fates` the first of them in order of time."""

    at: float
    metabolism: str
    days: float | None
    scans: int | None
    counts: dict[str, int]
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True)
class _Event:
    row: int
    event: str
    when: float


async def outlook(store: Store, now: float, days: float | None, scans: int | None, limit: int) -> Outlook:
    """The days to come; of a network mind, which knows no days, the scans to come."""
    metabolism = store.regime.metabolism
    by_scans = metabolism.traits.by_scans
    reach = _reach(by_scans, days, scans)
    if limit < 0:
        raise InvalidInput(problem=f"a forecast cannot list {limit} events: 0 lists none and counts all")
    signals = (await store.signals()).copy()
    coming = list(_coming(metabolism, signals, now, reach))
    counts = {event: len(rows) for event, rows, _ in coming if len(rows)}
    events = _first(coming, limit)
    contents = await store.contents([int(signals.id[event.row]) for event in events])
    fates = tuple(
        _fate(metabolism, signals, now, event, contents[memory])
        for event in events
        if (memory := int(signals.id[event.row])) in contents
    )
    return Outlook(now, metabolism.name, None if by_scans else reach, int(reach) if by_scans else None, counts, fates)


def _reach(by_scans: bool, days: float | None, scans: int | None) -> float:
    if by_scans and days is not None:
        raise InvalidInput(problem="a network mind fades by scans, not by days: ask for so many scans")
    if not by_scans and scans is not None:
        raise InvalidInput(problem="only a network mind fades by scans: ask for so many days")
    reach = float(scans if scans is not None else 100) if by_scans else float(days if days is not None else 30.0)
    if not 0.0 < reach < float("inf") or (by_scans and not reach.is_integer()):
        raise InvalidInput(problem=f"a forecast looks ahead, not {reach:g} {'scans' if by_scans else 'days'}")
    return reach


def _coming(metabolism: Metabolism, s: Signals, now: float, reach: float) -> Iterator[tuple[str, Column, Column]]:
    """For each event the rows it will happen to within reach, and when. What has happened already is no forecast."""
    for forecast in metabolism.fades_at(s, now):
        when, start, end = _when(forecast, now, reach)
        rows = np.flatnonzero((when > start) & (when <= end))
        yield forecast.event, rows, when[rows]


def _when(forecast: Forecast, now: float, reach: float) -> tuple[Column, float, float]:
    if forecast.scans is not None:
        return forecast.scans, 0.0, reach
    assert forecast.at is not None
    return forecast.at, now, now + reach * DAY


def _first(coming: list[tuple[str, Column, Column]], limit: int) -> list[_Event]:
    """The soonest of all events, in order; of those at one moment, in order of row."""
    rows, when = (np.concatenate([part[i] for part in coming]) for i in (1, 2))
    event = np.repeat(np.arange(len(coming)), [len(part[1]) for part in coming])
    order = np.lexsort((event, rows, when))[:limit].tolist()
    return [_Event(int(rows[i]), coming[event[i]][0], float(when[i])) for i in order]


def _fate(metabolism: Metabolism, s: Signals, now: float, event: _Event, said: Content) -> Fate:
    row = s.take(np.array([event.row]))
    if (network := networked(metabolism)) is not None:
        scans = int(event.when)
        why = f"importance {network.vitality(row, now, scans)[0]:.3f} then"
        return Fate(said.key, event.event, None, scans, why, said.text)
    return Fate(said.key, event.event, event.when, None, metabolism.why(row, event.when), said.text)
