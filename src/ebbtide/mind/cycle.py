"""The compression cycle: scan, fade, forget — one memory at a time, never longer than it is let.   SPEC N6, N7, N11.

A cycle can be left between any two memories and goes on where it was, also after a crash: what was scanned is
journaled with what became of it, chunk by chunk.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ebbtide.core.changes import Batch, Change, Forget, Rewrite, Scan, Settle, Sweep
from ebbtide.core.cycle import FORGET, LEAVE, SHORTEN, CyclePlan, next_fates, plan_cycle
from ebbtide.core.errors import NotFound
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import Network, networked
from ebbtide.core.ports import Clock, SmallModel, Store
from ebbtide.core.ranges import ranges_of
from ebbtide.core.state import COMPRESS, Task
from ebbtide.core.whatif import COMPRESSED
from ebbtide.mind.asking import Asker
from ebbtide.mind.shortening import shortened
from ebbtide.mind.tokens import new_token

FADED = "faded"
_CHUNK = 256  # memories worked on between two commits
_MANY_LINKS = 50_000  # beyond this the arithmetic is done aside, so that nobody waits for it


@dataclass(frozen=True, slots=True)
class _Decision:
    """What is to become of a memory that said this, and how long the plan let its text be."""

    said: Content
    target: int
    change: Forget | Rewrite


@dataclass(slots=True)
class _Course:
    """A cycle under way: the plan, how far it got, and what is decided but not yet written."""

    task: Task
    plan: CyclePlan
    work: list[int]  # places in the plan where there is something to do
    step: int = 0  # how many of those are done
    written: int = 0  # how many places are scanned and written
    pending: list[_Decision] = field(default_factory=list)


class Compressor:
    def __init__(
        self, store: Store, model: SmallModel, clock: Clock, asker: Callable[[], Asker], turn: asyncio.Lock
    ) -> None:
        self._working = asyncio.Lock()  # the host's slices and an owner may both ask for work
        self._turn = turn
        self._store = store
        self._model = model
        self._clock = clock
        self._asker = asker
        self._course: _Course | None = None

    async def waiting(self) -> int:
        """How many cycles are due."""
        return sum(task.kind == COMPRESS and task.error is None for task in await self._store.tasks())

    async def work(self, enough: Callable[[], bool]) -> bool:
        """Go on with the cycle that is due until it is done (True) or it is `enough` (False), asked at every memory."""
        async with self._working:
            course = self._course = await self._at_hand()
            return True if course is None else await self._go_on(course, enough)

    async def _at_hand(self) -> _Course | None:
        """The cycle under way, unless somebody dropped its task; else the next one that is due."""
        if self._course is not None and await self._store.task(self._course.task.id) is not None:
            return self._course
        return await self._begin()

    async def _go_on(self, course: _Course, enough: Callable[[], bool]) -> bool:
        while course.step < len(course.work):
            if enough():
                await self._write(course, course.work[course.step])
                return False
            await self._one(course, course.work[course.step])
            course.step += 1
            if len(course.pending) >= _CHUNK:
                await self._write(course, course.work[course.step - 1] + 1)
            await asyncio.sleep(0)
        await self._finish(course)
        self._course = None
        return True

    async def _begin(self) -> _Course | None:
        due = [task for task in await self._store.tasks() if task.kind == COMPRESS and task.error is None]
        if not due:
            return None
        plan = await self._plan(due[0])
        return _Course(due[0], plan, np.flatnonzero(plan.action != LEAVE).tolist())

    async def _plan(self, task: Task) -> CyclePlan:
        network = self._network
        signals = await self._store.signals()
        if len(signals.links.row) < _MANY_LINKS:
            return plan_cycle(network, signals, upto=task.upto, scanned=task.scanned, passed=task.passed)
        still = signals.copy()  # the mind goes on meanwhile
        plan = partial(plan_cycle, network, still, upto=task.upto, scanned=task.scanned, passed=task.passed)
        return await asyncio.to_thread(plan)

    async def _one(self, course: _Course, place: int) -> None:
        memory = int(course.plan.ids[place])
        said = (await self._store.contents([memory])).get(memory)
        if said is None or memory in await self._store.focus():
            return
        target = int(course.plan.target[place])
        if course.plan.action[place] == FORGET:
            course.pending.append(_Decision(said, target, Forget(self._clock.now(), memory, said.key, FADED)))
        elif (shorter := await shortened(self._model, self._asker(), said, target)) is not None:
            course.pending.append(_Decision(said, target, Rewrite(self._clock.now(), memory, shorter, COMPRESSED)))

    async def _write(self, course: _Course, upto: int, *more: Change) -> None:
        """Journal the scans up to this place of the plan, and what came of them."""
        async with self._turn:
            changes = await self._still_true(course.pending)
            scanned = await self._scanned(course, upto)
            ends = (*([scanned] if scanned else []), *changes, *more)
            if ends:
                await self._store.apply(Batch(ends, new_token()))
        course.written, course.pending = upto, []

    async def _scanned(self, course: _Course, upto: int) -> Scan | None:
        """Of the places not yet written those that are still there and not in focus by now."""
        alive = await self._store.living()
        ids = np.sort(course.plan.ids[course.written : upto])
        ids = ids[np.isin(ids, alive) & ~np.isin(ids, await self._store.focus())]
        return Scan(self._clock.now(), ranges_of(ids, alive), course.task.id, len(ids)) if len(ids) else None

    async def _still_true(self, pending: Sequence[_Decision]) -> list[Change]:
        """What was decided, less what was overtaken: forgotten, rewritten, in focus or important again by now."""
        contents = await self._store.contents([decision.change.id for decision in pending])
        focus = await self._store.focus()
        same = [one for one in pending if contents.get(one.change.id) == one.said and one.change.id not in focus]
        if not same:
            return []
        signals = await self._store.signals([one.change.id for one in same])
        action, target = next_fates(self._network, signals)
        forgotten = [isinstance(one.change, Forget) for one in same]
        holds = np.where(forgotten, action == FORGET, (action == SHORTEN) & (target <= [one.target for one in same]))
        # Texts are read from the disk, which a text just given may not have reached; its length is known at once.
        holds &= signals.length == [len(one.said.text) for one in same]
        return [same[i].change for i in np.flatnonzero(holds).tolist()]

    async def _finish(self, course: _Course) -> None:
        now = self._clock.now()
        try:
            await self._write(course, len(course.plan.ids), Sweep(now), Settle(now, course.task.id))
        except NotFound:  # the task was dropped by somebody, or a memory left at the last moment
            self._course = None

    @property
    def _network(self) -> Network:
        network = networked(self._store.regime.metabolism)
        assert network is not None
        return network
