"""Moments as people say them: a date, a time, or so long from now. Inside, a moment is a float."""

import math
import re
from datetime import UTC, datetime
from numbers import Real
from typing import Any

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, HOUR

UNITS = {"s": 1.0, "m": 60.0, "h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365.25 * DAY}
SPAN = re.compile(r"([+-]?)(\d+(?:\.\d+)?)([smhdwy])")
_FORMS = "use 2026-11-15, 2026-11-15T08:30, or an offset like -3d or +12h"


def moment(text: str, now: float) -> float:
    """A date, a date and time (UTC unless it says otherwise), or an offset from now such as -3d or +12h."""
    if text == "now":
        return now
    try:
        if found := SPAN.fullmatch(text):
            ahead = float(found[2]) * UNITS[found[3]]
            return _on_the_calendar(now - ahead if found[1] == "-" else now + ahead)
        when = datetime.fromisoformat(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(problem=f"{text!r:.80} is not a moment: {_FORMS}") from None


def instant(given: Any, now: float) -> float:
    """The moment meant, as seconds since 1970 or in words."""
    if isinstance(given, str):
        return moment(given, now)
    if isinstance(given, bool) or not isinstance(given, Real) or not math.isfinite(given):
        raise InvalidInput(problem=f"{given!r:.80} is not a moment: give seconds since 1970, or {_FORMS}")
    try:
        return _on_the_calendar(float(given))
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(problem=f"{given!r:.80} is on no calendar: moments end with the year 9999") from None


def _on_the_calendar(seconds: float) -> float:
    """This moment, if there is such a day."""
    datetime.fromtimestamp(seconds, UTC)
    return seconds
