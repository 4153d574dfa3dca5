"""A memory's life from the journal: what is told of it, and a curve that ends where the memory is."""

import asyncio
import math
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from ebbtide.serve.page import life
from tests.builders import BIRTH
from tests.helpers import FakeClock, able_to_search, lives, mind_in_ram

BY_DAYS = ("activity", "score", "retention", "tide")


async def aged(metabolism: str, clock: FakeClock) -> Mind:
    mind = await mind_in_ram(metabolism, clock)
    for key in ("ferry", "lamma", "pier"):
        await mind.put(f"{key} says this.", key=key)
    await mind.link("ferry", "lamma", "SUPPORTED_BY", 0.8)
    return mind


async def curve_of(mind: Mind, key: str) -> tuple[tuple[float, float], ...]:
    now = await mind.explain(key)
    return await life.lived(mind, now.memory, now.at)


def kinds(told: life.Told) -> list[str]:
    return [type(entry.change).__name__ for entry in told.entries]


async def test_a_life_is_told_from_event_to_event_and_ends_where_the_memory_is_now() -> None:
    clock = FakeClock()
    mind = await aged("retention", clock)
    for _ in range(3):
        clock.forward(DAY)
        await mind.touch("ferry")
    clock.forward(DAY)
    now = await mind.explain("ferry")
    told = await life.told(mind, now.memory)
    lived = await life.lived(mind, now.memory, now.at)
    assert kinds(told) == ["PutMemory", "PutLink", "Touch", "Touch", "Touch"]
    assert told.whole
    assert [moment for moment, _ in lived] == sorted(moment for moment, _ in lived)
    value = {moment: [value for at, value in lived if at == moment] for moment, _ in lived}
    assert value[BIRTH] == pytest.approx([0.5])
    # I = 0.5, S = 1 day, a day without use: 0.5 · e⁻¹; then the touch, and 0.5 again.
    assert value[BIRTH + DAY] == pytest.approx([0.5 * math.exp(-1.0), 0.5])
    assert value[now.at] == pytest.approx([now.memory.vitality])


async def test_what_lies_between_two_points_of_a_life_is_what_the_formula_gives() -> None:
    clock = FakeClock()
    mind = await aged("retention", clock)
    clock.forward(120 * DAY)
    lived = await curve_of(mind, "pier")
    for (x0, y0), (x1, y1) in pairwise(lived):
        middle = 0.5 * math.exp(-((x0 + x1) / 2 - BIRTH) / DAY)
        assert (y0 + y1) / 2 == pytest.approx(middle, abs=0.01)


async def test_what_is_to_come_is_told_more_closely_the_nearer_it_is() -> None:
    mind = await aged("retention", FakeClock())
    ahead = (await life.closely(mind, "pier", BIRTH, 120.0)).curve
    assert [moment for moment, _ in ahead] == sorted(moment for moment, _ in ahead)
    for (x0, y0), (x1, y1) in pairwise(ahead):
        middle = 0.5 * math.exp(-((x0 + x1) / 2 - BIRTH) / DAY)
        assert (y0 + y1) / 2 == pytest.approx(middle, abs=0.01)


async def test_time_in_the_trash_is_a_gap_in_a_life() -> None:
    clock = FakeClock()
    mind = await aged("retention", clock)
    clock.forward(DAY)
    await mind.forget("lamma")
    clock.forward(DAY)
    await mind.restore("lamma")
    clock.forward(HOUR)
    lived = await curve_of(mind, "lamma")
    assert not [moment for moment, _ in lived if BIRTH + DAY < moment < BIRTH + 2 * DAY]
    assert [moment for moment, value in lived if math.isnan(value)] == [BIRTH + DAY]
    assert lived[-1][1] == pytest.approx((await mind.explain("lamma")).memory.vitality)


async def test_new_parameters_are_an_event_in_every_life() -> None:
    clock = FakeClock()
    mind = await aged("activity", clock)
    await mind.get("pier")
    clock.forward(DAY)
    before = (await mind.explain("pier")).memory.vitality
    await mind.configure(c=6.0)
    # C·ln(1 + 1 access), with C = 1.2 before and 6 after
    after = before + (6.0 - 1.2) * math.log(2.0)
    clock.forward(HOUR)
    lived = await curve_of(mind, "pier")
    assert [value for at, value in lived if at == BIRTH + DAY] == pytest.approx([before, after])
    told = await life.told(mind, (await mind.explain("pier")).memory)
    assert told.quiet == BIRTH + DAY


async def test_a_neighbour_that_leaves_is_an_event() -> None:
    clock = FakeClock()
    mind = await aged("activity", clock)
    clock.forward(DAY)
    await mind.forget("ferry")
    clock.forward(DAY)
    lived = await curve_of(mind, "lamma")
    before, after = (value for at, value in lived if at == BIRTH + DAY)
    assert before - after == pytest.approx(math.log(2.0))  # A·ln(1 + 1 link to it), with A = 1
    assert lived[-1][1] == pytest.approx((await mind.explain("lamma")).memory.vitality)


async def test_what_happens_at_this_very_moment_is_where_the_curve_ends() -> None:
    clock = FakeClock()
    mind = await aged("retention", clock)
    clock.forward(DAY)
    await mind.touch("pier")
    lived = await curve_of(mind, "pier")
    assert [value for at, value in lived if at == clock.now()] == pytest.approx([0.5 * math.exp(-1.0), 0.5])


async def test_uses_of_what_was_taken_in_count_as_its_own() -> None:
    clock = FakeClock()
    mind = await aged("activity", clock)
    await mind.get("lamma")
    clock.forward(DAY)
    await mind.merge("pier", "lamma")
    await mind.get("ferry")
    clock.forward(DAY)
    assert life.ends_at(await curve_of(mind, "pier"), (await mind.explain("pier")).memory.vitality)


async def test_of_a_long_journal_what_happened_to_several_at_once_is_told_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FakeClock()
    mind = await aged("activity", clock)
    for _ in range(5):
        clock.forward(DAY)
        await mind.touch("ferry", "pier")
    monkeypatch.setattr(life, "LONGEST", 3)
    monkeypatch.setattr(life, "FOLDED", 3)
    memory = (await mind.explain("ferry")).memory
    told = await life.told(mind, memory)
    assert kinds(told) == ["PutMemory", "PutLink", "Touch", "Touch", "Touch"]  # the first two touches are not found
    assert not told.whole
    assert await life.lived(mind, memory, clock.now()) == ()


async def test_the_tail_begins_no_sooner_than_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    mind = await aged("activity", clock)
    clock.forward(DAY)
    await mind.configure(c=6.0)
    for _ in range(4):
        clock.forward(DAY)
        await mind.touch("pier")
    monkeypatch.setattr(life, "LONGEST", 3)  # the new parameters lie before that
    explained = await mind.explain("lamma")
    told = await life.told(mind, explained.memory)
    assert told.quiet == BIRTH + 3 * DAY
    tail = await life.tail(mind, explained, told.quiet)
    assert tail[0][0] == BIRTH + 3 * DAY
    assert life.ends_at(tail, explained.memory.vitality)


async def test_of_a_compacted_journal_the_tail_is_told() -> None:
    clock = FakeClock()
    mind = await aged("activity", clock)
    clock.forward(100 * DAY)
    await mind.touch("ferry")
    clock.forward(DAY)
    assert await mind.compact(clock.now() - 50 * DAY)
    explained = await mind.explain("ferry")
    told = await life.told(mind, explained.memory)
    assert (kinds(told), told.whole) == (["Touch"], False)
    assert await life.lived(mind, explained.memory, explained.at) == ()
    assert life.ends_at(await life.tail(mind, explained, told.quiet), explained.memory.vitality)


# ---- whatever happens

KEYS = ("ferry", "lamma", "pier")
events = st.lists(
    st.one_of(
        st.tuples(st.just("touch"), st.sampled_from(KEYS), st.sampled_from(KEYS)),
        st.tuples(st.sampled_from(["get", "follow", "forget", "restore"]), st.sampled_from(KEYS)),
        st.tuples(st.sampled_from(["link", "unlink"]), st.sampled_from(KEYS), st.sampled_from(KEYS), st.just("near")),
        st.tuples(st.just("merge"), st.sampled_from(KEYS), st.sampled_from(KEYS)),
        st.tuples(st.sampled_from(["configure", "tick"])),
    ),
    max_size=14,
)


async def _happens(mind: Mind, clock: FakeClock, verb: str, *args: Any) -> None:
    clock.forward(7 * HOUR)
    params = {
        "activity": {"c": 6.0}, "score": {"daily_factor": 0.8}, "retention": {"delete_below": 0.1},
        "tide": {"long_use": 2.0},
    }  # fmt: skip
    with suppress(EbbtideError):  # what cannot happen does not
        await getattr(mind, verb)(*args, **(params[mind.metabolism] if verb == "configure" else {}))
    await mind.settled()  # a use of one is a use of what supports it, a moment later


async def _all_end_where_they_are(metabolism: str, history: list[tuple[str, ...]]) -> None:
    clock = FakeClock()
    mind = await aged(metabolism, clock)
    for verb, *args in history:
        await _happens(mind, clock, verb, *args)
    clock.forward(DAY)
    for memory in (await mind.list(everything=True)).memories:
        explained = await mind.explain(memory.key)
        told = await life.told(mind, memory)
        lived = await life.lived(mind, memory, explained.at)
        tail = await life.tail(mind, explained, told.quiet)
        for one in (lived, tail):
            assert life.ends_at(one, explained.memory.vitality), (memory.key, history)
        whole = dict(lived)  # of two values at one moment, the one after what happened
        assert whole.get(told.quiet, tail[0][1]) == pytest.approx(tail[0][1])  # where both tell, they tell the same


@pytest.mark.parametrize("metabolism", BY_DAYS)
@lives
@given(history=events)
def test_the_curve_ends_at_the_vitality_that_is_shown(metabolism: str, history: list[tuple[str, ...]]) -> None:
    asyncio.run(_all_end_where_they_are(metabolism, history))


async def test_in_a_tide_mind_the_uses_of_other_memories_are_part_of_a_life() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("tide", clock, tools=able_to_search())
    await mind.put("I take the ferry to Lamma at 8:40 on weekdays.", key="ferry")
    for number in range(6):
        await mind.put(f"Note {number}: the tide turned.", key=f"n{number}")
        clock.forward(3 * DAY)
        await mind.touch(f"n{number}")
        if number % 2:
            await mind.touch("ferry")
    await mind.put("I take the ferry to Lamma at 8:50 on weekdays.", key="ferry-2")
    await mind._indexing.catch_up()
    clock.forward(5 * DAY)
    now = await mind.explain("ferry")
    assert "a newer memory, ferry-2, says nearly the same" in now.why
    lived = await life.lived(mind, now.memory, now.at)
    assert life.ends_at(lived, now.memory.vitality)
    for moment in (BIRTH + days * DAY for days in (1.0, 4.0, 7.0, 10.0, 16.0, 20.0)):
        x, y = zip(*lived, strict=True)
        then = (await (await mind.as_of(moment)).explain("ferry")).memory.vitality
        assert float(np.interp(moment, x, y)) == pytest.approx(then, abs=0.01)
