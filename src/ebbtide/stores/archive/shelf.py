"""What an archive needs of a place for its files."""

import errno
from typing import Protocol

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Shelf(Protocol):
    """A place for files that are written once. Every call waits for disk or net; paths start with `root`."""

    root: str

    def shown(self, path: str) -> str:
        """The path as people would type it."""
        ...

    def files(self, folder: str) -> list[tuple[str, int]]:
        """Paths and sizes; none in a folder that is not there."""
        ...

    def read(self, path: str) -> bytes: ...

    def write_new(self, path: str, body: bytes) -> bool:
        """Durable when it returns. False, and nothing changed, if there is such a file."""
        ...

    def close(self) -> None: ...
