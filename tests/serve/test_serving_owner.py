"""What the owner of a data folder does by itself: what was handed over before the last stop is gone on with."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import httpx
import pytest
from fastapi import FastAPI

from bench.serve_load import serving
from ebbtide.app import house, running
from ebbtide.core.memory import Message
from ebbtide.host.host import Host
from ebbtide.host.ownership import House
from ebbtide.host.wire import Call
from ebbtide.serve import server as serving_process
from ebbtide.serve.demo import DEMOS
from ebbtide.serve.http.metrics import Metrics
from ebbtide.serve.owning import AT_ONCE, keeping, wake
from ebbtide.serve.server import add_health
from ebbtide.settings import Settings
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.slow  # each test starts a server

AGENTS = [f"mind-{number}" for number in range(AT_ONCE + 2)]


class Never(ScriptedModel):
    async def segment(self, messages: Sequence[Message]) -> list[str]:
        await asyncio.Event().wait()
        raise AssertionError


class Choosy(ScriptedModel):
    """Takes for ever over what one mind was told; `others`: all the others have been heard."""

    def __init__(self) -> None:
        super().__init__()
        self.others = asyncio.Event()
        self._heard: set[str] = set()

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        (agent,) = [agent for agent in AGENTS if agent in messages[0].content]
        if agent == AGENTS[0]:
            await asyncio.Event().wait()
        self._heard.add(agent)
        if len(self._heard) == len(AGENTS) - 1:
            self.others.set()
        return await super().segment(messages)


def _settings(data: Path) -> Settings:
    return Settings(data=data, embedder="none", open_minds=1)


async def _told(data: Path) -> None:
    """Each mind was told something, and its owner ended before it could take it in."""
    async with running(_settings(data), small_model=Never()) as host:
        for agent in AGENTS:
            await host.create(agent, "network")
            async with host.mind(agent) as mind:
                await mind.remember([Message("user", f"Lin told {agent} of Lamma")])


async def _waiting(data: Path) -> list[str]:
    async with running(_settings(data), small_model=Never()) as host:
        return [agent for agent in AGENTS if await _queue(host, agent)]


async def _queue(host: Host, agent: str) -> int:
    async with host.mind(agent) as mind:
        return len([task for task in await mind.queue() if task.kind == "remember"])


async def test_every_queue_is_emptied_however_few_minds_may_be_open(tmp_path: Path) -> None:
    await _told(tmp_path)
    assert await _waiting(tmp_path) == AGENTS
    async with running(_settings(tmp_path), small_model=ScriptedModel()) as host:
        await wake(host)
        assert len(host.opened()) == 1
    assert await _waiting(tmp_path) == []


async def test_a_mind_that_takes_long_does_not_hold_up_the_others(tmp_path: Path) -> None:
    await _told(tmp_path)
    model = Choosy()
    async with running(_settings(tmp_path), small_model=model) as host, keeping(host, _settings(tmp_path)):
        await asyncio.wait_for(model.others.wait(), 30)
    assert AGENTS[0] in await _waiting(tmp_path)


async def test_a_mind_that_cannot_be_opened_does_not_hold_up_the_others(tmp_path: Path) -> None:
    await _told(tmp_path)
    for file in (tmp_path / AGENTS[0]).iterdir():
        file.unlink()
    (tmp_path / AGENTS[0] / "mind.db").write_bytes(b"no mind at all")
    async with running(_settings(tmp_path), small_model=ScriptedModel()) as host:
        await wake(host)
    async with running(_settings(tmp_path), small_model=Never()) as host:
        assert [await _queue(host, agent) for agent in AGENTS[1:]] == [0] * (len(AGENTS) - 1)


# ---- beside an owner


class Silent:
    """A house of another process, which was stopped and holds its line."""

    owner, entered = False, True

    async def ask(self, call: Call) -> None:
        await asyncio.Event().wait()


def _asking(minds: House, *, waits: bool = False) -> httpx.AsyncClient:
    app, prepared = FastAPI(), asyncio.Event()
    if not waits:
        prepared.set()
    add_health(app, minds, Metrics(), asyncio.Event(), prepared)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1")


async def test_a_server_is_ready_while_its_owner_answers(tmp_path: Path) -> None:
    async with house(_settings(tmp_path)) as owner, house(_settings(tmp_path)) as guest:
        assert (owner.owner, guest.owner) == (True, False)
        for minds in (owner, guest):
            async with _asking(minds) as asking:
                assert (await asking.get("/readyz")).status_code == 200


async def test_a_server_whose_owner_is_silent_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ebbtide.serve.server.PATIENCE", 0.0)
    async with _asking(cast(House, Silent())) as asking:
        answer = await asking.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
        assert (await asking.get("/healthz")).status_code == 200


async def test_a_server_that_is_still_making_its_demo_minds_is_alive_and_not_ready(tmp_path: Path) -> None:
    async with house(_settings(tmp_path)) as minds, _asking(minds, waits=True) as asking:
        answer = await asking.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
        assert (await asking.get("/healthz")).status_code == 200


async def test_a_server_is_ready_once_its_demo_minds_are_there(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, "--demo", "--no-page") as server,
        httpx.AsyncClient(base_url=server.url, trust_env=False) as asking,
    ):
        async with asyncio.timeout(120):
            while (await asking.get("/readyz")).status_code != 200:  # noqa: ASYNC110 — another process
                await asyncio.sleep(0.05)
        assert set((await asking.get("/v1/minds")).json()["minds"]) == {demo.agent for demo in DEMOS}


async def test_demo_minds_that_cannot_be_made_do_not_keep_a_server_from_being_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fill(_: House) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ebbtide.serve.demo.fill", fill)
    prepared = asyncio.Event()
    await serving_process._prepare(cast(House, Silent()), prepared, demo=True)
    assert prepared.is_set()
    assert "the demo minds could not be made" in caplog.text
