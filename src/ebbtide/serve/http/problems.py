"""Every failure as application/problem+json (RFC 9457): what kind, which status, in words, and the facts.

400 not JSON, or not a path · 401, 403 who asks · 404 not there · 405 not so · 409 refused by the present state ·
413, 415 the body · 422 understood, and not acceptable · 429 too much at once · 5xx not the caller's doing
"""

import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as RawHTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from ebbtide.core.errors import (
    Conflict,
    EbbtideError,
    EmbedderFailed,
    Expired,
    InvalidInput,
    KeyTaken,
    ModelFailed,
    NotFound,
    OwnerSilent,
    StoreError,
    StoreFull,
    UnknownMind,
    UnknownTask,
)

log = logging.getLogger("ebbtide")

MEDIA_TYPE = "application/problem+json"
_STATUS: tuple[tuple[type[EbbtideError], int], ...] = (
    (InvalidInput, 422),
    (NotFound, 404),
    (OwnerSilent, 503),
    (Conflict, 409),
    (ModelFailed, 502),
    (EmbedderFailed, 502),
    (StoreFull, 507),
    (StoreError, 503),
)
# Where the error's own words speak of commands, or of folders that are nobody's business out there.
_WORDS: dict[type[EbbtideError], str] = {
    UnknownMind: "There is no mind {agent!r}: GET /v1/minds lists those there are, POST /v1/minds makes one.",
    Expired: "{key!r} has expired: the list with state=expired still shows it, `explain` says why, "
    "`touch` with revive brings it back.",
    KeyTaken: "The key {key!r} is taken: choose another, or PUT to that memory to replace what it says; restore takes"
    " a new_key.",
    OwnerSilent: "The process that owns these minds does not answer: try again later.",
    UnknownTask: "There is no task {task} in this mind's queue: GET its queue for those there are.",
}
_PRIVATE = ("data", "path", "archive", "owner")
_LONGEST = 1000  # what was sent may be quoted in it
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


class Problem(HTTPException):
    """A failure of the edge itself. `title` names its kind, as the name of an error does in the tree below."""

    title = "Problem"
    status = 400

    def __init__(
        self, detail: str, *, headers: Mapping[str, str] | None = None, facts: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(self.status, detail, dict(headers or {}))
        self.facts = dict(facts or {})


class BadRequest(Problem):
    title, status = "BadRequest", 400


class Unauthorized(Problem):
    title, status = "Unauthorized", 401


class Forbidden(Problem):
    title, status = "Forbidden", 403


class TooLarge(Problem):
    title, status = "TooLarge", 413


class NotJson(Problem):
    title, status = "NotJson", 415


class NotAForm(Problem):
    title, status = "NotAForm", 415


class Unacceptable(Problem):
    title, status = "InvalidInput", 422


class TooMuch(Problem):
    title, status = "TooMuch", 429


class ProblemShape(BaseModel):
    """What went wrong. `error` is the name of its kind; `facts` are what its words are made of."""

    model_config = ConfigDict(
        title="Problem",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:ebbtide:unknown-memory",
                    "title": "Unknown memory",
                    "status": 404,
                    "detail": "There is no memory 'ferry' in this mind.",
                    "error": "UnknownMemory",
                    "facts": {"key": "ferry"},
                }
            ]
        },
    )

    type: str
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    error: str
    facts: dict[str, Any]


def told(error: BaseException) -> dict[str, Any]:
    """The problem an error is, as a document."""
    if isinstance(error, EbbtideError):
        return _document(type(error).__name__, status_of(error), _words(error), error.facts)
    if isinstance(error, Problem):
        return _document(error.title, error.status, str(error.detail), error.facts)
    if isinstance(error, RawHTTPException):
        phrase = HTTPStatus(error.status_code).phrase
        return _document(phrase.title().replace(" ", ""), error.status_code, str(error.detail))
    return _document("InternalError", 500, "Something went wrong here, and it is not your doing: the log says more.")


def status_of(error: EbbtideError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def answer(error: BaseException, headers: Mapping[str, str] | None = None) -> Response:
    document = told(error)
    said = dict(headers or getattr(error, "headers", None) or {})
    return Response(msgspec.json.encode(document), document["status"], said, MEDIA_TYPE)


def install(app: FastAPI, *, bugs: bool = True) -> None:
    """Whatever goes wrong in this app is answered as a problem; without `bugs`, whatever was raised on purpose."""

    @app.exception_handler(EbbtideError)
    async def refused(request: Request, error: Exception) -> Response:
        if isinstance(error, EbbtideError) and status_of(error) >= 500:
            route = getattr(request.scope.get("route"), "path", "")  # not the address: keys of memories are in it
            log.error("%s %s: %s", request.method, route, error)
        return answer(error)

    @app.exception_handler(RawHTTPException)
    async def not_so(request: Request, error: Exception) -> Response:
        assert isinstance(error, RawHTTPException)
        if error.status_code == 405:
            methods = _allowed(app.routes, request)
            return answer(RawHTTPException(405, f"{request.method} is not for this: {methods} is."), {"Allow": methods})
        if error.status_code == 404 and not isinstance(error, Problem):
            return answer(RawHTTPException(404, "There is nothing here: GET /v1/openapi.json tells what there is."))
        return answer(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(_unacceptable(error.errors()))

    async def bug(request: Request, error: Exception) -> Response:
        return answer(error)  # Starlette raises it once more, for the server's log

    if bugs:
        app.add_exception_handler(Exception, bug)


def _document(name: str, status: int, detail: str, facts: Mapping[str, Any] | None = None) -> dict[str, Any]:
    words = _WORD.sub(" ", name).lower()
    return {
        "type": f"urn:ebbtide:{words.replace(' ', '-')}",
        "title": words.capitalize(),
        "status": status,
        "detail": _short(detail),
        "error": name,
        "facts": {key: _fact(fact) for key, fact in (facts or {}).items() if key not in _PRIVATE},
    }


def _words(error: EbbtideError) -> str:
    if type(error) in _WORDS:
        return _WORDS[type(error)].format(**error.facts)
    if isinstance(error, StoreError):  # its words name folders of this machine
        return f"The disk, not the request: {error.facts.get('detail', 'try again later')}."
    return str(error)


def _unacceptable(errors: Sequence[Any]) -> Unacceptable | BadRequest:
    """The first thing that is wrong, and where; all of them as facts."""
    found = [{"where": _where(one["loc"]), "what": _short(str(one["msg"]), 200)} for one in errors[:20]]
    if errors and errors[0]["type"] == "json_invalid":
        return BadRequest("The body is not JSON.")
    first = found[0] if found else {"where": "the request", "what": "cannot be understood"}
    return Unacceptable(f"{first['where']}: {first['what']}", facts={"problems": found})


def _where(place: Sequence[Any]) -> str:
    return _short(".".join(str(part) for part in place), 200)


def _allowed(routes: Sequence[BaseRoute], request: Request) -> str:
    """All methods of this path; a single route knows only its own."""
    found: set[str] = set()
    for route in routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(found))


def _fact(fact: Any) -> Any:
    if isinstance(fact, str):
        return _short(fact)
    if isinstance(fact, int):
        return fact if abs(fact) < 1 << 53 else str(fact)[:40]
    return fact if isinstance(fact, float | list | None) else _short(str(fact))


def _short(text: str, most: int = _LONGEST) -> str:
    """Fit to be sent: not without end, and nothing that no encoding has."""
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= most else f"{text[:most]}…"
