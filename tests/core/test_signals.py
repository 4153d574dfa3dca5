"""Signals and their table: columns that behave like a dict of rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ebbtide.core.signals import COMMON, NEVER, OWN, SignalTable
from tests.builders import links, rows, table_row

SCORED = ("base", "scored_at", "weight", "score")


def table_of(*memories: int) -> SignalTable:
    table = SignalTable(SCORED)
    for memory in memories:
        table.append(table_row(memory, memory, SCORED))
    return table


# ---- one row


def test_a_table_has_the_common_columns_and_those_its_metabolism_owns() -> None:
    table = table_of(1)
    assert list(table.values(0)) == [*COMMON, *SCORED]
    assert {name: column.dtype for name, column in table.columns.items()} == {
        name: np.dtype(kind) for name, kind in (COMMON | {own: OWN[own] for own in SCORED}).items()
    }


def test_a_row_comes_out_as_it_went_in_and_can_be_put_back() -> None:
    table = table_of(3, 4)
    out = table.values(table.row(3))
    assert out == table_row(3, 3, SCORED)
    table.remove(3)
    table.append(out)
    assert table.values(table.row(3)) == table_row(3, 3, SCORED)


def test_a_moment_that_never_was_is_nothing_outside_and_before_all_time_inside() -> None:
    table = SignalTable(())
    table.append(table_row(1) | {"last_linked_at": None, "last_touched_at": NEVER})
    assert table.view().last_linked_at.tolist() == [NEVER]
    assert (table.values(0)["last_linked_at"], table.values(0)["last_touched_at"]) == (None, None)


# ---- many rows


def test_extend_takes_a_value_for_each_row_or_one_for_all() -> None:
    table = table_of(1)
    values = table_row(0, 7, SCORED) | {"id": [5, 3, 40], "access_count": range(10, 13), "state": 2}
    assert table.extend(3, values) == slice(1, 4)
    s = table.view()
    assert s.id.tolist() == [1, 5, 3, 40]
    assert s.access_count.tolist() == [table_row(1, 1)["access_count"], 10, 11, 12]
    assert s.state[1:].tolist() == [2, 2, 2]
    assert table.rows([3, 5, 40, 1]).tolist() == [2, 1, 3, 0]


def test_extending_by_nothing_changes_nothing() -> None:
    table = table_of(1, 2)
    nothing: list[int] = []
    table.extend(0, dict.fromkeys([*COMMON, *SCORED], nothing))
    assert (len(table), table.view().id.tolist()) == (2, [1, 2])


def test_memories_that_are_not_here_have_no_row() -> None:
    table = table_of(1, 2)
    table.remove(1)
    assert table.rows([-1, 0, 1, 2, 3, 10**12]).tolist() == [-1, -1, -1, 0, -1, -1]
    assert [memory in table for memory in (-1, 0, 1, 2, 3, 10**12)] == [False, False, False, True, False, False]


def test_a_negative_id_is_no_memory_counted_from_the_end() -> None:
    table = table_of(15)  # the last of the sixteen ids a new table has room for
    assert table.rows([-1]).tolist() == [-1]
    assert -1 not in table


def test_removing_moves_the_last_row_into_the_gap_and_says_which() -> None:
    table = table_of(1, 2, 3)
    assert table.remove(1) == 3
    assert table.view().id.tolist() == [3, 2]
    assert table.remove(2) == 2  # the last one: nothing moved
    assert table.view().id.tolist() == [3]


def test_a_new_row_in_the_place_of_a_removed_one_has_its_own_values_alone() -> None:
    table = SignalTable(("score",))
    for memory in (1, 2):
        table.append(table_row(memory, salt=40, own=("score",)))
    table.remove(2)
    table.remove(1)
    nothing = {**dict.fromkeys(table.types, 0), "id": 3}
    table.append(nothing)
    assert table.values(0) == nothing


def test_a_row_that_moves_takes_along_whether_it_must_be_written() -> None:
    table = table_of(1, 2, 3)
    table.dirty[table.row(3)] = True
    table.remove(1)
    assert table.dirty[:2].tolist() == [True, False]


def test_a_new_row_has_nothing_to_be_written_whatever_stood_in_its_place() -> None:
    table = table_of(1, 2, 3)
    table.dirty[:3] = True
    for memory in (3, 2):
        table.remove(memory)
    table.append(table_row(4, 4, SCORED))
    table.extend(1, {name: [value] for name, value in table_row(5, 5, SCORED).items()})
    assert table.moved() == [1]


def test_the_memories_that_must_be_written_can_be_named() -> None:
    table = table_of(7, 8, 9)
    assert table.moved() == []
    table.dirty[[0, 2]] = True
    assert table.moved() == [7, 9]
    table.remove(9)
    assert table.moved() == [7]


def test_a_view_is_not_a_copy_and_rows_picked_out_are() -> None:
    table = table_of(1, 2)
    view, picked = table.view(), table.at(np.array([1]))
    table.columns["access_count"][:] = 77
    assert view.access_count.tolist() == [77, 77]
    assert picked.access_count.tolist() == [table_row(2, 2)["access_count"]]


def test_bytes_are_counted_for_columns_marks_and_the_index() -> None:
    table = SignalTable(())
    per_row = sum(np.dtype(kind).itemsize for kind in COMMON.values())
    assert table.nbytes() == 16 * (per_row + 1 + 4)  # room for 16: columns, one dirty byte, four of index


# ---- signals picked out of signals


def test_taking_rows_takes_every_column_and_the_links_that_leave_them() -> None:
    s = rows(3, access_count=[10, 20, 30], links=links(0.1, 0.2, 0.3, 0.4, row=[0, 2, 1, 2], since=[1, 2, 3, 4]))
    taken = s.take(np.array([2, 0]))
    assert (taken.id.tolist(), taken.access_count.tolist()) == ([3, 1], [30, 10])
    assert taken.links.row.tolist() == [1, 0, 0]  # row 0 became row 1, row 2 became row 0, row 1 is gone
    assert taken.links.strength.tolist() == [0.1, 0.2, 0.4]
    assert taken.links.since.tolist() == [1, 2, 4]


def test_taking_rows_keeps_the_focus_and_columns_nobody_keeps_stay_empty() -> None:
    table = SignalTable(())
    table.append(table_row(1))
    taken = table.view(focus=(1,)).take(np.array([0]))
    assert (taken.focus, len(taken.base), len(taken)) == ((1,), 0, 1)


@pytest.mark.parametrize("chosen", [[], [1], [2, 0, 1]])
def test_picking_from_the_table_and_taking_from_its_view_are_the_same(chosen: list[int]) -> None:
    table = table_of(4, 5, 6)
    rows_chosen = np.array(chosen, np.int64)
    picked, taken = table.at(rows_chosen), table.view().take(rows_chosen)
    assert len(picked) == len(chosen)
    for name in table.columns:
        np.testing.assert_array_equal(getattr(picked, name), getattr(taken, name))


def test_rows_picked_from_the_table_can_be_given_their_links_and_the_focus() -> None:
    given, focus = links(0.25, row=0), (6,)
    picked = table_of(4, 5, 6).at(np.array([2]), given, focus)
    assert (picked.id.tolist(), picked.links, picked.focus) == ([6], given, focus)


# ---- against a dict of rows

FRESH = st.integers(1, 200)
SALT = st.integers(0, 99)


class TableAgainstDict(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.table = SignalTable(SCORED)
        self.model: dict[int, dict[str, Any]] = {}

    @rule(memory=FRESH, salt=SALT)
    def append(self, memory: int, salt: int) -> None:
        if memory not in self.model:
            self.model[memory] = table_row(memory, salt, SCORED)
            self.table.append(self.model[memory])

    @rule(memories=st.lists(FRESH, max_size=40, unique=True), salt=SALT)
    def extend(self, memories: list[int], salt: int) -> None:
        new = [memory for memory in memories if memory not in self.model]
        added = [table_row(memory, salt + memory, SCORED) for memory in new]
        self.table.extend(len(new), {name: [values[name] for values in added] for name in table_row(0, 0, SCORED)})
        self.model.update(zip(new, added, strict=True))

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        memory = data.draw(st.sampled_from(sorted(self.model)))
        freed = self.table.row(memory)
        moved = self.table.remove(memory)
        del self.model[memory]
        assert moved == memory or self.table.row(moved) == freed

    @invariant()
    def they_agree(self) -> None:
        assert len(self.table) == len(self.model)
        memories = sorted(self.model)
        found = self.table.rows(memories)
        assert [self.table.values(at) for at in found.tolist()] == [self.model[memory] for memory in memories]
        assert sorted(self.table.view().id.tolist()) == memories
        assert all((memory in self.table) == (memory in self.model) for memory in range(201))


TestTableAgainstDict = TableAgainstDict.TestCase
TestTableAgainstDict.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
