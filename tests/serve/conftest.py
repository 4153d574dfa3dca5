import os
import shutil
from pathlib import Path

import pytest

from ebbtide.serve.cli import render
from ebbtide.serve.cli.main import run
from tests.helpers import FakeClock
from tests.serve.shell import Shell


@pytest.fixture(autouse=True)
def _fresh_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of one's own, no settings of whoever runs the tests, and a wide terminal without colours."""
    for name in os.environ:
        if name.startswith("EBBTIDE_") or name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    render.console.cache_clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """Time for commands run in this process: it stands still until it is turned."""
    turned = FakeClock()
    monkeypatch.setattr("ebbtide.app.SystemClock.now", lambda _: turned.now())
    return turned


@pytest.fixture
def ebbtide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command, with an empty data folder."""
    return Shell(tmp_path / "data", capsys)


@pytest.fixture
def ferry(ebbtide: Shell, clock: FakeClock, _ferry_data: Path) -> Shell:
    """The command, with a mind that knows of a ferry and where it goes."""
    assert clock.now() == FakeClock().now()
    shutil.copytree(_ferry_data, ebbtide.data)
    return ebbtide


@pytest.fixture
def activity_ferry(ebbtide: Shell, clock: FakeClock, _activity_ferry_data: Path) -> Shell:
    """The same in a mind that lives by activity, where memories become cold."""
    assert clock.now() == FakeClock().now()
    shutil.copytree(_activity_ferry_data, ebbtide.data)
    return ebbtide


@pytest.fixture(scope="session")
def _ferry_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once and copied from then on: most tests begin with it."""
    return _with_ferry(tmp_path_factory.mktemp("ferry"))


@pytest.fixture(scope="session")
def _activity_ferry_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _with_ferry(tmp_path_factory.mktemp("activity_ferry"), ("init", "--metabolism", "activity"))


def _with_ferry(folder: Path, *first: tuple[str, ...]) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ebbtide.app.SystemClock.now", lambda _: FakeClock().now())
        for words in (
            *first,
            ("put", "The ferry leaves at 8:40.", "--key", "ferry", "--keyword", "travel"),
            ("put", "Lamma is an island.", "--key", "lamma"),
            ("link", "ferry", "lamma", "leads to", "--strength", "0.8"),
        ):
            assert run(["--data", str(folder), *words]) == 0
    return folder
