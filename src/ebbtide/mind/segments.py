"""From messages to segments: where they are divided, when each was said, its gist, and the facts it states.   SPEC C14.

Every mind understands conversations this way; a network mind also asks for relations (`remember`).
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from ebbtide.core.answers import distilled_fault, facts_fault, segments_fault, usable_facts
from ebbtide.core.errors import ModelFailed
from ebbtide.core.memory import Message
from ebbtide.core.ports import Distilled, FactFinder, SmallModel
from ebbtide.core.sources import said_at
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


class Reader:
    """Asks the small model about a conversation. Raises ModelFailed when there is no usable answer."""

    def __init__(self, model: SmallModel, asker: Asker, *, facts: bool) -> None:
        """`facts`: look for facts too, if the model can."""
        self._model = model
        self._asker = asker
        self._finder = model if facts and isinstance(model, FactFinder) else None

    async def divide(self, messages: Sequence[Message]) -> list[tuple[str, float | None]]:
        """The segments, each with the time it was said at."""
        segments = await self._asker.ask(
            lambda: self._model.segment(messages), lambda found: segments_fault(messages, found)
        )
        return list(zip(segments, said_at(messages, segments), strict=True))

    async def read(self, text: str, at: float | None) -> Segment:
        gist = await self._asker.ask(lambda: self._model.distil(text), lambda found: distilled_fault(text, found))
        return Segment(text, gist, at, await self._facts(text))

    async def segments(self, messages: Sequence[Message]) -> list[Segment]:
        found = []
        for text, at in await self.divide(messages):
            found.append(await self.read(text, at))
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
