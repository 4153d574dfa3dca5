"""Minds at another moment. Those of the past are whole journals replayed, so the last few are kept."""

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind

KEPT = 4
_MINUTE = 60.0
Place = tuple[str, float]  # whose mind, and when


def settled(said: str, moment: float, now: float) -> float:
    """An offset of a day or more is taken to the next full minute: asked for again, it means the same for a while. Not
    to the last one, which may be from before the mind was made."""
    return math.ceil(moment / _MINUTE) * _MINUTE if said[:1] == "-" and now - moment >= DAY else moment


@dataclass(slots=True)
class _View:
    mind: Mind
    users: int = 1


class Views:
    """Who looks at the same moment of the same mind waits for one telling; nobody waits for another's."""

    def __init__(self) -> None:
        self._views: OrderedDict[Place, _View] = OrderedDict()
        self._turns: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, mind: Mind, moment: float) -> AsyncIterator[Mind]:
        """As it was then, or will be if nothing happens: that is looked at anew each time."""
        place = mind.agent, moment
        async with self._turns.setdefault(place, asyncio.Lock()):
            view = await self._known(place) or await self._made(mind, place)
        try:
            yield view.mind
        finally:
            await self._leave(place, view)

    async def close(self) -> None:
        while self._views:
            await _close(self._views.popitem()[1].mind)

    async def _known(self, place: Place) -> _View | None:
        """Held while it is looked at whether it is still there: one of another process ends with that process."""
        view = self._views.get(place)
        if view is None:
            return None
        view.users += 1
        there = False
        try:
            with suppress(EbbtideError):
                await view.mind.trash()
                there = True
        finally:
            if not there:
                self._forget(place, view)
                await self._leave(place, view)
        return view if there else None

    async def _made(self, mind: Mind, place: Place) -> _View:
        if place[1] >= mind.now():
            return _View(await mind.at(place[1]))
        view = self._views[place] = _View(await mind.as_of(place[1]))
        while len(self._views) > KEPT:
            await _drop(self._views.popitem(last=False)[1])
        return view

    def _forget(self, place: Place, view: _View) -> None:
        if self._views.get(place) is view:
            del self._views[place]

    async def _leave(self, place: Place, view: _View) -> None:
        view.users -= 1
        if self._views.get(place) is view:
            self._views.move_to_end(place)
        else:
            await _drop(view)


async def _drop(view: _View) -> None:
    """Whoever still looks at it closes it."""
    if not view.users:
        await _close(view.mind)


async def _close(view: Mind) -> None:
    with suppress(EbbtideError):  # it ended with its process
        await view.close()
