"""Routes that are asked so often that it counts how a request is taken apart.

They are described like all others, by the signature of what they call; but nobody works out with every request what
that signature needs. For a search this is half a millisecond.
"""

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from ebbtide.mind import Mind
from ebbtide.serve.http.asked import JsonRequest, JsonRoute
from ebbtide.serve.http.desk import MAX_MOMENT, seen

B = TypeVar("B", bound=BaseModel)

_see = asynccontextmanager(seen)


def direct(kind: type[B], work: Callable[[B, Mind], Awaitable[Response]]) -> type[JsonRoute]:
    """The class of a route whose work takes a body of this kind and a mind, as it is or as it was."""

    class Direct(JsonRoute):
        def get_route_handler(self) -> Any:
            async def handle(request: Request) -> Response:
                asked = JsonRequest(request.scope, request.receive)
                said = await asked.json() if await asked.body() else None
                async with _see(
                    asked, asked.path_params["agent"], _moment(asked, "as_of"), _moment(asked, "at")
                ) as mind:
                    return await work(_meant(kind, said), mind)

            return handle

    return Direct


def _moment(request: Request, name: str) -> str | None:
    said = request.query_params.get(name)
    if said is not None and len(said) > MAX_MOMENT:
        what = f"String should have at most {MAX_MOMENT} characters"
        raise RequestValidationError([{"type": "string_too_long", "loc": ("query", name), "msg": what}])
    return said


def _meant(kind: type[B], said: Any) -> B:
    if said is None:
        raise RequestValidationError([{"type": "missing", "loc": ("body",), "msg": "Field required"}])
    try:
        return kind.model_validate(said, from_attributes=True)  # as the framework does: what is none is told alike
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in wrong]) from None
