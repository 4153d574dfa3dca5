"""One candidate of a tuning lives through a mind's journal, with room for so many memories.   SPEC B3.

The rules stand in core/tuning.py. The copy lives in RAM, by the engine's own changes, as that of `replay` does.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from ebbtide.core import tuning
from ebbtide.core.appraisal import Features
from ebbtide.core.budget import BUDGET
from ebbtide.core.candidates import Candidate
from ebbtide.core.changes import (
    Access,
    Appraise,
    Batch,
    Discard,
    Entry,
    Forget,
    PutMemory,
    Recover,
    Restore,
    Rewrite,
    Touch,
    Traverse,
    WriteDown,
)
from ebbtide.core.memory import CODE_OF, DAY, HOUR, Content
from ebbtide.core.ports import Analyzer, Store
from ebbtide.core.signals import Column
from ebbtide.core.snapshot import Snapshot
from ebbtide.core.whatif import ASKED, CASCADE
from ebbtide.mind import history
from ebbtide.mind.appraising import Rereader
from ebbtide.mind.retelling import Retelling
from ebbtide.mind.upkeep import Progress

_BREATH = 128  # entries after which others have their turn
_REPLACED = "replaced"
_MORE = (PutMemory, Restore, Recover)

Put = list[Entry]  # puts in a row


@dataclass(slots=True)
class Story:
    """A journal as it is asked: what happened, in runs of puts and single entries, and the uses that are questions."""

    base: Snapshot | None
    parts: list[Put | Entry] = field(default_factory=list)
    entries: int = 0
    made: int = 0
    decided: int = 0
    said: dict[int, Content] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)  # when each memory came into the mind
    asked: dict[int, list[int]] = field(default_factory=dict)  # by entry: which questions it asks
    at: list[float] = field(default_factory=list)  # of each question
    memory: list[int] = field(default_factory=list)

    @property
    def first(self) -> float | None:
        """The moment of the first entry."""
        part = self.parts[0] if self.parts else None
        entry = part[0] if isinstance(part, list) else part
        return None if entry is None else entry.change.at


async def read(store: Store) -> Story:
    """What a tick wrote down is left out: nothing in a memory's life depends on it."""
    story = Story(await store.base())
    if story.base is not None:
        story.made = len(story.base.memories)
        for content, row in story.base.memories:
            story.said[row["id"]], story.since[row["id"]] = content, row["created_at"]
        for content, gone in story.base.trash:  # its owner may bring it back
            story.said[gone.id], story.since[gone.id] = content, gone.row["created_at"]
    spacing, last = store.regime.common.touch_spacing * HOUR, dict[int, float]()
    told: list[Entry] = []
    async for entry in history.entries(store):
        if not isinstance(entry.change, WriteDown):
            told.append(entry)
            _note(story, entry, last, spacing)
    story.entries = len(told)
    for is_put, some in groupby(told, key=lambda entry: isinstance(entry.change, PutMemory)):
        run = list(some)
        story.parts += [run] if is_put else run
    return story


def _note(story: Story, entry: Entry, last: dict[int, float], spacing: float) -> None:
    match entry.change:
        case PutMemory(at=at, id=memory, content=content):
            story.made += 1
            story.said[memory], story.since[memory] = content, at
        case Rewrite(id=memory, content=content):
            story.said[memory] = content
        case Recover(at=at, id=memory, content=content):
            story.said[memory] = content
            story.since.setdefault(memory, at)
        case Forget(cause=cause) if cause != ASKED:
            story.decided += 1
        case Touch(cause=cause) if cause == CASCADE:
            pass
        case Access(at=at, ids=ids) | Touch(at=at, ids=ids):
            for memory in dict.fromkeys(ids):
                if at - story.since.get(memory, at) > DAY and not 0.0 <= at - last.get(memory, -np.inf) < spacing:
                    last[memory] = at
                    story.asked.setdefault(entry.seq, []).append(len(story.at))
                    story.at.append(at)
                    story.memory.append(memory)


class Readings:
    """What can be read off each text, read once for all candidates. Their order of birth is the same in each."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._reader = Rereader(analyzer)
        self._known: dict[tuple[int, str], Features] = {}

    def read(self, at: float, contents: Mapping[int, Content]) -> Appraise:
        ids = sorted(contents)
        return Appraise(at, tuple(ids), tuple(self._features(memory, contents[memory]) for memory in ids))

    def _features(self, memory: int, content: Content) -> Features:
        place = memory, content.text
        if place not in self._known:
            self._known[place] = self._reader.read(0.0, {memory: content}).features[0]
        return self._known[place]


class Teller:
    """Reports how far all trials together are, and lets others have their turn."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._told, self._total, self._progress = 0, 0, total, progress

    async def passed(self, entries: int) -> None:
        self._done += entries
        if self._done - self._told >= _BREATH or self._done == self._total:
            self._told = self._done
            if self._progress:
                self._progress(self._done, self._total)
            await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Answers:
    """To each question, in their order: whether the memory is there, and whether a search would leave it out."""

    kept: Column
    hidden: Column
    left: dict[int, float]  # when each memory had to make room


class Trial:
    """One candidate under one budget."""

    def __init__(self, candidate: Candidate, budget: int, story: Story, copy: Store, retelling: Retelling) -> None:
        self._candidate, self._budget, self._story = candidate, budget, story
        self._copy, self._retelling = copy, retelling
        # Memories there are at most. They are counted where that is more than the budget.
        self._most = len(story.base.memories) if story.base else 0
        self._hides = [CODE_OF[state] for state in copy.regime.metabolism.hidden if not candidate.is_reference]
        nothing: Column = np.zeros(len(story.at), np.bool_)
        self._answers = Answers(nothing, nothing.copy(), {})

    async def live(self, teller: Teller) -> Answers:
        if self._story.first is not None:
            await self._make_room(self._story.first, 0)  # what the journal starts from may be too much already
        for part in self._story.parts:
            if isinstance(part, list):
                await self._put(part, teller)
            else:
                await self._happen(part)
                await teller.passed(1)
        return self._answers

    async def _put(self, puts: Put, teller: Teller) -> None:
        """As many at a time as there is room for, and the one that is too many."""
        done = 0
        while done < len(puts):
            some = puts[done : done + min(max(self._budget - self._most, 0) + 1, _BREATH)]
            await self._retelling.tell_puts(some)
            done, last = done + len(some), some[-1].change
            assert isinstance(last, PutMemory)
            self._most += len(some)
            await self._make_room(last.at, last.id)
            await teller.passed(len(some))

    async def _happen(self, entry: Entry) -> None:
        if entry.seq in self._story.asked:
            await self._ask(self._story.asked[entry.seq], entry.change.at)
        if isinstance(entry.change, Access | Touch | Traverse) and not await self._is_any_here(entry.change.ids):
            return  # as admission would find, which costs ten times as much
        if isinstance(entry.change, Rewrite) and await self._told_anew(entry):
            return
        await self._retelling.tell(entry)
        if isinstance(entry.change, _MORE):
            self._most += 1
            await self._make_room(entry.change.at, self._retelling.known_as(entry.change.id))

    async def _is_any_here(self, ids: Sequence[int]) -> bool:
        return bool(await self._copy.contents([self._retelling.known_as(memory) for memory in ids]))

    async def _ask(self, questions: Sequence[int], at: float) -> None:
        wanted = {number: self._retelling.known_as(self._story.memory[number]) for number in questions}
        here = await self._copy.contents(list(wanted.values()))
        there = [number for number in questions if wanted[number] in here]
        self._answers.kept[there] = True
        if there and self._hides:
            s = await self._copy.signals([wanted[number] for number in there])
            self._answers.hidden[there] = np.isin(self._copy.regime.metabolism.judge(s, at).state, self._hides)

    async def _told_anew(self, entry: Entry) -> bool:
        """Its owner replaces a text that is no longer here: told so, the mind would have made a new memory."""
        change = entry.change
        assert isinstance(change, Rewrite)
        memory = self._retelling.known_as(change.id)
        if change.cause != _REPLACED or memory in await self._copy.contents([memory]):
            return False
        await self._copy.apply(Batch((Discard(change.at, (memory,)),), f"told-anew-{entry.seq}"))
        await self._retelling.tell(Entry(entry.seq, PutMemory(change.at, memory, change.content, change.at), ""))
        self._most += 1
        await self._make_room(change.at, memory)
        return True

    async def _make_room(self, now: float, new: int) -> None:
        if self._most <= self._budget:
            return
        s = await self._copy.signals()
        metabolism = self._copy.regime.metabolism
        gone = tuning.leaving(metabolism, self._candidate.rule, s, self._budget, now, new).tolist()
        self._most = len(s) - len(gone)
        if gone:
            contents = await self._copy.contents(gone)
            self._answers.left.update(dict.fromkeys(gone, now))
            await self._retelling.let_go([Forget(now, memory, contents[memory].key, BUDGET) for memory in gone])
