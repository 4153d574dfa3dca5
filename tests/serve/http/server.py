"""The HTTP application over real minds in a folder, asked in this process as a client would."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from fastapi import FastAPI

from ebbtide import app as wiring
from ebbtide.host.ownership import House
from ebbtide.serve.http.app import create_app
from ebbtide.settings import Settings
from tests.helpers import FakeClock

PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Api:
    """What a client says and hears. `ask` takes paths below the mind's own."""

    client: httpx.AsyncClient
    app: FastAPI
    house: House
    clock: FakeClock
    agent: str = "ada"

    async def ask(self, method: str, path: str = "", **more: Any) -> httpx.Response:
        return await self.client.request(method, f"/v1/minds/{self.agent}{path}", **more)

    async def get(self, path: str = "", **params: Any) -> Any:
        response = await self.ask("GET", path, params=params)
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, status: int = 200, **body: Any) -> Any:
        response = await self.ask("POST", path, json=body)
        assert response.status_code == status, response.text
        return response.json() if response.content else None

    async def put(self, key: str, text: str, **more: Any) -> Any:
        return await self.post("/memories", 201, key=key, text=text, **more)

    async def run(self, path: str, **body: Any) -> Any:
        """A task from its beginning to its end."""
        response = await self.ask("POST", path, json=body)
        assert response.status_code == 202, response.text
        return await self.ended(response.headers["location"])

    async def ended(self, location: str) -> Any:
        for _ in range(100_000):
            task = (await self.client.get(location)).json()
            if task["state"] != "running":
                return task
            await asyncio.sleep(0)
        raise AssertionError("it never ends")

    async def queue_empty(self) -> None:
        assert (await self.run("/idle"))["state"] == "done"


def part(key: str) -> str:
    """A key as a part of a path."""
    return quote(key, safe="")


def refused(response: httpx.Response, status: int) -> Any:
    """The problem, after a look at whether it is one."""
    assert (response.status_code, response.headers["content-type"]) == (status, PROBLEM), response.text
    problem = response.json()
    assert problem["status"] == status
    assert problem["type"].startswith("urn:ebbtide:")
    assert set(problem) == {"type", "title", "status", "detail", "error", "facts"}
    return problem


@asynccontextmanager
async def serving(
    data: Path, metabolism: str | None = "activity", clock: FakeClock | None = None, agent: str = "ada", **more: Any
) -> AsyncIterator[Api]:
    """An application over this folder, with a mind of that metabolism if there is none yet."""
    clock = clock or FakeClock()
    settings = Settings(data=data, embedder="none", **more.pop("settings", {}))
    async with wiring.house(settings, clock) as house:
        if metabolism is not None and agent not in house.agents():
            await house.create(agent, metabolism, more.pop("params", {}))
        app = create_app(house, settings, clock=clock, **more)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield Api(client, app, house, clock, agent)
        await app.state.desk.close()
