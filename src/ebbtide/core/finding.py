"""Stage one of a search, the same for every store that has its index in RAM.   SPEC R3.

Of the memories that may be seen, the best by words and the best by meaning are candidates, and whoever is linked with
the surest of them. What each is worth is worked out by `ranking`; vitality comes in stage two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core import ranking
from ebbtide.core.index import SearchIndex
from ebbtide.core.memory import CODE_OF, STATES, State
from ebbtide.core.signals import Column
from ebbtide.core.state import MindState
from ebbtide.core.terms import Field, Terms, code_of

SOURCES = 20  # of the surest candidates, whose links are looked at
LINKS = 1000  # of theirs, the strongest


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories may be found. None and empty: any."""

    states: tuple[State, ...]
    kind: str | None = None
    domain: str | None = None
    keywords: tuple[int, ...] = ()  # codes of keywords; each must be there
    since: float | None = None  # created at or after
    until: float | None = None  # created before
    without_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """`vector` None: words alone. `limit`: so many by words, and so many by meaning."""

    terms: Terms
    vector: Column | None
    filter: Filter
    at: float
    limit: int
    spread: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """Row i of each column is one candidate. `by` is the row of whoever lifts it, −1: nobody does."""

    ids: Column
    words: Column  # BM25
    cosine: Column  # NaN: it has no vector, or nobody asked by one
    worded: Column  # both as similarity
    meant: Column | None
    similarity: Column
    lift: Column
    by: Column
    exact: bool  # nothing that is nearer in meaning was overlooked


def match(state: MindState, index: SearchIndex, query: Query) -> Candidates:
    allowed = _allowed(state, index, query.filter, query.at)
    words = index.lexical.scores(query.terms, index.size)
    words *= allowed
    found = _top(words, query.limit)
    if query.vector is None or index.vectors is None:
        return _Judge(state, index, query, words, allowed).candidates(np.sort(found), np.full(len(found), np.nan))
    near, cosines = index.vectors.nearest(query.vector, query.limit, allowed)
    others = np.setdiff1d(found, near, assume_unique=True)
    slots = np.concatenate([near, others])
    cosines = np.concatenate([cosines, index.cosines(query.vector, others)])
    order = np.argsort(slots)
    return _Judge(state, index, query, words, allowed).candidates(slots[order], cosines[order])


class _Judge:
    """One query's view of candidates."""

    def __init__(self, state: MindState, index: SearchIndex, query: Query, words: Column, allowed: Column) -> None:
        self._state, self._index, self._query, self._words, self._allowed = state, index, query, words, allowed
        self._best = float(words.max(initial=0.0))
        self._asked = len(query.terms.among(Field.WORDS))
        by_meaning = query.vector is not None and index.vectors is not None and len(index.vectors) > 0
        self._noise = index.noise(query.vector) if by_meaning and query.vector is not None else None

    def candidates(self, slots: Column, cosine: Column) -> Candidates:
        found = self._weighed(slots, cosine)
        if not self._query.spread or not len(slots) or not len(self._state.links):
            return found
        source, target, strength = self._links(slots, found.similarity)
        around = np.setdiff1d(np.concatenate([source, target]), slots)
        if len(around):
            slots = np.concatenate([slots, around])
            cosine = np.concatenate([cosine, self._index.cosines(self._query.vector, around)])
            found = self._weighed(slots, cosine)
        row_of = np.empty(self._index.size, np.int64)
        row_of[slots] = np.arange(len(slots))
        return _lifted(found, (row_of[source], row_of[target]), strength, self._query.spread)

    def _weighed(self, slots: Column, cosine: Column) -> Candidates:
        words = self._words[slots]
        worded = ranking.by_words(words, self._best, self._asked)
        meant = None if self._noise is None else ranking.by_meaning(cosine, self._noise)
        nobody = np.full(len(slots), -1)
        exact = self._index.vectors is None or self._index.vectors.exact
        similarity = ranking.fuse(worded, meant)
        ids = self._index.ids[slots]
        return Candidates(ids, words, cosine, worded, meant, similarity, np.zeros(len(slots)), nobody, exact)

    def _links(self, slots: Column, similarity: Column) -> tuple[Column, Column, Column]:
        """Links of the surest candidates, to and from, between slots that may be seen."""
        surest = slots[np.argsort(-similarity, kind="stable")[:SOURCES]]
        source, target, strength = self._state.links_around(self._index.ids[surest], LINKS)
        ends = self._index.slots(source), self._index.slots(target)
        keep = np.ones(len(strength), np.bool_)
        for end in ends:
            keep &= (end >= 0) & self._allowed[end]
        return ends[0][keep], ends[1][keep], strength[keep]


def _lifted(found: Candidates, ends: Sequence[Column], strength: Column, weight: float) -> Candidates:
    source, target = ends
    lift = ranking.spread(found.similarity, source, target, strength, weight)
    by = _lifters(found.similarity, lift, source, target, np.minimum(weight * strength, 1.0))
    return Candidates(
        found.ids, found.words, found.cosine, found.worded, found.meant, found.similarity, lift, by, found.exact
    )


def _lifters(similarity: Column, lift: Column, source: Column, target: Column, pull: Column) -> Column:
    """Who lifts each: whose pull is the lift."""
    by = np.full(len(similarity), -1)
    for hit, lifted in ((source, target), (target, source)):
        gain = pull * similarity[hit] * np.maximum(similarity[hit] - similarity[lifted], 0.0)
        theirs = (gain > 0.0) & (gain == lift[lifted])
        by[lifted[theirs]] = hit[theirs]
    return by


def _allowed(state: MindState, index: SearchIndex, wanted: Filter, at: float) -> Column:
    """Which slots hold a memory that may be found."""
    ids = index.ids[: index.size]
    allowed: Column = ids > 0
    if wanted.kind is not None:
        allowed &= index.kinds[: index.size] == np.uint64(code_of(Field.KIND, wanted.kind))
    if wanted.without_kind is not None:
        allowed &= index.kinds[: index.size] != np.uint64(code_of(Field.KIND, wanted.without_kind))
    if wanted.domain is not None:
        allowed &= index.domains[: index.size] == np.uint64(code_of(Field.DOMAIN, wanted.domain))
    for code in wanted.keywords:
        allowed &= _marked(index.lexical.having(code), index.size)
    rows = state.table.rows(ids)
    if wanted.since is not None:
        allowed &= state.table.columns["created_at"][rows] >= wanted.since
    if wanted.until is not None:
        allowed &= state.table.columns["created_at"][rows] < wanted.until
    return allowed & _seen(state, rows, wanted.states, at)


def _seen(state: MindState, rows: Column, states: Sequence[State], at: float) -> Column | bool:
    """Which rows are in one of these states at this moment."""
    metabolism = state.regime.metabolism
    if set(states) >= set(metabolism.states) or not len(state.table):
        return True
    shown = np.zeros(len(STATES), np.bool_)
    shown[[CODE_OF[one] for one in states]] = True
    seen: Column = shown[metabolism.judge(state.signals(), at).state[rows]]
    return seen


def _marked(slots: Column, size: int) -> Column:
    marked = np.zeros(size, np.bool_)
    marked[slots] = True
    return marked


def _top(scores: Column, limit: int) -> Column:
    """The slots with the highest scores above 0."""
    found = np.flatnonzero(scores)
    if len(found) <= limit:
        return found
    best: Column = found[np.argpartition(scores[found], len(found) - limit)[len(found) - limit :]]
    return best
