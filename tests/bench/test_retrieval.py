"""What `bench.retrieval` counts as found: by item, by letters of segments, by place and by age."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import asking, retrieval
from bench.asking import Items, Told, found_at, message, mind_of, shares
from bench.conversations import Conversation, K, Question, Score, before_each
from bench.retrieval import LINKED, PUT, SIMILAR, Outcome, by_age, figures, mrr, recall
from ebbtide.core.memory import DAY, DEFAULT_STRENGTH, Message
from tests.helpers import LetterEmbedder

FERRY, WHEN, LAMMA, ROOF = range(4)
SAID = (
    ("a", "Lin", "Lin: I take the ferry to Lamma on weekdays."),
    ("a", "Mei", "Mei: When does it leave?"),
    ("b", "user", "user: The roof was repaired yesterday in the afternoon."),
    ("a", "Lin", "Lin: At eight, from pier four."),
)


def question(*groups: set[int], after: int = 4, text: str = "When does the ferry leave?") -> Question:
    return Question(text, after * DAY, after, [frozenset(group) for group in groups], [1.0 for _ in groups])


def talk(*questions: Question) -> Conversation:
    items: list[dict[str, Any]] = [
        {"at": number * DAY, "session": session, "speaker": speaker, "text": text}
        for number, (session, speaker, text) in enumerate(SAID)
    ]
    return Conversation(items, list(questions), before_each([item["session"] for item in items]))


# ---- scores


def test_a_group_is_found_at_the_first_place_that_tells_one_of_its_items() -> None:
    score = question({3, 1}, {7}).score([frozenset({2}), frozenset({1}), frozenset({3})])
    assert score.places == (1, K)
    assert score.recall() == 0.5
    assert score.reciprocal() == 0.5  # 1 / rank 2


def test_recall_at_5_and_the_rank_count_no_further_than_what_is_told() -> None:
    told = [frozenset({number}) for number in range(12)]
    late, never = question({5}).score(told), question({10}).score(told)
    assert (late.recall(5), late.recall()) == (0.0, 1.0)
    assert late.reciprocal() == pytest.approx(1 / 6)
    assert (never.recall(), never.reciprocal()) == (0.0, 0.0)


def test_evidence_is_counted_by_its_age_not_by_question() -> None:
    scores = [Score((0, K), (1.0, 8.0)), Score((3,), (6.9,)), Score((K,), (400.0,))]
    assert by_age(scores) == ["100.0 of 2", "0.0 of 1", "–", "0.0 of 1"]


def test_recall_and_mrr_are_means_over_questions_in_percent() -> None:
    scores = [Score((0, K), (1.0, 1.0)), Score((3,), (1.0,))]
    assert recall(scores) == pytest.approx(75.0)  # (1/2 + 1) / 2
    assert mrr(scores) == pytest.approx(62.5)  # (1 + 1/4) / 2


def test_the_item_before_is_that_of_the_same_session_whatever_was_said_between() -> None:
    assert before_each(["a", "a", "b", "a", "", "", "b"]) == [None, 0, None, 1, None, None, 2]


# ---- goals


def outcome(similar: Score, linked: Score, put: Score) -> Outcome:
    found = Outcome()
    found.rows.update({SIMILAR: [similar], LINKED: [linked], PUT: [put]})
    return found


def test_goals_are_limits_of_recall_differences_to_similarity_and_of_mrr() -> None:
    first, second, none = Score((0,), (1.0,)), Score((1,), (1.0,)), Score((K,), (1.0,))
    found = {"locomo-dev": outcome(second, first, second), "madial-en": outcome(first, second, none)}
    told = {figure.what: (figure.ours, figure.held) for figure in figures(found)}
    assert told == {
        "LoCoMo: recall@10, conversation linked": (100.0, True),  # ≥ 78
        "MADial en: recall@10, conversation linked, less similarity's": (0.0, True),
        "LoCoMo: MRR, conversation linked, less similarity's": (50.0, True),  # rank 1 against rank 2
        "MADial en: MRR, conversation linked, less similarity's": (-50.0, False),
        "LoCoMo: recall@10, put by put, less similarity's": (0.0, False),  # ≥ 4
        "MADial en: recall@10, put by put, less similarity's": (-100.0, False),
    }


# ---- segments


def test_the_letters_of_a_segment_are_shared_among_the_messages_they_come_from() -> None:
    # Letters alone: "ab", nothing, "cd".
    found = shares(["A b.", "—", "c d?"], ["A", "b. — c", "d?"])
    assert found == [{0: 0.5}, {0: 0.5, 2: 0.5}, {2: 0.5}]


def test_a_segment_that_says_again_what_was_said_before_is_looked_for_behind_the_last() -> None:
    assert shares(["yes yes", "yes"], ["yes", "yes", "yes"]) == [{0: 0.5}, {0: 0.5}, {1: 1.0}]


def test_an_item_is_found_with_the_memory_that_completes_half_of_its_letters() -> None:
    told = [{0: 0.4, 1: 0.5}, {0: 0.2}, {0: 0.4, 2: 0.49}]
    assert found_at(told) == [frozenset({1}), frozenset({0}), frozenset()]


def test_a_speaker_is_a_name_or_a_role_where_messages_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    user = {"speaker": "user", "text": "user: Hello.", "at": 5.0}
    monkeypatch.setattr(asking, "_NAMED", False)
    assert message(user) == Message("user", "user: Hello.", 5.0)
    monkeypatch.setattr(asking, "_NAMED", True)
    assert message(user) == Message("user", "Hello.", 5.0)
    assert message({"speaker": "Dynamic", "text": "【Plan】 Save.", "at": 5.0}) == Message(
        "user", "【Plan】 Save.", 5.0
    )


# ---- minds


async def test_a_question_sees_the_items_before_it_and_neighbours_of_a_session_are_linked(tmp_path: Path) -> None:
    early, late = question({FERRY}, after=2), question({ROOF}, after=4)
    conversation = talk(early, late)
    async with mind_of(tmp_path, "items", "tide", conversation, LetterEmbedder()) as (mind, clock):
        ours = Items(mind, clock, conversation, "order")
        await ours.until(early)
        assert sorted(map(sorted, ours.items(await ours.asked(early)))) == [[FERRY], [WHEN]]
        await ours.until(late)
        assert clock.moment == 4 * DAY
        assert len((await ours.asked(late)).hits) == 4
        steps = [
            (step.relation, step.memory.key if step.memory else "", step.strength) for step in await mind.follow("i1")
        ]
    assert sorted(steps) == [("after", "i3", DEFAULT_STRENGTH), ("before", "i0", DEFAULT_STRENGTH)]


async def test_sessions_are_remembered_and_a_session_that_a_question_cuts_in_two_parts(tmp_path: Path) -> None:
    early, late = question({FERRY}, after=2), question({ROOF}, after=4)
    conversation = talk(early, late)
    async with mind_of(tmp_path, "told", "tide", conversation, LetterEmbedder()) as (mind, clock):
        ours = Told(mind, clock, conversation)
        await ours.until(early)
        assert frozenset().union(*ours.items(await ours.asked(early))) == {FERRY, WHEN}
        await ours.until(late)
        assert frozenset().union(*ours.items(await ours.asked(late))) == {0, 1, 2, 3}
        texts = [memory.text for memory in (await mind.list(everything=True)).memories]
    assert not any("pier four" in text and "ferry" in text for text in texts)  # said in two parts


async def test_by_default_and_by_similarity_are_asked_in_the_same_mind(tmp_path: Path) -> None:
    found = Outcome()
    asked = question({FERRY})
    await retrieval.unlinked(tmp_path, talk(asked, asked), LetterEmbedder(), found)  # type: ignore[arg-type]
    assert [len(found.rows[name]) for name in (SIMILAR, PUT)] == [2, 2]
    assert [len(found.seconds[name]) for name in (SIMILAR, PUT)] == [2, 2]
    assert all(math.isfinite(second) and second > 0 for second in np.concatenate(list(found.seconds.values())))
