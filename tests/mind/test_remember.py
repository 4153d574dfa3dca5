"""Remembering (N2–N4): from messages to segments, entities, focus and links, all at once or not at all."""

from typing import Any

import pytest

from ebbtide.core.changes import Enqueue, Entry, Focus, PutLink, PutMemory, Settle
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import Message
from ebbtide.mind import Mind
from ebbtide.mind.remember import mentioned
from tests.builders import BIRTH
from tests.helpers import FakeClock, everything, snapshot, store_of
from tests.scripted_model import ScriptedModel, both_ways, by_text, links, network_in_ram, said, settle, tell, texts


async def entries(mind: Mind, after: int = 0) -> list[Entry]:
    return [entry async for entry in mind.entries() if entry.seq > after]


# ---- N2: from messages to memories


async def test_every_segment_becomes_a_memory_with_what_the_model_found_in_it() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin took the ferry | Mei stayed at home", "Nobody called"))
    await mind.idle()
    assert await texts(mind) == ["Lin took the ferry", "Mei stayed at home", "Nobody called"]
    ferry = await by_text(mind, "Lin took")
    assert (ferry.phrase, ferry.keywords, ferry.kind) == ("Lin took", ("took", "ferry"), "segment")
    assert ferry.meta.original_length == len("Lin took the ferry")


async def test_entities_become_memories_of_their_own() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin took the ferry to Lamma"))
    await mind.idle()
    found = {memory.key: memory for memory in await everything(mind) if memory.kind == "entity"}
    assert {key: (each.text, each.phrase, each.keywords) for key, each in found.items()} == {
        "entity/lin": ("Lin", "Lin", ("Lin",)),
        "entity/lamma": ("Lamma", "Lamma", ("Lamma",)),
    }


async def test_the_same_said_twice_gives_two_memories() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin likes tea"))
    await mind.remember(said("Lin likes tea"))
    await mind.idle()
    one, two = [memory for memory in await everything(mind) if memory.text == "Lin likes tea"]
    assert one.id != two.id
    assert one.key != two.key
    assert await texts(mind, "entity") == ["Lin"]  # but there is one Lin
    ends = {(link.source, link.target) for link in await store_of(mind).links(one.id, outgoing=True)}
    assert not any(two.id in end for end in ends)


async def test_one_task_is_one_batch_that_settles_it_and_calls_for_one_cycle() -> None:
    mind = await network_in_ram()
    task = await mind.remember(said("Lin took the ferry | Mei stayed"))
    before = store_of(mind).seq
    await mind.idle()
    made = await entries(mind, before)
    assert made[0].token  # the name of the batch stands on its first entry, and on no other
    assert all(not entry.token for entry in made[1:])
    changes = [entry.change for entry in made]
    assert {type(change) for change in changes} == {PutMemory, PutLink, Focus, Settle, Enqueue}
    settled, due = changes[-2:]
    youngest = max(change.id for change in changes if isinstance(change, PutMemory))
    assert settled == Settle(BIRTH, task, "done")
    assert due == Enqueue(BIRTH, "compress", (), youngest)
    assert [(waiting.kind, waiting.upto) for waiting in await mind.queue()] == [("compress", youngest)]


async def test_the_small_model_is_asked_before_anything_happens() -> None:
    class Watching(ScriptedModel):
        async def relation(self, segment: str, entity: str) -> str:
            assert await everything(mind) == ()
            return await super().relation(segment, entity)

    model = Watching()
    mind = await network_in_ram(model)
    await mind.remember(said("Lin took the ferry | Mei met Lin"))
    await mind.idle()
    # One relation per segment and focus point: Lin; then Lin and Mei.
    assert model.asked == ["segment", "distil", "relation", "distil", "relation", "relation"]
    assert [task.error for task in await mind.queue()] == [None]


async def test_what_says_nothing_leaves_no_memory_but_still_lets_the_mind_fade() -> None:
    mind = await network_in_ram()
    await tell(mind, "Lin took the ferry")
    scans = (await by_text(mind, "Lin took")).meta.scan_count
    await tell(mind, "|||")
    assert await texts(mind) == ["Lin took the ferry"]
    assert (await by_text(mind, "Lin took")).meta.scan_count == scans + 1
    assert await mind.queue() == []


async def test_a_memory_was_made_when_it_was_said() -> None:
    clock = FakeClock(BIRTH + 500.0)
    mind = await network_in_ram(clock=clock)
    messages: list[Message | dict[str, Any]] = [
        {"role": "user", "content": "Lin left", "timestamp": BIRTH + 10.0},
        Message("assistant", "when", BIRTH + 20.0),
        {"role": "system", "content": "be brief"},
    ]
    await mind.remember(messages)
    await mind.remember(said("Mei came", timestamp=BIRTH + 9000.0))  # a clock ahead of ours
    await mind.remember(said("Oz slept"))
    await mind.idle()
    made = {memory.text: memory.created_at - BIRTH for memory in await everything(mind) if memory.kind == "segment"}
    # each by its own message, or the one before it; never a moment that is yet to come; without any, now
    assert made == {"Lin left": 10.0, "when": 20.0, "be brief": 20.0, "Mei came": 500.0, "Oz slept": 500.0}


# ---- N3: focus


def test_the_first_named_is_the_freshest_and_the_stalest_fall_out() -> None:
    # The focus is told stalest first.
    assert mentioned([], ["a", "b"], 5) == ["b", "a"]
    assert mentioned(["b", "a"], ["c"], 5) == ["b", "a", "c"]
    assert mentioned(["b", "a", "c"], ["b"], 5) == ["a", "c", "b"]
    assert mentioned(["a", "b", "c"], ["d", "e"], 3) == ["c", "e", "d"]
    assert mentioned(["a", "b"], ["c", "d", "e", "f"], 3) == ["e", "d", "c"]  # more than there is room for
    assert mentioned(["a"], [], 3) == ["a"]
    assert mentioned(["a"], ["b"], 0) == []


def test_spelling_makes_no_second_entity() -> None:
    assert mentioned(["Lin", "Mei"], ["LIN"], 5) == ["Mei", "LIN"]
    assert mentioned([], ["Lin", "lin", "New  York", "new york"], 5) == ["New  York", "Lin"]


async def test_focus_after_each_step_is_the_lru_rule() -> None:
    mind = await network_in_ram(focus_limit=3)
    steps = [
        ("Ada met Bo", ["Ada", "Bo"]),
        ("then came Cy", ["Cy", "Ada", "Bo"]),
        ("and Bo laughed", ["Bo", "Cy", "Ada"]),
        ("Di called", ["Di", "Bo", "Cy"]),
        ("nobody else", ["Di", "Bo", "Cy"]),
        ("Ed, Flo, Gus and Hal", ["Ed", "Flo", "Gus"]),
        ("Ada again | with Gus", ["Gus", "Ada", "Ed"]),
    ]
    for content, focus in steps:
        await mind.remember(said(content))
        await mind.idle()
        assert await mind.focus() == focus, content


async def test_an_entity_that_is_alive_is_used_again_however_it_is_spelled() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin left"))
    await mind.idle()
    first = await store_of(mind).find("entity/lin")
    await mind.remember(said("LIN came back"))
    await mind.idle()
    assert await store_of(mind).find("entity/lin") == first
    assert await texts(mind, "entity") == ["Lin"]
    assert await mind.focus() == ["Lin"]


async def test_an_entity_that_was_forgotten_is_made_anew() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin left"))
    await mind.idle()
    first = await store_of(mind).find("entity/lin")
    await mind.forget("entity/lin")
    assert await mind.focus() == []
    await mind.remember(said("Lin came"))
    await mind.idle()
    second = await store_of(mind).find("entity/lin")
    assert first is not None
    assert second is not None
    assert second > first
    # The link of the first segment still points to the first Lin: a trace.
    assert [(trace.relation, trace.known) for trace in await mind.traces()] == [("about", "Lin")]


async def test_an_entity_whose_name_has_faded_is_still_known_by_it() -> None:
    mind = await network_in_ram(focus_limit=1)
    await tell(mind, "Gabriella sings")
    await tell(mind, "Bo came")
    assert "Gabriell" in await texts(mind, "entity")  # 10 · 0.97: nine letters are left
    await tell(mind, "Gabriella is back")
    assert await mind.focus() == ["gabriella"]
    await tell(mind, "and sings again")
    assert await mind.focus() == ["gabriella"]
    assert len([memory for memory in await everything(mind) if memory.key.startswith("entity/gab")]) == 1


# ---- N4: links


async def test_links_of_one_segment_go_both_ways_with_every_focus_point() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Ada met Bo"))
    await mind.idle()
    # Nothing between Ada and Bo.
    assert await links(mind) == both_ways("Ada met Bo", "about", ["Ada", "Bo"])


async def test_a_segment_is_linked_with_points_it_does_not_name() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Ada met Bo"))
    await mind.remember(said("they talked"))
    await mind.idle()
    points = ["Ada", "Bo"]
    assert await links(mind) == both_ways("Ada met Bo", "about", points) | both_ways("they talked", "about", points)


async def test_neighbouring_segments_of_one_source_are_linked_forward_and_back() -> None:
    mind = await network_in_ram(link_initial_strength=0.25)
    await mind.remember(said("one | two", "three"))
    await mind.remember(said("four"))
    await mind.idle()
    assert await links(mind) == {
        ("one", "after", "two", 0.25),
        ("two", "before", "one", 0.25),
        ("two", "after", "three", 0.25),
        ("three", "before", "two", 0.25),
    }


async def test_the_links_of_a_short_conversation_exactly() -> None:
    mind = await network_in_ram(focus_limit=2)
    await mind.remember(said("Ada met Bo | Cy came"))
    await mind.idle()
    # Segment 1: focus Bo, Ada. Segment 2: Cy pushes Bo out, whose links stay where they stood, at 1.0.
    assert await links(mind) == (
        both_ways("Ada met Bo", "about", ["Ada", "Bo"])
        | both_ways("Cy came", "about", ["Ada", "Cy"])
        | {("Ada met Bo", "after", "Cy came", 0.5), ("Cy came", "before", "Ada met Bo", 0.5)}
    )


async def test_relations_are_named_in_the_language_of_the_segment() -> None:
    mind = await network_in_ram()
    await mind.remember(said("Lin坐渡轮去了南丫岛，下午才回来"))
    await mind.idle()
    ((_, relation, *_), _) = await links(mind)
    assert relation == "关于"


# ---- nothing by halves


GOOD = {"role": "user", "content": "Lin left"}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ("Lin left", "remember takes a list of messages, each with a role and a content"),
        (b"Lin left", "remember takes a list of messages, each with a role and a content"),
        (GOOD, "remember takes a list of messages, each with a role and a content"),
        (None, "remember takes a list of messages, each with a role and a content"),
        ([], "there is nothing to remember: no message says anything"),
        ([{"role": "user", "content": " \n"}], "there is nothing to remember: no message says anything"),
        ([GOOD, "Mei came"], "message 2 is not {role, content, timestamp, name}: 'Mei came'"),
        ([GOOD, {"content": "Mei"}], "message 2 is not {role, content, timestamp, name}: {'content': 'Mei'}"),
        (
            [{**GOOD, "mood": "sad"}],
            "message 1 is not {role, content, timestamp, name}: {'role': 'user', 'content': 'Lin left",
        ),
        ([{**GOOD, "role": "owner"}], "message 1: the role 'owner' is not one of user, assistant, system"),
        ([{**GOOD, "role": ["user"]}], "message 1: the role ['user'] is not one of user, assistant, system"),
        ([GOOD, {**GOOD, "content": 5}], "message 2: 'content' must be text, not int"),
        ([GOOD, {**GOOD, "content": None}], "message 2: 'content' must be text, not NoneType"),
        ([{**GOOD, "content": "a\0b"}], "message 1: 'content' holds a NUL or half a surrogate pair: not valid text"),
        ([{**GOOD, "content": "\ud800"}], "message 1: 'content' holds a NUL or half a surrogate pair: not valid text"),
        ([{**GOOD, "content": "x" * 1_000_001}], "message 1: 'content' has 1,000,001 characters; at most 1,000,000"),
        ([{**GOOD, "timestamp": "noon"}], "message 1: the timestamp 'noon' is not a number of seconds"),
        ([{**GOOD, "timestamp": True}], "message 1: the timestamp True is not a number of seconds"),
        ([{**GOOD, "timestamp": float("nan")}], "message 1: the timestamp nan is not a number of seconds"),
        ([{**GOOD, "timestamp": float("inf")}], "message 1: the timestamp inf is not a number of seconds"),
        ([{**GOOD, "timestamp": 10**400}], "message 1: the timestamp 1000"),
        ([GOOD] * 10_001, "10,001 messages are too many at once: at most 10,000"),
    ],
)
async def test_bad_messages_are_refused_and_nothing_is_taken(messages: Any, problem: str) -> None:
    mind = await network_in_ram()
    before = await snapshot(mind)
    with pytest.raises(InvalidInput) as raised:
        await mind.remember(messages)
    assert str(raised.value).startswith(problem)
    await mind.idle()
    assert await snapshot(mind) == before


async def test_messages_that_say_nothing_are_left_out() -> None:
    mind = await network_in_ram()
    await mind.remember(said("", "Lin left", "  "))
    assert [task.messages for task in await mind.queue()] == [(Message("user", "Lin left"),)]


async def test_a_mind_that_only_remembered_replays_to_the_bit() -> None:
    mind = await network_in_ram(focus_limit=2)
    for content in ("Ada met Bo | Cy came", "Di left", "nothing", "Ada"):
        await mind.remember(said(content))
    await settle(mind)
    assert await mind.check() == []
