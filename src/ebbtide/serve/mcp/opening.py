"""The way from a call to the mind it is about, which is made when somebody first asks for it."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ebbtide.core.errors import MindExists, UnknownMind
from ebbtide.host import Host
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.serve.owning import keeping
from ebbtide.settings import Settings


@dataclass(frozen=True, slots=True)
class Minds:
    """`metabolism` and `params` are those of a mind yet to be made. The house is looked up at each call."""

    house: Callable[[], House]
    metabolism: str
    params: Mapping[str, Any]

    @asynccontextmanager
    async def mind(self, agent: str) -> AsyncIterator[Mind]:
        house = self.house()
        async with AsyncExitStack() as stack:
            try:
                mind = await stack.enter_async_context(house.mind(agent))
            except UnknownMind:
                with suppress(MindExists):  # somebody was quicker
                    await house.create(agent, self.metabolism, self.params)
                mind = await stack.enter_async_context(house.mind(agent))
            yield mind


def tended(settings: Settings) -> Callable[[Host], AbstractAsyncContextManager[Any]]:
    """What the owner of the folder runs beside answering: the schedule and the queues of all its minds."""
    return lambda host: keeping(host, settings)
