"""Numbered migrations, each in one transaction with the version it leads to."""

import sqlite3
from contextlib import closing
from importlib import resources
from pathlib import Path

from ebbtide.core.errors import StoreDamaged, StoreUnreadable
from ebbtide.stores.sqlite.connection import transaction

APPLICATION_ID = 0x45424254  # "EBBT": says whose file this is
_MIGRATIONS = ("0001_mind.sql", "0002_search.sql", "0003_pin.sql", "0004_tide.sql", "0005_speaker.sql")
VERSION = len(_MIGRATIONS)


def make(path: Path) -> None:
    """A new file, built under another name first: one that bears its name is whole, whatever happens meanwhile."""
    if path.with_name(f"{path.name}-wal").exists():
        raise StoreDamaged(path=path, detail="the file is gone, but its log is still there")
    new = path.with_name("new.db")
    new.unlink(missing_ok=True)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")  # leaves nothing but the file itself behind
        with transaction(connection):
            build(connection)
    new.replace(path)


def require_ours(path: Path) -> None:
    """Refuse another program's file before SQLite opens it our way, which would change it."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        raise StoreDamaged(path=path, detail="there is nothing in it")
    if header.startswith(b"SQLite format 3\0") and header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            raise StoreUnreadable(path=path, detail=_foreign(connection))


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file to the present version. A file of a later Ebbtide is refused."""
    version = _pragma(connection, "user_version")
    if version > VERSION:
        detail = f"it was written by a later Ebbtide (format {version}, this one knows {VERSION}): update Ebbtide"
        raise StoreUnreadable(path=path, detail=detail)
    for number in range(version + 1, VERSION + 1):
        with transaction(connection):
            run_migration(connection, number)


def build(connection: sqlite3.Connection) -> None:
    """All of the present schema at once, in the transaction that is open."""
    for number in range(1, VERSION + 1):
        run_migration(connection, number)


def run_migration(connection: sqlite3.Connection, number: int) -> None:
    for statement in statements(number):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def statements(number: int) -> list[str]:
    """The statements of one migration. `executescript` would commit on its own; this stays in our transaction."""
    folder = resources.files("ebbtide.stores.sqlite").joinpath("sql")
    text = folder.joinpath(_MIGRATIONS[number - 1]).read_text("utf-8")
    found, pending = [], ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found


def is_legacy(connection: sqlite3.Connection) -> bool:
    """A file with the older `memories(key, summary, text, meta, links, created_at)` table."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(memories)")}
    return {"key", "summary", "text", "meta", "links", "created_at"} <= columns


def _foreign(connection: sqlite3.Connection) -> str:
    if is_legacy(connection):
        return "it holds an older `memories` table: `ebbtide adopt FILE` takes it over"
    return "it is the database of another program"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
