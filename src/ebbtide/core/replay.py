"""What every change means, in one place: a mind's state is the fold of its journal.

`fold` cannot fail: what could be wrong with a change is found by `admission` before anything moves. It
returns what a store must write at once; hot counters are only marked dirty.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ebbtide.core import leaving
from ebbtide.core.appraisal import Features
from ebbtide.core.changes import (
    Access,
    Appraise,
    Change,
    Configure,
    Discard,
    Dismiss,
    Enqueue,
    Focus,
    Forget,
    Merge,
    Pair,
    Pin,
    PutLink,
    PutMemory,
    Reaped,
    Recover,
    Requeue,
    Restore,
    Rewrite,
    Scan,
    SetAside,
    Settle,
    Supersede,
    Sweep,
    Touch,
    Traverse,
    Unlink,
    WriteDown,
)
from ebbtide.core.links import LinkRow
from ebbtide.core.metabolism import appraising
from ebbtide.core.parameters import written_regime
from ebbtide.core.ranges import within
from ebbtide.core.signals import NEVER, Column, Newness
from ebbtide.core.state import LinkKey, MindState, Task
from ebbtide.core.whatif import COMPRESSED, HALVED, PRUNED, UNFADED, UNHALVED, UNMERGED, UNPRUNED


class Delta(NamedTuple):
    """What one change moved beyond hot counters: memories whose rows, links whose strength or being, differ."""

    rows: Sequence[int] = ()
    links: Sequence[LinkKey] = ()


NOTHING = Delta()


def fold(state: MindState, change: Change, seq: int) -> Delta:
    """Move the state on by one change, the journal's entry `seq`."""
    state.seq = seq
    rows = _MEANING[type(change)](state, change, seq)
    if not rows and not state.moved_links:
        return NOTHING
    delta = Delta(rows, state.moved_links)
    state.moved_links = []
    return delta


def fold_puts(state: MindState, puts: Sequence[PutMemory], first_seq: int) -> Delta:
    """The same as folding each put by itself, with columns filled at one stroke."""
    ids = [put.id for put in puts]
    created = np.array([put.created_at for put in puts])
    lengths = np.array([len(put.content.text) for put in puts])
    versions = np.arange(first_seq, first_seq + len(puts))
    state.table.extend(len(puts), state.newborn(ids, created, lengths, versions) | _all_born(state, puts))
    state.keys.update({put.content.key: put.id for put in puts})
    state.next_id = max(state.next_id, max(ids) + 1)
    state.seq = first_seq + len(puts) - 1
    return NOTHING


def _configure(state: MindState, c: Configure, seq: int) -> Sequence[int]:
    state.live_by(written_regime(c.metabolism, c.params))
    state.configured = True
    return ()


# ---- memories


def _put(state: MindState, c: PutMemory, seq: int) -> Sequence[int]:
    state.table.append(state.newborn(c.id, c.created_at, len(c.content.text), seq) | _born(state, c))
    state.keys[c.content.key] = c.id
    state.next_id = max(state.next_id, c.id + 1)
    return ()


def _born(state: MindState, c: PutMemory) -> dict[str, Any]:
    return state.regime.metabolism.born(c.at, {"importance": c.importance, "policy": c.policy})


def _all_born(state: MindState, puts: Sequence[PutMemory]) -> dict[str, Any]:
    """One value for all where all are born alike, as they mostly are."""
    if len({(put.at, put.importance, put.policy) for put in puts}) == 1:
        return _born(state, puts[0])
    born = [_born(state, put) for put in puts]
    return {name: [values[name] for values in born] for name in born[0]}


def _rewrite(state: MindState, c: Rewrite, seq: int) -> Sequence[int]:
    """An owner's new text is a new original; what the engine does to a text is not."""
    length, row = len(c.content.text), state.table.row(c.id)
    original = {} if c.cause in _OF_THE_ENGINE else {"original_length": length}
    state.table.resize(row, length)
    state.set(row, {"version": seq, **original})
    if "pruned_at" in state.table.columns:
        state.set(row, {"pruned_at": c.at if c.cause == PRUNED else NEVER})
    others = state.outdated_by(c.id)
    state.part(c.id)
    state.set(state.table.rows(others), {"version": seq})
    return (c.id, *others)


_OF_THE_ENGINE = (COMPRESSED, UNFADED, UNMERGED, PRUNED, UNPRUNED, HALVED, UNHALVED)


def _pin(state: MindState, c: Pin, seq: int) -> Sequence[int]:
    """The end of a pin is the end of a protection: what had expired long before counts as expired from here on."""
    columns = state.table.columns
    rows = state.table.rows(c.ids)
    rows = rows[columns["pinned"][rows] != c.pinned]
    state.set(rows, {"pinned": c.pinned, "version": seq})
    if "exposed_at" in columns and not c.pinned:
        state.set(rows, {"exposed_at": c.at})
    moved: list[int] = columns["id"][rows].tolist()
    return moved


def _discard(state: MindState, c: Discard, seq: int) -> Sequence[int]:
    for memory in c.ids:
        del state.trash[memory]
    state.let_go(c.ids)
    return ()


# ---- use


def _access(state: MindState, c: Access, seq: int) -> Sequence[int]:
    rows, times = _uses(state, c.ids)
    own = state.regime.metabolism.used(state.table.at(rows), np.full(len(rows), c.at))
    state.set(rows, own)
    sense(state, c.newness)
    return _stir(state, rows, ("access_count", times), ("last_accessed_at", c.at), seq)


def _touch(state: MindState, c: Touch, seq: int) -> Sequence[int]:
    rows, times = _uses(state, c.ids)
    state.set(rows, state.regime.metabolism.touched(state.table.at(rows), np.full(len(rows), c.at)))
    sense(state, c.newness)
    state.set(rows, {"last_touched_at": c.at})  # also where a clock was put back: else nothing were throttled by it
    return _stir(state, rows, ("access_count", times), ("last_accessed_at", c.at), seq)


def sense(state: MindState, newness: Sequence[float] | None) -> None:
    """What was used says whether this mind lives by what is new."""
    if newness:
        before = state.newness
        state.newness = Newness(before.total + math.fsum(newness), before.uses + len(newness))


def _traverse(state: MindState, c: Traverse, seq: int) -> Sequence[int]:
    rows, times = _uses(state, c.ids)
    return _stir(state, rows, ("traverse_count", times), ("last_linked_at", c.at), seq)


def _scan(state: MindState, c: Scan, seq: int) -> Sequence[int]:
    rows = np.flatnonzero(within(state.table.columns["id"][: len(state.table)], c.ranges))
    if task := state.tasks.get(c.task):
        state.tasks[c.task] = replace(task, scanned=task.scanned + c.ranges, passed=task.passed + c.count)
    return _stir(state, rows, ("scan_count", 1), None, seq)


def _uses(state: MindState, ids: Sequence[int]) -> tuple[Column, Column]:
    unique, times = np.unique(np.asarray(ids, np.int64), return_counts=True)
    return state.table.rows(unique), times


def _stir(
    state: MindState, rows: Column, count: tuple[str, Any], clock: tuple[str, float] | None, seq: int
) -> Sequence[int]:
    """Hot columns moved: the writing is left to a checkpoint."""
    columns = state.table.columns
    columns[count[0]][rows] += count[1]
    if clock is not None:
        name, at = clock
        columns[name][rows] = np.maximum(columns[name][rows], at)
    columns["version"][rows] = seq
    state.table.dirty[rows] = True
    return ()


# ---- links


def _link(state: MindState, c: PutLink, seq: int) -> Sequence[int]:
    ends = (c.source, c.target)
    columns = state.table.columns
    state.connect(LinkRow(c.source, c.target, c.relation, c.strength, state.scans(c.source)))
    if not state.counts(c.relation):
        return ()
    for row in map(state.table.row, ends):
        columns["last_linked_at"][row] = max(columns["last_linked_at"][row], c.at)
    return state.weigh(ends, c.at, seq)


def _unlink(state: MindState, c: Unlink, seq: int) -> Sequence[int]:
    state.disconnect(state.links.find(c.source, c.target, c.relation))
    return state.weigh((c.source, c.target), c.at, seq) if state.counts(c.relation) else ()


def _sweep(state: MindState, c: Sweep, seq: int) -> Sequence[int]:
    for slot in state.broken_links().tolist():
        state.disconnect(slot)
    return ()


# ---- the queue


def _enqueue(state: MindState, c: Enqueue, seq: int) -> Sequence[int]:
    state.tasks[seq] = Task(seq, c.kind, c.at, seq, c.messages, c.upto)
    return ()


def _settle(state: MindState, c: Settle, seq: int) -> Sequence[int]:
    del state.tasks[c.task]
    return ()


def _set_aside(state: MindState, c: SetAside, seq: int) -> Sequence[int]:
    state.tasks[c.task] = replace(state.tasks[c.task], error=c.error)
    return ()


def _requeue(state: MindState, c: Requeue, seq: int) -> Sequence[int]:
    state.tasks[c.task] = replace(state.tasks[c.task], error=None, place=seq)
    return ()


# ---- ticks and focus


def _write_down(state: MindState, c: WriteDown, seq: int) -> Sequence[int]:
    """No event in a memory's life: nothing about its future depends on a tick."""
    found = {"state": c.states, "marks": c.marks}
    if c.scores is not None and "score" in state.table.columns:
        found["score"] = c.scores
    rows = state.table.rows(c.ids)
    state.set(rows, found)
    state.table.dirty[rows] = True
    return ()


def _reaped(state: MindState, c: Reaped, seq: int) -> Sequence[int]:
    """The latest run, not the latest time: a clock that ran ahead for a while must not hide every later pause."""
    state.reaped_at = c.at
    return ()


def _pair(state: MindState, c: Pair, seq: int) -> Sequence[int]:
    state.pairs.drop(c.lost)
    state.pairs.add(c.found)
    return ()


def _appraise(state: MindState, c: Appraise, seq: int) -> Sequence[int]:
    """No event in a memory's life, and none that a tick has to know of: its row keeps its version."""
    tide = appraising(state.regime.metabolism)
    if tide is None:
        return ()
    priors = np.array(state.appraisals.take([Features(*each) for each in c.features], tide.prior_weights()))
    rows = state.table.rows(c.ids)
    here = rows >= 0  # on recovery some may have left since
    state.set(rows[here], {"prior": priors[here]})
    state.table.dirty[rows[here]] = True
    return ()


def _supersede(state: MindState, c: Supersede, seq: int) -> Sequence[int]:
    """The newer one takes over that share of the uses of the older one, which gives it up.   SPEC T4.

    If it has superseded the older one before, by a lesser share, it takes over what is missing.
    """
    tide = appraising(state.regime.metabolism)
    if tide is None:
        return ()
    columns = state.table.columns
    for older, newer, share in c.found:
        row = state.table.row(older)
        known = float(columns["superseded"][row]) if columns["superseded_by"][row] == newer else 0.0
        state.set(row, {"superseded": share, "superseded_by": newer if share else 0, "version": seq})
        if share > known:
            state.take_over(tide, newer, older, (share - known) / (1.0 - known), c.at)
        if share:
            state.table.columns["version"][state.table.row(newer)] = seq
    return [memory for older, newer, share in c.found for memory in ((older, newer) if share else (older,))]


def _dismiss(state: MindState, c: Dismiss, seq: int) -> Sequence[int]:
    if c.facts:
        state.dismissed[c.kind, c.ids] = c.facts
    else:
        state.dismissed.pop((c.kind, c.ids), None)
    return ()


def _focus(state: MindState, c: Focus, seq: int) -> Sequence[int]:
    state.focus_on(c.ids)
    return ()


_MEANING: dict[type, Callable[[MindState, Any, int], Sequence[int]]] = {
    Configure: _configure,
    PutMemory: _put,
    Rewrite: _rewrite,
    Discard: _discard,
    Access: _access,
    Touch: _touch,
    Traverse: _traverse,
    Pin: _pin,
    Scan: _scan,
    PutLink: _link,
    Unlink: _unlink,
    Forget: leaving.forget,
    Merge: leaving.merge,
    Restore: leaving.restore,
    Recover: leaving.recover,
    Pair: _pair,
    Dismiss: _dismiss,
    Appraise: _appraise,
    Supersede: _supersede,
    WriteDown: _write_down,
    Reaped: _reaped,
    Sweep: _sweep,
    Focus: _focus,
    Enqueue: _enqueue,
    Settle: _settle,
    SetAside: _set_aside,
    Requeue: _requeue,
}
