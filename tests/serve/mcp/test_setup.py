"""The configurations of the documents are ones a client can start."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ebbtide.serve.cli.main import hoisted
from ebbtide.serve.mcp.tools import TOOLS
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "howto" / "use-with-mcp.md").read_text("utf-8")


def servers() -> Iterator[dict[str, Any]]:
    for block in blocks(PAGE):
        if block.info == "json":
            (named,) = json.loads(block.body).values()
            yield from named.values()


def test_there_is_a_configuration_for_each_way_in() -> None:
    found = list(servers())
    assert sum("command" in server for server in found) >= 4
    assert sum("url" in server for server in found) >= 3


@pytest.mark.parametrize("server", [server for server in servers() if "command" in server], ids=str)
def test_a_command_of_the_page_is_one_there_is(server: dict[str, Any]) -> None:
    assert server["command"] == "ebbtide"
    words = hoisted(server["args"])
    assert words[:3] == ["--agent", "ada", "mcp"]
    assert {word for word in words[3:] if word.startswith("-")} <= {"--metabolism"}


def test_an_address_of_the_page_is_where_the_server_is() -> None:
    for server in servers():
        if "url" in server:
            assert server["url"] == "http://127.0.0.1:8321/mcp/ada"
            assert server["headers"] == {"Authorization": "Bearer KEY"}


def test_every_tool_is_in_the_table() -> None:
    for name in TOOLS:
        assert f"\n| `{name}` | " in PAGE
