"""The forgetting curve as a chart: what the formula gave since the last event, and what it will if nothing happens.

Colours are chosen to be read on a light and on a dark ground alike.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ebbtide.core.memory import DAY
from ebbtide.mind.explain import Explanation
from ebbtide.serve.page.frame import Page

_LINE, _AHEAD, _GREY, _FAINT = "#1596a8", "#57b8c4", "#8395a0", "#8395a033"
COLOURS = {
    "active": "#17a277", "cold": "#3f8bd0", "deprecated": "#c58a2c", "expired": "#87939b", "fading": "#9b6fd0",
    "vanishing": "#cf5a86", "delete_candidate": "#cf4a62", "pruned": "#c58a2c", "deleted": "#cf4a62",
}  # fmt: skip
# The numbers at which a state ends, by metabolism: parameter, and the state that begins below it.
_BORDERS = {
    "activity": (("theta_active", "cold"), ("theta_delete", "delete_candidate")),
    "score": (("active_from", "cold"), ("cold_from", "deprecated")),
    "retention": (("delete_below", "expired"),),
}

_DATES = {"year": "{yyyy}-{MM}", "month": "{yyyy}-{MM}", "day": "{MM}-{dd}", "hour": "{HH}:{mm}"}

Point = tuple[float, float]


def horizon(explained: Explanation) -> float:
    """Days to look ahead: a little beyond the last thing that will happen, a week at least and a year at most."""
    moments = [coming.at for coming in explained.forecast if coming.at is not None]
    last = max(moments, default=explained.at)
    return min(max((last - explained.at) / DAY * 1.2, 7.0), 365.0)


def last_event(explained: Explanation) -> float:
    """Since when nothing has happened to it: from there on the formula alone tells its past."""
    meta = explained.memory.meta
    moments = (explained.memory.created_at, meta.last_accessed_at, meta.last_linked_at, meta.last_touched_at)
    return max(moment for moment in moments if moment is not None)


def options(page: Page, past: Sequence[Point], ahead: Explanation, params: Mapping[str, Any]) -> dict[str, Any]:
    by_scans = ahead.metabolism == "network"
    borders = _borders(page, ahead.metabolism, params)
    return {
        "animationDuration": 500,
        "grid": {"left": 46, "right": 22, "top": 54, "bottom": 30},
        "legend": {"top": 0, "right": 0, "textStyle": {"color": _GREY}, "icon": "roundRect", "itemHeight": 4},
        "tooltip": {"trigger": "axis", "confine": True, "axisPointer": {"lineStyle": {"color": _GREY}}},
        "xAxis": _x_axis(by_scans, page),
        "yAxis": _y_axis(past, ahead, borders),
        "series": [
            *([] if by_scans else [_series(page.t("memory.so_far"), past, solid=True)]),
            _series(page.t("memory.forecast"), ahead.curve, solid=False)
            | {"markLine": _marks(page, ahead, borders), "markPoint": _pins(page, ahead)},
        ],
    }


def _x_axis(by_scans: bool, page: Page) -> dict[str, Any]:
    shared: dict[str, Any] = {
        "axisLabel": {"color": _GREY, "hideOverlap": True}, "axisLine": {"lineStyle": {"color": _FAINT}},
        "splitLine": {"show": False}, "axisTick": {"show": False},
    }  # fmt: skip
    if by_scans:
        name = {
            "name": page.t("scans", n=""),
            "nameLocation": "end",
            "nameTextStyle": {"color": _GREY, "align": "right"},
        }
        return {"type": "value", **name, **shared}
    return {"type": "time", **shared, "axisLabel": {**shared["axisLabel"], "formatter": _DATES}}


def _y_axis(past: Sequence[Point], ahead: Explanation, borders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Round numbers, with curve and borders in sight. A score has its own ends."""
    values = [value for _, value in (*past, *ahead.curve)] + [border["yAxis"] for border in borders]
    low, high = min(0.0, *values), max(values)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-6))) / 2.0
    ends = (0.0, 100.0) if ahead.metabolism == "score" else (_down(low, step), -_down(-high * 1.04, step))
    return {
        "type": "value", "min": ends[0], "max": ends[1], "axisLabel": {"color": _GREY},
        "splitLine": {"lineStyle": {"color": _FAINT}},
    }  # fmt: skip


def _down(value: float, step: float) -> float:
    return round(math.floor(value / step) * step, 6)


def _series(name: str, points: Sequence[Point], *, solid: bool) -> dict[str, Any]:
    return {
        "name": name, "type": "line", "showSymbol": False, "color": _LINE if solid else _AHEAD,
        "data": [[_moment(x), round(value, 4)] for x, value in points],
        "lineStyle": {"width": 3, "type": "solid" if solid else "dashed"},
        "areaStyle": {"opacity": 0.16 if solid else 0.07},
    }  # fmt: skip


def _borders(page: Page, metabolism: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    if metabolism == "network":
        return [_border(page, 1.0, "fading")]
    return [_border(page, float(params[name]), below) for name, below in _BORDERS[metabolism]]


def _border(page: Page, value: float, below: str) -> dict[str, Any]:
    words = page.t(f"mark.{below}" if below == "delete_candidate" else f"state.{below}")
    return {
        "yAxis": value,
        "lineStyle": {"color": COLOURS[below], "type": "dotted", "width": 1.5},
        "label": {"formatter": f"{words} ↓", "position": "insideStartTop", "color": COLOURS[below]},
    }


def _marks(page: Page, ahead: Explanation, borders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    today = {
        "xAxis": 0 if ahead.metabolism == "network" else _moment(ahead.at),
        "lineStyle": {"color": _GREY, "type": "solid", "width": 1},
        "label": {"formatter": page.t("memory.today"), "color": _GREY, "position": "end", "rotate": 0},
    }
    return {"symbol": "none", "silent": True, "animation": False, "data": [*borders, today]}


def _pins(page: Page, ahead: Explanation) -> dict[str, Any]:
    """A dot on the curve for everything that is to come within sight."""
    end = ahead.curve[-1][0]
    found: list[dict[str, Any]] = []
    for coming in ahead.forecast:
        x = coming.scans if coming.at is None else coming.at
        if x is None or not ahead.curve[0][0] < x <= end:
            continue
        colour = COLOURS.get(coming.event, _GREY)
        label = {
            "show": True,
            "formatter": page.t(f"event.{coming.event}"),
            "color": colour,
            "position": "top",
            "distance": 6 + 17 * len(found),
            "align": "center",
        }
        found.append(
            {"coord": [_moment(x), round(_height(ahead.curve, x), 4)], "itemStyle": {"color": colour}, "label": label}
        )
    return {"symbol": "circle", "symbolSize": 11, "data": found}


def _height(curve: Sequence[Point], x: float) -> float:
    """The curve at x, between the two points it lies between."""
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return curve[-1][1]


def _moment(x: float) -> float:
    """A moment in milliseconds, as charts count; a number of scans as it is."""
    return round(x * 1000) if x > 1e7 else x
