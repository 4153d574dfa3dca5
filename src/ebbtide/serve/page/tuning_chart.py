"""What each regime keeps, as curves: by room, and over time. Colours are the page's own."""

from collections.abc import Sequence
from typing import Any

from ebbtide.core.candidates import EVERYTHING, LRU, RANDOM
from ebbtide.core.tuning import Outcome, Tuning
from ebbtide.serve.page import parts
from ebbtide.serve.page.curve import TIP

_WORDS, _LINE = {"color": "var(--soft)"}, {"color": "var(--line)"}
_COLOURS = ("tide", "cold", "deprecated", "fading", "bad", "active")
_DASHES = {LRU: "dashed", RANDOM: "dotted"}


def references(found: Tuning) -> list[Outcome]:
    """Those that have a budget to keep to."""
    return [one for one in found.outcomes if one.candidate.is_reference and one.candidate.rule != EVERYTHING]


def shown(found: Tuning) -> list[Outcome]:
    """The mind as it is, of each other metabolism the set that keeps most, and the references: a few lines."""
    best: dict[str, Outcome] = {}
    for one in found.outcomes[1:]:
        name = one.candidate.metabolism
        if not one.candidate.is_reference and (name not in best or _kept(found, one) > _kept(found, best[name])):
            best[name] = one
    return [found.outcomes[0], *best.values(), *references(found)]


def _kept(found: Tuning, one: Outcome) -> int:
    return one.results[found.main].kept


def by_room(found: Tuning, lines: Sequence[Outcome], names: Sequence[str]) -> dict[str, Any]:
    """From room for all, where everything is kept, down to the smallest budget."""
    order = sorted(range(len(found.budgets)), key=lambda place: -found.budgets[place].share)
    steps = ["100%", *(f"{found.budgets[place].share:.0%}" for place in order)]
    values = [[100.0, *(_percent(one.results[place].kept, found.uses) for place in order)] for one in lines]
    return _options(steps, lines, names, values)


def by_time(found: Tuning, lines: Sequence[Outcome], names: Sequence[str]) -> dict[str, Any]:
    steps = [parts.moment(step.starts_at)[:10] for step in found.steps]
    values = [
        [_percent(kept, step.uses) for kept, step in zip(one.results[found.main].steps, found.steps, strict=True)]
        for one in lines
    ]
    return _options(steps, lines, names, values)


def _percent(part: int, whole: int) -> float | None:
    return round(100.0 * part / whole, 1) if whole else None


def _options(
    steps: Sequence[str], lines: Sequence[Outcome], names: Sequence[str], values: Sequence[Sequence[float | None]]
) -> dict[str, Any]:
    return {
        "grid": {"left": 44, "right": 14, "top": 12, "bottom": 64},
        "legend": {"type": "scroll", "bottom": 0, "textStyle": _WORDS, "pageTextStyle": _WORDS,
                   "pageIconColor": "var(--soft)", "pageIconInactiveColor": "var(--line)"},
        "tooltip": {"trigger": "axis", "order": "valueDesc"} | TIP,
        "xAxis": {"type": "category", "data": list(steps), "boundaryGap": False, "axisTick": {"show": False},
                  "axisLabel": _WORDS | {"hideOverlap": True}, "axisLine": {"lineStyle": _LINE}},
        "yAxis": {"type": "value", "min": 0, "max": 100, "splitLine": {"lineStyle": _LINE},
                  "axisLabel": _WORDS | {"formatter": "{value} %"}},
        "series": [_series(*each) for each in zip(range(len(lines)), lines, names, values, strict=True)],
    }  # fmt: skip


def _series(place: int, one: Outcome, name: str, values: Sequence[float | None]) -> dict[str, Any]:
    style = {"width": 4 if place == 0 else 2, "type": _DASHES.get(one.candidate.rule, "solid")}
    colour = "soft" if one.candidate.is_reference else _COLOURS[place % len(_COLOURS)]
    return {
        "name": name, "type": "line", "data": list(values), "color": f"var(--{colour})", "lineStyle": style,
        "symbolSize": 7, "connectNulls": True, "emphasis": {"disabled": True},
    }  # fmt: skip
