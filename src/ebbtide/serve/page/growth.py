"""How a mind grew, as far as the last entries of its journal tell: by weeks, or by less if they are few."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ebbtide.core.changes import Entry, Forget, Merge, PutMemory, Recover, Restore
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from ebbtide.mind.mind import Stats
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.curve import TIP
from ebbtide.serve.page.frame import Page

AT_A_GLANCE, CLOSELY = 2000, 20_000  # journal entries that are read
STEPS = 26
_FEWEST = 4  # steps that still are a picture
_SPANS = {"weeks": 7 * DAY, "days": DAY, "hours": HOUR, "minutes": 60.0}
_PAGE = 1000
_WORDS, _LINE = {"color": "var(--soft)"}, {"color": "var(--line)"}

texts.add(
    {
        "growth.weeks": ("Growth, last {n} weeks", "近 {n} 周的增长"),
        "growth.days": ("Growth, last {n} days", "近 {n} 天的增长"),
        "growth.hours": ("Growth, last {n} hours (UTC)", "近 {n} 小时的增长（UTC）"),
        "growth.minutes": ("Growth, last {n} minutes (UTC)", "近 {n} 分钟的增长（UTC）"),
        "growth.new_in": ("new", "新增"),
    }
)


@dataclass(frozen=True, slots=True)
class Growth:
    """Step by step: how many memories were new, and how many there were at its end. No steps: it cannot be told."""

    unit: str
    steps: tuple[str, ...]
    new: tuple[int, ...]
    total: tuple[int, ...]

    def title(self, page: Page) -> str:
        return page.t(f"growth.{self.unit}", n=len(self.steps))


async def growth(mind: Mind, stats: Stats, entries: int = AT_A_GLANCE) -> Growth:
    """Counted backwards from what there is now. What lies before the entries that were read is left out."""
    store = stats.store
    after = max(store.journal_from, store.journal_from + store.journal_entries - entries)
    known_from_birth = after == 0
    read: list[Entry] = []
    while some := await mind.journal(after=after, limit=_PAGE):
        read += some
        after = some[-1].seq
    if known_from_birth:
        return _counted(read, stats, "weeks", STEPS)
    return _counted(read, stats, *_covered(stats.at - read[0].change.at if read else 0.0))


def _covered(seconds: float) -> tuple[str, int]:
    """The longest steps of which there are some, and how many of them lie wholly within this time."""
    for unit, length in _SPANS.items():
        if seconds >= _FEWEST * length:
            return unit, min(int(seconds // length), STEPS)
    return "minutes", 0


def _counted(read: Sequence[Entry], stats: Stats, unit: str, steps: int) -> Growth:
    length, now = _SPANS[unit], stats.at
    new, fewer = [0] * steps, [0] * steps
    for entry in read:
        step = steps - 1 - int(max(0.0, now - entry.change.at) // length)
        if step >= 0:
            new[step] += isinstance(entry.change, PutMemory)
            fewer[step] += isinstance(entry.change, Forget | Merge) - isinstance(entry.change, Restore | Recover)
    total = [stats.store.memories] * steps
    for step in range(steps - 2, -1, -1):
        total[step] = total[step + 1] - new[step + 1] + fewer[step + 1]
    moments = [parts.moment(now - (steps - 1 - step) * length) for step in range(steps)]
    told = slice(5, 10) if length >= DAY else slice(11, 16)
    return Growth(unit, tuple(moment[told] for moment in moments), tuple(new), tuple(total))


def options(page: Page, grown: Growth) -> dict[str, Any]:
    """All there were as a line, those that were new as bars."""
    line = {"name": page.t("growth.total"), "type": "line", "data": grown.total, "smooth": 0.3, "showSymbol": False}
    bars = {"name": page.t("growth.new_in"), "type": "bar", "data": grown.new, "barWidth": "55%"}
    still = {"emphasis": {"disabled": True}}  # it cannot make a colour of the page's own lighter
    return {
        "grid": {"left": 38, "right": 8, "top": 30, "bottom": 26},
        "legend": {"top": 0, "right": 0, "textStyle": _WORDS, "itemWidth": 16},
        "tooltip": {"trigger": "axis"} | TIP,
        "xAxis": {
            "type": "category", "data": grown.steps, "axisTick": {"show": False}, "axisLabel": _WORDS,
            "axisLine": {"lineStyle": _LINE},
        },
        "yAxis": {"type": "value", "minInterval": 1, "axisLabel": _WORDS, "splitLine": {"lineStyle": _LINE}},
        "series": [
            line | still | {"color": "var(--tide)", "lineStyle": {"width": 3}, "areaStyle": {"opacity": 0.12}},
            bars | still | {"color": "var(--deprecated)", "itemStyle": {"borderRadius": [3, 3, 0, 0]}},
        ],
    }  # fmt: skip
