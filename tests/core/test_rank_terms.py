"""The terms of a search's rank: what each is worth, worked by hand, and that no evidence counts against a memory."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.evidence import Evidence
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.parameters import Common
from ebbtide.core.question import Question
from ebbtide.core.ranking import TERMS, coverage, owing, rank_terms, weighed
from ebbtide.core.signals import Column
from ebbtide.core.spans import Span
from ebbtide.core.terms import Trait

NOW = 1_700_000_000.0
ALONE = Question()
W1, W2 = 2.0, 1.0  # idf of two words of a question: their weights are 4 and 1


def evidence(**columns: Any) -> Evidence:
    """Two candidates, A and B, and two rows beside A: the one before it, and the one before that.

    A: 99 characters, so it owes all it can: 400 / 100 is more than 1. B: 799, so a half. Before A: 399, all.
    Two before A: 1,599, a quarter. Similarities 0.5, 0.4, 0.7, 0.6. A has the second word, the one before it the first.
    """
    given: dict[str, Any] = {
        "similarity": np.array([0.5, 0.4, 0.7, 0.6]),
        "size": np.array([99, 799, 399, 1599]),
        "traits": np.zeros(4, np.uint8),
        "before": np.array([2, -1, 3, -1]),
        "after": np.array([-1, -1, 0, 2]),
        "holds": np.array([[False, False, True, False], [True, False, False, False]]),
        "idf": np.array([W1, W2]),
        "made": np.array([NOW - 60 * DAY, NOW]),
        "spoken": np.zeros(2),
        "sentences": np.empty((0, 2)),
    }
    return Evidence(**{**given, **columns})


def terms(found: Evidence, question: Question = ALONE, meant: Column | None = None) -> dict[str, list[float]]:
    return {name: column.tolist() for name, column in rank_terms(found, question, meant, NOW).items()}


# ---- conversation


def test_a_memory_owes_to_its_neighbours_the_less_the_longer_it_is() -> None:
    # 400/100 is cut at 1; 400/800; 400/1600
    assert owing(np.array([99, 799, 1599])).tolist() == [1.0, 0.5, 0.25]


def test_a_neighbour_counts_by_its_similarity_less_a_strangers() -> None:
    # A: 1 · 1 · (0.7 − 0.2)
    assert terms(evidence())["neighbour"] == pytest.approx([0.5, 0.0])


def test_of_the_memory_before_and_the_one_after_the_better_counts() -> None:
    # B stands after A: 0.5 · 1 · (0.5 − 0.2) = 0.15. A also has B behind it: 1 · 0.5 · (0.4 − 0.2) = 0.1, less than 0.5
    both = evidence(before=np.array([2, 0, 3, -1]), after=np.array([1, -1, 0, 2]))
    assert terms(both)["neighbour"] == pytest.approx([0.5, 0.15])


def test_a_neighbour_less_similar_than_a_stranger_takes_nothing_away() -> None:
    assert "neighbour" not in terms(evidence(similarity=np.array([0.5, 0.4, 0.1, 0.0])))


def test_two_places_before_and_after_count_too() -> None:
    # two before A: 1 · 0.25 · (0.6 − 0.2)
    assert terms(evidence())["two_before"] == pytest.approx([0.1, 0.0])
    turned = evidence(before=np.array([-1, -1, 0, 2]), after=np.array([2, -1, 3, -1]))
    assert terms(turned)["two_after"] == pytest.approx([0.1, 0.0])


def test_what_follows_a_question_answers_it() -> None:
    asked = evidence(traits=np.array([0, 0, Trait.ASKS, 0], np.uint8))
    assert terms(asked)["answer"] == pytest.approx([0.5, 0.0])  # as much as the neighbour
    assert "answer" not in terms(evidence())


def test_words_that_a_question_shares_with_the_memory_before_count_for_both_together() -> None:
    # A alone covers 1/5, with the one before it 5/5; both owe all
    assert terms(evidence())["joint_words"] == pytest.approx([0.8, 0.0])


def test_a_mind_without_conversations_loses_nothing() -> None:
    alone = evidence(before=np.full(4, -1), after=np.full(4, -1))
    assert not {"neighbour", "two_before", "two_after", "answer", "joint_words"} & set(terms(alone))


# ---- question


def test_coverage_is_the_share_of_the_words_by_the_square_of_their_idf() -> None:
    # 1 of 4 + 1
    assert terms(evidence())["coverage"] == pytest.approx([0.2, 0.0])


def test_coverage_says_less_of_a_question_of_many_sentences() -> None:
    holds, idf = np.array([[True]]), np.array([3.0])
    assert coverage(holds, idf, 1).tolist() == [1.0]
    assert coverage(holds, idf, 4).tolist() == [0.5]  # 1 / √4


def test_of_one_sentence_its_meaning_counts_as_the_best_and_as_the_last() -> None:
    found = terms(evidence(), meant=np.array([0.3, 0.6]))
    assert (found["sentence"], found["last_sentence"]) == ([0.3, 0.6], [0.3, 0.6])


def test_of_several_sentences_the_best_counts_and_the_last_one_again() -> None:
    found = terms(evidence(sentences=np.array([[0.9, 0.1], [0.2, 0.4]])), meant=np.array([0.3, 0.6]))
    assert (found["sentence"], found["last_sentence"]) == ([0.9, 0.4], [0.2, 0.4])


def test_without_an_embedder_no_sentence_is_compared() -> None:
    assert not {"sentence", "last_sentence"} & set(terms(evidence()))


def test_a_memory_of_the_time_that_the_question_names_matches_it() -> None:
    days = (Span(NOW - 61 * DAY, NOW - 59 * DAY), Span(NOW - 9 * DAY, NOW - 8 * DAY))
    assert terms(evidence(), Question(spans=days))["time"] == [1.0, 0.0]
    assert "time" not in terms(evidence(), Question(spans=days[1:]))


def test_a_span_includes_its_beginning_and_not_its_end() -> None:
    assert terms(evidence(), Question(spans=(Span(NOW, NOW + 1),)))["time"] == [0.0, 1.0]
    assert "time" not in terms(evidence(), Question(spans=(Span(NOW - 1, NOW),)))


def test_a_question_for_a_time_is_answered_by_what_names_one() -> None:
    timed = evidence(traits=np.array([0, Trait.TIME, 0, 0], np.uint8))
    assert terms(timed, Question(when=True))["when"] == [0.0, 1.0]
    assert "when" not in terms(timed)


def test_who_asks_about_themselves_means_what_they_said() -> None:
    said = evidence(traits=np.array([Trait.USER, 0, 0, 0], np.uint8))
    assert terms(said, Question(own=True))["user"] == [1.0, 0.0]
    assert "user" not in terms(said)


def test_what_suits_a_question_by_its_form_alone_counts_as_far_as_it_is_similar() -> None:
    # 0.5 and 0.15 of 0.3
    weak = evidence(similarity=np.array([0.5, 0.15, 0.7, 0.6]), traits=np.full(4, Trait.USER | Trait.TIME, np.uint8))
    found = terms(weak, Question(own=True, when=True))
    assert found["user"] == pytest.approx([1.0, 0.5])
    assert found["when"] == pytest.approx([1.0, 0.5])


def test_the_speaker_named_in_the_question_counts_for_and_another_against() -> None:
    assert terms(evidence(spoken=np.array([1.0, -1.0])))["speaker"] == [1.0, -1.0]


# ---- memory


def test_a_memory_of_sixty_days_is_half_as_recent_as_a_new_one() -> None:
    assert terms(evidence())["recency"] == [0.5, 1.0]


def test_what_asks_and_what_speaks_in_the_first_person_is_told_by_its_text() -> None:
    found = terms(evidence(traits=np.array([Trait.ASKS, Trait.FIRST, 0, 0], np.uint8)))
    assert (found["question"], found["first_person"]) == ([1.0, 0.0], [0.0, 1.0])


# ---- together


def test_the_score_is_similarity_and_every_term_by_its_weight() -> None:
    # A: 0.5 + 0.3·0.5 + 0.25·0.1 + 0.35·0.8 + 0.2·0.2 + 0.1·0.5 = 1.045; B: 0.4 + 0.1·1
    found = rank_terms(evidence(), ALONE, None, NOW)
    common = Common()
    score = weighed(np.array([0.5, 0.4]), found, {name: common.weight(name) for name in found})
    assert score == pytest.approx([1.045, 0.5])


def test_terms_that_vitality_says_already_are_left_out() -> None:
    found = rank_terms(evidence(), ALONE, None, NOW, without={"recency"})
    assert "recency" not in found


def test_every_term_has_a_weight_and_every_weight_a_term() -> None:
    weights = {name.removeprefix("rank_") for name in Common.__dataclass_fields__ if name.startswith("rank_")}
    assert weights == set(TERMS)


def test_metabolisms_leave_out_only_terms_that_there_are() -> None:
    for metabolism in METABOLISMS.values():
        assert metabolism.traits.counts <= set(TERMS)


rows = 6
shares = st.lists(st.floats(0.0, 1.0), min_size=rows, max_size=rows).map(np.array)
bits = st.lists(st.integers(0, 31), min_size=rows, max_size=rows).map(lambda each: np.array(each, np.uint8))
places = st.lists(st.integers(-1, rows - 1), min_size=rows, max_size=rows).map(np.array)
marks = st.lists(st.lists(st.booleans(), min_size=rows, max_size=rows), min_size=2, max_size=2).map(np.array)
evidences = st.builds(
    Evidence,
    similarity=shares,
    size=st.lists(st.integers(0, 5000), min_size=rows, max_size=rows).map(np.array),
    traits=bits,
    before=places,
    after=places,
    holds=marks,
    idf=st.just(np.array([1.5, 0.5])),
    made=st.lists(st.floats(NOW - 1e8, NOW), min_size=4, max_size=4).map(np.array),
    spoken=st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=4, max_size=4).map(np.array),
    sentences=st.just(np.empty((0, 4))),
)
questions = st.builds(
    Question, when=st.booleans(), own=st.booleans(), spans=st.sampled_from([(), (Span(NOW - 1e7, NOW + 1),)])
)


@given(evidences, questions, shares)
def test_every_term_but_the_speaker_lies_between_nothing_and_one(
    found: Evidence, asked: Question, meant: Column
) -> None:
    for name, column in rank_terms(found, asked, meant[:4], NOW).items():
        assert column.shape == (4,)
        assert column.min() >= (-1.0 if name == "speaker" else 0.0)
        assert column.max() <= 1.0 + 1e-12


@given(evidences, questions, shares, st.integers(0, rows - 1), st.floats(0.0, 1.0))
def test_a_better_neighbour_never_lowers_a_term(
    found: Evidence, asked: Question, meant: Column, row: int, higher: float
) -> None:
    better = found.similarity.copy()
    better[row] = max(better[row], higher)
    before = rank_terms(found, asked, meant[:4], NOW)
    after = rank_terms(replace(found, similarity=better), asked, meant[:4], NOW)
    for name, column in before.items():
        assert (after[name] >= column - 1e-12).all()


@given(evidences, questions, shares, st.integers(0, 3), st.integers(4, rows - 1))
def test_being_linked_into_a_conversation_never_lowers_a_term(
    found: Evidence, asked: Question, meant: Column, row: int, neighbour: int
) -> None:
    alone = replace(found, before=np.full(rows, -1), after=np.full(rows, -1))
    before = np.full(rows, -1)
    before[row] = neighbour
    less = rank_terms(alone, asked, meant[:4], NOW)
    more = rank_terms(replace(alone, before=before), asked, meant[:4], NOW)
    for name, column in less.items():
        assert (more[name] >= column).all()


@given(
    st.sampled_from(sorted(METABOLISMS)),
    st.sampled_from(TERMS),
    st.lists(st.floats(0.0, 2.0), min_size=8, max_size=8),
    st.lists(st.floats(0.0, 1.0), min_size=8, max_size=8),
    st.integers(0, 7),
    st.floats(0.0, 1.0),
)
def test_more_of_a_term_never_lowers_the_rank_unless_its_weight_is_negative(
    metabolism: str, term: str, base: list[float], alive: list[float], row: int, more: float
) -> None:
    rank, weight, standing = METABOLISMS[metabolism]().rank, Common().weight(term), np.array(alive)
    without, value = np.zeros(8), np.zeros(8)
    value[row] = more
    scores = [
        rank(weighed(np.array(base), {term: column}, {term: weight}), standing, standing) for column in (without, value)
    ]
    ahead = [int((score > score[row]).sum()) for score in scores]
    assert ahead[1] <= ahead[0] if weight >= 0.0 else ahead[1] >= ahead[0]
