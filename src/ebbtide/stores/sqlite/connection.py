"""SQLite connections, transactions, and its errors under the names Ebbtide gives them."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path

from ebbtide.core.errors import StoreDamaged, StoreError, StoreFull, StoreUnreadable
from ebbtide.stores.sqlite import log
from ebbtide.stores.sqlite.codec import GARBLED
from ebbtide.stores.sqlite.writer import Statement

_STRIP = 50  # rows in one insert: far fewer calls than one for each
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# Text that is none is Python's own finding, without a code; a table or column of ours can only be gone by damage.
_SIGNS_OF_DAMAGE = ("decode to UTF-8", "no such table", "no such column")
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def connect(path: Path, durability: str) -> sqlite3.Connection:
    """Autocommit, so that transactions begin and end where we say."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {durability.upper()}")
    connection.execute("PRAGMA busy_timeout = 5000")
    connection.execute(f"PRAGMA wal_autocheckpoint = {log.LONGEST}")
    return connection


def write(connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
    """All of it in one transaction, or none."""
    if len(statements) == 1 and len(statements[0].rows) == 1:  # a single insert is a transaction by itself
        connection.execute(statements[0].sql, statements[0].rows[0])
    elif statements:
        connection.execute("BEGIN IMMEDIATE")  # `transaction` without its price: every put passes here
        try:
            run(connection, statements)
            connection.execute("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise


def run(connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
    """In the transaction that is open."""
    for text, rows in statements:
        if len(rows) == 1:
            connection.execute(text, rows[0])
            continue
        strips = len(rows) // _STRIP * _STRIP if (wide := _widened(text)) else 0
        for first in range(0, strips, _STRIP):
            connection.execute(wide, list(chain.from_iterable(rows[first : first + _STRIP])))
        connection.executemany(text, rows[strips:])


@cache
def _widened(text: str) -> str:
    """A plain insert, for a strip of rows at once; empty for any other statement."""
    head, values, places = text.rpartition("VALUES ")
    is_plain = head.startswith("INSERT") and set(places) <= set("(?, )")
    return f"{head}{values}{', '.join([places] * _STRIP)}" if is_plain else ""


def shrink(connection: sqlite3.Connection) -> None:
    """The file anew, without the room of what was dropped, so that no byte of that is left in it or in its log.

    A transaction like any other: a crash leaves the file as it was. Others may read meanwhile.
    """
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """The writer from the first moment; whatever goes wrong inside, it never was."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _named(error, path) from error
    except OSError as error:
        raise StoreUnreadable(path=path, detail=error.strerror or str(error)) from error
    except GARBLED as error:
        raise StoreDamaged(path=path, detail=f"what is written there makes no sense: {error}") from error


def _named(error: sqlite3.Error, path: Path) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGED or any(sign in str(error) for sign in _SIGNS_OF_DAMAGE):
        return StoreDamaged(path=path, detail=error)
    if code in _NO_ROOM:
        return StoreFull(path=path, detail=error)
    return StoreUnreadable(path=path, detail=error)
