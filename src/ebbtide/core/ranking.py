"""From matches to ranks: words and meaning become one similarity, links spread it, terms and vitality weigh it.

SPEC R3, K1–K4. similarity = (by words + by meaning) / 2, both on a scale that does not depend on what else is found: a
query that nothing answers gets low similarities. All functions take columns, row i of each belongs to one memory.

score = similarity + lift + Σ weight × term, then the metabolism's vitality. The terms (`TERMS`), each at least 0 but
`speaker`; sh = min(1, 400 / (1 + size)) is how much a memory of this size owes to what stands beside it:

neighbour, two_before, two_after   similarity of what stands beside it in its conversation, less 0.2, × sh of both
answer         the same of the memory before it, where that ends in a question mark
joint_words    the coverage that the words of the memory before it add, × sh of both
sentence       the best similarity by meaning over the question's sentences
last_sentence  that of its last sentence
coverage       Σ idf² of the question's words that the memory has / Σ idf² of those that are known, / √sentences
time           1: created within a time that the question names
when           the question asks for a time, and the memory names one: min(1, similarity / 0.3)
user           the question speaks of oneself, and the user said the memory: min(1, similarity / 0.3)
speaker        1: said by the one speaker that the question names, −1: by another
question       1: ends in a question mark
first_person   1: speaks in the first person
recency        1 / (1 + age / 60 days)
superseded     how much a newer memory says the same
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np

from ebbtide.core.evidence import Evidence
from ebbtide.core.memory import DAY
from ebbtide.core.question import Question
from ebbtide.core.signals import Column
from ebbtide.core.terms import Trait

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
        alone = Noises.of(have[None, :])
        return cls(alone.mean.item(), alone.spread.item())


@dataclass(frozen=True, slots=True)
class Noises:
    """The same for several queries: columns of one value a row."""

    mean: Column
    spread: Column

    @classmethod
    def of(cls, cosines: Column) -> "Noises":
        """From (query, memory), none of which is missing: the usual mean and spread, believed like some looked at."""
        weight = _BELIEF + cosines.shape[1]
        mean = (_BELIEF * _USUAL + cosines.sum(axis=1, dtype=np.float64, keepdims=True)) / weight
        off = ((cosines - mean) ** 2).sum(axis=1, keepdims=True)
        return cls(mean, np.sqrt((_BELIEF * (_USUAL**2 + (_USUAL - mean) ** 2) + off) / weight))


def by_words(scores: Column, best: float, words: int) -> Column:
    """BM25 scores as similarity: `best` is the highest of all memories, `words` how many terms the query has in WORDS.

    The best match of a query whose words are all rare, and found, comes near 1; that of a long query of which
    little is found, or only what is common, stays low.
    """
    return scores / (best + PER_WORD * words) if best > 0 else np.zeros_like(scores)


def by_meaning(cosines: Column, noise: Noise | Noises) -> Column:
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
    """Rank in retention minds: similarity × R^decay_weight. Below 0 a factor would turn the order round."""
    return np.maximum(similarity, 0.0) * retention**decay_weight


# ---- terms of the rank

TERMS = (
    "neighbour", "two_before", "two_after", "answer", "joint_words", "sentence", "last_sentence", "coverage", "time",
    "when", "user", "speaker", "question", "first_person", "recency", "superseded",
)  # fmt: skip
ALONE = 400.0  # characters: what is longer stands by itself, the more the longer
STRANGER = 0.2  # the similarity of memories that have nothing to do with a question
LIKELY = 0.3  # from this similarity on, what suits a question by its form alone counts in full
RECENT = 60.0  # days


def rank_terms(
    evidence: Evidence, question: Question, meant: Column | None, now: float, without: Container[str] = ()
) -> dict[str, Column]:
    """Every term that is not 0 for all candidates, but those of `without`, which their metabolism counts already."""
    n, likely = len(evidence), np.minimum(1.0, evidence.similarity[: len(evidence)] / LIKELY)
    sentences = evidence.sentences if len(evidence.sentences) or meant is None else meant[None, :]
    terms = conversation(evidence) | {
        "sentence": sentences.max(axis=0) if len(sentences) else np.zeros(n),
        "last_sentence": sentences[-1] if len(sentences) else np.zeros(n),
        "coverage": coverage(evidence.holds[:, :n], evidence.idf, len(sentences)),
        "time": within(evidence.made, question),
        "when": likely * evidence.has(Trait.TIME)[:n] * float(question.when),
        "user": likely * evidence.has(Trait.USER)[:n] * float(question.own),
        "speaker": evidence.spoken,
        "question": evidence.has(Trait.ASKS)[:n].astype(np.float64),
        "first_person": evidence.has(Trait.FIRST)[:n].astype(np.float64),
        "recency": recency(evidence.made, now),
    }
    return {name: column for name, column in terms.items() if name not in without and column.any()}


def weighed(score: Column, terms: Mapping[str, Column], weights: Mapping[str, float]) -> Column:
    """The score with every term by its weight."""
    return score + sum((weights[name] * column for name, column in terms.items()), np.zeros(len(score)))


def conversation(evidence: Evidence) -> dict[str, Column]:
    """The terms of what stands beside each candidate. All 0 for a memory of no conversation."""
    n, share = len(evidence), owing(evidence.size)
    tells = share * np.maximum(evidence.similarity - STRANGER, 0.0)
    own, before, after = share[:n], evidence.before[:n], evidence.after[:n]
    two_before, two_after = _of(evidence.before, before, -1), _of(evidence.after, after, -1)
    asked = _of(evidence.has(Trait.ASKS), before, False)
    told_before = own * _of(tells, before, 0.0)
    return {
        "neighbour": np.maximum(told_before, own * _of(tells, after, 0.0)),
        "two_before": own * _of(tells, two_before, 0.0),
        "two_after": own * _of(tells, two_after, 0.0),
        "answer": asked * told_before,
        "joint_words": own * _of(share, before, 0.0) * joint(evidence.holds, evidence.idf, before),
    }


def owing(size: Column) -> Column:
    """How much a memory of so many characters owes to what stands beside it."""
    return np.minimum(1.0, ALONE / (1.0 + size))


def coverage(holds: Column, idf: Column, sentences: int = 1) -> Column:
    """How much of what the question asks for each memory has; the less it says, the more sentences the question has."""
    weight = idf**2
    share: Column = weight @ holds / max(weight.sum(), 1e-9) / np.sqrt(max(sentences, 1))
    return share


def joint(holds: Column, idf: Column, before: Column) -> Column:
    """The coverage that the words of the memory before each candidate add to its own."""
    own = holds[:, : len(before)]
    both = own | np.where(before >= 0, holds[:, before], False)
    return coverage(both, idf) - coverage(own, idf)


def within(made: Column, question: Question) -> Column:
    """1 where a memory was created within a time that the question names."""
    inside = np.zeros(len(made))
    for since, until in question.spans:
        inside[(made >= since) & (made < until)] = 1.0
    return inside


def recency(made: Column, now: float) -> Column:
    return 1.0 / (1.0 + np.maximum(now - made, 0.0) / (RECENT * DAY))


def _of(column: Column, rows: Column, none: float) -> Column:
    """The values of these rows; `none` for row −1."""
    return np.where(rows >= 0, column[rows], none)
