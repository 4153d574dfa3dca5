"""Times that an English question names: a reader for each alternative of the pattern."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import NamedTuple

from ebbtide.core.numerals import MONTHS, NUMBER_WORDS
from ebbtide.models.timewords import calendar
from ebbtide.models.timewords.calendar import Days, Named, Yearly
from ebbtide.models.timewords.english_pattern import (
    CLOSES,
    EXPRESSION,
    HABIT,
    JOINED_AFTER,
    JOINED_BEFORE,
    OPENS,
    STARTS,
    TOKEN,
    TRIGGERS,
)
from ebbtide.models.timewords.english_words import count_of, number_of, part_of, unit_of, year_of
from ebbtide.models.timewords.holidays import ENGLISH as HOLIDAYS


class Question(NamedTuple):
    """A question in small letters, as it was written, and the day on which it is asked."""

    text: str
    written: str
    today: int

    def before(self, match: re.Match[str]) -> str:
        """The word before an expression that makes a time of a doubtful one; "" if there is none."""
        start = match.start(match.lastgroup or 0)
        found = OPENS.search(self.text, max(0, start - 20), start)
        return found[1] if found else ""


def expressions(text: str, today: int) -> Iterator[tuple[int, int, str, Named]]:
    """Where each expression begins and ends, the word before it that changes its meaning, and what it names."""
    small = text.lower()
    if TRIGGERS.isdisjoint(TOKEN.findall(small)):
        return
    question = Question(small, text if len(text) == len(small) else small, today)
    for match in _matches(small):
        named = _READERS[match.lastgroup or ""](match, question)
        if named is not None and not (named.yearly and HABIT.search(small)):
            gap, prefix = match["gap"], match["prefix"] or ""
            named = _moved(named, gap, prefix) if gap else named
            yield match.start(), match.end(), "" if gap else prefix, named


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Tried only at words that may begin an expression: ten times as fast as a search."""
    end = 0
    for token in TOKEN.finditer(text):
        start = token.start()
        if start >= end and token[0] in STARTS and (match := EXPRESSION.match(text, start)):
            end = match.end()
            yield match


def _moved(named: Named, gap: str, prefix: str) -> Named:
    """Two days before, the week after, the Sunday before: the days between, and up to when it may have been told."""
    if named.days is None:
        return named
    *how_many, unit = gap.removeprefix("last ").split()
    count = (count_of(" ".join(how_many)) or 3) if how_many else 1.0
    length = max(1, round(count * calendar.LENGTH[unit_of(unit)]))
    if prefix == "after":
        return Named(named.days._replace(first=named.days.last + 1, last=named.days.last + length))
    return Named(named.days._replace(first=named.days.first - length, last=named.days.first - 1))


# ---- what is dated


def _iso(match: re.Match[str], _: Question) -> Named | None:
    year, month = int(match["iy"]), int(match["im"])
    if match["id"]:
        return Named(calendar.day(year, month, int(match["id"])))
    return Named(calendar.month(year, month)) if match["cut"] != "." else None


def _slashed(match: re.Match[str], question: Question) -> Named | None:
    """The month first, unless only the other order is a date or there are dots. 24/7 and 1/2 are mostly no dates."""
    month, day = int(match["sa"]), int(match["sb"] or match["sc"])
    said = match["sy"] or match["sz"]
    if not said and not _surely_a_date(match, question, month, day):
        return None
    if month > 12 or (match["scut"] == "." and day <= 12):
        month, day = day, month
    year = int(said) + (2000 if len(said) == 2 else 0) if said else None
    return _yearly(lambda year: calendar.day(year, month, day), year, None, question.today)


def _surely_a_date(match: re.Match[str], question: Question, one: int, other: int) -> bool:
    if question.before(match) == "on" or question.text.endswith("day ", 0, match.start("slashed")):
        return True
    return max(one, other) > 12 and (one, other) != (24, 7)


def _yearly(of: Yearly, year: int | None, which: str | None, today: int) -> Named:
    if year is not None:
        return Named(of(year))
    if which is None:
        return Named(calendar.latest(of, today), of)
    if which in ("last", "past", "this past", "previous"):
        return Named(calendar.latest(of, today, over=True))
    return Named(of(date.fromordinal(today).year) if which == "this" else None)


def _monthly(match: re.Match[str], question: Question) -> Named | None:
    which, part, year = match["mwhich"] or match["malso"], match["mpart"], year_of(match["my"], question.today)
    first, last = number_of(match["d1"] or match["d3"]), number_of(match["d2"] or match["d4"])
    if not (first or part or which or year) and not _surely_a_month(match, question):
        return None
    number = next(number for number, name in enumerate(MONTHS, 1) if name[:3] == match["month"][:3])
    return _yearly(partial(_days_of_month, number, first, last, part), year, which, question.today)


def _days_of_month(number: int, first: int | None, last: int | None, part: str | None, year: int) -> Days | None:
    if first is not None:
        one = calendar.day(year, number, first)
        return calendar.between(one, calendar.day(year, number, last), 4) if last else one
    if part is None:
        return calendar.month(year, number)
    if "half" in part:
        return calendar.half_of_month(year, number, 1 if "first" in part else 2)
    read = part_of(part)
    if isinstance(read, int):
        return calendar.week_of_month(year, number, read)
    return calendar.part_of_month(year, number, read)


def _surely_a_month(match: re.Match[str], question: Question) -> bool:
    """May, March, April, June and August are words and names as well, and so is what is cut short."""
    name, opens = match["month"].removesuffix("."), question.before(match) or match["prefix"] or ""
    if name in MONTHS and name not in ("may", "march", "april", "june", "august"):
        return True
    if opens in ("in", "during", "since", "of", "back in"):
        return True
    start, end = match.span("month")
    joined = JOINED_BEFORE.search(question.text, max(0, start - 20), start) or JOINED_AFTER.match(question.text, end)
    return question.written[start].isupper() and (joined is not None or opens in ("from", "between", "until", "by"))


def _season(match: re.Match[str], question: Question) -> Named | None:
    which, year = match["swhich"] or match["salso"], year_of(match["ssy"], question.today)
    opens = question.before(match) or match["prefix"]
    if not (which or year or opens in _BEFORE_A_SEASON):
        return None
    name = _SEASONS[match["sname"]]
    return _yearly(lambda year: calendar.season(year, name), year, which, question.today)


_BEFORE_A_SEASON = ("in", "during", "over", "since", "throughout", "all", "back in", "before", "after")


def _holiday(match: re.Match[str], question: Question) -> Named:
    year = year_of(match["hy"], question.today)
    return _yearly(HOLIDAYS[match["hname"]], year, match["hwhich"], question.today)


def _quarter(match: re.Match[str], question: Question) -> Named | None:
    number = int(match["q"] or 0) or NUMBER_WORDS[match["qword"] or "first"]
    if not match["qy"] and question.before(match) not in ("in", "during", "since", "of"):
        return None
    return _yearly(
        lambda year: calendar.quarter(year, number), year_of(match["qy"], question.today), None, question.today
    )


def _year(match: re.Match[str], question: Question) -> Named | None:
    if match["ypart"]:
        return Named(_part_of_year(match["ypart"], int(match["year"])))
    opens = question.before(match) or match["prefix"]
    if opens not in _BEFORE_A_YEAR or _COUNTED.match(question.text, match.end()):
        return None
    return Named(calendar.whole_year(int(match["year"])))


_BEFORE_A_YEAR = (
    "in", "during", "of", "since", "around", "from", "to", "through", "between", "and", "or", "throughout", "back in",
    "year", "before", "after", "until", "till", "by",
)  # fmt: skip
_COUNTED = re.compile(
    r" (?:words|people|dollars|euros|steps|met(?:er|re)s|calories|pages|times|pieces|items|hours|days)\b"
)


def _part_of_year(said: str, year: int) -> Days | None:
    if "half" in said:
        return calendar.half(year, 1 if "first" in said else 2)
    part = part_of(said)
    return None if isinstance(part, int) else calendar.part_of_year(year, part)


def _numbered(match: re.Match[str], question: Question) -> Named | None:
    """The 5th: of this month, or of the last one if it is still to come."""
    if not match["nmonth"] and question.before(match) not in ("on", "of", "since", "around", "from", "to"):
        return None
    back = {"this": (0,), "last": (1,), "next": ()}.get(match["nmonth"] or "", (0, 1))
    days = (calendar.day(*calendar.months_back(question.today, months), int(match["nday"])) for months in back)
    return Named(next((found for found in days if found and found.first <= question.today), None))


# ---- what is relative to the question


def _ago(match: re.Match[str], question: Question) -> Named:
    unit = unit_of(match["agounit"])
    count = count_of(match["agocount"]) if match["agocount"] else 1.5
    if count is None:
        return Named(calendar.some_ago(question.today, unit))
    if match["agounit"].startswith("fortnight"):
        count *= 2
    if (count, unit) == (0.5, "year"):
        count, unit = 6.0, "month"
    days = calendar.ago(question.today, count + (0.5 if match["andhalf"] else 0), unit)
    return Named(days and Days(days.first, days.last) if match["agotoday"] else days)


def _past(match: re.Match[str], question: Question) -> Named:
    said = match["pastunit"] or match["pastone"] or match["pastsole"]
    count = (count_of(match["pastcount"]) or 4) if match["pastcount"] else 1.0
    return Named(calendar.past(question.today, count, unit_of(said)))


def _same(match: re.Match[str], question: Question) -> Named:
    days = calendar.ago(question.today, 1, unit_of(match["samein"]))
    if "day" not in match["same"]:  # this time, the same week: roughly then
        return Named(days and Days(days.first, days.last, 7, 7))
    return Named(days and Days(days.first, days.last))


def _before_last(match: re.Match[str], question: Question) -> Named:
    said = match["blunit"]
    if said in _SEASONS or said.endswith("day"):
        return Named(_named_back(said, 2, question.today))
    return Named(_whole(said, 2, question.today))


def _ago_named(match: re.Match[str], question: Question) -> Named:
    return Named(_named_back(match["anname"], max(1, int(count_of(match["ancount"]) or 1)), question.today))


_SEASONS = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter"}


def _named_back(said: str, back: int, today: int) -> Days | None:
    """The last such weekday or season that is over is one back."""
    if said in _SEASONS:
        name = _SEASONS[said]
        return calendar.latest(lambda year: calendar.season(year, name), today - 365 * (back - 1), over=True)
    days = calendar.latest_weekday(today, _WEEKDAYS.index(said[:3]), over=True)
    return Days(days.first - 7 * (back - 1), days.last - 7 * (back - 1))


def _whole(unit: str, back: int, today: int) -> Days | None:
    """A whole unit of the calendar, so many units ago."""
    readers: dict[str, Callable[[], Days | None]] = {
        "night": lambda: calendar.some_days(today, back, back),
        "week": lambda: calendar.week(today, back),
        "weekend": lambda: calendar.weekend(today, back),
        "month": lambda: calendar.month(*calendar.months_back(today, back)),
        "quarter": lambda: calendar.quarter_back(today, back),
        "year": lambda: calendar.whole_year(date.fromordinal(today).year - back),
    }
    return readers[unit]()


def _relative(match: re.Match[str], question: Question) -> Named | None:
    which, unit, today = match["relwhich"], match["relunit"], question.today
    if match["relpart"]:
        return _part_of_relative(match["relpart"], match["relof"], unit, today)
    if which in ("next", "this coming", "coming", "upcoming", "following"):
        return Named(None)
    if unit == "time":
        return _last_time(which, match, question)
    if unit in ("morning", "afternoon", "evening"):
        return Named(calendar.some_days(today, 0)) if which == "this" else None
    if which in ("past", "this past") and unit in ("week", "month", "year"):
        return Named(calendar.past(today, 1, unit_of(unit)))
    if unit == "night" and which == "this":
        return Named(calendar.some_days(today, 0))
    return Named(_whole(unit, 0 if which == "this" else 1, today))


def _last_time(which: str, match: re.Match[str], question: Question) -> Named | None:
    """The last two weeks, as in: what did we say last time? But "when was the last time that …" asks for a time."""
    asked = question.text[max(0, match.start() - 4) : match.start()].endswith("the ")
    return None if asked or which != "last" else Named(calendar.some_days(question.today, 14))


def _part_of_relative(said: str, which: str, unit: str, today: int) -> Named | None:
    """The end of last month, earlier this year; "the end of the month" is the last one that has begun."""
    if unit not in ("month", "year", "week"):
        return None
    if said in ("earlier", "later"):
        return Named(_whole(unit, 0, today) if which == "this" and said == "earlier" else None)
    back = {"this": 0, "last": 1, "previous": 1, "the": 0}.get(which)
    if back is None or unit == "week":
        return Named(_whole(unit, back, today) if back is not None else None)
    days = _part_of(said, unit, back, today)
    if which == "the" and days and days.first > today:
        days = _part_of(said, unit, 1, today)
    return Named(days)


def _part_of(said: str, unit: str, back: int, today: int) -> Days | None:
    if unit == "year":
        return _part_of_year(said, date.fromordinal(today).year - back)
    year, month = calendar.months_back(today, back)
    return _days_of_month(month, None, None, said, year)


def _weekday(match: re.Match[str], question: Question) -> Named | None:
    which, number = match["wdwhich"], _WEEKDAYS.index(match["wday"][:3])
    if (match["wdpart"] or "").endswith("s") or HABIT.search(question.text):
        return None
    if match["wdweek"]:
        back = {"last": 1, "previous": 1, "this": 0}.get(match["wdweek"])
        return Named(None if back is None else calendar.weekday(question.today, number, back))
    if which in (None, "past", "last", "this past", "previous"):
        return _latest_weekday(match, question, number, which)
    return Named(calendar.weekday(question.today, number) if which == "this" else None)


_SATURDAY = 5
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _latest_weekday(match: re.Match[str], question: Question, number: int, which: str | None) -> Named | None:
    """Last Monday, said on a Thursday, is three or ten days ago: both count."""
    days = calendar.latest_weekday(question.today, number, over=which is not None)
    if which in ("last", "previous"):
        of_last_week = calendar.weekday(question.today, number, 1)
        return Named(days._replace(first=of_last_week.first))
    opens = question.before(match) or match["prefix"] or ""
    some = question.text.endswith((" a ", " any "), 0, match.start("weekday"))  # on a Sunday: any of them
    sure = which or opens in _BEFORE_A_WEEKDAY or match["wdpart"] or CLOSES.match(question.text, match.end())
    return Named(days) if sure and not some else None


_BEFORE_A_WEEKDAY = ("on", "since", "before", "after", "from", "to", "between", "through", "until", "till")


def _word(match: re.Match[str], question: Question) -> Named | None:
    word, today = match["word"].split()[0], question.today
    if word == "recently" and question.text.endswith("most ", 0, match.start()):
        return None  # the latest, which may be long ago
    spans = {"yesterday": (1, 1), "today": (0, 0), "tonight": (0, 0), "the": (7, 1)}
    if word == "tomorrow":
        return Named(None)
    if word in ("over", "at"):
        return Named(calendar.latest_weekday(today, _SATURDAY)._replace(after=5))
    return Named(calendar.some_days(today, *spans.get(word, (30, 0))))


_READERS: dict[str, Callable[[re.Match[str], Question], Named | None]] = {
    "iso": _iso, "slashed": _slashed, "monthly": _monthly, "same": _same, "ago": _ago, "agonamed": _ago_named,
    "past": _past, "beforelast": _before_last, "relative": _relative, "weekday": _weekday, "season": _season,
    "holiday": _holiday, "quarter": _quarter, "numbered": _numbered, "yearly": _year, "word": _word,
}  # fmt: skip
