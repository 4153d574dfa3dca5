"""Does calls as they come over the wire: for a process that was let in, or for this one after it has taken over."""

import secrets
from collections import OrderedDict
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from ebbtide.core.errors import Conflict, InvalidInput, MindExists, StoreClosed
from ebbtide.host import again, wire
from ebbtide.host.wire import Answer, Call, Regime, View
from ebbtide.mind import Mind
from ebbtide.mind.tokens import named
from ebbtide.mind.upkeep import Progress

MOST_VIEWS = 16  # each is a mind in RAM


class Minds(Protocol):
    """What a desk needs of a host."""

    async def create(self, agent: str, metabolism: str, params: Any = None) -> None: ...

    def mind(self, agent: str) -> AbstractAsyncContextManager[Mind]: ...


class Desk:
    """For one process. The views made for it are its own, and are closed with the desk."""

    def __init__(self, minds: Minds) -> None:
        self._minds = minds
        self._views: OrderedDict[int, Mind] = OrderedDict()
        self._known: dict[str, Regime] = {}
        self._news: dict[str, Regime] = {}  # what is not told yet

    async def do(self, call: Call, progress: Progress | None = None) -> Answer:
        """What came of it; raises what the verb raises."""
        if not call.agent:
            await self._of_all(call)
            return Answer(call.id)
        if call.view:
            return Answer(call.id, await self._in_view(call, progress))
        async with self._minds.mind(call.agent) as mind:
            value = await self._with(mind, call, progress)
            self._note(mind, even_if_told=call.verb == "regime")
        return Answer(call.id, value, regime=self._news.pop(call.agent, None), agent=call.agent)

    async def close(self) -> None:
        while self._views:
            await self._views.popitem()[1].close()

    def _note(self, mind: Mind, *, even_if_told: bool) -> None:
        """For the next answer, whichever that is: so none that was put together earlier is heard later."""
        regime = mind.metabolism, mind.params
        if even_if_told or self._known.get(mind.agent) != regime:
            self._known[mind.agent] = self._news[mind.agent] = regime

    async def _of_all(self, call: Call) -> None:
        if call.verb != "create":
            raise InvalidInput(problem=f"there is no {call.verb!r:.40}")
        try:
            with named(call.name):
                await self._minds.create(*call.args)
        except MindExists:
            async with self._minds.mind(call.args[0]) as mind:
                if await mind.applied(call.name) is None:  # else it was this very call that made it
                    raise

    async def _in_view(self, call: Call, progress: Progress | None) -> Any:
        view = self._views.get(call.view)
        if view is None:
            raise Conflict(problem="this view of the mind is not held any longer: make it again")
        if call.verb == "close":
            return await self._views.pop(call.view).close()
        self._views.move_to_end(call.view)
        try:
            return await self._with(view, call, progress)
        except StoreClosed:  # a look ahead ends when its mind is closed
            raise Conflict(problem="this view of the mind is not held any longer: make it again") from None

    async def _with(self, mind: Mind, call: Call, progress: Progress | None) -> Any:
        if call.verb == "regime":  # every answer brings it
            return None
        if call.verb not in wire.verbs():
            raise InvalidInput(problem=f"there is no verb {call.verb!r:.40}")
        verb, options = getattr(mind, call.verb), dict(call.options)
        if progress is not None:
            options["progress"] = progress
        if call.verb in wire.VIEWS:
            return await self._keep(await verb(*call.args, **options))
        if not call.name or call.verb not in wire.ONCE:
            return await verb(*call.args, **options)
        return await again.once(mind, call.verb, call.name, lambda: verb(*call.args, **options), call.args, options)

    async def _keep(self, view: Mind) -> View:
        """The longest unused one makes way where there are too many."""
        number = secrets.randbits(53) or 1  # no number of another desk's, which may be gone
        self._views[number] = view
        if len(self._views) > MOST_VIEWS:
            await self._views.popitem(last=False)[1].close()
        return View(number, view.now(), (view.metabolism, view.params))
