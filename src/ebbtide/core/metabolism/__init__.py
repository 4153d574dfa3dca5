"""The four ways a memory ages. Each is a frozen set of parameters with pure arithmetic over `Signals`.

A mind has exactly one of these.
To add another: write its module, name it in METABOLISMS, give it golden numbers.
"""

from typing import Any

from ebbtide.core.metabolism.activity import Activity
from ebbtide.core.metabolism.base import Forecast, Metabolism, Verdicts
from ebbtide.core.metabolism.network import Network
from ebbtide.core.metabolism.retention import Retention
from ebbtide.core.metabolism.score import Score

METABOLISMS: dict[str, type[Any]] = {m.name: m for m in (Activity, Network, Score, Retention)}

__all__ = ["METABOLISMS", "Activity", "Forecast", "Metabolism", "Network", "Retention", "Score", "Verdicts"]
