"""What it costs to import Ebbtide and to ask its command for help, next to a Python that does nothing."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.measure import Figure, Goal, alternate, options, report, timed

_NOTHING = [sys.executable, "-c", "pass"]


def _seconds(command: list[str]) -> float:
    return timed(lambda: subprocess.run(command, check=True, capture_output=True))


def _import_seconds() -> float:
    """What `-X importtime` gives for `import ebbtide` with all it imports, without starting Python."""
    command = [sys.executable, "-X", "importtime", "-c", "import ebbtide"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = re.search(r"\|\s*(\d+) \| ebbtide$", told, re.MULTILINE)
    assert found, f"-X importtime does not mention ebbtide:\n{told[-400:]}"
    return int(found[1]) / 1e6


def _help() -> list[str] | None:
    """The installed command beside this Python; None if there is none, or it does not start."""
    command = shutil.which("ebbtide", path=str(Path(sys.executable).parent))
    if command is None or subprocess.run([command, "--help"], capture_output=True, check=False).returncode:
        return None
    return [command, "--help"]


def measure(rounds: int) -> tuple[list[Figure], list[str]]:
    asked = _help()
    works: list[Callable[[], float]] = [
        partial(_seconds, _NOTHING),
        _import_seconds,
        partial(_seconds, [sys.executable, "-c", "import ebbtide"]),
        partial(_seconds, [sys.executable, "-c", "import ebbtide; ebbtide.open"]),
        *([partial(_seconds, asked)] if asked else []),
    ]
    nothing, imported, *started = alternate(rounds, *works)
    names = ["a process that imports ebbtide", "a process that has ebbtide.open ready", "ebbtide --help"]
    figures = [Figure("import ebbtide, by importtime", imported, nothing, goal=Goal("<", 0.120, "ours"))]
    for what, taken in zip(names, started, strict=False):
        goal = Goal("<", 0.250, "ours") if what == "ebbtide --help" else None
        figures.append(Figure(what, taken, nothing, goal=goal))
    notes = ["The baseline is `python -c pass`, start and end of the process included."]
    if not asked:
        notes.append("`ebbtide --help` was left out: the command is not installed or fails.")
    return figures, notes


def main() -> None:
    parser = options("startup", "The cost of importing Ebbtide and of asking its command for help.")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    report("startup", given, *measure(given.rounds))


if __name__ == "__main__":
    main()
