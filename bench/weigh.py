"""Opens the mind in a folder in a process of its own and prints by how many bytes that made the process grow."""

import os
import sys
from pathlib import Path

from ebbtide.stores.sqlite import SqliteStore


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    before = resident()
    store = SqliteStore(Path(sys.argv[1]))
    print(resident() - before)
