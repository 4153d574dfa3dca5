"""The context window helper (N12): what no longer fits goes to remember, oldest first, and exactly once."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.errors import InvalidInput, StoreFull
from ebbtide.core.memory import Message
from ebbtide.mind.window import PER_MESSAGE, ContextWindow, estimated_tokens
from tests.scripted_model import network_in_ram, texts


class Told:
    """Remembers by writing down."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.trouble: Exception | None = None

    async def remember(self, messages: Sequence[Message]) -> int:
        await asyncio.sleep(0)
        if self.trouble:
            raise self.trouble
        self.batches.append([message.content for message in messages])
        return len(self.batches)


def words(text: str) -> int:
    return len(text.split())


def user(content: str) -> Message:
    return Message("user", content)


# ---- counting


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fours", 2),
        ("The ferry leaves at 8:40.", 7),  # 25 characters / 4 = 6.25
        ("渡轮八点四十开", 7),  # each its own
        ("渡轮 8:40 开", 5),  # 3 + 6 others / 4 = 1.5
        ("한국어", 3),
        ("カタカナ", 4),
        ("，。", 2),  # full-width marks
    ],
)
def test_without_a_tokenizer_tokens_are_estimated(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


# ---- handing over


async def test_nothing_is_handed_over_while_it_fits() -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens=100, count=words)
    # 80 % of 100 tokens: ten messages of 4 words and 4 tokens of wrapping are 80, which is not more than 80
    for _ in range(10):
        assert await window.add(user("one two three four")) is None
    assert (window.tokens, len(window.messages), told.batches) == (80, 10, [])


async def test_what_exceeds_four_fifths_goes_oldest_first() -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens=100, count=words)
    for number in range(10):
        await window.add(user(f"message {number} of ten"))
    assert await window.add(user("and one more")) == 1
    assert told.batches == [["message 0 of ten"]]  # 80 + 7 − 8 = 79
    assert window.tokens == 79
    assert [message.content for message in window.messages][-1] == "and one more"


async def test_a_long_message_pushes_out_as_many_as_it_takes() -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens=50, ratio=1.0, count=words)
    for number in range(5):
        await window.add(user(f"message {number}"))  # 6 tokens each: 30
    await window.add(user(" ".join(["word"] * 28)))  # 32: 62 − 6 − 6 = 50
    assert told.batches == [["message 0", "message 1"]]
    assert window.tokens == 50


async def test_the_last_message_always_stays_however_long_it_is() -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens=10, count=words)
    await window.add(user("short"))
    await window.add(user(" ".join(["word"] * 500)))
    assert told.batches == [["short"]]
    assert (len(window.messages), window.tokens) == (1, 504)


async def test_messages_leave_only_once_they_are_taken() -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens=16, ratio=1.0, count=words)
    await window.add(user("one two three four"))
    await window.add(user("five six seven eight"))
    told.trouble = StoreFull(path="mind.db", detail="no space left")
    with pytest.raises(StoreFull):
        await window.add(user("nine ten"))
    assert [message.content for message in window.messages] == [
        "one two three four",
        "five six seven eight",
        "nine ten",
    ]
    told.trouble = None
    await window.add(user("eleven"))
    assert told.batches == [["one two three four", "five six seven eight"]]  # 27 − 8 − 8 = 11
    assert [message.content for message in window.messages] == ["nine ten", "eleven"]


async def test_two_who_add_at_once_hand_nothing_over_twice() -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens=12, ratio=1.0, count=words)
    await asyncio.gather(*(window.add(user(f"message {number}")) for number in range(10)))
    over = [content for handed in told.batches for content in handed]
    assert over + [message.content for message in window.messages] == [f"message {number}" for number in range(10)]


@given(st.lists(st.text(max_size=40), max_size=30), st.integers(1, 120), st.sampled_from((0.1, 0.5, 0.8, 1.0)))
async def test_nothing_is_lost_or_doubled_and_the_window_is_kept(
    contents: list[str], max_tokens: int, ratio: float
) -> None:
    told = Told()
    window = ContextWindow(told.remember, max_tokens, ratio=ratio)
    for content in contents:
        await window.add(user(content))
        assert window.tokens <= max_tokens * ratio or len(window.messages) == 1
        assert window.tokens == sum(estimated_tokens(m.content) + PER_MESSAGE for m in window.messages)
    over = [content for handed in told.batches for content in handed]
    kept = [message.content for message in window.messages]
    assert over + kept == [content for content in contents[: len(contents) - len(kept)] if content.strip()] + kept


@pytest.mark.parametrize(("max_tokens", "ratio"), [(0, 0.8), (-5, 0.8), (100, 0.0), (100, 1.01), (100, -1.0)])
def test_a_window_that_holds_nothing_is_refused(max_tokens: int, ratio: float) -> None:
    with pytest.raises(InvalidInput, match="a context window needs at least one token"):
        ContextWindow(Told().remember, max_tokens, ratio=ratio)


async def test_empty_messages_leave_without_a_word() -> None:
    mind = await network_in_ram()
    window = ContextWindow(mind.remember, max_tokens=20, count=words)
    for content in ("", " ", "", "", "Ada took the ferry and slept", "Bo stayed"):
        await window.add(user(content))
    assert await mind.queue() == []
    assert [message.content for message in window.messages] == ["Ada took the ferry and slept", "Bo stayed"]


async def test_with_a_mind() -> None:
    mind = await network_in_ram()
    window = ContextWindow(mind.remember, max_tokens=20, count=words)
    for content in ("Ada took the ferry", "Bo stayed at home", "Cy slept"):
        await window.add(user(content))
    await mind.idle()
    assert await texts(mind) == ["Ada took the ferry"]
    assert [message.content for message in window.messages] == ["Bo stayed at home", "Cy slept"]
