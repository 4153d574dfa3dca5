"""A whole session by a real client, over each transport and in both languages of the protocol."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from tests.serve.mcp.clients import Connect, call, over_http, over_stdio, refused, resource, unfenced

pytestmark = pytest.mark.slow  # each test starts a server

everywhere = pytest.mark.parametrize("connect", [over_stdio, over_http])
both_protocols = pytest.mark.parametrize("mode", ["auto", "legacy"])


@everywhere
@both_protocols
async def test_a_session_keeps_finds_uses_explains_forgets_and_undoes(
    connect: Connect, mode: str, tmp_path: Path
) -> None:
    async with connect(tmp_path / "data", mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "ebbtide"
        assert client.instructions is not None
        assert len((await client.list_tools()).tools) == 10
        await _keeps_and_finds(client)
        await _uses_and_explains(client)
        await _forgets_and_undoes(client)
        await _has_resources(client)
        assert "There is no memory 'nobody'" in await refused(client, "get", key="nobody")


async def _keeps_and_finds(client: Client) -> None:
    kept = await call(client, "remember", text="The ferry to Lamma leaves at 8:40.", key="ferry", keywords=["travel"])
    assert kept == {"key": "ferry", "state": "active"}
    assert (await call(client, "remember", text="小林对花生过敏，聚餐时不要点含花生的菜。", key="小林/过敏"))[
        "key"
    ] == "小林/过敏"
    for query, key in (("ferry to Lamma", "ferry"), ("花生过敏", "小林/过敏")):
        (hit, *_) = (await call(client, "search", query=query))["hits"]
        assert hit["key"] == key
    found = await call(client, "recall", keywords=["花生"])
    assert found["keys"] == ["小林/过敏"]
    assert unfenced(found["text"]) == "[记忆] 小林对花生过敏，聚餐时不要点含花生的菜。"


async def _uses_and_explains(client: Client) -> None:
    read = (await call(client, "get", key="ferry"))["memory"]
    assert unfenced(read["text"]) == "The ferry to Lamma leaves at 8:40."
    assert (read["keywords"], read["kind"], read["length"], read["cut"]) == (["travel"], "note", 34, False)
    assert await call(client, "touch", keys=["ferry", "小林/过敏"]) == {
        "counted": ["ferry", "小林/过敏"],
        "too_soon": [],
        "remark": "",
    }
    assert (await call(client, "touch", keys=["ferry"]))["too_soon"] == ["ferry"]
    why = await call(client, "explain", key="ferry")
    assert why["why"].startswith("score ")
    assert [coming["event"] for coming in why["forecast"]] == ["cold", "delete_candidate"]


async def _forgets_and_undoes(client: Client) -> None:
    gone = await call(client, "forget", keys=["ferry"])
    assert gone == {"forgotten": ["ferry"], "restorable_days": 30.0}
    found = await call(client, "search", query="ferry to Lamma", why=True)
    assert found["hits"] == []
    assert [(one["key"], one["state"]) for one in found["declined"]] == [("ferry", "trash")]
    assert (await call(client, "restore", key="ferry"))["memory"]["key"] == "ferry"
    status = await call(client, "status")
    assert (status["agent"], status["metabolism"], status["memories"]) == ("ada", "activity", 2)
    assert (status["states"], status["in_trash"]) == ({"active": 2}, 0)


async def _has_resources(client: Client) -> None:
    listed = (await client.list_resources()).resources
    assert [found.name for found in listed] == ["state", "ferry", "小林/过敏"]
    (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "ebbtide://ada/memories/{key}"
    for found in listed[1:]:
        notice, _, told = (await resource(client, str(found.uri))).partition("\n")
        assert "never instructions" in notice
        assert unfenced(told)
    notice, _, told = (await resource(client, "ebbtide://ada/state")).partition("\n")
    assert "never instructions" in notice
    assert json.loads(unfenced(told))["memories"] == 2


@everywhere
async def test_a_network_mind_is_told_a_conversation_and_recalls_it(connect: Connect, tmp_path: Path) -> None:
    async with connect(tmp_path / "data", metabolism="network") as client:
        told: list[dict[str, Any]] = [
            {"role": "user", "content": "小林对花生过敏，聚餐时不要点含花生的菜。"},
            {"role": "assistant", "content": "Noted: no peanuts for Lin at the dinner on Friday."},
        ]
        assert isinstance((await call(client, "remember", messages=told))["task"], int)
        assert isinstance((await call(client, "remember", text="Ben Carter plays the cello."))["task"], int)
        everything = unfenced((await call(client, "recall"))["text"])  # waits until it is understood
        assert "小林对花生过敏" in everything
        assert "Ben Carter plays the cello." in everything
        assert "cello" not in unfenced((await call(client, "recall", keywords=["花生"]))["text"])
        status = await call(client, "status")
        assert (status["waiting"], status["failed"]) == (0, 0)
        assert status["focus"]


@everywhere
async def test_any_mind_is_told_a_conversation_and_keeps_a_text_by_its_key(connect: Connect, tmp_path: Path) -> None:
    async with connect(tmp_path / "data", metabolism="score") as client:
        told = [{"role": "user", "content": "小林对花生过敏，聚餐时不要点含花生的菜。"}]
        queued = await call(client, "remember", messages=told)
        assert (list(queued), isinstance(queued["task"], int)) == (["task"], True)
        kept = await call(client, "remember", text="Ben Carter plays the cello.", key="ben")
        assert (kept["key"], "task" in kept) == ("ben", False)
        while (status := await call(client, "status"))["waiting"]:
            pass  # asking takes its time
        assert (status["memories"], status["failed"], status["focus"]) == (2, 0, [])
        assert "小林对花生过敏" in unfenced((await call(client, "recall", keywords=["花生"]))["text"])


async def test_the_mind_is_made_by_the_first_use_and_not_before(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with over_stdio(data, metabolism="retention") as client:
        await client.list_tools()
        await client.list_resource_templates()
        assert not data.exists()
        assert (await call(client, "status"))["metabolism"] == "retention"
    async with over_stdio(data, metabolism="score") as client:
        assert (await call(client, "status"))["metabolism"] == "retention"
