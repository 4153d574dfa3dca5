"""The verbs of pinning: what is pinned the engine never hides, shortens or takes away.   SPEC C12.

What a pin means to a metabolism stands in `core/metabolism/pinning.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ebbtide.core.changes import Pin
from ebbtide.core.errors import UnknownMemory
from ebbtide.mind.face import Face


@dataclass(frozen=True, slots=True)
class Pinned:
    """The keys a call has pinned or unpinned, and those that were so already."""

    changed: tuple[str, ...]
    already: tuple[str, ...]


class Pinning(Face):
    async def pin(self, *keys: str) -> Pinned:
        """Protect memories: never hidden, expired, compressed, evicted, reaped or suggested for deletion.

        All of them or, if a key is unknown, none; in whatever state they are: one that had expired is visible again at
        once. It changes no score. Its owner may still forget, merge and replace it.

        >>> await mind.pin("ferry", "lin")
        Pinned(changed=('ferry', 'lin'), already=())
        """
        return await self._pin(keys, True)

    async def unpin(self, *keys: str) -> Pinned:
        """Take the protection away, from all of them or, if a key is unknown, from none: they are judged as any other.

        One that had expired long before counts as expired from now on, so the reaper leaves it `reap_buffer` more.

        >>> await mind.unpin("ferry")
        Pinned(changed=(), already=('ferry',))
        """
        return await self._pin(keys, False)

    async def _pin(self, keys: Sequence[str], pinned: bool) -> Pinned:
        self._require_writable()
        names = {await self._id(key): key for key in dict.fromkeys(keys)}
        if not names:
            return Pinned((), ())
        try:
            receipt = await self._apply(Pin(self.now(), tuple(names), pinned))
        except UnknownMemory:  # it has left since it was looked up: say which
            for key in names.values():
                await self._id(key)
            raise
        so_already = frozenset(receipt.stale)
        changed = tuple(key for memory, key in names.items() if memory not in so_already)
        return Pinned(changed, tuple(key for memory, key in names.items() if memory in so_already))
