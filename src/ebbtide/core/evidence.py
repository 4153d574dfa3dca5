"""What the rank of candidates is made of beside their similarity, as columns.   SPEC K1–K4."""

from dataclasses import dataclass

import numpy as np

from ebbtide.core.signals import Column
from ebbtide.core.terms import Trait


@dataclass(frozen=True, slots=True)
class Evidence:
    """Rows 0 … n−1 are the candidates; the rows behind them stand beside one in a conversation, and are not ranked.

    Columns of n rows: `made`, `spoken`, the last axis of `sentences`. The others are of all rows.
    """

    similarity: Column
    size: Column  # in characters; those of a Chinese text count three times
    traits: Column  # bits, see `Trait`
    before: Column  # the row of the memory before it in its conversation; −1: there is none, or it was not looked at
    after: Column
    holds: Column  # (word of the question, row): whether the memory has the word
    idf: Column  # of each of these words
    made: Column  # when each was created
    spoken: Column  # 1: by the speaker that the question names, −1: by another, 0: that is not known
    sentences: Column  # (sentence of the question, candidate): similarity by meaning; no sentence: it has but one

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.made)

    def has(self, trait: Trait) -> Column:
        """Of all rows, whether each has this trait."""
        return (self.traits & np.uint8(trait)) > 0
