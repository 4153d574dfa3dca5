"""What a segment is to something it mentions, by the place that thing has in its sentence."""

from collections.abc import Sequence

from ebbtide.models.builtin import chinese as han
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.english import lower
from ebbtide.models.builtin.entities import entity as entity_of
from ebbtide.models.builtin.grammar import Grammar
from ebbtide.models.builtin.tokens import NOMINAL, Kind, Token, chinese
from ebbtide.models.builtin.weigh import vague
from ebbtide.models.builtin.words import read

# Strongest first: what a segment says of its owner or its place, it says more plainly than of a thing it mentions.
_NAMES = {
    "owner": ("属于", "belongs to"),
    "place": ("位于", "located at"),
    "topic": ("关于", "about"),
    "mention": ("涉及", "involves"),
    "none": ("相关", "related to"),  # not mentioned: only in the air while this was said
}
_ORDER = list(_NAMES)
_PREDICATE = frozenset({Kind.VERB, Kind.AUXILIARY, Kind.ADJECTIVE, Kind.NEGATION})
_BEFORE_SUBJECT_NEVER = frozenset({Kind.VERB, Kind.AUXILIARY, Kind.PREPOSITION, Kind.NEGATION})
_ABOUT = frozenset(["about", "regarding", "concerning"])
_PASSED_OVER = frozenset({Kind.DETERMINER, Kind.ADJECTIVE, Kind.PARTICLE})


def relation(segment: str, entity: str) -> str:
    grammar = Grammar(read(segment))
    roles = [_role(grammar, i) for i in _mentions(grammar.tokens, entity)]
    role = min(roles, key=_ORDER.index, default="none")
    return _NAMES[role][0 if chinese(segment) else 1]


def _mentions(tokens: Sequence[Token], entity: str) -> list[int]:
    """Where the entity stands: by its name, or as a word of a compound."""
    wanted = entity.strip().lower()
    if not wanted:
        return []
    found = []
    for i, token in enumerate(tokens):
        if token.kind is Kind.MARK:
            continue
        names = {token.text.lower(), (entity_of(token) or "").lower()} | {word.lower() for word in token.parts}
        if wanted in names:
            found.append(i)
    return found


def _role(grammar: Grammar, i: int) -> str:
    if _owns(grammar, i):
        return "owner"
    if _holds(grammar, i):
        return "place"
    return "topic" if _leads(grammar, i) else "mention"


def _neighbours(grammar: Grammar, i: int) -> tuple[Token | None, Token | None]:
    """The words on both sides, articles, attributes and 了 passed over on the left."""
    left = i - 1
    while left >= 0 and grammar.clause[left] == grammar.clause[i] and grammar.tokens[left].kind in _PASSED_OVER:
        left -= 1
    before = grammar.tokens[left] if left >= 0 and grammar.clause[left] == grammar.clause[i] else None
    after = grammar.tokens[i + 1] if i + 1 < len(grammar.tokens) else None
    return before, after


def _owns(grammar: Grammar, i: int) -> bool:
    """豆豆的疫苗, Anna's lease, her cat, the roof of the house, 属于他."""
    token = grammar.tokens[i]
    before, after = _neighbours(grammar, i)
    if after is not None and after.text in {"的", "'s", "’s"} and not _is_place(token):
        owned = grammar.after(i + 1, NOMINAL, within=3)
        return owned is not None and not vague(grammar.tokens[owned])
    if token.kind is Kind.PRONOUN and lower(token) in en.POSSESSIVES:
        return after is not None and after.kind in NOMINAL | {Kind.ADJECTIVE}
    if before is None:
        return False
    return before.text in {"属于", "归"} or _belongs(grammar, i) or _part_of(grammar, i)


def _part_of(grammar: Grammar, i: int) -> bool:
    """the roof of the house — but not: a lot of water."""
    of = grammar.before(i, frozenset({Kind.PREPOSITION}), within=3)
    whole = grammar.tokens[of - 1] if of else None
    return of is not None and lower(grammar.tokens[of]) == "of" and whole is not None and _is_thing(whole)


def _is_thing(token: Token) -> bool:
    return token.kind is Kind.NOUN and not vague(token)


def _is_place(token: Token) -> bool:
    return token.han and token.kind is Kind.NAME and token.text.endswith(tuple(zh.ROAD_ENDS))


def _belongs(grammar: Grammar, i: int) -> bool:
    words = [lower(token) for token in grammar.tokens[max(0, i - 4) : i]]
    return any(word.startswith("belong") for word in words) and "to" in words


def _holds(grammar: Grammar, i: int) -> bool:
    token = grammar.tokens[i]
    before, after = _neighbours(grammar, i)
    if _is_place(token) and after is not None and after.text == "的":
        return True
    if before is None or token.kind not in {Kind.NAME, Kind.NOUN}:
        return False
    if token.han:
        person = token.kind is Kind.NAME and token.text[0] in zh.SURNAMES and not han.place(token.text)
        placed = token.kind is Kind.NAME or han.place(token.text)
        return before.text in zh.LOCATIVES and placed and not person
    last = token.words[-1].lower()
    placed = last in en.PLACE_NOUNS or any(word.lower() in en.PLACE_NOUNS for word in token.words)
    named = token.kind is Kind.NAME and token.words[0].lower() not in en.TITLES
    if lower(before) in {"to", "into"}:
        moves = any(lower(each) in en.MOTION for each in grammar.tokens[max(0, i - 5) : i])
        return moves and (placed or named)
    if placed:
        return lower(before) in en.PLACE_PREPOSITIONS or lower(before) == "on"
    return named and lower(before) in {"in", "at", "near"}


def _leads(grammar: Grammar, i: int) -> bool:
    """The subject of a clause, or what the clause says it is about."""
    before, _ = _neighbours(grammar, i)
    if before is not None and (before.text in zh.TOPIC_WORDS or lower(before) in _ABOUT):
        return True
    opening = [grammar.tokens[j].kind for j in grammar.members[grammar.clause[i]] if j < i]
    if opening and opening[0] in {Kind.QUESTION, Kind.AUXILIARY}:  # when is Anna coming, does Anna come
        opening = [kind for kind in opening if kind is not Kind.AUXILIARY]
    first = not _BEFORE_SUBJECT_NEVER.intersection(opening)
    return first and grammar.after(i, _PREDICATE) is not None
