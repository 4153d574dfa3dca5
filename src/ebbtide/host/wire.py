"""How two processes on one machine speak of minds: a call is a verb of `Mind` with its arguments, an answer is a value.

Frames of MessagePack, each after its length. What an answer means is read off the verb's own annotation, so there is no
second description of what a mind can do.
"""

import asyncio
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, get_type_hints

import msgspec

from ebbtide.core import errors
from ebbtide.core.changes import KIND_OF, KINDS, Entry
from ebbtide.core.errors import Conflict, EbbtideError, InvalidInput
from ebbtide.mind import Mind

LARGEST = 1 << 28  # bytes of a frame: a thousand memories of a usual length fit many times
HELLO = 1 << 10  # bytes a stranger may say
LEAVE = "leave"  # nobody waits for the call of this id any more
MORE = "more"  # the beginning of the first argument of the call of this id, which is too much for one frame
PING = "ping"  # to hear whether somebody is there; answered at once, whatever else is being done
_PART = 1 << 23  # bytes of a list, or of a journal, that go into one frame
_HEAD = 4
_BITS = 64  # of a whole number
_WORDS = 1 << 16  # characters of an error
_FAREWELL = 1.0  # seconds for what was said last to be heard
Regime = tuple[str, dict[str, Any]]  # a metabolism and all parameters

# Verbs whose answer is another mind: it stays where it was made, and is known by a number.
VIEWS = frozenset({"as_of", "at", "replay", "rehearsal"})
# Verbs that write one batch (`put_many` one a thousand), so that they can be asked for twice and happen once.
ONCE = frozenset(
    {
        "put", "put_many", "link", "unlink", "configure", "forget", "restore", "revert", "merge", "touch", "remember",
        "retry", "drop", "accept", "dismiss", "recover", "pin", "unpin", "credit",
    }
)  # fmt: skip
# Verbs that would do more if they were asked for again, because an answer got lost. (Whoever reads counts as a user of
# what it reads, and may so count twice; that much is borne.)
NEVER_AGAIN = frozenset({"fade"})
# And under which parameter others do.
_NEVER_AGAIN_IF = {"recall": ("traces", "sweep")}  # what it has told of is gone, and would not be told again
_LOCAL = frozenset({"close", "now", "entries", "wake", "turn"})  # not asked for over the wire


@dataclass(frozen=True, slots=True)
class Call:
    """`name` is the call's own, where it may come again. `view` is the number of a mind made by another call."""

    agent: str
    verb: str
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    view: int = 0
    id: int = 0
    progress: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """To the call of that id: how far it is, or what came of it, or what was wrong with it.

    `regime`: by what the mind of `agent` lives, if that is news to whoever asked.
    """

    id: int
    value: Any = None
    error: tuple[str, dict[str, Any], str] | None = None
    progress: tuple[int, int] | None = None
    regime: Regime | None = None
    agent: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """A mind that stays where it was made."""

    number: int
    now: float
    regime: Regime


def may_come_again(verb: str, params: Mapping[str, Any]) -> bool:
    """Whether to ask a mind with these parameters twice is as good as to ask once."""
    name, value = _NEVER_AGAIN_IF.get(verb, ("", None))
    return verb not in NEVER_AGAIN and (not name or params.get(name) != value)


@cache
def verbs() -> frozenset[str]:
    found = inspect.getmembers(Mind, inspect.isfunction)
    return frozenset(name for name, _ in found if not name.startswith("_")) - _LOCAL


# ---- frames


def _number(value: Any) -> Any:
    """NumPy's numbers are as good as ours."""
    try:
        return value.item()
    except AttributeError:
        raise TypeError(f"{type(value).__name__} is no value that can be sent") from None


_encoder = msgspec.msgpack.Encoder(enc_hook=_number)


def _encoded(value: Any) -> bytes:
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        problem = f"this cannot be told to the process that owns the mind: {error}"
        raise InvalidInput(problem=problem) from None


def framed(value: Any) -> bytes:
    """Raises InvalidInput for what cannot be said, or is too much at once."""
    body = _encoded(value)
    if len(body) > LARGEST:
        problem = f"{len(body):,} bytes are too much at once between two processes: at most {LARGEST:,}"
        raise InvalidInput(problem=problem)
    return len(body).to_bytes(_HEAD, "big") + body


def frames(call: Call) -> Iterator[bytes]:
    """A call as it is sent: in one frame, or in several where its first argument is a list of much."""
    if not call.args or not isinstance(call.args[0], list):
        yield framed(call)
        return
    *before, last = _parts(call.args[0])
    for part in before:
        yield framed(Call("", MORE, (part,), id=call.id))
    yield framed(replace(call, args=(last, *call.args[1:])))


def _parts(values: Iterable[Any]) -> Iterator[list[msgspec.Raw]]:
    """At least one; each holds at least one value, if there is any."""
    part: list[msgspec.Raw] = []
    size = 0
    for value in values:
        one = _encoded(value)
        if part and size + len(one) > _PART:
            yield part
            part, size = [], 0
        part.append(msgspec.Raw(one))
        size += len(one)
    yield part


async def send(writer: asyncio.StreamWriter, frame: bytes) -> None:
    writer.write(frame)
    await writer.drain()


async def receive(reader: asyncio.StreamReader, decoder: "msgspec.msgpack.Decoder[Any]", largest: int = LARGEST) -> Any:
    """The next frame. Raises IncompleteReadError at the end, MsgspecError or ValueError for what is none."""
    length = int.from_bytes(await reader.readexactly(_HEAD), "big")
    if length > largest:
        raise ValueError(f"a frame of {length} bytes is more than anybody sends here")
    return decoder.decode(await reader.readexactly(length))


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """What was said is heard, if somebody listens; nobody waits for one who does not."""
    writer.close()
    try:
        async with asyncio.timeout(_FAREWELL):
            await writer.wait_closed()
    except OSError:
        writer.transport.abort()


calls: "msgspec.msgpack.Decoder[Call]" = msgspec.msgpack.Decoder(Call)
answers: "msgspec.msgpack.Decoder[Answer]" = msgspec.msgpack.Decoder(Answer)


# ---- values


class Beginning(list[Entry]):
    """Of what was asked for: the rest has to be asked for too."""


def plain(verb: str, value: Any) -> Any:
    """An answer on its way out. A change is known by its kind; of a journal there may be more than goes into one."""
    if verb == "journal":
        entries = ((entry.seq, KIND_OF[type(entry.change)], entry.change, entry.token) for entry in value)
        first = next(_parts(entries))
        return first, len(first) < len(value)
    return value


def meant(verb: str, value: Any) -> Any:
    """An answer as the verb's annotation says. Raises Conflict for what another version of this library means by it."""
    try:
        if verb == "journal":
            entries, more = value
            return (Beginning if more else list)(_entry(*parts) for parts in entries)
        return msgspec.convert(value, _returned(verb))
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
        problem = f"the process that owns the mind answers {verb!r} in another way: are both of one version? ({error})"
        raise Conflict(problem=problem) from None


def _entry(seq: int, kind: str, change: Any, token: str) -> Entry:
    return Entry(seq, msgspec.convert(change, KINDS[kind]), token)


@cache
def _returned(verb: str) -> Any:
    if verb in VIEWS:
        return View
    return get_type_hints(getattr(Mind, verb))["return"] if verb in verbs() else Any


# ---- errors


def refusal(error: Exception) -> tuple[str, dict[str, Any], str]:
    """An error on its way out: its name, its facts as far as they are plain, and what it says.

    Any error can be told so, for whoever asked waits for it: what cannot be said is spelt out, what is long is cut.
    """
    facts = error.facts if isinstance(error, EbbtideError) else {}
    told = {name: fact if _is_plain(fact) else _words(fact) for name, fact in facts.items()}
    return type(error).__name__, told, _words(error)


def _is_plain(fact: Any) -> bool:
    if isinstance(fact, int):
        return fact.bit_length() < _BITS
    return isinstance(fact, float | None)


def _words(told: Any) -> str:
    try:
        words = str(told)[:_WORDS]
    except Exception:  # noqa: BLE001 — whatever it is, somebody waits to hear of it
        words = f"a {type(told).__name__} that has no words"
    return words.encode("utf-8", "backslashreplace").decode()


def refused(name: str, facts: dict[str, Any], message: str) -> Exception:
    """The error somebody else raised, in the same words. A bug there is no error of the caller's."""
    if name in ("TypeError", "ValueError"):
        return {"TypeError": TypeError, "ValueError": ValueError}[name](message)
    kind = getattr(errors, name, None)
    if not (isinstance(kind, type) and issubclass(kind, EbbtideError)):
        return RuntimeError(f"the process that owns the mind failed: {name}: {message}")
    error: EbbtideError = Conflict(problem=message)
    with suppress(KeyError, TypeError, IndexError, ValueError, AttributeError):  # of a version with other facts
        error = kind(**facts)
    error.args = (message,)
    return error
