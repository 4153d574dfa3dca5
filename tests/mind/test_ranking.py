"""Searching a mind: conversations, times, speakers and what is said again count in the rank, and explain tells how."""

from pathlib import Path

import pytest

import ebbtide
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from ebbtide.mind.search import Found, Hit
from ebbtide.models.questions import SENTENCES
from tests.hashing import Hashing, searchable
from tests.helpers import METABOLISMS, FakeClock

JUNE_14 = 1_686_744_000.0  # Wednesday, 14 June 2023, 12:00 UTC

each_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)


def keys(found: Found) -> list[str]:
    return [hit.memory.key for hit in found.hits]


def terms(hit: Hit) -> dict[str, float]:
    assert hit.why is not None
    return {term.name: term.value for term in hit.why.terms}


async def put(mind: Mind, clock: FakeClock, days_ago: float, text: str, key: str, speaker: str = "") -> None:
    now, clock.moment = clock.moment, clock.moment - days_ago * DAY
    await mind.put(text, key=key, speaker=speaker)
    clock.moment = now


# ---- conversation


@each_metabolism
async def test_an_answer_without_a_word_of_the_question_is_found_beside_it(metabolism: str) -> None:
    mind = await searchable(None, metabolism)
    for key, text in {
        "asked": "Where do the zebras sleep?",
        "told": "Under that bridge.",
        "other": "Tea at four.",
    }.items():
        await mind.put(text, key=key)
    assert keys(await mind.search("zebras sleep")) == ["asked"]
    await mind.link("asked", "told", "after", 0.5)
    found = await mind.search("zebras sleep", explain=True)
    assert sorted(keys(found)) == ["asked", "told"]
    told = next(hit for hit in found.hits if hit.memory.key == "told")
    assert {"neighbour", "answer", "joint_words"} <= set(terms(told))
    assert told.similarity == 0.0


@each_metabolism
async def test_a_link_of_another_name_lifts_as_before(metabolism: str) -> None:
    mind = await searchable(None, metabolism)
    await mind.put("Where do the zebras sleep?", key="asked")
    await mind.put("Under that bridge.", key="told")
    await mind.link("asked", "told", "next", 0.5)
    told = (await mind.search("zebras sleep", explain=True)).hits[1]
    assert told.why is not None
    assert (told.memory.key, told.why.lifted_by) == ("told", "asked")
    assert "neighbour" not in terms(told)


async def test_a_question_that_matches_ranks_below_its_answer_that_matches_as_well() -> None:
    mind = await searchable(None, "tide")
    await mind.put("Did the ferry to Lamma leave?", key="asked")
    await mind.put("The ferry to Lamma leaves soon.", key="told")
    assert keys(await mind.search("ferry to Lamma"))[0] == "told"


# ---- times


@pytest.mark.parametrize("text", ["What did we plant two weeks ago?", "两周前种了什么 plant？"])
async def test_a_time_is_meant_relative_to_when_it_is_asked(text: str) -> None:
    clock = FakeClock(JUNE_14)
    mind = await searchable(None, "network", clock)
    await put(mind, clock, 14, "a plant for the garden", "then")
    await put(mind, clock, 2, "a plant for the kitchen", "since")
    found = await mind.search(text, explain=True)
    assert keys(found)[0] == "then"
    assert [terms(hit).get("time", 0.0) for hit in found.hits] == [1.0, 0.0]


async def test_a_wrong_guess_of_the_time_costs_a_fifth_at_most() -> None:
    clock = FakeClock(JUNE_14)
    mind = await searchable(None, "network", clock)
    await put(mind, clock, 30, "the plant with red leaves in a blue pot", "meant")
    await put(mind, clock, 1, "a plant", "yesterday")
    found = await mind.search("which plant with red leaves in a blue pot came yesterday?", explain=True)
    meant = next(hit for hit in found.hits if hit.memory.key == "meant")
    other = next(hit for hit in found.hits if hit.memory.key == "yesterday")
    assert (terms(other)["time"], terms(meant).get("time")) == (1.0, None)
    assert keys(found)[0] == "meant"


async def test_a_question_for_a_time_finds_what_names_one() -> None:
    mind = await searchable(None, "network")
    await mind.put("the boiler was repaired on Tuesday morning", key="dated")
    await mind.put("the boiler was repaired by Ada and her son", key="undated")
    assert keys(await mind.search("when was the boiler repaired?"))[0] == "dated"


# ---- speakers


async def test_what_the_user_said_comes_first_when_the_user_asks_about_themselves() -> None:
    mind = await searchable(None, "network")
    await mind.put("a flat in Lamma with a garden", key="hers", speaker="assistant")
    await mind.put("a flat in Lamma with a terrace", key="mine", speaker="user")
    assert keys(await mind.search("my flat in Lamma"))[0] == "mine"
    found = await mind.search("a flat in Lamma", explain=True)
    assert not any("user" in terms(hit) for hit in found.hits)


async def test_the_speaker_that_a_question_names_comes_first() -> None:
    mind = await searchable(None, "network")
    await mind.put("a painting of the harbour", key="one", speaker="Caroline")
    await mind.put("a painting of the harbour at night", key="two", speaker="Melanie")
    assert keys(await mind.search("Caroline painting harbour"))[0] == "one"
    assert keys(await mind.search("Melanie painting harbour"))[0] == "two"


async def test_remember_tells_who_said_it(tmp_path: Path) -> None:
    async with ebbtide.open("ada", data=tmp_path, embedder=Hashing()) as mind:
        talk = [
            {"role": "user", "name": "Lin", "content": "I keep my passport in the blue drawer of the desk upstairs."},
            {
                "role": "assistant",
                "content": "A blue drawer upstairs is a sensible place for any passport to be kept in.",
            },
        ]
        await mind.remember(talk)
        await mind.idle()
        found = await mind.search("Where did Lin say the passport is?", explain=True)
    assert found.hits[0].memory.speaker == "Lin"
    assert terms(found.hits[0])["speaker"] == 1.0


# ---- what is said again


@pytest.mark.parametrize("metabolism", ["activity", "network", "score", "retention"])
async def test_what_a_newer_memory_says_again_ranks_below_it(metabolism: str) -> None:
    mind = await searchable(Hashing(), metabolism)
    for key in ("older", "newer"):
        await mind.put("Lin lives in Kowloon with her cat.", key=key)
    found = await mind.search("where does Lin live", explain=True)
    assert keys(found) == ["newer", "older"]
    assert [terms(hit).get("superseded", 0.0) for hit in found.hits] == [0.0, pytest.approx(1.0, abs=0.01)]


async def test_two_people_who_say_the_same_of_themselves_both_count() -> None:
    mind = await searchable(Hashing(), "activity")
    for speaker in ("Lin", "Mei"):
        await mind.put("I live in Kowloon with my cat.", key=speaker, speaker=speaker)
    found = await mind.search("who has a cat in Kowloon", explain=True)
    assert not any("superseded" in terms(hit) for hit in found.hits)


# ---- explained, and weighed otherwise


@each_metabolism
async def test_the_terms_that_are_told_add_up_to_the_score(metabolism: str) -> None:
    clock = FakeClock(JUNE_14)
    mind = await searchable(Hashing(), metabolism, clock)
    await put(mind, clock, 0.4, "When does my ferry leave?", "asked", speaker="user")
    await put(mind, clock, 0.3, "The ferry leaves at nine.", "told", speaker="assistant")
    await put(mind, clock, 0.2, "I take the ferry today.", "mine", speaker="user")
    await mind.link("asked", "told", "after", 0.5)
    found = await mind.search("When did I take my ferry today?", explain=True)
    assert len(found.hits) == 3
    for hit in found.hits:
        why = hit.why
        assert why is not None
        base = hit.similarity + sum(term.points for term in why.terms)
        alive = (
            base * why.vitality
            if metabolism == "retention"
            else base + (0.2 if metabolism == "tide" else 0.1) * why.scaled
        )
        assert hit.score == pytest.approx(alive, abs=1e-9)
        assert all(term.points == pytest.approx(term.weight * term.value) and term.value for term in why.terms)


@each_metabolism
async def test_a_metabolism_leaves_out_what_its_vitality_says_already(metabolism: str) -> None:
    mind = await searchable(Hashing(), metabolism)
    await mind.put("I take the ferry.", key="k")
    told = terms((await mind.search("ferry", explain=True)).hits[0])
    assert ("recency" in told) is (metabolism == "network")
    assert ("first_person" in told) is (metabolism != "tide")


async def test_with_every_weight_at_zero_similarity_and_vitality_are_left() -> None:
    mind = await searchable(None, "network")
    await mind.configure(**{name: 0.0 for name in mind.params if name.startswith("rank_")})
    await mind.put("The ferry leaves at nine.", key="k")
    hit = (await mind.search("ferry", explain=True)).hits[0]
    assert hit.score == hit.similarity


async def test_plain_and_explained_searches_rank_alike() -> None:
    mind = await searchable(Hashing(), "activity")
    for number in range(30):
        await mind.put(f"Ferry {number} leaves pier {number % 3} {'today' * (number % 2)}", key=f"k{number}")
        if number:
            await mind.link(f"k{number - 1}", f"k{number}", "after", 0.5)
    plain, told = [await mind.search("ferry 7 pier 2 today", explain=explain) for explain in (False, True)]
    assert [(hit.memory.key, hit.score) for hit in plain.hits] == [(hit.memory.key, hit.score) for hit in told.hits]
    assert all(hit.why is None for hit in plain.hits)


# ---- cost


async def test_a_question_and_its_sentences_are_embedded_in_one_bounded_call() -> None:
    embedder = Hashing()
    mind = await searchable(embedder)
    await mind.put("The ferry leaves at nine.", key="k")
    await mind.reembed()
    embedder.texts.clear()
    await mind.search(" ".join(f"This is sentence number {number} of a very long turn." for number in range(50)))
    assert len(embedder.texts) == 1 + SENTENCES
    embedder.texts.clear()
    await mind.search("When does the ferry leave?")
    assert embedder.texts == ["When does the ferry leave?"]


async def test_a_search_by_similarity_alone_embeds_no_sentences() -> None:
    embedder = Hashing()
    mind = await searchable(embedder)
    await mind.put("The ferry leaves at nine.", key="k")
    await mind.reembed()
    embedder.texts.clear()
    text = "The ferry was late again this very morning. When does the next one leave from pier two?"
    await mind.search(text, vitality=False)
    assert embedder.texts == [text]
