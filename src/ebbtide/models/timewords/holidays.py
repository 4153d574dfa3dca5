"""Holidays: the day of each in a given year.

Those of the Chinese lunar calendar follow from new moons and solar terms; a table of fifty years serves instead.
"""

from datetime import date
from functools import partial

from ebbtide.models.timewords.calendar import Days, Yearly, day

_LUNAR_FROM = 2000


def _fixed(month: int, number: int, length: int = 1) -> Yearly:
    return partial(_first_day, month, number, length)


def _first_day(month: int, number: int, length: int, year: int) -> Days | None:
    return _lasting(day(year, month, number), length)


def _lasting(first: Days | None, length: int) -> Days | None:
    return first and Days(first.first, first.first + length - 1)


def _moved(yearly: Yearly, by: int, length: int = 1) -> Yearly:
    def of(year: int) -> Days | None:
        days = yearly(year)
        return days and Days(days.first + by, days.first + by + length - 1)

    return of


def _nth(month: int, weekday: int, nth: int) -> Yearly:
    """The nth such weekday of a month, 0 for Monday; the last one for 0."""

    def of(year: int) -> Days | None:
        edge = day(year, month, 1 if nth else 31)  # only May, which has 31 days, is asked for its last one
        if edge is None:
            return None
        at = date.fromordinal(edge.first).weekday()
        ordinal = edge.first + (weekday - at) % 7 + 7 * (nth - 1) if nth else edge.first - (at - weekday) % 7
        return Days(ordinal, ordinal)

    return of


def _easter(year: int) -> Days | None:
    """Easter Sunday by the anonymous Gregorian algorithm."""
    a, (b, c) = year % 19, divmod(year, 100)
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    month, number = divmod(h + k - 7 * ((a + 11 * h + 22 * k) // 451) + 114, 31)
    return day(year, month, number + 1)


def _lunar(table: str) -> Yearly:
    dates = table.split()

    def of(year: int) -> Days | None:
        if not 0 <= year - _LUNAR_FROM < len(dates):
            return None
        found = dates[year - _LUNAR_FROM]
        return day(year, int(found[:2]), int(found[2:]))

    return of


_SPRING_FESTIVAL = _lunar(
    "0205 0124 0212 0201 0122 0209 0129 0218 0207 0126 0214 0203 0123 0210 0131 0219 0208 0128 0216 0205 0125 0212 "
    "0201 0122 0210 0129 0217 0206 0126 0213 0203 0123 0211 0131 0219 0208 0128 0215 0204 0124 0212 0201 0122 0210 "
    "0130 0217 0206 0126 0214 0202 0123"
)
_DRAGON_BOAT = _lunar(
    "0606 0625 0615 0604 0622 0611 0531 0619 0608 0528 0616 0606 0623 0612 0602 0620 0609 0530 0618 0607 0625 0614 "
    "0603 0622 0610 0531 0619 0609 0528 0616 0605 0624 0612 0601 0620 0610 0530 0618 0607 0527 0614 0603 0622 0611 "
    "0531 0619 0608 0529 0615 0604 0623"
)
_QIXI = _lunar(
    "0806 0825 0815 0804 0822 0811 0731 0819 0807 0826 0816 0806 0823 0813 0802 0820 0809 0828 0817 0807 0825 0814 "
    "0804 0822 0810 0829 0819 0808 0826 0816 0805 0824 0812 0801 0820 0810 0828 0817 0807 0826 0814 0803 0822 0811 "
    "0731 0819 0808 0827 0816 0805 0823"
)
_MID_AUTUMN = _lunar(
    "0912 1001 0921 0911 0928 0918 1006 0925 0914 1003 0922 0912 0930 0919 0908 0927 0915 1004 0924 0913 1001 0921 "
    "0910 0929 0917 1006 0925 0915 1003 0922 0912 1001 0919 0908 0927 0916 1004 0924 0913 1002 0920 0910 0928 0917 "
    "1005 0925 0915 1004 0922 0911 0930"
)
_DOUBLE_NINTH = _lunar(
    "1006 1025 1014 1004 1022 1011 1030 1019 1007 1026 1016 1005 1023 1013 1002 1021 1009 1028 1017 1007 1025 1014 "
    "1004 1023 1011 1029 1018 1008 1026 1016 1005 1024 1012 1001 1020 1009 1027 1017 1007 1026 1014 1003 1022 1011 "
    "1029 1018 1008 1027 1016 1005 1024"
)
_THANKSGIVING = _nth(11, 3, 4)
_CHRISTMAS, _NEW_YEARS_EVE = _fixed(12, 25), _fixed(12, 31)
_SPRING_WEEK = _moved(_SPRING_FESTIVAL, -1, 8)  # with its eve

ENGLISH: dict[str, Yearly] = {
    "christmas eve": _fixed(12, 24), "christmas": _CHRISTMAS, "xmas": _CHRISTMAS, "boxing day": _fixed(12, 26),
    "new year's eve": _NEW_YEARS_EVE, "new year's day": _fixed(1, 1), "new year's": _fixed(1, 1),
    "chinese new year": _SPRING_WEEK, "lunar new year": _SPRING_WEEK, "spring festival": _SPRING_WEEK,
    "dragon boat festival": _DRAGON_BOAT, "mid-autumn festival": _MID_AUTUMN,
    "halloween": _fixed(10, 31), "valentine's day": _fixed(2, 14), "valentine's": _fixed(2, 14),
    "st. patrick's day": _fixed(3, 17), "st patrick's day": _fixed(3, 17), "april fools' day": _fixed(4, 1),
    "april fool's day": _fixed(4, 1), "thanksgiving": _THANKSGIVING, "black friday": _moved(_THANKSGIVING, 1),
    "cyber monday": _moved(_THANKSGIVING, 4),
    "good friday": _moved(_easter, -2), "easter": _easter, "mother's day": _nth(5, 6, 2),
    "father's day": _nth(6, 6, 3), "labor day": _nth(9, 0, 1), "memorial day": _nth(5, 0, 0),
    "independence day": _fixed(7, 4), "veterans day": _fixed(11, 11),
}  # fmt: skip

CHINESE: dict[str, Yearly] = {
    "元旦": _fixed(1, 1), "情人节": _fixed(2, 14), "妇女节": _fixed(3, 8), "三八节": _fixed(3, 8),
    "愚人节": _fixed(4, 1), "清明": _fixed(4, 4, 2), "劳动节": _fixed(5, 1, 5), "五一": _fixed(5, 1, 5),
    "青年节": _fixed(5, 4), "儿童节": _fixed(6, 1), "六一": _fixed(6, 1), "教师节": _fixed(9, 10),
    "国庆": _fixed(10, 1, 7), "十一假期": _fixed(10, 1, 7), "十一长假": _fixed(10, 1, 7), "双十一": _fixed(11, 11),
    "双11": _fixed(11, 11), "双十二": _fixed(12, 12), "平安夜": _fixed(12, 24), "圣诞": _CHRISTMAS,
    "跨年": _NEW_YEARS_EVE, "万圣节": _fixed(10, 31), "感恩节": _THANKSGIVING, "母亲节": _nth(5, 6, 2),
    "父亲节": _nth(6, 6, 3), "复活节": _easter, "春节": _SPRING_WEEK, "过年": _SPRING_WEEK,
    "大年初一": _SPRING_FESTIVAL, "除夕": _moved(_SPRING_FESTIVAL, -1), "年三十": _moved(_SPRING_FESTIVAL, -1),
    "元宵": _moved(_SPRING_FESTIVAL, 14), "端午": _DRAGON_BOAT, "七夕": _QIXI, "中秋": _MID_AUTUMN,
    "重阳": _DOUBLE_NINTH, "暑假": _fixed(7, 1, 62), "寒假": _fixed(1, 10, 45),
}  # fmt: skip
