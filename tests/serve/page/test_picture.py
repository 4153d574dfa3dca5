"""The picture as ECharts gets it: texts are data and nothing else, colours are the page's, strength is width."""

from typing import Any

from ebbtide.mind import Mind
from ebbtide.serve.page.graph import graph
from ebbtide.serve.page.picture import options
from tests.helpers import mind_in_ram

EVIL = ":formatter <b>{b}</b> ${x}"


async def a_mind() -> Mind:
    mind = await mind_in_ram("network")
    for key in (EVIL, "other", "gone"):
        await mind.put(EVIL, key=key)
    await mind.link(EVIL, "other", EVIL, 0.8)
    await mind.link("other", "gone", "once", 0.2)
    await mind.forget("gone")
    return mind


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


async def test_what_memories_say_is_never_a_name_of_an_option() -> None:
    drawn = options(graph(await (await a_mind()).surroundings()))
    scripts = {name for name in keys(drawn) if name.startswith(":")}
    assert scripts == {":formatter"}
    assert not any(EVIL in name for name in keys(drawn))


async def test_scripts_are_the_same_whatever_memories_say() -> None:
    full = options(graph(await (await a_mind()).surroundings()))
    blank = options(graph(await (await mind_in_ram()).surroundings()))
    assert full["tooltip"] == blank["tooltip"]
    assert full["series"][0]["label"] == blank["series"][0]["label"]


async def test_a_stronger_link_is_a_wider_line_and_a_trace_is_dashed() -> None:
    drawn = options(graph(await (await a_mind()).surroundings()))
    lines = [line["lineStyle"] for line in drawn["series"][0]["links"]]
    # 0.5 + 4.5 · strength
    assert [(line["width"], line["type"]) for line in lines] == [(4.1, "solid"), (1.4, "dashed")]


async def test_colours_are_those_of_the_page_by_day_and_by_night() -> None:
    drawn = options(graph(await (await a_mind()).surroundings()))
    colours = {node["itemStyle"]["color"] for node in drawn["series"][0]["data"]}
    assert all(colour.startswith("var(--") for colour in colours)
