"""What the mind needs from an embedder, and what can be wrong with its answer."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.signals import Column

_UNIT = 1e-6  # how far from 1 the square of a length may be


class Embedder(Protocol):
    """Texts to vectors: the nearer in meaning, the larger the dot product. Raises EmbedderFailed if it has no answer.

    The same text always gets the same vector, but for the last bits. Used by one event loop, by as many tasks as you
    like.
    """

    @property
    def name(self) -> str:
        """Which one it is. Vectors of two names must never be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """How long its vectors are; 0 if that is known only after the first answer."""
        ...

    async def embed(self, texts: Sequence[str]) -> Column:
        """One row for each text, in the order given: float32 and of unit length, or zeros where nothing is said.

        One call is one attempt. `retry_after` in the facts of a failure says in how many seconds to come again, if
        that is known.
        """
        ...

    async def aclose(self) -> None:
        """Let go of whatever it holds. Closing twice is closing once; a closed embedder fails."""
        ...


def checked(answer: Any, count: int, dimensions: int) -> Column:
    """The answer as an embedder promises it; `dimensions` 0: as many as it has. Raises EmbedderFailed otherwise.

    Lengths are not the embedder's business: every row is brought to unit length, and a row of zeros stays one.
    """
    try:
        rows = np.asarray(answer, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise EmbedderFailed(detail="its vectors are not numbers, or not all of the same length") from None
    if rows.ndim != 2 or len(rows) != count:
        raise EmbedderFailed(detail=f"{count} vectors were expected, not an array of shape {rows.shape}")
    if not rows.shape[1] or dimensions not in (0, rows.shape[1]):
        wanted = f"{dimensions} were expected" if dimensions else "there must be some"
        raise EmbedderFailed(detail=f"its vectors have {rows.shape[1]} dimensions, {wanted}")
    if not np.isfinite(rows).all():
        raise EmbedderFailed(detail="a vector has an infinite part, or one that is not a number")
    return rows.astype(np.float32) if _is_unit(rows) else _unit(rows)


def _is_unit(rows: Column) -> bool:
    """As most embedders answer."""
    with np.errstate(over="ignore"):
        return bool(np.abs(np.vecdot(rows, rows) - 1.0).max(initial=0.0) < _UNIT)


def _unit(rows: Column) -> Column:
    """Scaled by the largest part first: the squares of very large or very small ones would leave the floats."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest > 0.0, largest, 1.0)
    lengths = np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    return (scaled / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
