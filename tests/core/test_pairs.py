"""Pairs of rows that are alike: the same as by comparing all with all, without doing so."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from ebbtide.core.pairs import PARTNERS, WHOLE, _cells, similar_pairs
from ebbtide.core.signals import Column

Pair = tuple[int, int]
# Small whole numbers, so that vectors are often the same and cosines often tie.
directions = st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any)
grouped = st.lists(st.tuples(st.integers(0, 2), directions), max_size=25)


def unit(rows: ArrayLike) -> Column:
    given_rows = np.asarray(rows, np.float32)
    scaled: Column = given_rows / np.linalg.norm(given_rows, axis=-1, keepdims=True)
    return scaled


def one_group(rows: Column) -> Column:
    return np.zeros(len(rows), np.int64)


def told(rows: Column, group: Column, threshold: float) -> dict[Pair, float]:
    first, second, cosine = similar_pairs(rows, group, threshold)
    assert (first < second).all()
    pairs = dict(zip(zip(first.tolist(), second.tolist(), strict=True), cosine.tolist(), strict=True))
    assert len(pairs) == len(first)
    return pairs


def all_pairs(rows: Column, group: Column, threshold: float) -> dict[Pair, float]:
    """Every pair there is."""
    cosines = {(a, b): float(rows[a] @ rows[b]) for a, b in combinations(range(len(rows)), 2) if group[a] == group[b]}
    return {pair: cosine for pair, cosine in cosines.items() if cosine >= threshold - 1e-6}


def near_duplicates(count: int, seed: int, dimensions: int = 96) -> Column:
    """Half of the rows stand alone; the others are said again, one to a few times, a little differently."""
    chance = np.random.default_rng(seed)
    originals = unit(chance.standard_normal((count // 2, dimensions)) * np.linspace(2, 0.3, dimensions))
    again = originals[chance.integers(0, len(originals), count - len(originals))]
    wide = chance.uniform(0.0, 0.07, (len(again), 1))
    return unit(np.concatenate([originals, again + wide * chance.standard_normal(again.shape)]))


def best_pairs(rows: Column, threshold: float) -> set[Pair]:
    """By comparing all with all: each row's best partners."""
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    partners = np.argsort(-cosines, axis=1)[:, :PARTNERS]
    chosen = np.take_along_axis(cosines, partners, axis=1) >= threshold
    row, place = np.nonzero(chosen)
    return {(min(a, b), max(a, b)) for a, b in zip(row.tolist(), partners[row, place].tolist(), strict=True)}


# ---- what is a pair


def test_rows_that_are_alike_are_told_with_their_cosine_best_first() -> None:
    # (1, 0) · (4, 3) / 5 = 0.8;  (4, 3) / 5 · (3, 4) / 5 = 24 / 25 = 0.96;  (1, 0) · (3, 4) / 5 = 0.6
    rows = unit([[1, 0], [4, 3], [3, 4]])
    first, second, cosine = similar_pairs(rows, one_group(rows), 0.7)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(1, 2), (0, 1)]
    assert cosine.tolist() == pytest.approx([0.96, 0.8])


def test_the_threshold_itself_is_alike_enough() -> None:
    rows = unit([[1, 0], [4, 3]])
    assert list(told(rows, one_group(rows), 0.8)) == [(0, 1)]
    assert told(rows, one_group(rows), 0.80001) == {}


def test_rows_of_different_groups_are_no_pair() -> None:
    rows = unit([[10, 0], [10, 0], [10, 1], [10, 1]])
    assert list(told(rows, np.array([5, -3, 5, -3]), 0.9)) == [(0, 2), (1, 3)]


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_and_one_alone_have_no_pairs(count: int) -> None:
    rows = unit(np.ones((count, 4)))
    assert told(rows, one_group(rows), 0.5) == {}


def test_rows_that_say_the_same_are_a_chain_and_the_first_speaks_for_them() -> None:
    same, alike = [1.0, 0.0], [1.0, 0.1]
    rows = unit([same, alike, same, same, same])
    assert set(told(rows, one_group(rows), 0.9)) == {(0, 2), (2, 3), (3, 4), (0, 1)}


def test_thousands_that_say_the_same_give_no_more_pairs_than_rows() -> None:
    rows = np.repeat(unit([[1, 2, 3], [3, 2, 1]]), 10_000, axis=0)
    pairs = told(rows, one_group(rows), 0.9)
    assert len(pairs) == 2 * 9_999
    assert all(b == a + 1 for a, b in pairs)


def test_no_vector_at_all_is_like_no_other() -> None:
    rows = np.zeros((5, 3), np.float32)
    assert told(rows, one_group(rows), 0.5) == {}


def test_a_row_names_no_more_than_its_best_partners() -> None:
    # Ten rows fan out, a degree apart: the first has nine partners and names those one, two and three degrees away.
    angles = np.radians(np.arange(10.0))
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    pairs = told(rows, one_group(rows), 0.9)
    assert sorted(pair for pair in pairs if 0 in pair) == [(0, 1), (0, 2), (0, 3)]
    assert len(pairs) <= PARTNERS * len(rows)


@given(grouped, st.sampled_from([0.3, 0.7, 0.9, 1.0]))
def test_pairs_are_true_and_every_row_that_has_a_partner_is_in_one(
    lines: list[tuple[int, list[int]]], threshold: float
) -> None:
    group = np.array([line[0] for line in lines], np.int64)
    rows = unit([line[1] for line in lines]) if lines else np.empty((0, 3), np.float32)
    pairs, every = told(rows, group, threshold), all_pairs(rows, group, threshold)
    assert set(pairs) <= set(every)
    assert all(cosine == pytest.approx(every[pair], abs=1e-5) for pair, cosine in pairs.items())
    assert {row for pair in pairs for row in pair} == {row for pair in every for row in pair}
    assert len(pairs) <= PARTNERS * len(rows)


@given(st.integers(0, 1_000), st.integers(2, 60))
def test_in_a_small_group_each_row_has_exactly_its_best_partners(seed: int, count: int) -> None:
    rows = unit(np.random.default_rng(seed).standard_normal((count, 4)))
    assert set(told(rows, one_group(rows), 0.6)) == best_pairs(rows, 0.6)


# ---- many


@pytest.mark.slow
def test_in_a_large_group_nearly_all_pairs_are_found() -> None:
    rows = near_duplicates(2 * WHOLE, 1)
    true = best_pairs(rows, 0.85)
    found = told(rows, one_group(rows), 0.85)
    assert len(true) > 2_000
    assert len(true & set(found)) >= 0.98 * len(true)
    assert all(cosine >= 0.85 for cosine in found.values())


def test_half_floats_give_the_same_pairs() -> None:
    rows = near_duplicates(WHOLE + 1_000, 2)
    whole, half = (set(told(each, one_group(rows), 0.9)) for each in (rows, rows.astype(np.float16)))
    assert len(whole & half) >= 0.99 * len(whole)


def test_the_same_rows_give_the_same_pairs() -> None:
    rows = near_duplicates(WHOLE + 1_000, 3)
    assert told(rows, one_group(rows), 0.85) == told(rows, one_group(rows), 0.85)


def test_progress_is_told_up_to_the_end_and_never_goes_back() -> None:
    rows = near_duplicates(WHOLE + 3_000, 4)
    group = np.where(np.arange(len(rows)) < WHOLE + 2_000, 1, 2)
    said: list[tuple[int, int]] = []
    similar_pairs(rows, group, 0.9, progress=lambda done, total: said.append((done, total)))
    assert said == sorted(said)
    assert (len(said) > 3, said[-1]) == (True, (len(rows), len(rows)))


def test_when_told_to_stop_it_gives_what_it_has() -> None:
    rows = unit([[10, 0], [10, 1], [0, 10], [1, 10]])
    group = np.array([1, 1, 2, 2])
    answers = iter([False, True])
    first, second, _ = similar_pairs(rows, group, 0.9, stop=lambda: next(answers))
    assert (first.tolist(), second.tolist()) == ([0], [1])


@pytest.mark.slow
def test_pairs_known_from_before_are_not_lost_when_rows_are_dealt_anew() -> None:
    rows = near_duplicates(2 * WHOLE, 5)
    every = best_pairs(rows, 0.85)
    ends = np.array(sorted(every)).T
    first, second, _ = similar_pairs(rows, one_group(rows), 0.85, known=(ends[0], ends[1]))
    assert every <= set(zip(first.tolist(), second.tolist(), strict=True))


@given(seed=st.integers(0, 100), count=st.integers(2, 60))
def test_in_a_small_group_what_was_known_before_adds_nothing(seed: int, count: int) -> None:
    rows = near_duplicates(2 * count, seed, 16)
    everyone = np.array(list(combinations(range(2 * count), 2))).T
    first, second, cosine = similar_pairs(rows, one_group(rows), 0.85, known=(everyone[0], everyone[1]))
    again = dict(zip(zip(first.tolist(), second.tolist(), strict=True), cosine.tolist(), strict=True))
    assert again == pytest.approx(told(rows, one_group(rows), 0.85), abs=2e-6)


def test_known_pairs_that_are_no_longer_alike_or_of_one_group_are_let_go() -> None:
    rows = unit([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    known = np.array([0, 2, 0]), np.array([1, 3, 2])
    first, second, _ = similar_pairs(rows, np.array([0, 0, 1, 2]), 0.85, known=known)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1)]


def test_a_crowd_that_says_nearly_the_same_is_dealt_out_again_until_cells_are_small() -> None:
    chance = np.random.default_rng(3)
    crowd = np.eye(24)[0] + 0.05 * chance.standard_normal((3 * WHOLE, 24))
    strangers = chance.standard_normal((5 * WHOLE, 24))
    rows = unit(np.concatenate([crowd, strangers]))
    cells = [len(cell) for cell, _ in _cells(rows, np.arange(len(rows)))]
    assert max(cells) <= 2 * WHOLE
    first, second, cosine = similar_pairs(rows, one_group(rows), 0.85)
    assert np.isin(np.arange(len(crowd)), [first, second]).all()
    assert (cosine >= 0.85).all()


def test_what_all_rows_have_in_common_does_not_fill_a_few_cells() -> None:
    chance = np.random.default_rng(4)
    rows = unit(chance.standard_normal((3 * WHOLE, 64)) + 1.0)  # cosines of about a half, all of them
    cells = [len(cell) for cell, _ in _cells(rows, np.arange(len(rows)))]
    assert max(cells) < len(rows) / 4
