"""What tests need besides Python packages: a browser today, databases later.

`missing(component, reason)` skips the test that needs it. The variable EBBTIDE_REQUIRE turns such a skip into a
failure: a comma-separated list of components, or `all`. With `all` a skip for any other reason is a failure too: then
a run that passes has left nothing out.
"""

import os
from collections.abc import Iterable
from typing import NoReturn

import pytest

COMPONENTS = ("browser",)
VARIABLE = "EBBTIDE_REQUIRE"
ALL = "all"
_LINES = tuple(f"no {component}: " for component in COMPONENTS)


def required(wanted: str | None = None) -> frozenset[str]:
    """The components that have to be there. Raises pytest.UsageError for a name that stands for none."""
    names = os.environ.get(VARIABLE, "") if wanted is None else wanted
    found = frozenset(name.strip() for name in names.split(",") if name.strip())
    if unknown := sorted(found - {*COMPONENTS, ALL}):
        raise pytest.UsageError(f"{VARIABLE} names {_listed(unknown)}: there are {_listed([*COMPONENTS, ALL])}")
    return found


def is_required(component: str) -> bool:
    return bool(REQUIRED & {component, ALL})


def missing(component: str, reason: str) -> NoReturn:
    """Skip this test because the component is not there; fail it if the component is required."""
    line = f"no {component}: {' '.join(reason.split())}"
    if is_required(component):
        pytest.fail(f"{line} ({VARIABLE} asks for it)", pytrace=False)
    pytest.skip(line)


def told_once(report: pytest.TestReport) -> None:
    """Let all skips for one component share a place, so that the summary has one line for them and not one a test."""
    where = report.longrepr
    if report.skipped and isinstance(where, tuple) and where[2].removeprefix("Skipped: ").startswith(_LINES):
        report.longrepr = (__file__, missing.__code__.co_firstlineno, where[2])


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Where everything is required, a skip is a failure. An expected failure (xfail) is not a skip."""
    if ALL not in REQUIRED or not report.skipped or hasattr(report, "wasxfail"):
        return
    where = report.longrepr
    reason = where[2] if isinstance(where, tuple) else str(where)
    report.outcome = "failed"
    report.longrepr = f"{VARIABLE}={ALL}, and this was left out. {reason}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


# Read once: tests of the command clear every variable of ours from the environment.
REQUIRED = required()
