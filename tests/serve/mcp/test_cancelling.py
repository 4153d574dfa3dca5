"""A call that its client has given up: the server goes on, and the mind belongs to nobody who has left."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from ebbtide.app import house, open_mind
from ebbtide.mind import Mind
from ebbtide.serve.mcp.opening import Minds
from ebbtide.serve.mcp.server import build
from ebbtide.settings import Settings
from tests.serve.mcp.clients import call, message
from tests.serve.mcp.test_stdio import by_hand, heard, remember, tell

SOON = 60.0  # seconds; a slow machine is no failure


class Endless:
    """Stands in for a verb of the mind: begins, and ends only by being left."""

    def __init__(self) -> None:
        self.begun, self.left = asyncio.Event(), asyncio.Event()

    def verb(self) -> Callable[..., Coroutine[Any, Any, None]]:
        async def endless(*_: Any, **__: Any) -> None:
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.left.set()

        return endless


@pytest.mark.parametrize(
    ("verb", "tool", "arguments"),
    [
        ("get", "get", {"key": "ferry"}),
        ("put", "remember", {"text": "later"}),
        ("search", "search", {"query": "ferry"}),
        ("stats", "status", {}),
    ],
)
async def test_a_call_that_is_left_lets_go_of_its_mind(
    verb: str, tool: str, arguments: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(Settings(), data=tmp_path / "data", embedder="none", open_minds=1)
    whose, endless = ["ada"], Endless()
    async with asyncio.timeout(SOON), house(settings) as minds:
        server = build(Minds(lambda: minds, "activity", {}), lambda context: whose[0])
        async with Client(server) as client:
            await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
            with monkeypatch.context() as patched:
                patched.setattr(Mind, verb, endless.verb())
                calling = asyncio.create_task(client.call_tool(tool, arguments))
                await endless.begun.wait()
                calling.cancel()
                await endless.left.wait()
            assert (await call(client, "get", key="ferry"))["memory"]["key"] == "ferry"
            whose[0] = "bob"  # there is room for one mind only: Ada's is closed, as one that nobody uses
            await call(client, "status")
        assert minds.host is not None
        await minds.host.at_rest()
        assert minds.host.opened() == ["bob"]


async def test_calls_that_are_given_up_at_any_moment_harm_neither_server_nor_mind(tmp_path: Path) -> None:
    """The first of them makes the mind. Each has happened or has not; whether, is for the machine to say."""
    data = tmp_path / "data"
    with by_hand(data) as running:
        for number in range(100, 140):
            tell(running, {**remember(f"k{number}"), "id": number})
            tell(running, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        tell(running, {**remember("last"), "id": 140})
        tell(running, {**message("tools/call", name="status", arguments={}), "id": 141})
        answer = heard(running)
        while answer["id"] < 140:  # those that were quicker than their cancelling
            assert not answer["result"].get("isError")
            answer = heard(running)
        both = {answer["id"], heard(running)["id"]}
        assert both == {140, 141}
        out, _ = running.communicate(timeout=SOON)
        assert (running.returncode, out) == (0, "")
    async with open_mind("ada", data=data) as mind:
        kept = [memory.key for memory in (await mind.list(limit=100)).memories]
    assert "last" in kept
    assert set(kept) <= {*(f"k{number}" for number in range(100, 140)), "last"}
    assert len(kept) == len(set(kept))
