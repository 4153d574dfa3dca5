"""From accepted changes to SQL. The fold has already happened in the mirror; here its outcome is put into words."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ebbtide.core.changes import (
    Change,
    Configure,
    Discard,
    Entry,
    Forget,
    Merge,
    PutMemory,
    Restore,
    Rewrite,
    WriteDown,
    subject,
)
from ebbtide.core.memory import Content
from ebbtide.core.replay import Delta
from ebbtide.core.state import LinkKey, MindState
from ebbtide.stores.sqlite import codec
from ebbtide.stores.sqlite.queries import births, insert_memory, sql, stored, update_row

Parameters = tuple[Any, ...]


class Statement(NamedTuple):
    sql: str
    rows: list[Parameters]


class Writer:
    """Witnesses one batch and turns it into statements. Knows which columns this mind has."""

    def __init__(self, state: MindState) -> None:
        self._state = state
        self._own = state.regime.metabolism.own
        self._columns = [name for name in stored(list(state.table.types)) if name != "id"]
        self._insert = insert_memory(births(self._own))
        self._update = update_row(self._columns)
        self._relations = len(state.links.relations)
        self._focus = state.focus
        self._begin()

    def _begin(self) -> None:
        self._statements: list[Statement] = []
        self._touched: dict[int, None] = {}
        self._journal: list[Parameters] = []

    def witness(self, entry: Entry, delta: Delta) -> None:
        change = entry.change
        if isinstance(change, PutMemory):
            self._add(self._insert, self._birth(change, entry.seq))
        else:
            self._content(change)
            self._links(delta.links)
            self._touched.update(dict.fromkeys(delta.rows))
        token = None if self._journal else entry.token
        row = (entry.seq, change.at, codec.kind(change), subject(change), token, codec.encode(change))
        self._journal.append(row)

    def take(self) -> list[Statement]:
        """What was witnessed since the last time, in order; the journal last."""
        if self._touched:
            alive = [memory for memory in self._touched if memory in self._state.table]
            self._statements.append(self.rows(alive))
        if self._state.focus != self._focus:
            self._focus = self._state.focus
            self._add(sql("write_meta"), ("focus", " ".join(map(str, self._focus))))
        if self._journal:
            self._statements.append(Statement(sql("put_entry"), self._journal))
        statements = self._statements
        self._begin()
        return statements

    def rows(self, ids: Sequence[int]) -> Statement:
        """The rows of these memories as they stand now, hot counters and all."""
        table = self._state.table
        rows = table.rows(ids)
        table.dirty[rows] = False
        columns = [table.columns[name][rows] for name in self._columns]
        return Statement(self._update, list(zip(*map(_plain, columns), ids, strict=True)))

    def _add(self, text: str, row: Parameters) -> None:
        """Neighbours with the same text become one statement with many rows."""
        if self._statements and self._statements[-1].sql is text:
            self._statements[-1].rows.append(row)
        else:
            self._statements.append(Statement(text, [row]))

    def _content(self, change: Change) -> None:
        match change:
            case Rewrite():
                self._add(sql("replace_content"), _said(change.content, change.id))
            case WriteDown():
                scores = change.scores or (None,) * len(change.ids)
                for row in zip(change.states, change.marks, scores, change.ids, strict=True):
                    self._add(sql("write_down"), row)
            case Forget():
                self._trash(change.id)
            case Merge():
                self._trash(change.id)
                self._add(sql("replace_content"), _said(change.content, change.into))
            case Restore():
                self._restore(change)
            case Configure():
                self._add(sql("write_meta"), ("configuration", codec.encode(change)))
            case Discard():
                self._add(sql("write_meta"), ("next_id", str(self._state.next_id)))
                for memory in change.ids:
                    self._add(sql("drop_trash"), (memory,))
            case _:
                pass

    def _birth(self, c: PutMemory, seq: int) -> Parameters:
        content, length = c.content, len(c.content.text)
        keywords = codec.encode(content.keywords) if content.keywords else "[]"
        columns, row = self._state.table.columns, self._state.table.row(c.id)
        return (
            content.key, content.text, content.phrase, keywords, content.kind, content.domain,
            c.id, c.created_at, c.created_at, length, length, int(columns["state"][row]), seq,
            *[columns[name][row].item() for name in self._own],
        )  # fmt: skip

    def _links(self, moved: Sequence[LinkKey]) -> None:
        """Each link as it now stands, or its absence."""
        links = self._state.links
        for key in dict.fromkeys(moved):
            code, slot = links.code(key.relation), links.find(*key)
            if slot < 0:
                self._add(sql("drop_link"), (key.source, key.target, code))
                continue
            self._new_relations()
            now = links.get(slot)
            self._add(sql("put_link"), (now.source, now.target, code, now.strength, now.since))

    def _new_relations(self) -> None:
        names = self._state.links.relations
        for code in range(self._relations, len(names)):
            self._add(sql("put_relation"), (code, names[code]))
        self._relations = len(names)

    def _trash(self, memory: int) -> None:
        gone = self._state.trash[memory]
        self._add(sql("move_to_trash"), (gone.at, gone.cause, codec.encode(gone), memory))
        self._add(sql("drop_memory"), (memory,))

    def _restore(self, c: Restore) -> None:
        """The row comes back with its text; its columns follow with the other touched rows."""
        self._add(sql("move_from_trash"), (c.key, c.at, c.id))
        self._add(sql("drop_trash"), (c.id,))


def _said(content: Content, memory: int) -> Parameters:
    keywords = codec.encode(content.keywords)
    return (content.text, content.phrase, keywords, content.kind, content.domain, memory)


def _plain(column: Any) -> list[Any]:
    values = column.tolist()
    return [None if value == -np.inf else value for value in values] if column.dtype.kind == "f" else values
