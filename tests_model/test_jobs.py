"""The six jobs, done by a real small model in both languages: whatever it answers, what gets through is right."""

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import pytest

from ebbtide.core.answers import (
    compression_fault,
    distilled_fault,
    fact_fault,
    facts_fault,
    overlap_fault,
    relation_fault,
    segments_fault,
    usable_facts,
)
from ebbtide.core.errors import ModelFailed
from ebbtide.core.memory import Message
from ebbtide.mind.asking import ask
from ebbtide.models.chat import Dialect
from ebbtide.models.openai import OpenAIModel
from tests_model.conftest import Served

T = TypeVar("T")

TEXTS = {
    "zh": (
        "昨天下午三点，我和张伟在上海的咖啡馆见面，讨论了新项目的预算。他说总预算是120万元，但不包括服务器的费用。"
        "我们决定下周五之前把方案发给李经理，如果没有批准就不开始招聘。后来我们还聊了他女儿的生日，她今年六岁，喜欢恐龙。"
    ),
    "en": (
        "Yesterday at 3 pm I met David Miller in a small cafe in Boston to talk about the budget of the new project. "
        "He said the total is $120,000, but that does not include the servers. We agreed to send the plan to "
        "Ms. Carter by next Friday, and not to start hiring before she approves it. Later we talked about his "
        "daughter's birthday; she is six and loves dinosaurs."
    ),
}
ENTITIES = {"zh": ["张伟", "上海", "预算"], "en": ["David Miller", "Boston", "budget"]}
TALKS = {
    "zh": [
        Message("user", "我昨天见了张伟。我们谈了新项目的预算，他说是120万元。"),
        Message("assistant", "预算包括服务器吗？"),
        Message("user", "不包括。对了，我的电脑坏了。屏幕一直闪，重启三次也没用。"),
        Message("assistant", "可以先更新显卡驱动。"),
    ],
    "en": [
        Message("user", "I met David yesterday. We talked about the budget, and he said it is $120,000."),
        Message("assistant", "Does it include the servers?"),
        Message("user", "No. By the way, my laptop is broken. The screen flickers, and three restarts did not help."),
        Message("assistant", "Try to update the graphics driver first."),
    ],
}
LANGUAGES = sorted(TEXTS)


async def patiently(attempt: Callable[[], Awaitable[T]], check: Callable[[T], str | None]) -> T:
    """As a mind asks, but without the pauses: this server is never too busy."""
    return await ask(attempt, check, retries=15, sleep=_no_pause)


async def _no_pause(seconds: float) -> None:
    return None


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_segments_and_nothing_said_is_lost(small_model: OpenAIModel, language: str) -> None:
    talk = TALKS[language]
    segments = await small_model.segment(talk)
    assert segments_fault(talk, segments) is None
    assert "".join("".join(segments).split()) == "".join("".join(message.content for message in talk).split())


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_distils_what_the_text_says(small_model: OpenAIModel, language: str) -> None:
    text = TEXTS[language]
    gist = await patiently(lambda: small_model.distil(text), lambda found: distilled_fault(text, found))
    assert gist.keywords


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_facts_that_get_through_name_nothing_new(small_model: OpenAIModel, language: str) -> None:
    text = TEXTS[language]
    found = await patiently(lambda: small_model.facts(text), lambda facts: facts_fault(text, facts))
    kept = usable_facts(text, found)
    assert kept  # the text states a dozen
    assert all(fact_fault(text, fact) is None for fact in kept)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_names_relations_in_a_word_or_a_few(small_model: OpenAIModel, language: str) -> None:
    text = TEXTS[language]
    for entity in ENTITIES[language]:
        relation = await patiently(
            partial(small_model.relation, text, entity), lambda found: relation_fault(text, found)
        )
        assert relation


@pytest.mark.parametrize("share", [0.7, 0.4, 0.15])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_it_compresses_is_short_enough_and_invents_nothing(
    small_model: OpenAIModel, language: str, share: float
) -> None:
    text = TEXTS[language]
    length = int(len(text) * share)
    shorter = await patiently(
        lambda: small_model.compress(text, length), lambda found: compression_fault(text, found, length)
    )
    assert 0 < len(shorter) <= length


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_judges_overlap(small_model: OpenAIModel, language: str) -> None:
    text = TEXTS[language]
    first = text[: len(text) // 3]
    assert await small_model.overlap(text, text) == 1.0
    assert overlap_fault(await small_model.overlap(text, first)) is None


@pytest.mark.parametrize("form", [1, 2, 3])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_can_be_asked_with_less_help_from_the_server(
    small_model: OpenAIModel, language: str, form: int
) -> None:
    """A schema without limits, any JSON object, and nothing but the request for JSON in the prompt."""
    small_model._chat._dialect = Dialect(form=form)
    text, [entity, *_] = TEXTS[language], ENTITIES[language]
    relation = await patiently(lambda: small_model.relation(text, entity), lambda found: relation_fault(text, found))
    assert relation
    assert small_model._chat._dialect.form == form


async def test_this_server_takes_schemas_with_limits(small_model: OpenAIModel) -> None:
    await small_model.relation(TEXTS["en"], "Boston")
    assert small_model._chat._dialect == Dialect()


async def test_an_impatient_caller_is_answered_in_time_and_the_next_one_too(served_model: Served) -> None:
    async with OpenAIModel(served_model.base_url, served_model.model, timeout=0.2) as hasty:
        begun = time.monotonic()
        with pytest.raises(ModelFailed, match=r"within 0\.2 s"):
            await hasty.compress(TEXTS["en"], 100)
        assert time.monotonic() - begun < 5.0
    async with OpenAIModel(served_model.base_url, served_model.model, timeout=300.0) as patient:
        assert await patient.relation(TEXTS["en"], "Boston")
