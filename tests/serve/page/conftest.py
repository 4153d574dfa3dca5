"""A real server and one browser for all tests of the page; each test has minds and tabs of its own."""

import asyncio
import itertools
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

import ebbtide
from ebbtide.app import house
from ebbtide.core.changes import Discard, Entry, Pair, Reaped, WriteDown
from ebbtide.serve.demo import fill
from ebbtide.settings import Settings
from tests.browser import NoBrowser, Tab, chromium, tab
from tests.components import missing

_numbers = itertools.count(1)

OpenTab = Callable[..., Any]


@dataclass(frozen=True)
class Site:
    """A running server: where it is, and its data folder."""

    home: str
    data: Path
    template: Path

    def mind(self, demo: str = "demo-activity") -> str:
        """The name of a fresh copy of a demo mind. It appears in one step, as everything does there."""
        agent = f"{demo}-{next(_numbers)}"
        half = self.data / f"_copy-{agent}"
        shutil.copytree(self.template / demo, half)
        half.rename(self.data / agent)
        return agent

    async def journal(self, agent: str) -> list[Entry]:
        async with ebbtide.open(agent, data=self.data) as mind:
            return [entry async for entry in mind.entries()]

    async def deeds(self, agent: str) -> list[Entry]:
        """Its journal without what ticks and reapings wrote down: the server runs them when they are due."""
        ticked = WriteDown | Pair | Discard | Reaped
        return [entry for entry in await self.journal(agent) if not isinstance(entry.change, ticked)]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    try:
        async with chromium() as opened:
            yield opened
    except NoBrowser as error:
        missing("browser", str(error))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    template = folder / "template"
    async with house(Settings(data=template, embedder="none")) as minds:
        await fill(minds)
    (folder / "data").mkdir()
    async with serving(folder / "data") as home:
        yield Site(home, folder / "data", template)


class serving(AbstractAsyncContextManager[str]):  # noqa: N801 — used like a function
    """`ebbtide serve` on a free port, ended by its id. Gives its address."""

    def __init__(self, data: Path, **environ: str) -> None:
        self._data, self._environ = data, environ
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> str:
        command = (
            sys.executable,
            "-c",
            "from ebbtide.serve.cli import main; main()",
            "--data",
            str(self._data),
            "--json",
            "serve",
        )
        own = {"EBBTIDE_EMBEDDER": "none", "HOME": str(self._data.parent), **self._environ}
        self._process = await asyncio.create_subprocess_exec(
            *command, "--port", "0", env={**os.environ, **own}, stdout=asyncio.subprocess.PIPE, cwd=self._data.parent
        )
        assert self._process.stdout is not None
        said = b""
        while line := await self._process.stdout.readline():
            said += line
            try:
                return str(json.loads(said)["url"])
            except ValueError:
                continue
        raise AssertionError(f"the server ended: {said.decode()}")

    async def __aexit__(self, *error: object) -> None:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.communicate()


@pytest_asyncio.fixture(loop_scope="session")
async def open_tab(browser: Browser, site: Site, tmp_path: Path) -> AsyncIterator[OpenTab]:
    """`await open_tab(path, language="zh", phone=True, dark=True)`; what went wrong on it fails the test at its end."""
    async with AsyncExitStack() as stack:

        async def opened(path: str, *, home: str = "", **options: Any) -> Tab:
            fresh = await stack.enter_async_context(tab(browser, home or site.home, tmp_path, **options))
            return await fresh.go(path)

        yield opened
