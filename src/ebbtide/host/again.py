"""A call that may come twice because its answer got lost happens once, and is answered twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from ebbtide.core import changes as c
from ebbtide.core.changes import Change, subject
from ebbtide.core.errors import Conflict, NotFound
from ebbtide.core.parameters import regime
from ebbtide.mind import Mind
from ebbtide.mind.crediting import Credited
from ebbtide.mind.pinning import Pinned
from ebbtide.mind.tokens import named
from ebbtide.mind.touching import Touched

# With what each verb's batch ends.
_ENDS: dict[str, tuple[type[Change], ...]] = {
    "put": (c.PutMemory, c.Rewrite),
    "restore": (c.Restore,),
    "revert": (c.Rewrite,),
    "merge": (c.Merge,),
    "recover": (c.Recover,),
    "link": (c.PutLink,),
    "unlink": (c.Unlink,),
    "configure": (c.Configure,),
    "remember": (c.Enqueue,),
    "retry": (c.Requeue,),
    "drop": (c.Settle,),
    "accept": (c.Forget, c.Merge),
    "dismiss": (c.Dismiss,),
    "forget": (c.Forget,),
}
_TELL_A_MEMORY = frozenset({"put", "restore", "revert", "merge", "recover"})

_turns: "WeakValueDictionary[tuple[int, str], asyncio.Lock]" = WeakValueDictionary()


async def once(
    mind: Mind,
    verb: str,
    name: str,
    work: Callable[[], Awaitable[Any]],
    args: Sequence[Any] = (),
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Do it under its name, or tell what came of it if it was done before.

    Two of one name at one time happen one after the other. `args` and `options` are what `work` calls the verb with.
    A name that another verb has used is a Conflict.
    """
    async with _turn(id(mind), name):
        seq = None if verb == "put_many" else await mind.applied(name)  # each of its batches has a name, and is known
        if seq is not None:
            return await _as_before(mind, verb, name, seq, args, options or {})
        with named(name):
            return await work()


@asynccontextmanager
async def _turn(mind: int, name: str) -> AsyncIterator[None]:
    lock = _turns.setdefault((mind, name), asyncio.Lock())
    async with lock:
        yield


async def _as_before(
    mind: Mind, verb: str, name: str, seq: int, args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """The answer as far as the journal tells: a memory as it is now, a task's number, whose use was counted."""
    entries = await mind.journal(after=seq - 1, limit=1)
    if not entries or entries[0].seq != seq:
        raise Conflict(problem=f"this {verb} has happened, too long ago to tell what came of it")
    (entry,) = entries
    change = entry.change if entry.token == name else None
    if verb == "touch":
        return await _touched(mind, args, change)
    if verb == "credit":
        return await _credited(mind, change, args, options)
    if verb in ("pin", "unpin"):
        return await _pinned(mind, args, change)
    if not isinstance(entry.change, _ENDS.get(verb, object)):
        raise Conflict(problem=f"the name {name!r:.80} was given to another call already: {verb} needs one of its own")
    if verb == "remember":
        return seq
    if verb == "configure":
        return regime(mind.metabolism, {**mind.params, **options})[1]
    return await mind.look(subject(entry.change) or 0) if verb in _TELL_A_MEMORY else None


async def _touched(mind: Mind, keys: Sequence[str], change: Change | None) -> Touched:
    """Those the journal has were counted; who is not in it came too soon, and where nobody is in it, all did."""
    counted = await _keys(mind, change.ids if isinstance(change, c.Touch) else ())
    return Touched(counted, tuple(key for key in dict.fromkeys(keys) if key not in counted))


async def _pinned(mind: Mind, keys: Sequence[str], change: Change | None) -> Pinned:
    """Those the journal has were changed; the others were so already."""
    changed = await _keys(mind, change.ids if isinstance(change, c.Pin) else ())
    return Pinned(changed, tuple(key for key in dict.fromkeys(keys) if key not in changed))


async def _keys(mind: Mind, ids: Sequence[int]) -> tuple[str, ...]:
    found: list[str] = []
    for memory in ids:
        with suppress(NotFound):  # it has left since
            found.append((await mind.look(memory)).key)
    return tuple(found)


async def _credited(mind: Mind, change: Change | None, args: Sequence[Any], options: Mapping[str, Any]) -> Credited:
    """Judged anew; the journal has what was counted."""
    found = await mind.credit(*args, **{**options, "dry_run": True})
    touched = await _touched(mind, [one.key for one in found.memories if one.credited], change)
    return replace(found, touched=touched.counted, throttled=touched.throttled)
