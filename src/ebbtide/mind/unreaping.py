"""Taking a run of the reaper back: from the trash, from the journal, and after their time from the archive.   SPEC C8.

All a run did, it did at one moment. So either all of it waits in the trash and in the journal, or nothing does.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ebbtide.core.archive import Archive, Archived, Found
from ebbtide.core.changes import Batch, Recover, Restore, Rewrite
from ebbtide.core.counted import counted
from ebbtide.core.errors import Conflict, NotFound
from ebbtide.core.memory import DAY
from ebbtide.core.ports import Store
from ebbtide.core.state import Trashed
from ebbtide.core.whatif import PRUNED, UNPRUNED
from ebbtide.mind import forgetting
from ebbtide.mind.reaping import EVIDENCE, require_retention
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress, empty_trash

_AT_ONCE = 100  # changes in one batch

Return = Restore | Rewrite | Recover


@dataclass(frozen=True, slots=True)
class Undone:
    """What came back of a run: from the trash, with its text, from the archive; and what a namesake kept from it."""

    run: str
    restored: tuple[str, ...]
    unpruned: tuple[str, ...]
    recovered: tuple[str, ...]
    lost: tuple[str, ...]
    damaged: int = 0  # lines of the archive that cannot be read
    displaced: int = 0  # memories that left in their place, because the mind has a budget and is full


class _Steps:
    """How far it is: how much there is to do comes out as it goes along."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._done, self._total = progress, 0, 0

    def expect(self, count: int) -> None:
        self._total += count

    def made(self, count: int) -> None:
        self._done += count
        if self._progress:
            self._progress(self._done, self._total)


async def undo(
    agent: str, store: Store, archive: Archive | None, run: str, now: float, progress: Progress | None = None
) -> Undone:
    """Take a run back, as far as trash and archive still hold it. What has a namesake by now is left and named.

    To do it again, or to go on after it was stopped half-way, does what is left to do.
    """
    require_retention(store)
    await empty_trash(store, now)  # whose time is over does not come back from there, tick or no tick
    steps = _Steps(progress)
    restored, lost = await _made(store, await _restores(store, run, now), steps)
    unpruned, missed = await _made(store, await _unprunings(store, run, now), steps)
    undone = Undone(run, restored, unpruned, (), (*lost, *missed))
    if not _anything(undone) and archive is not None:
        undone = await _from_archive(store, run, await archive.find(agent, run=run), now, steps)
    if not _anything(undone):
        problem = f"there is nothing left of a run {run!r} to take back: trash and archive hold none of it"
        raise NotFound(problem=problem)
    return undone


async def from_archive(agent: str, store: Store, archive: Archive, key: str, now: float) -> tuple[int, Recover]:
    """The last memory archived under that key, unless it lives or waits in the trash."""
    await empty_trash(store, now)
    found = await archive.find(agent, key=key)
    for change in await _recoveries(store, found.records, now):
        return change.id, change
    unread = f"; {counted(len(found.damaged), 'line')} there cannot be read" if found.damaged else ""
    here = "it lives, or is in the trash" if found.records else "nothing was archived under that key"
    raise NotFound(problem=f"{key!r} cannot come from the archive: {here}{unread}")


async def _restores(store: Store, run: str, now: float) -> list[Return]:
    """The last one to leave comes back first, so that each finds the others as it left them."""
    gone = [gone for _, gone in await store.trash() if gone.run == run]
    return [Restore(now, one.id, one.key) for one in sorted(gone, key=_when_it_left, reverse=True)]


def _when_it_left(gone: Trashed) -> tuple[bool, int]:
    return gone.cause == EVIDENCE, gone.id


async def _unprunings(store: Store, run: str, now: float) -> list[Return]:
    """Texts that the journal has, for as long as the trash would keep them."""
    s = await store.signals()
    young = s.id[s.pruned_at > now - store.regime.common.trash_days * DAY].tolist()
    base = await forgetting.said_in_base(store) if young else {}
    changes: list[Return] = []
    for memory in young:
        said = await forgetting.every_saying(store, memory, base)
        if len(said) > 1 and said[-1].cause == PRUNED and said[-1].run == run:
            changes.append(Rewrite(now, memory, replace(said[-2].content, key=said[-1].content.key), UNPRUNED, run))
    return changes


async def _from_archive(store: Store, run: str, found: Found, now: float, steps: _Steps) -> Undone:
    recoveries = await _recoveries(store, [record for record in found.records if record.cause != PRUNED], now)
    recovered, lost = await _made(store, list(recoveries), steps)
    unpruned, missed = await _made(store, await _archived_texts(store, found.records, now), steps)
    undone = Undone(run, (), unpruned, recovered, (*lost, *missed), len(found.damaged))
    if found.damaged and not _anything(undone):
        raise found.damaged[0]
    return undone


async def _recoveries(store: Store, records: Sequence[Archived], now: float) -> list[Recover]:
    """Of those that are neither here nor in the trash."""
    here = {gone.id for _, gone in await store.trash(ids=[record.id for record in records])}
    here.update((await store.living()).tolist())
    return [
        Recover(now, record.id, record.content, dict(record.row), record.links)
        for record in records
        if record.id not in here
    ]


async def _archived_texts(store: Store, records: Sequence[Archived], now: float) -> list[Return]:
    """Of those that are still pruned, and by this run: it did so at the moment it archived them."""
    s = await store.signals()
    since = dict(zip(s.id.tolist(), np.asarray(s.pruned_at).tolist(), strict=True))
    pruned = [record for record in records if record.cause == PRUNED and since.get(record.id) == record.at]
    says = await store.contents([record.id for record in pruned])
    return [
        Rewrite(now, record.id, replace(record.content, key=says[record.id].key), UNPRUNED, record.run)
        for record in pruned
        if record.id in says
    ]


async def _made(store: Store, changes: Sequence[Return], steps: _Steps) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys of those that could be made, and of those that something stands in the way of: mostly a namesake."""
    done: list[str] = []
    failed: list[str] = []
    steps.expect(len(changes))
    for first in range(0, len(changes), _AT_ONCE):
        some = changes[first : first + _AT_ONCE]
        if await _all_made(store, some):
            done += map(_key, some)
        else:
            for change in some:
                (done if await _all_made(store, [change]) else failed).append(_key(change))
        steps.made(len(some))
        await asyncio.sleep(0)
    return tuple(done), tuple(failed)


async def _all_made(store: Store, changes: Sequence[Return]) -> bool:
    try:
        await store.apply(Batch(tuple(changes), new_token()))
    except (Conflict, NotFound):
        return False
    return True


def _key(change: Return) -> str:
    return change.key if isinstance(change, Restore) else change.content.key


def _anything(undone: Undone) -> bool:
    return bool(undone.restored or undone.unpruned or undone.recovered or undone.lost)
