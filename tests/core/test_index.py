"""The search index of one mind: who waits for what, which rows are taken, and that nothing is left of who is gone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Access, Change, Discard, Forget, Merge, Recover, Restore, Rewrite
from ebbtide.core.index import IndexRow, Recipe, SearchIndex, Unread
from ebbtide.core.memory import Content
from ebbtide.core.terms import Field, Terms, code_of
from tests.builders import BIRTH
from tests.hashing import hashed
from tests.helpers import born

SPACE = Recipe("words-1", "hashing/16", 16)
WORDS_ALONE = Recipe("words-1")


def terms(text: str, kind: str = "note", domain: str = "") -> Terms:
    return Terms.of({Field.WORDS: text.split(), Field.KIND: [kind], Field.DOMAIN: [domain]})


def row(waiting: Unread, text: str, vector: bool = True) -> IndexRow:
    return IndexRow(waiting.id, waiting.edition, terms(text), hashed(text) if vector else None)


def index_of(*texts: str, recipe: Recipe = SPACE, since: int = 0) -> SearchIndex:
    """Memories 1, 2, 3 … that say these, indexed."""
    index = SearchIndex(recipe, since)
    index.note([born(memory) for memory in range(1, len(texts) + 1)], since + 1)
    index.put([row(one, texts[one.id - 1], vector=bool(recipe.space)) for one in index.unread(1000)])
    return index


def found(index: SearchIndex, word: str) -> set[int]:
    """The memories that hold a word."""
    return set(index.ids[np.flatnonzero(index.lexical.scores(terms(word), index.size))].tolist())


def rewritten(memory: int) -> Rewrite:
    return Rewrite(BIRTH, memory, Content(f"k{memory}", "something else"))


# ---- waiting


def test_a_memory_waits_for_its_words_then_for_its_vector_then_for_nothing() -> None:
    index = SearchIndex(SPACE)
    index.note([born(7)], 3)
    assert (index.unread(9), index.unembedded(9), index.waiting) == ([Unread(7, 3)], [], (1, 1))
    index.put([IndexRow(7, 3, terms("tide"))])
    assert (index.unread(9), index.unembedded(9), index.waiting) == ([], [Unread(7, 3)], (0, 1))
    index.put([IndexRow(7, 3, None, hashed("tide"))])
    assert (index.unread(9), index.unembedded(9), index.waiting) == ([], [], (0, 0))


def test_where_there_are_no_vectors_nobody_waits_for_one() -> None:
    index = SearchIndex(WORDS_ALONE)
    index.note([born(1), born(2)], 1)
    assert index.waiting == (2, 0)
    index.put([IndexRow(1, 1, terms("tide")), IndexRow(2, 2, terms("ebb"), hashed("ebb"))])
    assert (index.waiting, index.unembedded(9), index.cosines(hashed("ebb"), index.slots([2])).tolist()) == (
        (0, 0), [], [pytest.approx(math.nan, nan_ok=True)],
    )  # fmt: skip


def test_the_youngest_come_first_and_only_as_many_as_asked_for() -> None:
    index = SearchIndex(SPACE)
    index.note([born(memory) for memory in range(1, 6)], 1)
    assert [one.id for one in index.unread(2)] == [5, 4]
    index.put([IndexRow(one.id, one.edition, terms("x")) for one in index.unread(9)])
    assert [one.id for one in index.unembedded(2)] == [5, 4]
    assert [one.id for one in index.unembedded(9, frozenset({2, 4, 99}))] == [4, 2]
    assert index.unembedded(9, frozenset()) == []


def test_one_that_is_to_have_no_vector_does_not_wait_for_it() -> None:
    index = index_of("tide", recipe=SPACE)
    index.note([rewritten(1)], 9)
    index.put([IndexRow(1, 9, terms("skeleton"))])
    assert len(index.put([IndexRow(1, 9, None, None, bare=True)])) == 1
    assert (index.waiting, index.vectors is not None and len(index.vectors)) == ((0, 0), 0)


def test_whoever_is_alive_and_not_here_is_expected() -> None:
    index = index_of("tide", "ebb")
    index.expect(np.array([1, 2, 5, 300]))
    assert [one.id for one in index.unread(9)] == [300, 5]


# ---- editions


def test_a_row_made_from_an_earlier_text_is_refused() -> None:
    index = SearchIndex(SPACE)
    index.note([born(1)], 1)
    early = index.unread(1)[0]
    index.note([rewritten(1)], 2)
    assert index.put([row(early, "before")]) == []
    assert (index.unread(1), found(index, "before")) == ([Unread(1, 2)], set())
    assert len(index.put([row(index.unread(1)[0], "after")])) == 1


def test_a_vector_of_an_earlier_text_is_refused() -> None:
    index = SearchIndex(SPACE)
    index.note([born(1)], 1)
    index.put([IndexRow(1, 1, terms("before"))])
    early = index.unembedded(1)[0]
    index.note([rewritten(1)], 2)
    index.put([IndexRow(1, 2, terms("after"))])
    assert index.put([IndexRow(1, early.edition, None, hashed("before"))]) == []
    assert index.unembedded(1) == [Unread(1, 2)]


def test_a_row_made_for_an_index_that_was_thrown_away_is_refused_if_anything_was_said_since() -> None:
    """Memory 1 was read when entry 90 was the last; entry 91 rewrote it; then the index was read again."""
    before, after = SearchIndex(SPACE, since=90), SearchIndex(SPACE, since=91)
    for index in (before, after):
        index.expect(np.array([1]))
    assert after.put([row(before.unread(1)[0], "before")]) == []
    assert len(after.put([row(after.unread(1)[0], "after")])) == 1


@pytest.mark.parametrize(
    "change", [Forget(BIRTH, 1, "k1"), Merge(BIRTH, 2, 1, "k1", Content("k2", "both"), Content("k2", "two"))]
)
def test_a_row_of_one_that_is_gone_is_refused(change: Change) -> None:
    index = SearchIndex(SPACE)
    index.note([born(1), born(2)], 1)
    early = {one.id: one for one in index.unread(2)}
    index.note([change], 3)
    assert index.put([row(early[1], "gone")]) == []
    assert 1 not in [one.id for one in index.unread(9)]


def test_a_row_is_taken_once_and_one_nobody_waits_for_never() -> None:
    index = index_of("tide")
    assert index.put([IndexRow(1, 1, terms("tide"), hashed("tide"))]) == []
    assert index.put([IndexRow(1, 1, None, hashed("tide"))]) == []
    assert index.put([IndexRow(44, 0, terms("tide")), IndexRow(10_000, 0, terms("tide"))]) == []
    assert len(index.lexical) == 1


@pytest.mark.parametrize(
    "change",
    [
        rewritten(1),
        Restore(BIRTH, 1, "k1"),
        Recover(BIRTH, 1, Content("k1", "again"), {}),
        Merge(BIRTH, 1, 2, "k2", Content("k1", "both"), Content("k1", "tide")),
    ],
)
def test_who_says_something_else_is_not_found_until_it_is_read_again(change: Change) -> None:
    index = index_of("tide", "ebb")
    index.note([change], 5)
    assert (found(index, "tide"), index.unread(9)) == (set(), [Unread(1, 5)])


def test_being_used_changes_nothing() -> None:
    index = index_of("tide")
    index.note([Access(BIRTH, (1,))], 2)
    assert (found(index, "tide"), index.waiting) == ({1}, (0, 0))


# ---- vectors that do not fit


@pytest.mark.parametrize(
    "vector", [np.ones(15), np.ones(17), np.ones((1, 16)), np.ones(0), np.full(16, np.nan), np.full(16, np.inf)]
)
def test_a_vector_that_does_not_fit_is_as_none(vector: np.ndarray) -> None:
    index = SearchIndex(SPACE)
    index.note([born(1), born(2)], 1)
    assert len(index.put([IndexRow(1, 1, terms("tide"), vector), row(Unread(2, 2), "ebb")])) == 2
    assert (index.unembedded(9), found(index, "tide")) == ([Unread(1, 1)], {1})
    assert index.put([IndexRow(1, 1, None, vector)]) == []
    assert (index.size, index.unembedded(9)) == (2, [Unread(1, 1)])
    assert not index.takes(np.ones(15))
    assert index.takes(np.ones(16))


# ---- leaving


def test_a_slot_is_given_to_another_when_its_memory_has_gone() -> None:
    index = index_of("tide", "ebb", "flood")
    index.note([Forget(BIRTH, 2, "k2")], 9)
    index.note([born(4)], 10)
    index.put([row(Unread(4, 10), "moon")])
    assert (index.size, sorted(index.ids[:3].tolist())) == (3, [1, 3, 4])
    assert (found(index, "ebb"), found(index, "moon"), index.slots([2]).tolist()) == (set(), {4}, [-1])


def test_when_something_is_gone_for_good_no_code_and_no_vector_of_it_remains() -> None:
    index = index_of("tide secret", "ebb")
    index.noise(hashed("ebb"))  # a sample of vectors is taken
    index.note([Forget(BIRTH, 1, "k1")], 8)
    index.note([Discard(BIRTH, (1,))], 9)
    code = code_of(Field.WORDS, "secret")
    assert not any(code in segment.codes for segment in index.lexical._segments)
    assert code not in index.lexical._tail.postings
    assert index.vectors is not None
    assert (index.vectors._rows[: index.size] == 0).all(axis=1).sum() == 1
    assert index._sample is None or len(index._sample) == 1


def test_rows_of_memories_that_are_not_alive_are_let_go() -> None:
    index = index_of("tide", "ebb", "flood")
    index.keep_only(np.array([2]))
    assert (found(index, "tide"), found(index, "ebb"), len(index.lexical)) == (set(), {2}, 1)


def test_kept_rows_are_taken_as_they_are() -> None:
    index, said = SearchIndex(SPACE), ["tide", "ebb", "flood"]
    vectors = np.array([hashed("tide"), hashed("flood")]).astype(np.float16)
    index.load([3, 5, 900], [terms(text) for text in said], [0, 2], vectors)
    assert (found(index, "ebb"), index.unread(9), index.unembedded(9)) == ({5}, [], [Unread(5, 0)])
    cosines = index.cosines(hashed("flood"), index.slots([900, 5]))
    assert cosines[0] == pytest.approx(1.0, abs=1e-3)
    assert math.isnan(cosines[1])


# ---- labels


def test_material_is_grouped_by_kind_and_domain() -> None:
    index = SearchIndex(SPACE)
    index.note([born(memory) for memory in range(1, 6)], 1)
    labels = [("a", "b"), ("b", "a"), ("a", "b"), ("a", ""), ("a", "b")]
    rows = [IndexRow(i, i, terms("x", *label), hashed("x")) for i, label in enumerate(labels[:4], 1)]
    index.put([*rows, IndexRow(5, 5, terms("x", "a", "b"))])
    ids, vectors, group = index.material(np.array([1, 2, 3, 4, 5, 77]))
    assert (ids.tolist(), vectors.shape) == ([1, 2, 3, 4], (4, 16))
    assert group[0] == group[2]
    assert len(set(group.tolist())) == 3


# ---- whatever happens

WORDS = ("tide", "ebb", "flood", "moon")
CHANGES = st.lists(
    st.tuples(st.sampled_from(["put", "rewrite", "forget", "restore", "merge", "discard", "index", "embed"]),
              st.integers(0, 5), st.sampled_from(WORDS)),
    max_size=40,
)  # fmt: skip


@given(CHANGES)
def test_after_any_history_the_index_is_the_one_made_from_scratch(history: list[tuple[str, int, str]]) -> None:
    index, alive, gone = SearchIndex(SPACE), dict[int, str](), dict[int, str]()
    for seq, (verb, which, word) in enumerate(history, 1):
        chosen = sorted(alive)[which % len(alive)] if alive else None
        if verb == "put":
            alive[len(alive) + len(gone) + 1] = word
            index.note([born(len(alive) + len(gone))], seq)
        elif verb == "rewrite" and chosen:
            alive[chosen] = word
            index.note([rewritten(chosen)], seq)
        elif verb == "forget" and chosen:
            gone[chosen] = alive.pop(chosen)
            index.note([Forget(BIRTH, chosen, "")], seq)
        elif verb == "merge" and len(alive) > 1 and chosen:
            into = next(memory for memory in alive if memory != chosen)
            gone[chosen], alive[into] = alive.pop(chosen), word
            index.note([Merge(BIRTH, into, chosen, "", Content("", word), Content("", ""))], seq)
        elif verb == "restore" and gone:
            memory = sorted(gone)[which % len(gone)]
            alive[memory] = gone.pop(memory)
            index.note([Restore(BIRTH, memory, "")], seq)
        elif verb == "discard":
            index.note([Discard(BIRTH, tuple(gone))], seq)
        elif verb == "index":
            index.put([row(one, alive[one.id], vector=which > 2) for one in index.unread(which)])
        else:
            index.put([IndexRow(one.id, one.edition, None, hashed(alive[one.id])) for one in index.unembedded(which)])
    index.put([row(one, alive[one.id]) for one in index.unread(99)])
    index.put([IndexRow(one.id, one.edition, None, hashed(alive[one.id])) for one in index.unembedded(99)])
    scratch = SearchIndex(SPACE)
    scratch.expect(np.array(sorted(alive), np.int64))
    scratch.put([row(one, alive[one.id]) for one in scratch.unread(99)])
    assert index.waiting == scratch.waiting == (0, 0)
    assert answers(index) == answers(scratch)
    assert sorted(index.ids[index.ids > 0].tolist()) == sorted(alive)


def answers(index: SearchIndex) -> list[object]:
    """By id: what each word finds and with what score, every cosine, and the noise."""
    told: list[object] = []
    for word in WORDS:
        scores = index.lexical.scores(terms(word), index.size)
        cosines = index.cosines(hashed(word), np.arange(index.size))
        slots = np.flatnonzero(index.ids[: index.size])
        told.append(sorted((int(index.ids[s]), round(float(scores[s]), 4), round(float(cosines[s]), 4)) for s in slots))
        noise = index.noise(hashed(word))
        told.append((round(noise.mean, 4), round(noise.spread, 4)))
    return told
