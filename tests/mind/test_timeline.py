"""States week by week: as the journal tells them, as they are, and as they will be; and what is told when it cannot."""

from pathlib import Path

import pytest

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, State
from ebbtide.mind import Mind, history, timeline
from ebbtide.mind.timeline import WEEK
from tests.helpers import METABOLISMS, FakeClock, able_to_search, mind_in_ram, mind_on_disk
from tests.scripted_model import network_in_ram, tell

every_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)


def at_midnight(hour: float = 9.0) -> FakeClock:
    clock = FakeClock()
    clock.moment = (clock.now() // DAY + 1) * DAY + hour * 3600.0
    return clock


async def lived(mind: Mind, clock: FakeClock) -> None:
    """Five weeks of puts, uses, links, a pin, a merge, and something forgotten and restored."""
    for week in range(5):
        for number in range(3):
            await mind.put(
                f"Week {week}, note {number}: the tide turns at {week + 4}:{number}0.", key=f"{week}-{number}"
            )
        clock.forward(2 * DAY)
        await mind.touch(f"{week}-0")
        if week:
            await mind.link(f"{week}-0", f"{week - 1}-1", "after that")
            await mind.forget(f"{week - 1}-2")
        if week == 2:
            await mind.restore("0-2")
            await mind.pin("0-1")
        await mind._indexing.catch_up()
        clock.forward(5 * DAY)


@every_metabolism
async def test_every_week_back_is_as_the_mind_was_then_and_every_week_ahead_as_it_will_be(metabolism: str) -> None:
    clock = at_midnight()
    mind = await mind_in_ram(metabolism, clock, tools=able_to_search())
    await lived(mind, clock)
    found = await mind.timeline(8, 6)
    assert found.at == clock.now()
    midnight = clock.now() // DAY * DAY
    ahead = 0 if metabolism == "network" else 6
    weeks = [midnight + week * WEEK for week in range(-4, 0)] + [clock.now()]
    assert [point.at for point in found.points] == weeks + [midnight + week * WEEK for week in range(1, ahead + 1)]
    for point in found.points:
        stats = await (await mind.at(point.at)).stats() if point.at != clock.now() else await mind.stats()
        assert (point.states, point.memories) == (stats.states, sum(stats.states.values()))
    assert (found.estimated, found.compacted, found.metabolism) == (False, False, metabolism)


async def test_the_states_of_an_activity_mind_by_hand() -> None:
    clock = at_midnight()
    mind = await mind_in_ram("activity", clock)
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(2 * WEEK)
    await mind.put("Lamma is an island.", key="lamma")
    clock.forward(1 * WEEK)
    # Without uses and links age alone is left: −0.01 · days, which is below θ_active −0.2 after 20 days.
    points = (await mind.timeline(3, 3)).points
    assert [(point.memories, point.states) for point in points] == [
        (1, {State.ACTIVE: 1}),  # a week old
        (1, {State.ACTIVE: 1}),  # two
        (2, {State.ACTIVE: 1, State.COLD: 1}),  # now: three weeks, and one
        (2, {State.ACTIVE: 1, State.COLD: 1}),
        (2, {State.COLD: 2}),
        (2, {State.COLD: 2}),
    ]


async def test_a_network_mind_has_weeks_back_and_none_ahead() -> None:
    clock = at_midnight()
    mind = await network_in_ram(clock=clock)
    await tell(mind, "Lin takes the ferry.")
    clock.forward(2 * WEEK)
    found = await mind.timeline()
    midnight = clock.now() // DAY * DAY
    assert [point.at for point in found.points] == [midnight - WEEK, clock.now()]
    assert found.points[0].states == (await mind.stats()).states


async def test_what_was_counted_once_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = at_midnight()
    mind = await mind_in_ram("tide", clock, tools=able_to_search())
    await lived(mind, clock)
    before = await mind.timeline()
    monkeypatch.setattr(timeline, "entries", lambda store: pytest.fail("the journal was read again"))
    await mind.put("More.", key="more")
    after = await mind.timeline()
    assert [point for point in after.points if point.at < clock.now()] == [
        point for point in before.points if point.at < clock.now()
    ]
    assert next(point for point in after.points if point.at == clock.now()).memories == 13


async def test_of_a_long_journal_the_weeks_back_are_estimated_by_what_is_still_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = at_midnight()
    mind = await mind_in_ram("tide", clock, tools=able_to_search())
    await lived(mind, clock)
    monkeypatch.setattr(timeline, "EXACT_UP_TO", 10)
    found = await mind.timeline(8, 0)
    assert found.estimated
    # 15 were put and four forgotten, one of which came back: of the first week 3 are here, of the next ones 2 each.
    assert [point.memories for point in found.points] == [3, 5, 7, 9, 12]


async def test_the_estimate_of_a_mind_that_is_compared_with_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = at_midnight()
    mind = await mind_in_ram("tide", clock)
    await mind.put_many({"text": f"Memory {number}"} for number in range(6000))
    clock.forward(10 * DAY)
    await mind.put_many({"text": f"Note {number}"} for number in range(2000))
    clock.forward(DAY)
    monkeypatch.setattr(timeline, "EXACT_UP_TO", 10)
    before, now = (await mind.timeline(1, 0)).points
    # All 6,000 of the first week are alike, so none is below the others; of all 8,000 the 6,000 older are alike again.
    assert (before.memories, before.states) == (6000, {State.ACTIVE: 6000})
    assert (now.memories, now.states) == (8000, {State.ACTIVE: 8000})


async def test_weeks_before_the_compacted_part_are_missing_and_that_is_said(tmp_path: Path) -> None:
    clock = at_midnight()
    async with mind_on_disk(tmp_path, "activity", clock) as mind:
        await lived(mind, clock)
        whole = await mind.timeline(8, 0)
    async with mind_on_disk(tmp_path, "activity", clock) as mind:
        await mind.compact(clock.now() - 2 * WEEK)
        found = await mind.timeline(8, 0)
    assert found.compacted
    assert found.points == whole.points[-len(found.points) :]
    assert (len(whole.points), len(found.points)) == (5, 4)  # what the trash may need, 30 days, is never compacted


async def test_an_empty_mind_has_one_empty_point() -> None:
    mind = await mind_in_ram("tide", at_midnight())
    found = await mind.timeline(4, 0)
    assert [(point.memories, point.states) for point in found.points] == [(0, {})]


@pytest.mark.parametrize("weeks", [-1, 521, 1.5, True])
async def test_weeks_are_whole_and_not_too_many(weeks: int) -> None:
    mind = await mind_in_ram("tide")
    for both in ((weeks, 0), (0, weeks)):
        with pytest.raises(InvalidInput, match="0 to 520 whole weeks each way"):
            await mind.timeline(*both)


async def test_the_last_entry_by_a_moment_and_the_timeline_agree() -> None:
    """An entry made at midnight sharp belongs to the week that ends then."""
    clock = at_midnight(0.0)
    mind = await mind_in_ram("activity", clock)
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(WEEK)
    await mind.put("Lamma is an island.", key="lamma")
    clock.forward(WEEK)
    assert [point.memories for point in (await mind.timeline(2, 0)).points] == [1, 2, 2]
    store = mind._store
    assert await history.last_entry_by(store, clock.now() - WEEK) == store.seq
