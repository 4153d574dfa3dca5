"""Asking the small model, patiently: again after a failure or a faulty answer, with growing pauses.   SPEC N7.

`max_retries` counts attempts, the first included: 15 means that the model is asked fifteen times and no more. Zero
still asks once, for a mind that never asks could not remember. A server that says when to come back (`retry_after`
in the facts of its ModelFailed) is given that long, within reason. Being cancelled ends it at once, in a pause too.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ebbtide.core.errors import ModelFailed

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait, in seconds: `first`, then `factor` times as long each time, never longer than `longest`."""

    first: float = 0.1
    factor: float = 2.0
    longest: float = 10.0
    patience: float = 60.0  # the longest a server may ask us to wait: a mind is not put off until tomorrow

    def pause(self, failures: int, wanted: float = 0.0) -> float:
        """The pause after so many failures (from 1 on), if the server wanted one of at least `wanted` seconds."""
        grown = self.longest
        if failures <= 64:  # beyond that the power leaves the floats, and the cap is long reached
            grown = min(self.first * self.factor ** (failures - 1), self.longest)
        return max(grown, min(wanted, self.patience))


BACKOFF = Backoff()


async def ask(
    attempt: Callable[[], Awaitable[T]],
    check: Callable[[T], str | None],
    *,
    retries: int,
    sleep: Sleep = asyncio.sleep,
    backoff: Backoff = BACKOFF,
) -> T:
    """The first answer in which `check` finds nothing wrong, of at most `retries` attempts and at least one.

    Raises ModelFailed with the last reason and, in its facts, how many `attempts` there were. Any other error is
    not the model's and passes at once.
    """
    attempts, reason = max(1, retries), ""
    for failures in range(1, attempts + 1):
        wanted = 0.0
        try:
            answer = await attempt()
        except ModelFailed as error:
            reason, wanted = str(error.facts.get("detail", error)), float(error.facts.get("retry_after") or 0.0)
        else:
            fault = check(answer)
            if fault is None:
                return answer
            reason = f"the answer was refused: {fault}"
        if failures < attempts:
            await sleep(backoff.pause(failures, wanted))
    raise ModelFailed(detail=f"{reason} (asked {_times(attempts)})", attempts=attempts)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


class Asker:
    """How one mind asks: so many attempts, and how it waits in between."""

    def __init__(self, retries: int, sleep: Sleep = asyncio.sleep, backoff: Backoff = BACKOFF) -> None:
        self._retries = retries
        self._sleep = sleep
        self._backoff = backoff

    def at_most(self, retries: int) -> "Asker":
        """The same, but with no more attempts than this."""
        return Asker(min(self._retries, retries), self._sleep, self._backoff)

    async def ask(self, attempt: Callable[[], Awaitable[T]], check: Callable[[T], str | None]) -> T:
        """See `ask`."""
        return await ask(attempt, check, retries=self._retries, sleep=self._sleep, backoff=self._backoff)
