"""What the tests of the reaper share: retention minds with an archive, in RAM or on disk; memories of every level."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ebbtide.app import running
from ebbtide.core.archive import Archived
from ebbtide.core.changes import Reaped
from ebbtide.mind import Mind
from ebbtide.mind.tools import Tools
from ebbtide.settings import Settings
from ebbtide.stores.archive import FsspecArchive
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured, store_of

# The first run after a pause deletes nothing (tests/mind/test_reap_pause.py); other tests turn the clock by months.
NO_PAUSE: dict[str, Any] = {"reap_pause": 100_000.0}
LONG = "The ferry to Lamma leaves at 8:40 from pier four, and 渡轮八点四十分从中环四号码头开往南丫岛. " * 3


class WatchedArchive(FsspecArchive):
    """A real one, with something that happens after each time it has taken a part of a run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self.meanwhile: Callable[[int], Awaitable[None]] | None = None

    async def put(self, agent: str, run: str, records: Sequence[Archived], *, part: int = 1) -> str:
        where = await super().put(agent, run, records, part=part)
        if self.meanwhile:
            await self.meanwhile(part)
        return where


async def reapable(clock: FakeClock, archive: FsspecArchive | None = None, **params: Any) -> Mind:
    """A retention mind in RAM whose reaper has run before and knows no pause: see `NO_PAUSE`."""
    store = MemoryStore()
    await store.apply(batch(configured("retention", **(NO_PAUSE | params)), Reaped(clock.now(), "reap-before")))
    return Mind("ada", store, clock, MemoryStore, tools=Tools(archive=lambda: archive))


@asynccontextmanager
async def reapable_on_disk(data: Path, clock: FakeClock, *, archive: bool = True, **given: Any) -> AsyncIterator[Mind]:
    """The mind `ada` of this folder, made if there is none; its archive lies beside it."""
    settings = Settings(data=data, archive=str(data.with_name("archive")) if archive else "", **given)
    async with running(settings, clock) as host:
        if "ada" not in host.agents():
            await host.create("ada", "retention", NO_PAUSE)
            async with host.mind("ada") as mind:
                await reaped_before(mind, clock)
        async with host.mind("ada") as mind:
            yield mind


async def reaped_before(mind: Mind, clock: FakeClock) -> None:
    """The reaper has run just now, so that its next run is no first one."""
    await store_of(mind).apply(batch(Reaped(clock.now(), "reap-before")))


async def of_every_level(mind: Mind) -> None:
    """By the defaults (S 1 day, T_delete 0.05) and SPEC R6, with a buffer of a day after they expire:

    low    importance 0.1   expires after ln  2 = 0.6931 days   deleted at 1.6931
    edge   importance 0.2   expires after ln  4 = 1.3863 days   pruned  at 2.3863
    mid    importance 0.5   expires after ln 10 = 2.3026 days   pruned  at 3.3026
    high   importance 0.7   expires after ln 14 = 2.6391 days   kept, hidden
    """
    for key, importance in (("low", 0.1), ("edge", 0.2), ("mid", 0.5), ("high", 0.7)):
        await mind.put(f"{key}: {LONG}", key=key, importance=importance)
