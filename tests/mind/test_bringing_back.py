"""Nothing irreversible by itself (C8): what a cycle forgot or shortened can come back."""

import math

import pytest

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY
from tests.helpers import FakeClock
from tests.scripted_model import (
    HUNDRED,
    by_text,
    network_in_ram,
    tell,
    topics,
)


async def test_what_a_cycle_forgot_is_in_the_trash_and_can_come_back() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    await topics(mind, 98)
    last = (await by_text(mind, HUNDRED[:5])).text
    await topics(mind, 1, 98)
    gone = {forgotten.key: forgotten for forgotten in await mind.trash()}
    assert (gone[key].cause, gone[key].text) == ("faded", last)
    assert (await mind.restore(key)).text == last
    assert await mind.check() == []


async def test_a_faded_text_can_be_brought_back_whole() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock, focus_limit=1)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    for k in range(40):
        clock.forward(0.5 * DAY)
        await topics(mind, 1, k)
    assert len((await mind.get(key)).text) == 29  # 100 · 0.97⁴⁰ = 29.57
    back = await mind.revert(key)
    assert (back.text, back.meta.original_length) == (HUNDRED, 100)
    await topics(mind, 1, 40)  # it has not become more important by that: the law goes on
    assert len((await mind.get(key)).text) == 28  # 100 · 0.97⁴¹ = 28.68
    assert await mind.check() == []


async def test_a_text_that_faded_longer_ago_comes_back_as_it_was_when_the_trash_began() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock, focus_limit=1, trash_days=10.0)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    for k in range(20):
        clock.forward(DAY)
        await topics(mind, 1, k)
    # Shortened once a day: the text of day 10 was replaced on day 11, nine days ago; the one before ten days ago.
    back = await mind.revert(key)
    assert len(back.text) == math.floor(100 * 0.97**10) == 73
    assert back.meta.original_length == 100


async def test_a_text_that_never_changed_has_no_earlier_one() -> None:
    mind = await network_in_ram()
    await tell(mind, HUNDRED)
    with pytest.raises(InvalidInput, match="has no earlier text"):
        await mind.revert((await by_text(mind, HUNDRED)).key)
