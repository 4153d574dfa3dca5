"""What the benches share: timing side by side, figures with their goals, and the page they are written down on."""

import argparse
import json
import os
import platform
import re
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

RESULTS = Path(__file__).with_name("RESULTS.md")

_TITLE = """# Results

Every section is written by its own bench (`python -m bench.NAME --write`). Baselines are bare loops of the same
run on the same disk; figures are medians of rounds in which both take turns.
"""


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit on the ratio to the baseline, or on our own figure."""

    sense: Literal["≤", "≥", "<"]
    limit: float
    on: Literal["ratio", "ours"] = "ratio"

    def holds(self, value: float) -> bool:
        return {"≤": value <= self.limit, "≥": value >= self.limit, "<": value < self.limit}[self.sense]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a table; without a goal it is just told. `unit`: s (seconds), /s (a rate), B (bytes), % (points)."""

    what: str
    ours: float
    baseline: float | None = None
    unit: Literal["s", "/s", "B", "%"] = "s"
    goal: Goal | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.baseline is None else self.ours / self.baseline

    @property
    def held(self) -> bool | None:
        judged = self.ratio if self.goal and self.goal.on == "ratio" else self.ours
        return None if self.goal is None or judged is None else self.goal.holds(judged)

    def cells(self) -> list[str]:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        baseline = "" if self.baseline is None else shown(self.baseline, self.unit)
        held = {True: "held", False: "**missed**", None: ""}[self.held]
        return [self.what, shown(self.ours, self.unit), baseline, ratio, self._goal(), held]

    def _goal(self) -> str:
        if self.goal is None:
            return ""
        limit = shown(self.goal.limit, self.unit) if self.goal.on == "ours" else f"{self.goal.limit:g} ×"
        return f"{self.goal.sense} {limit}"


def shown(value: float, unit: str) -> str:
    """Three digits that mean something."""
    if unit == "/s":
        return f"{value:,.0f}/s"
    if unit == "B":
        return f"{value:,.0f} B"
    if unit == "%":
        return f"{value:.2f} %"
    for factor, name in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1.0 or name == "µs":
            return f"{value * factor:.3g} {name}" if value * factor < 1000 else f"{value * factor:,.0f} {name}"
    raise AssertionError


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternate(rounds: int, *works: Callable[[], float]) -> list[float]:
    """The median of each, measured in turns: on a busy machine a bad moment then hits all of them alike."""
    taken: list[list[float]] = [[work() for work in works] for _ in range(rounds)]
    return medians(taken)


def medians(rounds: Iterable[Sequence[float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


# ---- the command line, and what is written down


def options(name: str, purpose: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=purpose)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", action="store_true", help="update this bench's section of bench/RESULTS.md")
    return parser


def report(
    name: str,
    given: argparse.Namespace,
    figures: Sequence[Figure],
    notes: Sequence[str] = (),
    tables: Sequence[Sequence[Sequence[str]]] = (),
) -> None:
    """The figures, then whatever other `tables` there are (a row of names first), then the notes."""
    if given.json:
        told = [asdict(figure) | {"ratio": figure.ratio, "held": figure.held} for figure in figures]
        all_of_it = {"bench": name, "machine": machine(), "figures": told, "tables": tables, "notes": notes}
        print(json.dumps(all_of_it, ensure_ascii=False))
    else:
        print(_tables(figures, tables), *(f"- {note}" for note in notes), sep="\n")
    if given.write:
        _write_section(name, _section(name, _tables(figures, tables), notes))


def machine() -> str:
    ram = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {ram:.0f} GiB RAM, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, NumPy {_numpy_version()}"
    )


def progress(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _numpy_version() -> str:
    from importlib.metadata import version

    return version("numpy")


def _tables(figures: Sequence[Figure], others: Sequence[Sequence[Sequence[str]]]) -> str:
    first = [["what", "ours", "baseline", "ratio", "goal", ""], *(figure.cells() for figure in figures)]
    return "\n\n".join(map(_table, [first, *others]))


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [f"| {' | '.join(map(str.ljust, row, widths))} |" for row in rows]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _section(name: str, tables: str, notes: Sequence[str]) -> str:
    command = " ".join(["python -m", f"bench.{name}", *sys.argv[1:]])
    head = f"## {name}\n\n`{command}`, {datetime.now(UTC):%Y-%m-%d}, {machine()}\n\n"
    return head + tables + "\n" + "".join(f"\n- {note}" for note in notes) + ("\n" if notes else "")


def _write_section(name: str, section: str) -> None:
    """Replace this bench's section, or add it; the others stay as they are."""
    text = RESULTS.read_text("utf-8") if RESULTS.exists() else _TITLE
    head, *others = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    sections = {other.split("\n", 1)[0].removeprefix("## ").strip(): other.strip() + "\n" for other in others}
    sections[name] = section
    RESULTS.write_text("\n".join([head.strip() + "\n", *sections.values()]), "utf-8")
