"""Which memories say nearly the same: found by a tick, marked for as long as it is so.   SPEC A4, A5"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.changes import Pair
from ebbtide.core.memory import DAY, Mark
from ebbtide.core.state import Pairs
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from tests.bearings import Bearings, low_and_lonely, mind_of, mind_with, tools
from tests.helpers import (
    LEAVINGS,
    READS,
    TICK,
    WAIT,
    Deed,
    FakeClock,
    everything,
    live,
    lives,
    perform,
    snapshot,
    store_of,
)

TWINS = ("ferry @1", "ferry @0.9")


async def marked(mind: Mind) -> set[str]:
    return {memory.key for memory in await everything(mind) if Mark.MERGE in memory.marks}


async def pairs(mind: Mind) -> dict[tuple[str, ...], float]:
    """As they are suggested: the one that would stay first."""
    return {advice.keys: advice.overlap or 0.0 for advice in await mind.suggestions("merge")}


async def entries(mind: Mind) -> list[Pair]:
    return [entry.change async for entry in mind.entries() if isinstance(entry.change, Pair)]


# ---- the conditions


async def test_low_for_long_is_fourteen_days_after_it_fell_below_the_threshold() -> None:
    # Never used: 1.5·exp(−t) − 0.01·t is 0.5418 after 1 day and 0.4883 after 1.1 days; θ_active is 0.5.
    # So a day after birth nothing was low yet, and at 14 + 1.1 days it has been low for fourteen.
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, days=15.0)
    await mind.tick()
    assert await pairs(mind) == {}
    clock.forward(0.1 * DAY)
    await mind.tick()
    assert await pairs(mind) == {TWINS: pytest.approx(0.9, abs=1e-3)}
    assert await marked(mind) == set(TWINS)


async def test_a_walk_counts_as_something_that_happened() -> None:
    # One link in, walked on day 90. So many days after that: ln 2 + 0.8·ln 2 + exp(−x/3) − 0.01·(90 + x),
    # 0.5094 for x = 4.7 and 0.4866 for x = 5; low for long another fourteen days later.
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, days=0.0)
    await mind.link(*TWINS, "like")
    clock.forward(90 * DAY)
    await mind.follow("ferry @1")
    clock.forward(18.7 * DAY)
    await mind.tick()
    assert await pairs(mind) == {}
    clock.forward(0.3 * DAY)
    await mind.tick()
    assert len(await pairs(mind)) == 1


@pytest.mark.parametrize(("links", "found"), [(0, True), (2, True), (3, False)])
async def test_two_links_are_lonely_and_three_are_not(links: int, found: bool) -> None:
    # On day 86 even 0.8·ln 4 − 0.86 = 0.249 is below 0.5: at day 100 all are low for long.
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, "pier", "tide", "moon", days=0.0)
    for target in ("pier", "tide", "moon")[:links]:
        await mind.link("ferry @1", target, "about")
    clock.forward(100 * DAY)
    await mind.tick()
    assert bool(await pairs(mind)) is found


@pytest.mark.parametrize(
    ("least", "cosine", "found"),
    [(0.85, 0.85, True), (0.85, 0.849, False), (0.875, 0.875, True), (0.876, 0.875, False), (1.0, 1.0, True)],
)
async def test_the_overlap_must_reach_the_threshold(least: float, cosine: float, found: bool) -> None:
    # 0.875 is a half float; 0.85 is kept as 0.8501, 0.849 as 0.8491.
    mind = await mind_with(Bearings(), clock := FakeClock(), merge_overlap=least)
    await low_and_lonely(mind, clock, "ferry @1", f"ferry @{cosine:.3f}")
    await mind.tick()
    assert [round(overlap, 3) for overlap in (await pairs(mind)).values()] == [cosine] * found


@pytest.mark.parametrize("label", ["kind", "domain"])
async def test_only_what_is_of_one_kind_and_domain_is_compared(label: str) -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    said = (("a", "ferry @1", "travel"), ("b", "ferry @0.99", "Travel"), ("c", "ferry @0.98", "travel"))
    await mind.put_many({"key": key, "text": text, label: name} for key, text, name in said)
    clock.forward(20 * DAY)
    await mind.tick()
    assert set(await pairs(mind)) == {("a", "c")}


async def test_a_kind_and_a_domain_that_change_places_are_another_group() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await mind.put("ferry @1", key="a", kind="x", domain="y")
    await mind.put("ferry @1", key="b", kind="y", domain="x")
    clock.forward(20 * DAY)
    await mind.tick()
    assert await pairs(mind) == {}


async def test_said_twice_in_two_languages_or_once_with_other_words() -> None:
    from ebbtide.models.embedders import BuiltinEmbedder

    embedder = BuiltinEmbedder()
    mind = await mind_with(embedder, clock := FakeClock())
    said = {
        "en1": "The ferry to Lamma leaves at 8:40 from pier four.",
        "en2": "The ferry to Lamma leaves from pier four at 8:40.",
        "zh1": "渡轮八点四十分从四号码头开往南丫岛。",
        "zh2": "渡轮八点四十分从四号码头开去南丫岛。",
        "cat": "My cat sleeps all day long on the warm radiator.",
        "税": "今年的所得税要在五月底之前申报完毕。",
    }
    for key, text in said.items():
        await mind.put(text, key=key)
    clock.forward(20 * DAY)
    await mind.tick()
    await embedder.aclose()
    found = {frozenset(keys) for keys in await pairs(mind)}
    assert {frozenset(("en1", "en2")), frozenset(("zh1", "zh2"))} <= found
    assert not {"cat", "税"} & {key for keys in found for key in keys}


# ---- marks


async def test_a_mark_appears_with_a_tick_and_goes_with_its_conditions() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS)
    assert await marked(mind) == set()
    await mind.tick()
    assert await marked(mind) == set(TWINS)
    assert (await mind.stats()).marks == {"merge_candidate": 2}
    assert (await mind.get("ferry @1")).marks == Mark.NONE
    assert await marked(mind) == set()  # the other one has nobody to be merged with
    assert (await mind.stats()).marks == {}
    assert (await mind.tick()).changed == 2
    assert not await store_of(mind).pairs()


@pytest.mark.parametrize(
    "deed",
    [
        Deed("touch", ("ferry @0.9",)),
        Deed("forget", ("ferry @0.9",)),
        Deed("link", ("ferry @0.9", "moon", "over")),
        Deed("put", ("tide",), {"key": "ferry @1", "replace": True}),
        Deed("put", ("ferry @1",), {"key": "ferry @1", "replace": True, "kind": "other"}),
        Deed("merge", TWINS),
        Deed("configure", (), {"merge_overlap": 0.95}),
        Deed("configure", (), {"merge_idle": 100.0}),
    ],
    ids=lambda deed: f"{deed.verb} {deed.options}",
)
async def test_whatever_ends_a_pair_ends_its_marks_at_once(deed: Deed) -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, "moon")
    await mind.tick()
    assert await marked(mind) == set(TWINS)
    assert await perform(deed, mind, clock) is None
    assert await marked(mind) == set()
    await mind.tick()
    assert await marked(mind) == set()
    assert await mind.check() == []


async def test_a_merge_ends_the_other_pairs_of_the_one_that_stays(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        await low_and_lonely(mind, clock, *TWINS, "ferry @0.95")
        await mind.tick()
        assert len(await pairs(mind)) == 3
        await mind.merge("ferry @1", "ferry @0.9", text="moon")
        assert await pairs(mind) == {}
        before = await snapshot(mind)
        assert await mind.check() == []
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        assert await snapshot(mind) == before


async def test_a_dry_run_lists_the_pairs_a_run_then_finds_and_lets_go() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, "moon @1", "moon @0.95")
    foretold = await mind.tick(dry_run=True)
    assert await pairs(mind) == {}
    assert await entries(mind) == []
    assert {pairing.keys for pairing in foretold.pairings} == {TWINS, ("moon @1", "moon @0.95")}
    assert all(shift.marks == Mark.MERGE for shift in foretold.shifts)
    report = await mind.tick()
    assert (report.pairs, report.changed) == (foretold.pairs, foretold.changed) == (2, 4)
    assert set(await pairs(mind)) == {pairing.keys for pairing in foretold.pairings}
    await mind.get("moon @1")
    ended = await mind.tick(dry_run=True)
    assert [(p.keys, p.overlap) for p in ended.pairings] == [(("moon @1", "moon @0.95"), None)]
    assert {shift.key: shift.marks for shift in ended.shifts} == {"moon @1": Mark.NONE, "moon @0.95": Mark.NONE}
    assert (await mind.tick()).changed == 2


async def test_a_dry_run_of_another_moment_finds_what_will_be_low_then() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, days=1.0)
    assert (await mind.tick(dry_run=True)).pairings == ()
    ahead = await mind.tick(dry_run=True, at=clock.now() + 20 * DAY)
    assert [pairing.keys for pairing in ahead.pairings] == [TWINS]
    assert {shift.marks for shift in ahead.shifts} == {Mark.MERGE}


# ---- ticks


async def test_a_tick_that_finds_nothing_new_writes_nothing_of_pairs(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        await low_and_lonely(mind, clock, *TWINS, "ferry @0.95", "ferry @0.91")
        await mind.tick()
        before = await snapshot(mind), len(await entries(mind))
        await mind.tick()
        assert (await snapshot(mind), len(await entries(mind))) == before
    async with mind_of(tmp_path, Bearings(), clock) as mind:
        clock.forward(DAY)
        report = await mind.tick()
        assert report.pairs == 0
        assert (await snapshot(mind), len(await entries(mind))) == before


async def test_many_pairs_are_written_batch_by_batch() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await mind.put_many({"text": "ferry @1", "key": f"k{i}"} for i in range(250))
    clock.forward(20 * DAY)
    report = await mind.tick(batch_size=100)
    assert report.pairs == 249
    assert [len(entry.found) for entry in await entries(mind)] == [100, 100, 49]
    assert len(await marked(mind)) == 250
    await mind.configure(merge_idle=300.0)
    await mind.tick(batch_size=100)
    assert [len(entry.lost) for entry in (await entries(mind))[3:]] == [100, 100, 49]


@pytest.mark.parametrize("shy", [False, True], ids=["dimensions known", "dimensions unknown"])
async def test_an_embedder_that_fails_holds_no_tick_up(shy: bool, caplog: pytest.LogCaptureFixture) -> None:
    embedder = Bearings(shy)
    mind = await mind_with(embedder, clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS)
    embedder.fails = True
    report = await mind.tick()
    assert (report.seen, report.pairs) == (2, 0)
    assert "the wire is cut" in caplog.text
    embedder.fails = False
    assert (await mind.tick()).pairs == 1
    embedder.fails = True
    await mind.put("ferry @0.99", key="new")
    clock.forward(20 * DAY)
    assert (await mind.tick()).pairs == 0
    assert set(await pairs(mind)) == {TWINS}


async def test_without_an_embedder_no_pair_is_found_and_old_ones_end_with_their_conditions() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, "moon @1", "moon @0.95")
    await mind.tick()
    wordy = Mind("ada", store_of(mind), clock, MemoryStore, tools=tools(None))
    await low_and_lonely(wordy, clock, "tide @1", "tide @0.99")
    await wordy.get("moon @1")
    assert (await wordy.tick()).pairs == 0
    assert set(await pairs(wordy)) == {TWINS}
    assert len(await store_of(mind).pairs()) == 1


async def test_another_embedder_has_its_own_opinion() -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS)
    await mind.tick()

    class Doubting(Bearings):
        name = "doubting"

        async def embed(self, texts: Sequence[str]) -> "object":  # type: ignore[override]
            return await super().embed([text.replace("0.9", "0.5") for text in texts])

    other = Mind("ada", store_of(mind), clock, MemoryStore, tools=tools(Doubting()))  # type: ignore[arg-type]
    await other.tick()
    assert await pairs(other) == {}


@pytest.mark.parametrize("verb", ["get", "forget", "rewrite"])
async def test_what_moves_while_texts_are_compared_is_left_for_the_next_tick(verb: str) -> None:
    embedder = Bearings()
    mind = await mind_with(embedder, clock := FakeClock())
    await low_and_lonely(mind, clock, *TWINS, "moon @1", "moon @0.95")

    async def meanwhile() -> None:
        if verb == "rewrite":
            await mind.put("tide", key="ferry @1", replace=True)
        else:
            await getattr(mind, verb)("ferry @1")

    embedder.meanwhile = meanwhile
    report = await mind.tick()
    assert report.pairs == 1
    assert set(await pairs(mind)) == {("moon @1", "moon @0.95")}
    assert await mind.check() == []


# ---- histories

KEYS = ("a", "b", "c", "d")
keys = st.sampled_from(KEYS)
said = st.sampled_from(("ferry @1", "ferry @0.9", "ferry @0.86", "moon @1", "moon @0.8"))
TIDYING = (
    st.builds(lambda text, key: Deed("put", (text,), {"key": key, "replace": True}), said, keys),
    st.builds(lambda kind, key: Deed(kind, ("delete", key)), st.sampled_from(("accept", "dismiss")), keys),
    st.builds(
        lambda kind, one, two: Deed(kind, ("merge", one, two)), st.sampled_from(("accept", "dismiss")), keys, keys
    ),
    st.builds(lambda key: Deed("touch", (key,)), keys),
    st.builds(lambda one, two: Deed("link", (one, two, "about")), keys, keys),
)
BEGINNING = [Deed("put", (f"ferry @{c}",), {"key": key}) for key, c in zip(KEYS, (1, 0.95, 0.9, 0.3), strict=True)]
tidied = st.lists(st.one_of(WAIT, WAIT, TICK, *TIDYING, *TIDYING, *READS, *LEAVINGS), max_size=25).map(
    lambda deeds: [*BEGINNING, Deed("wait", (20 * DAY,)), Deed("tick"), *deeds]
)


@lives
@given(deeds=tidied)
async def test_any_life_of_pairs_and_refusals_is_what_its_journal_says(deeds: Sequence[Deed]) -> None:
    mind = await mind_with(Bearings(), clock := FakeClock())
    for deed in deeds:
        await perform(deed, mind, clock)
        alive = {memory.id for memory in await everything(mind)}
        assert all(alive.issuperset(twins) for twins in await store_of(mind).pairs())
        assert {key for advice in await mind.suggestions("merge") for key in advice.keys} <= await marked(mind)
    assert await mind.check() == []


@settings(lives, max_examples=10)
@given(deeds=tidied)
async def test_and_on_disk_the_same_as_in_ram(deeds: Sequence[Deed]) -> None:
    clock, ram_clock = FakeClock(), FakeClock()
    ram = await mind_with(Bearings(), ram_clock)
    await live(deeds, ram, ram_clock)
    with TemporaryDirectory() as folder:
        async with mind_of(Path(folder), Bearings(), clock) as mind:
            await live(deeds, mind, clock)
            assert await mind.check() == []
        async with mind_of(Path(folder), Bearings(), clock) as mind:
            assert await mind.suggestions() == await ram.suggestions()
            assert await everything(mind) == await everything(ram)
            assert await store_of(mind).pairs() == await store_of(ram).pairs()
            assert await store_of(mind).dismissed() == await store_of(ram).dismissed()


@lives
@given(deeds=tidied, ticks=st.lists(st.booleans(), min_size=40, max_size=40))
async def test_how_often_a_tick_looks_makes_no_difference_in_the_end(deeds: Sequence[Deed], ticks: list[bool]) -> None:
    untold = [deed for deed in deeds if deed.verb not in ("tick", "accept", "dismiss")]
    seldom = await mind_with(Bearings(), rare := FakeClock())
    await live(untold, seldom, rare)
    often = await mind_with(Bearings(), clock := FakeClock())
    for deed, also_tick in zip(untold, ticks, strict=False):
        await perform(deed, often, clock)
        if also_tick:
            await often.tick()
    await seldom.tick()
    await often.tick()
    assert await pairs(often) == await pairs(seldom)
    assert await everything(often) == await everything(seldom)


@given(st.lists(st.tuples(st.sampled_from(("add", "drop", "part")), st.integers(1, 5), st.integers(1, 5))))
def test_pairs_are_known_by_either(moves: list[tuple[str, int, int]]) -> None:
    known, model = Pairs(), dict[tuple[int, int], float]()
    for number, (move, one, other) in enumerate(moves):
        twins = (min(one, other), max(one, other))
        if move == "part":
            known.part(one)
            model = {both: overlap for both, overlap in model.items() if one not in both}
        elif one != other and move == "add":
            known.add([(*twins, float(number))])
            model[twins] = float(number)
        elif one != other:
            known.drop([twins])
            model.pop(twins, None)
        assert known.of() == model
        assert known.of([one, other, 9]) == {both: model[both] for both in model if {one, other} & set(both)}
