"""The forgetting curve as a chart: what the formula gave so far, and what it will if nothing happens.

Colours are the page's own, so that it is dark when the page is. Moments are UTC, as everywhere on the page.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ebbtide.core.memory import DAY, Memory
from ebbtide.core.metabolism import traits_of
from ebbtide.mind.explain import Explanation
from ebbtide.serve.page.frame import Page

_LINE, _WORDS, _FAINT, _GROUND = "var(--tide)", "var(--soft)", "var(--line)", "var(--card)"
COLOURS = {
    "active": "var(--active)", "cold": "var(--cold)", "deprecated": "var(--deprecated)", "expired": "var(--expired)",
    "fading": "var(--fading)", "vanishing": "var(--vanishing)", "delete_candidate": "var(--bad)",
    "pruned": "var(--deprecated)", "deleted": "var(--bad)",
}  # fmt: skip
TIP = {
    "confine": True, "backgroundColor": _GROUND, "borderColor": _FAINT, "textStyle": {"color": "var(--ink)"},
}  # fmt: skip

_DATES = {"year": "{yyyy}-{MM}", "month": "{yyyy}-{MM}", "day": "{MM}-{dd}", "hour": "{HH}:{mm}"}

_HALO = {"textBorderColor": _GROUND, "textBorderWidth": 3}

Point = tuple[float, float]  # a moment and a vitality; not a number: it was not there


def horizon(explained: Explanation) -> float:
    """Days to look ahead: a little beyond the last thing that will happen, a week at least and a year at most.

    What has expired is nearly nothing: what becomes of it later would leave the curve no room.
    """
    moments = {coming.event: coming.at for coming in explained.forecast if coming.at is not None}
    if traits_of(explained.metabolism).reaps:
        strength = float(explained.inputs["strength"])
        left = (moments["expired"] - explained.at) / DAY if "expired" in moments else 4.0 * strength
        return min(max(left * 1.25, strength), 365.0)
    last = max(moments.values(), default=explained.at)
    return min(max((last - explained.at) / DAY * 1.2, 7.0), 365.0)


def last_event(memory: Memory) -> float:
    """When it was last made, used or linked itself."""
    meta = memory.meta
    moments = (memory.created_at, meta.last_accessed_at, meta.last_linked_at, meta.last_touched_at)
    return max(moment for moment in moments if moment is not None)


def options(page: Page, past: Sequence[Point], ahead: Explanation, params: Mapping[str, Any]) -> dict[str, Any]:
    by_scans = traits_of(ahead.metabolism).by_scans
    borders = _borders(page, ahead.metabolism, params)
    return {
        "animationDuration": 500,
        "useUTC": True,
        "grid": {"left": 46, "right": 22, "top": 54, "bottom": 30},
        "legend": {"top": 0, "right": 0, "textStyle": {"color": _WORDS}, "itemStyle": {"opacity": 0}},
        "tooltip": {"trigger": "axis", "axisPointer": {"lineStyle": {"color": _WORDS}}} | TIP,
        "xAxis": _x_axis(by_scans, page),
        "yAxis": _y_axis(past, ahead, borders),
        "series": [
            *([] if by_scans else [_series(page.t("memory.so_far"), past, solid=True)]),
            _series(page.t("memory.forecast"), ahead.curve, solid=False)
            | {"markLine": _marks(page, ahead, borders), "markPoint": _pins(page, ahead)},
        ],
    }


def _x_axis(by_scans: bool, page: Page) -> dict[str, Any]:
    label = {"color": _WORDS, "hideOverlap": True}
    shared: dict[str, Any] = {
        "axisLine": {"onZero": False, "lineStyle": {"color": _FAINT}},
        "splitLine": {"show": False}, "axisTick": {"show": False},
    }  # fmt: skip
    if by_scans:
        named = {"name": page.t("scans", n=""), "nameTextStyle": {"color": _WORDS, "align": "right"}}
        return {"type": "value", **named, **shared, "axisLabel": label}
    # Under the numbers, in the line of the dates
    style = {"color": _WORDS, "align": "right", "verticalAlign": "top", "padding": [8, 0, 0, 0]}
    shared |= {"name": "UTC", "nameLocation": "start", "nameGap": 8, "nameTextStyle": style}
    return {"type": "time", **shared, "axisLabel": label | {"formatter": _DATES}}


def _y_axis(past: Sequence[Point], ahead: Explanation, borders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Round numbers, with curve and borders in sight. A score has its own ends."""
    values = [value for _, value in (*past, *ahead.curve) if not math.isnan(value)]
    values += [border["yAxis"] for border in borders]
    low, high = min(0.0, *values), max(values)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-6))) / 2.0
    ends = traits_of(ahead.metabolism).limits or (_down(low, step), -_down(-high * 1.04, step))
    return {
        "type": "value", "min": ends[0], "max": ends[1], "axisLabel": {"color": _WORDS},
        "splitLine": {"lineStyle": {"color": _FAINT}},
    }  # fmt: skip


def _down(value: float, step: float) -> float:
    return round(math.floor(value / step) * step, 6)


def _series(name: str, points: Sequence[Point], *, solid: bool) -> dict[str, Any]:
    return {
        "name": name, "type": "line", "showSymbol": False, "color": _LINE,
        "data": [[_moment(x), None if math.isnan(value) else round(value, 4)] for x, value in points],
        "lineStyle": {"width": 3, "type": "solid" if solid else "dashed"},
        "areaStyle": {"opacity": 0.16 if solid else 0.07},
        "emphasis": {"disabled": True},  # it would make the colour lighter, and cannot read one of the page's own
    }  # fmt: skip


def _borders(page: Page, metabolism: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    borders = traits_of(metabolism).borders
    return [_border(page, float(params[at] if isinstance(at, str) else at), below) for at, below in borders]


def _border(page: Page, value: float, below: str) -> dict[str, Any]:
    words = page.t(f"mark.{below}" if below == "delete_candidate" else f"state.{below}")
    return {
        "yAxis": value,
        "lineStyle": {"color": COLOURS[below], "type": "dotted", "width": 1.5},
        "label": {"formatter": f"{words} ↓", "position": "insideStartTop", "color": COLOURS[below]} | _HALO,
    }


def _marks(page: Page, ahead: Explanation, borders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    today = {
        "xAxis": 0 if traits_of(ahead.metabolism).by_scans else _moment(ahead.at),
        "lineStyle": {"color": _WORDS, "type": "solid", "width": 1},
        "label": {"formatter": page.t("memory.today"), "color": _WORDS, "position": "end", "rotate": 0},
    }
    return {"symbol": "none", "silent": True, "animation": False, "data": [*borders, today]}


def _pins(page: Page, ahead: Explanation) -> dict[str, Any]:
    """A dot on the curve for everything that is to come within sight. What each is stands beside, in its colour."""
    found: list[dict[str, Any]] = []
    for coming in ahead.forecast:
        x = coming.scans if coming.at is None else coming.at
        if x is None or not ahead.curve[0][0] < x <= ahead.curve[-1][0]:
            continue
        place = [_moment(x), round(_height(ahead.curve, x), 4)]
        name = page.t(f"event.{coming.event}")
        found.append({"name": name, "coord": place, "itemStyle": {"color": COLOURS.get(coming.event, _WORDS)}})
    return {"symbol": "circle", "symbolSize": 11, "label": {"show": False}, "data": found}


def _height(curve: Sequence[Point], x: float) -> float:
    """The curve at x, between the two points it lies between."""
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return curve[-1][1]


def _moment(x: float) -> float:
    """A moment in milliseconds, as charts count; a number of scans as it is."""
    return round(x * 1000) if x > 1e7 else x
