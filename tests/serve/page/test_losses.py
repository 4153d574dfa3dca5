"""What other parameters cost: exactly what is gone once they are applied and the mind is tidied."""

from typing import Any

import pytest

from ebbtide.core.memory import DAY
from ebbtide.serve.page.losses import Losses, losses
from tests.helpers import METABOLISMS, FakeClock, mind_in_ram


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_what_a_shorter_time_in_the_trash_costs_is_gone_after_a_tick(metabolism: str) -> None:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    for key in ("old", "older", "fresh"):
        await mind.put(f"The {key} one.", key=key)
    await mind.forget("old", "older")
    clock.forward(2 * DAY)
    await mind.forget("fresh")
    assert await losses(mind, {"trash_days": 1.0}) == Losses(gone=2, keeps=1.0)
    assert await losses(mind, {"trash_days": 60.0}) == Losses()
    await mind.configure(trash_days=1.0)
    assert (await mind.tick()).discarded == 2
    await mind.configure(trash_days=30.0)
    assert [gone.key for gone in await mind.trash()] == ["fresh"]  # the others did not come back


@pytest.mark.parametrize(
    "params",
    [
        {"delete_below": 0.4},
        {"reap_buffer": 0.0},
        {"reap_buffer": 0.0, "prune_days": 0.0},
        {"reap_buffer": 0.0, "delete_importance": 0.6},
    ],
)
async def test_what_the_reaper_would_take_is_what_it_takes(params: dict[str, Any]) -> None:
    clock = FakeClock()
    mind = await mind_in_ram("retention", clock)
    for tenths in range(1, 10):
        await mind.put(f"Of importance {tenths}.", key=f"k{tenths}", importance=tenths / 10)
    clock.forward(2.5 * DAY)
    before = await mind.reap(dry_run=True)
    told = await losses(mind, params)
    await mind.configure(**params)
    run = await mind.reap(dry_run=True)
    taken, would = [{(one.key, one.action) for one in each.harvest} for each in (run, before)]
    assert told.deleted == len([1 for _, action in taken - would if action != "prune"])
    assert told.pruned == len([1 for _, action in taken - would if action == "prune"])
    assert told.deleted + told.pruned > 0


async def test_whom_a_smaller_pool_has_no_room_for_is_counted_and_stays_where_it_is() -> None:
    mind = await mind_in_ram("network", FakeClock())
    for number in range(6):
        await mind.put(f"Number {number}.", key=f"k{number}")
    assert await losses(mind, {"node_pool": 4}) == Losses(pushed_out=2)
    assert not await mind.trash()


async def test_that_scans_go_on_otherwise_is_said_and_nothing_else_is() -> None:
    mind = await mind_in_ram("network", FakeClock())
    assert await losses(mind, {"decay_rate": 0.5}) == Losses(worn=True)
    assert await losses(mind, {"rank_bonus": 0.5, "touch_spacing": 2.0}) == Losses()
