"""The way from a call to the mind it is about, which is made when somebody first asks for it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ebbtide import app
from ebbtide.core.errors import EbbtideError, MindExists, UnknownMind
from ebbtide.host import Host
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
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


def tended(settings: Settings) -> Callable[[Host], AbstractAsyncContextManager[None]]:
    """What the owner of the folder runs beside answering: the schedule of all its minds.   SPEC S3.

    And what was left in this agent's queue when its last owner went.
    """

    @asynccontextmanager
    async def tend(host: Host) -> AsyncIterator[None]:
        keeper = app.scheduler(host, settings)
        keeper.start()
        waking = asyncio.create_task(_wake(host, settings.agent))
        try:
            yield
        finally:
            waking.cancel()
            await asyncio.wait([waking])
            await keeper.stop()

    return tend


async def _wake(host: Host, agent: str) -> None:
    """Opening a mind is enough: it goes on by itself. What stands in the way is told to whoever asks for it."""
    with suppress(EbbtideError):
        async with host.mind(agent):
            pass
