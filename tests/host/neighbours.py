"""Two processes' worth of houses over one data folder, in one event loop: they meet at the door like strangers do."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ebbtide.app import SystemClock, running
from ebbtide.core.errors import ModelFailed
from ebbtide.core.memory import Message
from ebbtide.core.ports import Clock
from ebbtide.host.card import CARD
from ebbtide.host.line import Line
from ebbtide.host.ownership import House, OnOwner
from ebbtide.settings import Settings
from tests.helpers import LetterEmbedder
from tests.scripted_model import ScriptedModel

REFUSED = "unspeakable"


class Neighbour(ScriptedModel):
    """As the scripted one, but of one thing it makes nothing."""

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        if any(message.content == REFUSED for message in messages):
            raise ModelFailed(detail=REFUSED)
        return await super().segment(messages)


def house(data: Path, clock: Clock | None = None, on_owner: OnOwner | None = None, **settings: Any) -> House:
    here = partial(running, Settings(data=data, **settings), clock, Neighbour(), LetterEmbedder())
    return House(data, here, clock or SystemClock(), on_owner)


@asynccontextmanager
async def entered(data: Path, clock: Clock | None = None, **settings: Any) -> AsyncIterator[House]:
    here = house(data, clock, **settings)
    await here.enter()
    try:
        yield here
    finally:
        await here.leave()


@dataclass(frozen=True)
class Street:
    """The owner with ada's mind, and who came after."""

    owner: House
    guests: tuple[House, ...]


@asynccontextmanager
async def street(
    data: Path, metabolism: str = "activity", guests: int = 1, clock: Clock | None = None, **settings: Any
) -> AsyncIterator[Street]:
    async with AsyncExitStack() as stack:
        owner = await stack.enter_async_context(entered(data, clock, **settings))
        await owner.create("ada", metabolism)
        others = [await stack.enter_async_context(entered(data, clock, **settings)) for _ in range(guests)]
        assert [house.owner for house in (owner, *others)] == [True, *[False] * guests]
        yield Street(owner, tuple(others))


def card(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / CARD).read_text("utf-8"))
    return found


def line_of(guest: House) -> Line:
    assert guest._line is not None
    return guest._line
