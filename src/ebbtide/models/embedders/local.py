"""What embedders in this process have in common: a thread of their own, short turns, and a few texts remembered."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ebbtide.core.embedding import checked
from ebbtide.core.errors import EmbedderFailed
from ebbtide.core.signals import Column
from ebbtide.models.embedders.texts import PIECE, batches, cleaned, pieces

TURN = 512  # characters encoded before somebody else may have a turn: some ten milliseconds
REMEMBERED = 512  # texts asked for alone: queries, which come again

Encode = Callable[[Sequence[str]], Column]  # short, clean texts to as many vectors


class LocalEmbedder:
    """An `Embedder` that encodes in a thread of its own, one batch at a time.

    A text longer than PIECE characters is embedded as the mean of its pieces, each weighing as much as it is long;
    a blank one as zeros. A long call is done in turns: a query that comes meanwhile waits for one of them, not for all.
    """

    def __init__(self, name: str, dimensions: int, encode: Encode) -> None:
        self.name = name
        self.dimensions = dimensions
        self._encode = encode
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._lately: OrderedDict[str, Column] = OrderedDict()
        self._closed = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    async def embed(self, texts: Sequence[str]) -> Column:
        """See `Embedder.embed`."""
        self._require_open()
        clean = [cleaned(text) for text in texts]
        if len(clean) == 1 and clean[0] in self._lately:
            self._lately.move_to_end(clean[0])
            return self._lately[clean[0]].copy()
        rows = await self._rows(clean)
        if len(clean) == 1:
            self._remember(clean[0], rows)
        return rows

    async def aclose(self) -> None:
        """See `Embedder.aclose`."""
        self._closed = True
        self._lately.clear()
        self._thread.shutdown(wait=False)  # whoever has a turn may end it

    async def _rows(self, texts: Sequence[str]) -> Column:
        """Everything that is said twice is encoded once."""
        parts = {text: pieces(text) for text in dict.fromkeys(texts)}
        vectors = await self._vectors(list(dict.fromkeys(piece for found in parts.values() for piece in found)))
        rows = np.zeros((len(texts), self.dimensions))
        for row, text in enumerate(texts):
            for piece in parts[text]:
                rows[row] += vectors[piece] * len(piece)
        return checked(rows, len(texts), self.dimensions)

    async def _vectors(self, texts: Sequence[str]) -> dict[str, Column]:
        loop, found = asyncio.get_running_loop(), dict[str, Column]()
        for batch in batches(texts, len(texts), TURN):
            self._require_open()  # it may have been closed between two turns
            answer = await loop.run_in_executor(self._thread, self._encode, batch)
            found |= zip(batch, checked(answer, len(batch), self.dimensions), strict=True)
        return found

    def _require_open(self) -> None:
        if self._closed:
            raise EmbedderFailed(detail="it is closed")

    def _remember(self, text: str, rows: Column) -> None:
        if len(text) <= PIECE:
            self._lately[text] = rows.copy()
            if len(self._lately) > REMEMBERED:
                self._lately.popitem(last=False)
