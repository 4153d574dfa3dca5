"""Pins and other moments over HTTP."""

import pytest

from ebbtide.core.memory import DAY
from tests.serve.http.server import Api, refused

YEAR = 365 * DAY


async def test_memories_are_pinned_listed_and_unpinned(api: Api) -> None:
    assert await api.post("/pin", keys=["ferry"]) == {"changed": ["ferry"], "already": []}
    assert await api.post("/pin", keys=["lamma", "ferry"]) == {"changed": ["lamma"], "already": ["ferry"]}
    assert await api.post("/unpin", keys=["lamma"]) == {"changed": ["lamma"], "already": []}
    api.clock.forward(YEAR)
    assert [memory["key"] for memory in (await api.get("/memories"))["memories"]] == ["ferry"]
    for pinned, keys in (("true", ["ferry"]), ("false", ["lamma"])):
        page = await api.get("/memories", pinned=pinned, everything="true")
        assert [memory["key"] for memory in page["memories"]] == keys
    assert (await api.get())["pinned"] == 1
    explained = await api.get("/memories/ferry/explain")
    assert explained["memory"]["meta"]["pinned"] is True
    assert explained["why"].startswith("pinned; without the pin cold: score ")
    assert {(coming["at"], coming["scans"]) for coming in explained["forecast"]} == {(None, None)}


async def test_an_unknown_key_pins_none(api: Api) -> None:
    refused(await api.ask("POST", "/pin", json={"keys": ["ferry", "nobody"]}), 404)
    refused(await api.ask("POST", "/pin", json={"keys": []}), 422)
    assert (await api.get())["pinned"] == 0


async def test_pinned_cannot_be_put(api: Api) -> None:
    problem = refused(await api.ask("POST", "/memories", json={"text": "x", "pinned": True}), 422)
    assert "`pin`" in problem["detail"]


async def test_a_pin_that_is_asked_for_twice_is_answered_alike(api: Api) -> None:
    asked = [
        await api.ask("POST", "/pin", json={"keys": ["ferry"]}, headers={"Idempotency-Key": "once"}) for _ in range(2)
    ]
    assert [response.json() for response in asked] == [{"changed": ["ferry"], "already": []}] * 2


# ---- other moments


@pytest.mark.parametrize("name", ["at", "as_of"])
async def test_a_look_ahead_counts_nothing(api: Api, name: str) -> None:
    before = await api.get("/journal")
    assert (await api.get("/memories", **{name: "+90d"}))["left_out"] == {"cold": 2}
    memory = await api.get("/memories/ferry", **{name: "+90d"})
    assert (memory["state"], memory["meta"]["access_count"]) == ("cold", 0)
    assert (await api.get("/memories/ferry/explain", **{name: "+90d"}))["at"] == "2025-09-13T15:06:40Z"
    response = await api.ask("POST", "/search", params={name: "+90d"}, json={"text": "ferry"})
    assert response.json()["hits"] == []
    response = await api.ask("POST", "/search", params={name: "+1h"}, json={"text": "ferry"})
    assert [hit["memory"]["key"] for hit in response.json()["hits"]] == ["ferry"]
    assert await api.get("/journal") == before


async def test_a_plus_that_was_not_encoded_is_meant_all_the_same(api: Api) -> None:
    assert (await api.ask("GET", "/memories?at=+90d")).json()["left_out"] == {"cold": 2}


async def test_a_moment_that_has_passed_is_the_mind_as_it_was(api: Api) -> None:
    api.clock.forward(10 * DAY)
    await api.put("lin", "Lin takes the ferry.")
    assert (await api.ask("GET", "/memories/lin", params={"at": "-1d"})).status_code == 404
    assert (await api.get("/memories/ferry/explain", at="-1d"))["at"] == "2025-06-24T15:07:00Z"  # to the full minute


@pytest.mark.parametrize("query", ["at=soon", "at=1e300", "at=-1d&as_of=-1d", f"at={'9' * 65}"])
async def test_what_is_no_moment_is_refused(api: Api, query: str) -> None:
    for path in ("/memories", "/memories/ferry", "/memories/ferry/explain"):
        refused(await api.ask("GET", f"{path}?{query}"), 422)
    refused(await api.ask("POST", f"/search?{query}", json={"text": "ferry"}), 422)


async def test_a_network_mind_recalls_at_another_moment_and_counts_no_walk(network: Api) -> None:
    await network.post("/remember", 202, messages=[{"role": "user", "content": "Lin takes the ferry to Lamma."}])
    await network.queue_empty()
    before = await network.get("/journal", limit=1000)
    response = await network.ask("POST", "/recall", params={"at": "+90d"}, json={"keywords": ["ferry"]})
    assert "Lin takes the ferry to Lamma." in response.json()["text"]
    assert (await network.get("/focus", at="+90d"))["focus"] == (await network.get("/focus"))["focus"]
    assert await network.get("/journal", limit=1000) == before
    now = (await network.post("/recall", keywords=["ferry"]))["text"]
    assert now == response.json()["text"]
    assert (await network.get("/journal", limit=1000)) != before
