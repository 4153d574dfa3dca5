"""pin and unpin (SPEC C12): the engine leaves what is pinned alone, its owner need not."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ebbtide.core.changes import Forget, Pin, Rewrite
from ebbtide.core.errors import Conflict, Expired, SignalRefused, UnknownMemory
from ebbtide.core.memory import DAY, HOUR, Mark, State
from ebbtide.mind import Mind
from ebbtide.mind.pinning import Pinned
from tests.helpers import (
    METABOLISMS,
    RETENTION_PUT,
    SUGGESTED,
    Deed,
    FakeClock,
    able_to_search,
    everything,
    histories,
    live,
    lives,
    mind_in_ram,
    mind_on_disk,
    snapshot,
    store_of,
)
from tests.mind.test_cycle import planned
from tests.scripted_model import network_in_ram, said, settle, tell

YEAR = 365 * DAY
every_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)


async def a_year_old(metabolism: str, clock: FakeClock) -> Mind:
    """Two memories nobody has used, one of them pinned when it was made."""
    mind = await mind_in_ram(metabolism, clock)
    await mind.put("Ann is allergic to nuts.", key="allergy")
    await mind.put("The parcel came.", key="parcel")
    await mind.pin("allergy")
    clock.forward(YEAR)
    return mind


# ---- what a pin does


@every_metabolism
async def test_a_year_later_it_is_active_while_the_other_is_not(metabolism: str) -> None:
    mind = await a_year_old(metabolism, FakeClock())
    found = {memory.key: memory for memory in await everything(mind)}
    assert found["allergy"].state is State.ACTIVE
    states = (State.ACTIVE,) if metabolism == "tide" else (  # which compares memories: of two none fades
        State.COLD, State.VANISHING, State.DEPRECATED, State.EXPIRED,
    )  # fmt: skip
    assert found["parcel"].state in states
    assert found["allergy"].vitality == found["parcel"].vitality
    assert (found["allergy"].marks, found["allergy"].meta.pinned, found["parcel"].meta.pinned) == (
        Mark.NONE,
        True,
        False,
    )
    assert (await mind.stats()).pinned == 1
    assert [memory.key for memory in (await mind.list(pinned=True)).memories] == ["allergy"]
    assert "allergy" not in [memory.key for memory in (await mind.list(pinned=False, everything=True)).memories]


@every_metabolism
async def test_nothing_is_foretold_of_it(metabolism: str) -> None:
    mind = await mind_in_ram(metabolism)
    await mind.put("Ann is allergic to nuts.", key="allergy")
    await mind.pin("allergy")
    explained = await mind.explain("allergy")
    assert all(coming.at is None and coming.scans is None for coming in explained.forecast)
    assert explained.why.startswith("pinned; without the pin ")
    reach: dict[str, Any] = {"scans": 1000} if metabolism == "network" else {"days": 3650}
    assert (await mind.forecast(**reach)).counts == {}


async def test_one_that_had_expired_is_visible_again_at_once() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("retention", clock)
    await mind.put("Ann is allergic to nuts.", key="allergy")
    clock.forward(YEAR)
    with pytest.raises(Expired):
        await mind.get("allergy")
    await mind.pin("allergy")
    assert (await mind.get("allergy")).state is State.ACTIVE
    assert (await mind.explain("allergy")).memory.meta.expires_at is None


async def test_it_is_suggested_neither_for_deletion_nor_for_merging() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock, tools=able_to_search(), merge_overlap=0.9)
    for key in ("one", "two"):
        await mind.put("The ferry leaves at 8:40.", key=key)
    clock.forward(YEAR)
    await mind.tick()
    assert [advice.kind for advice in await mind.suggestions()] == ["merge"]  # which comes before a deletion
    await mind.pin("one")
    assert [(advice.kind, advice.keys) for advice in await mind.suggestions()] == [("delete", ("two",))]
    await mind.tick()
    assert [memory.marks for memory in await everything(mind)] == [Mark.NONE, Mark.DELETE]
    await mind.unpin("one")
    await mind.tick()
    assert [advice.kind for advice in await mind.suggestions()] == ["merge"]


async def test_the_reaper_passes_it_by_and_leaves_it_a_whole_buffer_once_it_is_unpinned() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("retention", clock)
    await mind.put("Ann is allergic to nuts.", key="allergy", importance=0.1)
    await mind.pin("allergy")
    clock.forward(YEAR)
    assert (await mind.reap()).deleted == 0
    await mind.unpin("allergy")
    assert (await mind.list(State.EXPIRED)).memories[0].key == "allergy"
    clock.forward(23.9 * HOUR)
    assert (await mind.reap()).deleted == 0
    clock.forward(0.2 * HOUR)
    assert (await mind.reap()).deleted == 1
    assert await mind.check() == []


async def test_raw_evidence_stays_if_it_is_pinned() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("retention", clock)
    for key in ("claim", "source"):
        await mind.put("long " * 50, key=key, importance=0.5)
    await mind.link("claim", "source", "SUPPORTED_BY")
    await mind.pin("source")
    clock.forward(10 * DAY)
    report = await mind.reap()
    assert (report.pruned, report.evidence) == (1, 0)
    await mind.unpin("source")
    clock.forward(2 * DAY)
    assert (await mind.reap()).evidence == 1


# ---- the network


async def test_the_cycle_scans_it_and_takes_nothing_from_it() -> None:
    mind = await network_in_ram()
    await mind.put("Ann is allergic to nuts.", key="allergy")
    await mind.put("The parcel came at noon.", key="parcel")
    await mind.pin("allergy")
    await mind.fade(1)
    assert [memory.key for memory in await everything(mind)] == ["allergy"]
    kept = (await everything(mind))[0]
    assert (kept.text, kept.meta.scan_count, kept.state) == ("Ann is allergic to nuts.", 1, State.ACTIVE)
    await mind.unpin("allergy")
    await mind.fade(1)
    assert await everything(mind) == ()
    assert await mind.check() == []


async def test_one_that_is_pinned_after_the_plan_was_made_stays() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)  # two letters on one link of 0.97: to be forgotten
    await mind.pin("entity/ox")
    await mind.compress()
    assert await store_of(mind).find("entity/ox") is not None
    changes = [entry.change async for entry in mind.entries()]
    ox = await store_of(mind).find("entity/ox")
    assert not [c for c in changes if isinstance(c, Forget | Rewrite) and c.id == ox]


async def test_a_full_pool_gives_up_others() -> None:
    mind = await network_in_ram(node_pool=3)
    for key in ("a", "b", "c"):
        await mind.put(f"this is {key}", key=key)
    await mind.pin("a", "b")
    for key in ("d", "e"):
        await mind.put(f"this is {key}", key=key)
    assert {memory.key for memory in await everything(mind)} == {"a", "b", "e"}


async def test_a_pool_full_of_pinned_ones_takes_nothing_new_and_says_why() -> None:
    mind = await network_in_ram(node_pool=2)
    for key in ("a", "b"):
        await mind.put(f"this is {key}", key=key)
    await mind.pin("a", "b")
    with pytest.raises(Conflict, match="2 memories are pinned and the node pool has room for 2: unpin some, or raise"):
        await mind.put("this is c", key="c")
    with pytest.raises(Conflict, match="2 memories are pinned and the node pool has room for 1"):
        await mind.configure(node_pool=1)
    assert {memory.key for memory in await everything(mind)} == {"a", "b"}
    await mind.unpin("a")
    await mind.put("this is c", key="c")
    assert {memory.key for memory in await everything(mind)} == {"b", "c"}


async def test_what_is_told_to_such_a_mind_is_set_aside_with_the_reason() -> None:
    mind = await network_in_ram(node_pool=1)
    await mind.put("this is a", key="a")
    await mind.pin("a")
    await mind.remember(said("Ada sails home"))
    await mind.idle()
    (task,) = await mind.queue()
    assert "the node pool has room for 1" in (task.error or "")
    await mind.unpin("a")
    await mind.retry(task.id)
    await settle(mind)
    assert [task.error for task in await mind.queue()] == []


# ---- the verbs


async def test_what_changed_and_what_was_so_already_is_told() -> None:
    mind = await mind_in_ram()
    for key in ("a", "b"):
        await mind.put(f"this is {key}", key=key)
    assert await mind.pin("a") == Pinned(("a",), ())
    assert await mind.pin("b", "a", "b") == Pinned(("b",), ("a",))
    assert await mind.unpin("a", "b") == Pinned(("a", "b"), ())
    assert await mind.unpin("a") == Pinned((), ("a",))
    assert await mind.pin() == Pinned((), ())
    pins = [entry.change for entry in await mind.journal() if isinstance(entry.change, Pin)]
    assert [(pin.ids, pin.pinned) for pin in pins] == [((1,), True), ((2,), True), ((1, 2), False)]


@pytest.mark.parametrize("verb", ["pin", "unpin"])
async def test_an_unknown_key_leaves_all_as_they_are(verb: str) -> None:
    mind = await mind_in_ram()
    await mind.put("this is a", key="a")
    before = await snapshot(mind)
    with pytest.raises(UnknownMemory, match="nobody"):
        await getattr(mind, verb)("a", "nobody")
    assert await snapshot(mind) == before


async def test_its_owner_may_still_replace_merge_and_forget_it() -> None:
    mind = await mind_in_ram()
    for key in ("a", "b", "c"):
        await mind.put(f"this is {key}", key=key)
    await mind.pin("a", "b")
    assert (await mind.put("a new text", key="a", replace=True)).meta.pinned
    assert (await mind.merge("c", "b")).meta.pinned  # what was pinned lives on in c
    assert (await mind.restore("b")).meta.pinned
    assert not (await mind.get("c")).meta.pinned
    await mind.forget("a")
    assert (await mind.restore("a")).meta.pinned


@pytest.mark.parametrize("field", ["pinned", "pin"])
async def test_put_cannot_pin_and_says_what_can(field: str) -> None:
    mind = await mind_in_ram()
    with pytest.raises(SignalRefused, match="`pin`"):
        await mind.put("this is a", **{field: True})


async def test_nothing_is_pinned_in_a_view() -> None:
    mind = await mind_in_ram()
    await mind.put("this is a", key="a")
    with pytest.raises(Conflict, match="nothing can be written"):
        await (await mind.at("+1d")).pin("a")


# ---- the journal


async def test_another_regime_knows_the_pins_too() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock)
    await mind.put("Ann is allergic to nuts.", key="allergy")
    await mind.put("The parcel came.", key="parcel")
    await mind.forget("parcel")
    await mind.put("Another parcel.", key="parcel")
    await mind.pin("allergy", "parcel")
    clock.forward(YEAR)
    for metabolism in METABOLISMS:
        other = await mind.replay(metabolism)
        assert [(memory.key, memory.meta.pinned) for memory in await everything(other)] == [
            ("allergy", True),
            ("parcel", True),
        ]


async def test_a_mind_as_of_then_has_the_pins_of_then() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock)
    await mind.put("this is a", key="a")
    clock.forward(DAY)
    await mind.pin("a")
    clock.forward(DAY)
    assert not (await (await mind.at("-36h")).get("a")).meta.pinned
    assert (await (await mind.at("-1h")).get("a")).meta.pinned


@every_metabolism
@lives
@given(histories(*SUGGESTED, RETENTION_PUT))
async def test_a_replay_gives_the_same_mind(metabolism: str, deeds: list[Deed]) -> None:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await live(deeds, mind, clock)
    assert await mind.check() == []


async def test_pins_are_on_disk(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path) as mind:
        await mind.put("this is a", key="a")
        await mind.pin("a")
    async with mind_on_disk(tmp_path) as mind:
        assert (await mind.get("a")).meta.pinned
        assert await mind.check() == []
