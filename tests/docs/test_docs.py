"""The documents say what there is, and what they show happens."""

import asyncio
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from docs import generate
from docs.images import draw, feed
from ebbtide.core.changes import KINDS
from ebbtide.core.metabolism import METABOLISMS
from ebbtide.core.parameters import parameters_of
from ebbtide.core.ranking import TERMS
from ebbtide.core.weights import Weights
from ebbtide.serve.cli.main import app
from ebbtide.settings import PREFIX, Settings
from tests.docs import pages
from tests.docs.pages import PAGES, ROOT, Step, matches, name_of, steps

PLAYER = Path(__file__).parent / "player.py"
PLAYED = [page for page in PAGES if steps(page.read_text("utf-8"))]

COMMANDS = [words.partition(" ")[2] for words, _ in generate.commands("ebbtide", get_command(app))][1:]

COMMAND = re.compile(r"(?:EBBTIDE_[A-Z_]+=\S+ )*ebbtide ")
UNPLAYED = ("demo", "mcp", "schedule run", "serve", "keys revoke")  # they take their time, never end, or want an id
MADE_BY_BENCH = ROOT / "bench" / "RESULTS.md"  # by `make bench`; a tree may be without it

every_page = pytest.mark.parametrize("page", PAGES, ids=name_of)


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


# ---- what they show happens


@pytest.mark.slow
@pytest.mark.parametrize("page", PLAYED, ids=name_of)
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path) -> None:
    """And a second time in the same folder nothing fails, but for commands that are refused in one line."""
    text = page.read_text("utf-8")
    make_files(text, tmp_path)
    asked = steps(text)
    answers = play([*asked, *asked], tmp_path)
    for step, (said, code) in zip(asked, answers[: len(asked)], strict=True):
        assert bool(code) == shows_an_error(step), f"{step.source}\n{said}"
        assert step.shows is None or matches(step.shows, said), f"{step.source}\n{said}"
    for step, (said, code) in zip(asked, answers[len(asked) :], strict=True):
        assert code == 0 or shows_an_error(step) or may_be_refused(page, step, said), f"again: {step.source}\n{said}"


def may_be_refused(page: Path, step: Step, said: str) -> bool:
    """In one line, by what the first run has changed: a key is taken, a memory is gone.

    In a README only `init` may be: the mind it makes is there, and what follows goes on with it.
    """
    one_line = re.fullmatch(r"ebbtide: [^\n]+\n", said) is not None
    return step.kind == "command" and one_line and (not page.name.startswith("README") or " init " in step.source)


def shows_an_error(step: Step) -> bool:
    """One line and no more; a warning stands before an answer."""
    lines = (step.shows or "").strip().splitlines()
    return len(lines) == 1 and lines[0].startswith("ebbtide: ")


def make_files(text: str, folder: Path) -> None:
    shutil.copytree(ROOT / "docs" / "conversations", folder / "docs" / "conversations")
    for block in pages.blocks(text):
        if block.role == "file" and block.name:
            (folder / block.name).write_text(block.body, "utf-8")
        elif block.role == "database" and block.name:
            with closing(sqlite3.connect(folder / block.name)) as connection:
                connection.executescript(block.body)


def play(asked: list[Step], folder: Path) -> list[tuple[str, int]]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith((PREFIX, "COLUMNS"))}
    environment |= {"EBBTIDE_DATA": str(folder / "minds"), "HOME": str(folder), "COLUMNS": "100", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, str(PLAYER)],
        input=json.dumps([(step.kind, step.source) for step in asked]),
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[tuple[str, int]] = json.loads(done.stdout)
    return answers


@every_page
def test_console_blocks_hold_commands_that_can_be_played(page: Path) -> None:
    for step in steps(page.read_text("utf-8")):
        if step.kind == "command":
            assert COMMAND.match(step.source), step.source


def test_a_wildcard_stands_for_part_of_a_line_or_for_lines() -> None:
    assert matches("took … ms\n", "took 0.25 ms\n")
    assert matches("one\n…\nlast\n", "one\n\ntwo\nthree\nlast\n")
    assert not matches("took … ms\n", "took 0.25 s\n")
    assert not matches("one\n", "one\ntwo\n")


# ---- they say what there is


@pytest.mark.parametrize("path", generate.pages(), ids=name_of)
def test_generated_pages_are_fresh(path: Path) -> None:
    assert path.read_text("utf-8") == generate.pages()[path], "stale: run `make docs`"


def test_the_picture_is_what_the_metabolisms_say_today() -> None:
    assert read("docs/images/curves.svg") == draw.draw(), "stale: run `make docs`"


def test_the_picture_of_a_mind_fed_for_ever_is_there_and_says_what_it_was_fed() -> None:
    assert re.search(r"!\[[^\]]+\]\(\.\./images/bounded\.svg\)", read("docs/concepts/network.md"))
    assert f"{feed.REMEMBERS:,} remembers" in read("docs/images/bounded.svg")


def test_feeding_a_mind_gives_the_same_figures_every_time_and_they_can_be_drawn() -> None:
    points = asyncio.run(feed.feed(60))
    assert [point.remembers for point in points] == list(range(0, 61, feed.EVERY))
    assert points == asyncio.run(feed.feed(60))
    assert all(point.nodes and point.characters for point in points[1:])
    assert "60 remembers" in feed.draw(points)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented_and_shown_in_use(command: str) -> None:
    assert f"\n### {command}\n" in read("docs/reference/cli.md")
    shown = [step.source for page in PAGES for step in steps(page.read_text("utf-8"))]
    used = re.compile(rf"{COMMAND.pattern}(?:-\S+ \S+ )*{command}\b")
    assert command in UNPLAYED or any(used.match(source) for source in shown), f"no page shows `ebbtide {command}`"


@pytest.mark.parametrize("setting", [f.name for f in fields(Settings)])
def test_every_setting_is_documented(setting: str) -> None:
    page = read("docs/reference/settings.md")
    assert f"| `{setting}` |" in page
    assert setting == "params" or f"`{PREFIX}{setting.upper()}`" in page
    default = getattr(Settings(), setting)
    shown = "none" if default in ("", {}) else f"`{str(default).lower() if isinstance(default, bool) else default}`"
    assert setting == "data" or f"| `{setting}` | {shown} |" in page


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_metabolism_has_a_page_and_a_line_wherever_they_are_listed(metabolism: str) -> None:
    page = read(f"docs/concepts/{metabolism}.md")
    for state in METABOLISMS[metabolism].states:
        assert f"`{state}`" in page
    for name in ("README.md", "README.zh.md", "docs/index.md", "docs/howto/choose-a-metabolism.md"):
        assert f"concepts/{metabolism}.md" in read(name), name


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_parameter_is_documented_with_its_default(metabolism: str) -> None:
    for page in (f"docs/concepts/{metabolism}.md", "docs/reference/parameters.md"):
        for f in fields(METABOLISMS[metabolism]):
            assert f"| `{f.name}` | {_default(f.default)} |" in read(page), f.name
    assert {f.name for f in parameters_of(metabolism)} == {
        *generate.MEANINGS[metabolism],
        *generate.MEANINGS[generate.GLOBAL],
        *generate.MEANINGS[generate.RANKING],
    }
    for f in fields(Weights):
        for page in ("docs/concepts/ranking.md", "docs/reference/parameters.md"):
            assert f"| `{f.name}` | {_default(f.default)} |" in read(page), f.name


def test_every_term_of_a_rank_is_described() -> None:
    described = read("docs/concepts/ranking.md").split("## Weights")[0]
    assert [term for term in TERMS if not re.search(rf"^\| .*`{term}`", described, re.MULTILINE)] == []


def _default(value: Any) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


@pytest.mark.parametrize("error", [e.__name__ for e in generate.error_types()])
def test_every_error_is_documented(error: str) -> None:
    assert f"| `{error}` |" in read("docs/reference/errors.md")


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_is_documented(kind: str) -> None:
    assert re.search(rf"^\| `{kind}` \| .+ \|$", read("docs/concepts/journal.md"), re.MULTILINE)


# ---- they hang together


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in pages.links(page.read_text("utf-8")):
        assert not link.startswith("http"), f"{link}: a page must not need the network"
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists() or target == MADE_BY_BENCH, link
        if anchor:
            assert anchor in pages.anchors(target.read_text("utf-8")), link


def test_every_page_of_the_docs_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    reached = {(index.parent / link.partition("#")[0]).resolve() for link in pages.links(read("docs/index.md"))}
    assert not [name_of(p) for p in (ROOT / "docs").rglob("*.md") if p not in reached | {index}]


@every_page
def test_a_page_names_no_machine_and_no_registry(page: Path) -> None:
    hints = r"/home/|/root/|/tmp/|/work/|/Users/|pypi\.|pythonhosted|index-url"
    assert not re.findall(hints, page.read_text("utf-8"))
