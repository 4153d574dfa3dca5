"""Terms: numbers that stand for words, the same everywhere, and nothing a word could be read from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.terms import Field, Terms, code_of, fields_of

words = st.dictionaries(st.sampled_from(Field), st.lists(st.text(max_size=5), max_size=20))


def test_a_code_is_the_same_on_every_machine_and_for_ever() -> None:
    # indexes on disk hold these numbers: the field, then what `printf tea | b2sum -l 56` prints
    assert f"{code_of(Field.WORDS, 'tea'):016x}" == "00d7bed3b0623e59"
    assert f"{code_of(Field.DOMAIN, '茶'):016x}" == "05ec01ac3c83ab4b"


def test_the_same_word_in_another_field_is_another_term() -> None:
    tea = {code_of(field, "tea") for field in Field}
    assert len(tea) == len(Field)
    assert fields_of(np.array(sorted(tea), np.uint64)).tolist() == list(Field)


def test_terms_stand_in_order_each_with_how_often_it_occurs() -> None:
    terms = Terms.of({Field.EXACT: ["a"], Field.WORDS: ["b", "a", "b"]})
    often = dict(zip(terms.codes.tolist(), terms.counts.tolist(), strict=True))
    assert often == {code_of(Field.WORDS, "a"): 1, code_of(Field.WORDS, "b"): 2, code_of(Field.EXACT, "a"): 1}
    assert terms.codes.tolist() == sorted(often)


def test_counts_end_at_255() -> None:
    assert Terms.of({Field.WORDS: ["a"] * 1000}).counts.tolist() == [255]


def test_the_terms_of_one_field_can_be_taken_out() -> None:
    terms = Terms.of({Field.WORDS: ["a", "b"], Field.GRAMS: ["c"], Field.DOMAIN: ["d"]})
    assert set(terms.among(Field.WORDS).tolist()) == {code_of(Field.WORDS, "a"), code_of(Field.WORDS, "b")}
    assert terms.among(Field.DOMAIN).tolist() == [code_of(Field.DOMAIN, "d")]
    assert terms.among(Field.KIND).tolist() == []


@given(words)
def test_packed_terms_come_out_as_they_went_in(given: dict[Field, list[str]]) -> None:
    terms = Terms.of(given)
    packed = terms.pack()
    assert Terms.unpack(packed) == terms
    assert len(packed) == 9 * len(terms)


@given(words)
def test_the_order_of_words_makes_no_difference(given: dict[Field, list[str]]) -> None:
    turned = {field: each[::-1] for field, each in reversed(given.items())}
    assert Terms.of(turned) == Terms.of(given)
    assert hash(Terms.of(turned)) == hash(Terms.of(given))


def test_bytes_that_are_no_terms_are_refused() -> None:
    with pytest.raises(ValueError, match="10 bytes are no multiple"):
        Terms.unpack(bytes(10))


def test_a_lone_surrogate_has_a_code_too() -> None:
    assert code_of(Field.WORDS, "\ud800") != code_of(Field.WORDS, "\ud801")
