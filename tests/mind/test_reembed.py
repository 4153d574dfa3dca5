"""Another embedder: everything is embedded again, in the background, going on where it was left, with progress."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

import ebbtide
from ebbtide.core.errors import EmbedderFailed
from ebbtide.mind import Mind
from tests.hashing import Hashing
from tests.helpers import store_of

COUNT = 200


async def fill(folder: Path, embedder: Hashing | None = None) -> None:
    async with ebbtide.open("ada", data=folder, embedder=embedder or Hashing()) as mind:
        await mind.put_many([{"text": f"memory of day {n}", "key": f"k{n}"} for n in range(COUNT)])
        await mind.reembed()


async def space_of(mind: Mind, dimensions: int) -> None:
    """All vectors are of these dimensions, and of what the embedder says now."""
    ids, vectors, _ = await store_of(mind).material(await store_of(mind).living())
    assert (len(ids), vectors.shape[1]) == (COUNT, dimensions)


async def test_the_same_embedder_is_not_asked_again(tmp_path: Path) -> None:
    await fill(tmp_path)
    embedder, progress = Hashing(), list[tuple[int, int]]()
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        info = await mind.reembed(lambda done, total: progress.append((done, total)))
    assert (info.unembedded, embedder.texts, progress) == (0, [], [])


@pytest.mark.parametrize(
    "other", [Hashing("another"), Hashing(dimensions=24), Hashing("shy", 8, shy=True)], ids=lambda other: other.name
)
async def test_another_name_or_other_dimensions_mean_that_all_is_embedded_again(tmp_path: Path, other: Hashing) -> None:
    await fill(tmp_path)
    progress = list[tuple[int, int]]()
    async with ebbtide.open("ada", data=tmp_path, embedder=other) as mind:
        info = await mind.reembed(lambda done, total: progress.append((done, total)))
        assert (info.memories, info.unread, info.unembedded) == (COUNT, 0, 0)
        assert sum(text != "?" for text in other.texts) == COUNT
        assert progress[-1] == (COUNT, COUNT)
        assert [done for done, _ in progress] == sorted(done for done, _ in progress)
        await space_of(mind, other.dimensions)
        assert (await mind.search("memory of day 7", 1)).hits[0].memory.key == "k7"


async def test_a_search_under_another_embedder_goes_by_words_until_the_vectors_are_there(tmp_path: Path) -> None:
    await fill(tmp_path)
    other, hold = Hashing("another"), asyncio.Event()

    async def wait() -> None:
        await hold.wait()

    async def before_the_second() -> None:  # the first call is the query's
        other.meanwhile = wait

    other.meanwhile = before_the_second
    async with ebbtide.open("ada", data=tmp_path, embedder=other) as mind:
        found = await mind.search("day 7", 1, patience=0.0)
        assert (found.hits[0].memory.key, found.unembedded) == ("k7", COUNT)
        hold.set()
        found = await mind.search("day 7", 1)
        assert (found.hits[0].memory.key, found.unembedded) == ("k7", 0)


async def test_left_halfway_it_goes_on_where_it_was(tmp_path: Path) -> None:
    await fill(tmp_path)
    other = Hashing("another")

    def enough(done: int, total: int) -> None:
        if done >= 128:
            other.failure = EmbedderFailed(detail="the plug was pulled")

    async with ebbtide.open("ada", data=tmp_path, embedder=other) as mind:
        with pytest.raises(EmbedderFailed):
            await mind.reembed(enough)
    later = Hashing("another")
    async with ebbtide.open("ada", data=tmp_path, embedder=later) as mind:
        assert (await mind.reembed()).unembedded == 0
        await space_of(mind, 16)
    assert len(later.texts) == COUNT - 128


async def test_who_goes_back_halfway_finds_what_was_not_overwritten(tmp_path: Path) -> None:
    await fill(tmp_path)
    other, first = Hashing("another"), Hashing()

    def enough(done: int, total: int) -> None:
        other.failure = EmbedderFailed(detail="enough")

    async with ebbtide.open("ada", data=tmp_path, embedder=other) as mind:
        with pytest.raises(EmbedderFailed):
            await mind.reembed(enough)
    async with ebbtide.open("ada", data=tmp_path, embedder=first) as mind:
        await mind.reembed()
    assert len(first.texts) == 64  # the one batch the other had embedded


async def test_none_for_a_while_loses_no_vector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(tmp_path)
    monkeypatch.setenv("EBBTIDE_EMBEDDER", "none")
    async with ebbtide.open("ada", data=tmp_path) as mind:
        found = await mind.search("day 7", 1)
        assert (found.hits[0].memory.key, found.unembedded, found.note) == ("k7", 0, "")
        await mind.put("said meanwhile", key="new")
        assert (await mind.search("said meanwhile", 1)).hits[0].memory.key == "new"
    embedder = Hashing()
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        await mind.reembed()
    assert embedder.texts == ["said meanwhile"]


async def test_an_embedder_that_becomes_another_never_mixes_its_vectors(tmp_path: Path) -> None:
    """An endpoint may serve another model from one call to the next, of the same dimensions or of others."""
    embedder = Hashing()
    async with ebbtide.open("ada", data=tmp_path, embedder=embedder) as mind:
        await mind.put("the tide", key="k")
        await mind.search("tide")
        await mind.put("the ebb", key="other")

        async def change() -> None:
            embedder.name, embedder.dimensions, embedder._length = "another", 24, 24

        embedder.meanwhile = change
        await mind.reembed()
        found = await mind.search("tide")
        assert (found.hits[0].memory.key, found.unembedded) == ("k", 0)
        vectors = (await store_of(mind).material(np.array([1, 2]))).vectors
        assert vectors.shape == (2, 24)
        expected = await embedder.embed(["the tide", "the ebb"])
        assert np.allclose(vectors, expected, atol=1e-3)


async def test_what_is_put_while_all_is_embedded_again_is_embedded_first(tmp_path: Path) -> None:
    await fill(tmp_path)
    other = Hashing("another")
    async with ebbtide.open("ada", data=tmp_path, embedder=other) as mind:

        async def put() -> None:
            await mind.put("brand new", key="new")

        other.meanwhile = put
        await mind.search("warm", patience=0.0)
        await mind.reembed()
        await mind.reembed()
    assert other.texts.index("brand new") <= 130
    assert other.texts.count("brand new") == 1
