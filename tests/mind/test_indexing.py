"""Behind the puts: embedders that fail, lie, are slow or change, and everything that may happen meanwhile."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ebbtide
from ebbtide.core.errors import EmbedderFailed, StoreClosed
from ebbtide.mind import Mind
from ebbtide.mind.search import Found
from tests.hashing import Hashing, searchable
from tests.helpers import FakeClock, store_of


def keys(found: Found) -> list[str]:
    return [hit.memory.key for hit in found.hits]


@pytest.fixture
def embedder() -> Hashing:
    return Hashing()


@pytest.fixture(params=["ram", "disk"])
async def mind(request: pytest.FixtureRequest, tmp_path: Path, embedder: Hashing) -> AsyncIterator[Mind]:
    if request.param == "ram":
        opened = await searchable(embedder)
        yield opened
        await opened.close()
        return
    async with ebbtide.open("ada", data=tmp_path, clock=FakeClock(), embedder=embedder) as opened:
        yield opened


async def furnish(mind: Mind) -> None:
    await mind.put("the ferry leaves at 8:40", key="ferry")
    await mind.put("the cat sleeps all day", key="cat")


FAILURES = {
    "it says so": EmbedderFailed(detail="the wire is cut"),
    "it breaks": RuntimeError("boom"),
    "wrong dimensions": np.ones((1, 15), np.float32),
    "no numbers": np.full((1, 16), np.nan, np.float32),
    "too few": np.empty((0, 16), np.float32),
    "not an array": "vectors",
}


# ---- an embedder that fails


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
async def test_words_are_enough_where_the_embedder_fails(mind: Mind, embedder: Hashing, failure: Any) -> None:
    await furnish(mind)
    embedder.failure = failure
    found = await mind.search("ferry")
    assert (keys(found), found.unembedded) == (["ferry"], 2)
    assert found.note.startswith("found by words only: ")
    embedder.failure = None
    found = await mind.search("ferry")
    assert (keys(found)[0], found.unembedded, found.note) == ("ferry", 0, "")


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
async def test_an_embedder_that_fails_before_it_has_told_its_dimensions_leaves_words(failure: Any) -> None:
    embedder = Hashing(shy=True)
    embedder.failure = failure
    mind = await searchable(embedder)
    await furnish(mind)
    found = await mind.search("ferry", explain=True)
    assert keys(found) == ["ferry"]
    assert found.hits[0].why is not None
    assert found.hits[0].why.by_meaning is None
    assert found.note
    with pytest.raises(EmbedderFailed):
        await mind.reembed()
    embedder.failure = None
    found = await mind.search("ferry", explain=True)
    assert (len(found.hits), found.unembedded, found.note) == (2, 0, "")
    await mind.close()


async def test_an_embedder_that_is_down_is_asked_once_a_search(mind: Mind, embedder: Hashing) -> None:
    await furnish(mind)
    embedder.failure = EmbedderFailed(detail="down")
    for _ in range(3):
        await mind.search("ferry")
    assert embedder.texts == ["ferry"] * 3


async def test_it_is_said_once_that_memories_wait(
    mind: Mind, embedder: Hashing, caplog: pytest.LogCaptureFixture
) -> None:
    await mind.search("anything")
    await furnish(mind)
    embedder.meanwhile = None

    async def fall() -> None:
        embedder.failure = EmbedderFailed(detail="down")

    with caplog.at_level(logging.WARNING, "ebbtide"):
        embedder.meanwhile = fall
        await mind.search("ferry")
        await mind.search("ferry")
    assert len([line for line in caplog.messages if "wait to be embedded" in line]) <= 1


async def test_reembedding_by_an_embedder_that_fails_says_so_and_keeps_what_is_done(tmp_path: Path) -> None:
    embedder = Hashing()
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        await mind.put_many([{"text": f"memory number {n}"} for n in range(200)])

        def progress(done: int, total: int) -> None:
            if done >= 128:
                embedder.failure = EmbedderFailed(detail="down")

        with pytest.raises(EmbedderFailed):
            await mind.reembed(progress)
        embedder.failure = None
        embedder.texts.clear()
        info = await mind.reembed()
    assert (info.unembedded, len(embedder.texts)) == (0, 72)  # 200 − 2 × 64


# ---- no embedder


async def test_without_an_embedder_words_are_all_there_is() -> None:
    mind = await searchable(None)
    await furnish(mind)
    found = await mind.search("ferry", explain=True)
    assert (keys(found), found.unembedded, found.note) == (["ferry"], 0, "")
    info = await mind.reembed()
    assert (info.memories, info.unembedded, info.recipe.space) == (2, 0, "")


# ---- meanwhile


async def test_a_memory_rewritten_while_it_is_embedded_is_found_by_what_it_says_now(
    mind: Mind, embedder: Hashing
) -> None:
    await mind.put("the ferry leaves at 8:40", key="k")
    await mind.search("warm")

    async def rewrite() -> None:
        await mind.put("the bus is late", key="k", replace=True)

    await mind.put("another", key="other")
    embedder.meanwhile = rewrite
    await mind.reembed()
    await mind.reembed()
    assert keys(await mind.search("bus", 1)) == ["k"]
    vector = (await store_of(mind).material(np.array([1]))).vectors[0]
    assert vector @ (await embedder.embed(["the bus is late"]))[0] == pytest.approx(1.0, abs=1e-3)


async def test_a_memory_forgotten_while_it_is_embedded_stays_forgotten(mind: Mind, embedder: Hashing) -> None:
    await furnish(mind)

    async def forget() -> None:
        await mind.forget("cat")

    embedder.meanwhile = forget
    info = await mind.reembed()
    assert (info.memories, info.unembedded, keys(await mind.search("cat sleeps"))) == (1, 0, ["ferry"])


async def test_a_memory_forgotten_and_restored_while_it_is_embedded_is_found(mind: Mind, embedder: Hashing) -> None:
    await furnish(mind)

    async def there_and_back() -> None:
        await mind.forget("cat")
        await mind.restore("cat")

    embedder.meanwhile = there_and_back
    await mind.reembed()
    found = await mind.search("cat sleeps", 1)
    assert (keys(found), found.unembedded) == (["cat"], 0)


async def test_a_merge_and_its_undoing_are_followed(mind: Mind) -> None:
    await furnish(mind)
    await mind.search("warm")
    await mind.merge("ferry", "cat", text="the ferry has a cat")
    assert keys(await mind.search("cat")) == ["ferry"]
    await mind.restore("cat")
    assert keys(await mind.search("sleeps"))[0] == "cat"
    found = await mind.search("8:40")
    assert (keys(found)[0], found.unembedded) == ("ferry", 0)


async def test_new_memories_are_embedded_soon_without_being_asked(mind: Mind, embedder: Hashing) -> None:
    await mind.search("warm")
    await furnish(mind)
    async with asyncio.timeout(60):
        while (await store_of(mind).index_info()).unembedded:  # noqa: ASYNC110 — nobody tells when it is done
            await asyncio.sleep(0.01)
    assert "the cat sleeps all day" in embedder.texts


async def test_a_mind_nobody_searches_is_not_indexed(mind: Mind, embedder: Hashing) -> None:
    await furnish(mind)
    await asyncio.sleep(0)
    assert embedder.texts == []
    with pytest.raises(StoreClosed):
        await store_of(mind).index_info()


async def test_many_searches_at_once_embed_everything_once(mind: Mind, embedder: Hashing) -> None:
    await furnish(mind)
    found = await asyncio.gather(*(mind.search("ferry") for _ in range(10)))
    assert {tuple(keys(one)) for one in found} == {("ferry", "cat")}
    assert sorted(text for text in embedder.texts if text != "ferry") == [
        "the cat sleeps all day",
        "the ferry leaves at 8:40",
    ]


async def test_a_search_waits_for_vectors_only_as_long_as_it_was_told(mind: Mind, embedder: Hashing) -> None:
    await mind.search("warm")
    await furnish(mind)
    hold, asked = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        asked.set()
        await hold.wait()

    async def before_the_second() -> None:  # the first call is the query's
        embedder.meanwhile = wait

    embedder.meanwhile = before_the_second
    found = await mind.search("ferry", patience=0.0)
    assert (keys(found), found.unembedded) == (["ferry"], 2)
    await asked.wait()
    hold.set()
    found = await mind.search("ferry")
    assert (keys(found), found.unembedded) == (["ferry", "cat"], 0)


# ---- the end


async def test_closing_while_the_background_embeds_leaves_it_where_it_is(tmp_path: Path) -> None:
    embedder, hold = Hashing(), asyncio.Event()
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        await mind.search("warm")
        await furnish(mind)
        embedder.meanwhile = None

        async def never() -> None:
            await hold.wait()

        async def before_the_second() -> None:
            embedder.meanwhile = never

        embedder.meanwhile = before_the_second
        await mind.search("ferry", patience=0.0)
    async with ebbtide.open("ada", data=tmp_path, embedder=Hashing()) as mind:
        found = await mind.search("ferry")
        assert (keys(found), found.unembedded) == (["ferry", "cat"], 0)


async def test_a_closed_mind_is_not_searched(mind: Mind) -> None:
    await furnish(mind)
    await mind.search("ferry")
    await mind.close()
    with pytest.raises(StoreClosed):
        await mind.search("ferry")
    with pytest.raises(StoreClosed):
        await mind.reembed()
    mind._indexing.nudge()  # which does nothing


# ---- views


async def test_views_of_another_time_and_regime_can_be_searched(tmp_path: Path, embedder: Hashing) -> None:
    clock = FakeClock()
    async with ebbtide.open("ada", data=tmp_path, clock=clock, embedder=embedder) as mind:
        await furnish(mind)
        then = clock.now()
        clock.forward(60.0)
        await mind.forget("cat")
        past, other = await mind.as_of(then), await mind.replay("score")
        assert keys(await past.search("cat", 1)) == ["cat"]
        assert keys(await other.search("cat")) == keys(await mind.search("cat")) == ["ferry"]
        await past.close()
        await other.close()


async def test_one_who_puts_without_end_keeps_nobody_from_searching(mind: Mind) -> None:
    await furnish(mind)
    await mind.search("ferry")

    async def put_and_put() -> None:
        while True:
            await mind.put_many([{"text": "the tide comes in"}] * 500)
            await asyncio.sleep(0)

    writing = asyncio.create_task(put_and_put())
    try:
        assert keys(await asyncio.wait_for(mind.search("ferry", 1, patience=0.0), 60)) == ["ferry"]
    finally:
        writing.cancel()
        await asyncio.wait([writing])
