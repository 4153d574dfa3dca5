"""Many at once on one mind, while it is told things and fades: whatever they do to each other, the journal is true."""

import asyncio
import logging
import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.ports import Distilled
from ebbtide.host import Host
from ebbtide.mind import Mind
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import Deed, FakeClock, everything, perform, store_of
from tests.scripted_model import ScriptedModel, said, settle

WORDS = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "sails", "by the old wall", "|")
CALLS = (
    *("remember", "remember", "remember", "recall", "put", "put over", "put_many", "forget", "restore", "revert"),
    *("link", "merge", "compress", "fade", "get", "follow", "explain", "traces", "tick", "configure", "replay"),
)


class Dawdling(ScriptedModel):
    """Takes a moment, and sometimes breaks."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    async def distil(self, segment: str) -> Distilled:
        for _ in range(self._chance.randrange(4)):
            await asyncio.sleep(0)
        return await super().distil(segment)

    async def compress(self, text: str, length: int) -> str:
        for _ in range(self._chance.randrange(3)):
            await asyncio.sleep(0)
        if self._chance.random() < 0.1:
            raise LookupError("a bug")
        return await super().compress(text, length)


def some_deed(chance: random.Random, keys: list[str], trash: list[str]) -> Deed:
    some = partial(chance.choice, keys or ["nobody"])
    sentence = " ".join(chance.choices(WORDS, k=chance.randrange(1, 9)))
    choices = {
        "remember": Deed("remember", (said(f"{sentence} then home"),)),
        "recall": Deed("recall", (), {"depth": chance.randrange(1, 5)}),
        "put": Deed("put", (sentence.strip("| ") or "nothing",)),
        "put over": Deed("put", ("something else",), {"key": some(), "replace": True}),
        "put_many": Deed("put_many", ([{"text": "a note"}] * chance.choice((1, 90)),)),
        "restore": Deed("restore", (chance.choice(trash or ["nobody"]),)),
        "link": Deed("link", (some(), some(), "knows", chance.random())),
        "merge": Deed("merge", (some(), some())),
        "compress": Deed("compress", (lambda: chance.random() < 0.3,)),
        "configure": Deed("configure", (), {"focus_limit": chance.choice((1, 2, 5))}),
        "replay": Deed("replay", (), {"params": {"decay_rate": 0.6}}),
    }
    call = chance.choice(CALLS)
    by_key = call in ("forget", "revert", "get", "follow", "explain")
    return choices.get(call) or Deed(call, (some(),) if by_key else ())


async def caller(mind: Mind, chance: random.Random) -> None:
    """Being refused is a part of life; any other error is a defect."""
    for _ in range(12):
        keys = [memory.key for memory in await everything(mind)]
        trash = [gone.key for gone in await mind.trash()]
        await perform(
            some_deed(chance, keys, trash), mind, FakeClock()
        )  # being refused is a part of life; anything else is a defect
        await asyncio.sleep(0)


def regime(chance: random.Random) -> dict[str, Any]:
    return {
        "focus_limit": chance.choice((1, 2, 5)),
        "decay_rate": chance.choice((0.5, 0.8, 0.97)),
        "time_slice": chance.choice((1, 30_000)),
        "traces": chance.choice(("keep", "sweep")),
        "node_pool": chance.choice((0, 0, 4, 12)),
        "scan_budget": chance.choice((0, 0, 3)),
        "basis": chance.choice(("original", "current")),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
async def test_a_crowd_leaves_a_mind_that_is_what_its_journal_says(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    params = regime(chance)
    opener: Any = partial(SqliteStore, durability="full" if seed % 2 else "normal")
    logging.getLogger("ebbtide").setLevel(logging.CRITICAL + 1)
    host = Host(tmp_path, opener, MemoryStore, FakeClock(), 64, lambda: Dawdling(chance))
    try:
        await host.create("ada", "network", params)
        async with host.mind("ada") as mind:
            await asyncio.gather(*(caller(mind, random.Random(100 * seed + number)) for number in range(6)))
            await settle(mind)
            await host.slices.idle()
            assert await mind.queue() == []
            assert await mind.check() == []
            if params["node_pool"]:
                assert len(await everything(mind)) <= params["node_pool"]
            left = await store_of(mind).snapshot()
    finally:
        await host.close()
        logging.getLogger("ebbtide").setLevel(logging.NOTSET)
    store = SqliteStore(tmp_path / "ada")
    assert replace(await store.snapshot(), seq=left.seq) == left
    await store.close()
