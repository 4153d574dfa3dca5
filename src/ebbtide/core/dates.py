"""The dates a text names, in English and Chinese, as terms that can be compared.   SPEC C15.

A date becomes one term for its month and one for its day, with the year where the text says it: "7 May 2023" is
`2023-5` and `2023-5-7`, "5月7日" is `-5` and `-5-7`. A moment has all four, so a text that leaves the year out still
names it. A number alone is never a date, and May and March without a day or a year are words like any other.
"""

import re
from collections.abc import Iterator

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_ALSO_WORDS = ("May", "March")
_HAN = {numeral: number for number, numeral in enumerate("〇一二三四五六七八九十")}
_DAY = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)"
_NUMERAL = r"\d{1,2}|[一二三四五六七八九十]{1,3}"

_ENGLISH = re.compile(
    rf"(?:(?<!\d){_DAY.format('before')}(?: of)?,? )?"
    rf"\b(?P<month>{'|'.join(f'{name[:3]}(?:{name[3:]})?' if name[3:] else name for name in _MONTHS)}|Sept)\b\.?"
    rf"(?: {_DAY.format('after')})?(?:,? (?P<year>\d{{4}})\b)?"
)
_CHINESE = re.compile(
    rf"(?:(?<!\d)(?P<year>\d{{4}}) ?年 ?)?(?<![\d一二三四五六七八九十])(?P<month>{_NUMERAL}) ?月"
    rf"(?: ?(?P<day>{_NUMERAL}) ?[日号])?"
)
_DIGITS = re.compile(r"(?<!\d)(?P<year>\d{4})([-/.])(?P<month>\d{1,2})(?:\2(?P<day>\d{1,2}))?(?!\d)")


def named(text: str) -> frozenset[str]:
    """The terms of all dates that a text names."""
    return frozenset(term for date in _dates(text) for term in _terms(*date))


def of(year: int, month: int, day: int) -> frozenset[str]:
    """The terms of one day: those by which a text may name it."""
    return frozenset({*_terms(year, month, day), *_terms(None, month, day)})


def _terms(year: int | None, month: int, day: int | None) -> Iterator[str]:
    if 1 <= month <= 12:
        yield f"{year or ''}-{month}"
        if day is not None and 1 <= day <= 31:
            yield f"{year or ''}-{month}-{day}"


def _dates(text: str) -> Iterator[tuple[int | None, int, int | None]]:
    for found in _ENGLISH.finditer(text):
        day, year = found["before"] or found["after"], found["year"]
        if day or year or found["month"] not in _ALSO_WORDS:
            yield _number(year), _month(found["month"]), _number(day)
    for pattern in (_CHINESE, _DIGITS):
        for found in pattern.finditer(text):
            yield _number(found["year"]), _number(found["month"]) or 0, _number(found["day"])


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month[:3] == name[:3])


def _number(said: str | None) -> int | None:
    """In digits, or in Chinese up to 九十九: 十二 is 12, 三十 is 30, 二十一 is 21."""
    if said is None or said.isdigit():
        return None if said is None else int(said)
    tens, ten, ones = said.rpartition("十")
    return (_HAN.get(tens, 1) * 10 if ten else 0) + _HAN.get(ones, 0)
