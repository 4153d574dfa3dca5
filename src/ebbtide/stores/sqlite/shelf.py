"""The search index of the embedded store: in RAM while the mind is open and somebody searches, its rows in the file.

Read from the file by a thread, at the first search; what happens to the mind meanwhile is noted and told afterwards.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from ebbtide.core.errors import StoreClosed
from ebbtide.core.index import IndexRow, Recipe, SearchIndex
from ebbtide.core.ledger import Run
from ebbtide.core.signals import Column
from ebbtide.core.terms import Terms
from ebbtide.stores.sqlite.connection import connect, named_errors
from ebbtide.stores.sqlite.queries import sql
from ebbtide.stores.sqlite.writer import Statement

_HALF = np.dtype("<f2")
_CHUNK = 5000  # rows in hand while reading


class Shelf:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._index: SearchIndex | None = None
        self._meanwhile: list[Run] | None = None
        self._door = asyncio.Lock()

    @property
    def index(self) -> SearchIndex:
        if self._index is None:
            raise StoreClosed
        return self._index

    def note(self, run: Run) -> None:
        if self._meanwhile is not None:
            self._meanwhile.append(run)
        if self._index is not None:
            self._index.note(run.changes, run.seq)

    def throw_away(self) -> None:
        """The mind is read again from disk, and so is this."""
        self._index = None

    async def open(
        self, recipe: Recipe, settled: Callable[[], Awaitable[None]], living: Callable[[], Awaitable[Column]]
    ) -> None:
        """Ready for searches by this recipe. `settled` returns when what has happened so far can be read."""
        async with self._door:
            if self._index is not None and self._index.recipe == recipe:
                return
            self._meanwhile = []
            try:
                await settled()
                index = await asyncio.to_thread(_read, self._path, recipe)
                index.keep_only(await living())
                for run in self._meanwhile:
                    index.note(run.changes, run.seq)
                index.expect((await living()).tolist())
                self._index = index
            finally:
                self._meanwhile = None

    def put(self, rows: Sequence[IndexRow]) -> list[Statement]:
        """Take rows in; returns how the file is told of them."""
        recipe = self.index.recipe
        made_by = (recipe.analysis, recipe.space)
        taken = self.index.put(rows)
        read = [(row.id, row.terms.pack(), _packed(row.vector), *made_by) for row in taken if row.terms is not None]
        embedded = [(row.id, _packed(row.vector), *made_by) for row in taken if row.terms is None]
        statements = [Statement(sql("put_recipe"), [made_by])] if taken else []
        statements += [Statement(sql("put_indexed"), list(read))] if read else []
        return [*statements, Statement(sql("put_vector"), list(embedded))] if embedded else statements


def _packed(vector: Column | None) -> bytes | None:
    return None if vector is None else vector.astype(_HALF).tobytes()


def _read(path: Path, recipe: Recipe) -> SearchIndex:
    """What the file has by this recipe. A row that cannot be read is left out, and so made again."""
    index = SearchIndex(recipe)
    with named_errors(path), closing(connect(path, "normal")) as connection:
        cursor = connection.execute(sql("read_indexed"), (recipe.analysis, recipe.space))
        while rows := cursor.fetchmany(_CHUNK):
            index.load(list(_unpacked(rows, recipe.dimensions)))
    return index


def _unpacked(rows: Iterable[tuple[int, bytes, bytes | None]], dimensions: int) -> Iterable[IndexRow]:
    for memory, packed, half in rows:
        try:
            terms = Terms.unpack(packed)
        except ValueError:
            continue
        fits = half is not None and len(half) == dimensions * _HALF.itemsize
        vector = np.frombuffer(half, _HALF).astype(np.float32) if fits and half is not None else None
        yield IndexRow(memory, 0, terms, vector)
