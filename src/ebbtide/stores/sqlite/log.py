"""The write-ahead log. A thread copies it back into the file, so that hardly any commit has to wait for that."""

import sqlite3
from concurrent.futures import Executor, Future
from contextlib import suppress

LONGEST = 16_000  # pages the log may hold before a commit copies them back by itself, come what may
_COPY_AFTER = 4_000


class Log:
    def __init__(self, writer: sqlite3.Connection, copier: sqlite3.Connection, threads: Executor) -> None:
        """The copier is for this alone: whoever shared it would wait for the disk too."""
        self._writer = writer
        self._copier = copier
        self._threads = threads
        self._pages = 0
        self._copying: Future[None] | None = None

    def grew(self, rows: int) -> None:
        """A commit writes a few pages anew, a large one a page for every few rows; a guess is good enough."""
        self._pages += 4 + rows // 8
        if self._copying is None and self._pages >= _COPY_AFTER:
            self._pages = 0
            self._copying = self._threads.submit(_copy_back, self._copier)
        elif self._copying is not None and self._copying.done():
            # Only what came meanwhile is left. With that copied too, and nobody writing, the log begins anew.
            self._copying = None
            _copy_back(self._writer)


def _copy_back(connection: sqlite3.Connection) -> None:
    # Nothing depends on it. If it fails now, some commit will try again and say so if that fails too.
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
