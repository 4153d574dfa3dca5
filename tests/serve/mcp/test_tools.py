"""What the tools say of themselves, what they refuse, and how much they tell at once."""

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from ebbtide.serve.mcp.tools import INSTRUCTIONS, TOOLS
from tests.helpers import FakeClock
from tests.serve.mcp.clients import call, in_process, refused, resource, unfenced

BUDGET = 2_000  # tokens
READ_ONLY = {"search", "explain", "status"}


# ---- what they say of themselves


def tokens(text: str) -> float:
    """A careful guess: four letters a token, and one for each Chinese character."""
    chinese = sum("\u2e80" <= letter <= "\uffef" for letter in text)
    return chinese + (len(text) - chinese) / 4


def test_all_a_model_reads_about_the_tools_fits_the_budget() -> None:
    told = [tool.described() for tool in TOOLS.values()]
    read = [f"{tool.name}\n{tool.description}\n{json.dumps(tool.input_schema, ensure_ascii=False)}" for tool in told]
    assert tokens(INSTRUCTIONS) + sum(map(tokens, read)) <= BUDGET


def test_every_tool_says_what_it_does_takes_and_answers() -> None:
    assert [*TOOLS] == ["remember", "search", "recall", "get", "touch", "forget", "pin", "restore", "explain", "status"]
    for tool in TOOLS.values():
        told = tool.described()
        assert told.description
        assert told.input_schema["additionalProperties"] is False
        assert told.output_schema is not None
        assert told.output_schema["properties"]
        assert told.annotations is not None
        assert told.annotations.open_world_hint is False


def test_hints_tell_who_only_reads_and_who_takes_away() -> None:
    hints = {name: tool.described().annotations for name, tool in TOOLS.items()}
    assert {name for name, hint in hints.items() if hint and hint.read_only_hint} == READ_ONLY
    assert {name for name, hint in hints.items() if hint and hint.destructive_hint} == {"forget"}
    assert {name for name, hint in hints.items() if hint and hint.idempotent_hint} == READ_ONLY | {"pin"}


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
async def test_what_only_reads_changes_nothing_and_counts_as_no_use(metabolism: str, tmp_path: Path) -> None:
    clock = FakeClock()
    async with in_process(tmp_path / "data", metabolism, clock) as client:
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
        clock.forward(HOUR)
        before = await call(client, "explain", key="ferry")
        await call(client, "search", query="ferry", why=True)
        assert await call(client, "explain", key="ferry") == before
        await call(client, "get", key="ferry")
        assert (await call(client, "explain", key="ferry"))["terms"] != before["terms"]


# ---- what they refuse


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, "there is no tool 'nothing'"),
    ("remember", {}, "give either text or messages"),
    ("remember", {"text": "a", "messages": [{"role": "user", "content": "a"}]}, "give either text or messages"),
    ("remember", {"messages": [{"role": "user", "content": "a"}], "key": "b"}, "by themselves: leave out key"),
    (
        "remember",
        {"messages": [{"role": "user", "content": "a"}], "speaker": "b"},
        "by role or name: leave out speaker",
    ),
    ("remember", {"messages": [{"role": "user", "content": "a", "name": "n" * 257}]}, "'name' has 257 characters"),
    ("remember", {"text": "a", "speaker": "s" * 257}, "'speaker' has 257 characters"),
    ("remember", {"messages": [{"role": "boss", "content": "a"}]}, "messages.0.role: "),
    ("remember", {"text": "  "}, "'text' is empty"),
    ("remember", {"text": "a\0b"}, "NUL"),
    ("remember", {"text": "half \ud800 of it"}, "surrogate"),
    ("remember", {"text": "a" * 1_000_001}, "at most 1,000,000"),
    ("remember", {"text": ["a"]}, "text: "),
    ("remember", {"text": "a", "key": "\n"}, "key"),
    ("remember", {"text": "a", "key": "ferry"}, "with replace=true"),
    ("remember", {"text": "a", "access_count": 7}, "access_count: Extra inputs are not permitted"),
    ("remember", {"text": "a", "keywords": ["k"] * 257}, "too many"),
    ("search", {}, "query: Field required; the arguments are query, limit"),
    ("search", {"query": ""}, "'query' is empty"),
    ("search", {"query": "a\0"}, "'query' holds a NUL"),
    ("search", {"query": "a", "limit": 51}, "limit: "),
    ("search", {"query": "a", "states": ["expired"]}, "no memory of this mind is ever expired"),
    ("search", {"query": "a", "states": ["gone"]}, "states.0: "),
    ("recall", {}, "give keywords"),
    ("recall", {"keywords": [" "]}, "'keywords' is empty"),
    ("recall", {"keywords": ["a"], "depth": 11}, "depth: "),
    ("get", {"key": "../../etc/passwd"}, "search finds the keys"),
    ("get", {"key": "ferry", "offset": -1}, "offset: "),
    ("touch", {"keys": []}, "keys: "),
    ("touch", {"keys": ["ferry", "nobody"]}, "There is no memory 'nobody'"),
    ("touch", {"keys": ["a"] * 101}, "keys: "),
    ("touch", {}, "give keys, or your answer together with the question or with the keys shown to you"),
    ("touch", {"answer": "At 8:40."}, "with an answer, give the question or the keys that were shown"),
    ("touch", {"question": "When?"}, "give your answer, too, or keys"),
    ("touch", {"answer": "At 8:40.", "keys": ["ferry"], "revive": True}, "an answer revives nothing"),
    ("forget", {"keys": ["ferry", "nobody"]}, "There is no memory 'nobody'"),
    ("restore", {"key": "ferry"}, "is not in the trash"),
    ("explain", {"key": 7}, "key: "),
    ("status", {"agent": "bob"}, "agent: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("tool", "arguments", "complaint"), REFUSED)
async def test_a_bad_call_is_told_in_one_line_and_changes_nothing(
    tmp_path: Path, tool: str, arguments: dict[str, Any], complaint: str
) -> None:
    async with in_process(tmp_path / "data") as client:
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
        before = await call(client, "status")
        said = await refused(client, tool, **arguments)
        assert complaint in said
        assert len(said) <= 1001
        after = await call(client, "status")
        assert (after["memories"], after["states"], after["in_trash"]) == (before["memories"], before["states"], 0)


async def test_a_network_mind_refuses_what_it_finds_by_itself(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data", "network") as client:
        for name, value in (("key", "a"), ("keywords", ["a"]), ("kind", "fact"), ("replace", True)):
            assert f"leave out {name}" in await refused(client, "remember", text="Hello.", **{name: value})
        assert (await call(client, "status"))["waiting"] == 0


@pytest.mark.parametrize("metabolism", ["tide", "network"])
async def test_who_said_it_is_kept_and_told(tmp_path: Path, metabolism: str) -> None:
    async with in_process(tmp_path / "data", metabolism) as client:
        await call(client, "remember", text="the rent is 9,200 dollars.", speaker="Mei")
        await call(client, "remember", messages=[{"role": "user", "content": "it rains in march.", "name": "小林"}])
        await call(client, "remember", messages=[{"role": "assistant", "content": "bring boots."}])
        async with asyncio.timeout(60):
            while (await call(client, "status"))["waiting"]:
                pass
        said = {}
        for query in ("rent dollars", "rains march", "boots"):
            (best, *_) = (await call(client, "search", query=query))["hits"]
            said[unfenced(best["text"])] = best["speaker"]
            assert (await call(client, "get", key=best["key"]))["memory"]["speaker"] == best["speaker"]
        assert said == {
            "the rent is 9,200 dollars.": "Mei", "it rains in march.": "小林", "bring boots.": "assistant",
        }  # fmt: skip


async def test_a_bug_is_told_without_its_insides_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with in_process(tmp_path / "data") as client:

        async def broken(self: Mind, key: str) -> None:
            raise RuntimeError("the insides")

        await call(client, "status")
        monkeypatch.setattr(Mind, "get", broken)
        with caplog.at_level(logging.ERROR, "ebbtide"):
            assert await refused(client, "get", key="a") == "something went wrong inside; the server's log says what"
            with pytest.raises(MCPError, match="something went wrong inside"):
                await resource(client, "ebbtide://ada/memories/a")
        assert "the insides" in caplog.text
        assert (await call(client, "status"))["agent"] == "ada"


# ---- how much they tell


async def test_a_long_text_is_cut_among_others_and_read_in_parts(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        text = "".join(f"{number:05d}岸" for number in range(5_000))  # 30,000 characters
        await call(client, "remember", text=text, key="long")
        (hit,) = (await call(client, "search", query="00001岸"))["hits"]
        assert (unfenced(hit["text"]), hit["cut"], hit["length"]) == (text[:2_000], True, 30_000)
        first = (await call(client, "get", key="long"))["memory"]
        rest = (await call(client, "get", key="long", offset=20_000))["memory"]
        assert (first["cut"], rest["cut"]) == (True, False)
        assert unfenced(first["text"]) + unfenced(rest["text"]) == text
        assert unfenced((await resource(client, "ebbtide://ada/memories/long")).partition("\n")[2]) == text


async def test_what_is_recalled_is_told_in_whole_memories_up_to_a_length(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        for number in range(15):
            await call(client, "remember", text=f"ferry {number} " + "word " * 500, key=f"k{number}")
        told = await call(client, "recall", keywords=["ferry"], limit=15)
        blocks = unfenced(told["text"]).split("\n---\n")
        # each is cut to 2,000 characters, with 9 of its label and 5 of the break before the next one: 2,014; nine fit
        assert [len(block) for block in blocks] == [2_009] * 9
        numbers = [block.split()[2] for block in blocks]
        assert told["keys"] == [f"k{number}" for number in numbers]  # to touch one that was not read is to lie


async def test_resources_come_in_pages(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        for number in range(150):
            await call(client, "remember", text=f"text {number}", key=f"k {number}")
        first = await client.list_resources()
        rest = await client.list_resources(cursor=first.next_cursor)
        assert (len(first.resources), len(rest.resources), rest.next_cursor) == (101, 50, None)
        assert str(first.resources[1].uri) == "ebbtide://ada/memories/k%200"
        with pytest.raises(MCPError, match="is no cursor"):
            await client.list_resources(cursor="elsewhere")


@pytest.mark.parametrize(
    "uri",
    [
        "ebbtide://bob/state",
        "ebbtide://bob/memories/ferry",
        "ebbtide://ada/memories/",
        "ebbtide://ada/x",
        "file:///etc",
    ],
)
async def test_a_resource_of_another_mind_or_none_is_not_there(tmp_path: Path, uri: str) -> None:
    async with in_process(tmp_path / "data") as client:
        with pytest.raises(MCPError, match="there is no resource"):
            await resource(client, uri)


async def test_what_has_expired_is_found_by_its_state_only(tmp_path: Path) -> None:
    clock = FakeClock()
    async with in_process(tmp_path / "data", "retention", clock) as client:
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
        clock.forward(30 * DAY)
        assert (await call(client, "search", query="ferry"))["hits"] == []
        told = await call(client, "search", query="ferry", why=True)
        assert [(one["key"], one["state"]) for one in told["declined"]] == [("ferry", "expired")]
        (hit,) = (await call(client, "search", query="ferry", states=["expired"]))["hits"]
        assert hit["state"] == "expired"
        for tool, arguments in (("get", {"key": "ferry"}), ("touch", {"keys": ["ferry"]})):
            assert "touch with revive=true brings it back" in await refused(client, tool, **arguments)
        assert (await call(client, "touch", keys=["ferry"], revive=True))["counted"] == ["ferry"]
        assert (await call(client, "get", key="ferry"))["memory"]["state"] == "active"


async def test_a_search_that_tells_why_tells_the_score_as_a_sum(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        await call(client, "remember", text="The ferry to Lamma leaves at 8:40.", key="ferry")
        await call(client, "remember", text="Mira lives in Leeds.", key="mira")
        (hit, *_) = (await call(client, "search", query="when does the ferry leave?", why=True))["hits"]
    number = r"\d\.\d{3}"
    told = rf"score {number} = similarity {number} .*\+ coverage {number} \+ when {number} .*\(similarity \+ lift .*\)"
    assert re.fullmatch(told, hit["why"])


async def test_a_key_that_is_taken_names_what_helps_both_who_remembers_and_who_restores(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
        await call(client, "forget", keys=["ferry"])
        await call(client, "remember", text="The ferry leaves at 9:10.", key="ferry")
        assert "restore with a new_key" in await refused(client, "restore", key="ferry")
        assert (await call(client, "restore", key="ferry", new_key="old"))["memory"]["key"] == "old"


async def test_what_must_not_fade_is_pinned_and_says_so(tmp_path: Path) -> None:
    clock = FakeClock()
    async with in_process(tmp_path, clock=clock) as client:
        await call(client, "remember", text="Ann is allergic to nuts.", key="allergy")
        await call(client, "remember", text="The parcel came.", key="parcel")
        assert await call(client, "pin", keys=["allergy"]) == {"changed": ["allergy"], "already": []}
        assert await call(client, "pin", keys=["allergy", "parcel"]) == {"changed": ["parcel"], "already": ["allergy"]}
        assert await call(client, "pin", keys=["parcel"], pinned=False) == {"changed": ["parcel"], "already": []}
        clock.forward(400 * DAY)
        (hit,) = (await call(client, "search", query="allergic parcel"))["hits"]
        assert (hit["pinned"], hit["state"]) == (True, "active")
        assert (await call(client, "status"))["pinned"] == 1
        forecast = (await call(client, "explain", key="allergy"))["forecast"]
        assert [coming["at"] for coming in forecast] == ["never: pinned"] * 2
        assert "nobody" in await refused(client, "pin", keys=["allergy", "nobody"])


async def test_an_answer_says_by_itself_what_was_used(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        await call(client, "remember", text="The ferry to Lamma leaves at 8:40.", key="ferry")
        await call(client, "remember", text="小林对花生过敏。", key="过敏")
        asked = {"answer": "It leaves at 8:40.", "question": "When does the ferry to Lamma go?"}
        told = await call(client, "touch", **asked)
        assert (told["counted"], told["too_soon"]) == (["ferry"], [])
        assert told["remark"].startswith("Your answer drew on ferry (0.")
        again = await call(client, "touch", **asked, keys=["ferry", "nobody"])
        assert (again["counted"], again["too_soon"]) == ([], ["ferry"])
        assert " nobody is unknown. To count others" in again["remark"]
        told = await call(client, "touch", answer="他对花生过敏。", question="小林不能吃什么？")
        assert told["counted"] == ["过敏"]
        told = await call(client, "touch", answer="I do not know.", keys=["ferry", "过敏"])
        assert (told["counted"], told["remark"][:41]) == ([], "Your answer surely drew on none of these.")
