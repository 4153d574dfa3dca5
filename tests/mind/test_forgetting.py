"""Ways back from forgetting where life went on meanwhile: what came later stays, the rest is as it was.   SPEC C8."""

import pytest

from ebbtide.core.errors import InvalidInput, KeyTaken, NotInTrash, UnknownMemory
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from tests.helpers import METABOLISMS, FakeClock, everything, mind_in_ram, snapshot, store_of

each_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)


async def three(metabolism: str = "activity", clock: FakeClock | None = None) -> Mind:
    mind = await mind_in_ram(metabolism, clock)
    for key in ("a", "b", "x"):
        await mind.put(f"this is {key}", key=key)
    return mind


async def strengths(mind: Mind, key: str) -> dict[tuple[str | None, str], float]:
    view = await mind.replay()  # so that looking is no walk
    return {(step.key, step.relation): step.strength for step in await view.follow(key)}


# ---- links after an un-merge


@each_metabolism
async def test_a_link_made_anew_after_a_merge_keeps_its_new_strength(metabolism: str) -> None:
    mind = await three(metabolism)
    await mind.link("a", "x", "r", 0.3)
    await mind.link("b", "x", "r", 0.7)
    await mind.merge("a", "b")
    assert await strengths(mind, "a") == {("x", "r"): 0.7}
    await mind.link("a", "x", "r", 0.9)
    await mind.restore("b")
    assert await strengths(mind, "a") == {("x", "r"): 0.9}
    assert await strengths(mind, "b") == {("x", "r"): 0.7}


@each_metabolism
async def test_a_link_taken_away_after_a_merge_stays_away(metabolism: str) -> None:
    mind = await three(metabolism)
    await mind.link("a", "x", "r", 0.3)
    await mind.link("b", "x", "r", 0.7)
    await mind.merge("a", "b")
    await mind.unlink("a", "x", "r")
    await mind.restore("b")
    assert await strengths(mind, "a") == {}


async def test_a_trace_taken_away_does_not_weigh_on_what_comes_back() -> None:
    mind = await three("score", clock := FakeClock())
    await mind.link("x", "b", "r", 1.0)
    await mind.forget("b")
    await mind.unlink("x", "b", "r")
    await mind.restore("b")
    clock.forward(10 * DAY)
    alone, back = [memory for memory in await everything(mind) if memory.key in ("a", "b")]
    assert back.meta.in_degree == 0
    assert back.vitality == pytest.approx(alone.vitality)


async def test_a_link_between_two_who_left_is_there_again_when_both_are_back() -> None:
    for order in (("a", "b"), ("b", "a")):
        mind = await three("score", clock := FakeClock())
        await mind.link("a", "b", "r", 0.8)
        clock.forward(HOUR)
        await mind.forget("a", "b")
        clock.forward(DAY)
        for key in order:
            await mind.restore(key)
        twin = await three("score", other := FakeClock())
        await twin.link("a", "b", "r", 0.8)
        other.moment = clock.moment
        assert [memory.vitality for memory in await everything(mind)] == [
            pytest.approx(memory.vitality) for memory in await everything(twin)
        ]
        assert await strengths(mind, "a") == {("b", "r"): 0.8}


# ---- uses after an un-merge


@each_metabolism
async def test_uses_after_a_merge_count_and_keep_their_time(metabolism: str) -> None:
    mind = await three(metabolism, clock := FakeClock())
    clock.forward(HOUR)
    await mind.get("b")
    await mind.merge("a", "b")
    await mind.get("a")  # at the very moment b was last used
    await mind.restore("b")
    a = next(memory for memory in await everything(mind) if memory.key == "a")
    assert (a.meta.access_count, a.meta.last_accessed_at) == (1, clock.now())


@each_metabolism
async def test_a_memory_that_took_over_nothing_recent_is_as_old_as_before(metabolism: str) -> None:
    mind = await three(metabolism, clock := FakeClock())
    born = clock.now()
    clock.forward(HOUR)
    await mind.get("b")
    assert (await mind.merge("a", "b")).meta.last_accessed_at == clock.now()
    await mind.restore("b")
    a = next(memory for memory in await everything(mind) if memory.key == "a")
    assert (a.meta.access_count, a.meta.last_accessed_at) == (0, born)


# ---- texts after an un-merge


async def test_a_text_given_after_the_merge_stays() -> None:
    mind = await three()
    merged = await mind.merge("a", "b")
    same_length = "#" * len(merged.text)
    await mind.put(same_length, key="a", replace=True)
    await mind.restore("b")
    a = next(memory for memory in await everything(mind) if memory.key == "a")
    assert (a.text, a.meta.original_length) == (same_length, len(same_length))
    lengths = (await store_of(mind).signals([a.id])).length.tolist()
    assert lengths == [len(same_length)]


async def test_the_one_that_stayed_says_its_own_again_under_whatever_name() -> None:
    mind = await three()
    await mind.merge("a", "b", text="both")
    await mind.forget("a")
    await mind.restore("a", new_key="a2")
    await mind.restore("b")
    texts = {memory.key: memory.text for memory in await everything(mind)}
    assert texts == {"a2": "this is a", "b": "this is b", "x": "this is x"}


async def test_a_merge_says_both_unless_one_says_the_other_already() -> None:
    mind = await three()
    await mind.put("and this is a, too", key="c", keywords=["k1"], phrase="p")
    assert (await mind.merge("a", "b")).text == "this is a\nthis is b"
    await mind.restore("b")
    merged = await mind.merge("a", "c")
    assert (merged.text, merged.phrase, merged.keywords) == ("and this is a, too", "p", ("k1",))


# ---- coming back


async def test_the_last_one_forgotten_under_a_key_comes_back_first() -> None:
    mind = await three(clock=(clock := FakeClock()))
    await mind.forget("a")
    clock.forward(HOUR)
    await mind.put("the second a", key="a")
    await mind.forget("a")
    assert [gone.text for gone in await mind.trash()] == ["the second a", "this is a"]
    assert (await mind.restore("a")).text == "the second a"
    with pytest.raises(KeyTaken, match="'a' is taken"):
        await mind.restore("a")
    assert (await mind.restore("a", new_key="a1")).text == "this is a"
    with pytest.raises(NotInTrash):
        await mind.restore("a")


async def test_the_very_one_that_is_meant_comes_back() -> None:
    mind = await three()
    await mind.forget("a")
    await mind.put("the second a", key="a")
    await mind.forget("a")
    first = next(gone for gone in await mind.trash() if gone.text == "this is a")
    assert (await mind.restore("a", id=first.id)).text == "this is a"
    with pytest.raises(NotInTrash):  # nor is any other one given in its place
        await mind.restore("a", id=first.id, new_key="again")
    assert [gone.text for gone in await mind.trash()] == ["the second a"]


@pytest.mark.parametrize("bad", ["", " ", "a\n", "x" * 513])
async def test_a_new_key_must_be_a_key(bad: str) -> None:
    mind = await three()
    await mind.forget("a")
    before = await snapshot(mind)
    with pytest.raises(InvalidInput):
        await mind.restore("a", new_key=bad)
    assert await snapshot(mind) == before


async def test_the_last_moment_in_the_trash_is_the_one_before_the_end() -> None:
    mind = await three(clock=(clock := FakeClock()))
    await mind.forget("a")
    clock.forward(30 * DAY - 1.0)
    assert [gone.key for gone in await mind.trash()] == ["a"]
    assert (await mind.tick()).discarded == 0
    assert (await mind.restore("a")).key == "a"


async def test_trash_time_that_was_prolonged_is_time_to_come_back() -> None:
    mind = await three(clock=(clock := FakeClock()))
    await mind.forget("a")
    clock.forward(40 * DAY)
    with pytest.raises(NotInTrash):
        await mind.restore("a")
    await mind.configure(trash_days=60)
    assert (await mind.restore("a")).key == "a"


async def test_forgetting_several_is_all_or_none() -> None:
    mind = await three()
    before = await snapshot(mind)
    with pytest.raises(UnknownMemory, match="nobody"):
        await mind.forget("a", "b", "nobody")
    assert await snapshot(mind) == before
    await mind.forget("a", "b", "a")
    assert {gone.key for gone in await mind.trash()} == {"a", "b"}


# ---- earlier texts


async def test_a_replaced_text_can_be_brought_back_and_the_later_one_again() -> None:
    mind = await three()
    await mind.put("said anew", key="a", replace=True, kind="fact")
    reverted = await mind.revert("a")
    assert (reverted.text, reverted.kind, reverted.meta.original_length) == ("this is a", "note", len("this is a"))
    assert (await mind.revert("a")).text == "said anew"


async def test_a_text_before_a_merge_can_be_brought_back_without_undoing_it() -> None:
    mind = await three()
    await mind.merge("a", "b", text="both")
    assert (await mind.revert("a")).text == "this is a"
    assert [gone.key for gone in await mind.trash()] == ["b"]


async def test_a_text_that_never_changed_cannot_be_reverted() -> None:
    mind = await three()
    with pytest.raises(InvalidInput, match="'a' has no earlier text"):
        await mind.revert("a")
    await mind.put("this is a", key="a", replace=True)
    with pytest.raises(InvalidInput, match="'a' has no earlier text"):
        await mind.revert("a")
    with pytest.raises(UnknownMemory):
        await mind.revert("nobody")


async def test_an_earlier_text_is_kept_as_long_as_the_trash_keeps_memories() -> None:
    mind = await three(clock=(clock := FakeClock()))
    await mind.put("said anew", key="a", replace=True)
    clock.forward(30 * DAY - 1.0)
    assert (await mind.revert("a")).text == "this is a"
    await mind.put("and again", key="a", replace=True)
    clock.forward(30 * DAY)
    with pytest.raises(InvalidInput):
        await mind.revert("a")


async def test_a_memory_renamed_on_its_way_back_reverts_under_its_new_name() -> None:
    mind = await three()
    await mind.put("said anew", key="a", replace=True)
    await mind.forget("a")
    await mind.restore("a", new_key="a2")
    reverted = await mind.revert("a2")
    assert (reverted.key, reverted.text) == ("a2", "this is a")
