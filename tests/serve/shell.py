"""Typing commands as a user would: in this process, where it is fast, or through the installed `ebbtide`."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ebbtide.serve.cli.main import app, run

# every command, and the part of the help it stands in
PANELS = {
    command.name or getattr(command.callback, "__name__", ""): command.rich_help_panel
    for command in app.registered_commands
}
PROGRAM = Path(sys.executable).parent / "ebbtide"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """What it said, whatever the width of the terminal."""
        return " ".join(self.out.split())

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=_no_constant)

    @property
    def complaint(self) -> str:
        """The one line on standard error, and nothing else anywhere."""
        assert self.out == ""
        assert "Traceback" not in self.err
        assert self.err.startswith("ebbtide: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("ebbtide: ").rstrip("\n")


@dataclass(frozen=True)
class Shell:
    data: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: str) -> Answer:
        self.capsys.readouterr()
        code = run(["--data", str(self.data), *words])
        return Answer(code, *self.capsys.readouterr())

    def said(self, *words: str) -> str:
        """What a command that must succeed says."""
        answer = self(*words)
        assert (answer.code, answer.err) == (0, "")
        return answer.words

    def json(self, *words: str) -> Any:
        answer = self(*words, "--json")
        assert (answer.code, answer.err) == (0, "")
        return answer.json

    def refused(self, code: int, *words: str) -> str:
        """The complaint of a command that must fail so, and change nothing on disk."""
        before = everything_in(self.data)
        answer = self(*words)
        assert answer.code == code, answer
        assert everything_in(self.data) == before
        return answer.complaint


LOCKS = ("lock", "owner", "_owner.lock")


def everything_in(data: Path) -> dict[str, str]:
    """Every file below, databases as the statements that would make them again; locks aside."""
    files = [path for path in data.rglob("*") if path.is_file() and path.name not in LOCKS]
    return {str(path.relative_to(data)): _content(path) for path in files if not path.name.endswith(("-wal", "-shm"))}


def _content(path: Path) -> str:
    if path.name != "mind.db":
        return path.read_bytes().hex()
    with closing(sqlite3.connect(path)) as connection:
        try:
            return "\n".join(connection.iterdump())
        except sqlite3.DatabaseError:  # not a database at all
            return path.read_bytes().hex()


def is_moment(value: Any) -> bool:
    return value is None or (isinstance(value, str) and _MOMENT.fullmatch(value) is not None)


def environment(data: Path, **more: str) -> dict[str, str]:
    """A fresh user's: nothing but a home, a language, and where the minds are."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": str(data.parent), "LANG": "C.UTF-8", "EBBTIDE_DATA": str(data), **more}


def launch(data: Path, *words: str | bytes, env: Mapping[str, str] | None = None, **how: Any) -> subprocess.Popen[str]:
    """The installed command, as a process of its own."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    return subprocess.Popen(
        [PROGRAM, *words], env=environment(data, **(env or {})), encoding="utf-8", errors="surrogateescape", **pipes
    )


def process(data: Path, *words: str | bytes, given: str | None = None, **how: Any) -> Answer:
    if given is not None:
        how["stdin"] = subprocess.PIPE
    with launch(data, *words, **how) as running:
        out, err = running.communicate(given, timeout=60)
    return Answer(running.returncode, out or "", err or "")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
