"""From messages to segments: who said each and when, its gist, and the facts it states.   SPEC C14.

Every mind understands conversations this way; a network mind also asks for relations (`remember`).
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ebbtide.core.answers import distilled_fault, facts_fault, segments_fault, usable_facts
from ebbtide.core.errors import ModelFailed
from ebbtide.core.memory import Message
from ebbtide.core.ports import Distilled, FactFinder, SmallModel
from ebbtide.core.sources import said_at, said_by
from ebbtide.mind.asking import Asker

log = logging.getLogger("ebbtide")

SEGMENT, FACT = "segment", "fact"
FACTS = "facts"  # the value of the parameter `distil` that asks for them
NO_FACTS = (
    'distil = "facts" takes a served model (EBBTIDE_MODEL=openai): the built-in one finds no facts, so segments alone'
    " are kept"
)
_FACT_ATTEMPTS = 3  # facts are an addition: a model that keeps inventing must not hold up the queue


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of a conversation. `at` is None where no message had a timestamp."""

    text: str
    gist: Distilled
    at: float | None = None
    facts: tuple[str, ...] = ()
    speaker: str = ""


class Piece(NamedTuple):
    """A segment before it is understood: what was said, when, and who said most of it."""

    text: str
    at: float | None
    speaker: str


class Reader:
    """Asks the small model about a conversation. Raises ModelFailed when there is no usable answer."""

    def __init__(self, model: SmallModel, asker: Asker, *, facts: bool) -> None:
        """`facts`: look for facts too, if the model can."""
        self._model = model
        self._asker = asker
        self._finder = model if facts and isinstance(model, FactFinder) else None

    async def divide(self, messages: Sequence[Message]) -> list[Piece]:
        """The segments, each with its time and its speaker."""
        segments = await self._asker.ask(
            lambda: self._model.segment(messages), lambda found: segments_fault(messages, found)
        )
        told = zip(segments, said_at(messages, segments), said_by(messages, segments), strict=True)
        return [Piece(*piece) for piece in told]

    async def read(self, piece: Piece) -> Segment:
        text = piece.text
        gist = await self._asker.ask(lambda: self._model.distil(text), lambda found: distilled_fault(text, found))
        return Segment(text, gist, piece.at, await self._facts(text), piece.speaker)

    async def segments(self, messages: Sequence[Message]) -> list[Segment]:
        found = []
        for piece in await self.divide(messages):
            found.append(await self.read(piece))
            await asyncio.sleep(0)  # a model in this process never waits: other tasks, and Ctrl-C, get their turn here
        return found

    async def _facts(self, text: str) -> tuple[str, ...]:
        """Those that the segment bears out. Without any the segment is kept all the same."""
        finder = self._finder
        if finder is None:
            return ()
        asker = self._asker.at_most(_FACT_ATTEMPTS)
        try:
            found = await asker.ask(lambda: finder.facts(text), lambda answer: facts_fault(text, answer))
        except ModelFailed as error:
            log.warning("a segment is kept without facts: %s", error)
            return ()
        return tuple(usable_facts(text, found))
