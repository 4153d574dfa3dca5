"""The embedded store."""

from ebbtide.stores.sqlite.store import FILE, SqliteStore

__all__ = ["FILE", "SqliteStore"]
