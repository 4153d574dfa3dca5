"""What a person or agent may want to tidy up: delete candidates and merge pairs, with reasons.   SPEC A3, A4.

Made of what is true at this moment; only which texts say nearly the same was found out by the last tick. Accepting goes
through the trash and can be undone; what was dismissed stays so until its facts change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

import numpy as np

from ebbtide.core.changes import Change, Dismiss, Forget
from ebbtide.core.errors import InvalidInput, NotFound, UnknownMemory
from ebbtide.core.memory import Content, Mark
from ebbtide.core.metabolism import Activity
from ebbtide.core.ports import Store
from ebbtide.core.signals import Signals
from ebbtide.mind import forgetting

Kind = Literal["delete", "merge"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Of a pair, the first is the one that would stay."""

    kind: Kind
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    overlap: float | None
    why: str


@dataclass(frozen=True, slots=True)
class _Known:
    """A suggestion with what it takes to carry it out or to turn it down."""

    suggestion: Suggestion
    ids: tuple[int, ...]
    facts: str


async def suggestions(store: Store, now: float, kind: Kind | None = None) -> list[Suggestion]:
    """Merges by overlap, deletions by age; those dismissed are left out."""
    return [known.suggestion for known in await _known(store, now, kind)]


async def accepted(store: Store, now: float, kind: Kind, keys: Sequence[str], text: str | None) -> list[Change]:
    """What carrying it out means. It must be suggested now: what is no longer so is not done on old advice."""
    known = await _named(store, now, kind, keys)
    if kind == "delete":
        return [Forget(now, known.ids[0], known.suggestion.keys[0])]
    stays, goes = known.ids
    return [await forgetting.merge(store, stays, goes, text, now)]


async def dismissed(store: Store, now: float, kind: Kind, keys: Sequence[str]) -> Dismiss:
    known = await _named(store, now, kind, keys)
    return Dismiss(now, kind, tuple(sorted(known.ids)), known.facts)


async def _named(store: Store, now: float, kind: Kind, keys: Sequence[str]) -> _Known:
    if kind not in ("delete", "merge") or len(keys) != (2 if kind == "merge" else 1):
        raise InvalidInput(problem="a suggestion is delete with one key, or merge with two")
    for key in keys:
        if await store.find(key) is None:
            raise UnknownMemory(key=key)
    for known in await _known(store, now, kind):
        if set(known.suggestion.keys) == set(keys):
            return known
    raise NotFound(
        problem=f"nobody suggests to {kind} {' and '.join(map(repr, keys))}: `suggestions` lists what there is"
    )


async def _known(store: Store, now: float, kind: Kind | None) -> list[_Known]:
    activity = store.regime.metabolism
    if not isinstance(activity, Activity):
        return []
    merges = await _merges(store, activity, now) if kind != "delete" else []
    deletions = await _deletions(store, activity, now) if kind != "merge" else []
    turned_down = await store.dismissed()
    return [
        known
        for known in [*merges, *deletions]
        if turned_down.get((known.suggestion.kind, tuple(sorted(known.ids)))) != known.facts
    ]


async def _deletions(store: Store, activity: Activity, now: float) -> list[_Known]:
    signals = await store.signals()
    marked = np.flatnonzero(activity.judge(signals, now).marks & Mark.DELETE)
    oldest_first = marked[np.argsort(signals.created_at[marked], kind="stable")]
    ids: list[int] = signals.id[oldest_first].tolist()
    contents = await store.contents(ids)
    here = [memory for memory in ids if memory in contents]
    if not here:
        return []
    s = await store.signals(here)
    found = []
    for row, memory in enumerate(here):
        said, one = contents[memory], s.take(np.array([row]))
        advice = Suggestion("delete", (said.key,), (said.text,), None, activity.why(one, now))
        found.append(_Known(advice, (memory,), _facts(s, [row], [said])))
    return found


async def _merges(store: Store, activity: Activity, now: float) -> list[_Known]:
    """Pairs the last tick found that still fulfil every condition; the more vital of two would stay."""
    pairs = await store.pairs()
    ids = sorted({memory for twins in pairs for memory in twins})
    contents = await store.contents(ids)
    here = [memory for memory in ids if memory in contents]
    if not here:
        return []
    s = await store.signals(here)
    mergeable, vitality = activity.mergeable(s, now), activity.vitality(s, now)
    row_of = {memory: row for row, memory in enumerate(here)}
    found = []
    for (one, other), overlap in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        if one not in row_of or other not in row_of or overlap < activity.merge_overlap:
            continue
        rows = sorted((row_of[one], row_of[other]), key=lambda row: (-vitality[row], row))
        said = [contents[here[row]] for row in rows]
        if mergeable[rows].all() and _alike(*said):
            advice = Suggestion(
                "merge", tuple(c.key for c in said), tuple(c.text for c in said), overlap, _reason(activity, overlap)
            )
            found.append(_Known(advice, tuple(here[row] for row in rows), _facts(s, rows, said)))
    return found


def _alike(one: Content, other: Content) -> bool:
    return one.kind == other.kind and one.domain == other.domain


def _reason(activity: Activity, overlap: float) -> str:
    return (
        f"overlap {overlap:.3f} ≥ {activity.merge_overlap:g}, same kind and domain, at most {activity.merge_degree} "
        f"links each, both below θ_active {activity.theta_active:g}, nothing happened for {activity.merge_idle:g} days"
    )


def _facts(s: Signals, rows: Sequence[int], said: Sequence[Content]) -> str:
    """What a refusal was about, as a digest: texts, uses and links. Time alone is no new fact."""
    counts = ("in_degree", "out_degree", "access_count", "traverse_count")
    facts = [
        (int(s.id[row]), content.text, *(int(getattr(s, name)[row]) for name in counts))
        for row, content in sorted(zip(rows, said, strict=True), key=lambda pair: int(s.id[pair[0]]))
    ]
    return blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
