"""Fifty clients at one server: no error, nothing acknowledged is lost, and its memory stays what it was.

`python -m bench.serve_load` does the same with two hundred of them for a minute.
"""

import asyncio
import os
from pathlib import Path

import pytest

from bench.serve_load import load, lost, prepare, serving
from ebbtide.host.ownership import CARD

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="reads /proc, and speaks of signals")]


async def test_nothing_fails_and_nothing_is_lost_under_load(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page") as server:
        await prepare(server, conversations=5)
        done = await load(server, clients=50, seconds=10)
        assert await server.stop() == 0
    assert done.errors == {}
    assert done.ticks > 0
    assert len(done.told) > 20
    assert min(map(len, done.latencies.values())) > 20
    assert done.memory[-1] < 1.5 * done.memory[len(done.memory) // 3]
    assert await lost(tmp_path, done.told) == []


async def test_every_acknowledged_conversation_is_there_after_a_stop_in_the_middle(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page") as server:
        await prepare(server, conversations=5)
        running = asyncio.create_task(load(server, clients=50, seconds=60, until_gone=True))
        await asyncio.sleep(3)
        assert await server.stop() == 0
        done = await running
    assert done.errors == {}  # who was let in was answered
    assert not (tmp_path / CARD).exists()
    assert done.told
    assert await lost(tmp_path, done.told) == []
