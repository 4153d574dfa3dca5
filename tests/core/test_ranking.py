"""Ranking: words and meaning become one similarity, links spread it, vitality weighs it."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.ranking import Noise, Noises, by_meaning, by_words, fuse, retained, spread, vital
from ebbtide.core.signals import Column

USUAL = Noise(mean=0.1, spread=0.1)

cosines = st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=30).map(np.array)
similarities = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12).map(np.array)


def column(*values: float) -> Column:
    return np.array(values)


# ---- by words


def test_the_best_match_is_measured_against_the_length_of_the_query() -> None:
    # 4 points of BM25 for four words: 4 / (4 + 0.5 · 4) = 2/3, and half the points half as much
    assert by_words(column(4, 2, 0), best=4.0, words=4) == pytest.approx([2 / 3, 1 / 3, 0])


def test_the_same_points_say_less_when_more_was_asked_for() -> None:
    # 6 / (6 + 1) = 0.857, 6 / (6 + 20) = 0.231
    assert by_words(column(6), 6.0, 2) == pytest.approx([0.857], abs=1e-3)
    assert by_words(column(6), 6.0, 40) == pytest.approx([0.231], abs=1e-3)


def test_where_no_word_is_found_nothing_is_similar_by_words() -> None:
    assert by_words(column(0, 0), 0.0, 0).tolist() == [0, 0]
    assert by_words(column(0, 0), 0.0, 5).tolist() == [0, 0]


# ---- by meaning


def test_similarity_by_meaning_is_a_tenth_for_each_deviation_above_the_lowest() -> None:
    # 0.4 stands out by 3: (3 + 2) / 10; the mean itself by 0: 2 / 10; −0.2 lies below −2
    assert by_meaning(column(0.4, 0.1, -0.2), USUAL) == pytest.approx([0.5, 0.2, 0.0])


def test_what_stands_out_very_far_nears_one_without_reaching_it() -> None:
    # 0.7 stands out by 6: 0.8; 1.0 by 9: 1.1, bent to 0.8 + 0.2 · (1 − exp(−0.3 / 0.2)) = 0.9554
    assert by_meaning(column(0.7, 1.0), USUAL) == pytest.approx([0.8, 0.9554], abs=1e-4)


def test_a_memory_without_a_vector_counts_as_any_stranger() -> None:
    assert by_meaning(column(np.nan, 0.1), USUAL) == pytest.approx([0.2, 0.2])


def test_another_embedder_with_higher_cosines_gives_the_same_similarities() -> None:
    # standing out by 3 is standing out by 3
    assert by_meaning(column(0.87), Noise(0.75, 0.04)) == pytest.approx(by_meaning(column(0.4), USUAL))


def test_a_few_cosines_hardly_change_what_is_usual() -> None:
    # none: as believed. Ten of 0.3, as many as are believed in: mean 0.2, and the variance
    # (10 · (0.01 + 0.01) + 10 · 0.01) / 20 = 0.015
    none, ten = Noise.of(column()), Noise.of(np.full(10, 0.3))
    assert [none.mean, none.spread] == pytest.approx([0.1, 0.1])
    assert [ten.mean, ten.spread] == pytest.approx([0.2, 0.015**0.5])
    assert Noise.of(column(np.nan, np.nan)) == Noise.of(column())


def test_several_queries_have_the_noise_that_each_has_by_itself() -> None:
    two = np.array([[0.3, 0.1, -0.2], [0.9, 0.5, 0.5]])
    both, each = Noises.of(two), [Noise.of(row) for row in two]
    assert both.mean[:, 0] == pytest.approx([one.mean for one in each])
    assert both.spread[:, 0] == pytest.approx([one.spread for one in each])
    assert by_meaning(two, both)[1] == pytest.approx(by_meaning(two[1], each[1]))


def test_the_only_memory_of_a_mind_is_similar_if_it_is_the_same_and_not_if_it_is_not() -> None:
    same, other = column(1.0), column(0.1)
    assert by_meaning(same, Noise.of(same))[0] > 0.45
    assert by_meaning(other, Noise.of(other))[0] == pytest.approx(0.2)


# ---- both


def test_similarity_is_half_words_and_half_meaning() -> None:
    assert fuse(column(0.6, 0.0), column(0.2, 0.5)) == pytest.approx([0.4, 0.25])


def test_without_an_embedder_words_alone_decide() -> None:
    assert fuse(column(0.6, 0.0), None) == pytest.approx([0.6, 0.0])


@given(cosines, st.data())
def test_similarity_lies_between_zero_and_one(found: Column, data: st.DataObject) -> None:
    scores = np.array(data.draw(st.lists(st.floats(0.0, 100.0), min_size=len(found), max_size=len(found))))
    worded = by_words(scores, float(scores.max()), data.draw(st.integers(0, 50)))
    similarity = fuse(worded, by_meaning(found, Noise.of(found)))
    assert ((similarity >= 0) & (similarity <= 1)).all()


@given(cosines)
def test_a_higher_cosine_never_gives_less_similarity(found: Column) -> None:
    meant = by_meaning(np.sort(found), Noise.of(found))
    assert (np.diff(meant) >= 0).all()


@given(cosines, st.randoms(use_true_random=False))
def test_the_order_of_memories_makes_no_difference(found: Column, random: Random) -> None:
    order = random.sample(range(len(found)), len(found))
    turned = by_meaning(found[order], Noise.of(found[order]))
    assert turned == pytest.approx(by_meaning(found, Noise.of(found))[order], abs=1e-9)


# ---- spreading


def test_a_hit_draws_its_neighbour_part_of_the_way() -> None:
    # strength 0.5 × hit 0.8 × (0.8 − 0.2) = 0.24, whichever way the link points
    similarity, strength = column(0.8, 0.2), column(0.5)
    assert spread(similarity, np.array([0]), np.array([1]), strength) == pytest.approx([0, 0.24])
    assert spread(similarity, np.array([1]), np.array([0]), strength) == pytest.approx([0, 0.24])


def test_the_best_of_several_hits_draws_and_they_do_not_add_up() -> None:
    # from 0.8: 0.5 · 0.8 · 0.7 = 0.28; from 0.6 with strength 1: 0.6 · 0.5 = 0.3
    lift = spread(column(0.8, 0.6, 0.1), np.array([0, 2]), np.array([2, 1]), column(0.5, 1.0))
    assert lift == pytest.approx([0, 0, 0.3])


def test_it_spreads_one_step_only() -> None:
    lift = spread(column(0.8, 0.0, 0.0), np.array([0, 1]), np.array([1, 2]), column(0.5, 0.5))
    assert lift == pytest.approx([0, 0.32, 0])


def test_links_do_not_matter_where_they_are_given_no_weight_or_are_not_there() -> None:
    one = np.array([0]), np.array([1]), column(1.0)
    none = np.array([], np.int64), np.array([], np.int64), column()
    assert spread(column(0.8, 0.2), *one, weight=0.0).tolist() == [0, 0]
    assert spread(column(0.8, 0.2), *none).tolist() == [0, 0]


@given(similarities, st.data())
def test_no_neighbour_ever_outranks_the_best_it_is_linked_with(similarity: Column, data: st.DataObject) -> None:
    rows = st.integers(0, len(similarity) - 1)
    links = data.draw(st.lists(st.tuples(rows, rows, st.floats(0.0, 1.0)), min_size=1, max_size=20))
    source, target = np.array([link[0] for link in links]), np.array([link[1] for link in links])
    lift = spread(similarity, source, target, np.array([link[2] for link in links]), data.draw(st.floats(0.0, 5.0)))
    best = similarity.copy()
    np.maximum.at(best, source, similarity[target])
    np.maximum.at(best, target, similarity[source])
    assert (lift >= 0).all()
    assert (similarity + lift <= best + 1e-12).all()


# ---- vitality


def test_full_vitality_is_worth_the_bonus() -> None:
    # SPEC R3: 0.6 + 0.1 · 0.5
    assert vital(column(0.6, 0.6), column(0.5, 0.0)) == pytest.approx([0.65, 0.6])
    assert vital(column(0.6), column(1.0), bonus=0.0) == pytest.approx([0.6])


def test_age_never_buries_a_clearly_better_match() -> None:
    dead_but_right, lively_but_wrong = vital(column(0.6, 0.49), column(0.0, 1.0))
    assert dead_but_right > lively_but_wrong


def test_retention_multiplies() -> None:
    # SPEC R3: 0.8 × 0.25; with decay_weight 0.5 0.8 × √0.25; with 0 R does not matter
    assert retained(column(0.8), column(0.25)) == pytest.approx([0.2])
    assert retained(column(0.8), column(0.25), 0.5) == pytest.approx([0.4])
    assert retained(column(0.8, 0.8), column(0.25, 0.0), 0.0) == pytest.approx([0.8, 0.8])
