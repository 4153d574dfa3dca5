"""From text to terms: what a memory can be found by, and what a query asks for.   SPEC C10.

English by stems, Chinese by words and by pairs of characters, and whatever looks like a code (ORD-2291, v1.2.3, 8:40,
an address) whole, letter by letter, and by its parts. Width and case of letters make no difference.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import add

from ebbtide.core.memory import Content
from ebbtide.core.ports import TextFeatures
from ebbtide.core.question import Question
from ebbtide.core.sources import name_of
from ebbtide.core.terms import Field, Terms, Trait, code_of, trait_code
from ebbtide.models.appraisal import text_features
from ebbtide.models.builtin import lexicon_en as en
from ebbtide.models.builtin import lexicon_zh as zh
from ebbtide.models.places import says_where
from ebbtide.models.questions import is_user, question, speaker_code, speaker_of
from ebbtide.models.stems import stem

VERSION = "2"  # changes when the same text gives other terms: then every mind is analysed again

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〇\U00020000-\U0003ffff"
_UNSPACED = f"{_HAN}\u3040-\u30ff\u31f0-\u31ff\u0e00-\u0e7f\uac00-\ud7af"  # kana, Thai and Hangul: pairs serve them too
_LETTER = f"[^\\W_{_UNSPACED}]"
_PIECE = re.compile(
    rf"""
    [{_UNSPACED}]+
  | {_LETTER}++ (?: (?:[-_./:@+&'’]|,(?=\d{{3}}(?!\d))) {_LETTER}++ )*+ (?: \+\+ | \# )?
    """,
    re.VERBOSE,
)
_RUN = re.compile(f"[{_HAN}]+|[^{_HAN}]+")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_PART = re.compile(r"\d++|[^\W\d_]++")  # ORD2291 is made of ord and 2291
_GROUPED = re.compile(r"(?<=\d),(?=\d{3})")  # 1,234 is 1234
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENDINGS = _words("s t m d re ve ll")  # what an apostrophe cuts off: it's, don't, I'm
_STOP = (
    en.PRONOUNS | en.DETERMINERS | en.PREPOSITIONS | en.CONJUNCTIONS | en.QUESTIONS | en.BE | en.MODALS | en.HAVE_DO
    | _words("not no if then there here don didn doesn isn wasn aren couldn wouldn shouldn hasn haven won")
)  # fmt: skip
_STOP_ZH = (
    zh.PRONOUNS | zh.DETERMINERS | zh.TONE | zh.JOINERS | zh.QUESTIONS | zh.AUXILIARIES
    | _words("在 把 对 给 从 到 向 为 以 于 个 一个 也 都 就 还 很")
)  # fmt: skip

_CACHED = 1 << 16  # pieces whose codes are remembered; a stem costs a hundred times as much as a look-up
_LONGEST = 64  # characters: what is longer is no word, is not stemmed, and would only fill the cache


class Analyzer:
    """Contents and queries as terms. Holds nothing, never fails on any text, may be used from several threads."""

    name = f"words-{VERSION}"

    def content(self, content: Content) -> Terms:
        """Text, phrase, keywords and the name of who said it are words alike; the key is found letter by letter; the
        labels filter."""
        words = (content.text, content.phrase, *content.keywords, name_of(content.speaker))
        codes = _codes("\n".join(words), _grams_and_characters)
        codes += _label(Field.KIND, content.kind), _label(Field.DOMAIN, content.domain)
        codes.append(code_of(Field.EXACT, _exact(content.key)))
        codes += {self.keyword(keyword) for keyword in content.keywords}
        codes += _traits(content)
        return Terms.counted(codes)

    def query(self, text: str) -> Terms:
        """What to look for. Any word of it, and the whole, may be a key: they are also looked for letter by letter."""
        wholes = {_exact(piece) for piece in (*_pieces(text), text)} - _STOP
        return Terms.counted(_codes(text, _grams) + [code_of(Field.EXACT, whole) for whole in wholes])

    def question(self, text: str, at: float) -> Question:
        """What it says beyond its words, asked at this moment."""
        return question(text, at)

    def keyword(self, keyword: str) -> int:
        """The code by which an index finds the memories with this keyword, whatever its width, case and spaces."""
        return code_of(Field.KEYWORD, _folded(keyword))

    def features(self, text: str) -> TextFeatures:
        """What its content prior is made of."""
        return text_features(text)

    def says_where(self, text: str) -> bool:
        return says_where(text)

    def supersedes(self, older: Content, newer: Content) -> bool:
        """Whether the newer of two similar ones says the same, of the same person, or updates it.

        What two people say of themselves is not the same, be it word for word.
        """
        if older.speaker and newer.speaker and _exact(older.speaker) != _exact(newer.speaker):
            return False
        from ebbtide.models.superseding import supersedes  # the readers of both languages; only alike texts need them

        return supersedes(older.text, newer.text)

    def kind(self, kind: str) -> int:
        return code_of(Field.KIND, kind)

    def domain(self, domain: str) -> int:
        return code_of(Field.DOMAIN, domain)


def _codes(text: str, grams: Callable[[str], Iterable[str]]) -> list[int]:
    codes: list[int] = []
    for piece in _pieces(text):
        if _UNSPACED_CHARACTER.match(piece):
            codes += _words_of(piece)
            codes += map(_gram, grams(piece))
        elif len(piece) <= _LONGEST:
            codes += _spaced(piece)
        else:
            codes += _spaced.__wrapped__(piece)
    return codes


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text if text.isascii() else unicodedata.normalize("NFKC", text))


def _folded(text: str) -> str:
    return " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold().split())


def _exact(text: str) -> str:
    """Letter by letter, but for case, width, accents, and the commas in long numbers."""
    folded = _folded(text)
    return _plain(_GROUPED.sub("", folded) if "," in folded else folded)


@lru_cache(maxsize=256)
def _label(field: Field, label: str) -> int:
    return code_of(field, label)


def _traits(content: Content) -> Iterator[int]:
    """The codes of what holds of the text and counts in its rank, and of who said it."""
    text = content.text if content.text.isascii() else unicodedata.normalize("NFKC", content.text)
    read, speaker = text_features(text), speaker_of(content.speaker, text)
    has = {
        Trait.ASKS: read.asks,
        Trait.FIRST: read.first,
        Trait.TIME: read.time,
        Trait.HAN: read.chinese,
        Trait.USER: is_user(speaker),
    }
    yield from (trait_code(trait) for trait, holds in has.items() if holds)
    if speaker:
        yield speaker_code(speaker)


# ---- scripts with spaces


@lru_cache(maxsize=_CACHED)
def _spaced(piece: str) -> tuple[int, ...]:
    """The codes of one piece between spaces: its words, and itself if it looks like a code."""
    folded = _exact(piece)
    parts = _PART.findall(folded)
    codes = [code_of(Field.WORDS, stem(part)) for part in _telling(piece, parts)]
    if parts != [folded] and _looks_like_a_code(folded):
        codes.append(code_of(Field.EXACT, folded))
    return tuple(codes)


def _telling(piece: str, parts: list[str]) -> Iterable[str]:
    """The parts that say something. An abbreviation in capitals does, even where it looks like a small word: US, IT."""
    if len(parts) == 1:
        return parts if parts[0] not in _STOP or (len(piece) > 1 and piece.isupper()) else ()
    endings = _ENDINGS if "'" in piece or "’" in piece else frozenset[str]()
    return [part for part in parts if part not in _STOP and part not in endings]


def _looks_like_a_code(folded: str) -> bool:
    """Anything joined or mixed, but for hyphens and apostrophes between plain words."""
    return not all(char.isalpha() or char in "-'’" for char in folded)


def _plain(word: str) -> str:
    """Without accents: café is found by cafe."""
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(char for char in apart if not "\u0300" <= char <= "\u036f"))


# ---- scripts without


def _words_of(piece: str) -> Iterator[int]:
    import rjieba  # reads its dictionary, and is not needed for English

    for run in _RUN.findall(piece):
        words = rjieba.cut_for_search(run) if _HAN_CHARACTER.match(run) else (run,)
        yield from [_word(word) for word in words if word not in _STOP_ZH]


def _grams(piece: str) -> Iterable[str]:
    """Pairs of neighbours; a character that stands alone, alone."""
    return map(add, piece, piece[1:]) if len(piece) > 1 else piece


def _grams_and_characters(piece: str) -> Iterable[str]:
    """What a memory offers: 茶 asks for every memory with the character, whatever words it stands in."""
    return chain(piece, map(add, piece, piece[1:]))


@lru_cache(maxsize=_CACHED)
def _word(word: str) -> int:
    return code_of(Field.WORDS, word)


@lru_cache(maxsize=_CACHED)
def _gram(gram: str) -> int:
    return code_of(Field.GRAMS, gram)
