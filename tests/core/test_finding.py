"""Stage one of a search: who may be found, who is a candidate, what each is worth, and who lifts whom."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core import finding
from ebbtide.core.changes import Access, Change, Forget, PutLink
from ebbtide.core.finding import Candidates, Filter, Query, match
from ebbtide.core.index import IndexRow, Recipe, SearchIndex
from ebbtide.core.ledger import Ledger, Run
from ebbtide.core.memory import DAY, State
from ebbtide.core.state import MindState
from ebbtide.core.terms import Field, Terms, code_of
from tests.builders import BIRTH
from tests.helpers import batch, born, configured

ANY = Filter((State.ACTIVE, State.COLD))
ACTIVE = Filter((State.ACTIVE,))
E1, E2 = np.eye(4, dtype=np.float32)[:2]


class Place:
    """An activity mind and its index. Memory i says word i; `vectors` by id."""

    def __init__(self, *changes: Change, dimensions: int = 0) -> None:
        space = f"test/{dimensions}" if dimensions else ""
        self.ledger, self.index = Ledger(MindState()), SearchIndex(Recipe("words-1", space, dimensions))
        self.do(configured("activity"), *changes)

    def do(self, *changes: Change) -> None:
        self.ledger.accept(batch(*changes), self._witness)

    def _witness(self, run: Run) -> None:
        self.index.note(run.changes, run.seq)

    def say(self, memory: int, text: str, vector: np.ndarray | None = None, **labels: str) -> None:
        """Indexed by these words, as of this kind, domain and keyword."""
        words = {Field.WORDS: text.split(), **{Field[name.upper()]: [label] for name, label in labels.items()}}
        waiting = {one.id: one for one in self.index.unread(1000)}
        self.index.put([IndexRow(memory, waiting[memory].edition, Terms.of(words), vector)])

    def ask(
        self,
        text: str,
        wanted: Filter = ANY,
        vector: np.ndarray | None = None,
        at: float = BIRTH,
        limit: int = 100,
        spread: float = 0.0,
    ) -> Candidates:
        terms = Terms.of({Field.WORDS: text.split()})
        return match(self.ledger.state, self.index, Query(terms, vector, wanted, at, limit, spread))


def ids(found: Candidates) -> list[int]:
    return sorted(found.ids.tolist())


def place(count: int, dimensions: int = 0) -> Place:
    return Place(*(born(memory) for memory in range(1, count + 1)), dimensions=dimensions)


# ---- nobody there


def test_an_empty_mind_has_no_candidates() -> None:
    assert ids(Place().ask("tide")) == []
    assert ids(Place(dimensions=4).ask("tide", ACTIVE, E1, spread=1.0)) == []


def test_a_mind_whose_memories_have_all_gone_has_none_either() -> None:
    there = place(2, 4)
    there.say(1, "tide", E1)
    there.say(2, "ebb", E2)
    there.do(Forget(BIRTH, 1, "k1"), Forget(BIRTH, 2, "k2"))
    assert ids(there.ask("tide", replace(ACTIVE, since=BIRTH), E1)) == []


# ---- whom to judge


@given(
    cold=st.sets(st.integers(1, 40)),
    worded=st.sets(st.integers(1, 40)),
    limit=st.integers(1, 12),
    wanted=st.sampled_from([ACTIVE, ANY, Filter((State.COLD,))]),
    chance=st.integers(0, 2**32 - 1),
)
def test_judging_the_candidates_alone_finds_whom_judging_everybody_finds(
    cold: set[int], worded: set[int], limit: int, wanted: Filter, chance: int
) -> None:
    now = BIRTH + 400 * DAY
    there = place(40, 4)
    vectors = np.random.default_rng(chance).standard_normal((41, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for memory in range(1, 41):
        there.say(memory, "tide" if memory in worded else "ebb", vectors[memory])
    there.do(*(PutLink(BIRTH, memory, memory % 40 + 1, "next", 0.5) for memory in range(1, 41, 3)))
    used = tuple(sorted(set(range(1, 41)) - cold))
    if used:
        there.do(*[Access(now, used)] * 20)
    told = []
    for at_once in (1000, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(finding, "JUDGED_AT_ONCE", at_once)
            there.index.sparse.clear()
            first = there.ask("tide", wanted, vectors[0], now, limit, spread=1.0)
            told += [first, there.ask("tide", wanted, vectors[0], now, limit, spread=1.0)]  # by what the first found
    for found in told[1:]:
        assert found.ids.tolist() == told[0].ids.tolist()
        assert found.similarity.tolist() == told[0].similarity.tolist()
        assert found.lift.tolist() == told[0].lift.tolist()
    shown = set(told[0].ids.tolist())
    assert wanted is ANY or shown.isdisjoint(cold if wanted is ACTIVE else used)


# ---- filters


def test_kind_domain_keyword_and_time_each_keep_out_what_does_not_fit() -> None:
    there = Place(*(born(memory, at=BIRTH + memory) for memory in range(1, 5)))
    there.say(1, "tide", kind="note", domain="sea", keyword="moon")
    there.say(2, "tide", kind="plan", domain="sea")
    there.say(3, "tide", kind="note", domain="sky", keyword="moon")
    there.say(4, "tide", kind="note")
    assert ids(there.ask("tide", replace(ANY, kind="note"))) == [1, 3, 4]
    assert ids(there.ask("tide", replace(ANY, without_kind="note"))) == [2]
    assert ids(there.ask("tide", replace(ANY, domain="sea"))) == [1, 2]
    assert ids(there.ask("tide", replace(ANY, keywords=(code_of(Field.KEYWORD, "moon"),)))) == [1, 3]
    assert ids(there.ask("tide", replace(ANY, keywords=(code_of(Field.KEYWORD, "sun"),)))) == []
    assert ids(there.ask("tide", replace(ANY, since=BIRTH + 2))) == [2, 3, 4]
    assert ids(there.ask("tide", replace(ANY, until=BIRTH + 2))) == [1]
    assert ids(there.ask("tide", replace(ANY, since=BIRTH + 2, until=BIRTH + 4, kind="note"))) == [3]


def test_states_are_those_of_the_moment_asked_about() -> None:
    """A memory that is never used has score 1.5·e^(−t/24 h) − 0.3·t/30 d, and is cold below −0.2: after 20 days."""
    there = place(1)
    there.say(1, "tide")
    assert ids(there.ask("tide", ACTIVE, at=BIRTH + 19.9 * DAY)) == [1]
    assert ids(there.ask("tide", ACTIVE, at=BIRTH + 20.1 * DAY)) == []
    assert ids(there.ask("tide", Filter((State.COLD,)), at=BIRTH + 20.1 * DAY)) == [1]


def test_filters_hold_for_what_is_near_in_meaning_too() -> None:
    there = place(2, 4)
    there.say(1, "tide", E1, kind="note")
    there.say(2, "tide", E1, kind="plan")
    assert ids(there.ask("nothing", replace(ANY, kind="plan"), E1)) == [2]


# ---- what each is worth


def test_similarity_does_not_depend_on_which_states_are_asked_for() -> None:
    there = Place(born(1, at=BIRTH), born(2, at=BIRTH + 30 * DAY))
    there.say(1, "tide tide tide")
    there.say(2, "tide and much else that is said besides")
    now = BIRTH + 30 * DAY  # 1 is cold by now
    every, visible = there.ask("tide", ANY, at=now), there.ask("tide", ACTIVE, at=now)
    worth = dict(zip(every.ids.tolist(), every.similarity.tolist(), strict=True))
    assert ids(visible) == [2]
    assert visible.similarity.tolist() == [worth[2]]
    assert worth[2] < worth[1]


def test_without_vectors_words_alone_decide_and_there_is_no_cosine() -> None:
    there = place(1)
    there.say(1, "tide")
    for found in (there.ask("tide"), there.ask("tide", vector=E1)):
        assert found.meant is None
        assert np.isnan(found.cosine).all()
        assert (found.similarity.tolist(), found.exact) == (found.worded.tolist(), True)


def test_a_vector_of_other_dimensions_counts_as_none() -> None:
    there = place(1, 4)
    there.say(1, "tide", E1)
    found = there.ask("tide", vector=np.ones(5, np.float32), spread=1.0)
    assert (ids(found), found.meant) == ([1], None)


def test_one_without_a_vector_is_found_by_its_words_among_those_that_have_one() -> None:
    there = place(2, 4)
    there.say(1, "tide", E1)
    there.say(2, "ebb")
    found = there.ask("ebb", vector=E1)
    assert ids(found) == [1, 2]
    row = found.ids.tolist().index(2)
    assert np.isnan(found.cosine[row])
    assert found.worded[row] > 0
    assert np.isfinite(found.similarity).all()


# ---- how many


def test_the_best_by_words_are_kept_and_of_equal_ones_the_youngest() -> None:
    there = place(9)
    for memory in range(1, 9):
        there.say(memory, "tide and more")
    there.say(9, "tide tide tide")
    assert ids(there.ask("tide", limit=3)) == [7, 8, 9]
    assert ids(there.ask("tide", limit=100)) == list(range(1, 10))


def test_so_many_by_words_and_so_many_by_meaning() -> None:
    there = place(4, 4)
    for memory, (word, vector) in enumerate([("tide", E1), ("tide", E1), ("ebb", E2), ("ebb", E2)], 1):
        there.say(memory, word, vector)
    assert ids(there.ask("tide", vector=E2, limit=1)) == [2, 3]  # by words the youngest, by meaning the first slot


def test_above_the_size_where_every_vector_is_looked_at_it_is_said_that_some_were_not() -> None:
    there = place(4, 4)
    assert there.index.vectors is not None
    there.index.vectors.exact_below = 3
    for memory in (1, 2):
        there.say(memory, "tide", E1)
    assert there.ask("tide", vector=E1).exact
    there.say(3, "tide", E2)
    assert not there.ask("tide", vector=E1).exact
    assert ids(there.ask("nothing", vector=E1, limit=2)) == [1, 2]


# ---- links


def test_a_hit_lifts_what_it_is_linked_with_in_either_direction_and_says_who_it_was() -> None:
    there = place(4)
    there.say(1, "tide")
    for memory in (2, 3, 4):
        there.say(memory, f"other{memory}")
    there.do(PutLink(BIRTH, 1, 2, "next", 0.5), PutLink(BIRTH, 3, 1, "next", 1.0))
    found = there.ask("tide", spread=1.0)
    worth = {memory: row for row, memory in enumerate(found.ids.tolist())}
    hit = float(found.similarity[worth[1]])
    assert sorted(worth) == [1, 2, 3]
    assert found.lift[worth[2]] == pytest.approx(0.5 * hit * hit, rel=1e-5)  # strength × hit × (hit − 0)
    assert found.lift[worth[3]] == pytest.approx(1.0 * hit * hit, rel=1e-5)
    assert found.by.tolist() == [-1 if memory == 1 else worth[1] for memory in found.ids.tolist()]


def test_of_several_that_lift_the_strongest_pull_counts() -> None:
    there = place(3, 4)
    there.say(1, "tide high", E1)
    there.say(2, "tide", E1)
    there.say(3, "far", E2)
    there.do(PutLink(BIRTH, 1, 3, "a", 0.2), PutLink(BIRTH, 2, 3, "b", 0.9))
    found = there.ask("tide", vector=E1, spread=0.5)
    worth = {memory: row for row, memory in enumerate(found.ids.tolist())}
    assert found.by[worth[3]] == worth[2]
    s = found.similarity
    pull = 0.5 * 0.9 * s[worth[2]] * (s[worth[2]] - s[worth[3]])
    assert found.lift[worth[3]] == pytest.approx(float(pull), rel=1e-5)


def test_what_may_not_be_seen_neither_lifts_nor_is_lifted() -> None:
    there = place(3)
    there.say(1, "tide", kind="note")
    there.say(2, "other", kind="plan")
    there.say(3, "tide", kind="plan")
    there.do(PutLink(BIRTH, 1, 2, "next", 1.0), PutLink(BIRTH, 3, 2, "next", 1.0))
    found = there.ask("tide", replace(ANY, kind="note"), spread=1.0)
    assert (ids(found), found.lift.tolist(), found.by.tolist()) == ([1], [0.0], [-1])


def test_without_spread_links_make_no_difference() -> None:
    there = place(2)
    there.say(1, "tide")
    there.say(2, "other")
    there.do(PutLink(BIRTH, 1, 2, "next", 1.0))
    assert ids(there.ask("tide", spread=0.0)) == [1]


def test_a_link_to_one_that_is_gone_or_not_read_yet_leads_nowhere() -> None:
    there = place(3)
    there.say(1, "tide")
    there.say(2, "other")
    there.do(PutLink(BIRTH, 1, 2, "next", 1.0), PutLink(BIRTH, 1, 3, "next", 1.0), Forget(BIRTH, 2, "k2"))
    assert ids(there.ask("tide", spread=1.0)) == [1]
