"""One OpenAI-compatible chat endpoint: a question with a JSON Schema, an answer that fits it, or ModelFailed.

Servers differ in what they take. What one refuses is left out at once and for good (`Dialect`): a schema with
limits, a plain schema, "some JSON object", nothing at all; then the JSON is looked for in the text.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from ebbtide.core.errors import ModelFailed
from ebbtide.models.endpoint import Endpoint
from ebbtide.models.reply import content_of, json_in

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
        self._endpoint = Endpoint(
            base_url, "/chat/completions", model, api_key, timeout, who="model", failure=ModelFailed
        )
        self._dialect = Dialect()
        self._answered = _Answered()

    def __repr__(self) -> str:
        return f"Chat({self._endpoint.url!r}, {self._endpoint.model!r})"

    async def ask(self, question: Question, answer: type[T]) -> T:
        """The answer in this shape. Raises ModelFailed that says what was wrong, with `retry_after` if it is known."""
        temperature = self._answered.temperature(question)
        dialect, response = await self._endpoint.ask(self._dialect, lambda way: way.body(question, temperature))
        self._dialect = replace(dialect, room=self._dialect.room)
        self._answered.note(question)
        return self._read(question, self._endpoint.json(response), answer)

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    async def __aenter__(self) -> "Chat":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

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


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
