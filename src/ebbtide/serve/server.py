"""The one process of `ebbtide serve`: the API, the tools for agents and the page over one house, with its scheduler.

It listens, then enters the house, then builds what takes long to load. A signal ends it: nothing new is let in, what is
in hand is finished, everything is on disk. A second one does not wait for what is in hand.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ebbtide.app import SystemClock, house
from ebbtide.core.errors import EbbtideError, InvalidInput, StoreUnreadable
from ebbtide.host.host import Host
from ebbtide.host.ownership import House
from ebbtide.host.wire import PING, Call
from ebbtide.serve.http import problems
from ebbtide.serve.http.auth import LOGIN, LOGOUT, Gate, Guard, is_loopback, is_of_the_api
from ebbtide.serve.http.guards import MAX_FORM, Limits
from ebbtide.serve.http.logs import Noted, Observed
from ebbtide.serve.http.metrics import CONTENT_TYPE, Metrics
from ebbtide.serve.keys import Keyring
from ebbtide.serve.listening import BACKLOG, listening, url_of
from ebbtide.serve.owning import cancelled, keeping
from ebbtide.serve.stopping import Server, Stopping
from ebbtide.settings import Settings

log = logging.getLogger("ebbtide")

PATIENCE = 1.0  # seconds for another process to say that it is there
GRACE = 20  # seconds for what is in hand when the server is told to stop


@dataclass(frozen=True, slots=True)
class Address:
    """Where to look. `page` is None where there is none."""

    url: str
    docs: str
    mcp: str
    page: str | None
    owner: bool
    keys: bool


Ready = Callable[[Address], None]


async def serve(settings: Settings, ready: Ready, *, page: bool = True, demo: bool = False) -> None:
    """Until a signal comes. `ready` is told where to look as soon as it answers there."""
    keyring = Keyring(settings.data)
    gate = Gate(keyring, SystemClock(), required=keys_required(settings, keyring))
    metrics, stopping = Metrics(), Stopping()
    async with AsyncExitStack() as stack:
        stack.enter_context(stopping.heard())
        listener = stack.enter_context(listening(settings))
        _make_folder(settings.data)
        on_owner = partial(_keeping, settings, metrics)
        minds = await stack.enter_async_context(house(settings, on_owner=on_owner, on_search=metrics.searched))
        prepared = asyncio.Event()
        parts = application(minds, settings, gate, metrics, stopping.asked, page=page, prepared=prepared)
        app = await stack.enter_async_context(parts)
        server = Server(_config(app))
        server.ready = partial(ready, _address(url_of(listener), minds, gate, page=page))
        stopping.serves(server)
        stack.push_async_callback(cancelled, asyncio.create_task(_prepare(minds, prepared, demo=demo)))
        await server.serve([listener])


def keys_required(settings: Settings, keyring: Keyring) -> bool:
    """Raises InvalidInput where others could come in and there is nothing to know them by."""
    required = settings.require_keys or not is_loopback(settings.host)
    if required and not keyring.keys():
        where = f"{settings.host!r:.80} can be reached by others" if not settings.require_keys else "keys are required"
        raise InvalidInput(problem=f"{where}, and there is no key yet: make one with `ebbtide keys create --admin`")
    return required


@asynccontextmanager
async def application(
    minds: House, settings: Settings, gate: Gate, metrics: Metrics, stopping: asyncio.Event, *,
    prepared: asyncio.Event, page: bool = True,
) -> AsyncIterator[ASGIApp]:  # fmt: skip
    """Everything that answers, behind the gate, for as long as the block lasts."""
    from ebbtide.serve.http.app import create_app
    from ebbtide.serve.mcp.http import mount as mount_mcp

    api = create_app(minds, settings, authorize=gate, max_body=None)
    add_health(api, minds, metrics, stopping, prepared)
    tools = mount_mcp(api, minds, gate, settings, local=not gate.required)
    pages = _pages(minds, settings, gate) if page else None
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(tools.running())
        for part in (api, pages):
            if part is not None:
                part.user_middleware.append(Middleware(Noted))
                await stack.enter_async_context(part.router.lifespan_context(part))
        parts = Limits(_Parts(api, pages or api), settings.body_limit, {LOGIN: MAX_FORM, LOGOUT: MAX_FORM})
        yield Observed(Guard(parts, gate, login=page), metrics.answered)


def _pages(minds: House, settings: Settings, gate: Gate) -> FastAPI:
    from ebbtide.serve.page import mount

    pages = FastAPI(openapi_url=None)
    problems.install(pages)
    mount(pages, minds, settings, gate if gate.required else None)
    return pages


class _Parts:
    """Two applications at one address: to a program that asks for what is not there, a page is no answer."""

    def __init__(self, api: ASGIApp, pages: ASGIApp) -> None:
        self._api, self._pages = api, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._api if is_of_the_api(scope["path"]) else self._pages)(scope, receive, send)


def add_health(app: FastAPI, minds: House, metrics: Metrics, stopping: asyncio.Event, prepared: asyncio.Event) -> None:
    """It is ready from when it is `prepared` until it is stopping. Then no new connection is accepted at all; an open
    one is told so.
    """

    async def healthz() -> Response:
        return JSONResponse({"status": "alive"})

    async def readyz() -> Response:
        able = prepared.is_set() and not stopping.is_set() and await _answers(minds)
        return JSONResponse({"status": "ready" if able else "not ready"}, 200 if able else 503)

    async def figures() -> Response:
        return Response(await metrics.text(minds), media_type=CONTENT_TYPE)

    for path, answer in (("/healthz", healthz), ("/readyz", readyz), ("/metrics", figures)):
        app.add_api_route(path, answer, methods=["GET", "HEAD"], include_in_schema=False, response_class=Response)


async def _answers(minds: House) -> bool:
    """Whether calls are answered. An owner that was stopped holds its line, and says nothing."""
    if minds.owner or not minds.entered:
        return minds.owner
    with suppress(TimeoutError, EbbtideError):
        async with asyncio.timeout(PATIENCE):
            await minds.ask(Call("", PING))
            return True
    return False


# ---- the house


@asynccontextmanager
async def _keeping(settings: Settings, metrics: Metrics, host: Host) -> AsyncIterator[None]:
    async with keeping(host, settings) as keeper:
        metrics.scheduler = keeper
        try:
            yield
        finally:
            metrics.scheduler = None


async def _prepare(minds: House, prepared: asyncio.Event, *, demo: bool) -> None:
    """A server whose demo minds could not be made is of use for all others: then it is ready too, and logs why."""
    try:
        if demo:
            await _demo(minds)
    finally:
        prepared.set()


async def _demo(minds: House) -> None:
    from ebbtide.serve.demo import fill

    try:
        made = await fill(minds)
        log.info("demo minds: %s", ", ".join(made) or "all there already")
    except (EbbtideError, OSError) as error:
        log.warning("the demo minds could not be made: %s", error)


def _make_folder(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnreadable(path=data, detail=error.strerror or str(error)) from error


# ---- listening


def _address(url: str, minds: House, gate: Gate, *, page: bool) -> Address:
    return Address(url, f"{url}/v1/openapi.json", f"{url}/mcp", f"{url}/" if page else None, minds.owner, gate.required)


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        backlog=BACKLOG,
    )
