"""The HTTP application: routes, problems, guards. Whoever makes it brings the minds, and adds what else it serves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from ebbtide.core.ports import Clock
from ebbtide.host.ownership import House
from ebbtide.serve.http import problems
from ebbtide.serve.http.desk import Authorize, Desk, anybody
from ebbtide.serve.http.guards import MAX_BODY, Limits, Segments
from ebbtide.serve.http.problems import ProblemShape
from ebbtide.serve.http.routes import conversation, history, lifecycle, memories, minds, search, tasks
from ebbtide.serve.http.works import Works
from ebbtide.settings import Settings

_ABOUT = """\
Long-term memory for agents that forgets on purpose, can say why, and can undo it.

A **mind** is one agent's whole memory. Moments are ISO 8601 in UTC. Keys in paths are percent-encoded, a slash as
`%2F`. Writes take an `Idempotency-Key`. Long work answers 202 and is looked at under `/v1/tasks`.
Every failure is `application/problem+json`.
"""
_ROUTERS = (
    search.routes,  # they are tried in order: first what is asked for most
    conversation.routes,
    memories.routes,
    minds.routes,
    minds.of_mind,
    lifecycle.routes,
    history.routes,
    tasks.routes,
)


def create_app(
    house: House,
    settings: Settings,
    *,
    authorize: Authorize = anybody,
    clock: Clock | None = None,
    max_body: int | None = MAX_BODY,
    version: str = "1",
) -> FastAPI:
    """Every verb of every mind of this house under /v1.

    `authorize(request, agent, admin)` is called for every route before anything is done. The house stays the caller's;
    what this app began itself is ended with its lifespan, or by `await app.state.desk.close()`. Without `max_body`
    whoever stands before it measures the bodies.
    """
    works = Works(house) if clock is None else Works(house, clock.now)
    desk = Desk(house, settings, works, authorize)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await desk.close()

    app = FastAPI(
        title="Ebbtide", version=version, description=_ABOUT, lifespan=lifespan, redirect_slashes=False,
        openapi_url="/v1/openapi.json", docs_url=None, redoc_url=None,  # their pages load scripts from elsewhere
    )  # fmt: skip
    app.state.desk = desk
    for router in _ROUTERS:
        app.router.routes.extend(router.routes)  # one flat list: a router within a router costs every request
    app.add_middleware(Segments)
    if max_body is not None:
        app.add_middleware(Limits, max_body=max_body)
    problems.install(app)
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    return app


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        problem = ProblemShape.model_json_schema(ref_template="#/components/schemas/{model}")
        found.setdefault("components", {}).setdefault("schemas", {})["Problem"] = problem
        app.openapi_schema = found
    return app.openapi_schema
