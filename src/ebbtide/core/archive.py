"""The archive: where memories go before they are removed for good, as lines a person can read.   SPEC R6, C8.

A line says first what the memory said and why it went, then its signals and links as they were. Whoever reads
a line back has all it takes to bring the identical memory back; `check` tells whether it is still the line that
was written.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np

from ebbtide.core.errors import StoreDamaged, StoreError, StoreUnreadable
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import STATES, Content

FORMAT = 1
UNDATED = "undated"
_LAST_MOMENT = 253_402_300_800.0  # the year 10000, which ISO 8601 has no four digits for


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory as it was when it was archived, with all it takes to bring it back."""

    run: str
    agent: str
    at: float
    cause: str
    content: Content
    row: dict[str, Any]  # its signals as plain numbers, its id among them; a moment that never was is None
    links: tuple[LinkRow, ...] = ()  # its own, the outgoing ones
    keys: dict[int, str] = field(default_factory=dict)  # of their targets, as far as these were known

    @property
    def id(self) -> int:
        return int(self.row["id"])


@dataclass(frozen=True, slots=True)
class Found:
    """What an archive gave back, the latest first, and what of it could not be read."""

    records: tuple[Archived, ...] = ()
    damaged: tuple[StoreError, ...] = ()  # each names file and line


@dataclass(frozen=True, slots=True)
class ArchivedRun:
    """One run in the archive. `at`: when its first memory was archived; None: no line of it can be read."""

    run: str
    at: float | None
    memories: int
    bytes: int
    damaged: int  # lines that cannot be read


class Archive(Protocol):
    """Write once, read rarely. An agent's records are under its own prefix; no call looks at another's.

    Raises ArchiveUnreachable when there is no way to it, StoreFull when there is no room.
    """

    async def put(self, agent: str, run: str, records: Sequence[Archived], *, part: int = 1) -> str:
        """Durable when it returns. Returns where the first of the records went; nothing to keep: an empty text.

        A run that archives in several goes numbers them. The same again changes nothing; other records under
        the same run, part and day are a Conflict. What was only half written is never seen.
        """
        ...

    async def find(self, agent: str, key: str | None = None, run: str | None = None) -> Found:
        """Records of this key and this run; None: of any. Of one moment, those written last come first."""
        ...

    async def runs(self, agent: str) -> list[ArchivedRun]:
        """What each run has archived, the latest first."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


# ---- a record and its line


def to_line(record: Archived) -> dict[str, Any]:
    """The record as an object for JSON: first what people look for, then what it takes to bring it back."""
    content = record.content
    return {
        "key": content.key,
        "text": content.text,
        "phrase": content.phrase,
        "keywords": list(content.keywords),
        "kind": content.kind,
        "domain": content.domain,
        **({"speaker": content.speaker} if content.speaker else {}),
        "created_at": iso(record.row["created_at"]),
        "created_epoch": record.row["created_at"],
        "archived_at": iso(record.at),
        "archived_epoch": record.at,
        "why": record.cause,
        "state": STATES[record.row["state"]].value,
        "agent": record.agent,
        "run": record.run,
        "signals": dict(record.row),
        "links": [_link_to_line(link, record.keys) for link in record.links],
        "format": FORMAT,
    }


def from_line(line: Any, where: str = "the line") -> Archived:
    """The record a line stands for. `where` is for errors only: the line's file and number."""
    if not isinstance(line, dict) or "format" not in line:
        raise StoreDamaged(path=where, detail="it is not a record of an archive")
    if line["format"] != FORMAT:
        told = f"it has the format {line['format']!r:.20}, and this version of Ebbtide reads the format {FORMAT}"
        raise StoreUnreadable(path=where, detail=told)
    try:
        return _record(line)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreDamaged(path=where, detail=f"what is written there makes no sense: {error!r}") from error


def encode(record: Archived) -> bytes:
    """The record as one line of JSON in UTF-8, its end included."""
    line = to_line(record)
    return _bytes(line | {"check": _check(line)}) + b"\n"


def decode(body: bytes, where: str) -> Archived:
    """The record in a line. One that was mended by hand may go without its `check`."""
    try:
        line = json.loads(body)
    except (ValueError, RecursionError) as error:  # what is no UTF-8 included
        raise StoreDamaged(path=where, detail=f"it is not JSON: {error}") from error
    check = line.pop("check", None) if isinstance(line, dict) else None
    record = from_line(line, where)
    if check is not None and check != _check(line):
        raise StoreDamaged(path=where, detail="it is not what was written there once")
    return record


def iso(moment: float) -> str:
    """UTC, to the second."""
    return f"{_date(moment, 's')}Z" if 0.0 <= moment < _LAST_MOMENT else f"{moment:.0f} s"


def day(moment: float) -> str:
    """The day in UTC, for names of files."""
    return _date(moment, "D") if 0.0 <= moment < _LAST_MOMENT else UNDATED


def _date(moment: float, unit: str) -> str:
    return str(np.datetime64(math.floor(moment), "s").astype(f"datetime64[{unit}]"))


def _record(line: Mapping[str, Any]) -> Archived:
    words = {name: _text(line[name]) for name in ("key", "text", "phrase", "kind", "domain")}
    words["speaker"] = _text(line.get("speaker", ""))  # lines written by earlier versions have none
    row = {str(name): _number(value) for name, value in line["signals"].items()}
    return Archived(
        run=_text(line["run"]),
        agent=_text(line["agent"]),
        at=float(line["archived_epoch"]),
        cause=_text(line["why"]),
        content=Content(**words, keywords=tuple(map(_text, line["keywords"]))),
        row=row | {"id": int(row["id"])},
        links=tuple(_link_from_line(link, int(row["id"])) for link in line["links"]),
        keys={int(link["to"]): _text(link["key"]) for link in line["links"] if "key" in link},
    )


def _link_to_line(link: LinkRow, keys: Mapping[int, str]) -> dict[str, Any]:
    known = {"key": keys[link.target]} if link.target in keys else {}
    return {"relation": link.relation, "to": link.target, **known, "strength": link.strength, "since": link.since}


def _link_from_line(link: Mapping[str, Any], source: int) -> LinkRow:
    return LinkRow(source, int(link["to"]), _text(link["relation"]), float(link["strength"]), int(link["since"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    return value


def _number(value: Any) -> Any:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise TypeError(f"{value!r:.40} is not a number")
    return value


def _check(line: Mapping[str, Any]) -> str:
    return blake2b(_bytes(line), digest_size=8).hexdigest()


def _bytes(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, allow_nan=False).encode()
