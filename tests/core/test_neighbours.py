"""What stands before and after a memory in its conversation, kept beside the links it follows from."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.links import LinkRow, LinkTable
from ebbtide.core.signals import Column

RELATIONS = ("after", "before", "下文", "上文", "about")
FORWARD, BACK = ("after", "下文"), ("before", "上文")
IDS = np.arange(1, 7)

Ends = tuple[int, int, str]
links = st.tuples(st.integers(1, 6), st.integers(1, 6), st.sampled_from(RELATIONS))


def row(source: int, target: int, relation: str) -> LinkRow:
    return LinkRow(source, target, relation, 0.5, 0)


def table(*some: Ends) -> LinkTable:
    made = LinkTable()
    for link in some:
        made.add(row(*link))
    return made


def beside(made: LinkTable, ids: Sequence[int] = tuple(IDS)) -> list[tuple[int, int]]:
    before, after = made.beside(np.array(ids))
    return list(zip(before.tolist(), after.tolist(), strict=True))


def by_rows(made: LinkTable) -> list[tuple[int, int]]:
    """The same from all links, one by one."""
    pairs = [(link.source, link.target) for link in made.rows() if link.relation in FORWARD]
    pairs += [(link.target, link.source) for link in made.rows() if link.relation in BACK]
    return [
        (max((a for a, b in pairs if b == memory), default=0), max((b for a, b in pairs if a == memory), default=0))
        for memory in IDS.tolist()
    ]


def test_a_link_of_order_in_either_direction_and_language_says_both_ends() -> None:
    assert beside(table((1, 2, "after"), (3, 2, "上文")), [1, 2, 3]) == [(0, 2), (1, 3), (2, 0)]


def test_other_relations_and_unknown_memories_have_no_neighbours() -> None:
    assert beside(table((1, 2, "about")), [1, 2, 99_999]) == [(0, 0)] * 3


def test_a_neighbour_stays_as_long_as_one_of_its_two_links_does() -> None:
    made = table((1, 2, "after"), (2, 1, "before"))
    made.remove(made.find(1, 2, "after"))
    assert beside(made, [1, 2]) == [(0, 2), (1, 0)]
    made.remove(made.find(2, 1, "before"))
    assert beside(made, [1, 2]) == [(0, 0), (0, 0)]


def test_of_two_neighbours_the_younger_counts_and_the_other_when_it_is_gone() -> None:
    made = table((1, 3, "after"), (1, 2, "after"))
    assert beside(made, [1]) == [(0, 3)]
    made.remove(made.find(1, 3, "after"))
    assert beside(made, [1]) == [(0, 2)]


@given(st.lists(st.tuples(links, st.booleans()), max_size=30))
def test_neighbours_are_those_that_the_links_say_whatever_came_and_went(
    steps: list[tuple[tuple[int, int, str], bool]],
) -> None:
    made = LinkTable()
    for link, asked in steps:
        slot = made.find(*link)
        if slot < 0:
            made.add(row(*link))
        else:
            made.remove(slot)
        if asked:  # what was looked up anew must not outlive the next change
            assert beside(made) == by_rows(made)
    assert beside(made) == by_rows(made)


@given(st.sets(links, max_size=20))
def test_loaded_links_have_the_same_neighbours_as_added_ones(some: set[Ends]) -> None:
    columns: dict[str, Column] = {
        "source": np.array([source for source, _, _ in some], np.int64),
        "target": np.array([target for _, target, _ in some], np.int64),
        "relation": np.array([RELATIONS.index(relation) for _, _, relation in some], np.int32),
        "strength": np.full(len(some), 0.5),
        "since": np.zeros(len(some), np.int64),
    }
    loaded = LinkTable()
    loaded.load(columns, RELATIONS)
    assert beside(loaded) == beside(table(*some))
