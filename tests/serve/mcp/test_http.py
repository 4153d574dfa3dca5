"""Over HTTP: whose mind a request is about, who may ask, and that no request can harm the next one."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client import Client
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ebbtide.serve.mcp.tools import TOOLS
from tests.serve.mcp.clients import call, listening, message, post, refused, resource, with_key, words
from tests.serve.shell import everything_in

KEYS: Mapping[str, str] = {"key-of-ada": "ada", "key-of-bob": "bob"}


async def by_key(request: Request, agent: str, admin: bool) -> None:
    """A door as the real one is: 401 for strangers, 403 for those who belong elsewhere."""
    assert not admin
    owner = KEYS.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
    if owner is None:
        raise HTTPException(401)
    if owner != agent:
        raise HTTPException(403)


# ---- whose mind


async def test_the_path_says_whose_mind_it_is(tmp_path: Path) -> None:
    async with (
        listening(tmp_path / "data") as url,
        Client(f"{url}/mcp/ada") as ada,
        Client(f"{url}/mcp/bob") as bob,
        Client(f"{url}/mcp") as nobody,
    ):
        await call(ada, "remember", text="Ada's secret is a ferry.", key="secret")
        assert (await call(bob, "search", query="secret ferry", why=True))["hits"] == []
        assert "There is no memory" in await refused(bob, "get", key="secret")
        for client, name in ((ada, "ada"), (bob, "bob"), (nobody, "default")):
            assert (await call(client, "status"))["agent"] == name
        listed = (await bob.list_resources()).resources
        assert [str(found.uri) for found in listed] == ["ebbtide://bob/state"]


@pytest.mark.parametrize("name", ["..", "%2e%2e", "a%2Fb", "_owner.lock", "a b", "-a", "%00", "x" * 129, "阿达"])
async def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url:
        body = message("tools/call", name="remember", arguments={"text": "a"})
        answer = await post(f"{url}/mcp/{name}", body)
        if answer.status_code == 200:
            result = answer.json()["result"]
            assert result["isError"]
            assert "is not an agent id" in result["content"][0]["text"]
        else:
            assert answer.status_code in (307, 404)
    assert everything_in(tmp_path) == {}


# ---- who may ask


async def test_each_key_opens_its_own_mind_and_no_other(tmp_path: Path) -> None:
    async with listening(tmp_path / "data", authorize=by_key) as url:
        async with with_key(f"{url}/mcp/ada", "key-of-ada") as ada:
            await call(ada, "remember", text="Ada's secret.", key="secret")
            assert "Ada's secret." in await resource(ada, "ebbtide://ada/memories/secret")
        for key, status in (("key-of-bob", 403), ("key-of-nobody", 401), ("x", 401)):
            for body in _everything():
                answer = await post(f"{url}/mcp/ada", body, Authorization=f"Bearer {key}")
                assert (answer.status_code, "secret" in answer.text) == (status, False)
        assert not (tmp_path / "data" / "bob").exists()


async def test_a_bobs_key_gets_nothing_of_ada_through_his_own_door(tmp_path: Path) -> None:
    async with listening(tmp_path / "data", authorize=by_key) as url:
        async with with_key(f"{url}/mcp/ada", "key-of-ada") as ada:
            await call(ada, "remember", text="Ada's zebra.", key="hint")
        for body in _everything():
            answer = await post(f"{url}/mcp/bob", body, Authorization="Bearer key-of-bob", **{"Mcp-Session-Id": "ada"})
            assert answer.status_code == 200
            assert "zebra" not in answer.text


def _everything() -> list[dict[str, Any]]:
    """Every tool and every kind of question, aimed at Ada's memory."""
    given: dict[str, dict[str, Any]] = {
        "remember": {"text": "from bob"},
        "search": {"query": "Ada's hint secret", "why": True},
        "recall": {"keywords": ["Ada"]},
        "touch": {"keys": ["hint"]},
        "forget": {"keys": ["hint"]},
        "status": {},
    }
    calls = [message("tools/call", name=name, arguments=given.get(name, {"key": "hint"})) for name in TOOLS]
    reads = [message("resources/read", uri=f"ebbtide://ada/{what}") for what in ("state", "memories/hint")]
    return [*calls, *reads, message("resources/list"), message("resources/templates/list"), message("tools/list")]


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "evil.example", 421),
        ("Host", "127.0.0.1.evil.example:80", 421),
        ("Origin", "https://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost:3000", 200),
        ("Content-Type", "text/plain", 400),
        ("Accept", "text/html", 406),
    ],
)
async def test_a_web_page_of_somebody_elses_cannot_ask(header: str, value: str, status: int, tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url:
        assert (await post(f"{url}/mcp/ada", message("tools/list"), **{header: value})).status_code == status


# ---- what cannot harm


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
async def test_there_is_no_session_to_listen_to_or_to_end(method: str, tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url, httpx.AsyncClient() as web:
        answer = await web.request(method, f"{url}/mcp/ada", headers={"Accept": "text/event-stream"})
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


BAD: list[tuple[bytes, int]] = [
    (b"", 400),
    (b"not JSON", 400),
    (b"[]", 400),
    (b"\xff\xfe", 400),
    (b"[" * 100_000, 400),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 7}', 400),
    (json.dumps(message("tools/call", name="remember", arguments={"text": "x" * 5_000_000})).encode(), 413),
]


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_a_bad_body_is_refused_and_the_next_one_answered(version: str, tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url:
        for body, status in BAD:
            answer = await post(f"{url}/mcp/ada", body, **{"MCP-Protocol-Version": version})
            assert 200 <= answer.status_code < 500
            assert answer.status_code == status or "error" in answer.json()
            assert "Traceback" not in answer.text
            assert (await post(f"{url}/mcp/ada", message("tools/list"))).status_code == 200


async def test_half_a_surrogate_is_refused_as_text(tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url, Client(f"{url}/mcp/ada") as client:
        body = message("tools/call", name="remember", arguments={"text": "\ud800", "\udfff": 1})
        answer = await post(f"{url}/mcp/ada", body)
        assert answer.status_code in (200, 400)
        assert "error" in answer.text.lower()
        assert (await call(client, "status"))["memories"] == 0


async def test_a_client_that_vanishes_in_the_middle_leaves_the_server_as_it_was(tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url, Client(f"{url}/mcp/ada") as client:
        port = int(url.rpartition(":")[2])
        for number in range(20):
            body = json.dumps(message("tools/call", name="remember", arguments={"text": f"number {number}"})).encode()
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"POST /mcp/ada HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            head += f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + (body if number % 2 else body[:20]))  # half of them in mid-sentence
            await writer.drain()
            writer.transport.abort()
        await call(client, "remember", text="The ferry leaves at 8:40.", key="ferry")
        assert (await call(client, "search", query="ferry"))["hits"][0]["key"] == "ferry"
        assert 1 <= (await call(client, "status"))["memories"] <= 11


async def test_many_clients_at_once_are_all_answered(tmp_path: Path) -> None:
    async with listening(tmp_path / "data") as url:
        answers = await asyncio.gather(*(_visit(url, number) for number in range(10)))
        assert sorted(answers) == [f"k{number}" for number in range(10)]


async def _visit(url: str, number: int) -> str:
    async with Client(f"{url}/mcp/ada") as client:
        await call(client, "remember", text=f"number {number}", key=f"k{number}")
        told = await client.call_tool("get", {"key": f"k{number}"})
        assert f"number {number}" in words(told)
        assert told.structured_content is not None
        return str(told.structured_content["memory"]["key"])
