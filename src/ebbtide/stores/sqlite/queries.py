"""The statements of sql/queries.sql by name, and the few that depend on which columns a mind has."""

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

# Columns the tables keep; degrees are counted from the links when a mind is opened.
_DERIVED = ("in_degree", "out_degree", "protected")
_CONTENT = ("key", "text", "phrase", "keywords", "kind", "domain", "speaker")
_AT_BIRTH = ("id", "created_at", "last_accessed_at", "original_length", "length", "born", "state", "version")
# What NULL stands for. Every memory starts with these values, so a put does not write them: each one costs time.
_NULL_IS = {
    "last_linked_at": "-9e999",  # −infinity: a moment that never was
    "last_touched_at": "-9e999",
    "exposed_at": "-9e999",
    "pruned_at": "-9e999",
    "use_long": "0.0",
    "use_short": "0.0",
    "prior": "-1.0",
    "superseded": "0.0",
    "superseded_by": "0",
}


@cache
def sql(name: str) -> str:
    return _named()[name]


@cache
def _named() -> dict[str, str]:
    text = resources.files("ebbtide.stores.sqlite").joinpath("sql/queries.sql").read_text("utf-8")
    parts = re.split(r"^-- name: (\w+)\n", text, flags=re.MULTILINE)
    return {name: body.split(";", 1)[0] for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def stored(columns: Sequence[str]) -> list[str]:
    return [name for name in columns if name not in _DERIVED]


def births(own: Sequence[str]) -> list[str]:
    """The columns a new memory's row is born with, in the order `insert_memory` takes them; others default."""
    return [*_CONTENT, *_AT_BIRTH, *own_at_birth(own)]


def own_at_birth(own: Sequence[str]) -> list[str]:
    """A metabolism's columns that a new memory has a value in."""
    return [name for name in stored(own) if name not in _NULL_IS]


def insert_memory(names: Sequence[str]) -> str:
    return f"INSERT INTO memories ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def update_row(names: Sequence[str]) -> str:
    return f"UPDATE memories SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?"


def read_rows(names: Sequence[str]) -> str:
    """All rows of these columns, with what NULL stands for."""
    wanted = [f"ifnull({n}, {_NULL_IS[n]})" if n in _NULL_IS else n for n in names]
    return f"SELECT {', '.join(wanted)} FROM memories ORDER BY id"
