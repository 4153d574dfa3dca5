"""Credit: what an answer drew on is found out, and counted as used.   SPEC C15; core/credit.py has the arithmetic."""

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ebbtide.core import credit, dates
from ebbtide.core.credit import USUAL, Evidence, Shown
from ebbtide.core.draft import MAX_TEXT, require_text
from ebbtide.core.errors import Expired, InvalidInput, UnknownMemory
from ebbtide.core.memory import Memory, State
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, code_of
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.reading import read
from ebbtide.mind.search import MOST, Asked, Found, Hit, Search, checked
from ebbtide.mind.searching import Searching
from ebbtide.mind.touching import Touched

UNKNOWN, EXPIRED = "unknown", "expired"
_SHOWN = 10  # memories, where a question stands for what was shown
_AT_ONCE = 20_000  # characters that are read for words without a thread

Hits = Found | Sequence[Hit | str] | Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Credit:
    """How much an answer owes to one memory: each component of the confidence, from 0 to 1."""

    key: str
    confidence: float
    similarity: float  # of the memory and the question
    said: float  # share of the memory that the answer says
    explained: float  # share of the answer that the memory explains
    rarest: float  # how rare the rarest word is that they share
    credited: bool  # the confidence reaches the threshold


@dataclass(frozen=True, slots=True)
class Credited:
    """What an answer drew on, the surest first.

    `touched` were counted as used; `throttled` were used too, but had been touched a short while ago. In a dry run
    both are empty. `skipped`: keys that were shown and cannot be credited, each with the reason: unknown or expired.
    """

    memories: tuple[Credit, ...]
    threshold: float
    touched: tuple[str, ...] = ()
    throttled: tuple[str, ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)


class Crediting(Searching):
    async def credit(
        self, answer: str, hits: Hits | None = None, *, question: str | None = None, dry_run: bool = False
    ) -> Credited:
        """Find out which of the memories shown an answer drew on, and touch those it surely did.

        `hits` is what was shown: what a search returned, some of its hits, keys, or keys with their similarities. If it
        is left out, the memories that a search for the question finds now. Words of the `question` are no evidence, so
        give it even with `hits`. A memory counts from a confidence of `credit_threshold` on. What has expired or is not
        there any more is told in `skipped`, and is no error. `dry_run` touches nothing.

        >>> credited = await mind.credit("It leaves at 8:40.", question="When does the ferry to Lamma go?")
        >>> credited.touched
        ('ferry',)
        """
        if not dry_run:
            self._require_writable()
        shown = await self._shown(answer, hits, question)
        await self._indexing.ready(0.0)
        skipped, memories = await _there(self._store, shown, self.now())
        evidence = await weighed(self._store, self._indexing, memories, shown, answer, question or "")
        threshold = self._store.regime.common.credit_threshold
        found = _told(memories, evidence, threshold)
        if dry_run:
            return Credited(found, threshold, skipped=skipped)
        touched = await self._touched([one.key for one in found if one.credited], skipped)
        return Credited(found, threshold, touched.counted, touched.throttled, skipped)

    async def _shown(self, answer: str, hits: Hits | None, question: str | None) -> dict[str, float | None]:
        """What was shown, and how similar it is to the question, as far as that is known."""
        require_text("answer", answer, MAX_TEXT, empty=True)  # a model may answer nothing, which credits nothing
        if question is not None:
            require_text("question", question, MAX_TEXT)
        if hits is None:
            if question is None:
                raise InvalidInput(problem="give what was shown, as hits or keys, or the question it was found by")
            return shown_by(await self._found(question, _SHOWN, everywhere=False))
        shown = shown_by(hits)
        if question is not None and None in shown.values():
            ranked = min(self._store.regime.common.candidates, MOST)
            found = shown_by(await self._found(question, ranked, everywhere=True))
            return {key: found.get(key, 0.0) if given is None else given for key, given in shown.items()}
        return shown

    async def _found(self, question: str, k: int, *, everywhere: bool) -> Found:
        """Counts as no use, whatever the mind's `count_hits` says: nothing is shown by it."""
        known = self._store.regime.metabolism.states
        states = known if everywhere else ()
        asked = Asked(question, k, states, None, None, (), None, None, 0.0, not everywhere, explain=False)
        return await Search(self._store, self._indexing, checked(asked, known), self.now()).run()

    async def _touched(self, keys: list[str], skipped: dict[str, str]) -> Touched:
        """What has left or expired since it was looked at is skipped, too."""
        while True:
            try:
                return await self.touch(*keys)
            except (UnknownMemory, Expired) as error:
                gone = str(error.facts["key"])
                keys.remove(gone)
                skipped[gone] = EXPIRED if isinstance(error, Expired) else UNKNOWN


def shown_by(hits: Hits) -> dict[str, float | None]:
    """Keys, each with its similarity to the question where that is known."""
    if isinstance(hits, Mapping):
        pairs: Iterable[tuple[Any, Any]] = hits.items()
    else:
        every = hits.hits if isinstance(hits, Found) else [hits] if isinstance(hits, str) else hits
        pairs = [(one.memory.key, one.similarity) if isinstance(one, Hit) else (one, None) for one in every]
    shown = {_key(key): _similarity(similarity) for key, similarity in pairs}
    if len(shown) > MOST:
        raise InvalidInput(problem=f"at most {MOST:,} memories can be credited at once, not {len(shown):,}")
    return shown


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise InvalidInput(problem=f"what was shown is told by hits or keys, not {key!r:.80}")
    return key


def _similarity(similarity: Any) -> float | None:
    if similarity is None:
        return None
    if isinstance(similarity, bool) or not isinstance(similarity, int | float) or math.isnan(similarity):
        raise InvalidInput(problem=f"a similarity is a number from 0 to 1, not {similarity!r:.80}")
    return min(max(float(similarity), 0.0), 1.0)


async def _there(store: Store, shown: Mapping[str, float | None], now: float) -> tuple[dict[str, str], list[Memory]]:
    """What cannot be credited, with the reason; and what can."""
    ids = {key: await store.find(key) for key in shown}
    here = {memory.id: memory for memory in await read(store, [i for i in ids.values() if i is not None], now)}
    skipped, memories = dict[str, str](), list[Memory]()
    for key, memory in ids.items():
        seen = None if memory is None else here.get(memory)
        if seen is None:
            skipped[key] = UNKNOWN
        elif seen.state is State.EXPIRED:
            skipped[key] = EXPIRED
        else:
            memories.append(seen)
    return skipped, memories


async def weighed(
    store: Store,
    indexing: Indexing,
    memories: Sequence[Memory],
    shown: Mapping[str, float | None],
    answer: str,
    question: str,
) -> Evidence:
    """The evidence for each of these memories."""
    texts = [*(memory.text for memory in memories), answer, question]
    *terms, said, asked = await _terms(indexing, texts)
    *named, in_answer, in_question = (_coded(dates.named(text)) for text in texts)
    own = [np.concatenate([each, _coded(_day(memory))]) for each, memory in zip(named, memories, strict=True)]
    similarity = np.array([USUAL if (known := shown[m.key]) is None else known for m in memories], np.float64)
    codes = np.unique(np.concatenate([said, *terms]))
    return credit.weigh(
        Shown(terms, own, similarity),
        np.concatenate([said, in_answer]),
        np.concatenate([asked, in_question]),
        await store.frequencies(codes),
    )


async def _terms(indexing: Indexing, texts: Sequence[str]) -> list[Column]:
    def read_all() -> list[Column]:
        return [credit.counted(indexing.analyzer.query(text)) for text in texts]

    return read_all() if sum(map(len, texts)) <= _AT_ONCE else await asyncio.to_thread(read_all)


def _coded(terms: Iterable[str]) -> Column:
    return np.array([code_of(Field.EXACT, f"date {term}") for term in terms], np.uint64)


def _day(memory: Memory) -> Iterable[str]:
    """The day it was made; none for a moment no calendar has."""
    try:
        made = datetime.fromtimestamp(memory.created_at, UTC)
    except (ValueError, OverflowError, OSError):
        return ()
    return dates.of(made.year, made.month, made.day)


def _told(memories: Sequence[Memory], evidence: Evidence, threshold: float) -> tuple[Credit, ...]:
    """Surest first; of equal ones, as they were shown."""
    credited = (evidence.confidence > 0.0) & (evidence.confidence >= threshold)
    columns = (evidence.confidence, evidence.similarity, evidence.said, evidence.explained, evidence.rarest, credited)
    rows = zip(memories, *(column.tolist() for column in columns), strict=True)
    found = [Credit(memory.key, *row) for memory, *row in rows]
    return tuple(sorted(found, key=lambda one: -one.confidence))
