"""Why a tide memory is what it is, in exact sentences, and the same on the page in Chinese."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ebbtide.core.appraisal import Features
from ebbtide.core.changes import Appraise, Supersede, Touch
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from ebbtide.serve.page import reasons
from ebbtide.serve.page.frame import Page
from tests.helpers import FakeClock, able_to_search, batch, mind_in_ram, store_of

FERRY = "I take the ferry to Lamma at 8:40."


async def told(mind: Mind, key: str) -> str:
    return (await mind.explain(key)).why


def chinese(why: str) -> str:
    return reasons.told(cast(Page, SimpleNamespace(language="zh")), why)


async def read(mind: Mind, clock: FakeClock, *lengths: float) -> None:
    """All memories, of which only the length differs: the content prior follows its order."""
    features = tuple(Features(length, 1.0, 0.0, 0.0, 0.0, 0.0) for length in lengths)
    ids = tuple(range(1, len(lengths) + 1))
    await store_of(mind).apply(batch(Appraise(clock.now(), ids, features), token="read"))


async def lasting(clock: FakeClock, **params: Any) -> Mind:
    """A mind in which w is 0: need = log2(1 + U) + 1.5 · P + 0.5 · R − S."""
    return await mind_in_ram("tide", clock, tools=able_to_search(), regime_most=0.0, **params)


async def ferries(clock: FakeClock) -> Mind:
    """The ferry: used three times, read as the best of two, and half of it said again by a newer memory."""
    mind = await lasting(clock)
    await mind.put("Tides", key="tides")
    await mind.put(FERRY, key="ferry")
    for key in ("bo", "ann", "K"):
        await mind.put("Bo", key=key)
    await read(mind, clock, 3.0, 4.0, 1.0, 1.5, 2.0)
    clock.forward(DAY)
    for _ in range(3):
        clock.forward(2 * HOUR)
        await mind.touch("ferry")
    await store_of(mind).apply(batch(Supersede(clock.now(), store_of(mind).seq, ((2, 5, 0.5),)), token="newer"))
    clock.forward(12 * DAY)
    return mind


async def test_a_memory_that_was_used_and_then_superseded() -> None:
    # U = 3 · 0.5 · 2^(−12/1000) = 1.4876: log2(2.4876) = 1.3147; P = 6/11: 0.8182; R = 1/(1 + 12/14): 0.2692; S = 0.5
    # 1.3147 + 0.8182 + 0.2692 − 0.5 = 1.902. The newer one: log2(2.4876) + 1.5 · 0.5 + 0.5/(1 + 13.25/14) = 2.32
    assert await told(await ferries(FakeClock()), "ferry") == (
        "used 3 times, last 12 days ago; says when and where, speaks in the first person "
        "(content rated 55 %); a newer memory, K, says nearly the same; "
        "needed more than 75 % of this mind (need 1.902). This agent lives by what lasts (w 0.00). "
        "If nothing happens, it begins to fade in 8 years."
    )


async def test_the_same_in_chinese() -> None:
    assert chinese(await told(await ferries(FakeClock()), "ferry")) == (
        "用过 3 次，最近一次在 12 天前；提到时间和地点，用第一人称（内容评分 55 %）；更新的记忆 K 说的几乎相同；"
        "需要度高于 75 % 的记忆（1.902）。这个智能体多用长久的记忆（w 0.00）。若什么都不发生，8 年后开始褪色。"
    )


async def test_a_memory_that_took_over_the_uses_of_an_older_one() -> None:
    why = await told(await ferries(FakeClock()), "K")
    assert why.startswith("not used itself, but an older memory that it replaces was, put 13 days ago; content rated ")
    assert chinese(why).startswith("自身未使用，但它取代的旧记忆用过，13 天前存入；内容评分 ")


async def test_a_key_that_reads_like_a_reason_is_not_translated() -> None:
    why = "used once, today; a newer memory, 5; says when, says nearly the same; needed most in this mind (need 1.0)."
    assert chinese(why) == "今天用过一次；更新的记忆 5; says when 说的几乎相同；需要度最高（1.0）."


async def test_a_memory_that_is_never_used_fades() -> None:
    # P = 5/12: 0.625; R = 1/(1 + 13.25/14) = 0.5138: need 0.625 + 0.257
    why = await told(await ferries(FakeClock()), "bo")
    assert why == (
        "never used, put 13 days ago; content rated 42 %; needed least in this mind (need 0.882): "
        "among the lowest 25 %, so it fades. This agent lives by what lasts (w 0.00)."
    )
    assert chinese(why) == (
        "从未使用，13 天前存入；内容评分 42 %；需要度最低（0.882），属于最低的 25 %，因此正在褪色。"
        "这个智能体多用长久的记忆（w 0.00）。"
    )


async def test_a_pinned_memory_says_what_it_would_be_and_that_nothing_comes() -> None:
    mind = await ferries(FakeClock())
    await mind.pin("bo")
    assert await told(mind, "bo") == (
        "pinned; without the pin fading: never used, put 13 days ago; content rated 42 %; needed least "
        "in this mind (need 0.882): among the lowest 25 %, so it fades. This agent lives by what lasts (w 0.00)."
    )


async def test_the_first_and_only_memory_before_its_words_are_read() -> None:
    # w = 0.37/1.1: (0.73 · (0.75 + 0.5) + 0.37 · (0.25 + 2)) / 1.1 = (0.9125 + 0.8325) / 1.1
    mind = await mind_in_ram("tide", tools=able_to_search())
    await mind.put(FERRY, key="ferry")
    why = await told(mind, "ferry")
    assert why == (
        "not used yet, put today; its words are not read yet, so its content counts as average; the only memory "
        "of this mind (need 1.586). What this agent lives by is not known yet (w 0.34). "
        "If nothing happens, it does not fade."
    )
    assert chinese(why) == (
        "今天存入，尚未使用；尚未分析文字，内容按平均值计；这个心智中唯一的记忆（1.586）。"
        "尚不清楚这个智能体更常用新的还是长久的记忆（w 0.34）。若什么都不发生，它不会褪色。"
    )


async def test_memories_that_are_alike_are_needed_alike() -> None:
    mind = await mind_in_ram("tide", tools=able_to_search())
    for key in ("one", "two"):
        await mind.put("Tides", key=key)
    # Content not read yet, w = 0.37/1.1: (0.73 · (0.75 + 0.5) + 0.37 · (0.25 + 2)) / 1.1
    assert "; needed as much as every other memory of this mind (need 1.586). " in await told(mind, "one")


async def test_a_memory_in_the_middle_says_how_many_are_needed_less() -> None:
    mind = await ferries(FakeClock())
    # bo 0.257 + 1.5 · 5/12, ann 0.257 + 1.5 · 6/13, tides 0.257 + 1.5 / 2: two of the four others are needed less
    why = await told(mind, "tides")
    assert "; needed more than 50 % of this mind (need 1.007). " in why
    assert "content" not in why  # the first has no earlier ones


async def test_what_fades_later_says_when() -> None:
    clock = FakeClock()
    mind = await lasting(clock, long_recent=2.0)
    for key in ("a", "b", "c", "d"):
        await mind.put("Tides", key=key)
    clock.forward(60 * DAY)
    await mind.put("Bo", key="new")
    await read(mind, clock, 2.0, 3.0, 2.5, 3.5, 1.0)
    # c is as long as the mean, as a was: x = 0, P = (0.5 + 5)/12: 0.6875 + 2/(1 + (60 + d)/14). The new one has
    # P = 5/14: 0.5357 + 2/(1 + d/14). A forecast looks at 61.8 and 75.8 days: 0.905 > 0.894, then 0.848 < 0.874.
    why = await told(mind, "new")
    assert why.endswith(" If nothing happens, it begins to fade in 76 days.")
    assert chinese(why).endswith("若什么都不发生，76 天后开始褪色。")


@pytest.mark.parametrize(
    ("newness", "words", "in_chinese"),
    [
        (0.0, "This agent lives by what lasts (w 0.00).", "这个智能体多用长久的记忆（w 0.00）。"),
        (1.0, "This agent lives by what is new (w 0.90).", "这个智能体多用新的记忆（w 0.90）。"),
        # ρ = (2.885 + 5.77) / 15 = 0.577: w = 0.037 / 0.11
        (
            0.577,
            "This agent lives by what lasts and by what is new alike (w 0.34).",
            "这个智能体既用长久的记忆，也用新的记忆（w 0.34）。",
        ),
    ],
)
async def test_what_an_agent_lives_by(newness: float, words: str, in_chinese: str) -> None:
    clock = FakeClock()
    mind = await mind_in_ram("tide", clock, tools=able_to_search())
    await mind.put("Tides", key="one")
    clock.forward(2 * DAY)
    for number in range(10):
        clock.forward(2 * HOUR)
        await store_of(mind).apply(batch(Touch(clock.now(), (1,), newness=(newness,)), token=f"touch {number}"))
    why = await told(mind, "one")
    assert words in why
    assert in_chinese in chinese(why)


async def test_the_text_is_read_when_it_is_explained() -> None:
    mind = await lasting(clock := FakeClock())
    await mind.put("Do you know?", key="asked")
    await mind.put("我们在图书馆见面，星期三下午三点。", key="met")
    for number in range(6):
        await mind.put(f"The tide of {number} turned, and turned again, and so on.", key=f"tide-{number}")
    await mind.put("Bo", key="short")
    await mind.put("The tide turned. " * 9, key="long")
    await read(mind, clock, *([1.0, 2.0] * 5))
    assert "; addresses a reader, ends in a question, is shorter than most; " in await told(mind, "asked")
    met = await told(mind, "met")
    assert "; says when and where, follows a question, speaks in the first person (content rated " in met
    assert "；提到时间和地点，紧接一个问题，用第一人称（内容评分" in chinese(met)
    assert "; is shorter than most (content " in await told(mind, "short")
    assert "; is longer than most (content " in await told(mind, "long")
    assert "；比多数记忆长（内容" in chinese(await told(mind, "long"))


async def test_without_an_analyzer_the_place_of_the_content_is_told_all_the_same() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("tide", clock)
    await mind.put("I came at 8:40.", key="one")
    await mind.put("I came at 8:50.", key="two")
    await read(mind, clock, 1.0, 2.0)
    assert (await told(mind, "two")).startswith("not used yet, put today; content rated 55 %; needed most")


# ---- the budget


async def test_the_next_to_leave_say_so_once_the_budget_is_nearly_full() -> None:
    clock = FakeClock()
    mind = await lasting(clock, budget_memories=5)
    for key in ("a", "b", "c", "d"):
        await mind.put("Tides", key=key)
    await read(mind, clock, 2.0, 3.0, 2.5, 1.0)
    assert "budget" not in await told(mind, "d")  # 4 of 5
    await mind.put("Tides", key="e")
    # With the next put one leaves, of which P is the lowest: d.
    assert (await told(mind, "d")).endswith(" The budget is nearly full, and it is number 1 to leave.")
    assert chinese(await told(mind, "d")).endswith("。预算将满，它排在第 1 个离开。")
    for other in ("a", "b", "c", "e"):
        assert "budget" not in await told(mind, other)


async def test_so_it_is_in_every_metabolism() -> None:
    mind = await mind_in_ram("activity", budget_memories=2)
    for key in ("a", "b"):
        await mind.put("Tides", key=key)
    why = await told(mind, "a")
    assert why.endswith("; the budget is nearly full, and it is number 1 to leave")
    assert chinese(why).endswith("；预算将满，它排在第 1 个离开")


async def test_a_pinned_memory_never_leaves() -> None:
    mind = await mind_in_ram("tide", budget_memories=2)
    for key in ("a", "b"):
        await mind.put("Tides", key=key)
    await mind.pin("a")
    assert "budget" not in await told(mind, "a")
    assert "it is number 1 to leave." in await told(mind, "b")
