"""A cycle on its way (N6, N7): overtaken by others, and with a small model that fails."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ebbtide.core.memory import Content
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from tests.helpers import batch, configured, everything, store_of
from tests.scripted_model import (
    FAILS,
    HUNDRED,
    Answer,
    ScriptedModel,
    Stubborn,
    by_text,
    network_in_ram,
    network_mind,
    said,
    tell,
    texts,
    topic,
    topics,
    well,
)

# ---- while others are at work


async def planned(mind: Mind) -> None:
    """Let the cycle that is due make its plan, and no more."""
    enough = iter((False, True))
    assert not await mind.compress(lambda: next(enough))


async def test_a_memory_that_has_become_important_meanwhile_is_not_forgotten_by_an_older_plan() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)  # two letters on one link of 0.97: to be forgotten
    await mind.link("entity/ox", "entity/alpha", "knows", 1.0)
    await mind.compress()
    assert await store_of(mind).find("entity/ox") is not None
    assert await mind.check() == []


async def test_nor_is_one_that_was_in_focus_in_between() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    for content in ("Ox woke", "Beta came up"):
        await mind.remember(said(content))
    await mind.idle()
    await mind.compress()
    assert await store_of(mind).find("entity/ox") is not None


async def test_a_memory_drawn_into_focus_meanwhile_is_let_be() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Ox sleeps")
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.remember(said("Ox woke"))
    await mind.idle()
    await mind.compress()
    found = {memory.text: memory.meta.scan_count for memory in await everything(mind) if memory.kind == "entity"}
    assert found["Ox"] == 0


async def test_a_text_replaced_meanwhile_is_not_overwritten_by_its_shorter_former_self() -> None:
    class Replacing(ScriptedModel):
        async def compress(self, text: str, length: int) -> str:
            await mind.put("Something else altogether", key=key, replace=True)
            return await super().compress(text, length)

    mind = await network_in_ram(Replacing(), focus_limit=1)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    await topics(mind, 1)
    assert (await mind.get(key)).text == "Something else altogether"
    assert await mind.check() == []


async def test_nor_is_one_that_has_not_reached_the_disk_yet() -> None:
    class Lagging(MemoryStore):
        """Gives texts as they were a moment ago, as a store does that reads them from the disk."""

        lag = False

        async def contents(self, ids: Sequence[int]) -> dict[int, Content]:
            found = await super().contents(ids)
            return {memory: replace(each, text=HUNDRED) if self.lag else each for memory, each in found.items()}

    store = Lagging()
    await store.apply(batch(configured("network", focus_limit=1)))
    mind = network_mind(store)
    await tell(mind, HUNDRED)
    key = (await by_text(mind, HUNDRED)).key
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.put("Something else altogether", key=key, replace=True)
    store.lag = True
    await mind.compress()
    store.lag = False
    assert (await mind.get(key)).text == "Something else altogether"


async def test_a_memory_forgotten_meanwhile_is_no_trouble() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.forget((await by_text(mind, HUNDRED)).key, "entity/lin")
    await mind.compress()
    assert (await texts(mind), await mind.queue()) == (["Alpha came up"], [])


async def test_a_cycle_dropped_on_its_way_ends_and_the_next_is_a_whole_one() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, HUNDRED)
    await mind.remember(said("Alpha came up"))
    await mind.idle()
    await planned(mind)
    await mind.drop((await mind.queue())[0].id)
    assert await mind.compress()
    assert (await texts(mind))[0] == HUNDRED  # nothing was shortened by it
    await topics(mind, 1)
    assert (await texts(mind))[0] == HUNDRED[:97]  # and the next cycle is the first that wears
    assert await mind.check() == []


async def test_two_who_compress_at_once_share_the_work() -> None:
    model = ScriptedModel()
    mind = await network_in_ram(model, focus_limit=1)
    for number in range(6):
        await mind.remember(said(f"{topic(number)} {HUNDRED[4:]}"))
    await mind.idle()
    await asyncio.gather(*(mind.compress() for _ in range(4)))
    # All was told before the first cycle. Cycle n goes up to segment n, and the last is held: 1 + 2 + 3 + 4 + 5 + 5
    # shortenings, none of them done twice; segment i has had the scans of the cycles i to 6.
    assert model.asked.count("compress") == 20
    assert [len(text) for text in await texts(mind)] == [*(math.floor(102 * 0.97**k) for k in (6, 5, 4, 3, 2)), 102]
    assert await mind.check() == []


async def test_a_new_number_of_attempts_counts_from_now_on() -> None:
    model = Stubborn(FAILS)
    mind = await network_in_ram(model, focus_limit=1, max_retries=3)
    await tell(mind, HUNDRED)
    await topics(mind, 1)
    assert model.asked.count("compress") == 3
    await mind.configure(max_retries=5)
    await topics(mind, 1, 1)
    # five attempts each for the same text and for that of the first topic
    assert model.asked.count("compress") == 3 + 5 + 5


# ---- a small model that fails (N7)


async def faded_once(model: ScriptedModel) -> tuple[Mind, str]:
    """A mind in which one text was to be shortened to 97 characters, and one behind it to nothing."""
    mind = await network_in_ram(model, focus_limit=1)
    await tell(mind, HUNDRED)
    await topics(mind, 1)
    return mind, (await by_text(mind, "Lin takes")).text


async def test_a_model_that_fails_fourteen_times_is_asked_once_more() -> None:
    model = Stubborn(*[FAILS] * 14, well)
    _, text = await faded_once(model)
    assert text == HUNDRED[:97]
    assert model.asked.count("compress") == 15


async def test_a_model_that_always_fails_leaves_the_text_and_the_cycle_goes_on() -> None:
    model = Stubborn(FAILS)
    mind, text = await faded_once(model)
    assert text == HUNDRED
    assert model.asked.count("compress") == 15
    assert await mind.queue() == []  # done with this cycle
    assert await store_of(mind).find("entity/lin") is None  # what needed no model was carried out
    # The links have worn all the same: once the model is back, the text is as long as the law says.
    model.script = [well]
    await topics(mind, 4, 1)
    assert len((await by_text(mind, "Lin takes")).text) == math.floor(100 * 0.97**5)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda text, length: text[: length + 1], id="too long"),
        pytest.param(lambda text, length: text, id="not shorter"),
        pytest.param(lambda text, length: "", id="empty"),
        pytest.param(lambda text, length: " \n ", id="blank"),
        pytest.param(lambda text, length: "林坐早班渡轮看小说，港口醒来", id="the wrong language"),
        pytest.param(lambda text, length: "Lin takes the ferry at 840", id="an invented number"),
        pytest.param(lambda text, length: "Lin takes the ferry with Bob", id="an invented name"),
        pytest.param(lambda text, length: "Sorry, I cannot help with that request today", id="something else"),
    ],
)
async def test_a_model_that_answers_badly_leaves_the_text_as_it_is(answer: Answer) -> None:
    model = Stubborn(answer)
    mind, text = await faded_once(model)
    assert text == HUNDRED
    assert model.asked.count("compress") == 15
    assert await mind.queue() == []


async def test_a_good_answer_after_bad_ones_is_taken() -> None:
    model = Stubborn(lambda text, length: text, lambda text, length: "Lin 99", FAILS, well)
    _, text = await faded_once(model)
    assert (text, model.asked.count("compress")) == (HUNDRED[:97], 4)


async def test_a_model_that_breaks_is_one_that_fails() -> None:
    _, text = await faded_once(Stubborn(LookupError("a bug in the model")))
    assert text == HUNDRED


async def test_what_says_the_same_every_time_is_asked_once() -> None:
    model = Stubborn(FAILS, deterministic=True)
    _, text = await faded_once(model)
    assert (text, model.asked.count("compress")) == (HUNDRED, 1)
