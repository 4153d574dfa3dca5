"""The reaper: what has been expired for long is deleted, pruned or kept, by its importance.   SPEC R6.

Nothing is lost by a run: what it deletes waits in the trash, what it prunes can be brought back for as long, and an
archive, if there is one, has both for good. A run has a name; `unreaping` takes all of it back.

First come deletions and prunings, in order of id, then the raw evidence of what is pruned by now. So what a run does
depends neither on the size of its batches nor on where it was stopped and began again.

The first run of a mind, and the first one after a pause (a server that was off for weeks), deletes nothing: it prunes,
and reports what the next run will delete. So each run that comes to its end is journaled, also one that had nothing to
do; only where nothing has expired is nothing written, for there is nothing that a pause could matter to.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ebbtide.core.archive import Archive, Archived
from ebbtide.core.changes import Batch, Forget, Reaped, Rewrite
from ebbtide.core.errors import InvalidInput
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import CODE_OF, HOUR, Content, Link, State
from ebbtide.core.metabolism import Retention, reaping
from ebbtide.core.metabolism.retention import DELETE, KEEP, PRUNE
from ebbtide.core.ports import Store
from ebbtide.core.relations import SUPPORTED_BY
from ebbtide.core.signals import NEVER, Column, Signals
from ebbtide.core.whatif import PRUNED
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress

REAPED, EVIDENCE = "reaped", "evidence"  # causes, beside PRUNED
SKELETON = 80  # characters of a text that has no phrase to stand for it
_PAGE = 1000  # of a dry run

Taking = Forget | Rewrite


@dataclass(frozen=True, slots=True)
class Harvest:
    """One memory a run has dealt with: deleted, pruned, or evidence that went with what was pruned."""

    key: str
    action: str  # delete, prune or evidence
    importance: float
    why: str


@dataclass(frozen=True, slots=True)
class ReapReport:
    """`harvest` lists all of it in a dry run, which changes nothing and so has no name.

    `deferred`: how many memories the next run will delete, because this is the first one after a pause and deletes
    nothing; a dry run lists them in `deferrals`. `previous`: when the reaper had run before.
    """

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
    deferred: int = 0
    deferrals: tuple[Harvest, ...] = ()
    previous: float | None = None


class Reaper:
    """One run over one mind. `previous`: when the reaper ran before, as of the moment this run was asked for; so of two
    runs asked for at once neither counts as the other's forerunner."""

    def __init__(self, agent: str, store: Store, archive: Archive | None, now: float, previous: float | None) -> None:
        self._agent, self._store, self._archive, self._now = agent, store, archive, now
        self._run = f"reap-{new_token()}"
        self._counts = dict.fromkeys(_ACTIONS.values(), 0)
        self._conflicts = self._archived = self._parts = 0
        self._deferred: tuple[int, int] = (0, 0)  # deletions, and those of evidence
        self._previous = previous
        self._after_pause = self._rule.after_pause(previous, now)

    @property
    def _rule(self) -> Retention:
        """As it stands: somebody may change its parameters while a run goes on."""
        return require_retention(self._store)

    async def dry_run(self) -> ReapReport:
        started = time.perf_counter()
        s = (await self._store.signals()).copy()
        actions = self._rule.reaping(s, self._now)
        due = np.sort(s.id[actions > KEEP])
        harvest = [*await self._harvest(s, due, self._everything_due)]
        harvest += await self._harvest(s, await self._evidence_of(s, actions), self._evidence_takings)
        now = tuple(one for one in harvest if not self._after_pause or one.action == "prune")
        later = tuple(one for one in harvest if self._after_pause and one.action != "prune")
        for one in now:
            self._counts[one.action] += 1
        evidence = sum(one.action == "evidence" for one in later)
        self._deferred = len(later) - evidence, evidence
        return self._report(s, started, dry_run=True, harvest=now, deferrals=later)

    async def run(self, batch_size: int, pause: float, progress: Progress | None) -> ReapReport:
        if batch_size < 1:
            raise InvalidInput(problem=f"a batch of {batch_size} memories gets nowhere: it takes at least one")
        started = time.perf_counter()
        before = (await self._store.signals()).copy()
        due = self._due(before)
        for done, ids in _batches(due, batch_size):
            await self._reap(ids, self._due_takings)
            await _give_way(progress, done, len(due), pause)
        s = (await self._store.signals()).copy()
        evidence = await self._evidence(s, s.id[s.pruned_at > NEVER], s.id[:0])
        if self._after_pause:
            self._deferred, evidence = await self._left_to_the_next(s), evidence[:0]
        for done, ids in _batches(evidence, batch_size):
            await self._reap(ids, self._evidence_takings)
            await _give_way(progress, len(due) + done, len(due) + len(evidence), pause)
        report = self._report(before, started, dry_run=False)
        if report.expired:
            await self._store.apply(Batch((Reaped(self._now, self._run, report.deferred),), new_token()))
        return report

    async def _left_to_the_next(self, s: Signals) -> tuple[int, int]:
        actions = self._rule.reaping(s, self._now)
        return int((actions == DELETE).sum()), len(await self._evidence_of(s, actions))

    async def _reap(self, ids: Sequence[int], takings: "Takings") -> None:
        """Archived first, then looked at once more: who was used meanwhile stays."""
        seen = self._store.seq
        planned = await takings(ids)
        await self._keep_in_archive(planned)
        wanted = await self._unmoved(planned, seen)
        self._conflicts += len(planned) - len(wanted)
        if wanted:
            await self._store.apply(Batch(tuple(wanted), new_token()))
        for change in wanted:
            self._counts[_ACTIONS[change.cause]] += 1

    async def _unmoved(self, changes: Sequence[Taking], seen: int) -> list[Taking]:
        """Those about memories that nothing has happened to since. Nothing can happen between here and the writing."""
        here = [change for change in changes if await self._store.find(_key(change)) == change.id]
        s = await self._store.signals([change.id for change in here])
        wanted = np.array([DELETE if isinstance(change, Forget) else PRUNE for change in here], np.int8)
        still = (s.version <= seen) & (self._actions(s) == wanted)
        return [
            change
            for change, is_due, version in zip(here, still.tolist(), s.version.tolist(), strict=True)
            if is_due or (change.cause == EVIDENCE and version <= seen and await self._is_evidence(change.id))
        ]

    # ---- what is to be done

    def _actions(self, s: Signals) -> Column:
        """What this run does with each row: after a pause nothing is deleted."""
        actions = self._rule.reaping(s, self._now)
        return np.where(actions == DELETE, KEEP, actions) if self._after_pause else actions

    def _due(self, s: Signals) -> Column:
        return np.sort(s.id[self._actions(s) > KEEP])

    async def _due_takings(self, ids: Sequence[int]) -> list[Taking]:
        return await self._takings(ids, self._actions)

    async def _everything_due(self, ids: Sequence[int]) -> list[Taking]:
        """Also what waits for the next run."""
        return await self._takings(ids, lambda s: self._rule.reaping(s, self._now))

    async def _takings(self, ids: Sequence[int], actions_of: Callable[[Signals], Column]) -> list[Taking]:
        contents = await self._store.contents(ids)
        here = [memory for memory in ids if memory in contents]
        actions = actions_of(await self._store.signals(here)).tolist()
        return [
            Forget(self._now, memory, contents[memory].key, REAPED, self._run)
            if action == DELETE
            else Rewrite(self._now, memory, skeleton(contents[memory]), PRUNED, self._run)
            for memory, action in zip(here, actions, strict=True)
            if action > KEEP
        ]

    async def _evidence_takings(self, ids: Sequence[int]) -> list[Taking]:
        contents = await self._store.contents(ids)
        return [Forget(self._now, i, contents[i].key, EVIDENCE, self._run) for i in ids if i in contents]

    async def _evidence_of(self, s: Signals, actions: Column) -> Column:
        """The raw evidence that goes once these actions are done."""
        pruned = (actions == PRUNE) | ((s.pruned_at > NEVER) & (actions != DELETE))
        return await self._evidence(s, s.id[pruned], s.id[actions == DELETE])

    async def _evidence(self, s: Signals, pruned: Column, deleted: Column) -> Column:
        """What only the pruned are SUPPORTED_BY, once the deleted are gone, and what has had its own time too."""
        top = int(s.id.max(initial=0)) + 1
        by_pruned, by_deleted = [np.bincount(await self._supporting(ids), minlength=top)[s.id]
                                 for ids in (pruned, deleted)]  # fmt: skip
        alone = (by_pruned > 0) & (s.protected == by_pruned + by_deleted)
        return np.sort(s.id[alone & self._had_its_time(s)])

    async def _supporting(self, ids: Column) -> Column:
        walk = await self._store.walk(ids.tolist(), relations=(SUPPORTED_BY,))
        return walk.target[walk.known]

    async def _is_evidence(self, memory: int) -> bool:
        """Whether that still is so of one memory."""
        links = await self._store.links(memory, outgoing=False, relations=(SUPPORTED_BY,))
        pruned = (await self._store.signals([link.source for link in links])).pruned_at > NEVER
        s = await self._store.signals([memory])
        return bool(pruned.any() and pruned.sum() == s.protected[0] and self._had_its_time(s)[0])

    def _had_its_time(self, s: Signals) -> Column:
        """Would be due by itself if nothing protected it, and not of those that are kept for their importance."""
        spent = self._rule.spent(s, self._now - self._rule.reap_buffer * HOUR)
        due: Column = spent & (s.importance < max(self._rule.prune_importance, self._rule.delete_importance))
        return due

    # ---- the archive

    async def _keep_in_archive(self, changes: Sequence[Taking]) -> None:
        if self._archive is None or not changes:
            return
        records = await self._records(changes)
        self._parts += 1
        await self._archive.put(self._agent, self._run, records, part=self._parts)
        self._archived += len(records)

    async def _records(self, changes: Sequence[Taking]) -> list[Archived]:
        """Each as it stands, of those that are still there."""
        contents = await self._store.contents([change.id for change in changes])
        here = [change for change in changes if change.id in contents]
        s = await self._store.signals([change.id for change in here])
        rows = [s.plain(row) for row in range(len(here))]
        links = [await self._store.links(change.id, outgoing=True) for change in here]
        said = await self._store.contents([link.target for some in links for link in some])
        return [
            Archived(self._run, self._agent, self._now, change.cause, contents[change.id], row, *_standing(own, said))
            for change, row, own in zip(here, rows, links, strict=True)
        ]

    # ---- what is told

    async def _harvest(self, s: Signals, ids: Column, takings: "Takings") -> list[Harvest]:
        row_of = dict(zip(s.id.tolist(), range(len(s)), strict=True))
        found: list[Harvest] = []
        for _, some in _batches(ids, _PAGE):
            found += [self._harvested(s, row_of[change.id], change) for change in await takings(some)]
            await asyncio.sleep(0)
        return found

    def _harvested(self, s: Signals, row: int, change: Taking) -> Harvest:
        one = s.take(np.array([row]))
        why = self._rule.why(one, self._now)
        if change.cause == EVIDENCE:
            why = f"R {float(self._rule.vitality(one, self._now)[0]):.4f}; all that is SUPPORTED_BY it is pruned"
        return Harvest(_key(change), _ACTIONS[change.cause], float(one.importance[0]), why)

    def _report(
        self, s: Signals, started: float, *, dry_run: bool, harvest: tuple[Harvest, ...] = (),
        deferrals: tuple[Harvest, ...] = (),
    ) -> ReapReport:  # fmt: skip
        expired = int((self._rule.judge(s, self._now).state == CODE_OF[State.EXPIRED]).sum())
        counts = self._counts
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
            kept=expired - counts["delete"] - counts["prune"] - self._deferred[0],
            conflicts=self._conflicts,
            archived=self._archived,
            seconds=time.perf_counter() - started,
            harvest=harvest,
            deferred=sum(self._deferred),
            deferrals=deferrals,
            previous=self._previous,
        )


Takings = Callable[[Sequence[int]], Awaitable[list[Taking]]]

_ACTIONS = {REAPED: "delete", PRUNED: "prune", EVIDENCE: "evidence"}


def skeleton(said: Content) -> Content:
    """What pruning leaves: everything but the text, which a phrase or its first words stand for."""
    first = said.text if len(said.text) <= SKELETON else f"{said.text[: SKELETON - 1]}…"
    return replace(said, text=said.phrase or first)


def require_retention(store: Store) -> Retention:
    metabolism = store.regime.metabolism
    rule = reaping(metabolism)
    if rule is None:
        problem = f"only a retention mind has a reaper; in this one ({metabolism.name}) nothing expires"
        raise InvalidInput(problem=problem)
    return rule


def _standing(links: Sequence[Link], said: dict[int, Content]) -> tuple[tuple[LinkRow, ...], dict[int, str]]:
    """A memory's links for the archive, and the keys of those it leads to. Nothing is scanned here: `since` is 0."""
    rows = tuple(LinkRow(link.source, link.target, link.relation, link.strength, 0) for link in links)
    return rows, {link.target: said[link.target].key for link in links if link.target in said}


def _key(change: Taking) -> str:
    return change.key if isinstance(change, Forget) else change.content.key


async def _give_way(progress: Progress | None, done: int, total: int, pause: float) -> None:
    """Between two batches: all that was done so far is on disk, and can be undone by the run's name."""
    if progress:
        progress(done, total)
    await asyncio.sleep(pause)


def _batches(ids: Column, size: int) -> Iterable[tuple[int, list[int]]]:
    """Each with how many are done after it."""
    return ((min(first + size, len(ids)), ids[first : first + size].tolist()) for first in range(0, len(ids), size))
