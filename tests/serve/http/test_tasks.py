"""Long work as tasks: begun, looked at, left."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from ebbtide.serve.http import works
from ebbtide.serve.http.works import KEPT, MOST_KEPT, MOST_RUNNING
from tests.serve.http.server import Api, refused, serving


async def test_a_tick_is_a_task_with_a_result(api: Api) -> None:
    api.clock.forward(30 * DAY)
    response = await api.ask("POST", "/tick")
    task = response.json()
    assert (response.status_code, response.headers["location"]) == (202, f"/v1/tasks/{task['id']}")
    assert (task["verb"], task["agent"], task["state"], task["result"], task["problem"]) == (
        "tick", "ada", "running", None, None,
    )  # fmt: skip
    ended = await api.ended(response.headers["location"])
    assert (ended["state"], ended["progress"], ended["result"]["seen"]) == ("done", {"done": 2, "total": 2}, 2)
    assert ended["result"]["at"] == ended["finished_at"] == "2025-07-15T15:06:40Z"


async def test_a_dry_run_lists_what_a_tick_would_change_at_another_moment(api: Api) -> None:
    task = await api.run("/tick", dry_run=True, at="+30d")
    assert [shift["key"] for shift in task["result"]["shifts"]] == ["ferry", "lamma"]
    assert {"before": "active", "after": "cold", "marks": []}.items() <= task["result"]["shifts"][0].items()
    assert (await api.get())["states"] == {"active": 2}


async def test_a_task_that_fails_tells_the_problem(api: Api) -> None:
    task = await api.run("/reap")
    assert (task["state"], task["problem"]["error"], task["problem"]["status"]) == ("failed", "InvalidInput", 422)
    task = await api.run("/tick", at="+1d")
    assert "dry_run" in task["problem"]["detail"]


async def test_a_task_nobody_began_is_not_found(api: Api) -> None:
    for method in ("GET", "DELETE"):
        refused(await api.client.request(method, "/v1/tasks/0f8fad5bd9cb469fa16570867728950e"), 404)


async def test_a_task_of_no_mind_is_not_begun(api: Api) -> None:
    refused(await api.client.post("/v1/minds/bob/tick"), 404)
    assert (await api.client.get("/v1/tasks")).json() == {"tasks": [], "next": None}


async def test_a_task_is_left_between_two_batches(tmp_path: Path) -> None:
    async with serving(tmp_path / "data", settings={"batch_size": 1}) as api:
        await api.post("/memories/batch", memories=[{"text": f"t{n}"} for n in range(50)])
        api.clock.forward(30 * DAY)
        place = (await api.ask("POST", "/tick")).headers["location"]
        while not (await api.client.get(place)).json()["progress"]["done"]:  # noqa: ASYNC110
            await asyncio.sleep(0)
        left = await api.client.delete(place)
        assert (left.status_code, left.json()["cancelling"]) == (202, True)
        ended = await api.ended(place)
        assert ended["state"] == "cancelled"
        assert 0 < ended["progress"]["done"] < 50
        assert (await api.client.delete(place)).json()["state"] == "cancelled"  # once more changes nothing
        assert (await api.run("/check"))["result"] == {"same": True, "differences": []}


async def test_waiting_is_left_at_once(network: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def for_ever(_: Mind) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Mind, "idle", for_ever)
    place = (await network.ask("POST", "/idle")).headers["location"]
    await network.client.delete(place)
    assert (await network.ended(place))["state"] == "cancelled"


async def test_a_mind_has_only_so_much_to_do_at_once(network: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def for_ever(_: Mind) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Mind, "idle", for_ever)
    for _ in range(MOST_RUNNING):
        assert (await network.ask("POST", "/idle")).status_code == 202
    refused(await network.ask("POST", "/idle"), 429)


async def test_finished_tasks_are_kept_for_a_while(api: Api) -> None:
    task = await api.run("/check")
    api.clock.forward(KEPT - 1)
    await api.run("/check")
    assert len((await api.client.get("/v1/tasks")).json()["tasks"]) == 2
    api.clock.forward(2)
    await api.run("/check")
    refused(await api.client.get(f"/v1/tasks/{task['id']}"), 404)
    for _ in range(MOST_KEPT + 5):
        await api.run("/tick", dry_run=True)
    assert len((await api.client.get("/v1/tasks?limit=1000")).json()["tasks"]) <= MOST_KEPT + 1


async def test_an_old_task_is_gone_without_a_new_one(api: Api) -> None:
    task = await api.run("/check")
    api.clock.forward(KEPT + 1)
    refused(await api.client.get(f"/v1/tasks/{task['id']}"), 404)
    assert (await api.client.get("/v1/tasks")).json()["tasks"] == []


async def test_of_what_comes_of_tasks_only_so_much_is_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "MOST_BYTES", 3000)
    begun = []
    for _ in range(4):
        work = api.app.state.desk.works.begin("ada", "check", _much)
        begun.append((await api.ended(f"/v1/tasks/{work.id}"))["id"])
    listed = (await api.client.get("/v1/tasks")).json()["tasks"]
    assert [task["id"] for task in listed] == begun[:1:-1]  # the last two, of 1,002 bytes each: a third is too much
    assert all("result" not in task for task in listed)
    assert (await api.client.get(f"/v1/tasks/{begun[-1]}")).json()["result"] == "x" * 1000
    monkeypatch.setattr(works, "MOST_BYTES", 10)
    assert [task["id"] for task in (await api.client.get("/v1/tasks")).json()["tasks"]] == begun[-1:]


async def _much(mind: Mind, progress: Any) -> str:
    return "x" * 1000


async def test_tasks_are_listed_last_begun_first_page_by_page(api: Api) -> None:
    begun = [(await api.run(path))["id"] for path in ("/tick", "/check", "/reembed")]
    page = (await api.client.get("/v1/tasks?limit=2")).json()
    rest = (await api.client.get(f"/v1/tasks?after={page['next']}")).json()
    assert [task["id"] for task in (*page["tasks"], *rest["tasks"])] == begun[::-1]
    assert rest["next"] is None


async def test_every_kind_of_long_work_comes_to_an_end(api: Api, network: Api) -> None:
    for path in ("/tick", "/check", "/reembed", "/whatif", "/tune", "/compact", "/idle", "/compress"):
        assert (await api.run(path))["state"] == "done", path
    assert (await network.run("/fade", cycles=3))["progress"] == {"done": 3, "total": 3}


async def test_a_run_of_the_reaper_is_taken_back(retention: Api) -> None:
    await retention.put("old", "Long gone.", importance=0.1)
    retention.clock.forward(60 * DAY)
    assert (await retention.run("/reap", dry_run=True))["result"]["deferrals"][0]["key"] == "old"
    first: Any = (await retention.run("/reap"))["result"]  # after a pause: it only says what the next one deletes
    assert (first["deleted"], first["deferred"], first["run"]) == (0, 1, "")
    assert (await retention.run("/reap", dry_run=True))["result"]["harvest"][0]["key"] == "old"
    reaped: Any = (await retention.run("/reap"))["result"]
    assert (reaped["deleted"], reaped["pruned"]) == (1, 0)
    assert (await retention.run("/unreap", run=reaped["run"]))["result"]["restored"] == ["old"]
    assert (await retention.run("/unreap", run="reap-never"))["problem"]["status"] == 404


async def test_a_run_of_the_budget_is_taken_back(api: Api) -> None:
    for number in range(4):
        api.clock.forward(DAY)
        await api.put(f"k{number}", f"The ferry of day {number} left Central pier 4 at 8:40 with Lin on board.")
    for budget in (4, 3):
        await api.client.patch("/v1/minds/ada/params", json={"budget_memories": budget})
    squeezed: Any = (await api.run("/squeeze", dry_run=True))["result"]
    assert (squeezed["budget"]["memories"], squeezed["leavers"][0]["key"]) == (3, "k1")
    run = (await api.client.get("/v1/minds/ada/trash")).json()["forgotten"][0]["run"]
    undone: Any = (await api.run("/unsqueeze", run=run))["result"]
    assert (undone["restored"], undone["displaced"]) == (["k0"], 1)
    halved: Any = (await api.run("/squeeze"))["result"]
    assert (await api.run("/unsqueeze", run=halved["run"]))["result"]["unpruned"] == ["k0"]
    assert (await api.run("/unsqueeze", run="budget-0"))["problem"]["status"] == 404


async def test_tasks_end_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def for_ever(_: Mind) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Mind, "idle", for_ever)
    async with serving(tmp_path / "data", "network") as api:
        await api.ask("POST", "/idle")
        await asyncio.sleep(0)
        (work,) = api.app.state.desk.works.all()
    assert work.state == "cancelled"
