"""The reaper: what has been expired for long is deleted, pruned or kept, by its importance.   SPEC R6.

Nothing is lost by a run: what it deletes waits in the trash, what it prunes can be brought back for as long, and an
archive, if there is one, has both for good. A run has a name; `undo` takes all of it back.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ebbtide.core.archive import Archive, Archived
from ebbtide.core.changes import Batch, Change, Forget, Recover, Restore, Rewrite
from ebbtide.core.errors import InvalidInput, KeyTaken, NotFound
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import CODE_OF, Content, State
from ebbtide.core.metabolism import Retention
from ebbtide.core.metabolism.retention import DELETE, KEEP, PRUNE
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals
from ebbtide.core.state import SUPPORTED_BY
from ebbtide.core.whatif import PRUNED, UNPRUNED
from ebbtide.mind.forgetting import sayings
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress

REAPED = "reaped"
SKELETON = 80  # characters of a text that has no phrase to stand for it


@dataclass(frozen=True, slots=True)
class Harvest:
    """One memory a run has dealt with: deleted, pruned, or evidence that went with what was pruned."""

    key: str
    action: str
    importance: float
    why: str


@dataclass(frozen=True, slots=True)
class ReapReport:
    """`harvest` lists all of it in a dry run, which changes nothing and so has no name."""

    agent: str
    run: str
    at: float
    dry_run: bool
    seen: int
    expired: int
    deleted: int
    pruned: int
    evidence: int
    kept: int
    conflicts: int
    archived: int
    seconds: float
    harvest: tuple[Harvest, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """What came back of a run: from the trash, with its text, from the archive; and what could not."""

    run: str
    restored: tuple[str, ...]
    unpruned: tuple[str, ...]
    recovered: tuple[str, ...]
    lost: tuple[str, ...]


class Reaper:
    """One run over one mind."""

    def __init__(self, agent: str, store: Store, archive: Archive | None, now: float) -> None:
        self._agent, self._store, self._archive, self._now = agent, store, archive, now
        self._run = f"reap-{new_token()}"
        self._counts = {"delete": 0, "prune": 0, "evidence": 0}
        self._conflicts = self._archived = self._parts = 0

    async def dry_run(self) -> ReapReport:
        started = time.perf_counter()
        signals = (await self._store.signals()).copy()
        harvest: list[Harvest] = []
        for ids in _batches(self._due(signals), 1000):
            harvest += [self._harvested(signals, change) for change in await self._changes(ids)]
        counts = {action: sum(one.action == action for one in harvest) for action in self._counts}
        return self._report(signals, counts, started, dry_run=True, harvest=tuple(harvest))

    async def run(self, batch_size: int, pause: float, progress: Progress | None) -> ReapReport:
        started = time.perf_counter()
        signals = (await self._store.signals()).copy()
        due, done = self._due(signals), 0
        for ids in _batches(due, batch_size):
            await self._reap(ids)
            done += len(ids)
            if progress:
                progress(done, len(due))
            await asyncio.sleep(pause)
        return self._report(signals, self._counts, started, dry_run=False)

    async def _reap(self, ids: Sequence[int]) -> None:
        """Archived first, then looked at once more: who was used meanwhile stays."""
        seen = self._store.seq
        planned = await self._changes(ids)
        await self._keep_in_archive(planned)
        wanted = await self._unmoved(planned, seen)
        self._conflicts += len(planned) - len(wanted)
        if wanted:
            await self._store.apply(Batch(tuple(wanted), new_token()))
        for change in wanted:
            self._counts[_action(change)] += 1

    async def _unmoved(self, changes: Sequence[Forget | Rewrite], seen: int) -> list[Forget | Rewrite]:
        """Those about memories that nothing has happened to since. Nothing can happen between here and the writing."""
        alive = frozenset((await self._store.living()).tolist())
        here = [change for change in changes if change.id in alive]
        if not here:
            return []
        versions = (await self._store.signals([change.id for change in here])).version.tolist()
        return [change for change, version in zip(here, versions, strict=True) if version <= seen]

    def _due(self, s: Signals) -> Column:
        return s.id[_retention(self._store).reaping(s, self._now) > KEEP]

    async def _changes(self, ids: Sequence[int]) -> list[Forget | Rewrite]:
        """What is to be done with these: forgettings, prunings, and the evidence that goes with those."""
        contents = await self._store.contents(ids)
        here = [memory for memory in ids if memory in contents]
        if not here:
            return []
        actions = _retention(self._store).reaping(await self._store.signals(here), self._now).tolist()
        doomed = {memory for memory, action in zip(here, actions, strict=True) if action > KEEP}
        changes: list[Forget | Rewrite] = []
        for memory, action in zip(here, actions, strict=True):
            said = contents[memory]
            if action == DELETE:
                changes.append(Forget(self._now, memory, said.key, REAPED, self._run))
            elif action == PRUNE:
                changes.append(Rewrite(self._now, memory, skeleton(said), PRUNED, self._run))
        pruned = [change.id for change in changes if isinstance(change, Rewrite)]
        return [*changes, *await self._raw_evidence(pruned, doomed)]

    async def _raw_evidence(self, pruned: Sequence[int], doomed: set[int]) -> list[Forget | Rewrite]:
        """What only these are supported by, and what would have expired long since by itself."""
        if not pruned:
            return []
        walk = await self._store.walk(pruned, relations=(SUPPORTED_BY,))
        targets = [memory for memory in dict.fromkeys(walk.target[walk.known].tolist()) if memory not in doomed]
        alone = [memory for memory in targets if await self._supports_only(memory, doomed)]
        if not alone:
            return []
        spent = _retention(self._store).spent(await self._store.signals(alone), self._now)
        gone = [memory for memory, is_spent in zip(alone, spent.tolist(), strict=True) if is_spent]
        contents = await self._store.contents(gone)
        return [Forget(self._now, i, contents[i].key, PRUNED, self._run) for i in gone if i in contents]

    async def _supports_only(self, memory: int, doomed: set[int]) -> bool:
        links = await self._store.links(memory, outgoing=False, relations=(SUPPORTED_BY,))
        return all(link.source in doomed for link in links)

    async def _keep_in_archive(self, changes: Sequence[Forget | Rewrite]) -> None:
        if self._archive is None or not changes:
            return
        records = await self._records(changes)
        self._parts += 1
        await self._archive.put(self._agent, self._run, records, part=self._parts)
        self._archived += len(records)

    async def _records(self, changes: Sequence[Forget | Rewrite]) -> list[Archived]:
        ids = [change.id for change in changes]
        contents = await self._store.contents(ids)
        return [
            Archived(self._run, self._agent, self._now, change.cause, contents[change.id], row, links, keys)
            for change in changes
            if change.id in contents
            for row, links, keys in [await self._as_it_is(change.id)]
        ]

    async def _as_it_is(self, memory: int) -> tuple[dict[str, Any], tuple[LinkRow, ...], dict[int, str]]:
        row = (await self._store.signals([memory])).plain(0)
        links = await self._store.links(memory, outgoing=True)
        said = await self._store.contents([link.target for link in links])
        standing = tuple(LinkRow(link.source, link.target, link.relation, link.strength, 0) for link in links)
        return row, standing, {target: content.key for target, content in said.items()}

    def _harvested(self, s: Signals, change: Forget | Rewrite) -> Harvest:
        row = s.take(np.flatnonzero(s.id == change.id))
        key = change.key if isinstance(change, Forget) else change.content.key
        return Harvest(key, _action(change), float(row.importance[0]), _retention(self._store).why(row, self._now))

    def _report(
        self, s: Signals, counts: dict[str, int], started: float, *, dry_run: bool, harvest: tuple[Harvest, ...] = ()
    ) -> ReapReport:
        expired = int((_retention(self._store).judge(s, self._now).state == CODE_OF[State.EXPIRED]).sum())
        return ReapReport(
            agent=self._agent,
            run="" if dry_run or not any(counts.values()) else self._run,
            at=self._now,
            dry_run=dry_run,
            seen=len(s),
            expired=expired,
            deleted=counts["delete"],
            pruned=counts["prune"],
            evidence=counts["evidence"],
            kept=expired - counts["delete"] - counts["prune"],
            conflicts=self._conflicts,
            archived=self._archived,
            seconds=time.perf_counter() - started,
            harvest=harvest,
        )


def skeleton(said: Content) -> Content:
    """What pruning leaves: everything but the text, which a phrase or its first words stand for."""
    first = said.text if len(said.text) <= SKELETON else f"{said.text[: SKELETON - 1]}…"
    return replace(said, text=said.phrase or first)


async def undo(agent: str, store: Store, archive: Archive | None, run: str, now: float) -> Undone:
    """Take a run back, as far as trash and archive still hold it. What has a namesake by now is left and named."""
    _retention(store)
    restored, lost = await _one_by_one(store, await _restores(store, run, now))
    unpruned, kept = await _one_by_one(store, await _unprunings(store, run, now))
    recovered: list[str] = []
    if archive is not None:
        records = (await archive.find(agent, run=run)).records
        recoveries = [await recovery(store, record, now) for record in records]
        recovered, failed = await _one_by_one(store, [change for change in recoveries if change is not None])
        lost += failed
    if not (restored or unpruned or recovered or lost or kept):
        raise NotFound(
            problem=f"there is nothing left of a run {run!r} to take back: trash and archive hold none of it"
        )
    return Undone(run, tuple(restored), tuple(unpruned), tuple(recovered), (*lost, *kept))


async def from_archive(agent: str, store: Store, archive: Archive, key: str, now: float) -> tuple[int, Recover]:
    """The last memory archived under that key, unless it lives or waits in the trash."""
    for record in (await archive.find(agent, key=key)).records:
        if change := await recovery(store, record, now):
            return change.id, change
    raise NotFound(problem=f"{key!r} is not in the archive, or need not come from there: it lives, or is in the trash")


async def recovery(store: Store, record: Archived, now: float) -> Recover | None:
    """How an archived memory comes back; None if it is here, or in the trash."""
    if record.id in (await store.living()) or await store.trash(ids=[record.id]):
        return None
    return Recover(now, record.id, record.content, dict(record.row), record.links)


async def _restores(store: Store, run: str, now: float) -> list[Change]:
    """In order of id, so that who is linked to is mostly back before those it is linked to."""
    gone = sorted((gone.id, gone.key) for _, gone in await store.trash() if gone.run == run)
    return [Restore(now, memory, key) for memory, key in gone]


async def _unprunings(store: Store, run: str, now: float) -> list[Change]:
    signals = await store.signals()
    changes: list[Change] = []
    for memory in signals.id[np.isfinite(signals.pruned_at)].tolist():
        said = await sayings(store, memory)
        if len(said) > 1 and said[-1].cause == PRUNED and said[-1].run == run:
            changes.append(Rewrite(now, memory, replace(said[-2].content, key=said[-1].content.key), UNPRUNED, run))
    return changes


async def _one_by_one(store: Store, changes: Iterable[Change]) -> tuple[list[str], list[str]]:
    """The keys of those that could be made, and of those that a namesake stands in the way of."""
    done: list[str] = []
    failed: list[str] = []
    for change in changes:
        key = change.key if isinstance(change, Restore) else change.content.key  # type: ignore[union-attr]
        try:
            await store.apply(Batch((change,), new_token()))
        except KeyTaken:
            failed.append(key)
        else:
            done.append(key)
    return done, failed


def _retention(store: Store) -> Retention:
    metabolism = store.regime.metabolism
    if not isinstance(metabolism, Retention):
        problem = f"only a retention mind has a reaper; in this one ({metabolism.name}) nothing expires"
        raise InvalidInput(problem=problem)
    return metabolism


def _is_evidence(change: Forget | Rewrite) -> bool:
    return isinstance(change, Forget) and change.cause == PRUNED


def _action(change: Forget | Rewrite) -> str:
    if isinstance(change, Rewrite):
        return "prune"
    return "evidence" if _is_evidence(change) else "delete"


def _batches(ids: Column, size: int) -> Iterable[list[int]]:
    return (ids[first : first + size].tolist() for first in range(0, len(ids), size))
