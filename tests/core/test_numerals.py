"""Numbers in digits, in Chinese and in English words, and which of them are invented."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.numerals import invented_number, mentions, numbers_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234,567 people", "1234567"),
        ("３０００元", "3000"),
        ("3.50", "3.5"),
        ("3千", "3000"),
        ("1.2万", "12000"),
        ("3千万", "30000000"),
        ("5k", "5000"),
        ("1.5 million", "1500000"),
        ("三百二十", "320"),
        ("一千零一", "1001"),
        ("二〇二四", "2024"),
        ("十二", "12"),
        ("两亿三千万", "230000000"),
        ("壹万贰仟", "12000"),
        ("三点五", "3.5"),
        ("百分之三十", "30"),
        ("twenty-one", "21"),
        ("two hundred and fifty", "250"),
        ("one hundred and twenty thousand", "120000"),
        ("the fifteenth", "15"),
        ("March", "3"),
        ("下午三点", "15"),
        ("3 pm", "15"),
        ("15:00", "3"),
        ("三点半", "30"),
        ("2024年", "24"),
        ("half", "0.5"),
        ("version 3.11.7", "3.11"),
        ("2024.3.5", "3"),
    ],
)
def test_a_text_names_this_number(text: str, value: str) -> None:
    assert Decimal(value) in numbers_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "一起去吧", "万一下雨", "千万别忘", "十分开心", "四处走走", "四周都是水", "三三两两", "七上八下", "一五一十",
        "几十个人", "七八个人", "两个人", "百货公司", "the one I like", "no one", "a second chance",
        "hundreds of people", "May I?", "nineteen ninety",
    ],
)  # fmt: skip
def test_words_that_only_look_like_numbers_are_not_judged(text: str) -> None:
    assert invented_number("", text) is None


@pytest.mark.parametrize(
    ("original", "answer"),
    [
        ("总预算是120万元", "预算1,200,000元"),
        ("总预算是120万元", "预算一百二十万"),
        ("她今年六岁", "她6岁"),
        ("she is six", "she is 6"),
        ("昨天下午三点", "昨天15:00"),
        ("会议在14:30", "会议在下午2点30分"),
        ("2024年3月5日", "24年3月5日"),
        ("2024-03-05", "2024年3月5日"),
        ("on 3/5/2024", "on March 5, 2024"),
        ("二十三号楼", "23号楼"),
        ("It costs $1,200", "It costs $1.2k"),
        ("twenty-one people", "21 people"),
        ("打了八折，半年", "8折，0.5年"),
        ("百分之三十", "30%"),
        ("三分之一", "1/3"),
        ("第三名", "第3名"),
    ],
)
def test_honest_rewriting_is_no_invention(original: str, answer: str) -> None:
    assert invented_number(original, answer) is None


@pytest.mark.parametrize(
    ("original", "answer", "number"),
    [
        ("总预算是120万元", "预算150万元", "150万"),
        ("总预算是120万元", "预算三百万", "三百万"),
        ("她今年六岁", "她七岁", "七"),
        ("她今年六岁", "她今年16岁", "16"),
        ("we met on Monday", "we met at 5", "5"),
        ("she is six", "she is seven", "seven"),
        ("she is six", "thirty people", "thirty"),
        ("in March", "in April", "April"),
        ("手机13800138000", "手机13800138001", "13800138001"),
        ("NGN 2,700,000.00", "NGN 2,000.00", "2,000.00"),
        ("3.5小时", "3小时", "3"),
        ("第三次", "第四次", "四"),
        ("周三", "周五", "五"),
    ],
)
def test_an_invented_number_is_named(original: str, answer: str, number: str) -> None:
    assert invented_number(original, answer) == number


@given(st.integers(0, 10**12), st.lists(st.integers(0, 10**12), max_size=5))
def test_a_number_nobody_named_is_always_found(number: int, named: list[int]) -> None:
    original = f"We counted {' and '.join(map(str, named))} of them."
    known = numbers_of(original)
    found = invented_number(original, f"There are {number} here.")
    assert found == (None if Decimal(number) in known else str(number))
    assert invented_number(original, f"There are {number:,} here.") == (None if found is None else f"{number:,}")


@given(st.integers(1, 99_999_999))
def test_chinese_numerals_are_read_as_they_are_written(number: int) -> None:
    assert Decimal(number) in numbers_of(in_chinese(number))
    assert invented_number(f"共{number}个", f"共{in_chinese(number)}个") is None


@given(st.text(alphabet="0123456789.,:点十百千万亿一二三两〇年个kM hundredtwenyo-", max_size=40))
def test_no_text_is_too_odd_and_none_invents_its_own_numbers(text: str) -> None:
    assert invented_number(text, text) is None
    assert all(mention.said for mention in mentions(text))


@pytest.mark.parametrize("text", ["9" * 50_000, "一" * 50_000, "9" * 50_000 + "亿", "1." * 20_000 + "1", "亿" * 5_000])
def test_endless_numbers_are_no_harm(text: str) -> None:
    assert invented_number(text, text) is None


def in_chinese(number: int) -> str:
    """The usual way of writing a number below 100 million."""
    high, low = divmod(number, 10_000)
    text = f"{_section(high)}万" if high else ""
    gap = "零" if high and 0 < low < 1000 else ""
    return text + gap + (_section(low) if low else "")


def _section(number: int) -> str:
    text, zero = "", False
    for scale, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            text += ("零" if zero and text else "") + "零一二三四五六七八九"[digit] + unit
        zero = not digit
    return text
