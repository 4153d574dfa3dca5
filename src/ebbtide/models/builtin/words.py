"""Reading a text: tokens with their parts of speech, in Chinese, English or both, with compounds kept together."""

from collections.abc import Iterator
from functools import lru_cache

from ebbtide.models.builtin import chinese, english
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.builtin.tokens import Kind, Token, clean, scan

_CACHED_LENGTH = 4000  # longer texts are read once and hardly ever again
_TIME_UNITS = ("年", "月", "日", "号", "点", "时", "分", "半", "点钟")
_JOINING = frozenset({Kind.NAME, Kind.NOUN, Kind.NUMBER, Kind.TIME, Kind.VERB, Kind.PREPOSITION, Kind.CONJUNCTION})
_LINKS = en.NAME_LINKS - {"and", "the"}
_TIMES = frozenset({Kind.TIME, Kind.NUMBER})
_MANY = 6  # words of a compound
_LONG = 8  # characters of a Chinese compound


def read(text: str) -> tuple[Token, ...]:
    """All tokens in order; what lies between them is white space. Any text can be read."""
    return _remembered(text) if len(text) <= _CACHED_LENGTH else _read(text)


def _read(text: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    words: list[int] = []
    opens = True
    for shape, token in scan(clean(text)):
        if shape == "han":
            tokens += chinese.tag(token.text, token.start, opens=opens)
        elif shape in {"word", "dotted"}:
            for piece in english.split(token):
                words.append(len(tokens))
                tokens.append(piece._replace(kind=Kind.NOUN))
        elif token.text == "." and tokens and _abbreviation(tokens[-1], token):
            tokens[-1] = tokens[-1]._replace(text=tokens[-1].text + ".", end=token.end)
            continue
        else:
            tokens.append(token)
        opens = tokens[-1].kind in {Kind.MARK, Kind.FILLER}
    english.tag(tokens, words)
    _phrases(tokens, words)
    return tuple(_compounds(tokens))


_remembered = lru_cache(maxsize=512)(_read)


def _abbreviation(token: Token, dot: Token) -> bool:
    return token.end == dot.start and f"{token.text.lower()}." in en.ABBREVIATIONS


def _phrases(tokens: list[Token], words: list[int]) -> None:
    """as well, at most: words that mean something else together."""
    for i in words:
        for phrase, kind in en.PHRASES.get(english.lower(tokens[i]), ()):
            near = tokens[i : i + len(phrase)]
            if tuple(english.lower(each) for each in near) == phrase:
                tokens[i : i + len(phrase)] = [each._replace(kind=Kind(kind)) for each in near]


# ---- compounds: each rule says whether a token goes on from the one before


def _compounds(tokens: list[Token]) -> Iterator[Token]:
    current: Token | None = None
    for i, token in enumerate(tokens):
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        kind = _joint(current, token, after) if current else None
        if current and kind:
            current = _join(current, token, kind)
        else:
            if current:
                yield current
            current = token
    if current:
        yield current


def _join(one: Token, two: Token, kind: Kind) -> Token:
    gap = " " * (two.start - one.end)
    return Token(one.text + gap + two.text, one.start, two.end, kind, (*one.words, *two.words), han=one.han or two.han)


def _joint(one: Token, two: Token, after: Token | None) -> Kind | None:
    if two.kind not in _JOINING or two.start - one.end > 1 or len(one.words) > _MANY:
        return None
    if one.text == "第" and two.kind is Kind.NUMBER:
        return Kind.NUMBER
    kind = _time(one, two) if two.kind in _TIMES else None
    if kind is None and one.kind is Kind.NAME:
        kind = _name(one, two, after)
    if kind is None and one.kind is two.kind is Kind.NOUN:
        kind = _noun(one, two)
    return kind


def _time(one: Token, two: Token) -> Kind | None:
    """3月 + 15日, 下午 + 3点, 5 + May, Monday + morning, next + week."""
    first, last = english.lower(one), english.lower(two).split()[-1]
    if first in en.SPAN_OPENERS and two.kind is Kind.TIME:
        return Kind.TIME
    if one.kind is Kind.TIME and two.kind is Kind.TIME:
        return Kind.TIME
    if {one.kind, two.kind} == {Kind.TIME, Kind.NUMBER}:
        month = first.split()[-1] in en.MONTHS or last in en.MONTHS
        part = one.words[-1] in zh.DAY_PARTS and (two.text.endswith(_TIME_UNITS) or _clock(two))
        return Kind.NUMBER if month or part else None
    if one.words[-1].lower() in en.MONTHS and two.text.isdigit() and len(two.text) == 4:
        return Kind.NUMBER
    dated = one.kind is Kind.NUMBER and two.kind is Kind.NUMBER and one.end == two.start
    return Kind.NUMBER if dated and one.text.endswith(_TIME_UNITS) and not _clock(two) else None


def _clock(token: Token) -> bool:
    return ":" in token.text or "：" in token.text


def _name(one: Token, two: Token, after: Token | None) -> Kind | None:
    """Central + Pier + 4, Bank + of + China, 中环 + 4号 + 码头, 上海 + 虹桥 + 站."""
    if one.han and two.han and one.end == two.start:
        return _chinese_name(one, two, after)
    if one.han or two.han or two.start == one.end:
        return None
    if two.kind is Kind.NAME:
        return Kind.NAME
    if two.kind is Kind.NUMBER:
        plain = two.text.isdigit() and len(two.text) < 5
        counts = after is not None and after.kind in {Kind.NOUN, Kind.ADJECTIVE, Kind.TIME}
        return Kind.NAME if plain and not counts else None
    links = two.text in _LINKS and after is not None and after.kind is Kind.NAME
    return Kind.NAME if links and after is not None and after.start == two.end + 1 else None


def _chinese_name(one: Token, two: Token, after: Token | None) -> Kind | None:
    road = two.kind in {Kind.NOUN, Kind.VERB} and two.text in zh.ROAD_ENDS
    person = one.text[0] in zh.SURNAMES and not chinese.place(one.text) and not one.text.endswith("记")
    if (person and not road) or len(one.text) + len(two.text) > _LONG + 4:
        return None
    if two.kind is Kind.NAME and two.text[0] not in zh.SURNAMES and not one.text.endswith(("区", "市", "省", "县")):
        return Kind.NAME
    if two.kind is Kind.NUMBER and two.text.endswith(("号", "路")):
        return Kind.NAME
    placed = len(two.text) <= 3 and two.kind is Kind.NOUN and _houses(two.text)
    placed = placed or (two.kind is Kind.VERB and two.text in zh.PLACE_ENDS)  # the 站 of a station
    return Kind.NAME if placed else None


def _houses(word: str) -> bool:
    """码头, 宾馆, 科技: what follows the name of a place or a firm and belongs to it."""
    return word in zh.PLACE_ENDS or word in zh.ORGANISATION_ENDS or word.endswith(zh.HOUSE_ENDS)


def _noun(one: Token, two: Token) -> Kind | None:
    """blood + pressure, 护照 + 号码: nouns side by side are one thing, unless one of them says nothing."""
    if one.han != two.han:
        return None
    if one.han:
        if two.text in zh.ROAD_MARKS and len(one.text) == 2 and one.end == two.start:
            return Kind.NAME  # 人民路
        if len(one.text) == 2 and one.end == two.start and _houses(two.text) and chinese.unusual(one.text):
            return Kind.NAME  # 宏达广场
        vague = one.text in zh.GENERIC or two.text in zh.GENERIC
        fits = one.end == two.start and len(one.text) + len(two.text) <= _LONG
    else:
        vague = english.lower(one) in en.GENERIC or english.lower(two) in en.GENERIC
        fits = len(one.words) < 3 and two.start == one.end + 1
    return Kind.NOUN if fits and not vague else None
