"""The part of the embedded store that only reads: numbers from the mirror in RAM, texts and history from the file."""

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ebbtide.core.changes import Entry
from ebbtide.core.ledger import Ledger
from ebbtide.core.memory import Content, Link
from ebbtide.core.parameters import Regime
from ebbtide.core.ports import Where
from ebbtide.core.signals import Column, Signals
from ebbtide.core.snapshot import Snapshot
from ebbtide.core.state import MindState, Refused, Task, Trashed, Twins, Walk
from ebbtide.stores.sqlite import codec, loader
from ebbtide.stores.sqlite.connection import named_errors
from ebbtide.stores.sqlite.queries import sql

_PAGE = 1000


class Readable(ABC):
    _path: Path
    _reader: sqlite3.Connection
    _flusher: "asyncio.Task[None] | None"

    @abstractmethod
    def _require_open(self) -> Ledger: ...

    @abstractmethod
    async def _settled(self) -> None: ...

    @property
    def _state(self) -> MindState:
        return self._require_open().state

    @property
    def regime(self) -> Regime:
        return self._state.regime

    @property
    def seq(self) -> int:
        return self._state.seq

    async def applied(self, token: str) -> int | None:
        """Known from the moment it was accepted; what is told of it is on disk."""
        await self._settled()
        return self._require_open().applied(token)

    async def find(self, key: str) -> int | None:
        return self._state.keys.get(key)

    async def contents(self, ids: Sequence[int]) -> dict[int, Content]:
        self._require_open()
        if self._flusher is not None:  # else all texts are on disk: what waits without being waited for is statistics
            await self._settled()
        with named_errors(self._path):
            rows = self._reader.execute(sql("read_contents"), (codec.encode(list(ids)),)).fetchall()
            # Others may have forgotten some while we waited for the disk.
            return {row[0]: codec.content(row[1:]) for row in rows if row[0] in self._state.table}

    async def signals(self, ids: Sequence[int] | None = None) -> Signals:
        return self._state.signals() if ids is None else self._state.signals_of(ids)

    async def living(self) -> Column:
        return self._state.living()

    async def reaped_at(self) -> float | None:
        return self._state.reaped_at

    async def focus(self) -> tuple[int, ...]:
        return self._state.focus

    async def links(self, memory: int, *, outgoing: bool, relations: Sequence[str] = ()) -> list[Link]:
        return self._state.links_of(memory, outgoing=outgoing, relations=relations)

    async def walk(self, ids: Sequence[int], *, relations: Sequence[str] = ()) -> Walk:
        return self._state.walk(np.asarray(ids, np.int64), relations)

    async def pairs(self, ids: Sequence[int] | None = None) -> dict[Twins, float]:
        return self._state.pairs.of(ids)

    async def dismissed(self) -> dict[Refused, str]:
        return dict(self._state.dismissed)

    async def tasks(self) -> list[Task]:
        return self._state.queue()

    async def task(self, number: int) -> Task | None:
        return self._state.tasks.get(number)

    async def page(self, where: Where, *, after: int = 0, limit: int = 100) -> list[int]:
        """By the mirror's states and scores: the tables have them as of the last checkpoint."""
        await self._settled()
        s = self._state.table.view()
        ids: list[int] = np.sort(s.id[where.stand(s) & (s.id > after)]).tolist()
        if where.kind is None and where.domain is None:
            return ids[:limit]
        return self._of_kind(set(ids), where, after, limit)

    def _of_kind(self, wanted: set[int], where: Where, after: int, limit: int) -> list[int]:
        found: list[int] = []
        while len(found) < limit:
            asked = {"after": after, "limit": max(limit, _PAGE), "kind": where.kind, "domain": where.domain}
            with named_errors(self._path):
                some = [memory for (memory,) in self._reader.execute(sql("page"), asked)]
            if not some:
                break
            found += [memory for memory in some if memory in wanted]
            after = some[-1]
        return found[:limit]

    async def trash(
        self,
        *,
        key: str | None = None,
        ids: Sequence[int] | None = None,
        until: float | None = None,
        limit: int | None = None,
    ) -> list[tuple[Content, Trashed]]:
        await self._settled()
        these = None if ids is None else codec.encode(list(ids))
        asked = {"key": key, "ids": these, "until": until, "limit": -1 if limit is None else limit}
        with named_errors(self._path):
            rows = self._reader.execute(sql("read_some_trash"), asked).fetchall()
            return [(codec.content(row), codec.trashed(row[-1])) for row in rows]

    async def journal(self, *, after: int = 0, limit: int = 1000, memory: int | None = None) -> list[Entry]:
        await self._settled()
        with named_errors(self._path):
            if memory is None:
                rows = self._reader.execute(sql("read_journal"), (after, limit)).fetchall()
            else:
                rows = self._reader.execute(sql("read_journal_of_memory"), (memory, after, limit)).fetchall()
            return [codec.entry(*row) for row in rows]

    async def base(self) -> Snapshot | None:
        await self._settled()
        with named_errors(self._path):
            packed = loader.read_base(self._reader)
            return codec.unpack(packed) if packed else None
