"""Files of the older system, as its programs left them."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.builders import BIRTH

AT = BIRTH  # the moment of the takeover
OLD = AT - 400 * 86400.0  # when the older rows were made

PLAIN = "CREATE TABLE memories (key TEXT, summary TEXT, text TEXT, meta TEXT, links TEXT, created_at)"
# What the older design asks for, with everything a grown file has around it.
GROWN = """
CREATE TABLE IF NOT EXISTS memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE, summary TEXT, text TEXT, -- what it says
  meta TEXT DEFAULT '{}', links TEXT DEFAULT '[]', created_at TEXT DEFAULT CURRENT_TIMESTAMP
);
ALTER TABLE memories ADD COLUMN score INTEGER DEFAULT 50 CHECK (score >= 0 AND score <= 100);
CREATE INDEX idx_memories_score ON memories(score);
CREATE INDEX [by created] ON memories(created_at) WHERE score > 10;
CREATE TABLE tags (memory TEXT REFERENCES memories(key) ON DELETE CASCADE, tag TEXT);
CREATE VIEW recent AS SELECT key, text FROM memories ORDER BY created_at DESC;
CREATE TABLE log (what TEXT);
CREATE TRIGGER noted AFTER INSERT ON memories BEGIN INSERT INTO log VALUES ('put ' || new.key); END;
PRAGMA user_version = 7;
PRAGMA application_id = 4711;
"""


def row(key: Any, text: Any = "some text", **given: Any) -> dict[str, Any]:
    """A row; `meta` and `links` that are not text are written as JSON."""
    full = {"summary": None, "meta": None, "links": None, "created_at": OLD, **given}
    for name in ("meta", "links"):
        if not isinstance(full[name], str | bytes | None):
            full[name] = json.dumps(full[name], ensure_ascii=False)
    return {"key": key, "text": text, **full}


def older_file(
    path: Path, rows: Iterable[Mapping[str, Any]], schema: str = PLAIN, *, wal: bool = False, last: str = ""
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(schema)
        for values in rows:
            names = ", ".join(values)
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO memories ({names}) VALUES ({marks})", tuple(values.values()))
        connection.executescript(last)
        connection.commit()
    return path


def dump(path: Path) -> list[str]:
    """Everything a file says: its schema to the letter, its rows, and the numbers in its header."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        header = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")]
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        return [*connection.iterdump(), f"{header} {mode}"]


def query(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())
