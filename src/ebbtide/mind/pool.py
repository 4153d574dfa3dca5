"""The fixed node pool: a mind that never holds more than n memories, whatever comes.   SPEC N8.

A new memory takes the place of the least important of a random sample, never of a focus point or of one that is
pinned. Who was chosen is journaled as a forgetting, so a replay needs no luck.
"""

import random
from collections.abc import Sequence

import numpy as np

from ebbtide.core.changes import Change, Focus, Forget
from ebbtide.core.cycle import least_important
from ebbtide.core.errors import Conflict
from ebbtide.core.metabolism import Metabolism, Network, networked
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column

EVICTED = "evicted"
SAMPLE = 16  # how many are looked at before one is given up


def pool_size(store: Store) -> int:
    """0: no limit."""
    network = networked(store.regime.metabolism)
    return 0 if network is None else network.node_pool


def focus_limit(network: Network) -> int:
    """A pool must have room for the segment beside the focus points, which it never gives up."""
    return min(network.focus_limit, network.node_pool - 1) if network.node_pool else network.focus_limit


async def shrunk(store: Store, new: Metabolism, now: float) -> list[Change]:
    """What new limits ask for at once: the focus lets its stalest points go, the pool its least important memories."""
    network = networked(new)
    if network is None:
        return []
    focus = await store.focus()
    kept = focus[max(0, len(focus) - focus_limit(network)) :]
    while True:
        room = await Room.of(store, now, random.Random(), network.node_pool)
        room.protect(kept)
        gone = await room.shrink(network.node_pool) if network.node_pool else []
        if await room.undisturbed():
            return [*([Focus(now, kept)] if kept != focus else []), *gone]


class Room:
    """Who is in the mind while a batch is being put together, and who makes room in a full pool.   SPEC N8."""

    def __init__(self, store: Store, now: float, chance: random.Random, living: Column, limit: int) -> None:
        self._store = store
        self._now = now
        self._chance = chance
        self._limit = limit
        self._before = living
        self._alive: set[int] = set(living.tolist()) if limit else set()
        self._new: dict[int, str] = {}
        self._protected: set[int] = set()
        self._kept: set[int] = set()
        self._pinned: set[int] = set()
        self._given_up: list[int] = []

    @classmethod
    async def of(cls, store: Store, now: float, chance: random.Random, limit: int | None = None) -> "Room":
        room = cls(store, now, chance, await store.living(), pool_size(store) if limit is None else limit)
        room.protect(await store.focus())
        if room._limit:
            s = await store.signals()
            room._pinned = set(s.id[s.pinned != 0].tolist())
        return room

    async def undisturbed(self) -> bool:
        """Nobody has come or gone since it was looked at, so what was decided fits if it is applied at once."""
        if not self._limit:
            return True
        if not np.array_equal(self._before, await self._store.living()):
            return False
        return not (await self._store.signals(self._given_up)).pinned.any()  # pinned meanwhile: choose again

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
        gone = await self.shrink(self._limit - 1)
        self._alive.add(memory)
        self._new[memory] = key
        return gone

    async def shrink(self, size: int) -> list[Forget]:
        """The forgetting of those who have to leave so that no more than so many are left."""
        gone = []
        while len(self._alive) > size:
            victim = await self._victim()
            self._alive.discard(victim)
            self._given_up += [] if victim in self._new else [victim]
            gone.append(Forget(self._now, victim, await self._key(victim), EVICTED))
        return gone

    async def _victim(self) -> int:
        """The least important of a random sample; of those new in this batch, yet without links, the eldest."""
        free = self._alive - self._pinned - self._protected - self._kept or self._alive - self._pinned - self._kept
        if not free:
            raise Conflict(
                problem=f"{len(self._alive & self._pinned)} memories are pinned and the node pool has room for"
                f" {self._limit}: unpin some, or raise node_pool"
            )
        old = sorted(free - self._new.keys())
        if not old:
            return min(free)
        sample = self._chance.sample(old, min(SAMPLE, len(old)))
        signals = await self._store.signals(sample)
        network = networked(self._store.regime.metabolism)
        assert network is not None
        return sample[least_important(network, signals)]

    async def _key(self, memory: int) -> str:
        """Reading it may take a moment, in which others go on: `undisturbed` tells."""
        if memory in self._new:
            return self._new[memory]
        said = (await self._store.contents([memory])).get(memory)
        return said.key if said else ""
