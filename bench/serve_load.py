"""Many clients at one server: searches, recalls and conversations, while minds are ticked and compressed.

    python -m bench.serve_load [--clients 200] [--seconds 60] [--write]

Every conversation that was acknowledged is looked for afterwards in the journal, also after a SIGTERM in the middle.
"""

import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import ebbtide
from bench.measure import Figure, options, report
from ebbtide.core.changes import Enqueue, Settle

PROGRAM = Path(sys.executable).with_name("ebbtide")
MINDS = ("north", "south", "east", "west")
_LOOK_EVERY = 0.5
_PEOPLE = ("Lin", "Ada", "Bo", "Mei", "Tom", "Ines", "Kofi", "Yuki")
_PLACES = ("Lamma", "Oslo", "the harbour", "Hangzhou", "the library", "Lima")
_THINGS = ("ferry", "violin", "garden", "bicycle", "kettle", "map", "letter", "orange tree")


# ---- a server


class Server:
    """`ebbtide serve` as a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, where: dict[str, Any], seconds: float) -> None:
        self.process, self.seconds_to_ready = process, seconds
        self.url: str = where["url"]
        self.port = int(self.url.rpartition(":")[2])

    @property
    def memory(self) -> int:
        """Resident bytes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    @property
    def work(self) -> float:
        """Seconds of processor time it has had."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def stop(self, number: int = signal.SIGTERM) -> int:
        with suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), 60)


@asynccontextmanager
async def serving(data: Path, *words: str, log: Path | None = None, **environ: str) -> AsyncIterator[Server]:
    """Ended with the block, if it still runs then. What it logs goes to `log`."""
    started = time.perf_counter()
    with (log or Path(os.devnull)).open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            PROGRAM, "--data", str(data), "--json", "serve", "--port", "0", *words,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=errors,
            env={**os.environ, **environ},
        )  # fmt: skip
    try:
        where = await asyncio.wait_for(_first_object(process), 60)
        yield Server(process, where, time.perf_counter() - started)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), 30)
            except TimeoutError:
                process.kill()
                await process.wait()
        process._transport.close()  # type: ignore[attr-defined]  # its pipe would be closed by the next collection only


async def _first_object(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    said = b""
    while line := await process.stdout.readline():
        said += line
        if line.rstrip() == b"}":
            return dict(json.loads(said))
    raise RuntimeError(f"the server did not start: it left with {await process.wait()}")


# ---- a client


class Wire:
    """One connection, kept: a client that costs next to nothing, as both share one machine."""

    def __init__(self, port: int, key: str | None = None) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._head = f"Host: 127.0.0.1:{port}\r\n" + (f"Authorization: Bearer {key}\r\n" if key else "")

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and answer. Raises OSError or IncompleteReadError where the server is gone."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        assert self._reader is not None
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        status, *headers = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        named = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in headers)}
        said = await self._reader.readexactly(int(named.get("content-length", 0)))
        if named.get("connection") == "close":
            self.close()
        return int(status.split()[1]), json.loads(said) if said and "json" in named.get("content-type", "") else said

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


@dataclass(slots=True)
class Load:
    """What came of it. `told` are the conversations that were acknowledged: agent and task, and what was in it."""

    seconds: float = 0.0
    latencies: dict[str, list[float]] = field(default_factory=lambda: {"search": [], "recall": [], "remember": []})
    told: dict[tuple[str, int], str] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    ticks: int = 0
    memory: list[int] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return sum(map(len, self.latencies.values()))

    def percentile(self, which: float, verb: str | None = None) -> float:
        some = self.latencies[verb] if verb else [one for all_ in self.latencies.values() for one in all_]
        return float(np.percentile(some, which))


async def prepare(server: Server, conversations: int = 25) -> None:
    """Minds that have something to recall."""
    wire, chance = Wire(server.port), random.Random(1)
    for agent in MINDS:
        await _must(wire.ask("POST", "/v1/minds", {"agent": agent, "metabolism": "network"}))
        for _ in range(conversations):
            await _must(wire.ask("POST", f"/v1/minds/{agent}/remember", _conversation(chance, "before")))
        await _must(wire.ask("POST", f"/v1/minds/{agent}/search", {"text": "the ferry"}))
    wire.close()


async def load(server: Server, clients: int, seconds: float, *, until_gone: bool = False) -> Load:
    """So many clients, each asking again as soon as it has its answer. `until_gone`: it may go."""
    found, started = Load(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(_client(server, number, started + seconds, found, until_gone=until_gone))
        group.create_task(_ticker(server, started + seconds, found, until_gone=until_gone))
    found.seconds = time.perf_counter() - started
    return found


async def _client(server: Server, number: int, end: float, found: Load, *, until_gone: bool) -> None:
    wire, chance = Wire(server.port), random.Random(number)
    agent, count = MINDS[number % len(MINDS)], 0
    while time.perf_counter() < end:
        count += 1
        verb, body = _wish(chance, f"mark-{number}-{count}")
        asked = time.perf_counter()
        try:
            status, said = await wire.ask("POST", f"/v1/minds/{agent}/{verb}", body)
        except (OSError, EOFError) as error:
            if until_gone:
                break
            found.errors[type(error).__name__] += 1
            wire.close()
            continue
        found.latencies[verb].append(time.perf_counter() - asked)
        if verb == "remember" and status == 202:
            found.told[agent, said["task"]] = f"mark-{number}-{count}"
        elif status != 200:
            found.errors[f"{verb} {status}"] += 1
    wire.close()


async def _ticker(server: Server, end: float, found: Load, *, until_gone: bool) -> None:
    """A tick of each mind in turn, all the time; and how much memory the server takes."""
    wire = Wire(server.port)
    with suppress(*((OSError, EOFError) if until_gone else ())):
        while time.perf_counter() < end:
            for agent in MINDS:
                status, _ = await wire.ask("POST", f"/v1/minds/{agent}/tick", {})
                found.ticks += status == 202
                found.errors[f"tick {status}"] += status != 202
            found.memory.append(server.memory)
            await asyncio.sleep(_LOOK_EVERY)
    found.errors += Counter()  # without those that never happened
    wire.close()


def _wish(chance: random.Random, mark: str) -> tuple[str, dict[str, Any]]:
    """80 % of what is asked is search or recall."""
    dice = chance.random()
    if dice < 0.4:
        return "search", {"text": f"What did {chance.choice(_PEOPLE)} say about the {chance.choice(_THINGS)}?", "k": 5}
    if dice < 0.8:
        return "recall", {"keywords": [chance.choice(_THINGS)], "limit": 10}
    return "remember", _conversation(chance, mark)


def _conversation(chance: random.Random, mark: str) -> dict[str, Any]:
    who, where, what = chance.choice(_PEOPLE), chance.choice(_PLACES), chance.choice(_THINGS)
    said = f"{who} took the {what} to {where} at {chance.randrange(24)}:{chance.randrange(60):02}. {mark}"
    return {"messages": [{"role": "user", "content": said}]}


async def _must(answer: Any) -> Any:
    status, said = await answer
    if status not in (200, 201, 202):
        raise RuntimeError(f"{status}: {said}")
    return said


# ---- what is left of it


async def lost(data: Path, told: dict[tuple[str, int], str]) -> list[str]:
    """The marks of those conversations that are not in the journal, or are neither done nor waiting."""
    missing: list[str] = []
    for agent in MINDS:
        async with ebbtide.open(agent, data=data) as mind:
            entries = [entry async for entry in mind.entries()]
            waiting = {task.id for task in await mind.queue()}
        handed = {entry.seq: entry.change for entry in entries if isinstance(entry.change, Enqueue)}
        settled = {entry.change.task for entry in entries if isinstance(entry.change, Settle)}
        for (whose, task), mark in told.items():
            if whose == agent and not (_says(handed.get(task), mark) and task in settled | waiting):
                missing.append(mark)
    return missing


def _says(change: Enqueue | None, mark: str) -> bool:
    return change is not None and any(message.content.endswith(mark) for message in change.messages)


# ---- the bench


async def measured(clients: int, seconds: float) -> tuple[list[Figure], list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        async with serving(data, "--no-page") as server:
            await prepare(server)
            whole = await load(server, clients, seconds)
        gone = await lost(data, whole.told)
        async with serving(data, "--no-page") as server:
            half = asyncio.create_task(load(server, clients, seconds, until_gone=True))
            await asyncio.sleep(min(5.0, seconds / 2))
            code = await server.stop()
            broken = await half
        gone += await lost(data, broken.told)
    failed, failed_then = sum(whole.errors.values()), sum(broken.errors.values())
    notes = [
        f"{whole.requests} requests and {whole.ticks} ticks in {whole.seconds:.0f} s; errors: {failed}",
        f"{len(whole.told)} conversations acknowledged, and {len(broken.told)} until a SIGTERM in the middle",
        f"the server left with {code}, the clients saw {failed_then} errors; lost: {len(gone)} of all",
        *(f"{what}: {count}" for what, count in (whole.errors + broken.errors).items()),
    ]
    return _figures(whole), notes


def _figures(whole: Load) -> list[Figure]:
    early = whole.memory[len(whole.memory) // 3]
    return [
        Figure("requests", whole.requests / whole.seconds, unit="/s"),
        *(Figure(f"{verb}, p50", whole.percentile(50, verb)) for verb in whole.latencies),
        *(Figure(f"{verb}, p99", whole.percentile(99, verb)) for verb in whole.latencies),
        Figure("all, p99", whole.percentile(99)),
        Figure("resident memory at the end, and after a third of the time", whole.memory[-1], early, "B"),
    ]


def main() -> None:
    parser = options("serve_load", "many clients at one server")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    figures, notes = asyncio.run(measured(given.clients, given.seconds))
    report("serve_load", given, figures, notes)


if __name__ == "__main__":
    main()
