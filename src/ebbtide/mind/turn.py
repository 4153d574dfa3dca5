"""One turn of an agent: what is remembered goes into the prompt, and what the answer drew on is counted as used.

    async with mind.turn("When does the ferry leave?") as turn:
        reply = await my_model(system=turn.context, user=turn.question)
        turn.answered(reply)

Made of the verbs `search` and `credit` alone, so that it works with every kind of mind.
"""

from types import TracebackType
from typing import Any, Protocol, Self

from ebbtide.core.errors import InvalidInput
from ebbtide.mind.context import LEAST, packed, remarks
from ebbtide.mind.crediting import Credited, Crediting
from ebbtide.mind.search import Found, Hit
from ebbtide.mind.window import Count, estimated_tokens

TOKENS = 1000


class Verbs(Protocol):
    """What a turn needs of a mind."""

    async def search(self, text: str, k: int = 10, **options: Any) -> Found: ...

    async def credit(self, answer: str, hits: Any = None, *, question: str | None = None) -> Credited: ...


class Turn:
    """Made by `mind.turn`. Entering it searches, leaving it credits: but only what was `answered`, and not if the
    block ends with an error.

    `context` is for the prompt and at most `tokens` long; it is empty if nothing was found. It says so if memories
    that match are hidden because of their state, or if no hit is a good match. `hits` are the memories it
    shows, best first, and then those that `look_up` showed. `used` is what came of it: None until the block has ended,
    and for good if nothing was answered.
    """

    def __init__(
        self, mind: Any, question: str, *, tokens: int = TOKENS, k: int = 10, count: Count | None = None, **search: Any
    ) -> None:
        self.question, self.context = question, ""
        self.hits: tuple[Hit, ...] = ()
        self.used: Credited | None = None
        self._mind: Verbs = mind
        self._tokens, self._count, self._search = tokens, count or estimated_tokens, {"k": k, **search}
        self._answer: str | None = None

    def answered(self, text: str) -> None:
        """The model's answer. Of several the last counts."""
        if not isinstance(text, str):
            raise InvalidInput(problem=f"an answer is a text, not {text!r:.80}")
        self._answer = text

    async def look_up(self, question: str, tokens: int | None = None) -> str:
        """Another context in the same turn, for a model that asks for one. Its memories can be credited, too."""
        found = await self._mind.search(question, **self._search)
        budget, said = self._tokens if tokens is None else tokens, remarks(found)
        room = budget - self._count(f"{said}\n") if said else budget
        context, hits = packed(found.hits, room if room >= LEAST else budget, self._count)
        context = "\n".join(part for part in (said if room >= LEAST else "", context) if part)
        known = {hit.memory.key for hit in self.hits}
        self.hits += tuple(hit for hit in hits if hit.memory.key not in known)
        return context

    async def __aenter__(self) -> Self:
        self.context = await self.look_up(self.question)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if error is None and self._answer is not None:
            self.used = await self._mind.credit(self._answer, self.hits, question=self.question)


class Turning(Crediting):
    def turn(
        self, question: str, *, tokens: int = TOKENS, k: int = 10, count: Count | None = None, **search: Any
    ) -> Turn:
        """One turn of an agent: `turn.context` has the best memories for a prompt, in at most so many `tokens`.

        Leaving the block credits what the text given to `turn.answered` drew on. If nothing was answered, or the block
        ends with an error, nothing is credited. `count` is a tokenizer's; without one tokens are estimated. `search`:
        options of `search`.

        >>> async with mind.turn("When does the ferry to Lamma go?") as turn:
        ...     turn.answered("It leaves at 8:40.")
        >>> turn.used.touched
        ('ferry',)
        """
        return Turn(self, question, tokens=tokens, k=k, count=count, **search)
