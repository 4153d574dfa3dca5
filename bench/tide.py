"""A prototype of `tide` (SPEC T1–T5) over columns, every coefficient a parameter: until the engine has it.

need = (1−w)·[long_use·log2(1+U_long) + long_prior·P + long_recent·R]
     +    w ·[short_use·log2(1+U_short) + short_prior·P + short_recent·R] − superseded·S
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from bench.policies import Ranked
from bench.timelines import TimeLine
from ebbtide.core.language import HAN, HAN_CHARACTER, LATIN_WORD, is_chinese
from ebbtide.core.memory import DAY
from ebbtide.core.numerals import MONTHS
from ebbtide.core.signals import Column

_PRIOR = {"length": 0.5, "idf": 0.35, "time": 0.3, "answers": 0.4, "first": 0.15, "asks": -0.2, "second": -0.1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tide:
    """Parameters; the defaults are the recommended ones, `SPEC` has those of the specification."""

    long_use: float = 1.0
    long_prior: float = 1.5
    long_recent: float = 0.5
    short_use: float = 0.5
    short_prior: float = 0.5
    short_recent: float = 2.0
    superseded: float = 1.0
    long_days: float = 1000.0
    short_days: float = 30.0
    recent_days: float = 14.0
    alike_from: float = 0.75
    inherit: float = 1.0  # of the superseded share of U that the newer memory takes over
    lose: float = 1.0  # and that the older one loses
    regime_start: float = 0.55
    regime_belief: float = 5.0
    regime_from: float = 0.50
    regime_width: float = 0.15
    regime_most: float = 0.9
    grown_days: float = 1.0  # the regime looks at memories older than this
    han: float = 3.0  # characters that one Han character counts for
    bonus: float = 0.2
    prior: Mapping[str, float] = field(default_factory=lambda: _PRIOR)


SPEC = Tide(lose=0.0, regime_start=0.52, regime_belief=10.0, regime_from=0.45, regime_width=0.20, regime_most=0.8)

# ---- T3: content prior

_TIME_EN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this|past)\s+(?:night|week|weekend|month|year|summer|winter|"
    r"spring|fall|autumn|time|mon|tue|wed|thu|fri|sat|sun)\w*|\w+\s+(?:days?|weeks?|months?|years?|hours?|minutes?)\b|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon|evening|\d{1,2}:\d{2}|\d{1,2}\s?[ap]m|"
    r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|"
    + "|".join(month for month in MONTHS if len(month) > 3 and month != "may")
    + r")\b",
    re.IGNORECASE,
)
_NUMBER = "[0-9一二两三四五六七八九十几半]"
_TIME_ZH = re.compile(
    f"今[天晚早年]|明[天晚早年]|昨[天晚]|前天|后天|去年|前年|[上下这]个?(?:周|星期|礼拜|月|学期)|周[一二三四五六日末天]|"
    f"星期|礼拜|{_NUMBER}+(?:年|月|号|日|点|天|个?小时|分钟|周|个?月|岁)|早上|上午|中午|下午|傍晚|晚上|凌晨|春节|国庆|"
    "中秋|清明|端午|元旦|月底|月初|年底|年初"
)
_FIRST = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself|we|we['’]\w+|us|our|ours)\b|我|咱|俺", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|you['’]\w+|your|yours)\b|你|您", re.IGNORECASE)
_ASKS = re.compile(r"[?？][\s\"'”’」)）]*$")


def raw_features(text: str, han: float) -> dict[str, float]:
    """What can be read off one text alone."""
    size = len(text) + (han - 1) * len(HAN_CHARACTER.findall(text))
    when = _TIME_ZH if is_chinese(text) else _TIME_EN
    return {
        "length": float(np.log1p(size)),
        "time": float(bool(when.search(text))),
        "first": float(bool(_FIRST.search(text))),
        "asks": float(bool(_ASKS.search(text))),
        "second": float(bool(_SECOND.search(text))),
    }


def features(line: TimeLine, han: float) -> dict[str, Column]:
    """A column for each feature; idf counts the words of what came before."""
    rows = [raw_features(text, han) for text in line.texts]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    columns["answers"] = np.append(0.0, columns["asks"][:-1])
    columns["idf"] = mean_idf(line)
    return columns


def mean_idf(line: TimeLine) -> Column:
    """By the words of the memory itself and of those before it."""
    holding: dict[int, int] = {}
    found = np.zeros(len(line))
    for item, words in enumerate(line.words):
        for word in words:
            holding[word] = holding.get(word, 0) + 1
        if words:
            rare = [np.log((item + 1.5) / (holding[word] + 0.5)) for word in words]
            found[item] = np.mean(rare)
        elif item:
            found[item] = found[:item].mean()
    return found


def running_z(column: Column) -> Column:
    """Each value by mean and deviation of the values so far, itself included; 0 where there is no deviation."""
    count = np.arange(1, len(column) + 1)
    mean = np.cumsum(column) / count
    spread = np.sqrt(np.maximum(np.cumsum(column**2) / count - mean**2, 0.0))
    out = column - mean
    return np.divide(out, spread, out=np.zeros_like(out), where=spread > 1e-9)


def running_percentile(column: Column) -> Column:
    """The share of earlier values that are lower; a half for the first."""
    found = [0.5, *(float((column[:i] < column[i]).mean()) for i in range(1, len(column)))]
    return np.array(found)


def prior(line: TimeLine, tide: Tide) -> Column:
    columns = _features(line, tide.han)
    x = sum((weight * running_z(columns[name]) for name, weight in tide.prior.items()), np.zeros(len(line)))
    return running_percentile(x)


@lru_cache(maxsize=64)
def _features(line: TimeLine, han: float) -> dict[str, Column]:
    return features(line, han)


# ---- T4: superseded

_SENTENCE = re.compile(r"(?:^|[.!?:;。！？：；\n\"“”(\[*•–—】-])\s*$")
_TITLE = re.compile("《([^《》]+)》")
_DOTTED = re.compile(f"[{HAN}]+(?:[·•・][{HAN}]+)+")
_NO_NAMES = {
    "i",
    "i'm",
    "i've",
    "i'll",
    "i'd",
    "ok",
    "oh",
    "wow",
    "user",
    "assistant",
    "mr",
    "mrs",
    "ms",
    "dr",
    *MONTHS,
}
_NO_NAMES |= {f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")}


@lru_cache(maxsize=1 << 16)
def names(text: str) -> frozenset[str]:
    """Whom and what a text names: capitals inside a sentence; in Chinese text Latin words, titles, dotted names."""
    if is_chinese(text):
        found = [*LATIN_WORD.findall(text), *_TITLE.findall(text), *_DOTTED.findall(text)]
    else:
        found = [
            match[0]
            for match in LATIN_WORD.finditer(text)
            if match[0] != match[0].lower() and not _SENTENCE.search(text[max(0, match.start() - 4) : match.start()])
        ]
    return frozenset(re.sub("['’]s$", "", name.casefold()) for name in found) - _NO_NAMES


def agree(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


@lru_cache(maxsize=64)
def superseding(line: TimeLine, alike_from: float) -> Column:
    """Row i, column j: by how much item j, where it is newer, supersedes item i."""
    cosines = line.vectors @ line.vectors.T
    share = np.triu(np.maximum(0.0, (cosines - alike_from) / (1 - alike_from)), k=1)
    named = [names(text) for text in line.texts]
    for i, j in zip(*np.nonzero(share), strict=True):
        if not agree(named[i], named[j]):
            share[i, j] = 0.0
    return share


# ---- T1, T2, T5


class TidePolicy(Ranked):
    def __init__(self, line: TimeLine, budget: int, tide: Tide | None = None) -> None:
        super().__init__(line, budget)
        self.tide = tide or Tide()
        self._prior = prior(line, self.tide)
        self._share = superseding(line, self.tide.alike_from)
        self._sup = np.zeros(self.size)  # S of each
        self._by = np.full(self.size, -1)  # and by whom
        self._u_long, self._u_short, self._u_at = np.zeros(self.size), np.zeros(self.size), np.zeros(self.size)
        self._newness, self._seen = 0.0, 0

    @property
    def w(self) -> float:
        t = self.tide
        rho = (t.regime_belief * t.regime_start + self._newness) / (t.regime_belief + self._seen)
        return float(np.clip((rho - t.regime_from) / t.regime_width, 0.0, t.regime_most))

    def put(self, item: int, at: float) -> None:
        super().put(item, at)
        self._u_at[item] = at
        older = self._share[:, item] * self.alive
        self._inherit(item, older, at)
        closer = older > self._sup
        self._sup[closer], self._by[closer] = older[closer], item

    def use(self, items: Sequence[int], at: float) -> None:
        some = np.asarray(items, np.int64)
        self._sense(some, at)
        super().use(items, at)
        apart = (at - self._u_at[some]) / DAY
        self._u_long[some] = self._u_long[some] * 2.0 ** (-apart / self.tide.long_days) + 1
        self._u_short[some] = self._u_short[some] * 2.0 ** (-apart / self.tide.short_days) + 1
        self._u_at[some] = at

    def drop(self, item: int, at: float) -> None:
        super().drop(item, at)
        for orphan in np.flatnonzero((self._by == item) & self.alive).tolist():
            newer = self._share[orphan] * self.alive
            best = int(np.argmax(newer))
            self._sup[orphan], self._by[orphan] = newer[best], best if newer[best] > 0 else -1

    def worth(self, now: float) -> Column:
        t, w = self.tide, self.w
        apart = np.maximum(now - self._u_at, 0.0) / DAY
        recent = 1 / (1 + np.maximum(now - self.used_at, 0.0) / (t.recent_days * DAY))
        long = t.long_use * np.log2(1 + self._u_long * 2.0 ** (-apart / t.long_days))
        short = t.short_use * np.log2(1 + self._u_short * 2.0 ** (-apart / t.short_days))
        lasting = long + t.long_prior * self._prior + t.long_recent * recent
        passing = short + t.short_prior * self._prior + t.short_recent * recent
        worth: Column = (1 - w) * lasting + w * passing - t.superseded * self._sup
        return worth

    def _inherit(self, item: int, older: Column, at: float) -> None:
        """The newer memory takes over the superseded share of the older ones' uses."""
        some = np.flatnonzero((older > 0) & (self._u_long > 0))
        if not len(some):
            return
        apart = (at - self._u_at[some]) / DAY
        for u, days in ((self._u_long, self.tide.long_days), (self._u_short, self.tide.short_days)):
            now = u[some] * 2.0 ** (-apart / days)
            u[item] += self.tide.inherit * float((older[some] * now).max())
            u[some] = now * (1 - self.tide.lose * older[some])
        self._u_at[some] = at

    def _sense(self, used: Column, at: float) -> None:
        """How new what is used is, among what is older than a day."""
        before = at - self.tide.grown_days * DAY
        grown = np.flatnonzero(self.alive & (self.born < before))
        for item in used[self.born[used] < before].tolist():
            self._newness += float((grown <= item).mean())
            self._seen += 1


class SpecTide(TidePolicy):
    """With the parameters of the specification."""

    def __init__(self, line: TimeLine, budget: int) -> None:
        super().__init__(line, budget, SPEC)
