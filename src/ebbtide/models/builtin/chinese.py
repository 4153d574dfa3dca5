"""Part of speech of Chinese words: the dictionary's tag, corrected by word lists and by the neighbours.

The dictionary cuts without its hidden Markov model, which likes to glue a negation to a verb (别点) or a verb to its
object (签合同); the model is asked only where a person's name may have been missed.
"""

import re
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise

from ebbtide.models.builtin import lexicon_zh as lex
from ebbtide.models.builtin.tokens import Kind, Token

_RARE = 600  # occurrences in the dictionary's corpus; a person's name that is no word too stays below
_UNHEARD = 5  # the dictionary has hardly met it
_NUMERAL = re.compile(r"第?[零〇一二两三四五六七八九十百千万亿半几多]+")
_ARTICLE = re.compile(
    r"一[个只本张件位条家种些名杯份部场套块支辆次棵朵碗盘片颗对副架堂]|几[个次种天本张位]|[每这那哪][一]?[个只本张件位条家种次份部天]"
)
_WEEKDAY = re.compile(r"(?:[上下本这每]*(?:周|星期|礼拜))[一二三四五六日天末]")
_NOT_NUMBERS = frozenset(
    [
        "一起",
        "一下",
        "一样",
        "一定",
        "一般",
        "一直",
        "一点",
        "一点儿",
        "一会儿",
        "一时",
        "万一",
        "十分",
        "一边",
        "一共",
        "一旦",
        "多",
        "半天",
        "多少",
        "百般",
        "千万",
    ]
)
_NAMING = frozenset({Kind.NAME, Kind.NOUN, Kind.VERB, Kind.ADJECTIVE, Kind.NUMBER})
_PERIODS = ("代", "朝", "世纪", "年", "月", "日", "节", "季", "期间")
_COUNTED = frozenset(
    [
        "个",
        "半",
        "钟",
        "元",
        "多",
        "月",
        "天",
        "年",
        "岁",
        "小时",
        "分钟",
        "点",
        "块",
        "块钱",
        "万",
        "米",
        "公里",
        "斤",
        "公斤",
    ]
)
_NAMES = frozenset({"nr", "nrt", "nrfg", "nr1", "nr2", "nrj"})
_KIND_OF = {
    "n": Kind.NOUN, "v": Kind.VERB, "a": Kind.ADJECTIVE, "d": Kind.ADVERB, "p": Kind.PREPOSITION,
    "c": Kind.CONJUNCTION, "u": Kind.PARTICLE, "y": Kind.FILLER, "e": Kind.FILLER, "o": Kind.FILLER,
    "f": Kind.PARTICLE, "k": Kind.PARTICLE, "h": Kind.PARTICLE, "q": Kind.PARTICLE, "j": Kind.NAME,
    "s": Kind.NOUN, "z": Kind.ADJECTIVE, "b": Kind.ADJECTIVE, "l": Kind.VERB, "i": Kind.VERB, "r": Kind.PRONOUN,
    "t": Kind.ADVERB, "m": Kind.DETERMINER, "g": Kind.NOUN,
}  # fmt: skip
_LISTS = (
    (lex.KNOWN_NAMES, Kind.NAME),
    (lex.NEGATIONS, Kind.NEGATION),
    (lex.QUALIFIERS, Kind.QUALIFIER),
    (lex.QUESTIONS, Kind.QUESTION),
    (lex.PRONOUNS, Kind.PRONOUN),
    (lex.DETERMINERS, Kind.DETERMINER),
    (lex.DAYS, Kind.TIME),
    (lex.NOUNS, Kind.NOUN),
    (lex.VERBS, Kind.VERB),
    (lex.ADJECTIVES, Kind.ADJECTIVE),
    (lex.AUXILIARIES, Kind.AUXILIARY),
    (lex.INTENSIFIERS, Kind.ADVERB),
    (lex.JOINERS, Kind.CONJUNCTION),
)
_NEVER_NOUNS = lex.TONE | lex.AUXILIARIES | lex.VERBS | lex.INTENSIFIERS
_ACTORS = frozenset({Kind.NAME, Kind.PRONOUN, Kind.AUXILIARY, Kind.NEGATION, Kind.ADVERB, Kind.QUALIFIER})
_LISTED: dict[str, Kind] = {}
for _words, _listed in _LISTS:
    _LISTED |= dict.fromkeys(_words - _LISTED.keys(), _listed)


def frequency(word: str) -> int:
    """How often the dictionary has seen the word; near 0 for what it does not know."""
    import rjieba  # here and below: loading the dictionary takes 0.15 s, and English texts never need it

    return rjieba.suggest_freq(word)


def tag(run: str, start: int, *, opens: bool) -> list[Token]:
    """Tokens of a run of Chinese characters that stands at `start`; `opens`: at the start of a clause."""
    import rjieba

    pairs = _split(rjieba.tag(run, False))
    if any(len(one) == len(two) == 1 for (one, _), (two, _) in pairwise(pairs)):
        pairs = list(_with_names(pairs, rjieba.tag(run)))
    tokens: list[Token] = []
    at = start
    for word, label in pairs:
        kind = _kind(word, label, tokens[-1] if tokens else None, opens=opens)
        tokens.append(Token(word, at, at + len(word), kind, han=True))
        at += len(word)
        opens = opens and kind is Kind.FILLER
    return list(_called(list(_joined(tokens))))


def _split(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The dictionary's words, with 我会 cut in two and 吕 + 成龙 made one."""
    found: list[tuple[str, str]] = []
    for word, label in pairs:
        cut = lex.SPLIT.get(word)
        given = len(word) == 2 and label in _NAMES and found and found[-1][0] in lex.SURNAMES
        if cut:
            found += [(word[:cut], "r"), (word[cut:], "v")]
        elif given and frequency(word) < _RARE:
            found[-1] = (found[-1][0] + word, "nr")
        else:
            found.append((word, label))
    return found


def _with_names(plain: list[tuple[str, str]], guessed: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The plain cut, with names where the guess sees one in what the plain cut left as single characters."""
    singles = _singles(plain)
    names = {}
    at = 0
    for word, label in guessed:
        name = word[:-1] if len(word) > 2 and word[-1] in lex.GRAMMAR else word  # 张伟用: the verb is no part of it
        labels = [singles.get(at + n, "") for n in range(len(name))]
        if 2 <= len(name) <= 4 and all(labels) and _guessed_name(name, label, labels):
            names[at] = name
        at += len(word)
    at = until = 0
    for word, label in plain:
        found = names.get(at)
        if found:
            yield found, "nr"
            until = at + len(found)
        elif at >= until:
            yield word, label
        at += len(word)


def _singles(pairs: list[tuple[str, str]]) -> dict[int, str]:
    """Where single characters stand, with their tags."""
    found = {}
    at = 0
    for word, label in pairs:
        if len(word) == 1:
            found[at] = label
        at += len(word)
    return found


def _guessed_name(word: str, label: str, labels: list[str]) -> bool:
    if label in _NAMES and (word[0] in lex.SURNAMES or word[0] in lex.NICKNAMES):
        return not any(char in lex.GRAMMAR for char in word)
    grammatical = any(each[0] in "dcruym" for each in labels) or any(char in lex.GRAMMAR for char in word)
    return (label in _NAMES or label in {"s", "ns", "nt", "nz"}) and not grammatical


def _kind(word: str, label: str, before: Token | None, *, opens: bool) -> Kind:
    if word in lex.FILLERS and (opens or label[0] in "yeo" or len(word) > 2):
        return Kind.FILLER
    if before and _noun_here(word, label, before):
        return Kind.NOUN
    if word in lex.TONE:
        return Kind.PARTICLE
    if word in lex.NOUN_VERBS:
        acts = before is not None and (before.kind in _ACTORS or before.text in lex.TITLES)
        return Kind.VERB if acts else Kind.NOUN
    if len(word) == 2 and word[0] in lex.NICKNAMES and word[1] in lex.SURNAMES and frequency(word) < _RARE:
        return Kind.NAME
    listed = _LISTED.get(word)
    if listed:
        return listed
    if word in lex.GENERIC:
        return Kind.NOUN
    if _WEEKDAY.fullmatch(word):
        return Kind.TIME
    if word[0] in "第零〇一二两三四五六七八九十百千万亿半几" and label[0] == "m":
        return _count(word)
    if label == "f" and len(word) > 1 and word not in lex.AROUND and word not in lex.BOUNDS:
        return Kind.NOUN  # 前端 is a part of a system, 前面 is not
    return _named(word, label) or _KIND_OF.get(label[0], Kind.NOUN)


def _noun_here(word: str, label: str, before: Token) -> bool:
    """很多花, 一张票, 的花: a single character that could be a verb, where only a noun can stand."""
    counted = before.kind in {Kind.DETERMINER, Kind.NUMBER} and before.text not in {"多", "一下"}
    return counted and len(word) == 1 and label[0] in "vgnz" and word not in _NEVER_NOUNS


def _count(word: str) -> Kind:
    if word in _NOT_NUMBERS:
        return Kind.ADVERB
    if _ARTICLE.fullmatch(word):
        return Kind.DETERMINER
    return Kind.NUMBER if _NUMERAL.match(word) and word != "一" else Kind.DETERMINER


def _named(word: str, label: str) -> Kind | None:
    """The dictionary calls far too much a name; believe it only where the characters speak for it."""
    seen = frequency(word)
    if label in _NAMES:
        return Kind.NAME if seen < _RARE and _personal(word, unheard=seen < _UNHEARD) else Kind.NOUN
    if label == "n" and len(word) == 2 and word[0] == word[1] and seen < _RARE // 10:
        return Kind.VERB if word[0] in lex.VERBS else Kind.NAME  # 问问, 豆豆
    if label == "ns" or (len(word) > 2 and word.endswith(lex.ROAD_MARKS) and seen < _RARE // 6):
        return Kind.NAME
    if label in {"j", "nz"}:
        return Kind.NAME if seen < _RARE // 5 and len(word) < 4 else Kind.NOUN
    if label == "nt":
        known = (
            word.endswith(tuple(lex.ORGANISATION_ENDS))
            or word.startswith(("中国", "国家", "全国", "中央"))
            or place(word)
        )
        return Kind.NAME if known else Kind.NOUN
    return Kind.TIME if label[0] == "t" and word.endswith(_PERIODS) else None


def _personal(word: str, *, unheard: bool) -> bool:
    if any(char in lex.GRAMMAR for char in word):
        return False
    chinese = word[0] in lex.SURNAMES and (len(word) in {2, 3} or word.startswith(lex.COMPOUND_SURNAMES))
    nickname = word[0] in lex.NICKNAMES and len(word) == 2
    foreign = len(word) > 1 and all(char in lex.TRANSLITERATION for char in word)
    return chinese or nickname or foreign or (unheard and len(word) < 4)


def unusual(word: str) -> bool:
    """Seldom a word in its own right, hence more likely part of a name."""
    return frequency(word) < _RARE // 2


def place(word: str) -> bool:
    return word.endswith(tuple(lex.PLACE_ENDS))


def _joined(tokens: list[Token]) -> Iterator[Token]:
    """小周, 王医生, 下周三, 好的, 去不去: what the dictionary parts and speech does not."""
    i = 0
    opens = True
    while i < len(tokens):
        token = tokens[i]
        count, kind = _joint(tokens[i : i + 3], opens=opens)
        if count > 1:
            token = reduce(lambda one, two: _merge(one, two, kind), tokens[i + 1 : i + count], token)
        yield token
        opens = opens and kind is Kind.FILLER
        i += count


def _joint(near: list[Token], *, opens: bool) -> tuple[int, Kind]:
    """How many of the next tokens are one, and of which kind."""
    token = near[0]
    if len(near) == 3 and near[1].text in {"不", "没"} and token.text == near[2].text:
        return 3, Kind.VERB  # 去不去: a question, no negation
    if len(near) == 1:
        return 1, token.kind
    after = near[1]
    pair = token.text + after.text
    if (token.text.endswith("有") and after.text == "没有") or after.text in {f"不{token.text}", f"没{token.text}"}:
        return 2, Kind.VERB  # 还有没有, 要不要
    if opens and pair in lex.FILLERS:
        return 2, Kind.FILLER
    if pair in lex.KNOWN_NAMES or pair in lex.NOUNS:
        return 2, _LISTED[pair]
    if token.text in lex.NICKNAMES and len(after.text) == 1 and after.text in lex.SURNAMES:
        return 2, Kind.NAME
    if len(token.text) == 1 and token.text in lex.SURNAMES and after.text in lex.TITLES:
        return 2, Kind.NAME
    if _WEEKDAY.fullmatch(pair) or (token.text in {"上", "下", "这", "本"} and _WEEKDAY.fullmatch(after.text)):
        return 2, Kind.TIME
    if token.kind is Kind.NUMBER and (after.text in _COUNTED or after.kind is Kind.NUMBER):
        return 2, Kind.NUMBER
    return 1, token.kind


def _called(tokens: list[Token]) -> Iterator[Token]:
    """一家叫顺安搬运的, 我妹妹小雨: names that the words before them announce."""
    i = 0
    while i < len(tokens):
        token = tokens[i]
        before = tokens[i - 1] if i else None
        end = _called_until(tokens, i) if before and before.text in lex.CALLED and i > 1 else i
        if end > i:
            token = reduce(lambda one, two: _merge(one, two, Kind.NAME), tokens[i + 1 : end], token)
            token = token._replace(kind=Kind.NAME)
        elif i > 1 and _named_along(tokens, i):
            token, end = _merge(token, tokens[i + 1], Kind.NAME), i + 2
        elif before and (before.text == "姓" or (before.text in lex.KIN and _nickname(token))):
            token = token._replace(kind=Kind.NAME)
        yield token
        i = max(i + 1, end)


def _named_along(tokens: list[Token], i: int) -> bool:
    """老秦和费凡: after a name and an "and", a surname and one more character are a name too."""
    pair = tokens[i : i + 2]
    joined = tokens[i - 1].text in {"和", "与", "跟", "及"} and tokens[i - 2].kind is Kind.NAME
    return joined and len(pair) == 2 and all(len(each.text) == 1 for each in pair) and pair[0].text in lex.SURNAMES


def _called_until(tokens: list[Token], start: int) -> int:
    end = start
    if tokens[start].kind is Kind.VERB:
        return start
    while end < len(tokens) and tokens[end].kind in _NAMING and tokens[end].text not in lex.GRAMMAR:
        end += 1
    length = sum(len(token.text) for token in tokens[start:end])
    known = end == start + 1 and frequency(tokens[start].text) > _RARE
    return start if known or not 2 <= length <= 6 else end


def _nickname(token: Token) -> bool:
    word = token.text
    if token.kind not in {Kind.NOUN, Kind.ADJECTIVE} or len(word) not in {2, 3}:
        return False
    return word[0] in lex.NICKNAMES or word[0] == word[1] or frequency(word) < _UNHEARD


def _merge(one: Token, two: Token, kind: Kind) -> Token:
    return Token(one.text + two.text, one.start, two.end, kind, han=True)
