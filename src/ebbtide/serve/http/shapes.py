"""Values as JSON has them, and their schemas: both are read off the dataclasses, so there is no second description.

Moments are ISO 8601 in UTC, marks are names, enums their values; null stands where there is no number to give.
"""

import json
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from ebbtide.core.memory import Mark

_FIRST, _LAST = -62_135_596_800.0, 253_402_300_799.0  # the years 1 and 9999: no calendar goes further

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time", "examples": ["2026-11-15T08:30:00Z"]})]


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(encoded(plain(value)), status, dict(headers or {}), "application/json")


def nothing(value: Any = None) -> Response:
    return Response(status_code=204)


def encoded(document: Any) -> bytes:
    try:
        return msgspec.json.encode(document)
    except OverflowError:  # somebody's whole number of more than 64 bits, said back
        return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")


# ---- values


def plain(value: Any) -> Any:
    """What the encoder can take as it is: enums, numbers and tuples it knows, other things are made plain here."""
    kind: type[Any] = type(value)
    return (_PLAINERS.get(kind) or _plainer(kind))(value)


@lru_cache(1 << 14)
def iso(seconds: float) -> str:
    """Kept: the same memories are found again and again, and a hit is told with several moments."""
    return f"{datetime.fromtimestamp(min(max(seconds, _FIRST), _LAST), UTC).isoformat()[:-6]}Z"


_PLAINERS: dict[type[Any], Callable[[Any], Any]] = {}


def _plainer(kind: type[Any]) -> Callable[[Any], Any]:
    return _PLAINERS.setdefault(kind, _made_plainer(kind))


def _made_plainer(kind: type[Any]) -> Callable[[Any], Any]:
    """How values of this very type become plain."""
    if issubclass(kind, Mark):
        return lambda mark: list(_marks(mark))
    if issubclass(kind, Enum):
        return lambda member: member.value
    if is_dataclass(kind) or _is_named_tuple(kind):
        return _fields_of(kind)
    if issubclass(kind, Mapping):
        return lambda found: {str(plain(key)): _named(str(key), item) for key, item in found.items()}
    if issubclass(kind, list | tuple):
        return lambda items: [plain(item) for item in items]
    if issubclass(kind, float):
        return lambda number: number if math.isfinite(number) else None
    return lambda other: other


@cache
def _marks(mark: Mark) -> tuple[str, ...]:
    return tuple(mark.names)


def _fields_of(kind: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Most fields are plain already: only the others are looked at one by one."""
    hints = get_type_hints(kind)
    names = [f.name for f in fields(kind)] if is_dataclass(kind) else list(hints)
    others = [(name, _moment if _is_moment(name) else plain) for name in names if not _is_plain(hints[name], name)]
    if len(names) < 2:
        return lambda value: {name: _named(name, getattr(value, name)) for name in names}
    all_of = attrgetter(*names)

    def made(value: Any) -> dict[str, Any]:
        found = dict(zip(names, all_of(value), strict=True))
        for name, how in others:
            found[name] = how(found[name])
        return found

    return made


def _is_plain(hint: Any, name: str = "") -> bool:
    """Whether the encoder knows what to do with whatever this field holds."""
    if get_origin(hint) in (Union, types.UnionType, tuple, list):
        return all(one is Ellipsis or _is_plain(one, name) for one in get_args(hint))
    if hint is float:
        return not _is_moment(name)
    return hint in (str, int, bool, types.NoneType) or (isinstance(hint, type) and issubclass(hint, StrEnum))


def _is_named_tuple(kind: type[Any]) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _named(name: str, value: Any) -> Any:
    return _moment(value) if _is_moment(name) else plain(value)


def _moment(value: Any) -> Any:
    if type(value) is not float:
        return plain(value)
    return iso(value) if math.isfinite(value) else None


def _is_moment(name: str) -> bool:
    return name == "at" or name.endswith("_at")


# ---- schemas


@cache
def shape(kind: type[Any]) -> type[BaseModel]:
    """The model of what `plain` makes of such a dataclass."""
    hints = get_type_hints(kind)
    names = [f.name for f in fields(kind)] if is_dataclass(kind) else list(hints)
    members: dict[str, Any] = {name: (_typed(hints[name], name), ...) for name in names}
    return create_model(kind.__name__, __doc__=kind.__doc__, **members)


def page_of(name: str, doc: str, kind: Any = str, **members: Any) -> type[BaseModel]:
    """A page: these members, and where to go on: behind a number, or behind a place in a list that changes."""
    onward = Annotated[kind | None, Field(description="Ask with `after` set to this for more; null: that was all.")]
    every: dict[str, Any] = {key: (kind, ...) for key, kind in {**members, "next": onward}.items()}
    return create_model(name, __doc__=doc, **every)


def _typed(hint: Any, name: str = "") -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return Union[tuple(_typed(one, name) for one in inner)]  # noqa: UP007 — made of a list
    if origin in (list, tuple, Sequence):
        return _listed(inner)
    if origin in (dict, Mapping):
        return dict[str, _typed(inner[1])]  # type: ignore[misc]
    if hint is Mark:
        return list[str]
    if isinstance(hint, type) and (is_dataclass(hint) or _is_named_tuple(hint)):
        return shape(hint)
    if hint is float:
        return Moment if _is_moment(name) else float
    return hint if hint is not typing.Any else Any


def _listed(inner: tuple[Any, ...]) -> Any:
    """A tuple of several kinds is a list of any of them."""
    kinds = tuple(dict.fromkeys(_typed(one) for one in inner if one is not Ellipsis))
    return list[kinds] if kinds else list[Any]  # type: ignore[valid-type]
