"""A missing component skips its tests with one line; EBBTIDE_REQUIRE turns that into a failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.components import required
from tests.docs.pages import ROOT

SUITE = """
import pytest
from tests.components import missing

@pytest.fixture(scope="session")
def browser():
    missing("browser", "none found,\\n  on this machine")

def test_of_the_page(browser): ...

@pytest.mark.parametrize("number", range(2))
def test_of_a_chart(browser, number): ...

@pytest.mark.skip(reason="for another reason")
def test_of_something_else(): ...

@pytest.mark.xfail
def test_that_is_known_to_fail():
    assert False

def test_that_runs(): ...
"""


WHOLE = "import pytest\npytest.skip('a whole module', allow_module_level=True)\n"
INI = f"[pytest]\npythonpath = {ROOT}\naddopts = -ra -p no:cacheprovider\nmarkers =\n    browser: set by itself\n"


def outcome(folder: Path, wanted: str, *arguments: str) -> tuple[int, str]:
    """A small suite with our hooks, run by a pytest of its own, without plugins: those take seconds to load."""
    (folder / "pytest.ini").write_text(INI)
    (folder / "conftest.py").write_text("from tests.conftest import *")
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "test_whole.py").write_text(WHOLE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        env={**os.environ, "EBBTIDE_REQUIRE": wanted, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_one_line_says_why_tests_were_skipped(tmp_path: Path) -> None:
    code, said = outcome(tmp_path, "")
    assert code == 0
    assert said.count("no browser: none found, on this machine") == 1
    assert "SKIPPED [3]" in said
    assert "1 passed, 5 skipped, 1 xfailed" in said


def test_a_component_that_is_required_fails_its_tests_and_no_others(tmp_path: Path) -> None:
    code, said = outcome(tmp_path, "browser")
    assert code == 1
    assert "no browser: none found, on this machine (EBBTIDE_REQUIRE asks for it)" in said
    assert "1 passed, 2 skipped, 1 xfailed, 3 errors" in said


@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n", "2")])
def test_where_everything_is_required_nothing_may_be_skipped(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, said = outcome(tmp_path, "all", "--continue-on-collection-errors", *arguments)
    assert code == 1
    assert "EBBTIDE_REQUIRE=all, and this was left out. Skipped: for another reason" in said
    assert "EBBTIDE_REQUIRE=all, and this was left out. Skipped: a whole module" in said
    assert "1 passed, 1 xfailed, 5 errors" in said


def test_tests_with_the_browser_are_marked_by_themselves(tmp_path: Path) -> None:
    assert "4 skipped, 3 deselected" in outcome(tmp_path, "", "-m", "browser")[1]


def test_the_variable_takes_names_of_components_only() -> None:
    assert required("browser, all,") == {"browser", "all"}
    assert required("") == set()
    with pytest.raises(pytest.UsageError, match="EBBTIDE_REQUIRE names borwser: there are browser, all"):
        required("browser,borwser")
