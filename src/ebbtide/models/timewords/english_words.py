"""What the words inside an English expression of time say: how many, which unit, which day, year or part."""

import re
from datetime import date

from ebbtide.core.numerals import NUMBER_WORDS
from ebbtide.models.timewords.calendar import Part, Unit


def count_of(said: str) -> float | None:
    """None for a few."""
    if said.startswith("half"):
        return 0.5
    if "couple" in said:
        return 2.0
    if said in ("a", "an"):
        return 1.0
    if said[0].isdigit():
        return float(said)
    words = re.split("[- ]", said)
    return float(sum(NUMBER_WORDS[word] for word in words)) if words[0] in NUMBER_WORDS else None


def unit_of(said: str) -> Unit:
    name = said.removesuffix("s")
    return _UNITS.get(name, "week")


_UNITS: dict[str, Unit] = {  # a weekend, a fortnight and a weekday are told to the week
    "minute": "hour", "min": "hour", "hour": "hour", "hr": "hour", "day": "day", "night": "day", "month": "month",
    "year": "year", "yr": "year",
}  # fmt: skip


def number_of(said: str | None) -> int | None:
    if said is None:
        return None
    if said[0].isdigit():
        return int(re.sub(r"\D", "", said))
    return sum(NUMBER_WORDS[word] for word in re.split("[- ]", said))


def year_of(said: str | None, today: int) -> int | None:
    if said is None or said[0].isdigit():
        return None if said is None else int(said)
    back = {"last": 1, "prev": 1, "this": 0, "next": -1, "year": 2}[said[:4]]
    return date.fromordinal(today).year - back


def part_of(said: str) -> Part | int:
    """Its number for the first week of, 0 for the last one; early, mid or late for the rest."""
    for word, part in _PARTS.items():
        if word in said:
            return part
    return next(number for number, word in enumerate(("last", "first", "second", "third", "fourth")) if word in said)


_PARTS: dict[str, Part] = {
    "ear": "early", "start": "early", "begin": "early", "mid": "mid", "late": "late", "end": "late",
}  # fmt: skip
