"""Being told conversations, in any mind: a durable queue, worked off strictly in order.   SPEC C14, N2.

Segments become memories, neighbours are linked by order, and facts hang on the segment they come from. A network mind
(`network.NetworkLife`) does more with a task: focus, entities, relations and compression.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ebbtide.core.changes import Batch, Change, PutLink, PutMemory, Settle
from ebbtide.core.draft import MAX_LABEL, MAX_TEXT, require_text
from ebbtide.core.errors import Conflict, InvalidInput, KeyTaken, NotFound, UnknownTask
from ebbtide.core.memory import DEFAULT_STRENGTH, Content, Message
from ebbtide.core.ports import Clock, FactFinder, SmallModel, Store
from ebbtide.core.relations import SUPPORTED_BY, Order, order_in
from ebbtide.core.state import COMPRESS, Task
from ebbtide.mind.asking import Asker, Sleep
from ebbtide.mind.mailbox import Mailbox
from ebbtide.mind.segments import FACT, FACTS, NO_FACTS, SEGMENT, Reader, Segment
from ebbtide.mind.tokens import new_token
from ebbtide.mind.writing import free_key

log = logging.getLogger("ebbtide")

ROLES = ("user", "assistant", "system")
MAX_MESSAGES = 10_000
_EVER = 1e15  # no moment is further away; one that is yet to come counts as now
_ATTEMPTS = 3  # to put a batch together while other writers are busy in the same mind


class Conversation:
    """The queue of one mind and what becomes of its tasks. `model` is called when there is something to understand."""

    def __init__(
        self,
        store: Store,
        model: Callable[[], SmallModel],
        clock: Clock,
        *,
        sleep: Sleep = asyncio.sleep,
        on_told: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._small_model = model
        self._clock = clock
        self._sleep = sleep
        self._on_told = on_told
        self._warned = False
        self.mailbox = Mailbox(store, clock, self._remember)

    async def remember(self, messages: Any) -> int:
        checked = parsed_messages(messages)
        self._small_model()  # one that cannot be had is an error before a task waits for it
        return await self.mailbox.post(checked)

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

    async def wake(self) -> bool:
        """Take up what was left in the queue. True if compression is due."""
        await self.mailbox.wake()
        return False

    async def close(self) -> None:
        await self.mailbox.close()

    # ---- how it is done

    async def _remember(self, task: Task) -> None:
        segments = await self._reader().segments(task.messages)
        await self._with_patience(lambda: self._tell(task, segments))
        self._on_told()

    async def _tell(self, task: Task, segments: Sequence[Segment]) -> None:
        changes = await told(self._store, task, segments, self._clock.now())
        await self._store.apply(Batch(tuple(changes), new_token()))

    async def _with_patience(self, work: Callable[[], Awaitable[None]]) -> None:
        """A memory may be forgotten, or a key taken, just while a batch that speaks of it is put together."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return await work()
            except (NotFound, KeyTaken):
                continue
        return await work()

    def _reader(self) -> Reader:
        model, facts = self._small_model(), self._store.regime.common.distil == FACTS
        if facts and not isinstance(model, FactFinder) and not self._warned:
            self._warned = True
            log.warning(NO_FACTS)
        return Reader(model, self._asker(), facts=facts)

    def _asker(self) -> Asker:
        retries = 1 if self._small_model().deterministic else self._store.regime.common.max_retries
        return Asker(retries, self._sleep)


async def told(store: Store, task: Task, segments: Sequence[Segment], now: float) -> list[Change]:
    """All that becomes of a task outside network minds, to be applied at once."""
    changes: list[Change] = []
    before, order = None, order_of(task)
    for part in segments:
        memory = await store.reserve(1)
        changes.append(segment_put(memory, await free_key(store, memory), part, now))
        changes += await facts_put(store, memory, part, now)
        if before is not None:
            changes += order_links(before, memory, order, DEFAULT_STRENGTH, now)
        before = memory
    return [*changes, Settle(now, task.id)]


def segment_put(memory: int, key: str, part: Segment, now: float) -> PutMemory:
    content = Content(key, part.text, part.gist.phrase, part.gist.keywords, SEGMENT, speaker=part.speaker)
    return PutMemory(now, memory, content, _made_at(part, now))


async def facts_put(store: Store, segment: int, part: Segment, now: float) -> list[Change]:
    """Each fact as a memory of its own, as old as its segment, of the same speaker, and supported by it."""
    changes: list[Change] = []
    for fact in part.facts:
        memory = await store.reserve(1)
        keywords = tuple(word for word in part.gist.keywords if word.casefold() in fact.casefold())
        content = Content(await free_key(store, memory), fact, "", keywords, FACT, speaker=part.speaker)
        changes.append(PutMemory(now, memory, content, _made_at(part, now)))
        changes.append(PutLink(now, memory, segment, SUPPORTED_BY, 1.0))
    return changes


def order_of(task: Task) -> Order:
    """What order is called in the language of the conversation."""
    return order_in("\n".join(message.content for message in task.messages))


def order_links(before: int, after: int, order: Order, strength: float, now: float) -> list[Change]:
    """Neighbours of one conversation, linked both ways."""
    return [PutLink(now, before, after, order.forward, strength), PutLink(now, after, before, order.back, strength)]


def _made_at(part: Segment, now: float) -> float:
    """When it was said, as far as the messages tell, and never in the future."""
    return now if part.at is None else min(part.at, now)


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
        problem = f"message {number} is not {{role, content, timestamp, name}}: {given!r:.80}"
        raise InvalidInput(problem=problem) from None
    if message.role not in ROLES:
        raise InvalidInput(problem=f"message {number}: the role {message.role!r} is not one of {', '.join(ROLES)}")
    try:
        require_text("content", message.content, MAX_TEXT, empty=True)
        require_text("name", message.name, MAX_LABEL, empty=True)
    except InvalidInput as error:
        raise InvalidInput(problem=f"message {number}: {error}") from None
    if message.timestamp is not None and not _is_moment(message.timestamp):
        problem = f"message {number}: the timestamp {message.timestamp!r:.80} is not a number of seconds"
        raise InvalidInput(problem=problem)
    return message


def _is_moment(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_EVER <= value <= _EVER
