"""Remember in every metabolism (C14): segments with their time, linked by order, through the same queue."""

import logging
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.core.changes import PutLink, PutMemory, Settle
from ebbtide.core.errors import Conflict, InvalidInput, ModelFailed, UnknownTask
from ebbtide.core.memory import DAY, State
from ebbtide.core.ports import Distilled
from ebbtide.mind import Mind
from tests.builders import BIRTH
from tests.helpers import FakeClock, everything, mind_in_ram, mind_on_disk, snapshot, store_of
from tests.scripted_model import FindingFacts, ScriptedModel, by_text, links, said, texts, told_in_ram

METABOLISMS = ("activity", "score", "retention")
every = pytest.mark.parametrize("metabolism", METABOLISMS)


async def tell(mind: Mind, *contents: str, **more: Any) -> None:
    await mind.remember(said(*contents, **more))
    await mind.idle()


# ---- what becomes of a conversation


@every
async def test_every_segment_becomes_a_memory_with_phrase_keywords_and_nothing_else(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    await tell(mind, "Lin took the ferry | Mei stayed at home", "Nobody called")
    found = await everything(mind)
    assert [(memory.key, memory.text, memory.kind) for memory in found] == [
        ("m1", "Lin took the ferry", "segment"),
        ("m2", "Mei stayed at home", "segment"),
        ("m3", "Nobody called", "segment"),
    ]
    assert (found[0].phrase, found[0].keywords) == ("Lin took", ("took", "ferry"))
    assert await mind.queue() == []  # no compression is due
    assert await mind.compress() is True


@every
async def test_one_task_is_one_batch_and_the_model_is_not_asked_for_relations(metabolism: str) -> None:
    model = ScriptedModel()
    mind = await told_in_ram(metabolism, model)
    task = await mind.remember(said("Lin left | Mei came"))
    await mind.idle()
    assert model.asked == ["segment", "distil", "distil"]
    made = [entry async for entry in mind.entries() if entry.seq > task]
    assert [type(entry.change) for entry in made] == [PutMemory, PutMemory, PutLink, PutLink, Settle]
    assert [bool(entry.token) for entry in made] == [True, False, False, False, False]


@every
@pytest.mark.parametrize(
    ("contents", "forward", "back"),
    [(("Lin left | Mei came", "Oz slept"), "after", "before"), (("小林走了 | 小梅来了", "大卫睡了"), "下文", "上文")],
)
async def test_neighbours_of_one_conversation_are_linked_in_its_language(
    metabolism: str, contents: tuple[str, ...], forward: str, back: str
) -> None:
    mind = await told_in_ram(metabolism)
    await tell(mind, *contents)
    await tell(mind, "another conversation")
    one, two, three, _ = await texts(mind)
    assert await links(mind) == {
        (one, forward, two, 0.5), (two, back, one, 0.5), (two, forward, three, 0.5), (three, back, two, 0.5),
    }  # fmt: skip


@every
async def test_a_memory_is_as_old_as_the_message_it_comes_from(metabolism: str) -> None:
    clock = FakeClock(BIRTH + 10 * DAY)
    mind = await told_in_ram(metabolism, clock=clock)
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Lin left | early", "timestamp": BIRTH + DAY},
        {"role": "assistant", "content": "noted"},
        {"role": "user", "content": "Mei came", "timestamp": BIRTH + 2 * DAY},
        {"role": "user", "content": "Oz will sleep", "timestamp": BIRTH + 99 * DAY},
    ]
    await mind.remember(messages)
    await tell(mind, "Kim sang")
    made = {memory.text: (memory.created_at - BIRTH) / DAY for memory in await everything(mind)}
    assert made == {
        "Lin left": 1.0, "early": 1.0, "noted": 1.0, "Mei came": 2.0, "Oz will sleep": 10.0, "Kim sang": 10.0,
    }  # fmt: skip


@every
async def test_order_links_neither_keep_a_memory_alive_nor_show_as_degrees(metabolism: str) -> None:
    told, put = await told_in_ram(metabolism), await told_in_ram(metabolism)
    await tell(told, "Lin left | Mei came | Oz slept")
    for text in ("Lin left", "Mei came", "Oz slept"):
        await put.put(text)
    for days in (0.0, 1.0, 30.0):
        alive = [await told.explain(f"m{number}", at=BIRTH + days * DAY) for number in (1, 2, 3)]
        alone = [await put.explain(f"m{number}", at=BIRTH + days * DAY) for number in (1, 2, 3)]
        assert [one.memory.vitality for one in alive] == [one.memory.vitality for one in alone]
        assert [one.terms for one in alive] == [one.terms for one in alone]
    middle = await told.look(2)
    assert (middle.meta.in_degree, middle.meta.out_degree, middle.meta.last_linked_at) == (0, 0, None)


@every
async def test_follow_walks_the_order_by_either_name_and_the_walk_counts(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    await tell(mind, "Lin left | Mei came | Oz slept")
    assert [(step.relation, step.key) for step in await mind.follow("m2")] == [("before", "m1"), ("after", "m3")]
    assert [step.key for step in await mind.follow("m2", ["下文"])] == ["m3"]
    assert [(await mind.look(number)).meta.traverse_count for number in (1, 2, 3)] == [1, 0, 2]


@every
async def test_a_search_also_finds_what_stands_beside_a_hit_in_its_conversation(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    await tell(mind, "Where did zebras sleep | under that bridge", "elsewhere")
    found = await mind.search("zebras sleep", explain=True)
    assert [hit.memory.key for hit in found.hits] == ["m1", "m2"]
    beside = found.hits[1].why
    assert beside is not None
    assert (beside.lifted_by, beside.by_words) == (None, 0.0)
    assert "neighbour" in {term.name for term in beside.terms}


@every
async def test_what_was_forgotten_comes_back_with_its_place_in_the_conversation(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    await tell(mind, "Lin left | Mei came | Oz slept")
    whole, before = await links(mind), await everything(mind)
    await mind.forget("m2")
    assert await links(mind) == set()
    assert {(trace.source, trace.relation) for trace in await mind.traces()} == {("m1", "after"), ("m3", "before")}
    await mind.restore("m2")
    assert await links(mind) == whole
    assert await everything(mind) == before
    assert await mind.check() == []


@every
async def test_a_mind_that_was_told_things_replays_to_the_bit(metabolism: str, tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, metabolism) as mind:
        await tell(mind, "Lin took the ferry to Lamma. By the way, the rent is 9,200 dollars.", "Noted!")
        await mind.follow("m1")
        await mind.forget("m2")
        assert await mind.check() == []
        left = await snapshot(mind)
    async with mind_on_disk(tmp_path, metabolism) as mind:
        assert await snapshot(mind) == left  # degrees are counted from the links again
        await mind.restore("m2")
        assert await mind.check() == []


# ---- the queue


class Failing(ScriptedModel):
    async def distil(self, segment: str) -> Distilled:
        if "Mei" in segment:
            raise ModelFailed(detail="HTTP 500")
        return await super().distil(segment)


@every
async def test_what_failed_is_set_aside_and_can_be_tried_again_or_given_up(
    metabolism: str, caplog: pytest.LogCaptureFixture
) -> None:
    mind = await told_in_ram(metabolism, Failing(deterministic=False), max_retries=2)
    await mind.remember(said("Lin left"))
    failed = await mind.remember(said("Mei came"))
    await tell(mind, "Oz slept")
    assert await texts(mind) == ["Lin left", "Oz slept"]
    (left,) = await mind.queue()
    assert (left.id, left.error) == (
        failed,
        "The small model gave no usable answer: HTTP 500 (asked 2 times).",
    )
    await mind.retry(failed)
    await mind.idle()
    assert len(await mind.queue()) == 1
    await mind.drop(failed)
    assert await mind.queue() == []
    with pytest.raises(UnknownTask):
        await mind.retry(failed)
    assert "set aside" in caplog.text


@every
async def test_a_task_that_waits_cannot_be_retried(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    task = await mind.remember(said("Lin left"))
    with pytest.raises(Conflict, match="has not failed"):
        await mind.retry(task)


@every
async def test_what_was_left_in_the_queue_is_taken_up_when_the_mind_is_opened_again(
    metabolism: str, tmp_path: Path
) -> None:
    for number in range(3):
        async with mind_on_disk(tmp_path, metabolism) as mind:
            await mind.remember(said(f"Number {number} came up."))  # and closed before it is understood
    async with mind_on_disk(tmp_path, metabolism) as mind:
        await mind.idle()
        assert await texts(mind) == [f"Number {number} came up." for number in range(3)]
        assert await mind.queue() == []


@every
async def test_a_key_that_is_taken_meanwhile_does_not_fail_the_task(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    await mind.put("mine", key="m2")
    await tell(mind, "Lin left")
    assert [(memory.key, memory.text) for memory in await everything(mind)] == [("m2", "mine"), ("m2-2", "Lin left")]


# ---- what other minds do not have


@every
async def test_recall_names_search_and_focus_and_fading_are_refused(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    with pytest.raises(InvalidInput, match=f"this takes a network mind; this one lives by {metabolism}: use search"):
        await mind.recall(["Lin"])
    with pytest.raises(InvalidInput, match="it has no focus"):
        await mind.focus()
    with pytest.raises(InvalidInput, match="it has no cycles"):
        await mind.fade()


async def test_a_view_is_told_nothing_and_without_a_model_nothing_is_taken() -> None:
    mind = await told_in_ram("score")
    await tell(mind, "Lin left")
    with pytest.raises(InvalidInput, match="a view of another time or regime can be looked at, but is told nothing"):
        await (await mind.as_of(BIRTH)).remember(said("Mei came"))
    bare = await mind_in_ram("score")
    before = await snapshot(bare)
    with pytest.raises(InvalidInput, match="without a small model"):
        await bare.remember(said("Lin left"))
    assert await snapshot(bare) == before


async def test_a_network_mind_seen_as_another_counts_no_order() -> None:
    mind = await told_in_ram("network")
    await mind.remember(said("lin left | mei came"))
    await mind.idle()
    other = await mind.replay(metabolism="activity")
    assert [(one.meta.in_degree, one.meta.out_degree) for one in await everything(other)] == [(0, 0), (0, 0)]


# ---- facts


async def facts(mind: Mind) -> list[str]:
    return await texts(mind, "fact")


SAID = "Lin pays 9,200 dollars for it"


@pytest.mark.parametrize("metabolism", [*METABOLISMS, "network"])
async def test_facts_hang_on_the_segment_that_bears_them_out(metabolism: str) -> None:
    model = FindingFacts(["Lin pays 9,200 dollars."], [])
    clock = FakeClock(BIRTH + DAY)
    mind = await told_in_ram(metabolism, model, clock, distil="facts")
    await tell(mind, SAID, "hello", timestamp=BIRTH)
    assert await facts(mind) == ["Lin pays 9,200 dollars."]
    fact, segment = await by_text(mind, "Lin pays 9,200 dollars."), await by_text(mind, SAID)
    assert (fact.kind, fact.created_at, fact.keywords) == ("fact", BIRTH, ("pays", "dollars"))
    assert (fact.text, "SUPPORTED_BY", SAID, 1.0) in await links(mind)
    assert (await mind.look(fact.id)).meta.out_degree == 1
    assert segment.created_at == BIRTH
    assert await mind.check() == []


async def test_using_a_fact_keeps_its_segment() -> None:
    mind = await told_in_ram("retention", FindingFacts(["Lin pays 9,200 dollars."]), distil="facts")
    await tell(mind, SAID)
    await mind.touch("m2")
    await mind.settled()
    assert (await mind.look(1)).meta.access_count == 1
    assert (await mind.look(1)).meta.protected is True
    assert (await mind.explain("m1", at=BIRTH + 90 * DAY)).memory.state is State.ACTIVE


@pytest.mark.parametrize(
    "answers",
    [
        [
            [
                "Lin pays 9,200 dollars.",
                "Bo pays 9,200 dollars.",
                "Lin pays 9,300 dollars.",
                "Does Lin pay?",
                "林付钱了。",
            ]
        ],
        [["Bo pays it all."], ["Lin pays 9,200 dollars."]],  # not one was usable: asked again
        [ModelFailed(detail="HTTP 500"), ["Lin pays 9,200 dollars.", "lin pays 9,200 dollars"]],
    ],
)
async def test_faulty_facts_are_left_out_one_by_one(answers: list[list[str] | Exception]) -> None:
    mind = await told_in_ram("activity", FindingFacts(*answers), distil="facts")
    await tell(mind, SAID)
    assert await facts(mind) == ["Lin pays 9,200 dollars."]


@pytest.mark.parametrize("answer", [["Bo pays 7 dollars."], ModelFailed(detail="HTTP 500")])
async def test_without_a_usable_fact_the_segment_is_kept(
    answer: list[str] | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    model = FindingFacts(answer)
    mind = await told_in_ram("activity", model, distil="facts")
    await tell(mind, SAID)
    assert (await texts(mind), await facts(mind), await mind.queue()) == ([SAID], [], [])
    assert model.asked.count("facts") == 3  # of the fifteen a segment may cost
    assert "a segment is kept without facts" in caplog.text


async def test_without_the_parameter_no_facts_are_asked_for() -> None:
    model = FindingFacts(["Lin pays 9,200 dollars."])
    mind = await told_in_ram("activity", model)
    await tell(mind, SAID)
    assert "facts" not in model.asked
    await mind.configure(distil="facts")
    await tell(mind, SAID)
    assert await facts(mind) == ["Lin pays 9,200 dollars."]


async def test_the_built_in_model_says_that_it_finds_no_facts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "ebbtide")
    async with ebbtide.open("ada", data=tmp_path, distil="facts") as mind:
        assert caplog.text.count("takes a served model") == 1  # when it is made
        await mind.configure(distil="facts")
        assert caplog.text.count("takes a served model") == 2
        for _ in range(2):
            await tell(mind, "Lin pays 9,200 dollars.")
        assert caplog.text.count("takes a served model") == 3  # once, however often it is told
        assert (await texts(mind), await facts(mind)) == (["Lin pays 9,200 dollars."] * 2, [])


async def test_an_unknown_way_to_distil_falls_back() -> None:
    mind = await told_in_ram("activity")
    (fallback,) = await mind.configure(distil="poems")
    assert (fallback.name, fallback.default) == ("distil", "segments")
    assert store_of(mind).regime.common.distil == "segments"
