"""What `bench.search` asks to measure the cost of the rank: questions of several sentences, conversations of twenty."""

from pathlib import Path

import numpy as np

import ebbtide
from bench.corpus import Known, memories, questions
from bench.rank_cost import SENTENCES, TALK, costs, link, of_sentences
from ebbtide.models.questions import sentences


def test_a_long_question_is_read_as_so_many_sentences_and_each_has_its_vector() -> None:
    asked = questions(memories(400), 60)
    whole, parts = of_sentences(asked)
    assert len(whole) >= 5
    assert {len(sentences(text)) for text in whole.texts} == {SENTENCES}
    assert parts.texts == [part for text in whole.texts for part in sentences(text)]
    assert len(parts.vectors) == len(parts.texts)
    np.testing.assert_allclose(np.linalg.norm(whole.vectors, axis=1), 1.0, rtol=1e-5)


async def test_conversations_are_linked_both_ways_and_not_with_each_other(tmp_path: Path) -> None:
    held = memories(2 * TALK)
    async with ebbtide.open("links", data=tmp_path, embedder=Known(held), metabolism="tide") as mind:
        await mind.put_many([ebbtide.Draft(text, key=f"m{number}") for number, text in enumerate(held.texts)])
        await link(mind)
        inner = sorted((step.relation, step.memory.key) for step in await mind.follow("m5") if step.memory)
        last = [(step.relation, step.memory.key) for step in await mind.follow(f"m{TALK - 1}") if step.memory]
    assert inner == [("after", "m6"), ("before", "m4")]
    assert last == [("before", f"m{TALK - 2}")]


async def test_the_cost_is_told_for_one_and_for_several_sentences_with_its_limits(tmp_path: Path) -> None:
    found = await costs(tmp_path, 400, 40)
    limits = [figure.goal.limit for figure in found if figure.goal and figure.unit == "s"]
    assert limits == [0.001, 0.001, 1.1]
    assert all(figure.ours > 0 for figure in found if figure.baseline)
