"""A crash between any two steps (N2, N6, C2): nothing is lost, nothing is doubled."""

import asyncio
import inspect
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from ebbtide.core.changes import Enqueue, PutMemory, Settle
from ebbtide.core.ports import SmallModel, Store
from ebbtide.mind import Mind, cycle
from ebbtide.mind.network import NetworkLife
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import batch, configured, everything, store_of
from tests.scripted_model import ScriptedModel, links, network_in_ram, network_life, network_mind, said


async def on_disk(folder: Path, durability: Any = "normal", model: SmallModel | None = None, **params: Any) -> Mind:
    store = SqliteStore(folder, durability)
    if not store.seq:
        await store.apply(batch(configured("network", **params)))
    return network_mind(store, model)


class Gate:
    """Counts the moments at which something is awaited; at one of them it never opens."""

    def __init__(self, stop_at: int = 0) -> None:
        self.count = 0
        self.reached = asyncio.Event()
        self._stop_at = stop_at

    async def step(self) -> None:
        self.count += 1
        if self.count == self._stop_at:
            self.reached.set()
            await asyncio.Event().wait()


class Gated:
    """Somebody whose every call is awaited before and after."""

    def __init__(self, inner: Any, gate: Gate) -> None:
        self._inner = inner
        self._gate = gate

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def through(*args: Any, **named: Any) -> Any:
            await self._gate.step()
            result = await found(*args, **named)
            await self._gate.step()
            return result

        return through


CONVERSATION = (
    "Ada met Bo by the old harbour wall | they spoke about boats and the weather",
    "Cy came late",
    "Di and Ed | Flo wrote a long letter to nobody in particular",
    "Gus slept | Ada woke him",
)


@dataclass
class Living:
    """A client that tells its story step by step and knows how far it got."""

    story: list[str] = field(default_factory=lambda: list(CONVERSATION))
    acknowledged: list[str] = field(default_factory=list)

    async def go_on(self, life: NetworkLife) -> None:
        while self.story:
            await life.remember(said(self.story[0]))
            self.acknowledged.append(self.story.pop(0))
            await life.idle()
            await life.compress(lambda: False)

    async def again(self, life: NetworkLife, store: Store) -> None:
        """After a crash: what was under way is asked for once more if it never arrived."""
        await life.idle()
        await life.compress(lambda: False)
        if self.story and self.story[0] in await enqueued(store):
            self.story.pop(0)
        await self.go_on(life)


async def enqueued(store: Store) -> list[str]:
    changes = [entry.change for entry in await store.journal(limit=100_000)]
    return [c.messages[0].content for c in changes if isinstance(c, Enqueue) and c.messages]


async def outcome(mind: Mind) -> Any:
    """The mind without ids and keys, which a crash may skip."""
    rows = [(m.text, m.kind, m.meta.scan_count, m.meta.original_length, m.vitality) for m in await everything(mind)]
    return rows, await links(mind), await mind.focus(), len(await mind.queue()), len(await mind.traces())


async def assert_nothing_doubled(mind: Mind) -> None:
    changes = [entry.change async for entry in mind.entries()]
    made = sorted(c.content.text for c in changes if isinstance(c, PutMemory) and c.content.kind == "segment")
    assert made == sorted(part.strip() for content in CONVERSATION for part in content.split("|"))
    settled = [c.task for c in changes if isinstance(c, Settle)]
    assert len(settled) == len(set(settled)) == sum(isinstance(c, Enqueue) for c in changes)


def gated_life(store: Store, gate: Gate) -> NetworkLife:
    return network_life(cast(Store, Gated(store, gate)), cast(SmallModel, Gated(ScriptedModel(), gate)))


async def crash(store: Store, gate: Gate, client: Living) -> bool:
    """Live until the gate stops everything; False if the story ended before."""
    life = gated_life(store, gate)
    going, reached = asyncio.ensure_future(client.go_on(life)), asyncio.ensure_future(gate.reached.wait())
    await asyncio.wait([going, reached], return_when=asyncio.FIRST_COMPLETED)
    crashed = gate.reached.is_set()
    for task in (going, reached):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await life.close()
    return crashed


PARAMS: dict[str, Any] = {"focus_limit": 2, "decay_rate": 0.8}


@pytest.mark.slow
@pytest.mark.parametrize(("chunk", "every"), [(1, 1), (256, 3)])
async def test_a_crash_between_any_two_steps_neither_loses_nor_doubles(
    chunk: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`chunk`: how many memories a cycle works on between two commits."""
    monkeypatch.setattr(cycle, "_CHUNK", chunk)
    whole = await network_in_ram(**PARAMS)
    gate = Gate()
    await crash(store_of(whole), gate, Living())
    expected = await outcome(whole)
    assert gate.count > 200
    for stop_at in range(1, gate.count + 1, every):
        mind, client = await network_in_ram(**PARAMS), Living()
        store = store_of(mind)
        assert await crash(store, Gate(stop_at), client)
        acknowledged = list(client.acknowledged)
        assert await enqueued(store) in (acknowledged, [*acknowledged, *CONVERSATION[len(acknowledged) :][:1]])
        next_life = network_life(store)
        await client.again(next_life, store)
        await next_life.close()
        assert await outcome(mind) == expected, stop_at
        await assert_nothing_doubled(mind)
        if stop_at % 8 == 1:
            assert await mind.check() == [], stop_at


@pytest.mark.slow
async def test_nor_does_one_that_leaves_only_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycle, "_CHUNK", 1)
    whole = await on_disk(tmp_path / "whole", **PARAMS)
    gate = Gate()
    await crash(store_of(whole), gate, Living())
    expected = await outcome(whole)
    await whole.close()
    for stop_at in range(1, gate.count + 1, 11):
        mind, client = await on_disk(tmp_path / f"{stop_at}", **PARAMS), Living()
        await crash(store_of(mind), Gate(stop_at), client)
        shutil.copytree(tmp_path / f"{stop_at}", tmp_path / f"{stop_at}-after")
        await mind.close()
        left = await on_disk(tmp_path / f"{stop_at}-after")
        life = network_life(store_of(left))
        await client.again(life, store_of(left))
        await life.close()
        assert await outcome(left) == expected, stop_at
        await assert_nothing_doubled(left)
        assert await left.check() == []
        await left.close()
