"""Minds of a data folder that another process owns. They have the verbs of `Mind`, and the owner does the work.

When the owner is gone, whoever notices first takes over: the call in hand is made again under the same name, so what
had happened already does not happen twice.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from ebbtide.core.changes import Entry
from ebbtide.core.draft import Draft
from ebbtide.core.ports import Clock
from ebbtide.host import wire
from ebbtide.host.wire import Call, Regime
from ebbtide.mind import Mind
from ebbtide.mind.clocks import StoppedClock
from ebbtide.mind.crediting import Credited, Hits, shown_by
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress

_CHUNK = 1000
_PAGE = 1000


class Asker(Protocol):
    """Whoever carries a call to where the minds are: over a line, or, after a takeover, in this process."""

    async def ask(self, call: Call, progress: Progress | None = None) -> Any: ...

    def regime(self, agent: str) -> Regime:
        """By what the mind lives, as of the last call of any of its verbs."""
        ...


if TYPE_CHECKING:
    _Verbs = Mind  # it has them all; below they are made
else:
    _Verbs = object


class RemoteMind(_Verbs):
    """Every verb of `Mind`. A view (`as_of`, `replay`) lives at the owner's, as long as this process is attached."""

    def __init__(self, asker: Asker, agent: str, clock: Clock, view: wire.View | None = None) -> None:
        self.agent = agent
        self._asker, self._clock, self._seen = asker, clock, view

    @property
    def metabolism(self) -> str:
        return self._lives_by[0]

    @property
    def params(self) -> dict[str, Any]:
        """As of the last call: what another process has configured since is known with the next one."""
        return dict(self._lives_by[1])

    @property
    def time_slice(self) -> float:
        return float(self.params.get("time_slice", 0)) / 1000.0

    @property
    def _lives_by(self) -> Regime:
        return self._asker.regime(self.agent) if self._seen is None else self._seen.regime

    def now(self) -> float:
        return self._clock.now()

    async def close(self) -> None:
        """A view is given up; of the mind itself nothing is held here."""
        if self._seen is not None:
            await self._call("close")

    async def wake(self) -> bool:
        """The owner has taken up what was left in the queue, and compresses by itself."""
        return False

    async def put_many(self, drafts: Iterable[Any], progress: Progress | None = None) -> int:
        done, rest = 0, iter(drafts)
        size = _CHUNK if not isinstance(drafts, Sequence) or _all_named(drafts) else len(drafts) or 1
        while chunk := list(islice(rest, size)):
            await self._call("put_many", chunk)
            done += len(chunk)
            if progress:
                progress(done, done)
        return done

    async def check_drafts(self, drafts: Iterable[Any]) -> None:
        await self._call("check_drafts", list(drafts))

    async def journal(self, *, after: int = 0, limit: int = 100, key: str | None = None) -> Sequence[Entry]:
        """However much that is: what does not go into one answer is asked for in several."""
        found: list[Entry] = []
        while True:
            some = await self._call("journal", after=after, limit=limit - len(found) if found else limit, key=key)
            found += some
            if not isinstance(some, wire.Beginning):
                return found
            after = found[-1].seq

    async def entries(self) -> AsyncIterator[Entry]:
        after = 0
        while some := await self._call("journal", after=after, limit=_PAGE):
            for entry in some:
                yield entry
            after = some[-1].seq

    async def credit(
        self, answer: str, hits: Hits | None = None, *, question: str | None = None, dry_run: bool = False
    ) -> Credited:
        """Of what was shown the owner needs the keys, and how similar they were."""
        shown = None if hits is None else shown_by(hits)
        said: Credited = await self._call("credit", answer, shown, question=question, dry_run=dry_run)
        return said

    turn = Mind.turn  # it needs the verbs above

    async def compress(self, enough: Callable[[], bool] = lambda: False) -> bool:
        """All that is due. Whoever has had enough leaves by cancelling."""
        return bool(await self._call("compress"))

    async def _view_of(self, verb: str, *args: Any, progress: Progress | None, **options: Any) -> "RemoteMind":
        view = await self._call(verb, *args, progress=progress, **options)
        clock = StoppedClock(view.now) if verb in ("as_of", "at") else self._clock
        return RemoteMind(self._asker, self.agent, clock, view)

    async def _call(self, verb: str, *args: Any, progress: Progress | None = None, **options: Any) -> Any:
        view = self._seen.number if self._seen is not None else 0
        name = new_token() if verb in wire.ONCE and not view else ""
        return await self._asker.ask(Call(self.agent, verb, args, options, name, view), progress)


def _all_named(drafts: Sequence[Any]) -> bool:
    """Else the owner has to see all of them, so as to make up no key that one yet to come asks for."""
    return all(_is_named(draft) for draft in drafts)


def _is_named(draft: Any) -> bool:
    """What is no draft at all needs no name: the owner refuses it."""
    if isinstance(draft, Draft):
        return draft.key is not None
    return not isinstance(draft, Mapping) or draft.get("key") is not None


@cache
def _signature(verb: str) -> inspect.Signature:
    return inspect.signature(getattr(Mind, verb))


def _forwarded(verb: str) -> Any:
    call = "_view_of" if verb in wire.VIEWS else "_call"

    @wraps(getattr(Mind, verb))
    async def forward(self: RemoteMind, *args: Any, **options: Any) -> Any:
        given = _signature(verb).bind(self, *args, **options)
        progress = given.arguments.pop("progress", None)
        return await getattr(self, call)(verb, *given.args[1:], progress=progress, **given.kwargs)

    return forward


for _verb in wire.verbs():
    if _verb not in vars(RemoteMind):
        setattr(RemoteMind, _verb, _forwarded(_verb))
