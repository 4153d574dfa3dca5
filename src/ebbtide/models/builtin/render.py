"""Putting words back together after some were taken out: the right mark or space between each two, no loose ends."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ebbtide.models.builtin.tokens import CONTENT, NOMINAL, Kind, Rank, Token

START = Token("", 0, 0, Kind.MARK)
END = Token("", 0, 0, Kind.MARK)

_QUOTES = re.compile("[\"“”‘’「」『』«»'`*_#]")
_BRACKETS = re.compile(r"[()（）\[\]【】]")


class Gap(NamedTuple):
    """What lies between two words that both stay."""

    literal: str | None  # as it was said; None once a word was lost in between
    mark: str = ""  # the strongest mark
    rank: int = Rank.NONE
    lost: bool = False  # whether a word with a meaning of its own was lost


def gaps(text: str, tokens: Sequence[Token], clauses: Sequence[int]) -> tuple[list[Token], list[Gap]]:
    """The words of a text, and the gaps before, between and after them: one more than there are words.

    A mark within a clause, however strong it looks, parts but the items of a list.
    """
    words: list[Token] = []
    found: list[Gap] = []
    marks: list[Token] = []
    before = START
    for i, token in enumerate([*tokens, END]):
        if token.kind is Kind.MARK and token is not END:
            listing = token.rank == Rank.CLAUSE and i + 1 < len(tokens) and clauses[i] == clauses[i + 1]
            marks.append(token._replace(rank=Rank.ITEM) if listing else token)
            continue
        found.append(_gap(text, before, marks, token))
        if token is not END:
            words.append(token)
        before, marks = token, []
    return words, found


def _gap(text: str, before: Token, marks: list[Token], after: Token) -> Gap:
    if not marks:
        return Gap(_space(text, before, after))
    comma = "，" if before.han or after.han else ","
    tidy = [(_tidy(mark.text, comma), mark.rank) for mark in marks]
    strongest = max(tidy, key=lambda each: each[1] if each[0] else -1)
    mark, rank = strongest if strongest[0] else ("", Rank.NONE)
    if rank >= Rank.ITEM:
        return Gap(_spaced(mark), mark, rank)
    symbols = text[before.end : after.start] if after is not END else ""
    literal = symbols if mark else _space(text, before, after)
    return Gap(literal, "", Rank.NONE)


def _tidy(mark: str, comma: str) -> str:
    """Without quotes, which cannot be trusted to close any more, and with brackets as the commas they stand for."""
    if mark.strip() == "" and "\n" in mark:
        return "\n"
    bare = _QUOTES.sub("", mark)
    open_text = _BRACKETS.sub("", bare)
    return open_text.strip() or (comma if bare != open_text else "")


def _spaced(mark: str) -> str:
    return mark if mark[-1] not in ".,;:!?)" else f"{mark} "


def _space(text: str, before: Token, after: Token) -> str:
    """The space between neighbours; Chinese needs none, not even next to figures."""
    if before.han or after.han or START in (before, after):
        return ""
    return " " if before.end < after.start else ""


def bridge(first: Gap, word: Token, second: Gap) -> Gap:
    """The gap that opens when the word between two gaps goes."""
    lost = first.lost or second.lost or word.kind in CONTENT
    if first.rank >= second.rank:
        return Gap(None, first.mark, first.rank, lost)
    if second.rank == Rank.ITEM:
        return Gap(None, "", Rank.NONE, lost)
    # A clause that asked is gone: what stood before it was no question.
    answered = lost and first.rank == Rank.CLAUSE and asks(second)
    mark = ("。" if "？" in second.mark else ".") if answered else second.mark
    return Gap(None, mark, second.rank, lost)


def between(one: Token, gap: Gap, two: Token) -> str:
    """What to write between two words. Before the first and after the last: nothing, but for a question mark."""
    if one is START:
        return ""
    if two is END:
        return gap.mark if asks(gap) else ""
    if gap.literal is not None:
        return gap.literal
    nouns = one.kind in NOMINAL and two.kind in NOMINAL
    if gap.mark:
        return _spaced(gap.mark)
    if one.han or two.han:
        return " " if nouns and gap.lost else ""
    return ", " if nouns and gap.lost else " "


def asks(gap: Gap) -> bool:
    return gap.rank == Rank.SENTENCE and not gap.mark.isspace() and ("?" in gap.mark or "？" in gap.mark)


def closing(gap: Gap) -> str:
    """The mark that may end the text if there is room for it."""
    return gap.mark if gap.rank == Rank.SENTENCE and gap.mark not in {"\n", ";", "；"} else ""
