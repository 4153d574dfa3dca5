"""The login of a running server: what a stranger may send to it, and how a visit ends."""

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from bench.serve_load import Server, serving
from ebbtide.serve.http.guards import MAX_FORM
from ebbtide.serve.keys import Keyring

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="speaks of signals")]
FORM = "application/x-www-form-urlencoded"


def reader(server: Server) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url, timeout=30, trust_env=False)


def admin(data: Path) -> str:
    return Keyring(data).create(time.time(), admin=True)[1]


def is_a_problem(answer: httpx.Response, status: int) -> bool:
    return (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


async def pieces(size: int) -> AsyncIterator[bytes]:
    """A body that does not say how long it is."""
    yield b"key="
    for _ in range(size // 1024):
        yield b"x" * 1024


async def test_a_stranger_is_read_a_form_of_a_few_kilobytes_and_no_file(tmp_path: Path) -> None:
    admin(tmp_path)
    async with serving(tmp_path, EBBTIDE_REQUIRE_KEYS="true") as server, reader(server) as stranger:
        large = await stranger.post("/login", data={"key": "x" * (MAX_FORM + 1)})
        assert is_a_problem(large, 413)
        endless = await stranger.post("/login", content=pieces(MAX_FORM), headers={"Content-Type": FORM})
        assert is_a_problem(endless, 413)
        file = await stranger.post("/login", files={"key": b"x" * 1000})
        assert is_a_problem(file, 415)
        assert is_a_problem(await stranger.post("/login", json={"key": "x"}), 415)


async def test_a_key_is_never_told_back(tmp_path: Path) -> None:
    admin(tmp_path)
    async with serving(tmp_path, EBBTIDE_REQUIRE_KEYS="true") as server, reader(server) as stranger:
        for said in ("wrong-and-secret", "long-and-secret" * 200):
            answer = await stranger.post("/login", data={"key": said, "then": "/minds/ada"})
            assert (answer.status_code, answer.headers["location"]) == (303, "/login?wrong=1&then=%2Fminds%2Fada")
            assert "secret" not in answer.text
        assert (await stranger.post("/login", content=b"", headers={"Content-Type": FORM})).status_code == 303


async def test_a_visit_is_ended_by_its_reader_and_by_no_link(tmp_path: Path) -> None:
    key = admin(tmp_path)
    async with serving(tmp_path, EBBTIDE_REQUIRE_KEYS="true") as server, reader(server) as visitor:
        assert (await visitor.post("/login", data={"key": key})).headers["location"] == "/"
        assert (await visitor.get("/")).status_code == 200
        assert is_a_problem(await visitor.get("/logout"), 405)
        assert (await visitor.get("/")).status_code == 200
        assert (await visitor.post("/logout")).headers["location"] == "/login"
        assert (await visitor.get("/")).status_code == 401
