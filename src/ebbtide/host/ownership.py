"""One owner per data folder: the first process that opens it. It opens a door, and whoever comes later goes in there.

The lock belongs to the operating system, so an owner that dies gives it back, and the next one in line takes over.
"""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ebbtide.core.errors import Conflict, EbbtideError, OwnerSilent, StoreClosed, StoreUnreadable, UnknownMind
from ebbtide.core.ports import Clock
from ebbtide.host import agents, wire
from ebbtide.host import card as cards
from ebbtide.host.card import CARD, Card
from ebbtide.host.desk import Desk
from ebbtide.host.door import open_door
from ebbtide.host.host import Host
from ebbtide.host.line import Gone, Line
from ebbtide.host.remote import Asker, RemoteMind
from ebbtide.host.wire import Call, Regime
from ebbtide.mind import Mind
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

LOCK = "_owner.lock"
PATIENCE = 10.0  # seconds to wait for an owner that has the lock and does not answer
LEAVING = 60.0  # seconds to wait for one that has hung up: it may have much to write before it is gone
_PAUSE = 0.05
_REST = 5.0  # seconds before one that could not take over tries it again
_ATTEMPTS = 20  # owners that may die under one call

OpenHost = Callable[[], AbstractAsyncContextManager[Host]]
OnOwner = Callable[[Host], AbstractAsyncContextManager[None]]


class House(Asker):
    """The minds of one data folder, whether this process owns them or another does."""

    def __init__(self, data: Path, open_host: OpenHost, clock: Clock, on_owner: OnOwner | None = None) -> None:
        self.data = data
        self._clock = clock
        self._open_host, self._on_owner = open_host, on_owner
        self._lock = FileLock(data / LOCK, mode=0o600, thread_local=False)
        self._stack = AsyncExitStack()
        self._host: Host | None = None
        self._desk: Desk | None = None  # for minds that were remote when they were opened, and are ours by now
        self._line: Line | None = None
        self._regimes: dict[str, Regime] = {}
        self._moving = asyncio.Lock()
        self._watches: set[asyncio.Task[None]] = set()
        self._left = False

    @property
    def owner(self) -> bool:
        return self._host is not None

    @property
    def host(self) -> Host | None:
        """The minds themselves, where this process owns them."""
        return self._host

    @property
    def entered(self) -> bool:
        """Whether calls have somewhere to go just now."""
        return self._host is not None or (self._line is not None and not self._line.ended.is_set())

    async def enter(self) -> None:
        """Own the folder, or find who does; where there is none yet, nobody need own it.

        Raises OwnerSilent if the owner does not answer, and StoreClosed after `leave`.
        """
        async with self._moving:
            await self._enter(PATIENCE)

    async def _enter(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while self._is_wanted() and not await self._owned() and not await self._attached():
            if time.monotonic() > deadline:
                raise self._no_answer()
            await asyncio.sleep(_PAUSE)

    def _is_wanted(self) -> bool:
        """Asked in every round, for somebody may have left while we waited."""
        if self._left:
            raise StoreClosed
        return self.data.is_dir()

    async def leave(self) -> None:
        """For good, and everything on disk; what others still ask goes to whoever owns the folder next."""
        self._left = True
        for watch in list(self._watches):
            watch.cancel()
        if self._watches:
            await asyncio.wait(list(self._watches))
        async with self._moving:  # whoever is about to take over is done first: else it would own what was left
            try:
                if self._line is not None:
                    await self._line.close()
            finally:
                await self._stack.aclose()
                self._host = self._desk = self._line = None

    # ---- what a host can do

    def agents(self) -> list[str]:
        return agents.agents(self.data)

    async def create(self, agent: str, metabolism: str, params: Mapping[str, Any] | None = None) -> None:
        """Make a mind, and the data folder if there is none; if it fails, there is none afterwards either."""
        made = not self.data.is_dir()
        try:
            if made:
                with _named(self.data):
                    self.data.mkdir(parents=True, exist_ok=True)
            async with self._moving:  # the lock is no lock within this process
                if self._host is None and self._line is None:
                    await self._enter(PATIENCE)
            if self._host is not None:
                await self._host.create(agent, metabolism, params)
            else:
                await self.ask(Call("", "create", (agent, metabolism, dict(params or {})), name=new_token()))
        except BaseException:
            if made:
                async with self._moving:
                    await self._leave_nothing()
            raise

    async def _leave_nothing(self) -> None:
        """The lock's file goes while it is held: whoever waits for it sees that it is none any more."""
        if self._host is None:
            return  # it is not ours to clear away
        await self._host.at_rest()
        if self.agents():
            return  # whoever asked has left, and it was made all the same
        with suppress(OSError):
            (self.data / LOCK).unlink(missing_ok=True)
        await self._stack.aclose()
        self._host = self._desk = None
        with suppress(OSError):
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
        await self.ask(Call(agent, "regime"))
        yield RemoteMind(self, agent, self._clock)

    # ---- calls

    def regime(self, agent: str) -> Regime:
        return self._regimes[agent]

    async def ask(self, call: Call, progress: Progress | None = None) -> Any:
        """Carried to the owner, whoever that is by then."""
        for _ in range(_ATTEMPTS):
            line = self._line
            if self._desk is not None:
                answer = await self._desk.do(call, progress)
                if answer.regime is not None:
                    self._learn(answer.agent, answer.regime)
                return answer.value
            try:
                if line is None:
                    raise Gone
                answer = await line.ask(call, progress)
            except Gone as gone:
                self._require_repeatable(call, gone)
                await self._move_on(line)
            else:
                return wire.meant(call.verb, answer.value)
        raise Conflict(problem=f"{_ATTEMPTS} processes have ended over this call: {call.verb}")

    def _require_repeatable(self, call: Call, gone: Gone) -> None:
        if call.view:
            raise Conflict(problem="the process that held this view of the mind has ended: make it again") from None
        _, params = self._regimes.get(call.agent, ("", {}))
        if gone.asked and not wire.may_come_again(call.verb, params):
            problem = f"the process that did this has ended in the middle of {call.verb}: see how far it came"
            raise Conflict(problem=problem) from None

    def _learn(self, agent: str, regime: Regime) -> None:
        self._regimes[agent] = regime

    async def _move_on(self, from_line: Line | None) -> None:
        """The owner has gone: be it, or find the new one."""
        async with self._moving:
            if self._desk is not None or self._line not in (None, from_line):
                return  # somebody else has moved on already
            if self._line is not None:
                line, self._line = self._line, None
                await line.close()
            await self._enter(LEAVING if from_line else PATIENCE)
            if not self.data.is_dir():
                raise StoreUnreadable(path=self.data, detail="the folder is gone")

    # ---- owning

    async def _owned(self) -> bool:
        try:
            with _named(self.data):
                self._lock.acquire(timeout=0)
        except Timeout:
            return False
        async with AsyncExitStack() as stack:
            stack.callback(self._lock.release)
            with _named(self.data):  # that of an owner that has died: nobody is to go there
                (self.data / CARD).unlink(missing_ok=True)
            host = await stack.enter_async_context(self._open_host())
            desk = Desk(host)
            stack.push_async_callback(desk.close)
            token = secrets.token_urlsafe(32)
            with _named(self.data):
                port = await stack.enter_async_context(open_door(host, token))
            card = Card(os.getpid(), port, token)
            stack.callback(cards.take_in, self.data, card)
            with _named(self.data):
                cards.hang_out(self.data, card)
            if self._on_owner is not None:
                await stack.enter_async_context(self._on_owner(host))
            self._stack.push_async_exit(stack.pop_all())
            self._host, self._desk = host, desk
        return True

    async def _attached(self) -> bool:
        card = cards.read(self.data)
        if card is None:
            return False
        try:
            self._line = await Line.to(card.port, card.token, self._learn, lambda: self._not_heard_of(card))
        except Gone:
            return False
        watch = asyncio.get_running_loop().create_task(self._follow(self._line))
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)
        return True

    def _not_heard_of(self, card: Card) -> OwnerSilent | None:
        """None: whoever hung out this card has the folder no more."""
        return self._no_answer() if cards.read(self.data) == card and self._is_locked() else None

    def _is_locked(self) -> bool:
        lock = FileLock(self.data / LOCK, mode=0o600, thread_local=False)  # ours may be in use, by who takes over
        try:
            lock.acquire(timeout=0)
        except OSError:  # a Timeout is one too
            return True
        lock.release()
        return False

    async def _follow(self, line: Line) -> None:
        """Somebody must own the folder, also while nobody calls: its queues and its schedule go on."""
        await line.ended.wait()
        while not await self._moved_on(line) and self.data.is_dir():
            await _rest()

    async def _moved_on(self, line: Line) -> bool:
        """Whether that went well; whoever calls meanwhile tries it too, and is told what is wrong."""
        try:
            await self._move_on(line)
        except EbbtideError as error:
            log.warning("nobody owns %s: %s", self.data, error)
        except Exception:  # such as what an owner runs could not be started: that may pass
            log.exception("nobody owns %s", self.data)
        else:
            return True
        return False

    def _no_answer(self) -> OwnerSilent:
        card = cards.read(self.data)
        return OwnerSilent(data=self.data, owner=f" ({card.pid})" if card else "")


async def _rest() -> None:
    await asyncio.sleep(_REST)


@contextmanager
def _named(data: Path) -> Iterator[None]:
    try:
        yield
    except Timeout:  # an OSError too, and no trouble
        raise
    except OSError as error:
        raise StoreUnreadable(path=data, detail=error.strerror or str(error)) from error
