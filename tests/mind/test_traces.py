"""Traces (N9): what was once known, how it is told, and how it goes."""

import asyncio
from typing import Any

from ebbtide.core.memory import DAY
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured, store_of
from tests.scripted_model import (
    by_text,
    links,
    network_in_ram,
    network_mind,
    said,
    tell,
)


async def test_links_to_what_was_forgotten_become_traces_that_recall_reports() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Kim has a red boat")
    await tell(mind, "Kim paints")
    await mind.forget((await by_text(mind, "Kim has")).key)
    # Kim is in focus; her link to the boat now leads nowhere. What is known of it the trash still has.
    assert await mind.recall() == "[memory] Kim paints\n---\n[memory] once knew: Kim (about): Kim has"
    (trace,) = await mind.traces()
    assert (trace.source, trace.relation, trace.strength, trace.known) == ("entity/kim", "about", 1.0, "Kim has")


async def test_once_the_trash_is_empty_only_the_trace_itself_is_known() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock)
    await tell(mind, "Kim has a red boat")
    await mind.forget((await by_text(mind, "Kim has")).key)
    clock.forward(31 * DAY)
    await mind.tick()
    assert await mind.recall() == "[memory] once knew: Kim (about) …"
    (trace,) = await mind.traces()
    assert trace.known == ""


async def test_a_trace_goes_with_its_source() -> None:
    mind = await network_in_ram()
    await tell(mind, "Kim has a red boat")
    await mind.forget((await by_text(mind, "Kim has")).key)
    await mind.forget("entity/kim")
    assert await mind.traces() == []
    assert (await store_of(mind).info()).links == 0


async def test_a_trace_decays_like_any_link_and_is_gone_when_it_breaks() -> None:
    mind = await network_in_ram(decay_rate=0.5, link_break_threshold=0.125, delete_threshold=0)
    await mind.remember(said("one long segment about the harbour | and another one"))
    await mind.idle()
    await mind.forget((await by_text(mind, "and another")).key)
    strengths = [[(trace.relation, trace.strength) for trace in await mind.traces()]]
    for _ in range(3):
        await mind.fade()
        strengths.append([(trace.relation, trace.strength) for trace in await mind.traces()])
    # The cycle the remember called for comes with the first: two scans. 0.5 · 0.5² = 0.125; then it breaks.
    assert strengths == [[("after", 0.5)], [("after", 0.125)], [], []]


async def test_a_memory_that_comes_back_makes_its_traces_links_again() -> None:
    mind = await network_in_ram()
    await tell(mind, "Kim has a red boat")
    key = (await by_text(mind, "Kim has")).key
    before = await links(mind)
    await mind.forget(key)
    await mind.restore(key)
    assert await mind.traces() == []
    assert await links(mind) == before


async def test_sweeping_reports_a_trace_once_and_removes_it() -> None:
    mind = await network_in_ram(traces="sweep")
    await tell(mind, "Kim has a red boat | Kim paints")
    await mind.forget((await by_text(mind, "Kim has")).key)
    once = ("Kim (about): Kim has", "Kim paints (before): Kim has")
    told = "\n---\n".join(("[memory] Kim paints", *(f"[memory] once knew: {known}" for known in once)))
    assert await mind.recall() == told
    assert await mind.recall() == "[memory] Kim paints"
    assert await mind.traces() == []
    assert await mind.check() == []


async def test_a_cycle_that_comes_in_between_does_not_make_a_swept_trace_be_told_twice() -> None:
    class Slow(MemoryStore):
        async def trash(self, **asked: Any) -> Any:
            for _ in range(20):  # long enough for a cycle to end, if it may
                await asyncio.sleep(0)
            return await super().trash(**asked)

    store = Slow()
    params = {"traces": "sweep", "decay_rate": 0.5, "link_break_threshold": 0.3, "delete_threshold": 0}
    await store.apply(batch(configured("network", **params)))
    mind = network_mind(store)
    await mind.remember(said("Kim has a red boat | Kim paints"))
    await mind.idle()
    await mind.forget((await by_text(mind, "Kim has")).key)
    recalling = asyncio.create_task(mind.recall())
    for _ in range(5):
        await asyncio.sleep(0)
    await mind.compress()  # breaks before, which was 0.5, and not the link from Kim, who is in focus
    assert (await recalling).count("once knew") == 2
    assert await mind.recall() == "[memory] Kim paints"


async def test_sweeping_leaves_alone_what_was_not_reported() -> None:
    mind = await network_in_ram(traces="sweep")
    await tell(mind, "Kim has a red boat | Kim paints")
    await mind.forget((await by_text(mind, "Kim has")).key)
    assert await mind.recall(depth=1) == "[memory] Kim paints\n---\n[memory] once knew: Kim (about): Kim has"
    assert [trace.relation for trace in await mind.traces()] == ["before"]


async def test_kept_traces_are_reported_again_and_again() -> None:
    mind = await network_in_ram()
    await tell(mind, "Kim has a red boat")
    await mind.forget((await by_text(mind, "Kim has")).key)
    assert await mind.recall() == await mind.recall() == "[memory] once knew: Kim (about): Kim has"
