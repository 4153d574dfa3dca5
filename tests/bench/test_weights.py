"""How `bench.weights` fits the rank: what the engine ranks by is what is fitted, and the loss is what it says."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import weights
from bench.asking import Items, mind_of
from bench.conversations import K, Score
from bench.listwise import Asked, Set, fit
from bench.weights import ALL, SETS, ablated, fitted, gather, in_force, left_out, occurring, scored
from ebbtide.core.ranking import TERMS
from tests.bench.test_retrieval import FERRY, ROOF, WHEN, question, talk
from tests.helpers import LetterEmbedder


def asked(base: list[float], terms: list[list[float]], *groups: list[int]) -> Asked:
    return Asked(np.array(base), np.array(terms), tuple(np.array(group, np.int64) for group in groups))


def test_candidates_are_put_in_order_by_base_and_weighed_terms() -> None:
    # Scores with weight 0.5: 0.6 + 0.1, 0.2 + 0.5, 0.5: the first two tie, and the first row comes first.
    one = asked([0.6, 0.2, 0.5], [[0.2], [1.0], [0.0]], [1], [2], [])
    assert one.score(np.array([0.5])).places == (1, 2, K)
    assert one.score(np.array([1.0])).places == (0, 2, K)


def test_the_loss_of_one_question_is_what_it_is_by_hand() -> None:
    # Scores 2 × (0 + ½·0, ½ + ½·1, 0) = 0, 2, 0; e² = 7.389; evidence: rows 0 and 1, each ½ of the mass.
    # −½ ln(1 / 9.389) − ½ ln(7.389 / 9.389) = 2.2395 − 1 = 1.2395
    part = Set([asked([0.0, 0.5, 0.0], [[0.0], [1.0], [0.0]], [0], [1, 0])])
    assert part.loss(np.array([0.5]), 2.0)[0] == pytest.approx(1.2395, abs=1e-4)


def test_a_question_whose_evidence_is_no_candidate_teaches_nothing() -> None:
    one, other = asked([0.0, 0.5], [[1.0], [0.0]], [0]), asked([0.0, 9.0], [[5.0], [0.0]], [])
    assert Set([one, other]).loss(np.array([1.0]), 1.0)[0] == pytest.approx(Set([one]).loss(np.array([1.0]), 1.0)[0])


@given(st.integers(0, 1000))
def test_the_derivatives_are_those_of_the_loss(seed: int) -> None:
    chance = np.random.default_rng(seed)
    questions = [asked(list(chance.random(n)), chance.random((n, 2)).tolist(), [0], [n - 1]) for n in (2, 5, 3)]
    part, at, sharp, step = Set(questions), chance.normal(size=2), 3.0, 1e-6
    _, by_weight, by_sharpness = part.loss(at, sharp)
    for place in range(2):
        off = np.where(np.arange(2) == place, step, 0.0)
        slope = (part.loss(at + off, sharp)[0] - part.loss(at - off, sharp)[0]) / (2 * step)
        assert by_weight[place] == pytest.approx(slope, abs=1e-5)
    slope = (part.loss(at, sharp + step)[0] - part.loss(at, sharp - step)[0]) / (2 * step)
    assert by_sharpness == pytest.approx(slope, abs=1e-5)


def test_a_fit_finds_what_tells_evidence_and_stays_at_its_start_where_nothing_does() -> None:
    chance = np.random.default_rng(1)
    questions = []
    for _ in range(200):
        base, terms = chance.random(20), chance.random((20, 2))
        terms[:, 1] = 0.5  # the same for all: says nothing
        questions.append(Asked(base, terms, (np.array([int(np.argmax(base + 0.7 * terms[:, 0]))]),)))
    found = fit({"one": [Set(questions)]}, np.array([0.0, 0.3]), penalty=1e-4)
    assert found[0] == pytest.approx(0.7, abs=0.05)
    assert found[1] == pytest.approx(0.3, abs=1e-6)


async def test_gathered_candidates_in_the_order_of_the_weights_in_force_are_what_a_search_tells(tmp_path: Path) -> None:
    questions = [question({FERRY}), question({ROOF}, {WHEN}, text="When was the roof repaired? Who said so at eight?")]
    conversation = talk(*questions)
    found = await gather(tmp_path, conversation, LetterEmbedder())
    async with mind_of(tmp_path, "again", "tide", conversation, LetterEmbedder()) as (mind, clock):
        ours = Items(mind, clock, conversation, "order")
        for one, each in zip(found, questions, strict=True):
            await ours.until(each)
            told = each.score(ours.items(await ours.asked(each)))
            assert one.score(in_force()).places == told.places
    assert np.any([one.terms[:, TERMS.index("neighbour")].any() for one in found])


def test_each_set_is_scored_by_the_weights_that_were_fitted_without_it() -> None:
    only = {name: np.full(len(TERMS), float(place)) for place, name in enumerate((ALL, *SETS))}
    terms = np.zeros((2, len(TERMS)))
    terms[1, 0] = 0.4  # above the other row from a weight of 2.5 on: in LongMemEval (3) and MADial (4)
    one = Asked(np.array([1.0, 0.0]), terms, (np.array([1]),))
    found = left_out({file: [one] for files in SETS.values() for file in files}, only)
    assert {file: scores[0].places[0] for file, scores in found.items()} == {
        "locomo-dev": 1, "realmem-dev": 1, "lme-dev": 0, "madial-zh": 0, "madial-en": 0,
    }  # fmt: skip


def test_a_term_that_no_candidate_has_is_in_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = np.zeros((2, len(TERMS)))
    terms[1, TERMS.index("coverage")] = 1.0
    gathered = {file: [Asked(np.array([0.1, 0.0]), terms, (np.array([1]),))] for part in SETS.values() for file in part}
    assert occurring(gathered) == ["coverage"]
    heavy = np.where(np.array(TERMS) == "coverage", 0.2, 0.0)
    assert scored(gathered, heavy)["lme-dev"] == [Score((0,), (0.0,))]
    assert ablated(gathered, heavy)["coverage"]["lme-dev"] == [Score((1,), (0.0,))]
    monkeypatch.setattr(weights, "progress", lambda text: None)
    assert set(fitted(gathered)) == {ALL, *SETS, "madial-zh", "madial-en"}
