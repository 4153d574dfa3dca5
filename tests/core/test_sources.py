"""Which message a segment comes from, and when it was said (C14)."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.memory import Message
from ebbtide.core.sources import said_at, said_by, sources


def talk(*contents: str) -> list[Message]:
    return [Message("user", content, float(at)) for at, content in enumerate(contents)]


@pytest.mark.parametrize(
    ("contents", "segments", "expected"),
    [
        (["Lin left.", "Mei came."], ["Lin left.", "Mei came."], [(0, 0), (1, 1)]),
        (["Lin left. Mei came."], ["Lin left.", "Mei came."], [(0, 0), (0, 0)]),
        (["Where is Lin?", "At home."], ["Where is Lin?\nAt home."], [(0, 1)]),
        (["Yes.", "No.", "Yes."], ["Yes.", "No.", "Yes."], [(0, 0), (1, 1), (2, 2)]),
        (["one two", "three four", "five"], ["one", "two three", "four five"], [(0, 0), (0, 1), (1, 2)]),
        (["小林走了。", "什么时候？八点。"], ["小林走了。什么时候？", "八点。"], [(0, 1), (1, 1)]),
        (["Lin left", "👍", "Mei came"], ["Lin left", "👍", "Mei came"], [(0, 0), (1, 1), (2, 2)]),
        (["LIN left!!", "so — what"], ["lin left", "so, what"], [(0, 0), (1, 1)]),  # spacing and marks are free
        (["um, Lin left", "Mei came"], ["Lin left", "Mei came"], [(0, 0), (1, 1)]),  # a dropped word shifts nothing
        (["…", "Lin left"], ["Lin left"], [(1, 1)]),
        (["Lin left"], [], []),
    ],
)
def test_segments_come_from_the_messages_that_said_them(
    contents: list[str], segments: list[str], expected: list[tuple[int, int]]
) -> None:
    assert sources(talk(*contents), segments) == expected


def test_a_segment_was_said_when_its_last_message_was() -> None:
    assert said_at(talk("Where is Lin?", "At home.", "Good."), ["Where is Lin? At home.", "Good."]) == [1.0, 2.0]


def test_a_message_without_a_time_was_said_with_the_one_before_it() -> None:
    messages = [Message("user", text, at) for text, at in (("a", None), ("b", 5.0), ("c", None), ("d", 9.0))]
    assert said_at(messages, ["a", "b", "c", "d"]) == [5.0, 5.0, 5.0, 9.0]
    assert said_at([Message("user", "a"), Message("user", "b")], ["a", "b"]) == [None, None]


# ---- who said it

USER, ASSISTANT = Message("user", "Where is Lin?"), Message("assistant", "At home, with Mei.")


@pytest.mark.parametrize(
    ("messages", "segments", "expected"),
    [
        ([USER, ASSISTANT], ["Where is Lin?", "At home, with Mei."], ["user", "assistant"]),
        # 10 letters of the user, then 13 of the assistant
        ([USER, ASSISTANT], ["Where is Lin? At home, with Mei."], ["assistant"]),
        # 10 letters of the user, and At home: 6
        ([USER, ASSISTANT], ["Where is Lin? At home,", "with Mei."], ["user", "assistant"]),
        # is Lin: 5, At ho: 4; then me with Mei: 9
        ([USER, ASSISTANT], ["Where", "is Lin? At ho", "me with Mei."], ["user", "user", "assistant"]),
        # Lin: 3, At h: 3: as much, so who spoke first
        ([USER, ASSISTANT], ["Where is", "Lin? At h", "ome, with Mei."], ["user", "user", "assistant"]),
        ([Message("system", "Be kind.")], ["Be kind."], ["system"]),
        # a name says more than a role
        (
            [Message("user", "Hi.", None, "Mei"), Message("user", "Hello.", None, " 小林 ")],
            ["Hi.", "Hello."],
            ["Mei", "小林"],
        ),
        ([Message("user", "Hi.", None, "  ")], ["Hi."], ["user"]),
        # 我到了: 3 + 3 letters of Mei in two messages, 5 of Lin between them
        (
            [
                Message("user", "我到了。", None, "Mei"),
                Message("user", "你在哪里呢？", None, "Lin"),
                Message("user", "在门口。", None, "Mei"),
            ],
            ["我到了。你在哪里呢？在门口。"],
            ["Mei"],
        ),
        # no letters: whose message has these marks
        ([Message("user", "Lin left"), Message("assistant", "👍")], ["Lin left", "👍"], ["user", "assistant"]),
        # dropped words shift nothing
        ([Message("user", "um, no"), Message("assistant", "Lin left")], ["Lin left"], ["assistant"]),
        ([USER], [], []),
    ],
)
def test_a_segment_is_its_speakers_who_said_most_of_its_letters(
    messages: list[Message], segments: list[str], expected: list[str]
) -> None:
    assert said_by(messages, segments) == expected


@given(
    st.lists(
        st.tuples(st.sampled_from(("", "Mei", "Lin")), st.text("abc 。", min_size=1, max_size=8)),
        min_size=1,
        max_size=6,
    ),
    st.data(),
)
def test_however_it_is_cut_no_other_speaker_said_more(said: list[tuple[str, str]], data: st.DataObject) -> None:
    messages = [Message("user", text, None, name) for name, text in said]
    whole = "".join(text for _, text in said)
    cuts = sorted({0, len(whole), *data.draw(st.lists(st.integers(0, len(whole)), max_size=5))})
    owner = [name or "user" for name, text in said for _ in text]
    pieces = [(whole[a:b], [owner[i] for i in range(a, b) if whole[i].isalnum()]) for a, b in pairwise(cuts)]
    kept = [(text, owners) for text, owners in pieces if owners]
    # of those who said as much, `max` takes the first in this list, which is the one who spoke first
    expected = [max(owners, key=owners.count) for _, owners in kept]
    assert said_by(messages, [text for text, _ in kept]) == expected


@given(st.lists(st.text("abc 。", min_size=1, max_size=8), min_size=1, max_size=6), st.data())
def test_however_it_is_cut_every_segment_finds_its_messages(contents: list[str], data: st.DataObject) -> None:
    """Cut the whole at any places: the messages a piece has letters of are its sources."""
    whole = "".join(contents)
    cuts = sorted({0, len(whole), *data.draw(st.lists(st.integers(0, len(whole)), max_size=5))})
    owner = [number for number, content in enumerate(contents) for _ in content]
    starts = [0, *accumulate(map(len, contents))]
    assert len(owner) == starts[-1]
    pieces = [(whole[a:b], [owner[i] for i in range(a, b) if whole[i].isalnum()]) for a, b in pairwise(cuts)]
    kept = [(text, owners) for text, owners in pieces if owners]
    found = sources(talk(*contents), [text for text, _ in kept])
    assert found == [(owners[0], owners[-1]) for _, owners in kept]
