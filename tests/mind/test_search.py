"""Search: what is found by words and by meaning, what is hidden and why, how vitality ranks.   SPEC R3, A3, S1, R2."""

import math
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, HOUR, State
from ebbtide.mind import Mind
from ebbtide.mind.search import Found, Hit
from ebbtide.models.embedders import BuiltinEmbedder
from tests.hashing import Hashing, searchable
from tests.helpers import METABOLISMS, FakeClock

each_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)

LIBRARY = {
    "ferry": "The ferry to Lamma leaves at 8:40.",
    "渡轮": "渡轮八点四十分从中环开往南丫岛。",
    "order": "Order ORD-2291 was shipped to 王小明, phone 13800138000.",
    "release": "We released v1.2.3 and rolled back v1.2.4.",
    "cat": "My cat sleeps all day.",
    "茶": "王小红每天下午喝普洱茶。",
}


def keys(found: Found) -> list[str]:
    return [hit.memory.key for hit in found.hits]


def declined(found: Found) -> dict[str, str]:
    return {one.key: one.state for one in found.declined}


async def library(metabolism: str = "activity", clock: FakeClock | None = None, **params: Any) -> Mind:
    """By words alone: so that what is found is what was asked for."""
    mind = await searchable(None, metabolism, clock, **params)
    for key, text in LIBRARY.items():
        await mind.put(text, key=key)
    return mind


def first(found: Found) -> Hit:
    return found.hits[0]


# ---- words


@each_metabolism
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ferry", ["ferry"]),
        ("ferries leaving", ["ferry"]),
        ("8:40", ["ferry"]),
        ("ORD-2291", ["order"]),
        ("ord-2291", ["order"]),
        ("13800138000", ["order"]),
        ("v1.2.3", ["release"]),
        ("王小明", ["order"]),
        ("王小明的电话", ["order"]),
        ("南丫岛", ["渡轮"]),
        ("普洱茶", ["茶"]),
        ("Lamma 渡轮", ["ferry", "渡轮"]),
        ("cat", ["cat"]),
        ("release", ["release"]),
        ("zebra", []),
    ],
)
async def test_words_codes_numbers_and_names_find_what_says_them(
    metabolism: str, query: str, expected: list[str]
) -> None:
    found = keys(await (await library(metabolism)).search(query))
    assert sorted(found[: len(expected)]) == sorted(expected)
    assert bool(found) == bool(expected)


@pytest.mark.parametrize("query", ["ORD-2292", "8:41", "v1.2.5", "13800138001"])
async def test_a_code_that_nobody_says_is_not_nearly_found(query: str) -> None:
    """Parts of it may be, but never as well as the real one: a number one digit off is another number."""
    mind = await library()
    real = {"ORD-2292": "ORD-2291", "8:41": "8:40", "v1.2.5": "v1.2.3", "13800138001": "13800138000"}[query]
    best = first(await mind.search(real)).similarity
    assert all(hit.similarity < best for hit in (await mind.search(query)).hits)


async def test_a_memory_is_found_by_its_key_its_phrase_and_its_keywords() -> None:
    mind = await searchable(None)
    await mind.put("text", key="the-one", phrase="summary of it", keywords=["lighthouse"])
    for query in ("the-one", "summary", "lighthouse"):
        assert keys(await mind.search(query)) == ["the-one"]


# ---- meaning


@pytest.mark.slow
async def test_the_embedder_that_comes_with_it_finds_by_meaning_across_languages(tmp_path: Path) -> None:
    embedder = BuiltinEmbedder()
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        for key, text in LIBRARY.items():
            await mind.put(text, key=key)
        assert keys(await mind.search("when does the boat go to the island?"))[0] in ("ferry", "渡轮")
        assert keys(await mind.search("船几点开"))[0] in ("ferry", "渡轮")
        assert keys(await mind.search("a sleepy pet", 1)) == ["cat"]
        assert keys(await mind.search("ORD-2291", 1)) == ["order"]
        found = await mind.search("小猫在睡觉", 1, explain=True)
        assert keys(found) == ["cat"]
        why = first(found).why
        assert why is not None
        assert why.by_words == 0.0
        assert why.cosine is not None
        assert why.cosine > 0.4
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        assert keys(await mind.search("小猫在睡觉", 1)) == ["cat"]
    await embedder.aclose()


# ---- bounds


@each_metabolism
async def test_an_empty_mind_finds_nothing(metabolism: str) -> None:
    mind = await searchable(Hashing(), metabolism)
    found = await mind.search("anything", explain=True)
    assert (found.hits, found.declined, found.exact, found.unembedded, found.note) == ((), (), True, 0, "")


async def test_more_may_be_asked_for_than_there_are() -> None:
    mind = await searchable(Hashing())
    await mind.put("tide")
    await mind.put("ebb")
    assert len((await mind.search("tide", 1000)).hits) == 2
    assert len((await mind.search("tide", 1)).hits) == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"k": 0},
        {"k": 1001},
        {"k": -1},
        {"state": "expired"},
        {"state": "asleep"},
        {"since": 5.0, "until": 5.0},
        {"since": math.nan},
        {"at_least": math.nan},
    ],
)
async def test_what_makes_no_sense_is_refused(asked: dict[str, Any]) -> None:
    mind = await library()
    with pytest.raises(InvalidInput):
        await mind.search("ferry", **asked)


@pytest.mark.parametrize("text", ["", "   "])
async def test_nothing_cannot_be_searched_for(text: str) -> None:
    with pytest.raises(InvalidInput):
        await (await library()).search(text)


@pytest.mark.parametrize("text", ["the", "的", "?!", "🙂", "\ud800", "a" * 100_000, "NEAR/2 AND (OR", "'; --", "%_*"])
async def test_any_text_can_be_searched_for(text: str) -> None:
    mind = await searchable(Hashing())
    await mind.put("tide", key="k")
    try:
        await mind.search(text, explain=True)
    except InvalidInput:
        assert text == "\ud800"


async def test_at_least_keeps_out_what_is_less_alike() -> None:
    mind = await library()
    every = await mind.search("ferry cat")
    bar = every.hits[0].similarity
    assert len(every.hits) == 2
    assert keys(await mind.search("ferry cat", at_least=bar)) == [every.hits[0].memory.key]
    assert (await mind.search("ferry cat", at_least=1.1)).hits == ()


async def test_equal_ones_come_the_youngest_first_every_time() -> None:
    mind = await searchable(Hashing())
    for number in range(20):
        await mind.put("the same words", key=f"k{number}")
    expected = [f"k{number}" for number in range(19, 9, -1)]
    assert keys(await mind.search("words")) == expected
    assert keys(await mind.search("words")) == expected


# ---- filters


async def labelled() -> Mind:
    clock = FakeClock()
    mind = await searchable(Hashing(), clock=clock)
    await mind.put("tide table", key="a", kind="note", domain="sea", keywords=["Moon Phase", "潮汐"])
    clock.forward(HOUR)
    await mind.put("tide plan", key="b", kind="plan", domain="sea", keywords=["潮汐"])
    clock.forward(HOUR)
    await mind.put("tide song", key="c", kind="note", domain="music")
    return mind


async def test_kind_domain_keywords_and_time_bound_what_is_found() -> None:
    mind = await labelled()
    start = mind.now() - 2 * HOUR

    async def found(**asked: Any) -> list[str]:
        return sorted(keys(await mind.search("tide", **asked)))

    assert await found() == ["a", "b", "c"]
    assert await found(kind="note") == ["a", "c"]
    assert await found(domain="sea") == ["a", "b"]
    assert await found(kind="note", domain="sea") == ["a"]
    assert await found(kind="nobody") == []
    assert await found(keywords=["潮汐"]) == ["a", "b"]
    assert await found(keywords=["moon  phase"]) == ["a"]
    assert await found(keywords=["潮汐", "moon phase"]) == ["a"]
    assert await found(keywords=["moon"]) == []
    assert await found(keywords="潮汐") == ["a", "b"]
    assert await found(since=start + HOUR) == ["b", "c"]
    assert await found(until=start + HOUR) == ["a"]
    assert await found(since=start + 1, until=start + 2 * HOUR) == ["b"]


async def test_filters_hold_for_what_is_declined_too() -> None:
    mind = await labelled()
    start = mind.now() - 2 * HOUR
    await mind.forget("a", "b", "c")

    async def told(**asked: Any) -> list[str]:
        return sorted(declined(await mind.search("tide", explain=True, **asked)))

    assert await told() == ["a", "b", "c"]
    assert await told(kind="plan") == ["b"]
    assert await told(domain="music") == ["c"]
    assert await told(keywords=["潮汐"]) == ["a", "b"]
    assert await told(since=start + HOUR, until=start + 2 * HOUR) == ["b"]


# ---- what is hidden, and why


async def test_activity_hides_what_is_cold_and_says_so() -> None:
    """Not used for 30 days: 1.5·e^−30 − 0.3·30/30 = −0.3, between −1 and −0.2."""
    clock = FakeClock()
    mind = await searchable(None, "activity", clock)
    await mind.put("the tide", key="old")
    clock.forward(30 * DAY)
    await mind.put("the tide", key="new")
    found = await mind.search("tide", explain=True)
    assert (keys(found), declined(found)) == (["new"], {"old": "cold"})
    assert found.declined[0].why == "cold: score -0.300 lies between θ_delete -1 and θ_active -0.2"
    assert found.declined[0].similarity == pytest.approx(found.hits[0].similarity)
    assert keys(await mind.search("tide", state="cold")) == ["old"]
    assert sorted(keys(await mind.search("tide", state=["cold", "active"]))) == ["new", "old"]


async def test_score_hides_only_what_is_deprecated() -> None:
    """50 · 0.95^t: 30 is reached after 10 days (29.94 rounds to 30), 29 after 11 (28.44 → 28)."""
    clock = FakeClock()
    mind = await searchable(None, "score", clock)
    await mind.put("the tide", key="old")
    clock.forward(10 * DAY)
    assert keys(await mind.search("tide")) == ["old"]
    clock.forward(1 * DAY)
    found = await mind.search("tide", explain=True)
    assert (keys(found), declined(found)) == ([], {"old": "deprecated"})
    assert found.declined[0].why.startswith("deprecated: score 28 (exactly 28.44")
    assert keys(await mind.search("tide", state=State.DEPRECATED)) == ["old"]


async def test_retention_hides_what_has_expired_the_moment_it_does() -> None:
    """I 0.5, S 1 d: ln(0.5 / 0.05) = 2.302585 days."""
    clock = FakeClock()
    mind = await searchable(None, "retention", clock)
    await mind.put("the tide", key="k")
    clock.forward(2.302585 * DAY - 1)
    assert keys(await mind.search("tide")) == ["k"]
    clock.forward(2)
    found = await mind.search("tide", explain=True)
    assert (keys(found), declined(found)) == ([], {"k": "expired"})
    assert found.declined[0].why.startswith("expired: R 0.05")


async def test_a_network_mind_hides_no_memories_but_leaves_out_entities() -> None:
    mind = await searchable(None, "network")
    await mind.put("渡轮", key="渡轮", kind="entity")
    await mind.put("渡轮八点开", key="m")
    assert keys(await mind.search("渡轮")) == ["m"]
    assert keys(await mind.search("渡轮", kind="entity")) == ["渡轮"]


@each_metabolism
async def test_what_is_in_the_trash_is_told_with_the_way_back(metabolism: str) -> None:
    clock = FakeClock()
    mind = await library(metabolism, clock)
    await mind.forget("cat")
    found = await mind.search("sleeping cat", explain=True)
    assert (keys(found), declined(found)) == ([], {"cat": "trash"})
    assert found.declined[0].why == "in the trash (asked): `restore` brings it back"
    assert (await mind.search("sleeping cat")).declined == ()
    clock.forward(31 * DAY)  # by now it is only waiting to be discarded
    assert "cat" not in declined(await mind.search("sleeping cat", explain=True))


async def test_only_what_would_have_been_told_is_declined() -> None:
    """With k 1 the hit is better than the cold one, so nothing was kept back; with k 2 there was room."""
    clock = FakeClock()
    mind = await searchable(None, "activity", clock)
    await mind.put("the tide and the many things besides it that were said that day", key="old")
    clock.forward(30 * DAY)
    await mind.put("the tide", key="new")
    assert declined(await mind.search("tide", 1, explain=True)) == {}
    assert declined(await mind.search("tide", 2, explain=True)) == {"old": "cold"}


# ---- vitality


async def test_in_a_retention_mind_the_score_is_similarity_times_r() -> None:
    """R3. I 0.5, S 1 d, half a day after: R = 0.5·e^−0.5 = 0.303265; the other is new: R = 0.5."""
    clock = FakeClock()
    mind = await searchable(None, "retention", clock)
    await mind.put("the tide", key="old")
    clock.forward(0.5 * DAY)
    await mind.put("the tide", key="new")
    found = await mind.search("tide", explain=True)
    new, old = found.hits
    assert (keys(found), new.similarity) == (["new", "old"], old.similarity)
    assert old.score == pytest.approx((old.similarity + points(old)) * 0.303265, rel=1e-5)
    assert new.score == pytest.approx((new.similarity + points(new)) * 0.5, rel=1e-5)
    assert old.why is not None
    assert old.why.vitality == pytest.approx(0.303265, rel=1e-5)
    assert old.why.formula == "(similarity + lift + terms) × R^1"


async def test_decay_weight_is_the_exponent_on_r() -> None:
    """0.303265² = 0.091970; with weight 0 age makes no difference."""
    clock = FakeClock()
    for weight, factor in ((2.0, 0.0919699), (0.0, 1.0)):
        mind = await searchable(None, "retention", clock, decay_weight=weight)
        await mind.put("the tide", key="old")
        clock.forward(0.5 * DAY)
        hit = first(await mind.search("tide", explain=True))
        assert hit.score == pytest.approx((hit.similarity + points(hit)) * factor, rel=1e-5)


async def test_in_a_score_mind_vitality_is_worth_a_tenth_at_most() -> None:
    """A new memory has score 50, scaled 0.5: a bonus of 0.05. Ten days later 29.94: 0.02994."""
    clock = FakeClock()
    mind = await searchable(None, "score", clock)
    await mind.put("the tide", key="old")
    clock.forward(10 * DAY)
    await mind.put("the tide", key="new")
    new, old = (await mind.search("tide", explain=True)).hits
    assert new.score == pytest.approx(new.similarity + points(new) + 0.05)
    assert old.score == pytest.approx(old.similarity + points(old) + 0.029937, abs=1e-6)  # 50 · 0.95^10 = 29.9368
    assert new.why is not None
    assert (new.why.scaled, new.why.formula) == (0.5, "similarity + lift + terms + 0.1 × scaled")


async def test_in_an_activity_mind_the_bonus_grows_with_the_score() -> None:
    """A new memory has 1.5: scaled 0.5 + 0.5·tanh((1.5 + 0.2)/2) = 0.845535."""
    mind = await searchable(None, "activity", rank_bonus=0.2)
    await mind.put("the tide", key="k")
    hit = first(await mind.search("tide", explain=True))
    assert hit.score == pytest.approx(hit.similarity + points(hit) + 0.2 * 0.845535, abs=1e-6)


@each_metabolism
async def test_without_vitality_the_score_is_the_similarity(metabolism: str) -> None:
    mind = await library(metabolism)
    hit = first(await mind.search("ferry", vitality=False, explain=True))
    assert hit.score == hit.similarity
    assert hit.why is not None
    assert hit.why.formula == "similarity + lift"


async def test_age_never_buries_a_clearly_better_match() -> None:
    clock = FakeClock()
    mind = await searchable(None, "score", clock)
    await mind.put("the ferry to Lamma leaves at 8:40", key="old")
    clock.forward(9 * DAY)
    for _ in range(5):
        await mind.put("Lamma is green")
    assert keys(await mind.search("ferry to Lamma"))[0] == "old"


# ---- links


async def test_what_is_linked_with_a_hit_is_lifted_and_says_by_whom() -> None:
    """strength 0.8 × spread 1 × hit × (hit − 0)."""
    mind = await library()
    await mind.link("ferry", "cat", "carries", 0.8)
    found = await mind.search("ferry", explain=True)
    ferry, cat = found.hits
    assert keys(found) == ["ferry", "cat"]
    assert cat.why is not None
    assert (cat.why.similarity, cat.why.lifted_by) == (0.0, "ferry")
    assert cat.why.lift == pytest.approx(0.8 * ferry.similarity**2, rel=1e-5)
    assert cat.similarity == pytest.approx(cat.why.similarity + cat.why.lift)
    assert ferry.why is not None
    assert (ferry.why.lift, ferry.why.lifted_by) == (0.0, None)
    await mind.configure(spread=0.0)
    assert keys(await mind.search("ferry")) == ["ferry"]


async def test_every_component_adds_up() -> None:
    mind = await searchable(Hashing())
    for key, text in LIBRARY.items():
        await mind.put(text, key=key)
    await mind.link("cat", "ferry", "near", 0.5)
    for hit in (await mind.search("the ferry leaves", explain=True)).hits:
        why = hit.why
        assert why is not None
        assert why.by_meaning is not None
        assert why.similarity == pytest.approx((why.by_words + why.by_meaning) / 2, abs=1e-6)
        assert hit.similarity == pytest.approx(why.similarity + why.lift, abs=1e-6)
        assert hit.score == pytest.approx(hit.similarity + points(hit) + 0.1 * why.scaled, abs=1e-6)
        assert 0.0 <= hit.similarity <= 1.0


def points(hit: Hit) -> float:
    """What the terms of the rank add."""
    assert hit.why is not None
    return sum(term.points for term in hit.why.terms)


# ---- being found is not being used


@each_metabolism
async def test_being_found_leaves_no_trace(metabolism: str) -> None:
    mind = await library(metabolism)
    await mind.search("pier")  # reads what was put, which a mind that looks at words writes down
    before = await mind._store.snapshot()
    await mind.search("ferry", explain=True)
    assert await mind._store.snapshot() == before


async def test_being_found_counts_where_the_mind_says_so() -> None:
    mind = await library("activity", count_hits=True)
    await mind.search("ferry")
    assert (await mind.search("ferry")).hits[0].memory.meta.access_count == 1
