"""How much two texts say the same: shared words by weight, and shared pairs of characters for what words miss."""

from collections import Counter
from math import fsum

from ebbtide.models.builtin.tokens import Kind
from ebbtide.models.builtin.weigh import features
from ebbtide.models.builtin.words import read

_WORDS = 0.6  # the rest is for the characters
_NEGATED = "¬"  # whether something is denied is part of what is said


def overlap(one: str, two: str) -> float:
    """From 0 (nothing) to 1 (everything, but for spaces, marks and capitals); the order does not matter."""
    first, second = _bare(one), _bare(two)
    if first == second:
        return 1.0
    characters = _shared(Counter(_pairs(first)), Counter(_pairs(second)))
    these, those = _words(one), _words(two)
    if not these and not those:
        return characters
    return min(1.0, _WORDS * _shared(these, those) + (1 - _WORDS) * characters)


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(len(text) - 1)] or [text]


def _words(text: str) -> dict[str, float]:
    tokens = read(text)
    words = features(tokens)
    if any(token.kind is Kind.NEGATION for token in tokens):
        words[_NEGATED] = 1.0
    return words


def _shared(one: Counter[str] | dict[str, float], two: Counter[str] | dict[str, float]) -> float:
    total = fsum(one.values()) + fsum(two.values())
    common = fsum(min(heavy, two[word]) for word, heavy in one.items() if word in two)
    return 2 * common / total if total else 0.0
