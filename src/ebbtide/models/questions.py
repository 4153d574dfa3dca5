"""What a question says beyond its words, and who said a memory; Chinese and English.   SPEC K3.

A question may be one sentence or a whole turn of a conversation. Its sentences are looked for one by one, for what is
asked is often said in one of them; very short ones go with their neighbour.
"""

import re
import unicodedata
from collections.abc import Iterator

import numpy as np

from ebbtide.core.language import HAN, HAN_CHARACTER
from ebbtide.core.question import Question
from ebbtide.core.signals import Column
from ebbtide.core.terms import Field, code_of

SENTENCES = 12
_LOOKED_AT = 4000  # characters: a question is seldom longer
_SHORT = 30  # in letters, a Han character counts as three
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_WHEN = re.compile(
    r"\bwhen\b|\bhow (?:long|recently)\b|\b(?:what|which) (?:date|day|time|year|month|week)\b"
    r"|\bhow many (?:hours|days|weeks|months|years)\b"
    r"|什么时候|几时|何时|哪[天年月周]|哪一[天年月周]|多久|多长时间|几[月号点]",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself)\b|我", re.IGNORECASE)
_SPEAKER = re.compile(rf"\s*\[?([^\W\d_][\w.'’ {HAN}-]{{0,30}}?)\]?\s*[:：]\s*(?=\S)")
_NO_SPEAKERS = frozenset(
    {"note", "notes", "update", "summary", "ps", "todo", "http", "https", "re", "fw", "fwd", "warning", "tip", "step"}
    | {"注意", "备注", "总结", "提示"}
)
_USER = frozenset(["user", "human", "me", "用户", "我"])
_WORD = re.compile(rf"[^\W_{HAN}]+(?:['’-][^\W_{HAN}]+)*|[{HAN}]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_PARTS = 3  # words of a name
_HAN_NAME = range(2, 5)  # characters of a Chinese one


def question(text: str, at: float) -> Question:
    """As it is asked at this moment. Of a whole turn, only what it asks names a time or a speaker: the rest may tell
    of others."""
    from ebbtide.models.times import named_times  # its patterns take a while to compile

    head = text[:_LOOKED_AT]
    parts = tuple(sentences(head))
    asks = head if len(parts) <= 1 else " ".join(part for part in parts if part.endswith(("?", "？")))
    return Question(
        sentences=parts if len(parts) > 1 else (),
        spans=named_times(asks, at),
        when=bool(_WHEN.search(asks)),
        own=bool(_OWN.search(head)),
        names=_names(asks),
    )


def sentences(text: str) -> list[str]:
    """At most SENTENCES of them, the last ones: what was said last is what is asked."""
    found: list[str] = []
    for part in filter(None, map(str.strip, _END.split(text))):
        if found and _letters(found[-1]) < _SHORT:
            found[-1] += f" {part}"
        else:
            found.append(part)
    if len(found) > 1 and _letters(found[-1]) < _SHORT:
        last = found.pop()
        found[-1] += f" {last}"
    return found[-SENTENCES:]


def _letters(text: str) -> int:
    return len(text) + 2 * len(HAN_CHARACTER.findall(text))


# ---- speakers


def speaker_of(speaker: str, text: str) -> str:
    """Who said a text: as it was told, or else as the text begins ("Caroline: …"); empty if that is not known."""
    if speaker:
        return _folded(speaker)
    found = _SPEAKER.match(text)
    name = _folded(found[1]) if found else ""
    return "" if name in _NO_SPEAKERS or len(name.split()) > _PARTS else name


def is_user(speaker: str) -> bool:
    return speaker in _USER


def speaker_code(speaker: str) -> int:
    return code_of(Field.SPEAKER, speaker)


def _names(text: str) -> Column:
    """The codes of all that may be a speaker's name."""
    return np.array(sorted({speaker_code(name) for name in _possible_names(_folded(text))}), np.uint64)


def _possible_names(text: str) -> Iterator[str]:
    """Runs of one to three words, and of two to four Han characters. User and assistant are roles, not names."""
    words = _WORD.findall(_POSSESSIVE.sub("", text[:_NAMED_IN]))
    for first in range(len(words)):
        if HAN_CHARACTER.match(words[first]):
            run = words[first]
            yield from (run[at : at + size] for size in _HAN_NAME for at in range(len(run) - size + 1))
        else:
            yield from (" ".join(words[first : first + size]) for size in range(1, _PARTS + 1))


_NAMED_IN = 300  # characters of a question in which a speaker is looked for


def _folded(text: str) -> str:
    return " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold().split())
