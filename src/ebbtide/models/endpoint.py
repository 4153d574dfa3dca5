"""One OpenAI-compatible endpoint over HTTP: a request, its answer, or an error that says plainly what was wrong.

Servers differ in what they take. A `Manner` is how one is asked; what the server refuses, the next manner leaves out.
Such a refusal is no attempt: the caller's one call is answered in the first manner the server takes.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar
from urllib.parse import urlsplit

from ebbtide.core.errors import EbbtideError, InvalidInput
from ebbtide.models.reply import retry_after, said_by

if TYPE_CHECKING:
    import httpx


class Manner(Protocol):
    def after(self, status: int, complaint: str) -> Self | None:
        """The next thing to try after this complaint; None if it is not about how the server was asked."""
        ...


M = TypeVar("M", bound=Manner)


class Endpoint:
    """Asks one model of one server. Used by one event loop, by as many tasks as you like.

    `who` is the role in which the server is asked ("model", "embedder") and `failure` the error of that role; it is
    raised with `detail` and, if they are known, `status` and `retry_after` in its facts. The key is in none of them.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        model: str,
        api_key: str | None,
        timeout: float,
        *,
        who: str,
        failure: type[EbbtideError],
    ) -> None:
        self.url = _address(base_url, path, who)
        self.model = _given(model, who)
        self._key = _checked_key(api_key, who)
        if not timeout > 0.0:
            raise InvalidInput(problem=f"the {who}'s timeout must be more than 0 seconds, not {timeout}")
        self._timeout = timeout
        self._failure = failure
        self._client: httpx.AsyncClient | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r}, {self.model!r})"  # and never the key

    async def ask(self, manner: M, body: Callable[[M], Mapping[str, Any]]) -> "tuple[M, httpx.Response]":
        """The first manner from this one on that the server takes, and what it answers."""
        if self._closed:
            raise self._failure(detail="its connection is closed")
        try:
            async with asyncio.timeout(self._timeout):  # of the whole: a server that drips bytes is late as well
                return await self._ask(manner, body)
        except TimeoutError:
            raise self._failure(detail=f"no answer from {self.url} within {self._timeout:g} s") from None

    def json(self, response: "httpx.Response") -> Any:
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError):
            beginning = said_by(self._censored(response.text)) or "nothing"
            raise self._failure(detail=f"{self.url} did not answer with JSON but with: {beginning}") from None

    async def aclose(self) -> None:
        """Nothing is held afterwards. Closing twice is closing once."""
        self._closed = True
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def _ask(self, manner: M, body: Callable[[M], Mapping[str, Any]]) -> "tuple[M, httpx.Response]":
        while True:
            response = await self._post({"model": self.model, **body(manner)})
            if response.is_success:
                return manner, response
            complaint = said_by(self._censored(response.text))
            easier = manner.after(response.status_code, complaint)
            if easier is None:
                raise self._refused(response, complaint)
            manner = easier

    async def _post(self, body: Mapping[str, Any]) -> "httpx.Response":
        import httpx  # not cheap, and only those pay for it who use a served model

        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = httpx.AsyncClient(headers=headers, timeout=None)
        try:
            # Plain ASCII: a lone surrogate in somebody's text must not end in an encoding error.
            content = json.dumps(body).encode("ascii")
            return await self._client.post(self.url, content=content, headers={"Content-Type": "application/json"})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            what = self._censored(str(error)) or type(error).__name__
            raise self._failure(detail=f"{self.url} cannot be reached or broke off: {what}") from error

    def _refused(self, response: "httpx.Response", complaint: str) -> EbbtideError:
        detail = f"HTTP {response.status_code} from {self.url}" + (f": {complaint}" if complaint else "")
        wait = retry_after(response.headers)
        facts = {"detail": detail, "status": response.status_code}
        return self._failure(**facts) if wait is None else self._failure(**facts, retry_after=wait)

    def _censored(self, text: str) -> str:
        """Some servers quote the key they refuse."""
        return text.replace(self._key, "***") if self._key else text


def _address(base_url: str, path: str, who: str) -> str:
    """Where to post: …/v1/chat/completions, say, if …/v1 or the whole was given."""
    url = base_url.strip().rstrip("/").removesuffix(path)
    if not _usable(url):
        like = "one like http://localhost:11434/v1, without a key or a query"
        shown = "(with a secret in it)" if "@" in base_url else repr(base_url)
        raise InvalidInput(problem=f"the {who}'s base_url {shown} is not usable: give {like}")
    return f"{url}{path}"


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or "@" in parts.netloc) and port != 0
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url


def _given(model: str, who: str) -> str:
    if not model.strip():
        raise InvalidInput(problem=f"the {who}'s model is empty: give the name the server knows it by")
    return model.strip()


def _checked_key(key: str | None, who: str) -> str | None:
    key = (key or "").strip()
    if not key.isascii() or not key.isprintable():
        raise InvalidInput(problem=f"the {who}'s api_key has characters that no key has: copy it again")
    return key or None
