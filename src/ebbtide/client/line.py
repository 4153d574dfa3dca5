"""Requests to one server: named, repeated where no answer came, and refused in the words of the tree of errors."""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from ebbtide.client.decode import part
from ebbtide.client.encode import encoded
from ebbtide.client.pauses import Clock, Pauses, wanted
from ebbtide.core import errors
from ebbtide.core.errors import (
    Conflict,
    EbbtideError,
    InvalidInput,
    NotAllowed,
    NotFound,
    ServerError,
    ServerUnreachable,
)

_FIRST_LOOK, _LONGEST_LOOK = 0.02, 0.5  # seconds between two looks at a task
_NEVER_HEARD = 3.0  # seconds for a server that has never answered yet: its address may be wrong
_FAREWELL = 2.0  # seconds for the end of a task to be heard of
_AGAIN = (429, 502, 503, 504)  # a server that is busy, or a proxy whose server is being started
_NEVER_BEGUN = (429, 503)  # of these, what is said before anything is done; behind a 502 or 504 somebody may be at it
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_IDLE = 3.0  # seconds a connection is kept: a server hangs up after five, and what is said just then may be lost
_TURN = 3600.0  # seconds that a question may stand in line, behind conversations that a model reads one by one
_PROBLEM = "application/problem+json"
_KINDS: tuple[tuple[tuple[int, ...], type[EbbtideError]], ...] = (
    ((401, 403), NotAllowed),
    ((404,), NotFound),
    ((409, 429), Conflict),
    ((400, 405, 413, 415, 421, 422), InvalidInput),
)

Progress = Callable[[int, int], None]
Path = Sequence[str]
Query = Mapping[str, Any]
Sleep = Callable[[float], Awaitable[None]]


class Line:
    """Used by one event loop, by as many tasks as you like.

    `timeout`: seconds one request may take. `patience`: seconds, from its first failure, in which it is sent again; at
    most three where nobody has ever answered.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        timeout: float = 30.0,
        patience: float = 30.0,
        *,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        self.url = _address(url)
        self._patience, self._sleep, self._clock = patience, sleep, clock
        self._heard = False  # whether anybody has ever answered here
        headers = {"Authorization": f"Bearer {_checked(key)}"} if key else {}
        here = urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1")
        limits = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=_IDLE)
        self._http = httpx.AsyncClient(
            headers=headers,
            timeout=timeout,
            limits=limits,
            trust_env=not here,  # no proxy leads home
        )

    def __repr__(self) -> str:
        return f"Line({self.url!r})"  # and never the key

    async def close(self) -> None:
        await self._http.aclose()

    async def read(self, path: Path, query: Query | None = None) -> Any:
        return await self._ask("GET", path, query=query)

    async def look(self, path: Path, body: Any, query: Query | None = None) -> Any:
        """A question too long for an address. It may be asked again: at most a hit counts once more."""
        return await self._ask("POST", path, body, query)

    async def turn(self, path: Path, body: Any) -> Any:
        """A question that stands in line behind others, and leaves traces or takes them away.

        So it is waited for long, and sent again only if nobody can have heard it: else each attempt would stand in line
        too, and the answer of the first be lost.
        """
        return await self._ask("POST", path, body, heard_once=True)

    async def write(self, method: str, path: Path, body: Any = None) -> Any:
        """Happens once, however often it has to be sent."""
        return await self._ask(method, path, body, name=uuid.uuid4().hex)

    async def work(self, path: Path, body: Any = None, progress: Progress | None = None) -> Any:
        """Long work: begun, looked at until it ends, and left if whoever waits for it leaves."""
        beginning = asyncio.create_task(self.write("POST", path, body))
        try:
            task = await self._watched(await asyncio.shield(beginning), progress)
        except BaseException:
            await self._leave(beginning)
            raise
        if task["state"] == "failed":
            raise _refusal(self.url, part(task, "problem") or {})
        if task["state"] != "done":
            raise Conflict(problem=f"somebody has stopped this {part(task, 'verb')}: what it had done stays done")
        return part(task, "result")

    async def _watched(self, task: Any, progress: Progress | None) -> Any:
        """The task when it has ended."""
        number, pause = str(part(task, "id")), _FIRST_LOOK
        while part(task, "state") == "running":
            await self._sleep(pause)
            pause = min(pause * 1.5, _LONGEST_LOOK)
            task = await self.read(("tasks", number))
            _tell(task, progress)
        return task

    async def _leave(self, beginning: "asyncio.Task[Any]") -> None:
        """End what nobody waits for, also if it was only being begun. Said once: whoever leaves is not kept waiting."""
        with suppress(EbbtideError, httpx.TransportError, TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                number = str(part(await beginning, "id"))
                await self._http.send(self._request("DELETE", ("tasks", number), None, None, ""))

    async def _ask(
        self,
        method: str,
        path: Path,
        body: Any = None,
        query: Query | None = None,
        name: str = "",
        *,
        heard_once: bool = False,
    ) -> Any:
        request = self._request(method, path, body, query, name)
        if heard_once:
            request.extensions["timeout"]["read"] = _TURN
        unanswered, unheard = (_NEVER_SENT, _NEVER_BEGUN) if heard_once else (httpx.TransportError, _AGAIN)
        pauses = Pauses(self._patience if self._heard else min(self._patience, _NEVER_HEARD), self._clock)
        while True:
            try:
                response = await self._http.send(request)
            except httpx.TransportError as error:
                pause = pauses.next() if isinstance(error, unanswered) else None
                if pause is None:
                    raise ServerUnreachable(server=self.url, detail=str(error) or type(error).__name__) from error
            else:
                self._heard, pauses.patience = True, self._patience
                pause = pauses.next(wanted(response.headers)) if _passes(response, unheard) else None
                if pause is None:
                    return self._answer(response)
            await self._sleep(pause)

    def _request(self, method: str, path: Path, body: Any, query: Query | None, name: str) -> httpx.Request:
        address = f"{self.url}/v1/{'/'.join(map(_segment, path))}"
        headers = {"Idempotency-Key": name} if name else {}
        content = None
        if body is not None:
            content, headers["Content-Type"] = encoded(body), "application/json"
        said = {key: value for key, value in (query or {}).items() if value is not None}
        return self._http.build_request(method, address, params=said, content=content, headers=headers)

    def _answer(self, response: httpx.Response) -> Any:
        if response.status_code == 204:
            return None
        try:
            said = response.json()
        except (ValueError, RecursionError):
            detail = f"HTTP {response.status_code}, and no JSON: {response.text[:200]!r}"
            raise ServerError(server=self.url, detail=detail) from None
        if response.is_success:
            return said
        raise _refusal(self.url, said if isinstance(said, dict) else {"status": response.status_code})


def _segment(part: str) -> str:
    """One part of a path. A key may be `..`, which in an address would lead elsewhere."""
    return "%2E" * len(part) if part in (".", "..") else quote(part, safe="", errors="surrogatepass")


def _passes(response: httpx.Response, statuses: tuple[int, ...]) -> bool:
    """Only the moment is wrong. What the server itself has words for stays so, unless it says when to come back."""
    if response.status_code not in statuses:
        return False
    told = response.headers.get("content-type", "").startswith(_PROBLEM)
    return not told or response.status_code == 429 or "retry-after" in response.headers


def _tell(task: Mapping[str, Any], progress: Progress | None) -> None:
    how_far = part(task, "progress")
    done, total = part(how_far, "done"), part(how_far, "total")
    if progress is not None and total is not None:
        progress(done, total)


def _refusal(server: str, problem: Mapping[str, Any]) -> EbbtideError:
    """The error the verb raised there, in the server's words; what only a server can say, by its status."""
    detail = str(problem.get("detail", "it does not say why"))
    kind = getattr(errors, str(problem.get("error", "")), None)
    if isinstance(kind, type) and issubclass(kind, EbbtideError):
        return _worded(kind, detail, dict(problem.get("facts") or {}))
    status = problem.get("status", 500)
    for statuses, kind in _KINDS:
        if status in statuses:
            facts = {"problem": detail, "server": server, "detail": detail.rstrip(".")}
            return kind(**facts)
    return ServerError(server=server, detail=detail.rstrip("."))


def _worded(kind: type[EbbtideError], words: str, facts: dict[str, Any]) -> EbbtideError:
    """Not every fact is told to everybody, so the words are not made anew of them."""
    error = kind.__new__(kind)
    Exception.__init__(error, words)
    error.facts = facts
    return error


def _address(url: str) -> str:
    if not _is_address(url.strip()):
        shown = "(with a secret in it)" if "@" in url else repr(url)
        raise InvalidInput(problem=f"{shown} is no server's address: give one like http://127.0.0.1:8321")
    return url.strip().rstrip("/").removesuffix("/v1")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = httpx.URL(url).host and parts.port != 0 and parts.hostname  # none of them bears what is no address
    except (ValueError, httpx.InvalidURL):
        return False
    return parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc and not parts.query


def _checked(key: str) -> str:
    if not key.isascii() or not key.isprintable():
        raise InvalidInput(problem="the key has characters that no key has: copy it again")
    return key.strip()
