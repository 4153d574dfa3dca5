"""How rare the words of a memory are, in a mind of any size."""

import math

import numpy as np
import pytest

from ebbtide.core.lexical import Frequencies
from ebbtide.core.memory import Content
from ebbtide.core.signals import Column
from ebbtide.mind.appraising import Rereader, rarity
from ebbtide.models.analysis import Analyzer

NONE: Column = np.array([], np.uint64)


def known(memories: int, *having: int) -> Frequencies:
    return Frequencies(memories, np.arange(len(having), dtype=np.uint64), np.array(having))


def test_rarity_is_the_idf_as_a_share_of_that_of_a_word_which_one_memory_has() -> None:
    # Four memories. One has it: ln(4.5/1.5) = ln 3, the most. Two: ln(4.5/2.5) / ln 3 = 0.535026. All: ln 1 = 0.
    words = [np.array([code], np.uint64) for code in range(3)]
    assert rarity(words, known(4, 1, 2, 4)) == pytest.approx([1.0, 0.535026, 0.0], abs=1e-6)
    assert rarity([np.arange(3, dtype=np.uint64)], known(4, 1, 2, 4)) == pytest.approx([1.535026 / 3], abs=1e-6)


def test_a_word_that_one_memory_has_is_as_rare_in_a_small_mind_as_in_a_large_one() -> None:
    words = [np.array([0], np.uint64)]
    assert [rarity(words, known(size, 1)) for size in (1, 2, 20_000)] == [[1.0]] * 3


def test_a_memory_without_words_counts_as_one_of_common_words() -> None:
    assert rarity([NONE], known(4)) == [0.0]


def test_a_copy_without_an_index_reads_the_same_as_a_mind_with_one() -> None:
    # The second has "ferry" in common with the first and "leaves" for itself: of ln(2.5/1.5), 0 and all, so a half.
    reader = Rereader(Analyzer())
    first = reader.read(0.0, {1: Content("a", "ferry")}).features[0]
    second = reader.read(0.0, {2: Content("b", "ferry leaves")}).features[0]
    assert (first[1], second[1]) == (1.0, 0.5)
    assert math.isclose(second[0], math.log1p(12), abs_tol=1e-6)
