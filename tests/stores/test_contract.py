"""What every store promises about writing: whole batches, in order, once, and for good."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from ebbtide.core.changes import (
    Access,
    Change,
    Discard,
    Entry,
    Focus,
    Forget,
    Merge,
    PutLink,
    Restore,
    Rewrite,
    Scan,
    Traverse,
    Unlink,
    WriteDown,
)
from ebbtide.core.errors import (
    Conflict,
    EbbtideError,
    InvalidInput,
    KeyTaken,
    NotInTrash,
    StoreClosed,
    UnknownLink,
    UnknownMemory,
)
from ebbtide.core.memory import Content, State
from ebbtide.core.ports import Store, Where
from ebbtide.core.snapshot import Snapshot
from tests.builders import BIRTH
from tests.helpers import batch, born, configured
from tests.stores.conftest import Shelf

T1, T2, T3 = BIRTH + 1, BIRTH + 2, BIRTH + 3


def says(key: str, text: str = "something else") -> Content:
    return Content(key, text)


async def furnish(store: Store, metabolism: str = "activity") -> None:
    """k1 → k2 → k3, k4 forgotten, k5 merged into k1 (so that k5's link to k3 is k1's now)."""
    await store.apply(batch(configured(metabolism), *(born(i) for i in range(1, 6))))
    await store.apply(
        batch(PutLink(T1, 1, 2, "next", 0.5), PutLink(T1, 2, 3, "next", 0.7), PutLink(T1, 5, 3, "about", 0.9))
    )
    await store.apply(batch(Access(T1, (1, 2)), Forget(T2, 4, "k4")))
    await store.apply(batch(Merge(T2, 1, 5, "k5", says("k1", "both"), born(1).content)))


@dataclass(frozen=True)
class Everything:
    """All there is to see of a store."""

    snapshot: Snapshot
    journal: list[Entry]
    contents: dict[int, Content]
    seq: int


async def look(store: Store) -> Everything:
    contents = await store.contents(list(range(1, 10)))
    return Everything(await store.snapshot(), await store.journal(), contents, store.seq)


# ---- all or nothing

REFUSED: dict[str, tuple[Sequence[Change], type[EbbtideError]]] = {
    "a key that is taken": ([born(7, "k1")], KeyTaken),
    "a key taken within the batch": ([born(7, "new")], KeyTaken),
    "an id that lives": ([born(2, "fresh")], Conflict),
    "an id in the trash": ([born(4, "fresh")], Conflict),
    "an id given within the batch": ([born(6, "fresh")], Conflict),
    "new words for nobody": ([Rewrite(T3, 9, says("k9"))], UnknownMemory),
    "new words for a forgotten one": ([Rewrite(T3, 4, says("k4"))], UnknownMemory),
    "new words for one forgotten within the batch": (
        [Forget(T3, 2, "k2"), Rewrite(T3, 2, says("k2"))],
        UnknownMemory,
    ),
    "new words under another's key": ([Rewrite(T3, 2, says("k1"))], UnknownMemory),
    "forgetting nobody": ([Forget(T3, 9, "k9")], UnknownMemory),
    "forgetting under another's key": ([Forget(T3, 2, "k1")], UnknownMemory),
    "forgetting under no one's key": ([Forget(T3, 2, "k9")], UnknownMemory),
    "forgetting twice": ([Forget(T3, 2, "k2"), Forget(T3, 2, "k2")], UnknownMemory),
    "merging with itself": ([Merge(T3, 1, 1, "k1", says("k1"), says("k1"))], InvalidInput),
    "merging into nobody": ([Merge(T3, 9, 1, "k1", says("k9"), says("k9"))], UnknownMemory),
    "merging nobody": ([Merge(T3, 1, 9, "k9", says("k1"), says("k1"))], UnknownMemory),
    "merging under another's key": ([Merge(T3, 1, 2, "k3", says("k1"), says("k1"))], UnknownMemory),
    "merging into one by another's key": ([Merge(T3, 1, 2, "k2", says("k3"), says("k3"))], UnknownMemory),
    "linking nobody": ([PutLink(T3, 9, 1, "r", 0.5)], UnknownMemory),
    "linking to nobody": ([PutLink(T3, 1, 9, "r", 0.5)], UnknownMemory),
    "linking to a forgotten one": ([PutLink(T3, 1, 4, "r", 0.5)], UnknownMemory),
    "linking to itself": ([PutLink(T3, 1, 1, "r", 0.5)], InvalidInput),
    "unlinking what is not linked": ([Unlink(T3, 1, 3, "next")], UnknownLink),
    "unlinking twice": ([Unlink(T3, 1, 2, "next"), Unlink(T3, 1, 2, "next")], UnknownLink),
    "unlinking one who left within the batch": ([Forget(T3, 1, "k1"), Unlink(T3, 1, 2, "next")], UnknownLink),
    "unlinking what a merge within the batch moved": (
        [Merge(T3, 3, 2, "k2", says("k3"), born(3).content), Unlink(T3, 1, 2, "next")],
        UnknownLink,
    ),
    "unlinking what an un-merge within the batch takes back": (
        [Restore(T3, 5, "k5"), Unlink(T3, 1, 3, "about")],
        UnknownLink,
    ),
    "restoring the living": ([Restore(T3, 1, "k1")], NotInTrash),
    "restoring nobody": ([Restore(T3, 9, "k9")], NotInTrash),
    "restoring under a taken key": ([Restore(T3, 4, "k1")], KeyTaken),
    "restoring twice": ([Restore(T3, 4, "k4"), Restore(T3, 4, "k4")], NotInTrash),
    "restoring what the batch discards": ([Discard(T3, (4,)), Restore(T3, 4, "k4")], NotInTrash),
    "focus on nobody": ([Focus(T3, (1, 9))], UnknownMemory),
    "another metabolism": ([configured("score")], Conflict),
}


@pytest.mark.parametrize("why", REFUSED)
async def test_a_batch_that_does_not_fit_changes_nothing(store: Store, why: str) -> None:
    await furnish(store)
    before = await look(store)
    offending, error = REFUSED[why]
    good: list[Change] = [
        born(6, "new"),
        PutLink(T3, 6, 1, "new relation", 0.3),
        Access(T3, (1, 6)),
        Rewrite(T3, 3, says("k3")),
    ]
    with pytest.raises(error):
        await store.apply(batch(*good, *offending))
    assert await look(store) == before
    # and the store goes on as if nobody had asked
    receipt = await store.apply(batch(*good))
    assert receipt.seq == before.seq + 4


async def test_the_token_of_a_refused_batch_is_not_spent(store: Store) -> None:
    await furnish(store)
    with pytest.raises(KeyTaken):
        await store.apply(batch(born(6, "k1"), token="mine"))
    receipt = await store.apply(batch(born(6, "k6"), token="mine"))
    assert not receipt.repeated
    assert await store.find("k6") == 6


async def test_changes_in_a_batch_see_those_before_them(store: Store) -> None:
    await furnish(store)
    await store.apply(
        batch(
            born(6, "k6"),
            PutLink(T3, 6, 1, "r", 0.4),
            Rewrite(T3, 6, says("k6", "said anew")),
            Access(T3, (6, 6)),
            Unlink(T3, 6, 1, "r"),
            Forget(T3, 6, "k6"),
            born(7, "k6"),
            Restore(T3, 6, "k6 again"),
        )
    )
    assert await store.find("k6") == 7
    assert await store.find("k6 again") == 6
    assert (await store.contents([6]))[6] == says("k6 again", "said anew")
    signals = await store.signals([6])
    assert (signals.access_count[0], signals.out_degree[0], signals.length[0]) == (2, 0, len("said anew"))
    assert [entry.seq for entry in await store.journal()] == list(range(1, store.seq + 1))


async def test_a_regime_in_the_middle_of_a_batch_loses_nothing_around_it(store: Store) -> None:
    await furnish(store, "score")
    await store.apply(batch(born(6), PutLink(BIRTH, 6, 1, "brand new", 0.5), configured("score", initial=20), born(7)))
    assert set(await store.contents([6, 7])) == {6, 7}
    assert (await store.signals([6, 7])).base.tolist() == [50.0, 20.0]
    assert len(await store.journal()) == store.seq
    assert [link.relation for link in await store.links(6, outgoing=True)] == ["brand new"]


async def test_the_first_regime_does_not_wipe_out_what_was_put_before_it(store: Store) -> None:
    await store.apply(batch(born(1)))
    await store.apply(batch(configured("activity", theta_active=0.7)))
    assert len(await store.signals()) == 1
    with pytest.raises(Conflict):
        await store.apply(batch(configured("score")))


async def test_what_has_nothing_left_to_do_is_not_journaled(store: Store) -> None:
    await furnish(store)
    before = await look(store)
    receipt = await store.apply(batch(Access(T3, (4, 9)), Traverse(T3, (9,)), Discard(T3, (1, 9))))
    assert await look(store) == before
    assert receipt.seq == before.seq


async def test_uses_of_the_living_count_beside_those_of_the_gone(store: Store) -> None:
    await furnish(store)
    await store.apply(batch(Access(T3, (4, 2, 9))))
    assert (await store.journal())[-1].change == Access(T3, (2,))
    assert (await store.signals([2])).access_count[0] == 2


# ---- once


@pytest.mark.parametrize("change", [born(6), Access(T3, (1,)), Forget(T3, 2, "k2"), Restore(T3, 4, "k4")])
async def test_a_batch_applied_twice_is_applied_once(store: Store, change: Change) -> None:
    await furnish(store)
    first = await store.apply(batch(change, token="once"))
    before = await look(store)
    again = await store.apply(batch(change, token="once"))
    assert await look(store) == before
    assert (again.seq, again.repeated, first.repeated) == (first.seq, True, False)


async def test_a_token_names_one_batch_whatever_it_says_later(store: Store) -> None:
    await furnish(store)
    first = await store.apply(batch(born(6), born(7), token="once"))
    before = await look(store)
    again = await store.apply(batch(Forget(T3, 1, "k1"), token="once"))
    assert (await look(store), again.seq) == (before, first.seq)


async def test_a_batch_applied_again_after_reopening_does_nothing(shelf: Shelf) -> None:
    await furnish(shelf.store)
    first = await shelf.store.apply(batch(born(6), born(7), Access(T3, (6,)), token="once"))
    await shelf.store.apply(batch(born(8)))
    before = await look(shelf.store)
    store = await shelf.reopen()
    again = await store.apply(batch(born(6), born(7), Access(T3, (6,)), token="once"))
    assert (again.repeated, again.seq) == (True, first.seq)
    assert await look(store) == before


async def test_repeating_a_batch_at_the_same_time_applies_it_once(store: Store) -> None:
    await furnish(store)
    receipts = await asyncio.gather(*(store.apply(batch(born(6), token="once")) for _ in range(5)))
    assert [receipt.repeated for receipt in receipts] == [False, True, True, True, True]
    assert len({receipt.seq for receipt in receipts}) == 1


# ---- ids


async def test_reserved_ids_are_nobody_elses(store: Store) -> None:
    await furnish(store)
    first, second = await store.reserve(3), await store.reserve(1)
    assert (first, second) == (6, 9)
    await store.apply(batch(born(9)))
    await store.apply(batch(born(6)))
    assert await store.reserve(1) == 10


async def test_an_id_is_never_used_again_after_its_memory_is_gone(store: Store) -> None:
    await furnish(store)
    last = await store.reserve(1)
    await store.apply(batch(born(last, "last"), Forget(T3, last, "last"), Discard(T3, (last,))))
    assert await store.reserve(1) == last + 1


async def test_an_id_is_never_used_again_after_reopening(shelf: Shelf) -> None:
    await furnish(shelf.store)
    fates: tuple[tuple[Change, ...], ...] = ((), (Forget(T3, 7, "k7"),), (Forget(T3, 8, "k8"), Discard(T3, (8,))))
    for memory, fate in enumerate(fates, 6):
        await shelf.store.apply(batch(born(memory), *fate))
        store = await shelf.reopen()
        assert await store.reserve(1) == memory + 1


# ---- ticks


def found(seen: int, *ids: int, scores: tuple[int, ...] | None = None) -> WriteDown:
    return WriteDown(T3, seen, ids, (1,) * len(ids), (1,) * len(ids), scores)


async def test_a_tick_leaves_what_has_moved_on_and_says_so(store: Store) -> None:
    await furnish(store)
    seen = store.seq
    await store.apply(batch(Access(T3, (2,)), Forget(T3, 3, "k3")))
    receipt = await store.apply(batch(found(seen, 1, 2, 3)))
    assert receipt.stale == (2, 3)
    assert (await store.signals([1, 2])).state.tolist() == [1, 0]
    assert (await store.signals([1, 2])).marks.tolist() == [1, 0]
    assert (await store.journal())[-1].change == found(seen, 1)


async def test_a_tick_with_nothing_fresh_writes_nothing(store: Store) -> None:
    await furnish(store)
    seen = store.seq
    await store.apply(batch(Traverse(T3, (2,))))
    before = await look(store)
    receipt = await store.apply(batch(found(seen, 2)))
    assert (receipt.stale, await look(store)) == ((2,), before)


async def test_findings_of_a_tick_cannot_follow_what_might_outdate_them(store: Store) -> None:
    await furnish(store)
    before = await look(store)
    with pytest.raises(InvalidInput):
        await store.apply(batch(Access(T3, (1,)), found(store.seq, 1, 2)))
    assert await look(store) == before
    await store.apply(batch(found(store.seq, 1), found(store.seq, 2), Access(T3, (1,))))
    assert (await store.signals([1, 2])).state.tolist() == [1, 1]


async def test_what_a_tick_wrote_is_no_event_to_the_next(store: Store) -> None:
    await furnish(store)
    seen = store.seq
    await store.apply(batch(found(seen, 1, 2)))
    assert (await store.apply(batch(found(seen, 1, 2)))).stale == ()


async def test_scores_are_written_where_there_are_scores(store: Store) -> None:
    await furnish(store, "score")
    await store.apply(batch(found(store.seq, 1, 2, scores=(7, 99))))
    await store.apply(batch(found(store.seq, 2)))
    assert (await store.signals([1, 2])).score.tolist() == [7, 99]
    assert await store.page(Where(score=(99, 99))) == [2]


# ---- lazy batches


async def test_lazy_batches_are_visible_at_once(store: Store) -> None:
    await furnish(store)
    await store.apply(batch(Access(T3, (1,)), token="lazy"), lazy=True)
    assert (await store.signals([1])).access_count[0] == 2
    assert (await store.journal())[-1].change == Access(T3, (1,))
    assert (await store.apply(batch(Access(T3, (1,)), token="lazy"))).repeated


async def test_lazy_batches_are_on_disk_after_closing(shelf: Shelf) -> None:
    await furnish(shelf.store)
    await shelf.store.apply(batch(Access(T3, (1, 1)), Traverse(T3, (2,))), lazy=True)
    await shelf.store.apply(batch(Scan(T3, ((3, 3),))), lazy=True)
    before = await look(shelf.store)
    assert await look(await shelf.reopen()) == before


async def test_lazy_and_other_batches_keep_their_order(store: Store) -> None:
    await furnish(store)
    changes: list[Change] = [Access(T3, (1,)), born(6), Traverse(T3, (6,)), Forget(T3, 6, "k6"), Access(T3, (2,))]
    start = store.seq
    await asyncio.gather(*(store.apply(batch(c), lazy=isinstance(c, Access | Traverse)) for c in changes))
    assert [entry.change for entry in await store.journal(after=start)] == changes


# ---- many at once


async def test_whoever_comes_at_the_same_time_is_served_whole_and_in_order(store: Store) -> None:
    await store.apply(batch(configured("activity")))
    receipts = await asyncio.gather(*(store.apply(batch(born(i), born(1000 + i))) for i in range(1, 101)))
    assert [receipt.seq for receipt in receipts] == [1 + 2 * i for i in range(1, 101)]
    assert len(await store.contents([i for n in range(1, 101) for i in (n, 1000 + n)])) == 200


async def test_a_refusal_among_many_harms_only_itself(store: Store) -> None:
    await store.apply(batch(configured("activity")))
    tried = [store.apply(batch(born(i, f"k{i % 7}"))) for i in range(1, 15)]
    results = await asyncio.gather(*tried, return_exceptions=True)
    assert [isinstance(result, KeyTaken) for result in results] == [False] * 7 + [True] * 7
    assert (await store.info()).memories == 7


async def test_a_large_batch_is_as_whole_as_a_small_one(store: Store) -> None:
    await store.apply(batch(configured("retention")))
    many = [born(i, at=BIRTH + i) for i in range(1, 501)]
    with pytest.raises(KeyTaken):
        await store.apply(batch(*many, born(501, "k1")))
    assert (await store.info()).memories == 0
    await store.apply(batch(*many, PutLink(T1, 1, 500, "r", 0.1)))
    assert (await store.signals()).created_at.tolist() == [BIRTH + i for i in range(1, 501)]


# ---- the end


async def test_closing_twice_is_closing_once(store: Store) -> None:
    await furnish(store)
    await store.close()
    await store.close()


async def test_a_mind_closed_and_opened_is_the_same_mind(shelf: Shelf) -> None:
    await furnish(shelf.store, "retention")
    await shelf.store.apply(batch(found(shelf.store.seq, 3), Focus(T3, (2,)), Scan(T3, ((1, 1), (3, 9)))))
    before = await look(shelf.store)
    assert await look(await shelf.reopen()) == before


USES: dict[str, Callable[[Store], Awaitable[Any]]] = {
    "apply": lambda store: store.apply(batch(born(6))),
    "apply lazily": lambda store: store.apply(batch(Access(T3, (1,))), lazy=True),
    "reserve": lambda store: store.reserve(1),
    "find": lambda store: store.find("k1"),
    "contents": lambda store: store.contents([1]),
    "signals": lambda store: store.signals(),
    "links": lambda store: store.links(1, outgoing=True),
    "page": lambda store: store.page(Where(states=(State.ACTIVE,))),
    "trash": lambda store: store.trash(),
    "journal": lambda store: store.journal(),
    "base": lambda store: store.base(),
    "snapshot": lambda store: store.snapshot(),
    "info": lambda store: store.info(),
}


@pytest.mark.parametrize("use", USES)
async def test_a_closed_store_says_that_it_is_closed(store: Store, use: str) -> None:
    await furnish(store)
    await store.close()
    with pytest.raises(StoreClosed):
        await USES[use](store)


async def test_a_closed_store_cannot_be_compacted(store: Store) -> None:
    await furnish(store)
    base = await store.snapshot()
    await store.close()
    with pytest.raises(StoreClosed):
        await store.compact(base)
