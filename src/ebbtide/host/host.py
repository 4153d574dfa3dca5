"""Opens minds when they are asked for and closes the longest unused ones when too many are open.   SPEC C1, C2."""

import asyncio
import logging
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ebbtide.core.changes import Batch, Configure
from ebbtide.core.errors import EbbtideError, MindExists, UnknownMind
from ebbtide.core.outdated import as_arguments, outdated
from ebbtide.core.parameters import regime
from ebbtide.core.ports import Clock, FactFinder, SmallModel, Store
from ebbtide.host import agents
from ebbtide.host.slices import Slices
from ebbtide.mind import Mind
from ebbtide.mind.history import Scratch
from ebbtide.mind.segments import FACTS, NO_FACTS
from ebbtide.mind.tokens import new_token
from ebbtide.mind.tools import Tools

log = logging.getLogger("ebbtide")

Opener = Callable[[Path], Store]
T = TypeVar("T")


class HostedMind(Mind):
    """A mind that others may be using. Whoever closes it closes it for all, so its host must know and open it anew."""

    _closing: asyncio.Task[None] | None = None

    @property
    def leaves(self) -> bool:
        return self._closing is not None

    @property
    def at_work(self) -> bool:
        """Whether it has been told something that it has yet to remember."""
        return self._life is not None and self._life.mailbox.busy

    async def close(self) -> None:
        """Once, and to its end: half closed it would keep its lock."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(super().close())
        await asyncio.shield(self._closing)


class Host:
    """Use as `async with host.mind("ada") as mind`. A mind in use is never closed under its user's hands."""

    def __init__(
        self,
        data: Path,
        opener: Opener,
        scratch: Scratch,
        clock: Clock,
        open_minds: int = 64,
        model: Callable[[], SmallModel] | None = None,
        tools: Tools | None = None,
    ) -> None:
        self.data = data
        self._opener = opener
        self._scratch = scratch
        self._clock = clock
        self._limit = open_minds
        self._make_model = model
        self._model: SmallModel | None = None
        self._tools = replace(tools or Tools(), model=self._small_model)
        self.slices = Slices()
        self._open: OrderedDict[str, HostedMind] = OrderedDict()
        self._users: defaultdict[str, int] = defaultdict(int)
        self._doors: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._works: set[asyncio.Task[Any]] = set()
        self._busy: dict[str, asyncio.Task[None]] = {}

    def agents(self) -> list[str]:
        return agents.agents(self.data)

    def opened(self) -> list[str]:
        """Whose minds are open, the longest unused first."""
        return list(self._open)

    async def create(self, agent: str, metabolism: str, params: Mapping[str, Any] | None = None) -> None:
        """Make a mind that lives so. A bad parameter falls back and is logged, an unknown one is an error."""
        await self._seen_through(self._make(agent, metabolism, params or {}))

    async def _make(self, agent: str, metabolism: str, params: Mapping[str, Any]) -> None:
        async with self._doors[agent]:
            await self._made(agent, metabolism, params)

    async def _made(self, agent: str, metabolism: str, params: Mapping[str, Any]) -> None:
        if mind := await self._at_home(agent):
            raise MindExists(agent=agent, metabolism=mind.metabolism)
        agents.require_distinct(self.data, agent)
        new, fallbacks = regime(metabolism, params)
        for fallback in fallbacks:
            log.warning("mind %s: %s", agent, fallback)
        if new.common.distil == FACTS and not isinstance(self._small_model(), FactFinder):
            log.warning("mind %s: %s", agent, NO_FACTS)
        if new.metabolism.traits.network:
            self._small_model()  # one that cannot be had is an error before there is a mind that needs it
        store = await asyncio.to_thread(self._opener, agents.folder_of(self.data, agent))
        try:
            if store.seq:  # a file without a single entry is what a crash just here leaves behind
                raise MindExists(agent=agent, metabolism=store.regime.metabolism.name)
            await store.apply(Batch((Configure(self._clock.now(), metabolism, new.params()),), new_token()))
        finally:
            await store.close()

    @asynccontextmanager
    async def mind(self, agent: str) -> AsyncIterator[Mind]:
        """A mind that exists, open for as long as the block lasts."""
        self._users[agent] += 1
        try:
            mind = self._open.get(agent)
            if mind is None or mind.leaves:
                mind = await self._seen_through(self._find(agent))
            if agent in self._open:  # else the host has been closed meanwhile
                self._open.move_to_end(agent)
            yield mind
        finally:
            self._let_work(agent)
            self._leave(agent)
            if self._surplus():
                await self._seen_through(self._close_some())

    async def at_rest(self) -> None:
        """Until no mind is being made, opened or closed."""
        while self._works:
            await asyncio.wait(list(self._works))

    async def close(self) -> None:
        """Close every mind, also after one of them could not be closed cleanly."""
        failed: Exception | None = None
        await self._let_rest()
        await self.slices.stop()
        await self.at_rest()
        while self._open:
            _, mind = self._open.popitem()
            try:
                await mind.close()
            except Exception as error:  # noqa: BLE001 — the others must be closed too
                failed = failed or error
        if self._model is not None:
            await self._model.aclose()
        if failed is not None:
            raise failed

    async def _seen_through(self, work: Coroutine[Any, Any, T]) -> T:
        """In a task of the host's own. Whoever asked may leave; a mind left half open or half closed keeps its lock,
        and nobody could use it any more."""
        task = asyncio.get_running_loop().create_task(work)
        self._works.add(task)
        task.add_done_callback(self._seen)
        return await asyncio.shield(task)

    def _seen(self, task: asyncio.Task[Any]) -> None:
        """What it failed of is told to whoever asked; if that one has left, it is nobody's concern."""
        self._works.discard(task)
        if not task.cancelled():
            task.exception()

    async def _find(self, agent: str) -> HostedMind:
        async with self._doors[agent]:
            mind = await self._at_home(agent)
            if mind is None:
                mind = self._open[agent] = await self._opened(agent)
        if not self._users.get(agent):  # whoever asked has left, and made room for fewer
            await self._close_some()
        return mind

    async def _at_home(self, agent: str) -> HostedMind | None:
        """The mind if it is open; one that somebody has closed is waited for until it is out."""
        mind = self._open.get(agent)
        if mind is None or not mind.leaves:
            return mind
        del self._open[agent]
        await self._close(mind)
        return None

    async def _opened(self, agent: str) -> HostedMind:
        if not agents.exists(self.data, agent):
            raise UnknownMind(agent=agent, data=self.data)
        store = await asyncio.to_thread(self._opener, agents.folder_of(self.data, agent))
        try:
            if not store.seq:  # the process that made it died before it could say how it is to live
                raise UnknownMind(agent=agent, data=self.data)
            model = self._small_model() if store.regime.metabolism.traits.network else None
            mind = HostedMind(
                agent,
                store,
                self._clock,
                self._scratch,
                model=model,
                tools=self._tools,
                on_compression=self.slices.enter,
            )
            if former := outdated(store.regime):
                log.info(
                    "mind %s has defaults of an earlier version; `config %s` sets today's", agent, as_arguments(former)
                )
            if await mind.wake():
                self.slices.enter(mind)
        except BaseException:
            await store.close()
            raise
        return mind

    def _small_model(self) -> SmallModel | None:
        """Made for the first network mind, or for the first conversation another mind is told; all minds share it."""
        if self._model is None and self._make_model:
            self._model = self._make_model()
        return self._model

    def _let_work(self, agent: str) -> None:
        """A mind that was told something is in use until it has remembered that, whether anybody waits or not."""
        mind = self._open.get(agent)
        if mind is not None and mind.at_work and agent not in self._busy:
            self._users[agent] += 1
            self._busy[agent] = asyncio.get_running_loop().create_task(self._work_on(agent, mind))

    async def _work_on(self, agent: str, mind: HostedMind) -> None:
        try:
            while mind.at_work:
                await mind.idle()
        except EbbtideError as error:
            log.warning("the mind %s could not go on: %s", agent, error)
        finally:
            del self._busy[agent]
            self._leave(agent)
        await self._close_some()

    async def _let_rest(self) -> None:
        """What minds were told is on disk, and gone on with when they are opened again."""
        for work in (works := list(self._busy.values())):
            work.cancel()
        if works:
            await asyncio.wait(works)

    def _leave(self, agent: str) -> None:
        self._users[agent] -= 1
        if not self._users[agent]:
            del self._users[agent]

    def _surplus(self) -> list[str]:
        """Whose minds nobody uses and are too many, the longest unused first."""
        idle = [agent for agent in self._open if not self._users.get(agent)]
        return idle[: max(0, len(self._open) - self._limit)]

    async def _close_some(self) -> None:
        for agent in self._surplus():
            async with self._doors[agent]:
                if not self._users.get(agent) and (mind := self._open.pop(agent, None)):
                    await self._close(mind)

    async def _close(self, mind: Mind) -> None:
        await self.slices.leave(mind)
        try:
            await mind.close()
        except Exception:  # it is no affair of whoever used another mind
            log.exception("the mind %s was not closed cleanly", mind.agent)
