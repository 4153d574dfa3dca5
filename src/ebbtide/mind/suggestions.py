"""What a person or agent may want to tidy up: delete candidates and merge pairs, with reasons.   SPEC A3, A4.

Made of what is true at this moment; only which texts say nearly the same was found out by the last tick. Accepting goes
through the trash and can be undone; what was dismissed stays so until its facts change.

A memory that may be merged is not suggested for deletion as well, because a merge keeps what it says; once the merge is
dismissed, deletion may be suggested.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

import numpy as np

from ebbtide.core.changes import Change, Dismiss, Forget
from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput, NotFound, UnknownMemory
from ebbtide.core.memory import DAY, Content, Mark
from ebbtide.core.metabolism import Activity, merging
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column, Signals
from ebbtide.mind import forgetting
from ebbtide.mind.marks import standing

Kind = Literal["delete", "merge"]
_AT_ONCE = 256  # texts are read in portions: a mind may have very many candidates


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Of a pair, the first is the one that would stay."""

    kind: Kind
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    overlap: float | None
    why: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Whom a suggestion would be about; `overlap` makes it a merge."""

    ids: tuple[int, ...]
    overlap: float | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    """A suggestion with what it takes to carry it out or to turn it down."""

    suggestion: Suggestion
    ids: tuple[int, ...]
    facts: str


async def suggestions(store: Store, now: float, kind: Kind | None = None, limit: int | None = None) -> list[Suggestion]:
    """Merges by overlap, then deletions by age; those dismissed are left out."""
    if kind not in (None, "delete", "merge"):
        raise InvalidInput(problem=f"{kind!r:.40} is no kind of suggestion: there are delete and merge")
    if limit is not None and limit < 1:
        raise InvalidInput(problem=f"a list of {limit} suggestions shows nothing: ask for at least one")
    found: list[Suggestion] = []
    async with aclosing(_known(store, now, kind)) as every:
        async for known in every:
            found.append(known.suggestion)
            if len(found) == limit:
                break
    return found


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
    if kind not in ("delete", "merge") or len(set(keys)) != len(keys) or len(keys) != (2 if kind == "merge" else 1):
        raise InvalidInput(problem="a suggestion is delete with one key, or merge with two")
    ids = []
    for key in keys:
        memory = await store.find(key)
        if memory is None:
            raise UnknownMemory(key=key)
        ids.append(memory)
    pair = None
    async with aclosing(_known(store, now, None, ids)) as every:
        async for known in every:
            if known.suggestion.kind == kind and set(known.ids) == set(ids):
                return known
            pair = known.suggestion.keys if known.suggestion.kind == "merge" else pair
    raise NotFound(problem=_not_suggested(kind, keys, pair))


def _not_suggested(kind: Kind, keys: Sequence[str], pair: Sequence[str] | None) -> str:
    said = f"to {kind} {' and '.join(map(repr, keys))} is not suggested"
    if kind == "delete" and pair:
        return f"{said}: to merge {' and '.join(map(repr, pair))} is; dismiss that first, or `forget` what is to go"
    return f"{said}: `suggestions` lists what there is"


async def _known(
    store: Store, now: float, kind: Kind | None, ids: Sequence[int] | None = None
) -> AsyncGenerator[_Known, None]:
    """All there are, or those about some of these memories."""
    activity = merging(store.regime.metabolism)
    if activity is None:
        return
    deletions = await _deletions(store, activity, now, ids) if kind != "merge" else []
    about = [memory for one in deletions for memory in one.ids] if kind == "delete" else ids
    in_pairs: set[int] = set()
    async with aclosing(_open(store, activity, now, await _merges(store, now, about))) as merges:
        async for known in merges:
            in_pairs.update(known.ids)
            if kind != "delete":
                yield known
    alone = [one for one in deletions if in_pairs.isdisjoint(one.ids)]
    async with aclosing(_open(store, activity, now, alone)) as others:
        async for known in others:
            yield known


async def _open(
    store: Store, activity: Activity, now: float, candidates: Sequence[_Candidate]
) -> AsyncGenerator[_Known, None]:
    """Those of these that were not dismissed."""
    turned_down = await store.dismissed() if candidates else {}
    for start in range(0, len(candidates), _AT_ONCE):
        for known in await _told(store, activity, now, candidates[start : start + _AT_ONCE]):
            if turned_down.get((known.suggestion.kind, tuple(sorted(known.ids)))) != known.facts:
                yield known


async def _merges(store: Store, now: float, ids: Sequence[int] | None) -> list[_Candidate]:
    """Pairs the last tick found that still fulfil every condition."""
    pairs = await standing(store, await store.pairs(ids), now)
    best_first = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
    return [_Candidate(twins, overlap) for twins, overlap in best_first]


async def _deletions(store: Store, activity: Activity, now: float, ids: Sequence[int] | None) -> list[_Candidate]:
    s = await store.signals(ids)
    marked = np.flatnonzero(activity.judge(s, now).marks & Mark.DELETE)
    oldest_first = marked[np.lexsort((s.id[marked], s.created_at[marked]))]
    return [_Candidate((memory,)) for memory in s.id[oldest_first].tolist()]


async def _told(store: Store, activity: Activity, now: float, candidates: Sequence[_Candidate]) -> list[_Known]:
    """In words. Who has left or was used while we waited for the disk is left out."""
    ids = sorted({memory for candidate in candidates for memory in candidate.ids})
    contents = await store.contents(ids)
    here = [memory for memory in ids if memory in contents]
    if not here:
        return []
    s = await store.signals(here)
    vitality, low = activity.vitality(s, now), activity.mergeable(s, now)
    doomed = activity.judge(s, now).marks & Mark.DELETE != 0
    row_of = {memory: row for row, memory in enumerate(here)}
    found = []
    for candidate in candidates:
        holds = doomed if candidate.overlap is None else low
        if all(memory in row_of and holds[row_of[memory]] for memory in candidate.ids):
            # The more vital of two would stay; of equals the older.
            rows = sorted((row_of[memory] for memory in candidate.ids), key=lambda row: (-vitality[row], row))
            said = [contents[here[row]] for row in rows]
            advice = _advice(activity, candidate, said, _why(activity, candidate.overlap, s, rows[0], vitality, now))
            found.append(_Known(advice, tuple(here[row] for row in rows), _facts(s, rows, said)))
    return found


def _advice(activity: Activity, candidate: _Candidate, said: Sequence[Content], why: str) -> Suggestion:
    kind: Kind = "delete" if candidate.overlap is None else "merge"
    keys, texts = (tuple(getattr(content, name) for content in said) for name in ("key", "text"))
    return Suggestion(kind, keys, texts, candidate.overlap, why)


def _why(activity: Activity, overlap: float | None, s: Signals, row: int, vitality: Column, now: float) -> str:
    if overlap is None:
        idle = (now - max(s.last_accessed_at[row], s.last_linked_at[row])) / DAY
        return (
            f"score {vitality[row]:.3f} ≤ θ_delete {activity.theta_delete:g}, nothing links to it, "
            f"idle for {idle:.1f} ≥ {counted(activity.delete_idle, 'day')}"
        )
    return (
        f"overlap {overlap:.3f} ≥ {activity.merge_overlap:g}, same kind and domain, at most "
        f"{counted(activity.merge_degree, 'link')} each, both below θ_active {activity.theta_active:g}, "
        f"nothing happened for {counted(activity.merge_idle, 'day')}"
    )


def _facts(s: Signals, rows: Sequence[int], said: Sequence[Content]) -> str:
    """What a refusal was about, as a digest: texts, uses and links. Time alone is no new fact.

    When links were last made or walked tells of one that took another's place.
    """
    names = ("id", "in_degree", "out_degree", "access_count", "traverse_count", "last_linked_at")
    facts = [
        (content.text, *(getattr(s, name)[row].item() for name in names))
        for row, content in sorted(zip(rows, said, strict=True), key=lambda pair: int(s.id[pair[0]]))
    ]
    return blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
