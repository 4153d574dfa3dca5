"""The table of links: columns that behave like a dict keyed by source, target and relation."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ebbtide.core.links import LinkRow, LinkTable
from ebbtide.core.signals import Column, SignalTable
from tests.builders import table_row


def link(source: int, target: int, relation: str = "about", strength: float = 0.5, since: int = 0) -> LinkRow:
    return LinkRow(source, target, relation, strength, since)


def table_of(*added: LinkRow) -> LinkTable:
    table = LinkTable()
    for each in added:
        table.add(each)
    return table


def at(table: LinkTable, slots: Column) -> list[LinkRow]:
    return sorted(table.get(int(slot)) for slot in slots)


# ---- adding and finding


def test_a_link_comes_out_as_it_went_in() -> None:
    table = LinkTable()
    slot = table.add(link(1, 2, "属于", 0.25, 7), pinned=True)
    assert table.get(slot) == LinkRow(1, 2, "属于", 0.25, 7)
    assert table.columns["pinned"][slot]
    assert (len(table), table.rows()) == (1, [LinkRow(1, 2, "属于", 0.25, 7)])


def test_a_link_is_found_by_its_two_ends_and_its_relation() -> None:
    table = table_of(link(1, 2, "a"), link(1, 2, "b"), link(2, 1, "a"), link(1, 3, "a"))
    assert table.get(table.find(1, 2, "b")) == link(1, 2, "b")
    assert table.get(table.find(2, 1, "a")) == link(2, 1, "a")
    assert [table.find(2, 1, "b"), table.find(3, 1, "a"), table.find(1, 2, "never heard of")] == [-1, -1, -1]


def test_links_have_a_direction() -> None:
    table = table_of(link(1, 2), link(1, 3), link(2, 1))
    assert at(table, table.leaving(1)) == [link(1, 2), link(1, 3)]
    assert at(table, table.reaching(1)) == [link(2, 1)]
    assert at(table, table.leaving(3)) == []


def test_relations_are_told_apart_by_a_small_number_given_once() -> None:
    table = table_of(link(1, 2, "a"), link(1, 2, "b"), link(1, 3, "a"))
    assert table.relations == ["a", "b"]
    assert [table.code("b"), table.code("c"), table.code("a")] == [1, 2, 0]


def test_only_relations_that_there_are_have_codes() -> None:
    table = table_of(link(1, 2, "a"), link(1, 2, "b"))
    assert table.codes(["b", "never heard of", "a"]) == [1, 0]
    assert table.relations == ["a", "b"]


def test_the_links_that_leave_any_of_several_are_found_at_one_stroke() -> None:
    table = table_of(link(1, 2), link(2, 3), link(1, 3), link(3, 1))
    table.remove(table.find(1, 2, "about"))
    assert at(table, table.leaving_any(np.array([3, 1]))) == [link(1, 3), link(3, 1)]
    assert at(table, table.leaving_any(np.array([2, 9]))) == [link(2, 3)]
    assert at(table, table.leaving_any(np.array([], np.int64))) == []


# ---- removing


def test_a_removed_link_is_nowhere_any_more() -> None:
    table = table_of(link(1, 2), link(1, 3))
    table.remove(table.find(1, 2, "about"))
    assert (len(table), table.rows()) == (1, [link(1, 3)])
    assert table.find(1, 2, "about") == -1
    assert (at(table, table.leaving(1)), at(table, table.reaching(2))) == ([link(1, 3)], [])


def test_a_removed_link_can_be_made_anew() -> None:
    table = table_of(link(1, 2, strength=0.5))
    table.remove(table.find(1, 2, "about"))
    table.add(link(1, 2, strength=0.75))
    assert table.rows() == [link(1, 2, strength=0.75)]


# ---- what a metabolism sees


def test_columns_hold_living_links_with_the_row_of_their_source() -> None:
    memories = SignalTable(())
    for memory in (30, 10, 20):
        memories.append(table_row(memory))
    table = LinkTable()
    table.add(link(10, 20, strength=0.25, since=4))
    table.add(link(20, 30))
    table.add(link(30, 99, strength=1.0), pinned=True)  # its target is gone: a trace is a link too
    table.remove(table.find(20, 30, "about"))
    columns = table.as_columns(memories)
    assert columns.row.tolist() == [1, 0]
    assert columns.strength.tolist() == [0.25, 1.0]
    assert columns.since.tolist() == [4, 0]
    assert columns.pinned.tolist() == [False, True]


# ---- loading and rebuilding


def test_loaded_columns_are_found_like_added_ones() -> None:
    table = table_of(link(9, 9))
    columns = {
        "source": np.array([2, 1, 2]), "target": np.array([1, 2, 3]), "relation": np.array([1, 0, 1]),
        "strength": np.array([0.1, 0.2, 0.3]), "since": np.array([5, 6, 7]),
    }  # fmt: skip
    table.load(columns, ["a", "b"])
    table.add(link(2, 4, "b", 0.4, 8))
    assert len(table) == 4
    assert at(table, table.leaving(2)) == [
        LinkRow(2, 1, "b", 0.1, 5), LinkRow(2, 3, "b", 0.3, 7), LinkRow(2, 4, "b", 0.4, 8)
    ]  # fmt: skip
    assert at(table, table.reaching(2)) == [LinkRow(1, 2, "a", 0.2, 6)]
    assert table.relations == ["a", "b"]
    assert not table.columns["pinned"][: table.size].any()


def test_after_many_additions_the_index_is_rebuilt_and_the_slots_of_removed_links_are_used_again() -> None:
    table = LinkTable()
    for i in range(1025):
        table.add(link(i % 7, i))
    for i in range(1000):
        table.remove(table.find(i % 7, i, "about"))
    assert (table.size, len(table)) == (1025, 25)
    table.add(link(3, 5000))
    assert (table.size, len(table)) == (26, 26)
    # 1000 … 1024 are left; those with i % 7 = 3 are 1004, 1011, 1018
    assert at(table, table.leaving(3)) == [link(3, 1004), link(3, 1011), link(3, 1018), link(3, 5000)]
    assert at(table, table.reaching(1024)) == [link(1024 % 7, 1024)]


def test_pinned_links_are_still_pinned_after_the_index_was_rebuilt() -> None:
    table = LinkTable()
    for i in range(1025):
        table.add(link(1, i), pinned=i % 2 == 0)
    table.remove(table.find(1, 0, "about"))
    table.add(link(2, 1))
    pinned = [table.columns["pinned"][table.find(1, i, "about")] for i in (1, 2, 1023, 1024)]
    assert [bool(each) for each in pinned] == [False, True, False, True]


# ---- against a dict

Ends = tuple[int, int, str]
RELATION = st.sampled_from(["about", "属于", "下文"])
ENDS: st.SearchStrategy[Ends] = st.tuples(st.integers(1, 6), st.integers(1, 6), RELATION)
STRENGTH = st.sampled_from([0.0, 0.25, 0.5, 1.0])


class LinksAgainstDict(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.table = LinkTable()
        self.model: dict[Ends, tuple[float, int]] = {}
        self.next_target = 100

    def put(self, ends: Ends, strength: float, since: int) -> None:
        if ends not in self.model:
            self.table.add(LinkRow(*ends, strength, since))
            self.model[ends] = (strength, since)

    @rule(ends=ENDS, strength=STRENGTH, since=st.integers(0, 9))
    def add(self, ends: Ends, strength: float, since: int) -> None:
        self.put(ends, strength, since)

    @rule(count=st.integers(300, 1100), relation=RELATION)
    def add_many(self, count: int, relation: str) -> None:
        """To targets beyond the others', from all sources in turn; three of these surely rebuild the index."""
        for target in range(self.next_target, self.next_target + count):
            self.put((1 + target % 6, target, relation), 0.5, 0)
        self.next_target += count

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self.take_out(data.draw(st.sampled_from(sorted(self.model))))

    @rule(every=st.integers(2, 5))
    def remove_many(self, every: int) -> None:
        for ends in sorted(self.model)[::every]:
            self.take_out(ends)

    def take_out(self, ends: Ends) -> None:
        slot = self.table.find(*ends)
        assert self.table.get(slot) == (*ends, *self.model.pop(ends))
        self.table.remove(slot)
        assert self.table.find(*ends) == -1

    @invariant()
    def they_agree(self) -> None:
        whole = sorted(LinkRow(*ends, *values) for ends, values in self.model.items())
        assert (len(self.table), sorted(self.table.rows())) == (len(whole), whole)
        for memory in (*range(8), 100, self.next_target - 1):
            assert at(self.table, self.table.leaving(memory)) == [each for each in whole if each.source == memory]
            assert at(self.table, self.table.reaching(memory)) == [each for each in whole if each.target == memory]
        several = np.array([0, 2, 5])
        assert at(self.table, self.table.leaving_any(several)) == [each for each in whole if each.source in (0, 2, 5)]


TestLinksAgainstDict = LinksAgainstDict.TestCase
TestLinksAgainstDict.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
