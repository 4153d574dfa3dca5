"""Where the owner of a data folder lets others in: a listener on loopback, for whoever knows the folder's token.

An owner serves its minds' verbs to other processes as it does to itself: the same host, the same minds, one writer.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import msgspec

from ebbtide.core.errors import Conflict, EbbtideError
from ebbtide.host import wire
from ebbtide.host.desk import Desk, Minds
from ebbtide.host.forks import not_for_children
from ebbtide.host.handshake import answer_the_door
from ebbtide.host.wire import Answer, Call
from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

_PATIENCE = 5.0  # seconds a newcomer has to say who it is
_GRACE = 2.0  # seconds that calls in hand have when the door is closed
_WRITING = 10.0  # and those that write
_UNHEARD = 1 << 16  # bytes a guest may leave unread before it is told no more in passing


@asynccontextmanager
async def open_door(minds: Minds, token: str) -> AsyncIterator[int]:
    """Listens while the block lasts; gives the port. Then calls in hand are answered, and the others are not taken."""
    door = _Door(minds, token)
    server = await asyncio.start_server(door.enter, "127.0.0.1", 0)
    try:
        with not_for_children(server.sockets[0]):
            yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await door.close()


class _Door:
    def __init__(self, minds: Minds, token: str) -> None:
        self._minds, self._token = minds, token
        self._guests: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._guests.add(task)
        try:
            with not_for_children(writer.get_extra_info("socket")):
                if not self._closed and await self._known(reader, writer):
                    await _Guest(Desk(self._minds), reader, writer).serve()
        except (OSError, EOFError, ValueError, msgspec.MsgspecError):
            pass  # it left, or never spoke our language
        except asyncio.CancelledError:
            pass  # the door is being closed, and with it every line
        finally:
            await wire.hang_up(writer)
            self._guests.discard(task)

    async def _known(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        async with asyncio.timeout(_PATIENCE):
            return await answer_the_door(reader, writer, self._token)

    async def close(self) -> None:
        self._closed = True
        for guest in list(self._guests):
            guest.cancel()
        if self._guests:
            await asyncio.wait(list(self._guests))


class _Guest:
    """One process that has been let in. Its calls run side by side, each answered when it is done."""

    def __init__(self, desk: Desk, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._desk, self._reader, self._writer = desk, reader, writer
        self._speaking = asyncio.Lock()
        self._working: dict[asyncio.Task[None], Call] = {}
        self._begun: dict[int, list[Any]] = {}  # what was heard so far of calls that are long

    async def serve(self) -> None:
        """Until it leaves, or the door is closed."""
        grace = 0.0
        try:
            while True:
                call = await wire.receive(self._reader, wire.calls)
                self._take(call)
        except asyncio.CancelledError:
            grace = _GRACE  # it is there to hear the answers
            raise
        finally:
            await self._finish(grace)

    def _take(self, call: Call) -> None:
        if call.verb == wire.MORE:
            return self._begun.setdefault(call.id, []).extend(*call.args)
        beginning = self._begun.pop(call.id, None)
        if call.verb == wire.LEAVE:
            return self._drop({task for task, other in self._working.items() if other.id == call.id})
        if call.verb == wire.PING:
            return self._tell(Answer(call.id))
        if beginning is not None:
            call = replace(call, args=([*beginning, *call.args[0]], *call.args[1:]))
        task = asyncio.get_running_loop().create_task(self._answer(call))
        self._working[task] = call
        task.add_done_callback(self._working.pop)
        return None

    def _drop(self, tasks: Collection[asyncio.Task[None]]) -> None:
        """Nobody waits for these. What writes one batch is done in a moment, and is done."""
        for task in tasks:
            if (call := self._working.get(task)) and call.verb not in wire.ONCE:
                task.cancel()

    async def _finish(self, grace: float) -> None:
        await self._wait(grace)
        self._drop(set(self._working))
        await self._wait(_WRITING)
        for task in set(self._working):  # the disk hangs, or the guest does not listen
            task.cancel()
        await self._wait(None)
        await self._desk.close()

    async def _wait(self, seconds: float | None) -> None:
        if self._working:
            await asyncio.wait(list(self._working), timeout=seconds)

    async def _answer(self, call: Call) -> None:
        frame = await self._outcome(call)
        with suppress(OSError):  # it has left
            async with self._speaking:
                await wire.send(self._writer, frame)

    async def _outcome(self, call: Call) -> bytes:
        """What is said about this call. There is always something to say, for the guest waits for it."""
        answer = Answer(call.id)
        try:
            answer = await self._desk.do(call, self._teller(call.id) if call.progress else None)
            return wire.framed(replace(answer, value=wire.plain(call.verb, answer.value)))
        except asyncio.CancelledError:
            if _told_to_stop():
                raise
            error: Exception = Conflict(problem=f"{call.verb!r:.40} was broken off at the process that owns the mind")
        except Exception as caught:  # the guest is told, and the door stays open
            if not isinstance(caught, EbbtideError):
                log.exception("a call of %s failed", call.verb[:40])
            error = caught
        return wire.framed(replace(answer, value=None, error=wire.refusal(error)))

    def _teller(self, call: int) -> Progress:
        return lambda done, total: self._tell(Answer(call, progress=(int(done), int(total))))

    def _tell(self, answer: Answer) -> None:
        """When there is time for it; nobody waits until it is heard."""
        if self._writer.transport.get_write_buffer_size() < _UNHEARD:
            self._writer.write(wire.framed(answer))


def _told_to_stop() -> bool:
    """Else it was something this task waited for that was cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
