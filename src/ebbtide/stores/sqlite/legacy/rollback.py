"""Giving an older file back, in one transaction: Ebbtide's tables go, the older table is again what it was.

What came since the takeover is never dropped unasked. Kept, it is written the way the file writes such things.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from ebbtide.core.counted import counted
from ebbtide.core.errors import Conflict
from ebbtide.stores.sqlite.connection import named_errors, transaction
from ebbtide.stores.sqlite.legacy.former import Former, quoted
from ebbtide.stores.sqlite.legacy.since import Edits, find_edits
from ebbtide.stores.sqlite.legacy.takeover import open_file
from ebbtide.stores.sqlite.schema import migrate


@dataclass(frozen=True, slots=True)
class Since:
    """How many memories came, changed, went or got other links since the takeover, and how many are still to come."""

    put: int = 0
    changed: int = 0
    forgotten: int = 0
    relinked: int = 0
    waiting: int = 0

    def __bool__(self) -> bool:
        return any(astuple(self))


def roll_back(path: Path, keep_new: bool | None = None) -> Since:
    """Make the file at `path` an older one again, the table and its indexes as they were.

    If memories came, changed or went since, `keep_new` must say what becomes of that: True writes it into the
    older table, False leaves it out; None raises Conflict. The file does not shrink by itself: VACUUM does that.
    """
    with named_errors(path), closing(open_file(path)) as connection:
        former = Former.read(connection)
        migrate(connection, path)
        connection.execute("PRAGMA secure_delete = ON")  # what is dropped is not to linger in unused pages
        with transaction(connection):
            edits = find_edits(connection)
            since = Since(len(edits.inserts), edits.changed, len(edits.deletes), edits.relinked, edits.waiting)
            if since and keep_new is None:
                raise Conflict(problem=_question(since))
            if since.waiting and keep_new:
                waiting = f"what the mind is yet to remember is in {counted(since.waiting, 'task')} of its queue"
                raise Conflict(problem=f"{waiting}: let it work the queue off first, or leave out all that is new")
            former.put_back(connection)
            if keep_new:
                _write(connection, quoted(former.table), edits)
        with suppress(sqlite3.OperationalError):  # somebody is looking: the mode is no part of what was promised
            connection.execute(f"PRAGMA journal_mode = {former.journal_mode}")
    return since


def _question(since: Since) -> str:
    happened = {
        "put": since.put,
        "changed": since.changed,
        "forgotten": since.forgotten,
        "linked otherwise": since.relinked,
        "waiting in the queue": since.waiting,
    }
    said = ", ".join(f"{count:,} {what}" for what, count in happened.items() if count)
    choice = "--keep-new writes that into the older table, --drop-new leaves it out"
    return f"memories have moved on since the takeover ({said}): {choice}"


def _write(connection: sqlite3.Connection, table: str, edits: Edits) -> None:
    try:
        connection.executemany(f"DELETE FROM {table} WHERE key = ?", [(key,) for key in edits.deletes])
        # Keys may have changed hands: nobody takes a new one before all have left their old ones.
        for i, (key, values) in enumerate(edits.updates):
            if "key" in values:
                connection.execute(f"UPDATE {table} SET key = ? WHERE key = ?", (_aside(i), key))
        for i, (key, values) in enumerate(edits.updates):
            names = ", ".join(f"{name} = ?" for name in values)
            holder = _aside(i) if "key" in values else key
            connection.execute(f"UPDATE {table} SET {names} WHERE key = ?", (*values.values(), holder))
        for row in edits.inserts:
            connection.execute(_insert(table, row), tuple(row.values()))
    except sqlite3.IntegrityError as error:
        problem = f"the older table does not take what came since ({error}): --drop-new leaves it out"
        raise Conflict(problem=problem) from error


def _aside(number: int) -> str:
    return f"\0 on its way {number}"  # no key of a memory can look like this


def _insert(table: str, names: Iterable[Any]) -> str:
    columns = list(names)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
