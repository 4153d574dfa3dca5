"""The two conversations of the docs, lived through by a mind with the built-in model: §N from end to end."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from ebbtide.core.answers import segments_fault
from ebbtide.core.entities import PRONOUNS
from ebbtide.core.language import is_chinese
from ebbtide.core.memory import Memory, Message
from ebbtide.core.ports import Distilled
from ebbtide.mind import Mind
from ebbtide.models.builtin import BuiltinModel
from tests.helpers import FakeClock, everything, store_of
from tests.models.conversations import conversation, names_and_numbers
from tests.scripted_model import network_in_ram, settle, tell, texts

pytestmark = pytest.mark.parametrize("language", ["zh", "en"])

LATER = 1_800_000_000.0  # after all that was said

# The messages that turn to something else, and names that belong to one subject each.
TURNS = {"zh": (6, 12, 18, 24), "en": (10, 16, 24, 28)}
SUBJECTS = {
    "zh": (
        ("豆豆", "王医生"),
        ("张伟", "陈晓彤", "赵敏"),
        ("小雨", "张记餐厅", "生日"),
        ("顺安搬运", "高铁"),
        ("郑", "林若溪"),
    ),
    "en": (("Biscuit", "Lindqvist"), ("Daniel", "Marta", "Lisbon"), ("Okafor", "Copper Kettle", "oven")),
}


class Told(NamedTuple):
    """A segment as the model saw it: what it says, what is in it, and what it is to each focus point."""

    text: str
    gist: Distilled
    relations: dict[str, str]


class Recording(BuiltinModel):
    """Writes down what it answers: one list of segments for each remember."""

    def __init__(self) -> None:
        self.told: list[list[Told]] = []

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        self.told.append([])
        return await super().segment(messages)

    async def distil(self, segment: str) -> Distilled:
        gist = await super().distil(segment)
        # Whether a pronoun counts depends on the segment before: see test_entities.py.
        gist = replace(gist, entities=tuple(name for name in gist.entities if name.casefold() not in PRONOUNS))
        self.told[-1].append(Told(segment, gist, {}))
        return gist

    async def relation(self, segment: str, entity: str) -> str:
        relation = await super().relation(segment, entity)
        self.told[-1][-1].relations[entity.casefold()] = relation
        return relation


async def begun(**params: Any) -> tuple[Mind, Recording]:
    model = Recording()
    return await network_in_ram(model, FakeClock(LATER), **params), model


async def heard(language: str, **params: Any) -> tuple[Mind, Recording]:
    """A mind that was told the whole conversation, two turns at a time, and has not faded since."""
    mind, model = await begun(**params)
    talk = conversation(language)
    for first in range(0, len(talk), 2):
        await mind.remember(talk[first : first + 2])
    await mind.idle()
    assert [task.error for task in await mind.queue()] == [None] * 15  # fifteen cycles are due
    return mind, model


async def segments_of(mind: Mind) -> list[Memory]:
    return [memory for memory in await everything(mind) if memory.kind == "segment"]


# ---- segments


async def test_segments_are_sensible(language: str) -> None:
    mind, _ = await begun()
    talk = conversation(language)
    await mind.remember(talk)
    await mind.idle()
    found = await texts(mind)
    assert segments_fault(talk, found) is None  # all that was said, in its order
    assert 20 <= len(found) <= 45  # of thirty turns with two or three sentences each
    longest = {"zh": 200, "en": 400}[language]  # `sentences.LONGEST`
    assert all(5 <= len(text) <= longest for text in found)
    for turn in TURNS[language]:  # something new begins a new segment
        assert any(text.startswith(talk[turn].content[:8]) for text in found)
    for text in found:  # and no segment speaks of two things
        assert sum(any(name in text for name in names) for names in SUBJECTS[language]) <= 1, text


async def test_every_segment_is_filed_with_words_of_its_own(language: str) -> None:
    mind, _ = await heard(language)
    for memory in await segments_of(mind):
        assert memory.phrase
        assert len(memory.phrase) <= len(memory.text)
        assert all(word.casefold() in memory.text.casefold() for word in memory.keywords)
        assert memory.created_at in {message.timestamp for message in conversation(language)}


# ---- focus


def mentioned(focus: list[str], entities: Sequence[str], limit: int) -> list[str]:
    """The LRU rule, said once more: the freshest first. What is named first counts as mentioned last."""
    for name in reversed([name.casefold() for name in entities][:limit]):
        focus = [name, *(other for other in focus if other != name)]
    return focus[:limit]


@pytest.mark.parametrize("limit", [5, 2])
async def test_focus_after_each_step_is_as_the_lru_rule_says(language: str, limit: int) -> None:
    mind, model = await begun(focus_limit=limit)
    talk, expected = conversation(language), list[str]()
    for first in range(0, len(talk), 2):
        await mind.remember(talk[first : first + 2])
        await mind.idle()
        for told in model.told[-1]:
            expected = mentioned(expected, told.gist.entities, limit)
        assert [name.casefold() for name in await mind.focus()] == expected, talk[first].content


async def test_what_was_spoken_of_last_is_in_focus(language: str) -> None:
    mind, _ = await heard(language)
    last = {"zh": ("身份证", "充电器"), "en": ("Leeds", "oven")}[language]
    assert set(last) <= set(await mind.focus())


# ---- links


async def test_links_are_exactly_those_of_the_specification(language: str) -> None:
    mind, model = await heard(language)
    keys = iter([memory.key for memory in await segments_of(mind)])
    focus: list[str] = []
    expected: set[tuple[str, str, str, float]] = set()
    for remembered in model.told:
        said = []
        for told in remembered:
            said.append(next(keys))
            focus = mentioned(focus, told.gist.entities, 5)
            for name in focus:
                relation, point = told.relations[name], f"entity/{name}"
                expected |= {(said[-1], relation, point, 1.0), (point, relation, said[-1], 1.0)}
        forward, back = ("下文", "上文") if language == "zh" else ("after", "before")
        for one, two in pairwise(said):
            expected |= {(one, forward, two, 0.5), (two, back, one, 0.5)}
    memories = {memory.id: memory.key for memory in await everything(mind)}
    found = {
        (memories[link.source], link.relation, memories[link.target], link.strength)
        for memory in memories
        for link in await store_of(mind).links(memory, outgoing=True)
    }
    assert found == expected


async def test_relations_are_named_in_the_language_that_is_spoken(language: str) -> None:
    _, model = await heard(language)
    relations = {relation for remembered in model.told for told in remembered for relation in told.relations.values()}
    assert relations
    assert all(relation.isascii() == (language == "en") for relation in relations)


# ---- recall


async def spread(mind: Mind, keywords: Sequence[str], relations: Sequence[str], depth: int) -> str:
    """N10 said once more: layer by layer, stronger links first, of equals those to the newest."""
    memories = {memory.id: memory for memory in await everything(mind)}
    layer = list(await store_of(mind).focus())
    seen, order = set(layer), list[int]()
    for _ in range(depth):
        walked = [link for memory in layer for link in await store_of(mind).links(memory, outgoing=True)]
        walked = [link for link in walked if not relations or link.relation in relations]
        walked.sort(key=lambda link: (-link.strength, -link.target))
        layer = [target for target in dict.fromkeys(link.target for link in walked) if target not in seen]
        seen |= set(layer)
        order += layer
    told = [memories[memory] for memory in order if memories[memory].kind == "segment"]
    words = [word.casefold() for word in keywords]
    kept = [
        memory.text
        for memory in told
        if not words or any(word in f"{memory.text} {memory.keywords}".casefold() for word in words)
    ]
    return "\n---\n".join(f"{MARK[is_chinese(text)]}{text}" for text in kept)


MARK = {False: "[memory] ", True: "[记忆] "}


@pytest.mark.parametrize("depth", [1, 2, 4])
async def test_recall_tells_what_is_near_in_the_format_of_the_specification(language: str, depth: int) -> None:
    mind, model = await heard(language, cue="never")
    (relation, *_) = model.told[-1][-1].relations.values()
    keyword, back = {"zh": ("钢琴", "上文"), "en": ("Okafor", "before")}[language]
    for keywords, relations in (([], []), ([], [relation]), ([keyword], []), ([keyword], [relation, back])):
        assert await mind.recall(keywords, relations, depth) == await spread(mind, keywords, relations, depth)
    whole = await mind.recall(depth=depth)
    said = await texts(mind)
    for block in whole.split("\n---\n"):
        assert (
            block.removeprefix(MARK[language == "zh"]) in said
        )  # the text and nothing else: no ids, scores or distances
    assert len(whole) > 100


async def test_deeper_is_more_and_begins_the_same(language: str) -> None:
    mind, _ = await heard(language)
    shallow, deeper, deepest = [await mind.recall(depth=depth) for depth in (1, 2, 4)]
    assert deeper.startswith(shallow)
    assert deepest.startswith(deeper)
    assert len(shallow) < len(deepest)


async def test_a_question_finds_its_answer(language: str) -> None:
    mind, _ = await heard(language)
    keyword, answer = {"zh": ("预算", "12万元"), "en": ("oven", "6,400 pounds")}[language]
    assert answer in await mind.recall([keyword], depth=4)


# ---- fading


async def test_each_memory_goes_exactly_when_the_law_says_and_leaves_traces(language: str) -> None:
    mind, _ = await begun(focus_limit=1, decay_rate=0.9)
    await mind.remember(conversation(language))
    await settle(mind)
    await tell(mind, {"zh": "天气不错。", "en": "The weather is fine."}[language])  # and now of something else
    ends = {}
    for memory in await everything(mind):
        vanishing = (await mind.explain(memory.key)).forecast[-1]
        assert vanishing.event == "vanishing"
        ends[memory.key] = vanishing.scans
    cycle, gone = 0, dict[str, int]()
    while len(gone) < sum(scans is not None for scans in ends.values()):
        await mind.fade()
        cycle += 1
        alive = {memory.key for memory in await everything(mind)}
        gone |= {key: cycle for key in ends if key not in alive and key not in gone}
    assert gone == {key: scans for key, scans in ends.items() if scans is not None}
    assert {forgotten.cause for forgotten in await mind.trash()} == {"faded"}
    assert await mind.check() == []


async def test_names_and_numbers_survive_to_half_the_length(language: str) -> None:
    mind, _ = await begun(focus_limit=1)
    await mind.remember(conversation(language))
    await settle(mind)
    whole = {memory.key: memory.text for memory in await segments_of(mind)}
    await tell(mind, {"zh": "天气不错。", "en": "The weather is fine."}[language])
    half: dict[str, str] = {}
    for _ in range(70):  # 2.0 · 0.97⁷⁰ = 0.24
        for memory in await segments_of(mind):
            if memory.vitality >= 0.5 and memory.key in whole:
                half[memory.key] = memory.text
        await mind.fade()
    assert {memory.vitality < 0.5 for memory in await segments_of(mind) if memory.key in whole} == {True}
    survived = {}
    for key, text in whole.items():
        if keys := names_and_numbers(text, language):
            assert len(half[key]) < 0.55 * len(text) + 1 or len(text) < 30  # it did shrink
            survived[key] = all(word in half[key] for word in keys)
    assert sum(survived.values()) >= 0.9 * len(survived), [whole[key] for key in survived if not survived[key]]
    for key, text in half.items():  # never a number nobody named
        assert names_and_numbers(text, language) <= names_and_numbers(whole[key], language)


async def test_what_faded_is_told_as_once_known(language: str) -> None:
    mind, _ = await heard(language)
    await settle(mind)
    near = [memory for memory in await segments_of(mind) if memory.text in await mind.recall(depth=1)]
    await mind.forget(near[0].key)
    told = await mind.recall(depth=1)
    mark, colon = {"zh": ("[记忆] 曾记得：", "："), "en": ("[memory] once knew: ", ": ")}[language]
    assert f"{MARK[language == 'zh']}{near[0].text}" not in told
    once = [block for block in told.split("\n---\n") if block.startswith(mark)]
    assert once
    assert all(f"{colon}{near[0].phrase}" in block for block in once)
    assert await mind.check() == []
