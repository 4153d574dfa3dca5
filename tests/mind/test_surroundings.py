"""A part of a mind to look at: who is in it, in which order, and that looking leaves no mark."""

import pytest

from ebbtide.core.errors import InvalidInput, UnknownMemory
from ebbtide.core.memory import DAY, Link
from ebbtide.mind import Mind
from ebbtide.mind.surroundings import Surroundings
from tests.helpers import METABOLISMS, FakeClock, mind_in_ram, snapshot


async def chain(metabolism: str = "activity", clock: FakeClock | None = None) -> Mind:
    """a → b → c → d, and e on its own; b → c is stronger than b → x."""
    mind = await mind_in_ram(metabolism, clock)
    for key in "abcdex":
        await mind.put(f"the text of {key}", key=key)
    for source, target, strength in (("a", "b", 0.5), ("b", "c", 0.9), ("c", "d", 0.5), ("b", "x", 0.2)):
        await mind.link(source, target, "then", strength)
    return mind


def keys(seen: Surroundings) -> list[str]:
    return [sight.memory.key for sight in seen.sights]


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_looking_leaves_the_mind_as_it_was(metabolism: str) -> None:
    mind = await chain(metabolism)
    before = await snapshot(mind)
    await mind.surroundings()
    await mind.surroundings("b")
    assert await snapshot(mind) == before


async def test_it_goes_outward_whichever_way_links_point_and_the_stronger_first() -> None:
    mind = await chain()
    seen = await mind.surroundings("b")
    assert keys(seen) == ["b", "c", "a", "x", "d"]
    assert [sight.distance for sight in seen.sights] == [0, 1, 1, 1, 2]


async def test_it_ends_at_the_limit_and_says_how_much_there_is() -> None:
    mind = await chain()
    seen = await mind.surroundings("b", limit=2)
    assert keys(seen) == ["b", "c"]
    assert seen.total == 6
    assert [(link.relation, link.strength) for link in seen.links] == [("then", 0.9)]


async def test_without_a_start_it_has_everything_and_the_most_alive_comes_first() -> None:
    clock = FakeClock()
    mind = await chain(clock=clock)
    for _ in range(50):
        await mind.get("e")
    seen = await mind.surroundings()
    assert keys(seen)[0] == "e"
    assert sorted(keys(seen)) == sorted("abcdex")
    assert {sight.distance for sight in seen.sights} == {None}
    assert all(0.0 <= sight.alive <= 1.0 for sight in seen.sights)


async def test_a_link_to_what_was_forgotten_leads_to_something_lost() -> None:
    mind = await chain()
    await mind.forget("c")
    seen = await mind.surroundings("b")
    assert [(lost.key, lost.said) for lost in seen.lost] == [("c", "the text of c")]
    assert Link(2, 3, "then", 0.9) in seen.links


async def test_of_what_the_trash_has_let_go_not_even_the_name_is_known() -> None:
    clock = FakeClock()
    mind = await chain(clock=clock)
    await mind.forget("c")
    clock.forward(31 * DAY)
    await mind.tick()
    assert [(lost.key, lost.said) for lost in (await mind.surroundings("b")).lost] == [("", "")]


async def test_what_has_expired_is_seen_only_if_everything_is_asked_for() -> None:
    clock = FakeClock()
    mind = await chain("retention", clock)
    clock.forward(20 * DAY)
    assert keys(await mind.surroundings()) == []
    assert keys(await mind.surroundings("b")) == []
    assert len(keys(await mind.surroundings("b", everything=True))) == 5


@pytest.mark.parametrize("limit", [0, 1001])
async def test_nobody_looks_at_nothing_or_at_too_much(limit: int) -> None:
    mind = await chain()
    with pytest.raises(InvalidInput):
        await mind.surroundings(limit=limit)


async def test_a_start_that_is_not_there_is_an_error() -> None:
    mind = await chain()
    with pytest.raises(UnknownMemory):
        await mind.surroundings("nobody")
