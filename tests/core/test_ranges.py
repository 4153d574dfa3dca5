"""Ids as ranges: nothing but the chosen, in as few ranges as can be, and the way back."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.ranges import Ranges, ranges_of, within
from ebbtide.core.signals import Column

ids = st.integers(1, 60)
some_ranges = st.lists(st.tuples(ids, st.integers(0, 20)).map(lambda pair: (pair[0], sum(pair))), max_size=12)


def column(*values: int) -> Column:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("chosen", "alive", "ranges"),
    [
        ([], [1, 2, 3], ()),
        ([2], [1, 2, 3], ((2, 2),)),
        ([1, 2, 3], [1, 2, 3], ((1, 3),)),
        ([1, 3], [1, 2, 3], ((1, 1), (3, 3))),
        ([1, 9], [1, 9], ((1, 9),)),  # nobody alive between them
        ([1, 2, 5, 6, 9], [1, 2, 4, 5, 6, 9], ((1, 2), (5, 9))),  # 4 is alive and not meant
    ],
)
def test_neighbours_among_the_living_share_a_range(chosen: list[int], alive: list[int], ranges: Ranges) -> None:
    assert ranges_of(column(*chosen), column(*alive)) == ranges


def test_ends_belong_to_a_range() -> None:
    assert within(column(1, 2, 3, 4, 5, 6), ((5, 5), (2, 3))).tolist() == [False, True, True, False, True, False]
    assert within(column(1, 2), ()).tolist() == [False, False]


def test_a_range_may_lie_within_another() -> None:
    # Said by a cycle that had forgotten 5 before it passed over 2 and 6, neighbours by then.
    assert within(column(1, 2, 5, 6, 7), ((5, 5), (2, 6))).tolist() == [False, True, True, True, False]


@given(st.sets(ids), st.data())
def test_ranges_hold_the_chosen_and_nothing_else_that_is_alive(living: set[int], data: st.DataObject) -> None:
    alive = column(*sorted(living))
    chosen = column(*sorted(data.draw(st.sets(st.sampled_from(sorted(living))) if living else st.just(set()))))
    ranges = ranges_of(chosen, alive)
    assert alive[within(alive, ranges)].tolist() == chosen.tolist()
    # No fewer would do: between two ranges there is somebody alive who is not meant.
    for (_, last), (first, _) in pairwise(ranges):
        assert any(last < memory < first for memory in living - set(chosen.tolist()))


@given(st.lists(ids), some_ranges)
def test_within_is_what_one_would_say_range_by_range(asked: list[int], ranges: list[tuple[int, int]]) -> None:
    found = within(column(*asked), ranges).tolist()
    assert found == [any(first <= memory <= last for first, last in ranges) for memory in asked]
