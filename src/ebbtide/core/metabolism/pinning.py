"""What a pin means to every metabolism, in one place.   SPEC C12.

    judge       the best state, and no marks; vitality and score are what they are
    fades_at    nothing ever comes
    why         that it is pinned, and what would be so without the pin
    expires_at, spent, reaping (retention), mergeable (activity): never, no, keep, no

A pin protects and is no score: `vitality`, `terms`, `scaled` and all bookkeeping are not touched, so no formula can
see it. Compression cycle and node pool, which are no metabolism's own, look at `Signals.pinned` themselves.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ebbtide.core.memory import CODE_OF, STATES
from ebbtide.core.metabolism.base import FOREVER, Forecast, Verdicts
from ebbtide.core.signals import Column, Signals

_M = TypeVar("_M", bound=type[Any])


def keeps_pinned(metabolism: _M) -> _M:
    """Class decorator: the metabolism's answers, with what a pin makes of them."""
    best = np.int8(CODE_OF[metabolism.states[0]])
    answers: dict[str, Callable[[Any, Column], Any]] = {
        "judge": lambda verdicts, pinned: _spared(verdicts, pinned, best),
        "fades_at": _never,
        "expires_at": lambda moments, pinned: np.where(pinned, FOREVER, moments),
        "spent": _none_of,
        "mergeable": _none_of,
        "reaping": lambda actions, pinned: np.where(pinned, np.int8(0), actions),
    }
    for name, kept in answers.items():
        if hasattr(metabolism, name):
            setattr(metabolism, name, _keeping(getattr(metabolism, name), kept))
    metabolism.why = _explaining(metabolism.why)
    return metabolism


def _keeping(answer: Callable[..., Any], kept: Callable[[Any, Column], Any]) -> Callable[..., Any]:
    @wraps(answer)
    def ask(self: Any, s: Signals, *args: Any) -> Any:
        found = answer(self, s, *args)
        return kept(found, s.pinned != 0) if s.pinned.any() else found

    return ask


def _explaining(why: Callable[..., str]) -> Callable[..., str]:
    @wraps(why)
    def ask(self: Any, s: Signals, now: float, *told: Any) -> str:
        if not s.pinned.any():
            return why(self, s, now, *told)
        bare = s.unpinned()
        state = STATES[int(self.judge(bare, now).state[0])]
        return f"pinned; without the pin {state}: {why(self, bare, now, *told)}"

    return ask


def _spared(verdicts: Verdicts, pinned: Column, best: np.int8) -> Verdicts:
    state = np.where(pinned, best, verdicts.state)
    return replace(verdicts, state=state, marks=np.where(pinned, np.int8(0), verdicts.marks))


def _never(forecasts: list[Forecast], pinned: Column) -> list[Forecast]:
    return [
        replace(
            forecast,
            at=None if forecast.at is None else np.where(pinned, FOREVER, forecast.at),
            scans=None if forecast.scans is None else np.where(pinned, FOREVER, forecast.scans),
        )
        for forecast in forecasts
    ]


def _none_of(rows: Column, pinned: Column) -> Column:
    none: Column = rows & ~pinned
    return none
