"""Gathers the evidence for the rank of candidates.   SPEC K1–K4.

Only candidates are looked at, and the memories up to two places before and after them in a conversation.
"""

from collections.abc import Callable

import numpy as np

from ebbtide.core.evidence import Evidence
from ebbtide.core.index import SearchIndex
from ebbtide.core.lexical import Postings
from ebbtide.core.question import Question
from ebbtide.core.ranking import by_meaning
from ebbtide.core.signals import Column
from ebbtide.core.state import MindState
from ebbtide.core.terms import Field, Trait, borders, distinct

WORDS = 40  # of a question's, the rarest
_HAN_COUNTS = 3  # letters that a Han character counts for
_NO_ROW = -1


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
        slots, before, after = self._conversation(ids)
        every = self._index.ids[slots]
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
        """The slots of the candidates and of what stands up to two places beside them; of each the rows before and
        after it."""
        slots, row_of = self._index.slots(ids), np.full(self._index.size, _NO_ROW)
        row_of[slots] = np.arange(len(slots))
        ends = [self._beside(slots)]
        near = _unknown(ends[0], row_of, len(slots))
        slots = np.concatenate([slots, near])
        if len(near):
            ends.append(self._beside(near))
            slots = np.concatenate([slots, _unknown(ends[1], row_of, len(slots))])
        rows = np.full((2, len(slots)), _NO_ROW)
        wanted = np.concatenate(ends, axis=1)
        rows[:, : wanted.shape[1]] = np.where(wanted >= 0, row_of[wanted], _NO_ROW)
        return slots, rows[0], rows[1]

    def _beside(self, slots: Column) -> Column:
        """The slots of what stands before (row 0) and after (row 1) each; −1: nothing does that can be found."""
        return self._index.slots(np.stack(self._state.links.beside(self._index.ids[slots])))

    # ---- words and sentences

    def _words(self) -> tuple[Column, Column]:
        """The codes of the question's rarest words that some memory has, ascending, and their idf."""
        low, high = np.searchsorted(self._found.codes, borders(Field.WORDS))
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
        return by_meaning(cosines, index.noises(vectors))

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


def _unknown(slots: Column, row_of: Column, size: int) -> Column:
    """Those of these slots that have no row yet, each once; they get the rows behind the `size` known ones."""
    every = distinct(slots[slots >= 0])
    new: Column = every[row_of[every] == _NO_ROW]
    row_of[new] = np.arange(size, size + len(new))
    return new
