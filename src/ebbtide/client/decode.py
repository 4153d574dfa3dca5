"""From JSON as a server says it back to the values the verbs return, read off their annotations.

Moments come in ISO 8601, marks as names; null stands where there is no number.
"""

import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from ebbtide.core.changes import KINDS, Entry
from ebbtide.core.errors import Conflict
from ebbtide.core.memory import Mark
from ebbtide.mind import Mind

Reader = Callable[[Any], Any]


@contextmanager
def _of_one_version(what: str) -> Iterator[None]:
    """Raises Conflict for what another version of the server means by it."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        problem = f"the server answers {what!r} in another way: are both of one version? ({reason:.200})"
        raise Conflict(problem=problem) from None


def meant(verb: str, value: Any) -> Any:
    """An answer as the verb's annotation says."""
    with _of_one_version(verb):
        return decoded(get_type_hints(getattr(Mind, verb))["return"], value)


def part(said: Any, name: str) -> Any:
    """What an answer says under this name."""
    with _of_one_version(name):
        return said[name]


def decoded(hint: Any, value: Any) -> Any:
    return _reader(hint)(value)


def entry(said: Mapping[str, Any]) -> Entry:
    """A journal entry. Tokens are not told."""
    with _of_one_version("journal"):
        rest = {name: value for name, value in said.items() if name not in ("seq", "kind", "of")}
        if "of" in said:
            rest["kind"] = said["of"]
        return Entry(said["seq"], decoded(KINDS[said["kind"]], rest), "")


@cache
def _reader(hint: Any, name: str = "") -> Reader:
    """How a value of this type is read; `name` is that of the field it stands in."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _optional([one for one in inner if one is not types.NoneType], name)
    if origin is tuple:
        return _tuple(inner)
    if origin in (list, Sequence):
        each = _reader(inner[0])
        return lambda items: [each(item) for item in items]
    if origin in (dict, Mapping):
        return _mapping(*inner)
    if isinstance(hint, type) and hint is not Any:
        return _of_class(hint, name)
    return _anything(name)


def _of_class(kind: type[Any], name: str) -> Reader:
    if kind is float:
        return _moment if _is_moment(name) else _number
    if issubclass(kind, Mark):
        marks = {mark.names[0]: mark for mark in Mark if mark}
        return lambda names: kind(sum(marks[name] for name in names))
    if issubclass(kind, Enum):
        return kind
    if is_dataclass(kind):
        return _fields(kind, [field.name for field in fields(kind)])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _fields(kind, list(kind._fields))
    return lambda value: value


def _fields(kind: Any, names: Sequence[str]) -> Reader:
    hints = get_type_hints(kind)
    readers = {name: _reader(hints[name], name) for name in names}
    return lambda said: kind(**{name: read(said[name]) for name, read in readers.items() if name in said})


def _optional(kinds: Sequence[Any], name: str) -> Reader:
    """Of several kinds none is chosen: in what verbs return they only occur as plain values."""
    read = _reader(kinds[0], name) if len(kinds) == 1 else _anything(name)
    return lambda value: None if value is None else read(value)


def _tuple(inner: tuple[Any, ...]) -> Reader:
    if len(inner) == 2 and inner[1] is Ellipsis:
        each = _reader(inner[0])
        return lambda items: tuple(each(item) for item in items)
    readers = [_reader(one) for one in inner]
    return lambda items: tuple(read(item) for read, item in zip(readers, items, strict=True))


def _mapping(key: Any, item: Any) -> Reader:
    key_of = _reader(key)
    return lambda said: {key_of(name): _reader(item, name)(value) for name, value in said.items()}


def _anything(name: str) -> Reader:
    """As it came; a moment is known by its name."""
    return lambda value: _moment(value) if isinstance(value, str) and _is_moment(name) else value


def _is_moment(name: str) -> bool:
    return name == "at" or name.endswith("_at")


def _moment(value: Any) -> float:
    return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else _number(value)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
