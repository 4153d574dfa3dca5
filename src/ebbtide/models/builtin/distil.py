"""What a segment speaks of: a phrase, its keywords, and the things and people in it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ebbtide.core.answers import MAX_WORD
from ebbtide.core.entities import usable
from ebbtide.core.ports import Distilled
from ebbtide.models.builtin.compress import shorten
from ebbtide.models.builtin.entities import entity, stands_as_thing
from ebbtide.models.builtin.grammar import Grammar, bare
from ebbtide.models.builtin.tokens import CONTENT, KEYS, Kind, Token, chinese
from ebbtide.models.builtin.weigh import vague, weight
from ebbtide.models.builtin.words import read

KEYWORDS = 8
ENTITIES = 5
_PHRASE_CHARACTERS = 20  # Chinese
_PHRASE_WORDS, _PHRASE_LETTERS = 8, 60  # English
_AGAIN = 0.5  # what each further mention adds to a word's weight
_TELLING_VERB = 0.5
_SKIPPED = frozenset({Kind.MARK, Kind.FILLER, Kind.CONJUNCTION, Kind.PARTICLE})


@dataclass(slots=True)
class _Found:
    """A word of the segment, in all its mentions."""

    text: str
    kind: Kind
    weight: float
    parts: tuple[str, ...]

    def again(self) -> None:
        self.weight *= 1 + _AGAIN


def distil(segment: str) -> Distilled:
    tokens = read(segment)
    phrase = " ".join(_phrase(segment, tokens).split())  # one line, also of a piece of code
    return Distilled(phrase, _keywords(tokens), _entities(segment, tokens))


# ---- entities


def _entities(segment: str, tokens: Sequence[Token]) -> tuple[str, ...]:
    found = _collect((token, entity(token) if stands_as_thing(tokens, i) else None) for i, token in enumerate(tokens))
    # Names, then things, then pronouns: sorting is stable, so what was said first stays first among equals.
    ranked = sorted(found, key=lambda each: (each.kind is Kind.PRONOUN, -each.weight))
    return usable([each.text for each in ranked[:ENTITIES]], segment)


def _collect(named: Iterable[tuple[Token, str | None]]) -> list[_Found]:
    found: dict[str, _Found] = {}
    for token, name in named:
        if not name or not _is_a_word(name):
            continue
        if name.lower() in found:
            found[name.lower()].again()
        else:
            found[name.lower()] = _Found(name, token.kind, weight(token), token.parts)
    return list(found.values())


def _is_a_word(text: str) -> bool:
    """A whole piece of code is what the segment says, not what it is filed under."""
    return len(text) <= MAX_WORD and len(text.splitlines()) == 1


# ---- keywords


def _keywords(tokens: Sequence[Token]) -> tuple[str, ...]:
    found = sorted(_collect(_candidates(tokens)), key=lambda each: -each.weight)
    compounds = {word.lower() for each in found[:KEYWORDS] for word in each.parts}
    return tuple(each.text for each in found if each.text.lower() not in compounds)[:KEYWORDS]


def _candidates(tokens: Sequence[Token]) -> Iterator[tuple[Token, str | None]]:
    counted: Token | None = None  # a bare number waits for what it counts: 120 guests, 3个漏洞
    for token in tokens:
        if counted is not None:
            whole = token.kind is Kind.NOUN
            yield counted, f"{counted.text}{'' if token.han else ' '}{token.text}" if whole else counted.text
            if whole:
                counted = None
                continue
        counted = token if token.kind is Kind.NUMBER and bare(token) else None
        if counted is None:
            yield token, _keyword(token)
    if counted is not None:
        yield counted, counted.text


def _keyword(token: Token) -> str | None:
    if token.kind in KEYS:
        return token.text
    if token.kind not in CONTENT or vague(token):
        return None
    if token.kind is Kind.NOUN or weight(token) >= _TELLING_VERB:
        return token.text if token.han else token.text.lower()
    return None


# ---- the phrase


def _phrase(segment: str, tokens: Sequence[Token]) -> str:
    """The most telling clause, shortened if it is too long."""
    clauses = Grammar(tokens).members
    if not clauses:
        return segment.strip()[:_PHRASE_CHARACTERS]
    best = max(clauses, key=lambda clause: (sum(weight(tokens[i]) for i in clauses[clause]), -clause))
    words = [tokens[i] for i in clauses[best]]
    while len(words) > 1 and words[0].kind in _SKIPPED:
        words = words[1:]
    return _short(segment[words[0].start : words[-1].end])


def _short(clause: str) -> str:
    if chinese(clause):
        phrase = shorten(clause, _PHRASE_CHARACTERS) if len(clause) > _PHRASE_CHARACTERS else clause
        return phrase or clause[:_PHRASE_CHARACTERS]
    if len(clause) <= _PHRASE_LETTERS and len(clause.split()) <= _PHRASE_WORDS:
        return clause
    return shorten(clause, _PHRASE_LETTERS, _PHRASE_WORDS).rstrip(" ,;:") or clause[:_PHRASE_LETTERS]
