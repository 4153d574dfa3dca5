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
    reached, walked = await _spread(store, relations, depth)
    contents = await store.contents(reached)
    wanted = [word.casefold() for word in keywords]
    found = [m for m in reached if m in contents and contents[m].kind != ENTITY and _matches(contents[m], wanted)]
    ghosts = await _ghosts(store, walked, contents, wanted)
    blocks = [f"{MEMORY}{contents[m].text}" for m in found[:limit]] + [text for _, text in ghosts[:limit]]
    return Recalled(tuple(found[:limit]), tuple(ghost for ghost, _ in ghosts[:limit]), BREAK.join(blocks))


async def _spread(store: Store, relations: Sequence[str], depth: int) -> tuple[list[int], list[Walk]]:
    """Everything within so many links of the focus, nearest first, then by the strength of the link."""
    start = await store.focus()
    seen: dict[int, None] = dict.fromkeys(start)
    layer, walks = np.asarray(start, np.int64), []
    for _ in range(depth):
        if not len(layer):
            break
        walk = await store.walk(layer.tolist(), relations=relations)
        walks.append(walk)
        fresh = [target for target in dict.fromkeys(walk.target.tolist()) if target not in seen]
        seen.update(dict.fromkeys(fresh))
        layer = np.asarray(fresh, np.int64)
    return list(seen), walks


async def _ghosts(
    store: Store, walks: Sequence[Walk], contents: dict[int, Content], wanted: Sequence[str]
) -> list[tuple[Ghost, str]]:
    """Traces among the links walked, each with the words it is reported in."""
    found = [ghost for walk in walks for ghost in _dangling(walk, contents)]
    if not found:
        return []
    lost = {gone.id: content for content, gone in await store.trash()}
    told = [(ghost, _told(ghost, contents[ghost.source], lost.get(ghost.target))) for ghost in found]
    return [(ghost, f"{MEMORY}{text}") for ghost, text in told if _speaks_of(text, wanted)]


def _dangling(walk: Walk, contents: dict[int, Content]) -> list[Ghost]:
    missing = ~np.isin(walk.target, list(contents))
    return [
        Ghost(int(walk.source[i]), int(walk.target[i]), walk.relation[i], float(walk.strength[i]))
        for i in np.flatnonzero(missing).tolist()
        if int(walk.source[i]) in contents
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
    walk = await store.walk((await store.living()).tolist())
    ends = await store.contents([*dict.fromkeys(walk.source.tolist()), *dict.fromkeys(walk.target.tolist())])
    lost = {gone.id: content for content, gone in await store.trash()}
    return [
        Trace(ends[ghost.source].key, ghost.relation, ghost.strength, _gist(lost.get(ghost.target)))
        for ghost in _dangling(walk, ends)
    ]


def _gist(lost: Content | None) -> str:
    """What is still known of it, as long as the trash has it."""
    return (lost.phrase or "、".join(lost.keywords) or lost.text) if lost else ""


def sweeps(recalled: Recalled, now: float) -> list[Unlink]:
    """With traces = "sweep" a trace is reported once and then gone."""
    return [Unlink(now, ghost.source, ghost.target, ghost.relation) for ghost in recalled.ghosts]
