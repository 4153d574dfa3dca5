"""What must not be: broken JSON, wrong types, huge bodies, deep nesting, strange characters, tricks with paths."""

import json
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from ebbtide.host.ownership import House
from tests.serve.http.server import Api, part, refused, serving
from tests.serve.http.uvicorned import listening

JSON = {"Content-Type": "application/json"}


async def _unchanged(api: Api) -> None:
    """Nothing but the two memories of the beginning."""
    page = await api.get("/memories", everything=True)
    assert [memory["key"] for memory in page["memories"]] == ["ferry", "lamma"]
    assert (await api.get())["store"]["trash"] == 0


# ---- bodies

_NO_JSON = [
    b"{", b"", b"{'text': 'x'}", b'{"text": "x",}', b"\xff\xfe", b'{"text": "\xff"}', b'{"text": NaN}', b"nul",
    b'{"text": Infinity, "key": "y"}', b'{"text": "x"} x', b'{"text": "\x00"}', b'{"text": "\\ud800"}',
    b'{"text": "x", "key": "\\udfff"}', b'{"text": "x", "\\ud800": 1}', b"\x1f\x8b\x08\x00",
    b"[" * 100_000, b'{"a":' * 100_000, b"[" * 900 + b"]" * 900, b'{"text": ' + b"1" * 5000 + b"}",
]  # fmt: skip


@pytest.mark.parametrize("path", ["/memories", "/search", "/remember", "/touch"])
async def test_what_is_no_json_is_refused(api: Api, path: str) -> None:
    for body in _NO_JSON:
        refused(await api.ask("POST", path, content=body, headers=JSON), 400 if body else 422)
    await _unchanged(api)


_NO_MEMORY: list[Any] = [
    None, 1, "x", True, [], [{"text": "x"}], {}, {"text": None}, {"text": 1}, {"text": ["x"]}, {"text": ""},
    {"text": "   "}, {"text": "a\0b"}, {"text": "x" * 1_000_001}, {"text": "x", "key": "a\0b"},
    {"text": "x", "key": ""},
    {"text": "x", "key": " a"}, {"text": "x", "key": "k" * 513}, {"text": "x", "key": "a\nb"}, {"text": "x", "key": 1},
    {"text": "x", "keywords": "a"}, {"text": "x", "keywords": [1]}, {"text": "x", "keywords": ["a"] * 257},
    {"text": "x", "keywords": ["a\0"]}, {"text": "x", "kind": ""}, {"text": "x", "kind": "k" * 257},
    {"text": "x", "speaker": None}, {"text": "x", "speaker": "s" * 257},
    {"text": "x", "domain": {}}, {"text": "x", "phrase": "a\0"}, {"text": "x", "policy": "sometimes"},
]  # fmt: skip


async def test_what_is_no_memory_is_refused(api: Api) -> None:
    for body in _NO_MEMORY:
        refused(await api.ask("POST", "/memories", json=body), 422)
        refused(await api.ask("POST", "/memories/batch", json={"memories": [{"text": "good"}, body]}), 422)
    await _unchanged(api)


async def test_a_body_that_does_not_say_that_it_is_json_is_refused(api: Api) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"):
        refused(await api.ask("POST", "/memories", content=b'{"text": "x"}', headers={"Content-Type": kind}), 415)
    await _unchanged(api)


async def test_json_goes_by_several_names(api: Api) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"):
        response = await api.ask("POST", "/memories", content='{"text": "好"}'.encode(), headers={"Content-Type": kind})
        assert response.status_code == 201


async def test_a_surrogate_pair_is_a_character_like_any_other(api: Api) -> None:
    response = await api.ask("POST", "/memories", content=b'{"text": "\\ud83c\\udf0a"}', headers=JSON)
    assert response.json()["text"] == "🌊"


# ---- sizes


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Api]:
    async with serving(tmp_path / "data", max_body=1000) as api:
        yield api


async def test_a_body_that_says_it_is_too_large_is_not_read(small: Api) -> None:
    problem = refused(await small.ask("POST", "/memories", json={"text": "x" * 1000}), 413)
    assert "1,000 bytes" in problem["detail"]


async def test_a_body_that_does_not_say_how_large_it_is_is_read_until_it_is_too_large(small: Api) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b'{"text": "'
        while sent < 1_000_000:
            sent += 100
            yield b"x" * 100

    refused(await small.ask("POST", "/memories", content=endless(), headers=JSON), 413)
    assert sent < 2000


async def test_a_body_of_just_that_size_is_taken(small: Api) -> None:
    body = json.dumps({"text": "x" * 988}).encode()
    assert len(body) == 1000
    assert (await small.ask("POST", "/memories", content=body, headers=JSON)).status_code == 201


async def _empty(house: House) -> None:
    await house.create("ada", "activity")


def test_a_real_server_turns_a_huge_body_away_and_lives_on(tmp_path: Path) -> None:
    with listening(tmp_path / "data", _empty, max_body=100_000) as url:
        said = _spoken(url, b"POST /v1/minds/ada/memories HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 413 ")
        assert b"application/problem+json" in said
        chunks = b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"
        head = b"POST /v1/minds/ada/memories HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert _spoken(url, head + chunks * 3).startswith(b"HTTP/1.1 413 ")
        path = b"/v1/minds/ada/memories/..%2F..%2F%2Fetc%2Fpasswd"
        assert _spoken(url, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(
            b"HTTP/1.1 404 "
        )
        path = b"/v1/minds/../../../etc/passwd"
        assert _spoken(url, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(
            b"HTTP/1.1 404 "
        )


def _spoken(url: str, said: bytes) -> bytes:
    """What comes back before the line is closed, or after the head of an answer that leaves it open."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as line:
        line.sendall(said)
        heard = b""
        while b"\r\n\r\n" not in heard and (some := line.recv(65536)):
            heard += some
        return heard


# ---- paths

_KEYS = [
    "a/b", "/", "//", "a/", "/a", "../../etc/passwd", "a/../b", "%2F", "%", "%25", "%00", "a%2Fb", "?", "#", "a?b#c",
    "码头/时刻", "a b", "+", "a+b", "links", "a/touch", "touch", "history", "batch", "\\", "~", "'\"", "<b>", "🌊", "é",
    "e\u0301",    "k" * 512, "码" * 512, ";", "a;b=c", ":", "@", "[x]", "{key}", "a&b=c",
]  # fmt: skip


async def test_any_key_goes_into_a_path_and_comes_out_the_same(api: Api) -> None:
    for key in _KEYS:
        await _there_and_back(api, key, f"/memories/{part(key)}")
    for key in (".", ".."):  # a client takes these out of a path before it sends it, unless they are encoded too
        await _there_and_back(api, key, f"/memories/{key.replace('.', '%2E')}")


async def _there_and_back(api: Api, key: str, where: str) -> None:
    put = await api.ask("PUT", where, json={"text": f"about {key[:50]}"})
    assert put.json()["key"] == key, put.text
    assert (await api.get(where))["key"] == key
    assert (await api.get(f"{where}/explain"))["memory"]["key"] == key
    link = f"{where}/links/{part(f'to/{key[:200]}')}/ferry"
    assert (await api.ask("PUT", link)).status_code == 204
    (step,) = (await api.get(f"{where}/links"))["steps"]
    assert step["relation"] == f"to/{key[:200]}"
    assert (await api.ask("DELETE", link)).status_code == 204
    assert (await api.ask("DELETE", where)).status_code == 204
    assert (await api.post(f"{where}/restore"))["key"] == key


async def test_a_path_to_nothing_is_not_found(api: Api) -> None:
    for tail in ("", "/", "%00", "a%0Ab", "/explain", "ferry/", "a/b"):
        refused(await api.ask("GET", f"/memories/{tail}"), 404)
    for path in ("/", "/v1", "/v1/", "/v2/minds", "/v1/mind", "/v1/minds/ada/", "/v1/minds/ada//", "/v1/minds/ada/no"):
        refused(await api.client.get(path), 404)


async def test_a_path_that_is_no_text_is_refused(api: Api) -> None:
    for tail in ("/memories/%FF", "/memories/%C3%28", "/memories/%ED%A0%80", "%FF"):
        refused(await api.ask("GET", tail), 400)


_AGENTS = (
    "%2e%2e", "a%2Fb", "..%2F..%2Fetc", "-x", ".hidden", "_owner", "a%00b", "%00", "a%20b", "爱达", "a" * 129, "ada%2F",
    "a%5Cb", "ada%2F..%2Fbob", "ada%0A", "%25",
)  # fmt: skip


@pytest.mark.parametrize("path", ["", "/memories", "/memories/ferry", "/trash"])
async def test_no_agent_id_leads_out_of_the_data_folder(api: Api, path: str) -> None:
    for agent in _AGENTS:
        response = await api.client.get(f"/v1/minds/{agent}{path}")
        assert refused(response, 422)["error"] == "InvalidAgent"


async def test_no_mind_is_made_under_such_an_id(api: Api) -> None:
    for agent in ("..", "a/b", "", "-x", "a\0", "爱达", "a" * 129, 1, None, "a\n"):
        refused(await api.client.post("/v1/minds", json={"agent": agent}), 422)
    refused(await api.client.post("/v1/minds", json={"agent": "ADA"}), 409)
    assert api.house.agents() == ["ada"]


async def test_strange_words_are_not_found_rather_than_failed_on(api: Api) -> None:
    for keys in (["a\0b"], ["\ufffe"], ["x" * 512]):
        refused(await api.ask("POST", "/touch", json={"keys": keys}), 404)
    for wrong in ([], [""], ["x" * 513], "ferry", [1], [None], ["a"] * 1001):
        refused(await api.ask("POST", "/touch", json={"keys": wrong}), 422)
    refused(await api.ask("POST", "/search", json={"text": "a\0"}), 422)
    refused(await api.ask("PUT", "/memories/ferry/links/%00/lamma"), 422)
    await _unchanged(api)


# ---- methods


async def test_a_method_that_is_not_for_this_names_those_that_are(api: Api) -> None:
    response = await api.ask("PATCH", "/memories/ferry")
    refused(response, 405)
    assert response.headers["allow"] == "DELETE, GET, PUT"
    assert (await api.ask("TRACE", "/memories")).headers["allow"] == "GET, POST"


async def test_no_other_site_is_told_that_it_may_read_here(api: Api) -> None:
    headers = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    response = await api.ask("OPTIONS", "/memories", headers=headers)
    refused(response, 405)
    assert not [name for name in response.headers if name.startswith("access-control")]


async def test_a_failure_of_our_own_says_nothing_of_the_inside(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(_: Any) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("ebbtide.mind.mind.Mind.stats", failing)
    transport = httpx.ASGITransport(api.app, raise_app_exceptions=False)  # they are for the server's log
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        response = await client.get("/v1/minds/ada")
    assert refused(response, 500)["error"] == "InternalError"
    assert "secret" not in response.text


# ---- what is nobody's business


async def test_a_silent_owner_is_told_without_its_folder_and_its_number(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = api.house._no_answer()
    assert str(api.house.data) in str(silent)

    def refusing(agent: str) -> Any:
        raise silent

    monkeypatch.setattr(api.house, "mind", refusing)
    answer = await api.ask("GET", "/memories")
    assert refused(answer, 503)["error"] == "OwnerSilent"
    assert str(api.house.data) not in answer.text
    assert str(os.getpid()) not in answer.text
