"""Draws curves.svg: what the defaults do to one memory under each metabolism, with one use in the middle.

    python docs/images/draw.py

Every point is computed by `ebbtide.core` itself: changes are folded, a metabolism judges. No plotting library.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ebbtide.core.changes import Access, Change, Configure, PutLink, PutMemory, Scan, Touch
from ebbtide.core.memory import DAY, STATES, Content, State
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.replay import fold
from ebbtide.core.state import MindState

TEXT = "The ferry to Lamma leaves Central pier 4 at 8:40 on weekdays."
MEMORY, ONE_FRIEND, OTHER_FRIEND = 1, 2, 3
POINTS = 240
COLOURS = {
    State.ACTIVE: "#2f9e6e",
    State.COLD: "#4a86c5",
    State.DEPRECATED: "#c98a1b",
    State.FADING: "#c98a1b",
    State.EXPIRED: "#c9534f",
    State.VANISHING: "#c9534f",
}

Life = Callable[[float, bool], list[Change]]  # what happened up to x, with the use or without


class Point(NamedTuple):
    x: float
    y: float
    state: State


class Threshold(NamedTuple):
    y: float
    label: str
    side: str = "start"
    x: float | None = None  # where the label stands, if not at a side


@dataclass(frozen=True)
class Panel:
    metabolism: str
    title: str
    params: dict[str, float]
    life: Life
    clocked: bool  # the x axis is days; otherwise scans
    used_at: float
    use: str
    marks: tuple[float, ...]  # along the x axis
    top: float
    thresholds: tuple[Threshold, ...]
    bottom: float = 0.0  # of the y axis

    @property
    def until(self) -> float:
        return self.marks[-1]


def born(links: Sequence[tuple[int, float]]) -> list[Change]:
    puts: list[Change] = [
        PutMemory(0.0, number, Content(f"m{number}", TEXT), 0.0) for number in (MEMORY, ONE_FRIEND, OTHER_FRIEND)
    ]
    return [*puts, *(PutLink(0.0, MEMORY, target, "about", strength) for target, strength in links)]


def used_on(day: float, use: type[Access] | type[Touch]) -> Life:
    """As a new user has it: nothing is linked."""
    return lambda _, used: born([]) + ([use(day * DAY, (MEMORY,))] if used else [])


def used_among_others(x: float, used: bool) -> list[Change]:
    """Eight memories, of which six others were used meanwhile: a state of tide depends on the others."""
    others = range(MEMORY + 1, MEMORY + 8)
    puts: list[Change] = [PutMemory(0.0, number, Content(f"m{number}", TEXT), 0.0) for number in (MEMORY, *others)]
    uses: list[Change] = [Touch(day * DAY, (other,)) for day, other in zip(range(5, 31, 5), others, strict=False)]
    past = [change for change in uses if change.at <= x * DAY]
    return puts + past + ([Touch(45 * DAY, (MEMORY,))] if used else [])


def mentioned_once(x: float, used: bool) -> list[Change]:
    scans: list[Change] = [Scan(0.0, ((MEMORY, MEMORY),)) for _ in range(int(x))]
    if used:
        scans.insert(40, PutLink(0.0, MEMORY, ONE_FRIEND, "about", 0.9))
    return born([(ONE_FRIEND, 0.6), (OTHER_FRIEND, 0.6)]) + scans


# Days 0 to 90 by the defaults; of retention, where all is over within a week, the first nine.
PANELS = (
    Panel(
        "tide", "tide (default): uses, content, recency", {}, used_among_others, True, 45, "touched on day 45",
        (0, 30, 60, 90), 3.0, (),
    ),
    Panel(
        "activity", "activity: links, uses, recency, age", {}, used_on(45, Access), True, 45, "read on day 45",
        (0, 30, 60, 90), 3.0, (Threshold(-0.2, "search from −0.2", "middle", 32.5),), -1.0,
    ),
    Panel(
        "score", "score: a number from 0 to 100", {}, used_on(45, Access), True, 45, "read on day 45",
        (0, 30, 60, 90), 60, (Threshold(29.5, "in search from 30", "end"),),
    ),
    Panel(
        "retention", "retention: R = I · exp(−Δt / S)", {}, used_on(2, Touch), True, 2,
        "touched on day 2", (0, 3, 6, 9), 0.6, (Threshold(0.05, "expired below 0.05", "end"),),
    ),
    Panel(
        "network", "network: the strength of its links", {}, mentioned_once, False, 40, "link renewed at scan 40",
        (0, 25, 50, 75, 100), 1.5,
        (Threshold(1.0, "text protected from 1", "end"), Threshold(5 / len(TEXT), "vanishing under 5 characters")),
    ),
)  # fmt: skip


def curve(panel: Panel, used: bool) -> list[Point]:
    xs = np.linspace(0.0, panel.until, POINTS) if panel.clocked else np.arange(panel.until + 1.0)
    before = [float(x) for x in xs if x < panel.used_at]
    jump = [panel.used_at - 1e-6] if panel.clocked else []
    after = [panel.used_at, *(float(x) for x in xs if x > panel.used_at)]
    return [look(panel, x, used and x >= panel.used_at) for x in (*before, *jump, *after)]


def look(panel: Panel, x: float, used: bool) -> Point:
    """Fold what happened up to x, and ask the metabolism."""
    mind = MindState()
    for seq, change in enumerate([Configure(0.0, panel.metabolism, panel.params), *panel.life(x, used)], 1):
        fold(mind, change, seq)
    verdicts = mind.regime.metabolism.judge(mind.signals_of([MEMORY]), x * DAY if panel.clocked else 0.0)
    return Point(x, float(verdicts.vitality[0]), STATES[int(verdicts.state[0])])


# ---- drawing

WIDTH, HEIGHT = 880, 810
PLOT_W, PLOT_H = 380, 150
LEFTS, TOPS = (48, 480), (90, 340, 590)
STYLE = """
  .paper { fill: #ffffff }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif; fill: #3b4148 }
  .title { font-size: 14px; font-weight: 600; fill: #1f2328 }
  .small { font-size: 11px }
  .state { font-size: 11px; fill: #ffffff }
  .axis { stroke: #9aa3ad; fill: none }
  .limit { stroke: #9aa3ad; stroke-dasharray: 2 4; fill: none }
  .hidden { fill: #9aa3ad; opacity: .18 }
  .use { stroke: #8a63d2; stroke-dasharray: 1 3; fill: none }
  .used { fill: #8a63d2 }
  .life { stroke: #1f2328; stroke-width: 2; fill: none; stroke-linejoin: round }
  .unused { stroke: #9aa3ad; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #b7bec7 } .title { fill: #f0f3f6 } .life { stroke: #f0f3f6 } .state { fill: #ffffff }
    .used { fill: #b89af0 } .use { stroke: #b89af0 }
  }
"""


NOTES = (
    "tide: one of eight memories; six others are used on days 5 to 30,",
    "so it is among the quarter needed least, until it is used itself.",
    "No memory of a tide mind is hidden. activity, score, retention: one",
    "memory without links. network: two links of strength 0.6.",
)


def draw() -> str:
    places = [(left, top) for top in TOPS for left in LEFTS]
    panels = "\n".join(draw_panel(panel, *place) for panel, place in zip(PANELS, places, strict=False))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">
<title>One memory under the five metabolisms</title>
<desc>The vitality of one memory by the defaults, with one use in the middle and, dashed, without it; where a default
search does not find it is grey.</desc>
<style>{STYLE}</style>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>
<text class="title" x="{LEFTS[0]}" y="24">One memory, five metabolisms, all defaults</text>
<text class="small" x="{LEFTS[1]}" y="24">solid: used once · dashed: never used · grey: hidden from search</text>
{panels}
{"".join(tick(LEFTS[1], TOPS[2] + 16 * (line + 1), said, "start") for line, said in enumerate(NOTES))}
</svg>
"""


def draw_panel(panel: Panel, left: float, top: float) -> str:
    def at(x: float, y: float) -> tuple[float, float]:
        high = (y - panel.bottom) / (panel.top - panel.bottom)
        return left + PLOT_W * x / panel.until, top + PLOT_H * (1 - high)

    life, unused = curve(panel, used=True), curve(panel, used=False)
    bottom, use_x = top + PLOT_H, at(panel.used_at, 0)[0]
    parts = [
        f'<text class="title" x="{left}" y="{top - 14}">{panel.title}</text>',
        *hidden(METABOLISMS[panel.metabolism].hidden, life, at, top),
        *(limit(left, at(t.x or 0, t.y), t) for t in panel.thresholds),
        f'<path class="use" d="M{use_x:.1f} {top}V{bottom}"/>',
        f'<text class="small used" x="{use_x + 5:.1f}" y="{top + 10}">{panel.use}</text>',
        f'<path class="unused" d="{path(unused, at)}"/>',
        f'<path class="life" d="{path(life, at)}"/>',
        f'<path class="axis" d="M{left} {top}V{bottom}H{left + PLOT_W}"/>',
        *(
            tick(left - 6, at(0, y)[1] + 4, f"{y:g}", "end")
            for y in (panel.bottom, (panel.bottom + panel.top) / 2, panel.top)
        ),
        ribbon(life, at, bottom + 6),
        *(tick(at(x, 0)[0], bottom + 38, f"{x:g}", "middle") for x in panel.marks[:-1]),
        tick(left + PLOT_W, bottom + 38, f"{panel.until:g} {'days' if panel.clocked else 'scans'}", "end"),
    ]
    return "\n".join(parts)


def hidden(
    states: Sequence[State], points: Sequence[Point], at: Callable[[float, float], tuple[float, float]], top: float
) -> list[str]:
    """Where a default search does not find it."""
    spans = []
    for is_hidden, run in groupby(points, key=lambda p: p.state in states):
        xs = [at(p.x, 0)[0] for p in run]
        if is_hidden:
            place = f'x="{xs[0]:.1f}" y="{top}" width="{xs[-1] - xs[0]:.1f}" height="{PLOT_H}"'
            spans.append(f'<rect class="hidden" {place}/>')
    return spans


def path(points: Sequence[Point], at: Callable[[float, float], tuple[float, float]]) -> str:
    return "M" + "L".join("{:.1f} {:.1f}".format(*at(p.x, p.y)) for p in points)


def limit(left: float, place: tuple[float, float], threshold: Threshold) -> str:
    y = place[1]
    x = {"start": left + 6, "end": left + PLOT_W, "middle": place[0]}[threshold.side]
    return f'<path class="limit" d="M{left} {y:.1f}h{PLOT_W}"/>' + tick(x, y - 4, threshold.label, threshold.side)


def tick(x: float, y: float, label: str, anchor: str) -> str:
    return f'<text class="small" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{label}</text>'


def ribbon(points: Sequence[Point], at: Callable[[float, float], tuple[float, float]], y: float) -> str:
    """The state along the way, named where there is room."""
    parts, runs = [], [list(run) for _, run in groupby(points, key=lambda p: p.state)]
    ends = [*(run[0].x for run in runs[1:]), points[-1].x]
    for run, end in zip(runs, ends, strict=True):
        state, start, stop = run[0].state, at(run[0].x, 0)[0], at(end, 0)[0]
        parts.append(f'<rect x="{start:.1f}" y="{y}" width="{stop - start:.1f}" height="15" fill="{COLOURS[state]}"/>')
        if stop - start > 7 * len(state):
            middle = (start + stop) / 2
            parts.append(f'<text class="state" x="{middle:.1f}" y="{y + 11.5}" text-anchor="middle">{state}</text>')
    return "".join(parts)


if __name__ == "__main__":
    (Path(__file__).parent / "curves.svg").write_text(draw(), "utf-8")
