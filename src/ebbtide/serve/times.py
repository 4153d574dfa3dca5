"""Moments and spans as people type them, and as they read them. Inside, time is a float."""

import re
from datetime import UTC, datetime

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, HOUR

_UNITS = {"s": 1.0, "m": 60.0, "h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365.25 * DAY}
_SPAN = re.compile(r"([+-]?)(\d+(?:\.\d+)?)([smhdwy])")


def moment(text: str, now: float) -> float:
    """A date, a date and time (UTC unless it says otherwise), or an offset from now such as -3d or +12h."""
    from ebbtide.mind.moments import moment as meant  # with it comes NumPy, which `--help` must not wait for

    return meant(text, now)


def span(text: str) -> float:
    """Seconds in 90d, 12h, 30m."""
    found = _SPAN.fullmatch(text)
    if not found or found[1]:
        problem = f"{text!r:.80} is not a span of time: use a number with s, m, h, d, w or y, like 90d"
        raise InvalidInput(problem=problem)
    return _seconds(found)


def _seconds(found: re.Match[str]) -> float:
    return float(found[2]) * _UNITS[found[3]]


def iso(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:.0f} s"


def distance(seconds: float) -> str:
    """How people say a span: the largest unit that fits, e.g. 3.2 days."""
    size = abs(seconds)
    for unit, length in (("year", 365.25 * DAY), ("day", DAY), ("hour", HOUR), ("minute", 60.0)):
        if size >= length:
            return f"{size / length:.1f} {unit}s"
    return "1 second" if round(size) == 1 else f"{size:.0f} seconds"


def relative(then: float, now: float) -> str:
    return f"in {distance(then - now)}" if then > now else f"{distance(now - then)} ago"
