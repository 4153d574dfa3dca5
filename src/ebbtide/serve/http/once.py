"""Writes that may be sent again: with an Idempotency-Key the same request happens once, and is answered the same.

While this process lives the answer itself is kept. After a restart, or in a process that took over, the mind's journal
knows the call by its name and tells what came of it.
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

_KEPT = 10_000
_LARGEST = 64 << 10  # bytes of an answer that is kept; a larger one is told from the journal
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
P = ParamSpec("P")
T = TypeVar("T")
REPLAYED = "Idempotency-Replayed"


@dataclass(slots=True)
class _Call:
    """One key in use: what was asked with it, and what was answered."""

    asked: str
    answer: Response | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Calls:
    """The keys of late, each mind's own; the longest unused is forgotten first."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._calls: OrderedDict[tuple[str, str], _Call] = OrderedDict()

    @asynccontextmanager
    async def call(self, agent: str, key: str, asked: str) -> AsyncIterator[_Call]:
        """Whoever comes with the same key waits here until the first is answered."""
        call = self._calls.setdefault((agent, key), _Call(asked))
        self._calls.move_to_end((agent, key))
        if call.asked != asked:
            raise Unacceptable("This Idempotency-Key was used for another request: each needs its own.")
        async with call.turn:
            yield call
        while len(self._calls) > self._kept:
            self._calls.popitem(last=False)

    def forget(self, agent: str, key: str) -> None:
        self._calls.pop((agent, key), None)


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
            try:
                answer = told(await work())
            except BaseException:
                self._calls.forget(agent, key)  # what was refused may be mended, and sent again
                raise
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
