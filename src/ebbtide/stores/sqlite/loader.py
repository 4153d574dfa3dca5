"""From the tables to the mirror: read the columns, then bring hot counters up to date from the journal."""

import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np

from ebbtide.core.changes import (
    Access,
    Appraise,
    Enqueue,
    Entry,
    Requeue,
    Scan,
    SetAside,
    Settle,
    Touch,
    Traverse,
    WriteDown,
)
from ebbtide.core.ledger import REMEMBERED_BATCHES, Ledger
from ebbtide.core.ranges import ranges_of, within
from ebbtide.core.relations import EQUIV, SUPPORTED_BY
from ebbtide.core.replay import fold
from ebbtide.core.signals import Column
from ebbtide.core.state import MindState, Pairs
from ebbtide.stores.sqlite import codec
from ebbtide.stores.sqlite.queries import read_rows, sql, stored


def load(connection: sqlite3.Connection) -> Ledger:
    state = MindState()
    _load_configuration(connection, state)
    _load_memories(connection, state)
    _load_links(connection, state)
    _load_trash(connection, state)
    _load_suggestions(connection, state)
    sensed = _load_senses(connection, state)
    tasks = [codec.task(body) for (body,) in connection.execute(sql("read_tasks"))]
    state.tasks = {task.id: task for task in tasks}
    state.seq = max(_meta(connection, "base_seq"), connection.execute(sql("last_entry")).fetchone()[0])
    highest = connection.execute(sql("highest_ids")).fetchone()[0]
    state.next_id = max(highest + 1, _meta(connection, "next_id"))
    state.reaped_at = _moment(connection, "reaped_at")
    _recover(connection, state, sensed)
    return Ledger(state, dict(connection.execute(sql("recent_tokens"), (REMEMBERED_BATCHES,))))


def checkpoint(connection: sqlite3.Connection) -> int:
    """The journal entry up to which the tables have everything."""
    return _meta(connection, "checkpoint")


def read_base(connection: sqlite3.Connection) -> bytes:
    return b"".join(part for (part,) in connection.execute(sql("read_base")))


def _load_configuration(connection: sqlite3.Connection, state: MindState) -> None:
    row = connection.execute(sql("read_meta"), ("configuration",)).fetchone()
    if row is not None:
        fold(state, codec.entry(0, "configure", row[0], None).change, 0)


def _load_memories(connection: sqlite3.Connection, state: MindState) -> None:
    table = state.table
    names = stored(list(table.types))
    dtype = [(name, table.types[name]) for name in names]
    rows = np.fromiter(connection.execute(read_rows(names)), dtype)
    if len(rows):
        columns: dict[str, Any] = {name: rows[name] for name in names}
        table.extend(len(rows), columns | {name: 0 for name in table.types if name not in names})
    state.keys = dict(connection.execute(sql("read_keys")))


def _load_links(connection: sqlite3.Connection, state: MindState) -> None:
    dtype = [("source", "i8"), ("target", "i8"), ("relation", "i4"), ("strength", "f8"), ("since", "i8")]
    rows = np.fromiter(connection.execute(sql("read_links")), dtype)
    relations = [name for (name,) in connection.execute(sql("read_relations"))]
    state.links.load({name: rows[name] for name, _ in dtype}, relations)
    state.focus = tuple(_ids(connection, "focus"))
    state.links.pin(state.focus)
    state.count_degrees()
    if "protected" in state.table.columns:
        _count_protection(state, rows, relations)


def _count_protection(state: MindState, links: Column, relations: list[str]) -> None:
    """What `MindState.protection` says of each, for all at once."""
    table = state.table
    names = np.array([(name == SUPPORTED_BY) + 2 * (name == EQUIV) for name in relations] or [0])
    kind, source, target = names[links["relation"]], table.rows(links["source"]), table.rows(links["target"])
    both = (kind == 2) & (source >= 0) & (target >= 0)
    held = np.concatenate([target[(kind == 1) & (target >= 0)], target[both], source[both]])
    table.columns["protected"][: len(table)] = np.bincount(held, minlength=len(table))


def _load_suggestions(connection: sqlite3.Connection, state: MindState) -> None:
    state.pairs = Pairs(connection.execute(sql("read_pairs")))
    state.dismissed = {(kind, codec.ids(ids)): facts for kind, ids, facts in connection.execute(sql("read_dismissed"))}


def _load_senses(connection: sqlite3.Connection, state: MindState) -> int:
    """What the mind knew of all it has read and used at the entry that is returned."""
    row = connection.execute(sql("read_meta"), ("senses",)).fetchone()
    if row is None:
        return 0
    senses = codec.senses(row[0])
    senses.give(state)
    return senses.seq


def _load_trash(connection: sqlite3.Connection, state: MindState) -> None:
    for row in connection.execute(sql("read_trash")):
        trashed = codec.trashed(row[-1])
        state.trash[trashed.id] = trashed


def _recover(connection: sqlite3.Connection, state: MindState, sensed: int) -> None:
    """Hot entries after the last checkpoint, each folded into just those rows that do not have it yet."""
    seq = state.seq
    for row in connection.execute(sql("read_hot_entries"), (_meta(connection, "checkpoint"),)):
        _fold_where_missing(state, codec.entry(*row), sensed)
    state.seq = seq


def _fold_where_missing(state: MindState, entry: Entry, sensed: int) -> None:
    """What the mind learns from an entry as a whole, it learns if it is later than `sensed`."""
    new = entry.seq > sensed
    match entry.change:
        case Access(at, ids, newness):
            fold(state, Access(at, _behind(state, entry.seq, ids), newness if new else ()), entry.seq)
        case Touch(at, ids):
            behind = _behind(state, entry.seq, ids)
            fold(state, Touch(at, behind, newness=entry.change.newness if new else ()), entry.seq)
        case Appraise() if new:
            fold(state, entry.change, entry.seq)
        case Traverse(at, ids):
            fold(state, Traverse(at, _behind(state, entry.seq, ids)), entry.seq)
        case WriteDown():
            missing = np.flatnonzero(_missing(state, entry.seq, entry.change.ids))
            fold(state, entry.change.only(missing.tolist()), entry.seq)
        case Enqueue() | Settle() | SetAside() | Requeue():
            fold(state, entry.change, entry.seq)
        case Scan(at, ranges, number, count):
            if task := state.tasks.get(number):
                state.tasks[number] = replace(task, scanned=task.scanned + ranges, passed=task.passed + count)
            every = np.sort(state.table.columns["id"][: len(state.table)])
            behind = _behind(state, entry.seq, tuple(every[within(every, ranges)].tolist()))
            fold(state, Scan(at, ranges_of(np.array(behind, np.int64), every)), entry.seq)


def _behind(state: MindState, seq: int, ids: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(np.asarray(ids)[_missing(state, seq, ids)].tolist())


def _missing(state: MindState, seq: int, ids: tuple[int, ...]) -> Column:
    rows = state.table.rows(ids)
    missing: Column = (rows >= 0) & (state.table.columns["version"][rows] < seq)
    return missing


def _meta(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute(sql("read_meta"), (name,)).fetchone()
    return int(row[0]) if row else 0


def _moment(connection: sqlite3.Connection, name: str) -> float | None:
    row = connection.execute(sql("read_meta"), (name,)).fetchone()
    return float(row[0]) if row else None


def _ids(connection: sqlite3.Connection, name: str) -> list[int]:
    row = connection.execute(sql("read_meta"), (name,)).fetchone()
    return [int(part) for part in row[0].split()] if row else []
