"""What a search costs over HTTP, and over the wire between two processes, next to the same search in one process.

Fifty clients ask the same questions of the same mind three ways: in the process that has it, from a process that is
attached to it, and by HTTP from a real server. First each takes its time between two questions, as clients do; then
all ask without a pause, which tells what a search costs the server, and how long a queue of fifty is.
"""

import asyncio
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import ebbtide
from bench import corpus
from bench.measure import Figure, Goal, options, progress, report

CLIENTS = 50
K = 10
_SERVE = "from ebbtide.serve.cli import main; main()"
_HOLD = """
import asyncio, sys
import ebbtide

async def main():
    async with ebbtide.open("ada", data=sys.argv[1]) as mind:
        await mind.search("warm")
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""

Ask = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of each search, of all of them together, and of CPU in the process that has the mind."""

    each: tuple[float, ...]
    whole: float
    cpu: float

    @property
    def p50(self) -> float:
        return statistics.median(self.each)

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.each, n=100)[98]


@dataclass(frozen=True, slots=True)
class Way:
    """How each client asks, and which process does the work."""

    asks: Sequence[Ask]
    pid: int


# ---- fifty clients


async def asked_by_many(way: Way, questions: Sequence[str], rate: float | None) -> Taken:
    """Every client asks its share. `rate`: searches a second of all together, at moments nobody has agreed on."""
    shares = [questions[number :: len(way.asks)] for number in range(len(way.asks))]
    each_rate = rate / len(way.asks) if rate else None
    start, cpu = time.perf_counter(), _cpu(way.pid)
    clients = enumerate(zip(way.asks, shares, strict=True))
    told = await asyncio.gather(*(_ask_all(ask, share, each_rate, seed) for seed, (ask, share) in clients))
    whole, cpu = time.perf_counter() - start, _cpu(way.pid) - cpu
    return Taken(tuple(taken for each in told for taken in each), whole, cpu / len(questions))


def _cpu(pid: int) -> float:
    """Seconds this process has worked so far."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def _ask_all(ask: Ask, questions: Sequence[str], rate: float | None, seed: int) -> list[float]:
    chance, taken = random.Random(seed), []
    for question in questions:
        if rate:
            await asyncio.sleep(chance.expovariate(rate))
        start = time.perf_counter()
        await ask(question)
        taken.append(time.perf_counter() - start)
    return taken


# ---- three ways to ask


@asynccontextmanager
async def at_home(data: Path) -> AsyncIterator[Way]:
    """The mind is in this process."""
    async with ebbtide.open("ada", data=data) as mind:
        await mind.search("warm")
        yield Way([lambda question: mind.search(question, K)] * CLIENTS, os.getpid())


@asynccontextmanager
async def next_door(data: Path) -> AsyncIterator[Way]:
    """Another process has the mind, and this one is attached to it."""
    command = (sys.executable, "-c", _HOLD, str(data))
    holder = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    try:
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"open\n"
        async with ebbtide.open("ada", data=data) as mind:
            yield Way([lambda question: mind.search(question, K)] * CLIENTS, holder.pid)
    finally:
        await holder.communicate(b"\n")


@asynccontextmanager
async def by_http(data: Path) -> AsyncIterator[Way]:
    """`ebbtide serve` has it; each client keeps a connection."""
    command = (sys.executable, "-c", _SERVE, "--data", str(data), "serve", "--port", "0", "--no-page")
    server = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=DEVNULL)
    try:
        assert server.stdout is not None
        found = None
        while not found:
            found = re.search(rb"127\.0\.0\.1:(\d+)", await server.stdout.readline())
        drain = asyncio.create_task(_drained(server.stdout))
        lines = [_Connection(int(found[1])) for _ in range(CLIENTS)]
        await lines[0].search("warm")
        yield Way([line.search for line in lines], server.pid)
        for line in lines:
            line.close()
    finally:
        server.terminate()
        await server.wait()
        await drain


async def _drained(stream: asyncio.StreamReader) -> None:
    while await stream.read(1 << 16):
        pass


class _Connection(asyncio.Protocol):
    """As little HTTP as a search takes: what is measured is the server, not a client library."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._heard, self._length = bytearray(), 0
        self._answer: asyncio.Future[bytes] | None = None

    async def search(self, question: str) -> bytes:
        """On a new connection, if the server has just given up one on which nothing was said for long."""
        try:
            return await self._said(question)
        except ConnectionError:
            return await self._said(question)

    async def _said(self, question: str) -> bytes:
        loop = asyncio.get_running_loop()
        if self._transport is None:
            await loop.create_connection(lambda: self, "127.0.0.1", self._port)
        assert self._transport is not None
        body = json.dumps({"text": question, "k": K}).encode()
        head = (
            "POST /v1/minds/ada/search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._answer = loop.create_future()
        self._transport.write(head.encode() + body)
        return await self._answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard += data
        if not self._length:
            head, found, _ = self._heard.partition(b"\r\n\r\n")
            if not found:
                return
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            assert head.startswith(b"HTTP/1.1 200 "), head
            assert length, head
            self._length = len(head) + 4 + int(length[1])
        if len(self._heard) >= self._length and self._answer is not None:
            self._answer.set_result(bytes(self._heard))
            self._heard, self._length = bytearray(), 0

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the server hung up"))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


WAYS = {"in process": at_home, "attached": next_door, "HTTP": by_http}


# ---- figures


async def measure(data: Path, count: int, searches: int, rounds: int, rate: float) -> list[Figure]:
    said = corpus.memories(count)
    asked = list(corpus.questions(said, 2 * searches).texts)  # no vector of the one half is known from the other
    questions, others = asked[:searches], asked[searches:]
    async with ebbtide.open("ada", data=data) as mind:
        progress(f"{count:,} memories")
        await mind.put_many([{"text": text} for text in said.texts])
        await mind.reembed()
    calm: dict[str, list[Taken]] = {name: [] for name in WAYS}
    busy: dict[str, list[Taken]] = {name: [] for name in WAYS}
    for number in range(rounds):
        for name, way in WAYS.items():
            progress(f"round {number + 1} of {rounds}: {name}")
            async with way(data) as opened:
                calm[name].append(await asked_by_many(opened, questions, rate))
                busy[name].append(await asked_by_many(opened, others, None))
    return [*_calm_figures(calm, rate), *_busy_figures(busy, searches)]


def _calm_figures(taken: dict[str, list[Taken]], rate: float) -> list[Figure]:
    """The overhead is that of each round, over the same questions in process just before."""
    home = statistics.median(each.p50 for each in taken["in process"])
    where = f"{CLIENTS} clients, {rate:g} searches/s"
    figures = []
    for name, rounds in taken.items():
        p50, p99 = (statistics.median(getattr(each, of) for each in rounds) for of in ("p50", "p99"))
        figures += [Figure(f"{where}, {name}: p50", p50, home), Figure(f"{where}, {name}: p99", p99)]
    for name in ("attached", "HTTP"):
        pairs = zip(taken["in process"], taken[name], strict=True)
        over = statistics.median(there.p50 - here.p50 for here, there in pairs)
        goal = Goal("≤", 0.002, "ours") if name == "HTTP" else None
        figures.append(Figure(f"{where}, {name}: p50 over in process", max(over, 0.0), goal=goal))
    return figures


def _busy_figures(taken: dict[str, list[Taken]], searches: int) -> list[Figure]:
    home = searches / statistics.median(each.whole for each in taken["in process"])
    work = statistics.median(each.cpu for each in taken["in process"])
    figures = []
    for name, rounds in taken.items():
        rate = searches / statistics.median(each.whole for each in rounds)
        figures += [
            Figure(f"{CLIENTS} clients without a pause, {name}", rate, home, unit="/s"),
            Figure(f"{CLIENTS} clients without a pause, {name}: p50", statistics.median(each.p50 for each in rounds)),
            Figure(f"CPU a search, {name}", statistics.median(each.cpu for each in rounds), work),
        ]
    return figures


NOTES = (
    "Server and clients are processes of their own, with connections that are kept open; the server is `ebbtide serve` "
    "with its scheduler, gate and log. The overhead is that of each round, over the same questions in process.",
    "Without a pause fifty calls stand in line at the event loop of the process that has the mind: a p50 there is "
    "fifty times what a search costs it. CPU is what that process works for one search.",
)


def main() -> None:
    parser = options("serve", "The cost of a search over HTTP and between processes.")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=400)
    parser.add_argument(
        "--rounds", type=int, default=9, help="each with processes of its own: no two of them are alike"
    )
    parser.add_argument("--rate", type=float, default=50.0, help="searches a second of all clients together")
    given = parser.parse_args()
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    with tempfile.TemporaryDirectory() as data:
        figures = asyncio.run(measure(Path(data), given.memories, given.searches, given.rounds, given.rate))
    report("serve", given, figures, NOTES)


if __name__ == "__main__":
    main()
