"""Minds: which there are, how they are, how they live."""

from contextlib import nullcontext
from typing import Any

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from ebbtide.core.errors import MindExists
from ebbtide.core.parameters import Fallback, regime
from ebbtide.mind.mind import Stats
from ebbtide.mind.tokens import named
from ebbtide.serve.http.asked import NewMind
from ebbtide.serve.http.desk import Admin, AtDesk, Desk, Seen, There
from ebbtide.serve.http.once import Once, OnceOnly
from ebbtide.serve.http.pages import FIRST, After, cut
from ebbtide.serve.http.routes import Limit, router
from ebbtide.serve.http.shapes import answer, page_of, shape

routes = router("minds", "/v1/minds")

Minds = page_of("Minds", "Agents that have a mind here.", minds=list[str])


class Made(BaseModel):
    """A new mind, and how it lives."""

    agent: str
    metabolism: str
    params: dict[str, Any]


class Params(BaseModel):
    """Every parameter as it stands now."""

    metabolism: str
    params: dict[str, Any]


class Configured(Params):
    """`fallbacks`: values that were refused, and the defaults that stand in."""

    fallbacks: list[shape(Fallback)]  # type: ignore[valid-type]


@routes.get("", operation_id="minds", summary="Which minds there are", response_model=Minds)
async def minds(request: Request, desk: AtDesk, after: After = FIRST, limit: Limit = 100) -> Response:
    """Agents in order of name; those the key of this request does not open are left out."""
    names, onward = cut(filter(desk.sees(request), desk.house.agents()), lambda agent: (agent,), after, limit)
    return answer({"minds": names, "next": onward})


@routes.post("", operation_id="create", summary="Make a mind", status_code=201, response_model=Made)
async def create(body: NewMind, desk: AtDesk, admin: Admin, once: OnceOnly) -> Response:
    """An empty mind that lives by this metabolism from now on. A bad parameter falls back to its default."""
    settings = desk.settings
    name = body.metabolism or settings.metabolism
    params = {**(settings.params if name == settings.metabolism else {}), **body.params}

    async def make() -> Response:
        before = await _made(desk, once, body.agent, name, params)
        async with desk.house.mind(body.agent) as mind:
            if before is not None and (once.name is None or await mind.applied(once.name) is None):
                raise before
            made = {"agent": body.agent, "metabolism": mind.metabolism, "params": mind.params}
        return answer(made, 201, {"Location": f"/v1/minds/{body.agent}"})

    return await once.begin(body.agent, make)


async def _made(desk: Desk, once: Once, agent: str, metabolism: str, params: dict[str, Any]) -> MindExists | None:
    """None, or that there is one already: perhaps this very request made it, before its answer got lost."""
    try:
        with nullcontext() if once.name is None else named(once.name):
            await desk.house.create(agent, metabolism, params)
    except MindExists as error:
        return error
    return None


of_mind = router("minds")


@of_mind.get("", operation_id="stats", summary="A mind in numbers", response_model=shape(Stats))
async def stats(mind: Seen) -> Response:
    """How many memories in which state as of this moment, what the store holds, every parameter."""
    return answer(await mind.stats())


@of_mind.get("/params", operation_id="params", summary="How a mind lives", response_model=Params)
async def params(mind: Seen) -> Response:
    return answer({"metabolism": mind.metabolism, "params": mind.params})


@of_mind.patch("/params", operation_id="configure", summary="Change parameters", response_model=Configured)
async def configure(body: dict[str, Any], mind: There, once: OnceOnly) -> Response:
    """From now on. A bad value falls back to its default and is told; an unknown name is an error."""

    def told(fallbacks: list[Fallback]) -> Response:
        return answer({"metabolism": mind.metabolism, "params": mind.params, "fallbacks": fallbacks})

    regime(mind.metabolism, body)  # a name that is no parameter is none of `configure` either
    return await once(told, mind.configure, **body)
