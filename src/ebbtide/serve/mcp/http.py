"""MCP over streamable HTTP, beside the rest of the server: /mcp/AGENT is that agent's mind, /mcp the default one's.

Every POST stands for itself, so there are no sessions to lose, to leak or to be taken over: whose mind it is about is
in its own path, and that is what it was let in for.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from inspect import isawaitable
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ebbtide.host.ownership import House
from ebbtide.serve.mcp.opening import Minds
from ebbtide.serve.mcp.server import Context, build
from ebbtide.serve.mcp.shapes import LONGEST_CALL
from ebbtide.settings import Settings

PATH = "/mcp"
_AGENT = "ebbtide.agent"  # where a request's scope says whose mind it is about
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# Raises whatever the rest of the server makes an answer of, if this request may not speak for that agent.
Authorize = Callable[[Request, str, bool], Awaitable[Any] | Any]


class Endpoint:
    """An ASGI app. It answers between the beginning and the end of `running`, which belongs into the app's lifespan."""

    def __init__(self, minds: Minds, authorize: Authorize, default_agent: str, *, local: bool) -> None:
        self._authorize, self._default_agent = authorize, default_agent
        self._server = build(minds, _agent_of)
        self._local = local
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self._manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            security_settings=_security(self._local),
            max_request_body_size=LONGEST_CALL,
        )
        try:
            async with self._manager.run():
                yield
        finally:
            self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        agent = request.path_params.get("agent", self._default_agent)
        allowed = self._authorize(request, agent, False)
        if isawaitable(allowed):
            await allowed
        if self._manager is None:
            await Response(status_code=503)(scope, receive, send)
        elif request.method != "POST":  # there is nothing to listen to, and no session to end
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        else:
            await self._manager.handle_request({**scope, _AGENT: agent}, receive, send)


def mount(
    app: Starlette,
    house: House | Callable[[], House],
    authorize: Authorize,
    settings: Settings,
    *,
    local: bool = True,
) -> Endpoint:
    """Put the endpoint into the app's routes; its `running` is to be entered when the app starts.

    `house` may be a function, for an app that opens it only then. `local`: only requests that name this machine, as no
    web page of somebody else's can make a browser do; for a server that anybody may reach, and that asks for keys, not.
    """
    minds = Minds((lambda: house) if isinstance(house, House) else house, settings.metabolism, settings.params)
    endpoint = Endpoint(minds, authorize, settings.agent, local=local)
    app.router.routes += [Route(PATH, endpoint), Route(f"{PATH}/{{agent}}", endpoint)]
    return endpoint


def _agent_of(context: Context) -> str:
    assert isinstance(context.request, Request)
    return str(context.request.scope[_AGENT])


def _security(local: bool) -> TransportSecuritySettings:
    names = [name for host in _LOOPBACK for name in (host, f"{host}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=local,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
