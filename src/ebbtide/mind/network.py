"""The life of a network mind: what it is told, what it recalls, and how it fades in between.   SPEC §N."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ebbtide.core.changes import Batch, Enqueue, Traverse
from ebbtide.core.errors import InvalidInput, NotFound
from ebbtide.core.memory import Message
from ebbtide.core.metabolism import Network, networked
from ebbtide.core.ports import Clock, SmallModel, Store
from ebbtide.core.state import COMPRESS, Task
from ebbtide.mind.asking import Sleep
from ebbtide.mind.conversation import Conversation
from ebbtide.mind.cue import recall_or_cue
from ebbtide.mind.cycle import Compressor
from ebbtide.mind.indexing import Indexing
from ebbtide.mind.recall import Recalled, Trace, sweeps, traces
from ebbtide.mind.remember import Understood, focus_names, told, understand
from ebbtide.mind.tokens import new_token

MAX_DEPTH = 100


class NetworkLife(Conversation):
    """A conversation's queue, and what a network mind alone has: focus, entities, recall and compression."""

    def __init__(
        self,
        store: Store,
        model: SmallModel,
        clock: Clock,
        *,
        sleep: Sleep = asyncio.sleep,
        chance: random.Random | None = None,
        on_compression: Callable[[], None] = lambda: None,
        indexing: Callable[[], Indexing | None] = lambda: None,
    ) -> None:
        super().__init__(store, lambda: model, clock, sleep=sleep, on_told=on_compression)
        self._indexing = indexing
        self._model = model
        self._chance = chance or random.Random()
        self._turn = asyncio.Lock()
        self.compressor = Compressor(store, model, clock, self._asker, self._turn)

    # ---- what a caller may ask

    async def recall(self, keywords: Sequence[str], relations: Sequence[str], depth: int | None, limit: int) -> str:
        layers = self._network.default_search_depth if depth is None else depth
        check_question(keywords, relations, layers, limit)
        found = await self.mailbox.turn(lambda: self._recall(keywords, relations, layers, limit))
        return found.text

    async def focus(self) -> list[str]:
        """What is in focus, most recently mentioned first."""
        return (await focus_names(self._store))[::-1]

    async def compress(self, enough: Callable[[], bool]) -> bool:
        """Go on with the cycles that are due; True once none is left, False if it was `enough` before."""
        while await self.compressor.waiting():
            if enough() or not await self.compressor.work(enough):
                return False
            await asyncio.sleep(0)  # a cycle with nothing to do would not let anybody else in
        return True

    async def fade(self, cycles: int) -> None:
        """Let so many cycles be due that nothing told has called for, and carry them out."""
        for _ in range(cycles):
            due = Enqueue(self._clock.now(), COMPRESS, upto=await self._store.reserve(0) - 1)
            await self._store.apply(Batch((due,), new_token()))
            await self.compress(lambda: False)

    async def wake(self) -> bool:
        await super().wake()
        return await self.compressor.waiting() > 0

    # ---- how it is done

    async def _remember(self, task: Task) -> None:
        understood = await understand(self._store, self._reader(), self._model, self._asker(), task.messages)
        await self._with_patience(lambda: self._settle(task, understood))
        self._on_told()

    async def _settle(self, task: Task, understood: Sequence[Understood]) -> None:
        async with self._turn:
            changes = await told(self._store, task, understood, self._clock.now(), self._chance)
            await self._store.apply(Batch(tuple(changes), new_token()))

    async def _recall(self, keywords: Sequence[str], relations: Sequence[str], depth: int, limit: int) -> Recalled:
        async with self._turn:  # else a cycle could take the traces away that are about to be swept
            now = self._clock.now()
            found = await recall_or_cue(self._store, keywords, relations, depth, limit, self._indexing(), now)
            if found.memories:
                await self._store.apply(Batch((Traverse(now, found.memories),), new_token()), lazy=True)
            if found.ghosts and self._network.traces == "sweep":
                with suppress(NotFound):  # an owner was quicker: the others are told once more
                    await self._store.apply(Batch(tuple(sweeps(found, now)), new_token()))
        return found

    @property
    def _network(self) -> Network:
        network = networked(self._store.regime.metabolism)
        assert network is not None
        return network


class Conversing:
    """The verbs of conversations. Every mind is told them; recall, focus and fading are a network mind's alone."""

    _store: Store
    _clock: Clock
    _indexing: Indexing
    _life: Conversation | None

    async def remember(self, messages: Sequence[Message | Mapping[str, Any]]) -> int:
        """Hand over messages ({role, content, timestamp, name}); returns the task's number once it is on disk.

        A segment becomes a memory that is as old as the message it comes from: `timestamp` in seconds, or now. Its
        `speaker` is who said most of it: the message's `name`, or else its role.

        >>> task = await mind.remember([{"role": "user", "content": "The ferry to Lamma leaves at 8:40."}])
        """
        return await self._told.remember(messages)

    async def recall(
        self, keywords: Sequence[str] = (), relations: Sequence[str] = (), depth: int | None = None, limit: int = 100
    ) -> str:
        """What comes to mind, as plain text: outward from the focus, stronger links first. Waits its turn.

        If that meets none of the keywords, recall starts again from the memories and entities they name (`cue`).
        In a view of another time or regime it walks the same way, counts no walk and sweeps no trace.

        >>> print(await mind.recall(["ferry"]))
        [memory] Lin takes the ferry to Lamma.
        """
        if self._life is None and (rule := networked(self._store.regime.metabolism)) is not None:
            layers = rule.default_search_depth if depth is None else depth
            check_question(keywords, relations, layers, limit)
            asked = (keywords, relations, layers, limit)
            return (await recall_or_cue(self._store, *asked, self._indexing, self._clock.now())).text
        return await self._network_life("use search").recall(keywords, relations, depth, limit)

    async def focus(self) -> Sequence[str]:
        """What the mind is on, most recently mentioned first.

        >>> "Lin" in await mind.focus()
        True
        """
        if self._life is None and self._store.regime.metabolism.traits.network:
            return (await focus_names(self._store))[::-1]
        return await self._network_life("it has no focus").focus()

    async def traces(self) -> Sequence[Trace]:
        """Everything the mind once knew and still knows that it did.

        >>> list(await mind.traces())
        []
        """
        return await traces(self._store)

    async def queue(self) -> Sequence[Task]:
        """What waits to be done, in order; what failed and was set aside last.

        >>> [task.kind for task in await mind.queue()]
        []
        """
        return await self._store.tasks()

    async def retry(self, task: int) -> None:
        """Try a task again that was set aside.

        >>> for task in await mind.queue():
        ...     await mind.retry(task.id) if task.error else None
        """
        await self._told.retry(task)

    async def drop(self, task: int) -> None:
        """Give a task up for good.

        >>> for task in await mind.queue():
        ...     await mind.drop(task.id) if task.error else None
        """
        await self._told.drop(task)

    async def idle(self) -> None:
        """Until everything handed over is remembered.

        >>> await mind.idle()
        """
        if self._life is not None:
            await self._life.idle()

    async def compress(self, enough: Callable[[], bool] = lambda: False) -> bool:
        """Go on with the compression that is due: True once none is left, False if it was `enough` before.

        >>> await mind.compress()
        True
        """
        return await self._life.compress(enough) if isinstance(self._life, NetworkLife) else True

    async def fade(self, cycles: int = 1) -> None:
        """Let so many compression cycles pass at once, as if that much had been remembered since.

        >>> await mind.fade(3)
        """
        await self._network_life("it has no cycles").fade(cycles)

    async def wake(self) -> bool:
        """Take up what was left in the queue. True if compression is due."""
        return self._life is not None and await self._life.wake()

    @property
    def time_slice(self) -> float:
        """Seconds this mind may compress before it makes way for another."""
        return float(self._store.regime.params().get("time_slice", 0)) / 1000.0

    @property
    def _told(self) -> Conversation:
        if self._life is None:
            raise InvalidInput(problem="a view of another time or regime can be looked at, but is told nothing")
        return self._life

    def _network_life(self, instead: str) -> NetworkLife:
        """`instead`: what a mind of another metabolism has to say."""
        metabolism = self._store.regime.metabolism
        if not metabolism.traits.network:
            raise InvalidInput(problem=f"this takes a network mind; this one lives by {metabolism.name}: {instead}")
        life = self._told
        assert isinstance(life, NetworkLife)
        return life


def check_question(keywords: Any, relations: Any, depth: Any, limit: Any) -> None:
    """What a recall asks for, from outside."""
    for name, words in (("keywords", keywords), ("relations", relations)):
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise InvalidInput(problem=f"{name} are a list of words, not {words!r:.80}")
    if not isinstance(depth, int) or not 1 <= depth <= MAX_DEPTH:
        raise InvalidInput(problem=f"a recall goes 1 to {MAX_DEPTH} links deep, not {depth!r:.80}")
    if not isinstance(limit, int) or limit < 1:
        raise InvalidInput(problem=f"a recall tells one memory or more, not {limit!r:.80}")
