"""A hit's score as the sum of its parts."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ebbtide
from ebbtide.core.changes import PutMemory
from ebbtide.core.memory import Content
from ebbtide.core.parameters import regime
from ebbtide.mind.reading import FirstLooks
from ebbtide.mind.search import Hit, RankTerm, Why
from ebbtide.serve.score_parts import as_sum, score_parts
from tests.helpers import METABOLISMS

MEMORY = FirstLooks().at(PutMemory(0.0, 1, Content("ferry", "The ferry is late."), 0.0), regime("tide", {})[0])
TERMS = (RankTerm("last_sentence", 0.3, 0.2, 0.06), RankTerm("question", 1.0, -0.15, -0.15))
WHY = Why(
    bm25=1.2, by_words=0.5, cosine=0.4, by_meaning=0.3, similarity=0.4, lift=0.05, lifted_by="lamma", vitality=2.0,
    scaled=0.5, formula="similarity + lift + terms + 0.2 × scaled", terms=TERMS,
)  # fmt: skip
HIT = Hit(MEMORY, 0.46, 0.45, WHY)


def points(hit: Hit) -> dict[str, float]:
    return {part.name: round(part.points, 6) for part in score_parts(hit)}


def test_words_and_meaning_have_half_of_the_similarity_each_and_vitality_the_rest_of_the_score() -> None:
    # 0.5 / 2 = 0.25; 0.3 / 2 = 0.15; 0.46 − (0.4 + 0.05 + 0.06 − 0.15) = 0.1
    expected = {"words": 0.25, "meaning": 0.15, "lift": 0.05, "last_sentence": 0.06, "question": -0.15, "vitality": 0.1}
    assert points(HIT) == expected
    assert list(points(HIT)) == list(expected)


def test_without_vectors_words_are_the_similarity() -> None:
    why = replace(WHY, by_words=0.4, cosine=None, by_meaning=None, lift=0.0, terms=())
    assert points(Hit(MEMORY, 0.4, 0.4, why)) == {"words": 0.4}


def test_a_factor_below_one_takes_away() -> None:
    # (0.4 + 0.05 + 0.06 − 0.15) × 0.5 = 0.18: half of 0.36 is taken away
    assert points(replace(HIT, score=0.18))["vitality"] == pytest.approx(-0.18)


def test_what_is_nothing_in_three_digits_is_left_out() -> None:
    small = (RankTerm("two_after", 0.0024, 0.2, 0.00048), RankTerm("coverage", 0.0026, 0.2, 0.00052))
    assert "two_after" not in points(replace(HIT, why=replace(WHY, terms=small)))
    assert "coverage" in points(replace(HIT, why=replace(WHY, terms=small)))


def test_a_hit_that_was_not_explained_has_no_parts() -> None:
    assert score_parts(replace(HIT, why=None)) == ()


def test_a_sum_is_told_in_one_line_with_names_in_words() -> None:
    told = "0.460 = similarity 0.400 + lift 0.050 + last sentence 0.060 − question 0.150 + vitality 0.100"
    assert as_sum(HIT, WHY) == told


@given(score=st.floats(-2, 2), by_words=st.floats(0, 1), by_meaning=st.none() | st.floats(0, 1),
       lift=st.floats(0, 1), terms=st.lists(st.floats(-1, 1), max_size=16))  # fmt: skip
def test_the_parts_add_up_to_the_score(
    score: float, by_words: float, by_meaning: float | None, lift: float, terms: list[float]
) -> None:
    similarity = by_words if by_meaning is None else (by_words + by_meaning) / 2
    named = tuple(RankTerm(f"term {place}", one, 1.0, one) for place, one in enumerate(terms))
    why = replace(WHY, by_words=by_words, by_meaning=by_meaning, similarity=similarity, lift=lift, terms=named)
    found = score_parts(Hit(MEMORY, score, similarity, why))
    left_out = (len(terms) + 4 - len(found)) * 0.0005
    assert sum(part.points for part in found) == pytest.approx(score, abs=left_out + 1e-9)


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_of_every_metabolism_the_last_part_is_what_vitality_did(
    metabolism: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    async with ebbtide.open("ada", data=tmp_path, metabolism=metabolism) as mind:
        await mind.put("The ferry leaves at 8:40.", key="ferry")
        for vitality in (True, False):
            (hit,) = (await mind.search("when does the ferry leave?", explain=True, vitality=vitality)).hits
            assert hit.why is not None
            told, rest = points(hit), hit.why.similarity + sum(term.points for term in hit.why.terms)
            assert told.get("vitality", 0.0) == pytest.approx(hit.score - rest, abs=0.0005)
            assert bool(hit.why.terms) is vitality
            if not vitality:
                assert "vitality" not in told
