"""Which of the memories shown an answer drew on: components, confidence, and what must always hold.   SPEC C15."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.credit import Evidence, Shown, confidence, counted, weigh
from ebbtide.core.lexical import Frequencies
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, Terms, code_of


def codes(words: Sequence[str], field: Field = Field.WORDS) -> Column:
    return np.array(sorted({code_of(field, word) for word in words}), np.uint64)


def weighed(
    memories: Sequence[str],
    answer: str,
    question: str = "",
    *,
    similarity: float | Sequence[float] = 0.5,
    having: dict[str, int] | None = None,
    total: int = 100,
    dates: Sequence[str] | None = None,
) -> Evidence:
    """Words stand between spaces. `having`: how many of `total` memories have a word; one, if it is not named."""
    known = {word: 1 for memory in memories for word in memory.split()} | (having or {})
    pairs = sorted((code_of(Field.WORDS, word), count) for word, count in known.items())
    frequencies = Frequencies(
        total, np.array([code for code, _ in pairs], np.uint64), np.array([count for _, count in pairs], np.int64)
    )
    shown = Shown(
        [codes(memory.split()) for memory in memories],
        [codes(each.split(), Field.EXACT) for each in dates or [""] * len(memories)],
        np.broadcast_to(np.asarray(similarity, np.float64), len(memories)),
    )
    named = [word for word in answer.split() if word.startswith("date-")]
    said = np.concatenate([codes(answer.split()), codes(named, Field.EXACT)])
    return weigh(shown, said, codes(question.split()), frequencies)


# ---- golden numbers


def test_each_component_is_a_share_by_weight() -> None:
    # Of 100 memories, 1 has `leaves`: ln(1 + 99.5/1.5) = 4.209655; 2 have `lamma`: ln(1 + 98.5/2.5) = 3.698830, and
    # both are shown: 1.849415. No memory has `noon`: ln(1 + 100.5/0.5) = 5.308268. `ferry` is in the question.
    found = weighed(
        ["ferry leaves lamma", "lamma lin"],
        "leaves lamma noon",
        "ferry",
        similarity=(0.5, 0.2),
        having={"lamma": 2},
    )
    # first: all of `leaves lamma`; second: 1.849415 of 1.849415 + 4.209655
    assert found.said == pytest.approx([1.0, 0.305231], abs=1e-6)
    # of 4.209655 + 1.849415 + 5.308268 = 11.367338 the first has 6.059070, the second 1.849415
    assert found.explained == pytest.approx([0.533025, 0.162695], abs=1e-6)
    # 4.209655 / 5.308268 and 1.849415 / 5.308268
    assert found.rarest == pytest.approx([0.793037, 0.348403], abs=1e-6)
    # 3 · (1.0 + 1.0 + 0.730086 + 0.793037) − 7 = 3.569369; 3 · (0.4 + 0.305231 + 0.403355 + 0.348403) − 7 = −2.629033
    assert found.confidence == pytest.approx([0.972598, 0.067293], abs=1e-6)


def test_a_small_mind_counts_as_one_of_a_hundred_memories() -> None:
    small, large = (weighed(["ferry leaves"], "leaves noon", total=total) for total in (1, 100))
    assert small.confidence.tolist() == large.confidence.tolist()
    assert weighed(["ferry leaves"], "leaves noon", total=101).confidence.tolist() != large.confidence.tolist()


def test_a_date_explains_an_answer_but_is_nothing_a_memory_says() -> None:
    # The answer has the date as a word, which no memory has, and as a date, which weighs the same: half is explained.
    found = weighed(["party"], "date-5", dates=["date-5"])
    assert (found.said[0], found.explained[0], found.rarest[0]) == pytest.approx((0.0, 0.5, 1.0))


def test_pairs_of_characters_weigh_half_of_a_word() -> None:
    # The word and the pair are equally rare: of the weight 1 + 0.5, the pair alone is one third.
    memory = Terms.of({Field.WORDS: ["花生"], Field.GRAMS: ["花生"], Field.EXACT: ["a key"]})
    shown = Shown([counted(memory)], [codes([])], np.array([0.5]))
    answer = codes(["花生"], Field.GRAMS)
    every = np.sort(counted(memory))
    found = weigh(shown, answer, codes([]), Frequencies(1, every, np.ones(len(every))))
    assert found.said == pytest.approx([1 / 3])


@pytest.mark.parametrize(
    ("components", "expected"),
    [
        ((1.0, 1.0, 1.0, 1.0), 0.999665),  # 3 · 5 − 7 = 8: 1 / (1 + e^−8)
        ((0.5, 0.5, 0.25, 1 / 3), 0.5),  # 3 · (1 + 0.5 + 0.5 + 1/3) − 7 = 0
        ((0.3, 0.2, 0.04, 0.2), 0.032295),  # 3 · (0.6 + 0.2 + 0.2 + 0.2) − 7 = −3.4: 1 / (1 + e^3.4)
        ((1.0, 0.0, 0.0, 0.0), 0.0),  # nothing is shared
    ],
)
def test_confidence_follows_from_the_components(components: tuple[float, ...], expected: float) -> None:
    similarity, said, explained, rarest = (np.array([value]) for value in components)
    assert confidence(similarity, said, explained, rarest)[0] == pytest.approx(expected, abs=1e-6)


def test_nothing_shown_is_nothing_credited() -> None:
    assert len(weighed([], "noon").confidence) == 0


def test_a_word_that_all_memories_shown_have_says_less_than_one_that_only_one_has() -> None:
    # The same memory beside one that shares its word: the word's weight is halved in `rarest`.
    alone = weighed(["noon", "dusk"], "noon", having={"noon": 1})
    both = weighed(["noon", "noon"], "noon", having={"noon": 1})
    assert both.rarest[0] == pytest.approx(alone.rarest[0] / 2)


# ---- what must always hold

words = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join)
memories = st.lists(words, min_size=1, max_size=5)
similarities = st.floats(0.0, 1.0)


@given(memories, words, words, similarities)
def test_all_components_are_shares(shown: list[str], answer: str, question: str, similarity: float) -> None:
    found = weighed(shown, answer, question, similarity=similarity)
    for column in (found.said, found.explained, found.rarest, found.confidence):
        assert np.all((column >= 0.0) & (column <= 1.0 + 1e-12))


@given(memories, words, words)
def test_words_of_the_question_never_count(shown: list[str], answer: str, question: str) -> None:
    asked = set(question.split())
    without = " ".join(word for word in answer.split() if word not in asked)
    as_it_is, less = weighed(shown, answer, question), weighed(shown, without, question)
    assert as_it_is.confidence.tolist() == less.confidence.tolist()
    assert not weighed(shown, question, question).confidence.any()


@given(memories, similarities)
def test_an_empty_or_unrelated_answer_credits_nothing(shown: list[str], similarity: float) -> None:
    for answer in ("", "x y z"):
        assert not weighed(shown, answer, similarity=similarity).confidence.any()


@given(memories, words, words, similarities, st.integers(0, 4))
def test_saying_a_memorys_own_text_never_lowers_its_confidence(
    shown: list[str], answer: str, question: str, similarity: float, which: int
) -> None:
    row = which % len(shown)
    before = weighed(shown, answer, question, similarity=similarity).confidence[row]
    after = weighed(shown, f"{answer} {shown[row]}", question, similarity=similarity).confidence[row]
    assert after >= before - 1e-12


@given(memories, words, words)
def test_the_order_in_which_memories_were_shown_makes_no_difference(
    shown: list[str], answer: str, question: str
) -> None:
    forth, back = weighed(shown, answer, question), weighed(shown[::-1], answer, question)
    assert forth.confidence.tolist() == pytest.approx(back.confidence[::-1].tolist())
