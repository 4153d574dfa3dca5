"""What a takeover tells. Thousands of rows may have the same flaw: each kind is said once, with a count."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]  # done, total


@dataclass(frozen=True, slots=True)
class Tally:
    """Something that happened `count` times, and where it happened first."""

    reason: str
    count: int
    first: str

    def __str__(self) -> str:
        times = f"{self.count:,} × " if self.count > 1 else ""
        where = f" ({'first: ' if self.count > 1 else ''}{self.first})" if self.first else ""
        return f"{times}{self.reason}{where}"


@dataclass(frozen=True, slots=True)
class Takeover:
    """What came over, which older links could not (`skipped`), and what was not taken at its word (`warnings`).

    Nothing is lost in either case: the older table is kept as it was.
    """

    memories: int
    links: int
    skipped: tuple[Tally, ...] = ()
    warnings: tuple[Tally, ...] = ()


class Report:
    def __init__(self) -> None:
        self._skipped: dict[str, Tally] = {}
        self._warnings: dict[str, Tally] = {}

    def skip(self, reason: str, where: str) -> None:
        _count(self._skipped, reason, where)

    def warn(self, reason: str, where: str = "") -> None:
        _count(self._warnings, reason, where)

    def takeover(self, memories: int, links: int) -> Takeover:
        return Takeover(memories, links, tuple(self._skipped.values()), tuple(self._warnings.values()))


def _count(tallies: dict[str, Tally], reason: str, where: str) -> None:
    before = tallies.get(reason, Tally(reason, 0, where))
    tallies[reason] = Tally(reason, before.count + 1, before.first)
