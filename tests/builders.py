"""Builders of `Signals`: say what matters, the rest is a memory born at BIRTH and left alone since."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ebbtide.core.memory import STATES, Mark, State
from ebbtide.core.metabolism import Metabolism, Verdicts
from ebbtide.core.signals import COMMON, NEVER, NO_LINKS, OWN, LinkColumns, Signals

BIRTH = 1_750_000_000.0

# Parameters every mind has, as they are unless somebody says otherwise.
COMMON_DEFAULTS = {
    "trash_days": 30.0,
    "touch_spacing": 1.0,
    "count_hits": False,
    "candidates": 200,
    "spread": 1.0,
    "match_floor": 0.35,
    "max_retries": 15,
    "distil": "segments",
    "credit_threshold": 0.35,
    "journal_entries": 200_000,
    "rank_neighbour": 0.3,
    "rank_two_before": 0.25,
    "rank_two_after": 0.1,
    "rank_answer": 0.5,
    "rank_joint_words": 0.35,
    "rank_sentence": 0.25,
    "rank_last_sentence": 0.25,
    "rank_coverage": 0.2,
    "rank_time": 0.2,
    "rank_when": 0.2,
    "rank_user": 0.25,
    "rank_speaker": 0.05,
    "rank_question": -0.15,
    "rank_first_person": 0.1,
    "rank_recency": 0.1,
    "rank_superseded": -0.3,
    "budget_memories": 0,
    "budget_characters": 0,
}

_UNTOUCHED: dict[str, Any] = {
    "created_at": BIRTH,
    "last_accessed_at": BIRTH,
    "last_linked_at": NEVER,
    "last_touched_at": NEVER,
    "original_length": 100,
    "length": 100,
    "base": 50.0,
    "scored_at": BIRTH,
    "score": 50,
    "importance": 0.5,
    "strength": 1.0,
    "exposed_at": NEVER,
    "pruned_at": NEVER,
}


def rows(count: int, **values: Any) -> Signals:
    """So many memories, with ids from 1 on; each value is one for all or a sequence with one for each."""
    links, focus = values.pop("links", NO_LINKS), values.pop("focus", ())
    given = {"id": np.arange(1, count + 1), **_UNTOUCHED, **values}
    types = COMMON | OWN
    unknown = given.keys() - types.keys()
    assert not unknown, f"no such columns: {unknown}"
    columns: dict[str, Any] = {
        name: np.broadcast_to(np.asarray(given.get(name, 0), dtype), count).copy() for name, dtype in types.items()
    }
    return Signals(**columns, links=links, focus=focus)


def one(**values: Any) -> Signals:
    return rows(1, **values)


def links(
    *strengths: float,
    row: int | Sequence[int] = 0,
    since: int | Sequence[int] = 0,
    pinned: bool | Sequence[bool] = False,
) -> LinkColumns:
    """One outgoing link for each strength; the other values are one for all or one for each."""
    count = len(strengths)
    return LinkColumns(
        np.broadcast_to(np.asarray(row, np.int64), count).copy(),
        np.asarray(strengths, np.float64),
        np.broadcast_to(np.asarray(since, np.int64), count).copy(),
        np.broadcast_to(np.asarray(pinned, np.bool_), count).copy(),
    )


def table_row(memory: int, salt: int = 0, own: Sequence[str] = ()) -> dict[str, Any]:
    """A row for a `SignalTable`, as plain numbers, in which every column has a value of its own."""
    types = COMMON | {name: OWN[name] for name in own}
    values = {name: np.dtype(kind).type((salt + i) % 100).item() for i, (name, kind) in enumerate(types.items())}
    return values | {"id": memory}


def states(verdicts: Verdicts) -> list[State]:
    return [STATES[code] for code in verdicts.state.tolist()]


def marks(verdicts: Verdicts) -> list[Mark]:
    return [Mark(bits) for bits in verdicts.marks.tolist()]


def forecast(metabolism: Metabolism, s: Signals, now: float) -> dict[str, list[float]]:
    """For each event when each row reaches it: moments, or scans where scans count."""
    found: dict[str, list[float]] = {}
    for event in metabolism.fades_at(s, now):
        when = event.at if event.at is not None else event.scans
        assert when is not None
        found[event.event] = [float(value) for value in when]
    return found
