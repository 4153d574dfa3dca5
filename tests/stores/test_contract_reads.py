"""What every store promises about reading: the same answers, whatever it is made of."""

from dataclasses import replace
from typing import Any

import pytest

from ebbtide.core.changes import (
    Access,
    Change,
    Discard,
    Focus,
    Forget,
    Merge,
    PutLink,
    Restore,
    Rewrite,
    Scan,
    Traverse,
    Unlink,
    WriteDown,
)
from ebbtide.core.memory import CODE_OF, Content, Link, State
from ebbtide.core.ports import Store, Where
from ebbtide.core.signals import NEVER
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH
from tests.helpers import batch, born, configured
from tests.stores.conftest import Shelf

T1, T2, T3 = BIRTH + 1, BIRTH + 2, BIRTH + 3


async def begin(store: Store, metabolism: str = "activity", memories: int = 3, **params: Any) -> None:
    await store.apply(batch(configured(metabolism, **params), *(born(i) for i in range(1, memories + 1))))


# ---- a mind nothing has happened to


async def test_an_empty_store_is_empty(store: Store) -> None:
    assert (store.seq, store.regime.metabolism.name) == (0, "activity")
    assert (await store.find("k1"), await store.contents([1]), len(await store.signals())) == (None, {}, 0)
    assert (await store.page(Where()), await store.trash(), await store.journal()) == ([], [], [])
    assert (await store.links(1, outgoing=True), await store.base(), await store.reserve(1)) == ([], None, 1)
    info = await store.info()
    assert (info.memories, info.links, info.traces, info.trash, info.journal_entries) == (0, 0, 0, 0, 0)


async def test_the_regime_is_what_the_last_configuration_says(store: Store) -> None:
    await begin(store, "score", usage_gain=5)
    await store.apply(batch(configured("score", usage_gain=7, trash_days=3)))
    assert store.regime.metabolism.name == "score"
    assert (store.regime.params()["usage_gain"], store.regime.common.trash_days) == (7.0, 3.0)


# ---- keys and contents


async def test_a_memory_is_found_by_its_key_while_it_lives(store: Store) -> None:
    await begin(store)
    assert [await store.find(key) for key in ("k1", "k3", "K1", "k4")] == [1, 3, None, None]
    await store.apply(batch(Forget(T1, 1, "k1")))
    assert await store.find("k1") is None
    await store.apply(batch(Restore(T2, 1, "renamed")))
    assert (await store.find("k1"), await store.find("renamed")) == (None, 1)


async def test_contents_come_back_as_they_were_given(store: Store) -> None:
    await begin(store, memories=0)
    said = Content(
        "渡轮 8:40", 'a "quoted"\ntext\twith 中文 and 🌊', "phrase", ("渡轮", 'k"w', ""), "fact", "港口", "小林"
    )
    await store.apply(batch(replace(born(1), content=said)))
    assert await store.contents([1]) == {1: said}
    new = replace(said, text="other", keywords=(), kind="note", domain="", speaker="")
    await store.apply(batch(Rewrite(T1, 1, new)))
    assert await store.contents([1]) == {1: new}


async def test_contents_leave_out_who_is_not_alive(store: Store) -> None:
    await begin(store)
    await store.apply(batch(Forget(T1, 2, "k2")))
    assert await store.contents([3, 2, 9, 1]) == {1: born(1).content, 3: born(3).content}
    assert await store.contents([]) == {}


async def test_a_merge_gives_new_words_and_a_restore_brings_the_other_back(store: Store) -> None:
    await begin(store)
    both = Content("k1", "both")
    await store.apply(batch(Merge(T1, 1, 2, "k2", both, born(1).content)))
    assert await store.contents([1, 2]) == {1: both}
    await store.apply(batch(Restore(T2, 2, "k2")))
    assert await store.contents([1, 2]) == {1: both, 2: born(2).content}


# ---- signals


async def test_signals_count_what_happened(store: Store) -> None:
    await begin(store)
    await store.apply(batch(PutLink(T1, 1, 2, "r", 0.5), PutLink(T1, 3, 2, "r", 0.5)))
    await store.apply(batch(Access(T2, (2, 2, 1)), Traverse(T3, (2,)), Scan(T3, ((2, 3),))))
    s = await store.signals([2, 1, 3])
    assert s.id.tolist() == [2, 1, 3]
    assert s.in_degree.tolist() == [2, 0, 0]
    assert s.out_degree.tolist() == [0, 1, 1]
    assert s.access_count.tolist() == [2, 1, 0]
    assert s.traverse_count.tolist() == [1, 0, 0]
    assert s.scan_count.tolist() == [1, 0, 1]
    assert s.last_accessed_at.tolist() == [T2, T2, BIRTH]
    assert s.last_linked_at.tolist() == [T3, T1, T1]
    assert s.last_touched_at.tolist() == [NEVER] * 3
    assert s.original_length.tolist() == [len("the text of k1")] * 3


async def test_signals_of_all_are_those_of_each(store: Store) -> None:
    await begin(store, "network", memories=5)
    await store.apply(batch(PutLink(T1, 1, 2, "r", 0.5), PutLink(T1, 5, 2, "r", 0.9), Forget(T1, 3, "k3")))
    every = await store.signals()
    assert sorted(every.id.tolist()) == [1, 2, 4, 5]
    each = await store.signals(every.id.tolist())
    for name in ("id", "out_degree", "version", "state", "length"):
        assert getattr(each, name).tolist() == getattr(every, name).tolist()
    assert sorted(every.links.strength.tolist()) == sorted(each.links.strength.tolist()) == [0.5, 0.9]


async def test_a_scan_passes_over_the_living_in_its_ranges(store: Store) -> None:
    await begin(store, "network", memories=6)
    await store.apply(batch(Forget(T1, 4, "k4"), Scan(T1, ((5, 9), (1, 1), (3, 4)))))
    await store.apply(batch(Restore(T2, 4, "k4")))
    assert (await store.signals([1, 2, 3, 4, 5, 6])).scan_count.tolist() == [1, 0, 1, 0, 1, 1]


# ---- links


async def test_links_come_strongest_first_and_from_the_side_asked_for(store: Store) -> None:
    await begin(store, memories=4)
    await store.apply(
        batch(
            PutLink(T1, 1, 2, "a", 0.2), PutLink(T1, 1, 3, "a", 0.9), PutLink(T1, 1, 3, "b", 0.5),
            PutLink(T1, 4, 1, "a", 0.7), PutLink(T1, 1, 4, "a", 0.5),
        )
    )  # fmt: skip
    ours = [Link(1, 3, "a", 0.9), Link(1, 3, "b", 0.5), Link(1, 4, "a", 0.5), Link(1, 2, "a", 0.2)]
    assert await store.links(1, outgoing=True) == ours
    assert await store.links(1, outgoing=False) == [Link(4, 1, "a", 0.7)]
    assert await store.links(1, outgoing=True, relations=["b", "none"]) == [Link(1, 3, "b", 0.5)]
    assert await store.links(1, outgoing=True, relations=["none"]) == []
    assert await store.links(9, outgoing=True) == []


async def test_a_link_made_again_has_its_new_strength_and_is_still_one(store: Store) -> None:
    await begin(store)
    await store.apply(batch(PutLink(T1, 1, 2, "a", 0.2)))
    await store.apply(batch(PutLink(T2, 1, 2, "a", 0.8)))
    assert await store.links(1, outgoing=True) == [Link(1, 2, "a", 0.8)]
    assert (await store.signals([1])).out_degree.tolist() == [1]
    await store.apply(batch(Unlink(T3, 1, 2, "a")))
    assert (await store.links(1, outgoing=True), (await store.info()).links) == ([], 0)


async def test_a_link_to_a_forgotten_memory_is_a_trace(store: Store) -> None:
    await begin(store)
    await store.apply(batch(PutLink(T1, 1, 2, "a", 0.2), PutLink(T1, 2, 3, "a", 0.4)))
    await store.apply(batch(Forget(T2, 2, "k2")))
    assert await store.links(1, outgoing=True) == [Link(1, 2, "a", 0.2)]
    assert await store.links(3, outgoing=False) == []
    info = await store.info()
    assert (info.links, info.traces) == (1, 1)
    await store.apply(batch(Discard(T3, (2,))))
    assert (await store.links(1, outgoing=True), (await store.info()).traces) == ([Link(1, 2, "a", 0.2)], 1)
    await store.apply(batch(Unlink(T3, 1, 2, "a")))
    assert (await store.info()).traces == 0


async def test_in_a_network_links_wear_with_scans_and_break(store: Store) -> None:
    await begin(store, "network", decay_rate=0.5, link_break_threshold=0.2)
    await store.apply(batch(PutLink(T1, 1, 2, "a", 0.5), PutLink(T1, 1, 3, "a", 1.0)))
    await store.apply(batch(Scan(T2, ((1, 1),))))
    assert await store.links(1, outgoing=True) == [Link(1, 3, "a", 0.5), Link(1, 2, "a", 0.25)]
    await store.apply(batch(Scan(T2, ((1, 1),))))
    assert await store.links(1, outgoing=True) == [Link(1, 3, "a", 0.25)]  # 0.125 is under 0.2
    await store.apply(batch(PutLink(T3, 1, 2, "a", 0.5)))
    assert await store.links(1, outgoing=True) == [Link(1, 2, "a", 0.5), Link(1, 3, "a", 0.25)]


async def test_focus_pins_links_at_one_and_lets_them_fade_from_there(store: Store) -> None:
    await begin(store, "network", decay_rate=0.5)
    await store.apply(batch(PutLink(T1, 1, 2, "a", 0.3), Focus(T1, (2,)), Scan(T1, ((1, 1),))))
    assert await store.links(1, outgoing=True) == [Link(1, 2, "a", 1.0)]
    await store.apply(batch(Focus(T2, ()), Scan(T2, ((1, 1),))))
    assert await store.links(1, outgoing=True) == [Link(1, 2, "a", 0.5)]


async def test_focus_holds_its_links_also_after_reopening(shelf: Shelf) -> None:
    await begin(shelf.store, "network", decay_rate=0.5)
    await shelf.store.apply(batch(PutLink(T1, 1, 2, "a", 0.3), PutLink(T1, 1, 3, "a", 0.8), Focus(T1, (2,))))
    await shelf.store.apply(batch(Scan(T1, ((1, 1),))))
    store = await shelf.reopen()
    assert await store.links(1, outgoing=True) == [Link(1, 2, "a", 1.0), Link(1, 3, "a", 0.4)]
    assert await store.focus() == (2,)


# ---- pages


async def shelves(store: Store) -> None:
    """Six memories of a score mind, as a tick might have left them."""
    kinds = ["note", "fact", "note", "fact", "note", "fact"]
    domains = ["sea", "sea", "land", "land", "", ""]
    puts = [born(i, kind=kinds[i - 1], domain=domains[i - 1]) for i in range(1, 7)]
    await store.apply(batch(configured("score"), *puts))
    states = (State.ACTIVE, State.ACTIVE, State.COLD, State.COLD, State.DEPRECATED, State.DEPRECATED)
    codes = tuple(CODE_OF[state] for state in states)
    await store.apply(batch(WriteDown(T1, store.seq, (1, 2, 3, 4, 5, 6), codes, (0,) * 6, (100, 70, 69, 30, 29, 0))))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where(), [1, 2, 3, 4, 5, 6]),
        (Where(states=(State.COLD,)), [3, 4]),
        (Where(states=(State.ACTIVE, State.DEPRECATED)), [1, 2, 5, 6]),
        (Where(states=(State.EXPIRED,)), []),
        (Where(states=()), []),
        (Where(score=(30, 70)), [2, 3, 4]),
        (Where(score=(0, 0)), [6]),
        (Where(score=(70, 30)), []),
        (Where(kind="fact"), [2, 4, 6]),
        (Where(kind="FACT"), []),
        (Where(domain="land"), [3, 4]),
        (Where(domain=""), [5, 6]),
        (Where(states=(State.COLD, State.ACTIVE), score=(50, 100), kind="note", domain="sea"), [1]),
    ],
)
async def test_a_page_has_what_was_asked_for(store: Store, where: Where, expected: list[int]) -> None:
    await shelves(store)
    assert await store.page(where) == expected


async def test_pages_follow_one_another_without_gaps(store: Store) -> None:
    await shelves(store)
    where = Where(kind="note")
    first = await store.page(where, limit=2)
    assert (first, await store.page(where, after=first[-1], limit=2)) == ([1, 3], [5])
    assert await store.page(where, after=5, limit=2) == []
    assert await store.page(where, limit=0) == []


async def test_a_page_goes_by_id_also_after_memories_came_and_went(store: Store) -> None:
    await begin(store, memories=6)
    await store.apply(batch(Forget(T1, 2, "k2"), Forget(T1, 5, "k5")))
    await store.apply(batch(Restore(T2, 2, "k2")))
    assert await store.page(Where()) == [1, 2, 3, 4, 6]


async def test_a_score_range_finds_nothing_where_there_are_no_scores(store: Store) -> None:
    await begin(store, "retention")
    assert await store.page(Where(score=(0, 100))) == []


# ---- trash


async def test_the_trash_shows_the_last_forgotten_first(store: Store) -> None:
    await begin(store, memories=4)
    await store.apply(batch(PutLink(T1, 3, 4, "r", 0.5), Access(T1, (3,))))
    await store.apply(batch(Forget(T2, 3, "k3")))
    await store.apply(
        batch(Forget(T3, 1, "k1", "superseded"), Merge(T3, 4, 2, "k2", Content("k4", "x"), born(4).content))
    )
    trash = await store.trash()
    assert [(content, gone.id, gone.at, gone.cause) for content, gone in trash] == [
        (born(2).content, 2, T3, "merged"),
        (born(1).content, 1, T3, "superseded"),
        (born(3).content, 3, T2, "asked"),
    ]
    assert (trash[0][1].into, trash[2][1].row["access_count"]) == (4, 1)


async def test_the_trash_can_be_asked_for_one_key(store: Store) -> None:
    await begin(store)
    await store.apply(batch(Forget(T1, 1, "k1"), born(7, "k1"), Forget(T2, 7, "k1"), Forget(T2, 2, "k2")))
    assert [gone.id for _, gone in await store.trash(key="k1")] == [7, 1]
    assert await store.trash(key="k3") == []


async def test_the_trash_can_be_asked_for_the_last_few_and_for_the_old(store: Store) -> None:
    await begin(store, memories=4)
    await store.apply(batch(Forget(T1, 1, "k1"), Forget(T2, 2, "k2"), Forget(T3, 3, "k3"), Forget(T3, 4, "k4")))
    assert [gone.id for _, gone in await store.trash(limit=3)] == [4, 3, 2]
    assert [gone.id for _, gone in await store.trash(until=T2)] == [2, 1]
    assert [gone.id for _, gone in await store.trash(ids=[1, 3, 4], until=T3, limit=2)] == [4, 3]
    assert await store.trash(until=T1 - 1) == await store.trash(limit=0) == []


async def test_what_is_discarded_is_gone_for_good(store: Store) -> None:
    await begin(store)
    await store.apply(batch(Forget(T1, 1, "k1"), Forget(T1, 2, "k2")))
    await store.apply(batch(Discard(T2, (1, 9))))
    assert [gone.id for _, gone in await store.trash()] == [2]
    assert (await store.journal())[-1].change == Discard(T2, (1,))
    assert (await store.info()).trash == 1


# ---- journal


async def test_the_journal_tells_everything_in_order(store: Store) -> None:
    changes: list[Change] = [configured("score"), born(1), born(2), PutLink(T1, 1, 2, "r", 0.5), Access(T2, (1, 2))]
    await store.apply(batch(*changes[:3], token="first"))
    await store.apply(batch(*changes[3:], token="second"))
    journal = await store.journal()
    assert [(entry.seq, entry.change) for entry in journal] == list(enumerate(changes, 1))
    assert [entry.token for entry in journal if entry.token] == ["first", "second"]
    assert store.seq == 5


async def test_the_journal_can_be_read_in_pieces(store: Store) -> None:
    await begin(store, memories=9)
    assert [entry.seq for entry in await store.journal(after=2, limit=3)] == [3, 4, 5]
    assert [entry.seq for entry in await store.journal(after=9)] == [10]
    assert await store.journal(after=10) == []
    assert await store.journal(limit=0) == []


async def test_the_journal_of_one_memory_has_what_is_about_it_alone(store: Store) -> None:
    await begin(store)
    await store.apply(
        batch(Access(T1, (1,)), Access(T1, (1, 2)), PutLink(T1, 1, 2, "r", 0.5), PutLink(T1, 2, 1, "r", 0.5))
    )
    await store.apply(batch(Rewrite(T2, 1, Content("k1", "x")), Forget(T3, 1, "k1")))
    kinds = [type(entry.change).__name__ for entry in await store.journal(memory=1)]
    assert kinds == ["PutMemory", "Access", "PutLink", "Rewrite", "Forget"]
    assert [entry.seq for entry in await store.journal(memory=1, after=2, limit=2)] == [5, 7]
    assert await store.journal(memory=9) == []


# ---- base and snapshot


async def test_replaying_the_journal_gives_the_same_snapshot(store: Store) -> None:
    await begin(store, "score", memories=5)
    await store.apply(batch(PutLink(T1, 1, 2, "r", 0.5), Access(T2, (1, 2)), Forget(T2, 1, "k1")))
    await store.apply(batch(Restore(T3, 1, "k1")))
    copy = MemoryStore()
    for entry in await store.journal():
        await copy.apply(batch(entry.change))
    assert await copy.snapshot() == await store.snapshot()


async def test_a_compacted_journal_starts_from_its_base(store: Store) -> None:
    await begin(store, "network")
    await store.apply(batch(PutLink(T1, 1, 2, "r", 0.5), Focus(T1, (1,)), Forget(T1, 3, "k3"), Access(T1, (1,))))
    base = await store.snapshot()
    await store.apply(batch(Access(T2, (2,)), born(4)))
    before = await store.snapshot()
    await store.compact(base)
    assert (await store.base(), await store.snapshot()) == (base, before)
    assert [entry.seq for entry in await store.journal()] == [base.seq + 1, base.seq + 2]
    info = await store.info()
    assert (info.journal_entries, info.journal_from) == (2, base.seq)
    copy = MemoryStore(base)
    for entry in await store.journal():
        await copy.apply(batch(entry.change))
    assert await copy.snapshot() == before


async def test_a_store_compacted_to_its_last_entry_goes_on_counting(store: Store) -> None:
    await begin(store)
    await store.compact(await store.snapshot())
    assert (store.seq, await store.journal()) == (4, [])
    assert (await store.apply(batch(born(4)))).seq == 5


async def test_a_compacted_store_is_the_same_after_reopening(shelf: Shelf) -> None:
    await begin(shelf.store, "retention")
    await shelf.store.apply(batch(Access(T1, (1,)), Forget(T1, 2, "k2"), Discard(T1, (2,))), lazy=True)
    base = await shelf.store.snapshot()
    await shelf.store.compact(base)
    store = await shelf.reopen()
    assert (await store.base(), await store.snapshot(), store.seq) == (base, base, base.seq)
    assert await store.reserve(1) == 4


async def test_a_batch_whose_journal_was_folded_away_is_still_not_applied_twice(shelf: Shelf) -> None:
    await begin(shelf.store)
    await shelf.store.apply(batch(Access(T1, (1,)), token="once"))
    await shelf.store.compact(await shelf.store.snapshot())
    assert (await shelf.store.apply(batch(Access(T1, (1,)), token="once"))).repeated


async def test_info_counts_what_there_is(store: Store) -> None:
    await begin(store)
    await store.apply(batch(PutLink(T1, 1, 2, "r", 0.5), PutLink(T1, 2, 1, "r", 0.5), Forget(T2, 2, "k2")))
    info = await store.info()
    assert (info.memories, info.links, info.traces, info.trash) == (2, 1, 1, 1)
    assert (info.journal_entries, info.journal_from) == (7, 0)
    assert info.ram_bytes > 0


async def test_a_mind_on_disk_says_how_much_room_it_takes(shelf: Shelf) -> None:
    await begin(shelf.store)
    files = sum(file.stat().st_size for file in shelf.folder.glob("mind.db*"))
    assert (await shelf.store.info()).disk_bytes == files > 0
