"""Forgetting and every way back from it: trash, restore, merge and un-merge, earlier texts.   SPEC C8."""

import random
from dataclasses import dataclass, replace

from ebbtide.core.changes import Change, Entry, Forget, Merge, PutMemory, Restore, Rewrite
from ebbtide.core.draft import MAX_TEXT, is_unicode, require_key, require_text
from ebbtide.core.errors import InvalidInput, NotInTrash, UnknownMemory
from ebbtide.core.memory import DAY, Content
from ebbtide.core.ports import Store
from ebbtide.core.state import Trashed
from ebbtide.core.whatif import UNMERGED
from ebbtide.mind.pool import Room


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory in the trash, as people look at it."""

    key: str
    text: str
    forgotten_at: float
    cause: str
    gone_at: float  # the end of its time in the trash


async def forget(store: Store, key: str, now: float) -> Forget:
    memory = await store.find(key)
    if memory is None:
        raise UnknownMemory(key=key)
    return Forget(now, memory, key)


async def restore(store: Store, key: str, new_key: str, now: float) -> tuple[int, list[Change]]:
    """The last one forgotten under that key whose time in the trash is not over, tick or no tick."""
    require_key(new_key)
    for _, gone in await store.trash(key=key) if is_unicode(key) else ():
        if now < _end(store, gone):
            room = await Room.of(store, now, random.Random())
            back: list[Change] = [*await room.make(gone.id, new_key), Restore(now, gone.id, new_key)]
            return gone.id, [*await _unmerged(store, gone, now), *back]
    raise NotInTrash(key=key)


async def _unmerged(store: Store, gone: Trashed, now: float) -> list[Change]:
    """The other half of a merge says again what it said, unless it was given another text since."""
    if gone.into is None or gone.before is None:
        return []
    says = (await store.contents([gone.into])).get(gone.into)
    if says is None or gone.merged is None or says != replace(gone.merged, key=says.key):
        return []
    return [Rewrite(now, gone.into, replace(gone.before, key=says.key), UNMERGED)]


async def merge(store: Store, into: int, other: int, text: str | None, now: float) -> Merge:
    if into == other:
        raise InvalidInput(problem="a memory cannot be merged with itself")
    contents = await store.contents([into, other])
    one, two = contents[into], contents[other]
    merged = replace(
        one,
        text=require_text("text", _joined(one.text, two.text) if text is None else text, MAX_TEXT),
        phrase=one.phrase or two.phrase,
        keywords=tuple(dict.fromkeys(one.keywords + two.keywords)),
    )
    return Merge(now, into, other, two.key, merged, one)


async def revert(store: Store, memory: int, key: str, now: float) -> Rewrite:
    """The text before the present one, as far back as the trash would reach."""
    said = [(entry.change.at, content) for entry in await _entries(store, memory) if (content := _says(entry, memory))]
    present = (await store.contents([memory]))[memory]
    changed_at, found = now, None
    for at, content in reversed(said):
        if content.text != present.text:
            found = content
            break
        changed_at = at
    if found is None or now - changed_at >= store.regime.common.trash_days * DAY:
        raise InvalidInput(problem=f"{key!r} has no earlier text that could be brought back")
    return Rewrite(now, memory, replace(found, key=key), "reverted")


async def in_trash(store: Store, now: float) -> list[Forgotten]:
    return [
        Forgotten(gone.key, content.text, gone.at, gone.cause, _end(store, gone))
        for content, gone in await store.trash()
        if now < _end(store, gone)
    ]


async def id_even_if_forgotten(store: Store, key: str) -> int | None:
    """The living memory of that key, or the last one forgotten."""
    memory = await store.find(key)
    if memory is not None or not is_unicode(key):
        return memory
    gone = await store.trash(key=key)
    return gone[0][1].id if gone else None


async def _entries(store: Store, memory: int) -> list[Entry]:
    found: list[Entry] = []
    while some := await store.journal(after=found[-1].seq if found else 0, memory=memory):
        found += some
    return found


def _says(entry: Entry, memory: int) -> Content | None:
    match entry.change:
        case PutMemory() | Rewrite():
            return entry.change.content
        case Merge(into=into) if into == memory:
            return entry.change.content
    return None


def _end(store: Store, gone: Trashed) -> float:
    return gone.at + store.regime.common.trash_days * DAY


def _joined(one: str, two: str) -> str:
    """Both texts, unless one says the other already."""
    if two in one:
        return one
    return two if one in two else f"{one}\n{two}"
