"""Clocks as a mind reads them. Here, and nowhere else, what a clock gives becomes a plain float."""

import math
from numbers import Real
from typing import Any

from ebbtide.core.errors import InvalidInput
from ebbtide.core.ports import Clock


class StoppedClock:
    def __init__(self, moment: float) -> None:
        self._moment = moment

    def now(self) -> float:
        return self._moment


class PlainClock:
    """Any clock, read as seconds since 1970 in a Python float: a clock may count in `int` or `numpy.float64`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> float:
        said: Any = self._clock.now()
        seconds = float(said) if isinstance(said, Real) else math.nan
        if not math.isfinite(seconds):
            problem = f"the clock {type(self._clock).__name__} says {said!r:.80}: it must give seconds since 1970"
            raise InvalidInput(problem=problem)
        return seconds


def plain_clock(clock: Clock) -> Clock:
    """The clock itself if it is known to give plain floats."""
    return clock if isinstance(clock, PlainClock | StoppedClock) else PlainClock(clock)
