"""Recall by cue (N10): when the walk from the focus meets none of the keywords, it starts from what they name."""

from typing import Any

import pytest

from ebbtide.core.changes import Traverse
from ebbtide.core.state import COMPRESS
from ebbtide.mind import Mind
from ebbtide.mind.tools import Tools
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured, store_of
from tests.scripted_model import ScriptedModel, by_text, said


async def harbour(**params: Any) -> Mind:
    """On Zed alone; Cy and Lin are as far away as can be: no link leads from one subject to another."""
    store = MemoryStore()
    await store.apply(batch(configured("network", focus_limit=1, **params)))
    mind = Mind("ada", store, FakeClock(), MemoryStore, model=ScriptedModel(), tools=Tools(Analyzer))
    for content in ("Cy knows the tide tables", "Lin坐渡轮去了南丫岛", "Bo missed both ferries", "Zed sleeps"):
        await mind.remember(said(content))
    await mind.idle()
    return mind


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        (["Zed"], "[memory] Zed sleeps"),  # near the focus
        (["tide"], "[memory] Cy knows the tide tables"),  # a memory that says it
        (["tides"], "[memory] Cy knows the tide tables"),  # in another form
        (["ferry"], "[memory] Bo missed both ferries"),
        (["cy"], "[memory] Cy knows the tide tables"),  # an entity of that name
        (["渡轮"], "[记忆] Lin坐渡轮去了南丫岛"),
        (["南丫"], "[记忆] Lin坐渡轮去了南丫岛"),
        (["tide", "南丫岛"], "[memory] Cy knows the tide tables\n---\n[记忆] Lin坐渡轮去了南丫岛"),
        (["submarine"], ""),
        (["tide lanterns"], ""),  # a keyword of two words means both
        ([""], "[memory] Zed sleeps"),
    ],
)
async def test_what_the_focus_does_not_lead_to_is_found_by_what_the_keywords_name(
    keywords: list[str], told: str
) -> None:
    assert await (await harbour()).recall(keywords) == told


async def test_a_walk_that_met_something_is_not_started_again() -> None:
    assert await (await harbour()).recall(["sleeps", "tide"]) == "[memory] Zed sleeps"


async def test_without_keywords_there_is_no_cue() -> None:
    assert await (await harbour()).recall([], ["nobody's"]) == ""


async def test_never_is_the_letter_of_the_seed() -> None:
    mind = await harbour(cue="never")
    assert await mind.recall(["tide"]) == ""
    assert await mind.recall(["Zed"]) == "[memory] Zed sleeps"


async def test_only_links_of_the_relations_asked_for_are_walked() -> None:
    mind = await harbour()
    assert await mind.recall(["tide"], ["about"]) == "[memory] Cy knows the tide tables"  # by Cy, who is linked so
    assert await mind.recall(["tide"], ["关于"]) == ""


async def test_a_cue_changes_no_focus_and_its_walks_count() -> None:
    mind = await harbour()
    before = await mind.focus()
    await mind.recall(["tide"])
    assert await mind.focus() == before == ["Zed"]
    memory = await by_text(mind, "Cy knows")
    walks = [entry.change for entry in await store_of(mind).journal() if isinstance(entry.change, Traverse)]
    assert [walk.ids for walk in walks] == [(memory.id,)]


async def test_traces_on_the_way_are_told() -> None:
    mind = await harbour()
    await mind.forget((await by_text(mind, "Cy knows")).key)
    assert await mind.recall(["Cy"]) == "[memory] once knew: Cy (about): Cy knows"
    assert [task.kind for task in await mind.queue() if task.kind != COMPRESS] == []


async def test_the_limit_holds() -> None:
    mind = await harbour()
    assert await mind.recall(["tide", "南丫岛"], limit=1) == "[memory] Cy knows the tide tables"


async def test_a_view_of_another_time_recalls_by_cue_too() -> None:
    mind = await harbour()
    assert await (await mind.as_of(mind.now)).recall(["tide"]) == "[memory] Cy knows the tide tables"
