"""One owner per data folder: the first process that opens it. It opens a door, and whoever comes later goes in there.

The lock belongs to the operating system, so an owner that dies gives it back, and the next one in line takes over.
"""

import asyncio
import json
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from ebbtide.core.errors import Conflict, StoreUnreadable, UnknownMind
from ebbtide.core.ports import Clock
from ebbtide.host import again, agents, wire
from ebbtide.host.door import open_door
from ebbtide.host.host import Host
from ebbtide.host.remote import Asker, Gone, Line, RemoteMind
from ebbtide.mind import Mind

LOCK, CARD = "_owner.lock", "_owner.json"
PATIENCE = 10.0  # seconds to wait for an owner that has the lock and does not answer
_PAUSE = 0.05

OpenHost = Callable[[], AbstractAsyncContextManager[Host]]
OnOwner = Callable[[Host], AbstractAsyncContextManager[None]]


class Card(NamedTuple):
    """Where the owner is to be found, and by which word it knows its own."""

    pid: int
    port: int
    token: str


class House(Asker):
    """The minds of one data folder, whether this process owns them or another does."""

    def __init__(self, data: Path, open_host: OpenHost, clock: Clock, on_owner: OnOwner | None = None) -> None:
        self.data = data
        self._clock = clock
        self._open_host, self._on_owner = open_host, on_owner
        self._lock = FileLock(data / LOCK, thread_local=False)
        self._stack = AsyncExitStack()
        self._host: Host | None = None
        self._line: Line | None = None
        self._moving = asyncio.Lock()
        self._watch: asyncio.Task[None] | None = None

    @property
    def owner(self) -> bool:
        return self._host is not None

    @property
    def host(self) -> Host | None:
        """The minds themselves, where this process owns them."""
        return self._host

    async def enter(self) -> None:
        """Own the folder, or find who does; where there is none yet, nobody need own it. Raises Conflict if the owner
        does not answer."""
        if not self.data.is_dir():
            return
        deadline = time.monotonic() + PATIENCE
        while not await self._owned() and not await self._attached():
            if time.monotonic() > deadline:
                problem = f"{self.data} is in use by a process{self._who()} that does not answer: end that one"
                raise Conflict(problem=problem)
            await asyncio.sleep(_PAUSE)

    async def leave(self) -> None:
        """Everything on disk; what others still ask goes to whoever owns the folder next."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        if self._line is not None:
            await self._line.close()
        await self._stack.aclose()

    # ---- what a host can do

    def agents(self) -> list[str]:
        return agents.agents(self.data)

    async def create(self, agent: str, metabolism: str, params: Mapping[str, Any] | None = None) -> None:
        """Make a mind, and the data folder if there is none; if it fails, there is none afterwards either."""
        made = not self.data.is_dir()
        try:
            if made:
                with _named(self.data):
                    self.data.mkdir(parents=True)
            if self._host is None and self._line is None:
                await self.enter()
            if self._host is not None:
                await self._host.create(agent, metabolism, params)
            else:
                await self.ask("", "create", agent, metabolism, dict(params or {}))
        except BaseException:
            if made:
                await self._leave_nothing()
            raise

    async def _leave_nothing(self) -> None:
        await self._stack.aclose()
        self._host = None
        with suppress(OSError):
            (self.data / LOCK).unlink(missing_ok=True)
            self.data.rmdir()

    @asynccontextmanager
    async def mind(self, agent: str) -> AsyncIterator[Mind]:
        """A mind that exists, for as long as the block lasts."""
        if not agents.exists(self.data, agent):
            raise UnknownMind(agent=agent, data=self.data)
        if self._host is not None:
            async with self._host.mind(agent) as mind:
                yield mind
            return
        metabolism, params = await self.ask(agent, "regime")
        yield RemoteMind(self, agent, (metabolism, params), self._clock)

    # ---- calls

    async def ask(self, agent: str, verb: str, *args: Any, progress: Any = None, **more: Any) -> Any:
        """Carried to the owner, whoever that is by then."""
        while True:
            line = self._line
            if self._host:
                return await self._here(self._host, agent, verb, args, progress, more)
            try:
                if line is None:
                    raise Gone
                return await line.ask(agent, verb, *args, progress=progress, **more)
            except Gone:
                if more.get("view"):
                    problem = "the process that held this view of the mind has ended: make it again"
                    raise Conflict(problem=problem) from None
                await self._move_on(line)

    async def _move_on(self, from_line: Line | None) -> None:
        """The owner has gone: be it, or find the new one."""
        async with self._moving:
            if self._line is from_line and self._host is None:
                self._line = None
                if from_line is not None:
                    await from_line.close()
                await self.enter()

    async def _here(
        self, host: Host, agent: str, verb: str, args: tuple[Any, ...], progress: Any, more: Mapping[str, Any]
    ) -> Any:
        """A call of a mind that was remote when it was opened, and is ours by now."""
        if not agent:
            return await host.create(*args)
        options = dict(more.get("options") or {}) | ({"progress": progress} if progress else {})
        async with host.mind(agent) as mind:
            if verb == "regime":
                return mind.metabolism, mind.params
            name = more.get("name", "")
            if name:
                value = await again.once(mind, verb, name, lambda: getattr(mind, verb)(*args, **options))
            else:
                value = await getattr(mind, verb)(*args, **options)
            return wire.across(verb, value)

    # ---- owning

    async def _owned(self) -> bool:
        try:
            with _named(self.data):
                self._lock.acquire(timeout=0)
        except Timeout:
            return False
        async with AsyncExitStack() as stack:
            stack.callback(self._lock.release)
            host = await stack.enter_async_context(self._open_host())
            token = secrets.token_urlsafe(32)
            port = await stack.enter_async_context(open_door(host, token))
            stack.callback((self.data / CARD).unlink, missing_ok=True)
            self._hang_out(Card(os.getpid(), port, token))
            if self._on_owner is not None:
                await stack.enter_async_context(self._on_owner(host))
            self._stack.push_async_exit(stack.pop_all())
            self._host = host
        return True

    async def _attached(self) -> bool:
        card = self._card()
        if card is None:
            return False
        try:
            self._line = await Line.to(card.port, card.token)
        except Gone:
            return False
        self._watch = asyncio.get_running_loop().create_task(self._follow(self._line))
        return True

    async def _follow(self, line: Line) -> None:
        """Somebody must own the folder, also while nobody calls: its queues and its schedule go on."""
        await line.ended.wait()
        await self._move_on(line)

    def _hang_out(self, card: Card) -> None:
        """For this user's eyes only, and never half written."""
        path = self.data / f"{CARD}.new"
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(card._asdict(), file)
        path.replace(self.data / CARD)

    def _card(self) -> Card | None:
        try:
            return Card(**json.loads((self.data / CARD).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _who(self) -> str:
        card = self._card()
        return f" ({card.pid})" if card else ""


@contextmanager
def _named(data: Path) -> Iterator[None]:
    try:
        yield
    except Timeout:  # an OSError too, and no trouble
        raise
    except OSError as error:
        raise StoreUnreadable(path=data, detail=error.strerror or str(error)) from error
