"""Recall: breadth-first from what is in focus, and what is left of what was once known.   SPEC N9, N10, C10.

The answer is plain text: a small language model needs no ids, scores or distances to make sense of it.
Each block is marked in its own language, told by the text with its phrase and keywords: [memory] or [记忆], and
"once knew" or 曾记得 for a trace. In a mind of two languages each block keeps to its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.changes import Unlink
from ebbtide.core.language import is_chinese
from ebbtide.core.memory import Content
from ebbtide.core.ports import Store
from ebbtide.core.state import Walk
from ebbtide.mind.remember import ENTITY

MARKS = ("[memory] ", "[记忆] ")
ONCE = ("once knew", "曾记得")
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


async def recall(
    store: Store,
    keywords: Sequence[str],
    relations: Sequence[str],
    depth: int,
    limit: int,
    cues: Sequence[int] = (),
) -> Recalled:
    """From the focus; from `cues` if there are any: these count as met, whatever form of a keyword they have."""
    reached, ghosts = await _spread(store, cues or await store.focus(), relations, depth)
    wanted = [word.casefold() for word in keywords]
    if cues and relations:  # only what such a link leads to
        walked = {int(target) for target in (await store.walk(reached, relations=relations)).target.tolist()}
        reached = [memory for memory in reached if memory in walked]
    found = await _matching(store, reached, wanted, limit, frozenset(cues))
    told = await _told_ghosts(store, ghosts, wanted, limit)
    blocks = [*found.values(), *(f"{MARKS[text.startswith(ONCE[1])]}{text}" for _, text in told)]
    return Recalled(tuple(found), tuple(ghost for ghost, _ in told), BREAK.join(blocks))


def mark(text: str, about: str = "") -> str:
    """A text as a block of an answer; `about`: what else tells its language."""
    return f"{MARKS[is_chinese(f'{text} {about}')]}{text}"


def unmarked(block: str) -> str:
    return block.removeprefix(MARKS[0]).removeprefix(MARKS[1])


def is_trace(block: str) -> bool:
    """Whether a block, without its mark, tells of something once known."""
    return block.startswith(ONCE)


async def _spread(
    store: Store, starts: Sequence[int], relations: Sequence[str], depth: int
) -> tuple[list[int], list[Ghost]]:
    """What is within so many links of these, nearest first, then by the strength of the link; and traces met."""
    layer: Sequence[int] = starts
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


async def _matching(
    store: Store, reached: Sequence[int], wanted: Sequence[str], limit: int, cues: frozenset[int]
) -> dict[int, str]:
    """The first so many that speak of what is wanted, as blocks; entities are where thoughts start, no more."""
    found: dict[int, str] = {}
    for first in range(0, len(reached), AT_ONCE):
        some = reached[first : first + AT_ONCE]
        contents = await store.contents(some)
        for memory in some:
            content = contents.get(memory)
            if content is None or content.kind == ENTITY:
                continue
            if memory in cues or _matches(content, wanted):
                found[memory] = mark(content.text, f"{content.phrase} {' '.join(content.keywords)}")
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
    """In the language of the relation, which follows the text it was found in."""
    name, gist = source.phrase or source.text, _gist(lost)
    if is_chinese(f"{ghost.relation} {gist}"):
        return f"{ONCE[1]}：{name}（{ghost.relation}）{f'：{gist}' if gist else '……'}"
    return f"{ONCE[0]}: {name} ({ghost.relation}){f': {gist}' if gist else ' …'}"


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
    return (lost.phrase or joined(lost.keywords) or lost.text) if lost else ""


def joined(words: Sequence[str]) -> str:
    """A list of words in the language they are in."""
    return ("、" if is_chinese(" ".join(words)) else ", ").join(words)


def sweeps(recalled: Recalled, now: float) -> list[Unlink]:
    """With traces = "sweep" a trace is reported once and then gone."""
    return [Unlink(now, ghost.source, ghost.target, ghost.relation) for ghost in recalled.ghosts]
