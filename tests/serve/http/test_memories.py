"""Memories over HTTP: put, read, list, link, forget and what undoes it."""

from pathlib import Path

from ebbtide.core.memory import DAY, HOUR
from tests.serve.http.server import Api, part, refused, serving

# ---- put and get


async def test_what_is_put_can_be_read(api: Api) -> None:
    put = await api.put(
        "tide", "涨潮在六点。", phrase="涨潮", keywords=["潮汐"], kind="fact", domain="海", speaker="小林"
    )
    assert put["created_at"] == "2025-06-15T15:06:40Z"  # 1,750,000,000 seconds after 1970
    read = await api.get("/memories/tide")
    names = ("id", "key", "text", "phrase", "keywords", "kind", "domain", "state", "speaker")
    assert {name: read[name] for name in names} == {
        "id": 3, "key": "tide", "text": "涨潮在六点。", "phrase": "涨潮", "keywords": ["潮汐"], "kind": "fact",
        "domain": "海", "state": "active", "speaker": "小林",
    }  # fmt: skip
    assert (put["meta"]["access_count"], read["meta"]["access_count"]) == (0, 1)
    assert read["marks"] == []


async def test_a_memory_put_without_a_key_gets_one(api: Api) -> None:
    put = await api.post("/memories", 201, text="The pier is new.")
    assert (await api.get(f"/memories/{part(put['key'])}"))["text"] == "The pier is new."


async def test_a_taken_key_is_a_conflict(api: Api) -> None:
    problem = refused(await api.ask("POST", "/memories", json={"text": "No.", "key": "ferry"}), 409)
    assert (problem["error"], problem["facts"]) == ("KeyTaken", {"key": "ferry"})
    assert "PUT to that memory to replace what it says" in problem["detail"]


async def test_an_unknown_memory_is_not_found(api: Api) -> None:
    problem = refused(await api.ask("GET", "/memories/boat"), 404)
    assert (problem["type"], problem["title"], problem["error"], problem["facts"]) == (
        "urn:ebbtide:unknown-memory", "Unknown memory", "UnknownMemory", {"key": "boat"},
    )  # fmt: skip


async def test_put_to_a_key_replaces_what_it_says_and_revert_brings_it_back(api: Api) -> None:
    response = await api.ask("PUT", "/memories/ferry", json={"text": "The ferry leaves at 9:10."})
    assert (response.status_code, response.json()["id"]) == (200, 1)
    assert (await api.post("/memories/ferry/revert"))["text"] == "The ferry to Lamma leaves at 8:40."


async def test_put_to_a_free_key_puts_it(api: Api) -> None:
    response = await api.ask("PUT", "/memories/a%2Fb", json={"text": "Under a slash.", "kind": "fact"})
    assert (response.status_code, response.json()["key"]) == (200, "a/b")


async def test_nobody_sets_a_signal(api: Api) -> None:
    for field in ["score", "state", "access_count", "vitality", "marks", "created_at"]:
        for method, path in (("POST", "/memories"), ("PUT", "/memories/new")):
            problem = refused(await api.ask(method, path, json={"text": "x", field: 1}), 422)
            assert (problem["error"], problem["facts"]["field"]) == ("SignalRefused", field)


async def test_a_slip_of_the_hand_is_named(api: Api) -> None:
    for field in ["replace", "self", "told", "verb", "txet"]:
        problem = refused(await api.ask("POST", "/memories", json={"text": "x", "key": "ferry", field: True}), 422)
        assert repr(field) in problem["detail"]


async def test_the_key_of_a_replacement_is_the_one_in_the_path(api: Api) -> None:
    refused(await api.ask("PUT", "/memories/ferry", json={"text": "x", "key": "other"}), 422)


async def test_importance_is_for_retention_minds(api: Api) -> None:
    assert (
        refused(await api.ask("POST", "/memories", json={"text": "x", "importance": 0.5}), 422)["error"]
        == "SignalRefused"
    )


async def test_importance_and_policy_are_taken_by_a_retention_mind(retention: Api) -> None:
    put = await retention.put("a", "b", importance=0.9, policy="persistent")
    assert (put["meta"]["importance"], put["meta"]["policy"], put["meta"]["expires_at"]) == (0.9, "persistent", None)


async def test_an_expired_memory_is_not_found_and_says_how_it_comes_back(retention: Api) -> None:
    await retention.put("a", "b")
    retention.clock.forward(60 * DAY)
    problem = refused(await retention.ask("GET", "/memories/a"), 404)
    assert (problem["error"], "revive" in problem["detail"]) == ("Expired", True)
    assert (await retention.post("/memories/a/touch", revive=True))["counted"] == ["a"]
    assert (await retention.get("/memories/a"))["state"] == "active"


async def test_many_are_put_at_once_all_or_none(api: Api) -> None:
    assert await api.post("/memories/batch", memories=[{"text": f"t{n}", "key": f"k{n}"} for n in range(1000)]) == {
        "put": 1000
    }
    refused(
        await api.ask(
            "POST", "/memories/batch", json={"memories": [{"text": "a", "key": "new"}, {"text": "b", "key": "k1"}]}
        ),
        409,
    )
    refused(await api.ask("GET", "/memories/new"), 404)


async def test_a_dry_run_of_a_batch_puts_nothing(api: Api) -> None:
    assert await api.post("/memories/batch", memories=[{"text": "a", "key": "new"}], dry_run=True) == {"put": 1}
    refused(await api.ask("GET", "/memories/new"), 404)
    refused(
        await api.ask("POST", "/memories/batch", json={"memories": [{"text": "b", "key": "ferry"}], "dry_run": True}),
        409,
    )


async def test_a_look_by_id_is_no_use(api: Api) -> None:
    assert (await api.get("/look/1"))["key"] == "ferry"
    assert (await api.get("/look/1"))["meta"]["access_count"] == 0
    refused(await api.ask("GET", "/look/99"), 404)


# ---- lists


async def test_pages_of_any_size_tell_every_memory_once_and_in_order(api: Api) -> None:
    await api.post("/memories/batch", memories=[{"text": f"t{n}"} for n in range(23)])
    for limit in (1, 2, 7, 24, 25, 26, 1000):
        found: list[int] = []
        after: int | None = 0
        while after is not None:
            page = await api.get("/memories", after=after, limit=limit)
            assert 0 < len(page["memories"]) <= limit
            found += [memory["id"] for memory in page["memories"]]
            after = page["next"]
        assert found == list(range(1, 26))


async def test_a_list_is_filtered_and_what_is_hidden_is_counted(retention: Api) -> None:
    await retention.put("a", "b", kind="fact", domain="sea")
    await retention.put("c", "d", policy="persistent")
    assert [m["key"] for m in (await retention.get("/memories", kind="fact", domain="sea"))["memories"]] == ["a"]
    retention.clock.forward(60 * DAY)
    page = await retention.get("/memories")
    assert ([m["key"] for m in page["memories"]], page["left_out"]) == (["c"], {"expired": 1})
    assert [m["key"] for m in (await retention.get("/memories", state="expired"))["memories"]] == ["a"]
    assert len((await retention.get("/memories", everything=True))["memories"]) == 2


async def test_a_list_by_score_is_for_score_minds(api: Api, tmp_path: Path) -> None:
    refused(await api.ask("GET", "/memories?score=30-69"), 422)
    async with serving(tmp_path / "scores", "score") as score:
        await score.put("a", "b")
        assert len((await score.get("/memories", score="50-50"))["memories"]) == 1
        assert not (await score.get("/memories", score="0-49"))["memories"]
        for wrong in ("69-30", "0-101", "x", "1", "-1-5"):
            refused(await score.ask("GET", f"/memories?score={wrong}"), 422)


async def test_a_list_nobody_can_make_is_refused(api: Api) -> None:
    for query in [
        "state=sleepy",
        "state=expired",
        "limit=0",
        "limit=1001",
        "after=-1",
        "limit=x",
        "after=9223372036854775808",
    ]:
        refused(await api.ask("GET", f"/memories?{query}"), 422)


# ---- forgetting and the ways back


async def test_what_is_forgotten_waits_in_the_trash_and_comes_back(api: Api) -> None:
    assert (await api.ask("DELETE", "/memories/ferry")).status_code == 204
    refused(await api.ask("GET", "/memories/ferry"), 404)
    (gone,) = (await api.get("/trash"))["forgotten"]
    assert (gone["key"], gone["cause"], gone["gone_at"]) == ("ferry", "asked", "2025-07-15T15:06:40Z")
    assert (await api.post("/memories/ferry/restore"))["id"] == 1
    assert refused(await api.ask("POST", "/memories/ferry/restore"), 404)["error"] == "NotInTrash"


async def test_many_are_forgotten_all_or_none(api: Api) -> None:
    refused(await api.ask("POST", "/forget", json={"keys": ["ferry", "boat"]}), 404)
    assert len((await api.get("/memories"))["memories"]) == 2
    assert (await api.ask("POST", "/forget", json={"keys": ["ferry", "lamma"]})).status_code == 204
    assert [gone["key"] for gone in (await api.get("/trash"))["forgotten"]] == ["lamma", "ferry"]


async def test_a_memory_comes_back_under_another_key(api: Api) -> None:
    await api.ask("DELETE", "/memories/ferry")
    await api.put("ferry", "Another ferry.")
    refused(await api.ask("POST", "/memories/ferry/restore"), 409)
    assert (await api.post("/memories/ferry/restore", new_key="old/ferry"))["key"] == "old/ferry"


async def test_two_become_one_and_two_again(api: Api) -> None:
    merged = await api.post(
        "/memories/ferry/merge", other="lamma", text="The ferry to the island of Lamma leaves at 8:40."
    )
    assert merged["text"].startswith("The ferry to the island")
    refused(await api.ask("GET", "/memories/lamma"), 404)
    await api.post("/memories/lamma/restore")
    assert (await api.get("/memories/ferry"))["text"] == "The ferry to Lamma leaves at 8:40."


async def test_what_was_never_archived_is_not_recovered(api: Api) -> None:
    assert "archive" in refused(await api.ask("POST", "/memories/ferry/recover"), 422)["detail"]
    assert "archive" in refused(await api.ask("GET", "/archive"), 422)["detail"]


# ---- links


async def test_links_are_made_walked_and_taken_away(api: Api) -> None:
    assert (await api.ask("PUT", "/memories/ferry/links/leads%20to/lamma", json={"strength": 0.8})).status_code == 204
    (step,) = (await api.get("/memories/ferry/links"))["steps"]
    assert (step["relation"], step["strength"], step["key"], step["memory"]["key"]) == (
        "leads to",
        0.8,
        "lamma",
        "lamma",
    )
    assert not (await api.get("/memories/ferry/links", relation="other"))["steps"]
    assert (await api.ask("DELETE", "/memories/ferry/links/leads%20to/lamma")).status_code == 204
    assert refused(await api.ask("DELETE", "/memories/ferry/links/leads%20to/lamma"), 404)["error"] == "UnknownLink"


async def test_a_link_without_a_body_has_the_usual_strength(api: Api) -> None:
    assert (await api.ask("PUT", "/memories/ferry/links/a%2Fb/lamma")).status_code == 204
    (step,) = (await api.get("/memories/ferry/links"))["steps"]
    assert (step["relation"], step["strength"]) == ("a/b", 0.5)


async def test_a_strength_is_a_number_from_0_to_1(api: Api) -> None:
    for strength in [-0.1, 1.1, "1", None, True]:
        refused(await api.ask("PUT", "/memories/ferry/links/to/lamma", json={"strength": strength}), 422)


async def test_surroundings_are_looked_at_and_not_used(api: Api) -> None:
    await api.ask("PUT", "/memories/ferry/links/to/lamma")
    around = await api.get("/surroundings", key="ferry")
    assert [sight["memory"]["key"] for sight in around["sights"]] == ["ferry", "lamma"]
    assert [link["relation"] for link in around["links"]] == ["to"]
    assert {sight["memory"]["meta"]["traverse_count"] for sight in around["sights"]} == {0}
    refused(await api.ask("GET", "/surroundings?key=boat"), 404)


# ---- the past


async def test_the_past_can_be_read_and_is_not_used_by_it(api: Api) -> None:
    api.clock.forward(HOUR)
    await api.ask("PUT", "/memories/ferry", json={"text": "Later."})
    before = await api.get("/memories/ferry", as_of="2025-06-15T15:06:40Z")
    assert before["text"] == "The ferry to Lamma leaves at 8:40."
    for _ in range(2):
        assert (await api.get("/memories/ferry", as_of="1750000000"))["meta"]["access_count"] == 0
    assert (await api.get("/memories/ferry", as_of="-1h"))["text"] == before["text"]
    assert (await api.get("/memories/ferry"))["text"] == "Later."


async def test_there_is_nothing_before_the_beginning(api: Api) -> None:
    for moment in ("2001-01-01", "yesterday", "1e999", "-99999999999999999999y"):
        refused(await api.ask("GET", "/memories", params={"as_of": moment}), 422)


async def test_many_pasts_are_looked_at_without_keeping_them_all(api: Api) -> None:
    for second in range(1, 12):
        api.clock.forward(10.0)
        page = await api.get("/memories", as_of=str(api.clock.now() - second))
        assert len(page["memories"]) == 2
