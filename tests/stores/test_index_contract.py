"""What every store promises about its search index: the same answers, whatever it is made of and whatever happened."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Configure, Dismiss, Forget, Merge, Pair, PutLink, Restore, Rewrite
from ebbtide.core.errors import EbbtideError, StoreClosed
from ebbtide.core.finding import Candidates, Filter, Query
from ebbtide.core.index import IndexRow, Recipe, Unread
from ebbtide.core.memory import Content, State
from ebbtide.core.ports import Store
from ebbtide.core.terms import Field, Terms
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.hashing import hashed
from tests.helpers import batch, born, configured, lives
from tests.stores.conftest import Shelf

RECIPE = Recipe("words-1", "hashing/16", 16)
WORDS_ALONE = Recipe("words-1")
OTHER_SPACE = Recipe("words-1", "other/16", 16)
ANY = Filter((State.ACTIVE, State.COLD))
analyzer = Analyzer()


async def begin(store: Store, *texts: str) -> None:
    puts = [born(memory, text=text) for memory, text in enumerate(texts, 1)]
    await store.apply(batch(configured("activity"), *puts))


async def catch_up(store: Store, recipe: Recipe = RECIPE) -> int:
    """Read and embed whatever waits; returns how many vectors that took."""
    await store.open_index(recipe)
    while waiting := await store.unread(2):
        said = await store.contents([one.id for one in waiting])
        await store.index([IndexRow(one.id, one.edition, analyzer.content(said[one.id])) for one in waiting])
    made = 0
    while waiting := await store.unembedded(2):
        said = await store.contents([one.id for one in waiting])
        made += await store.index([IndexRow(o.id, o.edition, None, hashed(said[o.id].text)) for o in waiting])
    return made


async def asked(store: Store, text: str, vector: bool = False, **wanted: Any) -> Candidates:
    return await store.match(
        Query(analyzer.query(text), hashed(text) if vector else None, Filter(ANY.states, **wanted), BIRTH, 100, 1.0)
    )


async def found(store: Store, text: str) -> list[int]:
    return sorted((await asked(store, text)).ids.tolist())


def row(one: Unread, text: str) -> IndexRow:
    return IndexRow(one.id, one.edition, terms(text), None)


def terms(text: str) -> Terms:
    return analyzer.content(Content("", text))


# ---- opening


async def test_before_it_is_opened_there_is_no_index(store: Store) -> None:
    with pytest.raises(StoreClosed):
        await store.unread(1)


async def test_opened_it_waits_for_everybody(store: Store) -> None:
    await begin(store, "tide", "ebb")
    await store.open_index(RECIPE)
    assert [one.id for one in await store.unread(10)] == [2, 1]
    assert [one.id for one in await store.unread(1)] == [2]
    assert await store.unembedded(10) == []
    info = await store.index_info()
    assert (info.recipe, info.memories, info.unread, info.unembedded, info.exact) == (RECIPE, 0, 2, 2, True)


async def test_an_empty_mind_can_be_opened_and_asked(store: Store) -> None:
    await begin(store)
    assert await catch_up(store) == 0
    assert (await found(store, "tide"), len((await asked(store, "tide", vector=True)).ids)) == ([], 0)
    assert len((await store.material(np.array([1]))).ids) == 0


async def test_opening_it_again_by_the_same_recipe_changes_nothing(store: Store) -> None:
    await begin(store, "tide")
    await catch_up(store)
    await store.open_index(RECIPE)
    assert (await store.index_info()).memories == 1
    assert await found(store, "tide") == [1]


async def test_another_embedder_means_other_vectors_but_the_same_words(store: Store) -> None:
    await begin(store, "tide", "ebb")
    await catch_up(store)
    await store.open_index(OTHER_SPACE)
    waiting = 2 if isinstance(store, SqliteStore) else 0  # who keeps no rows has to read the words again
    assert len(await store.unembedded(10)) == waiting
    assert await catch_up(store, OTHER_SPACE) == 2
    await store.open_index(WORDS_ALONE)
    await catch_up(store, WORDS_ALONE)
    info = await store.index_info()
    assert (info.unread, info.unembedded, await found(store, "tide")) == (0, 0, [1])


async def test_a_closed_store_has_no_index(store: Store) -> None:
    await begin(store, "tide")
    await catch_up(store)
    await store.close()
    for call in (store.open_index(RECIPE), store.unread(1), store.unembedded(1), store.index([]), store.index_info()):
        with pytest.raises(StoreClosed):
            await call
    with pytest.raises(StoreClosed):
        await found(store, "tide")
    with pytest.raises(StoreClosed):
        await store.material(np.array([1]))


# ---- rows


async def test_a_row_is_taken_once_and_only_of_the_present_text(store: Store) -> None:
    await begin(store, "tide")
    await store.open_index(RECIPE)
    early = (await store.unread(1))[0]
    await store.apply(batch(Rewrite(BIRTH, 1, Content("k1", "flood"))))
    assert await store.index([row(early, "tide")]) == 0
    late = (await store.unread(1))[0]
    assert (await store.index([row(late, "flood")]), await store.index([row(late, "flood")])) == (1, 0)
    assert (await found(store, "tide"), await found(store, "flood")) == ([], [1])


async def test_a_vector_computed_while_its_memory_was_rewritten_is_refused(store: Store) -> None:
    await begin(store, "tide")
    await store.open_index(RECIPE)
    await store.index([row(one, "tide") for one in await store.unread(1)])
    early = (await store.unembedded(1))[0]
    await store.apply(batch(Rewrite(BIRTH, 1, Content("k1", "flood"))))
    await store.index([row(one, "flood") for one in await store.unread(1)])
    assert await store.index([IndexRow(1, early.edition, None, hashed("tide"))]) == 0
    assert len(await store.unembedded(1)) == 1


@pytest.mark.parametrize("vector", [np.ones(3, np.float32), np.full(16, np.nan, np.float32)])
async def test_a_vector_that_does_not_fit_is_never_taken(store: Store, vector: np.ndarray) -> None:
    await begin(store, "tide")
    await store.open_index(RECIPE)
    assert await store.index([IndexRow(1, one.edition, terms("tide"), vector) for one in await store.unread(1)]) == 1
    assert await store.index([IndexRow(1, one.edition, None, vector) for one in await store.unembedded(1)]) == 0
    assert (await store.index_info()).unembedded == 1
    assert await catch_up(store) == 1


async def test_asked_for_some_only_those_are_told(store: Store) -> None:
    await begin(store, "one", "two", "three")
    await store.open_index(RECIPE)
    await store.index([row(one, "x") for one in await store.unread(10)])
    assert [one.id for one in await store.unembedded(10, frozenset({1, 3, 9}))] == [3, 1]


async def test_material_is_of_those_that_have_a_vector(store: Store) -> None:
    await begin(store, "one", "two", "three")
    await catch_up(store)
    await store.apply(batch(Forget(BIRTH, 2, "k2"), Rewrite(BIRTH, 3, Content("k3", "four"))))
    ids, vectors, group = await store.material(np.array([1, 2, 3]))
    assert (ids.tolist(), vectors.shape, len(group)) == ([1], (1, 16), 1)
    assert vectors[0] @ hashed("one") == pytest.approx(1.0, abs=1e-3)


# ---- pairs and dismissals


async def test_pairs_and_dismissals_are_kept_until_their_facts_change(shelf: Shelf) -> None:
    store = shelf.store
    await begin(store, "one", "two", "three")
    await store.apply(
        batch(Pair(BIRTH, store.seq, ((1, 2, 0.9), (2, 3, 0.95))), Dismiss(BIRTH, "merge", (1, 2), "0.9"))
    )
    store = await shelf.reopen()
    assert (await store.pairs(), await store.dismissed()) == (
        {(1, 2): 0.9, (2, 3): 0.95},
        {("merge", (1, 2)): "0.9"},
    )
    await store.apply(batch(Rewrite(BIRTH, 1, Content("k1", "other")), Dismiss(BIRTH, "merge", (1, 2), "")))
    store = await shelf.reopen()
    assert (await store.pairs(), await store.dismissed()) == ({(2, 3): 0.95}, {})


# ---- on disk


async def test_a_mind_opened_again_has_its_words_and_vectors_at_once(shelf: Shelf) -> None:
    await begin(shelf.store, "tide", "ebb", "flood")
    await catch_up(shelf.store)
    before = await answers(shelf.store)
    store = await shelf.reopen()
    assert await catch_up(store) == 0
    assert await answers(store) == before


async def test_what_leaves_takes_its_row_with_it_in_the_same_transaction(shelf: Shelf) -> None:
    await begin(shelf.store, "one", "two", "three", "four")
    await catch_up(shelf.store)
    store = await shelf.reopen()
    said = Content("k3", "both"), Content("k3", "three")
    await store.apply(batch(Forget(BIRTH, 1, "k1"), Merge(BIRTH, 3, 4, "k4", *said)))
    store = await shelf.reopen()
    await store.open_index(RECIPE)
    assert ([one.id for one in await store.unread(9)], (await store.index_info()).memories) == ([3], 1)


async def test_rows_are_written_even_if_nobody_writes_anything_else(shelf: Shelf) -> None:
    await begin(shelf.store, "tide")
    await catch_up(shelf.store)
    await shelf.store.info()  # tells the size on disk, so everything has to be there
    killed = Path(tempfile.mkdtemp(dir=shelf.folder.parent)) / "copy"
    killed.mkdir()
    for file in shelf.folder.glob("mind.db*"):
        (killed / file.name).write_bytes(file.read_bytes())
    copy = SqliteStore(killed)
    try:
        assert await catch_up(copy) == 0
    finally:
        await copy.close()


# ---- at the same time


async def test_what_happens_while_the_index_is_being_read_is_not_missed(shelf: Shelf) -> None:
    await begin(shelf.store, *(f"{chr(97 + n // 26)}{chr(97 + n % 26)}word" for n in range(199)))
    await catch_up(shelf.store)
    store = await shelf.reopen()
    opening = asyncio.create_task(store.open_index(RECIPE))
    await asyncio.sleep(0)  # it has begun
    await store.apply(batch(Forget(BIRTH, 1, "k1"), Rewrite(BIRTH, 2, Content("k2", "changed")), born(200)))
    await store.apply(batch(Restore(BIRTH, 1, "k1")))
    await opening
    assert sorted(one.id for one in await store.unread(999)) == [1, 2, 200]
    await catch_up(store)
    assert (await found(store, "aaword"), await found(store, "abword"), await found(store, "changed")) == ([1], [], [2])


async def test_two_who_open_it_at_once_get_one_index(shelf: Shelf) -> None:
    await begin(shelf.store, "tide")
    await asyncio.gather(shelf.store.open_index(RECIPE), shelf.store.open_index(RECIPE), catch_up(shelf.store))
    assert (await found(shelf.store, "tide"), (await shelf.store.index_info()).memories) == ([1], 1)


async def test_an_index_thrown_away_with_a_failed_commit_is_read_again(shelf: Shelf) -> None:
    store = shelf.store
    assert isinstance(store, SqliteStore)
    await begin(store, "tide", "ebb")
    await catch_up(store)
    await store.info()
    early = Unread(1, 0)
    store._connection.execute("PRAGMA query_only = 1")
    with pytest.raises(EbbtideError):
        await store.apply(batch(Rewrite(BIRTH, 1, Content("k1", "never said"))))
    assert await found(store, "tide") == [1]
    store._connection.execute("PRAGMA query_only = 0")
    await store.apply(batch(Rewrite(BIRTH, 1, Content("k1", "flood"))))
    assert await store.index([row(early, "tide")]) == 0
    assert await catch_up(store) == 1
    assert (await found(store, "never said"), await found(store, "flood"), await found(store, "ebb")) == ([], [1], [2])


async def test_a_commit_that_fails_while_the_index_is_being_read_leaves_nobody_behind(shelf: Shelf) -> None:
    store = shelf.store
    assert isinstance(store, SqliteStore)
    await begin(store, "tide")
    opening = asyncio.create_task(store.open_index(RECIPE))
    await asyncio.sleep(0)
    store._connection.execute("PRAGMA query_only = 1")
    with pytest.raises(EbbtideError):
        await store.apply(batch(born(2, text="never said")))
    store._connection.execute("PRAGMA query_only = 0")
    await opening
    assert [one.id for one in await store.unread(9)] == [1]


async def test_rows_that_cannot_be_written_harm_nobody(shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
    store = shelf.store
    assert isinstance(store, SqliteStore)
    await begin(store, "tide", "ebb")
    store._connection.execute("ALTER TABLE index_rows RENAME TO gone")
    await catch_up(store)
    await store.info()
    assert "the search index could not be written" in caplog.text
    assert await found(store, "tide") == [1]
    store._connection.execute("ALTER TABLE gone RENAME TO index_rows")
    store = await shelf.reopen()
    assert (await store.find("k2"), await catch_up(store), await found(store, "ebb")) == (2, 2, [2])


# ---- whatever happens: the same answers from every store, and from an index made from scratch

IDS = st.integers(1, 5)
TEXTS = ("tide and ebb", "渡轮八点四十分开", "ORD-2291 was shipped", "the moon", "x")
TEXT = st.sampled_from(TEXTS)
STEP = st.one_of(
    st.tuples(st.just("put"), IDS, TEXT),
    st.tuples(st.just("rewrite"), IDS, TEXT),
    st.tuples(st.just("forget"), IDS, TEXT),
    st.tuples(st.just("restore"), IDS, TEXT),
    st.tuples(st.just("merge"), IDS, TEXT),
    st.tuples(st.just("link"), IDS, TEXT),
    st.tuples(st.just("index"), IDS, TEXT),
    st.tuples(st.just("configure"), IDS, TEXT),
)


async def step(store: Store, verb: str, memory: int, text: str) -> None:
    """Being refused is a part of life."""
    other, said = memory % 5 + 1, Content(f"k{memory}", text)
    match verb:
        case "put":
            change: Any = born(memory, text=text)
        case "rewrite":
            change = Rewrite(BIRTH, memory, said)
        case "forget":
            change = Forget(BIRTH, memory, f"k{memory}")
        case "restore":
            change = Restore(BIRTH, memory, f"k{memory}")
        case "merge":
            before = (await store.contents([memory])).get(memory, said)
            change = Merge(BIRTH, memory, other, f"k{other}", said, before)
        case "link":
            change = PutLink(BIRTH, memory, other, "next", 0.5)
        case "configure":
            change = Configure(BIRTH, "activity", configured("activity", rank_bonus=memory / 10).params)
        case _:
            await catch_up(store)
            return
    try:
        await store.apply(batch(change, token=f"{verb}-{store.seq}"))
    except EbbtideError:
        return


async def answers(store: Store) -> list[Any]:
    told: list[Any] = [(await store.living()).tolist()]
    for text in TEXTS:
        for vector in (False, True):
            found = await asked(store, text, vector)
            columns = found.similarity.tolist(), found.lift.tolist()
            rows = zip(found.ids.tolist(), *columns, strict=True)
            told.append(sorted((memory, round(s, 4), round(lift, 4)) for memory, s, lift in rows))
    return told


@lives
@given(st.lists(STEP, max_size=25))
async def test_every_store_gives_the_same_answers_and_so_does_an_index_from_scratch(
    steps: list[tuple[str, int, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ram, disk = MemoryStore(), SqliteStore(Path(folder) / "mind")
        try:
            for store in (ram, disk):
                await begin(store)
                for verb, memory, text in steps:
                    await step(store, verb, memory, text)
                await catch_up(store)
            told = await answers(ram)
            assert await answers(disk) == told
            await require_findable(ram)
            scratch = MemoryStore(await ram.snapshot())
            await catch_up(scratch)
            assert await answers(scratch) == told
            await disk.close()
            disk = SqliteStore(Path(folder) / "mind")
            assert await catch_up(disk) == 0  # nothing has to be made again
            assert await answers(disk) == told
        finally:
            await disk.close()


async def require_findable(store: Store) -> None:
    """Every living memory by its own words, and nobody else."""
    for memory, said in (await store.contents((await store.living()).tolist())).items():
        assert memory in await found(store, said.text)
    assert (await store.index_info()).memories == len(await store.living())


async def test_how_many_memories_have_a_term_is_counted_among_the_living(store: Store) -> None:
    await begin(store, "tide and ebb", "tide", "moon", "tide")
    await catch_up(store)
    codes = np.sort(np.concatenate([analyzer.query(word).among(Field.WORDS) for word in ("tide", "ebb", "sun")]))
    order = [int(analyzer.query(word).among(Field.WORDS)[0]) for word in ("tide", "ebb", "sun")]

    async def counted() -> tuple[int, list[int]]:
        found = await store.frequencies(codes)
        having = dict(zip(codes.tolist(), found.having.tolist(), strict=True))
        return found.memories, [having[code] for code in order]

    assert await counted() == (4, [3, 1, 0])
    await store.apply(batch(Forget(BIRTH, 2, "k2")))
    assert await counted() == (3, [2, 1, 0])
