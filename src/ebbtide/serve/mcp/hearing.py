"""What is heard line by line, and what to say to a line that is no message: whoever asked waits for an answer."""

import json
import re
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from ebbtide.serve.mcp.server import refused
from ebbtide.serve.mcp.shapes import LONGEST_CALL

_ENDS = 4096  # bytes kept of either end of a line that is too long
_VALUE = rb'(?P<id>-?\d{1,18}|"(?:[^"\\]|\\.){0,500}")'
_PLAIN = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*'
# With no brace in between, these cannot belong to anything inside the message. Some clients write the number first, and
# others last.
_FIRST = re.compile(rb"\s*\{\s*(?:" + _PLAIN + rb',\s*)*"id"\s*:\s*' + _VALUE + rb"\s*,")
_LAST = re.compile(rb'(?<!\\)"id"\s*:\s*' + _VALUE + rb"\s*(?:,\s*" + _PLAIN + rb")*\}\s*$")

_TOO_LONG = f"the message is longer than {LONGEST_CALL:,} bytes: send less at once"
_NOT_JSON = "the line is not JSON: send each message as one line of JSON"
_NO_MESSAGE = "the line is JSON, but no message of JSON-RPC 2.0 with an integer or a string as its id"
_HALF = "a text holds half a character (a lone surrogate, like half an emoji): send it whole or leave it out"


class Line:
    """A line as it comes in. Of one that is too long only the ends are kept, for the sake of its number."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self.too_long = False

    def add(self, part: bytes) -> None:
        self._kept += part
        if self.too_long or len(self._kept) > LONGEST_CALL:
            self.too_long = True
            del self._kept[_ENDS:-_ENDS]

    @property
    def blank(self) -> bool:
        return not self._kept.strip()

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")

    @property
    def number(self) -> RequestId | None:
        """Of a request whose middle is gone: what stands at one of its ends."""
        found = _FIRST.match(self._kept[:_ENDS]) or _LAST.search(self._kept[-_ENDS:])
        return None if found is None else _number(_read(found["id"].decode("utf-8", "replace")))


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a line is no message, in words that quote nothing of it. There is no answer to what asks for none."""

    reason: str
    answer: JSONRPCError | JSONRPCResponse | None


def fault(line: Line) -> Fault | None:
    """What is wrong with a line, if anything is."""
    if line.too_long:
        return _refusal(INVALID_REQUEST, _TOO_LONG, line.number)
    text = line.text
    try:
        heard = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        return _unheard(text)
    # A request with a number that cannot be one would pass for a notification, and wait for ever.
    if isinstance(heard, JSONRPCNotification) and '"id"' in text and "id" in (_read(text) or ()):
        return _refusal(INVALID_REQUEST, _NO_MESSAGE, None)
    return None


def _unheard(text: str) -> Fault:
    if (value := _read(text)) is None:
        return _refusal(PARSE_ERROR, _NOT_JSON, None)
    reason = _NO_MESSAGE if _whole(value) else _HALF
    if not isinstance(value, dict):
        return _refusal(INVALID_REQUEST, reason, None)
    if "result" in value or "error" in value or ("method" in value and "id" not in value):
        return Fault(reason, None)  # an answer, whose number is one of ours, or a notification
    number = _number(value.get("id"))
    if reason == _HALF and number is not None and value.get("method") == "tools/call":
        return Fault(reason, _words(number))
    return _refusal(INVALID_REQUEST, reason, number)


def _read(text: str) -> Any:
    """More lenient than the protocol: half a character is taken. None for what is not JSON, or nothing but null."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(value: Any) -> RequestId | None:
    """One that an answer can bear."""
    usable = isinstance(value, int | str) and not isinstance(value, bool) and _whole(value)
    return value if usable else None


def _refusal(code: int, reason: str, number: RequestId | None) -> Fault:
    return Fault(reason, JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=reason)))


def _words(number: RequestId) -> JSONRPCResponse:
    """A call's complaint is an answer that the model reads."""
    said = refused(_HALF).model_dump(mode="json", by_alias=True, exclude_none=True)
    return JSONRPCResponse(jsonrpc="2.0", id=number, result=said)
