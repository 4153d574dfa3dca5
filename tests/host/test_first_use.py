"""The first use of a folder that is not there yet, by many at once."""

import asyncio
from contextlib import suppress
from pathlib import Path

from ebbtide.app import house
from ebbtide.core.errors import MindExists
from ebbtide.host.ownership import House
from ebbtide.settings import Settings


async def _use(minds: House, number: int) -> None:
    with suppress(MindExists):
        await minds.create("ada", "activity")
    async with minds.mind("ada") as mind:
        await mind.put(f"number {number}")


async def test_a_folder_that_many_make_at_once_is_owned_once(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", embedder="none")
    async with house(settings) as minds:
        await asyncio.gather(*(_use(minds, number) for number in range(10)))
        assert minds.owner
        async with minds.mind("ada") as mind:
            assert (await mind.stats()).store.memories == 10
