"""MCP over standard input and output: one client, which has started this process and may vanish at any time."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

from anyio import BrokenResourceError, ClosedResourceError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from ebbtide.app import house
from ebbtide.serve.mcp.hearing import Fault, Line, fault
from ebbtide.serve.mcp.opening import Minds, tended
from ebbtide.serve.mcp.server import build
from ebbtide.settings import Settings

log = logging.getLogger("ebbtide")

Say = Callable[[SessionMessage], Awaitable[None]]
_CHUNK = 65_536


async def serve(settings: Settings) -> None:
    """Until the client closes our input, or somebody says stop. Everything is on disk when this returns."""
    async with house(settings, on_owner=tended(settings)) as minds:
        server = build(Minds(lambda: minds, settings.metabolism, settings.params), lambda context: settings.agent)
        speaking = asyncio.get_running_loop().create_task(_speak(server))
        with _stopping(speaking), suppress(asyncio.CancelledError):
            await speaking


async def _speak(server: Server[Any]) -> None:
    try:
        lines = _Lines()
        async with stdio_server(stdin=cast("Any", lines)) as (heard, said):
            lines.listen(sys.stdin.fileno(), said.send)
            await server.run(heard, said, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionError):  # nobody reads our answers any more
        pass


@contextmanager
def _stopping(work: "asyncio.Task[None]") -> Iterator[None]:
    """Stopping is how this ends, so it is no error. Where there are no such signals asyncio does its best."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    with suppress(NotImplementedError):
        for number in signals:
            loop.add_signal_handler(number, work.cancel)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in signals:
                loop.remove_signal_handler(number)


class _Lines:
    """Lines as they come in. A thread waits for them that nobody need wait for: so a signal can end us at once.

    Only messages are handed on. What is none is answered here, for behind us nobody would know what to answer.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[Line | None] = asyncio.Queue(1)
        self._say: Say | None = None

    def listen(self, source: int, say: Say) -> None:
        self._say = say
        threading.Thread(target=self._listen, args=(source,), name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._lines.get():
            if line.blank:
                continue
            if (wrong := fault(line)) is None:
                yield line.text
            else:
                await self._refuse(wrong)

    async def _refuse(self, wrong: Fault) -> None:
        log.warning("a message was refused: %s", wrong.reason)
        if wrong.answer is not None and self._say is not None:
            with suppress(ClosedResourceError, BrokenResourceError):  # nobody reads our answers any more
                await self._say(SessionMessage(wrong.answer))

    def _listen(self, source: int) -> None:
        with suppress(RuntimeError):  # the loop has ended before us
            for line in _lines(source):
                asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()
            asyncio.run_coroutine_threadsafe(self._lines.put(None), self._loop).result()


def _lines(source: int) -> Iterator[Line]:
    """Read without Python's own buffer, whose lock would hold up the end of the process."""
    line = Line()
    while chunk := _read(source):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line.add(end)
            yield line
            line = Line()
        line.add(rest)


def _read(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""
