"""What a route needs to do its work: the minds, who may see them, and what is kept between requests."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.convertors import Convertor, register_url_convertor

from ebbtide.core.errors import Conflict
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.serve.http.asked import instant
from ebbtide.serve.http.once import Calls
from ebbtide.serve.http.problems import Forbidden
from ebbtide.serve.http.works import Works
from ebbtide.settings import Settings

# Called before anything is done: returns if this request may have this mind (None: no mind in particular; `admin`:
# what concerns all of them), and raises if not.
Authorize = Callable[[Request, str | None, bool], None]

_VIEWS = 4


def anybody(request: Request, agent: str | None, admin: bool) -> None:
    """Where there is nobody to keep out."""


@dataclass(slots=True)
class _View:
    mind: Mind
    users: int = 0


class Views:
    """Minds of the past that somebody looks at: each is a whole journal retold, so the last few are kept."""

    def __init__(self) -> None:
        self._views: OrderedDict[tuple[str, float], _View] = OrderedDict()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def of(self, mind: Mind, moment: float) -> AsyncIterator[Mind]:
        """As it was then. A moment yet to come is retold each time: until then things will happen."""
        view = await self._view(mind, moment)
        view.users += 1
        try:
            yield view.mind
        finally:
            view.users -= 1
            if self._views.get((mind.agent, moment)) is not view and not view.users:
                await view.mind.close()

    async def close(self) -> None:
        while self._views:
            await self._views.popitem()[1].mind.close()

    async def _view(self, mind: Mind, moment: float) -> _View:
        async with self._turn:
            known = self._views.pop((mind.agent, moment), None)
            view = known if known and await _is_there(known.mind) else _View(await mind.as_of(moment))
            if moment < mind.now():
                self._views[mind.agent, moment] = view
            while len(self._views) > _VIEWS:
                _, oldest = self._views.popitem(last=False)
                if not oldest.users:
                    await oldest.mind.close()
            return view


async def _is_there(view: Mind) -> bool:
    """One of another process ends with that process."""
    try:
        await view.trash()
    except Conflict:
        return False
    return True


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


async def _seen(
    request: Request,
    agent: Agent,
    as_of: Annotated[
        str | None,
        Query(
            max_length=64,
            description="Look at the mind as it was: a date, a time in ISO 8601, seconds since 1970, or -3d.",
            examples=["2026-11-15T08:30:00Z"],
        ),
    ] = None,
) -> AsyncIterator[Mind]:
    async with asynccontextmanager(_mind)(request, agent) as mind:
        moment = instant(as_of, mind.now())
        if moment is None:
            yield mind
            return
        async with desk_of(request).views.of(mind, moment) as past:
            yield past


Admin = Annotated[None, Depends(_admin)]
There = Annotated[Mind, Depends(_mind)]  # the mind itself
Seen = Annotated[Mind, Depends(_seen)]  # the mind, or as it was
AtDesk = Annotated[Desk, Depends(_desk)]
