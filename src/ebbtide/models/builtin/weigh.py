"""How much a word tells. The scale is arbitrary: an ordinary noun is about 1, a name 3, a word of grammar 0."""

from collections.abc import Iterable
from functools import lru_cache
from math import log10

from ebbtide.models.builtin import chinese, english
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.tokens import CONTENT, Kind, Token, is_han

_BASE = {
    Kind.NAME: 3.0,
    Kind.NUMBER: 2.5,
    Kind.CODE: 2.0,
    Kind.TIME: 1.5,
    Kind.NOUN: 2.0,  # times its rarity, as the next two
    Kind.VERB: 1.0,
    Kind.ADJECTIVE: 0.8,
    Kind.NEGATION: 0.8,
    Kind.QUALIFIER: 0.5,
    Kind.QUESTION: 0.4,
    Kind.PRONOUN: 0.1,
}
_BY_RARITY = frozenset({Kind.NOUN, Kind.VERB, Kind.ADJECTIVE})
_EVERYDAY = 0.4
_VAGUE = 0.1


def weight(token: Token) -> float:
    base = _BASE.get(token.kind, 0.0)
    if token.kind not in _BY_RARITY:
        return base
    return base * max(rarity(word.lower()) for word in token.words)


def vague(token: Token) -> bool:
    """东西, thing: nouns that stand for anything, and verbs that do everything."""
    return all(rarity(word.lower()) <= _VAGUE for word in token.words)


@lru_cache(maxsize=65536)
def rarity(word: str) -> float:
    """From 0.1 (vague) over 0.4 (everyday) to 1."""
    if word in zh.GENERIC or word in en.GENERIC or word in zh.LIGHT_VERBS or word in en.LIGHT_VERBS:
        return _VAGUE
    if word.isascii() or not is_han(word):
        return _EVERYDAY if word in en.EVERYDAY or english.base(word) in en.EVERYDAY else 0.9
    return min(1.0, max(0.25, 1.1 - log10(chinese.frequency(word) + 1) / 5))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """What the forms of an English word have in common; other words stay as they are."""
    if not word.isascii() or not word.isalpha():
        return word
    import snowballstemmer  # type: ignore[import-untyped]  # slow to load, and not needed for Chinese

    # A stemmer keeps its word in itself while it works, so nobody may share one between threads.
    result: str = snowballstemmer.stemmer("english").stemWord(word)
    return result


def features(tokens: Iterable[Token]) -> dict[str, float]:
    """The words that carry a text's meaning, by stem, with their weights. Compounds count by their parts too."""
    found: dict[str, float] = {}
    for token in tokens:
        if token.kind not in CONTENT or vague(token):
            continue
        heavy = weight(token)
        for word in token.words:
            if not _hollow(word):
                key = stem(word.lower())
                found[key] = max(found.get(key, 0.0), heavy)
    return found


def _hollow(word: str) -> bool:
    return word.lower() in en.NAME_LINKS or rarity(word.lower()) <= _VAGUE
