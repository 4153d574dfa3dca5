"""The dict store and the SQLite store, side by side through random lives: valid and invalid batches, closing,
crashing, compacting. Whatever happens, they answer alike, and each is what replaying its journal gives.
"""

import asyncio
import math
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ebbtide.core.budget import BUDGET
from ebbtide.core.changes import (
    HOT,
    Access,
    Batch,
    Configure,
    Forget,
    Merge,
    Pin,
    PutLink,
    PutMemory,
    Receipt,
    Restore,
    Traverse,
    Unlink,
)
from ebbtide.core.errors import EbbtideError
from ebbtide.core.memory import Content, State
from ebbtide.core.ports import Store, Where
from ebbtide.core.snapshot import Snapshot
from ebbtide.core.state import Walk
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import FakeClock, batch, configured, held
from tests.stores.chances import BUDGETS, NOBODY, Chances, keys, relations, strengths, texts, waits

IN_RAM = Path("/dev/shm")  # where there is such a folder syncing costs nothing, and nothing here is about power cuts

OUTCOME = Receipt | tuple[type[EbbtideError], str]


class Stores(Chances, RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._home = TemporaryDirectory(dir=IN_RAM if IN_RAM.is_dir() else None)
        self._homes = 0
        self._clock = FakeClock()
        self._gone = {}
        self._last: Batch | None = None
        self.dict = MemoryStore()
        self.disk = SqliteStore(self._new_home())
        self._both(batch(configured(self.metabolism)))

    # ---- what can happen

    @initialize(links=st.lists(st.tuples(st.permutations(range(1, 5)), relations, strengths), max_size=6))
    def four_memories_are_there(self, links: list[tuple[list[int], str, float]]) -> None:
        now = self._clock.now()
        self._both(batch(*(PutMemory(now, i, Content(f"k{i}", "tide" * i), now) for i in range(1, 5))))
        self._both(batch(*(PutLink(now, ends[0], ends[1], name, strength) for ends, name, strength in links)))

    @rule(data=st.data(), wait=waits, size=st.integers(1, 4))
    def something_happens(self, data: st.DataObject, wait: float, size: int) -> None:
        self._clock.forward(wait)
        changes = [self._change(data) for _ in range(size)]
        lazy = all(isinstance(change, HOT) for change in changes)
        self._both(batch(*changes), lazy=lazy)

    @rule(text=texts, key=keys, importance=st.sampled_from((None, 0.0, 0.9)), count=st.integers(1, 4))
    def memories_are_put(self, text: str, key: str, importance: float | None, count: int) -> None:
        now = self._clock.now()
        first = max(self._run(store.reserve(count)) for store in self._stores)  # ids unused at closing are free again
        given = importance if self.metabolism == "retention" else None
        names = [key, *(f"{key}{first + i}" for i in range(1, count))]
        puts = [PutMemory(now, first + i, Content(name, text), now, given) for i, name in enumerate(names)]
        self._both(batch(*puts))

    @rule(wait=waits, memories=BUDGETS["budget_memories"], characters=BUDGETS["budget_characters"])
    def a_budget_is_set(self, wait: float, memories: int, characters: int) -> None:
        self._clock.forward(wait)
        given = {"budget_memories": memories, "budget_characters": characters}
        self._both(batch(Configure(self._clock.now(), self.metabolism, given)))

    @rule()
    def a_tick_writes_down_what_is_true(self) -> None:
        self._both(batch(self._findings(self.dict.seq)))

    @rule(data=st.data())
    def memories_are_linked_and_used(self, data: st.DataObject) -> None:
        alive = self._alive()
        if len(alive) > 1:
            one, two = data.draw(st.permutations(alive), "ends")[:2]
            now = self._clock.now()
            link = PutLink(now, one, two, data.draw(relations), data.draw(strengths))
            self._both(batch(link, Access(now, (one, one)), Traverse(now, (two,))))

    @rule(data=st.data(), wait=waits, text=texts)
    def one_leaves_for_the_trash(self, data: st.DataObject, wait: float, text: str) -> None:
        """Forgotten or, where there are two, merged into the other."""
        self._clock.forward(wait)
        alive = data.draw(st.permutations(self._alive()), "leaves, into")
        now = self._clock.now()
        if len(alive) > 1 and data.draw(st.booleans(), "merged"):
            gone, into = alive[:2]
            before = self._said(into)
            self._both(batch(Merge(now, into, gone, self._key(gone), Content(before.key, text), before)))
        elif alive:
            self._both(batch(Forget(now, alive[0], self._key(alive[0]))))

    @rule(data=st.data(), wait=waits, key=keys)
    def one_comes_back_from_the_trash(self, data: st.DataObject, wait: float, key: str) -> None:
        self._clock.forward(wait)
        if self.dict.state.trash:
            gone = self.dict.state.trash[data.draw(st.sampled_from(sorted(self.dict.state.trash)), "comes back")]
            self._both(
                batch(Restore(self._clock.now(), gone.id, key if gone.key in self.dict.state.keys else gone.key))
            )

    @rule(data=st.data(), wait=waits, pinned=st.booleans())
    def some_are_pinned_or_unpinned(self, data: st.DataObject, wait: float, pinned: bool) -> None:
        self._clock.forward(wait)
        if alive := self._alive():
            chosen = data.draw(st.lists(st.sampled_from(alive), min_size=1, max_size=3), "pinned or not")
            self._both(batch(Pin(self._clock.now(), tuple(chosen), pinned)))

    @rule(data=st.data())
    def a_link_is_taken_away(self, data: st.DataObject) -> None:
        links = [link[:3] for link in self.dict.state.links.rows()]
        if links:
            self._both(batch(Unlink(self._clock.now(), *data.draw(st.sampled_from(links), "link"))))

    @precondition(lambda self: self._last is not None)
    @rule()
    def the_last_batch_is_sent_again(self) -> None:
        assert self._last is not None
        receipt = self._both(self._last)
        assert isinstance(receipt, Receipt)
        assert receipt.repeated

    @rule()
    def the_store_is_closed_and_opened(self) -> None:
        path = self._path
        self._run(self.disk.close())
        self.disk = SqliteStore(path)

    @rule()
    def the_process_dies_and_another_opens_the_store(self) -> None:
        """What is on disk at this moment is all the other one has: counters come back from the journal."""
        self._run(self.disk.info())
        old, new = self._path, self._new_home()
        shutil.copytree(old, new, ignore=shutil.ignore_patterns("lock", "owner", "*-shm"))
        self._run(self.disk.close())
        self.disk = SqliteStore(new)

    @rule(back=st.integers(0, 8))
    def the_journal_is_compacted(self, back: int) -> None:
        base = self._replayed(self.dict, upto=self.dict.seq - back)
        if base is not None:
            for store in self._stores:
                self._run(store.compact(base))
            self._last = None  # tokens are kept with the journal

    # ---- what must hold

    @invariant()
    def both_answer_alike(self) -> None:
        snapshot = self._answer("snapshot")
        everyone = [*self._alive(), *self.dict.state.trash, NOBODY]
        self._answer("contents", everyone)
        self._answer("trash")
        self._answer("tasks")
        self._answer("focus")
        self._answer("living")
        self._answer("walk", self._alive())
        self._answer("journal", memory=everyone[0])
        for where in (
            Where(states=(State.ACTIVE, State.FADING)),
            Where(score=(20, 60)),
            Where(kind="fact"),
            Where(pinned=True),
        ):
            self._answer("page", where)
        for memory in everyone:
            self._answer("links", memory, outgoing=True)
            self._answer("links", memory, outgoing=False, relations=["about"])
        for content, row in snapshot.memories:
            assert self._answer("find", content.key) == row["id"]

    @invariant()
    def degrees_and_weights_are_those_of_the_links(self) -> None:
        snapshot = self._run(self.dict.snapshot())
        for _, row in snapshot.memories:
            leaving = [link for link in snapshot.links if link.source == row["id"]]
            reaching = [link for link in snapshot.links if link.target == row["id"]]
            assert (row["out_degree"], row["in_degree"]) == (len(leaving), len(reaching))
            if "weight" in row:
                assert row["weight"] == math.fsum(link.strength for link in (*leaving, *reaching))

    @invariant()
    def protection_is_that_of_the_links(self) -> None:
        snapshot = self._run(self.dict.snapshot())
        if self.metabolism == "retention":
            assert {row["id"]: row["protected"] for _, row in snapshot.memories} == held(snapshot)

    @invariant()
    def lengths_are_those_of_the_texts(self) -> None:
        for content, row in self._run(self.dict.snapshot()).memories:
            assert row["length"] == len(content.text)

    @invariant()
    def neither_holds_more_than_its_budget_and_no_pin_has_left_for_it(self) -> None:
        for store in (self.dict.state, self.disk._state):
            rule, table = store.regime.metabolism, store.table
            assert table.characters == table.view().length.sum()
            assert not rule.budget_memories or len(table) <= rule.budget_memories
            assert not rule.budget_characters or table.characters <= rule.budget_characters
            gone = [one for one in store.trash.values() if one.cause == BUDGET]
            assert not any(one.row.get("pinned") for one in gone)

    @invariant()
    def every_link_leaves_from_somebody_alive(self) -> None:
        alive = set(self._alive())
        assert all(link.source in alive for link in self.dict.state.links.rows())

    def teardown(self) -> None:
        try:
            for store in self._stores:
                assert self._run(store.journal(limit=10_000)) == self._run(self.dict.journal(limit=10_000))
                assert self._replayed(store, upto=store.seq) == self._run(store.snapshot())
        finally:
            self._run(self.disk.close())
            self._runner.close()
            self._home.cleanup()

    # ---- both stores at once

    @property
    def _stores(self) -> tuple[Store, Store]:
        return self.dict, self.disk

    def _both(self, changes: Batch, *, lazy: bool = False) -> OUTCOME:
        before = self.dict.seq
        expected = self._outcome(self.dict, changes, lazy)
        assert self._outcome(self.disk, changes, lazy) == expected
        assert self.disk.seq == self.dict.seq
        if self.dict.seq > before:
            self._last = changes
        return expected

    def _outcome(self, store: Store, changes: Batch, lazy: bool) -> OUTCOME:
        try:
            return self._run(store.apply(changes, lazy=lazy))
        except EbbtideError as error:
            return type(error), str(error)

    def _answer(self, read: str, *args: Any, **options: Any) -> Any:
        expected, answer = [_plain(self._run(getattr(store, read)(*args, **options))) for store in self._stores]
        assert answer == expected, (read, args, options)
        return answer

    def _replayed(self, store: Store, *, upto: int) -> Snapshot | None:
        """The mind at that entry, from base and journal alone; None before the base."""
        base = self._run(store.base())
        if upto < (base.seq if base else 1):
            return None
        copy = MemoryStore(base)
        for entry in self._run(store.journal(limit=10_000)):
            if entry.seq <= upto:
                copy.apply_now(batch(entry.change))
        return self._run(copy.snapshot())

    @property
    def _path(self) -> Path:
        return Path(self._home.name) / str(self._homes)

    def _new_home(self) -> Path:
        self._homes += 1
        return self._path


def _plain(answer: Any) -> Any:
    """Columns as lists, so that they can be compared."""
    if isinstance(answer, Walk):
        return [_plain(column) for column in answer]
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


once = settings(max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class ActivityStores(Stores):
    metabolism = "activity"


class NetworkStores(Stores):
    metabolism = "network"


class ScoreStores(Stores):
    metabolism = "score"


class RetentionStores(Stores):
    metabolism = "retention"


class TideStores(Stores):
    metabolism = "tide"


TestActivityStores = ActivityStores.TestCase
TestNetworkStores = NetworkStores.TestCase
TestScoreStores = ScoreStores.TestCase
TestRetentionStores = RetentionStores.TestCase
TestTideStores = TideStores.TestCase
TestActivityStores.settings = TestNetworkStores.settings = once
TestScoreStores.settings = TestRetentionStores.settings = TestTideStores.settings = once
for long in (TestActivityStores, TestNetworkStores, TestScoreStores, TestRetentionStores, TestTideStores):
    pytest.mark.slow(long)
