"""Pauses between two attempts: growing, never all alike, as long as the server wants, and not for ever."""

import pytest

from ebbtide.client.pauses import Pauses, wanted
from tests.helpers import FakeClock


def taken(clock: FakeClock, pauses: Pauses) -> list[float]:
    """All of them, one after the other."""
    found = []
    while (pause := pauses.next()) is not None:
        found.append(pause)
        clock.forward(pause)
    return found


def test_they_double_up_to_two_seconds_and_the_last_ends_with_the_patience() -> None:
    clock = FakeClock(0.0)
    # 0.05 + 0.1 + 0.2 + 0.4 + 0.8 + 1.6 + 2 + 2 = 7.15, which leaves 0.85 of the eight seconds
    pauses = taken(clock, Pauses(8.0, clock.now, lambda: 1.0))
    assert pauses == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 0.85])


def test_chance_takes_up_to_half_of_a_pause() -> None:
    clock = FakeClock(0.0)
    pauses = Pauses(30.0, clock.now, lambda: 0.0)
    assert [pauses.next() for _ in range(8)] == [0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_a_server_is_given_the_time_it_wants_as_far_as_patience_goes() -> None:
    clock = FakeClock(0.0)
    pauses = Pauses(30.0, clock.now, lambda: 1.0)
    assert pauses.next(2.0) == 2.05
    assert pauses.next(3600.0) == 30.0
    clock.forward(30.0)
    assert pauses.next(1.0) is None


def test_patience_counts_from_the_first_failure() -> None:
    clock = FakeClock(0.0)
    pauses = Pauses(30.0, clock.now, lambda: 1.0)
    clock.forward(30.0)  # as long as the first attempt took to fail
    assert pauses.next() == 0.05
    clock.forward(30.05)
    assert pauses.next() is None
    assert Pauses(0.0, clock.now).next() is None


@pytest.mark.parametrize(
    ("said", "seconds"), [("2", 2.0), ("0", 0.0), ("-1", 0.0), ("soon", 0.0), ("Sun, 15 Nov 2026 12:00:00 GMT", 0.0)]
)
def test_only_seconds_are_understood(said: str, seconds: float) -> None:
    assert wanted({"retry-after": said}) == seconds
    assert wanted({}) == 0.0
