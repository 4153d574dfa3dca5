"""Putting memories: check the draft, find it a key and an id, and say it as a change."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ebbtide.core.changes import Batch, PutMemory, Rewrite
from ebbtide.core.draft import Draft
from ebbtide.core.errors import InvalidInput, KeyTaken, SignalRefused
from ebbtide.core.ports import Clock, Store
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress

CHUNK = 1000


async def put(store: Store, draft: Draft, now: float, over: bool) -> tuple[int, PutMemory | Rewrite]:
    draft.check(store.regime.metabolism.name)
    holder = None if draft.key is None else await store.find(draft.key)
    if holder is None:
        memory = await store.reserve(1)
        return memory, await _birth(store, draft, memory, now)
    if not over:
        raise KeyTaken(key=draft.key)
    assert draft.key is not None
    return holder, Rewrite(now, holder, draft.content(draft.key))


async def put_many(
    store: Store, drafts: Iterable[Draft | Mapping[str, Any]], clock: Clock, progress: Progress | None
) -> int:
    """Checks a chunk whole before it writes any of it."""
    done, metabolism = 0, store.regime.metabolism.name
    checked = (_drafted(given).check(metabolism) for given in drafts)
    for chunk in _chunks(checked):
        now, first = clock.now(), await store.reserve(len(chunk))
        puts = [await _birth(store, draft, first + i, now) for i, draft in enumerate(chunk)]
        await store.apply(Batch(tuple(puts), new_token()))
        done += len(chunk)
        if progress:
            progress(done, done)
    return done


async def check_drafts(store: Store, drafts: Iterable[Draft | Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    for number, given in enumerate(drafts, 1):
        try:
            draft = _drafted(given).check(store.regime.metabolism.name)
            if draft.key is not None and (draft.key in seen or await store.find(draft.key) is not None):
                raise KeyTaken(key=draft.key)
        except SignalRefused as error:
            reason = f"{error.facts['reason']} (memory {number})"
            raise SignalRefused(field=error.facts["field"], reason=reason) from None
        except InvalidInput as error:
            raise InvalidInput(problem=f"memory {number}: {error}") from None
        if draft.key is not None:
            seen.add(draft.key)


async def _birth(store: Store, draft: Draft, memory: int, now: float) -> PutMemory:
    key = draft.key if draft.key is not None else await _free_key(store, memory)
    return PutMemory(now, memory, draft.content(key), now, draft.importance, draft.policy)


async def _free_key(store: Store, memory: int) -> str:
    """m7 for memory 7; m7-2 and so on if somebody has taken that name."""
    key, attempt = f"m{memory}", 1
    while await store.find(key) is not None:
        attempt += 1
        key = f"m{memory}-{attempt}"
    return key


def _drafted(given: Draft | Mapping[str, Any]) -> Draft:
    return given if isinstance(given, Draft) else Draft.parse(given)


def _chunks(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    while chunk := list(islice(drafts, CHUNK)):
        yield chunk
