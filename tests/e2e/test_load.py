"""Fifty clients at one server: no error, nothing acknowledged is lost, and its memory stays what it was.

`python -m bench.serve_load` does the same with two hundred of them for a minute.
"""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bench.serve_load import MINDS, load, lost, prepare, serving
from ebbtide.host.card import CARD

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="reads /proc, and speaks of signals")]

TOLD = "SELECT count(*) FROM journal WHERE kind = 'enqueue' AND body LIKE '%mark-%'"


async def test_nothing_fails_and_nothing_is_lost_under_load(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page") as server:
        await prepare(server, conversations=5)
        warm = await load(server, clients=50, seconds=4)
        done = await load(server, clients=50, seconds=10)
        assert await server.stop() == 0
    assert warm.errors == done.errors == {}
    assert done.ticks > 0
    assert done.told
    assert all(done.latencies.values())  # every verb was answered
    assert done.memory[-1] < 1.25 * warm.memory[-1]
    assert await lost(tmp_path, warm.told | done.told) == []


async def told_in(mind: Path, count: int) -> None:
    """Until so many conversations of the load are in its journal."""
    with closing(sqlite3.connect(mind / "mind.db")) as reader:
        async with asyncio.timeout(60):
            while reader.execute(TOLD).fetchone()[0] < count:  # noqa: ASYNC110 — nobody tells when they are
                await asyncio.sleep(0.05)


async def test_every_acknowledged_conversation_is_there_after_a_stop_in_the_middle(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page") as server:
        await prepare(server, conversations=5)
        running = asyncio.create_task(load(server, clients=50, seconds=60, until_gone=True))
        await told_in(tmp_path / MINDS[0], 20)  # by a quarter of the fifty, one after another: some were acknowledged
        assert await server.stop() == 0
        done = await running
    assert done.errors == {}  # who was let in was answered
    assert not (tmp_path / CARD).exists()
    assert done.told
    assert await lost(tmp_path, done.told) == []
