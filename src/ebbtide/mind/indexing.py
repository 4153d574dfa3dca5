"""Behind the puts: what memories say is read for words and embedded, so that searches find them.

Words come first and are quick. Vectors take their time: a search waits for them a little while and then goes by what
is there; the rest goes on in the background, and where it was left when the mind is opened next.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ebbtide.core.embedding import Embedder, checked
from ebbtide.core.errors import EbbtideError, EmbedderFailed, InvalidInput, StoreClosed
from ebbtide.core.index import IndexRow, Recipe, Unread
from ebbtide.core.memory import Content
from ebbtide.core.ports import Analyzer, IndexInfo, Store
from ebbtide.core.signals import NEVER, Column
from ebbtide.core.terms import Terms
from ebbtide.mind.tools import Tools

if TYPE_CHECKING:
    from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

PATIENCE = 2.0  # seconds a search waits for vectors
_READ_AT_ONCE = 1000
_READ_HERE = 20  # so few are read without a thread
_EMBED_AT_ONCE = 64
_SOON = 0.05  # seconds after a put that the background begins, so that a burst of puts is not held up


class Indexing:
    """One mind's way from texts to what they are found by. Without an embedder, words are all there is."""

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._tools = tools
        self._opened = False
        self._reading = asyncio.Lock()
        self._embedding = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def analyzer(self) -> Analyzer:
        analyzer = self._tools.analyzer()
        if analyzer is None:
            raise InvalidInput(problem="this mind was opened without an analyzer of words: it cannot be searched")
        return analyzer

    @property
    def _embedder(self) -> Embedder | None:
        return self._tools.embedder()

    @property
    def has_embedder(self) -> bool:
        return self._embedder is not None

    @property
    def opened(self) -> bool:
        """Whether anybody has searched or compared here yet; until then there is no index to look at."""
        return self._opened

    async def ready(self, patience: float = PATIENCE) -> IndexInfo:
        """Everything can be found by words; by meaning, what could be embedded within so many seconds."""
        await self._open()
        await self._read()
        info = await self._store.index_info()
        if info.unembedded and self._embedder is not None:
            self._start(0.0)
            assert self._background is not None
            await asyncio.wait([self._background], timeout=patience)
            info = await self._store.index_info()
        return info

    async def vector(self, text: str) -> Column | None:
        """The query's vector, or None if words alone have to do."""
        if self._embedder is None:
            return None
        vector: Column = (await self._embed([text]))[0]
        return vector

    async def catch_up(self, ids: Column | None = None, progress: "Progress | None" = None) -> IndexInfo:
        """All of it (or all of these), however long it takes. Raises EmbedderFailed if there is no embedding them."""
        await self._open()
        await self._read()
        among = None if ids is None else frozenset(ids.tolist())
        total, done = len(await self._store.unembedded(1 << 62, among)), 0
        while some := await self._embed_some(among):
            done += some
            if progress:
                progress(min(done, total), total)
        return await self._store.index_info()

    def nudge(self) -> None:
        """Something new was said: if anybody searches here, it is read and embedded soon."""
        if self._opened and not self._closed:
            self._start(_SOON)

    async def close(self) -> None:
        """Leave it where it is; what is missing is made up for next time."""
        self._closed = True
        if self._background is not None:
            self._background.cancel()
            await asyncio.wait([self._background])

    # ---- how it is done

    async def _open(self) -> None:
        recipe = await self._recipe()
        await self._store.open_index(recipe)
        self._opened = True

    async def _recipe(self) -> Recipe:
        embedder = self._embedder
        if embedder is None:
            return Recipe(self.analyzer.name)
        if not embedder.dimensions:
            await embedder.embed(["?"])  # it tells how long its vectors are with its first answer
        return Recipe(self.analyzer.name, f"{embedder.name}/{embedder.dimensions}", embedder.dimensions)

    def _start(self, delay: float) -> None:
        if self._background is None or self._background.done():
            self._background = asyncio.get_running_loop().create_task(self._go_on(delay))

    async def _go_on(self, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            await self._read()
            more = True
            while more:
                more = await self._embed_some() > 0
        except StoreClosed:
            return
        except EbbtideError as error:  # the next search or put tries again
            log.warning("memories wait to be embedded: %s", error)

    async def _read(self) -> None:
        async with self._reading:
            while waiting := await self._store.unread(_READ_AT_ONCE):
                contents = await self._store.contents([one.id for one in waiting])
                here = [one for one in waiting if one.id in contents]
                terms = await self._terms([contents[one.id] for one in here])
                vectors = await self._few_vectors(here, contents)
                rows = zip(here, terms, vectors, strict=True)
                taken = await self._store.index([IndexRow(o.id, o.edition, t, v) for o, t, v in rows])
                if not taken and not here:
                    return

    async def _terms(self, contents: Sequence[Content]) -> list[Terms]:
        if len(contents) <= _READ_HERE:
            return [self.analyzer.content(content) for content in contents]
        return await asyncio.to_thread(lambda: [self.analyzer.content(content) for content in contents])

    async def _few_vectors(self, waiting: Sequence[Unread], contents: dict[int, Content]) -> list[Column | None]:
        """A few new memories are embedded on the way; many wait until all can be found by words."""
        nothing: list[Column | None] = [None] * len(waiting)
        if self._embedder is None or not 0 < len(waiting) <= _READ_HERE or await self._pruned(waiting):
            return nothing
        try:
            return list(await self._embed([contents[one.id].text for one in waiting]))
        except EmbedderFailed:  # words are enough for now; the background says so
            return nothing

    async def _embed_some(self, among: frozenset[int] | None = None) -> int:
        """One batch. Returns how many there were to embed."""
        if self._embedder is None:
            return 0
        async with self._embedding:
            waiting = await self._store.unembedded(_EMBED_AT_ONCE, among)
            contents = await self._store.contents([one.id for one in waiting])
            here = [one for one in waiting if one.id in contents]
            if not here:
                return 0
            pruned = await self._pruned(here)
            rows = [IndexRow(one.id, one.edition, None, None, bare=True) for one in here if one.id in pruned]
            texts = [one for one in here if one.id not in pruned]
            if texts:
                vectors = await self._embed([contents[one.id].text for one in texts])
                rows += [IndexRow(one.id, one.edition, None, v) for one, v in zip(texts, vectors, strict=True)]
            await self._store.index(rows)
            return len(waiting)

    async def _pruned(self, waiting: Sequence[Unread]) -> frozenset[int]:
        """What the reaper has pruned is to have no vector."""
        alive = frozenset((await self._store.living()).tolist())
        ids = [one.id for one in waiting if one.id in alive]
        s = await self._store.signals(ids)
        if not ids or not len(s.pruned_at):
            return frozenset()
        return frozenset(s.id[s.pruned_at > NEVER].tolist())

    async def _embed(self, texts: Sequence[str]) -> Column:
        embedder = self._embedder
        assert embedder is not None
        return checked(await embedder.embed(texts), len(texts), embedder.dimensions)
