"""What the server logs: one line an event, for people or as JSON. Never a key, a token or what a memory says.

So a request is told by its route, not by its address: an address may hold a memory's key or a search.
"""

import itertools
import json
import logging
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ebbtide.core.errors import EbbtideError

log = logging.getLogger("ebbtide.http")

HEADER = b"x-request-id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_CONVERTOR = re.compile(r":\w+}")
_KEY = re.compile(r"ebb_[0-9a-f]{8}_[A-Za-z0-9_-]{43}")
_QUIET = ("/healthz", "/readyz", "/metrics", "page assets", "page socket")  # asked by machines, again and again
_MOUNTED = (
    ("/v1/openapi.json", "/v1/openapi.json"),
    ("/mcp", "/mcp"),
    ("/_nicegui_ws", "page socket"),
    ("/_nicegui", "page assets"),
    ("/_page", "page assets"),
)

_FOUND = "ebbtide.route"  # where a request's scope has the route that was found for it, in whatever copy of it
# The page's library tells whole addresses where it finds nothing; uvicorn, every request that is none.
_LEVELS = {"": logging.WARNING, "ebbtide": logging.INFO, "nicegui": logging.ERROR, "uvicorn": logging.ERROR}

_PROCESS, _numbers = secrets.token_hex(4), itertools.count(1)  # a name for each request that brings none

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# method, route, status, seconds
Observe = Callable[[str, str, int, float], None]


class Observed:
    """The outermost layer: gives each request its id, and tells how it went when it is over."""

    def __init__(self, app: ASGIApp, observe: Observe = lambda *_: None) -> None:
        self._app, self._observe = app, observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = _named(Headers(scope=scope).get(HEADER.decode()))
        scope[_FOUND] = {}
        started, status = time.perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (HEADER, name.encode())]
            await send(message)

        token = request_id.set(name)
        try:
            await self._app(scope, receive, sending)
        finally:
            self._tell(scope, status, time.perf_counter() - started)
            request_id.reset(token)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope)
        self._observe(scope["method"], route, status, seconds)
        level = logging.ERROR if status >= 500 else logging.DEBUG if route in _QUIET else logging.INFO
        facts = {"method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1000, 2)}
        log.log(level, "%s %s %d %.1f ms", *facts.values(), extra={"facts": facts})


def route_of(scope: Scope) -> str:
    """The pattern the address met, so that there are only so many of them."""
    path = str(scope["path"])
    for start, name in _MOUNTED:
        if path.startswith(start):
            return name
    return str(scope.get(_FOUND, {}).get("path", "unknown"))


class Noted:
    """The innermost layer: what lies between may hand on a copy of the scope, and then only this one sees the route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            pattern = getattr(scope.get("route"), "path", None)
            if pattern and _FOUND in scope:
                scope[_FOUND]["path"] = _CONVERTOR.sub("}", pattern)


def _named(said: str | None) -> str:
    return said if said and _ID.fullmatch(said) and not _KEY.search(said) else f"{_PROCESS}-{next(_numbers):x}"


# ---- lines


class Lines(logging.Formatter):
    """For people: time, level, what, and the request it belongs to."""

    def format(self, record: logging.LogRecord) -> str:
        name = request_id.get()
        line = f"{_when(record)} {record.levelname.lower()} {_said(record)}{f' [{name}]' if name else ''}"
        return f"{line}{_way_there(self, record)}"


class Json(logging.Formatter):
    """For machines: one object a line."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, Any] = getattr(record, "facts", {})
        said = {"message": _said(record)} if not facts else {"message": "request", **facts}
        told = {"time": _when(record), "level": record.levelname.lower(), "logger": record.name, **said}
        if name := request_id.get():
            told["request_id"] = name
        if trace := _way_there(self, record):
            told["trace"] = trace.strip()
        return json.dumps(told, ensure_ascii=False)


@contextmanager
def logging_to_stderr(style: str) -> Iterator[None]:
    """All that is logged while the block lasts, by us and by the libraries we stand on."""
    speaker = logging.StreamHandler(sys.stderr)
    speaker.setFormatter(Json() if style == "json" else Lines())
    root = logging.getLogger()
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in _LEVELS}
    root.handlers[:] = [speaker]
    for name, level in _LEVELS.items():
        logging.getLogger(name).setLevel(level)
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _when(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _said(record: logging.LogRecord) -> str:
    """One line; whatever looks like a key is blotted out, whoever wrote it."""
    return _KEY.sub("ebb_…", " ".join(record.getMessage().split()))


def _way_there(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    """What we raise on purpose says enough in a line; a bug shows its way."""
    if not record.exc_info or record.exc_info[1] is None:
        return ""
    if isinstance(record.exc_info[1], EbbtideError):
        return f": {record.exc_info[1]}"
    return _KEY.sub("ebb_…", f"\n{formatter.formatException(record.exc_info)}")
