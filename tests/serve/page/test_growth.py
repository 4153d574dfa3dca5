"""How a mind grew: counted from the journal, and no further back than it was read."""

import pytest

from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from ebbtide.serve.page.growth import STEPS, Growth, growth
from tests.builders import BIRTH
from tests.helpers import FakeClock, mind_in_ram


async def grown(mind: Mind, entries: int = 2000) -> Growth:
    return await growth(mind, await mind.stats(), entries)


async def one_a_day(clock: FakeClock, days: int) -> Mind:
    mind = await mind_in_ram("activity", clock)
    for day in range(days):
        await mind.put(f"Day {day}.", key=f"day-{day}")
        clock.forward(DAY)
    return mind


async def test_a_young_mind_is_told_from_before_its_birth() -> None:
    clock = FakeClock()
    mind = await one_a_day(clock, 10)
    await mind.forget("day-3")
    found = await grown(mind)
    assert (found.unit, len(found.steps)) == ("weeks", STEPS)
    # One a day, ten days ago to yesterday: a week holds those of 1 to 6 days ago, the one before those of 7 to 10.
    assert found.new[-3:] == (0, 4, 6)
    assert found.total[-3:] == (0, 4, 9)  # one was forgotten just now
    assert set(found.new[:-2]) == {0}


async def test_of_a_long_journal_only_what_was_read_is_shown() -> None:
    clock = FakeClock()
    mind = await one_a_day(clock, 100)
    found = await grown(mind, entries=60)
    assert found.unit == "weeks"
    # The first entry that was read is 60 days old: eight whole weeks. A week holds seven days but the last one:
    # the one of this very moment is still to come.
    assert found.new == (7, 7, 7, 7, 7, 7, 7, 6)
    assert found.total == (52, 59, 66, 73, 80, 87, 94, 100)


@pytest.mark.parametrize(("entries", "unit", "steps"), [(30, "weeks", 4), (10, "days", 10), (3, "hours", 26)])
async def test_few_entries_are_told_in_shorter_steps(entries: int, unit: str, steps: int) -> None:
    clock = FakeClock()
    mind = await one_a_day(clock, 40)
    found = await grown(mind, entries=entries)
    assert (found.unit, len(found.steps)) == (unit, steps)


async def test_what_begins_right_now_cannot_be_told() -> None:
    mind = await one_a_day(FakeClock(), 3)
    await mind.put_many([{"text": f"Many {i}."} for i in range(10)])
    found = await grown(mind, entries=5)
    assert (found.steps, found.new, found.total) == ((), (), ())


async def test_a_compacted_journal_is_told_from_where_it_begins() -> None:
    clock = FakeClock()
    mind = await one_a_day(clock, 100)
    assert await mind.compact(BIRTH + 70 * DAY + HOUR)
    found = await grown(mind)
    assert (found.unit, len(found.steps)) == ("weeks", 4)  # from the 72nd day on: 29 days
    assert found.total[-1] == 100
