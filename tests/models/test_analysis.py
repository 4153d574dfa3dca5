"""From text to terms: what finds what, in Chinese, English and everything between."""

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ebbtide.core.lexical import LexicalIndex
from ebbtide.core.memory import Content
from ebbtide.core.terms import Field, Terms, code_of
from ebbtide.models.analysis import Analyzer

ANALYZER = Analyzer()


def of(text: str, **fields: object) -> Terms:
    return ANALYZER.content(Content(key="k", text=text, **fields))  # type: ignore[arg-type]


def finds(query: str, *texts: str) -> list[str]:
    """The texts a query finds, best first."""
    index = LexicalIndex()
    index.put(range(len(texts)), [of(text) for text in texts])
    scores = index.scores(ANALYZER.query(query), len(texts))
    return [texts[at] for at in scores.argsort(kind="stable")[::-1] if scores[at] > 0]


# ---- English


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("painting", "She painted a sunrise"),
        ("RUNNING SHOES", "a running shoe"),
        ("Caroline", "caroline's sister"),
        ("Carolines sister", "Caroline’s sister"),
        ("cafe", "the café on the corner"),
        ("O'Brien", "Mr O’Brien called"),
        ("brien", "Mr O'Brien called"),
        ("known", "a well-known fact"),
    ],
)
def test_english_is_found_by_its_stems_whatever_its_case(query: str, text: str) -> None:
    assert finds(query, text, "something else entirely") == [text]


def test_small_words_find_nothing() -> None:
    assert finds("what is it that you don't have?", "it is what you have", "I don't") == []


def test_an_abbreviation_is_no_small_word() -> None:
    assert finds("US office", "They moved to the US", "She told us") == ["They moved to the US"]


# ---- Chinese


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("长江大桥", "我们昨天去看了南京市长江大桥"),
        ("大桥", "我们昨天去看了南京市长江大桥"),
        ("小明喜欢什么？", "王小明最喜欢打篮球"),
        ("茶", "奶奶爱喝茶"),
        ("龙井茶", "奶奶爱喝龙井"),
    ],
)
def test_chinese_is_found_by_its_words_and_by_pairs_of_characters(query: str, text: str) -> None:
    assert finds(query, text, "完全没有关系的句子") == [text]


def test_of_two_chinese_texts_the_one_that_shares_more_comes_first() -> None:
    close, far = "下周三在上海开预算会议", "上海的天气很好"
    assert finds("上海预算会议", far, close) == [close, far]


def test_chinese_particles_are_no_words() -> None:
    assert not set(of("我的").among(Field.WORDS)) & {code_of(Field.WORDS, word) for word in "我的"}


def test_a_single_character_is_found_too() -> None:
    assert finds("猫", "猫", "狗") == ["猫"]


# ---- both, and others


def test_chinese_and_english_in_one_text_are_both_found() -> None:
    text = "昨天Bart在Tokyo买了iPhone15手机"
    assert [finds(query, text, "别的") for query in ("bart", "tokyo", "iphone15", "iphone", "手机")] == [[text]] * 5


@pytest.mark.parametrize("text", ["これはペンです", "저는 학생입니다", "Привет мир", "Ελλάδα", "สวัสดีครับ"])
def test_other_scripts_are_found_as_they_are_written(text: str) -> None:
    assert finds(text, text, "something else") == [text]


# ---- codes, numbers, names


CODES = (
    "ORD-2291",
    "v1.2.3",
    "8:40",
    "a.b+c@mail.example.com",
    "iPhone15",
    "C++",
    "src/main.py",
    "F-16",
    "192.168.0.1",
)
LIKE_THEM = (
    "ORD-2292",
    "v1.3.2",
    "8:41",
    "a.b@mail.example.org",
    "iPhone 14",
    "C",
    "src/main.c",
    "F-15",
    "192.168.1.0",
)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_found_whole_before_anything_that_only_shares_a_part(code: str) -> None:
    text = f"remember {code}, please"
    others = [f"remember {other}, please" for other in LIKE_THEM]
    assert finds(code, *others, text)[0] == text
    assert code_of(Field.EXACT, code.casefold()) in of(text).codes


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("2291", "order ORD-2291 has arrived"),
        ("ord", "order ORD-2291 has arrived"),
        ("example", "write to ann@example.com"),
        ("ann", "write to ann@example.com"),
        ("iphone", "an iPhone15"),
        ("40", "the 8:40 train"),
    ],
)
def test_a_code_is_found_by_its_parts(part: str, text: str) -> None:
    assert finds(part, text, "nothing of the kind") == [text]


def test_commas_in_long_numbers_do_not_matter() -> None:
    assert finds("1234567", "he paid 1,234,567 for it", "he paid 1,234") == ["he paid 1,234,567 for it"]


def test_full_width_is_the_same_as_half_width() -> None:
    assert of("ＯＲＤ－２２９１，ｔｅａ") == of("ORD-2291,tea")


# ---- fields


def test_phrase_and_keywords_are_words_too() -> None:
    terms = of("text", phrase="a short summary", keywords=("Green Tea",))
    for word in ("short", "summari", "green", "tea"):
        assert code_of(Field.WORDS, word) in terms.codes


def test_a_keyword_filters_whole_whatever_its_case_width_and_spaces() -> None:
    terms = of("text", keywords=("Green  Tea",))
    assert terms.among(Field.KEYWORD).tolist() == [ANALYZER.keyword("ｇｒｅｅｎ tea ")]
    assert ANALYZER.keyword("green") not in terms.codes


def test_kind_and_domain_filter_letter_by_letter() -> None:
    terms = of("text", kind="Fact", domain="work")
    assert terms.among(Field.KIND).tolist() == [ANALYZER.kind("Fact")]
    assert terms.among(Field.DOMAIN).tolist() == [ANALYZER.domain("work")]


@pytest.mark.parametrize(
    ("key", "query"),
    [
        ("coffee", "coffee"),
        ("user:Alice/tea", "what about user:alice/tea?"),
        ("my favourite tea", "my favourite tea"),
        ("用户-17", "用户-17"),
    ],
)
def test_a_key_is_found_letter_by_letter(key: str, query: str) -> None:
    terms = ANALYZER.content(Content(key=key, text=""))
    assert set(terms.among(Field.EXACT)) & set(ANALYZER.query(query).codes)


# ---- odd texts


@pytest.mark.parametrize("text", ["", " \n\t", "😀👍🏽", "\x00", "。，！", "---", "\u200d\ufe0f"])
def test_a_text_without_words_has_none(text: str) -> None:
    assert len(ANALYZER.query(text).among(Field.WORDS)) == 0


MUCH = (
    "a" * 1_000_000,
    "a-" * 500_000,
    "1," * 500_000,
    "1,000" * 200_000,
    "茶" * 300_000,
    "'" * 1_000_000,
    "a b " * 250_000,
)


@pytest.mark.parametrize("text", MUCH, ids=lambda text: text[:5])
@pytest.mark.timeout(20)
def test_a_megabyte_of_anything_is_read_in_good_time(text: str) -> None:
    assert len(of(text)) > 0
    assert len(ANALYZER.query(text)) >= 0


@given(st.text())
@example("\ud800 tea")
@example("ﷺ" * 10)
@example("İstanbul ß ﬁ")
def test_any_text_finds_itself_as_a_memory(text: str) -> None:
    asked, held = ANALYZER.query(text), of(text)
    assert set(asked.among(Field.WORDS)) == set(held.among(Field.WORDS))
    assert set(asked.among(Field.GRAMS)) <= set(held.among(Field.GRAMS))
    assert set(held.among(Field.EXACT)) - {code_of(Field.EXACT, "k")} <= set(asked.among(Field.EXACT))


@given(st.text(st.characters(codec="utf-8")))
def test_how_characters_are_put_together_makes_no_difference(text: str) -> None:
    assert of(unicodedata.normalize("NFD", text)) == of(unicodedata.normalize("NFC", text))


def test_a_memory_is_found_by_the_name_of_who_said_it_and_not_by_a_part_in_the_talk() -> None:
    said_by = {name: ANALYZER.content(Content("k", "tea", speaker=name)) for name in ("Caroline", "assistant", "")}
    asked = ANALYZER.query("caroline").among(Field.WORDS)
    assert np.isin(asked, said_by["Caroline"].among(Field.WORDS)).all()
    assert said_by["assistant"].among(Field.WORDS).tolist() == said_by[""].among(Field.WORDS).tolist()
