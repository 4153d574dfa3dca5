"""The small model that needs no model: grammar, word lists and counting. Deterministic, offline, two languages."""

from collections.abc import Sequence

from ebbtide.core.memory import Message
from ebbtide.core.ports import Distilled
from ebbtide.models.builtin.compress import compress
from ebbtide.models.builtin.distil import distil
from ebbtide.models.builtin.overlap import overlap
from ebbtide.models.builtin.relation import relation
from ebbtide.models.builtin.segment import segment


class BuiltinModel:
    """Implements `SmallModel`. It never fails: whatever text comes, there is an answer."""

    deterministic = True

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        return segment(messages)

    async def distil(self, segment: str) -> Distilled:
        return distil(segment)

    async def relation(self, segment: str, entity: str) -> str:
        return relation(segment, entity)

    async def compress(self, text: str, length: int) -> str:
        return compress(text, length)

    async def overlap(self, one: str, two: str) -> float:
        return overlap(one, two)

    async def aclose(self) -> None:
        """It holds nothing."""
