"""A row of the older table, read as a memory.

Where a row says more than a memory can hold, or says it unreadably, the report tells; the older table keeps it.
"""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from ebbtide.core.draft import MAX_KEYWORDS, Draft, require_key
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import Content, Meta
from ebbtide.stores.sqlite.legacy.fields import UNREADABLE, decoded, is_label, moment
from ebbtide.stores.sqlite.legacy.links import OldLink, parse
from ebbtide.stores.sqlite.legacy.report import Report

CHUNK = 1000

KINDS = ("type", "kind")
KEYWORDS = ("keywords", "tags")
# Signals are the engine's own (and the score starts anew), so nobody misses them in the report.
_TAKEN_OR_OURS = {*KINDS, *KEYWORDS, "domain", "state", "created_at", *(f.name for f in fields(Meta))}
_BETWEEN_WORDS = re.compile(r"[,，、;；]")


class RawRow(NamedTuple):
    number: int
    key: Any
    summary: Any
    text: Any
    meta: Any
    links: Any
    created_at: Any

    @property
    def name(self) -> str:
        """How people find it again."""
        return f"row {self.number}, key {self.key!r:.60}"


@dataclass(frozen=True, slots=True)
class OldMemory:
    content: Content
    created_at: float
    links: list[OldLink]


def chunks(connection: sqlite3.Connection, table: str) -> Iterator[list[RawRow]]:
    """All rows, always in the same order: the n-th is memory n."""
    try:
        rows = connection.execute(_select(table, "rowid"))
    except sqlite3.OperationalError:  # WITHOUT ROWID: then its primary key sorts it, and keys are unique
        rows = connection.execute(_select(table, "row_number() OVER (ORDER BY key)"))
    while some := rows.fetchmany(CHUNK):
        yield [RawRow(*row) for row in some]


def _select(table: str, number: str) -> str:
    return f"SELECT {number} AS number, key, summary, text, meta, links, created_at FROM {table} ORDER BY number"


def read(raw: RawRow, at: float, report: Report) -> OldMemory:
    """Raises InvalidInput, naming the row, if it cannot be a memory."""
    try:
        content = _content(raw, report)
    except InvalidInput as error:
        raise InvalidInput(problem=f"{raw.name}: {error}") from None
    return OldMemory(content, _created(raw, at, report), _links(raw, report))


def _content(raw: RawRow, report: Report) -> Content:
    if raw.key is None:
        raise InvalidInput(problem="the key is NULL")
    key = require_key(raw.key)
    summary = _summary(raw, report)
    text = summary if _is_blank(raw.text) and summary.strip() else raw.text
    if text is None:
        raise InvalidInput(problem="neither a text nor a summary")
    draft = Draft(text, key, summary, **_labels(raw, report))
    return draft.check("score").content(key)


def _is_blank(text: Any) -> bool:
    return text is None or (isinstance(text, str) and not text.strip())


def _summary(raw: RawRow, report: Report) -> str:
    if isinstance(raw.summary, str):
        return raw.summary
    if raw.summary is not None:
        report.warn("`summary` is not text: no phrase taken from it", raw.name)
    return ""


def _labels(raw: RawRow, report: Report) -> dict[str, Any]:
    meta = decoded(raw.meta)
    if meta is None:
        return {}
    if not isinstance(meta, dict):
        report.warn("`meta` is not a JSON object: nothing taken from it", raw.name)
        return {}
    for name in meta.keys() - _TAKEN_OR_OURS:
        report.warn("a field of `meta` that a memory has no place for", f"{name!r:.60} in {raw.name}")
    labels = {"kind": _label(meta, KINDS, raw, report), "domain": _label(meta, ("domain",), raw, report)}
    return {"keywords": _keywords(meta, raw, report), **{name: label for name, label in labels.items() if label}}


def _label(meta: dict[str, Any], names: tuple[str, ...], raw: RawRow, report: Report) -> str:
    for name in names:
        value = meta.get(name)
        if value is None or value == "":
            continue
        if is_label(value):
            return str(value)
        report.warn(f"`meta.{name}` is not a short text", raw.name)
    return ""


def _keywords(meta: dict[str, Any], raw: RawRow, report: Report) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in KEYWORDS:
        value = meta.get(name) or []
        words = _BETWEEN_WORDS.split(value) if isinstance(value, str) else value
        for word in words if isinstance(words, list) else [words]:
            word = word.strip() if isinstance(word, str) else word
            if is_label(word):
                found[word] = None
            elif word != "":
                report.warn(f"a keyword in `meta.{name}` is not a short text", raw.name)
    if len(found) > MAX_KEYWORDS:
        report.warn(f"more than {MAX_KEYWORDS} keywords: the first were taken", raw.name)
    return tuple(found)[:MAX_KEYWORDS]


def _created(raw: RawRow, at: float, report: Report) -> float:
    created = moment(raw.created_at)
    if created is None:
        report.warn("`created_at` is no readable moment: the memory counts as made now", raw.name)
        return at
    if created > at:
        report.warn("`created_at` lies in the future: the memory counts as made now", raw.name)
    return min(created, at)


def _links(raw: RawRow, report: Report) -> list[OldLink]:
    value = decoded(raw.links)
    if value is UNREADABLE:
        report.warn("`links` is not JSON: no link taken from it", raw.name)
        return []
    return parse(value, report, raw.name)
