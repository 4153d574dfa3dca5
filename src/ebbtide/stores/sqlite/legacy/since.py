"""What became of a mind since it was taken over, as edits of the older table."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ebbtide.core.memory import Content
from ebbtide.core.state import REMEMBER, MindState
from ebbtide.stores.sqlite import codec, loader
from ebbtide.stores.sqlite.legacy.fields import decoded, encoded, spelled_like
from ebbtide.stores.sqlite.legacy.former import LEGACY
from ebbtide.stores.sqlite.legacy.links import Form, OldLink, Web
from ebbtide.stores.sqlite.legacy.report import Report
from ebbtide.stores.sqlite.legacy.rows import CHUNK, KEYWORDS, KINDS, RawRow, chunks, read
from ebbtide.stores.sqlite.queries import sql

Row = dict[str, Any]


@dataclass(slots=True)
class Edits:
    """Rows to add, values to set by the key they have in the older table, and keys to remove."""

    inserts: list[Row] = field(default_factory=list)
    updates: list[tuple[str, Row]] = field(default_factory=list)
    deletes: list[str] = field(default_factory=list)
    changed: int = 0
    relinked: int = 0
    waiting: int = 0  # messages the mind has taken and not worked on yet: no memories, so nothing that could be edited


def find_edits(connection: sqlite3.Connection) -> Edits:
    """Compares what the older rows say with what the mind says now."""
    return _Comparison(connection).edits()


class _Comparison:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._state: MindState = loader.load(connection).state
        self._keys = {memory: key for key, memory in self._state.keys.items()}
        self._web = Web()
        self._habits = _Habits()
        self._rewritten: dict[int, tuple[RawRow, Content, Content]] = {}

    def edits(self) -> Edits:
        found = Edits()
        self._read_older_rows(found)
        relinked = {memory: links for memory in self._web.keys if (links := self._other_links(memory)) is not None}
        for memory in sorted(self._rewritten.keys() | relinked.keys()):
            values = self._rewrite(memory) if memory in self._rewritten else {}
            if memory in relinked:
                values["links"] = self._habits.links(relinked[memory])
            found.updates.append((self._web.keys[memory], values))
        found.changed, found.relinked = len(self._rewritten), len(relinked)
        found.inserts = self._new_rows()
        found.waiting = sum(task.kind == REMEMBER for task in self._state.tasks.values())
        return found

    def _read_older_rows(self, found: Edits) -> None:
        nobody_reads, number = Report(), 0
        for rows in chunks(self._connection, LEGACY):
            says = self._contents(range(number + 1, number + 1 + len(rows)))
            for row in rows:
                number += 1
                old = read(row, 0.0, nobody_reads)
                self._habits.learn(row)
                self._web.add(number, row.key, old.links)
                if number not in says:
                    found.deletes.append(row.key)
                elif says[number] != old.content:
                    self._rewritten[number] = (row, old.content, says[number])

    def _contents(self, ids: Sequence[int]) -> dict[int, Content]:
        rows = self._connection.execute(sql("read_contents"), (codec.encode(list(ids)),))
        return {row[0]: codec.content(row[1:]) for row in rows}

    # ---- memories that were there before

    def _rewrite(self, memory: int) -> Row:
        raw, then, now = self._rewritten[memory]
        values: Row = {}
        if now.key != then.key:
            values["key"] = now.key
        if now.text != then.text:
            values["text"] = now.text
        if now.phrase != then.phrase:
            values["summary"] = now.phrase
        if _labels(now) != _labels(then):
            values["meta"] = self._habits.relabelled(raw, then, now)
        return values

    def _other_links(self, memory: int) -> list[OldLink] | None:
        """What its links are now, if they are not what they were."""
        if memory not in self._state.table:
            return None
        woven = self._web.woven(memory, Report())
        slots = self._state.links.leaving(memory).tolist()
        now = {(link.target, link.relation): link.strength for link in map(self._state.links.get, slots)}
        if now == {end: strength for end, (strength, _) in woven.items()}:
            return None
        kept = [link for end, (strength, link) in woven.items() if now.get(end) == strength]
        same = {end for end, (strength, _) in woven.items() if now.get(end) == strength}
        return [*kept, *self._web.loose(memory), *self._links_now(memory, but=same)]

    def _links_now(self, memory: int, but: set[tuple[int, str]]) -> list[OldLink]:
        links = self._state.links_of(memory, outgoing=True)
        return [
            OldLink(key, link.relation, link.strength * self._web.top)
            for link in links
            if (link.target, link.relation) not in but and (key := self._key_of(link.target)) is not None
        ]

    def _key_of(self, memory: int) -> str | None:
        """Also of one that is gone, if anybody still knows it."""
        gone = self._state.trash.get(memory)
        return self._keys.get(memory) or (gone.key if gone else self._web.keys.get(memory))

    # ---- memories that came since

    def _new_rows(self) -> list[Row]:
        new = sorted(memory for memory in self._keys if memory not in self._web.keys)
        found = []
        for first in range(0, len(new), CHUNK):
            says = self._contents(new[first : first + CHUNK])
            found += [self._new_row(memory, content) for memory, content in sorted(says.items())]
        return found

    def _new_row(self, memory: int, content: Content) -> Row:
        created = self._state.table.columns["created_at"][self._state.table.row(memory)]
        return {
            "key": content.key,
            "summary": content.phrase,
            "text": content.text,
            "meta": encoded(self._habits.labels(content)),
            "links": self._habits.links(self._links_now(memory, but=set())),
            "created_at": spelled_like(self._habits.moment, float(created)),
        }


class _Habits:
    """How the older program spells things, learned from the first row that shows it."""

    def __init__(self) -> None:
        self.moment: Any = None
        self._form: Form | None = None
        self._kind: str | None = None
        self._keywords: str | None = None

    def learn(self, row: RawRow) -> None:
        self.moment = row.created_at if self.moment is None else self.moment
        self._form = self._form or Form.of(decoded(row.links))
        if (self._kind is None or self._keywords is None) and isinstance(meta := decoded(row.meta), dict):
            self._kind = self._kind or _used(meta, KINDS)
            self._keywords = self._keywords or _used(meta, KEYWORDS)

    def links(self, links: Sequence[OldLink]) -> str:
        return encoded((self._form or Form()).write(links))

    def labels(self, content: Content) -> Row:
        said: Row = {self._name("kind"): content.kind, "domain": content.domain, "speaker": content.speaker}
        said[self._name("keywords")] = content.keywords
        return {name: value for name, value in said.items() if value}

    def relabelled(self, raw: RawRow, then: Content, now: Content) -> str:
        """The row's `meta` with just those labels set anew that are different now."""
        meta = found if isinstance(found := decoded(raw.meta), dict) else {}
        if now.kind != then.kind:
            meta[_used(meta, KINDS) or self._name("kind")] = now.kind
        if now.domain != then.domain:
            meta["domain"] = now.domain
        if now.speaker != then.speaker:
            meta["speaker"] = now.speaker
        if now.keywords != then.keywords:
            name = _used(meta, KEYWORDS) or self._name("keywords")
            meta = {**{k: v for k, v in meta.items() if k not in KEYWORDS}, name: now.keywords}
        return encoded(meta)

    def _name(self, label: str) -> str:
        return (self._kind or KINDS[0]) if label == "kind" else (self._keywords or KEYWORDS[0])


def _labels(content: Content) -> tuple[Any, ...]:
    return content.kind, content.domain, content.speaker, content.keywords


def _used(meta: Row, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in meta), None)
