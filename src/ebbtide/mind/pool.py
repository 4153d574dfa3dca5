"""The fixed node pool: a mind that never holds more than n memories, whatever comes.   SPEC N8.

A new memory takes the place of the least important of a random sample, never of a focus point. Who was chosen is
journaled as a forgetting, so a replay needs no luck.
"""

import random
from collections.abc import Sequence

import numpy as np

from ebbtide.core.changes import Forget
from ebbtide.core.cycle import least_important
from ebbtide.core.metabolism import Network
from ebbtide.core.ports import Store

EVICTED = "evicted"
SAMPLE = 16  # how many are looked at before one is given up


def pool_size(store: Store) -> int:
    """0: no limit."""
    metabolism = store.regime.metabolism
    return metabolism.node_pool if isinstance(metabolism, Network) else 0


class Room:
    """Who is in the mind while a batch is being put together, and who makes room in a full pool.   SPEC N8."""

    def __init__(self, store: Store, now: float, chance: random.Random, alive: set[int]) -> None:
        self._store = store
        self._now = now
        self._chance = chance
        self._limit = pool_size(store)
        self._alive = alive
        self._new: dict[int, str] = {}
        self._protected: set[int] = set()
        self._kept: set[int] = set()

    @classmethod
    async def of(cls, store: Store, now: float, chance: random.Random) -> "Room":
        room = cls(store, now, chance, set((await store.living()).tolist()) if pool_size(store) else set())
        room.protect(await store.focus())
        return room

    def holds(self, memory: int) -> bool:
        return not self._limit or memory in self._alive

    def protect(self, focus: Sequence[int]) -> None:
        self._protected = set(focus)
        self._kept = set()

    def keep(self, memory: int) -> None:
        """About to be a focus point: not to be given up meanwhile."""
        self._kept.add(memory)

    async def make(self, memory: int, key: str) -> list[Forget]:
        """Lets a new memory in; returns the forgetting of those who have to leave for it."""
        if not self._limit:
            return []
        gone = []
        while len(self._alive) >= self._limit:
            victim = await self._victim()
            self._alive.discard(victim)
            gone.append(Forget(self._now, victim, await self._key(victim), EVICTED))
        self._alive.add(memory)
        self._new[memory] = key
        return gone

    async def _victim(self) -> int:
        """The least important of a random sample; of those new in this batch, yet without links, the eldest."""
        free = self._alive - self._protected - self._kept or self._alive - self._kept
        old = sorted(free - self._new.keys())
        if not old:
            return min(free)
        sample = self._chance.sample(old, min(SAMPLE, len(old)))
        signals = await self._store.signals(sample)
        metabolism = self._store.regime.metabolism
        assert isinstance(metabolism, Network)
        return least_important(metabolism, signals, np.arange(len(sample)))

    async def _key(self, memory: int) -> str:
        return self._new.get(memory) or (await self._store.contents([memory]))[memory].key
