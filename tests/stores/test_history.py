"""The journal of one memory begins with its put, wherever the memory is by now."""

from ebbtide.core.changes import Discard, Forget, Restore, Rewrite
from ebbtide.core.memory import Content
from ebbtide.core.ports import Store
from tests.builders import BIRTH
from tests.helpers import batch, born


async def history(store: Store, memory: int, after: int = 0) -> list[tuple[int, str]]:
    return [(entry.seq, type(entry.change).__name__) for entry in await store.journal(memory=memory, after=after)]


async def test_the_put_is_found_alive_forgotten_restored_and_gone_for_good(store: Store) -> None:
    await store.apply(batch(born(1), born(2)))
    await store.apply(batch(Rewrite(BIRTH, 2, Content("k2", "another text"))))
    told = [(2, "PutMemory"), (3, "Rewrite")]
    assert await history(store, 2) == told
    await store.apply(batch(Forget(BIRTH, 2, "k2")))
    told.append((4, "Forget"))
    assert await history(store, 2) == told
    await store.apply(batch(Restore(BIRTH, 2, "k2")))
    told.append((5, "Restore"))
    assert await history(store, 2) == told
    await store.apply(batch(Forget(BIRTH, 2, "k2"), Discard(BIRTH, (2,))))
    told += [(6, "Forget"), (7, "Discard")]
    assert await history(store, 2) == told
    assert await history(store, 2, after=3) == told[2:]
    assert await history(store, 1) == [(1, "PutMemory")]
