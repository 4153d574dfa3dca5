"""Reading: which words a text has, and what they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.models.builtin.tokens import Kind, chinese
from ebbtide.models.builtin.words import read


def kinds(text: str) -> dict[str, str]:
    return {token.text: token.kind.value for token in read(text)}


def of_kind(text: str, kind: Kind) -> list[str]:
    return [token.text for token in read(text) if token.kind is kind]


# ---- Chinese


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("张伟和陈晓彤在上海虹桥站见面。", ["张伟", "陈晓彤", "上海虹桥站"]),
        ("小周、老张都认识王医生。", ["小周", "老张", "王医生"]),
        ("我在中环4号码头等你。", ["中环4号码头"]),
        ("新房子在滨江区江南大道88号。", ["滨江区", "江南大道88号"]),
        ("我的狗叫豆豆，我妹妹小雨很喜欢它。", ["豆豆", "小雨"]),
        ("我找到一家叫顺安搬运的公司。", ["顺安搬运"]),
        ("她在看《平凡的世界》。", ["《平凡的世界》"]),
    ],
)
def test_chinese_names_are_found_and_kept_whole(text: str, names: list[str]) -> None:
    assert of_kind(text, Kind.NAME) == names


def test_words_that_the_dictionary_takes_for_names_are_none() -> None:
    assert of_kind("谢谢，明白了，那里阳光很好，很安静，可以吃巧克力和冰淇淋。", Kind.NAME) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("押金一共8,400元，占3.14%。", ["8,400元", "3.14%"]),
        ("2026年3月15日下午3点半出发", ["2026年3月15日", "下午3点半"]),
        ("早上8:40从这里走，大约两千五百米。", ["早上8:40", "两千五百米"]),
        ("还有3个漏洞，两个月后复查。", ["3个", "两个月"]),
    ],
)
def test_numbers_keep_their_units_and_dates_their_parts(text: str, numbers: list[str]) -> None:
    assert of_kind(text, Kind.NUMBER) == numbers


def test_indefinite_amounts_are_no_numbers() -> None:
    assert of_kind("我们一起看了一个电影，还吃了一些东西，十分开心，万一下雨就回家。", Kind.NUMBER) == []


def test_a_negation_is_cut_free_from_its_verb() -> None:
    assert of_kind("别点花生，我不喜欢，也没去过，他不会来。", Kind.NEGATION) == ["别", "不", "没", "不会"]


def test_a_question_by_yes_and_no_is_no_negation() -> None:
    assert of_kind("你去不去？还有没有座位？是不是太晚了？", Kind.NEGATION) == []


def test_next_wednesday_is_one_day() -> None:
    assert of_kind("下周三开会，星期五交稿。", Kind.TIME) == ["下周三", "星期五"]


def test_a_character_that_could_be_a_verb_is_a_noun_where_it_is_counted() -> None:
    assert kinds("看到了很多花")["花"] == "noun"


# ---- English


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met Anna at Central Pier 4 on Monday.", ["Anna", "Central Pier 4"]),
        ("She works for the Bank of China in Room 204.", ["Bank of China", "Room 204"]),
        ("Dr. Lindqvist called. Melanie answered.", ["Dr. Lindqvist", "Melanie"]),
        ("It runs on an iPhone with GPT-4o and LGBTQ support.", ["iPhone", "GPT-4o", "LGBTQ"]),
        ("Ask Anna 3 questions.", ["Anna"]),
        ('We watched "The Rise of Gru" twice.', ['"The Rise of Gru"']),
    ],
)
def test_english_names_are_found_and_kept_whole(text: str, names: list[str]) -> None:
    assert of_kind(text, Kind.NAME) == names


def test_the_capital_at_the_start_of_a_sentence_makes_no_name() -> None:
    assert of_kind("Dinner was great. Booked it yesterday. Cheap flights are gone. Please call them.", Kind.NAME) == []


def test_where_everything_is_in_capitals_nothing_is_a_name() -> None:
    assert of_kind("PLEASE DO NOT SIGN THE LEASE", Kind.NAME) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It costs $3.14 or 1,950 pounds at 8:40 a.m. today.", ["$3.14", "1,950", "8:40 a.m."]),
        ("Come on 5 May 2026 or 2026-05-06, not on May 7.", ["5 May 2026", "2026-05-06", "May 7"]),
        ("Call +852 1234 5678 within 30 minutes.", ["+852 1234 5678", "30"]),
    ],
)
def test_english_numbers_and_dates_stay_whole(text: str, numbers: list[str]) -> None:
    assert of_kind(text, Kind.NUMBER) == numbers


def test_english_negations_are_seen_in_all_their_forms() -> None:
    text = "I don't know, she can’t come, nobody called, he never asked, not now, without sugar."
    assert of_kind(text, Kind.NEGATION) == ["don't", "can’t", "nobody", "never", "not", "without"]


def test_not_only_denies_nothing() -> None:
    assert of_kind("She not only signed, she paid.", Kind.NEGATION) == []


def test_verbs_and_nouns_are_told_apart_by_their_place() -> None:
    assert kinds("They plan a trip.")["plan"] == "verb"
    assert kinds("The plan is fine.")["plan"] == "noun"
    assert kinds("I want to strike the clause.")["strike"] == "verb"


# ---- both


def test_mixed_text_has_the_words_of_both_languages() -> None:
    found = kinds("张伟用OpenAI的API写了个demo，跑在 Python 3.11 上。")
    assert found["张伟"] == found["OpenAI"] == found["API"] == "name"
    assert found["demo"] == "noun"


def test_addresses_and_code_are_kept_letter_by_letter() -> None:
    text = "见 https://a.cn/x?y=1。邮箱 a.b@c.com，运行 `make test`。"
    assert of_kind(text, Kind.CODE) == ["https://a.cn/x?y=1", "a.b@c.com", "`make test`"]


def test_the_language_of_a_text_is_what_most_of_it_says() -> None:
    assert chinese("我们用 Python 写的")
    assert not chinese("We met 张伟 at the station")
    assert not chinese("8:40")


@given(st.text())
def test_any_text_can_be_read_and_nothing_but_space_lies_between_the_tokens(text: str) -> None:
    at = 0
    for token in read(text):
        assert not text[at : token.start].strip()
        assert token.end > token.start
        at = token.end
    assert not text[at:].strip()
