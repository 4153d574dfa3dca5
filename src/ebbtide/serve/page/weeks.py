"""Memories by state, week by week: stacked bars for the weeks back and ahead, and the same numbers as a table.

The bars are an SVG that is stretched to the width of its card; words stand beside it, so that they keep their size.
"""

import math
from datetime import UTC, datetime

from nicegui import ui

from ebbtide.core.memory import State
from ebbtide.core.metabolism import METABOLISMS, traits_of
from ebbtide.mind.mind import Stats
from ebbtide.mind.timeline import Timeline, TimelinePoint
from ebbtide.serve.page import parts, texts
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, link, text

AT_ONCE = 5000  # journal entries that are read before the page is shown; beyond, the bars come when it is there
_HEIGHT = 100.0
_GAP = 0.16  # of the width of a bar
_LABELS = 4  # at most so many dates on each side

texts.add(
    {
        "weeks.label": (
            "Memories by state, week by week, from {first} to {last}; now {now}",
            "{first} 至 {last} 每周各状态的记忆数；现在 {now}",
        ),
        "weeks.reading": ("Reading the journal…", "正在读取日志……"),
        "weeks.numbers": ("The numbers", "数值"),
        "weeks.week": ("Week to (UTC)", "截至（UTC）"),
        "weeks.estimated": (
            "Weeks back are estimated: the journal is long, so only memories that are still here are counted.",
            "日志较长，过去各周为估计值，只统计仍然存在的记忆。",
        ),
        "weeks.compacted": ("Earlier weeks are missing: the journal was compacted.", "更早的各周缺失：日志已压缩。"),
        "weeks.scans": (
            "No weeks ahead: this mind fades by scans, not by time.",
            "这个心智按扫描衰减，不按时间，没有未来各周。",
        ),
        "weeks.young": ("Its first week is not over yet.", "它的第一周还没有过完。"),
    }
)


async def build(page: Page, stats: Stats) -> None:
    """Drawn at once, or when a long journal has been read."""
    place = box("weeks")
    if stats.store.journal_entries <= AT_ONCE:
        await _fill(page, place)
        return
    with place, box("weeks-plot"):
        text(page.t("weeks.reading"), "soft small").props("role=status")
    ui.timer(0.05, lambda: _fill(page, place), once=True)


async def _fill(page: Page, place: ui.element) -> None:
    with page.attempt():
        async with page.mind() as mind:
            found = await mind.timeline()
        if not place.is_deleted:
            place.clear()
            with place:
                _show(page, found)


def _show(page: Page, found: Timeline) -> None:
    past = sum(point.at < found.at for point in found.points)
    top = rounded(max(point.memories for point in found.points))
    with box("weeks-sides").props("aria-hidden=true"):
        text(page.t("memory.so_far"), "soft small").style(f"flex: {past + 0.5} 0 0")
        if past + 1 < len(found.points):
            text(page.t("memory.forecast"), "soft small right").style(f"flex: {len(found.points) - past - 0.5} 0 0")
    with box("weeks-frame"):
        with box("weeks-axis").props("aria-hidden=true"):
            for value in (top, top / 2, 0):
                text(parts.number(value), "number")
        with box("weeks-plot"):
            _bars(page, found, top)
    _dates(page, found, past)
    _notes(page, found, past)
    _numbers(page, found)


# ---- bars


def _bars(page: Page, found: Timeline, top: float) -> None:
    first, last = (_day(found.points[end].at) for end in (0, -1))
    now = next(point for point in found.points if point.at == found.at)
    svg = box("", "svg").props(f'viewBox="0 0 {len(found.points)} {_HEIGHT:g}" preserveAspectRatio=none role=img')
    svg.props["aria-label"] = page.t("weeks.label", first=first, last=last, now=_counted(page, now))
    with svg:
        for place, point in enumerate(found.points):
            kind = "now" if point is now else "past" if point.at < found.at else "ahead"
            with box(f"week {kind}", "g"):
                text(f"{_when(page, found, point)}: {_counted(page, point)}", tag="title")
                _bar(found.metabolism, point, place, top)


def _bar(metabolism: str, point: TimelinePoint, place: int, top: float) -> None:
    """The states upon each other, the best at the bottom."""
    below = _HEIGHT
    for state in METABOLISMS[metabolism].states:
        height = _HEIGHT * point.states.get(state, 0) / top
        below -= height
        if height:
            x, y = place + _GAP / 2, round(below, 3)
            box(f"s-{state}", "rect").props(f"x={x:g} y={y:g} width={1 - _GAP:g} height={height:.3f}")


def rounded(most: float) -> float:
    """The next of 1, 2, 4, 6 and 8 times a power of ten, from 2 on: its half is a whole number too."""
    most = max(most, 2.0)
    size = 10.0 ** math.floor(math.log10(most))
    return next(step * size for step in (1, 2, 4, 6, 8, 10) if step * size >= most)


# ---- words around them


def _dates(page: Page, found: Timeline, past: int) -> None:
    """Under their bars; as many as there is room for, and always now."""
    every = max(1, math.ceil(max(past, len(found.points) - past) / _LABELS))
    with box("weeks-dates number").props("aria-hidden=true"):
        for place, point in enumerate(found.points):
            shown = (place - past) % every == 0
            text(_when(page, found, point)[-5:] if shown else "", "strong" if place == past else "")


def _notes(page: Page, found: Timeline, past: int) -> None:
    young = not past and not found.compacted and not traits_of(found.metabolism).by_scans
    reasons = {
        "weeks.estimated": found.estimated,
        "weeks.compacted": found.compacted,
        "weeks.scans": traits_of(found.metabolism).by_scans,
        "weeks.young": young,
    }
    for name, holds in reasons.items():
        if holds:
            text(page.t(name), "soft small", "p")


def _numbers(page: Page, found: Timeline) -> None:
    """For those who cannot see the bars, or want to know. A week leads to the mind as it was, or will be, then."""
    states = [state for state in METABOLISMS[found.metabolism].states if any(state in p.states for p in found.points)]
    with box(tag="details"):
        text(page.t("weeks.numbers"), tag="summary")
        with box("scroll"), box("table small", "table"):
            _head(page, states)
            with box(tag="tbody"):
                for point in found.points:
                    _row(page, found, point, states)


def _head(page: Page, states: list[State]) -> None:
    with box(tag="thead"), box(tag="tr"):
        text(page.t("weeks.week"), tag="th")
        for state in states:
            text(page.t(f"state.{state}"), "right", "th")
        text(page.t("growth.total"), "right", "th")


def _row(page: Page, found: Timeline, point: TimelinePoint, states: list[State]) -> None:
    with box(tag="tr"):
        with box(tag="td"):
            if point.at == found.at:
                text(page.t("memory.today"), "strong")
            else:
                link(page.url("journal", at=f"{_day(point.at)}T00:00"), words=_day(point.at))
        for count in (*(point.states.get(state, 0) for state in states), point.memories):
            text(f"{count:,}", "right number", "td")


def _when(page: Page, found: Timeline, point: TimelinePoint) -> str:
    return page.t("memory.today") if point.at == found.at else _day(point.at)


def _counted(page: Page, point: TimelinePoint) -> str:
    return ", ".join(f"{page.t(f'state.{state}')} {count:,}" for state, count in point.states.items()) or "0"


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
