"""A shelf that is a folder of this machine."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ebbtide.core.errors import ArchiveUnreachable, StoreFull
from ebbtide.stores.archive.shelf import NO_ROOM

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


class Folder:
    def __init__(self, root: Path) -> None:
        from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

        self._files = LocalFileSystem(skip_instance_cache=True)
        self.root = root.expanduser().absolute().as_posix()

    def shown(self, path: str) -> str:
        return path

    def files(self, folder: str) -> list[tuple[str, int]]:
        with self._named_errors():
            if not Path(folder).exists():
                return []
            return [
                (found["name"], found["size"])
                for found in self._files.ls(folder, detail=True)
                if found["type"] == "file"
            ]

    def read(self, path: str) -> bytes:
        with self._named_errors():
            return bytes(self._files.cat_file(path))

    def write_new(self, path: str, body: bytes) -> bool:
        """First under another name: what stands under its own is on disk as a whole."""
        with self._named_errors():
            target = Path(path)
            _make(target.parent)
            draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
            try:
                _write(draft, body)
                return _publish(draft, target)
            finally:
                draft.unlink(missing_ok=True)
                _sync(target.parent)

    def close(self) -> None:
        """It holds nothing."""

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            detail = error.strerror or type(error).__name__
            if error.errno in NO_ROOM:
                raise StoreFull(path=self.root, detail=detail) from error
            raise ArchiveUnreachable(archive=self.root, detail=detail) from error


def _write(path: Path, body: bytes) -> None:
    with path.open("xb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())


def _publish(draft: Path, target: Path) -> bool:
    """A hard link never replaces anything; where there is no such thing, we have to look first."""
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if target.exists():
            return False
        draft.replace(target)
    return True


def _make(folder: Path) -> None:
    """With all folders above it, each on disk as an entry of the next."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
