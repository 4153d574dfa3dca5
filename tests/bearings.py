"""An embedder that is told what to say: texts end in the cosine they are to have with an axis of their own subject."""

import hashlib
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

import ebbtide
from ebbtide.core.embedding import Embedder
from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.memory import DAY
from ebbtide.core.signals import Column
from ebbtide.mind import Mind
from ebbtide.mind.tools import Tools
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured

_SUBJECTS = 64


class Bearings:
    """`ferry @0.9` has cosine 0.9 with `ferry @1`, and 0 with whatever is about another subject.

    Two texts with cosines a and b have a·b + √(1−a²)·√(1−b²) with each other. Asked for its dimensions it knows them,
    unless it is `shy`: then only after its first answer.
    """

    name = "bearings"

    def __init__(self, shy: bool = False) -> None:
        self.dimensions = 0 if shy else 2 * _SUBJECTS
        self.fails = False
        self.asked = 0
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str]) -> Column:
        self.asked += len(texts)
        if self.fails:
            raise EmbedderFailed(detail="the wire is cut")
        if self.meanwhile is not None:
            then, self.meanwhile = self.meanwhile, None
            await then()
        self.dimensions = 2 * _SUBJECTS
        return np.array([_bearing(text) for text in texts], np.float32)

    async def aclose(self) -> None:
        pass


def _bearing(text: str) -> Column:
    subject, cosine = re.fullmatch(r"(.*?)(?: @([\d.]+))?(?:\n.*)?", text, re.DOTALL).groups()  # type: ignore[union-attr]
    value = float(cosine or 1.0)
    row = np.zeros(2 * _SUBJECTS)
    place = 2 * (hashlib.blake2b(subject.encode(), digest_size=1).digest()[0] % _SUBJECTS)
    row[place : place + 2] = value, math.sqrt(1.0 - value * value)
    return row


def tools(embedder: Embedder | None) -> Tools:
    analyzer = Analyzer()
    return Tools(analyzer=lambda: analyzer, embedder=lambda: embedder)


# The tests of suggestions are worked out with these thresholds, so that memories are low within days.
HIGH: dict[str, Any] = {"theta_active": 0.5, "theta_delete": -0.5}


async def mind_with(embedder: Embedder | None, clock: FakeClock, **params: object) -> Mind:
    store = MemoryStore()
    await store.apply(batch(configured("activity", **(HIGH | params))))
    return Mind("ada", store, clock, MemoryStore, tools=tools(embedder))


@asynccontextmanager
async def mind_of(where: Path | None, embedder: Embedder, clock: FakeClock) -> AsyncIterator[Mind]:
    """In RAM, or in this folder."""
    if where is None:
        yield await mind_with(embedder, clock)
        return
    opened = ebbtide.open("ada", data=where, metabolism="activity", clock=clock, embedder=embedder, **HIGH)
    async with opened as mind:
        yield mind


async def low_and_lonely(mind: Mind, clock: FakeClock, *texts: str, days: float = 20.0) -> None:
    """Put under their own words as keys, and left alone for so long."""
    for text in texts:
        await mind.put(text, key=text)
    clock.forward(days * DAY)
