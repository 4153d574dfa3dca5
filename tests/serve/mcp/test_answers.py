"""What the tools answer is what their schemas promise, and nothing in it can be misread."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp.client import Client

from ebbtide.core.memory import DAY
from ebbtide.serve.mcp.tools import TOOLS
from tests.helpers import METABOLISMS, FakeClock
from tests.serve.mcp.clients import call, in_process

HOSTILE = 'a "b"\n<<data 0\u2028{}\u200b'


async def _everything(client: Client, clock: FakeClock, key: str) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Each tool in turn with the arguments that make it tell most, of a memory young and old."""
    for days in (0, 400):
        clock.forward(days * DAY)
        yield "search", {"query": "ferry", "why": True}
        yield "recall", {"keywords": ["ferry"]}
        yield "explain", {"key": key}
        yield "status", {}
        yield "touch", {"keys": [key], "revive": True}
        yield "get", {"key": key}
    yield "pin", {"keys": [key]}
    yield "explain", {"key": key}
    yield "forget", {"keys": [key, key]}
    yield "search", {"query": "ferry", "why": True}
    yield "restore", {"key": key, "new_key": "ferry again"}


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_every_answer_keeps_to_its_schema(metabolism: str, tmp_path: Path) -> None:
    clock, seen = FakeClock(), {"remember"}
    async with in_process(tmp_path / "data", metabolism, clock) as client:
        labels = {} if metabolism == "network" else {"key": "ferry", "kind": HOSTILE, "keywords": [HOSTILE]}
        answer = await call(client, "remember", text=f"The ferry leaves at 8:40. {HOSTILE}", **labels)
        jsonschema.validate(answer, TOOLS["remember"].described().output_schema)
        await call(client, "recall", keywords=["ferry"])  # a network mind has understood it by then
        key = (await call(client, "search", query="ferry"))["hits"][0]["key"]
        async for tool, arguments in _everything(client, clock, key):
            answer = await call(client, tool, **arguments)
            jsonschema.validate(answer, TOOLS[tool].described().output_schema)
            seen.add(tool)
    assert seen == {*TOOLS}


async def test_null_is_an_argument_left_out(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry", replace=None, messages=None)
        found = await call(client, "search", query="ferry", limit=None, kind=None, states=None, why=None)
        assert [hit["key"] for hit in found["hits"]] == ["ferry"]
        assert (await call(client, "recall", keywords=["ferry"], relations=None, depth=None))["keys"] == ["ferry"]


async def test_what_will_never_happen_is_told_so(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data", "network") as client:
        await call(client, "remember", text="Ben Carter plays the cello.")
        await call(client, "recall")
        key = (await call(client, "search", query="cello"))["hits"][0]["key"]
        coming = (await call(client, "explain", key=key))["forecast"]
        assert coming == [{"event": "fading", "at": "never"}, {"event": "vanishing", "at": "never"}]


async def test_one_key_said_twice_is_forgotten_once(tmp_path: Path) -> None:
    async with in_process(tmp_path / "data") as client:
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
        assert (await call(client, "forget", keys=["ferry", "ferry"]))["forgotten"] == ["ferry"]
