"""What would I remember under another regime? The journal's facts, judged anew by the new one.   SPEC C6.

No model is asked: a text that the new regime would have shortened stays as it was told. No vectors are made: what
supersedes what is found by those the original has (`Likeness`). All else a network mind
decides by itself, who fades and who is forgotten, is arithmetic and is worked out afresh, cycle by cycle.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np

from ebbtide.core.changes import (
    Access,
    Appraise,
    Batch,
    Change,
    Discard,
    Enqueue,
    Entry,
    Focus,
    Forget,
    Merge,
    Pin,
    PutMemory,
    Recover,
    Restore,
    Rewrite,
    Scan,
    Settle,
    Supersede,
    Sweep,
    Touch,
    Traverse,
    WriteDown,
)
from ebbtide.core.cycle import FORGET, plan_cycle
from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import HOUR, STATES, Content, State
from ebbtide.core.metabolism import Network, networked
from ebbtide.core.ports import Store
from ebbtide.core.ranges import ranges_of
from ebbtide.core.state import COMPRESS, Task
from ebbtide.core.whatif import REVIVED, retell
from ebbtide.mind.cycle import FADED
from ebbtide.mind.likeness import Found, Likeness
from ebbtide.mind.pool import focus_limit
from ebbtide.mind.remember import ENTITY
from ebbtide.mind.touching import cascade
from ebbtide.mind.writing import make_room

SUPERSEDED = "superseded"
_AT_ONCE = 500  # memories of a base that are read at a time
_REFERENCES = ("id", "source", "target", "into")


class Reader(Protocol):
    """Reads what memories say, for a regime that looks at it where the old one did not."""

    def read(self, at: float, contents: Mapping[int, Content]) -> Appraise: ...


class Retelling:
    """Lets a copy live through the journal of a mind that lived by `old`.

    An entity that is mentioned again is used again if it is alive and made anew if not, and which of the two may
    differ here: then it goes by another id than in the journal. Ids from `free` on are nobody's.
    """

    def __init__(
        self,
        copy: Store,
        old: str,
        free: int,
        waiting: Iterable[Task] = (),
        reader: Reader | None = None,
        likeness: Likeness | None = None,
    ) -> None:
        self._copy = copy
        self._old = old
        self._new = copy.regime.metabolism
        self._free = self._next = free
        self._here: dict[int, int] = {}  # the id in the journal: the id here
        self._cycles = {task.id: (task.upto, free) for task in waiting if task.kind == COMPRESS}
        self._reader = reader
        self._likeness = likeness if old != self._new.name else None
        self._chance = random.Random(0)  # so that the same question gets the same answer

    async def tell(self, entry: Entry) -> None:
        if (network := networked(self._new)) is not None:
            await self._follow_cycles(network, entry)
        change = retell(self._renamed(entry.change), old=self._old, new=self._new.name)
        if isinstance(change, WriteDown):
            change = await self._judged_anew(change.at)
        if change is None:
            return
        try:
            await self._apply(f"retold-{entry.seq}", *await self._fitted(change))
        except EbbtideError:
            await self._give_way(change, entry.seq)
        if self._reader is not None and isinstance(change, PutMemory):
            await self._apply(f"read-{entry.seq}", self._reader.read(change.at, {change.id: change.content}))
        if self._likeness is not None:
            await self._compare(self._likeness, change, entry.seq)

    async def tell_puts(self, puts: Sequence[Entry]) -> None:
        """Puts in a row: the same as telling each by itself, at one stroke where nothing stands in their way."""
        told = [cast(PutMemory, retell(put.change, old=self._old, new=self._new.name)) for put in puts]
        if self._new.traits.network or not await self._take_all(puts[0].seq, told):
            for put in puts:
                await self.tell(put)
            return
        if self._reader is not None:
            read = self._reader.read(told[-1].at, {put.id: put.content for put in told})
            await self._apply(f"read-{puts[0].seq}", read)
        await self._compare_each(told, puts[0].seq)

    async def let_go(self, leaving: Sequence[Forget]) -> None:
        """These leave for a reason that the journal does not know."""
        seq = self._copy.seq
        await self._apply(f"let-go-{seq}", *leaving)
        await self._compare_each(leaving, -seq)

    async def _take_all(self, seq: int, puts: Sequence[PutMemory]) -> bool:
        """Whether these could all be put as they are; if not, nothing has happened."""
        try:
            await self._apply(f"retold-{seq}", *puts)
        except EbbtideError:
            return False
        return True

    def known_as(self, memory: int) -> int:
        """The id that a memory of the journal goes by here."""
        return self._here.get(memory, memory)

    async def read_base(self) -> None:
        """What the journal starts from was told long ago; it is read all the same."""
        if self._reader is None:
            return
        ids = (await self._copy.living()).tolist()
        for start in range(0, len(ids), _AT_ONCE):
            contents = await self._copy.contents(ids[start : start + _AT_ONCE])
            await self._apply(f"read-base-{start}", self._reader.read(0.0, contents))
            if self._likeness is not None:
                await self._compare_all(self._likeness, sorted(contents))

    async def _compare_each(self, changes: Sequence[Change], seq: int) -> None:
        if self._likeness is not None:
            for change in changes:
                await self._compare(self._likeness, change, seq)

    async def _compare_all(self, likeness: Likeness, ids: Sequence[int]) -> None:
        for memory in ids:
            await self._supersede(f"alike-base-{memory}", 0.0, await likeness.told(self._copy, memory))

    async def _compare(self, likeness: Likeness, change: Change, seq: int) -> None:
        """What supersedes what, now that this has happened."""
        gone, come = _moved(change)
        for memory in gone:
            await self._supersede(f"gone-{seq}-{memory}", change.at, await likeness.gone(self._copy, memory))
        for memory in come:
            await self._supersede(f"alike-{seq}-{memory}", change.at, await likeness.told(self._copy, memory))

    async def _supersede(self, token: str, at: float, found: Found) -> None:
        if found:
            await self._apply(token, Supersede(at, self._copy.seq, found))

    async def _apply(self, token: str, *changes: Change) -> None:
        if not changes:
            return
        receipt = await self._copy.apply(Batch(changes, token))
        if isinstance(touch := changes[0], Touch) and self._new.traits.reaps:
            await cascade(self._copy, [memory for memory in touch.ids if memory not in receipt.stale], touch.at)

    def _renamed(self, change: Change) -> Change:
        """The change with the ids that memories go by here."""
        if not self._here or isinstance(change, PutMemory):
            return change
        given = {name: getattr(change, name, None) for name in _REFERENCES}
        named: dict[str, Any] = {name: self._here[old] for name, old in given.items() if old in self._here}
        if isinstance(change, Access | Touch | Traverse | Pin | Focus | Discard):
            named["ids"] = tuple(self._here.get(memory, memory) for memory in change.ids)
        return replace(change, **named)

    async def _fitted(self, change: Change) -> list[Change]:
        """The change as far as it can have happened here, and what has to happen with it in a network mind."""
        match change:
            case Supersede():
                return [replace(change, seen=self._copy.seq)]  # entries have other numbers here
            case Access(at=at, ids=ids) | Traverse(at=at, ids=ids):
                seen = await self._visible(ids, at)
                return [replace(change, ids=seen)] if seen else []
            case Touch():
                return await self._touched(change)
            case Pin(ids=ids):
                here = await self._copy.contents(ids)
                alive = tuple(memory for memory in ids if memory in here)
                return [replace(change, ids=alive)] if alive else []
            case PutMemory() if await self._is_known_entity(change):
                return []
            case PutMemory(at=at):
                return await make_room(self._copy, at, [change], self._chance)
            case Focus(at=at, ids=ids):
                return await self._refocused(at, ids)
        return [change]

    async def _touched(self, change: Touch) -> list[Change]:
        """As often as this regime lets a touch count; of touches the old one did not count nothing is known."""
        seen = change.ids if change.cause == REVIVED else await self._visible(change.ids, change.at)
        spacing = self._copy.regime.common.touch_spacing * HOUR
        return [replace(change, ids=seen, spacing=spacing)] if seen else []

    async def _visible(self, ids: tuple[int, ...], at: float) -> tuple[int, ...]:
        """What had expired by then nobody could use."""
        if State.EXPIRED not in self._new.states:
            return ids
        here = [memory for memory in ids if memory in await self._copy.contents(ids)]
        states = self._new.judge(await self._copy.signals(here), at).state
        return tuple(memory for memory, code in zip(here, states, strict=True) if STATES[code] is not State.EXPIRED)

    async def _give_way(self, change: Change, seq: int) -> None:
        """In this world a change may not fit: what it speaks of is still here, or never left.

        A put finds its key taken by a memory that the old regime had forgotten: that one gives way.
        """
        if not isinstance(change, PutMemory):
            return
        holder = await self._copy.find(change.content.key)
        if holder is not None:
            give_way = Forget(change.at, holder, change.content.key, SUPERSEDED)
            await self._apply(f"retold-again-{seq}", give_way, change)

    async def _judged_anew(self, at: float) -> WriteDown | None:
        signals = await self._copy.signals()
        if not len(signals):
            return None
        verdicts = self._new.judge(signals, at)
        scores = None if verdicts.score is None else tuple(verdicts.score.tolist())
        ids, states, marks = signals.id.tolist(), verdicts.state.tolist(), verdicts.marks.tolist()
        return WriteDown(at, self._copy.seq, tuple(ids), tuple(states), tuple(marks), scores)

    # ---- the network mind

    async def _is_known_entity(self, put: PutMemory) -> bool:
        """The old regime had forgotten it and made it anew; here it is still alive."""
        if put.content.kind != ENTITY or not self._new.traits.network:
            return False
        holder = await self._copy.find(put.content.key)
        if holder is None:
            return False
        self._here[put.id] = holder
        return True

    async def _follow_cycles(self, network: Network, entry: Entry) -> None:
        """Where a cycle of the old regime ended, the new one has its own over the same memories."""
        match entry.change:
            case Enqueue(kind=kind, upto=upto) if kind == COMPRESS:
                self._cycles[entry.seq] = (upto, self._next)
            case Settle(at=at, task=task, outcome=outcome) if task in self._cycles:
                upto, made = self._cycles.pop(task)
                if outcome == "done":
                    await self._cycle(network, at, upto, made, entry.seq)

    async def _cycle(self, network: Network, at: float, upto: int, made: int, seq: int) -> None:
        """Over memories up to the id `upto`, and those made here before the id `made`."""
        between = ((upto + 1, self._free - 1),)
        plan = plan_cycle(network, await self._copy.signals(), upto=made - 1, scanned=between, passed=0)
        gone = plan.ids[plan.action == FORGET].tolist()
        contents = await self._copy.contents(gone)
        scan = Scan(at, ranges_of(np.sort(plan.ids), await self._copy.living()))
        forgotten = [Forget(at, memory, contents[memory].key, FADED) for memory in gone]
        await self._apply(f"retold-cycle-{seq}", scan, *forgotten, Sweep(at))

    async def _refocused(self, at: float, points: tuple[int, ...]) -> list[Change]:
        """With a longer focus those stay that the old regime let go; those this one forgot are made again."""
        network = networked(self._new)
        limit = 0 if network is None else focus_limit(network)
        wanted = [*(point for point in await self._copy.focus() if point not in points), *points]
        wanted = wanted[max(0, len(wanted) - limit) :]
        living = set((await self._copy.living()).tolist())
        again = await self._made_again(at, [point for point in wanted if point not in living])
        room = await make_room(self._copy, at, again, self._chance)
        here = (living | {put.id for put in again}) - {change.id for change in room if isinstance(change, Forget)}
        names = [self._here.get(point, point) for point in wanted]
        return [*room, Focus(at, tuple(point for point in names if point in here))]

    async def _made_again(self, at: float, lost: Sequence[int]) -> list[PutMemory]:
        """As a mind would that no longer knew them; as far as the trash knows what they were called."""
        found = await self._copy.trash(ids=lost) if lost else []
        puts = []
        for content, gone in found:
            self._here = {old: self._next if here == gone.id else here for old, here in self._here.items()}
            self._here[gone.id] = self._next
            puts.append(PutMemory(at, self._next, content, at))
            self._next += 1
        return puts


def _moved(change: Change) -> tuple[list[int], list[int]]:
    """Memories that no longer say what they said, and memories that say something new."""
    match change:
        case Forget(id=memory):
            return [memory], []
        case Merge(into=into, id=memory):
            return [memory, into], [into]
        case Rewrite(id=memory):
            return [memory], [memory]
        case PutMemory(id=memory) | Restore(id=memory) | Recover(id=memory):
            return [], [memory]
    return [], []
