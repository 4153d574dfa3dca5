"""The line from a process that was let in to the owner of the data folder: calls go out, answers come back."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace

import msgspec

from ebbtide.core.errors import EbbtideError
from ebbtide.host import wire
from ebbtide.host.handshake import knock
from ebbtide.host.wire import Answer, Call, Regime
from ebbtide.mind.upkeep import Progress

# It left, does not answer, or speaks another language.
_BROKEN = (OSError, EOFError, ValueError, msgspec.MsgspecError)
_HELLO = 5.0  # seconds an owner has to open the door

News = Callable[[str, Regime], None]


class Gone(Exception):
    """The other process has left, or was never there. `asked`: it may have heard the call, and done it."""

    def __init__(self, *, asked: bool = False) -> None:
        self.asked = asked


class Line:
    """A connection to the owner. Calls go side by side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, news: News) -> None:
        self._reader, self._writer, self._news = reader, writer, news
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Answer], Progress | None]] = {}
        self._speaking = asyncio.Lock()
        self.ended = asyncio.Event()
        self._listener = asyncio.get_running_loop().create_task(self._listen())

    @classmethod
    async def to(cls, port: int, token: str, news: News = lambda agent, regime: None) -> "Line":
        """Raises Gone if nobody answers there who knows the token. `news`: told by what a mind lives, when that is new
        to this line."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError as error:
            raise Gone from error
        try:
            async with asyncio.timeout(_HELLO):
                welcome = await knock(reader, writer, token)
            if welcome:
                return cls(reader, writer, news)
        except (*_BROKEN, asyncio.CancelledError) as error:
            await wire.hang_up(writer)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise Gone from error
        await wire.hang_up(writer)
        raise Gone

    async def ask(self, call: Call, progress: Progress | None = None) -> Answer:
        """What came of it. Raises what the verb raised, or Gone; InvalidInput for what cannot be said."""
        if self.ended.is_set():
            raise Gone
        number = next(self._numbers)
        frame = wire.framed(replace(call, id=number, progress=progress is not None))
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (answer, progress)
        try:
            await self._say(frame)
            return await answer
        except (Gone, EbbtideError):
            raise
        except BaseException:  # whoever asked has left, by cancelling or by what `progress` raised
            self._writer.write(wire.framed(Call("", wire.LEAVE, id=number)))
            raise
        finally:
            del self._waiting[number]
            if answer.done() and not answer.cancelled():
                answer.exception()  # nobody may have got as far as to wait for it

    async def close(self) -> None:
        self._listener.cancel()
        await asyncio.wait([self._listener])
        await wire.hang_up(self._writer)

    async def _say(self, frame: bytes) -> None:
        try:
            async with self._speaking:
                await wire.send(self._writer, frame)
        except OSError as error:
            raise Gone(asked=True) from error

    async def _listen(self) -> None:
        try:
            while True:
                self._hear(await wire.receive(self._reader, wire.answers))
        except _BROKEN:
            pass
        finally:
            self.ended.set()
            for answer, _ in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Gone(asked=True))

    def _hear(self, said: Answer) -> None:
        if said.regime is not None:  # it is told once, so also by the answer to one who has left
            self._news(said.agent, said.regime)
        answer, progress = self._waiting.get(said.id, (None, None))
        if answer is None or answer.done():
            return
        if said.progress is not None:
            try:
                progress(*said.progress) if progress is not None else None
            except BaseException as error:  # noqa: BLE001 — it is the asker's: so a run that takes long is left
                answer.set_exception(error)
        elif said.error is not None:
            answer.set_exception(wire.refused(*said.error))
        else:
            answer.set_result(said)
