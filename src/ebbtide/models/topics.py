"""Whom a memory is about, and what it speaks of: what `superseding` compares.   SPEC T4.

Read from the tokens of the built-in model, once a text. Chinese and English.

who       the first person of the text: a name, a kinship word with the name beside it, or the first person.
          In "my brother's wedding" that is the brother, in "Caroline: I have a new bike" it is Caroline.
          "user:" and "the user" are the first person; what an assistant says of "you" is about the user
things    names and nouns, as stems; without persons, numbers, times, and words that say little
which     Chinese verbs and adjectives that may say which thing is meant: 游泳比赛
words     all words that say something: what the things of another text are looked up in
head      things before the first "is", if they belong to someone: what the rest of the sentence is the value of
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ebbtide.models.builtin import chinese
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.tokens import Kind, Rank, Token
from ebbtide.models.builtin.words import read
from ebbtide.models.stems import stem

SELF = "i"  # the first person, also "the user"
_MOST = 1000  # characters that are read: beyond it a text speaks of many things
_TEXTS = 1 << 10  # texts whose topics are remembered: some 10 KB each
_WORDS = 1 << 14

_LABEL = re.compile(r"\s*(?:(?:【[^】\n]{1,80}】|\[[^\]\n]{1,80}\])\s*)+")
_SPEAKER = re.compile(r"\s*([^\s:：,，.。!！?？]{1,20}(?: [A-Z][\w.]*)?)\s?[:：](?=\s|[^\x00-\x7f])\s*")
_NO_SPEAKERS = en.EVERYDAY | en.GENERIC | en.words("reminder todo update summary warning tip fact ps re")
_USER = en.words("user human 用户")
_ASSISTANT = en.words("assistant ai bot system 助手 助理")
_FIRST = en.words("i me my mine myself we us our ours ourselves 我 我们 咱 咱们 俺")
_ALONE = en.words("i me we us")  # no kinship word follows that belongs to them
_SECOND = en.words("you your yours 你 您")
_THIRD = en.words("he she him her his hers 他 她")
_KIN_EN = {
    alias: words[0]
    for words in map(str.split, (
        "mother mom mum mama mommy mummy", "father dad daddy papa", "grandmother grandma granny nana",
        "grandfather grandpa granddad", "brother", "sister", "son", "daughter", "child kid children kids", "wife",
        "husband", "partner", "spouse", "fiancé fiancée", "boyfriend", "girlfriend", "uncle", "aunt auntie", "cousin",
        "nephew", "niece", "grandson", "granddaughter", "parent parents", "roommate flatmate housemate",
        "neighbor neighbour", "friend", "colleague coworker", "classmate",
    ))
    for alias in words
}  # fmt: skip
_KIN_ZH = re.compile(
    "(妈妈|母亲|老妈|妈)|(爸爸|父亲|老爸|爸)|(老婆|妻子|太太|媳妇)|(老公|丈夫)|(哥哥|哥)|(姐姐|姐)|(弟弟|弟)|(妹妹|妹)|(外公|姥爷)|"
    "(外婆|姥姥)|[表堂][哥姐弟妹]|[大二三四小]?(?:叔叔|伯伯|姑姑|舅舅|姑妈|姨妈|姑父|姨父|舅妈|婶婶|叔|伯|姑|舅|姨|婶)|爷爷|奶奶|"
    "公公|婆婆|岳[父母]|儿子|女儿|孩子|[孙侄]子|[孙侄]女|外甥女?|男朋友|女朋友|男友|女友|朋友|同事|同学|室友|邻居|闺蜜|爸妈|父母"
)
_OWNS = en.words("'s ’s 的")
_BEFORE_VALUES = en.words("in at to from on near into of with called named 在 到 去 从 住 飞 对 叫 是 为 和 跟 用")
_LITTLE = (
    en.GENERIC | en.FILLERS | en.LIGHT_VERBS | en.PREPOSITIONS | en.ABBREVIATIONS | en.ADJECTIVES | _KIN_EN.keys()
    | zh.GENERIC | zh.ADJECTIVES | _USER | _ASSISTANT | en.words("名字 时会 总会")
)  # fmt: skip
_NAMES = frozenset({Kind.NAME, Kind.CODE})
_THINGS = _NAMES | {Kind.NOUN}
_SAYS = _THINGS | {Kind.VERB, Kind.ADJECTIVE}
_VERBAL = frozenset({Kind.VERB, Kind.AUXILIARY})
_BREAKS = frozenset({Kind.MARK, Kind.FILLER})
_PARTS = frozenset({Kind.DETERMINER, Kind.ADJECTIVE, Kind.NOUN, Kind.NUMBER})
_AFTER_PERSONS = _VERBAL | {Kind.ADVERB, Kind.NEGATION, Kind.QUALIFIER}


@dataclass(frozen=True, slots=True)
class Person:
    """`names`: each of them is enough to know the person by; `kin`: a kinship word, SELF, or a pronoun."""

    names: frozenset[str] = frozenset()
    kin: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    text: str  # in small letters, without the speaker
    who: Person | None
    persons: frozenset[str]  # all that it mentions, by name and by kinship
    names: frozenset[str]
    things: frozenset[str]  # with the names
    which: frozenset[str]
    words: frozenset[str]
    head: frozenset[str]


def topic_of(text: str) -> Topic:
    return _read(text[:_MOST])


@lru_cache(maxsize=_TEXTS)
def _read(text: str) -> Topic:
    speaker, said = _spoken(text)
    tokens = read(said)
    found = list(_persons(tokens, speaker))
    who = _first(found) or (Person(frozenset({speaker})) if speaker not in {"", SELF} else None)
    own = frozenset(map(stem, who.names)) if who else frozenset()
    return Topic(
        text=said.casefold(),
        who=who,
        persons=frozenset(name for each in found for name in (*each.names, each.kin) if name),
        names=_telling(tokens, _NAMES) - own,
        things=_telling(tokens, _THINGS) - own,
        which=_which(tokens),
        words=_telling(tokens, _SAYS),
        head=_head(tokens) - own,
    )


def _spoken(text: str) -> tuple[str, str]:
    """Who speaks, if the text says so, and what: without labels before it, as in 【Travel plan】 …"""
    label = _LABEL.match(text)
    text = text[label.end() :] if label and label.end() < len(text) else text
    match = _SPEAKER.match(text)
    name = match[1].casefold() if match else ""
    if match is None or name in _NO_SPEAKERS or not (match[1][0].isupper() or _speaks(name)):
        return "", text
    role = SELF if name in _USER else "assistant" if name in _ASSISTANT else name
    return role, text[match.end() :]


def _speaks(name: str) -> bool:
    if name in _USER or name in _ASSISTANT:
        return True
    return len(name) < 5 and any(token.kind is Kind.NAME or _kin(token) for token in read(name))


# ---- persons


def _first(found: Sequence[Person]) -> Person | None:
    """A pronoun stands for a person only where none is named: in her apple pie, Grandma uses cardamom."""
    named = [each for each in found if each.names or each.kin not in _THIRD | {SELF}]
    first = found[0] if found else None
    return named[0] if first and first.kin in _THIRD and named else first


def _persons(tokens: Sequence[Token], speaker: str) -> Iterator[Person]:
    for i, token in enumerate(tokens):
        low = token.text.casefold()
        if low in _FIRST or low in _USER or low in _SECOND or low in _THIRD:
            if not _kin_follows(tokens, i):
                yield from _meant(low, speaker)
        elif kin := _kin(token):
            yield Person(_name_after(tokens, i), kin)
        elif _names_person(tokens, i):
            yield Person(_parts(token))


def _meant(low: str, speaker: str) -> Iterator[Person]:
    """Whom a pronoun means when this one speaks."""
    if low in _THIRD:
        yield Person(kin=low)
    elif low in _SECOND or (speaker == "assistant" and low in _FIRST):
        if speaker == "assistant" and low in _SECOND:
            yield Person(kin=SELF)
    else:
        yield Person(kin=SELF) if speaker in {"", SELF, "assistant"} else Person(frozenset({speaker}))


def _kin(token: Token) -> str:
    if not token.han:
        return next((_KIN_EN[word] for word in token.text.casefold().split() if word in _KIN_EN), "")
    match = _KIN_ZH.fullmatch(token.text)
    return (f"kin {match.lastindex}" if match.lastindex else match[0]) if match else ""


def _kin_follows(tokens: Sequence[Token], i: int) -> bool:
    """my brother, the user's wife, 我的妈妈, 我家孩子."""
    after = [token for token in tokens[i + 1 : i + 4] if token.text not in _OWNS and token.text != "家"]
    return bool(after and _kin(after[0])) and tokens[i].text.casefold() not in _ALONE


def _name_after(tokens: Sequence[Token], i: int) -> frozenset[str]:
    """Uncle Ray, my flatmate Ines, 室友小杨."""
    if tokens[i].kind is Kind.NAME and len(tokens[i].words) > 1:
        return frozenset(part for part in _parts(tokens[i]) if part not in _KIN_EN)
    beside = tokens[i + 1] if i + 1 < len(tokens) else None
    return _parts(beside) if beside and beside.kind is Kind.NAME and not _kin(beside) else frozenset()


def _names_person(tokens: Sequence[Token], i: int) -> bool:
    """A name that acts, before the verb; or a bare word that opens a sentence as its subject: Mark won."""
    token, before = tokens[i], tokens[i - 1] if i else None
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    opens = before is None or before.kind in _BREAKS
    if opens and (after is None or after.kind in _BREAKS) and not (after and after.text == "," and i == 0):
        return False  # Hey Nate!
    if before and (before.text.casefold() in _BEFORE_VALUES or before.kind in _PARTS or _kin(before)):
        return False
    if token.kind is Kind.NAME:
        return _acts(token, after) and _before_the_verb(tokens, i)
    return opens and after is not None and _subject(token, after)


def _acts(name: Token, after: Token | None) -> bool:
    """Kate ran, Grace's, Bart and …; but not: the Naija review, Phase 1."""
    if name.han or after is None:
        return name.han
    return after.han or after.kind in _AFTER_PERSONS or after.text.casefold() in _OWNS | {"and", ","}


def _before_the_verb(tokens: Sequence[Token], i: int) -> bool:
    for token in reversed(tokens[:i]):
        if token.kind in _VERBAL:
            return False
        if token.kind is Kind.MARK and token.rank >= Rank.CLAUSE:
            break
    return True


def _subject(token: Token, after: Token) -> bool:
    """A name that is also a word: Mark won, Will is; 高洁是. Where it is none, the other text has the word as well."""
    if token.han:
        subject = after.kind in _VERBAL or after.kind is Kind.PREPOSITION or after.text == "的"
        return subject and len(token.text) in {2, 3} and token.text[0] in zh.SURNAMES and chinese.unusual(token.text)
    verb = after.kind in _VERBAL and after.text[0].isalpha()
    return verb and token.text[:1].isupper() and token.kind in {Kind.VERB, Kind.NOUN, Kind.AUXILIARY}


def _parts(token: Token) -> frozenset[str]:
    parts = [part.casefold() for part in token.words]
    return frozenset(part for part in parts if part not in en.TITLES) or frozenset(parts)


# ---- things


def _telling(tokens: Sequence[Token], kinds: frozenset[Kind]) -> frozenset[str]:
    return frozenset(word for token in tokens if token.kind in kinds for part in token.words if (word := _word(part)))


def _which(tokens: Sequence[Token]) -> frozenset[str]:
    """游泳比赛, 登录服务. 吃牛肉 looks the same: so these count only where two texts differ."""
    found = [token.text for i, token in enumerate(tokens) if token.han and _tells_which(tokens, i)]
    return frozenset(filter(None, map(_word, found)))


def _tells_which(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if token.kind is not Kind.VERB or len(token.text) < 2:
        return token.kind is Kind.ADJECTIVE
    return i + 1 < len(tokens) and tokens[i + 1].kind is Kind.NOUN


@lru_cache(maxsize=_WORDS)
def _word(word: str) -> str:
    """Its stem, or nothing if it says little."""
    low = word.casefold()
    little = low in _LITTLE or _KIN_ZH.fullmatch(word) or not any(char.isalpha() for char in low)
    return "" if little else stem(low)


def _head(tokens: Sequence[Token]) -> frozenset[str]:
    """my favourite band is, 我的手机号是."""
    for i, token in enumerate(tokens):
        if token.kind is Kind.AUXILIARY and token.text.casefold() in {"is", "are", "was", "'s", "是", "为"}:
            owned = any(each.text.casefold() in _OWNS | en.POSSESSIVES for each in tokens[:i])
            return _telling(tokens[:i], _THINGS) if owned else frozenset()
        if token.kind is Kind.VERB and not token.han:
            break
    return frozenset()
