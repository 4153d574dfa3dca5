"""What every store promises about time: lazy batches, many at once, the end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from ebbtide.core.changes import (
    Access,
    Change,
    Focus,
    Forget,
    PutLink,
    Scan,
    Traverse,
)
from ebbtide.core.errors import (
    KeyTaken,
    StoreClosed,
)
from ebbtide.core.memory import State
from ebbtide.core.ports import Store, Where
from tests.builders import BIRTH
from tests.helpers import batch, born, configured
from tests.stores.conftest import Shelf
from tests.stores.furnished import T1, T3, found, furnish, look

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
    await furnish(shelf.store, "network")
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
