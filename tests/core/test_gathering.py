"""The evidence for a rank: what stands beside a candidate, its words, who said it, and how sentences compare."""

import numpy as np
import pytest

from ebbtide.core.changes import Change, Forget, PutLink
from ebbtide.core.evidence import Evidence
from ebbtide.core.finding import Candidates, Filter, Query, match
from ebbtide.core.index import IndexRow
from ebbtide.core.memory import State
from ebbtide.core.question import Question
from ebbtide.core.terms import Field, Terms, Trait, code_of, trait_code
from tests.builders import BIRTH
from tests.core.test_finding import ANY, E1, E2, Place
from tests.helpers import born


def after(one: int, other: int, relation: str = "after") -> Change:
    return PutLink(BIRTH, one, other, relation, 0.5)


def talk(*texts: str, dimensions: int = 0) -> Place:
    """Memories 1, 2, 3 … said one after the other."""
    place = Place(*(born(number) for number in range(1, len(texts) + 1)), dimensions=dimensions)
    place.do(*(after(number, number + 1) for number in range(1, len(texts))))
    for number, text in enumerate(texts, 1):
        if not dimensions:
            place.say(number, text)
    return place


def ask(
    place: Place, text: str, wanted: Filter = ANY, question: Question | None = None, ranked: int = 100
) -> Candidates:
    terms = Terms.of({Field.WORDS: text.split()})
    query = Query(terms, None, wanted, BIRTH, 100, 1.0, question=question or Question(), ranked=ranked)
    return match(place.ledger.state, place.index, query)


def gathered(found: Candidates) -> Evidence:
    assert found.evidence is not None
    return found.evidence


def row(found: Candidates, memory: int) -> int:
    return int(np.flatnonzero(found.ids == memory)[0])


# ---- what stands beside


@pytest.mark.parametrize(
    ("one", "other", "relation"), [(1, 2, "after"), (1, 2, "下文"), (2, 1, "before"), (2, 1, "上文")]
)
def test_one_link_of_order_by_any_name_tells_both_ends(one: int, other: int, relation: str) -> None:
    place = Place(born(1), born(2), born(3), after(one, other, relation))
    before, behind = place.ledger.state.links.beside(np.array([1, 2, 3]))
    assert (before.tolist(), behind.tolist()) == ([0, 1, 0], [2, 0, 0])


def test_other_links_tell_no_order() -> None:
    place = Place(born(1), born(2), after(1, 2, "next"))
    assert [column.tolist() for column in place.ledger.state.links.beside(np.array([1, 2]))] == [[0, 0], [0, 0]]


def test_the_order_of_the_ids_asked_for_makes_no_difference() -> None:
    place = Place(*map(born, (1, 2, 3)), after(1, 2), after(2, 3))
    before, behind = place.ledger.state.links.beside(np.array([3, 1, 2]))
    assert (before.tolist(), behind.tolist()) == ([2, 0, 1], [0, 2, 3])


def test_what_stands_beside_a_candidate_becomes_one() -> None:
    found = ask(talk("where zebras sleep", "under the bridge", "good night"), "zebras")
    assert sorted(found.ids.tolist()) == [1, 2]


def test_the_memories_two_places_away_are_looked_at_and_not_ranked() -> None:
    found = ask(talk("zebras one", "b", "c", "d", "e"), "zebras")
    evidence = gathered(found)
    assert len(found.ids) == len(evidence) == 2
    assert len(evidence.similarity) == 4  # 1 and 2; behind them 3 and 4
    first, second = row(found, 1), row(found, 2)
    assert (evidence.before[first], evidence.after[first], evidence.before[second]) == (-1, second, first)
    third = evidence.after[second]
    assert third >= 2
    assert evidence.after[third] == 3
    assert evidence.after[3] == -1  # the one behind it was not looked at


def test_neighbours_that_may_not_be_seen_are_no_candidates_but_count_as_evidence() -> None:
    place = Place(born(1), born(2, kind="log"), after(2, 1))
    place.say(1, "zebras sleep", kind="note")
    place.say(2, "asleep", kind="log")
    found = ask(place, "zebras", Filter((State.ACTIVE, State.COLD), kind="note"))
    assert found.ids.tolist() == [1]
    assert gathered(found).before.tolist() == [1, -1]


def test_a_neighbour_that_was_not_read_yet_is_left_out() -> None:
    place = Place(born(1), born(2), after(2, 1))
    place.say(1, "zebras sleep")
    assert gathered(ask(place, "zebras")).before.tolist() == [-1]


def test_a_conversation_that_runs_in_a_circle_ends() -> None:
    place = talk("zebras", "b")
    place.do(after(2, 1))
    evidence = gathered(ask(place, "zebras"))
    assert len(evidence.similarity) == 2


def test_only_the_best_by_similarity_are_ranked() -> None:
    place = Place(*(born(number) for number in range(1, 31)))
    for number in range(1, 31):
        place.say(number, "zebra " * number + "x " * (31 - number))
    assert sorted(ask(place, "zebra", ranked=5).ids.tolist()) == [26, 27, 28, 29, 30]


def test_without_a_question_nothing_is_gathered() -> None:
    assert talk("zebras", "b").ask("zebras").evidence is None


# ---- words, sizes, traits, speakers


def test_it_tells_which_words_each_has_and_how_much_they_say() -> None:
    place = Place(*(born(number) for number in range(1, 4)))
    for number, text in enumerate(("zebra sleeps", "zebra", "bridge"), 1):
        place.say(number, text)
    found = ask(place, "zebra sleeps elsewhere")
    evidence = gathered(found)
    codes = [code_of(Field.WORDS, word) for word in ("sleeps", "zebra")]
    order = [sorted(codes).index(code) for code in codes]  # words stand in the order of their codes
    # of three memories one has "sleeps", two "zebra": ln(3.5 / 1.5), ln(3.5 / 2.5); none has "elsewhere"
    assert evidence.idf[order] == pytest.approx([0.8473, 0.3365], abs=1e-4)
    assert evidence.holds[order][:, [row(found, 1), row(found, 2)]].tolist() == [[True, False], [True, True]]


def test_a_word_that_every_memory_has_says_nothing() -> None:
    place = Place(born(1))
    place.say(1, "zebra")
    assert gathered(ask(place, "zebra")).idf.tolist() == []


def test_a_chinese_text_counts_three_times() -> None:
    place = Place(born(1, text="四个汉字"), born(2, text="four"))
    waiting = {one.id: one for one in place.index.unread(10)}
    han = Terms.counted([code_of(Field.WORDS, "zebra"), trait_code(Trait.HAN), trait_code(Trait.ASKS)])
    place.index.put([IndexRow(1, waiting[1].edition, han)])
    place.say(2, "zebra")
    found = ask(place, "zebra")
    evidence = gathered(found)
    assert [evidence.size[row(found, 1)], evidence.size[row(found, 2)]] == [12, 4]
    assert evidence.has(Trait.ASKS)[[row(found, 1), row(found, 2)]].tolist() == [True, False]


def spoken(names: list[str], asked: list[str]) -> list[float]:
    place = Place(*(born(number) for number in range(1, len(names) + 1)))
    for number, name in enumerate(names, 1):
        place.say(number, "zebra", None, **({"speaker": name} if name else {}))
    codes = np.array(sorted(code_of(Field.SPEAKER, name) for name in asked), np.uint64)
    found = ask(place, "zebra", question=Question(names=codes))
    return [float(gathered(found).spoken[row(found, number)]) for number in range(1, len(names) + 1)]


def test_the_one_known_speaker_that_is_named_counts_for_and_others_against() -> None:
    assert spoken(["ada", "bob", ""], ["ada", "what", "said"]) == [1.0, -1.0, 0.0]


def test_of_two_speakers_that_are_named_neither_counts() -> None:
    assert spoken(["ada", "bob", ""], ["ada", "bob"]) == [0.0, 0.0, 0.0]


def test_a_name_that_is_no_speakers_counts_for_nothing() -> None:
    assert spoken(["ada", "bob", ""], ["eve"]) == [0.0, 0.0, 0.0]


def test_a_speaker_whose_last_memory_has_gone_is_known_no_more() -> None:
    place = Place(born(1), born(2))
    place.say(1, "zebra", speaker="ada")
    place.say(2, "zebra", speaker="bob")
    names = np.array([code_of(Field.SPEAKER, "ada")], np.uint64)
    assert place.index.speaker(names) != 0
    place.do(Forget(BIRTH, 1, "k1", "asked"))
    assert place.index.speaker(names) == 0


# ---- sentences


def test_each_sentence_is_compared_with_each_candidate() -> None:
    place = Place(born(1), born(2), dimensions=4)
    place.say(1, "zebra", E1)
    place.say(2, "zebra", E2)
    terms = Terms.of({Field.WORDS: ["zebra"]})
    both = np.array([E1, E2])
    query = Query(terms, E1, ANY, BIRTH, 100, 1.0, question=Question(), sentences=both)
    found = match(place.ledger.state, place.index, query)
    first, second = row(found, 1), row(found, 2)
    meant = gathered(found).sentences
    assert meant.shape == (2, 2)
    assert meant[0, first] == pytest.approx(meant[1, second])
    assert meant[0, first] > meant[0, second]
    assert found.meant is not None
    assert meant[0, [first, second]] == pytest.approx(
        found.meant[[first, second]], abs=1e-6
    )  # of so few, all are known
