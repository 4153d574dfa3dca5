"""A span of time, as a question may name it."""

from typing import NamedTuple


class Span(NamedTuple):
    """From one moment to another, both in seconds since the epoch, UTC: since ≤ t < until."""

    since: float
    until: float
