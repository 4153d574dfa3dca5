"""One run of the command: which mind, how to answer, and the way from a command to the mind and back."""

import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ebbtide.core.errors import EbbtideError, InvalidInput
from ebbtide.serve.cli import render

if TYPE_CHECKING:  # these load NumPy; `--help` must not wait for it
    from ebbtide.host.ownership import House
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

    def run(
        self,
        work: "Callable[[Mind], Awaitable[Any]]",
        *,
        make: Callable[[str], Any] | None = None,
    ) -> Any:
        """Do this with the mind.

        With `make` a mind is made where there is none. It is called first, with the metabolism the new mind
        will have (the settings say which), and raises what the work would raise: bad input must
        not leave an empty mind behind.
        """

        async def do() -> Any:
            async with self.mind(make) as mind:
                return await work(mind)

        return self.run_async(do())

    def run_in_all(self, work: "Callable[[Mind], Awaitable[Any]]") -> dict[str, Any]:
        """Do this with every mind of the data folder, one after another. Where it fails, the error is the answer."""
        self.require_present()
        if self.agent is not None:
            raise InvalidInput(problem="--all and --agent do not go together")

        async def tried(host: "House", agent: str) -> Any:
            try:
                async with host.mind(agent) as mind:
                    return await work(mind)
            except EbbtideError as error:  # the others go on
                return error

        async def do() -> dict[str, Any]:
            async with self.host(open_minds=0) as host:
                return {agent: await tried(host, agent) for agent in host.agents()}

        return dict(self.run_async(do()))

    def run_async(self, work: Any) -> Any:
        import asyncio

        speaker = logging.StreamHandler(sys.stderr)
        speaker.setFormatter(_OneLine())
        logging.basicConfig(handlers=[speaker], level=logging.WARNING)
        return asyncio.run(work)

    @asynccontextmanager
    async def host(self, open_minds: int | None = None) -> "AsyncIterator[House]":
        """The minds, here or, if another process has the data folder, there. With no open minds, each is closed as
        soon as it is left."""
        from ebbtide.app import house

        settings = self.settings
        async with house(settings if open_minds is None else replace(settings, open_minds=open_minds)) as minds:
            yield minds

    @asynccontextmanager
    async def mind(self, make: Callable[[str], Any] | None = None) -> "AsyncIterator[Mind]":
        settings = self.settings
        async with self.host() as host:
            if make and self.as_of is None and settings.agent not in host.agents():
                make(settings.metabolism)
                await host.create(settings.agent, settings.metabolism, settings.params)
            async with host.mind(settings.agent) as mind:
                yield mind if self.as_of is None else await self._view(mind, self.as_of)

    def require_present(self) -> None:
        """For what makes minds: there is no making one in the past."""
        if self.as_of is not None:
            raise InvalidInput(problem="--as-of only looks: nothing can be made at another time")

    def at(self, moment: str | None) -> "Caller":
        """The same, looking at the mind at this moment: what it reads counts as no use."""
        if moment is None:
            return self
        if self.as_of is not None:
            raise InvalidInput(problem="--at and --as-of both name the moment to look at: give one of them")
        return replace(self, as_of=moment)

    async def _view(self, mind: "Mind", moment: str) -> "Mind":
        with self.progress("replaying the journal") as progress:
            return await mind.at(moment, progress)

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> "Iterator[Progress | None]":
        """A bar for people at a terminal; nothing in pipes and JSON."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done, seen: bar.update(task, completed=done, total=total or seen)


class _OneLine(logging.Formatter):
    """What is logged on the way is one line too; only a bug may leave a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, EbbtideError):
            return f"ebbtide: {super().format(record)}"
        line = record.getMessage() if error is None else f"{record.getMessage()}: {error}"
        return f"ebbtide: {render.printable(' '.join(line.split()))}"
