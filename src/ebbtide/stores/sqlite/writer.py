"""From accepted changes to SQL. The fold has already happened in the mirror; here its outcome is put into words."""

from collections.abc import Iterable, Sequence
from itertools import chain, count, repeat
from operator import attrgetter
from typing import Any, NamedTuple, cast

import numpy as np

from ebbtide.core.changes import (
    Change,
    Configure,
    Discard,
    Dismiss,
    Forget,
    Merge,
    Pair,
    PutMemory,
    Reaped,
    Recover,
    Restore,
    Rewrite,
    subject,
)
from ebbtide.core.ledger import Run
from ebbtide.core.memory import Content
from ebbtide.core.snapshot import Senses, Snapshot
from ebbtide.core.state import LinkKey, MindState
from ebbtide.stores.sqlite import codec
from ebbtide.stores.sqlite.queries import births, insert_memory, own_at_birth, sql, stored, update_row

Parameters = tuple[Any, ...]

_BASE_PART = 1 << 24  # bytes
_id, _at = attrgetter("id"), attrgetter("at")


class Statement(NamedTuple):
    sql: str
    rows: list[Parameters]


class Writer:
    """Witnesses one batch and turns it into statements. Knows which columns this mind has."""

    def __init__(self, state: MindState) -> None:
        self._state = state
        self._relations = len(state.links.relations)
        self._focus = state.focus
        self._fit()
        self._begin()

    def _fit(self) -> None:
        self._own = own_at_birth(self._state.regime.metabolism.own)
        self._columns = [name for name in stored(list(self._state.table.types)) if name != "id"]
        self._insert = insert_memory(births(self._own))
        self._pairs = self._state.regime.metabolism.traits.merges
        self._update = update_row(self._columns)

    def _begin(self) -> None:
        self._statements: list[Statement] = []
        self._touched: dict[int, None] = {}
        self._journal: list[Parameters] = []

    def witness(self, run: Run) -> None:
        change = run.changes[0]
        if isinstance(change, PutMemory):
            self._births(run)
        else:
            self._content(change)
            self._links(run.delta.links)
            self._touched.update(dict.fromkeys(run.delta.rows))
        self._enter(run)

    def _enter(self, run: Run) -> None:
        """Into the journal. A batch is known by the token on its first entry."""
        kind, bodies = codec.kind(run.changes[0]), codec.encode_all(run.changes)
        tokens = chain([None if self._journal else run.token], repeat(None))
        about = map(_id, run.changes) if kind == "put" else map(subject, run.changes)  # puts come by the thousand
        entries = zip(count(run.seq), map(_at, run.changes), about, tokens, bodies, strict=False)
        self._journal += [(seq, at, kind, memory, token, body) for seq, at, memory, token, body in entries]

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

    def checkpoint(self) -> list[Statement]:
        """What is always on the move, as it stands now: the hot counters that moved, and the queue."""
        moved, tasks = self._state.table.moved(), self._state.tasks
        counters = [self.rows(moved)] if moved else []
        queue = [Statement(sql("put_task"), [(task, codec.encode(tasks[task])) for task in tasks])] if tasks else []
        meta = [("checkpoint", str(self._state.seq))]
        seen = Statement(sql("write_meta"), [*meta, *self._senses()])
        return [*counters, Statement(sql("drop_tasks"), [()]), *queue, seen]

    def _senses(self) -> list[Parameters]:
        """What the mind knows of all it has read and used, with the entry it knows it from."""
        if not self._state.regime.metabolism.traits.appraises:
            return []
        return [("senses", codec.encode(Senses.of(self._state)))]

    def rows(self, ids: Sequence[int]) -> Statement:
        """The rows of these memories as they stand now, hot counters and all."""
        table = self._state.table
        rows = table.rows(ids)
        table.dirty[rows] = False
        columns = [table.columns[name][rows] for name in self._columns]
        return Statement(self._update, list(zip(*map(_plain, columns), ids, strict=True)))

    def _add(self, text: str, row: Parameters) -> None:
        self._add_all(text, [row])

    def _add_all(self, text: str, rows: list[Parameters]) -> None:
        """Neighbours with the same text become one statement with many rows."""
        if self._statements and self._statements[-1].sql is text:
            self._statements[-1].rows.extend(rows)
        else:
            self._statements.append(Statement(text, rows))

    def _content(self, change: Change) -> None:
        match change:
            case Rewrite():
                self._add(sql("replace_content"), _said(change.content, change.id))
                self._part(change.id)
            case Forget():
                self._trash(change.id)
            case Merge():
                self._trash(change.id)
                self._add(sql("replace_content"), _said(change.content, change.into))
                self._part(change.into)
            case Restore():
                self._restore(change)
            case Recover():
                self._add(sql("recover_memory"), self._recovered(change))
            case Pair():
                self._add_all(sql("drop_pair"), list(change.lost))
                self._add_all(sql("put_pair"), list(change.found))
            case Dismiss(_, kind, ids, facts):
                refused = (kind, codec.encode(ids))
                self._add(sql("put_dismissed"), (*refused, facts)) if facts else self._add(
                    sql("drop_dismissed"), refused
                )
            case Configure():
                self._fit()
                self._add(sql("write_meta"), ("configuration", codec.encode(change)))
                # What was counted under the old regime must not be counted again, under the new one, on recovery.
                self._touched.update(dict.fromkeys(self._state.table.moved()))
                self._add_all(sql("write_meta"), self._senses())
            case Reaped():
                self._add(sql("write_meta"), ("reaped_at", repr(change.at)))
            case Discard():
                self._add(sql("write_meta"), ("next_id", str(self._state.next_id)))
                self._add_all(sql("drop_trash"), [(memory,) for memory in change.ids])
                self._add(sql("drop_dismissed_of"), (codec.encode(change.ids),))
            case _:
                pass

    def _births(self, run: Run) -> None:
        puts = cast("Sequence[PutMemory]", run.changes)
        table, state = self._state.table, self._state.newborn_state
        born = slice(len(table) - len(puts), len(table))  # a new memory's row is the last one
        own = [table.columns[name][born].tolist() for name in self._own]
        rows = [
            (
                (said := put.content).key, said.text, said.phrase, _listed(said.keywords), said.kind, said.domain,
                said.speaker, put.id, put.created_at, put.created_at, (length := len(said.text)), length, seq, state,
                seq, *rest,
            )
            for seq, put, rest in zip(count(run.seq), puts, zip(*own, strict=True) if own else repeat(()), strict=False)
        ]  # fmt: skip
        self._add_all(self._insert, rows)

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
        self._part(memory)

    def _part(self, memory: int) -> None:
        """Nothing that was found out about what it said holds any longer."""
        self._add(sql("drop_indexed"), (memory,))
        if self._pairs:
            self._add(sql("drop_pairs_of"), (memory,))

    def _restore(self, c: Restore) -> None:
        """The row comes back with its text; its columns follow with the other touched rows."""
        self._add(sql("move_from_trash"), (c.key, c.at, c.id))
        self._add(sql("drop_trash"), (c.id,))

    def _recovered(self, c: Recover) -> Parameters:
        return (c.content.key, *_said(c.content, c.id), self._state.seq)


def joined(statements: Iterable[Statement]) -> list[Statement]:
    """Fewer statements that do the same: neighbours with one text become one, and the journal, which nothing
    refers to, comes last."""
    found: list[Statement] = []
    entries: list[Parameters] = []
    for text, rows in statements:
        if text == sql("put_entry"):
            entries += rows
        elif found and found[-1].sql == text:
            found[-1].rows.extend(rows)
        else:
            found.append(Statement(text, list(rows)))
    return [*found, Statement(sql("put_entry"), entries)] if entries else found


def rebased(base: Snapshot) -> list[Statement]:
    """The journal starts from this base, and has nothing of what came before."""
    packed = codec.pack(base)
    parts = [packed[first : first + _BASE_PART] for first in range(0, len(packed), _BASE_PART)]
    return [
        Statement(sql("drop_base"), [()]),
        Statement(sql("put_base"), list(enumerate(parts))),
        Statement(sql("write_meta"), [("base_seq", str(base.seq))]),
        Statement(sql("drop_journal"), [(base.seq,)]),
    ]


def _said(content: Content, memory: int) -> Parameters:
    labels = (content.kind, content.domain, content.speaker)
    return (content.text, content.phrase, _listed(content.keywords), *labels, memory)


def _listed(keywords: tuple[str, ...]) -> str:
    return codec.encode(keywords) if keywords else "[]"


def _plain(column: Any) -> list[Any]:
    values = column.tolist()
    return [None if value == -np.inf else value for value in values] if column.dtype.kind == "f" else values
