"""On which day a holiday falls."""

from datetime import date

import pytest

from ebbtide.models.timewords.holidays import CHINESE, ENGLISH


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("christmas", "2024-12-25"), ("easter", "2024-03-31"), ("easter", "2025-04-20"), ("easter", "2038-04-25"),
        ("good friday", "2024-03-29"), ("thanksgiving", "2024-11-28"), ("black friday", "2024-11-29"),
        ("mother's day", "2024-05-12"), ("father's day", "2024-06-16"), ("labor day", "2024-09-02"),
        ("memorial day", "2024-05-27"), ("memorial day", "2021-05-31"),
    ],
)  # fmt: skip
def test_an_english_holiday_falls_on_this_day(name: str, expected: str) -> None:
    day = date.fromisoformat(expected)
    assert ENGLISH[name](day.year) == (day.toordinal(), day.toordinal(), 1, 4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("大年初一", "2000-02-05"), ("大年初一", "2024-02-10"), ("大年初一", "2025-01-29"), ("大年初一", "2050-01-23"),
        ("除夕", "2024-02-09"), ("元宵", "2024-02-24"), ("端午", "2024-06-10"), ("端午", "2025-05-31"),
        ("七夕", "2024-08-10"), ("中秋", "2024-09-17"), ("中秋", "2025-10-06"), ("重阳", "2024-10-11"),
    ],
)  # fmt: skip
def test_a_chinese_holiday_falls_on_this_day(name: str, expected: str) -> None:
    day = date.fromisoformat(expected)
    assert CHINESE[name](day.year) == (day.toordinal(), day.toordinal(), 1, 4)


def test_a_holiday_of_the_lunar_calendar_is_known_from_2000_to_2050() -> None:
    assert CHINESE["春节"](1999) is None
    assert CHINESE["春节"](2051) is None
    assert all(table(year) for table in CHINESE.values() for year in range(2000, 2051))
