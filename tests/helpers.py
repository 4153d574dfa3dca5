"""What the tests of stores, minds and hosts share: a clock turned by hand, minds to live in, random histories."""

import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import ebbtide
from ebbtide.core.changes import Batch, Change, Configure, PutMemory
from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import DAY, HOUR, Content, Memory
from ebbtide.core.parameters import regime
from ebbtide.core.ports import Store
from ebbtide.core.signals import Column
from ebbtide.core.snapshot import Snapshot
from ebbtide.mind import Mind
from ebbtide.mind.tools import Tools
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH

METABOLISMS = ("activity", "network", "score", "retention", "tide")
MINUTE = 60.0

# A history is many calls: few examples of long ones find more than many of short ones.
lives = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


class FakeClock:
    def __init__(self, moment: float = BIRTH) -> None:
        self.moment = moment

    def now(self) -> float:
        return self.moment

    def forward(self, seconds: float) -> None:
        self.moment += seconds


# ---- batches

_tokens = itertools.count(1)


def batch(*changes: Change, token: str | None = None) -> Batch:
    return Batch(changes, token or f"test-{next(_tokens)}")


def born(memory: int, key: str | None = None, at: float = BIRTH, **content: Any) -> PutMemory:
    key = key or f"k{memory}"
    return PutMemory(at, memory, Content(key, **{"text": f"the text of {key}", **content}), at)


def configured(metabolism: str, **params: Any) -> Configure:
    return Configure(BIRTH, metabolism, regime(metabolism, params)[0].params())


# ---- minds


class LetterEmbedder:
    """Near is what has the same letters, wherever they stand. Quick, and always of the same opinion."""

    name, dimensions = "letters", 64

    async def embed(self, texts: Sequence[str]) -> Column:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            np.add.at(row, [ord(letter) % self.dimensions for letter in text], 1.0)
        return rows

    async def aclose(self) -> None:
        pass


async def mind_in_ram(
    metabolism: str = "activity", clock: FakeClock | None = None, *, tools: Tools | None = None, **params: Any
) -> Mind:
    store = MemoryStore()
    await store.apply(batch(configured(metabolism, **params)))
    return Mind("ada", store, clock or FakeClock(), MemoryStore, tools=tools)


def able_to_search() -> Tools:
    """By words, and by letters."""
    analyzer, embedder = Analyzer(), LetterEmbedder()
    return Tools(lambda: analyzer, lambda: embedder)


@asynccontextmanager
async def mind_on_disk(
    folder: Path, metabolism: str = "activity", clock: FakeClock | None = None, **params: Any
) -> AsyncIterator[Mind]:
    parts: dict[str, Any] = {"clock": clock or FakeClock(), "embedder": LetterEmbedder()}
    async with ebbtide.open("ada", data=folder, metabolism=metabolism, **parts, **params) as mind:
        yield mind


def store_of(mind: Mind) -> Store:
    return mind._store


async def snapshot(mind: Mind) -> Snapshot:
    """The whole mind as a value, without the number of its last journal entry and the time of the reaper's last run."""
    return replace(await store_of(mind).snapshot(), seq=0, reaped_at=None)


async def everything(mind: Mind) -> tuple[Memory, ...]:
    """All memories as a reader sees them now, hidden ones too."""
    return (await mind.list(everything=True, limit=1000)).memories


async def written_down(mind: Mind) -> dict[str, tuple[int, int, int | None]]:
    """State, marks and score of each memory as the tables have them."""
    found = await store_of(mind).snapshot()
    return {content.key: (row["state"], row["marks"], row.get("score")) for content, row in found.memories}


def held(found: Snapshot) -> dict[int, int]:
    """What keeps each memory of a retention mind from expiring, counted from the links."""
    here = {row["id"] for _, row in found.memories}
    ends = [link.target for link in found.links if link.relation == "SUPPORTED_BY"]
    equal = [link for link in found.links if link.relation == "EQUIV" and {link.source, link.target} <= here]
    ends += [end for link in equal for end in (link.source, link.target)]
    return {memory: ends.count(memory) for memory in here}


# ---- histories


@dataclass(frozen=True)
class Deed:
    """One call on a mind; `wait` turns the clock."""

    verb: str
    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


async def perform(deed: Deed, mind: Mind, clock: FakeClock) -> EbbtideError | None:
    """Until all that it set off has happened. Being refused is a part of life: the refusal is returned."""
    if deed.verb == "wait":
        clock.forward(*deed.args)
        return None
    try:
        await getattr(mind, deed.verb)(*deed.args, **deed.options)
        await mind.settled()
    except EbbtideError as refusal:
        return refusal
    return None


async def live(deeds: Sequence[Deed], mind: Mind, clock: FakeClock) -> None:
    for deed in deeds:
        await perform(deed, mind, clock)


KEYS = ("a", "b", "c", "d")
TEXTS = ("tide", "ebbs", "the ferry leaves at 8:40", "渡轮八点四十分开", "渡轮开了", "x")
RELATIONS = ("about", "属于", "SUPPORTED_BY", "EQUIV", "after")
WAITS = (0.0, 1.0, 20 * MINUTE, 5 * HOUR, DAY, 3.5 * DAY, 16 * DAY, 31 * DAY)

keys, texts, relations = st.sampled_from(KEYS), st.sampled_from(TEXTS), st.sampled_from(RELATIONS)
strengths = st.sampled_from((0.0, 0.1, 0.5, 0.7, 1.0))
waits = st.sampled_from(WAITS) | st.floats(0.0, 60 * DAY)


def _deed(verb: str, *args: st.SearchStrategy[Any], **options: st.SearchStrategy[Any]) -> st.SearchStrategy[Deed]:
    return st.builds(Deed, st.just(verb), st.tuples(*args), st.fixed_dictionaries({}, optional=options))


WAIT = _deed("wait", waits)
READS = (_deed("get", keys), _deed("follow", keys))
WRITES = (
    _deed("put", texts, key=keys, phrase=texts, keywords=st.lists(texts, max_size=2), kind=texts, domain=texts),
    st.builds(lambda text, key: Deed("put", (text,), {"key": key, "replace": True}), texts, keys),
    _deed("link", keys, keys, relations, strengths),
    _deed("unlink", keys, keys, relations),
    _deed("touch", keys, revive=st.booleans()),
    _deed("pin", keys, keys),
    _deed("unpin", keys),
)
LEAVINGS = (
    _deed("forget", keys),
    _deed("forget", keys, keys),
    _deed("merge", keys, keys, text=texts),
    _deed("restore", keys, new_key=keys),
    _deed("revert", keys),
)
SUGGESTED = (
    _deed("accept", st.just("delete"), keys),
    _deed("dismiss", st.just("delete"), keys),
    _deed("accept", st.just("merge"), keys, keys, text=texts),
    _deed("dismiss", st.just("merge"), keys, keys),
)
TICK = st.just(Deed("tick"))
RETENTION_PUT = _deed(
    "put", texts, key=keys, importance=st.sampled_from((0.0, 0.3, 1.0)),
    policy=st.sampled_from(("normal", "persistent", "ephemeral")),
)  # fmt: skip
BIRTHS = [Deed("put", (f"this is {key}",), {"key": key}) for key in KEYS]


def histories(
    *more: st.SearchStrategy[Deed], of: Sequence[st.SearchStrategy[Deed]] = (*WRITES, *READS, *LEAVINGS), size: int = 25
) -> st.SearchStrategy[list[Deed]]:
    """Lives of a mind that begins with four memories; time passes between the calls more often than not."""
    one = st.one_of(WAIT, WAIT, TICK, *of, *more)
    return st.lists(one, min_size=size // 5, max_size=size).map(lambda deeds: [*BIRTHS, *deeds])
