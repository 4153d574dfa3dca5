"""How the server is told to stop: by signals, heard from before the first thing is opened until the last is closed."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import uvicorn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """Signals are ours: when it has stopped there are still minds to be closed."""

    ready: Callable[[], None]

    def capture_signals(self) -> "AbstractContextManager[None]":  # type: ignore[override]
        return nullcontext()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()


class Stopping:
    """The first signal asks to stop, the second not to wait for what is in hand, the third is the system's.

    None of the first two is anything to what is being closed: it is closed to its end.
    """

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._starting = asyncio.current_task()
        self._server: uvicorn.Server | None = None

    def serves(self, server: uvicorn.Server) -> None:
        """From now on there is a server to be told; until now, whoever asked to stop meant the start."""
        self._server = server
        server.should_exit = self.asked.is_set()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While the block lasts. A start that was left is no error: the block ends early."""
        with suppress(NotImplementedError):  # where there are no such signals, Ctrl-C interrupts
            for number in _SIGNALS:
                self._loop.add_signal_handler(number, self._hear)
        try:
            yield
        except asyncio.CancelledError:
            if self._starting is None or self._server is not None or not self.asked.is_set():
                raise
            self._starting.uncancel()
        finally:
            self._hear_no_more()

    def _hear(self) -> None:
        if self.asked.is_set():
            if self._server is not None:
                self._server.force_exit = True
            self._hear_no_more()
            return
        self.asked.set()
        if self._server is not None:
            self._server.should_exit = True
        elif self._starting is not None:
            self._starting.cancel()

    def _hear_no_more(self) -> None:
        with suppress(NotImplementedError):
            for number in _SIGNALS:
                self._loop.remove_signal_handler(number)
