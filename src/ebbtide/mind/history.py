"""Replaying the journal: into the past, under another regime, and to check that it tells the truth.   SPEC C6."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from ebbtide.core.changes import Batch, Configure, Entry
from ebbtide.core.parameters import Regime
from ebbtide.core.ports import Analyzer, Store
from ebbtide.core.snapshot import Snapshot
from ebbtide.mind.appraising import Rereader
from ebbtide.mind.likeness import Likeness
from ebbtide.mind.retelling import Reader, Retelling
from ebbtide.mind.upkeep import Progress

Scratch = Callable[[Snapshot | None], Store]
_PAGE = 500
_BREATH = 128  # entries
_ENTRIES_EACH = 4  # a large mind keeps a longer journal: so many entries for each memory


async def entries(store: Store, *, upto: int | None = None) -> AsyncIterator[Entry]:
    after = 0
    while some := await store.journal(after=after, limit=_PAGE):
        for entry in some:
            if upto is not None and entry.seq > upto:
                return
            if entry.seq % _BREATH == 0:
                await asyncio.sleep(0)  # a long replay lets others in, and can be left
            yield entry
        after = some[-1].seq


async def replay(store: Store, scratch: Scratch, *, upto: int | None = None, progress: Progress | None = None) -> Store:
    """The same mind again, from its base and journal alone."""
    copy = scratch(await store.base())
    async for entry in entries(store, upto=upto):
        await copy.apply(Batch((entry.change,), f"replay-{entry.seq}"))
        _report(progress, entry.seq, store.seq)
    return copy


async def retold(
    store: Store,
    scratch: Scratch,
    regime: Regime,
    *,
    analyzer: Analyzer | None = None,
    likeness: Likeness | None = None,
    progress: Progress | None = None,
) -> Store:
    """The mind that would have been: the same events under another regime.

    What the old regime decided is left out; where it ticked or had a cycle, the new one judges for itself. One that
    looks at what memories say reads them with `analyzer`, as far as the old one has not, and finds by `likeness` what
    supersedes what.
    """
    old = store.regime.metabolism.name
    reader = Rereader(analyzer) if analyzer is not None and old != regime.metabolism.name else None
    copy, retelling = await beginning(store, scratch, regime, await store.base(), reader, likeness)
    async for entry in entries(store):
        await retelling.tell(entry)
        _report(progress, entry.seq, store.seq)
    return copy


async def beginning(
    store: Store,
    scratch: Scratch,
    regime: Regime,
    base: Snapshot | None,
    reader: Reader | None,
    likeness: Likeness | None = None,
) -> tuple[Store, Retelling]:
    """A copy that lives by this regime and stands where the journal begins, and what tells it the journal."""
    copy = scratch(_rebased(base, regime))
    began = max((row["last_accessed_at"] for _, row in base.memories), default=0.0) if base else 0.0
    await copy.apply(Batch((Configure(began, regime.metabolism.name, regime.params()),), "retold-regime"))
    free = await store.reserve(0)  # the first id that is free
    tasks = base.tasks if base else ()
    retelling = Retelling(copy, store.regime.metabolism.name, free, tasks, reader, likeness)
    await retelling.read_base()
    return copy, retelling


async def last_entry_by(store: Store, moment: float) -> int:
    """The last entry made at or before this moment."""
    base = await store.base()
    last = base.seq if base else 0
    async for entry in entries(store):
        if entry.change.at <= moment:
            last = entry.seq
    return last


async def compact(store: Store, scratch: Scratch, before: float, progress: Progress | None = None) -> int:
    """Replay up to the last entry before this moment, and let the journal start from there."""
    upto = await last_entry_by(store, math.nextafter(before, -math.inf))
    return await _folded(store, scratch, upto, progress)


async def compact_surplus(store: Store, scratch: Scratch, progress: Progress | None = None) -> int:
    """The older half of a journal that has grown beyond what the mind is to keep."""
    kept, info = store.regime.common.journal_entries, await store.info()
    limit = max(kept, _ENTRIES_EACH * info.memories)
    if not kept or info.journal_entries <= limit:
        return 0
    return await _folded(store, scratch, store.seq - limit // 2, progress)


async def _folded(store: Store, scratch: Scratch, upto: int, progress: Progress | None) -> int:
    base = await store.base()
    start = base.seq if base else 0
    if upto <= start:
        return 0
    past = await replay(store, scratch, upto=upto, progress=progress)
    await store.compact(await past.snapshot())
    return upto - start


def _rebased(base: Snapshot | None, regime: Regime) -> Snapshot | None:
    """A base under another regime: memories keep what every metabolism knows and start afresh in the rest.

    Other parameters of the same metabolism start from the same books.
    """
    if base is None:
        return None
    if base.metabolism == regime.metabolism.name:
        return replace(base, params=regime.params())
    metabolism = regime.metabolism

    def afresh(row: dict[str, Any]) -> dict[str, Any]:
        return row | metabolism.born(row["last_accessed_at"], {})

    return replace(
        base,
        metabolism=metabolism.name,
        params=regime.params(),
        senses=None,
        memories=tuple((content, afresh(row)) for content, row in base.memories),
        trash=tuple((content, replace(t, row=afresh(t.row), echoes=())) for content, t in base.trash),
    )


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress and (done % 256 == 0 or done == total):
        progress(done, total)


def differences(one: Snapshot, other: Snapshot) -> list[str]:
    """What two minds disagree on, in words; empty if they are the same, bit for bit."""
    parts = ("seq", "next_id", "metabolism", "params", "links", "trash", "focus", "tasks", "reaped_at", "senses")
    found = [name for name in parts if getattr(one, name) != getattr(other, name)]
    mine = {content.key: (content, row) for content, row in one.memories}
    theirs = {content.key: (content, row) for content, row in other.memories}
    found += [f"memory {key!r}" for key in sorted(mine.keys() | theirs.keys()) if mine.get(key) != theirs.get(key)]
    return found
