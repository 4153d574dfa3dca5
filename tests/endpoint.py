"""An endpoint on loopback that answers by script: a real socket, real HTTP, and every way to get it wrong."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One HTTP response; `whole` False: the connection breaks in the middle of it."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True


SILENCE = "silence"  # takes the request and never answers
DRIP = "drip"  # answers byte by byte, for ever
RESET = "reset"  # the connection is torn down


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def form(self) -> str | None:
        """Which response_format was asked for."""
        wanted = self.body.get("response_format")
        return wanted["type"] if wanted else None


Step = Reply | str | Callable[[Request], Reply]


def content(text: str | None, finish: str = "stop") -> Reply:
    """A right chat completion with this text in it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return Reply(body=json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


def says(**answer: Any) -> Reply:
    return content(json.dumps(answer, ensure_ascii=False))


def vectors(*rows: Any, places: Sequence[int] | None = None) -> Reply:
    """A right answer to an embeddings request; `places`: the index of each, if not in order."""
    numbered = zip(places or range(len(rows)), rows, strict=True)
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in numbered]
    return Reply(body=json.dumps({"object": "list", "data": data}).encode())


def error(status: int, message: str, **headers: str) -> Reply:
    body = json.dumps({"error": {"message": message}}).encode()
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class Endpoint:
    """Goes through its script, one step a request, and stays at the last one."""

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.asked = asyncio.Event()  # set by the first request
        self.base_url = ""
        self.connections: set[asyncio.Task[None]] = set()

    def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _request(reader)) is not None:
                step = self.script[min(len(self.requests), len(self.script) - 1)]
                self.requests.append(request)
                self.asked.set()
                step = step(request) if callable(step) else step
                if isinstance(step, Reply) and step.whole:
                    writer.write(_head(step, len(step.body)) + step.body)
                    await writer.drain()
                    continue
                await self._misbehave(step, reader, writer)
                break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went first
        finally:
            await _closed(writer)

    async def _misbehave(self, step: Reply | str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if isinstance(step, Reply):
            writer.write(_head(step, len(step.body) + 100) + step.body)
            await writer.drain()
        elif step == RESET:
            writer.transport.abort()
        elif step == SILENCE:
            await reader.read()  # until the client gives up
        elif step == DRIP:
            writer.write(_head(Reply(), 1_000_000))
            while not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.001)


@asynccontextmanager
async def endpoint(*script: Step) -> AsyncIterator[Endpoint]:
    playing = Endpoint(*script)
    server = await asyncio.start_server(playing.connect, "127.0.0.1", 0)
    playing.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield playing
    finally:
        server.close()
        if playing.connections:  # they end when the client has closed, and all of ours do
            await asyncio.wait(playing.connections, timeout=10.0)
        await server.wait_closed()


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Nothing of the connection may outlive the test: a transport that cannot be flushed any more is torn down."""
    writer.close()
    with suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout(1.0):
            await writer.wait_closed()
            return
    writer.transport.abort()
    await asyncio.sleep(0)  # the transport ends with the loop's next step


async def _request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(first.split()[1], headers, json.loads(body or b"{}"))


def _head(reply: Reply, length: int) -> bytes:
    headers = {"Content-Type": "application/json", "Content-Length": str(length), **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
