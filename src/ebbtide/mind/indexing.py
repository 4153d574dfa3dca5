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
from ebbtide.core.index import IndexRow, Material, Recipe, Unread
from ebbtide.core.memory import Content
from ebbtide.core.ports import Analyzer, IndexInfo, Store
from ebbtide.core.signals import NEVER, Column
from ebbtide.core.sources import name_of
from ebbtide.core.terms import Terms
from ebbtide.mind.appraising import Appraiser
from ebbtide.mind.tools import Tools

if TYPE_CHECKING:
    from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

PATIENCE = 2.0  # seconds a search waits for vectors
_READ_AT_ONCE = 1000
_LISTED = 50_000  # memories that are looked up at once, to be read in portions
_READ_HERE = 20  # so few are read without a thread
_EMBED_AT_ONCE = 64
_SOON = 0.05  # seconds without a put after which the background begins,
_LATEST = 2.0  # but not later than this after the first one
_AGAIN = 60.0  # seconds after which an embedder that failed is asked again


class Indexing:
    """One mind's way from texts to what they are found by. Without an embedder, words are all there is."""

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._tools = tools
        self._recipe: Recipe | None = None  # by which the index was opened
        self._reading = asyncio.Lock()
        self._embedding = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._said_at = 0.0
        self._failing = False  # the embedder, when it was asked last
        self._closed = False
        self._appraiser: Appraiser | None = None  # told what was read and embedded, where a metabolism looks at that
        self._appraised = False

    def tell(self, appraiser: Appraiser) -> None:
        self._appraiser = appraiser

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
        return self._recipe is not None

    async def vectors(self, texts: Sequence[str]) -> Column | None:
        """The vectors of these, one a row, in one call; None if words alone have to do. Raises EmbedderFailed."""
        return None if self._embedder is None else await self._embed(texts)

    async def ready(self, patience: float = PATIENCE) -> IndexInfo:
        """Everything can be found by words; by meaning, what could be embedded within so many seconds.

        An embedder that has just failed is not waited for.
        """
        await self._open()
        await self._read()
        await self._appraise()
        info = await self._store.index_info()
        if info.unembedded and self._embeds and not self._failing:
            self._start()
            if self._background is not None:
                await asyncio.wait([self._background], timeout=max(patience, 0.0))
            info = await self._store.index_info()
        return info

    async def catch_up(self, ids: Column | None = None, progress: "Progress | None" = None) -> IndexInfo:
        """All of it (or all of these), however long it takes. Raises EmbedderFailed if there is no embedding them."""
        if (embedder := self._embedder) is not None and not embedder.dimensions:
            await self._embed(["?"])  # it tells how long its vectors are with its first answer
        await self._open()
        await self._read()
        if ids is None:
            await self._catch_up_all(progress)
        else:
            await self._catch_up_with(ids, progress)
        await self._look_again()
        return await self._store.index_info()

    async def material(self, most: int) -> Material | None:
        """The vectors that are there, of the youngest so many memories; makes none. None: no embedder, or none known.

        A mind in which nothing is searched stays so: its index is read, but nothing is read or embedded for it.
        """
        embedder = self._embedder
        if embedder is None or not embedder.dimensions or self._tools.analyzer() is None:
            return None
        if self._recipe is None:
            await self._store.open_index(Recipe(self.analyzer.name, _space(embedder), embedder.dimensions))
        living = await self._store.living()
        return await self._store.material(living[-most:]) if self._recipe is None or self._embeds else None

    def nudge(self) -> None:
        """Something new was said: if anybody searches here, it is read and embedded soon."""
        if self._recipe is None or self._closed:
            return
        loop = asyncio.get_running_loop()
        self._said_at = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(_SOON, self._when_quiet, self._said_at + _LATEST)

    def _when_quiet(self, latest: float) -> None:
        """Whoever puts and puts is not held up; but what was said first does not wait for ever."""
        loop = asyncio.get_running_loop()
        if loop.time() - self._said_at >= _SOON or loop.time() >= latest:
            self._start()
        else:
            self._timer = loop.call_later(_SOON, self._when_quiet, latest)

    async def close(self) -> None:
        """Leave it where it is; what is missing is made up for next time."""
        self._closed = True
        self._disarm()
        if self._background is not None:
            self._background.cancel()
            await asyncio.wait([self._background])

    async def terms(self, contents: Sequence[Content]) -> list[Terms]:
        """Of many, without holding others up."""
        if len(contents) <= _READ_HERE:
            return [self.analyzer.content(content) for content in contents]
        return await asyncio.to_thread(lambda: [self.analyzer.content(content) for content in contents])

    # ---- the recipe

    async def _open(self) -> None:
        """Before an embedder has told how long its vectors are, words are all there is."""
        embedder = self._embedder
        if embedder is None or not embedder.dimensions:
            recipe = Recipe(self.analyzer.name)
        else:
            recipe = Recipe(self.analyzer.name, _space(embedder), embedder.dimensions)
        await self._store.open_index(recipe)
        self._recipe = recipe

    @property
    def _embeds(self) -> bool:
        """Whether the embedder is the one the index was opened for."""
        embedder, recipe = self._embedder, self._recipe
        return embedder is not None and recipe is not None and recipe.space == _space(embedder)

    # ---- the background

    def _start(self) -> None:
        self._disarm()
        if not self._closed and (self._background is None or self._background.done()):
            self._background = asyncio.get_running_loop().create_task(self._go_on())

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _go_on(self) -> None:
        failed_before = self._failing
        try:
            while True:
                await self._read()
                if not await self._embed_some():
                    await self._look_again()
                    return
        except StoreClosed:
            return
        except EbbtideError as error:
            if not failed_before:  # said once, not every minute
                log.warning("memories wait to be embedded: %s", error)
            if not self._closed and self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(_AGAIN, self._start)

    # ---- how it is done

    async def _read(self) -> None:
        """All that was there when it began: one who puts faster than we read keeps nobody from searching."""
        async with self._reading:
            upto = self._store.seq
            while waiting := [one for one in await self._store.unread(_LISTED) if one.edition <= upto]:
                if self._appraiser is not None:  # which compares each with those before it
                    waiting.sort(key=lambda one: one.id)
                for start in range(0, len(waiting), _READ_AT_ONCE):
                    if not await self._read_these(waiting[start : start + _READ_AT_ONCE]):
                        return  # all have changed meanwhile: the next one to come reads them

    async def _appraise(self) -> None:
        """Once, what an earlier process has read and not appraised."""
        if self._appraiser is not None and not self._appraised:
            self._appraised = True
            await self._appraiser.catch_up(self.analyzer)

    async def _look_again(self) -> None:
        if self._appraiser is not None and self._embeds:
            await self._appraiser.look_again(self.analyzer)

    async def _read_these(self, waiting: Sequence[Unread]) -> int:
        contents = await self._store.contents([one.id for one in waiting])
        here = [one for one in waiting if one.id in contents]
        terms = await self.terms([contents[one.id] for one in here])
        rows = [IndexRow(one.id, one.edition, each) for one, each in zip(here, terms, strict=True)]
        taken = await self._store.index(rows)
        if self._appraiser is not None:
            read = {one.id: each for one, each in zip(here, terms, strict=True)}
            await self._appraiser.read(self.analyzer, contents, read)
        return taken

    async def _catch_up_all(self, progress: "Progress | None") -> None:
        total = (await self._store.index_info()).unembedded
        while await self._embed_some():
            if progress:
                left = (await self._store.index_info()).unembedded
                progress(max(total - left, 0), total)

    async def _catch_up_with(self, ids: Column, progress: "Progress | None") -> None:
        waiting = [one.id for one in await self._store.unembedded(len(ids), frozenset(ids.tolist()))]
        for start in range(0, len(waiting), _EMBED_AT_ONCE):
            await self._embed_some(frozenset(waiting[start : start + _EMBED_AT_ONCE]))
            if progress:
                progress(min(start + _EMBED_AT_ONCE, len(waiting)), len(waiting))

    async def _embed_some(self, among: frozenset[int] | None = None) -> int:
        """One batch. Returns how many need no vector any more."""
        await asyncio.sleep(0)  # others have their turn, however quick the embedder is
        async with self._embedding:
            if not self._embeds:
                return 0
            waiting = await self._store.unembedded(_EMBED_AT_ONCE, among)
            contents = await self._store.contents([one.id for one in waiting])
            here = [one for one in waiting if one.id in contents]
            pruned = await self._pruned(here)
            rows = [IndexRow(one.id, one.edition, None, None, bare=True) for one in here if one.id in pruned]
            rows += await self._embedded([one for one in here if one.id not in pruned], contents)
            taken = await self._store.index(rows)
            if self._appraiser is not None:
                await self._appraiser.compare(self.analyzer, [row.id for row in rows if row.vector is not None])
            return taken

    async def _embedded(self, waiting: Sequence[Unread], contents: dict[int, Content]) -> list[IndexRow]:
        if not waiting:
            return []
        vectors = await self._embed([_told(contents[one.id]) for one in waiting])
        if not self._embeds:
            return []  # another embedder by now: its vectors must never stand among those of the one before
        return [IndexRow(one.id, one.edition, None, vector) for one, vector in zip(waiting, vectors, strict=True)]

    async def _pruned(self, waiting: Sequence[Unread]) -> frozenset[int]:
        """What the reaper has pruned is to have no vector. All of these must be alive."""
        if not waiting:
            return frozenset()
        s = await self._store.signals([one.id for one in waiting])
        return frozenset(s.id[s.pruned_at > NEVER].tolist()) if len(s.pruned_at) else frozenset()

    async def _embed(self, texts: Sequence[str]) -> Column:
        """Whatever goes wrong in an embedder is an EmbedderFailed."""
        embedder = self._embedder
        assert embedder is not None
        try:
            vectors = checked(await embedder.embed(texts), len(texts), embedder.dimensions)
            if not embedder.dimensions:
                raise EmbedderFailed(detail="it has answered, and still does not say how many dimensions it has")
        except EmbedderFailed:
            self._failing = True
            raise
        except Exception as error:
            self._failing = True
            raise EmbedderFailed(detail=f"{type(error).__name__}: {error}") from error
        self._failing = False
        return vectors


def _told(content: Content) -> str:
    """What is embedded: the text, with the name of who said it. "I moved" says little without."""
    name = name_of(content.speaker)
    return f"{name}: {content.text}" if name else content.text


def _space(embedder: Embedder) -> str:
    """Vectors of two spaces are never compared."""
    return f"{embedder.name}/{embedder.dimensions}"
