"""Times that a Chinese question names: one pattern, and a reader for each of its alternatives."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial

from ebbtide.core.numerals import han_value
from ebbtide.models.timewords import calendar
from ebbtide.models.timewords.calendar import Days, Named, Part, Unit
from ebbtide.models.timewords.holidays import CHINESE as HOLIDAYS

# ---- the pattern

_ONES = "一二两三四五六七八九"
_DIGIT = "〇零一二三四五六七八九"
_COUNT = r"(?:\d{1,3}|[一二两三四五六七八九十百]{1,4}|半)"
_SOME = "好几|(?<!十)几|数|若干"
_UNIT = "小时|钟头|分钟|天|日|周|星期|礼拜|月|年|晚"
_DAY = r"(?:[12]\d|3[01]|0?[1-9]|二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九])"
_TO = r"(?:到|至|-|—|–|~)"
_MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_WEEK = "(?:周|星期|礼拜)"
_NTH_WEEK = f"(?:第[一二三四五]|最后一)个?{_WEEK}"
_OF_MONTH = (
    rf"(?:的?(?P<{{0}}d1>{_DAY})(?:[日号]?{_TO}(?P<{{0}}d2>{_DAY}))?[日号]|"
    rf"的?(?P<{{0}}part>初|上旬|中旬|下旬|底|末|中(?![心秋])|{_NTH_WEEK}))?"
)
_PART_OF_YEAR = "初|中(?![国学秋心])|底|末"
_COUNTED_BEFORE = "(?<![0-9一二两三四五六七八九十几半多整个第])"
_SEASON = "[春夏秋冬][天季]"
_YEAR = (
    rf"(?:(?P<year>\d{{4}}|[一二][{_DIGIT}]{{3}})年|"
    rf"(?P<short>\d\d|[〇零一二三][{_DIGIT}])年(?={_MONTH}月|{_SEASON}|[初底末])|"
    rf"(?P<relyear>大前年|前年|去年|上一年|今年(?!已?经?{_COUNT}岁)|明年|后年)|"
    rf"(?P<yearsago>{_COUNT})年(?:以|之)?前的?(?={_MONTH}月|{_SEASON}|今[天日]))"
)
_NO_MONTH = "[亮饼球薪嫂]|天(?!气)|[一两三]次"  # 月亮, the band 五月天, 一月一次
_THING = (
    rf"(?:(?<![0-9一二三四五六七八九十个第])(?:(?P<frommonth>{_MONTH})[、到至~-])?(?P<month>{_MONTH})月份?(?!{_NO_MONTH})"
    rf"{_OF_MONTH.format('m')}|"
    rf"(?P<season>[春夏秋冬])[天季]|(?P<holiday>{'|'.join(map(re.escape, HOLIDAYS))})节?|"
    r"(?P<half>[上下])半年|第?(?P<quarter>[一二三四1-4])季度|[Qq](?P<q>[1-4])(?!\d))"
)
_IN_YEAR = (
    rf"年?(?P<yearpart>{_PART_OF_YEAR})|的?(?P<today>今[天日]|这个?时候|同期)|"
    rf"的?(?P<october>十一)(?![月点号日岁个人])|的?{_THING}"
)
_NO_DAY = "[楼线门院馆店机桌选球车码员厅床位文]"  # 5号楼, 2号线
_ALTERNATIVES = (
    rf"(?P<annual>{_YEAR}(?:{_IN_YEAR})?|{_THING.replace('?P<', '?P<x')}|"
    rf"{_COUNTED_BEFORE}年(?P<xyearpart>{_PART_OF_YEAR}))",
    rf"(?P<monthly>(?P<which>[上大]?上个?|这个?|本|下个?)月{_OF_MONTH.format('r')}(?:的?(?P<rtoday>今[天日]))?|"
    rf"{_COUNTED_BEFORE}月(?P<barepart>{_PART_OF_YEAR}))",
    rf"(?P<weekly>(?P<whichweek>大?上+|这|本|下+)一?个?{_WEEK}(?P<wday>[一二三四五六日天末](?!次))?|"
    rf"(?:(?<![上下这本个一二两三四五六七八九十\d])|(?<=周[一二三四五六])){_WEEK}(?P<bare>[一二三四五六日天末])(?![年岁])|"
    r"(?<!一)个(?P<weekend>周末))",
    rf"(?P<ago>(?P<count>{_COUNT}|{_SOME})多?个?多?(?P<half1>半)?(?P<unit>{_UNIT})(?P<half2>半)?多?"
    r"(?:以前|之前|前)(?![后面往台]))",
    rf"(?P<past>(?P<since>过去|最近|(?<![最附靠接将临])近|这)的?这?(?P<pcount>{_COUNT}|{_SOME})多?个?"
    rf"(?P<punit>{_UNIT})(?!前|半))",
    rf"(?P<justbefore>前(?P<jcount>两|几|些)个?(?P<junit>{_UNIT}))",
    r"(?P<quarterly>(?P<whichquarter>上上|上一|上|这|本|下一|下)个?季度)",
    r"(?P<word>大前[天晚]|前[天晚儿]|昨[天晚日夜儿]|今[天早晚日晨儿]|刚[才刚]|大后天|后天|明[天早晚日]|前一?阵子?|前段时间|"
    r"前不久|不久前|近来|近[期日](?!视)|这阵子|这段时间|这些天|最近(?!的|[一两几]次)|上一?次|上回)",
    rf"(?P<numbered>(?<![0-9A-Za-z第一二三四五六七八九十.])(?P<n1>{_DAY})(?:号?{_TO}(?P<n2>{_DAY}))?号(?!{_NO_DAY}))",
)
_EXPRESSION = re.compile("|".join(_ALTERNATIVES))
_TRIGGER = re.compile(f"[年月号周天日星礼昨今明前近季春夏秋冬刚]|上一?[次回]|[Qq][1-4]|{'|'.join(HOLIDAYS)}")
_START = re.compile(
    "[0-9〇零一二两三四五六七八九十百半几好数若大前去上今明后年月这本下周星礼个过最近昨不刚第春夏秋冬Qq"
    f"{''.join({name[0] for name in HOLIDAYS})}]"
)
_FREQUENT = re.compile("每(?:年|个?月|个|周|逢|到|次|当)?的?$")
_HABIT = re.compile("通常|一般|平时|经常|总是|习惯|常常")
_ASKS_WHEN = re.compile("什么时候|啥时候|何时|哪[天年月]|哪一[天年]|多久|几号|几月")
_BEFORE = re.compile("以前|之前|前(?![后夕])|为止")
_SINCE = re.compile("以来|至今|到现在|以后|之后|后(?!来)|起|开始")
_GAP = re.compile(rf"的?(?:(?P<before>前)|后)的?(?P<count>{_COUNT}|{_SOME})个?(?P<unit>天|周|星期|礼拜|月|年)")

_UNITS: dict[str, Unit] = {
    "小时": "hour", "钟头": "hour", "分钟": "hour", "天": "day", "日": "day", "晚": "day", "周": "week", "星期": "week",
    "礼拜": "week", "月": "month", "年": "year",
}  # fmt: skip
_PARTS: dict[str, Part] = {
    "初": "early", "上旬": "early", "中": "mid", "中旬": "mid", "下旬": "late", "底": "late", "末": "late",
}  # fmt: skip
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_YEARS_BACK = {"大前年": 3, "前年": 2, "去年": 1, "上一年": 1, "今年": 0, "明年": -1, "后年": -2}
_WORDS = {  # from how many days ago, to how many days ago; none: no memory is from then
    "大前": (3, 3), "前天": (2, 2), "前晚": (2, 2), "前儿": (2, 2), "刚": (0, 0), "昨": (1, 1), "今": (0, 0),
    "大后": None, "后天": None, "明": None,
    "前一阵": (60, 3), "前阵": (60, 3), "前段": (60, 3), "前不久": (30, 1), "不久前": (30, 1), "近": (30, 0),
    "这": (30, 0), "最近": (30, 0), "上": (14, 0),
}  # fmt: skip
_SATURDAY = 5


def expressions(text: str, today: int) -> Iterator[tuple[int, int, str, Named]]:
    """Where each expression begins and ends, the word beside it that changes its meaning, and what it names."""
    if not _TRIGGER.search(text):
        return
    for match in _matches(text):
        named = _READERS[match.lastgroup or ""](match, today)
        if named is not None and not (named.yearly and _HABIT.search(text)):
            yield _in_context(text, match, named)


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Tried only at characters that may begin an expression, which is faster than a search."""
    end = 0
    for begins in _START.finditer(text):
        if begins.start() >= end and (match := _EXPRESSION.match(text, begins.start())):
            end = match.end()
            yield match


def _in_context(text: str, match: re.Match[str], named: Named) -> tuple[int, int, str, Named]:
    start, end = match.span()
    if _FREQUENT.search(text, max(0, start - 4), start):
        return start, end, "every", named
    if match.lastgroup in ("annual", "monthly", "weekly", "numbered"):
        if gap := _GAP.match(text, end):
            return start, gap.end(), "", _moved(named, gap)
        if after := _SINCE.match(text, end):
            return start, after.end(), "since", named
        if before := _BEFORE.match(text, end):
            return start, before.end(), "before", named
    return start, end, "", named


def _moved(named: Named, gap: re.Match[str]) -> Named:
    """春节前一周, 国庆后三天: the days between, and up to when it may have been told."""
    if named.days is None:
        return named
    length = max(1, round((_count(gap["count"]) or 3) * calendar.LENGTH[_UNITS[gap["unit"]]]))
    if gap["before"]:
        return Named(named.days._replace(first=named.days.first - length, last=named.days.first - 1))
    return Named(named.days._replace(first=named.days.last + 1, last=named.days.last + length))


def _count(said: str) -> float | None:
    """None for 几 and the like."""
    if said == "半":
        return 0.5
    if len(said) == 2 and said[0] in _ONES and said[1] in _ONES:  # 两三天, 三四个月
        return (_number(said[0]) + _number(said[1])) / 2
    return float(_number(said)) if said not in ("好几", "几", "数", "若干") else None


def _number(said: str) -> int:
    return int(said) if said[0].isdecimal() else han_value(said.replace("零", "〇"))


# ---- what is dated


def _annual(match: re.Match[str], today: int) -> Named | None:
    now = date.fromordinal(today).year
    if match["relyear"] or match["yearsago"]:
        back = _YEARS_BACK[match["relyear"]] if match["relyear"] else int(_count(match["yearsago"]) or 1)
        return Named(_in_year(match, now - back, today))
    if match["year"] or match["short"]:
        return Named(_in_year(match, _full(match["year"] or match["short"]), today))
    yearly = partial(_thing, match, "x")
    return Named(calendar.latest(yearly, today), yearly)


def _full(said: str) -> int:
    year = _number(said)
    return year + (0 if year >= 100 else 2000 if year <= 50 else 1900)


def _in_year(match: re.Match[str], year: int, today: int) -> Days | None:
    if match["today"]:
        now = date.fromordinal(today)
        days = calendar.day(year, now.month, now.day) or calendar.day(year, now.month, now.day - 1)
        return days if "今" in match["today"] else days and Days(days.first, days.last, 7, 7)
    return HOLIDAYS["国庆"](year) if match["october"] else _thing(match, "", year)


def _thing(match: re.Match[str], x: str, year: int) -> Days | None:
    if match[f"{x}month"]:
        month, since = _number(match[f"{x}month"]), match[f"{x}frommonth"]
        return calendar.months(year, _number(since), month) if since else _of_month(match, f"{x}m", year, month)
    if match[f"{x}season"]:
        return calendar.season(year, _SEASONS[match[f"{x}season"]])
    if match[f"{x}holiday"]:
        return HOLIDAYS[match[f"{x}holiday"]](year)
    if match[f"{x}half"]:
        return calendar.half(year, 1 if match[f"{x}half"] == "上" else 2)
    if quarter := match[f"{x}quarter"] or match[f"{x}q"]:
        return calendar.quarter(year, _number(quarter))
    part = match[f"{x}yearpart"]
    return calendar.part_of_year(year, _PARTS[part]) if part else calendar.whole_year(year)


def _of_month(match: re.Match[str], x: str, year: int, month: int) -> Days | None:
    first, last, part = match[f"{x}d1"], match[f"{x}d2"], match[f"{x}part"]
    if first:
        one = calendar.day(year, month, _number(first))
        return calendar.between(one, calendar.day(year, month, _number(last)), 4) if last else one
    if part is None:
        return calendar.month(year, month)
    if part in _PARTS:
        return calendar.part_of_month(year, month, _PARTS[part])
    return calendar.week_of_month(year, month, 0 if part.startswith("最后") else _number(part[1]))


def _monthly(match: re.Match[str], today: int) -> Named | None:
    if match["barepart"]:
        part = _PARTS[match["barepart"]]
        return Named(_begun(today, lambda year, month: calendar.part_of_month(year, month, part)))
    if match["which"].startswith("下"):
        return Named(None)
    back = _back(match["which"])
    if match["rtoday"]:
        days = calendar.ago(today, back, "month")
        return Named(days and Days(days.first, days.last))
    return Named(_of_month(match, "r", *calendar.months_back(today, back)))


def _back(which: str) -> int:
    """上 is one back; 上上 and 大上 are two."""
    return which.count("上") + which.count("大")


def _begun(today: int, of: Callable[[int, int], Days | None]) -> Days | None:
    """Of this month, or of the last one if it is still to come."""
    found = (of(*calendar.months_back(today, back)) for back in (0, 1))
    return next((days for days in found if days and days.first <= today), None)


def _quarterly(match: re.Match[str], today: int) -> Named:
    which = match["whichquarter"]
    return Named(None if which.startswith("下") else calendar.quarter_back(today, _back(which)))


def _numbered(match: re.Match[str], today: int) -> Named:
    first, last = _number(match["n1"]), _number(match["n2"] or match["n1"])

    def days(year: int, month: int) -> Days | None:
        return calendar.between(calendar.day(year, month, first), calendar.day(year, month, last), 4)

    return Named(_begun(today, days))


# ---- what is relative to the question


def _weekly(match: re.Match[str], today: int) -> Named | None:
    which, said = match["whichweek"], match["wday"] or match["bare"] or (match["weekend"] and "末")
    if which is None:
        return None if _HABIT.search(match.string) else Named(_latest_weekday(said, today))
    if which.startswith("下"):
        return Named(None)
    back = _back(which)
    if said is None:
        return Named(calendar.week(today, back))
    return Named(calendar.weekend(today, back) if said == "末" else calendar.weekday(today, _weekday(said), back))


def _latest_weekday(said: str, today: int) -> Days:
    if said == "末":
        saturday = calendar.latest_weekday(today, _SATURDAY)
        return Days(saturday.first, saturday.first + 1)
    return calendar.latest_weekday(today, _weekday(said))


def _weekday(said: str) -> int:
    return "一二三四五六日".index(said.replace("天", "日"))


def _ago(match: re.Match[str], today: int) -> Named | None:
    unit, count = _UNITS[match["unit"]], _count(match["count"])
    if count is None:
        asks = match.string[max(0, match.start() - 1) : match.start()] in ("是", "在", "了", "经")  # 是几天前的事？
        return None if asks else Named(calendar.some_ago(today, unit))
    if (count, unit) == (0.5, "year"):
        count, unit = 6.0, "month"
    return Named(calendar.ago(today, count + (0.5 if match["half1"] or match["half2"] else 0), unit))


def _past(match: re.Match[str], today: int) -> Named | None:
    count = _count(match["pcount"])
    if match["since"] == "这" and count == 1 and match["punit"] in ("天", "日", "晚"):
        return None  # 这一天: some day that was spoken of before
    return Named(calendar.past(today, count or 5, _UNITS[match["punit"]]))


def _just_before(match: re.Match[str], today: int) -> Named | None:
    """前两天 and 前几天 mean the last few days; 前几周 some weeks ago."""
    unit = _UNITS[match["junit"]]
    if unit != "day":
        return Named(calendar.some_ago(today, unit))
    return Named(calendar.some_days(today, 3 if match["jcount"] == "两" else 7, 1))


def _word(match: re.Match[str], today: int) -> Named | None:
    said = match["word"]
    if said.startswith("上") and _ASKS_WHEN.search(match.string):
        return None
    span = next(span for word, span in _WORDS.items() if said.startswith(word))
    return Named(span and calendar.some_days(today, *span))


_READERS: dict[str, Callable[[re.Match[str], int], Named | None]] = {
    "annual": _annual, "monthly": _monthly, "quarterly": _quarterly, "weekly": _weekly, "ago": _ago, "past": _past,
    "justbefore": _just_before, "word": _word, "numbered": _numbered,
}  # fmt: skip
