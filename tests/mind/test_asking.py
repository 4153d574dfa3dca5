"""Asking patiently (N7): how often, how long in between, and how it ends."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.answers import compression_fault
from ebbtide.core.errors import ModelFailed
from ebbtide.mind.asking import Asker, Backoff, ask
from ebbtide.models.openai import OpenAIModel
from tests.endpoint import RESET, Step, content, endpoint, error, says

ZH = "昨天下午三点，我和张伟在上海的咖啡馆见面，讨论了新项目的预算。他说总预算是120万元，但不包括服务器的费用。"
RIGHT = "总预算120万元，不含服务器。"


class Pauses(list[float]):
    """Sleeps by writing down for how long."""

    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


def fails(times: int, answer: str = "at last", **facts: float) -> Callable[[], Awaitable[str]]:
    left = times

    async def attempt() -> str:
        nonlocal left
        left -= 1
        if left >= 0:
            raise ModelFailed(detail=f"{left} failures to come", **facts)
        return answer

    return attempt


def anything(answer: str) -> None:
    return None


# ---- how often


async def test_fourteen_failures_and_then_an_answer() -> None:
    pauses = Pauses()
    assert await ask(fails(14), anything, retries=15, sleep=pauses.sleep) == "at last"
    # 0.1 s, doubled each time, from the eighth on 10 s: 14 pauses between 15 attempts
    assert pauses == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, *[10.0] * 7])


async def test_max_retries_counts_all_attempts_the_first_included() -> None:
    pauses, asked = Pauses(), 0

    async def attempt() -> str:
        nonlocal asked
        asked += 1
        raise ModelFailed(detail="HTTP 500")

    with pytest.raises(ModelFailed) as raised:
        await ask(attempt, anything, retries=15, sleep=pauses.sleep)
    assert asked == 15
    assert len(pauses) == 14  # nobody waits after the last
    assert raised.value.facts == {"detail": "HTTP 500 (asked 15 times)", "attempts": 15}


@pytest.mark.parametrize("retries", [0, 1])
async def test_it_is_asked_once_at_least(retries: int) -> None:
    pauses = Pauses()
    assert await ask(fails(0), anything, retries=retries, sleep=pauses.sleep) == "at last"
    with pytest.raises(ModelFailed, match="asked once") as raised:
        await ask(fails(1), anything, retries=retries, sleep=pauses.sleep)
    assert raised.value.facts["attempts"] == 1
    assert pauses == []


async def test_a_faulty_answer_is_a_failure_and_its_reason_is_kept() -> None:
    pauses = Pauses()
    with pytest.raises(ModelFailed) as raised:
        await ask(fails(1), lambda answer: f"{answer} is too late", retries=3, sleep=pauses.sleep)
    assert str(raised.value) == (
        "The small model gave no usable answer: the answer was refused: at last is too late (asked 3 times)."
    )
    assert pauses == pytest.approx([0.1, 0.2])


async def test_errors_that_are_not_the_models_pass_at_once() -> None:
    async def attempt() -> str:
        raise LookupError("a bug")

    with pytest.raises(LookupError):
        await ask(attempt, anything, retries=15, sleep=Pauses().sleep)


async def test_an_asker_asks_in_the_same_way() -> None:
    pauses = Pauses()
    assert await Asker(3, pauses.sleep, Backoff(first=1.0)).ask(fails(2), anything) == "at last"
    assert pauses == pytest.approx([1.0, 2.0])


# ---- how long in between


async def test_a_server_that_says_when_is_given_that_long_but_not_for_ever() -> None:
    pauses = Pauses()
    await ask(fails(1, retry_after=7.0), anything, retries=2, sleep=pauses.sleep)
    await ask(fails(1, retry_after=86_400.0), anything, retries=2, sleep=pauses.sleep)
    await ask(fails(1, retry_after=0.0), anything, retries=2, sleep=pauses.sleep)
    assert pauses == pytest.approx([7.0, 60.0, 0.1])


@given(st.integers(1, 10_000), st.floats(0.0, 1e9))
def test_pauses_grow_to_their_cap_and_never_beyond_patience(failures: int, wanted: float) -> None:
    backoff = Backoff()
    assert backoff.pause(failures) <= backoff.pause(failures + 1) <= backoff.longest
    assert min(wanted, backoff.patience) <= backoff.pause(failures, wanted) <= backoff.patience


# ---- being cancelled


async def test_cancelling_passes_through_at_once_while_asking() -> None:
    begun, asked = asyncio.Event(), 0

    async def attempt() -> str:
        nonlocal asked
        asked += 1
        begun.set()
        await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(ask(attempt, anything, retries=15, sleep=Pauses().sleep))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asked == 1


async def test_cancelling_passes_through_at_once_while_waiting() -> None:
    begun = asyncio.Event()

    async def sleep(seconds: float) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(ask(fails(9), anything, retries=15, sleep=sleep))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# ---- a served model, asked patiently


async def compressed(*script: Step, retries: int = 15) -> tuple[str, Pauses, int]:
    pauses = Pauses()
    async with endpoint(*script) as playing, OpenAIModel(playing.base_url, "tiny", timeout=20.0) as model:
        try:
            answer = await ask(
                lambda: model.compress(ZH, 30),
                lambda answer: compression_fault(ZH, answer, 30),
                retries=retries,
                sleep=pauses.sleep,
            )
        except ModelFailed as failed:
            answer = failed.facts["detail"]
        return answer, pauses, len(playing.requests)


async def test_a_server_that_recovers_at_the_fifteenth_attempt() -> None:
    answer, pauses, asked = await compressed(*[error(503, "loading")] * 14, says(text=RIGHT))
    assert (answer, len(pauses), asked) == (RIGHT, 14, 15)


async def test_every_kind_of_trouble_and_then_the_answer() -> None:
    answer, pauses, asked = await compressed(
        error(429, "slow down", Retry_After="3"),
        RESET,
        content("{broken"),
        content(None),
        says(text=ZH),  # too long
        says(text=""),
        says(text="Total budget 120"),  # the wrong language
        says(text="总预算150万元"),  # an invented number
        says(text=RIGHT),
    )
    assert (answer, asked) == (RIGHT, 9)
    assert pauses == pytest.approx([3.0, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0])


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (error(500, "down"), ": down (asked 3 times)"),
        (RESET, "broke off"),
        (content("{broken"), "not JSON"),
        (says(text=ZH * 2), "it has 108 characters, 30 were allowed (asked 3 times)"),
        (says(text=" "), "it is empty"),
        (says(text="Total budget 120"), "Latin letters"),
        (says(text="总预算150万元"), "the number '150万', which the text does not"),
        (says(text="张伟和Bob谈预算"), "it names 'Bob', which the text does not"),
    ],
)
async def test_who_never_gives_a_usable_answer_fails_with_the_last_reason(step: Step, reason: str) -> None:
    answer, pauses, asked = await compressed(step, retries=3)
    assert reason in answer
    assert (len(pauses), asked) == (2, 3)
