"""Where the owner of a data folder lets others in: a listener on loopback, for whoever knows the folder's token.

An owner serves its minds' verbs to other processes as it does to itself: the same host, the same minds, one writer.
"""

import asyncio
import hmac
import itertools
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Protocol

import msgspec

from ebbtide.core.errors import EbbtideError, InvalidInput
from ebbtide.host import again, wire
from ebbtide.host.wire import Answer, Call
from ebbtide.mind import Mind

log = logging.getLogger("ebbtide")

_HELLO = msgspec.msgpack.Decoder(tuple[str, int])
_PATIENCE = 5.0  # seconds a newcomer has to say who it is
LANGUAGE = 1  # of the wire; another is not understood


class Minds(Protocol):
    """What the door needs of a host."""

    async def create(self, agent: str, metabolism: str, params: Any = None) -> None: ...

    def mind(self, agent: str) -> Any: ...


@asynccontextmanager
async def open_door(minds: Minds, token: str) -> AsyncIterator[int]:
    """Listens while the block lasts; gives the port."""
    door = _Door(minds, token)
    server = await asyncio.start_server(door.enter, "127.0.0.1", 0)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await door.close()


class _Door:
    def __init__(self, minds: Minds, token: str) -> None:
        self._minds, self._token = minds, token
        self._guests: set[asyncio.Task[Any]] = set()

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._guests.add(task)
        try:
            if await self._known(reader, writer):
                await _Guest(self._minds, reader, writer).serve()
        except (OSError, EOFError, ValueError, msgspec.MsgspecError):
            pass  # it left, or never spoke our language
        except asyncio.CancelledError:
            pass  # the door is being closed, and with it every line
        finally:
            self._guests.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _known(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        async with asyncio.timeout(_PATIENCE):
            token, language = await wire.receive(reader, _HELLO)
        welcome = hmac.compare_digest(token.encode(), self._token.encode()) and language == LANGUAGE
        await wire.send(writer, welcome)
        return welcome

    async def close(self) -> None:
        for guest in list(self._guests):
            guest.cancel()
        if self._guests:
            await asyncio.wait(list(self._guests))


class _Guest:
    """One process that has been let in. Its calls run side by side, each answered when it is done."""

    def __init__(self, minds: Minds, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._minds, self._reader, self._writer = minds, reader, writer
        self._speaking = asyncio.Lock()
        self._working: set[asyncio.Task[None]] = set()
        self._views: dict[int, Mind] = {}
        self._numbers = itertools.count(1)

    async def serve(self) -> None:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._finish)
            while True:
                call = await wire.receive(self._reader, wire.calls)
                task = asyncio.get_running_loop().create_task(self._answer(call))
                self._working.add(task)
                task.add_done_callback(self._working.discard)

    async def _finish(self) -> None:
        """What is being written is written to the end, whether or not anybody hears of it."""
        if self._working:
            await asyncio.wait(list(self._working))
        for view in self._views.values():
            await view.close()

    async def _answer(self, call: Call) -> None:
        try:
            answer = Answer(call.id, wire.plain(call.verb, await self._do(call)))
        except EbbtideError as error:
            answer = Answer(call.id, error=wire.refusal(error))
        except Exception as error:  # a bug, or arguments no verb takes: the guest is told, and the door stays open
            log.exception("a call of %s failed", call.verb)
            answer = Answer(call.id, error=wire.refusal(InvalidInput(problem=f"{call.verb}: {error}")))
        with suppress(OSError):  # it has left
            await self._say(answer)

    async def _do(self, call: Call) -> Any:
        if not call.agent:
            return await self._of_all(call)
        if call.view:
            return await self._with(self._views[call.view], call)
        async with self._minds.mind(call.agent) as mind:
            return await self._with(mind, call)

    async def _of_all(self, call: Call) -> Any:
        if call.verb == "create":
            return await self._minds.create(*call.args)
        raise InvalidInput(problem=f"there is no {call.verb!r}")

    async def _with(self, mind: Mind, call: Call) -> Any:
        if call.verb == "regime":
            return mind.metabolism, mind.params
        if call.verb not in wire.verbs():
            raise InvalidInput(problem=f"there is no verb {call.verb!r}")
        options = dict(call.options)
        if call.progress:
            options["progress"] = self._teller(call.id)
        if call.verb in wire.VIEWS:
            number = next(self._numbers)
            self._views[number] = view = await getattr(mind, call.verb)(*call.args, **options)
            return number, view.now()
        if not call.name or call.verb not in wire.ONCE:
            return await getattr(mind, call.verb)(*call.args, **options)
        return await again.once(mind, call.verb, call.name, lambda: getattr(mind, call.verb)(*call.args, **options))

    def _teller(self, call: int) -> Any:
        """Progress is told when there is time for it; nobody waits until it is heard."""

        def tell(done: int, total: int) -> None:
            body = msgspec.msgpack.encode(Answer(call, progress=(done, total)))
            self._writer.write(len(body).to_bytes(4, "big") + body)

        return tell

    async def _say(self, answer: Answer) -> None:
        async with self._speaking:
            await wire.send(self._writer, answer)
