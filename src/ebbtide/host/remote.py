"""Minds of a data folder that another process owns. They have the verbs of `Mind`, and the owner does the work.

When the owner is gone, whoever notices first takes over: the call in hand is made again under the same name, so what
had happened already does not happen twice.
"""

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from ebbtide.core.changes import Entry
from ebbtide.core.ports import Clock
from ebbtide.host import wire
from ebbtide.host.door import LANGUAGE
from ebbtide.host.wire import Answer, Call
from ebbtide.mind import Mind
from ebbtide.mind.mind import StoppedClock

# It left, does not answer, or speaks another language.
_BROKEN = (OSError, EOFError, ValueError, msgspec.MsgspecError)
_HELLO = 5.0  # seconds an owner has to open the door
_CHUNK = 1000
_PAGE = 1000


class Gone(Exception):
    """The other process has left, or was never there."""


class Line:
    """A connection to the owner. Calls go side by side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Any], Callable[[int, int], None] | None]] = {}
        self._speaking = asyncio.Lock()
        self.ended = asyncio.Event()
        self._listener = asyncio.get_running_loop().create_task(self._listen())

    @classmethod
    async def to(cls, port: int, token: str) -> "Line":
        """Raises Gone if nobody answers there who knows the token."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError as error:
            raise Gone from error
        try:
            async with asyncio.timeout(_HELLO):
                await wire.send(writer, (token, LANGUAGE))
                welcome = await wire.receive(reader, msgspec.msgpack.Decoder(bool))
        except _BROKEN as error:
            await _hang_up(writer)
            raise Gone from error
        if not welcome:
            await _hang_up(writer)
            raise Gone
        return cls(reader, writer)

    async def ask(self, agent: str, verb: str, *args: Any, progress: Any = None, **more: Any) -> Any:
        """The plain answer. Raises what the verb raised, or Gone."""
        if self.ended.is_set():
            raise Gone
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (answer, progress)
        try:
            async with self._speaking:
                await wire.send(self._writer, Call(number, agent, verb, args, progress=progress is not None, **more))
            return await answer
        except OSError as error:
            raise Gone from error
        finally:
            self._waiting.pop(number, None)

    async def close(self) -> None:
        self._listener.cancel()
        await asyncio.wait([self._listener])
        await _hang_up(self._writer)

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
                    answer.set_exception(Gone())

    def _hear(self, said: Answer) -> None:
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
            answer.set_result(said.value)


async def _hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


class Asker:
    """Whoever carries a call to where the minds are: over a line, or, after a takeover, in this process."""

    async def ask(self, agent: str, verb: str, *args: Any, progress: Any = None, **more: Any) -> Any:
        raise NotImplementedError


if TYPE_CHECKING:
    _Verbs = Mind  # it has them all; below they are made
else:
    _Verbs = object


class RemoteMind(_Verbs):
    """Every verb of `Mind`. A view (`as_of`, `replay`) lives at the owner's, as long as this process is attached."""

    def __init__(
        self, asker: Asker, agent: str, regime: tuple[str, dict[str, Any]], clock: Clock, view: int = 0
    ) -> None:
        self.agent = agent
        self._asker, self._regime, self._clock, self._view = asker, regime, clock, view

    @property
    def metabolism(self) -> str:
        return self._regime[0]

    @property
    def params(self) -> dict[str, Any]:
        return dict(self._regime[1])

    def now(self) -> float:
        return self._clock.now()

    async def close(self) -> None:
        """Nothing is held here."""

    async def put_many(self, drafts: Iterable[Any], progress: Any = None) -> int:
        done, rest = 0, iter(drafts)
        while chunk := list(islice(rest, _CHUNK)):
            await self._call("put_many", [msgspec.to_builtins(draft) for draft in chunk])
            done += len(chunk)
            if progress:
                progress(done, done)
        return done

    async def configure(self, **params: Any) -> Any:
        fallbacks = await self._call("configure", **params)
        self._regime = await self._asker.ask(self.agent, "regime")
        return fallbacks

    async def entries(self) -> AsyncIterator[Entry]:
        after = 0
        while some := await self.journal(after=after, limit=_PAGE):
            for entry in some:
                yield entry
            after = some[-1].seq

    async def compress(self, enough: Callable[[], bool] = lambda: False) -> bool:
        """The owner compresses in its own time slices; this waits for none of them to be due."""
        return bool(await self._call("compress"))

    async def _view_of(self, verb: str, *args: Any, progress: Any = None, **options: Any) -> "RemoteMind":
        more = {"options": options, "view": self._view}
        number, moment = await self._asker.ask(self.agent, verb, *args, progress=progress, **more)
        regime = await self._asker.ask(self.agent, "regime", view=number)
        clock = StoppedClock(moment) if verb == "as_of" else self._clock
        return RemoteMind(self._asker, self.agent, regime, clock, number)

    async def _call(self, verb: str, *args: Any, progress: Any = None, **options: Any) -> Any:
        name = f"call-{uuid.uuid4().hex}" if verb in wire.ONCE and not self._view else ""
        given, said = msgspec.to_builtins(args), msgspec.to_builtins(options)
        more = {"options": said, "name": name, "view": self._view}
        return wire.meant(verb, await self._asker.ask(self.agent, verb, *given, progress=progress, **more))


def _forwarded(verb: str) -> Any:
    call = "_view_of" if verb in wire.VIEWS else "_call"

    @wraps(getattr(Mind, verb))
    async def forward(self: RemoteMind, *args: Any, progress: Any = None, **options: Any) -> Any:
        return await getattr(self, call)(verb, *args, progress=progress, **options)

    return forward


for _verb in wire.verbs():
    if _verb not in vars(RemoteMind):
        setattr(RemoteMind, _verb, _forwarded(_verb))
