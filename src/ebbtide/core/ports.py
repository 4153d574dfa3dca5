"""What the mind needs from the world, as protocols. Stores, clocks and models implement them; nobody inherits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from ebbtide.core.changes import Batch, Entry, Receipt
from ebbtide.core.finding import Candidates, Query
from ebbtide.core.index import IndexRow, Material, Recipe, SearchIndex, Unread
from ebbtide.core.lexical import Frequencies
from ebbtide.core.memory import CODE_OF, Content, Link, Message, State
from ebbtide.core.parameters import Regime
from ebbtide.core.question import Question
from ebbtide.core.signals import Column, Signals
from ebbtide.core.snapshot import Snapshot
from ebbtide.core.state import Refused, Task, Trashed, Twins, Walk
from ebbtide.core.terms import Terms


class Clock(Protocol):
    def now(self) -> float:
        """UTC, in seconds since the epoch."""
        ...


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a small model finds in a segment: a short summary, weighty words, and what it speaks of."""

    phrase: str
    keywords: tuple[str, ...]
    entities: tuple[str, ...]  # nouns, names, pronouns; the most important first


class SmallModel(Protocol):
    """The five jobs a mind gives away. Raises ModelFailed when there is no usable answer.

    Answers are taken as data: the mind checks them and never trusts their length, language or facts.
    """

    @property
    def deterministic(self) -> bool:
        """Part of the engine, not a guest: it says the same every time, and only in the text's own words.

        Then it is asked once, and of a compression only the length is checked.
        """
        ...

    async def segment(self, messages: Sequence[Message]) -> list[str]:
        """The messages as pieces of text that each speak of one thing, in order; nothing said is left out."""
        ...

    async def distil(self, segment: str) -> Distilled: ...

    async def relation(self, segment: str, entity: str) -> str:
        """What the segment is to the entity: 属于, 关于, 涉及 …, in the segment's language."""
        ...

    async def compress(self, text: str, length: int) -> str:
        """The text in at most `length` characters, losing as little meaning as it can."""
        ...

    async def overlap(self, one: str, two: str) -> float:
        """How much two texts say the same: 0 nothing, 1 everything."""
        ...

    async def aclose(self) -> None:
        """Let go of whatever it holds."""
        ...


@runtime_checkable
class FactFinder(Protocol):
    """A small model that can do one more job, for minds with distil = "facts". The built-in one cannot."""

    async def facts(self, segment: str) -> list[str]:
        """What the segment states, as sentences that each make sense alone; none if it states nothing."""
        ...


class TextFeatures(NamedTuple):
    """What can be read off one text, for its content prior and to explain it."""

    length: float  # ln(1 + characters), a Han character counts as three
    time: bool  # names a time
    asks: bool  # ends in a question mark
    first: bool  # speaks in the first person
    second: bool  # addresses a second person
    chinese: bool = False


class Analyzer(Protocol):
    """From text to terms. Never fails, says the same every time, and may be used from several threads."""

    @property
    def name(self) -> str:
        """Changes when the same text gives other terms."""
        ...

    def content(self, content: Content) -> Terms: ...

    def query(self, text: str) -> Terms: ...

    def question(self, text: str, at: float) -> Question:
        """What it says beyond its words, asked at this moment."""
        ...

    def keyword(self, keyword: str) -> int:
        """The code of a keyword to filter by."""
        ...

    def features(self, text: str) -> TextFeatures: ...

    def says_where(self, text: str) -> bool:
        """For explanations: it weighs nothing by itself."""
        ...

    def supersedes(self, older: Content, newer: Content) -> bool:
        """Whether the newer of two with similar vectors is about the same person and matter as the older one."""
        ...


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What can be found. `unread` memories wait to be found by words, `unembedded` ones to be found by meaning."""

    recipe: Recipe
    memories: int
    unread: int
    unembedded: int
    exact: bool
    ram_bytes: int

    @classmethod
    def of(cls, index: SearchIndex) -> "IndexInfo":
        exact = index.vectors is None or index.vectors.exact
        return cls(index.recipe, len(index.lexical), *index.waiting, exact, index.nbytes())


@dataclass(frozen=True, slots=True)
class Where:
    """Which memories a page shows, by what the last tick wrote down. None: no condition."""

    states: tuple[State, ...] | None = None
    score: tuple[int, int] | None = None
    kind: str | None = None
    domain: str | None = None
    pinned: bool | None = None

    def stand(self, s: Signals) -> Column:
        """Which rows have such a state and score, and are pinned or not."""
        chosen = np.ones(len(s), np.bool_)
        if self.pinned is not None:
            chosen &= (s.pinned != 0) == self.pinned
        if self.states is not None:
            chosen &= np.isin(s.state, [CODE_OF[state] for state in self.states])
        if self.score is not None:
            low, high = self.score
            chosen &= (s.score >= low) & (s.score <= high) if len(s.score) else False
        return chosen


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store holds and takes up. `journal_from`: the entry its journal was compacted up to."""

    memories: int
    links: int
    traces: int  # links whose target is gone
    trash: int
    journal_entries: int
    journal_from: int
    disk_bytes: int
    ram_bytes: int


class Store(Protocol):
    """One mind's store. The only way to change it is `apply`.

    Reads never change anything, give a consistent picture of one moment, and leave out what is not there.
    """

    @property
    def regime(self) -> Regime:
        """How this mind lives. A file without a configuration is from before there were others: activity."""
        ...

    @property
    def seq(self) -> int:
        """The number of the last journal entry; 0 in a mind nothing has happened to."""
        ...

    async def apply(self, batch: Batch, *, lazy: bool = False) -> Receipt:
        """All changes or none, with their journal entries, in one transaction.

        Returns when the batch would survive a crash. A batch whose token is known does nothing. `lazy`
        batches (statistics) are visible at once and on disk soon; a crash may lose them, nothing else.
        Raises Conflict, NotFound or InvalidInput and changes nothing if the batch does not fit the mind.
        """
        ...

    async def applied(self, token: str) -> int | None:
        """The last entry of the batch of that name, if there was one not too long ago."""
        ...

    async def reserve(self, count: int) -> int:
        """The first of `count` ids that are the caller's and nobody else's, ever; of none, the first nobody has."""
        ...

    async def reaped_at(self) -> float | None:
        """When the reaper last ran to its end; None if it never did."""
        ...

    async def find(self, key: str) -> int | None:
        """The id of the living memory of that key."""
        ...

    async def contents(self, ids: Sequence[int]) -> dict[int, Content]:
        """What these living memories say; ids that are not alive are left out."""
        ...

    async def signals(self, ids: Sequence[int] | None = None) -> Signals:
        """Columns of all living memories, or of these in this order (all must be alive).

        Not copied: valid until the next await.
        """
        ...

    async def living(self) -> Column:
        """The ids of all living memories, ascending."""
        ...

    async def focus(self) -> tuple[int, ...]:
        """The focus points, least recently mentioned first."""
        ...

    async def links(self, memory: int, *, outgoing: bool, relations: Sequence[str] = ()) -> list[Link]:
        """A memory's links, strongest first, at the strength they have now. Targets may be gone (traces)."""
        ...

    async def walk(self, ids: Sequence[int], *, relations: Sequence[str] = ()) -> Walk:
        """All links that leave any of these (of these names only), strongest first, as columns."""
        ...

    async def pairs(self, ids: Sequence[int] | None = None) -> dict[Twins, float]:
        """Memories that say nearly the same, as the last tick found, and by how much; all, or those of these."""
        ...

    async def dismissed(self) -> dict[Refused, str]:
        """Suggestions somebody does not want, and what was so when they were dismissed."""
        ...

    async def tasks(self) -> list[Task]:
        """The queue in order; those set aside last."""
        ...

    async def task(self, number: int) -> Task | None: ...

    async def page(self, where: Where, *, after: int = 0, limit: int = 100) -> list[int]:
        """Ids in ascending order from `after` on, by stored state and score."""
        ...

    async def trash(
        self,
        *,
        key: str | None = None,
        ids: Sequence[int] | None = None,
        until: float | None = None,
        limit: int | None = None,
    ) -> list[tuple[Content, Trashed]]:
        """What is in the trash (under that key, of these, forgotten by then), last forgotten first."""
        ...

    async def journal(self, *, after: int = 0, limit: int = 1000, memory: int | None = None) -> list[Entry]:
        """Entries in order, from the one after `after`; only those about one memory, if given."""
        ...

    async def base(self) -> Snapshot | None:
        """Where the journal starts from, if its beginning was folded away."""
        ...

    async def snapshot(self) -> Snapshot:
        """The whole mind as one value."""
        ...

    async def compact(self, base: Snapshot) -> None:
        """Let the journal start from this base, and drop the entries up to it."""
        ...

    async def info(self) -> StoreInfo: ...

    # ---- the search index: derived from what memories say, not journaled, and made again at will

    async def open_index(self, recipe: Recipe) -> None:
        """Ready for searches by this recipe; rows made by another are made anew. Needed before all that follows."""
        ...

    async def unread(self, limit: int) -> list[Unread]:
        """Memories that cannot be found by words yet, the youngest first."""
        ...

    async def unembedded(self, limit: int, among: frozenset[int] | None = None) -> list[Unread]:
        """Memories (of these) that can be found by words but not by meaning, the youngest first."""
        ...

    async def index(self, rows: Sequence[IndexRow]) -> int:
        """Let these be found; not those that have gone or say something else by now. Returns how many were taken.

        A vector that is not of the recipe's dimensions counts as none. Never harms a memory: a row that is lost, or
        cannot be kept, is made again.
        """
        ...

    async def match(self, query: Query) -> Candidates:
        """Stage one of a search: whoever may be worth looking at."""
        ...

    async def frequencies(self, codes: Column) -> Frequencies:
        """How many memories can be found by words, and how many of them by each of these (ascending)."""
        ...

    async def alike(self, ids: Column, limit: int) -> list[tuple[int, int, float]]:
        """For each of these that has a vector the nearest others, with their cosines: (one, other, cosine)."""
        ...

    async def material(self, ids: Column) -> Material:
        """The vectors of those of these that have one."""
        ...

    async def index_info(self) -> IndexInfo: ...

    async def close(self) -> None:
        """Everything on disk, nothing held. Closing twice is closing once."""
        ...
