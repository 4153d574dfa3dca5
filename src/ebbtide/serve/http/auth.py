"""Who may come in, and to which minds. Every way in passes here: routes, tools for agents and pages.

Without keys only this machine is served, and only to who speaks to it by its own name: a web page from elsewhere, open
in a browser on this machine, is a stranger too.
"""

import ipaddress
import logging
from collections.abc import MutableMapping
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ebbtide.core.errors import EbbtideError
from ebbtide.core.ports import Clock
from ebbtide.serve.http import problems
from ebbtide.serve.http.problems import Forbidden, Problem, Unauthorized
from ebbtide.serve.keys import Key, Keyring
from ebbtide.serve.sessions import Sessions

log = logging.getLogger("ebbtide")

COOKIE = "ebbtide_session"  # set by the page's login
LOGIN, LOGOUT = "/login", "/logout"
OPEN = frozenset({"/healthz", "/readyz"})
# What the login itself is made of. A socket serves one page, found by a random name that only its reader was given.
OF_THE_LOGIN = (LOGIN, "/_page/", "/_nicegui")
OF_THE_API = frozenset({"v1", "mcp", "healthz", "readyz", "metrics"})  # what else there is are pages
_MINDS = ("v1", "minds")
_KEY = "ebbtide.key"  # where a request's scope has the key it was let in with
_ELSEWHERE = ("cross-site", "same-site")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="ebbtide"'}
_READS = ("GET", "HEAD", "OPTIONS")
_STRANGE = "Pages of other sites may not call this server."


class WrongHost(Problem):
    title, status = "WrongHost", 421


class Gate:
    """Called as `authorize(request, agent, admin)`: returns if that may be, and raises if not.

    Where no keys are required whoever shows none may do everything; a key that is shown counts, everywhere.
    """

    def __init__(self, keyring: Keyring, clock: Clock, *, required: bool) -> None:
        self.required = required
        self._keyring, self._clock = keyring, clock
        self.sessions = Sessions(keyring, clock)

    def __call__(self, request: HTTPConnection, agent: str | None = None, admin: bool = False) -> None:
        key = self.key(request)
        if key is None:
            return
        if admin and not key.admin:
            raise Forbidden("This takes an admin's key.")
        if agent is not None and not key.opens(agent):
            raise Forbidden("This key does not open that mind.")

    def key(self, request: HTTPConnection) -> Key | None:
        """The good key of this request, looked up once; None where there is none and none is needed."""
        if _KEY in request.scope:
            known: Key | None = request.scope[_KEY]
            return known
        key = self._found(request)
        if key is None and self.required:
            raise Unauthorized("A key is needed: send it as `Authorization: Bearer KEY`.", headers=_CHALLENGE)
        request.scope[_KEY] = key
        return key

    def shown(self, request: HTTPConnection) -> Key | None:
        """The good key of a request that needs none."""
        with suppress(Unauthorized):
            return self.key(request)
        return None

    def still(self, request: HTTPConnection) -> Key | None:
        """Its key as things stand now, for what outlives a request: keys are revoked, and visits end."""
        with suppress(Unauthorized):
            return self._found(request)
        return None

    def _found(self, request: HTTPConnection) -> Key | None:
        said = request.headers.get("authorization")
        return self._cookie(request) if said is None else self._bearer(said)

    def _cookie(self, request: HTTPConnection) -> Key | None:
        """One that is not good any more counts as none: it is the browser that says it, not the reader."""
        return self.sessions.key(request.cookies.get(COOKIE, "")) if _takes_cookies(request.scope) else None

    def _bearer(self, said: str) -> Key:
        scheme, _, word = said.partition(" ")
        key = self._keyring.find(word.strip(), self._clock.now()) if scheme.casefold() == "bearer" else None
        if key is None:
            raise Unauthorized("This key is not known, or not any more.", headers=_CHALLENGE)
        return key


class Guard:
    """Stands before the whole application, so that no route can be forgotten.

    It turns away who has no good key, who has one for another mind than the path names, and strange web pages.
    What a path does not say (a page, a tool) the application asks the gate itself.
    """

    def __init__(self, app: ASGIApp, gate: Gate, *, login: bool = False) -> None:
        self._app, self._gate, self._login = app, gate, login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        try:
            key = self._admitted(request)
        except (Problem, EbbtideError) as error:
            await self._refuse(error, request)(scope, receive, send)
            return
        except Exception as error:
            log.exception("nobody can be let in")
            await self._refuse(error, request)(scope, receive, send)
            return
        if scope["type"] == "websocket" and key is not None:
            receive = self._while_good(request, receive, send)
        await self._app(scope, receive, send)

    def _admitted(self, request: HTTPConnection) -> Key | None:
        path = str(request.scope["path"])
        _require_our_name(request.headers, by_any_name=self._gate.required)
        _require_our_page(request)
        if path in OPEN or (self._login and path.startswith(OF_THE_LOGIN)):
            return self._gate.shown(request)
        first, second, agent = (*path.strip("/").split("/"), "", "", "")[:3]
        named = agent if (first, second) == _MINDS and agent else None
        self._gate(request, named, path == "/metrics")
        return self._gate.key(request)

    def _refuse(self, error: Exception, request: HTTPConnection) -> ASGIApp:
        if request.scope["type"] == "websocket":
            return _closed
        if self._login and isinstance(error, Unauthorized) and _is_a_reader(request):
            return RedirectResponse(way_in(request), 303)
        return problems.answer(error)

    def _while_good(self, request: HTTPConnection, receive: Receive, send: Send) -> Receive:
        """A page that is open when its key is revoked, or its visit ended, hears no more."""

        async def next_message() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or self._gate.still(request) is not None:
                return message
            await send({"type": "websocket.close", "code": 1008})
            return {"type": "websocket.disconnect", "code": 1008}

        return next_message


def way_in(request: HTTPConnection) -> str:
    """Where a reader is asked for a key; from there they get to where they were going, to the very memory."""
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"{LOGIN}?then={quote(here, safe='')}"


def is_of_the_api(path: str) -> bool:
    """Asked for by programs; everything else is for readers."""
    return f"{path}/".split("/", 2)[1] in OF_THE_API


def is_loopback(host: str) -> bool:
    """Whether only this machine can speak to it there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


# ----


def _takes_cookies(scope: MutableMapping[str, Any]) -> bool:
    """Browsers send cookies by themselves: enough to look, and to use the page, but not to change things by the API."""
    path = str(scope["path"])
    if path == "/mcp" or path.startswith("/mcp/"):
        return False
    return not path.startswith("/v1/") or scope.get("method") in _READS


def _require_our_name(headers: Headers, *, by_any_name: bool) -> None:
    """A name that was made to lead here, and a page that was loaded elsewhere, are how browsers are led astray."""
    host = headers.get("host", "")
    if not by_any_name and not _is_ours(host):
        raise WrongHost("Without keys only this machine is served, by the names localhost and 127.0.0.1.")
    origin = headers.get("origin")
    if origin is not None and origin.casefold().partition("://")[2] != host.casefold():
        raise Forbidden(_STRANGE)


def _require_our_page(request: HTTPConnection) -> None:
    """What only loads, as a picture does, brings no origin; but browsers say where it was asked for. A link to one of
    our pages may be anywhere."""
    headers = request.headers
    if headers.get("sec-fetch-site") not in _ELSEWHERE:
        return
    follows = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    if not follows or request.scope.get("method") not in _READS or is_of_the_api(request.scope["path"]):
        raise Forbidden(_STRANGE)


@lru_cache(64)  # asked with every request, and nearly always about the same one
def _is_ours(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def _is_a_reader(request: HTTPConnection) -> bool:
    """Somebody at a browser, who can be asked for a key."""
    looks = request.scope.get("method") == "GET" and "text/html" in request.headers.get("accept", "")
    return looks and not is_of_the_api(request.scope["path"])


async def _closed(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008})
