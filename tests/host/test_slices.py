"""Time slices (N11): round robin between minds, and a hand on the brake between any two memories."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.changes import Enqueue, PutLink, PutMemory
from ebbtide.core.memory import Content
from ebbtide.core.ports import SmallModel
from ebbtide.host import Host
from ebbtide.host.slices import Slices
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import FakeClock, batch, configured, everything, store_of
from tests.scripted_model import ScriptedModel, network_mind, said, settle, texts


class Ticks:
    """A clock that moves on by one each time it is looked at: slices are counted, not waited for."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Walker:
    """A mind with so many memories to work on; a slice of n ticks lets it work on n − 1."""

    def __init__(self, agent: str, memories: int, walked: list[str], time_slice: float = 3.0) -> None:
        self.agent = agent
        self.time_slice = time_slice
        self.memories = memories
        self.walked = walked
        self.at_each: Callable[[], None] = lambda: None

    async def compress(self, enough: Callable[[], bool]) -> bool:
        while self.memories:
            if enough():
                return False
            self.memories -= 1
            self.walked.append(self.agent)
            self.at_each()
            await asyncio.sleep(0)
        return True


@asynccontextmanager
async def sliced() -> AsyncIterator[Slices]:
    slices = Slices(Ticks())
    yield slices
    await slices.stop()


async def a_while() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def until(reached: Callable[[], bool]) -> None:
    for _ in range(1_000_000):
        if reached():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never comes")


# ---- round robin


async def test_each_mind_has_its_slice_and_makes_way() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        for agent, memories in (("a", 5), ("b", 2), ("c", 3)):
            slices.enter(Walker(agent, memories, walked))
        await slices.idle()
    # Two memories in a slice. b needs a look more to see that it is done, and c one slice more for its third.
    assert "".join(walked) == "aabbccaaca"


async def test_a_longer_slice_is_a_longer_turn() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        slices.enter(Walker("a", 6, walked, time_slice=2.0))
        slices.enter(Walker("b", 6, walked, time_slice=4.0))
        await slices.idle()
    assert "".join(walked) == "abbbabbbaaaa"


async def test_entering_twice_is_entering_once() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        one, two = Walker("a", 4, walked), Walker("b", 4, walked)
        for mind in (one, two, one, one, two):
            slices.enter(mind)
        one.at_each = lambda: slices.enter(one)
        await slices.idle()
    assert "".join(walked) == "aabbaabb"


async def test_who_comes_later_waits_for_one_slice_of_each_other_at_most() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        huge, late = Walker("h", 1000, walked), Walker("l", 2, walked)
        huge.at_each = lambda: slices.enter(late) if late.memories else None
        slices.enter(huge)
        await slices.idle()
    assert "".join(walked[:6]) == "hhllhh"


async def test_a_mind_that_fails_does_not_hold_up_the_others(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Walker):
        async def compress(self, enough: Callable[[], bool]) -> bool:
            raise LookupError("a bug")

    walked: list[str] = []
    async with sliced() as slices:
        slices.enter(Broken("x", 3, walked))
        slices.enter(Walker("a", 3, walked))
        with caplog.at_level(logging.CRITICAL + 1):
            await slices.idle()
    assert "".join(walked) == "aaa"


async def test_nothing_due_is_no_work() -> None:
    async with sliced() as slices:
        await slices.idle()
        assert slices.turns == 0


# ---- the brake


async def test_a_pause_takes_effect_after_the_memory_at_hand() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        mind = Walker("a", 9, walked, time_slice=100.0)
        mind.at_each = lambda: slices.pause() if len(walked) == 4 else None
        slices.enter(mind)
        slices.enter(Walker("b", 2, walked))
        await a_while()
        assert "".join(walked) == "aaaa"
        slices.resume()
        await slices.idle()
        assert "".join(walked) == "aaaabbaaaaa"


async def test_stopping_takes_effect_after_the_memory_at_hand_and_is_for_good() -> None:
    walked: list[str] = []
    slices = Slices(Ticks())
    mind = Walker("a", 9, walked, time_slice=100.0)
    slices.enter(mind)
    await until(lambda: len(walked) == 3)
    await slices.stop()
    assert len(walked) == 3
    slices.resume()
    slices.enter(mind)
    await a_while()
    assert len(walked) == 3
    await slices.stop()  # stopping twice is stopping once


async def test_a_mind_that_leaves_stops_after_the_memory_at_hand_and_the_others_go_on() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        one, two, three = (Walker(agent, 6, walked, time_slice=100.0) for agent in "abc")
        for mind in (one, two, three):
            slices.enter(mind)
        await until(lambda: len(walked) == 2)
        await slices.leave(one)  # in its turn
        assert walked == ["a", "a"]
        await slices.leave(three)  # in the line
        await slices.idle()
    assert "".join(walked) == "aabbbbbb"


async def test_a_mind_that_is_leaving_cannot_enter_again() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        mind = Walker("a", 6, walked, time_slice=100.0)
        slices.enter(mind)
        await asyncio.sleep(0)
        leaving = asyncio.create_task(slices.leave(mind))
        mind.at_each = lambda: slices.enter(mind)
        await leaving
        before = len(walked)
        await a_while()
        assert len(walked) == before


async def test_a_mind_that_left_may_come_back() -> None:
    walked: list[str] = []
    async with sliced() as slices:
        mind = Walker("a", 3, walked)
        slices.enter(mind)
        await slices.leave(mind)
        assert walked == []
        slices.enter(mind)
        await slices.idle()
    assert "".join(walked) == "aaa"


# ---- real minds


async def mind_of(agent: str, memories: int, time_slice: int) -> Mind:
    """A mind with so many memories, all of which the cycle that is due has to shorten."""
    store = MemoryStore()
    await store.apply(batch(configured("network", time_slice=time_slice)))
    for first in range(1, memories + 1, 10_000):
        ids = range(first, min(first + 10_000, memories + 1))
        texts = [Content(f"k{i}", "all the ships of the old harbour") for i in ids]
        await store.apply(batch(*(PutMemory(BIRTH, i, text, BIRTH) for i, text in zip(ids, texts, strict=True))))
        await store.apply(batch(*(PutLink(BIRTH, i, i - 1 or 2, "about", 0.5) for i in ids if i > 1)))
    await store.apply(batch(PutLink(BIRTH, 1, 2, "about", 0.5), Enqueue(BIRTH, "compress", upto=memories)))
    mind = network_mind(store)
    mind.agent = agent
    return mind


class Watched:
    """A mind whose turns are counted."""

    def __init__(self, mind: Mind, turns: list[str]) -> None:
        self.agent = mind.agent
        self.time_slice = mind.time_slice
        self.mind = mind
        self.turns = turns
        self.done_at = 0

    async def compress(self, enough: Callable[[], bool]) -> bool:
        self.turns.append(self.agent)
        done = await self.mind.compress(enough)
        if done:
            self.done_at = len(self.turns)
        return done


@pytest.mark.slow
async def test_two_hundred_minds_of_which_one_is_huge() -> None:
    # A slice of 60 ms, and a clock that moves on by a millisecond at every look: 58 or 59 memories in a turn.
    ticks, turns = Ticks(), list[str]()
    slices = Slices(lambda: ticks() / 1000.0)
    huge = Watched(await mind_of("huge", 100_000, 60), turns)
    small = [Watched(await mind_of(f"small-{number}", 70, 60), turns) for number in range(199)]
    for mind in (huge, *small):
        slices.enter(mind)
    await until(lambda: all(mind.done_at for mind in small))
    await slices.stop()
    # In each round every mind has one turn; 70 memories take a small one two of its own.
    agents = ["huge", *(f"small-{number}" for number in range(199))]
    assert turns[:200] == agents
    assert turns[200:400] == agents
    assert [turns[: mind.done_at].count(mind.agent) for mind in small] == [2] * 199
    # The huge one has had its slices, no more, and goes on where it was.
    (due,) = await huge.mind.queue()
    assert 0 < due.passed <= 59 * turns.count("huge")
    assert int((await store_of(huge.mind).signals()).scan_count.sum()) == due.passed
    for mind in small:
        assert {memory.meta.scan_count for memory in await everything(mind.mind)} == {1}


async def test_a_cycle_left_between_two_memories_goes_on_where_it_was() -> None:
    mind, stops = await mind_of("a", 40, 60), 0
    compressed: list[int] = []

    def one_at_a_time() -> Callable[[], bool]:
        looks = iter((False, False))
        return lambda: next(looks, True)

    while not await mind.compress(one_at_a_time()):
        stops += 1
        compressed.append(sum(len(memory.text) < 32 for memory in await everything(mind)))
    assert stops >= 39
    assert compressed == sorted(compressed)
    assert set(compressed[:39]) == set(range(1, 40))  # each stop within one memory of the one before
    assert {memory.meta.scan_count for memory in await everything(mind)} == {1}
    assert {len(memory.text) for memory in await everything(mind)} == {15}  # 32 · 0.5 · 0.97 = 15.52
    assert await mind.check() == []


# ---- in a host


class Brake(ScriptedModel):
    """Stands still in its first compression until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def compress(self, text: str, length: int) -> str:
        self.begun.set()
        await self.go_on.wait()
        return await super().compress(text, length)


@asynccontextmanager
async def hosting(data: Path, model: SmallModel, open_minds: int = 64) -> AsyncIterator[Host]:
    opener: Any = partial(SqliteStore, durability="normal")
    host = Host(data, opener, MemoryStore, FakeClock(), open_minds, lambda: model)
    try:
        yield host
    finally:
        await host.close()


STORY = ("Ada met Bo by the old harbour wall", "Cy came late to the long dinner", "Di slept", "Ed woke up early")
PARAMS = {"focus_limit": 1, "decay_rate": 0.8}


async def test_a_host_lets_its_minds_fade_by_itself(tmp_path: Path) -> None:
    async with hosting(tmp_path, ScriptedModel()) as host:
        await host.create("ada", "network", PARAMS)
        async with host.mind("ada") as mind:
            for content in STORY:
                await mind.remember(said(content))
                await mind.idle()
                await host.slices.idle()
            assert await mind.queue() == []
            # 34 · 0.8³ = 17.4;  31 · 0.8² = 19.8;  8 · 0.8 = 6.4
            assert await texts(mind) == [STORY[0][:17], STORY[1][:19], STORY[2][:6], STORY[3]]


async def test_a_mind_closed_in_the_middle_of_its_turn_goes_on_when_it_is_opened_again(tmp_path: Path) -> None:
    model = Brake()
    async with hosting(tmp_path, model, open_minds=1) as host:
        for agent in ("ada", "bob"):
            await host.create(agent, "network", PARAMS)
        async with host.mind("ada") as mind:
            for content in STORY:
                await mind.remember(said(content))
            await mind.idle()
            await model.begun.wait()
        closing = asyncio.create_task(visit(host, "bob"))  # there is room for one: ada leaves, once its memory is done
        await until(lambda: host.slices._leaving == {"ada"})
        model.go_on.set()
        await closing
        async with host.mind("ada") as mind:
            assert await mind.queue() != []
            await host.slices.idle()
            assert await mind.queue() == []
            assert await mind.check() == []


async def visit(host: Host, agent: str) -> None:
    async with host.mind(agent):
        pass


async def test_a_host_that_closes_leaves_what_is_due_for_the_next(tmp_path: Path) -> None:
    model = Brake()
    async with hosting(tmp_path, model) as host:
        await host.create("ada", "network", PARAMS)
        async with host.mind("ada") as mind:
            for content in STORY:
                await mind.remember(said(content))
            await mind.idle()
        await model.begun.wait()
        model.go_on.set()
    async with hosting(tmp_path, ScriptedModel()) as host, host.mind("ada") as mind:
        await host.slices.idle()
        assert await mind.queue() == []
        assert await mind.check() == []
        assert len(await texts(mind)) == 4


async def test_an_owner_may_compress_while_the_host_does(tmp_path: Path) -> None:
    async with hosting(tmp_path, ScriptedModel()) as host:
        await host.create("ada", "network", PARAMS)
        async with host.mind("ada") as mind:
            for content in STORY * 3:
                await mind.remember(said(content))
            await asyncio.gather(settle(mind), settle(mind), mind.fade(5), host.slices.idle())
            await host.slices.idle()
            assert await mind.queue() == []
            assert await mind.check() == []
