"""The journal backwards: the latest entries first, of one kind or about one memory, and who they are about."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ebbtide.core.changes import KIND_OF, Configure, Entry, Forget, Merge, PutMemory, Recover, Restore, Rewrite
from ebbtide.core.errors import UnknownMemory
from ebbtide.mind import Mind

_LOOKED_AT = 500  # entries read at once
_LONGEST = 100  # such readings, before a search for a rare kind takes a breath
_OF_ONE = 100_000  # entries about one memory, at most


@dataclass(frozen=True, slots=True)
class Leaf:
    """Some entries, latest first. `older`: go on with those before this one; None: there are none."""

    entries: tuple[Entry, ...]
    older: int | None


async def latest(mind: Mind, *, kind: str = "", key: str = "", before: int | None = None, limit: int = 50) -> Leaf:
    """Raises UnknownMemory for a key that is neither alive nor in the trash."""
    info = (await mind.stats()).store
    first, last = info.journal_from, info.journal_from + info.journal_entries
    end = last + 1 if before is None else min(before, last + 1)
    if key:
        about = await mind.journal(key=key, limit=_OF_ONE)
        return _leaf([entry for entry in reversed(about) if entry.seq < end and _is(entry, kind)], limit)
    found: list[Entry] = []
    for _ in range(_LONGEST if kind else 1):
        start = max(first, end - 1 - (_LOOKED_AT if kind else limit + 1))
        some = await mind.journal(after=start, limit=end - 1 - start) if end - 1 > start else []
        found += [entry for entry in reversed(some) if _is(entry, kind)]
        await asyncio.sleep(0)  # others want to be served too
        end = start + 1
        if len(found) > limit or start == first:
            return _leaf(found, limit)
    return Leaf(tuple(found[:limit]), end if end > first + 1 else None)


def _leaf(found: Sequence[Entry], limit: int) -> Leaf:
    return Leaf(tuple(found[:limit]), found[limit - 1].seq if len(found) > limit else None)


def _is(entry: Entry, kind: str) -> bool:
    return not kind or kind == kind_of(entry)


def kind_of(entry: Entry) -> str:
    return KIND_OF[type(entry.change)]


def ids_of(entry: Entry) -> list[int]:
    """The memories an entry speaks of, in the order in which it does."""
    change = entry.change
    single = [getattr(change, name, None) for name in ("id", "source", "target", "into")]
    many: Iterable[int] = getattr(change, "ids", ())
    return list(dict.fromkeys([memory for memory in (*single, *many) if isinstance(memory, int)]))


async def params_before(mind: Mind, entries: Sequence[Entry]) -> dict[int, Mapping[str, Any]]:
    """The parameters before each of these entries (latest first) that sets some, as far as that is easily known."""
    own = [(entry.seq, entry.change.params) for entry in entries if isinstance(entry.change, Configure)]
    if not own:
        return {}
    earlier = (await latest(mind, kind="configure", before=own[-1][0], limit=1)).entries
    older = [params for _, params in own[1:]] + [
        one.change.params for one in earlier if isinstance(one.change, Configure)
    ]
    return {seq: params for (seq, _), params in zip(own, older, strict=False)}


async def names(mind: Mind, entries: Sequence[Entry], most: int = 4) -> dict[int, str]:
    """Keys of the memories these entries speak of, the first few of each; of one that is gone what entries call it."""
    changes = [entry.change for entry in entries]
    found = {change.id: change.key for change in changes if isinstance(change, Forget | Restore | Merge)}
    found |= {change.id: change.content.key for change in changes if isinstance(change, PutMemory | Recover | Rewrite)}
    for memory in dict.fromkeys(memory for entry in entries for memory in ids_of(entry)[:most]):
        try:
            found[memory] = (await mind.look(memory)).key
        except UnknownMemory:
            found.setdefault(memory, f"#{memory}")
    return found
