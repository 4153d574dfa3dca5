"""Two agents, two keys, one server: by no route, tool or page does the one learn or change anything of the other's."""

import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.serve_load import Server, Wire, serving
from ebbtide.serve.keys import Keyring

pytestmark = pytest.mark.slow

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
HERS, HIS = "the-treasure-of-ada", "the-treasure-of-bob"
SPEAKS = {"Accept": "application/json, text/event-stream"}
VIEWS = ("", "memories", "memory?key=secret", "network", "tidy", "whatif", "journal", "console", "nowhere")
UNKNOWN = "ebb_00000000_" + "a" * 43
# Bodies that fit one route or another; what does not fit is refused before anything happens.
BODIES: tuple[Any, ...] = (
    None,
    {},
    {"text": "treasure", "key": "planted"},
    {"keys": ["secret"]},
    {"messages": [{"role": "user", "content": "planted"}]},
    {"params": {"t_age": 1.0}},
)


@dataclass(frozen=True)
class Town:
    server: Server
    ada: str
    bob: str
    admin: str
    task: str  # one of bob's

    def client(self, key: str | None = None, **headers: str) -> httpx.AsyncClient:
        shown = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.AsyncClient(base_url=self.server.url, headers={**shown, **headers}, timeout=60, trust_env=False)


@asynccontextmanager
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    """Each has a mind with a treasure in it. Afterwards no key is in the log."""
    data, log = tmp_path / "data", tmp_path / "log"
    ring = Keyring(data)
    keys = {agent: ring.create(time.time(), [agent])[1] for agent in ("ada", "bob")}
    admin = ring.create(time.time(), admin=True)[1]
    async with serving(data, log=log, EBBTIDE_REQUIRE_KEYS="true", EBBTIDE_LOG_FORMAT="json") as server:
        begun = Town(server, keys["ada"], keys["bob"], admin, "")
        task = ""
        for agent, treasure in (("ada", HERS), ("bob", HIS)):
            async with begun.client(keys[agent]) as asking, begun.client(admin) as maker:
                assert (await maker.post("/v1/minds", json={"agent": agent})).status_code == 201
                said = {"text": f"It is {treasure}.", "key": "secret"}
                assert (await asking.post(f"/v1/minds/{agent}/memories", json=said)).status_code == 201
                task = (await asking.post(f"/v1/minds/{agent}/tick", json={})).json()["id"]
        yield Town(server, keys["ada"], keys["bob"], admin, str(task))
    written = log.read_text()
    for key in (*keys.values(), admin):
        assert key not in written
        assert key.split("_", 2)[2] not in written
    assert HIS not in written


async def journal(town: Town, agent: str) -> Any:
    async with town.client(town.admin) as asking:
        return (await asking.get(f"/v1/minds/{agent}/journal", params={"limit": 1000})).json()


def filled(path: str, agent: str, town: Town) -> str:
    named = {
        "agent": agent,
        "key": "secret",
        "memory": "1",
        "task": "1",
        "relation": "x",
        "target": "secret",
        "id": town.task,
    }
    return re.sub(r"{(\w+)}", lambda found: named[found[1]], path)


async def paths(town: Town) -> list[str]:
    async with town.client(town.admin) as asking:
        return list((await asking.get("/v1/openapi.json")).json()["paths"])


# ---- routes


async def test_no_route_and_no_method_leads_into_anothers_mind(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        before = await journal(here, "bob")
        of_minds = [filled(path, "bob", here) for path in await paths(here) if "{agent}" in path]
        assert len(of_minds) > 35
        async with here.client(here.ada) as ada, here.client() as nobody, here.client(UNKNOWN) as stranger:
            for path, method in ((path, method) for path in of_minds for method in METHODS):
                for body in BODIES[:2] if method in ("GET", "HEAD", "OPTIONS") else BODIES:
                    answer = await ada.request(method, path, json=body, params={"agent": "ada"})
                    assert answer.status_code == 403, (method, path)
                    assert HIS not in answer.text
                for other in (nobody, stranger):
                    answer = await other.request(method, path)
                    assert answer.status_code == 401, (method, path)
                    assert answer.headers["www-authenticate"] == 'Bearer realm="ebbtide"'
        assert await journal(here, "bob") == before


async def test_the_same_routes_are_open_to_whom_they_belong(tmp_path: Path) -> None:
    """So that the test above is no test of a locked house."""
    async with town(tmp_path) as here, here.client(here.ada) as ada:
        document = (await ada.get("/v1/openapi.json")).json()["paths"]
        for path, methods in document.items():
            for method in methods if "{agent}" in path else ():
                answer = await ada.request(method, filled(path, "ada", here), json={} if method != "get" else None)
                assert answer.status_code not in (401, 403), (method, path)
                assert answer.status_code < 500, (method, path, answer.text)


async def test_what_concerns_all_minds_shows_each_only_its_own(tmp_path: Path) -> None:
    async with town(tmp_path) as here, here.client(here.ada) as ada, here.client(here.admin) as admin:
        listed = await ada.get("/v1/minds")
        assert listed.json().get("minds") == ["ada"], listed.text
        assert (await admin.get("/v1/minds")).json()["minds"] == ["ada", "bob"]
        assert (await ada.post("/v1/minds", json={"agent": "eve"})).status_code == 403
        assert {task["agent"] for task in (await ada.get("/v1/tasks")).json()["tasks"]} == {"ada"}
        for method in METHODS:
            answer = await ada.request(method, f"/v1/tasks/{here.task}")
            assert answer.status_code in (403, 404, 405), method
            assert "bob" not in answer.text
        assert (await admin.get(f"/v1/tasks/{here.task}")).status_code == 200
        assert [(await one.get("/metrics")).status_code for one in (ada, admin)] == [403, 200]


TRICKS = (
    "/v1/minds/%62ob/memories",
    "/v1/minds/ada/../bob/memories",
    "/v1/minds/ada%2F..%2Fbob/memories",
    "/v1/minds/ada/memories/..%2F..%2Fbob%2Fmemories",
    "/v1/minds/ada%00/../bob/memories",
    "/v1/minds//bob/memories",
    "/v1//minds/bob/memories",
    "//v1/minds/bob/memories",
    "/v1%2Fminds%2Fbob%2Fmemories",
    "/v1/minds/BOB/memories",
    "/V1/minds/bob/memories",
    "/v1/minds/bob;x/memories",
    "/_nicegui/../v1/minds/bob/memories",
    "/_nicegui%2F..%2Fv1/minds/bob/memories",
    "/login/../v1/minds/bob/memories",
)


async def test_no_way_of_writing_a_path_does_either(tmp_path: Path) -> None:
    """On a wire of our own: a client that means well would mend them."""
    async with town(tmp_path) as here:
        for trick in TRICKS:
            wire = Wire(here.server.port, here.ada)
            status, said = await wire.ask("GET", trick)
            wire.close()
            assert status in (400, 403, 404, 422), (trick, said)
            assert HIS not in str(said)


async def test_an_answer_to_one_is_never_given_to_the_other_for_the_same_idempotency_key(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        said = {"text": "mine", "key": "mine"}
        async with here.client(here.bob, **{"Idempotency-Key": "same"}) as bob:
            his = await bob.post("/v1/minds/bob/memories", json={**said, "text": HIS})
        async with here.client(here.ada, **{"Idempotency-Key": "same"}) as ada:
            hers = await ada.post("/v1/minds/ada/memories", json={**said, "text": HERS})
            again = await ada.post("/v1/minds/ada/memories", json={**said, "text": HERS})
        assert (his.status_code, hers.status_code, again.status_code) == (201, 201, 201)
        assert HIS not in hers.text + again.text


# ---- tools


async def call(asking: httpx.AsyncClient, agent: str, method: str, **params: Any) -> httpx.Response:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    given = hello if method == "initialize" else params
    said = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
    return await asking.post(f"/mcp/{agent}" if agent else "/mcp", json=said, headers=SPEAKS)


def arguments(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Something for each argument a tool takes; once as it should be, once in another's name."""
    kinds = {"string": "secret", "integer": 1, "number": 1.0, "boolean": False, "array": ["secret"], "object": {}}
    plain = {name: kinds.get(str(one.get("type")), "secret") for name, one in schema.get("properties", {}).items()}
    yield plain
    yield {**plain, "agent": "bob", "mind": "bob"}


async def test_no_tool_and_no_resource_leads_into_anothers_mind(tmp_path: Path) -> None:
    async with town(tmp_path) as here:
        before = await journal(here, "bob")
        async with here.client(here.ada) as ada, here.client() as nobody:
            tools = (await call(ada, "ada", "tools/list")).json()["result"]["tools"]
            assert len(tools) >= 9
            for tool in tools:
                for given in arguments(tool["inputSchema"]):
                    named = {"name": tool["name"], "arguments": given}
                    for agent in ("bob", "", "default", "BOB", "%62ob", "ada%2F..%2Fbob"):
                        answer = await call(ada, agent, "tools/call", **named)
                        assert answer.status_code in (403, 404), (tool["name"], agent)
                        assert HIS not in answer.text
                    own = await call(ada, "ada", "tools/call", **named)
                    assert own.status_code == 200, (tool["name"], own.text)
                    assert HIS not in own.text
                    assert (await call(nobody, "bob", "tools/call", **named)).status_code == 401
            for method in ("initialize", "tools/list", "resources/list", "resources/templates/list", "prompts/list"):
                assert (await call(ada, "bob", method)).status_code == 403
            mine = json.dumps((await call(ada, "ada", "resources/list")).json()["result"])
            for uri in re.findall(r'"uri": "([^"]+)"', mine):
                for wanted in (uri, uri.replace("ada", "bob")):
                    assert HIS not in (await call(ada, "ada", "resources/read", uri=wanted)).text
        assert await journal(here, "bob") == before


# ---- pages


async def test_no_page_shows_anothers_mind(tmp_path: Path) -> None:
    async with town(tmp_path) as here, here.client(Accept="text/html") as browser:
        for path in ("/", *(f"/minds/bob/{view}" for view in VIEWS)):
            answer = await browser.get(path)
            assert (answer.status_code, answer.headers["location"][:7]) == (303, "/login?"), path
        assert (await browser.post("/login", data={"key": UNKNOWN})).headers.get("set-cookie") is None
        entered = await browser.post("/login", data={"key": here.ada, "then": "//evil.example"})
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert HERS in (await browser.get("/minds/ada/memories")).text
        overview = (await browser.get("/")).text
        assert "/minds/ada" in overview
        assert "/minds/bob" not in overview
        for view in VIEWS:
            for agent in ("bob", "%62ob", "BOB"):
                assert HIS not in (await browser.get(f"/minds/{agent}/{view}")).text, view
        assert (await browser.get("/v1/minds/bob/memories")).status_code == 403
        assert (await browser.delete("/v1/minds/ada/memories/secret")).status_code == 401  # a cookie changes nothing
