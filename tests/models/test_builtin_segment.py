"""Segments: whole sentences, one topic each, nothing left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.memory import Message
from ebbtide.models.builtin.segment import segment
from ebbtide.models.builtin.sentences import LONGEST, size, split
from tests.models.conversations import conversation


def talk(*turns: str) -> list[str]:
    """The segments of turns said by user and assistant in turn."""
    return segment([Message("assistant" if i % 2 else "user", turn) for i, turn in enumerate(turns)])


# ---- sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("他说：“我不去了。你们去吧！”然后走了。", ["他说：“我不去了。你们去吧！”", "然后走了。"]),
        ("价格是3.14元。8:40出发。", ["价格是3.14元。", "8:40出发。"]),
        ("我们走着走着……忽然下雨了。", ["我们走着走着……", "忽然下雨了。"]),
        ("我…我不知道。", ["我…我不知道。"]),
        ("要买：\n1. 牛奶\n2. 面包", ["要买：", "1. 牛奶", "2. 面包"]),
        ("Dr. Smith paid $3.14 at 8:40 a.m. He left.", ["Dr. Smith paid $3.14 at 8:40 a.m.", "He left."]),
        ("It is due on Jan. 5. He knows.", ["It is due on Jan. 5.", "He knows."]),
        ('"I won\'t go." she said. Really?', ['"I won\'t go." she said.', "Really?"]),
        ("See https://a.b/c?d=1. It is v1.2.3 now.", ["See https://a.b/c?d=1.", "It is v1.2.3 now."]),
        ("This is OK. 我们走吧！Bye.", ["This is OK.", "我们走吧！", "Bye."]),
        ("Run this:\n```py\nx = 1.0\ny. z\n```\nDone.", ["Run this:", "```py\nx = 1.0\ny. z\n```", "Done."]),
        (" \n\t ", []),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_would_end_them(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_a_giant_sentence_is_cut_at_its_clauses() -> None:
    pieces = split("我们先去公园散步，" * 60 + "然后回家。")
    assert all(size(piece) <= LONGEST for piece in pieces)
    assert all(piece.endswith("，") for piece in pieces[:-1])


def test_a_giant_sentence_without_marks_is_cut_between_words_and_never_inside_a_number() -> None:
    pieces = split("price 12,345.67 " * 80)
    assert len(pieces) > 1
    assert all(piece.startswith(("price", "12,345.67")) and piece.endswith(("price", "12,345.67")) for piece in pieces)


# ---- topics


def test_the_seeds_example_gives_two_segments() -> None:
    assert talk("我今天去了公园，看到了很多花。然后去了图书馆。") == [
        "我今天去了公园，看到了很多花。",
        "然后去了图书馆。",
    ]


def test_in_a_dialogue_a_short_turn_stays_whole() -> None:
    told = "Our cat Biscuit is fourteen. Daniel ordered 120 chairs for the wedding."
    assert talk(told) == told.replace(". ", ".\n").split("\n")
    assert talk(told, "I will note both of them for the weeks to come.")[0] == told


def test_in_a_dialogue_a_turn_that_changes_the_topic_says_so() -> None:
    told = "The colours blend nicely. By the way, Daniel ordered 120 chairs."
    assert talk("Good morning to all of you in the harbour!", told)[1:] == told.replace(". ", ".\n").split("\n")


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        (
            "我家的狗叫豆豆，是一只金毛犬。豆豆今年三岁了。最近公司的项目很忙，张伟负责后端接口。接口下周五上线。",
            [
                "我家的狗叫豆豆，是一只金毛犬。豆豆今年三岁了。",
                "最近公司的项目很忙，张伟负责后端接口。接口下周五上线。",
            ],
        ),
        (
            "Our cat Biscuit is fourteen. She drinks a lot of water. Daniel ordered 120 chairs for the wedding.",
            [
                "Our cat Biscuit is fourteen. She drinks a lot of water.",
                "Daniel ordered 120 chairs for the wedding.",
            ],
        ),
    ],
)
def test_sentences_that_share_words_or_lean_on_each_other_stay_together(text: str, segments: list[str]) -> None:
    assert talk(text) == segments


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("豆豆的疫苗打了。对了，豆豆的狗粮也要买。", "对了，豆豆的狗粮也要买。"),
        ("合同签好了。另外，合同的押金还没付。", "另外，合同的押金还没付。"),
        ("The lease is signed. By the way, the lease needs a stamp.", "By the way, the lease needs a stamp."),
        ("The oven works. OK, on another note, the oven was cheap.", "OK, on another note, the oven was cheap."),
    ],
)
def test_a_turn_of_phrase_that_changes_the_topic_starts_a_segment(text: str, second: str) -> None:
    assert talk(text)[1] == second


def test_a_short_answer_stays_with_its_question() -> None:
    assert talk("我们几点出发？", "8:40。") == ["我们几点出发？8:40。"]
    assert talk("When does the ferry leave?", "At 8:40, from Central Pier 4.") == [
        "When does the ferry leave? At 8:40, from Central Pier 4."
    ]


def test_a_bare_yes_or_thank_you_is_no_segment_of_its_own() -> None:
    assert talk("张伟负责后端接口。", "好的，明白了。") == ["张伟负责后端接口。好的，明白了。"]
    assert talk("Anna signed the lease.", "Great, thanks!") == ["Anna signed the lease. Great, thanks!"]


def test_what_two_speakers_state_stays_apart() -> None:
    assert len(talk("Anna signed the lease in Leeds.", "Priya bought an oven for the bakery last week.")) == 2


def test_the_items_of_a_list_stay_with_what_announces_them() -> None:
    text = "Please buy:\n- two bags of flour\n- a copper kettle\n- lemons"
    assert talk(text) == [text]


def test_roles_are_not_written_and_empty_messages_vanish() -> None:
    assert talk("Anna signed.", "  ", "", "\n") == ["Anna signed."]
    assert segment([]) == []


def test_unfinished_sentences_of_two_speakers_do_not_run_together() -> None:
    assert talk("几点出发？在哪里", "8:40") == ["几点出发？在哪里\n8:40"]


# ---- laws


def solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_segments_of_a_conversation_are_of_sensible_size(language: str) -> None:
    sizes = [size(each) for each in segment(conversation(language))]
    assert max(sizes) <= LONGEST
    assert 60 <= sorted(sizes)[len(sizes) // 2] <= 250


@given(st.lists(st.text(), max_size=4))
def test_nothing_said_is_left_out_and_the_order_is_kept(turns: list[str]) -> None:
    assert solid("".join(talk(*turns))) == solid("".join(turns))


PIECES = [
    *("我们去公园。", "Anna paid 3.14.", "对了，", "他说：“好。”", "- item\n", "1. 买票\n"),
    *("https://a.cn/b?c=1 ", "```x = 1```", "…… ", "Dr. Lee said no? "),
]
PHRASES = st.lists(st.sampled_from(PIECES), max_size=60)


@given(PHRASES, PHRASES)
def test_nothing_is_left_out_of_real_phrases_either_and_no_segment_is_too_long(one: list[str], two: list[str]) -> None:
    turns = ["".join(one), "".join(two)]
    segments = talk(*turns)
    assert solid("".join(segments)) == solid("".join(turns))
    assert all(size(each) <= 2 * LONGEST for each in segments)
    assert talk(*turns) == segments
