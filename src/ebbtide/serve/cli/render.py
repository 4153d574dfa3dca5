"""Answers for people (Rich) and for programs (JSON)."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from ebbtide.core.memory import Mark, State
from ebbtide.serve.cli.times import iso

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    State.ACTIVE: "green",
    State.COLD: "cyan",
    State.DEPRECATED: "yellow",
    State.EXPIRED: "red",
    State.FADING: "yellow",
    State.VANISHING: "red",
}
_BARS = "▁▂▃▄▅▆▇█"


@cache
def console() -> "Console":
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def say(text: str) -> None:
    console().print(text, soft_wrap=True)


def as_json(value: Any) -> None:
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")


def plain(value: Any, name: str = "") -> Any:
    """Values as JSON has them: moments in ISO 8601, marks by name."""
    if isinstance(value, Mark):
        return list(value.names)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name), f.name) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(k)): plain(v, str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and (name == "at" or name.endswith("_at")):
        return iso(value)
    return value


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    drawn = Table(*columns, box=SIMPLE, title=title, title_justify="left", header_style="bold", pad_edge=False)
    for row in rows:
        drawn.add_row(*row)
    console().print(drawn)


def styled(state: State) -> str:
    return f"[{STYLES[state]}]{state}[/]"


def safe(text: str) -> str:
    """Somebody's words: no markup of ours in them, no control characters of theirs on the terminal."""
    from rich.markup import escape

    return escape("".join(c if c.isprintable() or c == "\n" else "�" for c in text))


def preview(text: str, width: int = 60) -> str:
    line = " ".join(text.split())
    return safe(line if len(line) <= width else f"{line[: width - 1]}…")


def sparkline(values: Sequence[float]) -> str:
    """The curve in one line, lowest to highest; a flat curve stays flat."""
    low, high = min(values), max(values)
    if high - low < 1e-9 * max(abs(high), 1.0):
        return _BARS[3] * len(values)
    return "".join(_BARS[min(7, int(8 * (value - low) / (high - low)))] for value in values)
