"""What may be deleted or merged: why, and what becomes of it when somebody says yes or no.   SPEC A3, A4, C8"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import Conflict, InvalidInput, NotFound, UnknownMemory
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from tests.bearings import Bearings, low_and_lonely, mind_of, mind_with
from tests.helpers import METABOLISMS, Deed, FakeClock, mind_in_ram, perform, snapshot, store_of

ONE, TWO = TWINS = ("ferry @1", "ferry @0.9")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["ram", "disk"])
async def mind(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Mind]:
    """With a pair that is low and lonely, found by a tick."""
    async with mind_of(tmp_path if request.param == "disk" else None, Bearings(), clock) as mind:
        await low_and_lonely(mind, clock, *TWINS)
        await mind.tick()
        yield mind


async def advice(mind: Mind) -> list[tuple[str, ...]]:
    return [(one.kind, *one.keys) for one in await mind.suggestions()]


# ---- what is suggested


async def test_a_delete_candidate_is_low_unlinked_and_idle_and_says_so() -> None:
    # Never used: 1.5·exp(−t) − 0.01·t reaches θ_delete −0.5 on day 50, to the last bit of a float.
    mind = await mind_with(None, clock := FakeClock())
    await mind.put("the tide table of 2019", key="tides")
    clock.forward(49.99 * DAY)
    assert await mind.suggestions() == []
    clock.forward(0.01 * DAY)
    [only] = await mind.suggestions()
    assert (only.kind, only.keys, only.texts, only.overlap) == ("delete", ("tides",), ("the tide table of 2019",), None)
    assert only.why == "score -0.500 ≤ θ_delete -0.5, nothing links to it, idle for 50.0 ≥ 30 days"


async def test_what_is_linked_to_or_was_used_within_thirty_days_is_no_delete_candidate() -> None:
    # Used once on day 140: 1.2·ln 2 − 0.01·t is −0.568 on day 140 and lower ever after; idle 30 days on day 170.
    mind = await mind_with(None, clock := FakeClock())
    await low_and_lonely(mind, clock, "used", "linked to", "links", days=0.0)
    await mind.link("links", "linked to", "about")
    clock.forward(140 * DAY)
    await mind.get("used")
    clock.forward(29.9 * DAY)
    assert await advice(mind) == [("delete", "links")]
    clock.forward(0.1 * DAY)
    assert await advice(mind) == [("delete", "used"), ("delete", "links")]


async def test_the_oldest_go_first_and_the_most_alike_are_merged_first() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, "moon @1", "moon @0.9", days=1.0)
    await low_and_lonely(mind, clock, "ferry @1", "ferry @0.95", days=60.0)
    await mind.tick()
    assert await advice(mind) == [("merge", "ferry @1", "ferry @0.95"), ("merge", "moon @1", "moon @0.9")]
    assert await mind.suggestions(limit=1) == (await mind.suggestions())[:1]
    assert await mind.suggestions("merge", limit=9) == await mind.suggestions()
    await mind.dismiss("merge", "ferry @1", "ferry @0.95")
    await mind.dismiss("merge", "moon @1", "moon @0.9")
    assert await advice(mind) == [("delete", key) for key in ("moon @1", "moon @0.9", "ferry @1", "ferry @0.95")]
    assert await mind.suggestions(limit=3) == (await mind.suggestions("delete"))[:3]


async def test_what_may_be_merged_is_not_to_be_deleted_too_unless_the_merge_is_dismissed(
    mind: Mind, clock: FakeClock
) -> None:
    # 40 days on, both of the pair and one that is like no other meet every condition of a delete candidate.
    await mind.put("the tide table of 2019", key="tides")
    clock.forward(DAY * 101)
    assert await advice(mind) == [("merge", *TWINS), ("delete", "tides")]
    assert [one.keys for one in await mind.suggestions("delete")] == [("tides",)]
    before = await snapshot(mind)
    with pytest.raises(
        NotFound, match=r"to delete 'ferry @1' is not suggested: to merge 'ferry @1' and 'ferry @0\.9' is"
    ):
        await mind.accept("delete", ONE)
    assert await snapshot(mind) == before
    await mind.dismiss("merge", *TWINS)
    assert await advice(mind) == [("delete", ONE), ("delete", TWO), ("delete", "tides")]
    await mind.accept("delete", ONE)


async def test_a_pair_says_why_and_shows_the_overlap(mind: Mind) -> None:
    [pair] = await mind.suggestions()
    assert pair.overlap == pytest.approx(0.9, abs=1e-3)
    assert pair.texts == TWINS
    assert pair.why == (
        "overlap 0.900 ≥ 0.85, same kind and domain, at most 2 links each, both below θ_active 0.5, "
        "nothing happened for 14 days"
    )


@pytest.mark.parametrize("metabolism", [name for name in METABOLISMS if name != "activity"])
async def test_only_an_activity_mind_makes_suggestions(metabolism: str) -> None:
    mind = await mind_in_ram(metabolism, clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, days=400.0)
    await mind.tick()
    assert await mind.suggestions() == []
    with pytest.raises(NotFound, match=r"to delete .* is not suggested"):
        await mind.accept("delete", ONE)


async def test_a_thousand_candidates_are_all_told_and_each_can_be_named() -> None:
    mind = await mind_with(None, clock := FakeClock())
    await mind.put_many({"text": f"memory {i}", "key": f"k{i}"} for i in range(1000))
    clock.forward(60 * DAY)
    assert [one.keys[0] for one in await mind.suggestions()] == [f"k{i}" for i in range(1000)]
    await mind.dismiss("delete", "k500")
    assert [one.keys[0] for one in await mind.suggestions(limit=501)][-2:] == ["k499", "k501"]


# ---- yes


async def test_what_is_deleted_waits_in_the_trash_and_comes_back_as_it_was(mind: Mind, clock: FakeClock) -> None:
    clock.forward(40 * DAY)
    await mind.dismiss("merge", *TWINS)
    before = await snapshot(mind)
    await mind.accept("delete", TWO)
    assert [gone.key for gone in await mind.trash()] == [TWO]
    assert await advice(mind) == [("delete", ONE)]
    await mind.restore(TWO)
    after = await snapshot(mind)
    assert after.memories == before.memories
    assert await advice(mind) == [("delete", ONE), ("delete", TWO)]
    await mind.tick()
    assert await advice(mind) == [("delete", ONE), ("delete", TWO)]  # still true, and the merge still dismissed
    assert await mind.check() == []


async def test_of_two_the_more_vital_stays(mind: Mind, clock: FakeClock) -> None:
    # One walk more: 0.8·ln 2 = 0.555 for good.
    await mind.link("ferry @0.9", "ferry @1", "like")
    await mind.follow("ferry @0.9")
    await mind.unlink("ferry @0.9", "ferry @1", "like")
    clock.forward(60 * DAY)
    await mind.tick()
    assert [one.keys for one in await mind.suggestions("merge")] == [(ONE, TWO)]
    await mind.link("ferry @1", "ferry @0.9", "like")
    for _ in range(3):
        await mind.follow("ferry @1")
    await mind.unlink("ferry @1", "ferry @0.9", "like")
    clock.forward(120 * DAY)
    await mind.tick()
    assert [one.keys for one in await mind.suggestions("merge")] == [(TWO, ONE)]
    await mind.accept("merge", ONE, TWO)  # in whatever order they are named
    assert [gone.key for gone in await mind.trash()] == [ONE]
    assert (await mind.get(TWO)).text == f"{TWO}\n{ONE}"


async def test_a_merge_is_undone_by_restoring_and_suggested_again_once_a_tick_has_looked(mind: Mind) -> None:
    before = await snapshot(mind)
    await mind.accept("merge", *TWINS, text="the ferry")
    assert (await advice(mind), [gone.key for gone in await mind.trash()]) == ([], [TWO])
    await mind.restore(TWO)
    after = await snapshot(mind)
    assert after.memories == before.memories
    assert await advice(mind) == []
    await mind.tick()
    assert await advice(mind) == [("merge", *TWINS)]
    assert await snapshot(mind) == before
    assert await mind.check() == []


@pytest.mark.parametrize(
    "meanwhile",
    [Deed("get", (ONE,)), Deed("put", ("moon",), {"key": TWO, "replace": True}), Deed("link", (ONE, TWO, "like"))],
    ids=lambda deed: deed.verb,
)
async def test_what_is_no_longer_suggested_is_not_done(mind: Mind, clock: FakeClock, meanwhile: Deed) -> None:
    assert await perform(meanwhile, mind, clock) is None
    before = await snapshot(mind)
    for say in (mind.accept, mind.dismiss):
        with pytest.raises(NotFound, match=r"to merge 'ferry @1' and 'ferry @0\.9' is not suggested"):
            await say("merge", *TWINS)
    assert await snapshot(mind) == before


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (("merge", ONE), InvalidInput),
        (("merge", ONE, ONE), InvalidInput),
        (("delete", ONE, TWO), InvalidInput),
        (("burn", ONE), InvalidInput),
        (("delete", "nobody"), UnknownMemory),
        (("merge", ONE, "nobody"), UnknownMemory),
        (("delete", ONE), NotFound),
    ],
)
async def test_what_makes_no_sense_is_refused(mind: Mind, said: tuple[Any, ...], error: type[Exception]) -> None:
    for say in (mind.accept, mind.dismiss):
        with pytest.raises(error):
            await say(*said)


async def test_an_unknown_kind_or_an_empty_list_is_refused(mind: Mind) -> None:
    with pytest.raises(InvalidInput, match="'burn' is no kind of suggestion"):
        await mind.suggestions("burn")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="a list of 0 suggestions shows nothing"):
        await mind.suggestions(limit=0)


async def test_in_a_mind_of_the_past_one_can_look_but_not_tidy(mind: Mind, clock: FakeClock) -> None:
    past = await mind.as_of(clock.now())
    await mind.forget(TWO)
    assert await advice(past) == [("merge", *TWINS)]
    with pytest.raises(Conflict, match="nothing can be written to it"):
        await past.accept("merge", *TWINS)


# ---- no


async def test_what_is_dismissed_stays_so_however_much_time_passes(mind: Mind, clock: FakeClock) -> None:
    await mind.dismiss("merge", TWO, ONE)
    assert await advice(mind) == []
    clock.forward(25 * DAY)
    await mind.tick()
    assert await advice(mind) == []
    with pytest.raises(NotFound):
        await mind.accept("merge", *TWINS)
    assert await mind.check() == []


async def test_and_over_closing_replaying_and_compacting(clock: FakeClock, tmp_path: Path) -> None:
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        await low_and_lonely(mind, clock, *TWINS)
        await mind.tick()
        await mind.dismiss("merge", *TWINS)
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        assert await mind.suggestions() == []
        assert await (await mind.as_of(clock.now())).suggestions() == []
        clock.forward(31 * DAY)
        assert await mind.compact(clock.now()) > 0
        assert await mind.check() == []
        assert await mind.suggestions("merge") == []
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        assert await mind.suggestions("merge") == []


@pytest.mark.parametrize(
    "news",
    [
        [Deed("put", ("ferry @0.95",), {"key": TWO, "replace": True})],
        [Deed("get", (ONE,))],
        [Deed("touch", (TWO,))],
        [Deed("link", (ONE, TWO, "like"))],
        [Deed("link", (ONE, TWO, "like")), Deed("follow", (ONE,))],
        [Deed("link", (ONE, TWO, "like")), Deed("unlink", (ONE, TWO, "like"))],
    ],
    ids=["a new text", "a use", "a touch", "a link", "a walk", "a link for a day"],
)
async def test_new_facts_make_it_worth_saying_again(mind: Mind, clock: FakeClock, news: list[Deed]) -> None:
    await mind.dismiss("merge", *TWINS)
    for deed in news:
        assert await perform(deed, mind, clock) is None
    clock.forward(150 * DAY)
    await mind.tick()
    assert [set(one.keys) for one in await mind.suggestions("merge")] == [set(TWINS)]


async def test_not_to_merge_does_not_mean_to_keep_nor_the_other_way_round(mind: Mind, clock: FakeClock) -> None:
    clock.forward(40 * DAY)
    await mind.dismiss("merge", *TWINS)
    assert await advice(mind) == [("delete", ONE), ("delete", TWO)]
    await mind.dismiss("delete", ONE)
    assert await advice(mind) == [("delete", TWO)]


async def test_not_to_merge_two_says_nothing_of_a_third(mind: Mind, clock: FakeClock) -> None:
    await low_and_lonely(mind, clock, "ferry @0.95")
    await mind.tick()
    await mind.dismiss("merge", *TWINS)
    assert {one.keys for one in await mind.suggestions("merge")} == {("ferry @0.95", ONE), ("ferry @0.95", TWO)}


async def test_what_is_gone_for_good_leaves_no_refusal_behind(mind: Mind, clock: FakeClock) -> None:
    await mind.dismiss("merge", *TWINS)
    await mind.forget(TWO)
    clock.forward(29 * DAY)
    await mind.tick()
    assert len(await store_of(mind).dismissed()) == 1  # it may still come back
    clock.forward(2 * DAY)
    await mind.tick()
    assert await store_of(mind).dismissed() == {}
    assert await mind.check() == []
