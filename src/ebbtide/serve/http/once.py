"""Writes that may be sent again: with an Idempotency-Key the same request happens once, and is answered the same.

While this process lives the answer itself is kept. After a restart, or in a process that took over, the mind's journal
knows the call by its name and tells what came of it. That name is made of the key and of what was asked: then, and
then only, one key with two requests is two calls.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Annotated, Any, ParamSpec, TypeVar

from fastapi import Depends, Header, Request
from starlette.responses import Response

from ebbtide.host import again
from ebbtide.mind import Mind
from ebbtide.serve.http.problems import Unacceptable

MOST = 16 << 20  # bytes of answers that are kept
SHARE = 4 << 20  # of which one mind may have so many
BESIDES = 1 << 10  # what a call takes beside its answer
_LARGEST = 64 << 10  # bytes of an answer that is kept; a larger one is told from the journal
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
P = ParamSpec("P")
T = TypeVar("T")
REPLAYED = "Idempotency-Replayed"


@dataclass(slots=True)
class _Call:
    """One key in use: what was asked with it, and what was answered. `users` are waiting for that."""

    asked: str
    answer: Response | None = None
    done: bool = False
    users: int = 0
    size: int = 0  # as it is counted where it is kept
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(slots=True)
class _Keys:
    """One mind's, the longest unused first."""

    calls: OrderedDict[str, _Call] = field(default_factory=OrderedDict)
    size: int = 0


class Calls:
    """The keys of late, each mind's own: the longest unused is forgotten first. No mind crowds the others out."""

    def __init__(self, most: int = MOST, share: int = SHARE) -> None:
        self._most, self._share = most, share
        self._minds: OrderedDict[str, _Keys] = OrderedDict()  # the longest unused first
        self._size = 0

    @asynccontextmanager
    async def call(self, agent: str, key: str, asked: str) -> AsyncIterator[_Call]:
        """Whoever comes with the same key waits here until the first is answered. One that is refused is not done:
        the next in line tries, and if there is none the key is as if it had not been used."""
        call = self._taken(agent, key) or _Call(asked)
        if call.asked != asked:
            self._keep(agent, key, call)
            raise Unacceptable("This Idempotency-Key was used for another request: each needs its own.")
        call.users += 1
        self._keep(agent, key, call)
        try:
            async with call.turn:
                yield call
        finally:
            call.users -= 1
            self._settle(agent, key)

    def _settle(self, agent: str, key: str) -> None:
        """Its size is another by now, if it is to be kept at all."""
        call = self._taken(agent, key)
        if call is not None and (call.done or call.users):
            self._keep(agent, key, call)
        while agent in self._minds and self._minds[agent].size > self._share and self._drops(agent):
            pass
        while self._size > self._most and any(self._drops(other) for other in self._minds):
            pass

    def _keep(self, agent: str, key: str, call: _Call) -> None:
        mine = self._minds.setdefault(agent, _Keys())
        self._minds.move_to_end(agent)
        mine.calls[key] = call
        call.size = BESIDES + (0 if call.answer is None else len(call.answer.body))
        mine.size += call.size
        self._size += call.size

    def _taken(self, agent: str, key: str) -> _Call | None:
        mine = self._minds.get(agent, _Keys())
        call = mine.calls.pop(key, None)
        if call is not None:
            mine.size -= call.size
            self._size -= call.size
        if not mine.calls:
            self._minds.pop(agent, None)
        return call

    def _drops(self, agent: str) -> bool:
        """The longest unused one of this mind, if there is one that nobody waits for."""
        idle = next((key for key, call in self._minds[agent].calls.items() if not call.users), None)
        return idle is not None and self._taken(agent, idle) is not None


class Once:
    """The write of this request. `name`: what the journal knows it by; None: it has no key."""

    def __init__(self, calls: Calls, key: str | None, asked: str) -> None:
        self._calls, self._key, self._asked = calls, key, asked
        digest = blake2b(f"{key} {asked}".encode(), digest_size=16).hexdigest()
        self.name = None if key is None else f"http-{digest}"

    async def __call__(
        self, told: Callable[[T], Response], verb: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs
    ) -> Response:
        """Call this verb of a mind, unless that was done, and tell what came of it."""
        mind: Mind = getattr(verb, "__self__")  # noqa: B009 — what is called here is a method
        name, key = self.name, self._key
        if name is None or key is None:
            return told(await verb(*args, **options))

        async def work() -> Any:
            return await again.once(mind, verb.__name__, name, lambda: verb(*args, **options), args, options)

        return await self._guarded(mind.agent, key, work, told)

    async def begin(self, agent: str, work: Callable[[], Awaitable[Response]]) -> Response:
        """Something that is not in the journal, such as a task: known while this process lives."""
        if self._key is None:
            return await work()
        return await self._guarded(agent, self._key, work, lambda response: response)

    async def _guarded(
        self, agent: str, key: str, work: Callable[[], Awaitable[Any]], told: Callable[[Any], Response]
    ) -> Response:
        async with self._calls.call(agent, key, self._asked) as call:
            if call.answer is not None:
                return _again(call.answer)
            answer = told(await work())  # what was refused may be mended, and sent again
            call.done = True
            if len(answer.body) <= _LARGEST:
                call.answer = answer
            return answer


def _again(answer: Response) -> Response:
    copy = Response(bytes(answer.body), answer.status_code, media_type=answer.media_type)
    copy.raw_headers = [*answer.raw_headers, (REPLAYED.lower().encode(), b"true")]
    return copy


async def _once(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            description="A word of your own for this very request. Sent again with it, it happens once.",
            max_length=255,
            pattern=r"^[\x21-\x7e]+$",
        ),
    ] = None,
) -> Once:
    key = idempotency_key
    if key is None:
        return Once(request.app.state.desk.calls, None, "")
    if not _KEY.fullmatch(key):
        raise Unacceptable("An Idempotency-Key is 1 to 255 visible ASCII characters.")
    path = f"{request.method} {request.scope['path']}?{request.scope['query_string'].decode('latin-1')}\n"
    asked = blake2b(path.encode() + await request.body(), digest_size=16).hexdigest()
    return Once(request.app.state.desk.calls, key, asked)


OnceOnly = Annotated[Once, Depends(_once)]
