"""From messages to memories: segment, distil, focus, link.   SPEC N2–N4, N8.

First the small model is asked everything there is to ask; then, in one batch, all of it happens or none.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from ebbtide.core.answers import relation_fault
from ebbtide.core.changes import Change, Enqueue, Focus, PutLink, PutMemory, Settle
from ebbtide.core.entities import usable
from ebbtide.core.memory import Content, Message
from ebbtide.core.metabolism import Network, networked
from ebbtide.core.ports import SmallModel, Store
from ebbtide.core.state import COMPRESS, Task
from ebbtide.mind.asking import Asker
from ebbtide.mind.conversation import facts_put, order_links, order_of, segment_put
from ebbtide.mind.pool import Room, focus_limit
from ebbtide.mind.segments import Reader, Segment
from ebbtide.mind.writing import free_key

ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Understood:
    """What the small model made of one segment: its gist, and what it is to each focus point."""

    segment: Segment
    focus: tuple[str, ...]  # the focus points once this segment is said, least recently mentioned first
    relations: dict[str, str]


async def understand(
    store: Store, reader: Reader, model: SmallModel, asker: Asker, messages: Sequence[Message]
) -> list[Understood]:
    """Ask the small model all there is to ask. Raises ModelFailed if it cannot be had to answer."""
    limit = focus_limit(_network(store))
    segments = await reader.divide(messages)
    focus = await focus_names(store)
    before: Sequence[str] = focus  # of the segment before; for the first one, what was mentioned last
    understood = []
    for piece in segments:
        segment = await reader.read(piece)
        before = usable(segment.gist.entities, piece.text, before)
        focus = mentioned(focus, before, limit)
        relations = {name: await _relation(model, asker, piece.text, name) for name in focus}
        understood.append(Understood(segment, tuple(focus), relations))
        await asyncio.sleep(0)  # a model in this process never waits: others, and Ctrl-C, get their turn here
    return understood


async def _relation(model: SmallModel, asker: Asker, text: str, name: str) -> str:
    return await asker.ask(lambda: model.relation(text, name), lambda found: relation_fault(text, found))


def mentioned(focus: Sequence[str], entities: Sequence[str], limit: int) -> list[str]:
    """The focus after these were mentioned: the first of them is the freshest, the stalest fall out."""
    spelled: dict[str, str] = {}
    for name in entities:
        spelled.setdefault(_same(name), name)
    fresh = list(spelled.values())[:limit]
    kept = [name for name in focus if _same(name) not in map(_same, fresh)]
    return [*kept, *reversed(fresh)][-limit:] if limit else []


async def focus_names(store: Store) -> list[str]:
    focus = await store.focus()
    contents = await store.contents(focus)
    return [_name(contents[point]) for point in focus if point in contents]


def _name(entity: Content) -> str:
    """What it is called. Its text may have faded on the way; its key has not."""
    name = entity.key.removeprefix(f"{ENTITY}/")
    return entity.text if _same(entity.text) == name or name == entity.key else name


def entity_key(name: str) -> str:
    return f"{ENTITY}/{_same(name)}"


def _same(name: str) -> str:
    """Lin and lin are one entity."""
    return " ".join(name.casefold().split())


async def told(
    store: Store, task: Task, understood: Sequence[Understood], now: float, chance: random.Random
) -> list[Change]:
    """All that becomes of a task, to be applied at once; put together anew if a full pool changed meanwhile."""
    while True:
        telling = Telling(store, task, now, chance)
        changes = await telling.changes(understood)
        if await telling.undisturbed():
            return changes


class Telling:
    """One task on its way to becoming changes. Looks things up as they are at this moment, so build it in one go."""

    def __init__(self, store: Store, task: Task, now: float, chance: random.Random) -> None:
        self._store = store
        self._task = task
        self._now = now
        self._chance = chance
        self._network = _network(store)
        self._changes: list[Change] = []
        self._entities: dict[str, int] = {}
        self._focus: tuple[int, ...] = ()

    async def changes(self, understood: Sequence[Understood]) -> list[Change]:
        self._room = await Room.of(self._store, self._now, self._chance)
        self._focus = await self._store.focus()
        before, order = None, order_of(self._task)
        for part in understood:
            await self._let_go(part.focus)
            points = [await self._entity(name) for name in part.focus]
            self._refocus(tuple(points))
            segment = await self._segment(part.segment)
            for name, point in zip(part.focus, points, strict=True):
                self._link_both(segment, point, part.relations[name], part.relations[name], 1.0)
            if before is not None and self._room.holds(before):
                strength = self._network.link_initial_strength
                self._changes += order_links(before, segment, order, strength, self._now)
            before = segment
        youngest = await self._store.reserve(0) - 1 if before is None else before
        due = Enqueue(self._now, COMPRESS, upto=youngest)
        return [*self._changes, Settle(self._now, self._task.id), due]

    async def undisturbed(self) -> bool:
        return await self._room.undisturbed()

    async def _let_go(self, names: Sequence[str]) -> None:
        """Points that fall out of focus do so first: until then a full pool may not give them up."""
        staying = {self._entities.get(key) or await self._store.find(key) for key in map(entity_key, names)}
        self._refocus(tuple(point for point in self._focus if point in staying))

    async def _entity(self, name: str) -> int:
        """Reused if alive, else made."""
        key = entity_key(name)
        known = self._entities.get(key) or await self._store.find(key)
        if known is None or not self._room.holds(known):
            known = await self._store.reserve(1)
            await self._put(PutMemory(self._now, known, Content(key, name, name, (name,), ENTITY), self._now))
        self._entities[key] = known
        self._room.keep(known)
        return known

    async def _segment(self, part: Segment) -> int:
        memory = await self._store.reserve(1)
        await self._put(segment_put(memory, await free_key(self._store, memory), part, self._now))
        for change in await facts_put(self._store, memory, part, self._now):
            if isinstance(change, PutMemory):
                await self._put(change)
            elif isinstance(change, PutLink) and self._room.holds(change.source) and self._room.holds(change.target):
                self._changes.append(change)
        return memory

    async def _put(self, put: PutMemory) -> None:
        self._changes += await self._room.make(put.id, put.content.key)
        self._changes.append(put)

    def _refocus(self, points: tuple[int, ...]) -> None:
        if points != self._focus:
            self._focus = points
            self._changes.append(Focus(self._now, points))
        self._room.protect(points)

    def _link_both(self, one: int, other: int, there: str, back: str, strength: float) -> None:
        self._changes.append(PutLink(self._now, one, other, there, strength))
        self._changes.append(PutLink(self._now, other, one, back, strength))


def _network(store: Store) -> Network:
    network = networked(store.regime.metabolism)
    assert network is not None
    return network
