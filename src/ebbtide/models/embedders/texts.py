"""What is done to texts before they are embedded, whoever does it."""

import re
from collections.abc import Iterable, Iterator, Sequence

PIECE = 256  # characters embedded at once
PIECES = 32  # of one text at most: what a text costs has an end

# Up to the last sentence's end in the second half of it, or else the last space there, or else just so far.
_HALF_OR_MORE = f".{{{PIECE // 2},{PIECE}}}"
_PIECE = re.compile(rf"{_HALF_OR_MORE}(?<=[.!?。！？；\n])|{_HALF_OR_MORE}(?=\s)|.{{1,{PIECE}}}", re.DOTALL)


def cleaned(text: str) -> str:
    """Without what no encoder knows, a lone half of a surrogate pair, and without space around it."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def pieces(text: str) -> list[str]:
    """The text in pieces of at most PIECE characters; of a very long one PIECES, spread evenly from start to end."""
    if len(text) <= PIECE:
        return [text] if text else []
    found = [piece for match in _PIECE.finditer(text) if (piece := match[0].strip())]
    if len(found) <= PIECES:
        return found
    return [found[place * (len(found) - 1) // (PIECES - 1)] for place in range(PIECES)]


def batches(texts: Iterable[str], count: int, size: int) -> Iterator[Sequence[str]]:
    """In turn, at most `count` of them and about `size` characters at once; a longer text stands alone."""
    batch: list[str] = []
    filled = 0
    for text in texts:
        if batch and (len(batch) == count or filled + len(text) > size):
            yield batch
            batch, filled = [], 0
        batch.append(text)
        filled += len(text)
    if batch:
        yield batch
