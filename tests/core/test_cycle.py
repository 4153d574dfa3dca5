"""The compression cycle as arithmetic (N6): who is scanned, in what order, and what becomes of each."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.cycle import FORGET, LEAVE, SHORTEN, least_important, next_fates, plan_cycle
from ebbtide.core.metabolism import Network
from ebbtide.core.signals import Signals
from tests.builders import links, one, rows

NETWORK = Network()
HALVING = Network(decay_rate=0.5, link_break_threshold=0.125)  # powers of two: exact in a float
NAMES = {int(LEAVE): "leave", int(SHORTEN): "shorten", int(FORGET): "forget"}


def fate(s: Signals, network: Network = NETWORK) -> tuple[str, int]:
    action, target = next_fates(network, s)
    return NAMES[int(action[0])], int(target[0])


def order(s: Signals, network: Network = NETWORK, **asked: Any) -> list[int]:
    plan = plan_cycle(network, s, **{"upto": 1000, **asked})
    return [int(memory) for memory in plan.ids]


def faded(network: Network, strengths: tuple[float, ...], length: int = 100) -> list[tuple[str, int]]:
    """Scan after scan of one memory, its text as long as it was let, until it is forgotten."""
    course, now = [], length
    for scans in range(10_000):
        s = one(scan_count=scans, original_length=length, length=now, links=links(*strengths))
        course.append(fate(s, network))
        if course[-1][0] == "forget":
            return course
        now = min(now, course[-1][1])
    raise AssertionError("it never fades")


# ---- golden: one memory from its first scan to its end


def test_a_hundred_characters_on_a_link_of_one_and_one_of_a_half() -> None:
    # After scan k the importance is (1.0 + 0.5) · 0.97ᵏ.
    #   1.5 · 0.97¹³ = 1.00954 ≥ 1: protected;  1.5 · 0.97¹⁴ = 0.97925 leaves ⌊97.925⌋ = 97
    #   0.97¹⁵: 94.987   0.97¹⁶: 92.138   0.97¹⁷: 89.373   0.97¹⁸: 86.692   0.97¹⁹: 84.091   0.97²⁰: 81.569
    #   150 · 0.97¹⁰⁵ = 6.1252   150 · 0.97¹⁰⁶ = 5.9415   150 · 0.97¹¹¹ = 5.1022   150 · 0.97¹¹² = 4.9491 < 5
    course = faded(NETWORK, (1.0, 0.5))
    assert course[:13] == [("leave", 100)] * 13
    assert course[13:20] == [("shorten", length) for length in (97, 94, 92, 89, 86, 84, 81)]
    # Near the end several scans leave the same whole number of characters: then nothing is to be done.
    assert course[105:] == [("shorten", 5), *[("leave", 5)] * 5, ("forget", 4)]
    assert len(course) == 112


def test_the_current_length_as_basis_lets_a_text_melt() -> None:
    # 0.5 · 0.97ᵏ of what the scan before left:  100 · 0.485 = 48.5 → 48;  48 · 0.47045 = 22.58 → 22;
    # 22 · 0.4563365 = 10.04 → 10;  10 · 0.4426464 = 4.43 < 5: forgotten by the fourth scan
    melting = Network(basis="current")
    assert faded(melting, (0.5,)) == [("shorten", 48), ("shorten", 22), ("shorten", 10), ("forget", 4)]


def test_a_long_text_is_forgotten_when_its_last_link_breaks() -> None:
    # 1.0 · 0.97¹⁵¹ = 0.010058 holds, 1.0 · 0.97¹⁵² = 0.009757 is under 0.01: of 10,000 characters 100 were left
    course = faded(NETWORK, (1.0,), 10_000)
    assert (len(course), course[-2], course[-1]) == (152, ("shorten", 100), ("forget", 0))


# ---- borders


def test_an_importance_of_exactly_one_protects_also_a_short_text() -> None:
    # (1.0 + 1.0) · 0.5 = 1
    assert fate(one(links=links(1.0, 1.0)), HALVING) == ("leave", 100)
    assert fate(one(original_length=3, length=3, links=links(1.0, 1.0)), HALVING) == ("leave", 3)


def test_a_link_of_exactly_the_break_threshold_holds_once_more() -> None:
    # 0.25 · 0.5 = 0.125 is not under 0.125: 100 · 0.125 = 12.5; the next scan makes it 0.0625
    assert fate(one(links=links(0.25)), HALVING) == ("shorten", 12)
    assert fate(one(scan_count=1, links=links(0.25)), HALVING) == ("forget", 0)


def test_a_target_of_exactly_the_delete_threshold_is_kept() -> None:
    # 20 · 0.25 = 5 is not under 5; 19 · 0.25 = 4.75 is
    assert fate(one(original_length=20, length=20, links=links(0.5)), HALVING) == ("shorten", 5)
    assert fate(one(original_length=19, length=19, links=links(0.5)), HALVING) == ("forget", 4)


def test_without_a_threshold_the_last_character_is_kept() -> None:
    # 4 · 0.25 = 1 character; 3 · 0.25 = 0.75 is none, and of nothing nothing is left
    patient = Network(decay_rate=0.5, link_break_threshold=0.125, delete_threshold=0)
    assert fate(one(original_length=4, length=4, links=links(0.5)), patient) == ("shorten", 1)
    assert fate(one(original_length=3, length=3, links=links(0.5)), patient) == ("forget", 0)


def test_a_memory_without_links_is_forgotten() -> None:
    assert fate(one()) == ("forget", 0)


def test_a_text_already_short_enough_is_left_alone() -> None:
    # 100 · 0.25 = 25 characters are allowed
    assert fate(one(length=25, links=links(0.5)), HALVING) == ("leave", 25)
    assert fate(one(length=26, links=links(0.5)), HALVING) == ("shorten", 25)


def test_pinned_links_do_not_wear_and_the_others_of_the_same_memory_do() -> None:
    # pinned 1.0 whatever it was set to; 0.5 · 0.5 beside it
    s = one(scan_count=3, links=links(0.5, 0.5, since=[0, 3], pinned=[True, False]))
    assert float(HALVING.vitality(s, 0.0, extra_scans=1)[0]) == 1.25
    assert fate(s, HALVING) == ("leave", 100)


def test_links_of_a_protected_memory_wear_too() -> None:
    # 3 · 0.97ᵏ: protected for 36 scans (3 · 0.97³⁶ = 1.00208), and then no more (3 · 0.97³⁷ = 0.97202)
    course = faded(NETWORK, (1.0, 1.0, 1.0))
    assert [action for action, _ in course[:37]] == ["leave"] * 36 + ["shorten"]
    assert course[36] == ("shorten", 97)


# ---- who is scanned, and in what order


def test_those_scanned_least_come_first_and_of_equals_the_eldest() -> None:
    s = rows(5, id=[9, 4, 7, 1, 3], scan_count=[2, 0, 2, 5, 0])
    assert order(s) == [3, 4, 7, 9, 1]


def test_focus_points_are_left_out() -> None:
    s = rows(4, focus=(2, 4), links=links(1.0, 1.0, row=[0, 1], pinned=True))
    plan = plan_cycle(NETWORK, s, upto=4)
    assert plan.ids.tolist() == [1, 3]
    assert plan.action.tolist() == [LEAVE, FORGET]


def test_memories_younger_than_the_cycle_are_not_its_business() -> None:
    assert order(rows(4), upto=3) == [1, 2, 3]


def test_what_was_scanned_already_is_not_scanned_again() -> None:
    assert order(rows(6), scanned=((1, 2), (5, 5))) == [3, 4, 6]


def test_a_budget_takes_the_first_of_the_order() -> None:
    s = rows(5, scan_count=[3, 0, 1, 0, 2])
    assert order(s, Network(scan_budget=3)) == [2, 4, 3]
    assert order(s, Network(scan_budget=9)) == [2, 4, 3, 5, 1]


def test_a_resumed_cycle_has_what_is_left_of_its_budget() -> None:
    # 2 and 4 are done, so of three one is left; they have one scan more by now
    s = rows(5, scan_count=[3, 1, 1, 1, 2])
    assert order(s, Network(scan_budget=3), scanned=((2, 2), (4, 4)), passed=2) == [3]
    assert order(s, Network(scan_budget=3), scanned=((2, 2), (4, 4))) == [3]
    assert order(s, Network(scan_budget=3), scanned=((2, 2), (4, 5)), passed=3) == []


def test_memories_a_cycle_forgot_count_in_its_budget() -> None:
    # It passed over 1, 2 and 3 and forgot two of them: only 2 is still there to be counted.
    s = rows(4, id=[2, 4, 5, 6])
    assert order(s, Network(scan_budget=4), scanned=((1, 3),), passed=3) == [4]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30),
    st.integers(0, 40),
    st.integers(0, 30),
)
def test_a_plan_is_the_sorted_rest(memories: list[tuple[int, bool]], budget: int, upto: int) -> None:
    done = [i + 1 for i, (_, was_done) in enumerate(memories) if was_done]
    s = rows(len(memories), scan_count=[scans for scans, _ in memories])
    rest = sorted((scans, i + 1) for i, (scans, was_done) in enumerate(memories) if not was_done and i + 1 <= upto)
    expected = [memory for _, memory in rest]
    if budget:
        expected = expected[: max(0, budget - len(done))]
    found = order(s, Network(scan_budget=budget), upto=upto, scanned=tuple((memory, memory) for memory in done))
    assert found == expected


# ---- whom a full pool gives up


def test_the_least_important_goes_and_of_equals_the_eldest() -> None:
    # importance: memory 9 has 1.0 + 0.5, memory 7 has 0.1, memories 5 and 4 have 0.5 each
    s = rows(4, id=[9, 7, 5, 4], links=links(1.0, 0.5, 0.1, 0.5, 0.5, row=[0, 0, 1, 2, 3]))
    assert least_important(NETWORK, s) == 1
    assert least_important(NETWORK, s.take(np.array([0, 2, 3]))) == 2
