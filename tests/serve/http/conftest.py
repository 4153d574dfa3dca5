from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.serve.http.server import Api, serving


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """An activity mind that knows of a ferry and where it goes."""
    async with serving(tmp_path / "data") as api:
        await api.put("ferry", "The ferry to Lamma leaves at 8:40.", keywords=["travel"])
        await api.put("lamma", "Lamma is an island.")
        yield api


@pytest.fixture
async def network(tmp_path: Path) -> AsyncIterator[Api]:
    async with serving(tmp_path / "network", "network") as api:
        yield api


@pytest.fixture
async def retention(tmp_path: Path) -> AsyncIterator[Api]:
    async with serving(tmp_path / "retention", "retention") as api:
        yield api
