"""The verbs of forgetting, and of every way back from it."""

from collections.abc import Sequence

from ebbtide.core.memory import Memory
from ebbtide.mind import forgetting
from ebbtide.mind.face import Face
from ebbtide.mind.forgetting import Forgotten


class Undoing(Face):
    async def forget(self, *keys: str) -> None:
        """Into the trash, all of them or none; `restore` brings them back until their time there is over.

        >>> await mind.forget("ferry", "lin")
        """
        await self._apply(*[await forgetting.forget(self._store, key, self.now()) for key in dict.fromkeys(keys)])
        self._indexing.nudge()

    async def restore(
        self,
        key: str,
        *,
        new_key: str | None = None,
        id: int | None = None,  # noqa: A002 — as the trash calls it
    ) -> Memory:
        """Back from the trash as it was. What a merge took away is un-merged.

        `id`: of several that were forgotten under this key, which; left out, the last.

        >>> await mind.forget("ferry")
        >>> (await mind.restore("ferry")).text
        'The ferry to Lamma leaves at 8:40.'
        """
        back_as = key if new_key is None else new_key
        memory, changes = await forgetting.restore(self._store, key, back_as, self.now(), id)
        await self._apply(*changes)
        self._indexing.nudge()
        return await self._see(memory, back_as)

    async def revert(self, key: str) -> Memory:
        """Let a memory say again what it said before its text was replaced or shortened.

        >>> _ = await mind.put("The ferry leaves at 9:10.", key="ferry", replace=True)
        >>> (await mind.revert("ferry")).text
        'The ferry to Lamma leaves at 8:40.'
        """
        memory = await self._id(key)
        await self._apply(await forgetting.revert(self._store, memory, key, self.now()))
        self._indexing.nudge()
        return await self._see(memory, key)

    async def merge(self, into: str, other: str, *, text: str | None = None) -> Memory:
        """Make one memory of two. `other` waits in the trash; `restore` of it undoes the merge.

        >>> (await mind.merge("lin", "ferry", text="Lin takes the ferry at 8:40.")).text
        'Lin takes the ferry at 8:40.'
        """
        kept = await self._id(into)
        await self._apply(await forgetting.merge(self._store, kept, await self._id(other), text, self.now()))
        self._indexing.nudge()
        return await self._see(kept, into)

    async def trash(self) -> Sequence[Forgotten]:
        """What can still be restored, last forgotten first.

        >>> await mind.forget("ferry")
        >>> [forgotten.key for forgotten in await mind.trash()]
        ['ferry']
        """
        return await forgetting.in_trash(self._store, self.now())
