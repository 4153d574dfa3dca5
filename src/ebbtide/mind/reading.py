"""From columns and contents to the memories a reader sees, judged at this very moment."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ebbtide.core.changes import Configure, PutMemory
from ebbtide.core.memory import CODE_OF, POLICIES, STATES, Content, Link, Mark, Memory, Meta, State, Step
from ebbtide.core.metabolism import Metabolism, Verdicts, reaping
from ebbtide.core.parameters import Regime
from ebbtide.core.ports import Store, Where
from ebbtide.core.replay import fold
from ebbtide.core.signals import NEVER, Column, Signals
from ebbtide.core.state import MindState
from ebbtide.mind.left_out import advice
from ebbtide.mind.marks import judged

_KINDS = 1000  # ways of being born that are remembered: importance may be any number


@dataclass(frozen=True, slots=True)
class Page:
    """Some memories, where to go on (None: that was all), how many more each state hides, and the way to those."""

    memories: tuple[Memory, ...]
    next: int | None
    left_out: dict[State, int]
    advice: str = ""


async def read(store: Store, ids: Sequence[int], now: float) -> list[Memory]:
    """These memories in this order; one that is gone by now is left out."""
    contents = await store.contents(ids)
    here = [memory for memory in ids if memory in contents]
    if not here:
        return []
    signals = await store.signals(here)
    verdicts = await judged(store, signals, now)
    return [
        assemble(contents[memory], signals, verdicts, store.regime.metabolism, row) for row, memory in enumerate(here)
    ]


class FirstLooks:
    """Memories as they are in their first moment, without looking them up: what was said, and what all start with.

    All that are born alike under one regime look alike but for what they say, so each kind is judged once.
    """

    def __init__(self) -> None:
        self._regime: Regime | None = None
        self._known: dict[tuple[float | None, str | None], Memory] = {}

    def at(self, born: PutMemory, regime: Regime) -> Memory:
        like, said, at = self._like(born, regime), born.content, born.created_at
        first = like.meta
        expires_at = None if first.expires_at is None else at + first.expires_at
        meta = Meta(
            0, 0, 0, 0, at, None, None, 0, len(said.text),
            first.score, first.importance, first.strength, first.policy, expires_at, first.protected,
        )  # fmt: skip
        return Memory(
            born.id, said.key, said.text, said.phrase, said.keywords, said.kind, said.domain,
            at, like.state, like.marks, like.vitality, meta, said.speaker,
        )  # fmt: skip

    def _like(self, born: PutMemory, regime: Regime) -> Memory:
        if regime is not self._regime or len(self._known) > _KINDS:
            self._regime, self._known = regime, {}
        kind = (born.importance, born.policy)
        if kind not in self._known:
            self._known[kind] = _first_look(regime, *kind)
        return self._known[kind]


def _first_look(regime: Regime, importance: float | None, policy: str | None) -> Memory:
    """A memory born at moment 0, with nothing to say, and seen at once."""
    state = MindState()
    said = Content("", "")
    fold(state, Configure(0.0, regime.metabolism.name, regime.params()), 1)
    fold(state, PutMemory(0.0, 1, said, 0.0, importance, policy), 2)
    signals = state.signals()
    return assemble(said, signals, regime.metabolism.judge(signals, 0.0), regime.metabolism, 0)


async def state_of(store: Store, memory: int, now: float) -> State:
    verdicts = store.regime.metabolism.judge(await store.signals([memory]), now)
    return STATES[int(verdicts.state[0])]


async def page(
    store: Store, now: float, where: Where, *, everything: bool = False, after: int = 0, limit: int = 100
) -> Page:
    """By the state of this moment. Without `where.states`, what the metabolism hides is left out but counted."""
    metabolism = store.regime.metabolism
    signals = await store.signals()
    verdicts = metabolism.judge(signals, now)
    shown = where.states or (metabolism.states if everything else visible(metabolism))
    seen = np.isin(verdicts.state, [CODE_OF[state] for state in shown])
    wanted = np.ones(len(signals), np.bool_)
    if where.score is not None and verdicts.score is not None:
        wanted = (verdicts.score >= where.score[0]) & (verdicts.score <= where.score[1])
    if where.pinned is not None:
        wanted &= (signals.pinned != 0) == where.pinned
    left_out = {} if where.states else counts(verdicts.state[wanted & ~seen])
    ids = np.sort(signals.id[wanted & seen & (signals.id > after)])
    found = await _matching(store, ids, where, limit + 1)
    memories = await read(store, found[:limit], now)
    following = found[limit - 1] if len(found) > limit else None
    return Page(tuple(memories), following, left_out, advice(left_out))


async def steps(store: Store, memory: int, relations: Sequence[str], now: float) -> list[Step]:
    """Where a memory's own links lead, strongest first. Of a target that has expired only that is told."""
    links = await store.links(memory, outgoing=True, relations=relations)
    there = {seen.id: seen for seen in await read(store, [link.target for link in links], now)}
    lost = [link.target for link in links if link.target not in there]
    ghosts = {gone.id: gone.key for _, gone in await store.trash(ids=lost)} if lost else {}
    return [_step(link, there.get(link.target), ghosts.get(link.target)) for link in links]


def _step(link: Link, seen: Memory | None, ghost: str | None) -> Step:
    if seen is not None and seen.state is State.EXPIRED:
        return Step(link.relation, link.strength, None, None, expired=True)
    return Step(link.relation, link.strength, seen.key if seen else ghost, seen)


async def _matching(store: Store, ids: Column, where: Where, limit: int) -> list[int]:
    """The first `limit` of these that are of the wanted kind and domain."""
    if where.kind is None and where.domain is None:
        return [int(memory) for memory in ids[:limit]]
    found: list[int] = []
    after, wanted = 0, set(ids.tolist())
    while len(found) < limit:
        some = await store.page(Where(kind=where.kind, domain=where.domain), after=after, limit=1000)
        found += [memory for memory in some if memory in wanted]
        if len(some) < 1000:
            break
        after = some[-1]
    return found[:limit]


def assemble(content: Content, s: Signals, verdicts: Verdicts, metabolism: Metabolism, row: int) -> Memory:
    return Memory(
        id=int(s.id[row]),
        key=content.key,
        text=content.text,
        phrase=content.phrase,
        keywords=content.keywords,
        kind=content.kind,
        domain=content.domain,
        created_at=float(s.created_at[row]),
        state=STATES[verdicts.state[row]],
        marks=Mark(int(verdicts.marks[row])),
        vitality=float(verdicts.vitality[row]),
        meta=_meta(s, verdicts, metabolism, row),
        speaker=content.speaker,
    )


def _meta(s: Signals, verdicts: Verdicts, metabolism: Metabolism, row: int) -> Meta:
    kept = len(s.importance) > 0
    return Meta(
        in_degree=int(s.in_degree[row]),
        out_degree=int(s.out_degree[row]),
        access_count=int(s.access_count[row]),
        traverse_count=int(s.traverse_count[row]),
        last_accessed_at=float(s.last_accessed_at[row]),
        last_linked_at=_moment(s.last_linked_at[row]),
        last_touched_at=_moment(s.last_touched_at[row]),
        scan_count=int(s.scan_count[row]),
        original_length=int(s.original_length[row]),
        score=None if verdicts.score is None else int(verdicts.score[row]),
        importance=float(s.importance[row]) if kept else None,
        strength=float(s.strength[row]) if kept else None,
        policy=POLICIES[s.policy[row]] if kept else None,
        expires_at=_expiry(s, metabolism, row) if kept else None,
        protected=bool(s.protected[row]) if kept else None,
        pruned_at=_moment(s.pruned_at[row]) if kept else None,
        pinned=bool(s.pinned[row]),
    )


def _expiry(s: Signals, metabolism: Metabolism, row: int) -> float | None:
    rule = reaping(metabolism)
    assert rule is not None
    moment = float(rule.expires_at(s)[row])
    return None if moment == np.inf else moment


def _moment(value: float) -> float | None:
    return None if value == NEVER else float(value)


def visible(metabolism: Metabolism) -> tuple[State, ...]:
    return tuple(state for state in metabolism.states if state not in metabolism.hidden)


def counts(codes: Column) -> dict[State, int]:
    """How many of these codes each state has."""
    values, counts = np.unique(codes, return_counts=True)
    return {STATES[code]: int(count) for code, count in zip(values, counts, strict=True)}
