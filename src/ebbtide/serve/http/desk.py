"""What a route needs to do its work: the minds, who may see them, and what is kept between requests."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.convertors import Convertor, register_url_convertor

from ebbtide.core.errors import InvalidInput
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.serve.http.asked import instant
from ebbtide.serve.http.once import Calls
from ebbtide.serve.http.problems import Forbidden
from ebbtide.serve.http.views import Views, settled
from ebbtide.serve.http.works import Works
from ebbtide.settings import Settings

# Called before anything is done: returns if this request may have this mind (None: no mind in particular; `admin`:
# what concerns all of them), and raises if not.
Authorize = Callable[[Request, str | None, bool], None]


def anybody(request: Request, agent: str | None, admin: bool) -> None:
    """Where there is nobody to keep out."""


@dataclass(slots=True)
class Desk:
    house: House
    settings: Settings
    works: Works
    authorize: Authorize = anybody
    calls: Calls = field(default_factory=Calls)
    views: Views = field(default_factory=Views)

    def sees(self, request: Request) -> Callable[[str], bool]:
        """Which minds this request may know of."""
        self.authorize(request, None, False)

        def seen(agent: str) -> bool:
            try:
                self.authorize(request, agent, False)
            except Forbidden:
                return False
            return True

        return seen

    async def close(self) -> None:
        await self.works.close()
        await self.views.close()


class _Segment(Convertor[str]):
    """One part of a path, as `guards.Segments` leaves it."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return value.replace("%2F", "/").replace("%25", "%")

    def to_string(self, value: str) -> str:
        return value.replace("%", "%25").replace("/", "%2F")


register_url_convertor("segment", _Segment())


# ---- dependencies

MAX_MOMENT = 64  # characters

Agent = Annotated[str, Path(description="Whose mind.", examples=["ada"])]
MemoryKey = Annotated[
    str, Path(description="The memory's key, percent-encoded: a slash in it is %2F.", examples=["ferry"])
]


def desk_of(request: Request) -> Desk:
    found: Desk = request.app.state.desk
    return found


async def _desk(request: Request) -> Desk:  # what is not async is called in a thread
    return desk_of(request)


async def _admin(request: Request) -> None:
    desk_of(request).authorize(request, None, True)


async def _mind(request: Request, agent: Agent) -> AsyncIterator[Mind]:
    desk = desk_of(request)
    desk.authorize(request, agent, False)
    async with desk.house.mind(agent) as mind:
        yield mind


async def seen(
    request: Request,
    agent: Agent,
    as_of: Annotated[
        str | None,
        Query(
            max_length=MAX_MOMENT,
            description="Look at the mind as it was: a date, a time in ISO 8601, seconds since 1970, or -3d "
            "(a day and more: to the next full minute).",
            examples=["2026-11-15T08:30:00Z"],
        ),
    ] = None,
    at: Annotated[
        str | None,
        Query(
            max_length=MAX_MOMENT,
            description="Look at the mind at another moment, to come (as it will be if nothing happens) or past. "
            "Whatever is read counts as no use. In an address the plus sign of +90d is %2B.",
            examples=["+90d"],
        ),
    ] = None,
) -> AsyncIterator[Mind]:
    async with asynccontextmanager(_mind)(request, agent) as mind:
        said = _one_of(as_of, at)
        moment = instant(said, mind.now())
        if said is None or moment is None:
            yield mind
            return
        async with desk_of(request).views.of(mind, settled(said, moment, mind.now())) as view:
            yield view


def _one_of(as_of: str | None, at: str | None) -> str | None:
    """The moment to look at. A plus sign that was not encoded arrives as a blank, and is meant all the same."""
    if as_of is not None and at is not None:
        raise InvalidInput(problem="`at` and `as_of` both name the moment to look at: give one of them")
    said = at if as_of is None else as_of
    return None if said is None else said.strip()


Admin = Annotated[None, Depends(_admin)]
There = Annotated[Mind, Depends(_mind)]  # the mind itself
Seen = Annotated[Mind, Depends(seen)]  # the mind, or as it was or will be
AtDesk = Annotated[Desk, Depends(_desk)]
