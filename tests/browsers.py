"""Which browser the tests of the page use, and how a machine without one gets one.

Found in this order: EBBTIDE_BROWSER (a path or a name; `none`: go without), a usual name on the PATH, a usual place,
Playwright's own download. `python -m tests.browsers` installs one where none is found: by Playwright, then by apt-get
where that needs no password. It runs once, before the tests start. A failure is remembered for a day, so that each
further run does not wait for a network that is not there; `--again` tries at once.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.components import REQUIRED, VARIABLE, is_required

CHOICE = "EBBTIDE_BROWSER"
NONE = "none"
NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "google-chrome-beta", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge", "brave-browser",
)  # fmt: skip
PLACES = (
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
DOWNLOADS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)
DAY = 86400.0
START, CHECK, DOWNLOAD, PACKAGES = 60.0, 10.0, 300.0, 600.0  # seconds, at most


@dataclass(frozen=True)
class Machine:
    """Where to look and what may be run; tests put a made-up one in its place."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    places: Sequence[str] = PLACES
    playwright: Sequence[str] = (sys.executable, "-m", "playwright")
    root: bool = hasattr(os, "geteuid") and os.geteuid() == 0
    memo: Path = Path(__file__).parents[1] / ".cache" / "no-browser.txt"

    def which(self, name: str) -> str | None:
        return shutil.which(name, path=self.environ.get("PATH", ""))

    def run(self, *words: str, seconds: float) -> str | None:
        """None if it ended well, else why not, in one line. Its children end with it."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            try:
                process = subprocess.Popen(
                    words, env=dict(self.environ), stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                    start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                return error.strerror or str(error)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                _end(process)
                return f"no answer within {seconds:.0f} seconds"
            said.seek(0)
            return None if code == 0 else _why(said.read().splitlines(), code)


@dataclass(frozen=True)
class Found:
    """A browser that starts, or why there is none."""

    path: str | None
    reason: str = ""


def find(machine: Machine) -> Found:
    chosen = machine.environ.get(CHOICE)
    if chosen == NONE:
        return Found(None, f"{CHOICE}={NONE}")
    reasons = []
    for path in [chosen] if chosen else _candidates(machine):
        executable = machine.which(path)
        trouble = machine.run(executable, "--version", seconds=START) if executable else "there is no such program"
        if executable and trouble is None:
            return Found(executable)
        reasons.append(f"{path} does not start: {trouble}")
    if chosen:
        return Found(None, f"{CHOICE}: {reasons[0]}")
    return Found(None, "; ".join(reasons) or f"none found on the PATH or in the usual places ({CHOICE} names another)")


def _candidates(machine: Machine) -> Iterator[str]:
    yield from filter(None, map(machine.which, NAMES))
    yield from (place for place in machine.places if Path(place).exists())
    for folder in _download_folders(machine.environ):
        for pattern in DOWNLOADS:
            yield from sorted(map(str, folder.glob(pattern)), reverse=True)


def _download_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    if chosen := environ.get("PLAYWRIGHT_BROWSERS_PATH", "").strip("0"):
        yield Path(chosen)
    if home := environ.get("HOME"):
        yield Path(home) / ".cache" / "ms-playwright"
        yield Path(home) / "Library" / "Caches" / "ms-playwright"
    if local := environ.get("LOCALAPPDATA"):
        yield Path(local) / "ms-playwright"


# ---- set up


def set_up(machine: Machine, *, again: bool = False) -> Found:
    """The browser there is; else the one that could be installed; else why there is none."""
    found = find(machine)
    if found.path or machine.environ.get(CHOICE):
        return found
    if not again and (known := _remembered(machine.memo)):
        return Found(None, known)
    _say("no browser for the tests of the page yet: installing one")
    reasons = [found.reason]
    for name, commands in _ways(machine):
        trouble = next(filter(None, (machine.run(*words, seconds=limit) for words, limit in commands)), None)
        found = find(machine)
        if found.path:
            machine.memo.unlink(missing_ok=True)
            return found
        reasons.append(f"{name}: {trouble or found.reason}")
    if not machine.which("apt-get"):
        reasons.append("apt-get: not on this machine")
    elif _as_root(machine) is None:
        reasons.append("apt-get: only root may use it")
    _remember(machine.memo, "; ".join(reasons))
    return Found(None, "; ".join(reasons))


Command = tuple[tuple[str, ...], float]


def _ways(machine: Machine) -> Iterator[tuple[str, list[Command]]]:
    """Each way to a browser, as the commands it takes; the next one is asked for only where the last one failed."""
    yield "playwright install chromium", [((*machine.playwright, "install", "chromium"), DOWNLOAD)]
    prefix = _as_root(machine)
    if prefix is None or not machine.which("apt-get"):
        return
    apt = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=60")
    packages = ("chromium", "fonts-noto-cjk")  # with fonts for both languages of the page
    yield (
        "apt-get",
        [
            ((*apt, "update"), PACKAGES),
            ((*apt, "install", "-y", "--no-install-recommends", *packages), PACKAGES),
        ],
    )
    # Where apt-get has no Chromium, Playwright's download may lack no more than its libraries.
    yield "playwright install-deps", [((*prefix, *machine.playwright, "install-deps", "chromium"), PACKAGES)]


def _as_root(machine: Machine) -> tuple[str, ...] | None:
    """What stands before a command that needs root; None: there is no way without a password."""
    if machine.root:
        return ()
    sudo = machine.which("sudo")
    return (sudo, "-n") if sudo and machine.run(sudo, "-n", "true", seconds=CHECK) is None else None


def _remembered(memo: Path) -> str | None:
    try:
        fresh = time.time() - memo.stat().st_mtime < DAY
        return memo.read_text("utf-8") if fresh else None
    except FileNotFoundError:
        return None


def _remember(memo: Path, reason: str) -> None:
    memo.parent.mkdir(exist_ok=True)
    memo.write_text(reason, "utf-8")


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)  # a session of its own, so its children too
    else:
        process.kill()
    process.wait()


def _why(lines: Sequence[str], code: int) -> str:
    """The line that names an error, else the last one."""
    spoken = [line.strip() for line in lines if line.strip()]
    errors = [line for line in spoken if "error" in line.lower() or line.startswith("E:")]
    return (errors or spoken or [f"exit code {code}"])[-1][:200]


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main(arguments: Sequence[str]) -> int:
    found = set_up(Machine(), again="--again" in arguments or bool(REQUIRED))
    if found.path:
        return 0
    _say(f"no browser: {found.reason}")
    if is_required("browser"):
        _say(f"{VARIABLE} asks for one.")
        return 1
    _say("The tests that need one are skipped. `make browser` tries to install one again.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
