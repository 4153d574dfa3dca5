"""One compression cycle as arithmetic: which memories are scanned, in what order, and what becomes of each.   SPEC N6.

A scan looks only at a memory's own links, so no memory's fate in a cycle depends on another's, and all of them
can be worked out at once; carrying it out, one memory at a time, is the mind's business.
"""

from dataclasses import dataclass

import numpy as np

from ebbtide.core.metabolism import Network
from ebbtide.core.ranges import Ranges, within
from ebbtide.core.signals import Column, Signals

LEAVE, SHORTEN, FORGET = np.int8(0), np.int8(1), np.int8(2)


@dataclass(frozen=True, slots=True)
class CyclePlan:
    """Memories in scan order (scan_count, then id), what to do with each, and how long its text may be."""

    ids: Column
    action: Column
    target: Column


def plan_cycle(
    network: Network, s: Signals, *, upto: int, scanned: Ranges = (), passed: int | None = None
) -> CyclePlan:
    """What is left of a cycle over memories up to the id `upto`, of which some were scanned already.

    Focus points are neither scanned nor shortened. `scan_budget` bounds the cycle: the memories it `passed` count,
    also those it forgot (unless told how many: those of `scanned` that are alive).
    """
    done = within(s.id, scanned)
    rows = np.flatnonzero((s.id <= upto) & ~done & ~np.isin(s.id, s.focus))
    rows = rows[np.lexsort((s.id[rows], s.scan_count[rows]))]
    if network.scan_budget:
        rows = rows[: max(0, network.scan_budget - (int(done.sum()) if passed is None else passed))]
    action, target = next_fates(network, s)
    return CyclePlan(s.id[rows], action[rows], target[rows])


def next_fates(network: Network, s: Signals) -> tuple[Column, Column]:
    """What the next scan of each memory does to it, and how long its text may be then."""
    importance = network.vitality(s, 0.0, extra_scans=1)
    target = network.target_length(s, importance)
    gone = (importance == 0.0) | ((importance < 1.0) & (target < network.shortest))
    shorter = (importance < 1.0) & (target < s.length)
    action = np.where(gone, FORGET, np.where(shorter, SHORTEN, LEAVE))
    if s.pinned.any():
        action[s.pinned != 0] = LEAVE  # scanned like any other, so that its links wear as they would without the pin
    return action, target


def least_important(network: Network, s: Signals) -> int:
    """The row a full node pool gives up first; of equals the eldest.   SPEC N8."""
    return int(np.lexsort((s.id, network.vitality(s, 0.0)))[0])
