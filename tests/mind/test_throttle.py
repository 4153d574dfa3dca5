"""Touches: one an hour counts, evidence is touched a moment later, and nothing acknowledged is lost.   SPEC R4."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Touch
from ebbtide.core.errors import Conflict, UnknownMemory
from ebbtide.core.memory import DAY, HOUR, Memory
from ebbtide.mind import Mind
from tests.helpers import (
    METABOLISMS,
    MINUTE,
    FakeClock,
    everything,
    lives,
    mind_in_ram,
    mind_on_disk,
    snapshot,
    store_of,
)


async def touches(mind: Mind) -> list[tuple[str, int]]:
    """Every touch in the journal: why, and of how many memories."""
    changes = [entry.change async for entry in mind.entries()]
    return [(change.cause, len(change.ids)) for change in changes if isinstance(change, Touch)]


async def look(mind: Mind, key: str) -> Memory:
    """Without using it."""
    return (await mind.explain(key)).memory


async def uses(mind: Mind) -> dict[str, int]:
    return {memory.key: memory.meta.access_count for memory in await everything(mind)}


# ---- at most once an hour


@pytest.mark.slow
@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_ten_thousand_touches_in_an_hour_are_one_write(metabolism: str, tmp_path: Path) -> None:
    clock, written = FakeClock(), list[str]()
    async with mind_on_disk(tmp_path, metabolism, clock) as mind:
        await mind.put("hot", key="hot")
        store: Any = store_of(mind)
        store._connection.set_trace_callback(written.append)
        before = store.seq
        counted = []
        for _ in range(10_000):
            counted.append(len((await mind.touch("hot")).counted))
            clock.forward(0.25)  # 2,500 seconds in all
        assert counted == [1, *[0] * 9_999]
        assert store.seq == before + 1
        assert len([line for line in written if line.startswith(("INSERT", "UPDATE", "DELETE"))]) == 1
        assert await touches(mind) == [("asked", 1)]
        clock.forward(1_100.0)  # an hour since the first
        assert (await mind.touch("hot")).counted == ("hot",)
        assert await uses(mind) == {"hot": 2}
        assert await mind.check() == []


async def test_a_crowd_that_touches_at_once_is_one_write(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, "retention") as mind:
        await mind.put("hot", key="hot")
        answers = await asyncio.gather(*(mind.touch("hot") for _ in range(10_000)))
        assert sum(len(answer.counted) for answer in answers) == 1
        assert sum(len(answer.throttled) for answer in answers) == 9_999
        assert await touches(mind) == [("asked", 1)]


async def test_the_hour_is_an_hour_to_the_second() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await mind.put("a text", key="a")
    await mind.touch("a")
    clock.forward(HOUR - 1.0)
    assert (await mind.touch("a")).throttled == ("a",)
    clock.forward(1.0)
    assert (await mind.touch("a")).counted == ("a",)


async def test_a_clock_that_was_put_back_holds_nobody_up_and_throttles_as_ever() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await mind.put("a text", key="a")
    clock.forward(100 * DAY)
    await mind.touch("a", revive=True)
    clock.forward(-1.0)  # a clock that was set right by a little
    assert (await mind.touch("a")).throttled == ("a",)
    clock.forward(-99 * DAY)
    assert (await mind.touch("a")).counted == ("a",)
    clock.forward(10 * MINUTE)
    assert (await mind.touch("a")).throttled == ("a",)
    clock.forward(50 * MINUTE)
    assert (await mind.touch("a")).counted == ("a",)
    assert await mind.check() == []


async def test_a_throttled_touch_is_no_use_at_all() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await mind.put("a text", key="a")
    await mind.touch("a")
    clock.forward(50 * MINUTE)
    before = await snapshot(mind)
    await mind.touch("a")
    assert await snapshot(mind) == before


async def test_each_memory_has_its_own_hour_and_is_counted_once_however_often_it_is_named() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    for key in ("a", "b", "c"):
        await mind.put(f"this is {key}", key=key)
    await mind.touch("b")
    clock.forward(30 * MINUTE)
    touched = await mind.touch("a", "b", "a", "c")
    assert (touched.counted, touched.throttled) == (("a", "c"), ("b",))
    assert await uses(mind) == {"a": 1, "b": 1, "c": 1}


async def test_the_spacing_is_a_parameter_and_none_means_that_every_touch_counts() -> None:
    mind = await mind_in_ram("score", clock := FakeClock(), touch_spacing=0)
    await mind.put("a text", key="a")
    for _ in range(10):
        assert (await mind.touch("a")).counted == ("a",)
    await mind.configure(touch_spacing=48)
    clock.forward(47 * HOUR)
    assert (await mind.touch("a")).throttled == ("a",)
    clock.forward(HOUR)
    assert (await mind.touch("a")).counted == ("a",)
    assert await uses(mind) == {"a": 11}


@pytest.mark.parametrize("died", [False, True])
async def test_the_throttle_outlives_the_process(died: bool, tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path / "one", "retention", clock) as mind:
        await mind.put("a text", key="a")
        await mind.touch("a")
        if died:
            copied(tmp_path / "one", tmp_path / "two")
    clock.forward(59 * MINUTE)
    async with mind_on_disk(tmp_path / ("two" if died else "one"), clock=clock) as mind:
        assert (await mind.touch("a")).throttled == ("a",)
        clock.forward(MINUTE)
        assert (await mind.touch("a")).counted == ("a",)
        assert await uses(mind) == {"a": 2}
        assert await mind.check() == []


def copied(old: Path, new: Path) -> None:
    """What another process would find if this one died here."""
    shutil.copytree(old, new, ignore=shutil.ignore_patterns("lock", "owner", "*-shm"))


@lives
@given(st.lists(st.sampled_from((0.0, 1.0, 20 * MINUTE, 59 * MINUTE, HOUR, 5 * HOUR)) | st.floats(0.0, 3 * HOUR)))
async def test_those_count_that_come_an_hour_after_the_last_that_counted(waits: list[float]) -> None:
    mind = await mind_in_ram("activity", clock := FakeClock())
    await mind.put("a text", key="a")
    last, counted = float("-inf"), 0
    for wait in waits:
        clock.forward(wait)
        if clock.now() - last >= HOUR:
            last, counted = clock.now(), counted + 1
        await mind.touch("a")
    assert await uses(mind) == {"a": counted}
    assert len(await touches(mind)) == counted
    assert await mind.check() == []


async def test_if_one_is_not_there_none_is_touched() -> None:
    mind = await mind_in_ram("retention")
    await mind.put("a text", key="a")
    before = await snapshot(mind)
    with pytest.raises(UnknownMemory, match="nobody"):
        await mind.touch("a", "nobody")
    with pytest.raises(Conflict, match="view"):
        await (await mind.replay()).touch("a")
    assert await mind.touch() == await mind.touch()  # nothing, and no complaint
    assert await snapshot(mind) == before


# ---- what a touch does


async def test_a_touch_makes_stronger_and_moves_the_end() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await mind.put("a text", key="a")
    clock.forward(DAY)
    await mind.touch("a")
    seen = (await look(mind, "a")).meta
    # S = 1 · (2 − e^−1) = 1.6321206 days; it lives 1.6321206 · ln 10 = 3.7580965 days from here
    assert seen.strength == pytest.approx(1.6321206, abs=1e-7)
    assert seen.expires_at is not None
    assert (seen.expires_at - clock.now()) / DAY == pytest.approx(3.7580965, abs=1e-6)
    assert (seen.last_touched_at, seen.last_accessed_at, seen.access_count) == (clock.now(), clock.now(), 1)


async def test_reading_keeps_alive_but_makes_no_stronger() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await mind.put("a text", key="a")
    for _ in range(10):
        clock.forward(DAY)
        assert (await mind.get("a")).meta.strength == 1.0
    await mind.touch("a")
    # Spaced by ten days since it was made, whatever was read meanwhile: 2 − e^−10 = 1.9999546
    assert (await look(mind, "a")).meta.strength == pytest.approx(1.9999546, abs=1e-7)


@pytest.mark.parametrize(
    ("metabolism", "alive"),
    [
        ("activity", 2.3117766167),  # 1.2 · ln 2 + 1.5 − 0.3 · 2/30 = 0.8317766 + 1.5 − 0.02
        ("score", 55.1216454),  # 50 · 0.95² + 10 · (1 − e^−8) = 45.125 + 9.9966454
    ],
)
async def test_in_activity_and_score_minds_a_touch_counts_as_use(metabolism: str, alive: float) -> None:
    touched, read = await mind_in_ram(metabolism, one := FakeClock()), await mind_in_ram(metabolism, two := FakeClock())
    for mind, clock in ((touched, one), (read, two)):
        await mind.put("a text", key="a")
        clock.forward(2 * DAY)
    await touched.touch("a")
    await read.get("a")
    seen, other = await look(touched, "a"), await look(read, "a")
    assert seen.meta.access_count == other.meta.access_count == 1
    assert seen.vitality == other.vitality == pytest.approx(alive, abs=1e-7)


# ---- the cascade


async def linked(clock: FakeClock, metabolism: str, *links: str, **params: Any) -> Mind:
    """Memories by single letters; "ab": a is SUPPORTED_BY b."""
    mind = await mind_in_ram(metabolism, clock, **params)
    for key in sorted({key for link in links for key in link}):
        await mind.put(f"this is {key}", key=key)
    for link in links:
        await mind.link(link[0], link[1], "SUPPORTED_BY")
    return mind


async def test_evidence_is_touched_with_its_event_and_so_is_what_that_rests_on() -> None:
    mind = await linked(FakeClock(), "retention", "ab", "bc", "ad", "xe")
    await mind.touch("a")
    await mind.settled()
    assert await uses(mind) == {"a": 1, "b": 1, "c": 1, "d": 1, "e": 0, "x": 0}
    assert await touches(mind) == [("asked", 1), ("cascade", 3)]


async def test_a_cascade_over_a_cycle_ends() -> None:
    mind = await linked(FakeClock(), "retention", "ab", "bc", "ca", "cb")
    await mind.touch("a")
    await asyncio.wait_for(mind.settled(), 60)
    assert await uses(mind) == {"a": 1, "b": 1, "c": 1}
    assert await touches(mind) == [("asked", 1), ("cascade", 2)]


async def test_a_cycle_ends_also_where_every_touch_counts() -> None:
    mind = await linked(FakeClock(), "retention", "ab", "ba", touch_spacing=0)
    await mind.touch("a")
    await asyncio.wait_for(mind.settled(), 60)
    assert await uses(mind) == {"a": 1, "b": 1}


async def test_a_cascade_is_throttled_too_and_a_throttled_touch_sets_off_none() -> None:
    mind = await linked(clock := FakeClock(), "retention", "ac", "bc")
    for key in ("a", "b", "a", "b"):
        await mind.touch(key)
        await mind.settled()
        clock.forward(10 * MINUTE)
    assert await uses(mind) == {"a": 1, "b": 1, "c": 1}
    assert await touches(mind) == [("asked", 1), ("cascade", 1), ("asked", 1)]


async def test_a_touch_does_not_wait_for_its_cascade(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, "retention") as mind:
        await mind.put("an event", key="event")
        await mind.put("a photo", key="photo")
        await mind.link("event", "photo", "SUPPORTED_BY")
        before = store_of(mind).seq
        await mind.touch("event")
        assert store_of(mind).seq == before + 1
        await mind.settled()
        assert store_of(mind).seq == before + 2
        assert await uses(mind) == {"event": 1, "photo": 1}


async def test_closing_waits_for_the_cascade(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "retention", clock) as mind:
        await mind.put("an event", key="event")
        await mind.put("a photo", key="photo")
        await mind.link("event", "photo", "SUPPORTED_BY")
        await mind.touch("event")
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        assert await uses(mind) == {"event": 1, "photo": 1}


async def test_a_crash_before_the_cascade_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path / "one", "retention", clock) as mind:
        await mind.put("an event", key="event")
        await mind.put("a photo", key="photo")
        await mind.link("event", "photo", "SUPPORTED_BY")
        await mind.touch("event")
        copied(tmp_path / "one", tmp_path / "two")  # nobody else has had a turn yet
    clock.forward(100 * DAY)
    async with mind_on_disk(tmp_path / "two", clock=clock) as mind:
        assert await uses(mind) == {"event": 1, "photo": 0}
        assert [memory.key for memory in (await mind.list()).memories] == ["photo"]  # protected as ever
        assert await mind.check() == []


async def test_evidence_that_is_forgotten_before_the_cascade_is_not_missed() -> None:
    mind = await linked(FakeClock(), "retention", "ab", "ac")
    await mind.touch("a")
    await mind.forget("b")
    await mind.settled()
    assert await uses(mind) == {"a": 1, "c": 1}
    assert await mind.check() == []


@pytest.mark.parametrize("metabolism", ["activity", "score", "network"])
async def test_only_a_retention_mind_touches_evidence(metabolism: str) -> None:
    mind = await linked(FakeClock(), metabolism, "ab")
    await mind.touch("a")
    await mind.settled()
    assert await uses(mind) == {"a": 1, "b": 0}


async def test_touches_replayed_under_retention_reach_the_evidence_they_would_have() -> None:
    mind = await linked(clock := FakeClock(), "activity", "ab", "bc")
    clock.forward(DAY)
    await mind.touch("a")
    would_be = await mind.replay("retention")
    assert await uses(would_be) == {"a": 1, "b": 1, "c": 1}
    back = await (await linked_and_touched(FakeClock())).replay("activity")
    assert await uses(back) == {"a": 1, "b": 0}


async def linked_and_touched(clock: FakeClock) -> Mind:
    mind = await linked(clock, "retention", "ab")
    await mind.touch("a")
    await mind.settled()
    return mind
