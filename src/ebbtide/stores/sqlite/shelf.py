"""The search index of the embedded store: in RAM while the mind is open and somebody searches, its rows in the file.

Read from the file by a thread, at the first search; what happens to the mind meanwhile is noted and told afterwards.
Rows are written by themselves, a moment later: if that fails, or they cannot be read one day, they are made again, and
no memory is any the worse for it.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from ebbtide.core.errors import StoreClosed, StoreDamaged
from ebbtide.core.index import HALF, IndexRow, Recipe, SearchIndex
from ebbtide.core.ledger import Run
from ebbtide.core.signals import Column
from ebbtide.core.terms import Terms
from ebbtide.stores.sqlite.connection import connect, named_errors, write
from ebbtide.stores.sqlite.queries import sql
from ebbtide.stores.sqlite.writer import Statement

log = logging.getLogger("ebbtide")

_CHUNK = 2000  # rows in hand while reading
_SECONDS = 1.0  # how long rows may wait to be written
_MOST = 5000  # rows that may wait
_SEAL = 4  # bytes of a checksum: a row that was spoiled is noticed
_START = 1  # of the checksum: zeros, and nothing at all, must not seem whole

Settled = Callable[[], Awaitable[None]]
Living = Callable[[], tuple[Column, int]]
Raw = tuple[int, bytes, bytes | None]


class Unwritten(NamedTuple):
    """Rows to be written, and how they were made."""

    recipe: Recipe
    rows: list[IndexRow]


class Shelf:
    def __init__(self, path: Path, settled: Settled, living: Living, write_soon: Callable[[], None]) -> None:
        """`settled`: until what has happened so far can be read. `living`: who is alive, as of which journal entry.

        `write_soon`: have somebody come for what is `unwritten`.
        """
        self._path = path
        self._settled, self._living, self._write_soon = settled, living, write_soon
        self._index: SearchIndex | None = None
        self._recipe: Recipe | None = None
        self._meanwhile: list[Run] | None = None
        self._unwritten: list[IndexRow] = []
        self._timer: asyncio.TimerHandle | None = None
        self._door = asyncio.Lock()

    async def index(self) -> SearchIndex:
        """As it was opened last; read again if it had to be thrown away."""
        if self._index is None:
            if self._recipe is None:
                raise StoreClosed
            await self.open(self._recipe)
        assert self._index is not None
        return self._index

    def note(self, run: Run) -> None:
        if self._meanwhile is not None:
            self._meanwhile.append(run)
        if self._index is not None:
            self._index.note(run.changes, run.seq)

    def throw_away(self) -> None:
        """The mind is read again from disk, and so is this: some of what was noted has never happened."""
        self._let_go()
        self._meanwhile = None

    async def open(self, recipe: Recipe) -> None:
        """Ready for searches by this recipe."""
        async with self._door:
            while self._index is None or self._index.recipe != recipe:
                await self._open(recipe)
        self._recipe = recipe

    async def _open(self, recipe: Recipe) -> None:
        meanwhile = self._meanwhile = []
        try:
            if self._unwritten:
                self._write_soon()  # made by another recipe, they may yet serve this one
            await self._settled()
            since = self._living()[1]
            index = await asyncio.to_thread(_read, self._path, recipe, since)
            if self._meanwhile is not meanwhile:
                return  # thrown away before it was there
            living, _ = self._living()
            index.keep_only(living)
            for run in meanwhile:
                index.note(run.changes, run.seq)
            index.expect(living)
            self._let_go()
            self._index = index
        finally:
            self._meanwhile = None

    def _let_go(self) -> None:
        self._index = None
        self._unwritten = []

    # ---- rows on their way to the file

    async def put(self, rows: Sequence[IndexRow]) -> int:
        taken = (await self.index()).put(rows)
        self._unwritten += taken
        if len(self._unwritten) >= _MOST:
            self._write_soon()
        elif taken and self._timer is None:
            self._write_later()
        return len(taken)

    def _write_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._write_now)

    def _write_now(self) -> None:
        """And again, should nobody come: the one who writes may have his hands full."""
        self._timer = None
        if self._unwritten:
            self._write_later()
            self._write_soon()

    @property
    def unwritten(self) -> bool:
        return bool(self._unwritten)

    async def write(self, connection: sqlite3.Connection, threads: Executor) -> int:
        """Write what waits; returns how many rows that were."""
        if (rows := self._take()) is None:
            return 0
        run = asyncio.get_running_loop().run_in_executor
        return await run(threads, _write_rows, self._path, connection, rows)

    def _take(self) -> Unwritten | None:
        """What is to be written now: not what has been overtaken by a change, which has told the file by itself."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        rows, self._unwritten = self._unwritten, []
        if self._index is None or not rows:
            return None
        return Unwritten(self._index.recipe, [row for row in rows if self._index.stands(row)])


def _write_rows(path: Path, connection: sqlite3.Connection, unwritten: Unwritten) -> int:
    """Returns how many. If they cannot be written, that is said and nothing else."""
    try:
        with named_errors(path):
            write(connection, _statements(unwritten))
    except Exception as error:  # noqa: BLE001 — whatever it is, it must not reach those who wait for their memories
        log.warning("the search index could not be written, and will be made again when the mind is opened: %s", error)
        return 0
    return len(unwritten.rows)


def _statements(unwritten: Unwritten) -> list[Statement]:
    made_by, rows = unwritten.recipe[:2], unwritten.rows
    statements = [Statement(sql("put_recipe"), [made_by])]
    read = [(row.id, _seal(row.terms.pack()), _packed(row.vector), *made_by) for row in rows if row.terms is not None]
    embedded = [(row.id, _packed(row.vector), *made_by) for row in rows if row.terms is None]
    return [*statements, Statement(sql("put_indexed"), [*read]), Statement(sql("put_vector"), [*embedded])]


def _packed(vector: Column | None) -> bytes | None:
    return None if vector is None else _seal(vector.astype(HALF).tobytes())


def _seal(packed: bytes) -> bytes:
    return packed + crc32(packed, _START).to_bytes(_SEAL, "little")


# ---- reading


def _read(path: Path, recipe: Recipe, since: int) -> SearchIndex:
    """What the file has by this recipe. A row that cannot be read is left out, and so made again."""
    index = SearchIndex(recipe, since)
    try:
        with named_errors(path), closing(connect(path, "normal")) as connection:
            cursor = connection.execute(sql("read_indexed"), (recipe.analysis, recipe.space))
            while rows := cursor.fetchmany(_CHUNK):
                _load(index, rows)
    except StoreDamaged as error:
        log.warning("the search index is made again: %s", error)
    return index


def _load(index: SearchIndex, rows: Sequence[Raw]) -> None:
    ids: list[int] = []
    terms: list[Terms] = []
    embedded: list[int] = []
    vectors: list[bytes] = []
    length = index.recipe.dimensions * HALF.itemsize
    for memory, packed, half in rows:
        if (codes := _unsealed(packed)) is None:
            continue
        vector = None if half is None else _unsealed(half)
        if vector is not None and len(vector) == length > 0:
            embedded.append(len(ids))
            vectors.append(vector)
        ids.append(memory)
        terms.append(Terms.unpack(codes))
    if ids:
        matrix = np.frombuffer(b"".join(vectors), HALF).reshape(len(vectors), index.recipe.dimensions)
        index.load(ids, terms, embedded, matrix)


def _unsealed(sealed: bytes) -> bytes | None:
    packed = sealed[:-_SEAL]
    return packed if crc32(packed, _START) == int.from_bytes(sealed[-_SEAL:], "little") else None
