"""Minds, search, conversation, lifecycle and history over HTTP."""

from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from ebbtide.core.memory import DAY, HOUR
from ebbtide.serve.http.problems import Forbidden
from tests.helpers import METABOLISMS
from tests.serve.http.server import Api, refused, serving

# ---- minds


async def test_minds_are_made_and_listed_page_by_page(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", None) as api:
        assert (await api.client.get("/v1/minds")).json() == {"minds": [], "next": None}
        for metabolism in METABOLISMS:
            made = await api.client.post("/v1/minds", json={"agent": metabolism, "metabolism": metabolism})
            assert (made.status_code, made.headers["location"]) == (201, f"/v1/minds/{metabolism}")
            assert (made.json()["metabolism"], made.json()["params"]["trash_days"]) == (metabolism, 30.0)
        page = (await api.client.get("/v1/minds?limit=3")).json()
        rest = (await api.client.get(f"/v1/minds?after={page['next']}")).json()
        assert ([*page["minds"], *rest["minds"]], rest["next"]) == (sorted(METABOLISMS), None)


async def test_a_mind_lives_as_the_settings_say_unless_the_request_does(tmp_path: Path) -> None:
    said = {"metabolism": "score", "params": {"trash_days": 7}}
    async with serving(tmp_path / "data", None, settings=said) as api:
        one = (await api.client.post("/v1/minds", json={"agent": "a", "params": {"touch_spacing": 2}})).json()
        assert (one["metabolism"], one["params"]["trash_days"], one["params"]["touch_spacing"]) == ("score", 7.0, 2.0)
        other = (await api.client.post("/v1/minds", json={"agent": "b", "metabolism": "network"})).json()
        assert (other["metabolism"], other["params"]["trash_days"]) == ("network", 30.0)
        refused(await api.client.post("/v1/minds", json={"agent": "c", "params": {"trash_dais": 1}}), 422)
        refused(await api.client.post("/v1/minds", json={"agent": "c", "metabolism": "wisdom"}), 422)


async def test_an_unknown_mind_is_not_found_and_no_folder_is_named(api: Api, tmp_path: Path) -> None:
    response = await api.client.get("/v1/minds/bob")
    problem = refused(response, 404)
    assert (problem["error"], problem["facts"]) == ("UnknownMind", {"agent": "bob"})
    assert str(tmp_path) not in response.text


async def test_a_mind_in_numbers(api: Api) -> None:
    stats = await api.get()
    assert (stats["agent"], stats["metabolism"], stats["states"]) == ("ada", "activity", {"active": 2})
    assert (stats["at"], stats["store"]["memories"]) == ("2025-06-15T15:06:40Z", 2)


async def test_parameters_are_changed_and_bad_ones_fall_back(api: Api) -> None:
    response = await api.ask("PATCH", "/params", json={"trash_days": 60, "theta_active": "x", "count_hits": 10**30})
    fallbacks = {fallback["name"]: fallback["value"] for fallback in response.json()["fallbacks"]}
    assert fallbacks == {"theta_active": "x", "count_hits": 10**30}
    assert (await api.get("/params"))["params"]["trash_days"] == 60.0
    bad: list[Any] = [{"trash": 1}, {"self": 1}, {"told": 1}, [], 1]
    for wrong in bad:
        refused(await api.ask("PATCH", "/params", json=wrong), 422)


async def test_whoever_may_not_is_turned_away_before_anything_is_done(tmp_path: Path) -> None:
    def only_ada(request: Request, agent: str | None, admin: bool) -> None:
        if admin or agent not in (None, "ada"):
            raise Forbidden("Not yours.")

    async with serving(tmp_path / "data", authorize=only_ada) as api:
        await api.house.create("bob", "activity")
        assert (await api.client.get("/v1/minds")).json()["minds"] == ["ada"]
        refused(await api.client.post("/v1/minds", json={"agent": "new"}), 403)
        api.app.state.desk.works.begin("bob", "check", lambda mind, progress: mind.check())
        assert (await api.client.get("/v1/tasks")).json()["tasks"] == []
        (work,) = api.app.state.desk.works.all()
        nobodys = "0" * len(work.id)
        for method in ("GET", "DELETE"):
            theirs, none = [
                refused(await api.client.request(method, f"/v1/tasks/{number}"), 404) for number in (work.id, nobodys)
            ]
            assert theirs["detail"].replace(work.id, nobodys) == none["detail"]
        for path, methods in api.app.openapi()["paths"].items():
            for method in methods if "{agent}" in path else ():
                url = path.replace("{agent}", "bob").replace("{task}", "1").replace("{memory}", "1")
                refused(await api.client.request(method, url, json={}), 403)


# ---- search


async def test_a_search_finds_and_tells_why(api: Api) -> None:
    found = await api.post("/search", text="When does the ferry leave?", explain=True, k=1)
    (hit,) = found["hits"]
    assert (hit["memory"]["key"], hit["why"]["vitality"] > 0, found["exact"]) == ("ferry", True, True)
    assert hit["memory"]["meta"]["access_count"] == 0  # being found is not being used


async def test_a_search_that_is_explained_tells_every_term_of_the_rank(api: Api) -> None:
    (hit,) = (await api.post("/search", text="When does the ferry leave?", explain=True, k=1))["hits"]
    terms = {term["name"]: term for term in hit["why"]["terms"]}
    assert {"coverage", "when"} <= terms.keys()  # it has words of the question, and says a time
    for term in terms.values():
        assert term["points"] == pytest.approx(term["value"] * term["weight"])
    schemas = api.app.openapi()["components"]["schemas"]
    assert schemas["Why"]["properties"]["terms"]["items"] == {"$ref": "#/components/schemas/RankTerm"}
    assert [*schemas["RankTerm"]["properties"]] == ["name", "value", "weight", "points"]


async def test_what_can_be_found_is_told_once_somebody_has_searched(api: Api) -> None:
    assert (await api.get("/index")) == {"index": None}
    await api.post("/search", text="ferry")
    assert (await api.get("/index"))["index"]["memories"] == 2


async def test_a_search_is_narrowed(api: Api) -> None:
    await api.put("tide", "The ferry waits for the tide.", kind="fact", domain="sea", keywords=["tide"])
    for narrow in ({"kind": "fact"}, {"domain": "sea"}, {"keywords": ["tide"]}):
        assert [hit["memory"]["key"] for hit in (await api.post("/search", text="ferry", **narrow))["hits"]] == ["tide"]
    for none in ({"since": "+1d"}, {"until": "2025-06-01"}, {"since": 1750000001}, {"state": ["cold"]}):
        assert not (await api.post("/search", text="ferry", **none))["hits"]


async def test_a_search_nobody_can_make_is_refused(api: Api) -> None:
    wrong: list[dict[str, Any]] = [
        {}, {"text": ""}, {"text": "x", "k": 0}, {"text": "x", "k": 1001}, {"text": "x", "k": "3"},
        {"text": "x", "state": ["expired"]}, {"text": "x", "since": "soon"},
        {"text": "x", "at_least": 2}, {"text": "x", "patience": 1e9}, {"text": "x", "limit": 3},
        {"text": "x", "k": 1.5}, {"text": "x", "since": "+1d", "until": "-1d"}, {"text": "x", "state": ["x"]},
    ]  # fmt: skip
    for body in wrong:
        refused(await api.ask("POST", "/search", json=body), 422)


async def test_the_past_can_be_searched(api: Api) -> None:
    api.clock.forward(HOUR)
    await api.ask("DELETE", "/memories/ferry")
    response = await api.ask("POST", "/search?as_of=-1m", json={"text": "ferry"})
    assert [hit["memory"]["key"] for hit in response.json()["hits"]] == ["ferry"]
    assert not (await api.post("/search", text="ferry"))["hits"]


async def test_an_answer_credits_what_it_drew_on(api: Api) -> None:
    asked: dict[str, Any] = {"answer": "It leaves at 8:40.", "question": "When does the ferry to Lamma go?"}
    told = await api.post("/credit", **asked, dry_run=True)
    assert (told["touched"], told["memories"][0]["key"], told["memories"][0]["credited"]) == ([], "ferry", True)
    assert (told["threshold"], told["skipped"]) == (0.35, {})
    told = await api.post("/credit", **asked, hits=["ferry", "lamma", "boat"])
    assert (told["touched"], told["skipped"]) == (["ferry"], {"boat": "unknown"})
    told = await api.post("/credit", **asked, hits={"ferry": 0.9, "lamma": None})
    assert (told["throttled"], told["memories"][0]["similarity"]) == (["ferry"], 0.9)
    assert (await api.post("/credit", answer="", hits=["ferry"]))["touched"] == []


async def test_a_credit_that_cannot_be_is_refused(api: Api) -> None:
    bad: list[dict[str, Any]] = [
        {"answer": "8:40"}, {"question": "when?"}, {"answer": "8:40", "question": ""}, {"answer": 8, "hits": ["ferry"]},
        {"answer": "8:40", "hits": {"ferry": "much"}}, {"answer": "8:40", "keys": ["ferry"]},
    ]  # fmt: skip
    for body in bad:
        refused(await api.ask("POST", "/credit", json=body), 422)


async def test_a_touch_counts_once_an_hour(api: Api) -> None:
    assert await api.post("/touch", keys=["ferry", "lamma"]) == {"counted": ["ferry", "lamma"], "throttled": []}
    assert await api.post("/memories/ferry/touch") == {"counted": [], "throttled": ["ferry"]}
    refused(await api.ask("POST", "/touch", json={"keys": ["ferry", "boat"]}), 404)


# ---- conversation

_FERRY = [
    {"role": "user", "content": "我们星期天坐渡轮去南丫岛。", "timestamp": "2025-06-15T12:00:00Z"},
    {"role": "assistant", "content": "The ferry to Lamma leaves at 8:40."},
]


async def test_what_is_handed_over_is_remembered_and_recalled(network: Api) -> None:
    response = await network.ask("POST", "/remember", json={"messages": _FERRY})
    told = response.json()
    assert (response.status_code, response.headers["location"], told["href"]) == (
        202,
        told["href"],
        f"/v1/minds/ada/queue/{told['task']}",
    )
    await network.queue_empty()
    done = (await network.client.get(told["href"])).json()
    assert (done["task"], done["state"], done["kind"], done["error"]) == (told["task"], "done", "remember", None)
    assert (await network.get("/focus"))["focus"]
    assert "[memory]" in (await network.post("/recall"))["text"]
    assert (await network.get("/traces")) == {"traces": [], "next": None}


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
async def test_every_mind_is_told_conversations(tmp_path: Path, metabolism: str) -> None:
    async with serving(tmp_path / "data", metabolism) as api:
        told = await api.post("/remember", 202, messages=_FERRY)
        await api.queue_empty()
        done = (await api.client.get(told["href"])).json()
        assert (done["task"], done["state"], done["error"]) == (told["task"], "done", None)
        found = await api.post("/search", text="When does the ferry to Lamma leave?")
        assert "8:40" in found["hits"][0]["memory"]["text"]
        assert "use search" in refused(await api.ask("POST", "/recall", json={}), 422)["detail"]


async def test_who_said_a_message_is_told_with_its_memory(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", "tide") as api:
        named = [{"role": "user", "content": "The rent is 9,200 dollars.", "name": "小林"}]
        for messages in (named, _FERRY[:1]):
            await api.post("/remember", 202, messages=messages)
        await api.queue_empty()
        found = (await api.get("/memories"))["memories"]
        said = {memory["text"]: memory["speaker"] for memory in found if memory["kind"] == "segment"}
        assert said == {"The rent is 9,200 dollars.": "小林", _FERRY[0]["content"]: "user"}


async def test_a_task_that_failed_is_shown_and_dropped(network: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def confused(*_: Any) -> None:
        from ebbtide.core.errors import ModelFailed

        raise ModelFailed(detail="it says nothing")

    monkeypatch.setattr("ebbtide.mind.network.understand", confused)
    told = await network.post("/remember", 202, messages=_FERRY)
    await network.queue_empty()
    failed = (await network.client.get(told["href"])).json()
    assert (failed["state"], "it says nothing" in failed["error"]) == ("failed", True)
    assert [task["id"] for task in (await network.get("/queue"))["tasks"]] == [told["task"]]
    assert (await network.ask("POST", f"/queue/{told['task']}/retry")).status_code == 204
    await network.queue_empty()
    assert (await network.ask("DELETE", f"/queue/{told['task']}")).status_code == 204
    refused(await network.ask("DELETE", f"/queue/{told['task']}"), 404)
    assert (await network.client.get(told["href"])).json()["state"] == "dropped"
    for number in ("1", "999", "0", "x"):
        assert (await network.ask("GET", f"/queue/{number}")).status_code in (404, 422)


async def test_only_a_network_mind_recalls(api: Api) -> None:
    for method, path, body in (
        ("POST", "/recall", {}),
        ("GET", "/focus", None),
    ):
        assert "network" in refused(await api.ask(method, path, json=body), 422)["detail"]


async def test_messages_nobody_can_say_are_refused(network: Api) -> None:
    wrong: list[Any] = [
        [], [{}], [{"role": "user"}], [{"role": "robot", "content": "x"}], [{"role": "user", "content": ""}],
        [{"role": "user", "content": "a\0"}], [{"role": "user", "content": 1}], ["x"], "x",
        [{"role": "user", "content": "x", "a": 1}],
        [{"role": "user", "content": "x", "name": 7}], [{"role": "user", "content": "x", "name": "n" * 257}],
        [{"role": "user", "content": "x", "timestamp": "soon"}], [{"role": "user", "content": "x"}] * 10_001,
    ]  # fmt: skip
    for messages in wrong:
        refused(await network.ask("POST", "/remember", json={"messages": messages}), 422)
    assert (await network.get("/queue"))["tasks"] == []


# ---- lifecycle


async def test_a_memory_is_explained_now_and_later(api: Api) -> None:
    now = await api.get("/memories/ferry/explain")
    later = await api.get("/memories/ferry/explain", at="+30d", days=10)
    assert (now["memory"]["state"], later["memory"]["state"]) == ("active", "cold")
    assert later["at"] == "2025-07-15T15:06:40Z"
    assert len(later["curve"]) == 48
    assert now["memory"]["meta"]["access_count"] == later["memory"]["meta"]["access_count"] == 0
    refused(await api.ask("GET", "/memories/boat/explain"), 404)
    for query in ("days=0", "days=nan", "days=inf", "days=1e9", "at=soon", "at=1e300"):
        refused(await api.ask("GET", f"/memories/ferry/explain?{query}"), 422)


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_any_moment_to_come_on_the_calendar_can_be_explained(tmp_path: Path, metabolism: str) -> None:
    async with serving(tmp_path / "data", metabolism) as api:
        await api.put("ferry", "The ferry leaves at 8:40.")
        for moment in ("2300-01-01", "9999-12-31"):
            assert (await api.get("/memories/ferry/explain", at=moment, days=36525))["metabolism"] == metabolism
        refused(await api.ask("GET", "/memories/ferry/explain?at=1970-01-01"), 422)  # there was no mind then


async def test_what_is_to_come_is_told(api: Api, network: Api) -> None:
    outlook = await api.get("/forecast", days=30, limit=1)
    assert (outlook["counts"]["cold"], len(outlook["fates"]), outlook["days"]) == (2, 1, 30.0)
    assert (await network.get("/forecast", scans=10))["scans"] == 10
    refused(await api.ask("GET", "/forecast?scans=10"), 422)
    refused(await network.ask("GET", "/forecast?days=10"), 422)


async def test_states_are_told_week_by_week(api: Api, network: Api) -> None:
    told = await api.get("/timeline", weeks_back=3, weeks_ahead=2)
    assert [point["memories"] for point in told["points"]] == [point["memories"] for point in told["points"][:1]] * 3
    assert told["points"][0]["at"] == told["at"]
    assert len((await network.get("/timeline"))["points"]) == 1
    for query in ("weeks_back=-1", "weeks_ahead=521", "weeks_back=1.5"):
        refused(await api.ask("GET", f"/timeline?{query}"), 422)


async def test_a_suggestion_is_accepted_undone_and_dismissed(api: Api) -> None:
    api.clock.forward(400 * DAY)
    first, second = (await api.get("/suggestions", kind="delete"))["suggestions"]
    assert (first["keys"], second["keys"], "θ_delete" in first["why"]) == (["ferry"], ["lamma"], True)
    assert (await api.ask("POST", "/suggestions/accept", json={"kind": "delete", "keys": ["ferry"]})).status_code == 204
    await api.post("/memories/ferry/restore")
    assert (
        await api.ask("POST", "/suggestions/dismiss", json={"kind": "delete", "keys": ["lamma"]})
    ).status_code == 204
    assert [one["keys"] for one in (await api.get("/suggestions"))["suggestions"]] == [["ferry"]]
    refused(await api.ask("POST", "/suggestions/accept", json={"kind": "merge", "keys": ["ferry", "lamma"]}), 404)
    refused(await api.ask("POST", "/suggestions/accept", json={"kind": "burn", "keys": ["ferry"]}), 422)


async def test_an_archived_run_is_listed_and_recovered(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", "retention", settings={"archive": str(tmp_path / "archive")}) as api:
        await api.put("old", "Long gone.", importance=0.1)
        api.clock.forward(60 * DAY)
        await api.run("/reap")  # the first run deletes nothing
        run = (await api.run("/reap"))["result"]["run"]
        (archived,) = (await api.get("/archive"))["runs"]
        assert (archived["run"], archived["memories"]) == (run, 1)
        api.clock.forward(31 * DAY)
        await api.run("/tick")
        assert (await api.post("/memories/old/recover"))["text"] == "Long gone."


# ---- history


async def test_the_journal_tells_everything_page_by_page(api: Api) -> None:
    await api.get("/memories/ferry")
    await api.ask("DELETE", "/memories/ferry")
    found: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = await api.get("/journal", after=after, limit=2)
        found += page["entries"]
        after = page["next"]
    assert [entry["kind"] for entry in found] == ["configure", "put", "put", "access", "forget"]
    assert [entry["seq"] for entry in found] == [1, 2, 3, 4, 5]
    assert found[1]["content"]["key"] == "ferry"
    mine = (await api.get("/memories/ferry/history"))["entries"]
    assert [entry["kind"] for entry in mine] == ["put", "access", "forget"]
    refused(await api.ask("GET", "/memories/boat/history"), 404)


async def test_a_change_that_has_a_kind_of_its_own_keeps_it(network: Api) -> None:
    await network.post("/remember", 202, messages=_FERRY)
    entries = (await network.get("/journal"))["entries"]
    assert [(entry["kind"], entry.get("of")) for entry in entries[:2]] == [("configure", None), ("enqueue", "remember")]


async def test_what_would_be_remembered_under_another_regime(api: Api) -> None:
    api.clock.forward(30 * DAY)
    result = (await api.run("/whatif", metabolism="retention", params={"delete_below": 0.2}))["result"]
    assert (result["now"]["metabolism"], result["then"]["metabolism"]) == ("activity", "retention")
    assert (result["differing"], result["differs"][0]) == (2, {"key": "ferry", "now": "cold", "then": "expired"})
    assert (await api.run("/whatif", limit=0))["result"]["differs"] == []
    assert (await api.run("/whatif", params={"nonsense": 1}))["problem"]["status"] == 422


async def test_which_regime_would_have_kept_what_was_used(api: Api) -> None:
    api.clock.forward(3 * DAY)
    await api.post("/touch", keys=["ferry"])
    result = (await api.run("/tune", budgets=["100%", 1], metabolisms=["tide"], params={"long_use": 2.0}))["result"]
    assert (result["uses"], result["enough"], [budget["memories"] for budget in result["budgets"]]) == (
        1,
        False,
        [2, 1],
    )
    rows = [(one["candidate"]["metabolism"], one["candidate"]["name"]) for one in result["outcomes"]]
    assert rows[:3] == [("activity", "current"), ("tide", "given"), ("tide", "default")]
    assert {one["results"][0]["kept"] for one in result["outcomes"]} == {1}
    assert (await api.run("/tune", budgets=["0%"]))["problem"]["status"] == 422
    assert (await api.run("/tune", params={"nonsense": 1}))["problem"]["status"] == 422
    refused(await api.ask("POST", "/tune", json={"budgets": [[]]}), 422)
    refused(await api.ask("POST", "/tune", json={"metabolisms": ["tied"]}), 422)


async def test_a_journal_is_compacted_and_its_beginning_can_no_longer_be_looked_at(api: Api) -> None:
    api.clock.forward(100 * DAY)
    await api.put("new", "New.")
    assert (await api.run("/compact", before="-90d"))["result"] == {"folded": 3}
    refused(await api.ask("GET", "/memories?as_of=2025-06-16"), 422)
    assert (await api.get())["store"]["journal_from"] == 3
