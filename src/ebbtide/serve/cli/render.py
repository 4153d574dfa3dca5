"""Answers for people (Rich) and for programs (JSON)."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any
from unicodedata import category

from ebbtide.core.memory import Mark, State
from ebbtide.serve.times import iso

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

STYLES = {
    State.ACTIVE: "green",
    State.COLD: "cyan",
    State.DEPRECATED: "yellow",
    State.EXPIRED: "red",
    State.FADING: "yellow",
    State.VANISHING: "red",
}
_BARS = "▁▂▃▄▅▆▇█"
_JOINERS = "\u200c\u200d"  # invisible, and harmless: Persian words and emoji families are held together by them
# Brackets and backslashes of other people are no markup: until it is read, these stand in for them.
_QUOTED = str.maketrans("[\\", "\ue000\ue001")
_UNQUOTED = str.maketrans("\ue000\ue001", "[\\")


@cache
def console() -> "Console":
    from rich.console import Console

    return Console(highlight=False, emoji=False)


def say(text: str) -> None:
    console().print(drawn(text), soft_wrap=True)


def drawn(markup: str) -> "Text":
    from rich.text import Text

    text = Text.from_markup(markup, emoji=False)
    text.plain = text.plain.translate(_UNQUOTED)
    return text


def as_json(value: Any) -> None:
    """As people read it where standard output can say it, in escapes where it cannot."""
    found = plain(value)
    text = json.dumps(found, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(found, indent=2)
    sys.stdout.write(f"{text}\n")


def plain(value: Any, name: str = "") -> Any:
    """Values as JSON has them: moments in ISO 8601, marks by name, null where there is no number to give."""
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
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, float) and (name == "at" or name.endswith("_at")):
        return iso(value)
    return value


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.box import SIMPLE
    from rich.table import Column, Table

    # Folded, not cut: Chinese has no blanks to break at, and a key that is cut short is none.
    folded = [Column(name, overflow="fold") for name in columns]
    rows_and_columns = Table(*folded, box=SIMPLE, header_style="bold", pad_edge=False)
    for row in rows:
        rows_and_columns.add_row(*map(drawn, row))
    console().print(rows_and_columns)


def styled(state: State) -> str:
    return f"[{STYLES[state]}]{state}[/]"


def safe(text: str) -> str:
    """Somebody's words, for `say` and `table`: no markup of ours in them, no control characters of theirs.

    Rich has an `escape` too, but it adds or loses a backslash here and there.
    """
    return printable(text).translate(_QUOTED)


def printable(text: str) -> str:
    """Without what a terminal would obey or a reader be deceived by: escapes, half surrogates, reversed writing."""
    if text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else "�" for c in text.replace("\r\n", "\n"))


def _is_harmless(char: str) -> bool:
    """Python calls printable what is no separator; yet 　, the blank of Chinese texts, is one."""
    return char.isprintable() or char in "\n\t" or char in _JOINERS or category(char) == "Zs"


def preview(text: str, width: int = 60) -> str:
    line = " ".join(text.split())
    return safe(line if len(line) <= width else f"{line[: width - 1]}…")


def sparkline(values: Sequence[float]) -> str:
    """The curve in one line, lowest to highest; a flat curve stays flat."""
    low, high = min(values), max(values)
    if high - low < 1e-9 * max(abs(high), 1.0):
        return _BARS[3] * len(values)
    return "".join(_BARS[min(7, int(8 * (value - low) / (high - low)))] for value in values)
