"""A network mind's life with a real small model: remembering, fading, recalling, in both languages.

The model may be as clumsy as it likes: the laws of the network hold all the same.
"""

import math
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.mind import Mind
from ebbtide.mind.remember import ENTITY, NEXT, PREVIOUS, SEGMENT
from ebbtide.models.openai import OpenAIModel

TALKS = {
    "zh": [
        "小林对花生过敏，周五的聚餐不要点含花生的菜，一共12个人，预算3000元。",
        "另外，支付系统的改造推迟到11月20日上线，由王敏负责，数据库暂时不迁移。",
    ],
    "en": [
        "Lin is allergic to peanuts, so the Friday dinner for 12 people must not have any; the budget is $400.",
        "By the way, the payment rewrite will not ship before 20 November; Wang Min owns it, on PostgreSQL 15.",
    ],
}
RATE, BREAK = 0.8, 0.05  # a mind that forgets fast, so that a slow model is not asked for ever


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("language", TALKS)
async def test_a_mind_remembers_fades_and_recalls(language: str, small_model: OpenAIModel, tmp_path: Path) -> None:
    params: dict[str, Any] = {"decay_rate": RATE, "link_break_threshold": BREAK, "max_retries": 3}
    async with ebbtide.open("talk", data=tmp_path, metabolism="network", model=small_model, **params) as mind:
        said = TALKS[language]
        await mind.remember([{"role": "user", "content": text} for text in said])
        await mind.idle()
        assert await mind.queue() == [] or all(task.kind == "compress" for task in await mind.queue())
        await everything_said_is_there(mind, said)
        await links_stand_as_the_law_says(mind)
        await it_can_be_recalled(mind)
        await it_fades_and_is_gone(mind)
        assert await mind.check() == []  # replay asks no model, and gives the same mind


async def everything_said_is_there(mind: Mind, said: list[str]) -> None:
    segments = [m for m in (await mind.list(everything=True)).memories if m.kind == SEGMENT]
    kept = "".join("".join(m.text.split()) for m in segments)
    assert kept == "".join("".join(text.split()) for text in said)


async def links_stand_as_the_law_says(mind: Mind) -> None:
    """To the focus at 1.0 both ways; to the neighbouring segment at 0.5."""
    focus = set(await mind.focus())
    assert 1 <= len(focus) <= 5
    for memory in (await mind.list(everything=True)).memories:
        for step in await mind.follow(memory.key):
            assert step.memory is not None
            if step.relation in (NEXT, PREVIOUS):
                assert step.strength in (0.5, 0.5 * RATE)  # the first cycle may have passed
            elif step.memory.text in focus or memory.text in focus:
                assert step.strength == 1.0


async def it_can_be_recalled(mind: Mind) -> None:
    recalled = await mind.recall(depth=4)
    blocks = recalled.split("\n---\n")
    assert blocks
    assert all(block.startswith(("[memory] ", "[记忆] ")) for block in blocks)


async def it_fades_and_is_gone(mind: Mind) -> None:
    """With nothing in focus every text keeps within its law, and all are gone when the last link has broken."""
    for name in await mind.focus():
        await mind.forget(f"{ENTITY}/{' '.join(name.casefold().split())}")
    texts = {m.key: m.text for m in (await mind.list(everything=True)).memories}
    for _ in range(math.ceil(math.log(BREAK) / math.log(RATE)) + 1):
        await mind.fade()
        for memory in (await mind.list(everything=True)).memories:
            allowed = math.floor(memory.meta.original_length * min(memory.vitality, 1.0))
            left_alone = memory.text == texts[memory.key]  # the model could not be had to shorten it
            assert len(memory.text) <= allowed or left_alone
            texts[memory.key] = memory.text
    assert (await mind.list(everything=True)).memories == ()
