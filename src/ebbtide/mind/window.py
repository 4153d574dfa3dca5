"""The caller's side of a long conversation: what no longer fits the context window goes to `remember`.   SPEC N12."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import Message

Count = Callable[[str], int]
PER_MESSAGE = 4  # what the wrapping of one message costs in most chat formats


def estimated_tokens(text: str) -> int:
    """Without a tokenizer: a Chinese, Japanese or Korean character is one token, four others are another.

    Rather too many than too few: a window that is emptied a little early loses nothing.
    """
    wide = sum(1 for character in text if _is_wide(character))
    return wide + math.ceil((len(text) - wide) / 4)


def _is_wide(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af" or character >= "\uf900"


class ContextWindow:
    """Holds the messages of one conversation and hands the oldest over once they exceed `ratio` of the maximum.

        window = ContextWindow(mind.remember, max_tokens=8000)
        await window.add(Message("user", "…"))
        answer = await chat(window.messages)

    `count` is a real tokenizer's count where there is one, else the documented estimate.
    """

    def __init__(
        self,
        remember: Callable[[Sequence[Message]], Awaitable[int]],
        max_tokens: int,
        *,
        ratio: float = 0.8,
        count: Count = estimated_tokens,
    ) -> None:
        if max_tokens < 1 or not 0.0 < ratio <= 1.0:
            raise InvalidInput(problem="a context window needs at least one token, and a ratio above 0 and at most 1")
        self._remember = remember
        self._limit = max_tokens * ratio
        self._count = count
        self._messages: list[tuple[Message, int]] = []
        self._handing_over = asyncio.Lock()

    @property
    def messages(self) -> list[Message]:
        """What is still in the window, oldest first."""
        return [message for message, _ in self._messages]

    @property
    def tokens(self) -> int:
        return sum(tokens for _, tokens in self._messages)

    async def add(self, message: Message) -> int | None:
        """Take a message in. Returns the task's number if older ones had to be handed over for it.

        They leave the window only once the mind has them on disk. The last message always stays.
        """
        self._messages.append((message, self._count(message.content) + PER_MESSAGE))
        async with self._handing_over:  # else two who add at once would hand the same over twice
            surplus = self._surplus()
            leaving = [message for message, _ in self._messages[:surplus] if message.content.strip()]
            task = await self._remember(leaving) if leaving else None  # of empty messages nothing is remembered
            del self._messages[:surplus]
            return task

    def _surplus(self) -> int:
        """How many of the oldest must go."""
        tokens, leaving = self.tokens, 0
        while tokens > self._limit and leaving < len(self._messages) - 1:
            tokens -= self._messages[leaving][1]
            leaving += 1
        return leaving
