"""The mailbox (N2): on disk before anybody is told, strictly in order, and nothing lost or doubled by a crash."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from ebbtide.core.changes import Batch, Enqueue, Receipt, Settle
from ebbtide.core.errors import Conflict, ModelFailed, StoreClosed, StoreFull, UnknownTask
from ebbtide.core.memory import Message
from ebbtide.core.ports import Distilled, SmallModel
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import batch, configured, everything, store_of
from tests.scripted_model import ScriptedModel, network_in_ram, network_mind, said, settle, texts

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(number: int) -> str:
    """A word of its own for each number, without figures."""
    return "".join(LETTERS[int(digit)] for digit in f"{number:03d}")


async def on_disk(folder: Path, durability: Any = "normal", model: SmallModel | None = None, **params: Any) -> Mind:
    store = SqliteStore(folder, durability)
    if not store.seq:
        await store.apply(batch(configured("network", **params)))
    return network_mind(store, model)


# ---- durable and in order


async def test_what_was_taken_is_found_by_the_next_life(tmp_path: Path) -> None:
    class Never(ScriptedModel):
        async def segment(self, messages: Sequence[Message]) -> list[str]:
            await asyncio.Event().wait()
            raise AssertionError

    mind = await on_disk(tmp_path / "one", model=Never())
    numbers = [await mind.remember(said(f"Lin said {word(number)}")) for number in range(3)]
    shutil.copytree(tmp_path / "one", tmp_path / "two")  # as if the power had gone now
    await mind.close()
    for folder in (tmp_path / "one", tmp_path / "two"):
        again = await on_disk(folder)
        assert [task.id for task in await again.queue()] == numbers
        assert await again.wake() is False  # nothing to compress yet; but the queue is taken up
        await again.idle()
        assert await texts(again) == [f"Lin said {word(number)}" for number in range(3)]
        assert await again.check() == []
        await again.close()


@pytest.mark.parametrize("kind", ["memory", "normal", "full"])
async def test_a_hundred_callers_at_once_are_served_in_the_order_they_were_taken(tmp_path: Path, kind: str) -> None:
    mind = await network_in_ram() if kind == "memory" else await on_disk(tmp_path, kind)
    calls = [mind.remember(said(f"Lin said {word(number)}")) for number in range(100)]
    numbers = await asyncio.gather(*calls)
    await mind.idle()
    assert len(set(numbers)) == 100
    taken = [f"Lin said {word(number)}" for _, number in sorted(zip(numbers, range(100), strict=True))]
    assert await texts(mind) == taken
    settled = [entry.change.task async for entry in mind.entries() if isinstance(entry.change, Settle)]
    assert settled == sorted(numbers)
    assert await mind.check() == []
    await mind.close()


async def test_callers_who_come_while_it_works_wait_their_turn() -> None:
    mind = await network_in_ram()
    taken: dict[int, str] = {}

    async def caller(name: str) -> None:
        for number in range(10):
            text = f"{name} {word(number)}"
            taken[await mind.remember(said(text))] = text
            await asyncio.sleep(0)

    await asyncio.gather(*(caller(name) for name in ("Ada", "Bo", "Cy")))
    await mind.idle()
    assert await texts(mind) == [taken[number] for number in sorted(taken)]


# ---- tasks that fail


class Choosy(ScriptedModel):
    """Cannot be had to segment what speaks of Trouble, until it is well again."""

    def __init__(self, *, trouble: Exception | None = None) -> None:
        super().__init__()
        self.trouble = trouble

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        if self.trouble and "Trouble" in messages[0].content:
            raise self.trouble
        return await super().segment(messages)


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (ModelFailed(detail="HTTP 500"), "The small model gave no usable answer: HTTP 500 (asked once)."),
        (LookupError("a bug"), "LookupError: a bug"),
    ],
)
async def test_a_failing_task_is_set_aside_with_its_error_and_the_others_go_on(trouble: Exception, reason: str) -> None:
    model = Choosy(trouble=trouble)
    mind = await network_in_ram(model)
    await mind.remember(said("Ada came"))
    failing = await mind.remember(said("Trouble ahead"))
    await mind.remember(said("Bo came"))
    await settle(mind)
    assert await texts(mind) == ["Ada came", "Bo came"]
    (aside,) = await mind.queue()
    assert (aside.id, aside.kind, aside.error) == (failing, "remember", reason)
    assert aside.messages == (Message("user", "Trouble ahead"),)
    model.trouble = None
    await mind.retry(failing)
    await settle(mind)
    assert await texts(mind) == ["Ada came", "Bo came", "Trouble ahead"]
    assert await mind.queue() == []
    assert await mind.check() == []


async def test_a_task_set_aside_stays_so_in_the_next_life(tmp_path: Path) -> None:
    model = Choosy(trouble=ModelFailed(detail="down"))
    mind = await on_disk(tmp_path, model=model)
    failing = await mind.remember(said("Trouble ahead"))
    await mind.idle()
    await mind.close()
    again = await on_disk(tmp_path)
    await again.idle()
    assert [(task.id, bool(task.error)) for task in await again.queue()] == [(failing, True)]
    await again.retry(failing)
    await again.idle()
    assert await texts(again) == ["Trouble ahead"]
    await again.close()


async def test_a_task_tried_again_waits_behind_all_others() -> None:
    model = Choosy(trouble=ModelFailed(detail="down"))
    mind = await network_in_ram(model)
    failing = await mind.remember(said("Trouble ahead"))
    await mind.idle()
    model.trouble = None
    await mind.remember(said("Ada came"))
    await mind.retry(failing)
    await mind.remember(said("Bo came"))
    assert [task.messages[0].content for task in await mind.queue()] == ["Ada came", "Trouble ahead", "Bo came"]
    await mind.idle()
    assert await texts(mind) == ["Ada came", "Trouble ahead", "Bo came"]


async def test_a_task_can_be_given_up() -> None:
    mind = await network_in_ram(Choosy(trouble=ModelFailed(detail="down")))
    failing = await mind.remember(said("Trouble ahead"))
    await mind.idle()
    await mind.drop(failing)
    assert await mind.queue() == []
    for call in (mind.drop, mind.retry):
        with pytest.raises(UnknownTask, match=f"There is no task {failing} in this mind's queue"):
            await call(failing)
    assert await mind.check() == []


async def test_only_what_was_set_aside_can_be_tried_again() -> None:
    mind = await network_in_ram()
    waiting = await mind.remember(said("Ada came"))
    with pytest.raises(Conflict, match="has not failed: it waits for its turn"):
        await mind.retry(waiting)
    await mind.idle()
    (cycle_due,) = await mind.queue()
    with pytest.raises(Conflict, match="has not failed"):
        await mind.retry(cycle_due.id)
    with pytest.raises(UnknownTask):
        await mind.retry(waiting)  # done by now


@pytest.mark.parametrize("fails", [False, True])
async def test_a_task_dropped_while_it_is_worked_on_leaves_nothing(fails: bool) -> None:
    class Dropping(ScriptedModel):
        async def distil(self, segment: str) -> Distilled:
            if "Trouble" in segment:
                await mind.drop((await mind.queue())[0].id)
                if fails:
                    raise ModelFailed(detail="down")
            return await super().distil(segment)

    mind = await network_in_ram(Dropping())
    await mind.remember(said("Trouble ahead"))
    await mind.remember(said("Ada came"))
    await settle(mind)
    assert await texts(mind) == ["Ada came"]
    assert await mind.queue() == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (["something else"], "segment 1 is not what was said"),
        ([], "there are no segments"),
        (["Ada came"], "the segments hold"),
    ],
)
async def test_a_model_that_segments_badly_fails_the_task(bad: list[str], reason: str) -> None:
    class Bad(ScriptedModel):
        async def segment(self, messages: Sequence[Message]) -> list[str]:
            return bad

    mind = await network_in_ram(Bad())
    await mind.remember(said("Ada came home and went to sleep at once"))
    await mind.idle()
    (aside,) = await mind.queue()
    assert reason in (aside.error or "")
    assert await everything(mind) == ()


# ---- a store that fails


class Full(MemoryStore):
    """Has no room, while it is `full`, for what somebody says."""

    full = ""

    async def apply(self, batch: Batch, *, lazy: bool = False) -> Receipt:
        if self.full and not isinstance(batch.changes[0], Enqueue) and self.full in str(batch.changes):
            raise StoreFull(path="mind.db", detail="no space left")
        return await super().apply(batch, lazy=lazy)


async def full_mind(model: SmallModel | None = None) -> tuple[Full, Mind]:
    store = Full()
    await store.apply(batch(configured("network")))
    return store, network_mind(store, model)


async def test_a_store_that_fails_leaves_the_task_waiting_and_those_behind_it_too() -> None:
    store, mind = await full_mind()
    store.full = "Ada came"  # there would be room for the others, but order is strict
    for name in ("Ada", "Bo", "Cy"):
        await mind.remember(said(f"{name} came"))
    await mind.idle()
    assert await everything(mind) == ()
    assert [(task.kind, task.error) for task in await mind.queue()] == [("remember", None)] * 3
    assert await mind.recall() == ""  # asking is still possible
    store.full = ""
    await mind.remember(said("Di came"))  # any call takes them up again, in their order
    await mind.idle()
    assert await texts(mind) == ["Ada came", "Bo came", "Cy came", "Di came"]
    assert await mind.check() == []


async def test_a_task_that_cannot_even_be_set_aside_waits() -> None:
    store, mind = await full_mind(Choosy(trouble=LookupError("a bug")))
    store.full = "a bug"
    await mind.remember(said("Trouble ahead"))
    await mind.remember(said("Ada came"))
    await mind.idle()
    assert [task.error for task in await mind.queue()] == [None, None]
    store.full = ""
    await mind.idle()
    assert await texts(mind) == ["Ada came"]
    assert [task.error for task in await mind.queue() if task.kind == "remember"] == ["LookupError: a bug"]


async def test_a_queue_that_differs_from_the_journal_is_found() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin left"))
    await mind.idle()
    assert await mind.check() == []
    cast(MemoryStore, store_of(mind)).state.tasks.clear()
    assert await mind.check() == ["tasks"]


# ---- the end


async def test_who_waits_for_an_answer_when_the_mind_closes_is_told() -> None:
    class Never(ScriptedModel):
        async def segment(self, messages: Sequence[Message]) -> list[str]:
            await asyncio.Event().wait()
            raise AssertionError

    mind = await network_in_ram(Never())
    await mind.remember(said("Lin left"))
    asking = [asyncio.create_task(mind.recall()) for _ in range(3)]
    await asyncio.sleep(0)
    await mind.close()
    for answer in asking:
        with pytest.raises(StoreClosed):
            await answer


Call = Callable[[Mind], Awaitable[Any]]


@pytest.mark.parametrize(
    "call", [lambda mind: mind.recall(), lambda mind: mind.remember(said("Ada")), lambda mind: mind.focus()]
)
async def test_a_closed_mind_says_so(call: Call) -> None:
    mind = await network_in_ram()
    await mind.recall()
    await mind.close()
    with pytest.raises(StoreClosed):
        await call(mind)
    await mind.close()  # closing twice is closing once
