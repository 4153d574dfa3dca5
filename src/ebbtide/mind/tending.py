"""The verbs of ageing: what time does to memories, what may be tidied up, and what is to come."""

import asyncio
from collections.abc import Sequence

from ebbtide.core.archive import Archive, ArchivedRun
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import Content, Memory
from ebbtide.mind import merging, squeezing, suggestions, unreaping, upkeep
from ebbtide.mind.asking import Asker
from ebbtide.mind.face import Face
from ebbtide.mind.forecasting import Outlook, outlook
from ebbtide.mind.reaping import Reaper, ReapReport
from ebbtide.mind.shortening import shortened
from ebbtide.mind.squeezing import SqueezeReport
from ebbtide.mind.suggestions import Kind, Suggestion
from ebbtide.mind.timeline import Timeline, Timelines
from ebbtide.mind.unreaping import Undone
from ebbtide.mind.upkeep import Progress, TickReport


class Tending(Face):
    _ticking: asyncio.Lock
    _timelines: Timelines

    async def tick(
        self, *, dry_run: bool = False, at: float | None = None, batch_size: int = 100, pause: float = 0.0,
        progress: Progress | None = None,
    ) -> TickReport:  # fmt: skip
        """Write down the states of this moment. A dry run lists what that would change, also for another moment.

        >>> (await mind.tick()).seen
        2
        """
        if dry_run:
            moment = self.now() if at is None else at
            pairs = await merging.find_pairs(self._store, self._indexing, moment, progress)
            return await upkeep.dry_run(self._store, moment, pairs)
        self._require_writable()
        if at is not None:
            raise InvalidInput(problem="a tick writes down what is true now: another moment needs dry_run")
        async with self._ticking:
            pairs = await merging.find_pairs(self._store, self._indexing, self.now(), progress)
            report = await upkeep.tick(
                self._store, self.now(), pairs=pairs, batch_size=batch_size, pause=pause, progress=progress
            )
        self._indexing.nudge()  # what left or was rewritten since the last put may have superseded others
        return report

    async def forecast(self, days: float | None = None, *, scans: int | None = None, limit: int = 100) -> Outlook:
        """Who will turn cold, expire or become deletable within so many days (30) if nothing happens, and why.

        A network mind fades by scans (100), not by days.

        >>> (await mind.forecast(90)).counts
        {'cold': 2}
        """
        return await outlook(self._store, self.now(), days, scans, limit)

    async def timeline(self, weeks_back: int = 8, weeks_ahead: int = 8) -> Timeline:
        """How many memories there were in each state at the end of each week, are now, and will be if nothing happens.

        Weeks back are read off the journal; of a long journal they are estimated. A network mind fades by scans, not
        by weeks: it has none ahead.

        >>> [point.states for point in (await mind.timeline(0, 1)).points]
        [{<State.ACTIVE: 'active'>: 2}, {<State.ACTIVE: 'active'>: 2}]
        """
        return await self._timelines.timeline(self._store, self.now(), weeks_back, weeks_ahead)

    # ---- suggestions

    async def suggestions(self, kind: Kind | None = None, *, limit: int | None = None) -> Sequence[Suggestion]:
        """What may be merged or deleted, as of now, and why. Dismissed ones are left out.

        >>> list(await mind.suggestions())
        []
        """
        return await suggestions.suggestions(self._store, self.now(), kind, limit)

    async def accept(self, kind: Kind, *keys: str, text: str | None = None) -> None:
        """Do as suggested. What goes, goes into the trash: `restore` undoes it. `text`: what a merged memory says.

        >>> for advice in await mind.suggestions("delete"):
        ...     await mind.accept(advice.kind, *advice.keys)
        """
        await self._apply(*await suggestions.accepted(self._store, self.now(), kind, keys, text))

    async def dismiss(self, kind: Kind, *keys: str) -> None:
        """Not this one: it is not suggested again until its facts change (its text, its uses, its links).

        >>> for advice in await mind.suggestions("merge"):
        ...     await mind.dismiss(advice.kind, *advice.keys)
        """
        await self._apply(await suggestions.dismissed(self._store, self.now(), kind, keys))

    # ---- the budget

    async def squeeze(
        self, *, dry_run: bool = False, pause: float = 0.0, progress: Progress | None = None
    ) -> SqueezeReport:
        """Halve the texts of those that would leave next, once a mind is nearly as full as its budget lets it be.

        A dry run lists them. What leaves, leaves with the batch that goes over the budget, for the trash; `unsqueeze`
        takes a run back.

        >>> (await mind.squeeze(dry_run=True)).budget.memories
        2
        """
        if dry_run:
            return await squeezing.dry_run(self._store, self.now())
        self._require_writable()
        async with self._ticking:
            report = await squeezing.squeeze(self._store, self._shortened, self.now(), pause, progress)
        self._indexing.nudge()
        return report

    async def unsqueeze(self, run: str) -> Undone:
        """Take back a run of the budget: what left in it comes back, what it halved is whole again.

        In a mind that is full the next to leave go in their place: raise the budget first, or pin what is to stay.

        >>> run = (await mind.squeeze()).run
        >>> _ = await mind.unsqueeze(run) if run else None
        """
        self._require_writable()
        undone = await squeezing.undo(self._store, run, self.now())
        self._indexing.nudge()
        return undone

    async def _shortened(self, said: Content, length: int) -> Content | None:
        model = self._small_model()
        retries = 1 if model.deterministic else self._store.regime.common.max_retries
        return await shortened(model, Asker(retries), said, length)

    # ---- the reaper

    async def reap(
        self, *, dry_run: bool = False, batch_size: int = 100, pause: float = 0.0, progress: Progress | None = None
    ) -> ReapReport:
        """Delete or prune what has been expired for long; a retention mind only. `unreap` takes a run back.

        The first run after a pause (`reap_pause`) deletes nothing: its report's `deferred` says what the next one will.

        >>> [(harvest.key, harvest.action) for harvest in (await mind.reap(dry_run=True)).harvest]
        [('ferry', 'prune'), ('lin', 'prune')]
        """
        previous = await self._store.reaped_at()
        reaper = Reaper(self.agent, self._store, self._tools.archive(), self.now(), previous)
        if dry_run:
            return await reaper.dry_run()
        self._require_writable()
        async with self._ticking:
            return await reaper.run(batch_size, pause, progress)

    async def unreap(self, run: str, *, progress: Progress | None = None) -> Undone:
        """Take back what a run of the reaper did, as far as trash and archive hold it.

        >>> run = (await mind.reap()).run
        >>> (await mind.unreap(run)).unpruned
        ('ferry', 'lin')
        """
        self._require_writable()
        return await unreaping.undo(self.agent, self._store, self._tools.archive(), run, self.now(), progress)

    async def recover(self, key: str) -> Memory:
        """Bring a memory back from the archive, after its time in the trash is over.

        >>> _ = await mind.recover("ferry") if await mind.archived() else None
        """
        memory, change = await unreaping.from_archive(self.agent, self._store, self._kept(), key, self.now())
        await self._apply(change)
        return await self._see(memory, key)

    async def archived(self) -> Sequence[ArchivedRun]:
        """The runs the archive has of this mind, latest first.

        >>> [run.run for run in await mind.archived()]
        []
        """
        return await self._kept().runs(self.agent)

    def _kept(self) -> Archive:
        archive = self._tools.archive()
        if archive is None:
            raise InvalidInput(
                problem="this mind has no archive: the setting `archive` names a folder or an S3 address"
            )
        return archive
