"""One thing is said in the singular."""

import pytest

from ebbtide.core.counted import counted


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 links"), (1, "1 link"), (2, "2 links"), (1000, "1,000 links"), (1.0, "1 link"), (0.5, "0.5 links")],
)
def test_one_is_singular_and_everything_else_plural(count: float, said: str) -> None:
    assert counted(count, "link") == said


def test_a_plural_of_its_own_is_given() -> None:
    assert [counted(count, "memory", "memories") for count in (1, 2)] == ["1 memory", "2 memories"]
