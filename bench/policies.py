"""Who leaves first: the rules of others that `bench.forgetting` compares tide with.

A policy is told of puts, confirmed uses and departures, and says how much it wants to keep each living item. The lowest
leaves; of equals the oldest. Items are numbers from 0, in the order they arrive.
"""

from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

import numpy as np

from bench.timelines import TimeLine
from ebbtide.core.memory import DAY
from ebbtide.core.signals import Column


class Policy(Protocol):
    def put(self, item: int, at: float) -> None: ...
    def use(self, items: Sequence[int], at: float) -> None: ...
    def drop(self, item: int, at: float) -> None: ...
    def victim(self, now: float) -> int:
        """The item that leaves now."""
        ...

    def worth(self, now: float) -> Column:
        """How much each of the items wants keeping; only those of living items mean anything."""
        ...


class Ranked:
    """A policy that follows from one number for each item."""

    def __init__(self, line: TimeLine, budget: int) -> None:
        self.line, self.size = line, len(line)
        self.alive = np.zeros(self.size, np.bool_)
        self.born = np.zeros(self.size)
        self.used_at = np.zeros(self.size)
        self.uses = np.zeros(self.size)

    def put(self, item: int, at: float) -> None:
        self.alive[item] = True
        self.born[item] = self.used_at[item] = at

    def use(self, items: Sequence[int], at: float) -> None:
        some = np.asarray(items, np.int64)
        self.uses[some] += 1
        self.used_at[some] = at

    def drop(self, item: int, at: float) -> None:
        self.alive[item] = False

    def victim(self, now: float) -> int:
        living = np.flatnonzero(self.alive)
        return int(living[np.argmin(self.worth(now)[living])])

    def worth(self, now: float) -> Column:
        raise NotImplementedError


class Random(Ranked):
    def __init__(self, line: TimeLine, budget: int) -> None:
        super().__init__(line, budget)
        self._worth = np.random.default_rng(len(line)).random(len(line))

    def worth(self, now: float) -> Column:
        return self._worth


class Fifo(Ranked):
    def worth(self, now: float) -> Column:
        return self.born


class Lru(Ranked):
    def worth(self, now: float) -> Column:
        return self.used_at


class Lfu(Ranked):
    """By the number of uses; of equals the one that was used, or born, longest ago."""

    def worth(self, now: float) -> Column:
        return self.uses + self.used_at / 1e11


class Ebbinghaus(Ranked):
    """R = exp(−idle / S); S is a day, and each use doubles it."""

    def worth(self, now: float) -> Column:
        worth: Column = -(now - self.used_at) / (DAY * 2.0**self.uses)  # the exponent alone: the order is the same
        return worth


class ActR(Ranked):
    """Base-level learning of ACT-R, B = ln Σ t^−0.5 over birth and every use."""

    def __init__(self, line: TimeLine, budget: int) -> None:
        super().__init__(line, budget)
        self._items: list[int] = []
        self._times: list[float] = []

    def put(self, item: int, at: float) -> None:
        super().put(item, at)
        self._note([item], at)

    def use(self, items: Sequence[int], at: float) -> None:
        super().use(items, at)
        self._note(items, at)

    def worth(self, now: float) -> Column:
        ages = np.maximum(now - np.array(self._times), 1.0)
        return np.bincount(np.array(self._items), weights=ages**-0.5, minlength=self.size)

    def _note(self, items: Sequence[int], at: float) -> None:
        self._items += items
        self._times += [at] * len(items)


class Fsrs(Ranked):
    """FSRS-6 with its published parameters: a put is the first review, each use one more, all rated good; what is
    least likely to be recalled leaves. Stability is the package's own; recall is its curve over real-valued days."""

    def __init__(self, line: TimeLine, budget: int) -> None:
        from fsrs import Card, Rating, Scheduler

        super().__init__(line, budget)
        self._scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
        self._new, self._good = Card, Rating.Good
        self._cards: dict[int, Card] = {}
        self._stability = np.ones(self.size)
        parameters = self._scheduler.parameters
        self._decay = -parameters[20]
        self._factor = 0.9 ** (1 / self._decay) - 1

    def put(self, item: int, at: float) -> None:
        super().put(item, at)
        self._cards[item] = self._new(card_id=item)
        self._review(item, at)

    def use(self, items: Sequence[int], at: float) -> None:
        super().use(items, at)
        for item in items:
            self._review(item, at)

    def worth(self, now: float) -> Column:
        idle = np.maximum(now - self.used_at, 0.0) / DAY
        worth: Column = (1 + self._factor * idle / self._stability) ** self._decay
        return worth

    def _review(self, item: int, at: float) -> None:
        card, _ = self._scheduler.review_card(self._cards[item], self._good, datetime.fromtimestamp(at, UTC))
        self._cards[item] = card
        assert card.stability is not None
        self._stability[item] = card.stability


class S3Fifo(Ranked):
    """A small queue of a tenth of the budget, a main queue; what was used in the small one moves to the main one.

    The ghost queue of the original has nothing to do here: an item that left does not come back.
    """

    def __init__(self, line: TimeLine, budget: int) -> None:
        super().__init__(line, budget)
        self._small: deque[int] = deque()
        self._main: deque[int] = deque()
        self._room = max(1, budget // 10)

    def put(self, item: int, at: float) -> None:
        super().put(item, at)
        self._small.append(item)

    def use(self, items: Sequence[int], at: float) -> None:
        super().use(items, at)
        self.uses = np.minimum(self.uses, 3)

    def victim(self, now: float) -> int:
        while True:
            if len(self._small) > self._room or not self._main:
                item = self._small.popleft()
                if not self.uses[item]:
                    return item
                self.uses[item] = 0
                self._main.append(item)
            else:
                item = self._main.popleft()
                if not self.uses[item]:
                    return item
                self.uses[item] -= 1
                self._main.append(item)

    def worth(self, now: float) -> Column:
        return self.uses


OTHERS: dict[str, type[Ranked]] = {
    "random": Random,
    "FIFO": Fifo,
    "LRU": Lru,
    "LFU": Lfu,
    "S3-FIFO": S3Fifo,
    "Ebbinghaus": Ebbinghaus,
    "FSRS-6": Fsrs,
    "ACT-R": ActR,
}
