"""Credit: which of the memories shown an answer drew on, and how sure that is.   SPEC C15.

What counts is a term: a word, or a pair of characters in scripts without spaces. Terms of the question never count,
in neither the memories nor the answer: the answer may have them from there. A term weighs

    weight = idf × field weight / number of memories shown that have it

so that a word which all of them have says little about which one was used. For idf a mind of fewer than `FEWEST`
memories counts as one of so many: a word that one memory of three has is not a common word. Four components, each from
0 to 1:

    similarity   how well the memory answers the question, as the search found it (`USUAL` where that is not known)
    said         share of the memory's terms, by weight, that are in the answer
    explained    share of the answer's terms, by weight, that are in the memory
    rarest       weight of the heaviest term they share, as a share of what a term no other memory has would weigh

The dates that a memory was made on or names count as terms in `explained` and `rarest`, and not in `said`: an answer
may name the day of a memory, and need not.

    confidence = 1 / (1 + exp(7 − 3 · (2 · similarity + said + √explained + rarest)))
               = 0 where memory and answer share nothing

The root is for long answers, of which one memory never explains much. The weights are round numbers near those that
logistic regressions on half of two sets of conversations gave: bench/credit.py measures what comes of them.
Neither a term's weight nor the memory's similarity depends on the answer. So the more of a memory an answer says,
the surer it is: adding a memory's own text to an answer never lowers its confidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.lexical import WEIGHTS, Frequencies
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, Terms, fields_of

FEWEST = 100
USUAL = 0.3  # similarity of a memory that was shown, where it is not known
COUNTED = (Field.WORDS, Field.GRAMS)
_STEEP, _SIMILARITY, _OFFSET = 3.0, 2.0, 7.0
_FIELD_WEIGHTS = np.array([WEIGHTS.get(field, 0.0) for field in Field])


@dataclass(frozen=True, slots=True)
class Shown:
    """The memories shown, one row each: their terms, the codes of their dates, and how well they answer."""

    terms: Sequence[Column]
    dates: Sequence[Column]
    similarity: Column


@dataclass(frozen=True, slots=True)
class Evidence:
    """The components of each row, and the confidence they make."""

    similarity: Column
    said: Column
    explained: Column
    rarest: Column
    confidence: Column


def counted(terms: Terms) -> Column:
    """The codes of a text that count, ascending."""
    return np.concatenate([terms.among(field) for field in COUNTED])


def weigh(shown: Shown, answer: Column, question: Column, frequencies: Frequencies) -> Evidence:
    """`answer` and `question`: the codes of both, those of the dates they name included."""
    codes = np.setdiff1d(np.concatenate([answer, *shown.terms, *shown.dates]), question)
    words = _held(shown.terms, codes)
    known = words | _held(shown.dates, codes)
    answered = np.isin(codes, answer)
    weight = _idf(codes, frequencies) / np.maximum(known.sum(axis=0), 1)
    shared = (known & answered) * weight
    said = _shares((words & answered) @ weight, words @ weight)
    explained = _shares(shared.sum(axis=1), weight[answered].sum())
    rarest = shared.max(axis=1, initial=0.0) / _rarest(frequencies)
    return Evidence(shown.similarity, said, explained, rarest, confidence(shown.similarity, said, explained, rarest))


def confidence(similarity: Column, said: Column, explained: Column, rarest: Column) -> Column:
    total = _SIMILARITY * similarity + said + np.sqrt(explained) + rarest
    sure = 1.0 / (1.0 + np.exp(_OFFSET - _STEEP * total))
    return np.where(rarest > 0.0, sure, 0.0)


def _held(rows: Sequence[Column], codes: Column) -> Column:
    """Which row has which code."""
    return np.array([np.isin(codes, row) for row in rows], np.bool_).reshape(len(rows), len(codes))


def _idf(codes: Column, frequencies: Frequencies) -> Column:
    """As in BM25, with a field's weight. A code that no memory has, such as that of a date, is the rarest there is."""
    having = np.zeros(len(codes))
    if len(frequencies.codes):
        at = np.minimum(np.searchsorted(frequencies.codes, codes), len(frequencies.codes) - 1)
        having = np.where(frequencies.codes[at] == codes, frequencies.having[at], 0.0)
    idf = np.log1p((_size(frequencies) - having + 0.5) / (having + 0.5))
    return _FIELD_WEIGHTS[fields_of(codes).astype(np.int64)] * idf


def _rarest(frequencies: Frequencies) -> float:
    return float(np.log1p((_size(frequencies) + 0.5) / 0.5))


def _size(frequencies: Frequencies) -> int:
    return max(frequencies.memories, FEWEST)


def _shares(part: Column, whole: Column) -> Column:
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.broadcast_to(whole > 0.0, np.shape(part)))
