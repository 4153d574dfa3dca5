"""Putting memories: check the draft, find it a key and an id, and say it as a change."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ebbtide.core.changes import Batch, Change, PutMemory, Rewrite
from ebbtide.core.draft import Draft
from ebbtide.core.errors import BudgetFull, InvalidInput, KeyTaken, SignalRefused
from ebbtide.core.memory import POLICIES
from ebbtide.core.ports import Clock, Store
from ebbtide.mind.pool import Room, pool_size
from ebbtide.mind.tokens import new_token
from ebbtide.mind.upkeep import Progress

CHUNK = 1000


async def put(store: Store, draft: Draft, now: float, over: bool) -> tuple[int, list[Change]]:
    draft.check(store.regime.metabolism.name)
    holder = None if draft.key is None else await store.find(draft.key)
    if holder is None:
        memory = await store.reserve(1)
        key = draft.key if draft.key is not None else await free_key(store, memory)
        return memory, await make_room(store, now, [_born(draft, key, memory, now)])
    if not over:
        raise KeyTaken(key=draft.key)
    await _require_kept(store, holder, draft)
    assert draft.key is not None
    return holder, [Rewrite(now, holder, draft.content(draft.key))]


async def _require_kept(store: Store, holder: int, draft: Draft) -> None:
    """Replacing keeps importance and policy: naming them as they are does no harm, so that a put can be repeated."""
    if draft.importance is None and draft.policy is None:
        return
    s = await store.signals([holder])
    kept = {"importance": float(s.importance[0]), "policy": POLICIES[int(s.policy[0])]} if len(s) else {}
    for name, value in kept.items():
        if getattr(draft, name) not in (None, value):
            problem = f"{name!r} is given when a memory is made, and stays {value} when it is replaced"
            raise InvalidInput(problem=f"{problem}: leave it out, or forget the memory first")


async def put_many(
    store: Store, drafts: Iterable[Draft | Mapping[str, Any]], clock: Clock, progress: Progress | None
) -> int:
    """Checks a chunk whole before it writes any of it. No key is made up that a draft yet to come asks for."""
    done, metabolism, names = 0, store.regime.metabolism.name, _Names(store, drafts)
    checked = (_drafted(given).check(metabolism) for given in drafts)
    for chunk in _chunks(checked):
        now, first = clock.now(), await store.reserve(len(chunk))
        named = zip(chunk, await names.of(chunk, first), strict=True)
        puts = [_born(draft, key, memory, now) for memory, (draft, key) in enumerate(named, first)]
        await _put_all(store, now, puts)
        done += len(chunk)
        if progress:
            progress(done, done)
    return done


async def _put_all(store: Store, now: float, puts: Sequence[PutMemory]) -> None:
    """In one batch, or in two where so many at once are more than the budget has room for."""
    try:
        await store.apply(Batch(tuple(await make_room(store, now, puts)), new_token()))
    except BudgetFull:
        if len(puts) == 1:
            raise
        half = len(puts) // 2
        await _put_all(store, now, puts[:half])
        await _put_all(store, now, puts[half:])


async def make_room(
    store: Store, now: float, puts: Sequence[PutMemory], chance: random.Random | None = None
) -> list[Change]:
    """The puts, each after the forgettings that a full node pool has to make for it."""
    if not pool_size(store):
        return [*puts]
    while True:
        room = await Room.of(store, now, chance or random.Random())
        changes: list[Change] = []
        for put in puts:
            changes += [*await room.make(put.id, put.content.key), put]
        if await room.undisturbed():
            return changes


async def check_drafts(store: Store, drafts: Iterable[Draft | Mapping[str, Any]]) -> None:
    for draft in checked_drafts(store.regime.metabolism.name, drafts):
        if draft.key is not None and await store.find(draft.key) is not None:
            raise KeyTaken(key=draft.key)


def checked_drafts(metabolism: str, drafts: Iterable[Draft | Mapping[str, Any]]) -> list[Draft]:
    """All of them, if an empty mind with this metabolism could take all; the error says which one it could not."""
    found: list[Draft] = []
    numbers: dict[str, int] = {}
    for number, given in enumerate(drafts, 1):
        draft = _numbered(given, metabolism, number)
        if draft.key is not None and numbers.setdefault(draft.key, number) != number:
            problem = f"memory {number}: the key {draft.key!r} is that of memory {numbers[draft.key]} already"
            raise InvalidInput(problem=problem)
        found.append(draft)
    return found


def _numbered(given: Draft | Mapping[str, Any], metabolism: str, number: int) -> Draft:
    try:
        return _drafted(given).check(metabolism)
    except SignalRefused as error:
        reason = f"{error.facts['reason']} (memory {number})"
        raise SignalRefused(field=error.facts["field"], reason=reason) from None
    except InvalidInput as error:
        raise InvalidInput(problem=f"memory {number}: {error}") from None


def _born(draft: Draft, key: str, memory: int, now: float) -> PutMemory:
    return PutMemory(now, memory, draft.content(key), now, draft.importance, draft.policy)


class _Names:
    """Keys for drafts that ask for none, and none among them that another draft asks for."""

    def __init__(self, store: Store, drafts: Iterable[Draft | Mapping[str, Any]]) -> None:
        self._store = store
        self._drafts = drafts if isinstance(drafts, Sequence) else None
        self._asked_for: frozenset[str] | None = None

    async def of(self, chunk: Sequence[Draft], first: int) -> list[str]:
        given = [draft.key for draft in chunk if draft.key is not None]
        if len(given) == len(chunk):
            return given
        avoid = self._all() or frozenset(given)
        ids = enumerate(chunk, first)
        return [draft.key if draft.key is not None else await free_key(self._store, i, avoid) for i, draft in ids]

    def _all(self) -> frozenset[str]:
        if self._asked_for is None:
            self._asked_for = frozenset() if self._drafts is None else _keys(self._drafts)
        return self._asked_for


async def free_key(store: Store, memory: int, avoid: frozenset[str] = frozenset()) -> str:
    """m7 for memory 7; m7-2 and so on if somebody has taken that name."""
    key, attempt = f"m{memory}", 1
    while key in avoid or await store.find(key) is not None:
        attempt += 1
        key = f"m{memory}-{attempt}"
    return key


def _keys(drafts: Iterable[Draft | Mapping[str, Any]]) -> frozenset[str]:
    keys = (given.key if isinstance(given, Draft) else given.get("key") for given in drafts)
    return frozenset(key for key in keys if isinstance(key, str))


def _drafted(given: Draft | Mapping[str, Any]) -> Draft:
    return given if isinstance(given, Draft) else Draft.parse(given)


def _chunks(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    while chunk := list(islice(drafts, CHUNK)):
        yield chunk
