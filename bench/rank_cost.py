"""What the terms of the rank and the bonus for need cost a search, without embedding: for `bench.search`.

One tide mind in conversations of 20 memories, linked by before and after. The same questions by default and by
similarity alone (`vitality=False`) in turns; and with and without the bonus for need. CPU time, and the least of
several: other work on the machine changes that little. Not counted: the vectors of a question's sentences.
"""

import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import ebbtide
from bench.corpus import Corpus, Known, memories, questions
from bench.measure import Figure, Goal, medians, progress
from ebbtide.core.changes import Batch
from ebbtide.core.memory import DEFAULT_STRENGTH
from ebbtide.core.relations import ENGLISH_ORDER
from ebbtide.mind.conversation import order_links
from ebbtide.models.questions import sentences

K = 10
TALK = 20  # memories of a conversation
SENTENCES = 6
SMALL = 10_000  # memories, up to which a search may take 1 ms more than by similarity alone; beyond, 2 ms
ROOM: dict[str, Any] = {"budget_memories": 100_000_000}  # nothing is to leave
_BLOCK = 20  # questions between two changes of the bonus
_LINKED_AT_ONCE = 250  # conversations
_TURNS = (True, False, False, True, True, False)


async def costs(data: Path, count: int, queries: int) -> list[Figure]:
    """The difference to a search by similarity alone, for questions of one and of several sentences."""
    held = memories(count)
    short = questions(held, queries)
    whole, parts = of_sentences(short)
    known = Known(held, short, whole, parts)
    async with ebbtide.open(f"cost-{count}", data=data, embedder=known, metabolism="tide", **ROOM) as mind:
        await mind.put_many([ebbtide.Draft(text) for text in held.texts])
        await link(mind)
        await mind.reembed()
        progress(f"{count:,} tide memories are in, linked in conversations of {TALK}")
        one, several = await _against_similarity(mind, short.texts), await _against_similarity(mind, whole.texts)
        bonus = await _against_no_bonus(mind, short.texts)
    size = f"{count:,} tide memories in conversations"
    goal = Goal("≤", 0.001 if count <= SMALL else 0.002, "ours")
    return [
        *_difference(f"{size}: search, one sentence", one, goal),
        *_difference(f"{size}: search, {SENTENCES} sentences", several, goal),
        Figure(f"{size}: search, against one without the bonus for need, CPU time, p50", *bonus, "s", Goal("≤", 1.1)),
    ]


def of_sentences(asked: Corpus, size: int = SENTENCES) -> tuple[Corpus, Corpus]:
    """Questions of so many sentences, each of which is one of these, and the last one asks; and their sentences as a
    search reads them."""
    lengthy = [row for row, text in enumerate(asked.texts) if len(sentences(f"{text}. {text}.")) == 2]
    texts, wholes, parts, vectors = [], [], [], []
    for first in range(0, len(lengthy) - size + 1, size):
        rows = lengthy[first : first + size]
        text = ". ".join(asked.texts[row] for row in rows) + "?"
        mean = asked.vectors[rows].mean(axis=0)
        texts.append(text)
        wholes.append(mean / np.linalg.norm(mean))
        parts += sentences(text)
        vectors.append(asked.vectors[rows])
    return Corpus(texts, np.array(wholes)), Corpus(parts, np.concatenate(vectors))


async def link(mind: ebbtide.Mind) -> None:
    """Each memory with the next of its conversation, as `remember` does."""
    ids, now = (await mind._store.living()).tolist(), mind.now()
    talks = [ids[first : first + TALK] for first in range(0, len(ids), TALK)]
    for first in range(0, len(talks), _LINKED_AT_ONCE):
        pairs = (pair for talk in talks[first : first + _LINKED_AT_ONCE] for pair in pairwise(talk))
        changes = [one for pair in pairs for one in order_links(*pair, ENGLISH_ORDER, DEFAULT_STRENGTH, now)]
        await mind._store.apply(Batch(tuple(changes), f"linked-{first}"))


async def _against_similarity(mind: ebbtide.Mind, texts: Sequence[str]) -> list[tuple[float, float]]:
    """Of each question the time by default and by similarity."""
    taken = []
    for text in texts:
        await mind.search(text, K)  # so that none of them is the first to ask this
        both: dict[bool, list[float]] = {True: [], False: []}
        for vitality in _TURNS:
            both[vitality].append(await _cpu_time(mind, text, vitality=vitality))
        taken.append((min(both[True]) - await _looking_up(mind, text), min(both[False])))
    return taken


async def _looking_up(mind: ebbtide.Mind, text: str) -> float:
    """What the vectors of the sentences take on their way in, beside that of the whole: that is embedding."""
    parts = sentences(text)
    if len(parts) < 2:
        return 0.0
    taken: list[list[float]] = [[], []]
    for _ in range(3):
        for texts, times in zip(([text], [text, *parts]), taken, strict=True):
            start = time.process_time()
            await mind._indexing.vectors(texts)
            times.append(time.process_time() - start)
    return min(taken[1]) - min(taken[0])


def _difference(what: str, taken: Sequence[tuple[float, float]], goal: Goal) -> list[Figure]:
    ours, alone = medians(taken)
    more = float(np.median([one - other for one, other in taken]))
    return [
        Figure(f"{what}, against similarity alone, CPU time, p50", ours, alone),
        Figure(f"{what}, more than by similarity alone, p50", more, None, "s", goal),
    ]


async def _against_no_bonus(mind: ebbtide.Mind, texts: Sequence[str]) -> tuple[float, float]:
    """With and without the bonus for need, some questions at a time: changing a parameter is a write."""
    usual, taken = mind.params["rank_bonus"], list[tuple[float, ...]]()
    for first in range(0, len(texts), _BLOCK):
        block = texts[first : first + _BLOCK]
        both = []
        for bonus in (usual, 0.0):
            await mind.configure(rank_bonus=bonus)
            both.append([await _least(mind, text) for text in block])
        taken += zip(*both, strict=True)
    await mind.configure(rank_bonus=usual)
    ours, without = medians(taken)
    return ours, without


async def _least(mind: ebbtide.Mind, text: str) -> float:
    await mind.search(text, K)
    return min([await _cpu_time(mind, text) for _ in range(3)])


async def _cpu_time(mind: ebbtide.Mind, text: str, *, vitality: bool = True) -> float:
    start = time.process_time()
    await mind.search(text, K, vitality=vitality)
    return time.process_time() - start
