"""What a file was before it was taken over, kept in the file itself, so that it can become that again to the letter.

Renaming a table also rewrites the texts of its schema (quoting the name), and of every index, trigger and view
that speaks of it. So the former texts are kept, and put back wherever nobody has altered them since.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from ebbtide.core.errors import Conflict, StoreUnreadable
from ebbtide.stores.sqlite.queries import sql
from ebbtide.stores.sqlite.schema import build, is_legacy

LEGACY = "legacy_memories"
_META = "legacy"
_PRAGMAS = ("user_version", "application_id")
_STATISTICS = ("sqlite_stat1", "sqlite_stat4")


class Text(msgspec.Struct, frozen=True):
    """The statement that makes a table, index, trigger or view: before the renaming and after it."""

    type: str
    name: str
    before: str
    after: str


class Former(msgspec.Struct, frozen=True):
    table: str  # its name as the file spells it
    pragmas: dict[str, int]
    journal_mode: str
    texts: list[Text]

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> "Former":
        """What was kept. Raises Conflict if this file was never taken over."""
        if {LEGACY, "meta"} <= _names(connection).keys():
            row = connection.execute(sql("read_meta"), (_META,)).fetchone()
            if row is not None:
                return msgspec.json.decode(row[0], type=cls)
        raise Conflict(problem="this mind was not taken over from an older file: there is nothing to go back to")

    def keep(self, connection: sqlite3.Connection) -> None:
        connection.execute(sql("write_meta"), (_META, msgspec.json.encode(self).decode()))

    def put_back(self, connection: sqlite3.Connection) -> None:
        """Ebbtide's tables go, the older one gets its name again, and all is spelled as it was."""
        now = _texts(connection)
        unaltered = [t for t in self.texts if now.get((t.type, self._name_now(t.name))) == t.after]
        _drop_ours(connection)
        _rename(connection, LEGACY, self.table)
        _respell(connection, [text for text in unaltered if text.before != text.after])
        for name, value in self.pragmas.items():
            connection.execute(f"PRAGMA {name} = {value}")

    def _name_now(self, name: str) -> str:
        return LEGACY if name == self.table else name


def step_aside(connection: sqlite3.Connection, path: Path) -> Former:
    """Give the older table its new name. Returns what the file was."""
    table = _require_adoptable(connection, path)
    before = _texts(connection)
    pragmas = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PRAGMAS}
    journal_mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    _rename(connection, table, LEGACY)
    after = _texts(connection)
    texts = [
        Text(kind, name, text, after[kind, LEGACY if name == table else name]) for (kind, name), text in before.items()
    ]
    return Former(table, pragmas, journal_mode, texts)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _require_adoptable(connection: sqlite3.Connection, path: Path) -> str:
    """The older table's name, if the file has one, and if nothing stands where Ebbtide's tables must."""
    names = _names(connection)
    if LEGACY in names and "journal" in names:
        raise StoreUnreadable(path=path, detail="it was taken over already")
    if not is_legacy(connection) or not _is_table(connection):
        detail = "it has no table memories(key, summary, text, meta, links, created_at)"
        raise StoreUnreadable(path=path, detail=detail)
    taken = sorted((set(_ours()) | {LEGACY}) & names.keys() - {"memories"})
    if taken:
        detail = f"it has {', '.join(map(repr, taken))} where Ebbtide's own must stand: rename or drop it in a copy"
        raise StoreUnreadable(path=path, detail=detail)
    return names["memories"]


def _is_table(connection: sqlite3.Connection) -> bool:
    """Neither a view nor a virtual table: those have no pages of their own."""
    found = connection.execute("SELECT rootpage FROM sqlite_master WHERE lower(name) = 'memories'").fetchone()
    return bool(found and found[0])


def _names(connection: sqlite3.Connection) -> dict[str, str]:
    """Names are the same to SQLite whatever their case."""
    return {name.lower(): name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def _texts(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(kind, name): text for kind, name, text in rows}


def _ours() -> dict[str, str]:
    """What Ebbtide's schema is made of: name and type."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as scratch:
        build(scratch)
        return dict(scratch.execute("SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))


def _drop_ours(connection: sqlite3.Connection) -> None:
    """Views first: they look at the tables. Indexes go with theirs."""
    ours = _ours()
    for kind in ("view", "table"):
        for name in (name for name, its_kind in ours.items() if its_kind == kind):
            connection.execute(f"DROP {kind} IF EXISTS {quoted(name)}")


def _rename(connection: sqlite3.Connection, old: str, new: str) -> None:
    connection.execute(f"ALTER TABLE {quoted(old)} RENAME TO {quoted(new)}")
    for table in _statistics(connection):  # SQLite leaves the old name in there, and would drop it with the new table
        connection.execute(f"UPDATE {table} SET tbl = ? WHERE tbl = ?", (new, old))


def _statistics(connection: sqlite3.Connection) -> Iterator[str]:
    names = _names(connection)
    return (table for table in _STATISTICS if table in names)


def _respell(connection: sqlite3.Connection, texts: list[Text]) -> None:
    """The same schema in its former words. A SQLite that forbids this leaves it in words of the same meaning."""
    connection.execute("PRAGMA writable_schema = ON")
    try:
        for text in texts:
            update = "UPDATE sqlite_master SET sql = ? WHERE type = ? AND name = ?"
            connection.execute(update, (text.before, text.type, text.name))
    except sqlite3.OperationalError:
        pass
    finally:
        connection.execute("PRAGMA writable_schema = OFF")
