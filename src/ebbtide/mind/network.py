"""The life of a network mind: what it is told, what it recalls, and how it fades in between.   SPEC §N."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ebbtide.core.changes import Batch, Enqueue, Settle, Traverse
from ebbtide.core.draft import MAX_TEXT, require_text
from ebbtide.core.errors import Conflict, InvalidInput, NotFound, UnknownTask
from ebbtide.core.memory import Message
from ebbtide.core.metabolism import Network
from ebbtide.core.ports import Clock, SmallModel, Store
from ebbtide.core.state import COMPRESS, Task
from ebbtide.mind.asking import Asker, Sleep
from ebbtide.mind.cycle import Compressor
from ebbtide.mind.mailbox import Mailbox
from ebbtide.mind.recall import Recalled, Trace, recall, sweeps, traces
from ebbtide.mind.remember import Understood, focus_names, told, understand
from ebbtide.mind.tokens import new_token

ROLES = ("user", "assistant", "system")
MAX_MESSAGES = 10_000
MAX_DEPTH = 100
_EVER = 1e15  # no moment is further away; one that is yet to come counts as now
_ATTEMPTS = 3  # to put a batch together while somebody else is busy in the same mind


class NetworkLife:
    def __init__(
        self,
        store: Store,
        model: SmallModel,
        clock: Clock,
        *,
        sleep: Sleep = asyncio.sleep,
        chance: random.Random | None = None,
        on_compression: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._model = model
        self._clock = clock
        self._sleep = sleep
        self._chance = chance or random.Random()
        self._on_compression = on_compression
        self._turn = asyncio.Lock()
        self.mailbox = Mailbox(store, clock, self._remember)
        self.compressor = Compressor(store, model, clock, self._asker, self._turn)

    # ---- what a caller may ask

    async def remember(self, messages: Any) -> int:
        return await self.mailbox.post(parsed_messages(messages))

    async def recall(self, keywords: Sequence[str], relations: Sequence[str], depth: int | None, limit: int) -> str:
        layers = self._network.default_search_depth if depth is None else depth
        check_question(keywords, relations, layers, limit)
        found = await self.mailbox.turn(lambda: self._recall(keywords, relations, layers, limit))
        return found.text

    async def focus(self) -> list[str]:
        """What is in focus, most recently mentioned first."""
        return (await focus_names(self._store))[::-1]

    async def retry(self, number: int) -> None:
        task = await self._store.task(number)
        if task is None:
            raise UnknownTask(task=number)
        if task.error is None:
            raise Conflict(problem=f"task {number} has not failed: it waits for its turn")
        if task.kind == COMPRESS:
            raise InvalidInput(problem=f"task {number} is a compression: it goes on by itself")
        await self.mailbox.again(number)

    async def drop(self, number: int) -> None:
        await self._store.apply(Batch((Settle(self._clock.now(), number, "dropped"),), new_token()))

    async def idle(self) -> None:
        """Until everything told is remembered. Compression goes on in its own time."""
        await self.mailbox.idle()

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

    async def close(self) -> None:
        await self.mailbox.close()

    # ---- how it is done

    async def _remember(self, task: Task) -> None:
        understood = await understand(self._store, self._model, self._asker(), task.messages)
        await self._with_patience(lambda: self._tell(task, understood))
        self._on_compression()

    async def _tell(self, task: Task, understood: Sequence[Understood]) -> None:
        async with self._turn:
            changes = await told(self._store, task, understood, self._clock.now(), self._chance)
            await self._store.apply(Batch(tuple(changes), new_token()))

    async def _with_patience(self, work: Callable[[], Awaitable[None]]) -> None:
        """A memory may be forgotten by its owner just while a batch that speaks of it is put together."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return await work()
            except NotFound:
                continue
        return await work()

    async def _recall(self, keywords: Sequence[str], relations: Sequence[str], depth: int, limit: int) -> Recalled:
        async with self._turn:  # else a cycle could take the traces away that are about to be swept
            found = await recall(self._store, keywords, relations, depth, limit)
            now = self._clock.now()
            if found.memories:
                await self._store.apply(Batch((Traverse(now, found.memories),), new_token()), lazy=True)
            if found.ghosts and self._network.traces == "sweep":
                with suppress(NotFound):  # an owner was quicker: the others are told once more
                    await self._store.apply(Batch(tuple(sweeps(found, now)), new_token()))
        return found

    def _asker(self) -> Asker:
        return Asker(1 if self._model.deterministic else self._network.max_retries, self._sleep)

    @property
    def _network(self) -> Network:
        metabolism = self._store.regime.metabolism
        assert isinstance(metabolism, Network)
        return metabolism


class Conversing:
    """The verbs of a network mind; a mind with another metabolism refuses those that make no sense to it."""

    _store: Store
    _life: NetworkLife | None

    async def remember(self, messages: Sequence[Message | Mapping[str, Any]]) -> int:
        """Hand over messages ({role, content, timestamp}); returns the task's number once it is on disk.

        >>> task = await mind.remember([{"role": "user", "content": "The ferry to Lamma leaves at 8:40."}])
        """
        return await self._network_life.remember(messages)

    async def recall(
        self, keywords: Sequence[str] = (), relations: Sequence[str] = (), depth: int | None = None, limit: int = 100
    ) -> str:
        """What comes to mind, as plain text: outward from the focus, stronger links first. Waits its turn.

        In a view of another time or regime it walks the same way, counts no walk and sweeps no trace.

        >>> print(await mind.recall(["ferry"]))
        [记忆] Lin takes the ferry to Lamma.
        """
        if self._life is None and isinstance(rule := self._store.regime.metabolism, Network):
            layers = rule.default_search_depth if depth is None else depth
            check_question(keywords, relations, layers, limit)
            return (await recall(self._store, keywords, relations, layers, limit)).text
        return await self._network_life.recall(keywords, relations, depth, limit)

    async def focus(self) -> Sequence[str]:
        """What the mind is on, most recently mentioned first.

        >>> "Lin" in await mind.focus()
        True
        """
        if self._life is None and self._store.regime.metabolism.name == Network.name:
            return (await focus_names(self._store))[::-1]
        return await self._network_life.focus()

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
        await self._network_life.retry(task)

    async def drop(self, task: int) -> None:
        """Give a task up for good.

        >>> for task in await mind.queue():
        ...     await mind.drop(task.id) if task.error else None
        """
        await self._network_life.drop(task)

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
        return True if self._life is None else await self._life.compress(enough)

    async def fade(self, cycles: int = 1) -> None:
        """Let so many compression cycles pass at once, as if that much had been remembered since.

        >>> await mind.fade(3)
        """
        await self._network_life.fade(cycles)

    async def wake(self) -> bool:
        """Take up what was left in the queue. True if compression is due."""
        if self._life is None:
            return False
        await self._life.mailbox.wake()
        return await self._life.compressor.waiting() > 0

    @property
    def time_slice(self) -> float:
        """Seconds this mind may compress before it makes way for another."""
        return float(self._store.regime.params().get("time_slice", 0)) / 1000.0

    @property
    def _network_life(self) -> NetworkLife:
        if self._life is None:
            metabolism = self._store.regime.metabolism
            if metabolism.name == Network.name:
                raise InvalidInput(problem="a view of another time or regime can be looked at, but is told nothing")
            raise InvalidInput(
                problem=f"this takes a network mind; this one lives by {metabolism.name}: use put and get"
            )
        return self._life


def check_question(keywords: Any, relations: Any, depth: Any, limit: Any) -> None:
    """What a recall asks for, from outside."""
    for name, words in (("keywords", keywords), ("relations", relations)):
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise InvalidInput(problem=f"{name} are a list of words, not {words!r:.80}")
    if not isinstance(depth, int) or not 1 <= depth <= MAX_DEPTH:
        raise InvalidInput(problem=f"a recall goes 1 to {MAX_DEPTH} links deep, not {depth!r:.80}")
    if not isinstance(limit, int) or limit < 1:
        raise InvalidInput(problem=f"a recall tells one memory or more, not {limit!r:.80}")


def parsed_messages(messages: Any) -> tuple[Message, ...]:
    """Messages from outside, checked; those that say nothing are left out."""
    if isinstance(messages, str | bytes) or not isinstance(messages, Sequence):
        raise InvalidInput(problem="remember takes a list of messages, each with a role and a content")
    if len(messages) > MAX_MESSAGES:
        raise InvalidInput(problem=f"{len(messages):,} messages are too many at once: at most {MAX_MESSAGES:,}")
    found = tuple(_parsed(message, number) for number, message in enumerate(messages, 1))
    said = tuple(message for message in found if message.content.strip())
    if not said:
        raise InvalidInput(problem="there is nothing to remember: no message says anything")
    return said


def _parsed(given: Any, number: int) -> Message:
    try:
        message = given if isinstance(given, Message) else Message(**given)
    except TypeError:
        problem = f"message {number} is not {{role, content, timestamp}}: {given!r:.80}"
        raise InvalidInput(problem=problem) from None
    if message.role not in ROLES:
        raise InvalidInput(problem=f"message {number}: the role {message.role!r} is not one of {', '.join(ROLES)}")
    try:
        require_text("content", message.content, MAX_TEXT, empty=True)
    except InvalidInput as error:
        raise InvalidInput(problem=f"message {number}: {error}") from None
    if message.timestamp is not None and not _is_moment(message.timestamp):
        problem = f"message {number}: the timestamp {message.timestamp!r:.80} is not a number of seconds"
        raise InvalidInput(problem=problem)
    return message


def _is_moment(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_EVER <= value <= _EVER
