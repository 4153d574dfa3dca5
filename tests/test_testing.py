"""The clock for users' tests."""

from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, State
from ebbtide.testing import Clock


async def test_ninety_days_pass_at_once(tmp_path: Path) -> None:
    clock = ebbtide.testing.Clock("2027-01-15")
    async with ebbtide.open("ada", data=tmp_path, metabolism="score", clock=clock) as mind:
        await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
        clock.advance(days=90)
        # 50 · 0.95^90 = 0.494
        assert (await mind.explain("ferry")).memory.vitality == pytest.approx(0.4944, abs=1e-4)
        assert (await mind.explain("ferry")).memory.state is State.DEPRECATED


def test_it_stands_until_it_is_told_otherwise() -> None:
    clock = Clock()
    assert clock.now() == clock.now() == 1_800_000_000.0
    assert clock.advance(days=1, hours=2, minutes=3, seconds=4.5) == 1_800_000_000.0 + DAY + 7384.5
    assert clock.set("2027-01-15T08:00:00Z") == clock.now() == 1_800_000_000.0
    assert clock.set("2027-01-15T09:00:00+01:00") == 1_800_000_000.0
    assert repr(clock) == "Clock('2027-01-15T08:00:00+00:00')"
    assert Clock(repr(clock)[7:-2]).now() == clock.now()


@pytest.mark.parametrize("start", ["soon", float("nan"), float("inf"), None, 1e18])
def test_what_is_no_moment_is_refused(start: Any) -> None:
    with pytest.raises(InvalidInput, match="is not a moment"):
        Clock(start)


def test_time_passes_forwards() -> None:
    clock = Clock(100.0)
    with pytest.raises(InvalidInput, match="`set` goes anywhere"):
        clock.advance(days=-1)
    assert clock.now() == 100.0
    assert clock.set(50) == 50.0
