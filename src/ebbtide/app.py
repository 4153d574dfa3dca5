"""The wiring: the only place that names stores and clocks."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from ebbtide.core.archive import Archive
from ebbtide.core.embedding import Embedder
from ebbtide.core.errors import UnknownMind
from ebbtide.core.memory import HOUR
from ebbtide.core.parameters import parameters_of
from ebbtide.core.ports import Analyzer, Clock, SmallModel, Store
from ebbtide.core.snapshot import Snapshot
from ebbtide.host import Host
from ebbtide.host.agents import exists, folder_of, require_distinct
from ebbtide.host.ownership import House, OnOwner
from ebbtide.host.schedule import Job, Minds, Scheduler
from ebbtide.host.timetable import FILE as TIMETABLE
from ebbtide.host.timetable import Figures, Timetable
from ebbtide.mind import Mind
from ebbtide.mind.clocks import plain_clock
from ebbtide.mind.tools import Tools
from ebbtide.mind.upkeep import TickReport
from ebbtide.settings import Settings, load_settings
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from ebbtide.stores.sqlite.legacy import Progress, Since, Takeover, adopt_file, give_back

OnSearch = Callable[[float], None]


class SystemClock:
    def now(self) -> float:
        return time.time()


def _told(clock: Clock | None) -> Clock:
    return plain_clock(clock or SystemClock())


@asynccontextmanager
async def running(
    settings: Settings,
    clock: Clock | None = None,
    small_model: SmallModel | None = None,
    embedder: Embedder | None = None,
    on_search: OnSearch = lambda _: None,
) -> AsyncIterator[Host]:
    """A host over the embedded store; every mind is closed, and on disk, when the block ends.

    `small_model` and `embedder` take the place of those the settings ask for; whoever gives one closes it.
    `on_search` is told how many seconds each search took.
    """
    opener = partial(_open_sqlite, durability=settings.durability)
    model = partial(_small_model, settings) if small_model is None else lambda: small_model
    async with AsyncExitStack() as stack:
        tools = replace(_tools(settings, embedder, stack), on_search=on_search)
        host = Host(settings.data, opener, _scratch, _told(clock), settings.open_minds, model, tools)
        stack.push_async_callback(host.close)
        yield host


@asynccontextmanager
async def house(
    settings: Settings,
    clock: Clock | None = None,
    small_model: SmallModel | None = None,
    embedder: Embedder | None = None,
    on_owner: OnOwner | None = None,
    on_search: OnSearch = lambda _: None,
) -> AsyncIterator[House]:
    """The minds of the data folder, whether this process owns it or another does. `on_owner`: what the owner runs."""
    here = partial(running, settings, clock, small_model, embedder, on_search)
    minds = House(settings.data, here, _told(clock), on_owner)
    await minds.enter()
    try:
        yield minds
    finally:
        await minds.leave()


@asynccontextmanager
async def open_mind(
    agent: str | None = None,
    *,
    data: str | Path | None = None,
    metabolism: str | None = None,
    durability: str | None = None,
    clock: Clock | None = None,
    model: SmallModel | None = None,
    embedder: Embedder | None = None,
    **params: Any,
) -> AsyncIterator[Mind]:
    """Open an agent's mind, or make it if there is none yet.

    `metabolism` (tide by default, activity, network, score, retention) and `params` say how a new mind is to live; an
    existing one keeps its own. Without `data`, EBBTIDE_DATA or ~/.ebbtide.

        async with ebbtide.open("ada", data="minds") as mind:
            await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    """
    said = {"data": data, "agent": agent, "metabolism": metabolism, "durability": durability}
    settings = load_settings(said)
    async with house(settings, clock, model, embedder) as minds, AsyncExitStack() as stack:
        try:
            mind = await stack.enter_async_context(minds.mind(settings.agent))
        except UnknownMind:
            await minds.create(settings.agent, settings.metabolism, {**settings.params, **params})
            mind = await stack.enter_async_context(minds.mind(settings.agent))
        yield mind


def scheduler(host: Minds, settings: Settings, clock: Clock | None = None) -> Scheduler:
    """The jobs of all minds, each at its own interval. To be started, and stopped before the host is closed."""

    async def tick(mind: Mind, progress: Progress) -> TickReport:
        """With the trash emptied and the journal no longer than it may be, a mind stays bounded by itself."""
        report = await mind.tick(batch_size=settings.batch_size, pause=settings.batch_pause, progress=progress)
        await mind.compact(progress=progress)
        return report

    async def reap(mind: Mind, progress: Progress) -> Figures:
        done = await mind.reap(batch_size=settings.batch_size, pause=settings.batch_pause, progress=progress)
        changed = done.deleted + done.pruned + done.evidence
        return Figures(done.at, done.seconds, done.seen, changed, done.kept, done.conflicts, deferred=done.deferred)

    async def squeeze(mind: Mind, progress: Progress) -> Figures:
        done = await mind.squeeze(pause=settings.batch_pause, progress=progress)
        return Figures(done.at, done.seconds, done.seen, done.changed, done.skipped, done.conflicts)

    jobs = [
        Job("tick", partial(_interval, "tick_every"), tick),
        Job("reap", _reap_interval, reap),
        Job("squeeze", _squeeze_interval, squeeze),
    ]
    return Scheduler(host, _told(clock), Timetable.load(settings.data / TIMETABLE), jobs)


def _interval(parameter: str, mind: Mind) -> float | None:
    hours = mind.params.get(parameter)
    return None if hours is None else float(hours) * HOUR


def _squeeze_interval(mind: Mind) -> float | None:
    """None for minds without a budget."""
    params = mind.params
    return _interval("tick_every", mind) if params["budget_memories"] or params["budget_characters"] else None


def _reap_interval(mind: Mind) -> float | None:
    """None for minds that have no reaper, or whose owner calls it by hand."""
    return _interval("reap_every", mind) if mind.params.get("auto_reap") else None


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
    return adopt_file(folder, file, _told(clock).now(), metabolism, params, progress)


def unadopt(settings: Settings, agent: str, file: Path, keep_new: bool | None = None) -> Since:
    """Write an adopted mind back to FILE, which must not exist, as the older system had it; the mind stays as it is.

    What came since is kept (`keep_new` True) or left out (False); undecided, there is an error if there is any.
    """
    if not exists(settings.data, agent):
        raise UnknownMind(agent=agent, data=settings.data)
    return give_back(folder_of(settings.data, agent), file, keep_new)


def require_model(settings: Settings) -> None:
    """Raises InvalidInput if the small model the settings ask for cannot be had. Nothing is sent to it."""
    _small_model(settings)


def _small_model(settings: Settings) -> SmallModel:
    """The small model the settings ask for. Imported here: most minds never need one."""
    if settings.model == "openai":
        from ebbtide.models.openai import OpenAIModel

        key = settings.model_key or None
        return OpenAIModel(settings.model_url, settings.model_name, api_key=key, timeout=settings.model_timeout)
    from ebbtide.models.builtin import BuiltinModel

    return BuiltinModel()


def _tools(settings: Settings, embedder: Embedder | None, stack: AsyncExitStack) -> Tools:
    """Each made at its first use, and closed with the stack."""

    @cache
    def analyzer() -> Analyzer:
        from ebbtide.models.analysis import Analyzer as Words

        return Words()

    @cache
    def made_embedder() -> Embedder | None:
        made = embedder or _embedder(settings)
        if made is not None and made is not embedder:
            stack.push_async_callback(made.aclose)
        return made

    @cache
    def archive() -> Archive | None:
        if not settings.archive:
            return None
        from ebbtide.stores.archive import FsspecArchive

        named = {"endpoint": settings.archive_endpoint, "key": settings.archive_key, "secret": settings.archive_secret}
        made = FsspecArchive(settings.archive, {name: value for name, value in named.items() if value})
        stack.push_async_callback(made.close)
        return made

    return Tools(analyzer, made_embedder, archive)


def _embedder(settings: Settings) -> Embedder | None:
    """The embedder the settings ask for; None: words alone. Imported here: most runs never need one."""
    if settings.embedder == "none":
        return None
    if settings.embedder == "openai":
        from ebbtide.models.embedders import OpenAIEmbedder

        return OpenAIEmbedder(
            settings.embedder_url,
            settings.embedder_name,
            api_key=settings.embedder_key or None,
            timeout=settings.embedder_timeout,
            dimensions=settings.embedder_dimensions,
        )
    if settings.embedder == "static":
        from ebbtide.models.embedders import StaticEmbedder

        return StaticEmbedder()
    from ebbtide.models.embedders import BuiltinEmbedder

    return BuiltinEmbedder()


def _open_sqlite(folder: Path, durability: str) -> Store:
    return SqliteStore(folder, "full" if durability == "full" else "normal")


def _scratch(base: Snapshot | None) -> Store:
    return MemoryStore(base)
