"""A part of a mind to look at: memories, and the links between them. Looking counts as no use and no walk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import CODE_OF, Content, Link, Memory, State
from ebbtide.core.ports import Store
from ebbtide.mind.reading import counts, read, visible

MOST = 1000
_GHOST_EACH = 4  # memories asked for make room for one trace: it is to be seen, and not to cover what is known


@dataclass(frozen=True, slots=True)
class Sight:
    """A memory, how alive it is from 0 to 1, and how many links it is away from where the look started."""

    memory: Memory
    alive: float
    distance: int | None  # None: nothing leads there


@dataclass(frozen=True, slots=True)
class Lost:
    """What a trace points to. The key and what it said are empty once the trash has let go of it."""

    id: int
    key: str
    said: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`sights` nearest first; `links` between them, and from them to what is `lost`. `total`: all that may be seen.

    `left_out`: how many more the mind holds in each state that is hidden.
    """

    sights: tuple[Sight, ...]
    links: tuple[Link, ...]
    lost: tuple[Lost, ...]
    focus: tuple[int, ...]
    total: int
    left_out: dict[State, int] = field(default_factory=dict)


async def surroundings(store: Store, start: Sequence[int], now: float, *, limit: int, everything: bool) -> Surroundings:
    """Outward from `start`. Without one: from the focus, and then whatever is most alive."""
    if not 1 <= limit <= MOST:
        raise InvalidInput(problem=f"one can look at 1 to {MOST:,} memories at once, not {limit!r:.40}")
    alive, left_out = await _alive(store, now, everything)
    focus = [memory for memory in reversed(await store.focus()) if memory in alive]
    begin = [memory for memory in start if memory in alive] if start else focus
    found: dict[int, int | None] = {}
    await _outward(store, begin, alive, found, limit)
    if not start:
        await _fill(store, alive, found, limit)
    links, lost = await _between(store, list(found), limit)
    seen = await read(store, list(found), now)
    sights = tuple(Sight(memory, alive[memory.id], found[memory.id]) for memory in seen)
    return Surroundings(sights, links, lost, tuple(focus), len(alive), left_out)


async def _alive(store: Store, now: float, everything: bool) -> tuple[dict[int, float], dict[State, int]]:
    """Which may be seen, and how alive each is, the most alive first; and how many each hidden state has."""
    metabolism, signals = store.regime.metabolism, await store.signals()
    verdicts = metabolism.judge(signals, now)
    shown = metabolism.states if everything else visible(metabolism)
    seen = np.isin(verdicts.state, [CODE_OF[state] for state in shown])
    rows = np.flatnonzero(seen)
    scaled = metabolism.standing(signals, verdicts.vitality, now)[rows]
    order = np.lexsort((signals.id[rows], -scaled))
    alive = dict(zip(signals.id[rows][order].tolist(), scaled[order].tolist(), strict=True))
    return alive, counts(verdicts.state[~seen])


async def _outward(
    store: Store, start: Sequence[int], alive: Mapping[int, float], found: dict[int, int | None], limit: int
) -> None:
    """Layer by layer along the links, whichever way they point, into `found`; within a layer the stronger first."""
    layer, distance = [memory for memory in start if memory not in found], 0
    while layer and len(found) < limit:
        layer = layer[: limit - len(found)]
        found |= dict.fromkeys(layer, distance)
        near = dict.fromkeys(await _neighbours(store, layer))
        layer, distance = [memory for memory in near if memory in alive and memory not in found], distance + 1


async def _fill(store: Store, alive: Mapping[int, float], found: dict[int, int | None], limit: int) -> None:
    """Up to the limit with what is elsewhere: again and again the most alive, and what is around it."""
    near = set(found)
    for memory in alive:
        if len(found) >= limit:
            break
        await _outward(store, [memory], alive, found, limit)
    found |= dict.fromkeys((memory for memory in found if memory not in near), None)


async def _neighbours(store: Store, layer: Sequence[int]) -> list[int]:
    """Where links lead from these, and where links to these come from; the strongest first."""
    walk = await store.walk(layer)
    ways = list(zip((-walk.strength).tolist(), walk.target.tolist(), strict=True))
    for memory in layer:
        ways += [(-link.strength, link.source) for link in await store.links(memory, outgoing=False)]
    return [memory for _, memory in sorted(ways)]


async def _between(store: Store, seen: Sequence[int], limit: int) -> tuple[tuple[Link, ...], tuple[Lost, ...]]:
    """The links among these, and the strongest of those that lead to what is no longer known."""
    walk = await store.walk(seen)
    gone = list(dict.fromkeys(walk.target[~walk.known].tolist()))[: max(1, limit // _GHOST_EACH)]
    shown = {*seen, *gone}
    ends = zip(walk.source.tolist(), walk.target.tolist(), walk.relation, walk.strength.tolist(), strict=True)
    links = tuple(Link(*link) for link in ends if link[1] in shown)
    said = {trashed.id: content for content, trashed in await store.trash(ids=gone)} if gone else {}
    return links, tuple(_lost(memory, said.get(memory)) for memory in gone)


def _lost(memory: int, said: Content | None) -> Lost:
    return Lost(memory, "", "") if said is None else Lost(memory, said.key, said.phrase or said.text)
