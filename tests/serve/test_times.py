"""Moments and spans as people type and read them."""

import pytest

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, HOUR
from ebbtide.serve.times import distance, iso, moment, relative, span

NOW = 1_794_700_800.0  # 2026-11-15T00:00:00Z


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("now", NOW),
        ("2026-11-15", NOW),
        ("2026-11-15T08:30", NOW + 8.5 * HOUR),
        ("2026-11-15 08:30:00", NOW + 8.5 * HOUR),
        ("2026-11-15T08:30:00Z", NOW + 8.5 * HOUR),
        ("2026-11-15T08:30+08:00", NOW + 0.5 * HOUR),
        ("-3d", NOW - 3 * DAY),
        ("+12h", NOW + 12 * HOUR),
        ("90m", NOW + 1.5 * HOUR),
        ("1.5h", NOW + 1.5 * HOUR),
        ("-2w", NOW - 14 * DAY),
        ("+1y", NOW + 365.25 * DAY),
        ("-30s", NOW - 30.0),
    ],
)
def test_a_moment_is_a_date_a_time_or_an_offset_from_now(typed: str, meant: float) -> None:
    assert moment(typed, NOW) == meant


@pytest.mark.parametrize(
    "typed",
    ["", "yesterday", "3 d", "--3d", "d", "2026-13-01", "2026-02-30", "99999-01-01", "+9999999y", "-9999y",
     f"+{'9' * 400}d", "2026-11-15T25:00", "0001-01-01T00:00+14:00x", "\ud800"],
)  # fmt: skip
def test_anything_else_is_no_moment_and_the_error_shows_how_to_say_one(typed: str) -> None:
    with pytest.raises(InvalidInput, match=r"is not a moment: use 2026-11-15"):
        moment(typed, NOW)


@pytest.mark.parametrize(("typed", "seconds"), [("90d", 90 * DAY), ("12h", 12 * HOUR), ("0s", 0.0), ("2.5m", 150.0)])
def test_a_span_is_a_number_with_a_unit(typed: str, seconds: float) -> None:
    assert span(typed) == seconds


@pytest.mark.parametrize("typed", ["", "90", "-90d", "+90d", "d", "90 d", "ninety", "9e9d", "nan"])
def test_a_span_has_no_sign_and_needs_a_unit(typed: str) -> None:
    with pytest.raises(InvalidInput, match="is not a span of time"):
        span(typed)


def test_moments_are_written_in_utc_to_the_second() -> None:
    assert iso(NOW + 0.25) == "2026-11-15T00:00:00Z"


@pytest.mark.parametrize("seconds", [1e300, -1e300])
def test_a_moment_beyond_the_calendar_is_written_in_seconds(seconds: float) -> None:
    assert iso(seconds) == f"{seconds:.0f} s"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 seconds"), (59.0, "59 seconds"), (60.0, "1.0 minutes"), (5400.0, "1.5 hours"),
     (16.118 * DAY, "16.1 days"), (-2 * 365.25 * DAY, "2.0 years")],
)  # fmt: skip
def test_a_distance_is_said_in_the_largest_unit_that_fits(seconds: float, said: str) -> None:
    assert distance(seconds) == said


def test_the_past_is_ago_and_the_future_is_ahead() -> None:
    assert relative(NOW + 2 * DAY, NOW) == "in 2.0 days"
    assert relative(NOW - 2 * DAY, NOW) == "2.0 days ago"
