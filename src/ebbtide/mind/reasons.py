"""The reason in `Explanation.why`: that of the metabolism, and in a mind that looks at what memories say a longer one.

    used 3 times, last 12 days ago; says when and where (content rated 71 %); a newer memory,
    ferry-2, says nearly the same; needed more than 83 % of this mind (need 1.204). This agent lives by what lasts
    (w 0.10). If nothing happens, it begins to fade in 30 days. The budget is nearly full, and it is number 3 to leave.

What the text says is read off it when it is explained and not stored: the stored prior is only its place among others.
`serve/page/reasons.py` has these sentences in Chinese.
"""

import math
from collections.abc import Callable

import numpy as np

from ebbtide.core.memory import DAY, HOUR
from ebbtide.core.metabolism import appraising
from ebbtide.core.ports import Analyzer, Store, TextFeatures
from ebbtide.core.signals import Signals
from ebbtide.mind.squeezing import turn_of

YEAR = 365.25 * DAY
_FEW = 8  # memories below which none is called long or short
_TAIL = 0.2  # the share of a mind that is called so


async def reason(
    store: Store, text: str, s: Signals, now: float, fades_at: float | None, analyzer: Callable[[], Analyzer | None]
) -> str:
    """Of the one memory in `s`, whose text this is. `fades_at`: when the first state to come begins; None: never."""
    metabolism, turn = store.regime.metabolism, await _turn(store, s, now)
    if (tide := appraising(metabolism)) is None:
        return "; ".join(filter(None, (metabolism.why(s, now), turn.lower())))
    says = await _says(store, text, s, analyzer())
    why = tide.why(s, now, [tide.content_said(s, says), *await _superseder(store, s)])
    parts = (f"{why}.", tide.lives_by(s.newness), _ahead(s, fades_at, now), f"{turn}." if turn else "")
    return " ".join(filter(None, parts))


async def _turn(store: Store, s: Signals, now: float) -> str:
    """Where it stands among those that leave next, in a mind that is nearly as full as its budget lets it be."""
    turn = await turn_of(store, int(s.id[0]), now)
    return "" if turn is None else f"The budget is nearly full, and it is number {turn} to leave"


async def _superseder(store: Store, s: Signals) -> list[str]:
    if s.superseded[0] <= 0.0:
        return []
    newer = await store.contents([int(s.superseded_by[0])])
    return [f"a newer memory, {content.key}, says nearly the same" for content in newer.values()]


def _ahead(s: Signals, fades_at: float | None, now: float) -> str:
    """The one thing that can come: that it fades. What fades already, or is pinned, has nothing to come."""
    if s.pinned[0] or (fades_at is not None and fades_at <= now):
        return ""
    if fades_at is None:
        return "If nothing happens, it does not fade."
    return f"If nothing happens, it begins to fade in {_span(fades_at - now)}."


def _span(seconds: float) -> str:
    units = ((2 * YEAR, YEAR, "year"), (DAY, DAY, "day"), (0.0, HOUR, "hour"))
    count, unit = next((seconds / length, unit) for least, length, unit in units if seconds >= least)
    return f"{max(round(count), 1)} {unit}{'s' if round(count) > 1 else ''}"


# ---- what the text says


async def _says(store: Store, text: str, s: Signals, analyzer: Analyzer | None) -> str:
    if analyzer is None:
        return ""
    read, place = analyzer.features(text), analyzer.says_where(text)
    before = await store.contents([int(s.id[0]) - 1])
    answers = any(analyzer.features(content.text).asks for content in before.values())
    return ", ".join(_read_off(read, place=place, answers=answers, size=_size(text, read, s)))


def _read_off(read: TextFeatures, *, place: bool, answers: bool, size: str) -> list[str]:
    where = {(True, True): "says when and where", (True, False): "says when", (False, True): "says where"}
    said = {
        where.get((read.time, place), ""): read.time or place,
        "follows a question": answers,
        "speaks in the first person": read.first,
        "addresses a reader": read.second,
        "ends in a question": read.asks,
        size: bool(size),
    }
    return [words for words, holds in said.items() if holds]


def _size(text: str, read: TextFeatures, s: Signals) -> str:
    """Among the longest or the shortest of the mind, in whichever of two ways Han characters are counted."""
    lengths = (s if s.peers is None else s.peers.signals).length
    if len(lengths) < _FEW:
        return ""
    short, long = np.quantile(lengths, (_TAIL, 1.0 - _TAIL))
    if len(text) > long:
        return "is longer than most"
    return "is shorter than most" if math.expm1(read.length) < short else ""
