"""What can be wrong with a small model's answer (N7): each fault by name, and that honest answers pass."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.answers import (
    compression_fault,
    distilled_fault,
    grounded,
    overlap_fault,
    relation_fault,
    segments_fault,
)
from ebbtide.core.memory import Message
from ebbtide.core.ports import Distilled

ZH = (
    "昨天下午三点，我和张伟在上海的咖啡馆见面，讨论了新项目的预算。他说总预算是120万元，但不包括服务器的费用。"
    "我们决定下周五之前把方案发给李经理，如果没有批准就不开始招聘。"
)
EN = (
    "Yesterday at 3 pm I met David Miller in a small cafe in Boston to talk about the budget. He said the total is "
    "$120,000, but that does not include the servers. We agreed to send the plan to Ms. Carter by next Friday."
)


# ---- compression


@pytest.mark.parametrize(
    ("original", "answer"),
    [
        (ZH, "昨天15:00和张伟在上海谈预算：共1,200,000元，不含服务器。"),
        (ZH, "张伟说预算一百二十万，服务器另算；周五前把方案给李经理，未批准不招聘。"),
        (ZH, "和张伟谈了项目预算，下周五前发方案"),
        (ZH, "张伟"),
        (EN, "Met David Miller in Boston about the $120k budget, servers excluded."),
        (EN, "David Miller: total of 120,000 without servers. Plan goes to Carter by Fri."),
        (EN, "He said the total excludes servers; they send Carter the plan."),
        (EN, "Budget meeting with Miller, plan due next Friday"),
        (EN, "Miller"),
        ("小明和小红去了公园，玩得非常高兴。", "两人去公园，开心极了"),
        ("I purchased three good books yesterday.", "Bought 3 books."),
    ],
)
def test_an_honest_compression_passes(original: str, answer: str) -> None:
    assert compression_fault(original, answer, len(original) - 1) is None


@pytest.mark.parametrize(
    ("original", "answer", "fault"),
    [
        (ZH, "", "it is empty"),
        (ZH, " \n", "it is empty"),
        (ZH, "张伟在上海的咖啡馆和我见面，讨论了新项目的预算。", "it has 24 characters, 20 were allowed"),
        (ZH, "Met in Shanghai", "it is written in Latin letters, unlike the text"),
        (EN, "我在波士顿见了米勒", "it is written in Chinese, unlike the text"),
        (EN, "Я встретил его", "it is written in another script, unlike the text"),
        (ZH, "预算是150万元", "it gives the number '150万', which the text does not"),
        (ZH, "张伟和王医生见面", "it names '王医生', which the text does not"),
        (EN, "Met Peter in Boston", "it names 'Peter', which the text does not"),
        (EN, "Met at 5", "it gives the number '5', which the text does not"),
        (ZH, "预算\ufffd元", "it contains the character U+FFFD"),
        (ZH, "预算\x00元", "it contains the character U+0000"),
        (ZH, "预算\ud800元", "it contains the character U+D800"),
        (ZH, "抱歉，无法提供帮助", "it speaks of something else"),
    ],
)
def test_a_faulty_compression_is_refused_with_its_reason(original: str, answer: str, fault: str) -> None:
    assert compression_fault(original, answer, 20) == fault


def test_politeness_is_no_memory() -> None:
    answer = "I'm sorry, but I can't assist with that request."
    assert compression_fault(EN, answer, 100) == "it speaks of something else"


def test_a_compression_must_be_shorter_than_what_it_replaces() -> None:
    assert compression_fault("潮起潮落", "潮落潮起", 10) == "it has 4 characters and is no shorter than the text"
    assert compression_fault("潮起潮落", "潮落潮", 10) is None


def test_the_length_allowed_is_allowed() -> None:
    assert compression_fault(ZH, "张伟谈预算", 5) is None
    assert compression_fault(ZH, "张伟谈预算", 4) == "it has 5 characters, 4 were allowed"


SENTENCES = st.sampled_from(
    [
        "张伟今年三十七岁。", "王老师读《红楼梦》。", "会议在14:30开始。", "我们一起去了上海。", "房租是3,500元。",
        "Tom喜欢猫。", "Alice met Bob in Paris.", "She was ill for twenty-one days.", "It costs $1,200.",
        "We moved to New York.", "Dr. Miller lives at 5 Main Street.", "No one knows.",
        "The U.S. team won 3-2.", "iPhones are expensive!",
    ]
)  # fmt: skip


@given(st.lists(SENTENCES, min_size=2, max_size=8), st.data())
def test_leaving_sentences_out_is_never_a_fault(sentences: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.sampled_from(range(len(sentences))), unique=True, min_size=1).map(sorted))
    original, answer = " ".join(sentences), " ".join(sentences[place] for place in kept)
    if len(answer) < len(original):
        assert compression_fault(original, answer, len(original)) is None


@given(st.text(max_size=60), st.text(max_size=60), st.integers(0, 80))
def test_what_passes_is_short_and_not_empty(original: str, answer: str, length: int) -> None:
    if compression_fault(original, answer, length) is None:
        assert answer.strip()
        assert len(answer) <= length
        assert len(answer) < len(original)


# ---- segments


def messages(*texts: str) -> list[Message]:
    return [Message("user", text) for text in texts]


@pytest.mark.parametrize(
    ("said", "segments"),
    [
        (["我养了一只猫。它叫咪咪。", "预算定了吗？"], ["我养了一只猫。它叫咪咪。", "预算定了吗？"]),
        (["我养了一只猫。它叫咪咪。", "预算定了吗？"], ["我养了一只猫。\n它叫咪咪。预算定了吗?"]),
        (["One.  Two.", "THREE"], ["One. Two", "three"]),
        (
            ["Um. One thing is that the budget is not yet decided."],
            ["One thing is that the budget is not yet decided."],
        ),
        (["？？？"], ["？？？"]),
        (["", "  "], []),
    ],
)
def test_honest_segments_pass(said: list[str], segments: list[str]) -> None:
    assert segments_fault(messages(*said), segments) is None


@pytest.mark.parametrize(
    ("segments", "fault"),
    [
        ([], "there are no segments"),
        (["我养了一只猫。", " "], "segment 2 is empty"),
        (["我养了一只狗。"], "segment 1 is not what was said, or not in its place: '我养了一只狗。'"),
        (["预算定了吗？", "我养了一只猫。"], "segment 2 is not what was said, or not in its place: '我养了一只猫。'"),
        (["我养了一只猫。", "我养了一只猫。"], "segment 2 is not what was said, or not in its place: '我养了一只猫。'"),
        (["我养了一只猫。它叫咪咪。"], "the segments hold 67% of what was said"),  # 6 + 4 of 15
    ],
)
def test_faulty_segments_are_refused_with_their_reason(segments: list[str], fault: str) -> None:
    assert segments_fault(messages("我养了一只猫。它叫咪咪。", "预算定了吗？"), segments) == fault


@given(st.lists(st.text(max_size=40), max_size=6), st.data())
def test_cutting_a_text_anywhere_gives_good_segments(texts: list[str], data: st.DataObject) -> None:
    whole = "\n".join(texts)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=5)) | {0, len(whole)})
    pieces = [whole[start:end] for start, end in pairwise(cuts)]
    assert segments_fault(messages(*texts), [piece for piece in pieces if piece.strip()]) is None


# ---- the gist


@pytest.mark.parametrize(
    ("segment", "found"),
    [
        (ZH, Distilled("张伟谈120万预算", ("预算", "服务器", "方案"), ("张伟", "李经理", "我们"))),
        (EN, Distilled("Budget meeting with David Miller", ("budget", "servers", "plans"), ("David Miller", "I"))),
        (EN, Distilled("Project Budget Meeting", ("budget",), ())),  # a heading: capitals prove nothing
        ("嗯。", Distilled("嗯", (), ())),
        ("……", Distilled("", (), ())),
    ],
)
def test_an_honest_gist_passes(segment: str, found: Distilled) -> None:
    assert distilled_fault(segment, found) is None


@pytest.mark.parametrize(
    ("phrase", "fault"),
    [
        ("", "it is empty"),
        ("预" * 101, "it has 101 characters, more than 100"),
        ("谈\n预算", "it is more than one line"),
        ("Budget talk", "it is written in Latin letters, unlike the text"),
        ("预算500万", "it gives the number '500万', which the text does not"),
        ("和王医生谈预算", "it names '王医生', which the text does not"),
    ],
)
def test_a_faulty_phrase_is_refused_with_its_reason(phrase: str, fault: str) -> None:
    assert distilled_fault(ZH, Distilled(phrase, ("预算",), ())) == f"the phrase is not usable: {fault}"


@pytest.mark.parametrize(
    ("keywords", "entities", "fault"),
    [
        (("预算", ""), (), "the keyword '' is not usable: it is empty"),
        (("火箭",), (), "the keyword '火箭' is not usable: it does not stand in the text"),
        (("预算",), ("李雷",), "the entity '李雷' is not usable: it does not stand in the text"),
        (("预算",), ("预算\n方案",), "the entity '预算\\n方案' is not usable: it is more than one line"),
        (("预算" * 65,), (), f"the keyword '{'预算' * 19}预…' is not usable: it has more than 128 characters"),
        (("预",) * 65, (), "there are 65 keywords, more than 64"),
    ],
)
def test_faulty_words_are_refused_with_their_reason(
    keywords: tuple[str, ...], entities: tuple[str, ...], fault: str
) -> None:
    assert distilled_fault(ZH, Distilled("谈预算", keywords, entities)) == fault


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("预算", ZH, True),
        ("总预算金额", ZH, False),
        ("david miller", EN, True),
        ("agreeing", EN, True),  # agreed
        ("agreement", EN, False),  # another word
        ("server", EN, True),
        ("they", "I saw them.", True),
        ("they", "I saw him.", False),
        ("I", "I'm here", True),
        ("activity", "three activities", True),
        ("Miller David", EN, True),
        ("Boston Tea", EN, False),
        ("Tom的猫", "昨天Tom 的猫不见了", True),
        ("Bob的猫", "昨天Tom 的猫不见了", False),
        ("cat", "concatenate", True),  # part of a word: doubtful, let pass
    ],
)
def test_a_word_stands_in_a_text_or_not(word: str, text: str, there: bool) -> None:
    assert grounded(word, text) is there


# ---- relation, overlap


@pytest.mark.parametrize(
    ("segment", "relation", "fault"),
    [
        (ZH, "涉及", None),
        (EN, "belongs to", None),
        ("我用 Docker and Kubernetes", "about", None),  # mixed: either language
        ("Мы любим яблоки", "about", None),
        (ZH, "", "it is empty"),
        (ZH, "。", "it is empty"),
        (ZH, "involves", "it is written in Latin letters, unlike the text"),
        (EN, "涉及", "it is written in Chinese, unlike the text"),
        (ZH, "这段话说的是他们关于预算的讨论", "it has 15 characters, too many for a relation"),
        (EN, "is a text that speaks of the budget", "it has 35 characters, too many for a relation"),
        (EN, "about\nit", "it is more than one line"),
        (EN, "about\x1b", "it contains the character U+001B"),
    ],
)
def test_a_relation_is_a_word_or_a_few(segment: str, relation: str, fault: str | None) -> None:
    assert relation_fault(segment, relation) == fault


@pytest.mark.parametrize(
    ("overlap", "good"), [(0.0, True), (1.0, True), (1.01, False), (-0.1, False), (float("nan"), False)]
)
def test_overlap_is_a_share(overlap: float, good: bool) -> None:
    assert (overlap_fault(overlap) is None) is good


@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=10), max_size=4))
def test_no_answer_is_too_odd_to_be_judged(segment: str, answer: str, words: list[str]) -> None:
    for fault in (
        relation_fault(segment, answer),
        segments_fault([Message("user", segment)], [answer, *words]),
        distilled_fault(segment, Distilled(answer, tuple(words), tuple(words))),
    ):
        assert fault is None or fault
