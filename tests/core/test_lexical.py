"""The lexical index: BM25 that stays right, whatever is put, put again and dropped."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core import lexical
from ebbtide.core.lexical import K1, WEIGHTS, B, LexicalIndex
from ebbtide.core.terms import SCORED, Field, Terms, code_of

Document = dict[Field, list[str]]


def words(text: str) -> Terms:
    return Terms.of({Field.WORDS: text.split()})


def index_of(*texts: str) -> LexicalIndex:
    index = LexicalIndex()
    index.put(range(len(texts)), [words(text) for text in texts])
    return index


def scores(index: LexicalIndex, query: str, size: int) -> list[float]:
    return [float(score) for score in index.scores(words(query), size)]


# ---- BM25


def test_a_rare_word_scores_by_how_few_have_it_and_how_long_they_are() -> None:
    # two memories, one has "cake": idf = ln(1 + 1.5 / 1.5) = 0.6931; it has 2 words of 1.5 on average:
    # 1.2 · (0.25 + 0.75 · 2 / 1.5) = 1.5; so 0.6931 · 1 · 2.2 / (1 + 1.5) = 0.6100
    assert scores(index_of("tea", "tea cake"), "cake", 2) == [0.0, pytest.approx(0.6100, abs=1e-4)]


def test_of_two_that_have_the_word_the_shorter_scores_more() -> None:
    # both have "tea": idf = ln(1 + 0.5 / 2.5) = 0.18232
    # one word: 0.18232 · 2.2 / (1 + 1.2 · (0.25 + 0.75 / 1.5)) = 0.2111; two: 0.18232 · 2.2 / 2.5 = 0.1604
    expected = [pytest.approx(0.2111, abs=1e-4), pytest.approx(0.1604, abs=1e-4)]
    assert scores(index_of("tea", "tea cake"), "tea", 2) == expected


def test_the_words_of_a_query_add_up_and_repeating_one_does_not() -> None:
    index = index_of("tea cake", "tea", "milk")
    tea, cake = scores(index, "tea", 3), scores(index, "cake", 3)
    assert scores(index, "tea cake", 3) == pytest.approx([a + b for a, b in zip(tea, cake, strict=True)])
    assert scores(index, "tea tea", 3) == tea


def test_fields_are_told_apart_and_weigh_what_they_weigh() -> None:
    index = LexicalIndex()
    index.put([0, 1], [Terms.of({Field.WORDS: ["a"]}), Terms.of({Field.GRAMS: ["a"]})])
    query = Terms.of({Field.WORDS: ["a"], Field.GRAMS: ["a"]})
    assert (
        index.scores(Terms.of({Field.WORDS: ["a"]}), 2)[1] == index.scores(Terms.of({Field.GRAMS: ["a"]}), 2)[0] == 0.0
    )
    assert index.scores(query, 2)[1] == pytest.approx(0.5 * index.scores(query, 2)[0])


def test_a_memory_without_a_field_does_not_make_the_others_look_long_in_it() -> None:
    alone, mixed = LexicalIndex(), LexicalIndex()
    chinese = Terms.of({Field.GRAMS: ["喝茶", "茶水"]})
    alone.put([0], [chinese])
    mixed.put(range(4), [chinese, words("tea"), words("milk"), words("cake")])
    # both are as long as what has pairs is on average; only the idf differs: ln(1 + 3.5 / 1.5) and ln(1 + 0.5 / 1.5)
    query = Terms.of({Field.GRAMS: ["喝茶"]})
    ratio = mixed.scores(query, 4)[0] / alone.scores(query, 1)[0]
    assert ratio == pytest.approx(log(1 + 3.5 / 1.5) / log(1 + 0.5 / 1.5))


def test_labels_are_no_matter_of_scores() -> None:
    index = LexicalIndex()
    index.put([0], [Terms.of({Field.KIND: ["note"]})])
    assert index.scores(Terms.of({Field.KIND: ["note"]}), 1).tolist() == [0.0]


def test_nothing_is_found_in_an_empty_index_by_an_empty_query_or_by_a_strange_word() -> None:
    assert LexicalIndex().scores(words("tea"), 3).tolist() == [0.0, 0.0, 0.0]
    assert index_of("tea").scores(words(""), 1).tolist() == [0.0]
    assert index_of("tea", "").scores(words("milk"), 2).tolist() == [0.0, 0.0]


# ---- filters


def test_having_a_term_is_told_by_slot_whatever_came_and_went() -> None:
    index = LexicalIndex()
    note, fact = Terms.of({Field.KIND: ["note"]}), Terms.of({Field.KIND: ["fact"]})
    index.put([7, 3, 5], [note, note, fact])
    index.drop(7)
    index.put([5], [note])
    assert index.having(code_of(Field.KIND, "note")).tolist() == [3, 5]
    assert index.having(code_of(Field.KIND, "fact")).tolist() == []


# ---- coming and going


def test_what_a_slot_held_before_is_not_found_any_more() -> None:
    index = index_of("tea", "milk")
    index.put([0], [words("cake")])
    assert scores(index, "tea", 2) == [0.0, 0.0]
    assert scores(index, "cake", 2)[0] > 0
    assert len(index) == 2


def test_dropping_twice_or_what_was_never_there_changes_nothing() -> None:
    index = index_of("tea", "tea")
    for slot in (1, 1, 99, -1):
        index.drop(slot)
    assert len(index) == 1
    assert scores(index, "tea", 2) == [*scores(index_of("tea"), "tea", 1), 0.0]


def test_after_compaction_no_code_of_what_is_gone_remains() -> None:
    index = index_of("secret plan", "tea")
    index.drop(0)
    index.compact()
    (segment,) = index._segments
    assert segment.codes.tolist() == [code_of(Field.WORDS, "tea")]
    assert scores(index, "tea", 2)[1] > 0


def test_an_index_that_lost_everything_starts_afresh() -> None:
    index = index_of("tea", "milk")
    index.drop(0)
    index.drop(1)
    index.compact()
    assert len(index) == 0
    index.put([0], [words("cake")])
    assert scores(index, "cake", 1)[0] > 0


def test_more_dead_than_alive_are_swept_out_by_themselves() -> None:
    index = LexicalIndex()
    for _ in range(5 * lexical._TAIL):
        index.put([0], [words("tea")])
    assert index._size <= 2 * lexical._TAIL + 2
    assert index.nbytes() < 1_000_000


def test_many_small_puts_leave_few_segments_and_score_like_one_large_put() -> None:
    texts = [f"w{i % 7} w{i % 11} w{i}" for i in range(6000)]
    terms = [words(text) for text in texts]
    small, large = LexicalIndex(), LexicalIndex()
    for at in range(0, len(terms), 50):
        small.put(range(at, at + 50), terms[at : at + 50])
    large.put(range(len(terms)), terms)
    assert len(small._segments) <= 4
    query = words("w3 w10 w77")
    np.testing.assert_allclose(small.scores(query, 6000), large.scores(query, 6000), rtol=1e-5)


# ---- against a dict that does it plainly


class Plain:
    """BM25 by the book, over a dict of documents."""

    def __init__(self) -> None:
        self.held: dict[int, Document] = {}

    def scores(self, query: Document, size: int) -> list[float]:
        return [self._score(self.held.get(slot, {}), query) for slot in range(size)]

    def _score(self, document: Document, query: Document) -> float:
        asked = [(field, word) for field in SCORED for word in set(query.get(field, []))]
        return sum(WEIGHTS[field] * self._term(field, word, document.get(field, [])) for field, word in asked)

    def _term(self, field: Field, word: str, said: list[str]) -> float:
        often = Counter(said)[word]
        if not often:
            return 0.0
        having = sum(word in each.get(field, []) for each in self.held.values())
        lengths = [len(each[field]) for each in self.held.values() if each.get(field)]
        relative = len(said) * len(lengths) / sum(lengths)
        idf = log(1 + (len(self.held) - having + 0.5) / (having + 0.5))
        return idf * often * (K1 + 1) / (often + K1 * (1 - B + B * relative))


documents = st.dictionaries(st.sampled_from(SCORED), st.lists(st.sampled_from("abcdef"), max_size=8))
slots = st.integers(0, 9)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.dictionaries(slots, documents, max_size=6)),
        st.tuples(st.just("drop"), slots),
        st.tuples(st.just("compact"), st.none()),
    ),
    max_size=25,
)


def take(index: LexicalIndex, plain: Plain, step: tuple[str, object]) -> None:
    match step:
        case ("put", dict(put)):
            index.put(list(put), [Terms.of(document) for document in put.values()])
            plain.held |= put
        case ("drop", int(slot)):
            index.drop(slot)
            plain.held.pop(slot, None)
        case _:
            index.compact()


@settings(max_examples=150)
@given(steps, documents, st.sampled_from([1, 2, 5, 1024]))
def test_any_mixture_of_puts_and_drops_scores_like_the_plain_formula(
    taken: list[tuple[str, object]], query: Document, tail: int
) -> None:
    index, plain = LexicalIndex(), Plain()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "_TAIL", tail)  # small tails, so that merging and sweeping happen here
        for step in taken:
            take(index, plain, step)
            found = index.scores(Terms.of(query), 10)
            np.testing.assert_allclose(found, plain.scores(query, 10), rtol=1e-4, atol=1e-6)
        assert len(index) == len(plain.held)
        for word in "abc":
            expected = sorted(slot for slot, each in plain.held.items() if word in each.get(Field.WORDS, []))
            assert index.having(code_of(Field.WORDS, word)).tolist() == expected
