"""Every store there is, by name. What a test asks of `store` it asks of all of them; of `shelf`, of those on disk."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ebbtide.core.ports import Store
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore

ON_DISK = ("sqlite-normal", "sqlite-full")


class Shelf:
    """A store on disk that can be closed and opened again."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder = folder
        self._kind = kind
        self.store: Store = self._open()

    async def reopen(self) -> Store:
        await self.store.close()
        self.store = self._open()
        return self.store

    def _open(self) -> Store:
        return SqliteStore(self.folder, "full" if self._kind == "sqlite-full" else "normal")


@pytest.fixture(params=["memory", *ON_DISK])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened = MemoryStore() if request.param == "memory" else Shelf(tmp_path / "mind", request.param).store
    yield opened
    await opened.close()


@pytest.fixture(params=ON_DISK)
async def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path / "mind", request.param)
    yield shelf
    await shelf.store.close()
