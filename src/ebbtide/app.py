"""The wiring: the only place that names stores and clocks."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ebbtide.core.ports import Clock, Store
from ebbtide.core.snapshot import Snapshot
from ebbtide.host import Host
from ebbtide.host.agents import exists
from ebbtide.mind import Mind
from ebbtide.settings import Settings, load_settings
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore


class SystemClock:
    def now(self) -> float:
        return time.time()


@asynccontextmanager
async def running(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Host]:
    """A host over the embedded store; every mind is closed, and on disk, when the block ends."""
    opener = partial(_open_sqlite, durability=settings.durability)
    host = Host(settings.data, opener, _scratch, clock or SystemClock(), settings.open_minds)
    try:
        yield host
    finally:
        await host.close()


@asynccontextmanager
async def open_mind(
    agent: str | None = None,
    *,
    data: str | Path | None = None,
    metabolism: str | None = None,
    durability: str | None = None,
    clock: Clock | None = None,
    **params: Any,
) -> AsyncIterator[Mind]:
    """Open an agent's mind, or make it if there is none yet.

    `metabolism` (activity, network, score, retention) and `params` say how a new mind is to live; an existing
    one keeps its own. Without `data`, EBBTIDE_DATA or ~/.ebbtide.

        async with ebbtide.open("ada", data="minds") as mind:
            await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    """
    said = {"data": data, "agent": agent, "metabolism": metabolism, "durability": durability}
    settings = load_settings(said)
    async with running(settings, clock) as host:
        if not exists(settings.data, settings.agent):
            await host.create(settings.agent, settings.metabolism, {**settings.params, **params})
        async with host.mind(settings.agent) as mind:
            yield mind


def _open_sqlite(folder: Path, durability: str) -> Store:
    return SqliteStore(folder, "full" if durability == "full" else "normal")


def _scratch(base: Snapshot | None) -> Store:
    return MemoryStore(base)
