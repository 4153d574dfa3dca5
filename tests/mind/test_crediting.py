"""Credit: what an answer drew on is touched, in every metabolism, in Chinese and English.   SPEC C15."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ebbtide
from ebbtide.core.changes import Access, Touch
from ebbtide.core.errors import Conflict, InvalidInput
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, FakeClock, able_to_search, lives, mind_in_ram, mind_on_disk

QUESTION = "When does the ferry to Lamma go?"
ANSWER = "It leaves at 8:40."


async def furnished(metabolism: str = "activity", clock: FakeClock | None = None, **params: Any) -> Mind:
    mind = await mind_in_ram(metabolism, clock, tools=able_to_search(), **params)
    await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    await mind.put("Lin lives on Lamma and is allergic to peanuts.", key="lin")
    await mind.put("小林对花生过敏，住在南丫岛。", key="过敏")
    await mind.put("渡轮八点四十分从中环码头开。", key="渡轮")
    return mind


async def changes(mind: Mind) -> list[Any]:
    return [entry.change async for entry in mind.entries()]


# ---- what is credited


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_an_answer_touches_what_it_drew_on_and_nothing_else(metabolism: str) -> None:
    mind = await furnished(metabolism)
    credited = await mind.credit(ANSWER, question=QUESTION)
    assert (credited.touched, credited.throttled, credited.skipped) == (("ferry",), (), {})
    assert credited.threshold == 0.35
    first, *others = credited.memories
    assert (first.key, first.credited, first.said, first.explained) == ("ferry", True, 1.0, 1.0)
    assert not any(one.credited for one in others)
    assert [(change.ids, change.cause) for change in await changes(mind) if isinstance(change, Touch)] == [
        ((1,), "asked")
    ]
    assert (await mind.explain("ferry")).memory.meta.last_touched_at == BIRTH
    await mind.close()


CASES = [
    (QUESTION, "At 8:40.", "ferry"),
    ("What must Lin not eat?", "Peanuts, because of the allergy.", "lin"),
    ("小林不能吃什么？", "他对花生过敏，所以不能吃花生。", "过敏"),
    ("渡轮几点开？", "八点四十分从中环码头出发。", "渡轮"),
]


@pytest.mark.parametrize(("question", "answer", "key"), CASES)
async def test_short_answers_in_both_languages_are_credited(question: str, answer: str, key: str) -> None:
    mind = await furnished()
    assert (await mind.credit(answer, question=question)).touched == (key,)


@pytest.mark.parametrize(
    "answer", ["", "  ", "I do not know.", "我不知道。", QUESTION, "The weather will be fine tomorrow."]
)
async def test_an_empty_or_unrelated_answer_touches_nothing(answer: str) -> None:
    mind = await furnished()
    before = len(await changes(mind))
    credited = await mind.credit(answer, question=QUESTION)
    assert (credited.touched, [one.confidence for one in credited.memories]) == ((), [0.0] * 4)
    assert len(await changes(mind)) == before


async def test_words_of_the_question_are_no_evidence() -> None:
    mind = await furnished()
    keys = ["ferry", "lin"]
    echo = "You asked about the ferry to Lamma."
    assert (await mind.credit(echo, keys, question=QUESTION)).memories[0].confidence == 0.0
    assert (await mind.credit(echo, keys, dry_run=True)).memories[0].rarest > 0.0


async def test_an_answer_that_names_the_day_of_a_memory_drew_on_it() -> None:
    clock = FakeClock()  # 15 June 2025
    mind = await mind_in_ram("activity", clock, tools=able_to_search())
    await mind.put("Caroline went to the support group yesterday.", key="june")
    clock.forward(60 * DAY)
    await mind.put("Caroline painted a sunrise.", key="august")
    asked = "When did Caroline go to the support group?"
    credited = await mind.credit("In June 2025.", {"june": 0.5, "august": 0.2}, question=asked)
    found = {one.key: one for one in credited.memories}
    assert (found["june"].rarest, found["august"].rarest, found["june"].said) == (1.0, 0.0, 0.0)
    assert found["june"].credited


async def test_the_threshold_is_a_parameter_and_zero_still_needs_something_in_common() -> None:
    mind = await furnished(credit_threshold=1.0)
    assert (await mind.credit(ANSWER, question=QUESTION)).touched == ()
    await mind.configure(credit_threshold=0.0)
    credited = await mind.credit(ANSWER, question=QUESTION)
    assert (credited.threshold, credited.touched) == (0.0, ("ferry",))


# ---- what was shown


async def test_hits_keys_similarities_and_a_question_alone_tell_what_was_shown() -> None:
    mind = await furnished()
    found = await mind.search(QUESTION)
    similar = {hit.memory.key: hit.similarity for hit in found.hits}
    ways: list[Any] = [found, found.hits, similar, list(similar), None]
    every = [await mind.credit(ANSWER, way, question=QUESTION, dry_run=True) for way in ways]
    for credited in every:
        assert {one.key: one.similarity for one in credited.memories} == pytest.approx(similar)
        assert credited.memories[0].confidence == pytest.approx(every[0].memories[0].confidence)


async def test_without_a_question_the_similarity_is_a_usual_one() -> None:
    mind = await furnished()
    credited = await mind.credit(ANSWER, ["ferry", "lin"], dry_run=True)
    assert [(one.key, one.similarity) for one in credited.memories] == [("ferry", 0.3), ("lin", 0.3)]
    assert (await mind.credit(ANSWER, "ferry", dry_run=True)).memories[0].key == "ferry"


async def test_what_is_gone_or_expired_is_told_and_is_no_error() -> None:
    clock = FakeClock()
    mind = await furnished("retention", clock)
    await mind.forget("lin")
    clock.forward(30 * DAY)
    await mind.put("The ferry to Lamma leaves at 8:40 on Sundays.", key="sunday")
    credited = await mind.credit(ANSWER, ["ferry", "lin", "nobody", "sunday"], question=QUESTION)
    assert credited.skipped == {"ferry": "expired", "lin": "unknown", "nobody": "unknown"}
    assert credited.touched == ("sunday",)
    await mind.close()


async def test_one_that_is_forgotten_meanwhile_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    mind = await furnished()
    await mind.put("Ferries leave at 8:40, too.", key="other")
    touch, told = mind.touch, list[tuple[str, ...]]()

    async def late(*keys: str, revive: bool = False) -> Any:
        told.append(keys)
        if len(told) == 1:
            await mind.forget("ferry")
        return await touch(*keys, revive=revive)

    monkeypatch.setattr(mind, "touch", late)
    credited = await mind.credit(ANSWER, {"ferry": 0.9, "other": 0.9}, question="when?")
    assert [sorted(keys) for keys in told] == [["ferry", "other"], ["other"]]
    assert (credited.touched, credited.skipped) == (("other",), {"ferry": "unknown"})


# ---- what it leaves behind


async def test_a_dry_run_tells_and_touches_nothing() -> None:
    mind = await furnished()
    before = await changes(mind)
    credited = await mind.credit(ANSWER, question=QUESTION, dry_run=True)
    assert (credited.memories[0].credited, credited.touched, credited.throttled) == (True, (), ())
    assert await changes(mind) == before


async def test_a_use_within_the_hour_counts_once() -> None:
    clock = FakeClock()
    mind = await furnished(clock=clock)
    assert (await mind.credit(ANSWER, question=QUESTION)).touched == ("ferry",)
    again = await mind.credit(ANSWER, question=QUESTION)
    assert (again.touched, again.throttled) == ((), ("ferry",))
    clock.forward(HOUR)
    assert (await mind.credit(ANSWER, question=QUESTION)).touched == ("ferry",)


async def test_finding_out_what_was_shown_is_no_use_even_where_hits_count() -> None:
    mind = await furnished(count_hits=True)
    await mind.credit("nothing of it", question=QUESTION)
    assert not [change for change in await changes(mind) if isinstance(change, Access)]


async def test_evidence_of_what_was_credited_is_touched_too() -> None:
    mind = await furnished("retention")
    await mind.put("The timetable of the pier.", key="timetable")
    await mind.link("ferry", "timetable", "SUPPORTED_BY")
    await mind.credit(ANSWER, question=QUESTION)
    await mind.settled()
    assert (await mind.explain("timetable")).memory.meta.last_touched_at == BIRTH
    await mind.close()


async def test_a_mind_of_the_past_can_be_asked_but_not_touched(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
        clock.forward(HOUR)
        past = await mind.as_of(BIRTH + 60)
        assert (await past.credit(ANSWER, question=QUESTION, dry_run=True)).memories[0].credited
        with pytest.raises(Conflict):
            await past.credit(ANSWER, question=QUESTION)
        await past.close()


async def test_replayed_the_mind_is_the_same(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path) as mind:
        await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
        await mind.credit(ANSWER, question=QUESTION)
        assert not await mind.check()


# ---- what cannot be asked

WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (lambda mind: mind.credit(ANSWER), "give what was shown, as hits or keys, or the question"),
    (lambda mind: mind.credit(ANSWER, question=" "), "'question' is empty"),
    (lambda mind: mind.credit(7, question=QUESTION), "'answer' must be text, not int"),
    (lambda mind: mind.credit("a\0", question=QUESTION), "'answer' holds a NUL"),
    (lambda mind: mind.credit("a" * 1_000_001, question=QUESTION), "'answer' has 1,000,001 characters"),
    (lambda mind: mind.credit(ANSWER, [7]), "what was shown is told by hits or keys, not 7"),
    (lambda mind: mind.credit(ANSWER, {"ferry": math.nan}), "a similarity is a number from 0 to 1, not nan"),
    (lambda mind: mind.credit(ANSWER, {"ferry": "much"}), "a similarity is a number from 0 to 1, not 'much'"),
    (lambda mind: mind.credit(ANSWER, [f"k{n}" for n in range(1001)]), "at most 1,000 memories"),
]


@pytest.mark.parametrize(("ask", "problem"), WRONG)
async def test_what_cannot_be_credited_is_a_clear_error(ask: Callable[[Any], Any], problem: str) -> None:
    mind = await furnished()
    with pytest.raises(InvalidInput, match=problem):
        await ask(mind)


# ---- what must always hold

TEXTS = (
    "The ferry to Lamma leaves at 8:40 on 3 May.", "Lin is allergic to peanuts, since June 2021.",
    "小林五月三日搬到南丫岛。", "渡轮八点四十分开，2025年6月15日起。", "The rent is 9,200 dollars.",
    "ORD-2291 arrived.",
)  # fmt: skip
texts = st.lists(st.sampled_from(TEXTS), max_size=3).map("\n".join)


@lives
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True), texts, st.sampled_from(["", *TEXTS]))
async def test_saying_a_memorys_own_text_never_lowers_its_confidence(
    memories: list[str], answer: str, question: str
) -> None:
    mind = await mind_in_ram(tools=able_to_search())
    for number, text in enumerate(memories):
        await mind.put(text, key=f"k{number}")
    shown = {f"k{number}": 0.4 for number in range(len(memories))}

    async def confidences(said: str) -> dict[str, float]:
        credited = await mind.credit(said, shown, question=question or None, dry_run=True)
        return {one.key: one.confidence for one in credited.memories}

    before = await confidences(answer)
    for number, text in enumerate(memories):
        assert (await confidences(f"{answer}\n{text}"))[f"k{number}"] >= before[f"k{number}"] - 1e-12


async def test_the_confidence_is_the_same_after_the_mind_was_closed(tmp_path: Path) -> None:
    async def asked(mind: ebbtide.Mind) -> list[float]:
        found = await mind.credit(ANSWER, ["ferry", "lin"], question=QUESTION, dry_run=True)
        return [one.confidence for one in found.memories]

    async with mind_on_disk(tmp_path) as mind:
        for key, text in {"ferry": "The ferry leaves at 8:40.", "lin": "Lin leaves.", "gone": "It leaves."}.items():
            await mind.put(text, key=key)
        await mind.search("ferry")
        await mind.forget("gone")
        before = await asked(mind)
    async with mind_on_disk(tmp_path) as mind:
        assert await asked(mind) == before
