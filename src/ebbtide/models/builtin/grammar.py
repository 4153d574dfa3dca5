"""What in a sentence hangs on what: clauses, words that only make sense together, words that need another word.

Two relations are enough for shortening honestly. *Bonds*: words that stay or go together (not + sign, 3 + apples).
*Dependents*: words that must go when another goes (the article with its noun; whatever a negation is about, with the
negation — the other way round would say the opposite).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.english import lower
from ebbtide.models.builtin.tokens import CONTENT, NOMINAL, Kind, Rank, Token

_PREDICATE = frozenset({Kind.VERB, Kind.ADJECTIVE})
_SAID = CONTENT | {Kind.PRONOUN, Kind.QUESTION}
_BARE_UNITS = tuple("个本张辆台件套间只条支瓶盒杯袋包片粒颗棵双对份位名")
_NEAR_QUALIFIERS = frozenset(
    [
        "only",
        "almost",
        "nearly",
        "只",
        "仅",
        "仅仅",
        "几乎",
        "至少",
        "至多",
        "最多",
        "最少",
        "大约",
        "约",
        "差点",
        "差点儿",
        "险些",
    ]
)
# These turn a time or an amount into another one: until Friday, 超过 100.
_TIME_PREPOSITIONS = frozenset(
    [
        "before",
        "after",
        "until",
        "till",
        "by",
        "since",
        "over",
        "under",
        "above",
        "below",
        "within",
        "between",
        "than",
        "past",
        "从",
        "到",
        "比",
        "超过",
        "低于",
        "高于",
        "自",
        "自从",
        "截至",
        "直到",
    ]
)


def bare(number: Token) -> bool:
    """Whether a number says how many, but not of what."""
    text = number.text
    return text.endswith(_BARE_UNITS) or text.replace(",", "").isdigit() or text.lower() in en.NUMERALS


class Grammar:
    """The bonds and dependents of a text's tokens, by index. Marks have neither."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.clause = _clauses(tokens)
        self.bond = list(range(len(tokens)))
        self.dependents: list[list[int]] = [[] for _ in tokens]
        self.carried: list[tuple[int, int]] = []  # (head, dependent) whose weight the head must carry
        self.lifted: list[tuple[int, int]] = []  # (word, head) of which the word should go only shortly before the head
        for i, token in enumerate(tokens):
            rule = _RULES.get(token.kind)
            if rule:
                rule(self, i)

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The words of each clause, in order."""
        found: dict[int, list[int]] = {}
        for i, token in enumerate(self.tokens):
            if token.kind is not Kind.MARK:
                found.setdefault(self.clause[i], []).append(i)
        return found

    def root(self, i: int) -> int:
        while self.bond[i] != i:
            self.bond[i] = i = self.bond[self.bond[i]]
        return i

    def tie(self, one: int, two: int) -> None:
        first, last = sorted((self.root(one), self.root(two)))
        self.bond[last] = first

    def bonds(self) -> dict[int, list[int]]:
        """The words that stay or go together, by the first of them."""
        found: dict[int, list[int]] = {}
        for i, token in enumerate(self.tokens):
            if token.kind is not Kind.MARK:
                found.setdefault(self.root(i), []).append(i)
        return found

    def hang(self, dependent: int, head: int | None, *, carry: bool = False) -> None:
        if head is None or head == dependent:
            return
        self.dependents[head].append(dependent)
        if carry:
            self.carried.append((head, dependent))

    def after(self, i: int, kinds: frozenset[Kind], within: int = 99) -> int | None:
        """The next word of these kinds in the same clause, at most so many words on."""
        for j in range(i + 1, min(len(self.tokens), i + 1 + within)):
            if self.clause[j] != self.clause[i]:
                return None
            if self.tokens[j].kind in kinds:
                return j
        return None

    def before(self, i: int, kinds: frozenset[Kind], within: int = 99) -> int | None:
        for j in range(i - 1, max(-1, i - 1 - within), -1):
            if self.clause[j] != self.clause[i]:
                return None
            if self.tokens[j].kind in kinds:
                return j
        return None

    # ---- rules, one for each kind of word

    def negation(self, i: int) -> None:
        head = self.after(i, CONTENT)
        low = lower(self.tokens[i])
        if head is None or low in en.NEGATIVE_OBJECTS or self._inside_verb(i):
            verb = self.before(i, _PREDICATE)
            if verb is not None:
                self.tie(i, verb)
        if head is None:
            return
        self.tie(i, head)
        self._tie_object(head)
        if i and self.tokens[i - 1].kind is Kind.AUXILIARY:  # did not, is never
            self.hang(i - 1, i)
            self.lifted.append((i - 1, i))
        self._hang_scope(i, head)

    def _hang_scope(self, i: int, head: int) -> None:
        """Whatever follows in the clause is denied; from the next negation on by that one, which hangs on this."""
        for j in range(i + 1, len(self.tokens)):
            if self.clause[j] != self.clause[i]:
                return
            denied = self.tokens[j].kind is Kind.NEGATION
            if (denied or self.tokens[j].kind in _SAID) and j != head:
                self.hang(j, i, carry=True)
            if denied:
                return

    def _tie_object(self, head: int) -> None:
        """Not to order peanuts is not the same as not to order."""
        noun = self.after(head, frozenset({Kind.NOUN}), within=4)
        if noun is None:
            noun = self.after(head, frozenset({Kind.NUMBER}), within=2)
        if self.tokens[head].kind is Kind.VERB and noun is not None:
            self.tie(noun, head)

    def _inside_verb(self, i: int) -> bool:
        """吃不完: the negation stands inside what it negates."""
        before, after = self.before(i, _PREDICATE, within=1), self.after(i, _PREDICATE, within=1)
        touching = before is not None and self.tokens[before].end == self.tokens[i].start
        return self.tokens[i].han and touching and after is not None

    def filler(self, i: int) -> None:
        """as well, thank you: half of it would be worse than all of it."""
        if i and self.tokens[i - 1].kind is Kind.FILLER:
            self.tie(i, i - 1)

    def qualifier(self, i: int) -> None:
        near = lower(self.tokens[i]) in _NEAR_QUALIFIERS
        head = self.after(i, CONTENT) if near else self.after(i, _PREDICATE)
        if head is None:
            head = self.after(i, CONTENT)
        if head is None or self.tokens[i].text == "左右":
            head = self.before(i, CONTENT)
        if head is not None:
            self.tie(i, head)

    def number(self, i: int) -> None:
        """Three of what? A bare number is nothing without its noun."""
        noun = self.after(i, frozenset({Kind.NOUN}), within=2)
        if (
            bare(self.tokens[i])
            and noun is not None
            and all(t.kind is Kind.ADJECTIVE for t in self.tokens[i + 1 : noun])
        ):
            self.tie(i, noun)

    def verb(self, i: int) -> None:
        """want to sign, 喜欢吃: the second verb says something else without the first."""
        if self.tokens[i].text in zh.CALLED and i + 1 < len(self.tokens) and self.tokens[i + 1].kind is Kind.NAME:
            self.tie(i, i + 1)  # else nobody would know the name for one any more
            return
        for j in range(i + 1, min(i + 4, len(self.tokens))):
            token = self.tokens[j]
            if self.clause[j] != self.clause[i]:
                return
            if token.kind is Kind.VERB:
                self._chain(i, j)
                return
            if token.kind not in {Kind.PARTICLE, Kind.ADVERB}:
                return

    def _chain(self, first: int, second: int) -> None:
        low = lower(self.tokens[first])
        if low in en.MOVING or low in zh.MOVING:
            for i in range(first, second):  # with the "to" between them
                self.hang(i, second if i == first else first)
        else:
            self.hang(second, first, carry=True)
            self.lifted.append((second, first))

    def adjective(self, i: int) -> None:
        """A red car, 红色的车: an attribute goes with its noun. A predicate stands by itself."""
        noun = self.attributed(i)
        if noun is not None:
            self.hang(i, noun)

    def attributed(self, i: int) -> int | None:
        for j in range(i + 1, min(i + 4, len(self.tokens))):
            token = self.tokens[j]
            if self.clause[j] != self.clause[i]:
                return None
            if token.kind in NOMINAL:
                return j
            if token.kind not in {Kind.ADJECTIVE, Kind.CONJUNCTION} and token.text != "的":
                return None
        return None

    def adverb(self, i: int) -> None:
        head = self.after(i, _PREDICATE)
        if lower(self.tokens[i]) == "ago":
            noun = self.before(i, NOMINAL, within=2)
            if noun is not None:
                self.tie(i, noun)
        else:
            self.hang(i, head if head is not None else self.before(i, _PREDICATE | NOMINAL))

    def auxiliary(self, i: int) -> None:
        if self.tokens[i].text.startswith(("'", "’")):
            self.hang(i, i - 1)
        passive = self.tokens[i].text in {"被", "让", "使"} and self.after(i, frozenset({Kind.VERB}))
        if passive:
            self.tie(i, passive)
            return
        head = self.after(i, CONTENT)
        self.hang(i, head if head is not None else self.before(i, _SAID))

    def determiner(self, i: int) -> None:
        head = self.after(i, NOMINAL, within=4)
        self.hang(i, head if head is not None else self.after(i, _SAID))

    def pronoun(self, i: int) -> None:
        if lower(self.tokens[i]) in en.POSSESSIVES and lower(self.tokens[i]) != "her":
            self.hang(i, self.after(i, NOMINAL, within=4))

    def preposition(self, i: int) -> None:
        head = self._object(i)
        exact = lower(self.tokens[i]) in _TIME_PREPOSITIONS
        if head is not None and exact and self.tokens[head].kind in {Kind.TIME, Kind.NUMBER}:
            self.tie(i, head)
        else:
            self.hang(i, head if head is not None else self.before(i, _SAID))

    def _object(self, i: int) -> int | None:
        """What a preposition or conjunction leads to; from his brother leads to the brother."""
        head = self.after(i, _SAID, within=5)
        while head is not None and lower(self.tokens[head]) in en.POSSESSIVES:
            head = self.after(head, _SAID, within=5)
        return head

    def conjunction(self, i: int) -> None:
        self.hang(i, self._object(i))
        # Nothing starts with "but" or 所以 when what it answers to is gone.
        said = (j for j in range(i - 1, -1, -1) if self.tokens[j].kind in _SAID)
        self.hang(i, self.before(i, _SAID) if self.joins(i) else next(said, None))

    def joins(self, i: int) -> bool:
        low = lower(self.tokens[i])
        return low in en.JOINERS or low in zh.JOINERS

    def particle(self, i: int) -> None:
        token = self.tokens[i]
        before, after = self.before(i, _SAID), self.after(i, _SAID)
        if token.text in zh.BOUNDS and before is not None and self.tokens[before].end == token.start:
            self.tie(i, before)
        elif token.text in {"的", "地", "得"} or token.text.startswith(("'", "’")):
            self.hang(i, before)
            self.hang(i, after)
            self.hang(i, i - 1 if i and self.tokens[i - 1].kind is not Kind.MARK else None)
            if token.text == "的" and after is not None and self.tokens[after].kind in NOMINAL:
                self._modifier(before, after)
        else:
            leaning = before if token.han else after
            self.hang(i, leaning if leaning is not None else after)

    def _modifier(self, before: int | None, noun: int) -> None:
        """外婆留下的钢琴: what stands before 的 goes with the noun after it; names stand by themselves."""
        if before is None or self.tokens[before].kind not in {Kind.NOUN, Kind.VERB, Kind.ADJECTIVE}:
            return
        self.hang(before, noun)
        if self.tokens[before].kind is Kind.VERB:
            subject = self.before(before, frozenset({Kind.NOUN}), within=1)
            self.hang(subject if subject is not None else before, noun)


_RULES: dict[Kind, Callable[[Grammar, int], None]] = {
    Kind.NEGATION: Grammar.negation,
    Kind.FILLER: Grammar.filler,
    Kind.QUALIFIER: Grammar.qualifier,
    Kind.NUMBER: Grammar.number,
    Kind.VERB: Grammar.verb,
    Kind.ADJECTIVE: Grammar.adjective,
    Kind.ADVERB: Grammar.adverb,
    Kind.AUXILIARY: Grammar.auxiliary,
    Kind.DETERMINER: Grammar.determiner,
    Kind.PRONOUN: Grammar.pronoun,
    Kind.PREPOSITION: Grammar.preposition,
    Kind.CONJUNCTION: Grammar.conjunction,
    Kind.PARTICLE: Grammar.particle,
}


# ---- clauses


def _clauses(tokens: Sequence[Token]) -> list[int]:
    """The clause each token stands in, counted from 0. A mark belongs to the clause it ends."""
    ids: list[int] = []
    current = 0
    for start, end in _chunks(tokens):
        listed = start > 0 and tokens[start - 1].text == "," and _verbless(tokens[start:end])
        if start and not listed:
            current += 1
        ids += [current] * (end - start)
    return ids


def _chunks(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    start = 0
    for i, token in enumerate(tokens):
        if token.kind is Kind.MARK and token.rank >= Rank.CLAUSE:
            yield start, i + 1
            start = i + 1
        elif i > start and _opens_clause(tokens, i):
            yield start, i
            start = i
    if start < len(tokens):
        yield start, len(tokens)


def _opens_clause(tokens: Sequence[Token], i: int) -> bool:
    low = lower(tokens[i])
    if low in en.CLAUSE_OPENERS or low in zh.CLAUSE_OPENERS:
        return tokens[i - 1].kind not in {Kind.MARK, Kind.CONJUNCTION, Kind.FILLER}
    return low in en.JOINERS and i + 1 < len(tokens) and lower(tokens[i + 1]) in en.SUBJECTS


def _verbless(chunk: Sequence[Token]) -> bool:
    """Whether a stretch after a comma is but another item of a list."""
    kinds = {token.kind for token in chunk}
    return kinds.isdisjoint({Kind.VERB, Kind.AUXILIARY, Kind.NEGATION, Kind.FILLER, Kind.QUALIFIER, Kind.PRONOUN})
