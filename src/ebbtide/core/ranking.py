"""From matches to ranks: words and meaning become one similarity, links spread it, vitality weighs it.   SPEC R3.

similarity = (by words + by meaning) / 2, both on a scale that does not depend on what else is found: a query that
nothing answers gets low similarities. All functions take columns, row i of each belongs to one memory, and look at no
row but their own, except `spread`.
"""

from dataclasses import dataclass

import numpy as np

from ebbtide.core.signals import Column

PER_WORD = 0.5  # points of BM25 for each word of the query that the best match is measured against
STEP = 0.1  # of similarity, for each standard deviation by which a cosine stands out
LOWEST = -2.0  # standard deviations: what lies lower is equally far from the query
_BEND = 0.8  # up to here similarity by meaning is linear, then it only nears 1
_USUAL = 0.1  # mean and spread of the cosines of strangers, believed like this many looked at:
_BELIEF = 10

SPREAD = 1.0  # how much of a link's strength counts in spreading; 0: links do not matter
BONUS = 0.1  # what full vitality is worth, in similarity


@dataclass(frozen=True, slots=True)
class Noise:
    """What cosines a query gets from memories that have nothing to do with it."""

    mean: float
    spread: float

    @classmethod
    def of(cls, cosines: Column) -> "Noise":
        """From the cosines of all memories, or of a fair sample. A few of them say little, so they change little."""
        have = cosines[~np.isnan(cosines)].astype(np.float64)
        weight = _BELIEF + len(have)
        mean = (_BELIEF * _USUAL + have.sum()) / weight
        square = _BELIEF * (_USUAL**2 + (_USUAL - mean) ** 2) + ((have - mean) ** 2).sum()
        return cls(float(mean), float(np.sqrt(square / weight)))


def by_words(scores: Column, best: float, words: int) -> Column:
    """BM25 scores as similarity: `best` is the highest of all memories, `words` how many terms the query has in WORDS.

    The best match of a query whose words are all rare, and found, comes near 1; that of a long query of which
    little is found, or only what is common, stays low.
    """
    return scores / (best + PER_WORD * words) if best > 0 else np.zeros_like(scores)


def by_meaning(cosines: Column, noise: Noise) -> Column:
    """Cosines as similarity, by how far they stand out. NaN, a memory without a vector, counts as any stranger."""
    out = np.where(np.isnan(cosines), 0.0, (cosines - noise.mean) / noise.spread)
    linear = STEP * np.maximum(out - LOWEST, 0.0)
    above = np.maximum(linear - _BEND, 0.0) / (1 - _BEND)
    return np.minimum(linear, _BEND) - (1 - _BEND) * np.expm1(-above)


def fuse(worded: Column, meant: Column | None) -> Column:
    """The similarity of each, in [0, 1]. Without an embedder (`meant` is None) words alone decide."""
    return worded if meant is None else (worded + meant) / 2


def spread(similarity: Column, source: Column, target: Column, strength: Column, weight: float = SPREAD) -> Column:
    """What each row gains from the best hit it is linked with: one step, in either direction of the link.

    `source` and `target` are rows. A hit draws a neighbour that is below it part of the way up, the surer the hit and
    the stronger the link the further: by strength × hit × (hit − neighbour), so never past itself.
    """
    ends, hits = np.concatenate([target, source]), similarity[np.concatenate([source, target])]
    pull = np.minimum(weight * np.concatenate([strength, strength]), 1.0)
    lift = np.zeros_like(similarity)
    np.maximum.at(lift, ends, pull * hits * np.maximum(hits - similarity[ends], 0.0))
    return lift


def vital(similarity: Column, scaled: Column, bonus: float = BONUS) -> Column:
    """Rank in activity, score and network minds: vitality, scaled to 0–1, is worth at most `bonus`."""
    return similarity + bonus * scaled


def retained(similarity: Column, retention: Column, decay_weight: float = 1.0) -> Column:
    """Rank in retention minds: similarity × R^decay_weight."""
    return similarity * retention**decay_weight
