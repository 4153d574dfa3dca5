"""What is taken for an embedder's answer, and what is not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ebbtide.core.embedding import checked
from ebbtide.core.errors import EmbedderFailed

parts = st.floats(allow_nan=False, allow_infinity=False)


def test_rows_are_brought_to_unit_length_and_zeros_stay() -> None:
    rows = checked([[3, 4], [0, 0], [-2, 0]], 3, 2)  # 3² + 4² = 5²
    assert rows.dtype == np.float32
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 0.0], [-1.0, 0.0]]


def test_nothing_asked_is_nothing_answered() -> None:
    assert checked(np.zeros((0, 5)), 0, 5).shape == (0, 5)


def test_without_an_expectation_any_number_of_dimensions_will_do() -> None:
    assert checked([[1.0, 0.0, 0.0]], 1, 0).shape == (1, 3)


@given(arrays(np.float64, (3, 4), elements=parts))
def test_every_row_is_of_unit_length_or_zero_however_large_or_small_its_parts(rows: Any) -> None:
    lengths = np.linalg.norm(checked(rows, 3, 4).astype(np.float64), axis=1)
    assert lengths == pytest.approx(np.where(rows.any(axis=1), 1.0, 0.0), abs=1e-6)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([[1.0, 0.0]], "2 vectors were expected, not an array of shape (1, 2)"),
        ([1.0, 0.0], "2 vectors were expected, not an array of shape (2,)"),
        ([[1.0], [0.0]], "have 1 dimensions, 2 were expected"),
        ([[1.0, 0.0], [1.0]], "not all of the same length"),
        ([["a", "b"], ["c", "d"]], "not numbers"),
        ([[None, {}], [1, 2]], "not numbers"),
        ([[1.0, float("nan")], [1.0, 0.0]], "not a number"),
        ([[1.0, float("inf")], [1.0, 0.0]], "infinite"),
        (None, "not an array of shape ()"),
    ],
)
def test_what_is_no_answer_is_refused_with_what_is_wrong(answer: Any, complaint: str) -> None:
    with pytest.raises(EmbedderFailed) as failed:
        checked(answer, 2, 2)
    assert complaint in str(failed.value)


def test_vectors_without_dimensions_are_refused() -> None:
    with pytest.raises(EmbedderFailed, match="there must be some"):
        checked([[], []], 2, 0)
