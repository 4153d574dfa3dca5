"""Plays the blocks of one page in order, as a reader would: commands and programs, in one folder.

Reads a JSON list of [kind, source] from standard input, answers with a JSON list of [output, exit code]. It runs
as a process of its own, so that a page cannot disturb another, and pays for its imports once.
"""

import json
import logging
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import takewhile
from typing import Any

from ebbtide.serve.cli.main import run


def command(line: str) -> int:
    """A line may set variables first, for itself alone: NAME=value ebbtide …"""
    words = shlex.split(line)
    settings = list(takewhile(re.compile(r"[A-Z_]+=").match, words))
    before = dict(os.environ)
    os.environ.update((name, value) for name, _, value in (setting.partition("=") for setting in settings))
    try:
        return run(words[len(settings) + 1 :])
    finally:
        os.environ.clear()
        os.environ.update(before)


def program(source: str) -> int:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(source, "<page>", "exec"), namespace)
    except Exception:  # noqa: BLE001 — whatever it is, the page is wrong
        traceback.print_exc()
        return 1
    return 0


PLAYS: dict[str, Callable[[str], int]] = {"command": command, "program": program}


def play(kind: str, source: str) -> tuple[str, int]:
    said = StringIO()
    logging.getLogger().handlers.clear()  # each command sets up its own, on the stream of its time
    with redirect_stdout(said), redirect_stderr(said):
        code = PLAYS[kind](source)
    return said.getvalue(), code


if __name__ == "__main__":
    sys.stdout.write(json.dumps([play(*step) for step in json.load(sys.stdin)]))
