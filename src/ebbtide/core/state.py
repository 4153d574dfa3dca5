"""A mind's state without its texts: columns, links, keys, trash, focus — and the few moves changes are made of.

Both the reference store and the RAM mirror of the SQLite store hold one of these, so a change cannot mean
two things. What each change means stands in `replay`.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ebbtide.core.appraisal import Appraisals
from ebbtide.core.links import LinkRow, LinkTable
from ebbtide.core.memory import DAY, Content, Link, Message
from ebbtide.core.metabolism import appraising, networked
from ebbtide.core.metabolism.tide import AGAIN, UNREAD, Tide
from ebbtide.core.parameters import Regime, regime
from ebbtide.core.peers import PEERS, Sampler
from ebbtide.core.ranges import Ranges
from ebbtide.core.relations import EQUIV, ORDER, SUPPORTED_BY, is_order, spellings
from ebbtide.core.signals import NEVER, NO_LINKS, Column, LinkColumns, Newness, Peers, Signals, SignalTable
from ebbtide.core.terms import distinct


@dataclass(frozen=True, slots=True)
class Echo:
    """What taking a memory out did to another one: that one's values before and after, for the way back."""

    id: int
    before: dict[str, float | None]
    after: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Trashed:
    """A memory in the trash, with all it takes to bring it back as it was."""

    id: int
    key: str
    at: float
    cause: str
    row: dict[str, Any]
    removed: tuple[LinkRow, ...]
    added: tuple[LinkRow, ...] = ()
    echoes: tuple[Echo, ...] = ()
    into: int | None = None
    before: Content | None = None  # what `into` said before the merge
    merged: Content | None = None  # and after it
    run: str = ""  # of the reaper, where it was one that took it


REMEMBER, COMPRESS = "remember", "compress"
_FEW = 16  # memories whose age is compared with that of all others one by one

Twins = tuple[int, int]  # two memories that say nearly the same, the lower id first
Refused = tuple[str, tuple[int, ...]]  # a suggestion somebody does not want: its kind, and whom it is about


@dataclass(frozen=True, slots=True)
class Task:
    """Work that waits in the mind's queue. Lower `place` goes first; `error` is set on one that was set aside."""

    id: int
    kind: str
    at: float
    place: int
    messages: tuple[Message, ...] = ()
    upto: int = 0  # compress: memories younger than the task are not its business
    scanned: Ranges = ()  # compress: what it has passed over so far
    passed: int = 0  # compress: how many memories that was, those forgotten on the way included
    error: str | None = None


class LinkKey(NamedTuple):
    source: int
    target: int
    relation: str


class Walk(NamedTuple):
    """Links as columns, strongest first."""

    source: Column
    target: Column
    strength: Column
    relation: list[str]
    known: Column  # whether the target is still there; a link whose target is not is a trace


class Pairs:
    """Who says nearly the same as whom, and by how much; known by either of the two."""

    def __init__(self, known: Iterable[tuple[int, int, float]] = ()) -> None:
        self._partners: dict[int, dict[int, float]] = {}
        self.add(known)

    def of(self, ids: Iterable[int] | None = None) -> dict[Twins, float]:
        """All of them, or those that one of these is in."""
        some = self._partners if ids is None else [memory for memory in ids if memory in self._partners]
        return {
            (memory, partner) if memory < partner else (partner, memory): overlap
            for memory in some
            for partner, overlap in self._partners[memory].items()
            if memory < partner or ids is not None
        }

    def add(self, found: Iterable[tuple[int, int, float]]) -> None:
        """New ones, or known ones by how much they do now."""
        for one, other, overlap in found:
            self._partners.setdefault(one, {})[other] = overlap
            self._partners.setdefault(other, {})[one] = overlap

    def drop(self, lost: Iterable[Twins]) -> None:
        for one, other in lost:
            self._leave(one, other)
            self._leave(other, one)

    def part(self, memory: int) -> None:
        for partner in self._partners.pop(memory, ()):
            self._leave(partner, memory)

    def _leave(self, memory: int, partner: int) -> None:
        partners = self._partners.get(memory, {})
        partners.pop(partner, None)
        if not partners:
            self._partners.pop(memory, None)


class MindState:
    def __init__(self) -> None:
        self.seq = 0
        self.next_id = 1
        self.keys: dict[str, int] = {}
        self.trash: dict[int, Trashed] = {}
        self.focus: tuple[int, ...] = ()
        self.reaped_at: float | None = None  # when the reaper last ran to its end
        self.tasks: dict[int, Task] = {}
        self.pairs = Pairs()
        self.dismissed: dict[Refused, str] = {}
        self.newness = Newness()
        self.appraisals = Appraisals.none()
        self.links = LinkTable()
        self.moved_links: list[LinkKey] = []  # since a store last looked
        self._sampler = Sampler()
        self._variety: tuple[int, tuple[float, ...], float] = 0, (), 1.0  # of so many texts, by these weights
        self.configured = False
        self.regime: Regime
        self.table = SignalTable(())
        # Not the default of new minds, which are configured when made: a file without a configuration is an old one.
        self.live_by(regime("activity", {})[0])

    # ---- reading

    def signals(self) -> Signals:
        """All columns, not copied: true until the next change."""
        if not self.regime.metabolism.traits.relative:
            return self.table.view(self._link_columns(), self.focus)
        return self.table.view(**self._of_the_mind(), peers=self._peers() if len(self.table) > PEERS else None)

    def signals_of(self, ids: Sequence[int]) -> Signals:
        """These memories' columns, in this order; all must be alive."""
        rows = self.table.rows(ids)
        if self.regime.metabolism.traits.relative:
            return self.table.at(rows, **self._of_the_mind(), peers=self._peers())
        if not self._links_age:
            return self.table.at(rows)
        slots = [self.links.leaving(memory) for memory in ids]
        owner = np.repeat(np.arange(len(slots)), [len(some) for some in slots])
        return self.table.at(rows, self._columns_of(owner, np.concatenate(slots)) if slots else NO_LINKS, self.focus)

    def _peers(self) -> Peers:
        return self._sampler.peers(self.table, self.seq, self._of_the_mind())

    def _of_the_mind(self) -> dict[str, Any]:
        """What a relative metabolism has to know of the mind as a whole."""
        tide = appraising(self.regime.metabolism)
        weights = () if tide is None else tide.prior_weights()
        if weights and self._variety[:2] != (self.appraisals.count, weights):
            self._variety = self.appraisals.count, weights, self.appraisals.variety(weights)
        return {"newness": self.newness, "variety": self._variety[2]}

    def newness_of(self, ids: Sequence[int], at: float) -> tuple[float, ...] | None:
        """Of those of these that are older than a day: the share of all that are, that are no newer.   SPEC T5."""
        if not self.regime.metabolism.traits.appraises:
            return None
        born, every = (self.table.columns[name][: len(self.table)] for name in ("created_at", "id"))
        rows = self.table.rows(ids)
        rows = rows[rows >= 0]
        rows = rows[born[rows] < at - DAY]
        if not len(rows):
            return ()
        total = np.count_nonzero(born < at - DAY)
        # Memories of one moment, such as the turns of a conversation, are ordered by id.
        if len(rows) <= _FEW:
            counted = np.count_nonzero
            older = [counted(born < born[r]) + counted(every[born == born[r]] <= every[r]) for r in rows]
        else:  # sorted once
            place = np.empty(len(born), np.int64)
            place[np.lexsort((every, born))] = np.arange(1, len(born) + 1)
            older = place[rows].tolist()
        return tuple(float(count / total) for count in older)

    def is_unread(self, memory: int) -> bool:
        """Whether its words wait to be appraised."""
        columns = self.table.columns
        return "prior" in columns and memory in self.table and bool(columns["prior"][self.table.row(memory)] == UNREAD)

    def living(self) -> Column:
        # Stable, for that is quick where most are in order already.
        return np.sort(self.table.columns["id"][: len(self.table)], kind="stable")

    def links_of(self, memory: int, *, outgoing: bool, relations: Sequence[str] = ()) -> list[Link]:
        """Strongest first; a link worn away counts as gone."""
        slots = self.links.leaving(memory) if outgoing else self.links.reaching(memory)
        strengths, named = self._strengths_now(slots).tolist(), spellings(relations)
        found = [
            Link(row.source, row.target, row.relation, strength)
            for row, strength in zip(map(self.links.get, slots.tolist()), strengths, strict=True)
            if strength > 0.0 and (not named or row.relation in named)
        ]
        return sorted(found, key=lambda link: (-link.strength, link.source, link.target, link.relation))

    def walk(self, ids: Column, relations: Sequence[str] = ()) -> Walk:
        """All links that leave these, strongest first, as columns; one worn away counts as gone."""
        slots = self.links.leaving_any(ids)
        strengths = self._strengths_now(slots)
        keep = strengths > 0.0
        if relations:
            keep &= np.isin(self.links.columns["relation"][slots], self.links.codes(spellings(relations)))
        slots, strengths = slots[keep], strengths[keep]
        c = self.links.columns
        # Of equals those to the latest memory first: by ids, which outlive this process, as slots do not.
        order = np.lexsort((c["relation"][slots], -c["source"][slots], -c["target"][slots], -strengths))
        slots = slots[order]
        names = [self.links.relations[code] for code in c["relation"][slots].tolist()]
        targets = c["target"][slots]
        return Walk(c["source"][slots], targets, strengths[order], names, self.table.rows(targets) >= 0)

    def links_around(self, ids: Column, limit: int, without: Iterable[str] = ()) -> tuple[Column, Column, Column]:
        """The strongest links to and from these, but of some relations: sources, targets and strengths."""
        slots = distinct(np.concatenate([self.links.leaving_any(ids), self.links.reaching_any(ids)]))
        slots = slots[~np.isin(self.links.columns["relation"][slots], self.links.codes(without))]
        strengths = self._strengths_now(slots)
        order = np.argsort(-strengths, kind="stable")[:limit]
        order = order[strengths[order] > 0.0]
        c, slots = self.links.columns, slots[order]
        return c["source"][slots], c["target"][slots], strengths[order]

    def standing(self, slot: int) -> LinkRow:
        """A link as it stands now. One that focus holds stands at 1.0, and fades from there wherever it comes back."""
        link = self.links.get(slot)
        if not self.links.columns["pinned"][slot]:
            return link
        return link._replace(strength=1.0, since=self.scans(link.source))

    def counts(self, relation: str) -> bool:
        """Whether links of this name count in degrees and scores; those of order do in a network mind only."""
        return self._links_age or not is_order(relation)

    def counted(self, slots: Column) -> Column:
        """Those of these slots whose links count."""
        order = [] if self._links_age else self.links.codes(ORDER)
        return slots[~np.isin(self.links.columns["relation"][slots], order)] if order else slots

    def scans(self, memory: int) -> int:
        return int(self.table.columns["scan_count"][self.table.row(memory)])

    def queue(self) -> list[Task]:
        return sorted(self.tasks.values(), key=lambda task: (task.error is not None, task.place))

    def count_traces(self) -> int:
        alive = self.links.columns["alive"][: self.links.size]
        return int((self.table.rows(self.links.columns["target"][: self.links.size][alive]) < 0).sum())

    def nbytes(self) -> int:
        """RAM held by the columns and by the index of keys."""
        keys = sys.getsizeof(self.keys) + sum(map(sys.getsizeof, self.keys)) + 32 * len(self.keys)
        return self.table.nbytes() + self.links.nbytes() + keys

    @property
    def _links_age(self) -> bool:
        """Links age, by scans, in a network mind only; no other metabolism looks at them one by one."""
        return self.regime.metabolism.traits.network

    def _link_columns(self) -> LinkColumns:
        return self.links.as_columns(self.table) if self._links_age else NO_LINKS

    def _strengths_now(self, slots: Column) -> Column:
        c, network = self.links.columns, networked(self.regime.metabolism)
        if network is None:
            return c["strength"][slots]
        rows = self.table.rows(c["source"][slots])
        return network.strengths(self.table.view(self._columns_of(rows, slots)))

    def _columns_of(self, rows: Column, slots: Column) -> LinkColumns:
        c = self.links.columns
        return LinkColumns(rows, c["strength"][slots], c["since"][slots], c["pinned"][slots])

    # ---- moves

    def live_by(self, new: Regime) -> None:
        if not len(self.table):  # else it has this metabolism's columns already: a mind never takes another
            self.table, self._sampler = SignalTable(new.metabolism.own), Sampler()
        self.regime = new
        self.newborn_state = 0
        self.newborn_state = self._state_at_birth()

    def newborn(self, ids: Any, created: Any, lengths: Any, versions: Any) -> dict[str, Any]:
        """What every memory starts with. Counts start at 0; creation is the first access time."""
        return {
            "id": ids,
            "created_at": created,
            "in_degree": 0,
            "out_degree": 0,
            "access_count": 0,
            "traverse_count": 0,
            "last_accessed_at": created,
            "last_linked_at": NEVER,
            "last_touched_at": NEVER,
            "scan_count": 0,
            "original_length": lengths,
            "length": lengths,
            "state": self.newborn_state,
            "marks": 0,
            "pinned": 0,
            "version": versions,
        }

    def set(self, rows: Column | int, values: Mapping[str, Any]) -> None:
        for name, column in values.items():
            self.table.columns[name][rows] = column

    def connect(self, link: LinkRow) -> None:
        """Make the link, or make it anew with this strength."""
        self.moved_links.append(LinkKey(*link[:3]))
        slot = self.links.find(link.source, link.target, link.relation)
        if slot >= 0:
            self.links.columns["strength"][slot] = link.strength
            self.links.columns["since"][slot] = link.since
            return
        self.links.add(link, pinned=link.source in self.focus or link.target in self.focus)
        self._count(link, 1)

    def disconnect(self, slot: int) -> None:
        link = self.links.get(slot)
        self.moved_links.append(LinkKey(*link[:3]))
        self.links.remove(slot)
        self._count(link, -1)

    def count_degrees(self) -> None:
        """From the links as they are: degrees are kept nowhere else."""
        slots, size = self.counted(np.flatnonzero(self.links.columns["alive"][: self.links.size])), len(self.table)
        for degree, end in (("out_degree", "source"), ("in_degree", "target")):
            rows = self.table.rows(self.links.columns[end][slots])
            self.table.columns[degree][:size] = np.bincount(rows[rows >= 0], minlength=size)

    def weigh(self, ids: Iterable[int], at: float, seq: int) -> list[int]:
        """Links of these were made or lost: an event in the life of each that is alive. Returns those."""
        alive = [memory for memory in dict.fromkeys(ids) if memory in self.table]
        rows = self.table.rows(alive)
        if "weight" in self.table.columns:
            weights = np.array([self.weight(memory) for memory in alive])
            self.set(rows, self.regime.metabolism.relinked(self.table.at(rows), at, weights))
        if "protected" in self.table.columns:
            self.guard(alive, at)
        self.table.columns["version"][rows] = seq
        return alive

    def guard(self, ids: Iterable[int], at: float) -> None:
        """Count anew what keeps each from expiring; who is left without lives on from here by its own strength."""
        columns = self.table.columns
        for memory in ids:
            row, held = self.table.row(memory), self.protection(memory)
            if columns["protected"][row] and not held:
                columns["exposed_at"][row] = at
            columns["protected"][row] = held

    def protection(self, memory: int) -> int:
        """How many links keep it from expiring."""
        supporting = sum(self.links.get(slot).relation == SUPPORTED_BY for slot in self.links.reaching(memory).tolist())
        return supporting + len(self.equals(memory))

    def equals(self, memory: int) -> list[int]:
        """The living memories it is in an EQUIV relation with, once for each link."""
        links = [self.links.get(slot) for slot in self._slots(memory).tolist()]
        ends = [link.target if link.source == memory else link.source for link in links if link.relation == EQUIV]
        return [end for end in ends if end in self.table]

    def take_over(self, tide: Tide, newer: int, older: int, share: float, at: float) -> None:
        """That share of the older one's uses is the newer one's from now on: moved, so that the sum stays true."""
        rows = self.table.rows([newer, older])
        signals = self.table.at(rows)
        at = max(at, float(signals.used_at[0]))
        uses = tide.decayed(signals, at)
        for name, use in zip(("use_long", "use_short"), uses, strict=True):
            self.table.columns[name][rows[0]] = use[0] + share * use[1]
            self.table.columns[name][rows[1]] *= 1.0 - share
        self.table.columns["used_at"][rows[0]] = at

    def part(self, memory: int) -> None:
        """It says something else now, or nothing: whatever was said to be nearly the same is so no longer.

        What it superseded may be superseded by another memory: that is looked for again (SPEC T4).
        """
        self.pairs.part(memory)
        if "superseded" in self.table.columns:
            self.set(self.table.rows(self.outdated_by(memory)), {"superseded": 0.0, "superseded_by": AGAIN})
            self.set(self.table.row(memory), {"superseded": 0.0, "superseded_by": 0})

    def outdated_by(self, memory: int) -> list[int]:
        """The memories that this one supersedes."""
        if "superseded_by" not in self.table.columns:
            return []
        ids, by = (self.table.columns[name][: len(self.table)] for name in ("id", "superseded_by"))
        found: list[int] = np.sort(ids[by == memory]).tolist()
        return found

    def check_superseded(self, row: int) -> None:
        """Of a memory that came back: what superseded it may have left. Its text is read and compared anew anyway."""
        columns = self.table.columns
        if "superseded_by" in columns and int(columns["superseded_by"][row]) not in self.table:
            self.set(row, {"superseded": 0.0, "superseded_by": 0})

    def let_go(self, ids: Iterable[int]) -> None:
        """These are gone for good, and so is whatever somebody did not want done with them."""
        gone = frozenset(ids)
        for refused in [refused for refused in self.dismissed if not gone.isdisjoint(refused[1])]:
            del self.dismissed[refused]

    def weight(self, memory: int) -> float:
        """Σ strengths, both directions. fsum: the sum does not depend on the order links came in."""
        return math.fsum(self.links.columns["strength"][self.counted(self._slots(memory))].tolist())

    def broken_links(self) -> Column:
        """Slots of links that scans have worn away."""
        if not self._links_age:
            return np.empty(0, np.int64)
        slots = np.flatnonzero(self.links.columns["alive"][: self.links.size])
        broken: Column = slots[self._strengths_now(slots) == 0.0]
        return broken

    def take_out(self, memory: int, key: str) -> None:
        del self.keys[key]
        self.part(memory)
        if memory in self.focus:
            self.focus_on(tuple(point for point in self.focus if point != memory))
        self.table.remove(memory)

    def focus_on(self, points: tuple[int, ...]) -> None:
        """Links of a point stand at 1.0 while it is in focus, and fade from there once it has left."""
        left, come = set(self.focus) - set(points), set(points) - set(self.focus)
        self.focus = points
        for point in come:
            self.links.columns["pinned"][self._slots(point)] = True
        for point in left:
            self._unpin(self._slots(point))

    def _unpin(self, slots: Column) -> None:
        """Links of a point that left; those whose other end is still in focus stay pinned."""
        c = self.links.columns
        held = np.isin(c["source"][slots], self.focus) | np.isin(c["target"][slots], self.focus)
        free = slots[~held]
        c["pinned"][free] = False
        c["strength"][free] = 1.0
        c["since"][free] = self.table.columns["scan_count"][self.table.rows(c["source"][free])]
        self.moved_links += [LinkKey(*self.links.get(slot)[:3]) for slot in free.tolist()]

    def _slots(self, memory: int) -> Column:
        return np.concatenate([self.links.leaving(memory), self.links.reaching(memory)])

    def _count(self, link: LinkRow, step: int) -> None:
        if not self.counts(link.relation):
            return
        for memory, degree in ((link.source, "out_degree"), (link.target, "in_degree")):
            if memory in self.table:
                self.table.columns[degree][self.table.row(memory)] += step

    def _state_at_birth(self) -> int:
        """What a tick would say of a memory in its first moment; the same for all, so asked once."""
        table = SignalTable(self.regime.metabolism.own)
        table.append(self.newborn(0, 0.0, 0, 0) | self.regime.metabolism.born(0.0, {}))
        return int(self.regime.metabolism.judge(table.view(), 0.0).state[0])
