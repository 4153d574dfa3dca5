"""The memories that a state is compared with: all of a small mind, a fair sample of a large one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.metabolism import Tide
from ebbtide.core.peers import PEERS, Sampler
from ebbtide.core.signals import Newness, Peers, SignalTable
from tests.builders import BIRTH, rows, table_row

TIDE = Tide()
NONE = Newness()


def table_of(ids: list[int] | range) -> SignalTable:
    table = SignalTable(TIDE.own)
    one = table_row(1, own=TIDE.own)
    table.extend(len(ids), one | {"id": list(ids)})
    return table


def sampled(table: SignalTable, sampler: Sampler | None = None, seq: int = 1) -> list[int]:
    return sorted((sampler or Sampler()).peers(table, seq, {"newness": NONE}).signals.id.tolist())


def test_a_small_mind_is_compared_with_all_of_itself() -> None:
    assert sampled(table_of(range(1, PEERS + 1))) == list(range(1, PEERS + 1))


def test_a_large_mind_is_compared_with_one_in_two_to_the_power_of_k() -> None:
    # 20,000 / 2³ = 2,500, and 20,000 / 2² would be more than 4,096. The hash of running ids is even to a few.
    found = sampled(table_of(range(1, 20_001)))
    assert len(found) == pytest.approx(2_500, abs=10)
    # An even sample: 2,500 · 0.1 in the first tenth of the ids.
    assert sum(memory <= 2_000 for memory in found) == pytest.approx(250, abs=5)


def test_the_sample_follows_from_which_memories_there_are_not_from_their_order() -> None:
    forth, back = table_of(range(1, 9_001)), table_of(list(range(9_000, 0, -1)))
    assert sampled(forth) == sampled(back)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(("put", "remove", "restore")), st.integers(1, 400)), max_size=12))
def test_looking_only_at_what_is_new_finds_what_looking_at_all_finds(moves: list[tuple[str, int]]) -> None:
    table, sampler, after, gone = table_of(range(1, 8_101)), Sampler(), 8_101, list[int]()
    for seq, (move, count) in enumerate(moves):
        if move == "put":
            table.extend(count, table_row(1, own=TIDE.own) | {"id": list(range(after, after + count))})
            after += count
        elif move == "remove":
            gone += (some := table.columns["id"][: len(table)][:: len(table) // 3].tolist())
            for memory in some:
                table.remove(memory)
        elif gone:
            table.append(table_row(1, own=TIDE.own) | {"id": gone.pop()})
        assert sampled(table, sampler, seq) == sampled(table)


def test_the_columns_are_those_of_the_entry_that_is_asked_for() -> None:
    table, sampler = table_of(range(1, 9_001)), Sampler()
    first = sampler.peers(table, 1, {"newness": NONE})
    assert sampler.peers(table, 1, {"newness": NONE}) is first
    table.columns["use_long"][:] = 7.0
    assert set(sampler.peers(table, 2, {"newness": NONE}).signals.use_long.tolist()) == {7.0}


def test_needs_are_sorted_once_for_each_moment() -> None:
    peers, asked = Peers(rows(3, use_long=[3.0, 1.0, 2.0])), list[float]()

    def vitality(s: object, now: float) -> np.ndarray:
        asked.append(now)
        return np.array([3.0, 1.0, 2.0]) + now

    assert peers.ordered(vitality, TIDE, 1.0).tolist() == [2.0, 3.0, 4.0]
    assert peers.ordered(vitality, TIDE, 1.0).tolist() == [2.0, 3.0, 4.0]
    assert peers.ordered(vitality, TIDE, 2.0).tolist() == [3.0, 4.0, 5.0]
    assert asked == [1.0, 2.0]


@given(st.lists(st.floats(0.0, 50.0), min_size=1, max_size=40), st.floats(0.0, 1.0))
def test_the_floor_is_the_quantile_of_the_needs(uses: list[float], share: float) -> None:
    s, tide = rows(len(uses), use_long=uses, use_short=uses, used_at=BIRTH, prior=0.4), Tide(fading_share=share)
    expected = np.quantile(tide.vitality(s, BIRTH), share) if len(uses) * share >= 1.0 else -np.inf
    assert tide.floor(s, BIRTH) == pytest.approx(expected, abs=1e-12)
    assert tide.floor(s.take(np.array([0])), BIRTH) == tide.floor(s, BIRTH)
