"""Requests to one server: where to, how often, how long, and what becomes of those nobody waits for."""

import asyncio
from typing import Any

import httpx
import pytest

from ebbtide.client import line as lines
from ebbtide.client.line import Line
from ebbtide.client.mind import ServedMind
from ebbtide.core.errors import Conflict, InvalidInput, NotFound, ServerError, ServerUnreachable
from tests.endpoint import RESET, Reply, endpoint
from tests.helpers import FakeClock


class World:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.clock, self.pauses = FakeClock(0.0), list[float]()

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.forward(seconds)

    def line(self, url: str, **options: Any) -> Line:
        return Line(url, sleep=self.sleep, clock=self.clock.now, **options)


class Failing:
    """In the place of the network: it fails so, and then answers."""

    def __init__(self, line: Line, monkeypatch: pytest.MonkeyPatch, *failures: Exception | int) -> None:
        self.sent: list[httpx.Request] = []
        self._failures = list(failures)
        monkeypatch.setattr(line._http, "send", self.send)

    async def send(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        failure = self._failures.pop(0) if self._failures else 200
        if isinstance(failure, Exception):
            raise failure
        return httpx.Response(failure, content=b'{"text": "the ferry"}')


FINE = Reply(body=b'{"minds": []}')
TOO_MUCH = b'{"error": "TooMuch", "detail": "wait", "status": 429}'


# ---- where to


@pytest.mark.parametrize("port", ["abc", "99999", "0", "-1", "80x"])
def test_a_port_that_is_none_is_no_address(port: str) -> None:
    with pytest.raises(InvalidInput, match="no server's address"):
        Line(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("address", ["http://[::1", "http://a\x00b", "http://xn--\ud800"])
def test_what_no_host_is_called_is_no_address(address: str) -> None:
    with pytest.raises(InvalidInput, match="no server's address"):
        Line(address)


# ---- how often, and how long


async def test_a_server_that_is_started_anew_is_waited_for() -> None:
    world, there = World(), Reply(503, b"starting")
    async with endpoint(lambda _: there if world.clock.moment < 20.0 else FINE) as server:
        line = world.line(server.base_url)
        assert await line.read(("minds",)) == {"minds": []}
        await line.close()
    assert 20.0 <= world.clock.moment <= 22.0


@pytest.mark.parametrize("patience", [30.0, 5.0])
async def test_a_server_that_stays_away_is_given_up_when_patience_ends(patience: float) -> None:
    world = World()
    async with endpoint(FINE, RESET) as server:
        line = world.line(server.base_url, patience=patience)
        await line.read(("minds",))
        with pytest.raises(ServerUnreachable):
            await line.read(("minds",))
        await line.close()
    assert world.clock.moment == pytest.approx(patience)


async def test_an_address_where_nobody_has_ever_answered_is_given_up_soon() -> None:
    world = World()
    async with endpoint(RESET) as server:
        line = world.line(server.base_url)
        with pytest.raises(ServerUnreachable):
            await line.read(("minds",))
        await line.close()
    assert world.clock.moment == pytest.approx(3.0)


async def test_a_server_says_when_to_come_back() -> None:
    world = World()
    busy = Reply(429, TOO_MUCH, {"Retry-After": "7", "Content-Type": "application/problem+json"})
    closing = Reply(503, b"{}", {"Retry-After": "3", "Content-Type": "application/problem+json"})
    async with endpoint(busy, closing, FINE) as server:
        line = world.line(server.base_url)
        assert await line.read(("minds",)) == {"minds": []}
        await line.close()
    assert [int(pause) for pause in world.pauses] == [7, 3]


async def test_a_server_that_wants_more_than_our_patience_is_asked_once_more_and_answers_for_itself() -> None:
    world, busy = World(), Reply(429, TOO_MUCH, {"Retry-After": "3600"})
    async with endpoint(busy) as server:
        line = world.line(server.base_url)
        with pytest.raises(Conflict, match="wait"):
            await line.read(("minds",))
        await line.close()
        assert len(server.requests) == 2
    assert world.pauses == [30.0]


# ---- questions that stand in line


@pytest.mark.parametrize(
    "failed", [httpx.ReadTimeout("slow"), httpx.ReadError("torn"), httpx.WriteError("torn"), 502, 504]
)
async def test_a_recall_that_may_have_been_heard_is_not_sent_again(
    failed: Exception | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    line = world.line("http://127.0.0.1:9")
    wire = Failing(line, monkeypatch, failed)
    with pytest.raises(ServerError):
        await ServedMind(line, "ada").recall(["ferry"])
    assert (len(wire.sent), world.pauses) == (1, [])
    await line.close()


@pytest.mark.parametrize("failed", [httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), 429, 503])
async def test_a_recall_that_nobody_has_heard_is_sent_again(
    failed: Exception | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = World().line("http://127.0.0.1:9")
    wire = Failing(line, monkeypatch, failed)
    assert await ServedMind(line, "ada").recall(["ferry"]) == "the ferry"
    assert len(wire.sent) == 2
    await line.close()


async def test_a_recall_may_stand_in_line_longer_than_other_requests_take(monkeypatch: pytest.MonkeyPatch) -> None:
    line = World().line("http://127.0.0.1:9", timeout=5.0)
    wire = Failing(line, monkeypatch)
    await ServedMind(line, "ada").recall(["ferry"])
    await line.read(("minds",))
    assert [request.extensions["timeout"]["read"] for request in wire.sent] == [3600.0, 5.0]
    assert {request.extensions["timeout"]["connect"] for request in wire.sent} == {5.0}
    await line.close()


# ---- work that nobody waits for

TASK = b'{"id": "t", "verb": "tick", "state": "running", "progress": {"done": 0, "total": null}, "result": null}'


class Wire:
    """In the place of the network. Some requests are not answered before somebody says so."""

    def __init__(self, line: Line, monkeypatch: pytest.MonkeyPatch, *silent: str) -> None:
        self.sent: list[str] = []
        self.asked = {method: asyncio.Event() for method in ("POST", "GET", "DELETE")}
        self.answered = {method: asyncio.Event() for method in silent}
        monkeypatch.setattr(line._http, "send", self.send)

    async def send(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(f"{request.method} {request.url.path}")
        self.asked[request.method].set()
        if request.method in self.answered:
            await self.answered[request.method].wait()
        return httpx.Response(202, content=TASK)


async def test_whoever_leaves_is_not_kept_waiting_by_a_silent_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_FAREWELL", 0.0)
    line = World().line("http://127.0.0.1:9")
    wire = Wire(line, monkeypatch, "GET", "DELETE")
    working = asyncio.create_task(line.work(("minds", "ada", "tick")))
    await wire.asked["GET"].wait()
    working.cancel()
    await asyncio.wait([working], timeout=10.0)
    assert working.cancelled()
    assert wire.sent == ["POST /v1/minds/ada/tick", "GET /v1/tasks/t", "DELETE /v1/tasks/t"]
    await line.close()


async def test_work_that_is_left_while_it_begins_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    line = World().line("http://127.0.0.1:9")
    wire = Wire(line, monkeypatch, "POST")
    working = asyncio.create_task(line.work(("minds", "ada", "tick")))
    await wire.asked["POST"].wait()
    working.cancel()
    wire.answered["POST"].set()
    await asyncio.wait([working], timeout=10.0)
    assert working.cancelled()
    assert wire.sent == ["POST /v1/minds/ada/tick", "DELETE /v1/tasks/t"]
    await line.close()


async def test_work_that_is_refused_is_not_ended() -> None:
    async with endpoint(Reply(404, b'{"error": "NotFound", "detail": "no mind", "status": 404}')) as server:
        line = World().line(server.base_url)
        with pytest.raises(NotFound, match="no mind"):
            await line.work(("minds", "ada", "tick"))
        await line.close()
        assert len(server.requests) == 1
