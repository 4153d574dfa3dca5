"""A tiny embedder: each word has a place by its hash, and a text is the sum of its words. It can be made to fail."""

import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

from ebbtide.core.embedding import Embedder
from ebbtide.core.signals import Column
from ebbtide.mind import Mind
from ebbtide.mind.tools import Tools
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured

_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class Hashing:
    """`shy`: it tells its dimensions only with its first answer. `failure`: what it raises, or answers, instead."""

    def __init__(self, name: str = "hashing", dimensions: int = 16, shy: bool = False) -> None:
        self.name = name
        self._length = dimensions
        self.dimensions = 0 if shy else dimensions
        self.failure: Any = None
        self.texts: list[str] = []  # all it was asked for
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str]) -> Column:
        self.texts += texts
        if self.meanwhile is not None:
            then, self.meanwhile = self.meanwhile, None
            await then()
        if isinstance(self.failure, Exception):
            raise self.failure
        if self.failure is not None:
            answer: Column = self.failure
            return answer
        self.dimensions = self._length
        return np.array([hashed(text, self._length) for text in texts], np.float32)

    async def aclose(self) -> None:
        pass


def hashed(text: str, dimensions: int = 16) -> Column:
    row = np.zeros(dimensions)
    for word in _WORD.findall(text.lower()):
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
        row += np.random.default_rng(seed).standard_normal(dimensions)
    length = np.linalg.norm(row)
    return row / length if length else row


def tools(embedder: Embedder | None) -> Tools:
    analyzer = Analyzer()
    return Tools(analyzer=lambda: analyzer, embedder=lambda: embedder)


async def searchable(
    embedder: Embedder | None, metabolism: str = "activity", clock: FakeClock | None = None, **params: Any
) -> Mind:
    """A mind in RAM."""
    store = MemoryStore()
    await store.apply(batch(configured(metabolism, **params)))
    return Mind("ada", store, clock or FakeClock(), MemoryStore, tools=tools(embedder))
