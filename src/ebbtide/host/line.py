"""The line from a process that was let in to the owner of the data folder: calls go out, answers come back."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from ebbtide.core.errors import EbbtideError
from ebbtide.host import wire
from ebbtide.host.forks import not_for_children
from ebbtide.host.handshake import knock
from ebbtide.host.wire import Answer, Call, Regime
from ebbtide.mind.upkeep import Progress

# It left, does not answer, or speaks another language.
_BROKEN = (OSError, EOFError, ValueError, msgspec.MsgspecError)
_HELLO = 5.0  # seconds an owner has to open the door

_BEAT = 5.0  # seconds between two looks whether the owner is heard
_BEATS = 4  # in a row without a sound are a silence
_PING = wire.framed(Call("", wire.PING))

News = Callable[[str, Regime], None]
Silence = Callable[[], EbbtideError | None]


async def _beat() -> None:
    await asyncio.sleep(_BEAT)


class Gone(Exception):
    """The other process has left, or was never there. `asked`: it may have heard the call, and done it."""

    def __init__(self, *, asked: bool = False) -> None:
        self.asked = asked


class Line:
    """A connection to the owner. Calls go side by side.

    `news`: told by what a mind lives, when that is new to this line. `silence`: asked when nothing is heard of the
    owner any more, as of one that is stopped, or has died with a child of its own at the other end. What it gives is
    what the calls in hand end with, and whoever calls after them; None: nobody is there, and the line is given up.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, news: News, silence: Silence
    ) -> None:
        self._reader, self._writer, self._news, self._silence = reader, writer, news, silence
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Answer], Progress | None]] = {}
        self._heard = False
        self.ended = asyncio.Event()
        self._listener = asyncio.get_running_loop().create_task(self._listen())
        self._watch = asyncio.get_running_loop().create_task(self._keep_watch())

    @classmethod
    async def to(
        cls,
        port: int,
        token: str,
        news: News = lambda agent, regime: None,
        silence: Silence = lambda: None,
    ) -> "Line":
        """Raises Gone if nobody answers there who knows the token."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError as error:
            raise Gone from error
        try:
            async with asyncio.timeout(_HELLO):
                welcome = await knock(reader, writer, token)
            if welcome:
                return cls(reader, writer, news, silence)
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
        frames = wire.frames(replace(call, id=number, progress=progress is not None))
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (answer, progress)
        try:
            await self._say(frames, answer)
            return await answer
        except Gone:
            raise
        except EbbtideError:
            if not answer.done():  # it could not be said to its end
                self._give_up(number)
            raise
        except BaseException:  # whoever asked has left, by cancelling or by what `progress` raised
            self._give_up(number)
            raise
        finally:
            del self._waiting[number]
            if answer.done() and not answer.cancelled():
                answer.exception()  # nobody may have got as far as to wait for it

    async def close(self) -> None:
        self._listener.cancel()
        self._watch.cancel()
        await asyncio.wait([self._listener, self._watch])
        await wire.hang_up(self._writer)

    async def _say(self, frames: Iterator[bytes], answer: asyncio.Future[Answer]) -> None:
        """To the end, or until there is an answer before that. The last is heard when it is answered."""
        for number, frame in enumerate(frames):
            if number:
                await self._until_heard(answer)
            if answer.done():
                return
            self._writer.write(frame)

    async def _until_heard(self, answer: asyncio.Future[Answer]) -> None:
        """An owner that is silent does not listen either, and then it is the answer that tells of it."""

        async def heard() -> None:
            with suppress(OSError):  # it has left
                await self._writer.drain()

        hearing = asyncio.get_running_loop().create_task(heard())
        either: list[asyncio.Future[Any]] = [hearing, answer]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hearing.cancel()

    def _give_up(self, number: int) -> None:
        self._writer.write(wire.framed(Call("", wire.LEAVE, id=number)))

    async def _listen(self) -> None:
        try:
            with not_for_children(self._writer.get_extra_info("socket")):
                while True:
                    self._hear(await wire.receive(self._reader, wire.answers))
        except _BROKEN:
            pass
        finally:
            self._watch.cancel()
            self.ended.set()
            for answer, _ in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Gone(asked=True))

    async def _keep_watch(self) -> None:
        """Beats are counted, not seconds: who was stopped itself has heard nothing either."""
        silent = 0
        while True:
            self._heard = False
            if not silent:  # else there is one on its way
                self._writer.write(_PING)
            await _beat()
            silent = 0 if self._heard else silent + 1
            if silent >= _BEATS:
                self._end_calls(self._silence())

    def _end_calls(self, reason: EbbtideError | None) -> None:
        if reason is None:
            self._writer.transport.abort()  # whoever waits hears that it has gone
            return
        for number, (answer, _) in self._waiting.items():
            if not answer.done():
                self._give_up(number)
                answer.set_exception(reason)

    def _hear(self, said: Answer) -> None:
        self._heard = True
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
