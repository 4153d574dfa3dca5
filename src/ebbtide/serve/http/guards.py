"""What every request passes before anybody looks at what it asks: how large it is, and where its path has slashes."""

from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ebbtide.serve.http import problems
from ebbtide.serve.http.problems import BadRequest, TooLarge

MAX_BODY = 8 << 20
MAX_FORM = 16 << 10  # of the login: a key, and where to go then
_API = b"/v1/"


class Limits:
    """No body above so many bytes, whether it says its length or not; `less` names paths with limits of their own."""

    def __init__(self, app: ASGIApp, max_body: int, less: Mapping[str, int] | None = None) -> None:
        self._app, self._most, self._less = app, max_body, dict(less or {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._less.get(scope["path"], self._most)
        said = Headers(scope=scope).get("content-length", "0")
        if said.isdecimal() and int(said[:19]) > most:
            await problems.answer(_too_large(most))(scope, receive, send)
            return
        await self._counted(most, scope, receive, send)

    async def _counted(self, most: int, scope: Scope, receive: Receive, send: Send) -> None:
        """Whatever lies between makes of it: a body that turns out too large is told as just that."""
        size, begun = 0, False

        async def counting() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise _too_large(most)
            return message

        async def sending(message: Message) -> None:
            nonlocal begun
            if size <= most or begun:
                begun = True
                await send(message)

        try:
            await self._app(scope, counting, sending)
        except Exception:
            if size <= most or begun:
                raise
        if size > most and not begun:
            await problems.answer(_too_large(most))(scope, receive, send)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"The body is too large: at most {most:,} bytes are taken.", headers={"Connection": "close"})


class Segments:
    """Keys may hold slashes. So a path is cut at its slashes before anything is decoded, and `%2F` is none of them.

    From here on each segment is decoded once, and has only `/` and `%` written as %2F and %25: the convertor of
    `{key:segment}` undoes that.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw: bytes | None = scope.get("raw_path")
        if scope["type"] == "http" and raw is not None and raw.startswith(_API):
            try:
                scope = {**scope, "path": "/".join(_rewritten(segment) for segment in raw.split(b"/"))}
            except UnicodeDecodeError:
                problem = BadRequest("The path is not UTF-8.")
                await problems.answer(problem)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _rewritten(segment: bytes) -> str:
    return unquote_to_bytes(segment).decode().replace("%", "%25").replace("/", "%2F")
