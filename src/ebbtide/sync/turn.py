"""One turn of an agent, for code without `async`."""

from types import TracebackType
from typing import Any, Self

from ebbtide.mind.crediting import Credited
from ebbtide.mind.search import Hit
from ebbtide.mind.turn import Turn
from ebbtide.sync.portal import Portal


class SyncTurn:
    """A `Turn` in a plain `with`.

    with mind.turn("When does the ferry leave?") as turn:
        reply = my_model(system=turn.context, user=turn.question)
        turn.answered(reply)
    """

    def __init__(self, turn: Turn, portal: Portal[Any]) -> None:
        self._turn, self._portal = turn, portal

    @property
    def question(self) -> str:
        return self._turn.question

    @property
    def context(self) -> str:
        """The best memories, fenced as data; empty if nothing was found."""
        return self._turn.context

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The memories that the context shows, best first, and then those that `look_up` showed."""
        return self._turn.hits

    @property
    def used(self) -> Credited | None:
        """What the answer drew on, once the block has ended."""
        return self._turn.used

    def answered(self, text: str) -> None:
        """The model's answer. Of several the last counts."""
        self._turn.answered(text)

    def look_up(self, question: str, tokens: int | None = None) -> str:
        """Another context in the same turn, for a model that asks for one. Its memories can be credited, too."""
        return self._portal.call(lambda: self._turn.look_up(question, tokens))

    def __enter__(self) -> Self:
        self._portal.call(self._turn.__aenter__)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._portal.call(lambda: self._turn.__aexit__(kind, error, at))
