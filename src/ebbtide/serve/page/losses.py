"""What other parameters would cost a mind that taking them back does not give back: counted before they are applied."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ebbtide.core.memory import DAY
from ebbtide.core.metabolism import traits_of
from ebbtide.mind import Mind
from ebbtide.mind.upkeep import Progress

# Which parameters decide of what: the reaper's, those of a mind with room for so many, and those of scans.
_REAPING = frozenset(
    ("delete_below", "shortest_life", "reap_buffer", "delete_importance", "prune_importance", "prune_days")
)
_ROOM = frozenset(("node_pool", "focus_limit"))
_SCANNING = frozenset(("decay_rate", "delete_threshold", "link_break_threshold", "basis", "scan_budget", "traces"))


@dataclass(frozen=True, slots=True)
class Losses:
    """How many, beyond what would go anyway. `keeps`: days the trash would keep things, if that is less than now."""

    gone: int = 0  # from the trash for good, at the next tick
    keeps: float | None = None
    deleted: int = 0  # by the reaper's next run, into the trash
    pruned: int = 0  # by the same
    pushed_out: int = 0  # into the trash, at once
    worn: bool = False  # scans would go on otherwise; nobody knows how many will come


async def losses(mind: Mind, params: Mapping[str, Any], progress: Progress | None = None) -> Losses:
    """If the mind lived by these from now on. What takes a rehearsal is looked into on a copy."""
    trash, now = await mind.trash(), mind.now()
    keeps = float(params.get("trash_days", mind.params["trash_days"]))
    deleted = pruned = pushed_out = 0
    if not params.keys().isdisjoint(_REAPING | _ROOM):
        copy = await mind.rehearsal(progress)
        try:
            await copy.configure(**params)
            deleted, pruned = await _reaped(mind, copy)
            here = {gone.id for gone in trash}
            pushed_out = sum(gone.id not in here for gone in await copy.trash())
        finally:
            await copy.close()
    return Losses(
        gone=sum(now >= gone.forgotten_at + keeps * DAY for gone in trash),
        keeps=keeps if keeps < mind.params["trash_days"] else None,
        deleted=deleted,
        pruned=pruned,
        pushed_out=pushed_out,
        worn=not params.keys().isdisjoint(_SCANNING),
    )


async def _reaped(mind: Mind, copy: Mind) -> tuple[int, int]:
    """Whom only the copy's reaper would delete, and whom only that would prune."""
    if not traits_of(mind.metabolism).reaps:
        return 0, 0
    here, there = [
        {(one.key, one.action == "prune") for one in (await each.reap(dry_run=True)).harvest} for each in (mind, copy)
    ]
    more = there - here
    pruned = sum(is_pruned for _, is_pruned in more)
    return len(more) - pruned, pruned
