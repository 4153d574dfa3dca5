"""What the owner of a data folder does beside answering: ticks and reapings, and what was left in the queues."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ebbtide.app import scheduler
from ebbtide.core.errors import EbbtideError
from ebbtide.host.host import Host
from ebbtide.host.schedule import Scheduler
from ebbtide.settings import Settings

log = logging.getLogger("ebbtide")

AT_ONCE = 4  # minds whose queues are gone on with side by side: one that is told much does not hold up the others


@asynccontextmanager
async def keeping(host: Host, settings: Settings) -> AsyncIterator[Scheduler]:
    """For as long as this process owns the folder.   SPEC S3."""
    keeper = scheduler(host, settings)
    waking = asyncio.create_task(wake(host))
    keeper.start()
    try:
        yield keeper
    finally:
        await cancelled(waking)
        await keeper.stop()


async def wake(host: Host) -> None:
    """Go on with what every mind was told before the last stop: each is open until its queue is empty."""
    turns = asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:
        for agent in host.agents():
            await turns.acquire()
            group.create_task(_empty(host, agent)).add_done_callback(lambda _: turns.release())


async def _empty(host: Host, agent: str) -> None:
    try:
        async with host.mind(agent) as mind:
            await mind.idle()
    except (EbbtideError, OSError) as error:
        log.warning("the mind %s could not be opened: %s", agent, error)


async def cancelled(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])
