"""The numbers a text names — in digits, in Chinese and in English words — and whether another text invents one.

Honest rewriting passes: 三千 = 3,000 = ３０００ = three thousand, 下午三点 = 15:00, 2024年 = 24年. A number in digits
is always judged; a word only where it is surely a number (三个, thirty), never 一起, 万一, 十分 or "the one".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

Readings = frozenset[Decimal]


@dataclass(frozen=True, slots=True)
class Mention:
    said: str
    readings: Readings  # what it may mean
    firm: bool  # surely a number


def invented_number(original: str, answer: str) -> str | None:
    """The first number of the answer that the original does not name, as it stands there."""
    named = [mention for mention in mentions(answer) if mention.firm]
    if not named:
        return None
    known = numbers_of(original)
    return next((mention.said for mention in named if not mention.readings & known), None)


def mentions(text: str) -> Iterator[Mention]:
    plain = text.translate(_PLAIN)
    yield from _in_digits(plain)
    yield from _in_chinese(plain)
    yield from _in_english(plain)


def numbers_of(text: str) -> set[Decimal]:
    """All numbers a text may be said to name, with those that follow from them by mere notation."""
    plain = text.translate(_PLAIN)
    found = {reading for mention in mentions(text) for reading in mention.readings}
    found |= {Decimal(_DIGITS[character]) for character in plain if character in _DIGITS}
    found |= {number % 100 for number in found if 1900 <= number < 2100}  # 2024年 → 24年
    found |= {Decimal(value) for custom, value in _BY_CUSTOM if custom in plain}
    for hour in _HOUR.finditer(plain):
        value = han_value(hour[1]) if hour[1][0] in _NUMERALS else int(hour[1])
        found |= {Decimal(value + 12), Decimal(value - 12)} if value <= 24 else set()
    return found


# ---- in digits

_PLAIN = str.maketrans(
    "０１２３４５６７８９．％：兩萬億零壹贰叁肆伍陆柒捌玖拾佰仟",
    "0123456789.%:两万亿〇一二三四五六七八九十百千",
)
_SCALES = {
    "十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000, "hundred": 100, "thousand": 1000, "k": 1000,
    "million": 1_000_000, "m": 1_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<dotted>[0-9]+(?:\.[0-9]+){2,})"
    r"|(?P<plain>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
    r"(?:(?P<chinese>[十百千万亿]+)|[ -]?(?P<english>hundred|thousand|million|billion|bn|k|m)(?![A-Za-z]))?",
    re.IGNORECASE,
)
_LONG = 30  # digits: beyond that it is a code, and arithmetic on it is pointless


def _in_digits(text: str) -> Iterator[Mention]:
    for match in _NUMBER.finditer(text):
        if match["dotted"]:
            yield from _dotted(match["dotted"])
            continue
        value = Decimal(match["plain"].replace(",", ""))
        readings = {value}
        if len(match["plain"]) <= _LONG:
            readings |= {value * scale for scale in _scale(match["chinese"], match["english"])}
        full_hour = match[0] == "00" and text.endswith(":", 0, match.start())  # 三点 → 3:00
        yield Mention(match[0].strip(), frozenset(readings), not full_hour)


def _dotted(said: str) -> Iterator[Mention]:
    """A version or a date, 3.11.7 or 2024.3.5: its parts, and its beginning as a fraction."""
    first, second, *_ = parts = said.split(".")
    yield Mention(said, frozenset({Decimal(first), Decimal(f"{first}.{second}")}), True)
    yield from (Mention(said, frozenset({Decimal(part)}), True) for part in parts[1:])


def _scale(chinese: str | None, english: str | None) -> Iterator[int]:
    scale = 1
    for sign in chinese or ():
        scale *= _SCALES[sign]
    if chinese and scale <= 10**16:
        yield scale
    if english:
        yield _SCALES[english.lower()]


# ---- in Chinese

_DIGITS = {"〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_NUMERALS = "〇一二两三四五六七八九十百千万亿"
_RUN = re.compile(
    rf"(?<![0-9{_NUMERALS}])(?P<run>[{_NUMERALS}]+)(?:点(?P<fraction>[〇一二三四五六七八九]+)(?![十分刻]))?"
)
# After these a numeral surely counts; 分, 处 and 面 are missing on purpose: 十分, 四处, 八面.
_UNIT = re.compile(
    "[个個只人次天年月日号點点岁歲元块名位本台件条张層层楼家种项章页度倍米斤秒篇封杯瓶辆]|小时|分钟|公里|公斤|英里|星期|礼拜"
    "|(?<!四)周(?!围|边)|美元|欧元|英镑"
)
_ORDINAL = ("第", "周", "星期", "礼拜")
_LONGEST_RUN = 30
_BY_CUSTOM = (  # what is said, and the number it may be written as
    ("半", "0.5"), ("半", "50"), ("点半", "30"), ("一刻", "15"), ("三刻", "45"),
    ("half", "0.5"), ("half", "50"), ("half past", "30"), ("quarter", "15"), ("dozen", "12"),
)  # fmt: skip
_HOUR = re.compile(r"([0-9]{1,2}|[〇一二两三四五六七八九十]{1,3})(?=:[0-9]{2}|点|时|\s?[AaPp]\.?[Mm]\b)")


def _in_chinese(text: str) -> Iterator[Mention]:
    for match in _RUN.finditer(text):
        run, fraction = match["run"], match["fraction"]
        if len(run) > _LONGEST_RUN:
            continue
        whole = Decimal(han_value(run))
        if fraction:
            decimals = "".join(str(_DIGITS[digit]) for digit in fraction)
            yield Mention(match[0], frozenset({Decimal(f"{whole}.{decimals}"), whole}), True)
        else:
            yield Mention(run, frozenset({whole}), whole > 2 and _surely(run, text, match.start(), match.end()))


def han_value(run: str) -> int:
    """二〇二四 → 2024, 三百二十 → 320, 十二 → 12, 两亿三千万 → 230000000."""
    if all(character in _DIGITS for character in run):
        return int("".join(str(_DIGITS[character]) for character in run))
    hundred_millions = ten_thousands = section = digit = 0
    for character in run:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character == "亿":
            hundred_millions = (hundred_millions + ten_thousands + section + digit or 1) * 100_000_000
            ten_thousands = section = digit = 0
        elif character == "万":
            ten_thousands += (section + digit or 1) * 10_000
            section = digit = 0
        else:
            section += (digit or 1) * _SCALES[character]
            digit = 0
    return hundred_millions + ten_thousands + section + digit


def _surely(run: str, text: str, start: int, end: int) -> bool:
    if len(run) == 1:
        counted = run not in "百千万亿" and _UNIT.match(text, end) is not None
        return (counted and not text.endswith(("几", "数"), 0, start)) or text.endswith(_ORDINAL, 0, start)
    if all(character in _DIGITS for character in run):
        doubled = len(run) == 4 and run[0] == run[1] and run[2] == run[3]  # 三三两两, 七七八八
        return "〇" in run or (len(run) > 2 and not doubled)  # 七八个 is a guess, no number
    beside = any(a in _DIGITS and b in _DIGITS and "〇" not in (a, b) for a, b in pairwise(run))  # 三四十, 一五一十
    return run[0] not in "百千万亿〇" and not beside


# ---- in English


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MONTHS = _listed("january february march april may june july august september october november december")
_SMALL = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _listed("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
NUMBER_WORDS = (
    {word: value for value, word in enumerate(_SMALL)}
    | {word: 10 * value for value, word in enumerate(_TENS, 2)}
    | {word: value for value, word in enumerate(_ORDINALS)}
    | {word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS, 2)}
    | {word + "th": value for value, word in enumerate(_SMALL) if value in (13, 14, 15, 16, 17, 18, 19)}
)
_WORD = re.compile(r"[A-Za-z]+")
_MONTH_OF = {name: value for value, name in enumerate(MONTHS, 1)} | {
    name[:3]: value for value, name in enumerate(MONTHS, 1)
}


def _in_english(text: str) -> Iterator[Mention]:
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if run and not _goes_on(text[run[-1].end() : match.start()]):
            yield from _english_number(run)
            run = []
        if word in NUMBER_WORDS or word in ("hundred", "thousand", "million", "billion"):
            run.append(match)
        elif not (run and word == "and"):
            yield from _english_number(run)
            run = []
        if word in _MONTH_OF and match[0][0].isupper():
            # "May" is more often no month, and an abbreviation may be anything.
            yield Mention(match[0], frozenset({Decimal(_MONTH_OF[word])}), word in MONTHS and word != "may")
    yield from _english_number(run)


def _goes_on(between: str) -> bool:
    return not between.strip(" -") or between.strip() == "and"


def _english_number(run: list[re.Match[str]]) -> Iterator[Mention]:
    if not run:
        return
    words = [match[0].lower() for match in run]
    total = section = 0
    for word in words:
        if word in NUMBER_WORDS:
            section += NUMBER_WORDS[word]
        elif word == "hundred":
            section = (section or 1) * 100
        else:
            total += (section or 1) * _SCALES[word]
            section = 0
    value = Decimal(total + section)
    yield Mention(" ".join(words), frozenset({value}), value > 2 and _well_formed(words))
    apart = frozenset(Decimal(NUMBER_WORDS[word]) for word in words if word in NUMBER_WORDS)
    yield Mention(" ".join(words), apart, False)


def _well_formed(words: list[str]) -> bool:
    """Not "hundreds of", "nineteen ninety", "four five": what they mean is anybody's guess."""
    beside = ((NUMBER_WORDS[a], NUMBER_WORDS[b]) for a, b in pairwise(words) if a in NUMBER_WORDS and b in NUMBER_WORDS)
    return words[0] in NUMBER_WORDS and all(a >= 20 and a % 10 == 0 and 0 < b < 10 for a, b in beside)
