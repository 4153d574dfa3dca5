"""What every store promises about writing: whole batches, in order, once, and for good."""

import asyncio
from collections.abc import Sequence

import pytest

from ebbtide.core.changes import (
    Access,
    Change,
    Discard,
    Focus,
    Forget,
    Merge,
    PutLink,
    Recover,
    Restore,
    Rewrite,
    Sweep,
    Traverse,
    Unlink,
)
from ebbtide.core.errors import (
    Conflict,
    EbbtideError,
    InvalidInput,
    KeyTaken,
    NotInTrash,
    UnknownLink,
    UnknownMemory,
)
from ebbtide.core.ports import Store, Where
from tests.builders import BIRTH
from tests.helpers import batch, born, configured
from tests.stores.conftest import Shelf
from tests.stores.furnished import T3, found, furnish, look, says

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
    "unlinking what a sweep may have taken": ([Sweep(T3), Unlink(T3, 1, 2, "next")], UnknownLink),
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
    "focus in a mind that has none": ([Focus(T3, (1,))], Conflict),
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


async def test_nobody_can_be_in_focus_who_is_not_there(store: Store) -> None:
    await furnish(store, "network")
    before = await look(store)
    with pytest.raises(UnknownMemory):
        await store.apply(batch(Focus(T3, (1,)), Focus(T3, (1, 9))))
    assert await look(store) == before


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


async def test_who_came_back_from_an_archive_has_its_whole_life_in_the_journal(store: Store) -> None:
    await furnish(store)
    ((said, gone),) = await store.trash(key="k4")
    await store.apply(batch(Discard(T3, (4,))))
    await store.apply(batch(Recover(T3, 4, said, gone.row)))
    kinds = [type(entry.change).__name__ for entry in await store.journal(memory=4)]
    assert kinds == ["PutMemory", "Forget", "Discard", "Recover"]
