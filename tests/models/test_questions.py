"""What a question says beyond its words: its sentences, whom it is about, who may be named, and who said a memory."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.question import Question
from ebbtide.models.analysis import Analyzer
from ebbtide.models.questions import SENTENCES, is_user, question, sentences, speaker_code, speaker_of

AT = 1_686_744_000.0  # Wednesday, 14 June 2023, 12:00 UTC


def ask(text: str) -> Question:
    return question(text, AT)


# ---- sentences


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("When did Caroline go to the support group?", ["When did Caroline go to the support group?"]),
        (
            "I finished the first draft of the novel today. What was the deadline that my editor gave me?",
            ["I finished the first draft of the novel today.", "What was the deadline that my editor gave me?"],
        ),
        ("Hi! I am about to book the ferry to Lamma.", ["Hi! I am about to book the ferry to Lamma."]),
        ("I am about to book the ferry to Lamma. Any advice?", ["I am about to book the ferry to Lamma. Any advice?"]),
        (
            "我今天拿到了数学考试的满分！你觉得我应该怎么庆祝一下呢？",
            ["我今天拿到了数学考试的满分！", "你觉得我应该怎么庆祝一下呢？"],
        ),
        ("first line of the message is long\nsecond line of the message too", None),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_turn_is_read_sentence_by_sentence_and_short_ones_go_with_a_neighbour(
    text: str, told: list[str] | None
) -> None:
    assert sentences(text) == (text.split("\n") if told is None else told)


def test_of_a_long_turn_the_last_sentences_are_read() -> None:
    parts = [f"This is sentence number {number}, as long as needed." for number in range(40)]
    assert sentences(" ".join(parts)) == parts[-SENTENCES:]


def test_a_question_of_one_sentence_has_no_parts() -> None:
    assert ask("Where does my sister live?").sentences == ()


# ---- what it asks


@pytest.mark.parametrize(
    "text",
    [
        "When did Jon lose his job?", "how long have I been learning Dutch?", "What year did we move?",
        "Which month was the trip?", "How many days did the repair take?", "我什么时候去的杭州？", "他哪天出院？",
        "这件事过了多久？", "哪一年搬的家？",
    ],
)  # fmt: skip
def test_it_knows_a_question_for_a_time(text: str) -> None:
    assert ask(text).when


@pytest.mark.parametrize("text", ["Where is the key?", "钥匙在哪里？", "How many cats are there?", "whenever"])
def test_it_knows_a_question_for_something_else(text: str) -> None:
    assert not ask(text).when


def test_in_a_turn_only_what_is_asked_names_a_time() -> None:
    told = "Yesterday the teacher praised me in front of the class. What should I do to celebrate this properly?"
    assert ask(told).spans == ()
    asked = "The teacher praised me in front of the class again. What did I do to celebrate it yesterday evening?"
    assert len(ask(asked).spans) == 1


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("What did I buy?", True), ("Where's my passport", True), ("I've lost it", True), ("我把护照放哪儿了", True),
        ("What did Lin buy?", False), ("Is it mild?", False), ("林买了什么", False),
    ],
)  # fmt: skip
def test_it_knows_who_speaks_of_themselves(text: str, own: bool) -> None:
    assert ask(text).own is own


# ---- speakers


@pytest.mark.parametrize(
    ("speaker", "text", "said_by"),
    [
        ("", "Caroline: Hey Mel!", "caroline"),
        ("", "user: I like tea", "user"),
        ("", "用户：我喜欢茶", "用户"),
        ("", "小明：我到了", "小明"),
        ("", "[Dr. Chen]: take it twice a day", "dr. chen"),
        ("Melanie", "Caroline: said the note", "melanie"),
        ("User", "I like tea", "user"),
        ("", "the ferry leaves at 8:40", ""),
        ("", "http://example.org is down", ""),
        ("", "Note: the key is under the mat", ""),
        ("", "a sentence that goes on for long before its colon: here", ""),
        ("", "", ""),
    ],
)
def test_who_said_a_text_is_told_or_stands_at_its_beginning(speaker: str, text: str, said_by: str) -> None:
    assert speaker_of(speaker, text) == said_by


def test_the_user_is_the_user_in_both_languages() -> None:
    assert [is_user(name) for name in ("user", "用户", "assistant", "caroline", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("What did Caroline research?", "caroline", True),
        ("What is Caroline's identity?", "caroline", True),
        ("what did Dr Chen say about it", "dr chen", True),
        ("小明什么时候到的？", "小明", True),
        ("What did Melanie paint?", "caroline", False),
        ("明天做什么？", "小明", False),
    ],
)
def test_a_question_may_name_a_speaker(text: str, name: str, named: bool) -> None:
    assert bool(np.isin(speaker_code(name), ask(text).names)) is named


# ---- anything


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_can_be_asked_at_any_moment(text: str, at: float) -> None:
    asked = Analyzer().question(text, at)
    assert len(asked.sentences) <= SENTENCES
    assert (np.diff(asked.names.astype(np.float64)) >= 0).all()


@given(st.text())
def test_any_text_has_a_speaker_or_none(text: str) -> None:
    said_by: Any = speaker_of("", text)
    assert said_by == said_by.strip()


def test_of_an_endless_question_only_the_beginning_is_read() -> None:
    assert ask("word " * 200_000).sentences == ()
