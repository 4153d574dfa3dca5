"""The verbs of a mind: what counts as use and what does not, what is seen and what is not, what is refused."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import (
    EbbtideError,
    Expired,
    InvalidInput,
    KeyTaken,
    SignalRefused,
    StoreClosed,
    UnknownLink,
    UnknownMemory,
)
from ebbtide.core.memory import DAY, HOUR, Memory, State, Step
from ebbtide.mind import Mind
from tests.helpers import METABOLISMS, Deed, FakeClock, everything, mind_in_ram, mind_on_disk, perform, snapshot

each_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["ram", "disk"])
async def mind(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> AsyncIterator[Mind]:
    """k1 … k3 of a score mind; k1 leads to k2 and, more strongly, to k3."""
    if request.param == "ram":
        yield await furnished(await mind_in_ram("score", clock))
        return
    async with mind_on_disk(tmp_path, "score", clock) as opened:
        yield await furnished(opened)


async def furnished(mind: Mind) -> Mind:
    for key in ("k1", "k2", "k3"):
        await mind.put(f"the text of {key}", key=key)
    await mind.link("k1", "k2", "next", 0.4)
    await mind.link("k1", "k3", "about", 0.8)
    return mind


async def one(mind: Mind, key: str) -> Memory:
    """Seen without being used."""
    return (await mind.explain(key)).memory


# ---- what counts as use


async def test_reading_directly_is_a_use(mind: Mind, clock: FakeClock) -> None:
    clock.forward(HOUR)
    assert (await mind.get("k1")).meta.access_count == 1
    seen = await mind.get("k1")
    assert (seen.meta.access_count, seen.meta.last_accessed_at, seen.meta.traverse_count) == (2, clock.now(), 0)
    assert (await one(mind, "k2")).meta.access_count == 0


async def test_walking_a_link_is_a_walk_to_what_is_reached(mind: Mind, clock: FakeClock) -> None:
    clock.forward(HOUR)
    await mind.follow("k1", ["about"])
    reached, source, passed_by = await one(mind, "k3"), await one(mind, "k1"), await one(mind, "k2")
    assert (reached.meta.traverse_count, reached.meta.last_linked_at) == (1, clock.now())
    assert (source.meta.traverse_count, passed_by.meta.traverse_count) == (0, 0)
    assert [memory.meta.access_count for memory in (reached, source, passed_by)] == [0, 0, 0]


LOOKS = {
    "list": Deed("list"),
    "list everything": Deed("list", (), {"everything": True}),
    "explain": Deed("explain", ("k1",)),
    "stats": Deed("stats"),
    "trash": Deed("trash"),
    "journal": Deed("journal", (), {"key": "k1"}),
    "dry run": Deed("tick", (), {"dry_run": True}),
    "check": Deed("check"),
    "replay": Deed("replay", ("activity",)),
    "as_of": Deed("as_of", (FakeClock().now(),)),
    "check_drafts": Deed("check_drafts", ([{"text": "x"}],)),
}


@pytest.mark.parametrize("look", LOOKS)
async def test_looking_is_no_use(mind: Mind, clock: FakeClock, look: str) -> None:
    clock.forward(DAY)
    before, entries = await snapshot(mind), (await mind.stats()).store.journal_entries
    assert await perform(LOOKS[look], mind, clock) is None
    assert await snapshot(mind) == before
    assert (await mind.stats()).store.journal_entries == entries


async def test_uses_at_the_same_time_all_count(mind: Mind) -> None:
    await asyncio.gather(*(mind.get("k1") for _ in range(50)), *(mind.follow("k1") for _ in range(20)))
    assert ((await one(mind, "k1")).meta.access_count, (await one(mind, "k2")).meta.traverse_count) == (50, 20)


# ---- following


async def test_links_are_followed_strongest_first(mind: Mind) -> None:
    steps = await mind.follow("k1")
    assert [(step.key, step.relation, step.strength) for step in steps] == [("k3", "about", 0.8), ("k2", "next", 0.4)]
    assert [step.memory.text for step in steps if step.memory] == ["the text of k3", "the text of k2"]
    assert await mind.follow("k2") == []
    assert await mind.follow("k1", ["nothing"]) == []


async def test_what_was_forgotten_is_a_trace_named_as_long_as_it_is_known(mind: Mind, clock: FakeClock) -> None:
    await mind.forget("k3")
    assert (await mind.follow("k1"))[0] == Step("about", 0.8, "k3", None)
    clock.forward(31 * DAY)
    await mind.tick()
    assert (await mind.follow("k1"))[0] == Step("about", 0.8, None, None)


async def test_a_link_can_be_made_again_and_taken_away(mind: Mind) -> None:
    await mind.link("k1", "k2", "next", 1.0)
    assert [(step.key, step.strength) for step in await mind.follow("k1")] == [("k2", 1.0), ("k3", 0.8)]
    await mind.unlink("k1", "k2", "next")
    with pytest.raises(UnknownLink, match="no link 'next' from 'k1' to 'k2'"):
        await mind.unlink("k1", "k2", "next")


async def test_a_trace_can_be_taken_away(mind: Mind) -> None:
    await mind.forget("k3")
    await mind.unlink("k1", "k3", "about")
    assert [step.key for step in await mind.follow("k1")] == ["k2"]


# ---- expired is invisible, at once


@pytest.fixture
async def aged(clock: FakeClock) -> Mind:
    """A retention mind whose `old` has just expired (0.25 d · ln 10 = 0.58 d) and was never ticked."""
    mind = await mind_in_ram("retention", clock)
    await mind.put("gone tomorrow", key="old", policy="ephemeral")
    await mind.put("here to stay", key="kept", policy="persistent")
    await mind.link("kept", "old", "knew")
    await mind.link("old", "kept", "knew")
    clock.forward(0.6 * DAY)
    return mind


async def test_what_has_expired_cannot_be_read(aged: Mind) -> None:
    with pytest.raises(Expired, match="'old' has expired"):
        await aged.get("old")
    with pytest.raises(Expired):
        await aged.follow("old")
    assert (await one(aged, "old")).meta.access_count == 0


async def test_what_has_expired_is_listed_only_when_asked_for(aged: Mind) -> None:
    page = await aged.list()
    assert ([memory.key for memory in page.memories], page.left_out) == (["kept"], {State.EXPIRED: 1})
    assert [memory.key for memory in (await aged.list(State.EXPIRED)).memories] == ["old"]
    assert [memory.key for memory in (await aged.list(everything=True)).memories] == ["old", "kept"]


async def test_what_has_expired_is_not_reached_by_a_link(aged: Mind) -> None:
    (step,) = await aged.follow("kept")
    assert (step.key, step.memory, step.expired) == (None, None, True)
    assert (await one(aged, "old")).meta.traverse_count == 0


async def test_a_moment_earlier_it_was_there(aged: Mind, clock: FakeClock) -> None:
    expires_at = (await one(aged, "old")).meta.expires_at
    assert expires_at is not None
    clock.moment = expires_at - 0.001
    assert [step.key for step in await aged.follow("kept")] == ["old"]
    clock.moment = expires_at
    assert [(step.key, step.expired) for step in await aged.follow("kept")] == [(None, True)]


# ---- nobody writes signals

SIGNALS = [
    "id", "created_at", "state", "marks", "vitality", "meta", "in_degree", "out_degree", "access_count",
    "traverse_count", "last_accessed_at", "last_linked_at", "last_touched_at", "scan_count", "original_length",
    "length", "score", "strength", "expires_at", "base", "scored_at", "weight", "version",
]  # fmt: skip


@pytest.mark.parametrize("field", SIGNALS)
@each_metabolism
async def test_a_signal_in_the_input_is_refused_by_name(metabolism: str, field: str) -> None:
    mind = await furnished(await mind_in_ram(metabolism))
    before = await snapshot(mind)
    given: dict[str, Any] = {field: 1}
    for call in (
        mind.put("x", **given),
        mind.put("x", key="k1", replace=True, **given),
        mind.put_many([{"text": "fine"}, {"text": "x", **given}]),
        mind.check_drafts([{"text": "x", **given}]),
    ):
        with pytest.raises(SignalRefused, match=f"'{field}' cannot be set"):
            await call
    assert await snapshot(mind) == before


@pytest.mark.parametrize("field", ["importance", "policy"])
@pytest.mark.parametrize("metabolism", ["activity", "network", "score"])
async def test_importance_is_no_input_where_it_has_no_meaning(metabolism: str, field: str) -> None:
    mind = await mind_in_ram(metabolism)
    with pytest.raises(SignalRefused, match=f"'{field}' cannot be set: .* this one is {metabolism}"):
        await mind.put_many([{"text": "x", field: 0.5 if field == "importance" else "normal"}])


# ---- putting


async def test_a_memory_without_a_key_is_given_a_free_one(mind: Mind) -> None:
    assert (await mind.put("fourth")).key == "m4"
    await mind.put("somebody was faster", key="m6")
    assert (await mind.put("sixth")).key == "m6-2"


async def test_a_taken_key_is_an_error_unless_the_text_is_to_be_replaced(mind: Mind, clock: FakeClock) -> None:
    await mind.get("k1")
    with pytest.raises(KeyTaken, match="'k1' is taken"):
        await mind.put("other", key="k1")
    clock.forward(HOUR)
    replaced = await mind.put("other", key="k1", replace=True, domain="d")
    assert (replaced.text, replaced.domain, replaced.meta.original_length) == ("other", "d", 5)
    assert (replaced.meta.access_count, replaced.created_at, replaced.id) == (1, clock.now() - HOUR, 1)


async def test_many_are_put_chunk_by_chunk_each_whole(mind: Mind) -> None:
    told: list[int] = []
    drafts = [{"text": "x", "key": f"n{i}"} for i in range(2500)]
    assert await mind.put_many(drafts, lambda done, _: told.append(done)) == 2500
    assert told == [1000, 2000, 2500]
    with pytest.raises(KeyTaken):
        await mind.put_many([{"text": "x", "key": f"o{i}"} for i in range(1001)] + [{"text": "x", "key": "n1"}])
    keys = {memory.key for memory in (await mind.list(limit=10_000)).memories}
    assert ("o999" in keys, "o1000" in keys, len(keys)) == (True, False, 3503)


@pytest.mark.parametrize(
    "deed",
    [
        Deed("put", ("",)),
        Deed("put", ("x",), {"key": " k"}),
        Deed("put", ("x",), {"kye": "k"}),
        Deed("put", ("x\0",)),
        Deed("put", ("\ud800",)),
        Deed("put", ("x",), {"keywords": "not a list"}),
        Deed("link", ("k1", "k1", "r")),
        Deed("link", ("k1", "nobody", "r")),
        Deed("link", ("k1", "k2", "")),
        Deed("link", ("k1", "k2", "r", 1.5)),
        Deed("link", ("k1", "k2", "r", float("nan"))),
        Deed("unlink", ("k1", "nobody", "r")),
        Deed("get", ("nobody",)),
        Deed("get", ("\ud800",)),
        Deed("follow", ("nobody",)),
        Deed("explain", ("nobody",)),
        Deed("journal", (), {"key": "nobody"}),
        Deed("merge", ("k1", "k1")),
        Deed("merge", ("k1", "k2"), {"text": " "}),
        Deed("restore", ("\ud800",)),
        Deed("configure", (), {"usage_gian": 3}),
        Deed("list", (State.EXPIRED,)),
        Deed("list", (), {"limit": 0}),
        Deed("list", (), {"limit": -1}),
    ],
    ids=str,
)
async def test_what_makes_no_sense_is_refused_and_changes_nothing(mind: Mind, clock: FakeClock, deed: Deed) -> None:
    before = await snapshot(mind)
    assert isinstance(await perform(deed, mind, clock), EbbtideError)
    assert await snapshot(mind) == before


# ---- listing


async def test_a_list_goes_by_the_state_of_this_moment_without_any_tick(mind: Mind, clock: FakeClock) -> None:
    await mind.put("alone", key="k4")
    clock.forward(10 * DAY + 1.0)  # 50 · 0.95^10 = 29.94 → 30 is cold; a second later it is not yet 29
    assert {memory.key for memory in (await mind.list(State.COLD)).memories} == {"k1", "k2", "k3", "k4"}
    clock.forward(DAY)  # 28.4 → 28; links slow the others down
    page = await mind.list()
    assert ([memory.key for memory in page.memories], page.left_out) == (["k1", "k2", "k3"], {State.DEPRECATED: 1})
    assert [memory.key for memory in (await mind.list(State.DEPRECATED)).memories] == ["k4"]
    both = await mind.list([State.COLD, State.DEPRECATED])
    assert (len(both.memories), both.left_out) == (4, {})


async def test_a_list_can_be_narrowed_by_score_kind_and_domain(mind: Mind, clock: FakeClock) -> None:
    clock.forward(7 * HOUR)
    await mind.get("k2")  # 50 and a little more than 6 points
    await mind.put("a fact", key="f", kind="fact", domain="sea")
    assert [memory.key for memory in (await mind.list(score=(51, 100))).memories] == ["k2"]
    assert [memory.key for memory in (await mind.list(kind="fact")).memories] == ["f"]
    assert [memory.key for memory in (await mind.list(domain="sea", kind="note")).memories] == []
    assert (await mind.list(score=(51, 100))).left_out == {}  # nothing is hidden by its state


async def test_pages_lead_from_one_to_the_next(mind: Mind) -> None:
    first = await mind.list(limit=2)
    assert ([memory.key for memory in first.memories], first.next) == (["k1", "k2"], 2)
    last = await mind.list(limit=2, after=first.next or 0)
    assert ([memory.key for memory in last.memories], last.next) == (["k3"], None)
    assert (await mind.list(limit=3)).next is None


async def test_scores_are_asked_of_score_minds_only() -> None:
    with pytest.raises(InvalidInput, match="lives by activity has no scores"):
        await (await mind_in_ram("activity")).list(score=(0, 10))


# ---- parameters


async def test_a_bad_value_falls_back_and_is_reported_by_name(mind: Mind) -> None:
    (fallback,) = await mind.configure(usage_gain=-3.0, initial=60)
    assert (fallback.name, fallback.default) == ("usage_gain", 10.0)
    assert (mind.params["usage_gain"], mind.params["initial"]) == (10.0, 60.0)
    assert (await mind.put("born under the new rule")).meta.score == 60


# ---- ticks


async def test_one_forgotten_during_a_tick_is_left_and_counted(mind: Mind, clock: FakeClock) -> None:
    clock.forward(20 * DAY)
    begun = asyncio.Event()

    async def meanwhile() -> None:
        await begun.wait()
        await mind.forget("k3")

    other = asyncio.ensure_future(meanwhile())
    report = await mind.tick(batch_size=1, pause=0.01, progress=lambda done, total: begun.set())
    await other
    assert (report.changed, report.conflicts) == (2, 1)


async def test_ticks_never_overlap(mind: Mind, clock: FakeClock) -> None:
    clock.forward(20 * DAY)
    one, two = await asyncio.gather(mind.tick(batch_size=1), mind.tick(batch_size=1))
    assert ((one.changed, two.changed), (one.conflicts, two.conflicts)) == ((3, 0), (0, 0))


# ---- together and at the end


async def test_two_who_put_the_same_key_at_once_do_not_both_succeed(mind: Mind) -> None:
    results = await asyncio.gather(*(mind.put(f"take {i}", key="same") for i in range(5)), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["KeyTaken"] * 4 + ["Memory"]


async def test_one_forgotten_under_a_readers_hands_is_unknown_to_it(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, durability="full") as mind:
        await mind.put("a text", key="a")
        results = await asyncio.gather(mind.get("a"), mind.forget("a"), mind.get("a"), return_exceptions=True)
    assert all(result is None or isinstance(result, Memory | UnknownMemory) for result in results)


async def test_a_closed_mind_says_so(mind: Mind) -> None:
    await mind.close()
    for call in (mind.get("k1"), mind.put("x"), mind.list(), mind.tick(), mind.journal()):
        with pytest.raises(StoreClosed, match="open it again"):
            await call


@each_metabolism
async def test_a_mind_is_the_same_after_closing_and_opening(metabolism: str, tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, metabolism, clock) as mind:
        await furnished(mind)
        await mind.get("k1")
        await mind.follow("k1")
        clock.forward(DAY)
        await mind.tick()
        await mind.forget("k2")
        before, seen = await snapshot(mind), await everything(mind)
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        assert (await snapshot(mind), await everything(mind)) == (before, seen)
