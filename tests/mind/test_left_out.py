"""Never silent: an answer says what it leaves out because of its state, and that no hit is good.   SPEC C11."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ebbtide
from ebbtide.core import finding
from ebbtide.core.memory import DAY, State
from ebbtide.core.metabolism import METABOLISMS as RULES
from ebbtide.mind import Mind
from ebbtide.mind.left_out import floor_of
from tests.helpers import METABOLISMS, FakeClock, able_to_search, lives, mind_in_ram, mind_on_disk

HIDDEN = {"activity": State.COLD, "score": State.DEPRECATED, "retention": State.EXPIRED}
each_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)
some_hide = pytest.mark.parametrize(("metabolism", "state"), HIDDEN.items())
WORDS = ("ferry", "tide", "pier", "harbour", "渡轮", "码头")


async def fact(metabolism: str, clock: FakeClock) -> Mind:
    mind = await mind_in_ram(metabolism, clock, tools=able_to_search())
    await mind.put("Ann is allergic to peanuts.", key="allergy")
    return mind


# ---- the property


memories = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=12)


@settings(lives, max_examples=60)
@given(
    metabolism=st.sampled_from(METABOLISMS),
    texts=memories,
    used=st.sets(st.integers(0, 11)),
    links=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=6),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    k=st.integers(1, 6),
    at_once=st.sampled_from([0, 1000]),
    candidates=st.sampled_from([2, 200]),
)
async def test_whatever_is_among_the_k_best_and_hidden_is_counted(
    metabolism: str,
    texts: list[str],
    used: set[int],
    links: list[tuple[int, int]],
    query: str,
    k: int,
    at_once: int,
    candidates: int,
) -> None:
    """The k best by similarity, in whatever state, are what a search of every state tells without vitality."""
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock, tools=able_to_search(), candidates=candidates)
    for number, text in enumerate(texts):
        await mind.put(text, key=f"m{number}")
    for source, target in links:
        if source != target and max(source, target) < len(texts):
            await mind.link(f"m{source}", f"m{target}", "near", 0.9)
    clock.forward(60 * DAY)
    for number in sorted(used & set(range(len(texts)))):
        await mind.touch(f"m{number}", revive=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "JUDGED_AT_ONCE", at_once)
        best = (await mind.search(query, k, everything=True, vitality=False)).hits
        found = await mind.search(query, k)
    hidden = [hit for hit in best if hit.memory.state in RULES[metabolism].hidden]
    assert not {hit.memory.state for hit in found.hits} & set(RULES[metabolism].hidden)
    if not hidden:
        assert found.left_out is None
        return
    assert found.left_out is not None
    assert (found.left_out.count, found.left_out.states) == (len(hidden), {hidden[0].memory.state: len(hidden)})
    told = [] if metabolism == "retention" else hidden[:3]
    assert [one.key for one in found.left_out.best] == [hit.memory.key for hit in told]
    assert [one.similarity for one in found.left_out.best] == pytest.approx([hit.similarity for hit in told])


# ---- 90 days later


@each_metabolism
async def test_a_fact_is_found_after_90_days_or_its_place_is_told(metabolism: str) -> None:
    clock = FakeClock()
    mind = await fact(metabolism, clock)
    clock.forward(90 * DAY)
    found = await mind.search("peanut allergy")
    if metabolism not in HIDDEN:
        assert [hit.memory.key for hit in found.hits] == ["allergy"]
        return
    assert found.hits == ()
    assert found.left_out is not None
    assert (found.left_out.count, found.left_out.states) == (1, {HIDDEN[metabolism]: 1})
    assert [one.key for one in found.left_out.best] == ([] if metabolism == "retention" else ["allergy"])
    assert found.weak is not None
    assert (found.weak.best, found.weak.advice) == (None, "no memory matches")


@some_hide
async def test_the_way_that_is_told_leads_there(metabolism: str, state: State) -> None:
    clock = FakeClock()
    mind = await fact(metabolism, clock)
    clock.forward(90 * DAY)
    found = await mind.search("peanut allergy")
    assert found.left_out is not None
    shown = await mind.search("peanut allergy", everything=True)
    assert [(hit.memory.key, hit.memory.state) for hit in shown.hits] == [("allergy", state)]
    assert shown.left_out is None
    if metabolism == "retention":
        assert "`list` with the state expired" in found.left_out.advice
        assert [memory.key for memory in (await mind.list("expired")).memories] == ["allergy"]
        await mind.touch("allergy", revive=True)
        assert [hit.memory.key for hit in (await mind.search("peanut allergy")).hits] == ["allergy"]
    else:
        assert "`everything` shows them too" in found.left_out.advice
        before = (await mind.explain("allergy")).memory.vitality
        await mind.touch("allergy")
        assert (await mind.explain("allergy")).memory.vitality > before + 1.0


@some_hide
async def test_of_a_list_the_way_is_told_as_well(metabolism: str, state: State) -> None:
    clock = FakeClock()
    mind = await fact(metabolism, clock)
    assert (await mind.list()).advice == ""
    clock.forward(90 * DAY)
    page = await mind.list()
    assert page.left_out == {state: 1}
    assert ("`touch` with `revive`" if metabolism == "retention" else "`everything`") in page.advice


async def test_states_that_were_named_leave_nothing_to_tell() -> None:
    clock = FakeClock()
    mind = await fact("activity", clock)
    clock.forward(90 * DAY)
    assert (await mind.search("peanut", state="active")).left_out is None
    assert (await mind.search("peanut", state="cold")).left_out is None


async def test_what_is_filtered_out_by_other_than_its_state_is_not_counted() -> None:
    clock = FakeClock()
    mind = await fact("activity", clock)
    clock.forward(90 * DAY)
    assert (await mind.search("peanut", kind="task")).left_out is None
    assert (await mind.search("peanut", at_least=0.99)).left_out is None


async def test_of_a_mind_on_disk_a_preview_of_the_text_and_the_reason_are_told(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "activity", clock) as mind:
        await mind.put("Ann is allergic to peanuts. " + "x" * 300, key="allergy")
        clock.forward(90 * DAY)
        left_out = (await mind.search("peanuts")).left_out
        assert left_out is not None
        assert (left_out.count, len(left_out.best[0].text)) == (1, 200)
        assert left_out.best[0].why.startswith("cold: score")


# ---- weak


def test_the_floor_grows_with_the_logarithm_of_the_number_of_memories() -> None:
    # 0.4 · (1 + log₁₀ n) / 4: 0.1 for one, 0.2 for ten, 0.4 for a thousand; 0.5 from 10,000 on; a quarter by words
    assert [floor_of(0.4, n) for n in (0, 1, 10, 1000, 10_000, 10**6)] == pytest.approx([0.1, 0.1, 0.2, 0.4, 0.5, 0.5])
    assert floor_of(0.4, 10, words_only=True) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("texts", "question", "weak"),
    [
        (["The ferry to Lamma leaves at 8:40.", "Lin is allergic to peanuts."], "when does the boat leave?", False),
        (["小林对花生过敏。", "去南丫岛的渡轮八点四十开。"], "小林对什么过敏", False),
        (["Lin is allergic to peanuts."], "what food must Lin avoid?", False),
        (["Lin is allergic to peanuts."], "quarterly revenue of the company", True),
        (["小林对花生过敏。", "去南丫岛的渡轮八点四十开。"], "量子力学的历史", True),
        (["The ferry to Lamma leaves at 8:40.", "Lin is allergic to peanuts."], "who won the cup in 1998?", True),
    ],
)
async def test_small_minds_say_when_nothing_fits(texts: list[str], question: str, weak: bool, tmp_path: Path) -> None:
    async with ebbtide.open("ada", data=tmp_path) as mind:
        for text in texts:
            await mind.put(text)
        found = await mind.search(question, patience=30.0)
    assert len(found.hits) == len(texts)
    assert (found.weak is not None) == weak
    if found.weak is not None:
        assert found.weak.best == pytest.approx(max(hit.similarity for hit in found.hits))
        assert found.weak.advice.startswith("no good match: the best similarity is 0.")


async def test_a_floor_of_zero_calls_no_hit_weak() -> None:
    mind = await mind_in_ram("activity", tools=able_to_search(), match_floor=0.0)
    await mind.put("Ann is allergic to peanuts.")
    assert (await mind.search("zzz")).weak is None


async def test_an_answer_that_is_found_by_the_question_before_it_is_a_good_match() -> None:
    mind = await mind_in_ram("activity", tools=able_to_search(), rank_neighbour=5.0, match_floor=0.9)
    await mind.put("Where do we keep the spare key of the boat?", key="asked")
    await mind.put("Behind the kitchen door.", key="told")
    await mind.link("asked", "told", "after")
    found = await mind.search("spare key of the boat", k=1)
    assert [hit.memory.key for hit in found.hits] == ["told"]
    assert found.hits[0].similarity < floor_of(0.9, 2) == pytest.approx(0.2927, abs=1e-4)  # 0.9 · (1 + 0.30103) / 4
    assert found.weak is None
