"""Every verb of `Mind`, blocking: wrapped, never copied. verbs.pyi, which is generated, has their types."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any

from ebbtide.host.wire import VIEWS
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress
from ebbtide.mind.writing import CHUNK
from ebbtide.sync.portal import Portal
from ebbtide.sync.turn import SyncTurn

_AT_ONCE = 256  # entries fetched in one go


class SyncMind:
    """One agent's memory, for code without `async`. A view of another time or regime is one too."""

    def __init__(self, mind: Mind, portal: Portal[Any]) -> None:
        self._mind, self._portal = mind, portal

    @property
    def agent(self) -> str:
        return self._mind.agent

    # Drafts are read in the thread that has them: a generator may be slow, or stand on what only that thread may touch.

    def put_many(self, drafts: Iterable[Any], progress: Progress | None = None) -> int:
        if isinstance(drafts, Sequence):  # in one go, so that no key is made up that a later one asks for
            return self._put([*drafts], 0, progress)
        rest, done = iter(drafts), 0
        chunk = [*islice(rest, CHUNK)]
        while True:
            done += self._put(chunk, done, progress)
            if not (chunk := [*islice(rest, CHUNK)]):
                return done

    def check_drafts(self, drafts: Iterable[Any]) -> None:
        all_of_them = [*drafts]
        self._portal.call(lambda: self._mind.check_drafts(all_of_them))

    def _put(self, drafts: list[Any], before: int, progress: Progress | None) -> int:
        def tell(done: int, total: int) -> None:
            if progress:
                progress(before + done, before + total)

        return self._portal.call(lambda: self._mind.put_many(drafts, tell))

    def entries(self) -> Iterator[Any]:
        rest = self._mind.entries()
        while some := self._portal.call(lambda: _next(rest)):
            yield from some

    def turn(self, question: str, **options: Any) -> SyncTurn:
        return SyncTurn(self._mind.turn(question, **options), self._portal)


async def _next(rest: AsyncIterator[Any]) -> list[Any]:
    found: list[Any] = []
    async for entry in rest:
        found.append(entry)
        if len(found) == _AT_ONCE:
            break
    return found


def _blocking(name: str, verb: Callable[..., Any]) -> Any:
    @wraps(verb)
    def call(self: SyncMind, *args: Any, **options: Any) -> Any:
        value = self._portal.call(lambda: getattr(self._mind, name)(*args, **options))
        return SyncMind(value, self._portal) if name in VIEWS else value

    return call


def _plain(name: str, verb: Callable[..., Any]) -> Any:
    @wraps(verb)
    def call(self: SyncMind, *args: Any, **options: Any) -> Any:
        return getattr(self._mind, name)(*args, **options)

    return call


def _property(name: str, doc: str | None) -> Any:
    return property(lambda self: getattr(self._mind, name), doc=doc)


def _furnish() -> None:
    for name, member in inspect.getmembers(Mind):
        if name.startswith("_") or name in vars(SyncMind):
            continue
        if isinstance(member, property):
            setattr(SyncMind, name, _property(name, member.__doc__))
        elif inspect.iscoroutinefunction(member):
            setattr(SyncMind, name, _blocking(name, member))
        else:
            setattr(SyncMind, name, _plain(name, member))
    for name in ("put_many", "check_drafts", "entries", "turn"):
        getattr(SyncMind, name).__doc__ = getattr(Mind, name).__doc__


_furnish()
