"""The `links` column of the older table: a JSON list of keys, a list of objects, or an object by relation or by key."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ebbtide.core.memory import DEFAULT_STRENGTH
from ebbtide.stores.sqlite.legacy.fields import is_label
from ebbtide.stores.sqlite.legacy.report import Report

RELATION = "related"  # where the older link names none
WEAKEST = 0.01  # for weights that are no strength at all

_TARGETS = ("key", "target", "to")
_RELATIONS = ("relation", "type", "rel")
_WEIGHTS = ("weight", "strength")


class OldLink(NamedTuple):
    target: str
    relation: str | None = None
    weight: float | None = None


def parse(value: Any, report: Report, where: str) -> list[OldLink]:
    """Every link the decoded column names, in order. What is no link is skipped and counted."""
    found = [_link(item, relation, report, where) for item, relation in _items(value)]
    return [link for link in found if link is not None]


def _items(value: Any) -> Iterator[tuple[Any, str | None]]:
    """Each link by itself, with the relation it stands under."""
    if isinstance(value, list):
        yield from ((item, None) for item in value)
    elif isinstance(value, dict) and not _is_link(value):
        for name, below in value.items():
            yield from _below(name, below)
    elif value is not None:
        yield value, None


def _below(name: str, value: Any) -> Iterator[tuple[Any, str | None]]:
    """{relation: [links]}, {relation: link}, {key: {weight: …}} or {key: weight}."""
    if isinstance(value, list):
        yield from ((item, name) for item in value)
    elif isinstance(value, str) or (isinstance(value, dict) and _is_link(value)):
        yield value, name
    elif isinstance(value, dict):
        yield {**value, "key": name}, None
    else:
        yield {"key": name, "weight": value}, None


def _is_link(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(name), str) for name in _TARGETS)


def _link(item: Any, relation: str | None, report: Report, where: str) -> OldLink | None:
    if _is_key(item):
        return OldLink(str(item), _relation(relation, report, where))
    if isinstance(item, dict) and _is_key(target := _first(item, _TARGETS)):
        named = _first(item, _RELATIONS)
        weight = _weight(_first(item, _WEIGHTS), report, where)
        return OldLink(str(target), _relation(relation if named is None else named, report, where), weight)
    report.skip("not a link: neither a key nor an object that names one", where)
    return None


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _first(item: dict[str, Any], names: Iterable[str]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _relation(value: Any, report: Report, where: str) -> str | None:
    if value is None or value == "" or is_label(value):
        return value or None
    report.warn(f"the relation of a link is not a short text: it became {RELATION!r}", where)
    return None


def _weight(value: Any, report: Report, where: str) -> float | None:
    if value is None:
        return None
    try:
        if not isinstance(value, bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    report.warn(f"the weight of a link is not a number: it became {DEFAULT_STRENGTH}", where)
    return None


class Web:
    """The links of the whole older table. Weights are on one scale, so they are read together.

    If any is above 1 all are divided by the largest: which link is the stronger one stays true.
    """

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.keys: dict[int, str] = {}
        self.links: dict[int, list[OldLink]] = {}
        self.top = 1.0

    def add(self, memory: int, key: str, links: list[OldLink]) -> None:
        self.ids[key] = memory
        self.keys[memory] = key
        if links:
            self.links[memory] = links
            self.top = max(self.top, *(link.weight or 0.0 for link in links))

    def woven(self, source: int, report: Report) -> dict[tuple[int, str], tuple[float, OldLink]]:
        """A memory's links as they stand in a mind: by target and relation, with the strength."""
        found: dict[tuple[int, str], tuple[float, OldLink]] = {}
        for link in self.links.get(source, ()):
            where = f"{self.keys[source]!r:.60} → {link.target!r:.60}"
            end = (self.ids.get(link.target, 0), link.relation or RELATION)
            if reason := self._obstacle(source, end, found):
                report.skip(reason, where)
            else:
                found[end] = (self._strength(link, report, where), link)
        return found

    def loose(self, source: int) -> list[OldLink]:
        """The links that could not be woven in."""
        kept = [link for _, link in self.woven(source, Report()).values()]
        return [link for link in self.links.get(source, ()) if link not in kept]

    def _obstacle(self, source: int, end: tuple[int, str], found: Iterable[tuple[int, str]]) -> str:
        if not end[0]:
            return "no memory has the key it points to"
        if end[0] == source:
            return "a memory cannot be linked to itself"
        return "the same link is there twice; the first one stands" if end in found else ""

    def _strength(self, link: OldLink, report: Report, where: str) -> float:
        if link.weight is None:
            return DEFAULT_STRENGTH
        if link.weight > 1.0:
            report.warn(f"a weight above 1: all weights were divided by the largest, {self.top:g}", where)
        if not (strength := link.weight / self.top) > 0.0:
            report.warn(f"a weight that is not above 0 was raised to {WEAKEST}", where)
            return WEAKEST
        return strength


# ---- and back


@dataclass(frozen=True, slots=True)
class Form:
    """How a file writes its links: one program wrote it, so one form for all."""

    kind: Literal["keys", "objects", "relations", "weights"] = "objects"
    target: str = "key"
    relation: str = "relation"
    weight: str = "weight"

    @classmethod
    def of(cls, value: Any) -> "Form | None":
        """The form of a decoded column; None if there is nothing in it to tell by."""
        if isinstance(value, dict) and value and not _is_link(value):
            numbers = not any(isinstance(below, list | str) for below in value.values())
            return cls("weights" if numbers else "relations")
        item = value[0] if isinstance(value, list) and value else value
        if _is_key(item):
            return cls("keys")
        if isinstance(item, dict) and item:
            return cls("objects", *(_used(item, names) for names in (_TARGETS, _RELATIONS, _WEIGHTS)))
        return None

    def write(self, links: Iterable[OldLink]) -> Any:
        """What JSON is to say. A form that has no room for relations or weights leaves them out."""
        match self.kind:
            case "keys":
                return list(dict.fromkeys(link.target for link in links))
            case "weights":
                return {link.target: DEFAULT_STRENGTH if link.weight is None else link.weight for link in links}
            case "relations":
                by_relation: dict[str, list[str]] = {}
                for link in links:
                    by_relation.setdefault(link.relation or RELATION, []).append(link.target)
                return by_relation
            case "objects":
                return [self._object(link) for link in links]

    def _object(self, link: OldLink) -> dict[str, Any]:
        said = {self.target: link.target, self.relation: link.relation, self.weight: link.weight}
        return {name: value for name, value in said.items() if value is not None}


def _used(item: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if name in item), names[0])
