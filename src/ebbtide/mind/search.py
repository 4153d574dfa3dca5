"""Search: words and meaning find candidates, the metabolism's vitality ranks them.   SPEC R3, A3, S1, R2.

Being found is not being used: a hit counts as access only where the mind's `count_hits` says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ebbtide.core.draft import MAX_TEXT, require_text
from ebbtide.core.errors import EmbedderFailed, InvalidInput
from ebbtide.core.finding import RANKED, Candidates, Filter, Query
from ebbtide.core.memory import DAY, STATES, Content, Memory, State
from ebbtide.core.ports import Store
from ebbtide.core.question import Question
from ebbtide.core.ranking import rank_terms, weighed
from ebbtide.core.signals import Column
from ebbtide.core.terms import SCORED, Field, Terms
from ebbtide.mind.indexing import PATIENCE, Indexing
from ebbtide.mind.left_out import Declined, LeftOut, Weak, left_out, weak
from ebbtide.mind.reading import read, visible
from ebbtide.mind.repeated import LOOKED_AT, superseded

ENTITY = "entity"  # nodes of a network mind that only tell what its memories are about
MOST = 1000
_TRASH_LOOKED_AT = 500
_Alive = dict[int, tuple[float, float]]  # by row of the candidates: vitality, and how it stands in the mind
_NOT_LOOKED_AT: _Alive = {}
_ENOUGH = 0.5  # of the query's terms, for something in the trash to count as a match


@dataclass(frozen=True, slots=True)
class RankTerm:
    """One term of a hit's rank: it adds `points` = weight × value. `core/ranking.py` says what each is."""

    name: str
    value: float
    weight: float
    points: float


@dataclass(frozen=True, slots=True)
class Why:
    """Every component of a hit's rank. `terms`: those that are not 0, in the order of the formula."""

    bm25: float
    by_words: float  # the same as similarity
    cosine: float | None
    by_meaning: float | None
    similarity: float
    lift: float
    lifted_by: str | None  # the key of the hit whose link lifts this one
    vitality: float
    scaled: float  # vitality from 0 to 1
    formula: str
    terms: tuple[RankTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    score: float
    similarity: float
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """`declined` is filled if an explanation was asked for. `unembedded` memories could be found by words only.

    `left_out`: hidden memories among the k most similar; None: there are none. `weak`: no hit is a good match; None:
    one is.
    """

    hits: tuple[Hit, ...]
    declined: tuple[Declined, ...]
    exact: bool
    unembedded: int
    note: str = ""
    left_out: LeftOut | None = None
    weak: Weak | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as it was asked for, checked."""

    text: str
    k: int
    states: tuple[State, ...]
    kind: str | None
    domain: str | None
    keywords: tuple[str, ...]
    since: float | None
    until: float | None
    at_least: float
    vitality: bool
    explain: bool
    patience: float = PATIENCE
    everything: bool = False  # unless `states` says otherwise


def checked(asked: Asked, known: Sequence[State]) -> Asked:
    require_text("text", asked.text, MAX_TEXT)
    if not 1 <= asked.k <= MOST:
        raise InvalidInput(problem=f"a search tells 1 to {MOST:,} memories, not {asked.k!r:.40}")
    for state in asked.states:
        if state not in known:
            raise InvalidInput(problem=f"no memory of this mind is ever {state!s}: there are {', '.join(known)}")
    numbers = {"since": asked.since, "until": asked.until, "at_least": asked.at_least, "patience": asked.patience}
    for name, number in numbers.items():
        if number is not None and np.isnan(number):
            raise InvalidInput(problem=f"{name} is not a number")
    if asked.since is not None and asked.until is not None and asked.since >= asked.until:
        raise InvalidInput(problem="nothing is made between these two moments: `since` must lie before `until`")
    return asked


class Search:
    """One search in one mind."""

    def __init__(self, store: Store, indexing: Indexing, asked: Asked, now: float) -> None:
        self._store, self._indexing, self._asked, self._now = store, indexing, asked, now
        self._metabolism = store.regime.metabolism
        self._note = ""
        self._question = indexing.analyzer.question(asked.text, now) if asked.vitality else Question()

    async def run(self) -> Found:
        vectors = await self._vectors()  # first: it tells whether the embedder is worth waiting for
        info = await self._indexing.ready(self._asked.patience)
        query = self._query(vectors)
        candidates = await self._store.match(query)
        hits = await self._ranked(candidates, self._asked.k)
        hidden = await left_out(self._store, candidates.hidden, self._now, self._asked.at_least)
        # Of all candidates: an answer may rank first for what stands beside it, and be little similar itself
        similar = np.sort(candidates.similarity + candidates.lift)[::-1].tolist() if hits else []
        declined = await self._declined(query, similar) if self._asked.explain else []
        words_only = candidates.meant is None
        floor = self._store.regime.common.match_floor
        poor = weak(similar, floor, info.memories, words_only=words_only)
        return Found(tuple(hits), tuple(declined), candidates.exact, info.unembedded, self._note, hidden, poor)

    def _query(self, vectors: Column | None) -> Query:
        analyzer, asked, common = self._indexing.analyzer, self._asked, self._store.regime.common
        wanted = Filter(
            states=asked.states or (self._metabolism.states if asked.everything else visible(self._metabolism)),
            kind=asked.kind,
            domain=asked.domain,
            keywords=tuple(map(analyzer.keyword, asked.keywords)),
            since=asked.since,
            until=asked.until,
            without_kind=ENTITY if asked.kind is None and self._metabolism.traits.network else None,
        )
        limit = max(common.candidates, asked.k)
        watched = 0 if asked.states else asked.k  # who names states knows what is left out
        return Query(
            analyzer.query(asked.text),
            None if vectors is None else vectors[0],
            wanted,
            self._now,
            limit,
            common.spread,
            watched,
            self._question if asked.vitality else None,
            max(RANKED, 2 * asked.k),
            vectors[1:] if vectors is not None and len(vectors) > 1 else None,
        )

    async def _vectors(self) -> Column | None:
        """Of the question, and of its sentences if it has several."""
        try:
            return await self._indexing.vectors([self._asked.text, *self._question.sentences])
        except EmbedderFailed as error:
            self._note = f"found by words only: {error}"
            return None

    async def _ranked(self, found: Candidates, k: int) -> list[Hit]:
        """Stage two: the terms of the rank and the metabolism's say, then the best k."""
        if not len(found.ids):
            return []
        similarity = found.similarity + found.lift
        good = np.flatnonzero(similarity >= self._asked.at_least)
        terms = self._terms(found)
        base = weighed(similarity, terms, self._weights(terms))
        if terms and "superseded" not in self._metabolism.traits.counts:
            terms["superseded"] = await self._superseded(found, base)
            base = weighed(base, {"superseded": terms["superseded"]}, self._weights(["superseded"]))
        score, alive = base, _NOT_LOOKED_AT
        if self._asked.explain or (self._asked.vitality and self._metabolism.rank_gain != 0.0):
            score, alive = await self._alive(found.ids, base, self._within_reach(base, good, k))
        order = good[np.lexsort((-found.ids[good], -score[good]))][:k]
        memories = {seen.id: seen for seen in await read(self._store, found.ids[order].tolist(), self._now)}
        keys = await self._lifters(found, order) if self._asked.explain else {}
        return [
            Hit(
                memories[memory],
                float(score[row]),
                float(similarity[row]),
                self._why(found, row, alive, keys, terms),
            )
            for row, memory in zip(order.tolist(), found.ids[order].tolist(), strict=True)
            if memory in memories
        ]

    def _terms(self, found: Candidates) -> dict[str, Column]:
        if found.evidence is None:
            return {}
        without = self._metabolism.traits.counts
        return rank_terms(found.evidence, self._question, found.meant, self._now, without)

    async def _superseded(self, found: Candidates, score: Column) -> Column:
        """Of the best candidates so far, how much a newer one of them says the same."""
        assert found.evidence is not None
        best, says = np.argsort(-score, kind="stable")[:LOOKED_AT], np.zeros(len(score))
        made = found.evidence.made[best]
        says[best] = await superseded(self._store, self._indexing.analyzer, found.ids[best], made)
        return says

    def _weights(self, terms: Iterable[str]) -> dict[str, float]:
        return {name: self._store.regime.common.weight(name) for name in terms}

    def _within_reach(self, score: Column, good: Column, k: int) -> Column:
        """The rows that may be among the best k, whatever their vitality: the others are not looked at."""
        gain = self._metabolism.rank_gain if self._asked.vitality else 0.0
        if gain is None or len(good) <= k:
            return good
        kth = np.partition(score[good], len(good) - k)[len(good) - k]
        within: Column = good[score[good] + gain >= kth]
        return within

    async def _alive(self, ids: Column, base: Column, rows: Column) -> tuple[Column, _Alive]:
        """Scores, and what those of these rows come from; other rows keep what they have without vitality."""
        signals, score = await self._store.signals(ids[rows].tolist()), base.copy()
        vitality = self._metabolism.vitality(signals, self._now)
        standing = self._metabolism.standing(signals, vitality, self._now)
        if self._asked.vitality:
            score[rows] = self._metabolism.rank(base[rows], vitality, standing)
        if not self._asked.explain:
            return score, _NOT_LOOKED_AT
        pairs = zip(vitality.tolist(), standing.tolist(), strict=True)
        return score, dict(zip(rows.tolist(), pairs, strict=True))

    async def _lifters(self, found: Candidates, order: Column) -> dict[int, str]:
        rows = sorted({int(row) for row in found.by[order] if row >= 0})
        said = await self._store.contents([int(found.ids[row]) for row in rows])
        return {row: said[memory].key for row in rows if (memory := int(found.ids[row])) in said}

    def _why(
        self, found: Candidates, row: int, alive: _Alive, keys: dict[int, str], terms: Mapping[str, Column]
    ) -> Why | None:
        if not self._asked.explain:
            return None
        vitality, scaled = alive[row]
        cosine, by = float(found.cosine[row]), int(found.by[row])
        return Why(
            bm25=float(found.words[row]),
            by_words=float(found.worded[row]),
            cosine=None if np.isnan(cosine) else cosine,
            by_meaning=None if found.meant is None else float(found.meant[row]),
            similarity=float(found.similarity[row]),
            lift=float(found.lift[row]),
            lifted_by=keys.get(by),
            vitality=vitality,
            scaled=scaled,
            formula=self._formula(),
            terms=tuple(self._term(name, float(column[row])) for name, column in terms.items() if column[row]),
        )

    def _term(self, name: str, value: float) -> RankTerm:
        weight = self._store.regime.common.weight(name)
        return RankTerm(name, value, weight, weight * value)

    def _formula(self) -> str:
        return self._metabolism.rank_formula() if self._asked.vitality else "similarity + lift"

    # ---- what was declined

    async def _declined(self, query: Query, similar: Sequence[float]) -> list[Declined]:
        """What is among the k most similar but for its state; and what matches in the trash.

        `similar`: the similarities of all that may be told, highest first.
        """
        worst = similar[self._asked.k - 1] if len(similar) >= self._asked.k else -1.0
        hidden = tuple(state for state in self._metabolism.states if state not in query.filter.states)
        found: list[Declined] = []
        if hidden:
            others = await self._store.match(
                replace(query, filter=replace(query.filter, states=hidden), k=0, question=None)
            )
            found = await self._hidden([hit for hit in await self._ranked(others, MOST) if hit.similarity > worst])
        return [*found, *await self._forgotten(query)]

    async def _hidden(self, hits: Sequence[Hit]) -> list[Declined]:
        """The nearest of these, with the reason for their state. How alive they are makes no difference here."""
        nearest = sorted(hits, key=lambda hit: -hit.similarity)[: self._asked.k]
        here = await self._store.contents([hit.memory.id for hit in nearest])  # some may have gone meanwhile
        found = []
        for hit in nearest:
            if (memory := hit.memory).id in here:
                why = self._metabolism.why(await self._store.signals([memory.id]), self._now)
                why = f"{memory.state}: {why}"
                found.append(Declined(memory.key, memory.text, memory.state.value, hit.similarity, why))
        return found

    async def _forgotten(self, query: Query) -> list[Declined]:
        """By words alone: what is in the trash has no vectors."""
        wait = self._store.regime.common.trash_days * DAY
        trash = [
            (said, gone)
            for said, gone in await self._store.trash(limit=_TRASH_LOOKED_AT)
            if self._now - gone.at < wait and self._fits(said, gone.row["created_at"], query.filter)
        ]
        terms = await self._indexing.terms([said for said, _ in trash])
        asked = _asked_for(query.terms)
        found = [
            Declined(said.key, said.text, "trash", share, f"in the trash ({gone.cause}): `restore` brings it back")
            for (said, gone), each in zip(trash, terms, strict=True)
            if (share := _share(each, asked)) >= _ENOUGH and np.isin(query.filter.keywords, each.codes).all()
        ]
        return sorted(found, key=lambda one: -one.similarity)[: self._asked.k]

    def _fits(self, said: Content, made: float, wanted: Filter) -> bool:
        if said.kind == wanted.without_kind or wanted.kind not in (None, said.kind):
            return False
        in_time = (wanted.since is None or made >= wanted.since) and (wanted.until is None or made < wanted.until)
        return in_time and wanted.domain in (None, said.domain)


def _asked_for(terms: Terms) -> Column:
    """The words; of a query without any, all it has. Codes and names are guesses, most of which match nothing."""
    words = terms.among(Field.WORDS)
    return words if len(words) else np.concatenate([terms.among(field) for field in SCORED])


def _share(terms: Terms, asked: Column) -> float:
    return float(np.isin(asked, terms.codes).mean()) if len(asked) else 0.0


def stated(states: Sequence[State | str] | State | str | None) -> tuple[State, ...]:
    """States as people name them."""
    if states is None:
        return ()
    given = [states] if isinstance(states, str) else list(states)
    known = {state.value: state for state in STATES}
    for name in given:
        if name not in known:
            raise InvalidInput(problem=f"{name!r} is not a state: there are {', '.join(known)}")
    return tuple(known[name] for name in given)
