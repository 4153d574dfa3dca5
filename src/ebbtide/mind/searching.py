"""The verbs of finding memories and of using what was found."""

import asyncio
import logging
import time
from collections.abc import Sequence

from ebbtide.core.changes import Access, Batch
from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import State
from ebbtide.core.ports import IndexInfo
from ebbtide.mind import touching
from ebbtide.mind.face import Face
from ebbtide.mind.indexing import PATIENCE
from ebbtide.mind.search import Asked, Found, Search, checked, stated
from ebbtide.mind.tokens import new_token
from ebbtide.mind.touching import Touched
from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")


class Searching(Face):
    _read_only: bool
    _cascades: set[asyncio.Task[None]]

    async def search(
        self,
        text: str,
        k: int = 10,
        *,
        state: State | str | Sequence[State | str] | None = None,
        kind: str | None = None,
        domain: str | None = None,
        keywords: Sequence[str] = (),
        since: float | None = None,
        until: float | None = None,
        at_least: float = 0.0,
        vitality: bool = True,
        explain: bool = False,
        patience: float = PATIENCE,
        everything: bool = False,
    ) -> Found:
        """The k memories that answer best, by words and meaning, and by how alive they are.

        What the metabolism hides appears with `everything`, or when its `state` is asked for; otherwise `left_out`
        tells how many of the k most similar memories are hidden, the best of them, and the way to them. `weak` says
        that no hit is a good match. `since` and `until` bound when a memory was made, `at_least` its similarity;
        `vitality` False ranks by similarity alone. With `explain` each hit tells every component of its rank, and what
        would have matched but is hidden or in the trash is told with the reason. `patience`: seconds to wait for
        vectors of what is new.

        >>> [hit.memory.key for hit in (await mind.search("when does the ferry leave?", k=1)).hits]
        ['ferry']
        """
        started = time.perf_counter()
        words = (keywords,) if isinstance(keywords, str) else tuple(keywords)
        asked = Asked(
            text, k, stated(state), kind, domain, words, since, until, at_least, vitality, explain, patience, everything
        )
        found = await Search(
            self._store, self._indexing, checked(asked, self._store.regime.metabolism.states), self.now()
        ).run()
        if self._store.regime.common.count_hits and found.hits and not self._read_only:
            ids = tuple(hit.memory.id for hit in found.hits)
            await self._store.apply(Batch((Access(self.now(), ids),), new_token()), lazy=True)
        self._tools.on_search(time.perf_counter() - started)
        return found

    async def touch(self, *keys: str, revive: bool = False) -> Touched:
        """Confirm that these were used. Of one memory that counts at most once in `touch_spacing`.

        In a retention mind it makes a memory stronger, and what it is SUPPORTED_BY is touched a moment later. One that
        has expired is an error, unless `revive`.

        >>> await mind.touch("ferry")
        Touched(counted=('ferry',), throttled=())
        """
        self._require_writable()
        touched, counted = await touching.touch(self._store, keys, self.now(), revive=revive)
        if counted and self._store.regime.metabolism.traits.reaps:
            task = asyncio.get_running_loop().create_task(self._cascade(counted))
            self._cascades.add(task)
            task.add_done_callback(self._cascades.discard)
        return touched

    async def settled(self) -> None:
        """Until everything that earlier touches set off has happened.

        >>> await mind.settled()
        """
        while self._cascades:
            await asyncio.wait(list(self._cascades))

    async def indexed(self) -> IndexInfo | None:
        """What can be found so far, and what waits; None where nobody has searched yet.

        >>> await mind.search("ferry") and (await mind.indexed()).memories
        2
        """
        return await self._store.index_info() if self._indexing.opened else None

    async def reembed(self, progress: Progress | None = None) -> IndexInfo:
        """Read and embed what is not yet, or was by another embedder. May be left and taken up again at any time.

        >>> (await mind.reembed()).unembedded
        0
        """
        return await self._indexing.catch_up(None, progress)

    async def _cascade(self, touched: Sequence[int]) -> None:
        try:
            await touching.cascade(self._store, touched, self.now())
        except EbbtideError as error:  # the touch itself has counted; its evidence is protected anyway
            log.warning("the evidence was not touched: %s", error)
