"""Which spans of time a question names, in Chinese and English, relative to the time of the question.   SPEC K3.

The rules:

- A span reaches over whole days of the calendar, UTC, and includes its tolerance (`timewords/calendar.py`).
- What is said without its year, month or week is the last one that is not after the question: "in July", asked in June,
  is July of the year before.
- A time to come (tomorrow, next week, 明天) gives no span: a plan for it was remembered at some other time, and
  memories are matched by when they were made.
- Neither does a frequency or a duration (every Monday, for two weeks, 每周三), nor what has no beginning (before May).
- "since May" reaches up to the question, "between May and July" from the one to the other.
- Words that mostly are no times (may, march, spring, a number alone) need a word beside them that makes them one.
- Only the first 2,000 characters are read: questions are short, and the cost of a long text stays bounded.

It is written by hand because dateparser 1.5, the library that comes closest, takes 1 to 2 ms a question and 170 ms to
import, gives moments instead of spans, misses 去年五月, 三天前, 半年前 and "last summer", and reads "may I" as a month.
"""

import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from ebbtide.core.memory import DAY
from ebbtide.core.spans import Span
from ebbtide.models.timewords import chinese, english
from ebbtide.models.timewords.calendar import Days, Named, Yearly

_READ = 2_000  # characters
_MOST = 8  # spans: a text that names more is no question about a time
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = date(1900, 1, 1).toordinal(), date(2190, 1, 1).toordinal()
_HAN = re.compile("[\u4e00-\u9fff]")
_SPACED = re.compile("(?<=[0-9]) (?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]) (?=[0-9])")  # 2023 年 5 月 7 日
_BETWEEN = re.compile(r"\bbetween (?:the )?$", re.IGNORECASE)
_JOINTS = ("to", "until", "till", "through", "-", "–", "—", "~", "到", "至")
_NO_SPAN = ("before", "prior to", "until", "till", "by", "every", "each", "most")


class _Found(NamedTuple):
    start: int
    end: int
    prefix: str
    named: Named


def named_times(text: str, at: float) -> tuple[Span, ...]:
    """The spans of time that a question asked at this moment names, in its order. Never fails; none for most texts.

    Every span begins before the question. One whose expression covers the day of the question may end after it.
    """
    today = _day_of(at)
    if today is None:
        return ()
    spans = dict.fromkeys(_span(days) for days in _days(_plain(text), today))
    return tuple(spans)[:_MOST]


def _day_of(at: float) -> int | None:
    if not math.isfinite(at):
        return None
    today = math.floor(at / DAY) + _EPOCH
    return today if _FIRST <= today <= _LAST else None


def _plain(text: str) -> str:
    """Runs of white space as one space, full-width digits as digits, typographic apostrophes as plain ones."""
    begins = text[:_READ]
    if not begins.isascii():
        begins = _SPACED.sub("", unicodedata.normalize("NFKC", begins)[:_READ].replace("’", "'"))
    return " ".join(begins.split())


def _span(days: Days) -> Span:
    return Span((days.first - days.before - _EPOCH) * DAY, (days.last + 1 + days.after - _EPOCH) * DAY)


def _days(text: str, today: int) -> Iterator[Days]:
    for found in _joined(text, list(_found(text, today))):
        days = found.named.days
        if days is None or found.prefix in _NO_SPAN or days.first > today:
            continue
        yield Days(days.first, today, days.before, 1) if found.prefix in ("since", "after") else days


def _found(text: str, today: int) -> Iterator[_Found]:
    if not text.isascii() and _HAN.search(text):
        yield from (_Found(*found) for found in chinese.expressions(text, today))
    yield from (_Found(*found) for found in english.expressions(text, today))


# ---- from one time to another


def _joined(text: str, found: list[_Found]) -> Iterator[_Found]:
    """What was found, where two that are joined by "to" or 到 become one."""
    found.sort(key=lambda one: (one.start, one.end))
    index = 0
    while index < len(found):
        one, other = found[index], found[index + 1] if index + 1 < len(found) else None
        index += 1
        if other and _joins(text, one, other):
            index += 1
            prefix = one.prefix if one.prefix in _NO_SPAN else ""  # every Monday to Friday; since May to July
            one = _Found(one.start, other.end, prefix, Named(_from_to(one.named, other.named)))
        yield one


def _joins(text: str, one: _Found, other: _Found) -> bool:
    joint = text[one.end : text.find(" ", other.start) if other.prefix in ("until", "till") else other.start]
    word = joint.strip().lower().removesuffix("the").strip()
    if word in ("and", "和"):
        return bool(_BETWEEN.search(text, max(0, one.start - 20), one.start)) or text.startswith("之间", other.end)
    return word in _JOINTS


def _from_to(one: Named, other: Named) -> Days | None:
    """A year that one of the two leaves out is the other's, or the one beside it that keeps them in order."""
    first, last = one.days, other.days
    if one.yearly and last:
        first = _near(one.yearly, last, backwards=True)
    elif other.yearly and first:
        last = _near(other.yearly, first, backwards=False)
    if first is None or last is None or first.first > last.last:
        return None
    return Days(first.first, last.last, first.before, last.after)


def _near(yearly: Yearly, days: Days, *, backwards: bool) -> Days | None:
    year = date.fromordinal(days.first).year
    if backwards:
        return next((found for y in (year, year - 1) if (found := yearly(y)) and found.first <= days.first), None)
    return next((found for y in (year, year + 1) if (found := yearly(y)) and found.first >= days.first), None)
