"""Recall (N10): outward from the focus, stronger links first, as plain text and nothing but text."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.errors import InvalidInput
from ebbtide.mind import Mind
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import FakeClock, batch, configured, everything, lives, mind_in_ram
from tests.scripted_model import (
    ScriptedModel,
    by_text,
    network_in_ram,
    network_mind,
    said,
    settle,
    tell,
)


async def harbour(**params: Any) -> Mind:
    """A mind on Ada and Bo, which was on Cy before.

    Cy ── the tide (1)                          Ada, Bo ── Ada met Bo (3) ── they spoke (4)
     └─── Cy saw Ada (2) ── Ada
    """
    mind = await network_in_ram(focus_limit=2, **params)
    for content in ("Cy knows the tide tables", "Cy saw Ada", "Ada met Bo at noon | they spoke about boats"):
        await mind.remember(said(content))
    await mind.idle()
    return mind


# ---- the text


async def test_blocks_in_the_format_of_the_specification() -> None:
    mind = await harbour()
    assert await mind.recall() == (
        "[memory] they spoke about boats\n---\n[memory] Ada met Bo at noon\n---\n[memory] Cy saw Ada"
    )


@pytest.mark.parametrize(
    ("depth", "told"),
    [
        # One link from Ada and Bo: what names them, the newest first.
        (1, ["they spoke about boats", "Ada met Bo at noon", "Cy saw Ada"]),
        # Two links: also Cy, who is an entity and says nothing by himself.
        (2, ["they spoke about boats", "Ada met Bo at noon", "Cy saw Ada"]),
        # Three links: what Cy knows.
        (3, ["they spoke about boats", "Ada met Bo at noon", "Cy saw Ada", "Cy knows the tide tables"]),
        (4, ["they spoke about boats", "Ada met Bo at noon", "Cy saw Ada", "Cy knows the tide tables"]),
    ],
)
async def test_depth_is_counted_in_links_from_the_focus(depth: int, told: list[str]) -> None:
    mind = await harbour()
    assert await mind.recall(depth=depth) == "\n---\n".join(f"[memory] {text}" for text in told)


@pytest.mark.parametrize(
    ("keywords", "relations", "depth", "told"),
    [
        (["boats"], [], 2, ["they spoke about boats"]),
        (["BOATS", "tide"], [], 4, ["they spoke about boats", "Cy knows the tide tables"]),  # any of them
        (["tide"], [], 2, []),  # too far away, and without an index of words only entities are starting points
        (["cy"], [], 1, ["Cy saw Ada"]),  # one link away as well: no cue is needed
        (["noo"], [], 1, ["Ada met Bo at noon"]),  # a part of a word will do
        (["nothing of the kind"], [], 4, []),
        ([], ["about"], 1, ["they spoke about boats", "Ada met Bo at noon", "Cy saw Ada"]),
        ([], ["after"], 4, []),  # no such link leaves a focus point
        ([], ["nobody's"], 4, []),
        ([], ["about", "nobody's"], 1, ["they spoke about boats", "Ada met Bo at noon", "Cy saw Ada"]),
        (["boats"], ["about"], 4, ["they spoke about boats"]),
        (["boats"], ["before", "after"], 4, []),
    ],
)
async def test_keywords_and_relations_narrow_it_down(
    keywords: list[str], relations: list[str], depth: int, told: list[str]
) -> None:
    mind = await harbour()
    assert await mind.recall(keywords, relations, depth) == "\n---\n".join(f"[memory] {text}" for text in told)


async def test_keywords_are_found_in_what_a_memory_is_filed_under_too() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Lin repaired harbour lanterns")
    key = (await by_text(mind, "Lin repaired")).key
    await mind.put("she did it", key=key, phrase="harbour work", keywords=["lantern"], replace=True)
    assert await mind.recall(["Lantern"]) == await mind.recall(["harbour"]) == "[memory] she did it"


async def test_without_a_focus_nothing_comes_to_mind() -> None:
    assert await (await network_in_ram()).recall() == ""


async def test_chinese_and_english_side_by_side() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin坐渡轮去了南丫岛", "Lin liked it"))
    await mind.idle()
    assert await mind.recall(["渡轮"]) == "[记忆] Lin坐渡轮去了南丫岛"
    assert await mind.recall([], ["关于"], 1) == "[记忆] Lin坐渡轮去了南丫岛"
    assert await mind.recall([], ["about"], 1) == "[memory] Lin liked it"


async def test_the_depth_unless_told_is_the_minds_own() -> None:
    shallow, deep = await harbour(default_search_depth=1), await harbour(default_search_depth=4)
    assert await shallow.recall() == await shallow.recall(depth=1)
    assert await deep.recall() == await deep.recall(depth=4) != await deep.recall(depth=1)


async def test_no_ids_scores_or_distances() -> None:
    mind = await harbour()
    for depth in (1, 2, 4):
        text = await mind.recall(depth=depth)
        assert not re.search(r"\d|m\d|entity/|#|about\b(?! boats)|after", text)


async def test_a_limit_takes_the_first() -> None:
    mind = await harbour()
    assert await mind.recall(limit=1) == "[memory] they spoke about boats"


# ---- the order


async def test_nearer_first_then_stronger_then_newer() -> None:
    mind = await network_in_ram(focus_limit=1)
    await mind.remember(said("Hub"))
    await mind.idle()
    hub = next(memory.key for memory in await everything(mind) if memory.kind == "segment")
    for name, strength in (("weak", 0.2), ("strong", 0.9), ("older", 0.5), ("newer", 0.5)):
        await mind.put(f"the {name} one", key=name)
        await mind.put(f"beyond the {name} one", key=f"beyond {name}")
        await mind.link(hub, name, "next to", strength)
        await mind.link(name, f"beyond {name}", "next to", strength)
    assert (await mind.recall(depth=3)).split("\n---\n") == [
        "[memory] Hub",
        "[memory] the strong one",
        "[memory] the newer one",
        "[memory] the older one",
        "[memory] the weak one",
        "[memory] beyond the strong one",
        "[memory] beyond the newer one",
        "[memory] beyond the older one",
        "[memory] beyond the weak one",
    ]


async def test_of_equals_the_newest_memory_comes_first_whenever_it_was_linked() -> None:
    mind = await network_in_ram(focus_limit=2)
    await mind.remember(said("Ada met Bo"))
    await mind.idle()
    for key in ("first", "second", "third"):
        await mind.put(f"the {key} note", key=key)
    for point, key in (("entity/ada", "third"), ("entity/ada", "first"), ("entity/bo", "second")):
        await mind.link(point, key, "has", 0.1)  # focus holds all three at 1.0
    assert await mind.recall([], ["has"], 1) == "\n---\n".join(
        f"[memory] the {key} note" for key in ("third", "second", "first")
    )


async def test_a_memory_is_told_where_it_is_nearest_and_only_once() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Ada one | Ada two | Ada three"))
    await mind.idle()
    # Each is one link from Ada, and also one from its neighbours.
    assert await mind.recall(depth=4) == "[memory] Ada three\n---\n[memory] Ada two\n---\n[memory] Ada one"


# ---- what it leaves behind


async def test_reaching_a_memory_counts_as_walking_to_it() -> None:
    clock = FakeClock()
    mind = await network_in_ram(clock=clock)
    await tell(mind, "Lin left | and came back")
    clock.forward(60.0)
    await mind.recall(["left"])
    await mind.recall(["left"])
    found = {memory.text: memory.meta for memory in await everything(mind)}
    assert (found["Lin left"].traverse_count, found["Lin left"].last_linked_at) == (2, BIRTH + 60.0)
    assert found["Lin left"].access_count == 0  # being found is not being used
    assert found["and came back"].traverse_count == 0
    assert await mind.check() == []


# ---- its place in the queue


async def test_a_recall_waits_for_all_that_was_told_before_it_and_for_nothing_after() -> None:
    class Slow(ScriptedModel):
        async def distil(self, segment: str) -> Any:
            for _ in range(20):
                await asyncio.sleep(0)
            return await super().distil(segment)

    mind = await network_in_ram(Slow())
    answers = []
    for number in range(5):
        await mind.remember(said(f"Lin said {'abcde'[number]}"))
        answers.append(asyncio.create_task(mind.recall(depth=1)))
        await asyncio.sleep(0)  # it is in the queue now
    assert [len((await answer).split("\n---\n")) for answer in answers] == [1, 2, 3, 4, 5]


async def test_a_recall_that_fails_tells_only_who_asked() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin left"))
    for wrong in (0, 101, -1, 1.5, "2"):
        with pytest.raises(InvalidInput, match="a recall goes 1 to 100 links deep, not"):
            await mind.recall(depth=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="keywords are a list of words, not 'ferry'"):
        await mind.recall("ferry")
    with pytest.raises(InvalidInput, match="relations are a list of words, not"):
        await mind.recall([], [5])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="one memory or more"):
        await mind.recall(limit=0)
    assert await mind.recall() == "[memory] Lin left"


async def test_other_minds_do_not_recall() -> None:
    with pytest.raises(InvalidInput, match="this takes a network mind"):
        await (await mind_in_ram("activity")).recall()


# ---- after a night's sleep


async def test_a_mind_opened_again_recalls_the_same_in_the_same_order(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.apply(batch(configured("network", focus_limit=3)))
    mind = network_mind(store)
    for content in ("Cy met Di | they talked", "Ada saw Cy", "Bo and Ada | and Di", "all went home", "Ed slept"):
        await mind.remember(said(content))
    await settle(mind)
    told = [await mind.recall(depth=depth) for depth in (1, 2, 4)]
    await mind.close()
    again = network_mind(SqliteStore(tmp_path))
    assert [await again.recall(depth=depth) for depth in (1, 2, 4)] == told
    await again.close()


# ---- what it never touches


WORDS = st.sampled_from(("Ada", "Bo", "Cy", "Di", "met", "saw", "the tall ships by the old harbour wall"))


@lives
@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=5),
    st.lists(WORDS, max_size=2),
    st.sampled_from(((), ("about",), ("after", "before"))),
    st.integers(1, 5),
    st.sampled_from(("keep", "sweep")),
)
async def test_recall_never_changes_focus_nor_anything_that_fades(
    conversation: list[list[str]], keywords: list[str], relations: tuple[str, ...], depth: int, traces: str
) -> None:
    mind = await network_in_ram(focus_limit=2, decay_rate=0.5, traces=traces)
    for words in conversation:
        await tell(mind, " ".join(words))
    focus, before = await mind.focus(), {memory.key: memory.text for memory in await everything(mind)}
    await mind.recall(keywords, relations, depth)
    assert await mind.focus() == focus
    assert {memory.key: memory.text for memory in await everything(mind)} == before
    assert await mind.check() == []
