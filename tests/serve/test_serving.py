"""`ebbtide serve` as a process of its own: what answers, how it stops, what is left, and who may come in."""

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from filelock import FileLock

from bench.serve_load import Server, serving
from ebbtide.host.card import CARD
from ebbtide.host.ownership import LOCK
from ebbtide.serve.keys import FILE, Keyring
from tests.serve.shell import PROGRAM, process

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="speaks of signals")]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
SPEAKS = {"Accept": "application/json, text/event-stream"}


def client(server: Server, key: str | None = None) -> httpx.AsyncClient:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=server.url, headers=headers, timeout=30, trust_env=False)


async def made(asking: httpx.AsyncClient, agent: str, metabolism: str = "activity") -> None:
    answer = await asking.post("/v1/minds", json={"agent": agent, "metabolism": metabolism})
    assert answer.status_code == 201, answer.text


async def put(asking: httpx.AsyncClient, agent: str, key: str, text: str = "The ferry leaves at 8:40.") -> None:
    answer = await asking.post(f"/v1/minds/{agent}/memories", json={"text": text, "key": key})
    assert answer.status_code == 201, answer.text


def assert_left_clean(data: Path) -> None:
    """Nobody owns the folder, and nothing says that somebody did."""
    assert not (data / CARD).exists()
    with FileLock(data / LOCK, timeout=0):
        pass


# ---- from a fresh folder


async def test_page_api_and_tools_answer_and_a_second_start_continues(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with serving(data) as server, client(server) as asking:
        assert server.work < 3  # seconds to ready, however many others work on this machine
        assert (await asking.get("/")).headers["content-type"].startswith("text/html")
        assert (await asking.get("/v1/openapi.json")).json()["openapi"].startswith("3.")
        assert (await asking.get("/healthz")).json() == {"status": "alive"}
        assert (await asking.head("/healthz")).status_code == (await asking.head("/readyz")).status_code == 200
        assert (await asking.get("/readyz")).json() == {"status": "ready"}
        await made(asking, "ada")
        await put(asking, "ada", "ferry")
        hello = await asking.post("/mcp/ada", json=INITIALIZE, headers=SPEAKS)
        assert hello.json()["result"]["serverInfo"]["name"]
        assert await server.stop(signal.SIGINT) == 0
    assert_left_clean(data)
    async with serving(data, "--no-page") as server, client(server) as asking:
        assert (await asking.get("/v1/minds/ada/memories/ferry")).json()["text"] == "The ferry leaves at 8:40."
        assert (await asking.get("/")).json()["status"] == 404  # there is no page
        await put(asking, "ada", "second")
    assert process(data, "--agent", "ada", "check").words == "journal and mind are the same"
    assert len(process(data, "--agent", "ada", "list", "--json").json["memories"]) == 2


async def test_to_a_program_a_missing_address_is_a_problem_and_not_a_page(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, client(server) as asking:
        for path in ("/v1/nowhere", "/v1", "/mcp/a/b", "/metrics/x"):
            answer = await asking.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json"), path
        assert (await asking.put("/v1/minds")).status_code == 405
        assert (await asking.get("/nowhere")).headers["content-type"].startswith("text/html")


async def test_it_says_in_words_where_to_look(tmp_path: Path) -> None:
    environ = {**os.environ, "EBBTIDE_DATA": str(tmp_path / "data")}
    running = await asyncio.create_subprocess_exec(
        *(str(PROGRAM), "serve", "--port", "0"),
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert running.stdout is not None
    lines = [(await asyncio.wait_for(running.stdout.readline(), 60)).decode().strip() for _ in range(5)]
    running.send_signal(signal.SIGTERM)
    out, err = await asyncio.wait_for(running.communicate(), 60)
    assert lines[0] == f"Ebbtide serves {tmp_path / 'data'}"
    assert [line.split()[0] for line in lines[1:4]] == ["page", "API", "MCP"]
    assert lines[4] == "this machine only, no key needed; Ctrl-C stops it"
    assert (running.returncode, out.decode().strip(), err) == (0, "stopped; everything is on disk", b"")


# ---- stopping


@contextmanager
def half_sent(server: Server, body: bytes) -> Iterator[socket.socket]:
    """A request whose second half is still to come."""
    head = (
        f"POST /v1/minds/ada/memories HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as wire:
        wire.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2])
        yield wire


async def refuses(server: Server) -> None:
    """Until nobody new is let in."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        except OSError:
            return
        writer.close()
        await asyncio.sleep(0.01)
    raise AssertionError("it still lets people in")


async def test_what_is_in_hand_is_finished_and_nothing_new_is_let_in(tmp_path: Path) -> None:
    body = json.dumps({"text": "said while it stopped", "key": "last"}).encode()
    async with serving(tmp_path, "--no-page") as server:
        async with client(server) as asking:
            await made(asking, "ada")
        with half_sent(server, body) as wire:
            await asyncio.sleep(0.2)  # it has reached the application
            server.process.send_signal(signal.SIGTERM)
            await refuses(server)
            wire.sendall(body[len(body) // 2 :])
            assert wire.recv(64).startswith(b"HTTP/1.1 201")
        assert await server.stop() == 0
    assert_left_clean(tmp_path)
    assert process(tmp_path, "--agent", "ada", "get", "last").code == 0


async def test_a_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page") as server:
        async with client(server) as asking:
            await made(asking, "ada")
            await put(asking, "ada", "before")
        with half_sent(server, b'{"text": "never sent"}'):
            await asyncio.sleep(0.2)
            server.process.send_signal(signal.SIGINT)
            await refuses(server)
            assert server.process.returncode is None  # it waits for the rest of it
            await server.stop(signal.SIGINT)
    assert_left_clean(tmp_path)
    assert process(tmp_path, "--agent", "ada", "check").words == "journal and mind are the same"
    assert process(tmp_path, "--agent", "ada", "get", "before").code == 0


async def test_what_was_handed_over_before_a_stop_is_gone_on_with_after_the_next_start(tmp_path: Path) -> None:
    said = {"messages": [{"role": "user", "content": "Lin takes the ferry to Lamma at 8:40 on Sunday."}]}
    async with serving(tmp_path, "--no-page") as server, client(server) as asking:
        await made(asking, "ada", "network")
        tasks = [(await asking.post("/v1/minds/ada/remember", json=said)).json()["task"] for _ in range(20)]
        assert await server.stop() == 0
    async with serving(tmp_path, "--no-page") as server, client(server) as asking:
        deadline = time.monotonic() + 60
        while (await asking.get("/metrics")).text.count('ebbtide_queue_tasks{agent="ada",state="waiting"} 0.0') != 1:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
    journal = process(tmp_path, "--agent", "ada", "journal", "--limit", "5000", "--json").out
    assert len(tasks) == 20
    assert all(f'"task": {task}' in journal for task in tasks)  # each of them was settled


# ---- who may come in


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_beyond_this_machine_nothing_is_served_without_keys(tmp_path: Path, host: str) -> None:
    answer = process(
        tmp_path / "data", "serve", f"--host={host}", "--port", "0", env={"EBBTIDE_HOST": host or "0.0.0.0"}
    )
    assert answer.code == 2
    assert "there is no key yet: make one with `ebbtide keys create --admin`" in answer.complaint
    assert not (tmp_path / "data").exists()


def test_keys_may_be_required_on_loopback_too(tmp_path: Path) -> None:
    answer = process(tmp_path / "data", "serve", "--port", "0", env={"EBBTIDE_REQUIRE_KEYS": "yes"})
    assert answer.complaint.startswith("keys are required, and there is no key yet")


async def test_with_keys_others_are_served_and_a_revocation_counts_at_once(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    key, ada = ring.create(time.time(), ["ada"])
    _, admin = ring.create(time.time(), admin=True)
    async with serving(tmp_path, "--host", "0.0.0.0") as server:
        async with client(server) as nobody:
            assert (await nobody.get("/v1/minds")).status_code == 401
            assert (await nobody.get("/metrics")).status_code == 401
            assert (await nobody.get("/", headers={"Accept": "text/html"})).headers["location"] == "/login?then=%2F"
            assert (await nobody.get("/login")).status_code == 200
            assert (await nobody.get("/readyz")).status_code == 200
        async with client(server, admin) as asking:
            await made(asking, "ada")
            await made(asking, "bob")
        async with client(server, ada) as asking:
            assert (await asking.get("/v1/minds/ada/memories")).status_code == 200
            assert (await asking.get("/v1/minds/bob/memories")).status_code == 403
            assert (await asking.post("/mcp/ada", json=INITIALIZE, headers=SPEAKS)).status_code == 200
            assert (await asking.post("/mcp/bob", json=INITIALIZE, headers=SPEAKS)).status_code == 403
            assert process(tmp_path, "keys", "revoke", key.id).code == 0
            assert (await asking.get("/v1/minds/ada/memories")).status_code == 401


def test_a_damaged_file_of_keys_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{")
    assert FILE in process(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0").complaint


def test_an_address_that_is_taken_or_nowhere_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        answer = process(tmp_path / "data", "serve", "--port", port)
    assert (answer.code, answer.complaint) == (
        4,
        f"127.0.0.1:{port} is taken by another process: choose another with --port, or 0 for any",
    )
    Keyring(tmp_path).create(0.0, admin=True)
    assert process(tmp_path, "serve", "--host", "no.such.host.invalid").code == 2
    assert process(tmp_path, "serve", "--port", "x").complaint.startswith("the setting port = 'x' is not usable")
    assert "does not go with `serve`" in process(tmp_path, "serve", "--agent", "ada").complaint


# ---- beside others


async def test_a_second_server_works_through_the_first_and_takes_over_when_it_dies(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page") as first, serving(tmp_path, "--no-page") as second:
        async with client(first) as one, client(second) as other:
            await made(one, "ada")
            await put(other, "ada", "through-the-first")
            assert (await one.get("/v1/minds/ada/memories/through-the-first")).status_code == 200
            assert "ebbtide_owner 0.0" in (await other.get("/metrics")).text
            first.process.kill()
            await put(other, "ada", "after-it")
            deadline = time.monotonic() + 5
            while "ebbtide_owner 1.0" not in (await other.get("/metrics")).text:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.02)
            assert (await other.get("/readyz")).status_code == 200
        assert await second.stop() == 0
    assert_left_clean(tmp_path)
    assert len(process(tmp_path, "--agent", "ada", "list", "--json").json["memories"]) == 2


async def ready(asking: httpx.AsyncClient) -> None:
    """Until it is: on a busy machine an owner may take more than a moment to say that it is there."""
    deadline = time.monotonic() + 30
    while (await asking.get("/readyz")).status_code != 200:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def test_a_server_is_not_ready_while_the_owner_is_stopped(tmp_path: Path) -> None:
    page = "--no-page"
    async with serving(tmp_path, page) as first, serving(tmp_path, page) as second, client(second) as asking:
        await ready(asking)
        first.process.send_signal(signal.SIGSTOP)
        try:
            assert (await asking.get("/readyz")).json() == {"status": "not ready"}
            assert (await asking.get("/healthz")).status_code == 200
        finally:
            first.process.send_signal(signal.SIGCONT)
        await ready(asking)


# ---- figures and logs


async def test_figures_tell_of_open_minds_and_open_none(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-page", EBBTIDE_OPEN_MINDS="1") as server, client(server) as asking:
        await made(asking, "ada")
        await made(asking, "bob", "retention")
        await put(asking, "ada", "x")
        await put(asking, "bob", "x")
        assert (await asking.post("/v1/minds/bob/search", json={"text": "ferry"})).status_code == 200
        text = ""
        for _ in range(2):
            text = (await asking.get("/metrics")).text
            assert 'ebbtide_minds{open="yes"} 1.0' in text
            assert 'ebbtide_minds{open="no"} 1.0' in text
            assert 'ebbtide_memories{agent="bob",state="active"} 1.0' in text
            assert 'ebbtide_memories{agent="ada"' not in text
        assert "ebbtide_search_seconds_count 1.0" in text
        assert 'ebbtide_index_waiting{agent="bob",by="words"} 0.0' in text
        assert 'ebbtide_http_requests_total{method="POST",route="/v1/minds/{agent}/search",status="200"} 1.0' in text


async def test_ticks_are_told_with_what_they_did(tmp_path: Path) -> None:
    assert process(tmp_path, "--agent", "ada", "put", "x").code == 0
    async with serving(tmp_path, "--no-page") as server, client(server) as asking:
        deadline = time.monotonic() + 30
        while 'ebbtide_runs_total{agent="ada",job="tick"} 1.0' not in (text := (await asking.get("/metrics")).text):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
    for line in (
        'ebbtide_run_last_seen{agent="ada",job="tick"} 1.0',
        'ebbtide_run_last_conflicts{agent="ada",job="tick"} 0.0',
        'ebbtide_run_last_seconds{agent="ada",job="tick"} ',
        'ebbtide_job_runs_total{job="tick"} 1.0',
        'ebbtide_run_due_timestamp_seconds{agent="ada",job="tick"} ',
    ):
        assert line in text


async def test_logs_are_one_object_a_line_and_hold_no_secret(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    _, key = Keyring(data).create(time.time(), admin=True)
    how = ("--log-format", "json")
    async with serving(data, *how, log=log, EBBTIDE_REQUIRE_KEYS="true") as server, client(server, key) as asking:
        await made(asking, "ada")
        await put(asking, "ada", "hidden-name", "a hidden text")
        asked = await asking.get("/v1/minds/ada/memories/hidden-name", headers={"X-Request-Id": "mine-1"})
        assert asked.headers["x-request-id"] == "mine-1"
        await asking.get(f"/v1/minds/ada/memories/{key}", headers={"X-Request-Id": key})
        await asking.get(f"/{key}?key={key}")
        await asking.get("/", headers={"Authorization": "", "Cookie": f"ebbtide_key={key}"})
    lines: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    told = next(line for line in lines if line.get("request_id") == "mine-1")
    assert (told["method"], told["route"], told["status"]) == ("GET", "/v1/minds/{agent}/memories/{key}", 200)
    assert told["ms"] >= 0
    for secret in (key, key.split("_", 2)[2], "hidden-name", "a hidden text"):
        assert secret not in log.read_text()
