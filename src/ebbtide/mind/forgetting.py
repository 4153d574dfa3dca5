"""Forgetting and every way back from it: trash, restore, merge and un-merge, earlier texts.   SPEC C8."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ebbtide.core.changes import Change, Entry, Forget, Merge, PutMemory, Recover, Restore, Rewrite
from ebbtide.core.draft import MAX_TEXT, is_unicode, require_key, require_text
from ebbtide.core.errors import InvalidInput, NotInTrash, UnknownMemory
from ebbtide.core.memory import DAY, Content
from ebbtide.core.ports import Store
from ebbtide.core.signals import NEVER
from ebbtide.core.state import Trashed
from ebbtide.core.whatif import COMPRESSED, HALVED, PRUNED, UNFADED, UNHALVED, UNMERGED, UNPRUNED
from ebbtide.mind.pool import Room


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory in the trash, as people look at it."""

    key: str
    text: str
    forgotten_at: float
    cause: str
    gone_at: float  # the end of its time in the trash
    run: str = ""  # of the reaper, if it was that
    id: int = 0  # a key may have been forgotten more than once


@dataclass(frozen=True, slots=True)
class _Saying:
    """What a memory said from a moment on, and why."""

    at: float
    content: Content
    cause: str
    run: str = ""


async def forget(store: Store, key: str, now: float) -> Forget:
    memory = await store.find(key)
    if memory is None:
        raise UnknownMemory(key=key)
    return Forget(now, memory, key)


async def restore(
    store: Store, key: str, new_key: str, now: float, memory: int | None = None
) -> tuple[int, list[Change]]:
    """The last one forgotten under that key whose time in the trash is not over, tick or no tick; or this very one."""
    require_key(new_key)
    for _, gone in await store.trash(key=key) if is_unicode(key) else ():
        if now < _end(store, gone) and memory in (None, gone.id):
            unmerged = await _unmerged(store, gone, now)
            return gone.id, [*unmerged, *await _let_in(store, gone.id, new_key, now), Restore(now, gone.id, new_key)]
    raise NotInTrash(key=key)


async def _let_in(store: Store, memory: int, key: str, now: float) -> list[Forget]:
    """Who leaves a full node pool for it."""
    while True:
        room = await Room.of(store, now, random.Random())
        gone = await room.make(memory, key)
        if await room.undisturbed():
            return gone


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
    for memory in (into, other):
        if memory not in contents:  # forgotten while we waited for the disk
            raise UnknownMemory(key=f"#{memory}")
    one, two = contents[into], contents[other]
    merged = replace(
        one,
        text=require_text("text", _joined(one.text, two.text) if text is None else text, MAX_TEXT),
        phrase=one.phrase or two.phrase,
        keywords=tuple(dict.fromkeys(one.keywords + two.keywords)),
        speaker=one.speaker or two.speaker,
    )
    return Merge(now, into, other, two.key, merged, one)


async def revert(store: Store, memory: int, key: str, now: float) -> Rewrite:
    """The text before the present one; of one that faded, the fullest. As far back as the trash would reach."""
    said = await sayings(store, memory)
    reach = now - store.regime.common.trash_days * DAY
    last, found = said[-1].cause if said else "", None
    while len(said) > 1 and said.pop().at > reach:
        found = said[-1]
        if last != COMPRESSED or found.cause != COMPRESSED:
            break
    if found is None:
        raise InvalidInput(problem=f"{key!r} has no earlier text that could be brought back")
    return Rewrite(now, memory, replace(found.content, key=key), _UNDOING.get(last, "reverted"))


_UNDOING = {COMPRESSED: UNFADED, PRUNED: UNPRUNED, HALVED: UNHALVED}


async def sayings(store: Store, memory: int) -> list[_Saying]:
    """Everything it ever said, in order; what only repeats the text before it is left out."""
    found: list[_Saying] = []
    for saying in await every_saying(store, memory):
        if not (found and found[-1].content.text == saying.content.text):
            found.append(saying)
    return found


async def every_saying(store: Store, memory: int, base: Mapping[int, Content] | None = None) -> list[_Saying]:
    """Everything the journal knows it said; of one that was born before the journal begins, first what it said then.

    `base`: what `said_in_base` gave, for whoever asks about many.
    """
    entries = await _entries(store, memory)
    found = [saying for entry in entries if (saying := _says(entry, memory))]
    if any(isinstance(entry.change, PutMemory | Recover) for entry in entries):
        return found
    first = (await said_in_base(store) if base is None else base).get(memory)
    return [_Saying(NEVER, first, "put"), *found] if first else found


async def said_in_base(store: Store) -> dict[int, Content]:
    """What memories said, those in the trash too, where the journal begins."""
    base = await store.base()
    if base is None:
        return {}
    return {row["id"]: said for said, row in base.memories} | {gone.id: said for said, gone in base.trash}


async def in_trash(store: Store, now: float) -> list[Forgotten]:
    return [
        Forgotten(gone.key, content.text, gone.at, gone.cause, _end(store, gone), gone.run, gone.id)
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


def _says(entry: Entry, memory: int) -> _Saying | None:
    match entry.change:
        case PutMemory(at=at, content=content):
            return _Saying(at, content, "put")
        case Rewrite(at=at, content=content, cause=cause, run=run):
            return _Saying(at, content, cause, run)
        case Recover(at=at, content=content):
            return _Saying(at, content, "recovered")
        case Merge(at=at, content=content, into=into) if into == memory:
            return _Saying(at, content, "merged")
    return None


def _end(store: Store, gone: Trashed) -> float:
    return gone.at + store.regime.common.trash_days * DAY


def _joined(one: str, two: str) -> str:
    """Both texts, unless one says the other already."""
    if two in one:
        return one
    return two if one in two else f"{one}\n{two}"
