"""A whole mind as one value: for comparing minds, and as the base that a compacted journal starts from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ebbtide.core.appraisal import Appraisals
from ebbtide.core.changes import Configure
from ebbtide.core.links import LinkRow
from ebbtide.core.memory import Content
from ebbtide.core.replay import fold
from ebbtide.core.signals import Newness
from ebbtide.core.state import MindState, Pairs, Task, Trashed

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`seq` is the journal entry it stands at. Everything is in order of id, so equal minds are equal values."""

    seq: int
    next_id: int
    metabolism: str
    params: dict[str, Any]
    memories: tuple[tuple[Content, Row], ...]
    links: tuple[LinkRow, ...]
    trash: tuple[tuple[Content, Trashed], ...]
    focus: tuple[int, ...]
    tasks: tuple[Task, ...] = ()
    pairs: tuple[tuple[int, int, float], ...] = ()
    dismissed: tuple[tuple[str, tuple[int, ...], str], ...] = ()
    reaped_at: float | None = None
    senses: "Senses | None" = None  # of a metabolism that has none


@dataclass(frozen=True, slots=True)
class Senses:
    """What a mind knows of all it has used and read up to the entry `seq`, beside its memories.   SPEC T3, T5.

    In a snapshot, which says itself up to which entry it goes, `seq` is 0.
    """

    seq: int
    newness: tuple[float, int] = (0.0, 0)
    appraisals: dict[str, Any] = field(default_factory=dict)  # nothing read yet

    @classmethod
    def of(cls, state: MindState) -> "Senses":
        appraisals = state.appraisals.plain() if state.appraisals.count else {}
        return cls(state.seq, (state.newness.total, state.newness.uses), appraisals)

    def give(self, state: MindState) -> None:
        state.newness = Newness(*self.newness)
        state.appraisals = Appraisals.of(self.appraisals)


def dump(state: MindState, contents: Mapping[int, Content], trash: Mapping[int, Content]) -> Snapshot:
    ids = sorted(state.table.columns["id"][: len(state.table)].tolist())
    return Snapshot(
        seq=state.seq,
        next_id=state.next_id,
        metabolism=state.regime.metabolism.name,
        params=state.regime.params(),
        memories=tuple((contents[i], _without_version(state.table.values(state.table.row(i)))) for i in ids),
        links=tuple(sorted(state.links.rows())),
        trash=tuple((trash[i], state.trash[i]) for i in sorted(state.trash)),
        focus=state.focus,
        tasks=tuple(state.tasks[task] for task in sorted(state.tasks)),
        pairs=tuple((*twins, overlap) for twins, overlap in sorted(state.pairs.of().items())),
        dismissed=tuple((*refused, state.dismissed[refused]) for refused in sorted(state.dismissed)),
        reaped_at=state.reaped_at,
        senses=replace(Senses.of(state), seq=0) if state.regime.metabolism.traits.appraises else None,
    )


def load(snapshot: Snapshot) -> MindState:
    """The state a snapshot describes. Texts are the store's business."""
    state = MindState()
    fold(state, Configure(0.0, snapshot.metabolism, snapshot.params), snapshot.seq)
    for content, row in snapshot.memories:
        # Version 0: what a tick found before the base and wrote after it was fresh then, and is fresh in a replay.
        state.table.append(row | {"version": 0})
        state.keys[content.key] = row["id"]
    for link in snapshot.links:
        pinned = link.source in snapshot.focus or link.target in snapshot.focus
        state.links.add(LinkRow(*link), pinned=pinned)
    state.count_degrees()  # the base may have been taken under a metabolism that counts other links
    if any("protected" not in row for _, row in snapshot.memories) and "protected" in state.table.columns:
        state.guard(state.keys.values(), 0.0)  # the base is older than the column
    state.trash = {trashed.id: trashed for _, trashed in snapshot.trash}
    state.focus = snapshot.focus
    state.tasks = {task.id: task for task in snapshot.tasks}
    state.pairs = Pairs(snapshot.pairs)
    state.dismissed = {(kind, ids): facts for kind, ids, facts in snapshot.dismissed}
    if snapshot.senses is not None:
        snapshot.senses.give(state)
    state.next_id = snapshot.next_id
    state.reaped_at = snapshot.reaped_at
    return state


def _without_version(row: Row) -> Row:
    """Which entry last moved a row is bookkeeping of one store, not part of the mind."""
    return {name: value for name, value in row.items() if name != "version"}
