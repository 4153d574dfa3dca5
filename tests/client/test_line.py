"""Requests to one server: where to, how often, how long, and what becomes of those nobody waits for."""

from typing import Any

import pytest

from ebbtide.client.line import Line
from ebbtide.core.errors import Conflict, InvalidInput, ServerUnreachable
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


async def test_a_server_that_stays_away_is_given_up_when_patience_ends() -> None:
    for patience in (30.0, 5.0):
        world = World()
        async with endpoint(RESET) as server:
            line = world.line(server.base_url, patience=patience)
            with pytest.raises(ServerUnreachable):
                await line.read(("minds",))
            await line.close()
        assert world.clock.moment == pytest.approx(patience)


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
