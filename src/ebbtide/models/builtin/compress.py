"""Shortening a text by leaving words out, so that what is left still says what was said.

One order of removal is made for the whole text: fillers first, then ornaments, then clause by clause from the least
telling on, and last of all names, numbers, dates and what is negated. A length only says how far to go in that order;
so whatever a shorter version keeps, every longer one keeps too.
"""

import re
from collections.abc import Iterator, Sequence
from math import sqrt

from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.english import lower
from ebbtide.models.builtin.grammar import Grammar
from ebbtide.models.builtin.render import END, START, Gap, asks, between, bridge, closing, gaps
from ebbtide.models.builtin.tokens import CONTENT, KEYS, NOMINAL, Kind, Token
from ebbtide.models.builtin.weigh import stem, vague, weight
from ebbtide.models.builtin.words import read

_LONG_WORD = 24  # an address, a number without end: may be cut, for nothing else would be left of it
_SHORT_WORD = 5  # one word of at most this length is kept to the very end, lest little room be no room

# Levels: the lower, the sooner it goes. Clauses lie between _FLOOR and _CEILING, keys above.
_FILLER, _INTENSIFIER, _TONE, _ADVERB, _ARTICLE = 0.02, 0.06, 0.10, 0.14, 0.18
_EMPTY_CLAUSE, _FLOOR, _CEILING = 0.08, 0.26, 0.82
_KEY = {Kind.TIME: 0.92, Kind.CODE: 1.0, Kind.NUMBER: 1.1, Kind.NAME: 1.15}
_TELLING = 0.6  # a clause below this weight is courtesy: sounds great, 太好了
_SMALL_CLAUSE = 20  # letters; a Chinese character counts as two
_CORE = frozenset(Kind) - {Kind.FILLER, Kind.PARTICLE, Kind.MARK}
_GOVERNING = frozenset({Kind.VERB, Kind.PREPOSITION, Kind.AUXILIARY})
_NAMED_DAYS = en.WEEKDAYS | en.MONTHS
_DATES = ("周一", "周二", "周三", "周四", "周五", "周六", "周日", "星期", "礼拜", "上周", "下周", "本周")
_PERSONS = frozenset({Kind.PRONOUN, Kind.QUESTION})
_SOONER = 1e-6
_LABEL = 0.88  # the noun that says what a number is
# Within a clause, relative to its level.
_OFFSET = {
    Kind.DETERMINER: -0.10,
    Kind.ADVERB: -0.09,
    Kind.PARTICLE: -0.08,
    Kind.AUXILIARY: -0.06,
    Kind.CONJUNCTION: -0.05,
    Kind.PRONOUN: -0.04,
    Kind.PREPOSITION: -0.02,
    Kind.VERB: 0.0,
    Kind.ADJECTIVE: 0.0,
    Kind.QUESTION: 0.01,
    Kind.NOUN: 0.02,
    Kind.QUALIFIER: 0.02,
    Kind.NEGATION: 0.04,
}


def compress(text: str, length: int) -> str:
    """The text in at most `length` characters: the same words in the same order, some left out.

    Empty only if not even the word that would go last fits.
    """
    return text if length >= len(text) else shorten(text, length)


def shorten(text: str, length: int, words: int | None = None) -> str:
    """As `compress`, with a limit to the number of words too; marks are set right even if nothing has to go."""
    tokens = list(_cut_long(read(text)))
    grammar = Grammar(tokens)
    said, spaces = gaps(text, tokens, grammar.clause)
    if not said:
        return text.strip()[: max(length, 0)]
    line = _Line(said, spaces)
    for step in _steps(grammar):
        if line.length <= length and (words is None or line.count <= words):
            break
        line.remove(step)
    return line.text(length)


def _cut_long(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        if len(token.text) <= _LONG_WORD:
            yield token
            continue
        for match in re.finditer(r"\S{1,12}\s*|\s+", token.text):
            piece = match.group().rstrip() or match.group()
            start = token.start + match.start()
            yield token._replace(text=piece, start=start, end=start + len(piece), parts=())


class _Line:
    """The words that are still there, linked, with the length they would be written in."""

    def __init__(self, words: list[Token], spaces: list[Gap]) -> None:
        self.words = [START, *words, END]
        self.gap = [*spaces, Gap("")]  # gap[i] follows words[i]
        self.left = list(range(-1, len(self.words) - 1))
        self.right = list(range(1, len(self.words) + 1))
        self.count = sum(_count(word) for word in words)
        self.length = sum(len(word.text) for word in words)
        self.length += sum(len(self._between(i)) for i in range(len(self.words) - 1))

    def _between(self, i: int) -> str:
        return between(self.words[i], self.gap[i], self.words[self.right[i]])

    def remove(self, places: Sequence[int]) -> None:
        """Take out words by their place among the words, counted from 0."""
        for place in places:
            i = place + 1
            left, right = self.left[i], self.right[i]
            self.length -= len(self.words[i].text) + len(self._between(left)) + len(self._between(i))
            self.gap[left] = bridge(self.gap[left], self.words[i], self.gap[i])
            self.right[left], self.left[right] = right, left
            self.length += len(self._between(left))
            self.count -= _count(self.words[i])

    def text(self, room: int) -> str:
        if not self.count:
            return ""
        pieces = []
        i = last = self.right[0]
        while self.words[i] is not END:
            pieces += [self.words[i].text, self._between(i)]
            i, last = self.right[i], i
        mark = "" if asks(self.gap[last]) else closing(self.gap[last])
        written = "".join(pieces)
        return written + mark if self.count > 1 and len(written) + len(mark) <= room else written


def _count(token: Token) -> int:
    return len(token.text.split()) or 1


# ---- the order of removal


def _steps(grammar: Grammar) -> Iterator[list[int]]:
    """What goes first, second …: each step by the places of its words among all words."""
    tokens, level = grammar.tokens, _levels(grammar)
    place = {i: n for n, i in enumerate(i for i, token in enumerate(tokens) if token.kind is not Kind.MARK)}
    bonds = grammar.bonds()
    order = sorted(bonds, key=lambda root: (max(level[i] for i in bonds[root]), -root))
    gone: set[int] = set()
    for root in _short_last(order, bonds, grammar):
        going = _falling(bonds[root], bonds, grammar, gone)
        gone.update(going)
        if going:
            yield [place[i] for i in sorted(going)]


def _falling(start: Sequence[int], bonds: dict[int, list[int]], grammar: Grammar, gone: set[int]) -> set[int]:
    """These words and all that cannot stand without them."""
    going: set[int] = set()
    waiting = [start[0]]
    while waiting:
        root = grammar.root(waiting.pop())
        if root in gone or root in going:  # a bond goes as a whole, so one of its words speaks for all
            continue
        for i in bonds[root]:
            going.add(i)
            waiting += grammar.dependents[i]
    return going


def _short_last(order: list[int], bonds: dict[int, list[int]], grammar: Grammar) -> list[int]:
    """The order, with a short word at its end: the best of them, so that little room is never no room."""
    heads = enumerate(grammar.dependents)
    hanging = {each for head, hung in heads for each in hung if grammar.root(each) != grammar.root(head)}
    free = {root: _length(bonds[root], grammar) for root in order if hanging.isdisjoint(bonds[root])}
    if not free:
        return order
    standing = {root: _standing([grammar.tokens[i] for i in bonds[root]]) for root in reversed(free)}
    good = [root for root in standing if standing[root]] or list(standing)

    def rank(root: int) -> tuple[bool, int, int]:
        short = free[root] <= _SHORT_WORD
        return short, standing[root], 0 if short else -free[root]

    last = max(good, key=rank)  # of equals the last in order, which is the best
    return [root for root in order if root != last] + [last]


def _standing(tokens: Sequence[Token]) -> int:
    """How well words stand alone: a name best, a thing well, a deed or quality less, the rest hardly."""
    kinds = {token.kind for token in tokens}
    for standing, wanted in ((4, KEYS), (3, NOMINAL), (2, CONTENT), (1, _PERSONS)):
        if not kinds.isdisjoint(wanted):
            return standing if not all(vague(token) for token in tokens) or wanted is KEYS else 1
    return 0


def _length(members: Sequence[int], grammar: Grammar) -> int:
    tokens = [grammar.tokens[i] for i in members]
    spaces = 0 if tokens[0].han else len(tokens) - 1
    return sum(len(token.text) for token in tokens) + spaces


def _levels(grammar: Grammar) -> list[float]:
    tokens = grammar.tokens
    ground = _clause_levels(grammar)
    _tie_small_clauses(grammar, ground)
    seen: set[str] = set()
    level = []
    for i, token in enumerate(tokens):
        level.append(_level(grammar, i, ground.get(grammar.clause[i], _FLOOR), seen))
        if token.kind in KEYS:
            seen.add(token.text.lower())
    _carry(grammar, level)
    return level


def _level(grammar: Grammar, i: int, ground: float, seen: set[str]) -> float:
    token = grammar.tokens[i]
    if token.kind in KEYS:
        return ground - 0.03 if token.text.lower() in seen else _key(token)
    if token.kind is Kind.FILLER:
        return _FILLER
    trimmed = _trimmed(grammar, i)
    if trimmed is not None:
        return min(trimmed, ground)
    if token.kind is Kind.NOUN:
        if vague(token):
            return ground - 0.05
        if _labels(grammar, i):
            return _LABEL
    return ground + _OFFSET.get(token.kind, 0.0) + min(weight(token), 2.0) / 200


def _key(token: Token) -> float:
    """Monday and 周三 name a day as a date does; tomorrow and 晚上 do not."""
    dated = token.kind is Kind.TIME and any(
        word.lower() in _NAMED_DAYS or word.startswith(_DATES) for word in token.words
    )
    return _KEY[Kind.NUMBER] if dated else _KEY[token.kind]


def _trimmed(grammar: Grammar, i: int) -> float | None:
    """Ornaments go at the same level everywhere, whatever their clause is worth."""
    token = grammar.tokens[i]
    low = lower(token)
    if token.kind is Kind.ADVERB:
        return _INTENSIFIER if low in en.INTENSIFIERS or low in zh.INTENSIFIERS else _ADVERB
    if token.kind is Kind.PARTICLE and low in zh.TONE and low != "的":
        return _TONE
    if token.kind is Kind.DETERMINER:
        return _ARTICLE
    helps = token.kind is Kind.AUXILIARY or low in en.MOVING or low in zh.MOVING
    if helps and grammar.after(i, frozenset({Kind.VERB}), within=3) is not None:
        return _ARTICLE
    if token.kind is Kind.PRONOUN and low in zh.FIRST_PERSON and grammar.before(i, _GOVERNING, within=1) is None:
        return _ARTICLE
    return None


def _labels(grammar: Grammar, i: int) -> bool:
    """价格3.14元, order 4471: the noun in front of a number says what it is."""
    number = grammar.after(i, frozenset({Kind.NUMBER, Kind.CODE}), within=1)
    return number is not None


def _clause_levels(grammar: Grammar) -> dict[int, float]:
    """From the least to the most telling clause, evenly spread; clauses that tell nothing lie below all ornaments."""
    worth = {clause: _worth(grammar, members, clause) for clause, members in grammar.members.items()}
    empty = {clause for clause, members in grammar.members.items() if _tells_nothing(grammar, members)}
    ranked = sorted((clause for clause in worth if clause not in empty), key=lambda clause: (worth[clause], -clause))
    step = (_CEILING - _FLOOR) / max(1, len(ranked) - 1)
    levels = {clause: _CEILING - step * n for n, clause in enumerate(reversed(ranked))}
    return levels | dict.fromkeys(empty, _EMPTY_CLAUSE)


def _tie_small_clauses(grammar: Grammar, ground: dict[int, float]) -> None:
    """A short clause without a key goes as a whole: half of "I thought so" reads worse than none of it."""
    best = max(ground, key=lambda clause: ground[clause])
    for clause, members in grammar.members.items():
        core = [i for i in members if grammar.tokens[i].kind in _CORE and _trimmed(grammar, i) is None]
        small = sum(len(grammar.tokens[i].text) * (1 + grammar.tokens[i].han) for i in core) <= _SMALL_CLAUSE
        keyed = any(grammar.tokens[i].kind in KEYS for i in members)
        if small and not keyed and clause != best:
            for i in core[1:]:
                grammar.tie(core[0], i)


def _tells_nothing(grammar: Grammar, members: Sequence[int]) -> bool:
    tokens = [grammar.tokens[i] for i in members]
    if any(token.kind in {Kind.NEGATION, Kind.QUESTION} for token in tokens):
        return False
    return sum(weight(token) for token in tokens if not vague(token)) < _TELLING


def _worth(grammar: Grammar, members: Sequence[int], clause: int) -> float:
    tokens = [grammar.tokens[i] for i in members]
    kinds = {token.kind for token in tokens}
    telling = sum({stem(token.text.lower()): weight(token) for token in tokens}.values())
    worth = telling / sqrt(sum(len(token.text) for token in tokens))
    if kinds.isdisjoint(NOMINAL):
        worth /= 2
    return worth + 2.0 * (not kinds.isdisjoint(KEYS)) + 1.0 * (Kind.NEGATION in kinds) + 0.3 * (clause == 0)


def _carry(grammar: Grammar, level: list[float]) -> None:
    """Heads are worth at least what hangs on them, else they would take it along too early."""
    bonds = grammar.bonds()

    def worth(i: int) -> float:
        return max(level[j] for j in bonds[grammar.root(i)])

    for head, dependent in reversed(grammar.carried):
        level[head] = max(level[head], worth(dependent) + _SOONER)
    for word, head in grammar.lifted:
        level[word] = max(level[word], worth(head) - _SOONER)
