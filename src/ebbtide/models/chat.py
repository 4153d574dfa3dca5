"""One OpenAI-compatible chat endpoint: a question with a JSON Schema, an answer that fits it, or ModelFailed.

Servers differ in what they take. What one refuses is left out at once and for good (`Dialect`): a schema with
limits, a plain schema, "some JSON object", nothing at all; then the JSON is looked for in the text. A refusal is no
attempt: the caller's one call is answered by the first form the server takes.
"""

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from ebbtide.core.errors import InvalidInput, ModelFailed
from ebbtide.models.reply import content_of, json_in, retry_after, said_by

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

_LIMITS = frozenset({"maxLength", "minItems", "maxItems", "minimum", "maximum"})
_REFUSING = frozenset({400, 415, 422, 500, 501})  # some servers answer 500 where 400 is meant
_ABOUT_FORMAT = re.compile(
    r"response.?format|json.?schema|json.?object|schema|grammar|structured|guided", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Question:
    system: str
    user: str
    schema: Mapping[str, Any]
    like: str  # what an answer looks like, for servers that do not take the schema
    tokens: int  # a right answer has no more


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server wants to be asked, as far as it is known."""

    form: int = 0  # 0: schema with limits, 1: plain schema, 2: any JSON object, 3: nothing said
    cap: str | None = "max_tokens"
    temperature: bool = True
    room: int = 1  # times the tokens an answer should need: models that think aloud need more

    def body(self, question: Question, temperature: float) -> dict[str, Any]:
        user = question.user if self.form < 2 else f"{question.user}\n{question.like}"
        body: dict[str, Any] = {"messages": [_message("system", question.system), _message("user", user)]}
        if self.temperature:
            body["temperature"] = temperature
        if self.cap:
            body[self.cap] = question.tokens * self.room
        if self.form < 2:
            schema = dict(question.schema) if self.form == 0 else _without_limits(question.schema)
            named = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.form == 2:
            body["response_format"] = {"type": "json_object"}
        return body

    def after(self, status: int, complaint: str) -> "Dialect | None":
        """The next thing to try after this complaint; None if it is not about how the server was asked."""
        if status not in _REFUSING:
            return None
        if self.cap and self.cap in complaint:
            return replace(self, cap="max_completion_tokens" if self.cap == "max_tokens" else None)
        if self.temperature and "temperature" in complaint:
            return replace(self, temperature=False)
        about_format = _ABOUT_FORMAT.search(complaint) or (not complaint and status in (400, 422))
        return replace(self, form=self.form + 1) if about_format and self.form < 3 else None


class Chat:
    """Asks one model of one server. One call is one attempt. Used by one event loop, by as many tasks as you like."""

    def __init__(self, base_url: str, model: str, api_key: str | None, timeout: float) -> None:
        self._url = _endpoint(base_url)
        self._model = _given("model", model)
        self._key = _checked_key(api_key)
        if not timeout > 0.0:
            raise InvalidInput(problem=f"the model's timeout must be more than 0 seconds, not {timeout}")
        self._timeout = timeout
        self._dialect = Dialect()
        self._answered = _Answered()
        self._client: httpx.AsyncClient | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"Chat({self._url!r}, {self._model!r})"  # and never the key

    async def ask(self, question: Question, answer: type[T]) -> T:
        """The answer in this shape. Raises ModelFailed that says what was wrong, with `retry_after` if it is known."""
        if self._closed:
            raise ModelFailed(detail="its connection is closed")
        try:
            async with asyncio.timeout(self._timeout):  # of the whole: a server that drips bytes is late as well
                reply = await self._reply(question)
        except TimeoutError:
            raise ModelFailed(detail=f"no answer from {self._url} within {self._timeout:g} s") from None
        return self._read(question, reply, answer)

    async def aclose(self) -> None:
        """Nothing is held afterwards. Closing twice is closing once."""
        self._closed = True
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def __aenter__(self) -> "Chat":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # ---- the request

    async def _reply(self, question: Question) -> Any:
        """The server's JSON, asked for in the first form that it takes."""
        dialect, temperature = self._dialect, self._answered.temperature(question)
        while True:
            response = await self._post({"model": self._model, **dialect.body(question, temperature)})
            if response.is_success:
                self._remember(dialect)
                self._answered.note(question)
                return self._json(response)
            complaint = said_by(self._censored(response.text))
            easier = dialect.after(response.status_code, complaint)
            if easier is None:
                raise self._refused(response, complaint)
            dialect = easier

    async def _post(self, body: Mapping[str, Any]) -> "httpx.Response":
        import httpx  # not cheap, and only those pay for it who use a served model

        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = httpx.AsyncClient(headers=headers, timeout=None)
        try:
            # Plain ASCII: a lone surrogate in somebody's text must not end in an encoding error.
            content = json.dumps(body).encode("ascii")
            return await self._client.post(self._url, content=content, headers={"Content-Type": "application/json"})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            what = self._censored(str(error)) or type(error).__name__
            raise ModelFailed(detail=f"{self._url} cannot be reached or broke off: {what}") from error

    def _remember(self, dialect: Dialect) -> None:
        self._dialect = replace(dialect, room=self._dialect.room)

    def _refused(self, response: "httpx.Response", complaint: str) -> ModelFailed:
        detail = f"HTTP {response.status_code} from {self._url}" + (f": {complaint}" if complaint else "")
        wait = retry_after(response.headers)
        facts = {"detail": detail, "status": response.status_code}
        return ModelFailed(**facts) if wait is None else ModelFailed(**facts, retry_after=wait)

    def _censored(self, text: str) -> str:
        """Some servers quote the key they refuse."""
        return text.replace(self._key, "***") if self._key else text

    # ---- the answer

    def _json(self, response: "httpx.Response") -> Any:
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError):
            beginning = said_by(self._censored(response.text)) or "nothing"
            raise ModelFailed(detail=f"{self._url} did not answer with JSON but with: {beginning}") from None

    def _read(self, question: Question, reply: Any, answer: type[T]) -> T:
        content, cut_off = content_of(reply)
        try:
            found = json_in(content)
        except ValueError:
            if cut_off:
                self._dialect = replace(self._dialect, room=min(self._dialect.room * 4, 64))
                raise ModelFailed(detail=f"the answer was cut off after {len(content)} characters") from None
            found = self._bare(question, content)
        try:
            return msgspec.convert(found, answer, strict=False)
        except msgspec.ValidationError as error:
            raise ModelFailed(detail=f"the answer has the wrong shape: {error}") from None

    def _bare(self, question: Question, content: str) -> dict[str, str]:
        """Asked for one string, and with no server to hold them to JSON, small models just say it."""
        only = [name for name, field in question.schema["properties"].items() if field["type"] == "string"]
        if self._dialect.form < 3 or len(question.schema["properties"]) != 1 or not only or "{" in content:
            raise ModelFailed(detail=f"the answer is not JSON: {_shortened(content)}")
        return {only[0]: content.strip().strip('`"“”')}


class _Answered:
    """Questions answered lately. Who asks the same again did not like the answer: then the dice may fall otherwise."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._times: OrderedDict[int, int] = OrderedDict()

    def temperature(self, question: Question) -> float:
        return min(0.3 * self._times.get(hash(question.user), 0), 0.9)

    def note(self, question: Question) -> None:
        key = hash(question.user)
        self._times[key] = self._times.pop(key, 0) + 1
        if len(self._times) > self._size:
            self._times.popitem(last=False)


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _without_limits(schema: Any) -> Any:
    """OpenAI's strict mode, for one, refuses them."""
    if isinstance(schema, Mapping):
        return {name: _without_limits(value) for name, value in schema.items() if name not in _LIMITS}
    return [_without_limits(value) for value in schema] if isinstance(schema, list) else schema


def _endpoint(base_url: str) -> str:
    """Where to post: …/v1/chat/completions, if …/v1 or the whole was given."""
    url = base_url.strip().rstrip("/").removesuffix("/chat/completions")
    if not _usable(url):
        like = "one like http://localhost:11434/v1, without a key or a query"
        shown = "(with a secret in it)" if "@" in base_url else repr(base_url)
        raise InvalidInput(problem=f"the model's base_url {shown} is not usable: give {like}")
    return f"{url}/chat/completions"


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or "@" in parts.netloc) and port != 0
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url


def _given(name: str, value: str) -> str:
    if not value.strip():
        raise InvalidInput(problem=f"the model's {name} is empty: give the name the server knows it by")
    return value.strip()


def _checked_key(key: str | None) -> str | None:
    key = (key or "").strip()
    if not key.isascii() or not key.isprintable():
        raise InvalidInput(problem="the model's api_key has characters that no key has: copy it again")
    return key or None


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
