"""The parts a hit's score is the sum of, for people to read: similarity, lift, the terms of its rank, vitality."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ebbtide.mind.search import Hit, Why

WORDS, MEANING, LIFT, VITALITY = "words", "meaning", "lift", "vitality"
_LEAST = 0.0005  # less is 0.000 where points are told


@dataclass(frozen=True, slots=True)
class ScorePart:
    """`name`: WORDS, MEANING, LIFT, one of `core.ranking.TERMS`, or VITALITY."""

    name: str
    points: float


def score_parts(hit: "Hit") -> tuple[ScorePart, ...]:
    """All that are not 0.000, in the order of the formula; they add up to the score. None without explanation.

    Vitality has what the metabolism added to the rest. In a retention mind that is less than 0: R is a factor there,
    and takes away what was forgotten.
    """
    if (why := hit.why) is None:
        return ()
    words = why.by_words if why.by_meaning is None else why.by_words / 2
    found = [ScorePart(WORDS, words), ScorePart(MEANING, why.similarity - words), ScorePart(LIFT, why.lift)]
    found += [ScorePart(term.name, term.points) for term in why.terms]
    found.append(ScorePart(VITALITY, hit.score - sum(part.points for part in found)))
    return tuple(part for part in found if abs(part.points) >= _LEAST)


def as_sum(hit: "Hit", why: "Why") -> str:
    """The score in one line: `0.921 = similarity 0.412 + neighbour 0.124 − question 0.150 + vitality 0.100`."""
    parts = [part for part in score_parts(hit) if part.name not in (WORDS, MEANING)]
    added = "".join(f" {sign(part.points)} {_name(part)} {abs(part.points):.3f}" for part in parts)
    return f"{hit.score:.3f} = similarity {why.similarity:.3f}{added}"


def sign(points: float) -> str:
    return "−" if points < 0 else "+"


def _name(part: ScorePart) -> str:
    return part.name.replace("_", " ")
