"""The verbs of looking back: what happened, how it was then, and how it would have come out otherwise."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ebbtide.core.changes import Entry
from ebbtide.core.errors import InvalidInput, UnknownMemory
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import Metabolism, Tide, appraising
from ebbtide.core.parameters import regime
from ebbtide.core.ports import Analyzer
from ebbtide.core.tuning import Tuning
from ebbtide.mind import forgetting, history
from ebbtide.mind.face import Face
from ebbtide.mind.likeness import MOST, Likeness
from ebbtide.mind.moments import instant
from ebbtide.mind.tuning import tuned
from ebbtide.mind.upkeep import Progress

if TYPE_CHECKING:
    from ebbtide.mind.mind import Mind

log = logging.getLogger("ebbtide")


class Retracing(Face):
    _scratch: history.Scratch

    async def journal(self, *, after: int = 0, limit: int = 100, key: str | None = None) -> Sequence[Entry]:
        """Entries in order, from the one after `after`; with `key` only those about that memory alone.

        A key that is neither alive nor in the trash is an UnknownMemory.

        >>> [type(entry.change).__name__ for entry in await mind.journal(key="lin")]
        ['PutMemory', 'PutLink']
        """
        memory = None if key is None else await forgetting.id_even_if_forgotten(self._store, key)
        if key is not None and memory is None:
            raise UnknownMemory(key=key)
        return await self._store.journal(after=after, limit=limit, memory=memory)

    def entries(self) -> AsyncIterator[Entry]:
        """The whole journal, in order.

        >>> [entry.seq async for entry in mind.entries()]
        [1, 2, 3, 4]
        """
        return history.entries(self._store)

    async def as_of(self, moment: float, progress: Progress | None = None) -> "Mind":
        """The mind as it was at that moment.

        >>> (await (await mind.as_of(mind.now())).get("ferry")).key
        'ferry'
        """
        upto = await history.last_entry_by(self._store, moment)
        if upto == 0:
            raise InvalidInput(problem="this mind was not there yet at that moment")
        base = await self._store.base()
        if base is not None and upto <= base.seq:
            raise InvalidInput(problem="the journal was compacted after that moment: its beginning is folded away")
        past = await history.replay(self._store, self._scratch, upto=upto, progress=progress)
        return self._apart(past, moment)

    async def at(self, moment: float | str, progress: Progress | None = None) -> "Mind":
        """The mind at another moment, to look at: nothing can be written to it, and reading counts as no use.

        `moment`: seconds since 1970, a date or a time in ISO 8601, or an offset such as +90d. Of a moment to come the
        mind as it will be if nothing happens until then (a network mind fades by scans, so it stays as it is); of one
        that has passed the mind as it was (`as_of`).

        >>> (await (await mind.at("+90d")).get("ferry")).state
        <State.COLD: 'cold'>
        """
        now = self.now()
        when = instant(moment, now)
        return self._ahead(when) if when > now else await self.as_of(when, progress)

    async def replay(
        self,
        metabolism: str | None = None,
        params: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> "Mind":
        """The mind that would have been, had it lived by another metabolism or other parameters.

        >>> (await (await mind.replay("score")).get("ferry")).meta.score
        50
        """
        name = self.metabolism if metabolism is None else metabolism
        kept = self.params if name == self.metabolism else {}
        new, fallbacks = regime(name, {**kept, **(params or {})})
        for fallback in fallbacks:
            log.warning("replay: %s", fallback)
        reader = self._tools.analyzer() if new.metabolism.traits.appraises else None
        alike = None if reader is None or name == self.metabolism else await self._likeness(reader, new.metabolism)
        other = await history.retold(
            self._store, self._scratch, new, analyzer=reader, likeness=alike, progress=progress
        )
        return self._apart(other)

    async def _likeness(self, reader: Analyzer, metabolism: Metabolism) -> Likeness | None:
        """What this mind's vectors say of which memories are nearly the same; None where there are no vectors."""
        tide, material = appraising(metabolism), await self._indexing.material(MOST)
        return None if tide is None or material is None else await Likeness.of(self._store, material, reader, tide)

    async def tune(
        self,
        budgets: str | int | Sequence[str | int] = (),
        *,
        metabolisms: str | Sequence[str] = (),
        params: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> Tuning:
        """Which metabolism and parameters would have kept what was used? Replays the journal; changes nothing.

        The questions are the confirmed uses (touches and direct reads) of memories older than a day. Each candidate
        lives through the journal with room for so many memories; the lowest vitality leaves.

        `budgets`: such as "25%" of the memories ever made, or a number of memories; the first one is compared by. None:
        the mind's own budget if it is below that number, else 50 %, 25 % and 10 % (of a journal of more than 20,000
        entries 25 % alone). `metabolisms`: only these.
        `params`: one more candidate, of the metabolism named or of this mind's. A bad value is an InvalidInput.

        >>> found = await mind.tune(["50%"])
        >>> found.memories, found.uses, found.enough
        (2, 0, False)
        """
        analyzer = self._tools.analyzer()
        anew = not self._store.regime.metabolism.traits.appraises
        return await tuned(
            self._store,
            self._scratch,
            budgets=budgets,
            metabolisms=metabolisms,
            params=params,
            analyzer=analyzer,
            likeness=await self._likeness(analyzer, Tide()) if analyzer is not None and anew else None,
            progress=progress,
        )

    async def rehearsal(self, progress: Progress | None = None) -> "Mind":
        """A copy of this mind in RAM that lives on by itself: whatever is done to it, this one stays as it is.

        >>> copy = await mind.rehearsal()
        >>> await copy.forget("ferry")
        >>> (await mind.get("ferry")).key
        'ferry'
        """
        return self._beside(await history.replay(self._store, self._scratch, progress=progress))

    async def check(self, progress: Progress | None = None) -> Sequence[str]:
        """Replay the journal and compare: what differs from the store. Nothing should.

        >>> list(await mind.check())
        []
        """
        copy = await history.replay(self._store, self._scratch, progress=progress)
        return history.differences(await self._store.snapshot(), await copy.snapshot())

    async def compact(self, before: float | None = None, progress: Progress | None = None) -> int:
        """Fold journal entries made before this moment into a base. Returns how many.

        What the trash may still need to bring an earlier text back is never folded. Without a moment: where the
        journal is longer than `journal_entries` and than four entries for each memory, its older half, however young;
        the scheduler does that with each tick.

        >>> await mind.compact(mind.now() - 90 * DAY)
        0
        """
        self._require_writable()
        if before is None:
            return await history.compact_surplus(self._store, self._scratch, progress)
        kept = self.now() - self._store.regime.common.trash_days * DAY
        return await history.compact(self._store, self._scratch, min(before, kept), progress)
