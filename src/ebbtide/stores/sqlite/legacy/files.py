"""Older files into the folders of minds and back out. The file that is copied is never written to."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ebbtide.core.errors import Conflict, StoreUnreadable
from ebbtide.stores.sqlite.connection import named_errors
from ebbtide.stores.sqlite.legacy.report import Progress, Takeover
from ebbtide.stores.sqlite.legacy.rollback import Since, roll_back
from ebbtide.stores.sqlite.legacy.takeover import take_over
from ebbtide.stores.sqlite.lock import MindLock
from ebbtide.stores.sqlite.store import FILE

_UNFINISHED = "adopting.db"  # takes the name of a mind's file only when it is one
_MAGIC = b"SQLite format 3\0"


def adopt_file(
    folder: Path, file: Path, at: float, metabolism: str, params: Mapping[str, Any], progress: Progress | None = None
) -> Takeover:
    """Take a copy of `file` over as the mind of this folder, which must not have one yet.

    If that fails the folder is as it was, or not there at all.
    """
    _require_database(file)
    _require_no_mind(folder)
    with _prepared(folder):
        _require_no_mind(folder)  # another process may have been quicker
        unfinished = folder / _UNFINISHED
        _remove(unfinished)  # what an adoption that was cut off left behind
        try:
            _copy(file, unfinished)
            done = take_over(unfinished, at, metabolism, params, progress)
            unfinished.replace(folder / FILE)
        finally:
            _remove(unfinished)
    return done


def give_back(folder: Path, file: Path, keep_new: bool | None) -> Since:
    """Write the mind's file, rolled back, to `file`, which must not exist yet. The mind stays as it is."""
    if file.exists():
        raise Conflict(problem=f"{file} exists already: choose another name")
    with named_errors(file), TemporaryDirectory(prefix=".ebbtide-", dir=file.absolute().parent) as aside:
        copy = Path(aside) / file.name
        lock = MindLock(folder)
        try:
            _copy(folder / FILE, copy)
        finally:
            lock.release()
        since = roll_back(copy, keep_new)
        copy.replace(file)
    return since


def _require_database(file: Path) -> None:
    with named_errors(file), file.open("rb") as opened:
        start = opened.read(len(_MAGIC))
    if start not in (_MAGIC, b""):
        raise StoreUnreadable(path=file, detail="it is not an SQLite database")


def _require_no_mind(folder: Path) -> None:
    if (folder / FILE).exists():
        raise Conflict(problem=f"the mind {folder.name!r} exists already: an older file is taken over into a new one")


def _copy(source: Path, target: Path) -> None:
    with named_errors(source), closing(_reader(source)) as here:
        _begin(here, source)
        with named_errors(target), closing(sqlite3.connect(target)) as there:
            here.backup(there)


def _begin(reader: sqlite3.Connection, source: Path) -> None:
    """From this first read on nobody can change what we see."""
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
            raise
        detail = "its last transaction was cut off: let its own program open it once, or adopt a repaired copy"
        raise StoreUnreadable(path=source, detail=detail) from error


def _reader(source: Path) -> sqlite3.Connection:
    """A reader leaves a log beside the file alone; where there is none, only a writer tidies up its own."""
    has_log = any(source.with_name(source.name + end).exists() for end in ("-wal", "-journal"))
    uri = f"{source.absolute().as_uri()}?mode={'ro' if has_log else 'rw'}"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


@contextmanager
def _prepared(folder: Path) -> Iterator[None]:
    """The folder, locked. What had to be made for it goes again if the work fails."""
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    with named_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = MindLock(folder)
    try:
        yield
    except BaseException:
        if folder in made:
            lock.remove()
        raise
    finally:
        lock.release()
        for parent in made:
            with suppress(OSError):  # not empty: the work went well
                parent.rmdir()


def _remove(database: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        database.with_name(database.name + end).unlink(missing_ok=True)
