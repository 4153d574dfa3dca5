"""Reading what a chat server sends back: errors, choices, and the JSON somewhere in the text. No I/O."""

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from ebbtide.core.errors import ModelFailed

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[A-Za-z]*\s*\n?(.*?)```", re.DOTALL)
_TRIES = 50  # places in a text where a JSON object may begin
_LONGEST_MESSAGE = 300

_decoder = json.JSONDecoder(strict=False)  # a bare line break inside a string is a small model's usual slip


def said_by(body: str) -> str:
    """The message in an error response, in whichever of the usual places, as one short line."""
    message: Any = body
    with suppress(ValueError, RecursionError):
        message = json.loads(body)
    for name in ("error", "detail", "message"):
        if isinstance(message, Mapping) and name in message:
            message = message[name]
    text = " ".join((message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)).split())
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[: _LONGEST_MESSAGE - 1]}…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """For how many seconds the server does not want to be asked: given as such, or as a date."""
    given = headers.get("Retry-After", "").strip()
    try:
        return max(0.0, float(given)) if float(given) < float("inf") else None
    except ValueError:
        pass
    try:
        now = headers.get("Date")  # by the server's own clock, if it tells
        return max(0.0, _moment(given) - (_moment(now) if now else time.time()))
    except (ValueError, TypeError, OverflowError):
        return None


def _moment(date: str) -> float:
    return parsedate_to_datetime(date).timestamp()


def content_of(reply: Any) -> tuple[str, bool]:
    """The text of the first choice, and whether it was cut off. Raises ModelFailed if there is none."""
    choices = reply.get("choices") if isinstance(reply, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ModelFailed(detail="the server's reply has no choices")
    message = choices[0].get("message")
    message = message if isinstance(message, Mapping) else {}
    if message.get("refusal"):
        raise ModelFailed(detail=f"the model refused: {str(message['refusal'])[:_LONGEST_MESSAGE]}")
    content = _text(message.get("content"))
    cut_off = choices[0].get("finish_reason") == "length"
    if not content.strip() and not cut_off:
        raise ModelFailed(detail="the answer is empty")
    return content, cut_off


def _text(content: Any) -> str:
    """A string, or a list of parts some of which are text."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def json_in(content: str) -> dict[str, Any]:
    """The JSON object in an answer: bare, in a code fence, or after some words. Raises ValueError if there is none."""
    content = _THOUGHTS.sub("", content)
    fenced = _FENCE.search(content)
    for text in (content.strip(), fenced[1].strip() if fenced else ""):
        found = _object(text, 0)
        if found is not None:
            return found
    for place in [match.start() for match in re.finditer(r"\{", content)][:_TRIES]:
        found = _object(content, place)
        if found is not None:
            return found
    raise ValueError("no JSON object")


def _object(text: str, place: int) -> dict[str, Any] | None:
    try:
        found, _ = _decoder.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
