"""The compression cycle: scan, fade, forget — one memory at a time, never longer than it is let.   SPEC N6, N7, N11.

A cycle can be left between any two memories and goes on where it was, also after a crash: what was scanned is
journaled with what became of it, chunk by chunk.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ebbtide.core.answers import compression_fault
from ebbtide.core.changes import Batch, Change, Forget, Rewrite, Scan, Settle, Sweep
from ebbtide.core.cycle import FORGET, LEAVE, CyclePlan, plan_cycle
from ebbtide.core.errors import ModelFailed, NotFound
from ebbtide.core.memory import Content
from ebbtide.core.metabolism import Network
from ebbtide.core.ports import Clock, SmallModel, Store
from ebbtide.core.ranges import ranges_of
from ebbtide.core.state import COMPRESS, Task
from ebbtide.core.whatif import COMPRESSED
from ebbtide.mind.asking import Asker
from ebbtide.mind.tokens import new_token

FADED = "faded"
_CHUNK = 256  # memories worked on between two commits
_MANY_LINKS = 50_000  # beyond this the arithmetic is done aside, so that nobody waits for it


@dataclass(slots=True)
class _Course:
    """A cycle under way: the plan, how far it got, and what is decided but not yet written."""

    task: Task
    plan: CyclePlan
    work: list[int]  # places in the plan where there is something to do
    step: int = 0  # how many of those are done
    written: int = 0  # how many places are scanned and written
    pending: list[tuple[Content, Change]] = field(default_factory=list)


class Compressor:
    def __init__(self, store: Store, model: SmallModel, clock: Clock, asker: Asker, turn: asyncio.Lock) -> None:
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
        course = self._course or await self._begin()
        if course is None:
            return True
        self._course = course
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
        network = self._store.regime.metabolism
        assert isinstance(network, Network)
        signals = await self._store.signals()
        if len(signals.links.row) < _MANY_LINKS:
            return plan_cycle(network, signals, upto=task.upto, scanned=task.scanned)
        still = signals.take(np.arange(len(signals)))  # a copy: the mind goes on meanwhile
        return await asyncio.to_thread(plan_cycle, network, still, upto=task.upto, scanned=task.scanned)

    async def _one(self, course: _Course, place: int) -> None:
        memory = int(course.plan.ids[place])
        said = (await self._store.contents([memory])).get(memory)
        if said is None or memory in await self._store.focus():
            return
        if course.plan.action[place] == FORGET:
            course.pending.append((said, Forget(self._clock.now(), memory, said.key, FADED)))
        elif (shorter := await self._shortened(said, int(course.plan.target[place]))) is not None:
            course.pending.append((said, Rewrite(self._clock.now(), memory, shorter, COMPRESSED)))

    async def _shortened(self, said: Content, length: int) -> Content | None:
        """The content at this length; None if the small model cannot be had to give it: then it stays as it is."""
        if len(said.text) <= length:
            return None
        try:
            text = await self._asker.ask(
                lambda: self._model.compress(said.text, length),
                lambda found: compression_fault(said.text, found, length),
            )
        except ModelFailed:
            return None
        return follow_text(said, text)

    async def _write(self, course: _Course, upto: int, *more: Change) -> None:
        """Journal the scans up to this place of the plan, and what came of them."""
        async with self._turn:
            scanned = await self._scanned(course, upto)
            changes = await self._still_true(course.pending)
            ends = (*([scanned] if scanned else []), *changes, *more)
            if ends:
                await self._store.apply(Batch(ends, new_token()))
        course.written, course.pending = upto, []

    async def _scanned(self, course: _Course, upto: int) -> Scan | None:
        """Of the places not yet written those that are still there and not in focus by now."""
        alive = await self._store.living()
        ids = np.sort(course.plan.ids[course.written : upto])
        ids = ids[np.isin(ids, alive) & ~np.isin(ids, await self._store.focus())]
        return Scan(self._clock.now(), ranges_of(ids, alive), course.task.id) if len(ids) else None

    async def _still_true(self, pending: Sequence[tuple[Content, Change]]) -> list[Change]:
        """What was decided, less what somebody overtook: forgotten, rewritten or drawn into focus meanwhile."""
        ids = [change.id for _, change in pending if isinstance(change, Forget | Rewrite)]
        contents = await self._store.contents(ids)
        focus = await self._store.focus()
        return [
            change
            for memory, (said, change) in zip(ids, pending, strict=True)
            if contents.get(memory) == said and memory not in focus
        ]

    async def _finish(self, course: _Course) -> None:
        now = self._clock.now()
        try:
            await self._write(course, len(course.plan.ids), Sweep(now), Settle(now, course.task.id))
        except NotFound:  # the task was dropped by somebody, or a memory left at the last moment
            self._course = None


def follow_text(said: Content, text: str) -> Content:
    """Phrase and keywords follow the text: they say nothing it no longer says."""
    low = text.casefold()
    keywords = tuple(word for word in said.keywords if word.casefold() in low)
    phrase = said.phrase if len(said.phrase) <= len(text) else text
    return Content(said.key, text, phrase, keywords, said.kind, said.domain)
