"""How hypothesis looks for counter-examples, here and where a change has to pass, and what may be skipped."""

import os
from collections.abc import Generator, Sequence

import pytest
from hypothesis import HealthCheck, settings

from tests.components import refuse_skip, told_once

# Seconds say nothing about a law: on a busy machine any example may be slow, and so may making one up.
settings.register_profile("by-hand", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("fixed", settings.get_profile("by-hand"), derandomize=True, database=None)

settings.load_profile("fixed" if os.environ.get("EBBTIDE_TEST_SEED") == "fixed" else "by-hand")


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Tests that open the browser carry its mark, so that `make quick` can leave them out."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    told_once(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module may skip itself while it is collected."""
    report = yield
    refuse_skip(report)
    return report
