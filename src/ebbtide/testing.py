"""For tests of programs that use Ebbtide: a clock that stands still until it is told otherwise.

    clock = ebbtide.testing.Clock("2027-01-15")
    async with ebbtide.open("ada", data=folder, clock=clock) as mind:
        await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
        clock.advance(days=90)
        print((await mind.explain("ferry")).memory.state)

Any object with a method `now()` that gives seconds since 1970 can be a mind's clock; this one is made for tests.
"""

import math
from datetime import UTC, datetime, timedelta

from ebbtide.core.errors import InvalidInput

__all__ = ["Clock"]

START = 1_800_000_000.0  # 2027-01-15T08:00:00Z


class Clock:
    """Starts at `start` (seconds since 1970, or a date or time in ISO 8601: UTC unless it says otherwise)."""

    def __init__(self, start: float | str = START) -> None:
        self.set(start)

    def now(self) -> float:
        """The moment it stands at, in seconds since 1970."""
        return self._now

    def advance(self, *, days: float = 0.0, hours: float = 0.0, minutes: float = 0.0, seconds: float = 0.0) -> float:
        """Let so much time pass. Returns the new moment."""
        passed = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds()
        if passed < 0.0:
            raise InvalidInput(problem=f"time passes forwards: {passed:g} seconds would go back; `set` goes anywhere")
        return self.set(self._now + passed)

    def set(self, moment: float | str) -> float:
        """Go to this moment, also to an earlier one. Returns it."""
        self._now = _moment(moment)
        return self._now

    def __repr__(self) -> str:
        return f"Clock({datetime.fromtimestamp(self._now, UTC).isoformat()!r})"


def _moment(given: float | str) -> float:
    try:
        if isinstance(given, str):
            when = datetime.fromisoformat(given)
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        seconds = float(given)
        if math.isfinite(seconds):
            datetime.fromtimestamp(seconds, UTC)
            return seconds
    except (TypeError, ValueError, OverflowError, OSError):
        pass
    problem = f"{given!r:.80} is not a moment: give seconds since 1970, or a date such as 2027-01-15T08:00"
    raise InvalidInput(problem=problem)
