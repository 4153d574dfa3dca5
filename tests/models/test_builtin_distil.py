"""Distilling: the phrase, the keywords and the entities of a segment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.answers import MAX_PHRASE, MAX_WORD
from ebbtide.models.builtin.distil import ENTITIES, KEYWORDS, distil
from ebbtide.models.builtin.segment import segment
from ebbtide.models.builtin.tokens import chinese
from tests.models.conversations import conversation

# ---- entities


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("张伟负责后端接口，陈晓彤负责前端页面。", ("张伟", "陈晓彤", "后端接口", "前端页面")),
        ("她在中环4号码头等李娜。", ("中环4号码头", "李娜")),
        ("豆豆的疫苗上个月就该打了。", ("豆豆", "疫苗")),
        ("Priya met Helen Brandt, and she is a lawyer.", ("Priya", "Helen Brandt", "lawyer")),
        ("The ferry leaves from Central Pier 4.", ("Central Pier 4", "ferry")),
        ("张伟用 OpenAI 的接口写了报告。", ("张伟", "OpenAI", "接口", "报告")),
    ],
)  # fmt: skip
def test_entities_are_names_then_things(text: str, entities: tuple[str, ...]) -> None:
    assert distil(text).entities == entities


def test_forms_of_one_word_are_one_entity() -> None:
    assert distil("The leases are long. Every lease is dear.").entities == ("lease",)
    assert distil("I told him that his cat is ill.").entities == ("cat", "he")


def test_words_that_stand_for_anything_are_no_entities() -> None:
    assert distil("这件事情有很多东西要说，大家都有问题。").entities == ()
    assert distil("There are lots of things and stuff like that.").entities == ()


def test_speakers_are_never_entities() -> None:
    assert distil("我不喜欢。").entities == ()
    assert distil("I promise you.").entities == ()
    assert distil("我不喜欢香菜。").entities == ("香菜",)


def test_numbers_and_days_are_no_entities() -> None:
    assert distil("下周三早上8:40，一共12万元。").entities == ()
    assert distil("On Monday at 8:40, for 900 pounds.").entities == ()


def test_what_is_said_more_often_comes_first() -> None:
    assert distil("The contract and the oven: the oven is hot, the oven is new.").entities[0] == "oven"


# ---- keywords


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("退款接口还有3个漏洞，5月27日上线。", {"3个漏洞", "5月27日", "退款", "接口", "上线"}),
        ("押金是8400元，电话13957120846。", {"8400元", "13957120846", "押金", "电话"}),
        ("The oven costs 6,400 pounds and feeds 120 guests.", {"6,400 pounds", "120 guests", "oven"}),
        ("Meet Anna at Central Pier 4 at 8:40 on Saturday.", {"Anna", "Central Pier 4", "8:40", "Saturday"}),
    ],
)
def test_keywords_are_names_things_and_numbers_with_what_they_count(text: str, keywords: set[str]) -> None:
    assert set(distil(text).keywords) == keywords


def test_names_weigh_most() -> None:
    assert (
        distil("明天张伟要交报告。").keywords == ("张伟", "明天", "报告")
        or distil("明天张伟要交报告。").keywords[0] == "张伟"
    )
    assert distil("Tomorrow the sommelier meets Anna.").keywords == ("Anna", "sommelier", "Tomorrow")


# ---- the phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("好的，我知道了，张伟负责后端接口。", "张伟负责后端接口"),
        ("I see. Oh well, Anna signed the lease in Leeds.", "Anna signed the lease in Leeds"),
        ("嗯。", "嗯"),
        ("???", "???"),
    ],
)
def test_the_phrase_is_the_most_telling_piece(text: str, phrase: str) -> None:
    assert distil(text).phrase == phrase


@pytest.mark.parametrize("language", ["zh", "en"])
def test_phrases_of_a_conversation_are_short_and_taken_from_it(language: str) -> None:
    for each in segment(conversation(language)):
        phrase = distil(each).phrase
        assert phrase
        assert len(phrase) <= 20 if chinese(phrase) else len(phrase.split()) <= 8
        rest = iter(each)
        assert all(char in rest for char in phrase if char.isalnum())


# ---- laws


@pytest.mark.parametrize("language", ["zh", "en"])
def test_entities_and_keywords_are_few_different_and_never_empty_words(language: str) -> None:
    for each in segment(conversation(language)):
        found = distil(each)
        assert len(found.entities) <= ENTITIES
        assert len(found.keywords) <= KEYWORDS
        for words in (found.entities, found.keywords):
            assert len({word.lower() for word in words}) == len(words)
            assert all(word == word.strip() != "" for word in words)


@pytest.mark.parametrize(
    "text",
    [
        "```\nassistant: done\n```",
        "Run this:\n```python\n" + "print('one more line')\n" * 40 + "```",
        "See https://example.org/" + "deeper/" * 60,
        "abc" * 500,
        "Word" * 100 + " was here.",
    ],
)
def test_code_and_other_long_things_are_no_words_to_file_under(text: str) -> None:
    found = distil(text)
    assert len(found.phrase.splitlines()) == 1
    assert len(found.phrase) <= MAX_PHRASE
    for word in (*found.keywords, *found.entities):
        assert len(word) <= MAX_WORD
        assert len(word.splitlines()) == 1


@given(st.text())
def test_any_text_can_be_distilled_always_to_the_same(text: str) -> None:
    found = distil(text)
    assert found == distil(text)
    assert len(found.entities) <= ENTITIES
    assert len(found.keywords) <= KEYWORDS
    assert bool(found.phrase) == bool(text.strip())
