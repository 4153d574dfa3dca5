"""Who said a memory (C14, K3): given with a put, found by remember, and kept through every rewriting."""

from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.draft import MAX_LABEL
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, Content, Message
from ebbtide.mind import Mind
from ebbtide.mind.shortening import follow_text
from tests.builders import BIRTH
from tests.hashing import Hashing, searchable
from tests.helpers import METABOLISMS, FakeClock, everything, mind_in_ram, mind_on_disk, snapshot
from tests.scripted_model import HUNDRED, FindingFacts, by_text, settle, told_in_ram, topics

every = pytest.mark.parametrize("metabolism", METABOLISMS)
TALK = [
    {"role": "user", "content": "lin took the ferry | and mei stayed"},
    {"role": "assistant", "content": "good to know"},
    {"role": "user", "content": "谁在家？", "name": "小林"},
]


async def speakers(mind: Mind) -> dict[str, str]:
    return {memory.text: memory.speaker for memory in await everything(mind)}


# ---- put


@every
async def test_a_speaker_that_is_given_is_seen_in_every_answer(metabolism: str) -> None:
    mind = await mind_in_ram(metabolism)
    assert (await mind.put("I moved to Lamma.", key="home", speaker="user")).speaker == "user"
    assert (await mind.put("The ferry leaves at 8:40.", key="ferry")).speaker == ""
    assert await mind.put_many([{"text": "Mei stayed.", "key": "mei", "speaker": "小林"}]) == 1
    assert [memory.speaker for memory in await everything(mind)] == ["user", "", "小林"]
    assert [(await mind.get(key)).speaker for key in ("home", "ferry", "mei")] == ["user", "", "小林"]


async def test_a_replacing_put_says_who_speaks_now() -> None:
    mind = await mind_in_ram()
    await mind.put("I moved to Lamma.", key="home", speaker="user")
    assert (await mind.put("She moved to Lamma.", key="home", speaker="Lin", replace=True)).speaker == "Lin"
    assert (await mind.put("On Lamma.", key="home", replace=True)).speaker == ""
    assert (await mind.revert("home")).speaker == "Lin"


@pytest.mark.parametrize(
    ("speaker", "told"),
    [
        (7, "'speaker' must be text, not int"),
        (None, "'speaker' must be text, not NoneType"),
        ("x" * (MAX_LABEL + 1), "'speaker' has 257 characters; at most 256 are taken"),
        ("a\0", "'speaker' holds a NUL"),
    ],
)
async def test_what_cannot_be_a_speaker_is_refused(speaker: Any, told: str) -> None:
    mind = await mind_in_ram()
    with pytest.raises(InvalidInput, match=told):
        await mind.put("x", speaker=speaker)
    assert await everything(mind) == ()


# ---- remember


@every
async def test_a_segment_is_its_messages_speakers_by_name_or_else_by_role(metabolism: str) -> None:
    mind = await told_in_ram(metabolism)
    await mind.remember(TALK)
    await mind.idle()
    assert await speakers(mind) == {
        "lin took the ferry": "user", "and mei stayed": "user", "good to know": "assistant", "谁在家？": "小林",
    }  # fmt: skip
    assert await mind.check() == []


async def test_a_message_may_be_given_as_a_value_too() -> None:
    mind = await told_in_ram("tide")
    await mind.remember([Message("user", "lin took the ferry", None, "Mei"), Message("system", "be kind")])
    await mind.idle()
    assert await speakers(mind) == {"lin took the ferry": "Mei", "be kind": "system"}


@every
async def test_facts_are_their_segments_speakers_and_entities_nobodys(metabolism: str) -> None:
    mind = await told_in_ram(metabolism, FindingFacts(["Lin pays 9,200 dollars."]), distil="facts")
    await mind.remember([{"role": "user", "content": "Lin pays 9,200 dollars for it", "name": "Mei"}])
    await settle(mind)
    entities = {"Lin": ""} if metabolism == "network" else {}
    said = {"Lin pays 9,200 dollars for it": "Mei", "Lin pays 9,200 dollars.": "Mei"}
    assert await speakers(mind) == said | entities


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (7, "message 2: 'name' must be text, not int"),
        ("x" * 257, "message 2: 'name' has 257 characters; at most 256 are taken"),
    ],
)
async def test_what_cannot_be_a_name_is_refused_before_anything_waits(name: Any, told: str) -> None:
    mind = await told_in_ram("tide")
    with pytest.raises(InvalidInput, match=told):
        await mind.remember([{"role": "user", "content": "fine"}, {"role": "user", "content": "x", "name": name}])
    assert await mind.queue() == []


@every
async def test_what_was_left_in_the_queue_keeps_its_names(metabolism: str, tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, metabolism) as mind:
        await mind.remember([{"role": "user", "content": "The rent is 9,200 dollars.", "name": "Mei"}])
        await mind._life.close()  # type: ignore[union-attr]
        left = await mind.queue()
    async with mind_on_disk(tmp_path, metabolism) as mind:
        assert [task.messages for task in left] == [(Message("user", "The rent is 9,200 dollars.", None, "Mei"),)]
        await mind.idle()
        assert (await by_text(mind, "The rent is")).speaker == "Mei"
        assert await mind.check() == []


@every
async def test_a_mind_with_speakers_replays_to_the_bit(metabolism: str, tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, metabolism, clock) as mind:
        await mind.remember(TALK)
        await mind.idle()
        await mind.put("I moved to Lamma.", key="home", speaker="user")
        clock.forward(DAY)
        await mind.forget("home")
        assert await mind.check() == []
        left = await snapshot(mind)
    async with mind_on_disk(tmp_path, metabolism, clock) as mind:
        assert await snapshot(mind) == left
        assert (await mind.restore("home")).speaker == "user"
        then = await mind.as_of(BIRTH)
        assert (await then.get("home")).speaker == "user"
        await then.close()


# ---- rewritings


def test_a_shorter_text_has_the_same_labels() -> None:
    said = Content("k", "lin took the ferry", "lin took", ("lin", "ferry"), "fact", "sea", "Mei")
    assert follow_text(said, "lin took") == Content("k", "lin took", "lin took", ("lin",), "fact", "sea", "Mei")


async def test_what_fades_is_still_said_by_its_speaker() -> None:
    mind = await told_in_ram("network")
    await mind.remember([{"role": "user", "content": HUNDRED, "name": "Mei"}])
    await settle(mind)
    await topics(mind, 12)
    faded = await by_text(mind, "Lin takes")
    assert len(faded.text) < 100
    assert faded.speaker == "Mei"


@pytest.mark.parametrize(("one", "two", "both"), [("Mei", "Lin", "Mei"), ("", "Lin", "Lin"), ("Mei", "", "Mei")])
async def test_a_merged_memory_is_the_first_ones_speakers_if_that_is_known(one: str, two: str, both: str) -> None:
    mind = await mind_in_ram()
    await mind.put("The ferry leaves at 8:40.", key="a", speaker=one)
    await mind.put("It leaves from pier four.", key="b", speaker=two)
    await mind.merge("a", "b")
    assert (await mind.get("a")).speaker == both
    await mind.restore("b")
    assert [(await mind.get(key)).speaker for key in "ab"] == [one, two]


async def test_what_is_embedded_begins_with_the_name_of_the_speaker_and_not_with_a_role() -> None:
    embedder = Hashing()
    mind = await searchable(embedder, "tide")
    for speaker in ("Caroline", "user", ""):
        await mind.put("I moved", speaker=speaker)
    await mind.reembed()
    assert sorted(embedder.texts) == ["Caroline: I moved", "I moved", "I moved"]
