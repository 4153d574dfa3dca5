"""A replay may take long: meanwhile others have their turn, and whoever waits for it may give up."""

import asyncio

import pytest

from ebbtide.mind import Mind
from tests.helpers import mind_in_ram

ENTRIES = 2000


async def long_lived() -> Mind:
    mind = await mind_in_ram("score")
    await mind.put_many({"text": f"number {number}", "key": f"k{number}"} for number in range(ENTRIES))
    return mind


async def test_others_have_their_turn_while_a_mind_is_replayed() -> None:
    mind = await long_lived()
    replay = asyncio.create_task(mind.rehearsal())
    turns = 0
    while not replay.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns >= ENTRIES / 256
    assert (await replay.result().stats()).store.memories == ENTRIES


async def test_a_replay_that_nobody_waits_for_any_longer_ends() -> None:
    mind = await long_lived()
    begun, told = asyncio.Event(), []

    def tell(done: int, total: int) -> None:
        begun.set()
        told.append(done)

    replay = asyncio.create_task(mind.replay(params={"initial": 80.0}, progress=tell))
    await begun.wait()
    replay.cancel()
    with pytest.raises(asyncio.CancelledError):
        await replay
    assert told[-1] < ENTRIES
