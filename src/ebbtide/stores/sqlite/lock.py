"""One process per mind. The lock belongs to the operating system: a process that dies gives it back."""

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ebbtide.core.errors import MindBusy


class MindLock:
    def __init__(self, folder: Path) -> None:
        self._lock = FileLock(folder / "lock", thread_local=False)
        self._owner = folder / "owner"
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise MindBusy(agent=folder.name, owner=self._who()) from None
        with suppress(OSError):  # who holds it is a courtesy: a full disk must not keep anybody from reading
            self._owner.write_text(str(os.getpid()), "utf-8")

    def release(self) -> None:
        self._owner.unlink(missing_ok=True)
        self._lock.release()

    def remove(self) -> None:
        """The lock's own file goes too, while it is still held: for a folder that is about to go."""
        with suppress(OSError):  # some systems do not let go of a file that is open
            Path(self._lock.lock_file).unlink()

    def _who(self) -> str:
        try:
            return f" (process {int(self._owner.read_text('utf-8'))})"
        except (OSError, ValueError):
            return ""
