"""The part of the embedded store that is about its search index: see `Store`, and `shelf.py` for where it is kept."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ebbtide.core import finding
from ebbtide.core.finding import Candidates, Query
from ebbtide.core.index import IndexRow, Material, Recipe, SearchIndex, Unread
from ebbtide.core.ledger import Ledger
from ebbtide.core.lexical import Frequencies
from ebbtide.core.ports import IndexInfo
from ebbtide.core.signals import Column
from ebbtide.stores.sqlite.shelf import Shelf


class Indexed(ABC):
    _shelf: Shelf

    @abstractmethod
    def _require_open(self) -> Ledger: ...

    async def open_index(self, recipe: Recipe) -> None:
        self._require_open()
        await self._shelf.open(recipe)

    async def unread(self, limit: int) -> list[Unread]:
        return (await self._index()).unread(limit)

    async def unembedded(self, limit: int, among: frozenset[int] | None = None) -> list[Unread]:
        return (await self._index()).unembedded(limit, among)

    async def index(self, rows: Sequence[IndexRow]) -> int:
        """On disk soon: what a crash takes of it is made again."""
        self._require_open()
        return await self._shelf.put(rows)

    async def match(self, query: Query) -> Candidates:
        index = await self._index()
        return finding.match(self._require_open().state, index, query)

    async def frequencies(self, codes: Column) -> Frequencies:
        return (await self._index()).frequencies(codes)

    async def alike(self, ids: Column, limit: int) -> list[tuple[int, int, float]]:
        return (await self._index()).alike(ids, limit)

    async def material(self, ids: Column) -> Material:
        return (await self._index()).material(ids)

    async def index_info(self) -> IndexInfo:
        return IndexInfo.of(await self._index())

    async def _index(self) -> SearchIndex:
        self._require_open()
        return await self._shelf.index()

    def _alive(self) -> tuple[Column, int]:
        state = self._require_open().state
        return state.living(), state.seq
