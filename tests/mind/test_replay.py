"""The journal tells the truth: replayed it gives the same mind, the mind of any earlier moment, or the mind that
would have been under another metabolism.   SPEC C6
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.changes import Batch, Receipt
from ebbtide.core.errors import Conflict, EbbtideError, InvalidInput
from ebbtide.core.memory import DAY, HOUR, State
from ebbtide.core.snapshot import Snapshot
from ebbtide.mind import Mind
from tests.helpers import (
    LEAVINGS,
    METABOLISMS,
    READS,
    RETENTION_PUT,
    SUGGESTED,
    WRITES,
    Deed,
    FakeClock,
    everything,
    histories,
    live,
    lives,
    mind_in_ram,
    mind_on_disk,
    perform,
    snapshot,
    store_of,
)

each_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)
any_life = histories(RETENTION_PUT, *SUGGESTED)


# ---- the same mind


@each_metabolism
@lives
@given(deeds=any_life)
async def test_replaying_the_journal_gives_the_same_mind(metabolism: str, deeds: Sequence[Deed]) -> None:
    mind = await mind_in_ram(metabolism, clock := FakeClock())
    await live(deeds, mind, clock)
    assert await mind.check() == []


@each_metabolism
@settings(lives, max_examples=10)
@given(deeds=any_life, later=any_life)
async def test_a_mind_on_disk_is_what_its_journal_says(
    metabolism: str, deeds: Sequence[Deed], later: Sequence[Deed]
) -> None:
    clock = FakeClock()
    with TemporaryDirectory() as folder:
        async with mind_on_disk(Path(folder), metabolism, clock) as mind:
            await live(deeds, mind, clock)
            assert await mind.check() == []
            before = await snapshot(mind)
        async with mind_on_disk(Path(folder), clock=clock) as mind:
            assert await snapshot(mind) == before
            await live(later, mind, clock)
            assert await mind.check() == []


async def test_a_mind_that_differs_from_its_journal_is_found_out() -> None:
    mind = await mind_in_ram("score")
    await mind.put("a text", key="a")
    await mind.put("another", key="b")
    mind._store.state.table.columns["access_count"][0] += 1  # type: ignore[attr-defined]
    assert await mind.check() == ["memory 'a'"]


# ---- any earlier moment


@each_metabolism
@lives
@given(deeds=any_life, data=st.data())
async def test_the_mind_as_of_a_moment_is_what_it_was_then(
    metabolism: str, deeds: Sequence[Deed], data: st.DataObject
) -> None:
    mind = await mind_in_ram(metabolism, clock := FakeClock())
    seen: dict[float, Snapshot] = {}
    for deed in deeds:
        await perform(deed, mind, clock)
        seen[clock.now()] = await snapshot(mind)
    moment = data.draw(st.sampled_from(sorted(seen)), "moment")
    later = [other for other in seen if other > moment]
    within = data.draw(st.sampled_from((0.0, 0.5)), "how far to the next moment")
    gap = within * (min(later) - moment) if later else 0.0
    assert await snapshot(await mind.as_of(moment + gap)) == seen[moment]


async def test_the_past_is_judged_by_its_own_clock() -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await mind.put("short-lived", key="a", policy="ephemeral")
    then = clock.now() + HOUR
    clock.forward(90 * DAY)
    assert (await (await mind.as_of(then)).get("a")).state is State.ACTIVE
    with pytest.raises(EbbtideError):
        await mind.get("a")


async def test_before_its_first_moment_there_is_no_mind_to_see() -> None:
    mind = await mind_in_ram(clock=(clock := FakeClock()))
    with pytest.raises(InvalidInput, match="not there yet"):
        await mind.as_of(clock.now() - 1.0)
    assert await everything(await mind.as_of(clock.now())) == ()


async def test_a_moment_folded_into_the_base_cannot_be_seen_any_more() -> None:
    mind = await mind_in_ram(clock=(clock := FakeClock()))
    await mind.put("a text", key="a")
    long_ago = clock.now()
    clock.forward(DAY)
    await mind.put("another", key="b")
    clock.forward(TRASH)
    assert await mind.compact(clock.now()) == 3
    with pytest.raises(InvalidInput, match="compacted"):
        await mind.as_of(long_ago)


# ---- another metabolism

PAIRS = [(old, new) for old in METABOLISMS for new in METABOLISMS]


@pytest.mark.parametrize(("old", "new"), PAIRS)
@settings(lives, max_examples=12)
@given(deeds=histories(of=(*WRITES, READS[0], *LEAVINGS)))
async def test_a_mind_replayed_under_another_metabolism_is_the_one_that_lived_so(
    old: str, new: str, deeds: Sequence[Deed]
) -> None:
    """Both get the same calls; what the first one refused was never asked of the other.

    The first one counts every touch: of one that it does not count its journal knows nothing.
    """
    first, clock = await mind_in_ram(old, one := FakeClock(), touch_spacing=0), FakeClock()
    lived = await mind_in_ram(new, clock)
    for deed in deeds:
        if await perform(deed, first, one) is None:
            await perform(deed, lived, clock)
    would_be = await first.replay(new, {"touch_spacing": 1.0})
    assert would_be.metabolism == new
    assert await everything(would_be) == await everything(lived)
    assert await would_be.trash() == await lived.trash()


@pytest.mark.parametrize("new", ["activity", "network", "score"])
@settings(lives, max_examples=12)
@given(deeds=histories(of=(*WRITES, *READS)))
async def test_walking_links_is_replayed_too(new: str, deeds: Sequence[Deed]) -> None:
    first, lived = await mind_in_ram("score", one := FakeClock()), await mind_in_ram(new, two := FakeClock())
    await live(deeds, first, one)
    await live(deeds, lived, two)
    assert await everything(await first.replay(new)) == await everything(lived)


@settings(lives, max_examples=20)
@given(deeds=histories(of=(*WRITES, READS[0], *LEAVINGS)))
async def test_a_mind_replayed_with_other_parameters_is_the_one_that_had_them(deeds: Sequence[Deed]) -> None:
    params: dict[str, Any] = {"usage_gain": 40.0, "daily_factor": 0.8, "cold_from": 10.0}
    first = await mind_in_ram("score", one := FakeClock())
    lived = await mind_in_ram("score", two := FakeClock(), **params)
    await live(deeds, first, one)
    await live(deeds, lived, two)
    assert await everything(await first.replay(params=params)) == await everything(lived)


async def test_importance_is_no_part_of_a_life_without_it() -> None:
    first, lived = await mind_in_ram("retention"), await mind_in_ram("score")
    await first.put("a text", key="a", importance=0.9, policy="persistent")
    await lived.put("a text", key="a")
    assert await everything(await first.replay("score")) == await everything(lived)


async def test_what_would_have_been_invisible_cannot_have_been_used() -> None:
    """R2: under retention the memory expires after 2.3 days, so nobody could have read it on the tenth."""
    mind = await mind_in_ram("activity", clock := FakeClock())
    await mind.put("a text", key="a")
    clock.forward(10 * DAY)
    await mind.get("a")
    (would_be,) = await everything(await mind.replay("retention"))
    assert (would_be.state, would_be.meta.access_count) == (State.EXPIRED, 0)


async def test_an_unknown_metabolism_or_parameter_is_an_error() -> None:
    mind = await mind_in_ram("score")
    with pytest.raises(InvalidInput, match="retention"):
        await mind.replay("retntion")
    with pytest.raises(InvalidInput, match="usage_gain"):
        await mind.replay(params={"usage_gian": 3})


VIEWS = {
    "put": Deed("put", ("x",), {"key": "new"}),
    "put over": Deed("put", ("x",), {"key": "a", "replace": True}),
    "put_many": Deed("put_many", ([{"text": "x"}],)),
    "link": Deed("link", ("a", "b", "r")),
    "unlink": Deed("unlink", ("a", "b", "about")),
    "touch": Deed("touch", ("a",)),
    "forget": Deed("forget", ("a",)),
    "restore": Deed("restore", ("c",)),
    "revert": Deed("revert", ("b",)),
    "merge": Deed("merge", ("a", "b")),
    "tick": Deed("tick"),
    "configure": Deed("configure", (), {"trash_days": 3}),
    "compact": Deed("compact", (1e12,)),
}


async def storied(clock: FakeClock) -> Mind:
    mind = await mind_in_ram("activity", clock)
    for key in ("a", "b", "c"):
        await mind.put(f"this is {key}", key=key)
    await mind.link("a", "b", "about")
    await mind.put("b anew", key="b", replace=True)
    await mind.forget("c")
    return mind


@pytest.mark.parametrize("verb", VIEWS)
async def test_nothing_can_be_written_to_a_view(verb: str) -> None:
    mind = await storied(clock := FakeClock())
    for view in (await mind.as_of(clock.now()), await mind.replay("score")):
        before = await snapshot(view)
        assert isinstance(await perform(VIEWS[verb], view, clock), Conflict)
        assert await snapshot(view) == before


async def test_looking_at_a_view_leaves_no_trace() -> None:
    mind = await storied(FakeClock())
    before = await snapshot(mind)
    view = await mind.replay("score")
    then = await snapshot(view)
    assert (await view.get("a")).meta.access_count == 0
    assert [step.key for step in await view.follow("a")] == ["b"]
    await view.tick(dry_run=True)
    assert await snapshot(view) == then
    assert await snapshot(mind) == before


# ---- compaction: what the trash may still need is never folded, so these minds wait first

TRASH = 31 * DAY


@each_metabolism
@lives
@given(deeds=any_life, later=any_life, back=st.sampled_from((0.0, 1.0, DAY, 20 * DAY)))
async def test_a_compacted_journal_still_gives_the_same_mind(
    metabolism: str, deeds: Sequence[Deed], later: Sequence[Deed], back: float
) -> None:
    mind = await mind_in_ram(metabolism, clock := FakeClock())
    await live(deeds, mind, clock)
    clock.forward(TRASH)
    before = await snapshot(mind)
    await mind.compact(clock.now() - back)
    assert await snapshot(mind) == before
    assert await mind.check() == []
    await live(later, mind, clock)
    assert await mind.check() == []


@each_metabolism
@settings(lives, max_examples=8)
@given(deeds=any_life, later=any_life)
async def test_a_compacted_mind_on_disk_is_what_base_and_journal_say(
    metabolism: str, deeds: Sequence[Deed], later: Sequence[Deed]
) -> None:
    clock = FakeClock()
    with TemporaryDirectory() as folder:
        async with mind_on_disk(Path(folder), metabolism, clock) as mind:
            await live(deeds, mind, clock)
            clock.forward(TRASH)
            assert await mind.compact(clock.now()) > 0
            assert await mind.check() == []
        async with mind_on_disk(Path(folder), clock=clock) as mind:
            await live(later, mind, clock)
            assert await mind.check() == []


async def test_compacting_drops_the_entries_before_a_moment_and_no_others() -> None:
    mind = await mind_in_ram(clock=(clock := FakeClock()))
    await mind.put("early", key="a")
    clock.forward(DAY)
    border = clock.now()
    await mind.put("at the border", key="b")
    assert await mind.compact(border) == 0  # younger than the trash is deep
    clock.forward(TRASH)
    assert await mind.compact(border) == 2  # its configuration and its first memory
    assert [entry.change.at for entry in await mind.journal()] == [border]
    assert await mind.compact(border) == 0


async def test_a_compacted_mind_can_be_seen_under_another_metabolism() -> None:
    mind = await mind_in_ram("activity", clock := FakeClock())
    await mind.put("early", key="a")
    await mind.get("a")
    clock.forward(TRASH)
    assert await mind.compact(clock.now()) == 3
    await mind.put("late", key="b")
    would_be = await mind.replay("score")
    # 50 · 0.95^31 = 10.2
    assert [(memory.key, memory.meta.score) for memory in await everything(would_be)] == [("a", 10), ("b", 50)]


async def test_compacting_in_the_middle_of_a_tick_keeps_the_journal_true() -> None:
    mind = await mind_in_ram("score", clock := FakeClock(), trash_days=0)
    for key in ("a", "b", "c"):
        await mind.put("a text", key=key)
    clock.forward(20 * DAY)
    store, compacted = store_of(mind), []
    apply = store.apply

    async def apply_and_compact(changes: Batch, *, lazy: bool = False) -> Receipt:
        receipt = await apply(changes, lazy=lazy)
        clock.forward(1.0)
        compacted.append(await mind.compact(clock.now()))
        return receipt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "apply", apply_and_compact)
        report = await mind.tick(batch_size=2)
    assert (report.changed, compacted) == (3, [5, 1])
    await mind.put("and so on", key="d")
    assert await mind.check() == []
