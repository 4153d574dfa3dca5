"""One run of the command: which mind, how to answer, and the way from a command to the mind and back."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ebbtide.serve.cli.times import moment

if TYPE_CHECKING:  # these load NumPy; `--help` must not wait for it
    from ebbtide.host import Host
    from ebbtide.mind import Mind
    from ebbtide.mind.upkeep import Progress
    from ebbtide.settings import Settings


@dataclass(frozen=True, slots=True)
class Caller:
    data: str | None
    agent: str | None
    as_of: str | None
    as_json: bool

    @property
    def settings(self) -> "Settings":
        from ebbtide.settings import load_settings

        return load_settings({"data": self.data, "agent": self.agent})

    def run(self, work: "Callable[[Mind], Awaitable[Any]]", *, create: bool = False) -> Any:
        """Do this with the mind; `create` makes it first if there is none."""

        async def do() -> Any:
            async with self.mind(create=create) as mind:
                return await work(mind)

        return self.run_async(do())

    def run_async(self, work: Any) -> Any:
        logging.basicConfig(format="ebbtide: %(message)s", stream=sys.stderr, level=logging.WARNING)
        return asyncio.run(work)

    @asynccontextmanager
    async def host(self) -> "AsyncIterator[Host]":
        from ebbtide.app import running

        async with running(self.settings) as host:
            yield host

    @asynccontextmanager
    async def mind(self, *, create: bool = False) -> "AsyncIterator[Mind]":
        settings = self.settings
        async with self.host() as host:
            if create and settings.agent not in host.agents():
                await host.create(settings.agent, settings.metabolism, settings.params)
            async with host.mind(settings.agent) as mind:
                yield mind if self.as_of is None else await self._past(mind, self.as_of)

    async def _past(self, mind: "Mind", as_of: str) -> "Mind":
        with self.progress("replaying the journal") as progress:
            return await mind.as_of(moment(as_of, mind.now()), progress)

    @contextmanager
    def progress(self, what: str) -> "Iterator[Progress | None]":
        """A bar for people at a terminal; nothing in pipes and JSON."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
