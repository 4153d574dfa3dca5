"""A call that may come twice because its answer got lost happens once, and is answered twice."""

from collections.abc import Awaitable, Callable
from typing import Any

from ebbtide.core.changes import Touch, subject
from ebbtide.mind import Mind
from ebbtide.mind.tokens import named
from ebbtide.mind.touching import Touched

_TELL_A_MEMORY = frozenset({"put", "restore", "revert", "merge", "recover"})


async def once(mind: Mind, verb: str, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
    """Do it under its name, or tell what came of it if it was done before."""
    seq = await mind.applied(name)
    if seq is not None:
        return await _as_before(mind, verb, seq)
    with named(name):
        return await work()


async def _as_before(mind: Mind, verb: str, seq: int) -> Any:
    """The answer as far as the journal tells: a memory as it is now, a task's number, whose use was counted."""
    if verb == "remember":
        return seq
    if verb == "configure":
        return []
    (entry,) = await mind.journal(after=seq - 1, limit=1)
    if verb in _TELL_A_MEMORY:
        return await mind.look(subject(entry.change) or 0)
    if isinstance(entry.change, Touch):
        return Touched(tuple([(await mind.look(memory)).key for memory in entry.change.ids]), ())
    return None
