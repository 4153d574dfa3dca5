"""The routes, by what they are about. Each is a verb: parse, call, answer."""

from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from ebbtide.serve.http.asked import LAST, MAX_PAGE, JsonRoute
from ebbtide.serve.http.problems import MEDIA_TYPE

_PROBLEM = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "Refused, and why.", **_PROBLEM},
    "5XX": {"description": "The server's fault, not the request's.", **_PROBLEM},
}
NOTHING: dict[str, Any] = {"status_code": 204, "response_class": Response}  # of a verb that answers nothing
MIND = "/v1/minds/{agent:segment}"
MEMORY = "/memories/{key:segment}"

After = Annotated[int, Query(ge=0, le=LAST, description="Go on after this one: `next` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many at most.")]


def router(topic: str, prefix: str = MIND) -> APIRouter:
    tags: list[str | Enum] = [topic]
    return APIRouter(prefix=prefix, tags=tags, route_class=JsonRoute, responses=PROBLEMS)
