"""Stage one of a search, the same for every store that has its index in RAM.   SPEC R3.

Of the memories that may be seen, the best by words and the best by meaning are candidates, and whoever is linked with
the surest of them. What each is worth is worked out by `ranking`; vitality comes in stage two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ebbtide.core import ranking
from ebbtide.core.evidence import Evidence
from ebbtide.core.gathering import Gathering
from ebbtide.core.index import SearchIndex
from ebbtide.core.lexical import Postings
from ebbtide.core.memory import CODE_OF, STATES, State
from ebbtide.core.question import Question
from ebbtide.core.ranking import Noise
from ebbtide.core.relations import ORDER
from ebbtide.core.signals import Column, Signals
from ebbtide.core.state import MindState
from ebbtide.core.terms import Field, Terms, code_of, distinct

RANKED = 100  # the least number of candidates, best by similarity, whose evidence is gathered
NEAR = 40  # of the surest candidates, whose neighbours in a conversation become candidates
SOURCES = 20  # of the surest candidates, whose links are looked at
LINKS = 1000  # of theirs, the strongest
JUDGED_AT_ONCE = 20_000  # up to here everybody is judged sooner than the candidates are picked out
_AHEAD = 2  # so many times as many as are wanted are looked at before everybody is judged
_NOBODY, _NO_COSINES = np.empty(0, np.int64), np.empty(0, np.float32)


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
    k: int = 0  # of the best so many in whatever state, those in other states than the filter's are told as `hidden`
    question: Question | None = None  # None: no evidence is wanted, and all candidates
    ranked: int = RANKED  # candidates, the best by similarity, whose evidence is wanted
    sentences: Column | None = None  # the vectors of the question's sentences, one a row


@dataclass(frozen=True, slots=True)
class Hidden:
    """Memories that are among the best k by similarity, and in a state that was not asked for; best first."""

    ids: Column
    similarity: Column  # with the lift that links give, whatever the states at both ends


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
    hidden: Hidden | None = None  # None: there are none, or `Query.k` is 0
    evidence: Evidence | None = None  # None: none was wanted


class _Best(NamedTuple):
    """The best by words and by meaning, best first: slots, and the cosines of the latter."""

    worded: Column
    meant: Column
    cosines: Column

    def first(self, limit: int) -> "_Best":
        return _Best(self.worded[:limit], self.meant[:limit], self.cosines[:limit])


def match(state: MindState, index: SearchIndex, query: Query) -> Candidates:
    sight = _Sight(state, index, query.filter, query.at)
    postings = index.lexical.postings(query.terms)
    words = index.lexical.weighed(postings, index.size)
    words *= sight.among
    vector = query.vector if index.takes(query.vector) else None
    judge = _Judge(state, index, query, vector, words, sight, postings)
    shown, overall = _best_shown(index, words, vector, query, sight)
    candidates = judge.candidates(*_merged(index, vector, shown))
    if overall is None:
        return candidates
    return replace(candidates, hidden=judge.hidden(*_merged(index, vector, overall)))


def _merged(index: SearchIndex, vector: Column | None, best: _Best) -> tuple[Column, Column]:
    """The slots of both lists in order, and their cosines."""
    if vector is None:
        return np.sort(best.worded), np.full(len(best.worded), np.nan)
    others = best.worded[~_marked(best.meant, index.size)[best.worded]]
    slots = np.concatenate([best.meant, others])
    cosines = np.concatenate([best.cosines, index.cosines(vector, others)])
    order = np.argsort(slots)
    return slots[order], cosines[order]


class _Sight:
    """Who may be seen at this moment: `among` are all slots the query is about, in whatever state.

    Where there are many memories, the few candidates are judged instead (`few`), unless most of them turn out to be
    hidden. The index remembers for which states that was so.
    """

    def __init__(self, state: MindState, index: SearchIndex, wanted: Filter, at: float) -> None:
        self._state, self._index, self._states, self._at = state, index, wanted.states, at
        self.among = _among(state, index, wanted)
        self.of_all = set(wanted.states) >= set(state.regime.metabolism.states) or not len(state.table)
        self.few = self.of_all or (index.size > JUDGED_AT_ONCE and wanted.states not in index.sparse)
        self._seen: Column | None = None  # of every slot, once all were judged

    def of(self, slots: Column) -> Column:
        """For each of these slots, which must be `among`, whether it may be seen."""
        if self.of_all:
            return np.ones(len(slots), np.bool_)
        if self._seen is not None:
            return self._seen[slots]
        return self._shown(self._state.signals_of(self._index.ids[slots].tolist()))

    def everywhere(self) -> Column:
        """The same for every slot."""
        if self.of_all:
            return self.among
        if self._seen is not None:
            return self._seen
        rows = self._state.table.rows(self._index.ids[: self._index.size])
        self._seen = self.among & self._shown(self._state.signals())[rows]
        seen, among = int(np.count_nonzero(self._seen)), int(np.count_nonzero(self.among))
        self._note(seen, among)
        self.of_all = seen == among
        return self._seen

    def _shown(self, signals: Signals) -> Column:
        shown = np.zeros(len(STATES), np.bool_)
        shown[[CODE_OF[one] for one in self._states]] = True
        seen: Column = shown[self._state.regime.metabolism.judge(signals, self._at).state]
        return seen

    def _note(self, seen: int, among: int) -> None:
        if _AHEAD * seen < among:
            self._index.sparse.add(self._states)
        else:
            self._index.sparse.discard(self._states)


def _best_shown(
    index: SearchIndex, words: Column, vector: Column | None, query: Query, sight: _Sight
) -> tuple[_Best, _Best | None]:
    """The best that may be seen; and the best in whatever state, if some of them may be hidden and the query asks."""
    limit, overall = query.limit, None
    if not sight.few:
        sight.everywhere()
    if sight.few or query.k:  # the best in whatever state are wanted anyway: most of those shown may be among them
        most = limit if sight.of_all else _AHEAD * limit
        found = _best(index, words, vector, most, sight.among)
        overall = found.first(limit) if query.k and not sight.of_all else None
        seen = sight.of(np.concatenate([found.worded, found.meant]))
        worded, meant = seen[: len(found.worded)], seen[len(found.worded) :]
        if _suffice(worded, limit, most) and _suffice(meant, limit, most):
            shown = _Best(found.worded[worded], found.meant[meant], found.cosines[meant])
            return shown.first(limit), overall
    allowed = sight.everywhere()
    shown = _best(index, words * allowed, vector, limit, allowed)
    if query.k and not sight.of_all and overall is None:
        overall = _best(index, words, vector, limit, sight.among)
    return shown, overall


def _suffice(seen: Column, limit: int, most: int) -> bool:
    """Whether the best `limit` of all that may be seen are among these; fewer than asked for are all there are."""
    return len(seen) < most or int(np.count_nonzero(seen)) >= limit


def _best(index: SearchIndex, words: Column, vector: Column | None, limit: int, allowed: Column) -> _Best:
    found = _top(words, index.ids, limit)
    if vector is None or index.vectors is None:
        return _Best(found, _NOBODY, _NO_COSINES)
    return _Best(found, *index.vectors.nearest(vector, limit, allowed))


class _Judge:
    """One query's view of candidates. `words`: the scores of all that it is about, in whatever state."""

    def __init__(
        self,
        state: MindState,
        index: SearchIndex,
        query: Query,
        vector: Column | None,
        words: Column,
        sight: _Sight,
        postings: Postings,
    ) -> None:
        self._state, self._index, self._query, self._vector = state, index, query, vector
        self._words, self._sight, self._postings = words, sight, postings
        self._best = float(words.max(initial=0.0))  # in whatever state, so that which are asked for makes no difference
        self._asked = len(query.terms.among(Field.WORDS))
        self._noise: Noise | None = None

    def candidates(self, slots: Column, cosine: Column) -> Candidates:
        found = self._judged(slots, cosine, of_all=self._sight.of_all)
        question = self._query.question
        if question is None or not len(found.ids):
            return found
        found = _best_of(found, self._ranked(found))
        gathering = Gathering(self._state, self._index, question, self._postings, self._similarity)
        vectors = self._query.sentences if self._vector is not None else None
        return replace(found, evidence=gathering.of(found.ids, found.similarity, vectors))

    def _ranked(self, found: Candidates) -> Column:
        """The rows to be ranked: the best by similarity, and what stands beside the surest in a conversation."""
        if len(found.ids) <= self._query.ranked:
            return np.arange(len(found.ids))
        order = np.argsort(-(found.similarity + found.lift), kind="stable")
        near = self._index.slots(np.concatenate(self._state.links.beside(found.ids[order[:NEAR]])))
        chosen: Column = _marked(near[near >= 0], self._index.size)[self._index.slots(found.ids)]
        chosen[order[: self._query.ranked]] = True
        return np.flatnonzero(chosen)

    def _similarity(self, slots: Column) -> Column:
        return self._weighed(slots, self._index.cosines(self._vector, slots)).similarity

    def hidden(self, slots: Column, cosine: Column) -> Hidden | None:
        """Those of the best k of candidates in whatever state that may not be seen."""
        found = self._judged(slots, cosine, of_all=True)
        similarity = found.similarity + found.lift
        best = np.lexsort((-found.ids, -similarity))[: self._query.k]
        out = best[~self._sight.of(self._index.slots(found.ids[best]))]
        return Hidden(found.ids[out], similarity[out]) if len(out) else None

    def _judged(self, slots: Column, cosine: Column, *, of_all: bool) -> Candidates:
        """With what links add; `of_all`: whatever the states at their ends."""
        if self._noise is None and self._vector is not None and len(self._index.vectors or ()):
            self._noise = self._index.noise(self._vector)  # only now: `nearest` has multiplied this query with all
        found = self._weighed(slots, cosine)
        if not len(slots) or not len(self._state.links):
            return found
        source, target, strength = self._links(slots, found.similarity, of_all=of_all)
        near = self._beside(slots, found.similarity, of_all=of_all)
        around = distinct(np.concatenate([source, target, near]))
        around = around[~_marked(slots, self._index.size)[around]]
        if len(around):
            slots = np.concatenate([slots, around])
            cosine = np.concatenate([cosine, self._index.cosines(self._vector, around)])
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

    def _links(self, slots: Column, similarity: Column, *, of_all: bool) -> tuple[Column, Column, Column]:
        """Links of the surest candidates, to and from, between slots that may be seen; or between any (`of_all`).

        Not those of order: what stands beside a memory counts in its rank by itself.
        """
        surest = slots[np.argsort(-similarity, kind="stable")[: SOURCES if self._query.spread else 0]]
        source, target, strength = self._state.links_around(self._index.ids[surest], LINKS, without=ORDER)
        ends = self._index.slots(source), self._index.slots(target)
        known = distinct(np.concatenate([end[end >= 0] for end in ends]))
        seen = _marked(self._seen(known, of_all=of_all), self._index.size)
        keep = np.ones(len(strength), np.bool_)
        for end in ends:
            keep &= (end >= 0) & seen[end]
        return ends[0][keep], ends[1][keep], strength[keep]

    def _beside(self, slots: Column, similarity: Column, *, of_all: bool) -> Column:
        """The slots of what stands beside the surest candidates in a conversation, and may be seen."""
        surest = slots[np.argsort(-similarity, kind="stable")[:NEAR]]
        near = self._index.slots(np.concatenate(self._state.links.beside(self._index.ids[surest])))
        return self._seen(distinct(near[near >= 0]), of_all=of_all)

    def _seen(self, slots: Column, *, of_all: bool) -> Column:
        slots = slots[self._sight.among[slots]]
        return slots if of_all else slots[self._sight.of(slots)]


def _best_of(found: Candidates, rows: Column) -> Candidates:
    """These rows alone. The one that lifts another is among the best by similarity, so it is among them."""
    place = np.full(len(found.ids) + 1, -1)  # and for row −1, −1
    place[rows] = np.arange(len(rows))
    return Candidates(
        ids=found.ids[rows],
        words=found.words[rows],
        cosine=found.cosine[rows],
        worded=found.worded[rows],
        meant=None if found.meant is None else found.meant[rows],
        similarity=found.similarity[rows],
        lift=found.lift[rows],
        by=place[found.by[rows]],
        exact=found.exact,
    )


def _lifted(found: Candidates, ends: Sequence[Column], strength: Column, weight: float) -> Candidates:
    source, target = ends
    lift = ranking.spread(found.similarity, source, target, strength, weight)
    by = _lifters(found.similarity, source, target, np.minimum(weight * strength, 1.0))
    by[lift == 0.0] = -1
    return replace(found, lift=lift, by=by)


def _lifters(similarity: Column, source: Column, target: Column, pull: Column) -> Column:
    """Whose pull on each is the strongest; of equal ones, the surest hit's."""
    hits, lifted = np.concatenate([source, target]), np.concatenate([target, source])
    above = np.maximum(similarity[hits] - similarity[lifted], 0.0)
    gain = np.concatenate([pull, pull]) * similarity[hits] * above
    order = np.lexsort((similarity[hits], gain))
    by = np.full(len(similarity), -1)
    by[lifted[order]] = hits[order]  # the last one stays
    return by


def _among(state: MindState, index: SearchIndex, wanted: Filter) -> Column:
    """Which slots hold a memory that the query is about, in whatever state it is."""
    ids = index.ids[: index.size]
    among: Column = ids > 0
    if wanted.kind is not None:
        among &= index.kinds[: index.size] == np.uint64(code_of(Field.KIND, wanted.kind))
    if wanted.without_kind is not None:
        among &= index.kinds[: index.size] != np.uint64(code_of(Field.KIND, wanted.without_kind))
    if wanted.domain is not None:
        among &= index.domains[: index.size] == np.uint64(code_of(Field.DOMAIN, wanted.domain))
    for code in wanted.keywords:
        among &= _marked(index.lexical.having(code), index.size)
    if wanted.since is not None or wanted.until is not None:
        made = state.table.columns["created_at"][state.table.rows(ids)]
        among &= made >= (-np.inf if wanted.since is None else wanted.since)
        among &= made < (np.inf if wanted.until is None else wanted.until)
    return among


def _marked(slots: Column, size: int) -> Column:
    marked = np.zeros(size, np.bool_)
    marked[slots] = True
    return marked


def _top(scores: Column, ids: Column, limit: int) -> Column:
    """The slots with the highest scores above 0, best first; of equal ones the youngest memories'."""
    found = np.flatnonzero(scores)
    if len(found) > limit:
        points = scores[found]
        found = found[points >= np.partition(points, len(points) - limit)[len(points) - limit]]
    order = np.lexsort((-ids[found], -scores[found]))
    best: Column = found[order[:limit]]
    return best
