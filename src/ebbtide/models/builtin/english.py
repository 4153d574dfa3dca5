"""Part of speech of English words, by closed classes, capital letters, endings and place. Light, and tested as such."""

import re
from collections.abc import Sequence

from ebbtide.models.builtin import lexicon_en as lex
from ebbtide.models.builtin.tokens import Kind, Rank, Token

_CLITIC = re.compile(r"(?<=\w)['’](?:s|m|re|ve|ll|d)$", re.IGNORECASE)
_NEGATED = re.compile(r"n['’]t$", re.IGNORECASE)
_ADJECTIVE_ENDS = ("ous", "ful", "ive", "able", "ible", "less", "ish", "ical", "ic")
_NOUN_ENDS = ("tion", "sion", "ment", "ness", "ity", "ship", "ance", "ence", "ism", "ist", "er", "or")
_AFTER_IT_A_NOUN = frozenset({Kind.DETERMINER, Kind.ADJECTIVE, Kind.PREPOSITION, Kind.NUMBER})
_AFTER_IT_A_VERB = frozenset({Kind.AUXILIARY, Kind.NEGATION, Kind.QUALIFIER})
_KNOWN = lex.EVERYDAY | lex.DETERMINERS | lex.PRONOUNS
_FREE_PRONOUNS = lex.PRONOUNS - lex.POSSESSIVES
_AUXILIARIES = lex.BE | lex.HAVE_DO
_END = Token("", 0, 0, Kind.MARK, rank=Rank.SENTENCE)


def split(token: Token) -> list[Token]:
    """it's, Anna's, we'll as two tokens; didn't stays one, for its negation must not get lost."""
    clitic = None if _NEGATED.search(token.text) else _CLITIC.search(token.text)
    if clitic is None:
        return [token]
    cut = clitic.start()
    host = token._replace(text=token.text[:cut], end=token.start + cut)
    return [host, token._replace(text=token.text[cut:], start=token.start + cut)]


def lower(token: Token) -> str:
    return token.text.lower().replace("’", "'")


def tag(tokens: list[Token], words: Sequence[int]) -> None:
    """Give the words at these indices their kinds; left to right, so that each sees what the last one is."""
    shouted = _shouted([tokens[i] for i in words])
    plain = {tokens[i].text for i in words if tokens[i].text.islower()}
    for i in words:
        before = tokens[i - 1] if i else _END
        after = tokens[i + 1] if i + 1 < len(tokens) else _END
        kind = _Word(tokens, i, before, after, plain, shouted=shouted).kind()
        tokens[i] = tokens[i]._replace(kind=kind)


def _shouted(words: list[Token]) -> bool:
    """WHERE ALL IS IN CAPITALS, capitals say nothing about names."""
    letters = [word for word in words if len(word.text) > 1]
    return len(letters) > 2 and sum(word.text.isupper() for word in letters) > 0.6 * len(letters)


class _Word:
    """One word and its place. The questions are asked in order of how much the answer can be trusted."""

    def __init__(
        self, tokens: list[Token], i: int, before: Token, after: Token, plain: set[str], *, shouted: bool
    ) -> None:
        self.plain = plain  # words that the text also writes without a capital
        self.text = tokens[i].text
        self.low = lower(tokens[i])
        self.before, self.after = before, after
        self.was, self.next = lower(before), lower(after)
        self.later = lower(tokens[i + 2]) if i + 2 < len(tokens) else ""
        self.fresh = _fresh(tokens, i)
        self.opens = before.kind is Kind.MARK or before.kind is Kind.FILLER
        self.alone = after.kind is Kind.MARK
        self.shouted = shouted

    def kind(self) -> Kind:
        return self.clitic() or self.closed() or self.named() or self.open()

    def clitic(self) -> Kind | None:
        if not self.low.startswith("'"):
            return None
        if self.low != "'s":
            return Kind.AUXILIARY
        owner = self.before.kind in {Kind.NAME, Kind.NOUN, Kind.TIME}
        return Kind.PARTICLE if owner else Kind.AUXILIARY

    def closed(self) -> Kind | None:
        low = self.low
        if self.filler():
            return Kind.FILLER
        if _NEGATED.search(low) or low in lex.NEGATIONS:
            return Kind.ADVERB if low == "not" and self.next == "only" else Kind.NEGATION
        if self.day():
            return Kind.TIME
        if low in lex.NUMERALS:
            return Kind.ADVERB if self.opens and self.alone else Kind.NUMBER  # first, second: steps, not amounts
        if low in lex.QUESTIONS and (self.opens or self.before.kind is Kind.PREPOSITION):
            return Kind.QUESTION
        if low in lex.QUALIFIERS:
            return Kind.QUALIFIER
        return self.grammar()

    def filler(self) -> bool:
        if self.low in {"great", "cool", "nice", "right", "well", "sweet", "sure", "sorry", "welcome", "awesome"}:
            return self.opens and self.alone
        if self.low == "no":
            return self.opens and self.after.text == ","
        return self.low in lex.FILLERS

    def day(self) -> bool:
        if self.low in {"may", "march", "mar", "sun", "sat", "dec", "fall"}:
            dated = self.before.kind is Kind.NUMBER or self.after.kind is Kind.NUMBER
            placed = self.was in {"in", "of", "by", "until", "since", "last", "next", "this", "early", "late", "mid"}
            return self.text[0].isupper() and (dated or placed)
        if self.low in lex.SPANS:
            return self.was in lex.SPAN_OPENERS or self.before.kind is Kind.TIME
        return self.low in lex.DAYS or (self.low in lex.MONTHS and self.text[0].isupper())

    def grammar(self) -> Kind | None:
        low = self.low
        if low == "to":
            return Kind.PARTICLE if self.infinitive() else Kind.PREPOSITION
        if low == "that" and self.before.kind in {Kind.NOUN, Kind.NAME}:
            return Kind.CONJUNCTION
        if low == "like" and (self.before.kind in {Kind.PRONOUN, *_AFTER_IT_A_VERB} or self.was == "to"):
            return Kind.VERB
        if low in lex.BE or low in lex.MODALS:
            return Kind.AUXILIARY
        if low in lex.HAVE_DO:
            return Kind.AUXILIARY if self.helps() else Kind.VERB
        for words, kind in _GRAMMAR:
            if low in words:
                return kind
        return None

    def infinitive(self) -> bool:
        """to sign, to strike the clause — but not: to school."""
        if self.next in lex.VERBS or self.next in _AUXILIARIES:
            return True
        object_follows = self.later in lex.DETERMINERS or self.later in lex.PRONOUNS
        return object_follows and self.next.isalpha() and self.next not in _KNOWN

    def helps(self) -> bool:
        """have seen, did not go, do you know — but not: have a dog."""
        near = self.next
        return (
            near in _FREE_PRONOUNS
            or near in lex.BE
            or near in {"not", "never", "to"}
            or (near in lex.VERBS and near not in lex.NOUN_VERBS)
            or (near.endswith(("ed", "en")) and self.after.kind is not Kind.MARK)
            or (near in lex.ADVERBS and near not in lex.DETERMINERS)
        )

    def named(self) -> Kind | None:
        if self.text == "I" or self.shouted or not any(char.isupper() for char in self.text):
            return Kind.NAME if any(char.isdigit() for char in self.text) else None
        if any(char.isupper() for char in self.text[1:]) or any(char.isdigit() for char in self.text):
            return Kind.NAME
        if not self.fresh or self.low in lex.TITLES:
            return Kind.NAME
        return None if self.everyday() else Kind.NAME

    def everyday(self) -> bool:
        """Whether a word that opens a sentence is likely to owe its capital to that alone."""
        low = self.low
        known = (
            low in self.plain
            or low in lex.EVERYDAY
            or base(low) in lex.EVERYDAY
            or low in lex.GENERIC
            or low in lex.SPANS
        )
        return known or low.endswith(("ly", "ing", "ed", *_ADJECTIVE_ENDS, *_NOUN_ENDS[:6]))

    def open(self) -> Kind:
        low, was = self.low, self.before
        if low.endswith("ly") and len(low) > 4 and low not in lex.NOUNS:
            return Kind.ADJECTIVE if low in lex.ADJECTIVES else Kind.ADVERB
        if low in lex.ADJECTIVES or (low.endswith(("er", "est")) and base(low) in lex.ADJECTIVES):
            return Kind.ADJECTIVE
        if self.verb():
            return Kind.VERB
        if low in lex.NOUNS or low.endswith(_NOUN_ENDS):
            return Kind.NOUN
        if low.endswith("ed") and len(low) > 4:
            return Kind.ADJECTIVE
        if low.endswith(_ADJECTIVE_ENDS):
            return Kind.NOUN if was.kind is Kind.DETERMINER and self.alone else Kind.ADJECTIVE
        if self.was in lex.BE and self.alone:
            return Kind.ADJECTIVE
        return Kind.NOUN

    def verb(self) -> bool:
        low, was = self.low, self.before.kind
        plain = base(low)
        listed = low in lex.VERBS or plain in lex.VERBS
        either = low in lex.NOUN_VERBS or plain in lex.NOUN_VERBS
        if self.was == "to":
            return was is Kind.PARTICLE
        if was in _AFTER_IT_A_NOUN or self.was in lex.POSSESSIVES or self.was == "no" or self.was.endswith("'s"):
            return low.endswith("ing") and was is Kind.PREPOSITION
        if was in _AFTER_IT_A_VERB and self.was not in lex.BE:
            return listed or low not in lex.NOUNS
        if low.endswith(("ed", "ing")) and len(low) > 4 and low not in lex.NOUNS:
            return True
        if either:
            return self.was in lex.SUBJECTS or was in {Kind.NAME, Kind.ADVERB} or self.opens or self.governs()
        return listed

    def governs(self) -> bool:
        """the oven costs 400, a man who wears hats: what stands around it wants a verb here."""
        after = self.next
        complement = after in lex.DETERMINERS or after in lex.POSSESSIVES or after in lex.ADJECTIVES
        complement = complement or self.after.kind is Kind.NUMBER
        return self.was in {"who", "which", "that"} or (self.before.kind is Kind.NOUN and complement)


_GRAMMAR = (
    (lex.PRONOUNS, Kind.PRONOUN),
    (frozenset({"one"}), Kind.DETERMINER),
    (lex.DETERMINERS, Kind.DETERMINER),
    (lex.PREPOSITIONS, Kind.PREPOSITION),
    (lex.CONJUNCTIONS, Kind.CONJUNCTION),
    (lex.ADVERBS, Kind.ADVERB),
)


def _fresh(tokens: list[Token], i: int) -> bool:
    """Whether a sentence starts here: quotes, bullets and the like do not count."""
    for token in reversed(tokens[max(0, i - 4) : i]):
        if token.kind is not Kind.MARK:
            return token.kind is Kind.FILLER and not token.text.isalpha()
        if token.rank == Rank.SENTENCE or token.text in {":", "："}:
            return True
    return True


def base(word: str) -> str:
    """The plain form of a regular verb or plural, near enough to look it up."""
    for end, put in (("ies", "y"), ("ied", "y")):
        if word.endswith(end) and len(word) > 4:
            return word[:-3] + put
    for end in ("ing", "ed", "est", "er", "es", "s"):
        if word.endswith(end) and len(word) - len(end) > 2:
            stem = word[: -len(end)]
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            for form in (stem, stem + "e", stem[:-1] if doubled else stem):
                if form in lex.EVERYDAY:
                    return form
    return word


_SAME = lex.words(
    "chaos ethos cosmos canvas atlas christmas texas dallas kansas bias gas pants shorts scissors sunglasses "
    "headphones savings species thanks athletics economics gymnastics mathematics physics politics statistics "
    "logistics analytics pyjamas pajamas trousers leggings goods lens"
)
_PLUS_S = lex.words(
    "movie cookie selfie smoothie zombie brownie rookie hoodie calorie pie tie lie die prairie genie cutie foodie "
    "newbie indie veggie caddie collie birdie shoe toe canoe oboe quiche cache ache axe"
)
_PLUS_ES = lex.words("tomato potato hero echo mango volcano mosquito tornado buffalo lens bus gas")
_SINGULARS = {
    **{f"{noun}s": noun for noun in _PLUS_S}, **{f"{noun}es": noun for noun in _PLUS_ES},
    **{noun: noun for noun in _SAME},
    "children": "child", "wives": "wife", "knives": "knife", "lives": "life", "leaves": "leaf", "shelves": "shelf",
    "loaves": "loaf", "halves": "half", "wolves": "wolf", "scarves": "scarf", "hooves": "hoof", "feet": "foot",
    "teeth": "tooth", "mice": "mouse", "geese": "goose",
}  # fmt: skip


def singular(noun: str) -> str:
    """One of them: for entities, so that leases and lease are one."""
    if len(noun) < 4 or noun.endswith(("ss", "us", "is", "news", "series", "glasses", "clothes", "jeans", "means")):
        return noun
    if noun in _SINGULARS:
        return _SINGULARS[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes", "zzes")):
        return noun[:-2]
    return noun.removesuffix("s")
