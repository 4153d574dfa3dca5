"""A mind with a budget, through its verbs: it stays bounded, halves before it lets go, and can take both back."""

from pathlib import Path

import pytest

from ebbtide.core.budget import BUDGET
from ebbtide.core.changes import Discard, Forget, Rewrite
from ebbtide.core.errors import BudgetFull, InvalidInput, NotFound
from ebbtide.core.memory import DAY
from ebbtide.core.whatif import HALVED
from ebbtide.mind import Mind
from ebbtide.mind.tools import Tools
from ebbtide.models.builtin import BuiltinModel
from tests.helpers import METABOLISMS, FakeClock, mind_in_ram, mind_on_disk, snapshot

TEXT = "On day {} the ferry to Lamma left Central pier at 8:40, and Lin was on board with her bicycle."


async def full(metabolism: str, clock: FakeClock, limit: int = 10, **params: int) -> Mind:
    model = BuiltinModel()
    mind = await mind_in_ram(
        metabolism, clock, tools=Tools(model=lambda: model), budget_memories=limit, trash_days=1000, **params
    )
    for day in range(limit):
        clock.forward(DAY)
        await mind.put(TEXT.format(day), key=f"d{day}")
    return mind


async def keys(mind: Mind) -> set[str]:
    return {memory.key for memory in (await mind.list(everything=True, limit=1000)).memories}


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_undoing_a_run_brings_back_texts_links_and_signals(metabolism: str, tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, metabolism, clock, budget_memories=10, trash_days=1000) as mind:
        for day in range(10):
            clock.forward(DAY)
            await mind.put(TEXT.format(day), key=f"d{day}")
        await mind.link("d0", "d1", "before")
        await mind.link("d2", "d0", "after")
        await mind.touch("d0", revive=True)
        before = await snapshot(mind)
        await mind.configure(budget_memories=6)
        gone = await mind.trash()
        assert ({one.cause for one in gone}, len({one.run for one in gone}), len(gone)) == ({BUDGET}, 1, 4)
        await mind.configure(budget_memories=10)
        undone = await mind.unsqueeze(gone[0].run)
        assert sorted(undone.restored) == sorted(one.key for one in gone)
        assert (undone.lost, undone.displaced) == ((), 0)
        after = await snapshot(mind)
        assert (after.memories, after.links, after.trash) == (before.memories, before.links, before.trash)
        assert list(await mind.check()) == []


async def test_undoing_in_a_full_mind_lets_the_next_go_in_their_place() -> None:
    clock = FakeClock()
    mind = await full("score", clock)
    await mind.put("one more", key="new")
    (gone,) = await mind.trash()
    assert gone.key == "d0"
    undone = await mind.unsqueeze(gone.run)
    assert (undone.restored, undone.displaced) == (("d0",), 1)
    assert "d0" in await keys(mind)
    assert [one.key for one in await mind.trash()] == ["d1"]
    with pytest.raises(NotFound, match="nothing left of a run 'budget-1'"):
        await mind.unsqueeze("budget-1")


async def test_what_got_a_namesake_meanwhile_is_named_and_the_others_come_back() -> None:
    clock = FakeClock()
    mind = await full("score", clock)
    await mind.configure(budget_memories=8)
    run = (await mind.trash())[0].run
    await mind.configure(budget_memories=20)
    await mind.put("another first day", key="d0")
    undone = await mind.unsqueeze(run)
    assert (undone.restored, undone.lost) == (("d1",), ("d0",))


# ---- halving


async def test_a_mind_that_is_far_from_full_is_left_alone() -> None:
    mind = await full("tide", FakeClock())
    await mind.configure(budget_memories=11)  # 10 of 11 are less than 95 %
    assert (await mind.squeeze(dry_run=True)).leavers == ()
    report = await mind.squeeze()
    assert (report.run, report.halved) == ("", 0)


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_the_next_to_leave_is_halved_once_and_can_be_whole_again(metabolism: str) -> None:
    clock = FakeClock()
    mind = await full(metabolism, clock)
    foreseen = (await mind.squeeze(dry_run=True)).leavers
    assert [(one.key, one.action) for one in foreseen] == [("d0", "halve")]
    report = await mind.squeeze()
    assert (report.halved, report.conflicts, report.budget.memories) == (1, 0, 10)
    text = (await mind.look(1)).text
    assert len(text) <= len(TEXT.format(0)) // 2
    assert (await mind.squeeze()).halved == 0  # once is enough
    assert [one.action for one in (await mind.squeeze(dry_run=True)).leavers] == ["leave"]
    undone = await mind.unsqueeze(report.run)
    assert undone.unpruned == ("d0",)
    assert (await mind.look(1)).text == TEXT.format(0)
    assert list(await mind.check()) == []


async def test_what_was_halved_leaves_at_the_next_squeeze_and_its_whole_text_can_be_had_again() -> None:
    clock = FakeClock()
    mind = await full("activity", clock)
    await mind.squeeze()
    await mind.put("one more", key="new")
    changes = [entry.change async for entry in mind.entries()]
    (halved,) = [change for change in changes if isinstance(change, Rewrite)]
    (left,) = [change for change in changes if isinstance(change, Forget)]
    assert (halved.cause, halved.id, left.cause, left.id) == (HALVED, 1, BUDGET, 1)
    await mind.configure(budget_memories=20)
    await mind.restore("d0")
    assert (await mind.revert("d0")).text == TEXT.format(0)


async def test_what_is_short_or_pinned_is_not_halved() -> None:
    clock = FakeClock()
    mind = await full("activity", clock)
    await mind.pin("d0")
    await mind.put("short", key="d1", replace=True)
    assert [(one.key, one.action) for one in (await mind.squeeze(dry_run=True)).leavers] == [("d1", "leave")]
    assert (await mind.squeeze()).halved == 0


async def test_too_many_characters_are_halved_away_before_anything_leaves() -> None:
    clock = FakeClock()
    mind = await full("activity", clock, limit=20)
    total = (await mind.stats()).budget.characters
    await mind.configure(budget_characters=total)
    report = await mind.squeeze()
    assert report.halved > 0
    assert (await mind.stats()).budget.characters <= 0.96 * total
    assert list(await mind.trash()) == []


async def test_a_mind_without_a_small_model_says_so(tmp_path: Path) -> None:
    mind = await mind_in_ram("activity", budget_memories=1)
    await mind.put(TEXT.format(1), key="only")
    with pytest.raises(InvalidInput, match="without a small model"):
        await mind.squeeze()


# ---- bounded


async def test_stats_tell_what_is_taken_of_the_budget() -> None:
    mind = await full("tide", FakeClock(), limit=12)
    budget = (await mind.stats()).budget
    assert (budget.memories, budget.budget_memories, budget.budget_characters) == (12, 12, 0)


async def test_a_put_into_a_mind_of_pins_is_refused_and_nothing_is_lost() -> None:
    mind = await full("score", FakeClock(), limit=3)
    await mind.pin("d0", "d1", "d2")
    with pytest.raises(BudgetFull, match="unpin some, or raise budget_memories"):
        await mind.put("one more", key="new")
    assert await keys(mind) == {"d0", "d1", "d2"}


async def test_a_long_journal_has_its_older_half_folded_and_the_mind_stays_as_it_is(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "score", clock, budget_memories=10, journal_entries=100) as mind:
        for day in range(60):
            clock.forward(60.0)
            await mind.put(f"turn {day}", key=f"t{day}")
        entries = (await mind.stats()).store.journal_entries
        assert entries > 100  # 60 puts, 50 leavings, and what the trash let go
        before = await snapshot(mind)
        assert await mind.compact() == entries - 50
        assert (await mind.stats()).store.journal_entries == 50
        assert await snapshot(mind) == before
        assert await mind.compact() == 0
        assert list(await mind.check()) == []
        told = [entry.change async for entry in mind.entries()]
        assert any(isinstance(change, Discard) for change in told)  # of what the trash held too much


async def test_a_mind_may_keep_its_whole_journal(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, "score", FakeClock(), journal_entries=0) as mind:
        for day in range(50):
            await mind.put(f"turn {day}")
        assert await mind.compact() == 0


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_another_regime_decides_by_itself_what_leaves(metabolism: str) -> None:
    clock = FakeClock()
    mind = await full("score", clock, limit=5)
    await mind.put("one more", key="new")
    other = await mind.replay(metabolism, {"budget_memories": 0})
    assert (await other.stats()).store.memories == 6
    other = await mind.replay(metabolism, {"budget_memories": 3})
    assert (await other.stats()).store.memories == 3


@pytest.mark.parametrize("limit", ["budget_memories", "budget_characters", "journal_entries"])
@pytest.mark.parametrize("value", [-1, 0.5, "many"])
async def test_a_bad_limit_changes_nothing_instead_of_falling_back(limit: str, value: object) -> None:
    mind = await mind_in_ram("tide", budget_memories=0, journal_entries=0)
    await mind.put("kept", key="kept")
    before = mind.params
    with pytest.raises(InvalidInput, match=f"{limit} = .*: nothing was changed; 0 is no limit"):
        await mind.configure(**{limit: value})
    assert mind.params == before
