"""What `bench.forgetting` replays: who leaves under a budget, what credit confirms, and what could be kept at most."""

from collections.abc import Sequence

import numpy as np
import pytest

from bench.clairvoyant import bound
from bench.confirming import Asked, credited, right
from bench.policies import Fifo, Lru, Policy
from bench.replaying import Budget, replay
from bench.tide import Tide
from bench.timelines import Ask, Question, TimeLine
from ebbtide.core.memory import DAY, Content
from ebbtide.core.terms import Field
from ebbtide.models.analysis import Analyzer

FERRY, UMBRELLA, OLD, NEW, ROOF = range(5)
TEXTS = (
    "I take the ferry to Lamma at 8:40 on weekdays.",
    "I left my umbrella in the library yesterday.",
    "My sister will move to Kowloon next month.",
    "My sister will move to Kowloon in March.",
    "The roof was repaired in the afternoon.",
)
ROOM = Budget(0.6)  # three of five


def question(number: int, item: int, after: int, answer: str = "") -> Question:
    return Question(number, TEXTS[item], ((item,),), after * DAY, after, answer, "")


def time_line(questions: Sequence[Question]) -> TimeLine:
    """One memory a day. The vectors of two are the same, those of the others have nothing in common."""
    vectors, analyzer = np.eye(5), Analyzer()
    vectors[NEW] = vectors[OLD]
    return TimeLine(
        id="five",
        texts=list(TEXTS),
        at=np.arange(5) * DAY,
        session=[""] * 5,
        questions=list(questions),
        vectors=vectors,
        asked=np.array([vectors[each.groups[0][0]] for each in questions]),
        terms=[analyzer.content(Content(f"i{item}", text)) for item, text in enumerate(TEXTS)],
    )


def kept(make: type[Policy]) -> list[float]:
    """The ferry is asked for on the third day and used; on the fourth and the fifth, all that was there before."""
    asked = [question(0, FERRY, 3)]
    asked += [question(len(asked) + place, item, 4) for place, item in enumerate((FERRY, UMBRELLA, OLD))]
    asked += [question(len(asked) + place, item, 5) for place, item in enumerate((FERRY, UMBRELLA, OLD, NEW))]
    line = time_line(asked)
    asks = [Ask(each.after, each.at, each, each.number > 0) for each in asked]
    policy = make(line, 3)  # type: ignore[call-arg]
    found = replay(line, asks, policy, ROOM, lambda at: right(at) if at.question.number == 0 else [])
    assert [one.recall for one in found] == [one.kept for one in found]  # three memories fit into ten hits
    return [one.kept for one in found]


@pytest.mark.parametrize(
    ("make", "fourth_day", "fifth_day"),
    [
        (Fifo, [0, 1, 1], [0, 0, 1, 1]),  # the oldest leaves, used or not
        (Lru, [1, 0, 1], [1, 0, 0, 1]),  # what was used stays; of the others the oldest leaves
        (Tide, [1, 1, 0], [1, 0, 0, 1]),  # what a newer memory says leaves before what is older
    ],
)
def test_under_a_budget_each_policy_drops_what_it_should(
    make: type[Policy], fourth_day: list[float], fifth_day: list[float]
) -> None:
    assert kept(make) == [*fourth_day, *fifth_day]


def test_credit_confirms_the_memory_that_the_answer_repeats() -> None:
    asked = question(0, FERRY, 5, answer="At 8:40, by the ferry to Lamma.")
    line, alive, hits = time_line([asked]), np.ones(5, np.bool_), np.array([ROOF, FERRY, UMBRELLA])
    why = Question(0, "How do I get to work?", ((FERRY,),), 5 * DAY, 5, asked.answer, "")
    assert credited(Asked(line, why, alive, hits, np.array([0.5, 0.5, 0.5]), seed=1)) == [FERRY]


def test_credit_confirms_nothing_without_an_answer() -> None:
    asked = question(0, FERRY, 5)
    line, alive = time_line([asked]), np.ones(5, np.bool_)
    assert credited(Asked(line, asked, alive, np.array([FERRY]), np.array([0.9]), seed=1)) == []


def test_words_count_while_the_memory_that_holds_them_lives() -> None:
    line = time_line([question(0, FERRY, 5)])
    codes = line.terms[OLD].among(Field.WORDS)
    both, alive = line.frequencies(codes, np.ones(5, np.bool_)), np.ones(5, np.bool_)
    alive[NEW] = False
    alone = line.frequencies(codes, alive)
    assert (both.memories, alone.memories) == (5, 4)
    assert both.having.max() == 2  # "sister", "move", "Kowloon": in both
    assert set(alone.having.tolist()) == {1}


def test_the_clairvoyant_keeps_one_of_two_where_one_fits() -> None:
    asked = [question(0, FERRY, 5), question(1, UMBRELLA, 5)]
    asks = [Ask(5, 5 * DAY, each, counts=True) for each in asked]
    assert bound(time_line(asked), asks, Budget(0.2)) == pytest.approx(0.5)


def test_any_member_of_a_group_of_evidence_will_do() -> None:
    both = Question(0, "?", ((FERRY,), (OLD, NEW)), 0.0, 5, "", "")
    assert both.share(np.array([False, False, False, True, False])) == 0.5  # one of two groups
