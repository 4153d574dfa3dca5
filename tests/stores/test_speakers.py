"""Who said a memory (C14, K3): kept wherever its text is kept, in both stores, and unknown in files from before."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ebbtide.core.changes import Discard, Enqueue, Forget, Merge, PutMemory, Recover, Restore, Rewrite
from ebbtide.core.memory import Content, Message
from ebbtide.core.ports import Store
from ebbtide.mind.history import replay
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore, codec
from tests.helpers import METABOLISMS, batch, born, configured
from tests.stores.conftest import Shelf
from tests.stores.furnished import T1, T2, T3, without_speakers

MEI = born(1, speaker="Mei").content


async def said_by(store: Store, memory: int = 1) -> str:
    return (await store.contents([memory]))[memory].speaker


async def test_a_speaker_goes_into_the_trash_and_comes_back(store: Store) -> None:
    await store.apply(batch(configured("activity"), born(1, speaker="Mei"), born(2)))
    assert [await said_by(store, memory) for memory in (1, 2)] == ["Mei", ""]
    await store.apply(batch(Forget(T1, 1, "k1")))
    assert [(said.key, said.speaker) for said, _ in await store.trash()] == [("k1", "Mei")]
    await store.apply(batch(Restore(T2, 1, "k1")))
    assert await said_by(store) == "Mei"


async def test_a_rewriting_says_who_speaks_now(store: Store) -> None:
    await store.apply(batch(configured("activity"), born(1, speaker="Mei")))
    await store.apply(batch(Rewrite(T1, 1, replace(MEI, text="shorter"), "compressed")))
    assert await said_by(store) == "Mei"
    await store.apply(batch(Rewrite(T2, 1, Content("k1", "said by somebody else", speaker="Lin"))))
    assert await said_by(store) == "Lin"
    await store.apply(batch(Rewrite(T3, 1, Content("k1", "nobody knows by whom"))))
    assert await said_by(store) == ""


async def test_a_merge_keeps_both_speakers_for_the_way_back(store: Store) -> None:
    lin = born(2, speaker="Lin")
    await store.apply(batch(configured("activity"), born(1, speaker="Mei"), lin))
    await store.apply(batch(Merge(T1, 1, 2, "k2", replace(MEI, text="both"), MEI)))
    ((gone, way_back),) = await store.trash()
    assert (await said_by(store), gone.speaker) == ("Mei", "Lin")
    assert way_back.before == MEI


async def test_a_speaker_comes_back_from_an_archive(store: Store) -> None:
    await store.apply(batch(configured("activity"), born(1, speaker="Mei"), Forget(T1, 1, "k1")))
    ((content, gone),) = await store.trash()
    await store.apply(batch(Discard(T2, (1,))))
    await store.apply(batch(Recover(T3, 1, content, gone.row)))
    assert await said_by(store) == "Mei"


async def test_speakers_and_names_are_there_after_closing_and_opening(shelf: Shelf) -> None:
    said = (Message("user", "tide", None, "Mei"), Message("assistant", "ebb"))
    puts = born(1, speaker="Mei"), born(2), born(3, speaker="小林")
    await shelf.store.apply(batch(configured("tide"), *puts, Forget(T1, 3, "k3"), Enqueue(T2, "remember", said)))
    before = await shelf.store.snapshot()
    store = await shelf.reopen()
    assert await store.snapshot() == before
    assert [await said_by(store, memory) for memory in (1, 2)] == ["Mei", ""]
    assert [said.speaker for said, _ in await store.trash()] == ["小林"]
    assert [task.messages for task in await store.tasks()] == [said]


async def test_a_compacted_journal_starts_from_a_base_with_speakers(shelf: Shelf) -> None:
    await shelf.store.apply(batch(configured("activity"), born(1, speaker="Mei"), born(2), Forget(T1, 2, "k2")))
    before = await shelf.store.snapshot()
    await shelf.store.compact(before)
    store = await shelf.reopen()
    base = await store.base()
    assert base == before
    assert base is not None
    assert [content.speaker for content, _ in base.memories] == ["Mei"]


# ---- as it is written


def test_a_content_without_a_speaker_is_written_as_before_there_were_speakers() -> None:
    silent = PutMemory(1.0, 7, Content("k", 'says ,"speaker":""} in its text'), 1.0)
    spoken = replace(silent, content=replace(silent.content, speaker="user"))
    before = (
        '{"at":1.0,"id":7,"content":{"key":"k","text":"says ,\\"speaker\\":\\"\\"} in its text","phrase":"",'
        '"keywords":[],"kind":"note","domain":""},"created_at":1.0,"importance":null,"policy":null}'
    )
    assert codec.encode(silent) == before
    assert codec.encode_all([silent, spoken]) == [before, before.replace('"domain":""', '"domain":"","speaker":"user"')]
    for put in (silent, spoken):
        assert codec.entry(1, "put", codec.encode(put), None).change == put


def test_a_queued_message_from_before_there_were_names_is_read() -> None:
    body = '{"at":1.0,"kind":"remember","messages":[{"role":"user","content":"tide","timestamp":null}],"upto":0}'
    assert codec.entry(1, "enqueue", body, None).change == Enqueue(1.0, "remember", (Message("user", "tide"),))
    task = json.loads(body) | {"id": 3, "place": 3}
    assert codec.task(json.dumps(task)).messages == (Message("user", "tide"),)


# ---- files from before there were speakers


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_file_from_before_speakers_opens_and_takes_them(tmp_path: Path, metabolism: str) -> None:
    old = SqliteStore(tmp_path)
    await old.apply(batch(configured(metabolism), *(born(memory) for memory in (1, 2, 3)), Forget(T1, 3, "k3")))
    await old.apply(batch(Enqueue(T1, "remember", (Message("user", "tide"),))))
    before = await old.snapshot()
    await old.close()
    with closing(sqlite3.connect(tmp_path / "mind.db")) as raw, raw:
        without_speakers(raw)
        ((body,),) = raw.execute("SELECT body FROM tasks")
        raw.execute("UPDATE tasks SET body = ?", (body.replace(',"name":""', ""),))
    store = SqliteStore(tmp_path)
    try:
        assert await store.snapshot() == before
        assert {content.speaker for content, _ in before.memories + before.trash} == {""}
        await store.apply(batch(born(4, at=T2, speaker="Mei"), Restore(T2, 3, "k3")))
        assert [await said_by(store, memory) for memory in (1, 3, 4)] == ["", "", "Mei"]
    finally:
        await store.close()
    with closing(sqlite3.connect(tmp_path / "mind.db")) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (5,)
        named = raw.execute("SELECT key, speaker FROM memory_states ORDER BY id").fetchall()
    assert named == [("k1", ""), ("k2", ""), ("k3", ""), ("k4", "Mei")]


async def test_a_replay_of_the_journal_says_the_same_with_the_same_speakers(shelf: Shelf) -> None:
    store = shelf.store
    await store.apply(batch(configured("retention"), born(1, speaker="Mei"), born(2, speaker="Lin"), born(3)))
    await store.apply(batch(Merge(T1, 1, 2, "k2", replace(MEI, text="both"), MEI), Forget(T1, 3, "k3")))
    again = await replay(store, MemoryStore)
    assert await again.snapshot() == await store.snapshot()
    assert await said_by(again) == "Mei"
    assert [said.speaker for said, _ in await again.trash()] == ["", "Lin"]
