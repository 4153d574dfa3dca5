"""Whether a text says where."""

import pytest

from ebbtide.models.places import says_where


@pytest.mark.parametrize(
    "text",
    [
        "I take the ferry to Lamma at 8:40.", "Lin lives on Lamma.", "The hotel in Lisbon is full.",
        "We met at the pier.",
        "Samples are in the cold room.", "他在北京工作。", "周末去图书馆看书。", "照片放在书桌的抽屉里。",
    ],
)  # fmt: skip
def test_a_preposition_of_place_before_a_name_or_a_place_says_where(text: str) -> None:
    assert says_where(text)


@pytest.mark.parametrize(
    "text",
    [
        "I talked to Alice.", "A letter from Bo.", "In May she came.", "In English it is called tide.",
        "On Monday we talk.",
        "他去年买了车。", "从明天开始。", "到现在为止都好。", "",
    ],
)  # fmt: skip
def test_people_months_and_languages_are_no_places(text: str) -> None:
    assert not says_where(text)
