"""An embedder behind any OpenAI-compatible endpoint: Ollama, vLLM, llama.cpp, LM Studio, OpenAI.

One call of `embed` is one attempt; trying again is the caller's business. What a server does not take is left out at
once and for good: the wish for so many dimensions, and texts longer than it has room for.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from ebbtide.core.embedding import checked
from ebbtide.core.errors import EmbedderFailed, InvalidInput
from ebbtide.core.signals import Column
from ebbtide.models.embedders.texts import batches, cleaned
from ebbtide.models.endpoint import Endpoint

LONGEST = 8192  # characters of one text that are sent: beyond that most models have no room, and little is gained
SHORTEST = 128  # a server that does not take even this many does not mean the length
TOGETHER = 32  # texts in one request: some servers take no more
SIZE = 65_536  # characters in one request, about

_REFUSING = frozenset({400, 413, 422, 500, 501})  # some servers answer 500 where 400 is meant
_TOO_LONG = re.compile(r"too (?:long|large|many tokens)|context|maximum|exceed|batch size", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a server wants to be asked, as far as it is known."""

    dimensions: int  # to ask for; 0: leave that to the server
    longest: int = LONGEST

    def body(self, texts: Sequence[str]) -> dict[str, Any]:
        body: dict[str, Any] = {"input": [text[: self.longest] for text in texts], "encoding_format": "float"}
        return {**body, "dimensions": self.dimensions} if self.dimensions else body

    def after(self, status: int, complaint: str) -> "Manner | None":
        """The next thing to try after this complaint; None if it is not about how the server was asked."""
        if status not in _REFUSING:
            return None
        if self.dimensions and re.search(r"dimension|matryoshka", complaint, re.IGNORECASE):
            return replace(self, dimensions=0)
        long = status == 413 or _TOO_LONG.search(complaint)
        return replace(self, longest=self.longest // 2) if long and self.longest > SHORTEST else None

    def shared_with(self, other: "Manner") -> "Manner":
        """What neither of them has to do without: two requests may have learned at the same time."""
        return Manner(min(self.dimensions, other.dimensions), min(self.longest, other.longest))


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Row]


class OpenAIEmbedder:
    """An `Embedder`. `dimensions` is 0 until the first answer, if it was not given."""

    def __init__(
        self, base_url: str, model: str, *, api_key: str | None = None, timeout: float = 60.0, dimensions: int = 0
    ) -> None:
        """`base_url` like http://localhost:11434/v1; `timeout` in seconds, of one request of up to 32 texts.

        `dimensions` other than 0 are asked for, and nothing else is taken for an answer. Raises InvalidInput if one
        of them cannot be used. Nothing is sent yet.
        """
        if dimensions < 0:
            raise InvalidInput(problem=f"the embedder's dimensions must be 0 or more, not {dimensions}")
        self._endpoint = Endpoint(
            base_url, "/embeddings", model, api_key, timeout, who="embedder", failure=EmbedderFailed
        )
        self._manner = Manner(dimensions)
        self.name = f"openai:{self._endpoint.model}"
        self.dimensions = dimensions

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._endpoint.url!r}, {self._endpoint.model!r})"  # and never the key

    async def embed(self, texts: Sequence[str]) -> Column:
        """See `Embedder.embed`. What is said twice is sent once, and what is blank not at all."""
        clean = [cleaned(text)[:LONGEST] for text in texts]
        asked = list(dict.fromkeys(text for text in clean if text))
        if clean and not asked and not self.dimensions:
            asked = ["."]  # zeros are the answer, but how many?
        found: dict[str, Column] = {}
        for batch in batches(asked, TOGETHER, SIZE):
            found |= zip(batch, await self._vectors(batch), strict=True)
        nothing = np.zeros(self.dimensions, np.float32)
        rows = [found.get(text, nothing) for text in clean]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    async def aclose(self) -> None:
        """See `Embedder.aclose`."""
        await self._endpoint.aclose()

    async def _vectors(self, texts: Sequence[str]) -> Column:
        manner, response = await self._endpoint.ask(self._manner, lambda way: way.body(texts))
        self._manner = Manner(
            min(manner.dimensions, self._manner.dimensions), min(manner.longest, self._manner.longest)
        )
        rows = checked(_in_order(self._endpoint.json(response)), len(texts), self.dimensions)
        self.dimensions = rows.shape[1]
        return rows


def _in_order(reply: Any) -> list[list[float]]:
    """The vectors by their index; servers that give none answer in the order they were asked."""
    if isinstance(reply, Mapping) and "data" not in reply:
        raise EmbedderFailed(detail="the server's reply has no data")
    try:
        data = msgspec.convert(reply, _Answer).data
    except msgspec.ValidationError as error:
        raise EmbedderFailed(detail=f"the answer has the wrong shape: {error}") from None
    if all(row.index is None for row in data):
        return [row.embedding for row in data]
    places = {row.index: row.embedding for row in data}
    if places.keys() != set(range(len(data))):
        raise EmbedderFailed(detail=f"the {len(data)} vectors are not numbered from 0 to {len(data) - 1}")
    return [places[place] for place in range(len(data))]
