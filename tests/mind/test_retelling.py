"""A network mind retold (C6): the same events under other parameters, and under another metabolism."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import PutMemory
from ebbtide.core.memory import State
from ebbtide.mind import Mind
from tests.helpers import FakeClock, everything, lives, snapshot, store_of
from tests.scripted_model import by_text, links, network_in_ram, said, settle, tell, texts

LONG = "Lin takes the early ferry and reads a novel on the upper deck while the harbour wakes and the gulls cry"  # 103


async def shape(mind: Mind, told: dict[int, str]) -> Any:
    """Who is there, how often each was scanned and how important it is, by what was told of it."""
    rows = sorted(
        (told.get(memory.id, memory.key), memory.kind, memory.meta.scan_count, memory.vitality)
        for memory in await everything(mind)
    )
    return rows, await focus_keys(mind)


async def focus_keys(mind: Mind) -> list[str]:
    contents = await store_of(mind).contents(await store_of(mind).focus())
    return [contents[point].key for point in await store_of(mind).focus()]


async def told_in(mind: Mind) -> dict[int, str]:
    """What each segment said when it was told."""
    changes = [entry.change async for entry in mind.entries()]
    return {c.id: c.content.text for c in changes if isinstance(c, PutMemory) and c.content.kind == "segment"}


WORDS = st.sampled_from(("Ada", "Bo", "Cy", "Di", "met", "saw", "the tall ships by the old harbour wall", "|"))
sentences = st.lists(WORDS, min_size=1, max_size=8).map(" ".join).filter(lambda text: text.strip("| "))
stories = st.lists(sentences | st.integers(1, 6), min_size=1, max_size=12)


async def lived(story: Sequence[str | int], **params: Any) -> Mind:
    """Sentences are told, numbers are cycles without anything new."""
    mind = await network_in_ram(focus_limit=2, **params)
    for step in story:
        if isinstance(step, str):
            await tell(mind, step)
        else:
            await mind.fade(step)
    return mind


# ---- other parameters


async def test_a_mind_that_forgets_faster_would_have_forgotten_by_now() -> None:
    # 103 · 0.5⁴ = 6.4 is kept, 103 · 0.5⁵ = 3.2 is not
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, LONG)
    for number, alive in ((4, True), (5, False)):
        while (await by_text(mind, "Lin takes")).meta.scan_count <= number:
            await tell(mind, f"Topic{'abcdefgh'[(await store_of(mind).info()).memories % 8]} came up")
        other = await mind.replay(params={"decay_rate": 0.5})
        assert (LONG in await texts(other)) is alive
    assert len((await by_text(mind, "Lin takes")).text) == 88  # 103 · 0.97⁵ = 88.45: this one has not


async def test_a_mind_that_never_forgets_would_know_it_all() -> None:
    mind = await lived(["Ada met Bo | and left", "Cy came", "Di slept", 40], decay_rate=0.5)
    assert await texts(mind) == ["Cy came", "Di slept"]  # which focus holds
    other = await mind.replay(params={"decay_rate": 1.0})
    assert await texts(other) == ["Ada met Bo", "and left", "Cy came", "Di slept"]
    assert sorted(await texts(other, "entity")) == ["Ada", "Bo", "Cy", "Di"]
    assert await mind.check() == []


async def test_an_entity_forgotten_by_then_is_made_anew_when_it_is_mentioned_again() -> None:
    # Out of focus, Ada has two links: 2 · 0.9 ≥ 1 keeps her, 2 · 0.4 leaves 2 of 3 letters.
    story = ["Ada met", "Ada saw", "Bo Cy", "Ada Di"]
    mind, other = await lived(story, decay_rate=0.9), await lived(story, decay_rate=0.4)
    retold = await mind.replay(params={"decay_rate": 0.4})
    assert await shape(retold, await told_in(mind)) == await shape(other, await told_in(other))
    assert await store_of(retold).find("entity/ada") != await store_of(mind).find("entity/ada")


async def test_one_still_alive_is_used_again() -> None:
    story = ["Ada met", "Ada saw", "Bo Cy", "Ada Di"]
    mind, other = await lived(story, decay_rate=0.4), await lived(story, decay_rate=0.9)
    retold = await mind.replay(params={"decay_rate": 0.9})
    assert await shape(retold, await told_in(mind)) == await shape(other, await told_in(other))


async def test_texts_are_as_they_were_told_for_no_model_is_asked() -> None:
    mind = await lived([LONG, "Ada met Bo", 20])
    assert len((await by_text(mind, "Lin takes")).text) < 103
    assert LONG in await texts(await mind.replay(params={"decay_rate": 0.96}))


@lives
@given(stories, st.sampled_from((0.5, 0.9)))
async def test_retold_under_its_own_parameters_it_is_itself_but_for_the_texts(
    story: list[str | int], rate: float
) -> None:
    mind = await lived(story, decay_rate=rate)
    told = await told_in(mind)
    assert await shape(await mind.replay(), told) == await shape(mind, told)


@lives
@given(stories, st.sampled_from((0.4, 0.8, 0.99)), st.sampled_from((0.01, 0.2)), st.sampled_from((0, 12)))
async def test_retold_under_other_parameters_it_is_the_mind_that_had_them(
    story: list[str | int], rate: float, threshold: float, shortest: int
) -> None:
    params = {"decay_rate": rate, "link_break_threshold": threshold, "delete_threshold": shortest}
    first, other = await lived(story, decay_rate=0.7), await lived(story, **params)
    retold = await first.replay(params=params)
    assert await shape(retold, await told_in(first)) == await shape(other, await told_in(other))


@lives
@given(stories, st.integers(1, 5))
async def test_a_pool_holds_in_a_retelling_too(story: list[str | int], size: int) -> None:
    mind = await lived(story, decay_rate=0.9)
    other = await mind.replay(params={"node_pool": size})
    assert len(await everything(other)) <= size
    assert await snapshot(other) == await snapshot(await mind.replay(params={"node_pool": size}))  # no luck in it


async def test_a_shorter_focus_holds_fewer() -> None:
    mind = await network_in_ram(focus_limit=4)
    await tell(mind, "Ada met Bo and Cy and Di")
    assert await focus_keys(await mind.replay(params={"focus_limit": 2})) == ["entity/bo", "entity/ada"]


async def test_a_longer_focus_holds_more() -> None:
    mind = await network_in_ram(focus_limit=1)
    for content in ("Ada came", "Bo came", "Cy came"):
        await tell(mind, content)
    assert await focus_keys(await mind.replay(params={"focus_limit": 2})) == ["entity/bo", "entity/cy"]


async def test_a_mind_whose_journal_was_folded_is_retold_from_there() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock, focus_limit=1)
    await tell(mind, LONG)
    await mind.remember(said("Ada met Bo"))
    await mind.idle()  # its cycle is still due
    clock.forward(40 * 86400.0)
    assert await mind.compact(clock.now()) > 0
    await settle(mind)
    told = {memory.id: memory.key for memory in await everything(mind)}
    assert await shape(await mind.replay(), told) == await shape(mind, told)
    assert await mind.check() == []


# ---- another metabolism


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
async def test_under_another_metabolism_nothing_was_forgotten_or_shortened_by_cycles(metabolism: str) -> None:
    mind = await lived([LONG, "Ada met Bo", "Cy came", 120])
    await mind.forget("entity/cy")
    await mind.recall()
    assert LONG not in await texts(mind)
    other = await mind.replay(metabolism)
    assert other.metabolism == metabolism
    assert await texts(other) == [LONG, "Ada met Bo", "Cy came"]
    assert "Cy" not in await texts(other, "entity")  # what somebody wanted forgotten is
    assert await store_of(other).focus() == ()
    assert {memory.meta.scan_count for memory in await everything(other)} == {0}
    assert await other.queue() == []


async def test_another_metabolism_can_be_lived_by_a_network() -> None:
    mind = await lived([LONG, "Ada met Bo"])
    other = await mind.replay("activity")
    assert (await other.list()).memories
    assert {memory.state for memory in await everything(other)} <= {State.ACTIVE, State.COLD}
    assert len(await links(other)) > 0
