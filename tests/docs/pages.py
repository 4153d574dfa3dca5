"""What a page of the documentation holds: blocks, files to write first, links, and what its commands show."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

_BLOCK = re.compile(
    r"(?:^<!-- (?P<role>file|database): (?P<name>\S+) -->\n)?^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    info: str
    body: str
    role: str | None = None  # a file or a database the page asks its reader to have
    name: str | None = None


class Step(NamedTuple):
    """Something to run, and what the page says it shows (None: the page does not say)."""

    kind: str
    source: str
    shows: str | None


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    return [Block(m["info"].strip(), m["body"], m["role"], m["name"]) for m in _BLOCK.finditer(text)]


def prose(text: str) -> str:
    return _BLOCK.sub("", text)


def links(text: str) -> list[str]:
    return _LINK.findall(prose(text))


def anchors(text: str) -> set[str]:
    """What headings are called in addresses."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose(text)))
    return {word.strip().replace(" ", "-") for word in words}


def steps(text: str) -> list[Step]:
    """Console blocks and programs marked `run`, in order; a program's output is a `text output` block after it."""
    found: list[Step] = []
    for block in blocks(text):
        if block.info == "console":
            found += _commands(block.body)
        elif block.info == "python run":
            found.append(Step("program", block.body, None))
        elif block.info == "text output":
            found[-1] = found[-1]._replace(shows=block.body)
    return found


def _commands(body: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield Step("command", line, shown if shown.strip() else None)


def matches(shown: str, said: str) -> bool:
    """Whether a page shows what was said: … stands for anything in a line, a line of … for any lines.

    How wide a table is drawn, and empty lines, make no difference.
    """
    pattern = "".join(_line(line) for line in _lines(shown))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(said))) is not None


def _lines(text: str) -> list[str]:
    words = (" ".join(line.split()) for line in text.splitlines())
    return [re.sub("─+", "─", line) for line in words if line]


def _line(line: str) -> str:
    if line == "…":
        return r"(?:.*\n)*"
    return r"[^\n]*".join(re.escape(part) for part in line.split("…")) + r"\n"
