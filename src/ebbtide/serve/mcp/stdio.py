"""MCP over standard input and output: one client, which has started this process and may vanish at any time."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ebbtide.app import house
from ebbtide.serve.mcp.opening import Minds, tended
from ebbtide.serve.mcp.server import build
from ebbtide.serve.mcp.shapes import LONGEST_CALL
from ebbtide.settings import Settings

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
        async with stdio_server(stdin=cast("Any", _Lines(sys.stdin.fileno()))) as (heard, said):
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

    A line that is too long is not kept, and one that is no message stands in its place.
    """

    def __init__(self, source: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes] = asyncio.Queue(1)
        threading.Thread(target=self._listen, args=(source,), name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._lines.get():
            yield line.decode("utf-8", "replace")

    def _listen(self, source: int) -> None:
        with suppress(RuntimeError):  # the loop has ended before us
            for line in _lines(source):
                asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()
            asyncio.run_coroutine_threadsafe(self._lines.put(b""), self._loop).result()


def _lines(source: int) -> Iterator[bytes]:
    """Read without Python's own buffer, whose lock would hold up the end of the process."""
    kept, too_long = bytearray(), False
    while chunk := _read(source):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            kept += end
            yield b"too long\n" if too_long or len(kept) > LONGEST_CALL else bytes(kept) + b"\n"
            kept, too_long = bytearray(), False
        kept += rest
        if len(kept) > LONGEST_CALL:
            kept, too_long = bytearray(), True


def _read(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""
