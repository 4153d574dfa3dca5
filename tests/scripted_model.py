"""A small model that anybody can follow in their head, and network minds that live by it.

segments    a message is cut at every |
entities    the words with a capital, in their order: the first is the most important
keywords    the words of at least four letters
phrase      the first two words
relation    about; in Chinese 关于
compress    the first so many characters, to the letter
"""

import asyncio
import re
import string
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from ebbtide.core.errors import ModelFailed
from ebbtide.core.language import is_chinese
from ebbtide.core.memory import Memory, Message
from ebbtide.core.ports import Distilled, SmallModel, Store
from ebbtide.mind import Mind
from ebbtide.mind.conversation import Conversation
from ebbtide.mind.network import NetworkLife
from ebbtide.mind.tools import Tools
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from tests.helpers import FakeClock, batch, configured, everything, store_of

WORD = re.compile(r"\w+")
Answer = Callable[[str, int], str]


class ScriptedModel:
    """`deterministic` False: it is asked up to max_retries times, as a served model would be."""

    def __init__(self, *, deterministic: bool = True) -> None:
        self.deterministic = deterministic
        self.asked: list[str] = []

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        self.asked.append("segment")
        parts = (part.strip() for message in messages for part in message.content.split("|"))
        return [part for part in parts if part]

    async def distil(self, segment: str) -> Distilled:
        self.asked.append("distil")
        words = list(dict.fromkeys(WORD.findall(segment)))
        weighty = tuple(word for word in words if len(word) > 3)
        return Distilled(" ".join(words[:2]), weighty[:8], tuple(word for word in words if word[0].isupper()))

    async def relation(self, segment: str, entity: str) -> str:
        self.asked.append("relation")
        return "关于" if is_chinese(segment) else "about"

    async def compress(self, text: str, length: int) -> str:
        self.asked.append("compress")
        return text[:length]

    async def overlap(self, one: str, two: str) -> float:
        self.asked.append("overlap")
        return float(one == two)

    async def aclose(self) -> None:
        self.asked.append("aclose")


class Stubborn(ScriptedModel):
    """Compresses by a script: each answer a function of text and length, or an error; the last one for ever."""

    def __init__(self, *script: Answer | Exception, deterministic: bool = False) -> None:
        super().__init__(deterministic=deterministic)
        self.script = list(script)

    async def compress(self, text: str, length: int) -> str:
        self.asked.append("compress")
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(step, Exception):
            raise step
        return step(text, length)


def well(text: str, length: int) -> str:
    return text[:length]


FAILS = ModelFailed(detail="HTTP 500")


# ---- minds


async def no_sleep(seconds: float) -> None:
    """Nothing really waits."""
    await asyncio.sleep(0)


def network_life(
    store: Store,
    model: SmallModel | None = None,
    clock: FakeClock | None = None,
    sleep: Callable[[float], Awaitable[None]] = no_sleep,
) -> NetworkLife:
    return NetworkLife(store, model or ScriptedModel(), clock or FakeClock(), sleep=sleep)


def network_mind(store: Store, model: SmallModel | None = None, clock: FakeClock | None = None) -> Mind:
    """A mind over this store, configured already, whose pauses take no time."""
    clock, model = clock or FakeClock(), model or ScriptedModel()
    mind = Mind("ada", store, clock, MemoryStore, model=model)
    mind._life = network_life(store, model, clock)
    return mind


async def network_in_ram(model: SmallModel | None = None, clock: FakeClock | None = None, **params: Any) -> Mind:
    store = MemoryStore()
    await store.apply(batch(configured("network", **params)))
    return network_mind(store, model, clock)


async def told_in_ram(
    metabolism: str, model: SmallModel | None = None, clock: FakeClock | None = None, **params: Any
) -> Mind:
    """A mind of any metabolism whose pauses take no time; what it is found by are words."""
    store, clock, model = MemoryStore(), clock or FakeClock(), model or ScriptedModel()
    await store.apply(batch(configured(metabolism, **params)))
    if metabolism == "network":
        return network_mind(store, model, clock)
    mind = Mind("ada", store, clock, MemoryStore, model=model, tools=Tools(Analyzer))
    mind._life = Conversation(store, lambda: model, clock, sleep=no_sleep)
    return mind


class FindingFacts(ScriptedModel):
    """Finds facts by a script: each answer a list, or an error; the last one for ever."""

    def __init__(self, *script: list[str] | Exception, deterministic: bool = False) -> None:
        super().__init__(deterministic=deterministic)
        self.script = list(script)

    async def facts(self, segment: str) -> list[str]:
        self.asked.append("facts")
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(step, Exception):
            raise step
        return step


def said(*contents: str, role: str = "user", **more: Any) -> list[dict[str, Any]]:
    return [{"role": role, "content": content, **more} for content in contents]


async def tell(mind: Mind, *contents: str) -> None:
    """Remember this and carry out the cycle it calls for."""
    await mind.remember(said(*contents))
    await settle(mind)


async def settle(mind: Mind) -> None:
    await mind.idle()
    await mind.compress()


# ---- looking at them


async def texts(mind: Mind, kind: str = "segment") -> list[str]:
    """What the living memories of this kind say, eldest first."""
    return [memory.text for memory in await everything(mind) if memory.kind == kind]


async def by_text(mind: Mind, beginning: str) -> Memory:
    """The one living memory that begins so."""
    (found,) = [memory for memory in await everything(mind) if memory.text.startswith(beginning)]
    return found


async def links(mind: Mind, names: Callable[[Memory], str] = lambda memory: memory.text) -> set[tuple[Any, ...]]:
    """All links, traces left out: (from, relation, to, strength now)."""
    found, store = set(), store_of(mind)
    here = {memory.id: names(memory) for memory in await everything(mind)}
    for memory in here:
        for link in await store.links(memory, outgoing=True):
            if link.target in here:
                found.add((here[link.source], link.relation, here[link.target], link.strength))
    return found


def both_ways(one: str, relation: str, others: Iterable[str], strength: float = 1.0) -> set[tuple[Any, ...]]:
    """Links between a segment and focus points."""
    return {ends for other in others for ends in ((one, relation, other, strength), (other, relation, one, strength))}


# ---- fading

# A hundred characters without a capital but the first: one entity, and any prefix of it is a compression of it.
HUNDRED = ("Lin " + "takes the early ferry and reads a novel on the upper deck while the harbour wakes " * 2)[:100]


async def topics(mind: Mind, count: int, first: int = 0) -> None:
    """So many further remembers, each about something new."""
    for number in range(first, first + count):
        await tell(mind, f"{topic(number)} came up")


def topic(number: int) -> str:
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters = string.ascii_lowercase[digit] + letters
        if not number:
            return f"T{letters.rjust(4, 'o')}"


async def length_of(mind: Mind, memory: int) -> int:
    """How long its text is by now; 0 once it is forgotten."""
    contents = await store_of(mind).contents([memory])
    return len(contents[memory].text) if memory in contents else 0
