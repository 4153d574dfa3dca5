"""The budget: who leaves, in which order, what never does, and what the trash keeps of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.budget import BUDGET, BudgetUse
from ebbtide.core.changes import Change, Discard, Focus, Forget, Pin, PutLink, PutMemory, Restore, Rewrite, Touch
from ebbtide.core.errors import BudgetFull
from ebbtide.core.memory import DAY, Content
from ebbtide.core.parameters import regime, written_regime
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, batch, born, configured


def store_of(metabolism: str, **params: int) -> MemoryStore:
    store = MemoryStore()
    store.apply_now(batch(configured(metabolism, **params)))
    return store


def put(store: MemoryStore, memory: int, day: float = 0.0, text: str = "ten chars.") -> tuple[int, ...]:
    """What left for it."""
    return store.apply_now(batch(born(memory, at=BIRTH + day * DAY, text=text))).left


def alive(store: MemoryStore) -> list[int]:
    return sorted(store.state.keys.values())


def made(store: MemoryStore, kind: type[Change]) -> list[Change]:
    return [entry.change for entry in store._entries if isinstance(entry.change, kind)]


# ---- who leaves


def test_the_lowest_vitality_leaves_and_its_leaving_comes_before_what_needs_the_room() -> None:
    store = store_of("tide", budget_memories=3)
    for memory in (1, 2, 3):
        put(store, memory)
    store.apply_now(batch(Touch(BIRTH + DAY, (1, 3))))
    assert put(store, 4, day=2) == (2,)  # never used, and from the same day as the two that were
    last = [entry.change for entry in store._entries][-2:]
    assert last == [
        Forget(BIRTH + 2 * DAY, 2, "k2", BUDGET, "budget-6"),
        born(4, at=BIRTH + 2 * DAY, text="ten chars."),
    ]


def test_of_equals_the_oldest_leaves_first() -> None:
    store = store_of("score", budget_memories=2)
    put(store, 7, day=0)
    put(store, 5, day=0)
    assert put(store, 9, day=0) == (5,)  # all are of one moment, so the lowest id


def test_one_part_in_a_hundred_more_leaves_than_has_to() -> None:
    store = store_of("activity", budget_memories=300)
    store.apply_now(batch(*(born(i, at=BIRTH + i) for i in range(1, 301))))
    assert put(store, 301, day=1) == (1, 2, 3, 4)  # one has to, and 300 // 100 more
    assert [put(store, i, day=1) for i in (302, 303, 304)] == [(), (), ()]
    assert put(store, 305, day=1) == (5, 6, 7, 8)


def test_a_batch_counts_at_its_fullest() -> None:
    store = store_of("activity", budget_memories=3)
    for memory in (1, 2, 3):
        put(store, memory, day=memory)
    # After its first change there are four: one has to leave, though in the end there would be three.
    receipt = store.apply_now(batch(born(4, at=BIRTH + 5 * DAY), Forget(BIRTH + 5 * DAY, 3, "k3")))
    assert receipt.left == (1,)
    assert alive(store) == [2, 4]


def test_characters_are_a_budget_too() -> None:
    store = store_of("activity", budget_characters=100)
    for memory in range(1, 11):
        put(store, memory, day=memory)  # ten times ten
    # 25 more: 25 too many and 100 // 100 of slack, which three of ten characters give.
    assert put(store, 11, day=12, text="x" * 25) == (1, 2, 3)
    assert store.state.table.characters == 95
    store.apply_now(batch(Rewrite(BIRTH + 13 * DAY, 11, Content("k11", "x" * 31))))  # 101
    assert alive(store) == [5, 6, 7, 8, 9, 10, 11]


def test_a_smaller_budget_is_kept_from_its_first_moment() -> None:
    store = store_of("score")
    for memory in range(1, 6):
        put(store, memory, day=memory)
    receipt = store.apply_now(batch(configured("score", budget_memories=2)))
    assert receipt.left == (1, 2, 3)
    assert alive(store) == [4, 5]


# ---- who stays


def test_what_is_pinned_in_focus_protected_or_persistent_stays() -> None:
    store = store_of("network", budget_memories=3)
    for memory in (1, 2, 3):
        put(store, memory, day=memory)
    store.apply_now(batch(Pin(BIRTH + 4 * DAY, (1,), True), Focus(BIRTH + 4 * DAY, (2,))))
    assert put(store, 4, day=5) == (3,)

    store = store_of("retention", budget_memories=4)
    at = BIRTH
    store.apply_now(batch(PutMemory(at, 1, Content("k1", "kept for good"), at, 0.5, "persistent")))
    for memory in (2, 3, 4):
        put(store, memory)
    store.apply_now(batch(PutLink(BIRTH, 4, 2, "SUPPORTED_BY", 1.0)))  # which protects 2
    assert put(store, 5, day=1) == (3,)
    assert put(store, 6, day=1) == (4,)


def test_what_takes_part_in_the_batch_stays() -> None:
    store = store_of("activity", budget_memories=2)
    put(store, 1, day=0)
    put(store, 2, day=1)
    at = BIRTH + 2 * DAY
    receipt = store.apply_now(batch(born(3, at=at), PutLink(at, 3, 1, "about", 0.5)))
    assert receipt.left == (2,)


def test_where_too_few_may_leave_nothing_happens_and_the_error_says_what_to_do() -> None:
    store = store_of("tide", budget_memories=2)
    put(store, 1)
    put(store, 2)
    store.apply_now(batch(Pin(BIRTH, (1, 2), True)))
    seq = store.seq
    with pytest.raises(BudgetFull) as error:
        put(store, 3)
    assert str(error.value) == (
        "this mind may hold 2 memories, and of the 2 memories in it only 0 may leave (the others are pinned, protected"
        " or in focus, or part of this very change): unpin some, or raise budget_memories"
    )
    assert store.seq == seq


def test_a_text_longer_than_the_whole_budget_is_refused() -> None:
    store = store_of("tide", budget_characters=50)
    put(store, 1)
    with pytest.raises(BudgetFull, match="raise budget_characters"):
        put(store, 2, text="x" * 51)
    assert alive(store) == [1]


# ---- the trash


def test_the_trash_keeps_no_more_of_it_than_the_mind_may_hold() -> None:
    store = store_of("score", budget_memories=10)
    store.apply_now(batch(born(90, at=BIRTH), Forget(BIRTH, 90, "k90")))  # asked for: not the budget's
    for memory in range(1, 31):
        put(store, memory, day=memory)
    # 20 have left. When the eleventh did, all but 10 − 10 // 10 − 1 = 8 of the ten before were let go, and so at each
    # second one from then on.
    assert sorted(store.state.trash) == [*range(11, 21), 90]
    assert made(store, Discard)[0] == Discard(BIRTH + 21 * DAY, (2, 1))
    assert alive(store) == list(range(21, 31))


def test_what_comes_back_from_a_full_mind_makes_another_leave_and_is_not_let_go_meanwhile() -> None:
    store = store_of("score", budget_memories=3)
    for memory in range(1, 7):
        put(store, memory, day=memory)
    assert sorted(store.state.trash) == [1, 2, 3]
    receipt = store.apply_now(batch(Restore(BIRTH + 8 * DAY, 1, "k1")))
    assert receipt.left == (4,)
    assert alive(store) == [1, 5, 6]


# ---- parameters


def test_a_tide_mind_holds_twenty_thousand_memories_by_default_and_others_have_no_limit() -> None:
    limits = {name: regime(name, {})[0].metabolism.budget_memories for name in METABOLISMS}
    assert limits == {"activity": 0, "network": 0, "score": 0, "retention": 0, "tide": 20_000}


def test_a_journal_that_names_no_budget_was_made_before_there_were_budgets() -> None:
    old = written_regime("tide", {"long_days": 500.0})
    assert (old.metabolism.budget_memories, old.common.journal_entries) == (0, 0)


@pytest.mark.parametrize(
    ("use", "share"),
    [
        (BudgetUse(5, 100, 0, 0), 0.0),
        (BudgetUse(5, 100, 10, 0), 0.5),
        (BudgetUse(5, 100, 10, 125), 0.8),
    ],
)
def test_fullness_is_that_of_the_tighter_limit(use: BudgetUse, share: float) -> None:
    assert use.fullness == share


@given(
    metabolism=st.sampled_from(METABOLISMS),
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=8),
    limit=st.integers(12, 20),
    pinned=st.sets(st.integers(1, 40), max_size=6),
)
def test_no_batch_ends_above_the_budget_and_no_pin_leaves(
    metabolism: str, sizes: list[int], limit: int, pinned: set[int]
) -> None:
    store, memory = store_of(metabolism, budget_memories=limit, budget_characters=20 * limit), 0
    held: set[int] = set()
    for day, size in enumerate(sizes):
        puts = [born(memory + i, at=BIRTH + day * DAY, text="x" * (3 * i)) for i in range(1, size + 1)]
        memory += size
        try:
            store.apply_now(batch(*puts))
        except BudgetFull:
            continue
        new = {put.id for put in puts} & pinned
        store.apply_now(batch(Pin(BIRTH + day * DAY, tuple(new), True))) if new else None
        held |= new
        assert len(store.state.table) <= limit
        assert store.state.table.characters <= 20 * limit
        assert held <= set(alive(store))
