"""Ranks as bars: where each piece lies, and that every part has a name, a meaning and a look of its own."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ebbtide.serve.page
from ebbtide.core.ranking import TERMS
from ebbtide.mind.search import Hit
from ebbtide.serve.page import rank_bar, texts
from ebbtide.serve.page.rank_bar import FAMILIES, Scale, pieces
from ebbtide.serve.score_parts import LIFT, MEANING, VITALITY, WORDS, ScorePart
from tests.serve.test_score_parts import HIT

PARTS = [name for _, names in FAMILIES.values() for name in names]
STYLES = (Path(ebbtide.serve.page.__file__).parent / "assets" / "explore.css").read_text()


def test_every_part_of_a_score_has_one_look() -> None:
    assert sorted(PARTS) == sorted([WORDS, MEANING, LIFT, *TERMS, VITALITY])
    assert len(set(rank_bar._LOOKS.values())) == len(PARTS)
    patterns = set(re.findall(r"pattern-\d", " ".join(rank_bar._LOOKS.values())))
    fills = dict(re.findall(r"\.(pattern-\d) \{ --fill: (.+); \}", STYLES))
    assert patterns == set(fills)
    assert len(set(fills.values())) == len(fills)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_part_has_a_name_and_a_meaning_of_its_own(language: texts.Language) -> None:
    for end in ("", ".is"):
        said = [texts.said(f"rank.{name}{end}", language) for name in PARTS]
        assert len(set(said)) == len(said)
        assert all(re.search("[一-鿿]", words) for words in said) is (language == "zh")


def test_the_scale_reaches_as_far_as_the_longest_bars() -> None:
    # HIT: 0.25 + 0.15 + 0.05 + 0.06 + 0.1 = 0.61 to the right, 0.15 to the left
    scale = Scale.of([HIT, Hit(HIT.memory, 0.0, 0.0)])
    assert (scale.left, scale.right) == pytest.approx((0.15, 0.61))


@pytest.mark.parametrize("hits", [[], [Hit(HIT.memory, 0.0, 0.0)]])
def test_of_nothing_there_is_a_scale_too(hits: list[Hit]) -> None:
    assert Scale.of(hits) == Scale(0.0, 1.0)


def test_what_adds_lies_right_of_the_axis_and_what_takes_away_left() -> None:
    found = [ScorePart("words", 0.3), ScorePart("question", -0.1), ScorePart("speaker", -0.1), ScorePart("lift", 0.5)]
    # 0.2 + 0.8 = 1 in all, the axis at 0.2: words 0.2 … 0.5, question 0.1 … 0.2, speaker 0 … 0.1, lift 0.5 … 1
    drawn = [
        (piece.part.name, round(piece.start, 6), round(piece.width, 6)) for piece in pieces(found, Scale(0.2, 0.8))
    ]
    assert drawn == [("words", 0.2, 0.3), ("question", 0.1, 0.1), ("speaker", 0.0, 0.1), ("lift", 0.5, 0.5)]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_pieces_stay_within_the_bar_and_cover_nothing_twice(points: list[float]) -> None:
    found = [ScorePart(str(place), one) for place, one in enumerate(points)]
    left, right = -sum(one for one in points if one < 0), sum(one for one in points if one > 0)
    if left + right < 0.001:
        return
    drawn = sorted(pieces(found, Scale(left, right)), key=lambda piece: (piece.start, piece.width))
    at = 0.0
    for piece in drawn:
        assert piece.start == pytest.approx(at, abs=1e-6)
        at += piece.width
    assert at == pytest.approx(1.0)
