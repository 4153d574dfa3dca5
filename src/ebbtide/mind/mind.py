"""The façade of one mind: one short method per verb. Time comes from the clock, ids and truth from the store."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ebbtide.core.budget import BudgetUse, use_of
from ebbtide.core.changes import Access, Batch, Change, Configure, PutLink, PutMemory, Receipt, Traverse, Unlink
from ebbtide.core.draft import MAX_LABEL, Draft, require_strength, require_text
from ebbtide.core.errors import Conflict, Expired, InvalidInput, UnknownLink, UnknownMemory
from ebbtide.core.memory import DEFAULT_STRENGTH, Memory, State, Step
from ebbtide.core.outdated import outdated
from ebbtide.core.parameters import Fallback, regime, require_bounds
from ebbtide.core.ports import Clock, FactFinder, SmallModel, Store, StoreInfo, Where
from ebbtide.mind import forgetting, history, reading, upkeep, writing
from ebbtide.mind.appraising import Appraiser
from ebbtide.mind.clocks import StoppedClock, plain_clock
from ebbtide.mind.conversation import Conversation
from ebbtide.mind.explain import Explanation, explain
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.marks import judged
from ebbtide.mind.network import Conversing, NetworkLife
from ebbtide.mind.pinning import Pinning
from ebbtide.mind.pool import shrunk
from ebbtide.mind.reading import Page
from ebbtide.mind.retracing import Retracing
from ebbtide.mind.search import stated
from ebbtide.mind.segments import FACTS, NO_FACTS
from ebbtide.mind.surroundings import Surroundings, surroundings
from ebbtide.mind.tending import Tending
from ebbtide.mind.timeline import Timelines
from ebbtide.mind.tokens import new_token
from ebbtide.mind.tools import Tools
from ebbtide.mind.turn import Turning
from ebbtide.mind.undoing import Undoing
from ebbtide.mind.upkeep import Progress

log = logging.getLogger("ebbtide")

MAX_RELATION = 256


@dataclass(frozen=True, slots=True)
class Stats:
    """A mind in numbers; only states and marks that occur are counted.

    `outdated`: parameters that still have a default of an earlier version, each with its default of today.
    """

    agent: str
    metabolism: str
    params: dict[str, Any]
    at: float
    states: dict[State, int]
    marks: dict[str, int]
    store: StoreInfo
    budget: BudgetUse
    pinned: int = 0
    outdated: dict[str, Any] = field(default_factory=dict)


class Mind(Conversing, Turning, Pinning, Undoing, Tending, Retracing):
    """One agent's memory. Made by a host; use it from one event loop.

    A mind of the past (`as_of`) or of another regime (`replay`) is a Mind like any other, but nothing can
    be written to it and looking at it leaves no trace.

    In the examples a mind knows `ferry` and `lin`, and that Lin takes it: a network mind was told so, and in a mind
    with a reaper both have expired long ago.
    """

    def __init__(
        self,
        agent: str,
        store: Store,
        clock: Clock,
        scratch: history.Scratch,
        *,
        model: SmallModel | None = None,
        tools: Tools | None = None,
        on_compression: "Callable[[Mind], None]" = lambda mind: None,
        read_only: bool = False,
    ) -> None:
        self.agent = agent
        self._model = model
        clock = plain_clock(clock)
        self._store = store
        self._clock = clock
        self._scratch = scratch
        self._read_only = read_only
        self._borrowed = False
        self._tools = tools or Tools()
        self._indexing = Indexing(store, self._tools)
        self._life: Conversation | None = None if read_only else self._conversation(lambda: on_compression(self))
        if store.regime.metabolism.traits.appraises and not read_only:
            self._indexing.tell(Appraiser(store, clock))
        self._ticking = asyncio.Lock()
        self._timelines = Timelines()
        self._cascades = set()
        self._first_looks = reading.FirstLooks()

    @property
    def metabolism(self) -> str:
        """The name of the rule by which this mind ages. It never changes."""
        return self._store.regime.metabolism.name

    @property
    def params(self) -> dict[str, Any]:
        """Every parameter by name, as it stands now."""
        return self._store.regime.params()

    # ---- writing

    async def put(self, text: str, *, replace: bool = False, **given: Any) -> Memory:
        """A new memory. `given`: key, phrase, keywords, kind, domain, speaker (who said it); importance and policy in
        retention minds.

        A taken key is an error, unless `replace`: then that memory says this from now on, and keeps its signals,
        importance and policy; naming another importance or policy is an error.

        >>> (await mind.put("The library opens at nine.", key="library", keywords=["Lamma"])).state
        <State.ACTIVE: 'active'>
        """
        memory, changes = await writing.put(self._store, Draft.parse({"text": text, **given}), self.now(), replace)
        await self._apply(*changes)
        self._indexing.nudge()
        if isinstance(born := changes[-1], PutMemory):
            return self._first_looks.at(born, self._store.regime)
        return await self._see(memory, given["key"])

    async def put_many(self, drafts: Iterable[Draft | Mapping[str, Any]], progress: Progress | None = None) -> int:
        """Many new memories, a thousand at a time; each thousand all or none, unless the budget is smaller than that.
        Returns how many.

        >>> await mind.put_many([{"text": "Lamma is an island."}, {"text": "南丫岛没有汽车。"}])
        2
        """
        self._require_writable()
        done = await writing.put_many(self._store, drafts, self._clock, progress)
        self._indexing.nudge()
        return done

    async def check_drafts(self, drafts: Iterable[Draft | Mapping[str, Any]]) -> None:
        """Raises what `put_many` would raise for any of these, before anything is written.

        >>> await mind.check_drafts([{"text": "fine"}])
        """
        await writing.check_drafts(self._store, drafts)

    async def link(self, source: str, target: str, relation: str, strength: float = DEFAULT_STRENGTH) -> None:
        """Link two memories; linking them so again sets the strength anew.

        >>> await mind.link("ferry", "lin", "brings", 0.6)
        """
        require_text("relation", relation, MAX_RELATION)
        ends = await self._id(source), await self._id(target)
        await self._apply(PutLink(self.now(), *ends, relation, require_strength(strength)))

    async def unlink(self, source: str, target: str, relation: str) -> None:
        """Take a link away, also one whose target is in the trash. No such link: UnknownLink.

        >>> await mind.unlink("lin", "ferry", "takes")
        """
        here = await self._id(source)
        there = await forgetting.id_even_if_forgotten(self._store, target)
        if there is None:
            raise UnknownLink(source=source, target=target, relation=relation)
        try:
            await self._apply(Unlink(self.now(), here, there, relation))
        except UnknownLink:
            raise UnknownLink(source=source, target=target, relation=relation) from None

    async def configure(self, **params: Any) -> list[Fallback]:
        """Change parameters from now on. Returns the values that were refused and fell back to defaults.

        A bad value of a limit (`budget_memories`, `budget_characters`, `journal_entries`) is an InvalidInput instead.

        >>> await mind.configure(trash_days=60)
        []
        """
        new, fallbacks = regime(self.metabolism, {**self.params, **params})
        require_bounds(fallbacks)
        limits = await shrunk(self._store, new.metabolism, self.now())
        await self._apply(*limits, Configure(self.now(), self.metabolism, new.params()))
        if params.get("distil") == FACTS and not isinstance(self._model or self._tools.model(), FactFinder):
            log.warning("mind %s: %s", self.agent, NO_FACTS)
        return fallbacks

    # ---- reading

    async def get(self, key: str) -> Memory:
        """Read a memory directly. That is a use of it, and counts.

        >>> (await mind.get("ferry")).meta.access_count
        1
        """
        memory = await self._visible_id(key)
        if not self._read_only:
            await self._store.apply(Batch((Access(self.now(), (memory,)),), new_token()), lazy=True)
        return await self._see(memory, key)

    async def follow(self, key: str, relations: Sequence[str] = ()) -> list[Step]:
        """Walk a memory's links, strongest first. Reaching a memory counts as walking to it; traces are reported.

        >>> [(step.relation, step.key) for step in await mind.follow("lin")]
        [('takes', 'ferry')]
        """
        memory = await self._visible_id(key)
        steps = await reading.steps(self._store, memory, relations, self.now())
        reached = tuple(step.memory.id for step in steps if step.memory is not None)
        if reached and not self._read_only:
            await self._store.apply(Batch((Traverse(self.now(), reached),), new_token()), lazy=True)
        return steps

    async def list(
        self,
        state: State | str | Sequence[State | str] | None = None,
        *,
        score: tuple[int, int] | None = None,
        kind: str | None = None,
        domain: str | None = None,
        pinned: bool | None = None,
        everything: bool = False,
        after: int = 0,
        limit: int = 100,
    ) -> Page:
        """Memories by the state of this moment. What the metabolism hides appears only when asked for.

        `pinned`: True for those that are pinned alone, False for the others.

        >>> [memory.key for memory in (await mind.list(State.ACTIVE)).memories]
        ['ferry', 'lin']
        """
        for name, label in (("kind", kind), ("domain", domain)):
            if label is not None:
                require_text(name, label, MAX_LABEL, empty=True)
        if limit < 1:
            raise InvalidInput(problem=f"a page of {limit} memories shows nothing: ask for at least one")
        where = Where(self._checked_states(stated(state) or None), self._checked_score(score), kind, domain, pinned)
        return await reading.page(self._store, self.now(), where, everything=everything, after=after, limit=limit)

    async def explain(self, key: str, *, at: float | None = None, days: float = 30.0) -> Explanation:
        """Every term of the formula, the state and why, and what comes if nothing happens. Counts as no use.

        `at`: what the formula gives at another moment, from what has happened by now.

        >>> (await mind.explain("ferry", at=mind.now() + 90 * DAY)).why
        'score ... lies between θ_delete -1 and θ_active -0.2'
        """
        moment = self.now() if at is None else at
        return await explain(self._store, await self._id(key), moment, days, self._tools.analyzer)

    async def stats(self) -> Stats:
        """The mind in numbers, states as of this moment.

        >>> (await mind.stats()).states
        {<State.ACTIVE: 'active'>: 2}
        """
        signals = await self._store.signals()
        states, marks = upkeep.counts(await judged(self._store, signals, self.now()))
        pinned = int((signals.pinned != 0).sum())
        info, former = await self._store.info(), outdated(self._store.regime)
        budget = use_of(self._store.regime.metabolism, signals)
        return Stats(self.agent, self.metabolism, self.params, self.now(), states, marks, info, budget, pinned, former)

    async def look(self, memory: int) -> Memory:
        """The memory of this id, looked at without using it.

        >>> (await mind.look(1)).key
        'ferry'
        """
        return await self._see(memory, f"#{memory}")

    async def surroundings(self, *keys: str, limit: int = 150, everything: bool = False) -> Surroundings:
        """Memories and the links between them, outward from these; without any from the focus and the most alive.

        Looked at, not used: it counts as no access and no walk. What the metabolism hides appears with `everything`.

        >>> [link.relation for link in (await mind.surroundings("lin")).links]
        ['takes']
        """
        start = [await self._id(key) for key in dict.fromkeys(keys)]
        return await surroundings(self._store, start, self.now(), limit=limit, everything=everything)

    async def applied(self, name: str) -> int | None:
        """The journal entry with which the call of that name ended, if it was made here not too long ago."""
        return await self._store.applied(name)

    # ----

    async def close(self) -> None:
        """Everything on disk. Leaving `ebbtide.open` does this; closing twice is closing once."""
        if self._borrowed:  # a look ahead holds nothing of its own
            return
        try:
            if self._life is not None:
                await self._life.close()
            await self.settled()
        finally:
            await self._indexing.close()
            await self._store.close()

    def now(self) -> float:
        """The moment this mind takes for the present: its clock, or the moment of an `as_of`."""
        return self._clock.now()

    async def _apply(self, *changes: Change) -> Receipt:
        self._require_writable()
        return await self._store.apply(Batch(changes, new_token()))

    def _require_writable(self) -> None:
        if self._read_only:
            raise Conflict(problem="this mind is a view of another time or regime: nothing can be written to it")

    def _conversation(self, on_compression: Callable[[], None]) -> Conversation | None:
        if not self._store.regime.metabolism.traits.network:
            return Conversation(self._store, self._small_model, self._clock, on_told=self._indexing.nudge)
        if self._model is None:
            return None
        return NetworkLife(
            self._store, self._model, self._clock, on_compression=on_compression, indexing=lambda: self._indexing
        )

    def _small_model(self) -> SmallModel:
        """Made when it is first needed: most minds never are told a conversation."""
        model = self._model or self._tools.model()
        if model is None:
            raise InvalidInput(problem="this mind was opened without a small model: it cannot be told conversations")
        return model

    def _apart(self, store: Store, moment: float | None = None) -> "Mind":
        clock = self._clock if moment is None else StoppedClock(moment)
        return Mind(self.agent, store, clock, self._scratch, tools=self._tools, read_only=True)

    def _ahead(self, moment: float) -> "Mind":
        """Over the same store and index, which stay this mind's own."""
        view = self._apart(self._store, moment)
        view._indexing, view._borrowed = self._indexing, True
        return view

    def _beside(self, store: Store) -> "Mind":
        tools = replace(self._tools, archive=lambda: None)
        return Mind(self.agent, store, self._clock, self._scratch, model=self._model, tools=tools)

    async def _see(self, memory: int, key: str) -> Memory:
        """Somebody may have forgotten it while we waited for the disk."""
        for seen in await reading.read(self._store, [memory], self.now()):
            return seen
        raise UnknownMemory(key=key)

    async def _id(self, key: str) -> int:
        memory = await self._store.find(key)
        if memory is None:
            raise UnknownMemory(key=key)
        return memory

    async def _visible_id(self, key: str) -> int:
        memory = await self._id(key)
        if await reading.state_of(self._store, memory, self.now()) is State.EXPIRED:
            raise Expired(key=key)
        return memory

    def _checked_states(self, states: tuple[State, ...] | None) -> tuple[State, ...] | None:
        known = self._store.regime.metabolism.states
        for state in states or ():
            if state not in known:
                problem = (
                    f"no memory of a mind that lives by {self.metabolism} is ever {state!s}: it has {', '.join(known)}"
                )
                raise InvalidInput(problem=problem)
        return states

    def _checked_score(self, score: tuple[int, int] | None) -> tuple[int, int] | None:
        if score is not None and not self._store.regime.metabolism.traits.scored:
            raise InvalidInput(problem=f"a mind that lives by {self.metabolism} has no scores to choose by")
        return score
