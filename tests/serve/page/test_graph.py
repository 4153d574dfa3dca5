"""The picture of a mind: who stands where, how wide a line is, how faded a node; and that it is always the same one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.mind.surroundings import Lost, Surroundings
from ebbtide.serve.page.graph import Graph, graph, label, laid_out, opacity, width
from tests.helpers import mind_in_ram


async def pictured() -> tuple[Surroundings, Graph]:
    mind = await mind_in_ram("score")
    for key in ("hub", "near", "far", "alone", "gone"):
        await mind.put(f"what {key} says", key=key)
    await mind.link("hub", "near", "knows", 0.9)
    await mind.link("near", "hub", "is known by", 0.4)
    await mind.link("near", "far", "leads to", 0.2)
    await mind.link("hub", "gone", "once", 0.7)
    await mind.forget("gone")
    seen = await mind.surroundings("hub")
    return seen, graph(seen)


async def test_every_memory_and_every_trace_is_a_node() -> None:
    _, drawn = await pictured()
    assert {node.key: node.ghost for node in drawn.nodes} == {"hub": False, "near": False, "far": False, "gone": True}


async def test_two_links_between_the_same_two_are_one_line_as_strong_as_the_stronger() -> None:
    _, drawn = await pictured()
    line = next(edge for edge in drawn.edges if edge.relations == ("knows", "is known by"))
    assert line.strength == 0.9
    assert len(drawn.edges) == 3


async def test_a_line_to_what_is_lost_is_a_ghost() -> None:
    _, drawn = await pictured()
    assert [edge.relations for edge in drawn.edges if edge.ghost] == [("once",)]


async def test_what_is_lost_without_a_name_has_no_label() -> None:
    seen, _ = await pictured()
    drawn = graph(replace(seen, lost=(Lost(seen.lost[0].id, "", ""),)))
    (ghost,) = (node for node in drawn.nodes if node.ghost)
    assert (ghost.label, ghost.line) == ("", "")


async def test_where_the_look_started_is_in_the_middle() -> None:
    _, drawn = await pictured()
    hub = next(node for node in drawn.nodes if node.key == "hub")
    assert (hub.x, hub.y) == (0.0, 0.0)


async def test_the_same_surroundings_give_the_same_picture() -> None:
    seen, drawn = await pictured()
    assert graph(seen) == drawn


async def test_a_mind_without_memories_is_an_empty_picture() -> None:
    assert graph(await (await mind_in_ram()).surroundings()) == Graph((), ())


def test_a_line_is_as_wide_as_its_link_is_strong() -> None:
    # 0.5 + 4.5 · strength
    assert [width(strength) for strength in (0.0, 0.5, 1.0)] == pytest.approx([0.5, 2.75, 5.0])


def test_what_fades_stays_readable() -> None:
    # 0.25 + 0.75 · alive
    assert [opacity(alive) for alive in (0.0, 0.5, 1.0)] == pytest.approx([0.25, 0.625, 1.0])


def test_a_label_is_one_short_line() -> None:
    assert label("two\n lines") == "two lines"
    assert label("一二三四五六七八九十", 10) == "一二三四…"
    assert label("abcdefghijkl", 10) == "abcdefghi…"
    assert label("") == ""


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 60), st.data())
def test_all_stand_apart_within_the_frame(count: int, data: st.DataObject) -> None:
    node = st.integers(0, count - 1)
    pairs = [(a, b) for a, b in data.draw(st.lists(st.tuples(node, node), max_size=80)) if a != b]
    at = laid_out(count, np.array(pairs, np.int64).reshape(-1, 2), np.full(len(pairs), 0.5), [0])
    assert np.isfinite(at).all()
    assert np.abs(at).max() <= 1.0
    assert len({tuple(place) for place in at.round(6).tolist()}) == count


def test_what_is_linked_stands_nearer_than_what_is_not() -> None:
    """Two groups of five, each linked among themselves, and nothing between them."""
    pairs = [(a + base, b + base) for base in (0, 5) for a in range(5) for b in range(a)]
    at = laid_out(10, np.array(pairs, np.int64), np.full(len(pairs), 1.0), [0])
    apart = np.linalg.norm(at[:, None] - at[None, :], axis=2)
    inside = np.mean([apart[a, b] for a, b in pairs])
    assert inside < 0.6 * apart[:5, 5:].mean()
