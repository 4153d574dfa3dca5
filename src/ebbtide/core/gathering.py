"""Gathers the evidence for the rank of candidates.   SPEC K1–K4.

Only candidates are looked at, and the memories up to two places before and after them in a conversation.
"""

from collections.abc import Callable

import numpy as np

from ebbtide.core.evidence import Evidence
from ebbtide.core.index import SearchIndex
from ebbtide.core.lexical import Postings
from ebbtide.core.links import LinkTable
from ebbtide.core.question import Question
from ebbtide.core.ranking import by_meaning
from ebbtide.core.relations import CHINESE_ORDER, ENGLISH_ORDER
from ebbtide.core.signals import Column
from ebbtide.core.state import MindState
from ebbtide.core.terms import Field, Trait

WORDS = 40  # of a question's, the rarest
_HAN_COUNTS = 3  # letters that a Han character counts for
_NO_ROW = -1
_FORWARD = (CHINESE_ORDER.forward, ENGLISH_ORDER.forward)
_BACK = (CHINESE_ORDER.back, ENGLISH_ORDER.back)


def beside(links: LinkTable, ids: Column) -> tuple[Column, Column]:
    """The memories before and after each of these in a conversation, by links of order in either direction; 0: none."""
    forward, back = links.codes(_FORWARD), links.codes(_BACK)
    before, after = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    if not (forward or back) or not len(ids):
        return before, after
    order, c = np.argsort(ids), links.columns
    for slots, own, other, ends in (
        (links.reaching_any(ids), "target", "source", ((forward, before), (back, after))),
        (links.leaving_any(ids), "source", "target", ((forward, after), (back, before))),
    ):
        for names, column in ends:
            some = slots[np.isin(c["relation"][slots], names)]
            column[order[np.searchsorted(ids, c[own][some], sorter=order)]] = c[other][some]
    return before, after


class Gathering:
    """One query's evidence. `similarity`: of slots, whatever the state of their memories."""

    def __init__(
        self,
        state: MindState,
        index: SearchIndex,
        question: Question,
        found: Postings,
        similarity: Callable[[Column], Column],
    ) -> None:
        self._state, self._index, self._question = state, index, question
        self._found, self._similarity = found, similarity

    def of(self, ids: Column, similarity: Column, vectors: Column | None) -> Evidence:
        """Of these candidates; `vectors` are those of the question's sentences."""
        every, before, after = self._conversation(ids)
        slots = self._index.slots(every)
        near = self._similarity(slots[len(ids) :]) if len(every) > len(ids) else np.empty(0)
        words, idf = self._words()
        return Evidence(
            similarity=np.concatenate([similarity, near]),
            size=self._sizes(every, slots),
            traits=self._index.traits[slots],
            before=before,
            after=after,
            holds=self._found.holds(words, slots, self._index.size),
            idf=idf,
            made=self._column("created_at", ids),
            spoken=self._spoken(slots[: len(ids)]),
            sentences=self._meant(slots[: len(ids)], vectors),
        )

    # ---- conversation

    def _conversation(self, ids: Column) -> tuple[Column, Column, Column]:
        """The candidates and what stands up to two places beside them, and of each the rows before and after it."""
        links, known = self._state.links, ids
        ends = [beside(links, ids)]
        near = self._new(ends[0], known)
        if len(near):
            ends.append(beside(links, near))
            known = np.concatenate([ids, near])
            known = np.concatenate([known, self._new(ends[1], known)])
        order = np.argsort(known)
        rows = []
        for side in (0, 1):
            row = np.full(len(known), _NO_ROW)
            wanted = np.concatenate([end[side] for end in ends])
            row[: len(wanted)] = _rows(known, order, wanted)
            rows.append(row)
        return known, rows[0], rows[1]

    def _new(self, ends: tuple[Column, Column], known: Column) -> Column:
        """Those of these memories that can be found and are not among the known ones."""
        ids = np.setdiff1d(np.concatenate(ends), known)
        slots = self._index.slots(ids)
        return ids[(slots >= 0) & (ids > 0)]

    # ---- words and sentences

    def _words(self) -> tuple[Column, Column]:
        """The codes of the question's rarest words that some memory has, ascending, and their idf."""
        low, high = np.searchsorted(self._found.codes, _WORDS_RANGE)
        codes, idf = self._found.codes[low:high], self._index.lexical.idf(self._found.sizes[low:high])
        rare = np.sort(np.argsort(-idf, kind="stable")[:WORDS])
        rare = rare[idf[rare] > 0.0]
        return codes[rare], idf[rare]

    def _meant(self, slots: Column, vectors: Column | None) -> Column:
        index = self._index
        if vectors is None or index.vectors is None or not len(index.vectors) or not len(slots):
            return np.empty((0, len(slots)))
        theirs = index.vectors.vectors(slots)
        cosines = np.vecdot(vectors[:, None, :], theirs[None, :, :])
        cosines[:, ~index.vectors.has(slots)] = np.nan
        noises = index.noises(vectors)
        return np.stack([by_meaning(each, noise) for each, noise in zip(cosines, noises, strict=True)])

    # ---- what is known of each

    def _sizes(self, ids: Column, slots: Column) -> Column:
        han = (self._index.traits[slots] & np.uint8(Trait.HAN)) > 0
        return self._column("length", ids) * np.where(han, _HAN_COUNTS, 1)

    def _spoken(self, slots: Column) -> Column:
        named = self._index.speaker(self._question.names)
        speakers = self._index.speakers[slots]
        if not named:
            return np.zeros(len(slots))
        return np.where(speakers == np.uint64(named), 1.0, np.where(speakers == 0, 0.0, -1.0))

    def _column(self, name: str, ids: Column) -> Column:
        table = self._state.table
        column: Column = table.columns[name][table.rows(ids)]
        return column


def _rows(known: Column, order: Column, wanted: Column) -> Column:
    """Where each of these ids stands among the known ones; −1 where it does not."""
    place = np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)
    return np.where(known[order[place]] == wanted, order[place], _NO_ROW)


_WORDS_RANGE = np.array([Field.WORDS << 56, (Field.WORDS + 1) << 56], np.uint64)
