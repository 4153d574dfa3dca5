"""What supersedes what, when memories leave, say something else and come back.   SPEC T4."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Batch, Change, Forget, Merge, PutMemory, Restore, Rewrite, Supersede, Touch
from ebbtide.core.memory import DAY, Content
from ebbtide.core.metabolism.tide import AGAIN
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH
from tests.helpers import batch, configured

NOW = BIRTH + 10 * DAY
TEXT = ("superseded", "superseded_by")
USES = ("use_long", "use_short")
shares = st.sampled_from((0.0, 0.25, 0.5, 1.0))
ids = st.integers(1, 4)


def said(memory: int, text: str = "tide") -> Content:
    return Content(f"k{memory}", text)


def mind(*changes: Change) -> MemoryStore:
    """Four memories, the second half of them born a day after the first; then each change by itself."""
    store = MemoryStore()
    puts = [PutMemory(BIRTH + i * DAY, i, said(i), BIRTH + i * DAY) for i in range(1, 5)]
    store.apply_now(batch(configured("tide"), *puts))
    for change in changes:
        tell(store, change)
    return store


def tell(store: MemoryStore, change: Change) -> None:
    store.apply_now(batch(change))


def found(store: MemoryStore, older: int, newer: int, share: float) -> Supersede:
    return Supersede(NOW, store.seq, ((older, newer, share),))


def values(store: MemoryStore, memory: int, *names: str) -> tuple[float, ...]:
    row = store.state.table.row(memory)
    return tuple(float(store.state.table.columns[name][row]) for name in names)


# ---- leaving, and another text


@pytest.mark.parametrize(
    "leaves",
    [
        Forget(NOW, 3, "k3", "budget"),
        Merge(NOW, 4, 3, "k3", Content("k4", "both"), said(4)),
        Merge(NOW, 3, 4, "k4", Content("k3", "both"), said(3)),
        Rewrite(NOW, 3, Content("k3", "ebb!")),
    ],
)
def test_what_was_superseded_waits_to_be_compared_when_its_superseder_leaves_or_says_something_else(
    leaves: Change,
) -> None:
    store = mind()
    tell(store, found(store, 1, 3, 0.5))
    tell(store, leaves)
    assert values(store, 1, *TEXT) == (0.0, AGAIN)
    assert values(store, 2, *TEXT) == (0.0, 0.0)
    seen = store.seq
    tell(store, found(store, 1, 0, 0.0))
    assert store.seq == seen + 1  # it is an entry of its own
    assert values(store, 1, *TEXT) == (0.0, 0.0)


def test_a_finding_from_before_the_superseder_left_is_not_taken() -> None:
    store = mind()
    tell(store, found(store, 1, 3, 0.5))
    early = found(store, 1, 0, 0.0)
    tell(store, Rewrite(NOW, 3, Content("k3", "ebb!")))
    before = store.seq
    tell(store, early)
    assert store.seq == before
    assert values(store, 1, *TEXT) == (0.0, AGAIN)


def test_no_memory_supersedes_by_a_share_of_nothing_only() -> None:
    store = mind()
    before = store.seq
    tell(store, found(store, 1, 0, 0.5))
    assert store.seq == before


def test_a_merge_into_the_superseder_takes_the_superseded_one_along_and_back() -> None:
    store = mind()
    tell(store, found(store, 1, 3, 0.5))
    tell(store, Merge(NOW, 3, 1, "k1", Content("k3", "both"), said(3)))
    tell(store, Rewrite(NOW, 3, said(3), "unmerged"))
    tell(store, Restore(NOW, 1, "k1"))
    assert values(store, 1, *TEXT) == (0.5, 3.0)


# ---- uses


def test_a_share_that_grows_moves_what_is_missing() -> None:
    # Eight uses of 1 at one moment. A half moves: 4 and 4. At 0.75 the newer one is to have 6 of the 8: two more.
    store = mind(*(Touch(NOW, (1,)) for _ in range(8)))
    tell(store, found(store, 1, 3, 0.5))
    assert values(store, 1, *USES) == values(store, 3, *USES) == (4.0, 4.0)
    tell(store, found(store, 1, 3, 0.75))
    assert values(store, 1, *USES) == (2.0, 2.0)
    assert values(store, 3, *USES) == (6.0, 6.0)
    tell(store, found(store, 1, 3, 0.25))
    assert values(store, 1, *TEXT, *USES) == (0.25, 3.0, 2.0, 2.0)  # what has moved stays


def test_uses_leave_with_the_superseder_and_come_back_with_it() -> None:
    store = mind(*(Touch(NOW, (1,)) for _ in range(8)))
    tell(store, found(store, 1, 3, 0.75))
    tell(store, Forget(NOW, 3, "k3"))
    assert values(store, 1, *USES) == (2.0, 2.0)
    tell(store, found(store, 1, 0, 0.0))  # nothing else supersedes it
    tell(store, Restore(NOW, 3, "k3"))
    assert values(store, 1, *TEXT, *USES) == (0.75, 3.0, 2.0, 2.0)
    assert values(store, 3, *TEXT, *USES) == (0.0, 0.0, 6.0, 6.0)


def test_who_comes_back_does_not_supersede_what_another_supersedes_more() -> None:
    store = mind()
    tell(store, found(store, 1, 3, 0.5))
    tell(store, Forget(NOW, 3, "k3"))
    tell(store, found(store, 1, 4, 0.75))
    tell(store, Restore(NOW, 3, "k3"))
    assert values(store, 1, *TEXT) == (0.75, 4.0)


def test_who_comes_back_supersedes_more_than_another_does() -> None:
    store = mind()
    tell(store, found(store, 1, 3, 0.5))
    tell(store, Forget(NOW, 3, "k3"))
    tell(store, found(store, 1, 4, 0.25))
    tell(store, Restore(NOW, 3, "k3"))
    assert values(store, 1, *TEXT) == (0.5, 3.0)


def test_who_comes_back_does_not_supersede_what_says_something_else_by_now() -> None:
    store = mind()
    tell(store, found(store, 1, 3, 0.5))
    tell(store, Forget(NOW, 3, "k3"))
    tell(store, Rewrite(NOW, 1, Content("k1", "another text")))
    tell(store, Restore(NOW, 3, "k3"))
    assert values(store, 1, *TEXT) == (0.0, 0.0)


# ---- laws


lives = st.lists(
    st.one_of(
        st.tuples(st.just("supersede"), ids, ids, shares),
        st.tuples(st.sampled_from(("touch", "forget", "restore", "rewrite")), ids, ids, shares),
        st.tuples(st.just("merge"), ids, ids, shares),
    ),
    max_size=20,
)


def happens(store: MemoryStore, what: tuple[str, int, int, float]) -> None:
    kind, one, other, share = what
    alive = [memory for memory in (one, other) if memory in store.state.table]
    if kind == "supersede":
        tell(store, found(store, one, other, share))
    elif kind == "restore" and one in store.state.trash:
        tell(store, Restore(NOW, one, f"k{one}"))
    elif kind == "touch":
        tell(store, Touch(NOW, (one,)))
    elif kind == "forget" and one in alive:
        tell(store, Forget(NOW, one, f"k{one}"))
    elif kind == "rewrite" and one in alive:
        tell(store, Rewrite(NOW, one, said(one, f"tide {share}")))
    elif kind == "merge" and len(set(alive)) == 2:
        tell(store, Merge(NOW, one, other, f"k{other}", said(one, "both"), said(one)))


@given(lives)
def test_only_the_living_supersede_and_uses_are_never_made(life: list[tuple[str, int, int, float]]) -> None:
    store, touched = mind(), 0
    for what in life:
        touched += what[0] == "touch" and what[1] in store.state.table
        happens(store, what)
        s = store.state.signals()
        for share, by in zip(s.superseded.tolist(), s.superseded_by.tolist(), strict=True):
            assert (share > 0.0) == (by > 0)
            assert by in (0, AGAIN) or by in store.state.table
        here = float(s.use_long.sum()) + sum(gone.row["use_long"] for gone in store.state.trash.values())
        assert here == pytest.approx(touched)


@given(lives, ids, st.booleans())
def test_restoring_undoes_forgetting_also_after_looking_again(
    life: list[tuple[str, int, int, float]], leaves: int, looked: bool
) -> None:
    store = mind()
    for what in life:
        happens(store, what)
    if leaves not in store.state.table:
        return
    before = {memory: values(store, memory, *TEXT, *USES) for memory in store.state.keys.values()}
    tell(store, Forget(NOW, leaves, f"k{leaves}"))
    if looked:
        for memory in store.state.keys.values():
            if values(store, memory, "superseded_by") == (AGAIN,):
                tell(store, found(store, memory, 0, 0.0))
    tell(store, Restore(NOW, leaves, f"k{leaves}"))
    after = {memory: values(store, memory, *TEXT, *USES) for memory in before}
    waited = {memory for memory in before if before[memory][1] == AGAIN}
    for memory in before:
        if memory in waited:  # it was settled meanwhile, or is compared with its text when that is read again
            assert (after[memory][0], *after[memory][2:]) == (0.0, *before[memory][2:])
        else:
            assert after[memory] == before[memory]


@given(lives)
def test_a_replay_gives_the_same(life: list[tuple[str, int, int, float]]) -> None:
    store, copy = mind(), MemoryStore()
    for what in life:
        happens(store, what)
    for entry in store._entries:
        copy.apply_now(Batch((entry.change,), f"again-{entry.seq}"))
    for memory in store.state.keys.values():
        assert values(copy, memory, *TEXT, *USES) == values(store, memory, *TEXT, *USES)
