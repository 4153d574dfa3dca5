"""The forgetting curve as a chart: what the formula gave since the last event, and what it will if nothing happens.

Colours are chosen to be read on a light and on a dark ground alike.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ebbtide.core.memory import DAY
from ebbtide.mind.explain import Explanation
from ebbtide.serve.page.frame import Page

_LINE, _GREY, _FAINT = "#1596a8", "#8395a0", "#8395a033"
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
        "grid": {"left": 46, "right": 18, "top": 40, "bottom": 30},
        "legend": {"top": 0, "right": 0, "textStyle": {"color": _GREY}, "itemWidth": 22},
        "tooltip": {"trigger": "axis", "confine": True, "axisPointer": {"lineStyle": {"color": _GREY}}},
        "xAxis": _x_axis(by_scans, page),
        "yAxis": _y_axis(past, ahead, borders),
        "series": [
            *([_series(page.t("memory.so_far"), past, solid=True)] if past else []),
            _series(page.t("memory.forecast"), ahead.curve, solid=False)
            | {"markLine": _marks(page, ahead, borders), "markPoint": _pins(page, ahead)},
        ],
    }


def _x_axis(by_scans: bool, page: Page) -> dict[str, Any]:
    shared = {
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
    return {"type": "time", **shared}


def _y_axis(past: Sequence[Point], ahead: Explanation, borders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """From where the curve ends to where it begins, with the borders between states in sight."""
    values = [value for _, value in (*past, *ahead.curve)] + [border["yAxis"] for border in borders]
    low, high = min(0.0, *values), max(values)
    room = (high - low) * 0.06 or 0.1
    return {
        "type": "value", "min": round(low - (room if low < 0 else 0.0), 3), "max": _round_up(high + room),
        "axisLabel": {"color": _GREY}, "splitLine": {"lineStyle": {"color": _FAINT}},
    }  # fmt: skip


def _round_up(value: float) -> float:
    return round(value, 2 if value < 2 else 0) if value < 100 else 105.0


def _series(name: str, points: Sequence[Point], *, solid: bool) -> dict[str, Any]:
    return {
        "name": name, "type": "line", "smooth": 0.2, "showSymbol": False, "color": _LINE,
        "data": [[_moment(x), round(value, 4)] for x, value in points],
        "lineStyle": {"width": 3, "type": "solid" if solid else "dashed"},
        "areaStyle": {"color": _LINE, "opacity": 0.16 if solid else 0.07},
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
        "label": {"formatter": f"{words} ↓", "position": "insideEndBottom", "color": COLOURS[below]},
    }


def _marks(page: Page, ahead: Explanation, borders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    today = {
        "xAxis": 0 if ahead.metabolism == "network" else _moment(ahead.at),
        "lineStyle": {"color": _GREY, "type": "solid", "width": 1},
        "label": {"formatter": page.t("memory.today"), "color": _GREY, "position": "insideEndTop"},
    }
    return {"symbol": "none", "silent": True, "animation": False, "data": [*borders, today]}


def _pins(page: Page, ahead: Explanation) -> dict[str, Any]:
    """A dot on the curve for everything that is to come within sight."""
    end = ahead.curve[-1][0]
    found = []
    for coming in ahead.forecast:
        x = coming.scans if coming.at is None else coming.at
        if x is None or not ahead.curve[0][0] < x <= end:
            continue
        colour = COLOURS.get(coming.event, _GREY)
        label = {"show": True, "formatter": page.t(f"event.{coming.event}"), "position": "top", "color": colour}
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
