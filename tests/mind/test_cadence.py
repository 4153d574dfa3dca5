"""How often a tick runs changes nothing: it only writes down what is already true."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.changes import Batch, Receipt
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, Mark
from ebbtide.core.ports import Store
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import tick
from tests.helpers import (
    LEAVINGS,
    METABOLISMS,
    MINUTE,
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
    written_down,
)


def without_ticks(deeds: list[Deed]) -> list[Deed]:
    return [deed for deed in deeds if deed.verb != "tick"]


untold = histories(of=(*WRITES, *READS, *LEAVINGS)).map(without_ticks)
# Deletions are suggested by what is true at the moment, merges only once a tick has found that two say nearly the same.
suggested_too = histories(RETENTION_PUT, *SUGGESTED[:2]).map(without_ticks)


async def lived(metabolism: str, deeds: Sequence[Deed]) -> tuple[Mind, FakeClock]:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await live(deeds, mind, clock)
    return mind, clock


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=untold, times=st.integers(2, 5))
async def test_many_ticks_at_one_moment_equal_one(metabolism: str, deeds: list[Deed], times: int) -> None:
    mind, _ = await lived(metabolism, deeds)
    await mind.tick()
    once = await snapshot(mind)
    for _ in range(times - 1):
        assert (await mind.tick()).changed == 0
    assert await snapshot(mind) == once


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=untold, ticks=st.lists(st.booleans(), min_size=40, max_size=40))
async def test_ticks_in_between_change_nothing_at_the_end(
    metabolism: str, deeds: list[Deed], ticks: list[bool]
) -> None:
    seldom, _ = await lived(metabolism, deeds)
    often, clock = await lived(metabolism, [])
    for deed, also_tick in zip(deeds, ticks, strict=False):
        await perform(deed, often, clock)
        if also_tick:
            await often.tick()
    await live(deeds[len(ticks) :], often, clock)
    await seldom.tick()
    await often.tick()
    assert await written_down(often) == await written_down(seldom)
    assert await everything(often) == await everything(seldom)


CLOCKED = ("activity", "score", "retention")
BETWEEN = st.sampled_from(("nothing", "nothing", "a tick", "a tick in small batches", "a restart"))


async def end_of_life(folder: Path, metabolism: str, deeds: Sequence[Deed], between: Sequence[str]) -> tuple[Any, Any]:
    """What is written down at the end and what a reader sees, after a month in which nobody called."""
    clock = FakeClock()
    async with AsyncExitStack() as stack:
        mind = await stack.enter_async_context(mind_on_disk(folder, metabolism, clock))
        for deed, then in zip_longest(deeds, between[: len(deeds)], fillvalue="nothing"):
            assert isinstance(deed, Deed)
            await perform(deed, mind, clock)
            if then == "a restart":
                await stack.aclose()
                mind = await stack.enter_async_context(mind_on_disk(folder, clock=clock))
            elif then != "nothing":
                await mind.tick(batch_size=100 if then == "a tick" else 1)
        for _ in between[:5]:
            clock.forward(6 * DAY)
            await mind.tick()
        clock.moment += 0.0 if between else 30 * DAY
        await stack.aclose()
        mind = await stack.enter_async_context(mind_on_disk(folder, clock=clock))
        await mind.tick()
        assert await mind.check() == []
        return await written_down(mind), await everything(mind)


@pytest.mark.parametrize("metabolism", CLOCKED)
@settings(lives, max_examples=10)
@given(deeds=suggested_too, between=st.lists(BETWEEN, min_size=30, max_size=30))
async def test_any_mixture_of_ticks_and_restarts_ends_as_one_tick_at_the_end(
    metabolism: str, deeds: list[Deed], between: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        often = await end_of_life(Path(folder) / "often", metabolism, deeds, between)
        once = await end_of_life(Path(folder) / "once", metabolism, deeds, [])
    assert often == once


async def test_pairs_are_marked_alike_however_often_a_tick_has_looked(tmp_path: Path) -> None:
    """Both of a pair are low for long and say the same; one that was used lately is in none."""
    deeds = [Deed("put", ("the ferry leaves",), {"key": key}) for key in ("a", "b", "c")]
    deeds += [Deed("wait", (90 * DAY,)), Deed("get", ("c",)), Deed("wait", (5 * DAY,))]
    often = await end_of_life(tmp_path / "often", "activity", deeds, ["a tick"] * 6)
    once = await end_of_life(tmp_path / "once", "activity", deeds, [])
    assert often == once
    # A month later all three are: 1.2 · ln 2 − 0.01 · 111 = −0.28 < −0.2, where c stood 14 days before the end.
    assert {key: mark & Mark.MERGE for key, (_, mark, _) in once[0].items()} == dict.fromkeys("abc", Mark.MERGE)


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_every_quarter_of_an_hour_or_once_a_month_ends_the_same(metabolism: str) -> None:
    deeds = [Deed("put", ("tide",), {"key": "a"}), Deed("put", ("ebb",), {"key": "b"}), Deed("link", ("a", "b", "r"))]
    seldom, month = await lived(metabolism, deeds)
    often, quarter = await lived(metabolism, deeds)
    for _ in range(30 * 24 * 4):
        quarter.forward(15 * MINUTE)
        await often.tick()
    month.forward(30 * DAY)
    await seldom.tick()
    assert month.now() == quarter.now()
    assert await written_down(often) == await written_down(seldom)


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=untold)
async def test_a_dry_run_lists_exactly_what_a_run_then_changes(metabolism: str, deeds: list[Deed]) -> None:
    mind, _ = await lived(metabolism, deeds)
    before = await written_down(mind)
    foretold = await mind.tick(dry_run=True)
    assert await written_down(mind) == before
    report = await mind.tick()
    after = await written_down(mind)
    changed = {key for key in after if after[key] != before[key]}
    assert {shift.key for shift in foretold.shifts} == changed
    assert (report.seen, report.changed, report.skipped) == (len(after), len(changed), len(after) - len(changed))
    assert foretold.discarded == report.discarded


async def test_only_scores_that_moved_by_a_point_are_written() -> None:
    # 50 · 0.95^(1/4 d) = 49.36 → 49, one point; after a minute it is still 49.998 → 50.
    mind, clock = await lived("score", [Deed("put", ("tide",), {"key": "a"})])
    clock.forward(MINUTE)
    assert (await mind.tick()).changed == 0
    clock.forward(DAY / 4 - MINUTE)
    assert (await mind.tick()).changed == 1
    assert (await written_down(mind))["a"][2] == 49


class Busy:
    """A store that lets somebody in after the first batch of a tick."""

    def __init__(self, store: Store, then: Callable[[], Awaitable[object]]) -> None:
        self._store = store
        self._then = then
        self._batches = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def apply(self, batch: Batch, *, lazy: bool = False) -> Receipt:
        receipt = await self._store.apply(batch, lazy=lazy)
        self._batches += 1
        if self._batches == 1:
            await self._then()
        return receipt


async def test_a_memory_used_during_a_tick_is_left_for_the_next_and_counted() -> None:
    mind, clock = await lived("score", [Deed("put", (f"memory {i}",), {"key": f"k{i}"}) for i in range(6)])
    clock.forward(40 * DAY)
    busy: Any = Busy(store_of(mind), lambda: mind.get("k5"))
    report = await tick(busy, clock.now(), batch_size=2)
    assert (report.seen, report.changed, report.conflicts) == (6, 5, 1)
    assert (await written_down(mind))["k5"][2] == 50  # as it was born: not overwritten
    assert (await mind.tick()).changed == 1


async def test_another_moment_needs_a_dry_run() -> None:
    mind, clock = await lived("activity", [Deed("put", ("tide",), {"key": "a"})])
    ahead = await mind.tick(dry_run=True, at=clock.now() + 365 * DAY)
    assert [(s.key, s.before, s.after) for s in ahead.shifts] == [("a", "active", "cold")]
    with pytest.raises(InvalidInput, match="a tick writes down what is true now"):
        await mind.tick(at=clock.now() + DAY)
