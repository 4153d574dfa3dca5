"""The memories that a state is compared with, where it depends on the others: all of a mind, or a fair sample.

The sample is chosen by a hash of the ids: 1 in 2ᵏ memories, with the least k that leaves at most PEERS. So it follows
from which memories there are, not from the order in which they came, and it changes little from one put to the next.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ebbtide.core.signals import COMMON, Column, Peers, Signals, SignalTable

PEERS = 4096
_SCATTER, _MASK = np.int64(2_654_435_761), np.int64(0xFFFFFFFF)
_READ = ("id", "created_at", "last_accessed_at", "length", "pinned")  # of the common columns, what reasons look at
_NOTHING: Column = np.empty(0)


class Sampler:
    """Finds the peers of a mind; looks only at the rows that came since it was asked last."""

    def __init__(self) -> None:
        self._rows: Column = np.empty(0, np.int64)
        self._seen = (0, 0, 0)  # rows looked at, removals of the table before that, k
        self._peers: tuple[int, Peers] | None = None  # as of this journal entry

    def peers(self, table: SignalTable, seq: int, mind: Mapping[str, Any]) -> Peers:
        """`mind`: what holds of all its memories, `newness` and `variety`."""
        if self._peers is None or self._peers[0] != seq:
            self._peers = seq, Peers(self._signals(table, mind))
        return self._peers[1]

    def _signals(self, table: SignalTable, mind: Mapping[str, Any]) -> Signals:
        rows: Column | slice = slice(0, len(table)) if len(table) <= PEERS else self._sample(table)
        columns: dict[str, Any] = dict.fromkeys(COMMON, _NOTHING)
        columns |= {name: column[rows] for name, column in table.columns.items() if name in _READ or name not in COMMON}
        return Signals(**columns, **mind)

    def _sample(self, table: SignalTable) -> Column:
        halvings = max(len(table) - 1, 1).bit_length() - (PEERS - 1).bit_length()
        looked, removals, before = self._seen
        if (removals, before) != (table.removals, halvings):
            self._rows, looked = self._rows[:0], 0
        hashed = (table.columns["id"][looked : len(table)] * _SCATTER) & _MASK
        self._rows = np.concatenate([self._rows, looked + np.flatnonzero(hashed <= _MASK >> halvings)])
        self._seen = len(table), table.removals, halvings
        return self._rows
