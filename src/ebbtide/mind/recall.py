"""Recall: breadth-first from what is in focus, and what is left of what was once known.   SPEC N9, N10.

The answer is plain text: a small language model needs no ids, scores or distances to make sense of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.changes import Unlink
from ebbtide.core.memory import Content
from ebbtide.core.ports import Store
from ebbtide.core.state import Walk
from ebbtide.mind.remember import ENTITY

MEMORY = "[记忆] "
ONCE = "曾记得"
BREAK = "\n---\n"
AT_ONCE = 256  # memories looked at together


@dataclass(frozen=True, slots=True)
class Ghost:
    """A trace: a link that points to something no longer known."""

    source: int
    target: int
    relation: str
    strength: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a recall found: memories in the order they were reached, and traces on the way."""

    memories: tuple[int, ...]
    ghosts: tuple[Ghost, ...]
    text: str


async def recall(store: Store, keywords: Sequence[str], relations: Sequence[str], depth: int, limit: int) -> Recalled:
    reached, ghosts = await _spread(store, relations, depth)
    wanted = [word.casefold() for word in keywords]
    found = await _matching(store, reached, wanted, limit)
    told = await _told_ghosts(store, ghosts, wanted, limit)
    blocks = [f"{MEMORY}{text}" for text in (*found.values(), *(text for _, text in told))]
    return Recalled(tuple(found), tuple(ghost for ghost, _ in told), BREAK.join(blocks))


async def _spread(store: Store, relations: Sequence[str], depth: int) -> tuple[list[int], list[Ghost]]:
    """What is within so many links of the focus, nearest first, then by the strength of the link; and traces met."""
    layer: Sequence[int] = await store.focus()
    seen: dict[int, None] = dict.fromkeys(layer)
    ghosts: list[Ghost] = []
    for _ in range(depth):
        if not layer:
            break
        walk = await store.walk(layer, relations=relations)
        ghosts += _dangling(walk)
        layer = [target for target in dict.fromkeys(walk.target[walk.known].tolist()) if target not in seen]
        seen.update(dict.fromkeys(layer))
    return list(seen), ghosts


async def _matching(store: Store, reached: Sequence[int], wanted: Sequence[str], limit: int) -> dict[int, str]:
    """The first so many that speak of what is wanted, with their texts; entities are where thoughts start, no more."""
    found: dict[int, str] = {}
    for first in range(0, len(reached), AT_ONCE):
        some = reached[first : first + AT_ONCE]
        contents = await store.contents(some)
        for memory in some:
            content = contents.get(memory)
            if content is not None and content.kind != ENTITY and _matches(content, wanted):
                found[memory] = content.text
                if len(found) == limit:
                    return found
    return found


async def _told_ghosts(
    store: Store, ghosts: Sequence[Ghost], wanted: Sequence[str], limit: int
) -> list[tuple[Ghost, str]]:
    """Traces with the words they are reported in."""
    if not ghosts:
        return []
    sources = await store.contents(list(dict.fromkeys(ghost.source for ghost in ghosts)))
    lost = await _lost(store, ghosts)
    told = [(g, _told(g, sources[g.source], lost.get(g.target))) for g in ghosts if g.source in sources]
    return [(ghost, text) for ghost, text in told if _speaks_of(text, wanted)][:limit]


async def _lost(store: Store, ghosts: Sequence[Ghost]) -> dict[int, Content]:
    """What the trash still has of what traces point to."""
    found = await store.trash(ids=list(dict.fromkeys(ghost.target for ghost in ghosts)))
    return {gone.id: content for content, gone in found}


def _dangling(walk: Walk) -> list[Ghost]:
    return [
        Ghost(int(walk.source[i]), int(walk.target[i]), walk.relation[i], float(walk.strength[i]))
        for i in np.flatnonzero(~walk.known).tolist()
    ]


def _told(ghost: Ghost, source: Content, lost: Content | None) -> str:
    gist = _gist(lost)
    return f"{ONCE}：{source.phrase or source.text}（{ghost.relation}）{f'：{gist}' if gist else '……'}"


def _matches(content: Content, wanted: Sequence[str]) -> bool:
    """In what it says or what it is filed under."""
    return _speaks_of(f"{content.text}\n{content.phrase}\n{' '.join(content.keywords)}", wanted)


def _speaks_of(text: str, wanted: Sequence[str]) -> bool:
    """Any of the words, if any are wanted."""
    low = text.casefold()
    return not wanted or any(word in low for word in wanted)


@dataclass(frozen=True, slots=True)
class Trace:
    """Something once known: where it hung, by what relation, how strongly still, and what is left of it."""

    source: str
    relation: str
    strength: float
    known: str


async def traces(store: Store) -> list[Trace]:
    ghosts = _dangling(await store.walk((await store.living()).tolist()))
    sources = await store.contents(list(dict.fromkeys(ghost.source for ghost in ghosts)))
    lost = await _lost(store, ghosts)
    return [
        Trace(sources[ghost.source].key, ghost.relation, ghost.strength, _gist(lost.get(ghost.target)))
        for ghost in ghosts
        if ghost.source in sources
    ]


def _gist(lost: Content | None) -> str:
    """What is still known of it, as long as the trash has it."""
    return (lost.phrase or "、".join(lost.keywords) or lost.text) if lost else ""


def sweeps(recalled: Recalled, now: float) -> list[Unlink]:
    """With traces = "sweep" a trace is reported once and then gone."""
    return [Unlink(now, ghost.source, ghost.target, ghost.relation) for ghost in recalled.ghosts]
