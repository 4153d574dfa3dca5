"""Calendar days that an expression of time stands for, with the tolerance that goes with it.   SPEC K3.

A day is its proleptic Gregorian ordinal, as in `datetime.date`, and weeks begin on Monday. A memory of an event is
often made some days after it, so tolerances reach further to the right:

    a day, a weekend, the first or last days of a month    1 day before, 4 days after
    a week                                                  1 day before, 3 days after
    a month, a season, a quarter, a year                    1 day before, 7 days after
    N units ago                                             max(1 day, 0.4 unit) on both sides
"""

from collections.abc import Callable
from datetime import date
from typing import Literal, NamedTuple

Unit = Literal["hour", "day", "week", "month", "year"]
Part = Literal["early", "mid", "late"]

LENGTH: dict[Unit, float] = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_TOLERANCE: dict[Unit, int] = {"hour": 1, "day": 1, "week": 3, "month": 12, "year": 146}  # days: max(1, 0.4 unit)
_EARLIEST, _LATEST = 1900, 2200  # years: what lies outside is not about a mind's memories


class Days(NamedTuple):
    """From one day to another, both included, and how many days before and after them count as well."""

    first: int
    last: int
    before: int = 1
    after: int = 4


Yearly = Callable[[int], Days | None]  # what comes back every year, and its days in a given one


class Named(NamedTuple):
    """What an expression names. No days: it is a time, but not one that a memory can be from."""

    days: Days | None
    yearly: Yearly | None = None  # where the year was left out


def day(year: int, month: int, number: int) -> Days | None:
    """One day; None if there is no such day."""
    if not _EARLIEST <= year <= _LATEST:
        return None
    try:
        ordinal = date(year, month, number).toordinal()
    except ValueError:
        return None
    return Days(ordinal, ordinal)


def between(one: Days | None, other: Days | None, after: int = 7) -> Days | None:
    if one is None or other is None or one.first > other.last:
        return None
    return Days(one.first, other.last, 1, after)


# ---- months and years


def month(year: int, number: int) -> Days | None:
    first, following = day(year, number, 1), day(year + number // 12, number % 12 + 1, 1)
    return first and following and Days(first.first, following.first - 1, 1, 7)


def part_of_month(year: int, number: int, part: Part) -> Days | None:
    """The first ten days, the ten after them, the rest."""
    whole = month(year, number)
    if whole is None:
        return None
    tenth = whole.first + 10
    return {
        "early": Days(whole.first, tenth - 1),
        "mid": Days(tenth, tenth + 9),
        "late": Days(tenth + 10, whole.last),
    }[part]


def half_of_month(year: int, number: int, nth: int) -> Days | None:
    whole = month(year, number)
    if whole is None:
        return None
    middle = whole.first + 15
    return Days(whole.first, middle - 1) if nth == 1 else Days(middle, whole.last)


def week_of_month(year: int, number: int, week: int) -> Days | None:
    """The first seven days, the seven after them …; the last seven for 0."""
    whole = month(year, number)
    if whole is None or not 0 <= week <= 5:
        return None
    first = whole.first + 7 * (week - 1) if week else whole.last - 6
    return Days(first, min(first + 6, whole.last), 1, 3)


def months(year: int, first: int, last: int) -> Days | None:
    """From one month to another; a last month before the first one belongs to the following year."""
    return between(month(year, first), month(year + (last < first), last))


def whole_year(year: int) -> Days | None:
    return months(year, 1, 12)


def part_of_year(year: int, part: Part) -> Days | None:
    return months(year, *{"early": (1, 3), "mid": (5, 8), "late": (10, 12)}[part])


def quarter(year: int, number: int) -> Days | None:
    return months(year, 3 * number - 2, 3 * number)


def half(year: int, number: int) -> Days | None:
    return months(year, 6 * number - 5, 6 * number)


_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "winter": (12, 2)}


def season(year: int, name: str) -> Days | None:
    """Whole months, as north of the equator; a winter belongs to the year in which it begins."""
    return months(year, *_SEASONS[name])


def latest(yearly: Yearly, today: int, over: bool = False) -> Days | None:
    """The last one that is not after today; `over`: the last one that has ended before today."""
    this_year = date.fromordinal(today).year
    found = (yearly(this_year - back) for back in range(9))  # 29 February comes back after eight years at the latest
    return next((days for days in found if days and (days.last if over else days.first - 1) < today), None)


def months_back(today: int, count: int) -> tuple[int, int]:
    """The year and the month that many months before today's."""
    now = date.fromordinal(today)
    year, index = divmod(now.year * 12 + now.month - 1 - count, 12)
    return year, index + 1


def quarter_back(today: int, count: int) -> Days | None:
    """The quarter that many quarters before today's."""
    year, number = months_back(today, 3 * count)
    return quarter(year, (number + 2) // 3)


# ---- relative to today


def weekday(today: int, number: int, weeks: int = 0) -> Days:
    """A day of this week, 0 for Monday, or of the week that many weeks ago."""
    ordinal = _monday(today) - 7 * weeks + number
    return Days(ordinal, ordinal)


def latest_weekday(today: int, number: int, over: bool = False) -> Days:
    """The last such day that is not after today; `over`: that is before today."""
    days = weekday(today, number)
    return days if days.first < today + (not over) else weekday(today, number, 1)


def weekend(today: int, weeks: int = 0) -> Days:
    saturday = _monday(today) - 7 * weeks + 5
    return Days(saturday, saturday + 1)


def week(today: int, weeks: int = 0) -> Days:
    monday = _monday(today) - 7 * weeks
    return Days(monday, monday + 6, 1, 3)


def some_days(today: int, first: int, last: int = 0) -> Days:
    """From so many days ago to so many days ago, a day more or less."""
    return Days(today - first, today - last, 1, 1)


def ago(today: int, count: float, unit: Unit) -> Days | None:
    near = _back(today, count, unit)
    return None if near is None else Days(near, near, _TOLERANCE[unit], _TOLERANCE[unit])


def some_ago(today: int, unit: Unit) -> Days | None:
    """A few units ago: from five to two."""
    first, last = _back(today, 5, unit), _back(today, 2, unit)
    return None if first is None or last is None else Days(first, last, _TOLERANCE[unit], _TOLERANCE[unit])


def past(today: int, count: float, unit: Unit) -> Days | None:
    """The units up to today."""
    first = _back(today, count, unit)
    return None if first is None else Days(first, today, 1, 1)


def _monday(today: int) -> int:
    return today - (today - 1) % 7  # the ordinal 1 was a Monday


def _back(today: int, count: float, unit: Unit) -> int | None:
    if unit in ("month", "year") and count == int(count):
        return _months_ago(today, int(count) * (12 if unit == "year" else 1))
    ordinal = today - int(count * LENGTH[unit])
    return ordinal if ordinal > date(_EARLIEST, 1, 1).toordinal() else None


def _months_ago(today: int, count: int) -> int | None:
    """The same day of an earlier month, or its last day where that one is shorter."""
    year, number = months_back(today, count)
    whole = month(year, number)
    return whole and min(whole.first + date.fromordinal(today).day - 1, whole.last)
