"""The write-ahead log. A thread copies it back into the file, so that hardly any commit has to wait for that."""

import sqlite3
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress

from ebbtide.stores.sqlite.writer import Statement

# Pages the log may hold before a commit must copy them back itself. Under steady load the thread never gets to the
# end of the log, and this is what keeps it from growing for ever.
LONGEST = 16_000
_COPY_AFTER = 4_000


class Log:
    def __init__(self, connection: sqlite3.Connection, threads: Executor) -> None:
        """The connection is for this alone: whoever shared it would wait for the disk too."""
        self._connection = connection
        self._threads = threads
        self._pages = 0
        self._copying: Future[None] | None = None

    def grew(self, statements: Sequence[Statement]) -> None:
        """A commit writes a few pages anew, a large one a page for every few rows; a guess is good enough."""
        self._pages += 4 + sum(len(statement.rows) for statement in statements) // 8
        if self._pages >= _COPY_AFTER and (self._copying is None or self._copying.done()):
            self._pages = 0
            self._copying = self._threads.submit(self._copy_back)

    def _copy_back(self) -> None:
        # Nothing depends on it. If it fails now, some commit will try again and say so if that fails too.
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
