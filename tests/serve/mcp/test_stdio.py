"""A process of its own: what it writes where, how it ends, and that several of them are one mind."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ebbtide.app import open_mind
from ebbtide.mind.mailbox import Mailbox
from tests.helpers import mind_on_disk
from tests.serve.mcp.clients import call, message, over_stdio
from tests.serve.shell import Shell, environment, launch

SOON = 60.0  # seconds; a slow machine is no failure

HELLO = message(
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "by hand", "version": "1"},
)
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}

pytestmark = pytest.mark.slow  # each test starts a server


@contextmanager
def by_hand(data: Path) -> Iterator[subprocess.Popen[str]]:
    """A server whose messages are written and read here, past its handshake."""
    env = {"EBBTIDE_EMBEDDER": "none"}
    with launch(data, "mcp", "--agent", "ada", env=env, stdin=subprocess.PIPE, bufsize=1) as running:
        assert ask(running, HELLO)["result"]["serverInfo"]["name"] == "ebbtide"
        tell(running, READY)
        yield running
        if running.poll() is None:
            running.kill()


def tell(running: subprocess.Popen[str], said: Any) -> None:
    assert running.stdin is not None
    running.stdin.write(said if isinstance(said, str) else f"{json.dumps(said)}\n")
    running.stdin.flush()


def heard(running: subprocess.Popen[str]) -> Any:
    assert running.stdout is not None
    return json.loads(running.stdout.readline())


def ask(running: subprocess.Popen[str], said: Any) -> Any:
    tell(running, said)
    return heard(running)


def remember(key: str) -> dict[str, Any]:
    return message("tools/call", name="remember", arguments={"text": f"The text of {key}.", "key": key})


async def keys_of(data: Path) -> list[str]:
    async with open_mind("ada", data=data) as mind:
        return [memory.key for memory in (await mind.list(limit=10_000)).memories]


# ---- how it ends


async def test_the_end_of_its_input_ends_it_with_everything_on_disk(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with by_hand(data) as running:
        assert "error" not in ask(running, remember("a"))
        out, err = running.communicate(timeout=SOON)
        assert (running.returncode, out, err) == (0, "", "")
    assert not (data / "_owner.json").exists()
    assert await keys_of(data) == ["a"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_order_though_its_input_stays_open(number: signal.Signals, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with by_hand(data) as running:
        ask(running, remember("a"))
        running.send_signal(number)
        assert running.wait(SOON) == 0
        assert running.stderr is not None
        assert running.stderr.read() == ""
    assert not (data / "_owner.json").exists()
    assert await keys_of(data) == ["a"]


async def test_it_ends_when_nobody_reads_its_answers_any_more(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with by_hand(data) as running:
        ask(running, remember("a"))
        assert running.stdout is not None
        running.stdout.close()
        tell(running, remember("b"))
        assert running.wait(SOON) == 0
    assert "a" in await keys_of(data)


CLIENT = """
import asyncio, sys
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

async def main():
    words = ["mcp", "--agent", "ada"]
    server = StdioServerParameters(command=sys.argv[1], args=words, env=dict(zip(sys.argv[2::2], sys.argv[3::2])))
    async with Client(server) as client:
        await client.call_tool("remember", {"text": "said before the end", "key": "before"})
        print("remembered", flush=True)
        await asyncio.sleep(3600)

asyncio.run(main())
"""


async def test_the_server_of_a_client_that_was_killed_ends_and_has_lost_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    env = environment(data, EBBTIDE_EMBEDDER="none")
    words = [sys.executable, "-c", CLIENT, str(Path(sys.executable).parent / "ebbtide")]
    words += [word for item in env.items() for word in item]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "remembered\n"
        server = json.loads((data / "_owner.json").read_text("utf-8"))["pid"]
        client.kill()
    await _gone(server)
    assert await keys_of(data) == ["before"]


async def _gone(pid: int) -> None:
    until = time.monotonic() + SOON
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if _has_ended(Path(f"/proc/{pid}/stat")):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{pid} is still there")


def _has_ended(stat: Path) -> bool:
    """A process that has ended, and that nobody has asked how, is still listed."""
    return stat.exists() and stat.read_text("utf-8").rpartition(")")[2].split()[0] == "Z"


# ---- what it makes of what it hears


NOISE = ["\n", "not JSON\n", "[1, 2]\n", '{"jsonrpc": "2.0"}\n', '{"text": "\\ud800"}\n', "[" * 100_000 + "\n", "\0\n"]


def test_noise_on_its_input_does_not_end_it(tmp_path: Path) -> None:
    with by_hand(tmp_path / "data") as running:
        for noise in NOISE:
            tell(running, noise)
        tell(running, remember("a"))
        assert _answer_to(running, 1)["result"]["structuredContent"] == {"key": "a", "state": "active"}


UNHEARD: list[tuple[str, Any]] = [
    ("not JSON\n", None),
    (f"{json.dumps({**remember('a'), 'id': 7, 'params': 'secret'})}\n", 7),
    (f"{json.dumps({**remember('secret ' * 700_000), 'id': 8})}\n", 8),
]


def test_what_cannot_be_heard_is_answered_and_complained_of(tmp_path: Path) -> None:
    with by_hand(tmp_path / "data") as running:
        for said, number in UNHEARD:
            answer = ask(running, said)
            assert (answer["id"], answer["error"]["code"] in (-32700, -32600)) == (number, True)
        half = message("tools/call", name="remember", arguments={"text": "secret \ud83d"})
        assert ask(running, half)["result"]["isError"] is True
        assert ask(running, remember("a"))["result"]["structuredContent"]["key"] == "a"
        out, err = running.communicate(timeout=SOON)
        assert (running.returncode, out) == (0, "")
        assert err.count("a message was refused: ") == len(err.splitlines()) == len(UNHEARD) + 1
        assert "secret" not in err


def test_a_line_without_end_is_not_kept_in_memory(tmp_path: Path) -> None:
    with by_hand(tmp_path / "data") as running:
        for _ in range(40):
            tell(running, "x" * 1_000_000)
        tell(running, "\n")
        tell(running, remember("a"))
        assert _answer_to(running, 1)["result"]["structuredContent"]["key"] == "a"
        peak = Path(f"/proc/{running.pid}/status")
        if peak.exists():
            (line,) = [line for line in peak.read_text().splitlines() if line.startswith("VmHWM")]
            assert int(line.split()[1]) < 400_000  # kB; an idle one has some 130 MB


def _answer_to(running: subprocess.Popen[str], number: int) -> Any:
    """Complaints about noise may come before it. Every line is JSON: nothing but the protocol is on standard output."""
    assert running.stdout is not None
    while True:
        said = json.loads(running.stdout.readline())
        if said.get("id") == number:
            return said


# ---- before it begins


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--agent", "../bob"), "is not an agent id"),
        (("--agent", "ada", "--metabolism", "sleep"), "sleep"),
        (("--agent", "ada", "--as-of", "-3d"), "--as-of only looks"),
    ],
)
def test_what_cannot_work_is_said_at_once(words: tuple[str, ...], complaint: str, ebbtide: Shell) -> None:
    assert complaint in ebbtide.refused(2, "mcp", *words)


def test_help_does_not_load_the_sdk(tmp_path: Path) -> None:
    probe = "import sys; from ebbtide.serve.cli.main import run; run(['mcp', '--help']); sys.exit('mcp' in sys.modules)"
    env = environment(tmp_path / "data")
    done = subprocess.run([sys.executable, "-c", probe], env=env, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


# ---- several of them


async def test_two_servers_on_one_folder_are_one_mind(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with AsyncExitStack() as stack:
        ada, bob = [await stack.enter_async_context(over_stdio(data)) for _ in range(2)]
        await asyncio.gather(*(_says(client, name) for client, name in ((ada, "ada"), (bob, "bob"))))
        assert (await call(ada, "status"))["memories"] == (await call(bob, "status"))["memories"] == 40
        await call(ada, "forget", keys=["bob-7"])
        assert (await call(bob, "search", query="number7 of bob", why=True))["declined"][0]["key"] == "bob-7"
        assert (await call(bob, "restore", key="bob-7"))["memory"]["key"] == "bob-7"
    kept = await keys_of(data)
    for name in ("ada", "bob"):
        assert [key for key in kept if key.startswith(name)] == [f"{name}-{number}" for number in range(20)]


async def _says(client: Any, name: str) -> None:
    for number in range(20):
        await call(client, "remember", text=f"number{number} of {name}", key=f"{name}-{number}")


async def test_when_the_owner_is_killed_the_other_goes_on_and_nothing_is_lost(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with by_hand(data) as owner:
        ask(owner, remember("from the owner"))
        async with over_stdio(data) as other:
            await call(other, "remember", text="said through the owner", key="through")
            owner.kill()
            owner.wait(SOON)
            await call(other, "remember", text="said without it", key="after")
            found = await call(other, "search", query="said")
            assert {hit["key"] for hit in found["hits"]} >= {"through", "after"}
    assert await keys_of(data) == ["from the owner", "through", "after"]


async def test_the_owner_does_what_is_due_of_the_schedule(tmp_path: Path) -> None:
    """Ada's tick was due in 1970: it is done at once, keeps its rhythm, and writes down what is long true."""
    data = tmp_path / "data"
    async with mind_on_disk(data) as mind:
        await mind.put("The ferry leaves at 8:40.", key="ferry")  # a year ago and more
    assert _written(data) == ["active"]
    timetable = data / "_schedule.json"
    jobs = {"tick": {"due": 1000.0, "interval": 900.0, "runs": 7}, "reap": {"due": None}}
    timetable.write_text(json.dumps({"format": 1, "minds": {"ada": jobs}}), "utf-8")
    async with over_stdio(data):
        until = time.monotonic() + SOON
        while (tick := json.loads(timetable.read_text("utf-8"))["minds"]["ada"]["tick"])["runs"] < 8:
            assert time.monotonic() < until, "the scheduler has not ticked the mind"
            await asyncio.sleep(0.05)
    assert (tick["failures"], tick["last"]["seen"], tick["last"]["error"]) == (0, 1, None)
    assert tick["due"] > time.time() - 900
    assert (tick["due"] - 1000.0) % 900.0 == 0
    assert _written(data) == ["cold"]


def _written(data: Path) -> list[str]:
    """States as the last tick wrote them down, which is not to say as they are."""
    with closing(sqlite3.connect(f"file:{data}/ada/mind.db?mode=ro", uri=True)) as connection:
        return [state for (state,) in connection.execute("SELECT state FROM memory_states")]


async def test_a_new_owner_goes_on_with_what_was_left_in_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"

    async def endless(*_: Any) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:  # closed before it has understood anything, however quick that is
        patched.setattr(Mailbox, "_attempt", endless)
        async with mind_on_disk(data, "network") as mind:
            await mind.remember([{"role": "user", "content": "小林对花生过敏。"}])
    assert _understood(data) == 0
    async with over_stdio(data, "network"):
        until = time.monotonic() + SOON
        while not _understood(data):  # looked at from outside: nobody asks for the mind
            assert time.monotonic() < until
            await asyncio.sleep(0.05)


def _understood(data: Path) -> int:
    with closing(sqlite3.connect(f"file:{data}/ada/mind.db?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM memories").fetchone()[0])
