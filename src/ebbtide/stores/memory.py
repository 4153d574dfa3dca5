"""The reference store: a mind in RAM. What it does is what every store must do; it also serves replays."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ebbtide.core import finding
from ebbtide.core.changes import (
    Batch,
    Change,
    Discard,
    Entry,
    Forget,
    Merge,
    PutMemory,
    Receipt,
    Recover,
    Restore,
    Rewrite,
    subject,
)
from ebbtide.core.errors import StoreClosed
from ebbtide.core.finding import Candidates, Query
from ebbtide.core.index import IndexRow, Material, Recipe, SearchIndex, Unread
from ebbtide.core.ledger import Ledger, Run
from ebbtide.core.lexical import Frequencies
from ebbtide.core.memory import Content, Link
from ebbtide.core.parameters import Regime
from ebbtide.core.ports import IndexInfo, StoreInfo, Where
from ebbtide.core.signals import Column, Signals
from ebbtide.core.snapshot import Snapshot, dump, load
from ebbtide.core.state import MindState, Refused, Task, Trashed, Twins, Walk


class MemoryStore:
    def __init__(self, base: Snapshot | None = None) -> None:
        self._base = base
        self._ledger = Ledger(load(base) if base else MindState())
        self._contents: dict[int, Content] = {row["id"]: c for c, row in base.memories} if base else {}
        self._trash: dict[int, Content] = {t.id: content for content, t in base.trash} if base else {}
        self._entries: list[Entry] = []
        self._index: SearchIndex | None = None
        self._reserved = 0
        self._closed = False

    @property
    def state(self) -> MindState:
        self._require_open()
        return self._ledger.state

    @property
    def regime(self) -> Regime:
        return self.state.regime

    @property
    def seq(self) -> int:
        return self.state.seq

    async def apply(self, batch: Batch, *, lazy: bool = False) -> Receipt:
        return self.apply_now(batch)

    def apply_now(self, batch: Batch) -> Receipt:
        """Nothing here waits, so replays need no event loop."""
        self._require_open()
        return self._ledger.accept(batch, self._witness)

    async def applied(self, token: str) -> int | None:
        self._require_open()
        return self._ledger.applied(token)

    async def reserve(self, count: int) -> int:
        first = max(self.state.next_id, self._reserved)
        self._reserved = first + count
        return first

    async def reaped_at(self) -> float | None:
        return self.state.reaped_at

    async def find(self, key: str) -> int | None:
        return self.state.keys.get(key)

    async def contents(self, ids: Sequence[int]) -> dict[int, Content]:
        self._require_open()
        return {i: self._contents[i] for i in ids if i in self._contents}

    async def signals(self, ids: Sequence[int] | None = None) -> Signals:
        return self.state.signals() if ids is None else self.state.signals_of(ids)

    async def living(self) -> Column:
        return self.state.living()

    async def focus(self) -> tuple[int, ...]:
        return self.state.focus

    async def links(self, memory: int, *, outgoing: bool, relations: Sequence[str] = ()) -> list[Link]:
        return self.state.links_of(memory, outgoing=outgoing, relations=relations)

    async def walk(self, ids: Sequence[int], *, relations: Sequence[str] = ()) -> Walk:
        return self.state.walk(np.asarray(ids, np.int64), relations)

    async def pairs(self, ids: Sequence[int] | None = None) -> dict[Twins, float]:
        return self.state.pairs.of(ids)

    async def dismissed(self) -> dict[Refused, str]:
        return dict(self.state.dismissed)

    async def tasks(self) -> list[Task]:
        return self.state.queue()

    async def task(self, number: int) -> Task | None:
        return self.state.tasks.get(number)

    async def page(self, where: Where, *, after: int = 0, limit: int = 100) -> list[int]:
        s = self.state.signals()
        chosen = s.id[where.stand(s) & (s.id > after)]
        return [i for i in sorted(chosen.tolist()) if self._matches(i, where)][:limit]

    async def trash(
        self,
        *,
        key: str | None = None,
        ids: Sequence[int] | None = None,
        until: float | None = None,
        limit: int | None = None,
    ) -> list[tuple[Content, Trashed]]:
        trash = self.state.trash
        asked = trash.values() if ids is None else [trash[memory] for memory in ids if memory in trash]
        wanted = [t for t in asked if key in (None, t.key) and (until is None or t.at <= until)]
        found = sorted(wanted, key=lambda t: (-t.at, -t.id))
        return [(self._trash[t.id], t) for t in found[:limit]]

    async def journal(self, *, after: int = 0, limit: int = 1000, memory: int | None = None) -> list[Entry]:
        self._require_open()
        return _first(limit, (e for e in self._entries if e.seq > after and _about(e, memory)))

    async def base(self) -> Snapshot | None:
        self._require_open()
        return self._base

    async def snapshot(self) -> Snapshot:
        return dump(self.state, self._contents, self._trash)

    async def compact(self, base: Snapshot) -> None:
        self._require_open()
        self._base = base
        self._entries = [entry for entry in self._entries if entry.seq > base.seq]

    async def info(self) -> StoreInfo:
        state = self.state
        return StoreInfo(
            memories=len(state.table),
            links=len(state.links),
            traces=state.count_traces(),
            trash=len(state.trash),
            journal_entries=len(self._entries),
            journal_from=self._base.seq if self._base else 0,
            disk_bytes=0,
            ram_bytes=state.nbytes(),
        )

    async def open_index(self, recipe: Recipe) -> None:
        self._require_open()
        if self._index is None or self._index.recipe != recipe:
            self._index = SearchIndex(recipe, self.seq)
            self._index.expect(self.state.living())

    async def unread(self, limit: int) -> list[Unread]:
        return self._opened.unread(limit)

    async def unembedded(self, limit: int, among: frozenset[int] | None = None) -> list[Unread]:
        return self._opened.unembedded(limit, among)

    async def index(self, rows: Sequence[IndexRow]) -> int:
        return len(self._opened.put(rows))

    async def match(self, query: Query) -> Candidates:
        return finding.match(self.state, self._opened, query)

    async def frequencies(self, codes: Column) -> Frequencies:
        return self._opened.frequencies(codes)

    async def alike(self, ids: Column, limit: int) -> list[tuple[int, int, float]]:
        return self._opened.alike(ids, limit)

    async def material(self, ids: Column) -> Material:
        return self._opened.material(ids)

    async def index_info(self) -> IndexInfo:
        return IndexInfo.of(self._opened)

    @property
    def _opened(self) -> SearchIndex:
        self._require_open()
        if self._index is None:
            raise StoreClosed
        return self._index

    async def close(self) -> None:
        self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreClosed

    def _matches(self, memory: int, where: Where) -> bool:
        content = self._contents[memory]
        return where.kind in (None, content.kind) and where.domain in (None, content.domain)

    def _witness(self, run: Run) -> None:
        self._entries += run.entries()
        if self._index is not None:
            self._index.note(run.changes, run.seq)
        for change in run.changes:
            self._rewrite(change)

    def _rewrite(self, change: Change) -> None:
        """What a change does to texts; everything else about it is the fold's business."""
        match change:
            case PutMemory() | Rewrite() | Recover():
                self._contents[change.id] = change.content
            case Forget():
                self._trash[change.id] = self._contents.pop(change.id)
            case Merge():
                self._trash[change.id] = self._contents.pop(change.id)
                self._contents[change.into] = change.content
            case Restore():
                self._contents[change.id] = replace(self._trash.pop(change.id), key=change.key)
            case Discard():
                for memory in change.ids:
                    del self._trash[memory]
            case _:
                pass


def _about(entry: Entry, memory: int | None) -> bool:
    return memory is None or subject(entry.change) == memory


def _first(limit: int, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for _, entry in zip(range(limit), entries, strict=False)]
