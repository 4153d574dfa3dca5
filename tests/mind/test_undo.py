"""Undoing is the identity: what was forgotten or merged comes back as it was, and so does everything around it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ebbtide.core.errors import EbbtideError, KeyTaken, NotInTrash
from ebbtide.core.memory import DAY
from tests.helpers import (
    KEYS,
    METABOLISMS,
    READS,
    WRITES,
    Deed,
    FakeClock,
    histories,
    keys,
    live,
    lives,
    mind_in_ram,
    snapshot,
    waits,
)

before_it = histories(of=(*WRITES, *READS))


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=before_it, key=keys, pause=st.just(0.0) | waits)
async def test_forgetting_and_restoring_is_the_identity(
    metabolism: str, deeds: list[Deed], key: str, pause: float
) -> None:
    assume(pause < 30 * DAY)
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await live(deeds, mind, clock)
    before = await snapshot(mind)
    await mind.forget(key)
    assert key not in {content.key for content, _ in (await snapshot(mind)).memories}
    clock.forward(pause)
    await mind.restore(key)
    assert await snapshot(mind) == before


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=before_it, into=keys, other=keys, pause=st.just(0.0) | waits)
async def test_merging_and_restoring_is_the_identity(
    metabolism: str, deeds: list[Deed], into: str, other: str, pause: float
) -> None:
    assume(into != other and pause < 30 * DAY)
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await live(deeds, mind, clock)
    before = await snapshot(mind)
    await mind.merge(into, other)
    clock.forward(pause)
    await mind.restore(other)
    assert await snapshot(mind) == before


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=before_it, order=st.permutations(KEYS), pauses=st.lists(st.floats(0.0, 3 * DAY), min_size=8, max_size=8))
async def test_forgetting_all_and_restoring_all_is_the_identity(
    metabolism: str, deeds: list[Deed], order: list[str], pauses: list[float]
) -> None:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await live(deeds, mind, clock)
    before = await snapshot(mind)
    for key, pause in zip(order, pauses, strict=False):
        await mind.forget(key)
        clock.forward(pause)
    for key, pause in zip(reversed(order), pauses[4:], strict=False):
        await mind.restore(key)
        clock.forward(pause)
    assert await snapshot(mind) == before


async def test_uses_after_a_merge_stay_with_the_one_that_stayed() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock)
    await mind.put("one", key="a")
    await mind.put("two", key="b")
    await mind.get("a")
    for _ in range(3):
        await mind.get("b")
    merged = await mind.merge("a", "b")
    assert (merged.text, merged.meta.access_count) == ("one\ntwo", 4)
    await mind.get("a")
    await mind.restore("b")
    counts = {m.key: m.meta.access_count for m in (await mind.list(everything=True)).memories}
    assert counts == {"a": 2, "b": 3}


async def test_a_key_taken_meanwhile_keeps_the_old_one_in_the_trash_until_it_gets_another() -> None:
    mind = await mind_in_ram()
    await mind.put("old", key="k")
    await mind.forget("k")
    await mind.put("new", key="k")
    with pytest.raises(KeyTaken):
        await mind.restore("k")
    assert (await mind.restore("k", new_key="k-old")).text == "old"
    assert (await mind.get("k")).text == "new"


@pytest.mark.parametrize("ticked", [False, True])
async def test_after_its_time_in_the_trash_nothing_comes_back(ticked: bool) -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock, trash_days=10)
    await mind.put("gone soon", key="k")
    await mind.forget("k")
    clock.forward(10 * DAY)
    if ticked:
        assert (await mind.tick()).discarded == 1
    assert await mind.trash() == []
    with pytest.raises(NotInTrash):
        await mind.restore("k")


async def test_a_refused_merge_or_forgetting_changes_nothing() -> None:
    mind = await mind_in_ram()
    await mind.put("here", key="k")
    before = await snapshot(mind)
    refused = [mind.forget("k", "nobody"), mind.merge("k", "k"), mind.merge("k", "nobody"), mind.restore("k")]
    for call in refused:
        with pytest.raises(EbbtideError):
            await call
    assert await snapshot(mind) == before
