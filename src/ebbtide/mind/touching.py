"""Touch: the use of a memory is confirmed, at most once an hour, and its evidence with it.   SPEC R4."""

from collections.abc import Sequence
from dataclasses import dataclass

from ebbtide.core.changes import Batch, Touch
from ebbtide.core.errors import Expired, UnknownMemory
from ebbtide.core.memory import HOUR, State
from ebbtide.core.ports import Store
from ebbtide.core.relations import SUPPORTED_BY
from ebbtide.core.whatif import ASKED, CASCADE, REVIVED
from ebbtide.mind.reading import state_of
from ebbtide.mind.tokens import new_token


@dataclass(frozen=True, slots=True)
class Touched:
    """Whose use was counted, and who had been touched too short a while ago for that."""

    counted: tuple[str, ...]
    throttled: tuple[str, ...]


async def touch(store: Store, keys: Sequence[str], now: float, *, revive: bool) -> tuple[Touched, tuple[int, ...]]:
    """All of them or, if one is not there, none. Also returns the ids of those that counted."""
    names = {await _touchable(store, key, now, revive): key for key in dict.fromkeys(keys)}
    if not names:
        return Touched((), ()), ()
    spacing = store.regime.common.touch_spacing * HOUR
    receipt = await store.apply(Batch((Touch(now, tuple(names), spacing, REVIVED if revive else ASKED),), new_token()))
    throttled = frozenset(receipt.stale)
    counted = tuple(memory for memory in names if memory not in throttled)
    return Touched(tuple(names[i] for i in counted), tuple(names[i] for i in names if i in throttled)), counted


async def cascade(store: Store, touched: Sequence[int], now: float) -> int:
    """Touch what these are SUPPORTED_BY, and what that is, each once however the links run. Returns how many."""
    evidence = await evidence_of(store, touched)
    if not evidence:
        return 0
    spacing = store.regime.common.touch_spacing * HOUR
    receipt = await store.apply(Batch((Touch(now, tuple(evidence), spacing, CASCADE),), new_token()))
    return len(evidence) - len(receipt.stale)


async def evidence_of(store: Store, memories: Sequence[int]) -> list[int]:
    """All that supports these, directly or through others, in the order it is reached; not these themselves."""
    seen, layer, found = set(memories), list(memories), list[int]()
    while layer:
        walk = await store.walk(layer, relations=(SUPPORTED_BY,))
        reached = dict.fromkeys(walk.target[walk.known].tolist())
        layer = [memory for memory in reached if memory not in seen]
        seen.update(layer)
        found += layer
    return found


async def _touchable(store: Store, key: str, now: float, revive: bool) -> int:
    memory = await store.find(key)
    if memory is None:
        raise UnknownMemory(key=key)
    if not revive and await state_of(store, memory, now) is State.EXPIRED:
        raise Expired(key=key)
    return memory
