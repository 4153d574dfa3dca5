"""The SDK's own client: to a process of its own, to a server on loopback, or to a server in this very process."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import httpx2
import uvicorn
from fastapi import FastAPI
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, TextResourceContents

from ebbtide.app import house
from ebbtide.serve.mcp.http import Authorize, mount
from ebbtide.serve.mcp.opening import Minds
from ebbtide.serve.mcp.server import build
from ebbtide.settings import Settings
from tests.helpers import FakeClock
from tests.serve.shell import PROGRAM, environment

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_stdio(
    data: Path, metabolism: str | None = "activity", mode: Any = "auto", **env: str
) -> AsyncIterator[Client]:
    words = ["mcp", "--agent", "ada", *(() if metabolism is None else ("--metabolism", metabolism))]
    started = StdioServerParameters(
        command=str(PROGRAM), args=words, env=environment(data, EBBTIDE_EMBEDDER="none", **env)
    )
    with (data.parent / "stderr").open("w+", encoding="utf-8") as said:
        async with Client(stdio_client(started, errlog=said), mode=mode) as client:
            yield client
        said.seek(0)
        assert said.read() == ""  # nothing went wrong on the way


@asynccontextmanager
async def over_http(data: Path, metabolism: str = "activity", mode: Any = "auto") -> AsyncIterator[Client]:
    async with listening(data, metabolism) as url, Client(f"{url}/mcp/ada", mode=mode) as client:
        yield client


@asynccontextmanager
async def listening(
    data: Path, metabolism: str = "activity", authorize: Authorize = lambda request, agent, admin: None
) -> AsyncIterator[str]:
    """A server with nothing but MCP on it, and where it is."""
    settings = replace(Settings(), data=data, metabolism=metabolism, embedder="none")
    async with house(settings) as minds:
        app = FastAPI()
        endpoint = mount(app, minds, authorize, settings)
        app.router.lifespan_context = lambda app: endpoint.running()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", access_log=False))
            serving = asyncio.get_running_loop().create_task(server.serve([listener]))
            try:
                yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            finally:
                server.should_exit = True
                await serving


@asynccontextmanager
async def with_key(url: str, key: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as web,
        Client(streamable_http_client(url, http_client=web)) as client,
    ):
        yield client


@asynccontextmanager
async def in_process(
    data: Path, metabolism: str = "activity", clock: FakeClock | None = None, **params: Any
) -> AsyncIterator[Client]:
    settings = replace(Settings(), data=data, embedder="none")
    async with house(settings, clock) as minds:
        server = build(Minds(lambda: minds, metabolism, params), lambda context: "ada")
        async with Client(server) as client:
            yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The values of an answer that must be a good one."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The complaint of a call that must fail: one line, and no more."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    assert answer.structured_content is None
    said = words(answer)
    assert said
    assert "\n" not in said
    assert "Traceback" not in said
    return said


def words(answer: CallToolResult) -> str:
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


async def resource(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


def unfenced(text: str) -> str:
    """What stands between the two marks, which must be the same and stand nowhere else."""
    first, *told, last = text.split("\n")
    mark = first.removeprefix("<<data ")
    assert (first, last) == (f"<<data {mark}", f"{mark} data>>")
    assert len(mark) == 16
    assert not any(mark in line for line in told)
    return "\n".join(told)


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def post(url: str, body: Any, **headers: str) -> httpx.Response:
    """A request as it goes over the wire, for what no well-behaved client would send."""
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    async with httpx.AsyncClient() as web:
        return await web.post(url, content=body if isinstance(body, bytes) else json.dumps(body), headers=sent)
