"""A machine without a browser: one is found, else installed, else the reason is told once."""

import os
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.browsers import CHOICE, DAY, Machine, find, set_up
from tests.docs.pages import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="made-up programs are shell scripts")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Nothing is on it but a shell, and Playwright cannot download."""
    (tmp_path / "bin").mkdir()
    environ = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    playwright = program(tmp_path / "playwright", "echo 'Error: getaddrinfo ENOTFOUND' >&2; exit 1")
    return Machine(environ, (), (playwright,), root=False, memo=tmp_path / "cache" / "no-browser.txt")


def program(path: Path, script: str = "echo Chromium 1") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def on_path(machine: Machine, name: str, script: str = "echo Chromium 1") -> str:
    return program(Path(machine.environ["PATH"]) / name, script)


def chosen(machine: Machine, browser: str) -> Machine:
    return replace(machine, environ={**machine.environ, CHOICE: browser})


# ---- finding


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", "chrome", "msedge"])
def test_a_browser_on_the_path_is_used_under_any_of_its_names(machine: Machine, name: str) -> None:
    assert find(machine).path is None
    path = on_path(machine, name)
    assert find(machine).path == path


def test_the_chosen_browser_goes_before_one_on_the_path(machine: Machine, tmp_path: Path) -> None:
    on_path(machine, "chromium")
    other = program(tmp_path / "other")
    assert find(chosen(machine, other)).path == other


def test_a_usual_place_and_playwrights_download_are_looked_at_too(machine: Machine, tmp_path: Path) -> None:
    download = program(tmp_path / ".cache" / "ms-playwright" / "chromium-1254" / "chrome-linux64" / "chrome")
    assert find(machine).path == download
    place = program(tmp_path / "opt" / "chrome")
    assert find(replace(machine, places=(place,))).path == place


def test_a_browser_that_does_not_start_is_passed_over(machine: Machine) -> None:
    broken = on_path(machine, "chromium", "echo 'error while loading shared libraries: libnss3.so' >&2; exit 127")
    assert find(machine).reason == f"{broken} does not start: error while loading shared libraries: libnss3.so"
    good = on_path(machine, "google-chrome")
    assert find(machine).path == good


def test_a_chosen_browser_that_is_not_there_is_no_reason_to_take_another(machine: Machine) -> None:
    on_path(machine, "chromium")
    found = find(chosen(machine, "/nowhere/chrome"))
    assert (found.path, found.reason) == (None, f"{CHOICE}: /nowhere/chrome does not start: there is no such program")
    assert find(chosen(machine, "none")).path is None


# ---- installing


def test_playwright_is_asked_first(machine: Machine, tmp_path: Path) -> None:
    download = tmp_path / ".cache" / "ms-playwright" / "chromium-1" / "chrome-linux" / "chrome"
    program(download.parent / "kept")
    script = f'[ "$*" = "install chromium" ] && /bin/cp {download.parent}/kept {download}'
    machine = replace(machine, playwright=(program(tmp_path / "playwright", script),))
    assert set_up(machine).path == str(download)
    assert not machine.memo.exists()


def test_root_has_it_installed_by_apt_get(machine: Machine, tmp_path: Path) -> None:
    kept, there = program(tmp_path / "kept"), Path(machine.environ["PATH"]) / "chromium"
    log = tmp_path / "asked"
    on_path(machine, "env", 'shift; exec "$@"')
    on_path(machine, "apt-get", f'echo "$@" >> {log}; case "$*" in *chromium*) /bin/cp {kept} {there};; esac')
    assert set_up(replace(machine, root=True)).path == str(there)
    update, install = log.read_text().splitlines()
    assert update.endswith("update")
    assert install.endswith("install -y --no-install-recommends chromium fonts-noto-cjk")


@pytest.mark.parametrize(("sudo", "asked"), [("exit 1", False), ('shift; exec "$@"', True)])
def test_others_need_a_sudo_that_asks_for_no_password(machine: Machine, tmp_path: Path, sudo: str, asked: bool) -> None:
    on_path(machine, "true", "exit 0")
    on_path(machine, "sudo", sudo)
    on_path(machine, "env", 'shift; exec "$@"')
    on_path(machine, "apt-get", f"echo asked > {tmp_path / 'asked'}; echo 'E: no network' >&2; exit 100")
    reason = set_up(machine).reason
    assert (tmp_path / "asked").exists() == asked
    assert ("apt-get: E: no network" if asked else "apt-get: only root may use it") in reason


def test_a_failure_names_every_way_that_was_tried(machine: Machine) -> None:
    reason = set_up(machine).reason
    assert "none found on the PATH or in the usual places" in reason
    assert "playwright install chromium: Error: getaddrinfo ENOTFOUND" in reason
    assert reason.endswith("apt-get: not on this machine")


def test_a_failure_is_remembered_for_a_day(machine: Machine, tmp_path: Path) -> None:
    reason = set_up(machine).reason
    log = tmp_path / "asked"
    machine = replace(machine, playwright=(program(tmp_path / "playwright", f"echo asked >> {log}; exit 1"),))
    assert set_up(machine).reason == reason
    assert not log.exists()
    set_up(machine, again=True)
    assert log.read_text() == "asked\n"
    yesterday = time.time() - DAY - 1
    os.utime(machine.memo, (yesterday, yesterday))
    set_up(machine)
    assert log.read_text() == "asked\n" * 2


def test_a_remembered_failure_does_not_hide_a_browser_that_came_since(machine: Machine) -> None:
    set_up(machine)
    path = on_path(machine, "chromium")
    assert set_up(machine).path == path


def test_a_choice_is_never_installed_over(machine: Machine) -> None:
    assert set_up(chosen(machine, "none")).path is None
    assert not machine.memo.exists()


def test_a_program_that_hangs_is_ended_with_its_children(machine: Machine, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    hanging = program(tmp_path / "hanging", f"/bin/sleep 600 & echo $! > {pids}; wait")
    assert machine.run(hanging, seconds=1.0) == "no answer within 1 seconds"
    state = Path(f"/proc/{pids.read_text().strip()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


# ---- the command


@pytest.mark.parametrize(("required", "code"), [("", 0), ("browser", 1), ("all", 1)])
def test_where_there_is_none_the_command_fails_only_if_one_is_required(required: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.browsers"],
        env={**os.environ, CHOICE: "none", "EBBTIDE_REQUIRE": required},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert done.stderr.startswith(f"no browser: {CHOICE}=none\n")
