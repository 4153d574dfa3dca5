"""Overlap: how much two texts say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.models.builtin.overlap import overlap


def test_equal_texts_overlap_wholly_and_strangers_not_at_all() -> None:
    assert overlap("我喜欢吃苹果", "我喜欢吃苹果。") == 1.0
    assert overlap("Anna signed.", "anna signed") == 1.0
    assert overlap("我喜欢吃苹果", "The oven is hot") == 0.0
    assert overlap("", "苹果") == 0.0
    assert overlap("", "  ") == 1.0


def test_half_of_the_words_are_about_half_of_the_meaning() -> None:
    # Names weigh 3 each: words 2·3 / (6 + 3) = 2/3. Pairs of letters: "annabert" has 7, "anna" 3, shared 3:
    # 2·3 / 10 = 0.6. Together 0.6 · 2/3 + 0.4 · 0.6 = 0.64.
    assert overlap("Anna, Bert", "Anna") == pytest.approx(0.64)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("张伟负责后端接口。", "后端接口由张伟负责。", "陈晓彤养了一只猫。"),
        ("Anna signed the lease.", "The leases were signed by Anna.", "Priya bought an oven."),
        ("Anna signed the lease.", "Anna signed a lease", "Anna did not sign the lease."),
        ("押金是8400元。", "押金8400元", "押金是4200元。"),
    ],
)
def test_the_same_in_other_words_is_nearer_than_something_else(text: str, near: str, far: str) -> None:
    assert overlap(text, near) > overlap(text, far)


@given(st.text(), st.text())
def test_overlap_is_a_share_and_has_no_direction(one: str, two: str) -> None:
    assert 0.0 <= overlap(one, two) <= 1.0
    assert overlap(one, two) == overlap(two, one)
    assert overlap(one, one) == 1.0
