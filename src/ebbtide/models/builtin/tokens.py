"""Words as the model sees them: what they are, and where they stand in the text."""

import re
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"  # with its unit; dates and times of day too
    TIME = "time"  # days without a figure: 下周三, tomorrow, Monday
    NOUN = "noun"
    VERB = "verb"
    ADJECTIVE = "adjective"
    ADVERB = "adverb"
    PRONOUN = "pronoun"
    QUESTION = "question"  # what, who, 什么, 怎么
    NEGATION = "negation"
    QUALIFIER = "qualifier"  # if, maybe, almost, 如果, 可能: without it the rest says something else
    AUXILIARY = "auxiliary"
    DETERMINER = "determiner"
    PREPOSITION = "preposition"
    CONJUNCTION = "conjunction"
    PARTICLE = "particle"  # 的, 了, the 's of possession, the "to" of an infinitive
    FILLER = "filler"  # oh, thanks, 好的, emoji
    CODE = "code"  # addresses, code, paths: to be kept letter by letter
    MARK = "mark"


KEYS = frozenset({Kind.NAME, Kind.NUMBER, Kind.TIME, Kind.CODE})
NOMINAL = frozenset({Kind.NAME, Kind.NUMBER, Kind.TIME, Kind.CODE, Kind.NOUN})
CONTENT = NOMINAL | {Kind.VERB, Kind.ADJECTIVE}


class Rank:
    """How strongly a mark parts what stands on its two sides."""

    NONE = 0  # quotes, bullets, symbols
    ITEM = 1  # 、 and /
    CLAUSE = 2
    SENTENCE = 3


class Token(NamedTuple):
    text: str
    start: int
    end: int
    kind: Kind
    parts: tuple[str, ...] = ()  # the words of a compound
    rank: int = Rank.NONE  # of a mark
    han: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        return self.parts or (self.text,)


HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〇"
_HAN_RUN = re.compile(f"[{HAN}]")
_LETTER = re.compile(f"[^\\W\\d_{HAN}]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_UNITS = (
    "年|个月|个小时|个半小时|月份|月|日|号线|号楼|号|点半|点钟|点|时|小时|分钟|分|秒钟|秒|天|周岁|周|岁半|岁|万元|块钱|元|块|角|港币|港元|"
    "人民币|美元|欧元|人|名|位|次|届|期|个|本|张|辆|台|件|套|间|层|楼|座|米|公里|千米|厘米|毫米|公斤|千克|斤|克|毫克|升|毫升|平米|平方米|"
    "平方|度|折|页|章|节|班|路|寸|份|只|条|支|瓶|盒|杯|袋|包|片|粒|颗|棵|双|对|排|座位|倍|成"
)
_FIGURE = r"\d++(?:,\d{3}(?!\d))*+(?:\.\d++)*+"  # possessive: long rows of digits must not be tried twice
_MONEY = r"(?:(?:US|HK)?[$€£¥￥]\s?)?"
_MEASURE = rf"(?:\s?[%％‰℃°]|[多余]?[百千万亿]*\s?(?:{_UNITS})|[多余]?[百千万亿]+)?[多半余]?"
_NOT_IN_URLS = f"\\s<>\"'`，。；！？、（）【】《》「」『』“”‘’{HAN}"
_LATIN = f"[^\\W\\d_{HAN}]"
_ALNUM = f"[^\\W_{HAN}]"

_TITLE_WORD = r"[A-Z0-9][\w'’&-]*[:,]?"
_TITLE_LINK = "(?:of|the|and|a|an|in|on|to|for|or|with|from)"

_SCAN = re.compile(
    rf"""
    (?P<fence>```.*?(?:```|\Z))
  | (?P<bullet>(?m:^)[ \t]*(?:[-*•·–]|\d{{1,2}}[.)])[ \t]+(?=\S))
  | (?P<code>`[^`\n]+`)
  | (?P<url>(?:https?://|www\.)[^{_NOT_IN_URLS}]*[^{_NOT_IN_URLS}.,;:!?)])
  | (?P<mail>[\w.+-]{{1,64}}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)
  | (?P<title>《[^》\n]{{1,30}}》)
  | (?P<work>["“]{_TITLE_WORD}(?:[ ](?:{_TITLE_WORD}|{_TITLE_LINK})){{1,7}}["”])
  | (?P<date>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d)|(?<![\d/])\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?(?![\d/]))
  | (?P<clock>\d{{1,2}}[:：]\d{{2}}(?:[:：]\d{{2}})?(?!\d)(?:\s?[ap]\.?m\b\.?)?)
  | (?P<phone>\+?\d{{2,4}}(?:[ -]\d{{3,4}}){{2,}}(?!\d))
  | (?P<number>(?:(?<!\w)[-+])?{_MONEY}{_FIGURE}(?!{_LATIN}){_MEASURE})
  | (?P<figure>{_FIGURE}{_LATIN}+{_ALNUM}*(?:-{_ALNUM}+)*)
  | (?P<dotted>(?:{_LATIN}\.){{2,}})
  | (?P<han>[{HAN}]+)
  | (?P<word>{_LATIN}{_ALNUM}*(?:(?:['’&_-]|\.(?=[a-z\d])){_ALNUM}+)*)
  | (?P<line>\n\s*)
  | (?P<sentence>[。！？!?…；;｡.]+)
  | (?P<clause>[，,：:—–()（）\[\]【】~～]+)
  | (?P<item>[、/／|])
  | (?P<space>\s+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_RANKS = {"line": Rank.SENTENCE, "sentence": Rank.SENTENCE, "clause": Rank.CLAUSE, "item": Rank.ITEM}
_KINDS = {
    "fence": Kind.CODE,
    "code": Kind.CODE,
    "url": Kind.CODE,
    "mail": Kind.CODE,
    "title": Kind.NAME,
    "work": Kind.NAME,
} | dict.fromkeys(("date", "clock", "phone", "number", "figure"), Kind.NUMBER)
_EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]")


def clean(text: str) -> str:
    """The text without what cannot be encoded; every character keeps its place."""
    return _SURROGATE.sub("\ufffd", text)


def is_han(text: str) -> bool:
    return bool(_HAN_RUN.search(text))


def han_count(text: str) -> int:
    return len(_HAN_RUN.findall(text))


def chinese(text: str) -> bool:
    """Whether a text is, on the whole, Chinese. A character says about as much as half an English word."""
    return han_count(text) * 2.5 >= len(_LETTER.findall(text)) and is_han(text)


def scan(text: str) -> list[tuple[str, Token]]:
    """The text cut into raw pieces by shape alone; words and Chinese runs are still to be tagged."""
    pieces: list[tuple[str, Token]] = []
    for match in _SCAN.finditer(text):
        shape = match.lastgroup or "other"
        if shape == "space":
            continue
        piece = match.group()
        kind = Kind.FILLER if shape == "other" and _EMOJI.match(piece) else _KINDS.get(shape, Kind.MARK)
        token = Token(piece, match.start(), match.end(), kind, rank=_RANKS.get(shape, Rank.NONE), han=is_han(piece))
        pieces.append((shape, token))
    return pieces
