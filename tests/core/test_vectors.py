"""Vectors by slot: what is found is what a plain comparison with all of them finds, or very nearly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import ArrayLike

from ebbtide.core import vectors as module
from ebbtide.core.signals import Column
from ebbtide.core.vectors import VectorIndex

SLOTS = 12
slots = st.integers(0, SLOTS - 1)
# Small whole numbers, so that vectors are often the same and cosines often tie.
directions = st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any)


def unit(rows: ArrayLike) -> Column:
    given_rows = np.asarray(rows, np.float32)
    scaled: Column = given_rows / np.linalg.norm(given_rows, axis=-1, keepdims=True)
    return scaled


def index_of(rows: Column, exact_below: int = 10_000) -> VectorIndex:
    index = VectorIndex(rows.shape[1], exact_below)
    index.put(range(len(rows)), rows)
    return index


def sentences(count: int, seed: int, dimensions: int = 256) -> Column:
    """Vectors as sentences have them: off centre, some directions wider than others, gathered around subjects."""
    chance = np.random.default_rng(seed)
    widths = np.linspace(1.5, 0.2, dimensions)
    subjects = np.random.default_rng(0).standard_normal((200, dimensions)) * widths
    rows = subjects[chance.integers(0, 200, count)] + 1.2 * chance.standard_normal((count, dimensions)) * widths
    return unit(rows + 0.3)


def true_nearest(rows: Column, query: Column, limit: int, allowed: Column | None = None) -> list[int]:
    cosines = rows @ query
    if allowed is not None:
        cosines = np.where(allowed, cosines, -np.inf)
    best: list[int] = np.argsort(-cosines, kind="stable")[:limit].tolist()
    return best


def recall(index: VectorIndex, rows: Column, queries: Column, allowed: Column | None = None) -> float:
    shares = []
    for query in queries:
        found, _ = index.nearest(query, 10, allowed)
        shares.append(len(set(found.tolist()) & set(true_nearest(rows, query, 10, allowed))) / 10)
    return float(np.mean(shares))


# ---- what is put and what is found


def test_the_nearest_come_first_with_their_cosines() -> None:
    # (3, 4) / 5 with (1, 0) is 0.6, with (0, 1) 0.8, with (1, 1) / √2 is 7 / (5 √2) = 0.98995
    index = index_of(unit([[1, 0], [0, 1], [1, 1]]))
    found, cosines = index.nearest(np.array([0.6, 0.8]), 2)
    assert found.tolist() == [2, 1]
    assert cosines.tolist() == pytest.approx([0.98995, 0.8], abs=1e-5)


def test_equal_cosines_are_told_by_slot() -> None:
    index = index_of(unit([[0, 1], [1, 0], [1, 0], [0, -1], [1, 0]]))
    assert index.nearest(np.array([1.0, 0.0]), 2)[0].tolist() == [1, 2]
    assert index.nearest(np.array([1.0, 0.0]), 5)[0].tolist() == [1, 2, 4, 0, 3]


def test_the_same_vector_many_times_ties_whatever_the_order_of_its_sums() -> None:
    one = sentences(1, 5, 333)
    index = index_of(np.repeat(one, 1_237, axis=0))
    assert index.nearest(sentences(1, 6, 333)[0], 30)[0].tolist() == list(range(30))


def test_an_empty_index_finds_nothing() -> None:
    index = VectorIndex(3)
    found, cosines = index.nearest(unit([1, 0, 0]), 5)
    assert (len(index), found.tolist(), cosines.tolist(), index.exact) == (0, [], [], True)
    assert index.has([0, 7]).tolist() == [False, False]
    assert np.isnan(index.cosines(unit([1, 0, 0]), [0, 3])).all()
    index.put([], np.empty((0, 3)))
    assert len(index) == 0


def test_one_vector_is_found_whatever_is_asked() -> None:
    index = VectorIndex(2)
    index.put([40], unit([[0, 1]]))
    found, cosines = index.nearest(unit([0, -1]), 3)
    assert (found.tolist(), cosines.tolist()) == ([40], [-1.0])


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_means_nothing_is_found(limit: int) -> None:
    assert index_of(unit([[1, 0], [0, 1]])).nearest(unit([1, 0]), limit)[0].tolist() == []


def test_a_slot_without_a_vector_has_no_cosine() -> None:
    index = VectorIndex(2)
    index.put([1, 3], unit([[1, 0], [0, 1]]))
    cosines = index.cosines(unit([1, 0]), [3, 0, 1, 99, -1])
    assert np.isnan(cosines).tolist() == [False, True, False, True, True]
    assert cosines[[0, 2]].tolist() == [0.0, 1.0]
    assert index.vectors([3, 0]).tolist() == [[0.0, 1.0], [0.0, 0.0]]


def test_a_dropped_vector_leaves_nothing_and_its_slot_can_be_used_again() -> None:
    index = index_of(unit([[1, 0], [0, 1]]))
    index.drop(0)
    index.drop(0)
    index.drop(50)
    assert (len(index), 0 in index, 1 in index, 50 in index, -1 in index) == (1, False, True, False, False)
    assert index.nearest(unit([1, 0]), 5)[0].tolist() == [1]
    assert not index._rows[0].any()
    index.put([0], unit([[1, 1]]))
    assert index.nearest(unit([1, 1]), 1)[0].tolist() == [0]


def test_of_a_slot_said_twice_the_last_vector_stays() -> None:
    index = VectorIndex(2)
    index.put([4, 4], unit([[1, 0], [0, 1]]))
    assert (len(index), index.vectors([4]).tolist()) == (1, [[0.0, 1.0]])


@pytest.mark.parametrize("shape", [(2, 3), (1, 4), (2,), (2, 4, 1), (0, 4)])
def test_vectors_that_do_not_fit_are_refused_and_nothing_has_happened(shape: tuple[int, ...]) -> None:
    index = VectorIndex(4)
    with pytest.raises(ValueError, match="4 dimensions"):
        index.put([0, 1], np.ones(shape))
    assert len(index) == 0


def test_a_query_that_does_not_fit_is_refused() -> None:
    index = index_of(unit([[1, 0]]))
    with pytest.raises(ValueError, match="2 dimensions"):
        index.nearest(np.ones(3), 1)
    with pytest.raises(ValueError, match="2 dimensions"):
        index.cosines(np.ones((1, 2)), [0])


def test_a_negative_slot_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        VectorIndex(2).put([0, -1], unit([[1, 0], [1, 0]]))


def test_only_allowed_slots_are_found_and_those_beyond_the_masks_end_are_not_allowed() -> None:
    index = index_of(unit([[10, 0], [10, 1], [10, 2], [10, 3]]))
    query = unit([1, 0])
    assert index.nearest(query, 4, np.array([False, True, True]))[0].tolist() == [1, 2]
    assert index.nearest(query, 4, np.array([True, False, False, True, True, True]))[0].tolist() == [0, 3]
    assert index.nearest(query, 4, np.zeros(4, np.bool_))[0].tolist() == []


class Life(RuleBasedStateMachine):
    """Puts and drops in any order, beside a dict."""

    exact_below = 10_000

    def __init__(self) -> None:
        super().__init__()
        self.index = VectorIndex(3, exact_below=self.exact_below)
        self.plain: dict[int, Column] = {}

    @rule(rows=st.dictionaries(slots, directions, max_size=5))
    def put(self, rows: dict[int, list[int]]) -> None:
        vectors = unit(np.array(list(rows.values()), np.float32).reshape(-1, 3)) if rows else np.empty((0, 3))
        self.index.put(list(rows), vectors)
        self.plain.update(zip(rows, vectors, strict=True))

    @rule(slot=slots)
    def drop(self, slot: int) -> None:
        self.index.drop(slot)
        self.plain.pop(slot, None)

    @rule(direction=directions, limit=st.integers(1, SLOTS), allowed=st.none() | st.sets(slots))
    def ask(self, direction: list[int], limit: int, allowed: set[int] | None) -> None:
        query = unit(direction)
        mask = None if allowed is None else np.isin(np.arange(SLOTS), list(allowed))
        may = [slot for slot in sorted(self.plain) if allowed is None or slot in allowed]
        found, cosines = self.index.nearest(query, limit, mask)
        expected = {slot: float(self.plain[slot] @ query) for slot in may}
        assert len(found) == len(set(found.tolist())) == min(limit, len(may))
        assert cosines.tolist() == pytest.approx(sorted(expected.values(), reverse=True)[:limit], abs=2e-3)
        assert cosines.tolist() == pytest.approx([expected[slot] for slot in found.tolist()], abs=2e-3)
        assert cosines.tolist() == self.index.cosines(query, found).tolist()
        told = list(zip((-cosines).tolist(), found.tolist(), strict=True))
        assert told == sorted(told)

    @invariant()
    def holds_the_same(self) -> None:
        assert len(self.index) == len(self.plain)
        assert np.flatnonzero(self.index.has(range(SLOTS))).tolist() == sorted(self.plain)
        for slot, vector in self.plain.items():
            assert self.index.vectors([slot])[0] == pytest.approx(vector, abs=1e-3)


class SketchedLife(Life):
    """The same with sketches from the first vector on. So few are all on the shortlist: nothing may differ."""

    exact_below = 1


TestLife = Life.TestCase
TestSketchedLife = SketchedLife.TestCase
TestLife.settings = TestSketchedLife.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)


# ---- many


@pytest.fixture(scope="module")
def many() -> tuple[VectorIndex, Column]:
    rows = sentences(30_000, 1)
    return index_of(rows), rows


def test_many_vectors_are_no_longer_looked_at_one_by_one_and_take_half_the_space(
    many: tuple[VectorIndex, Column],
) -> None:
    index, rows = many
    assert (index.exact, len(index)) == (False, 30_000)
    # two bytes a dimension and 64 bytes of sketch, a byte to say it is there; and the axes, once
    assert index.nbytes() == 30_000 * (2 * 256 + 64 + 1) + 4 * 256 * 512
    assert index.vectors([7, 29_999]) == pytest.approx(rows[[7, 29_999]], abs=1e-3)


def test_nearly_all_of_the_true_nearest_are_found_among_many(many: tuple[VectorIndex, Column]) -> None:
    index, rows = many
    assert recall(index, rows, sentences(60, 2)) >= 0.98


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_a_mask_does_not_make_the_finds_worse(many: tuple[VectorIndex, Column], share: float) -> None:
    index, rows = many
    allowed = np.random.default_rng(3).random(len(rows)) < share
    assert recall(index, rows, sentences(40, 4), allowed) >= 0.98


def test_few_allowed_among_many_are_all_looked_at(many: tuple[VectorIndex, Column]) -> None:
    index, rows = many
    allowed = np.random.default_rng(3).random(len(rows)) < 0.05
    for query in sentences(10, 4):
        assert index.nearest(query, 10, allowed)[0].tolist() == true_nearest(rows, query, 10, allowed)


def test_the_cosines_are_those_of_the_vectors_not_of_their_sketches(many: tuple[VectorIndex, Column]) -> None:
    index, rows = many
    query = sentences(1, 8)[0]
    found, cosines = index.nearest(query, 200)
    assert cosines == pytest.approx(rows[found] @ query, abs=1e-4)
    assert (np.diff(cosines) <= 0).all()


def test_dropped_and_set_again_among_many() -> None:
    rows = sentences(6_000, 1)
    index = index_of(rows, exact_below=5_000)
    query = rows[17]
    assert index.nearest(query, 1)[0].tolist() == [17]
    index.drop(17)
    assert 17 not in index.nearest(query, 500)[0]
    assert index._sketches is not None
    assert not index._sketches._words[:, 17].any()
    index.put([23], query[None, :])
    assert index.nearest(query, 1)[0].tolist() == [23]
    index.put([9_000], query[None, :])
    assert index.nearest(query, 2)[0].tolist() == [23, 9_000]
    assert len(index) == 6_000


def test_thousands_of_equal_vectors_do_not_crowd_each_other_out() -> None:
    rows = np.concatenate([np.repeat(sentences(1, 3), 8_000, axis=0), sentences(2_000, 4)])
    index = index_of(rows, exact_below=1_000)
    assert index.nearest(rows[0], 20)[0].tolist() == list(range(20))


def test_put_one_by_one_or_at_once_the_same_is_found() -> None:
    rows, query = sentences(6_000, 1), sentences(1, 2)[0]
    slowly = VectorIndex(256, exact_below=4_000)
    for start in range(0, 6_000, 500):
        slowly.put(range(start, start + 500), rows[start : start + 500])
    at_once = index_of(rows, exact_below=4_000)
    assert slowly.nearest(query, 10)[0].tolist() == at_once.nearest(query, 10)[0].tolist()


def test_when_the_vectors_become_others_the_sketches_are_drawn_again() -> None:
    first, later = sentences(5_000, 1), sentences(12_000, 2) * np.float32(-1)
    index = index_of(first, exact_below=5_000)
    assert index._sketches is not None
    before = index._sketches.average
    index.put(range(12_000), later)
    assert index._sketches.average @ before < 0
    assert recall(index, later, sentences(30, 5) * np.float32(-1)) >= 0.98


@pytest.mark.parametrize("dimensions", [100, 700])
def test_any_number_of_dimensions_will_do(dimensions: int) -> None:
    rows = sentences(8_000, 1, dimensions)
    assert recall(index_of(rows, exact_below=1), rows, sentences(20, 2, dimensions)) >= 0.98


@given(st.lists(st.floats(-2, 2, width=16), min_size=1, max_size=40))
def test_half_floats_become_single_ones_exactly(values: list[float]) -> None:
    halves = np.array([values], np.float16)
    assert module._singles(halves).tolist() == halves.astype(np.float32).tolist()
