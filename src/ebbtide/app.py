"""The wiring: the only place that names stores and clocks."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ebbtide.core.errors import UnknownMind
from ebbtide.core.parameters import parameters_of
from ebbtide.core.ports import Clock, SmallModel, Store
from ebbtide.core.snapshot import Snapshot
from ebbtide.host import Host
from ebbtide.host.agents import exists, folder_of, require_distinct
from ebbtide.mind import Mind
from ebbtide.settings import Settings, load_settings
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from ebbtide.stores.sqlite.legacy import Progress, Since, Takeover, adopt_file, give_back


class SystemClock:
    def now(self) -> float:
        return time.time()


@asynccontextmanager
async def running(
    settings: Settings, clock: Clock | None = None, small_model: SmallModel | None = None
) -> AsyncIterator[Host]:
    """A host over the embedded store; every mind is closed, and on disk, when the block ends.

    `small_model` takes the place of the one the settings ask for.
    """
    opener = partial(_open_sqlite, durability=settings.durability)
    model = partial(_small_model, settings) if small_model is None else lambda: small_model
    host = Host(settings.data, opener, _scratch, clock or SystemClock(), settings.open_minds, model)
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
    model: SmallModel | None = None,
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
    async with running(settings, clock, model) as host, AsyncExitStack() as stack:
        try:
            mind = await stack.enter_async_context(host.mind(settings.agent))
        except UnknownMind:
            await host.create(settings.agent, settings.metabolism, {**settings.params, **params})
            mind = await stack.enter_async_context(host.mind(settings.agent))
        yield mind


def adopt(
    settings: Settings,
    agent: str,
    file: Path,
    metabolism: str = "score",
    progress: Progress | None = None,
    *,
    clock: Clock | None = None,
) -> Takeover:
    """Take an older `memories(key, summary, text, meta, links, created_at)` file over as a new mind.   SPEC S5.

    A copy of it: FILE itself is not touched. Of the settings' parameters those count that this metabolism has.
    If it fails no mind and no folder is left behind. Blocks until it is done.
    """
    known = {parameter.name for parameter in parameters_of(metabolism)}
    params = {name: value for name, value in settings.params.items() if name in known}
    folder = folder_of(settings.data, agent)
    require_distinct(settings.data, agent)
    return adopt_file(folder, file, (clock or SystemClock()).now(), metabolism, params, progress)


def unadopt(settings: Settings, agent: str, file: Path, keep_new: bool | None = None) -> Since:
    """Write an adopted mind back to FILE, which must not exist, as the older system had it; the mind stays as it is.

    What came since is kept (`keep_new` True) or left out (False); undecided, there is an error if there is any.
    """
    if not exists(settings.data, agent):
        raise UnknownMind(agent=agent, data=settings.data)
    return give_back(folder_of(settings.data, agent), file, keep_new)


def _small_model(settings: Settings) -> SmallModel:
    """The small model the settings ask for. Imported here: most minds never need one."""
    if settings.model == "openai":
        from ebbtide.models.openai import OpenAIModel

        key = settings.model_key or None
        return OpenAIModel(settings.model_url, settings.model_name, api_key=key, timeout=settings.model_timeout)
    from ebbtide.models.builtin import BuiltinModel

    return BuiltinModel()


def _open_sqlite(folder: Path, durability: str) -> Store:
    return SqliteStore(folder, "full" if durability == "full" else "normal")


def _scratch(base: Snapshot | None) -> Store:
    return MemoryStore(base)
