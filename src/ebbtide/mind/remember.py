"""From messages to memories: segment, distil, focus, link.   SPEC N2–N4, N8.

First the small model is asked everything there is to ask; then, in one batch, all of it happens or none.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from ebbtide.core.answers import distilled_fault, relation_fault, segments_fault
from ebbtide.core.changes import Change, Enqueue, Focus, PutLink, PutMemory, Settle
from ebbtide.core.memory import Content, Message
from ebbtide.core.metabolism import Network
from ebbtide.core.ports import Distilled, SmallModel, Store
from ebbtide.core.state import COMPRESS, Task
from ebbtide.mind.asking import Asker
from ebbtide.mind.pool import Room, focus_limit
from ebbtide.mind.writing import free_key

ENTITY, SEGMENT = "entity", "segment"
NEXT, PREVIOUS = "下文", "上文"


@dataclass(frozen=True, slots=True)
class Understood:
    """What the small model made of one segment: its gist, and what it is to each focus point."""

    text: str
    gist: Distilled
    focus: tuple[str, ...]  # the focus points once this segment is said, least recently mentioned first
    relations: dict[str, str]


async def understand(store: Store, model: SmallModel, asker: Asker, messages: Sequence[Message]) -> list[Understood]:
    """Ask the small model all there is to ask. Raises ModelFailed if it cannot be had to answer."""
    limit = focus_limit(_network(store))
    segments = await asker.ask(lambda: model.segment(messages), lambda found: segments_fault(messages, found))
    focus = await focus_names(store)
    understood = []
    for text in segments:
        gist = await _gist(model, asker, text)
        focus = mentioned(focus, gist.entities, limit)
        relations = {name: await _relation(model, asker, text, name) for name in focus}
        understood.append(Understood(text, gist, tuple(focus), relations))
        await asyncio.sleep(0)  # a model in this process never waits: others, and Ctrl-C, get their turn here
    return understood


async def _gist(model: SmallModel, asker: Asker, text: str) -> Distilled:
    return await asker.ask(lambda: model.distil(text), lambda found: distilled_fault(text, found))


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
        before: int | None = None
        for part in understood:
            await self._let_go(part.focus)
            points = [await self._entity(name) for name in part.focus]
            self._refocus(tuple(points))
            segment = await self._segment(part)
            for name, point in zip(part.focus, points, strict=True):
                self._link_both(segment, point, part.relations[name], part.relations[name], 1.0)
            if before is not None and self._room.holds(before):
                self._link_both(before, segment, NEXT, PREVIOUS, self._network.link_initial_strength)
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
            known = await self._put(Content(key, name, name, (name,), ENTITY), self._now)
        self._entities[key] = known
        self._room.keep(known)
        return known

    async def _segment(self, part: Understood) -> int:
        memory = await self._store.reserve(1)
        gist = part.gist
        content = Content(await free_key(self._store, memory), part.text, gist.phrase, gist.keywords, SEGMENT)
        return await self._put(content, self._said_at(), memory)

    async def _put(self, content: Content, created_at: float, memory: int | None = None) -> int:
        memory = memory if memory is not None else await self._store.reserve(1)
        self._changes += await self._room.make(memory, content.key)
        self._changes.append(PutMemory(self._now, memory, content, created_at))
        return memory

    def _refocus(self, points: tuple[int, ...]) -> None:
        if points != self._focus:
            self._focus = points
            self._changes.append(Focus(self._now, points))
        self._room.protect(points)

    def _link_both(self, one: int, other: int, there: str, back: str, strength: float) -> None:
        self._changes.append(PutLink(self._now, one, other, there, strength))
        self._changes.append(PutLink(self._now, other, one, back, strength))

    def _said_at(self) -> float:
        """When it was said, as far as the messages tell."""
        times = [message.timestamp for message in self._task.messages if message.timestamp is not None]
        return min(max(times), self._now) if times else self._now


def _network(store: Store) -> Network:
    metabolism = store.regime.metabolism
    assert isinstance(metabolism, Network)
    return metabolism
