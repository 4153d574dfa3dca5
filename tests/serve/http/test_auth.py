"""The gate before everything: which key opens what, by which way it may be shown, and what the others are told."""

import itertools
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request, WebSocket
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from ebbtide.core.errors import StoreUnreadable
from ebbtide.serve.http import problems
from ebbtide.serve.http.auth import COOKIE, Gate, Guard, is_loopback
from ebbtide.serve.keys import Key, Keyring
from tests.helpers import FakeClock

OTHER = "ebb_00000000_" + "a" * 43


class Place:
    """A small application behind the gate: a route of a mind, one of all minds, a page, and a socket of the page."""

    def __init__(self, data: Path, *, required: bool) -> None:
        self.clock = FakeClock()
        self.ring = Keyring(data)
        now = self.clock.now()
        self.ada = self.ring.create(now, ["ada"])[1]
        self.bob = self.ring.create(now, ["bob"], expires_at=now + 60)[1]
        self.admin = self.ring.create(now, admin=True)[1]
        self.gate = gate = Gate(self.ring, self.clock, required=required)
        self.client = TestClient(Guard(_app(gate), gate, login=True), "http://127.0.0.1:8321", follow_redirects=False)

    def visit(self, key: str) -> str:
        """Enter as the page lets one in."""
        name = self.gate.sessions.begin(key)
        assert name is not None
        self.client.cookies.set(COOKIE, name)
        return name

    def get(self, path: str, key: str | None = None, **more: Any) -> int:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return self.client.get(path, headers=headers, **more).status_code


def _app(gate: Gate) -> FastAPI:
    app = FastAPI()

    @app.exception_handler(problems.Problem)
    async def refused(request: Request, error: Exception) -> Response:
        return problems.answer(error)

    @app.api_route("/v1/minds/{agent}/memories", methods=["GET", "POST", "DELETE"])
    async def memories(agent: str) -> str:
        return agent

    @app.get("/v1/minds")
    async def minds(request: Request) -> list[str]:
        gate(request)
        key = gate.key(request)
        return [agent for agent in ("ada", "bob", "eve") if key is None or key.opens(agent)]

    @app.get("/v1/everything")
    async def everything(request: Request) -> str:
        gate(request, None, True)
        return "all"

    @app.get("/metrics")
    async def metrics() -> str:
        return "figures"

    for path in ("/healthz", "/login", "/", "/mcp"):
        app.add_api_route(path, lambda: "here")

    @app.websocket("/_nicegui_ws")
    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                await websocket.send_text(await websocket.receive_text())

    return app


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Place]:
    """Where keys are required."""
    place = Place(tmp_path / "closed", required=True)
    with place.client:
        yield place


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Place]:
    """On loopback: no key needed."""
    place = Place(tmp_path / "local", required=False)
    with place.client:
        yield place


def test_without_a_key_there_is_no_way_in(closed: Place) -> None:
    for path in ("/v1/minds/ada/memories", "/v1/minds", "/v1/everything", "/metrics", "/", "/mcp", "/nowhere"):
        answer = closed.client.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == 'Bearer realm="ebbtide"'
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["error"] == "Unauthorized"


def test_health_is_nobodys_secret(closed: Place) -> None:
    assert closed.get("/healthz") == 200
    assert closed.get("/healthz", OTHER) == 200


def test_a_key_opens_its_own_mind_and_no_other(closed: Place) -> None:
    for method in ("GET", "POST", "DELETE"):
        for agent, key in itertools.product(("ada", "bob", "eve"), (closed.ada, closed.bob, closed.admin)):
            headers = {"Authorization": f"Bearer {key}"}
            answer = closed.client.request(method, f"/v1/minds/{agent}/memories", headers=headers)
            its_own = key == closed.admin or (agent, key) in (("ada", closed.ada), ("bob", closed.bob))
            assert answer.status_code == (200 if its_own else 403), (method, agent)


@pytest.mark.parametrize(
    "path",
    ["/v1/minds/%62ob/memories", "/v1/minds/bob%2Fmemories", "/v1%2Fminds/bob/memories", "//v1/minds/bob/memories"],
)
def test_no_way_of_writing_a_path_leads_past_the_gate(closed: Place, path: str) -> None:
    assert closed.get(path, closed.ada) in (403, 404)


def test_a_mind_that_is_not_there_and_one_that_is_not_yours_look_the_same(closed: Place) -> None:
    headers = {"Authorization": f"Bearer {closed.ada}"}
    here, nowhere = (closed.client.get(f"/v1/minds/{agent}/memories", headers=headers) for agent in ("bob", "zoe"))
    assert here.json() == nowhere.json()


def test_only_the_minds_a_key_opens_are_listed(closed: Place) -> None:
    def listed(key: str) -> Any:
        return closed.client.get("/v1/minds", headers={"Authorization": f"Bearer {key}"}).json()

    assert [listed(closed.ada), listed(closed.bob), listed(closed.admin)] == [["ada"], ["bob"], ["ada", "bob", "eve"]]


def test_what_concerns_all_takes_an_admin(closed: Place) -> None:
    for path in ("/v1/everything", "/metrics"):
        assert [closed.get(path, key) for key in (closed.ada, closed.admin)] == [403, 200]


@pytest.mark.parametrize("said", ["", "Bearer", "Bearer ", f"Bearer {OTHER}", f"Basic {OTHER}"])
def test_a_wrong_key_is_refused_even_where_none_is_needed(local: Place, said: str) -> None:
    assert local.client.get("/v1/minds", headers={"Authorization": said}).status_code == 401


def test_where_none_is_needed_all_is_open_but_a_key_that_is_shown_counts(local: Place) -> None:
    assert local.get("/v1/minds/bob/memories") == local.get("/metrics") == local.get("/v1/everything") == 200
    assert local.get("/v1/minds/bob/memories", local.ada) == 403


def test_a_key_that_was_revoked_or_has_expired_is_no_good_from_then_on(closed: Place) -> None:
    assert closed.get("/v1/minds/ada/memories", closed.ada) == closed.get("/v1/minds/bob/memories", closed.bob) == 200
    closed.ring.revoke(closed.ada.split("_")[1])
    closed.clock.forward(61)
    assert closed.get("/v1/minds/ada/memories", closed.ada) == closed.get("/v1/minds/bob/memories", closed.bob) == 401


# ---- browsers


def test_a_reader_is_asked_for_a_key(closed: Place) -> None:
    answer = closed.client.get("/minds/ada?x=1", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?then=%2Fminds%2Fada%3Fx%3D1")
    assert closed.get("/login") == 200


def test_a_cookie_is_enough_to_look_but_not_to_change_things_by_the_api(closed: Place) -> None:
    closed.client.cookies.set(COOKIE, closed.ada)
    assert closed.get("/") == 401  # it is no place for a key
    closed.visit(closed.ada)
    assert closed.get("/") == closed.get("/v1/minds/ada/memories") == 200
    assert closed.get("/v1/minds/bob/memories") == 403
    assert closed.client.post("/v1/minds/ada/memories").status_code == 401
    assert closed.get("/mcp") == 401


def test_an_old_cookie_is_no_obstacle_where_none_is_needed(local: Place) -> None:
    local.client.cookies.set(COOKIE, OTHER)
    assert local.get("/") == 200


@pytest.mark.parametrize("how", ["revoked", "left"])
def test_an_open_page_hears_no_more_when_its_key_is_revoked_or_its_reader_leaves(closed: Place, how: str) -> None:
    visit = closed.visit(closed.ada)
    with closed.client.websocket_connect("/_nicegui_ws") as socket:
        socket.send_text("still there?")
        assert socket.receive_text() == "still there?"
        if how == "revoked":
            closed.ring.revoke(closed.ada.split("_")[1])
        else:
            closed.gate.sessions.end(visit)
        socket.send_text("and now?")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_text()


# ---- strangers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8321", "192.168.0.2", "", "[", "localhost@x"])
def test_a_name_that_leads_here_is_not_ours(local: Place, closed: Place, host: str) -> None:
    answer = local.client.get("/v1/minds", headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]) == (421, "WrongHost")
    assert closed.get("/healthz") == 200


@pytest.mark.parametrize("host", ["localhost", "localhost:8321", "127.0.0.1", "[::1]:8321"])
def test_this_machine_has_several_names(local: Place, host: str) -> None:
    assert local.client.get("/v1/minds", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1", ""])
def test_pages_of_other_sites_are_refused_whatever_they_ask(local: Place, closed: Place, origin: str) -> None:
    for place in (local, closed):
        answer = place.client.post("/v1/minds/ada/memories", headers={"Origin": origin})
        assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


def test_our_own_page_is_no_stranger(local: Place) -> None:
    headers = {"Origin": "http://127.0.0.1:8321"}
    assert local.client.post("/v1/minds/ada/memories", headers=headers).status_code == 200


_LOADED = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
_FOLLOWED = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_cannot_load_anything_from_here(local: Place, site: str) -> None:
    elsewhere = {"Sec-Fetch-Site": site}
    for path in ("/v1/minds/ada/memories", "/v1/minds", "/metrics", "/mcp", "/"):
        answer = local.client.get(path, headers={**elsewhere, **_LOADED})
        assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden"), path
    framed = {**elsewhere, **_FOLLOWED, "Sec-Fetch-Dest": "iframe"}
    assert local.client.get("/", headers=framed).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_from_elsewhere_leads_to_our_pages_and_to_nothing_else(local: Place, site: str) -> None:
    headers = {"Sec-Fetch-Site": site, **_FOLLOWED}
    assert local.client.get("/", headers=headers).status_code == 200
    assert local.client.get("/v1/minds/ada/memories", headers=headers).status_code == 403
    assert local.client.post("/login", headers=headers).status_code == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_page_and_who_types_an_address_load_everything(local: Place, site: str) -> None:
    headers = {"Sec-Fetch-Site": site, **_LOADED}
    assert [local.client.get(path, headers=headers).status_code for path in ("/v1/minds", "/")] == [200, 200]


# ---- what it takes


def test_a_request_is_looked_up_once(closed: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, find = [], Keyring.find

    def counted(ring: Keyring, said: str, now: float) -> Key | None:
        looked.append(said)
        return find(ring, said, now)

    monkeypatch.setattr(Keyring, "find", counted)
    assert closed.get("/v1/minds", closed.ada) == 200
    assert looked == [closed.ada]


@pytest.mark.parametrize("error", [RuntimeError("/home/ada/secret"), StoreUnreadable(path="/home/ada", detail="no")])
def test_whatever_goes_wrong_with_the_keys_is_a_problem(
    closed: Place, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(Keyring, "find", fail)
    answer = closed.client.get("/v1/minds", headers={"Authorization": f"Bearer {closed.ada}"})
    assert (answer.status_code in (500, 503), answer.headers["content-type"]) == (True, "application/problem+json")
    assert "/home" not in answer.text


# ---- where it listens


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("192.168.0.2", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
    ],
)
def test_only_loopback_is_this_machine(host: str, here: bool) -> None:
    assert is_loopback(host) is here
