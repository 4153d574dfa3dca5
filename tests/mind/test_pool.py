"""The fixed node pool (N8): never more than n memories, no id twice, and what is in focus stays."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Configure, Focus, Forget, Merge, Pin, PutMemory, Restore
from ebbtide.mind import Mind
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import Deed, FakeClock, batch, configured, everything, lives, perform, store_of
from tests.scripted_model import by_text, network_in_ram, network_mind, said, settle, tell, texts

NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")
KEYS = ("a", "b", "c", "d", "entity/ada", "m1", "m2", "m3", "m5", "m8")

names, keys = st.sampled_from(NAMES), st.sampled_from(KEYS)
sentences = st.lists(names | st.sampled_from(("sails home", "by the wall", "|")), min_size=1, max_size=9).map(" ".join)
told = st.lists(sentences, min_size=1, max_size=3).map(lambda contents: Deed("remember", (said(*contents),)))
drafts = st.lists(st.fixed_dictionaries({"text": sentences}, optional={"key": keys}), max_size=12)
deeds = st.one_of(
    told,
    told,
    st.builds(lambda text, key: Deed("put", (text,), {"key": key}), sentences, keys),
    st.builds(lambda text: Deed("put", (text,)), sentences),
    drafts.map(lambda given: Deed("put_many", (given,))),
    keys.map(lambda key: Deed("forget", (key,))),
    st.builds(lambda key, new: Deed("restore", (key,), {"new_key": new}), keys, keys),
    st.builds(lambda one, two: Deed("merge", (one, two)), keys, keys),
    st.builds(lambda one, two: Deed("link", (one, two, "knows", 1.0)), keys, keys),
    st.builds(lambda one, two: Deed("pin", (one, two)), keys, keys),
    keys.map(lambda key: Deed("unpin", (key,))),
    st.just(Deed("idle")),
    st.just(Deed("compress")),
    st.integers(1, 6).map(lambda size: Deed("configure", (), {"node_pool": size})),
    st.integers(1, 4).map(lambda limit: Deed("configure", (), {"focus_limit": limit})),
)


async def assert_the_pool_was_kept(mind: Mind) -> None:
    """Entry by entry: the limit, ids, and who was given up."""
    alive: set[int] = set()
    given_out: set[int] = set()
    focus: tuple[int, ...] = ()
    pinned: set[int] = set()
    limit = 0
    async for entry in mind.entries():
        match entry.change:
            case Configure(params=params):
                limit = params["node_pool"]
            case PutMemory(id=memory):
                assert memory not in given_out
                given_out.add(memory)
                alive.add(memory)
            case Restore(id=memory):
                alive.add(memory)
            case Forget(id=memory, cause=cause):
                assert cause != "evicted" or memory not in focus
                assert cause not in ("evicted", "faded") or memory not in pinned
                alive.discard(memory)
                focus = tuple(point for point in focus if point != memory)
            case Merge(id=memory):
                alive.discard(memory)
            case Focus(ids=ids):
                focus = ids
            case Pin(ids=ids, pinned=now_pinned):
                pinned = pinned | set(ids) if now_pinned else pinned - set(ids)
        assert len(alive) <= limit
    assert alive == set((await store_of(mind).living()).tolist())


@lives
@given(st.integers(1, 6), st.lists(deeds, max_size=20))
async def test_never_more_than_n_whatever_comes(size: int, history: list[Deed]) -> None:
    mind = await network_in_ram(node_pool=size, decay_rate=0.8)
    clock = FakeClock()
    for deed in history:
        await perform(deed, mind, clock)
    await settle(mind)
    await assert_the_pool_was_kept(mind)
    assert await mind.check() == []


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_the_smallest_pools_still_remember_what_was_said_last(size: int) -> None:
    mind = await network_in_ram(node_pool=size)
    for content in ("Ada met Bo", "Cy and Di and Ed | Flo alone", "nobody", "Ada again"):
        await mind.compress()  # in a pool of one there are no links: every cycle empties it
        await mind.remember(said(content))
        await mind.idle()
        assert len(await everything(mind)) <= size
    assert (await texts(mind))[-1] == "Ada again"
    # One slot is the segment's; the rest may hold its focus points.
    assert await mind.focus() == {1: [], 2: ["Ada"], 3: ["Ada", "Flo"]}[size]
    assert (await mind.recall(depth=1)).split("\n---\n")[0] == ("[memory] Ada again" if size > 1 else "")
    await assert_the_pool_was_kept(mind)


async def test_points_that_fall_out_of_focus_do_so_before_they_may_be_given_up() -> None:
    mind = await network_in_ram(node_pool=3)
    await tell(mind, "Ada met Bo | Cy met Di")  # in one go: both pairs cannot be in the pool
    assert await mind.focus() == ["Cy", "Di"]
    await assert_the_pool_was_kept(mind)


async def test_the_least_important_gives_way() -> None:
    mind = await network_in_ram(node_pool=4)
    for key in ("a", "b", "c", "d"):
        await mind.put(f"this is {key}", key=key)
    for source, strength in (("a", 0.9), ("b", 0.2), ("c", 0.6), ("d", 0.4)):
        await mind.link(source, "a" if source != "a" else "b", "knows", strength)
    await mind.put("new", key="e")  # of a sample that holds all four
    assert [memory.key for memory in await everything(mind)] == ["a", "c", "d", "e"]
    await mind.put("newer", key="f")  # e has no links at all
    assert [memory.key for memory in await everything(mind)] == ["a", "c", "d", "f"]


async def test_links_to_one_that_gave_way_become_traces_and_its_id_is_never_used_again() -> None:
    mind = await network_in_ram(node_pool=2)
    await mind.put("the old house", key="house")
    await mind.put("Ada's note", key="note")
    await mind.link("note", "house", "about", 0.9)
    house = await store_of(mind).find("house")
    new = await mind.put("a new one", key="new")
    assert new.id > (house or 0)
    (trace,) = await mind.traces()
    assert (trace.source, trace.relation, trace.known) == ("note", "about", "the old house")
    assert [(gone.key, gone.cause) for gone in await mind.trash()] == [("house", "evicted")]


async def test_a_full_pool_makes_room_for_what_comes_back() -> None:
    mind = await network_in_ram(node_pool=2)
    await mind.put("one", key="one")
    await mind.put("two", key="two")
    await mind.forget("one")
    await mind.put("three", key="three")
    assert (await mind.restore("one")).text == "one"
    assert len(await everything(mind)) == 2
    await assert_the_pool_was_kept(mind)


async def test_many_at_once_are_more_than_a_pool_holds() -> None:
    mind = await network_in_ram(node_pool=3)
    assert await mind.put_many([{"text": f"number {number}"} for number in range(1500)]) == 1500
    assert [memory.text for memory in await everything(mind)] == [f"number {number}" for number in (1497, 1498, 1499)]
    await assert_the_pool_was_kept(mind)


async def test_a_pool_made_smaller_gives_up_what_it_no_longer_holds() -> None:
    mind = await network_in_ram()
    await tell(mind, "Ada met Bo and Cy and Di | by the wall | in the rain")
    assert len(await everything(mind)) == 7
    await mind.configure(node_pool=4)
    assert len(await everything(mind)) == 4
    assert await mind.focus() == ["Ada", "Bo", "Cy"]  # one slot is for what is said
    await mind.configure(node_pool=0)
    await tell(mind, "Ed met Flo and Gus")
    assert len(await everything(mind)) > 4
    assert await mind.check() == []


async def test_a_shorter_focus_lets_the_stalest_go_at_once() -> None:
    mind = await network_in_ram()
    await tell(mind, "Ada met Bo and Cy")
    await mind.configure(focus_limit=1)
    assert await mind.focus() == ["Ada"]


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_callers_who_come_at_once_do_not_overfill_it(tmp_path: Path, durability: Any) -> None:
    store = SqliteStore(tmp_path, durability)
    await store.apply(batch(configured("network", node_pool=5)))
    mind = network_mind(store)
    puts = [mind.put(f"note {number}") for number in range(40)]
    many = [mind.put_many([{"text": "x" * 9}] * 100) for _ in range(3)]  # large enough for the store's thread
    told = [mind.remember(said(f"{name} came")) for name in NAMES]
    await asyncio.gather(*puts, *many, *told)
    await settle(mind)
    await assert_the_pool_was_kept(mind)
    assert await mind.check() == []
    await mind.close()


async def test_an_entity_given_up_is_made_anew_when_it_is_mentioned_again() -> None:
    mind = await network_in_ram(node_pool=2)
    await tell(mind, "Ada came")
    first = await store_of(mind).find("entity/ada")
    await tell(mind, "Bo came")
    assert await store_of(mind).find("entity/ada") is None
    await tell(mind, "Ada came back")
    second = await store_of(mind).find("entity/ada")
    assert first is not None
    assert second is not None
    assert second > first
    assert (await by_text(mind, "Ada came back")).kind == "segment"
