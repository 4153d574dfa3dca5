"""What stands before and after each memory in its conversation, by links of order.   SPEC K2.

Columns by id, so that a search looks its candidates up instead of going through their links. Of several neighbours on
one side the youngest counts: it makes no difference in which order links were made or loaded.
"""

from collections.abc import Callable

import numpy as np

from ebbtide.core.relations import CHINESE_ORDER, ENGLISH_ORDER
from ebbtide.core.signals import Column

FORWARD = (CHINESE_ORDER.forward, ENGLISH_ORDER.forward)
BACK = (CHINESE_ORDER.back, ENGLISH_ORDER.back)
_BEFORE, _AFTER = 0, 1

Look = Callable[[int], tuple[int, int]]  # from a memory's links: what stands before and after it


class Neighbours:
    def __init__(self) -> None:
        self._sides = np.zeros((2, 16), np.int64)  # by side and id; 0: there is none
        self._stale: set[int] = set()  # have lost a link: looked up anew when they are asked for

    def put(self, first: int, second: int) -> None:
        """`second` was said after `first`."""
        self._reserve(max(first, second) + 1)
        sides = self._sides
        sides[_AFTER, first] = max(sides[_AFTER, first], second)
        sides[_BEFORE, second] = max(sides[_BEFORE, second], first)

    def put_many(self, first: Column, second: Column) -> None:
        if len(first):
            self._reserve(int(max(first.max(), second.max())) + 1)
            np.maximum.at(self._sides[_AFTER], first, second)
            np.maximum.at(self._sides[_BEFORE], second, first)

    def unlinked(self, *memories: int) -> None:
        """These have lost a link of order; another may say the same."""
        self._stale.update(memories)

    def of(self, ids: Column, look: Look) -> tuple[Column, Column]:
        """The memories before and after each of these; 0: none."""
        if self._stale:
            for memory in self._stale.intersection(ids.tolist()):
                self._sides[:, memory] = look(memory)
                self._stale.discard(memory)
        before, after = self._sides.take(ids, axis=1, mode="clip")  # the last column is of no memory
        return before, after

    def nbytes(self) -> int:
        return self._sides.nbytes

    def _reserve(self, size: int) -> None:
        have = self._sides.shape[1]
        if size >= have:
            room = np.zeros((2, max(size + 1, 2 * have) - have), np.int64)
            self._sides = np.concatenate([self._sides, room], axis=1)
