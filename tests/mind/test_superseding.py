"""Superseding in a mind that is used: what is looked at again, and what a replay under tide finds."""

from pathlib import Path

import pytest

from ebbtide.core.changes import PutMemory, Supersede
from ebbtide.core.memory import DAY, Content
from ebbtide.core.metabolism import Tide
from ebbtide.mind import Mind
from ebbtide.mind.appraising import superseded
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH
from tests.helpers import FakeClock, able_to_search, batch, configured, mind_in_ram, mind_on_disk, store_of

FERRY = "I take the ferry to Lamma at 8:40 on weekdays."
LATER = "I take the ferry to Lamma at 8:50 on weekdays."
LATEST = "I take the ferry to Lamma at 8:55 on weekdays."
TEXT = ("superseded", "superseded_by")


async def tell(mind: Mind, clock: FakeClock, *texts: str) -> None:
    """One a day, as `a`, `b`, `c`; the first is used twice before the second comes."""
    for number, (key, text) in enumerate(zip("abc", texts, strict=False)):
        await mind.put(text, key=key)
        if not number:
            await mind.touch("a")
        clock.forward(2 * DAY)
        if not number:
            await mind.touch("a")
        await mind._indexing.catch_up()


async def columns(mind: Mind, *names: str) -> dict[str, tuple[float, ...]]:
    s = await store_of(mind).signals()
    contents = await store_of(mind).contents(s.id.tolist())
    return {
        contents[memory].key: tuple(float(getattr(s, name)[row]) for name in names)
        for row, memory in enumerate(s.id.tolist())
    }


async def used(mind: Mind, which: int) -> list[float]:
    """U_long (0) or U_short (1) of each memory as of now."""
    return [float(use) for use in Tide().decayed(await store_of(mind).signals(), mind.now())[which]]


async def told(*texts: str, metabolism: str = "tide") -> Mind:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock, tools=able_to_search())
    await tell(mind, clock, *texts)
    return mind


async def findings(mind: Mind) -> list[tuple[tuple[int, int, float], ...]]:
    return [entry.change.found async for entry in mind.entries() if isinstance(entry.change, Supersede)]


async def test_when_the_newest_of_three_leaves_the_next_one_supersedes() -> None:
    mind = await told(FERRY, LATER, LATEST)
    before = await columns(mind, *TEXT)
    assert before["c"] == (0.0, 0.0)
    assert before["b"][1] == 3.0
    await mind.forget("c")
    await mind._indexing.catch_up()
    after = await columns(mind, *TEXT)
    assert after["b"] == (0.0, 0.0)
    assert after["a"][1] == 2.0
    assert after["a"][0] > 0.0
    await mind.restore("c")
    await mind._indexing.catch_up()
    assert (await columns(mind, *TEXT))["b"] == before["b"]
    assert list(await mind.check()) == []


async def test_a_forgotten_superseder_is_noticed_without_a_put_or_a_search() -> None:
    mind = await told(FERRY, LATER)
    await mind.search("ferry")
    seen = len(await findings(mind))
    await mind.forget("b")
    mind._indexing._start()  # as its timer does, a moment later
    assert mind._indexing._background is not None
    await mind._indexing._background
    assert (await findings(mind))[seen:] == [((1, 0, 0.0),)]
    assert (await columns(mind, *TEXT))["a"] == (0.0, 0.0)


async def test_a_newer_text_that_is_replaced_by_another_supersedes_no_more() -> None:
    mind = await told(FERRY, LATER)
    assert (await columns(mind, *TEXT))["a"][1] == 2.0
    await mind.put("Bo keeps bees.", key="b", replace=True)
    await mind._indexing.catch_up()
    assert (await columns(mind, *TEXT))["a"] == (0.0, 0.0)
    await mind.revert("b")
    await mind._indexing.catch_up()
    assert (await columns(mind, *TEXT))["a"][1] == 2.0
    assert list(await mind.check()) == []


async def test_a_restored_memory_is_compared_with_what_its_superseder_says_now() -> None:
    mind = await told(FERRY, LATER)
    await mind.forget("a")
    await mind.put("Bo keeps bees.", key="b", replace=True)
    await mind.restore("a")
    await mind._indexing.catch_up()
    assert (await columns(mind, *TEXT))["a"] == (0.0, 0.0)


async def test_looking_again_is_done_once() -> None:
    mind = await told(FERRY, LATER)
    await mind.forget("b")
    await mind._indexing.catch_up()
    seen = await findings(mind)
    await mind._indexing.catch_up()
    await mind.search("ferry")
    assert await findings(mind) == seen


async def test_what_waits_to_be_compared_still_waits_after_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "tide", clock) as mind:
        await tell(mind, clock, FERRY, LATER)
        await mind.forget("b")
    async with mind_on_disk(tmp_path, "tide", clock) as mind:
        assert (await columns(mind, *TEXT))["a"] == (0.0, -1.0)
        await mind._indexing.catch_up()
        assert (await columns(mind, *TEXT))["a"] == (0.0, 0.0)
        assert list(await mind.check()) == []


async def test_uses_that_were_moved_come_back_when_forgetting_is_undone() -> None:
    mind = await told(FERRY, LATER)
    before = await columns(mind, *TEXT, "use_long", "use_short")
    await mind.forget("b")
    await mind._indexing.catch_up()
    await mind.restore("b")
    await mind._indexing.catch_up()
    assert await columns(mind, *TEXT, "use_long", "use_short") == before


async def test_the_nearest_neighbours_say_the_same_share_from_either_side() -> None:
    mind = await told(FERRY, LATER)
    share = (await columns(mind, "superseded"))["a"][0]
    await mind.put("Bo keeps bees.", key="b", replace=True)
    await mind._indexing.catch_up()
    await mind.revert("b")
    await mind._indexing.catch_up()
    assert (await columns(mind, "superseded"))["a"][0] == pytest.approx(share, abs=1e-5)


# ---- whom and what they are about


async def test_two_peoples_facts_of_one_shape_do_not_supersede_each_other() -> None:
    mind = await told("Lisa won first place in the swimming race.", "Mark won first place in the swimming race.")
    assert await columns(mind, *TEXT) == {"a": (0.0, 0.0), "b": (0.0, 0.0)}


async def test_a_question_asked_later_does_not_supersede_what_answers_it() -> None:
    mind = await told(FERRY, "Do I take the ferry to Lamma at 8:40 on weekdays?")
    assert await columns(mind, *TEXT) == {"a": (0.0, 0.0), "b": (0.0, 0.0)}


async def test_an_answer_given_later_supersedes_the_question() -> None:
    mind = await told("Do I take the ferry to Lamma at 8:40 on weekdays?", FERRY)
    assert (await columns(mind, *TEXT))["a"][1] == 2.0


async def test_when_the_nearest_newer_one_is_about_another_person_the_next_one_supersedes() -> None:
    mind = await told("Lisa has a blue boat.", "Lisa has a big blue boat.", "Liza has a blue boat.")
    assert (await columns(mind, "superseded_by")) == {"a": (2.0,), "b": (0.0,), "c": (0.0,)}


def test_texts_are_read_only_for_pairs_that_would_count_the_greatest_share_first() -> None:
    # 1 is superseded by 4 (0.9 is refused, 0.7 is allowed), so 0.2 of 2 is not asked for. 2 is not: 3 is refused.
    store, asked = MemoryStore(), []
    puts = [PutMemory(BIRTH + i * DAY, i, Content(f"k{i}", "tide"), BIRTH + i * DAY) for i in range(1, 5)]
    store.apply_now(batch(configured("tide"), *puts))

    def allowed(older: int, newer: int) -> bool:
        asked.append((older, newer))
        return newer != 3

    pairs = [(1, 2, 0.2), (3, 1, 0.9), (1, 4, 0.7), (2, 3, 0.5)]
    assert superseded(pairs, store.state.signals(), allowed=allowed) == ((1, 4, 0.7),)
    assert asked == [(1, 3), (1, 4), (2, 3)]


# ---- under tide, what lived by another metabolism


async def test_a_replay_under_tide_finds_by_the_vectors_of_the_original_what_supersedes_what() -> None:
    mind = await told(FERRY, LATER, "Bo keeps bees.", metabolism="activity")
    under, own = await mind.replay("tide"), await told(FERRY, LATER, "Bo keeps bees.")
    there, here = await columns(under, *TEXT), await columns(own, *TEXT)
    for key in "abc":
        assert list(there[key]) == pytest.approx(list(here[key]), abs=1e-3)
    assert there["a"][1] == 2.0
    for uses in (0, 1):  # of which those that were moved were moved at once, not two days later
        assert list(await used(under, uses)) == pytest.approx(list(await used(own, uses)), abs=1e-3)
    assert "a newer memory, b, says nearly the same" in (await under.explain("a")).why


async def test_a_replay_under_tide_looks_again_when_the_superseder_was_forgotten() -> None:
    mind = await told(FERRY, LATER, LATEST, metabolism="activity")
    await mind.forget("c")
    under = await columns(await mind.replay("tide"), *TEXT)
    assert under["b"] == (0.0, 0.0)
    assert under["a"][1] == 2.0


async def test_in_a_replay_two_people_do_not_supersede_each_other() -> None:
    alice, celia = "On Monday we met Alice at the pier.", "On Monday we met Celia at the pier."
    mind = await told(alice, celia, metabolism="activity")
    assert await columns(await mind.replay("tide"), "superseded") == {"a": (0.0,), "b": (0.0,)}


async def test_in_a_replay_a_text_that_the_original_no_longer_has_supersedes_nothing() -> None:
    mind = await told(FERRY, LATER, metabolism="activity")
    await mind.put("Bo keeps bees.", key="b", replace=True)
    await mind._indexing.catch_up()
    assert (await columns(await mind.replay("tide"), *TEXT))["a"] == (0.0, 0.0)


async def test_without_vectors_a_replay_under_tide_supersedes_nothing() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock, tools=able_to_search())
    for key, text in (("a", FERRY), ("b", LATER)):
        await mind.put(text, key=key)
        clock.forward(DAY)
    under = await mind.replay("tide")
    assert await columns(under, *TEXT) == {"a": (0.0, 0.0), "b": (0.0, 0.0)}
    assert not mind._indexing.opened  # and nothing is embedded for the sake of a look


async def test_a_replay_of_a_reopened_mind_reads_its_vectors_from_the_file(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "activity", clock) as mind:
        await tell(mind, clock, FERRY, LATER)
        await mind.compact(clock.now() + 60 * DAY)
    async with mind_on_disk(tmp_path, "activity", clock) as mind:
        assert (await columns(await mind.replay("tide"), *TEXT))["a"][1] == 2.0
