"""The application on a real server: a port of its own on loopback, in a thread of its own, ended with the block."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from ebbtide import app as wiring
from ebbtide.host.ownership import House
from ebbtide.serve.http.app import create_app
from ebbtide.settings import Settings

_PATIENCE = 60.0


class _Server(uvicorn.Server):
    """Says when it listens, or that it never will."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@contextmanager
def listening(data: Path, prepare: Callable[[House], Awaitable[Any]], **more: Any) -> Iterator[str]:
    """Where it answers, once `prepare` has made the minds."""
    settings = Settings(data=data, embedder="none")
    server = _Server(uvicorn.Config("", port=0, log_config=None, lifespan="on"))

    async def serve() -> None:
        async with wiring.house(settings) as house:
            await prepare(house)
            server.config.app = create_app(house, settings, **more)
            await server.serve()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert server.ready.wait(_PATIENCE)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_PATIENCE)
