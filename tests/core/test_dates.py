"""Dates as a text names them, in English and Chinese."""

import pytest

from ebbtide.core.dates import named, of

NAMED = [
    ("7 May 2023", {"2023-5", "2023-5-7"}),
    ("on May 7, 2023.", {"2023-5", "2023-5-7"}),
    ("the 7th of May", {"-5", "-5-7"}),
    ("The week before 9 June 2023", {"2023-6", "2023-6-9"}),
    ("Sept. 3rd and December", {"-9", "-9-3", "-12"}),
    ("June 2023", {"2023-6"}),
    ("2023-05-07", {"2023-5", "2023-5-7"}),
    ("2023/11", {"2023-11"}),
    ("2023年5月7日", {"2023-5", "2023-5-7"}),
    ("五月三日搬家", {"-5", "-5-3"}),
    ("十二月三十一号", {"-12", "-12-31"}),
    ("十月二十日", {"-10", "-10-20"}),
]
NO_DATES = [
    "",
    "May I go? March on.",
    "5 apples and 12 pears",
    "in 2023",
    "8:40",
    "三个月",
    "13月",
    "0月",
    "version 1.2.3",
]


@pytest.mark.parametrize(("text", "terms"), NAMED)
def test_a_date_is_known_by_its_month_and_by_its_day(text: str, terms: set[str]) -> None:
    assert named(text) == terms


@pytest.mark.parametrize("text", NO_DATES)
def test_what_is_no_date_names_none(text: str) -> None:
    assert named(text) == frozenset()


def test_a_day_can_be_named_with_and_without_its_year() -> None:
    assert of(2023, 5, 7) == {"2023-5", "2023-5-7", "-5", "-5-7"}
    assert named("7 May") <= of(2023, 5, 7)
    assert named("7 May 2022").isdisjoint(of(2023, 5, 7))
