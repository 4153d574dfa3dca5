"""The engine's own metabolisms as policies of `bench.forgetting`: the engine's changes folded into the engine's state,
the regime's vitality, and `Forget` for what leaves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bench.timelines import TimeLine
from ebbtide.core.admission import Admission
from ebbtide.core.changes import Change, Configure, Forget, PutLink, PutMemory, Scan, Touch
from ebbtide.core.memory import Content
from ebbtide.core.replay import fold
from ebbtide.core.signals import Column
from ebbtide.core.state import MindState

_STRENGTH = 0.5  # N4: of the links between neighbouring segments


class Engine:
    """One metabolism with its default parameters. A touch is journaled as one; links only where they age the mind."""

    metabolism = ""
    parameters: Mapping[str, Any] = {}

    def __init__(self, line: TimeLine, budget: int) -> None:
        self.line, self.size = line, len(line)
        self._state, self._seq = MindState(), 0
        self._apply(Configure(float(line.at[0]), self.metabolism, dict(self.parameters)))

    def put(self, item: int, at: float) -> None:
        self._apply(PutMemory(at, item + 1, Content(f"i{item}", self.line.texts[item]), at))

    def use(self, items: Sequence[int], at: float) -> None:
        if len(items):
            self._apply(Touch(at, tuple(item + 1 for item in items)))

    def drop(self, item: int, at: float) -> None:
        self._apply(Forget(at, item + 1, f"i{item}", "budget"))

    def victim(self, now: float) -> int:
        signals = self._state.signals()
        vitality = self._state.regime.metabolism.vitality(signals, now)
        lowest: int = signals.id[vitality == vitality.min()].min()
        return int(lowest) - 1

    def worth(self, now: float) -> Column:
        signals = self._state.signals()
        worth = np.zeros(self.size)
        worth[signals.id - 1] = self._state.regime.metabolism.vitality(signals, now)
        return worth

    def _apply(self, change: Change) -> None:
        """Admitted and folded, as a store does."""
        for admitted in Admission(self._state).admit((change,)):
            self._seq += 1
            fold(self._state, admitted, self._seq)


class Activity(Engine):
    metabolism = "activity"


class Score(Engine):
    metabolism = "score"


class Retention(Engine):
    metabolism = "retention"


class Network(Engine):
    """Neighbours of a session are linked both ways, and every session that begins scans the whole mind once (N4, N6).
    No focus: without a conversation's entities there is none."""

    metabolism = "network"

    def put(self, item: int, at: float) -> None:
        session = self.line.session
        follows = item > 0 and bool(session[item]) and session[item] == session[item - 1]
        if item > 0 and not follows:
            self._apply(Scan(at, ((1, item),)))
        super().put(item, at)
        if follows and f"i{item - 1}" in self._state.keys:
            self._apply(PutLink(at, item, item + 1, "next", _STRENGTH))
            self._apply(PutLink(at, item + 1, item, "previous", _STRENGTH))


ENGINE: dict[str, type[Engine]] = {each.metabolism: each for each in (Activity, Network, Score, Retention)}
