"""Fields of the older table as they come: JSON of any shape, moments in any of the usual spellings."""

import math
import re
from datetime import UTC, datetime
from typing import Any

import msgspec

from ebbtide.core.draft import MAX_LABEL, require_text
from ebbtide.core.errors import InvalidInput

UNREADABLE = object()
_SECONDS_END = 1e11  # a count of seconds beyond the year 5000 is one of milliseconds
_NUMBER = re.compile(r"(?!\d{8}$)-?\d+(\.\d+)?")  # eight digits are a day: 20240131


def decoded(raw: Any) -> Any:
    """What a JSON column says; None if it is empty, UNREADABLE if it is not JSON."""
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, TypeError, UnicodeError, RecursionError):
        return UNREADABLE


def encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def is_label(value: Any) -> bool:
    try:
        require_text("label", value, MAX_LABEL)
    except InvalidInput:
        return False
    return True


def moment(value: Any) -> float | None:
    """UTC epoch seconds from seconds, milliseconds, ISO text or YYYY-MM-DD HH:MM:SS; without a zone: UTC."""
    if isinstance(value, str):
        text = value.strip()
        return _counted(text) if _NUMBER.fullmatch(text) else _spelled(text)
    return _counted(value) if isinstance(value, int | float) else None


def _counted(value: Any) -> float | None:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    while math.isfinite(number) and abs(number) >= _SECONDS_END:
        number /= 1000.0
    return number if math.isfinite(number) else None


def _spelled(text: str) -> float | None:
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def spelled_like(sample: Any, at: float) -> Any:
    """A moment, spelled the way the file spells its own."""
    if isinstance(sample, int | float):
        scale = 1000.0 if abs(sample) >= _SECONDS_END else 1.0
        return type(sample)(at * scale)
    text = sample.strip() if isinstance(sample, str) else ""
    then = datetime.fromtimestamp(at, UTC)
    if text[10:11] != "T":
        return then.strftime("%Y-%m-%d %H:%M:%S")
    spelled = then.replace(tzinfo=None).isoformat(timespec="milliseconds")
    return spelled + ("Z" if text.endswith("Z") else "+00:00")
