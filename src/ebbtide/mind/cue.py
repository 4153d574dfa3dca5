"""Recall by cue: where a recall starts again when the walk from the focus met none of its keywords.   SPEC N10.

The starting points are what the keywords name: first entities of that name, then what the index of words finds,
entities and memories alike, the best match first. The index knows word stems (ferries finds ferry) and parts of Chinese
words. No text is read one by one.
"""

from collections.abc import Sequence

import numpy as np

from ebbtide.core.answers import grounded
from ebbtide.core.errors import InvalidInput
from ebbtide.core.finding import Filter, Query
from ebbtide.core.memory import Content
from ebbtide.core.ports import Store
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.recall import Recalled, recall
from ebbtide.mind.remember import entity_key

STARTS = 100  # starting points at most


async def recall_or_cue(
    store: Store,
    keywords: Sequence[str],
    relations: Sequence[str],
    depth: int,
    limit: int,
    indexing: Indexing | None,
    now: float,
) -> Recalled:
    """A recall from the focus; if that meets none of the keywords, one from what they name."""
    found = await recall(store, keywords, relations, depth, limit)
    if found.text or not keywords or store.regime.params().get("cue") == "never":
        return found
    cues = await starting_points(store, keywords, indexing, now)
    return await recall(store, keywords, relations, depth, limit, cues) if cues else found


async def starting_points(store: Store, keywords: Sequence[str], indexing: Indexing | None, now: float) -> list[int]:
    """Ids of the entities and memories that the keywords name, the surest first; none for keywords of no letters."""
    named = [await store.find(entity_key(word)) for word in keywords]
    found = {memory: None for memory in named if memory is not None}
    for word in keywords:
        found |= dict.fromkeys(await _matching(store, word, indexing, now))
    return list(found)[:STARTS]


async def _matching(store: Store, word: str, indexing: Indexing | None, now: float) -> list[int]:
    """By words alone: meaning would always find something, and a recall should be able to come back empty."""
    if indexing is None or not word.strip():
        return []
    try:
        analyzer = indexing.analyzer
    except InvalidInput:  # a mind without an index of words still knows its entities by name
        return []
    await indexing.ready(0.0)
    query = Query(analyzer.query(word), None, Filter(store.regime.metabolism.states), now, STARTS)
    found = await store.match(query)
    rows = sorted(np.flatnonzero(found.words > 0).tolist(), key=lambda row: (-found.words[row], found.ids[row]))
    ids = [int(found.ids[row]) for row in rows]
    contents = await store.contents(ids)
    return [memory for memory in ids if memory in contents and grounded(word, _whole(contents[memory]))]


def _whole(content: Content) -> str:
    return f"{content.text}\n{content.phrase}\n{' '.join(content.keywords)}"
