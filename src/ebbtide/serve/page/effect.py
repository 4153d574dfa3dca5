"""What other parameters would do to a mind, worked out on a copy: states, memories that change, and what is to come."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress

GONE = "forgotten"
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory that would be in another state; `forgotten` is one."""

    key: str
    says: str
    now: str
    then: str


@dataclass(frozen=True, slots=True)
class Effect:
    """How things are and how they would be. `coming` counts what the forecast expects."""

    now: dict[str, int]
    then: dict[str, int]
    moved: tuple[Moved, ...]
    coming_now: dict[str, int]
    coming_then: dict[str, int]
    ways: dict[tuple[str, str], int]  # from which state to which, and how many


async def effect(
    mind: Mind, params: Mapping[str, Any], *, always: bool = False, progress: Progress | None = None
) -> Effect:
    """On a copy that gets these parameters now; `always`: that has lived by them from its beginning."""
    async with _other(mind, params, always, progress) as other:
        here, there = await _states(mind), await _states(other)
        coming = (await mind.forecast(limit=0)).counts, (await other.forecast(limit=0)).counts
    moved = tuple(_moves(here, there))
    ways = Counter((each.now, each.then) for each in moved)
    return Effect(_counted(here), _counted(there), moved, *coming, dict(ways.most_common()))


@asynccontextmanager
async def _other(mind: Mind, params: Mapping[str, Any], always: bool, progress: Progress | None) -> Any:
    if always:
        other = await mind.replay(params=params, progress=progress)
    else:
        other = await mind.rehearsal(progress)
    try:
        if not always:
            await other.configure(**params)
        yield other
    finally:
        await other.close()


async def _states(mind: Mind) -> dict[str, tuple[str, str]]:
    """State and words of every memory by key."""
    found: dict[str, tuple[str, str]] = {}
    after: int | None = 0
    while after is not None:
        page = await mind.list(everything=True, after=after, limit=_PAGE)
        await asyncio.sleep(0)  # others want to be served too
        found |= {memory.key: (memory.state.value, memory.phrase or memory.text[:200]) for memory in page.memories}
        after = page.next
    return found


def _moves(here: Mapping[str, tuple[str, str]], there: Mapping[str, tuple[str, str]]) -> list[Moved]:
    nothing = (GONE, "")
    return [
        Moved(key, (here.get(key) or there[key])[1], now, then)
        for key in dict.fromkeys((*here, *there))
        if (now := here.get(key, nothing)[0]) != (then := there.get(key, nothing)[0])
    ]


def _counted(states: Mapping[str, tuple[str, str]]) -> dict[str, int]:
    return dict(Counter(state for state, _ in states.values()))
