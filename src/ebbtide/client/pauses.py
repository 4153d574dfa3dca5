"""How long to wait before a request is sent again, and when to stop sending it."""

import random
import time
from collections.abc import Callable, Mapping

_FIRST, _LONGEST = 0.05, 2.0  # seconds, doubled each time

Clock = Callable[[], float]


class Pauses:
    """Those of one request, counted from its first failure: one that took long to fail is sent once more all the same.

    Each is between half of what it could be and all of it, so that those whom one server has left do not all come back
    in the same moment. A server that says when to come back is given that long. The last pause ends with the patience.
    """

    def __init__(
        self, patience: float, clock: Clock = time.monotonic, chance: Callable[[], float] = random.random
    ) -> None:
        self.patience, self._clock, self._chance = patience, clock, chance
        self._since: float | None = None
        self._grown = _FIRST

    def next(self, wanted: float = 0.0) -> float | None:
        """Seconds; None: it has been enough."""
        now = self._clock()
        self._since = now if self._since is None else self._since
        left = self._since + self.patience - now
        if left <= 0.0:
            return None
        pause = wanted + self._grown * (1.0 + self._chance()) / 2.0
        self._grown = min(self._grown * 2.0, _LONGEST)
        return min(pause, left)


def wanted(headers: Mapping[str, str]) -> float:
    """The seconds a server asks for in Retry-After. A date there is left alone: clocks differ."""
    said = headers.get("retry-after", "")
    return float(said) if said.isascii() and said.isdecimal() else 0.0
