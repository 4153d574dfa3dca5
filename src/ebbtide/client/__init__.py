"""Minds of a server, with the verbs they have everywhere.

    async with ebbtide.client.connect("http://127.0.0.1:8321", agent="ada") as mind:
        await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")

`ebbtide.sync.connect` is the same without `async`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from ebbtide.client.line import Line
from ebbtide.client.mind import ServedMind
from ebbtide.core.errors import MindExists, UnknownMind

__all__ = ["ServedMind", "connect"]


@asynccontextmanager
async def connect(
    url: str,
    key: str | None = None,
    *,
    agent: str,
    metabolism: str | None = None,
    timeout: float = 30.0,  # noqa: ASYNC109 — of each request, not of the block
    patience: float = 30.0,
    **params: Any,
) -> AsyncIterator[ServedMind]:
    """An agent's mind at a server. With a `metabolism` it is made if there is none yet, which takes an admin's key.

    `timeout`: seconds one request may take. One that got no answer is sent again for `patience` seconds, in which a
    server may be started anew (three, if it has never answered yet); writes bear a name of their own, so what had
    happened already does not happen twice. Only `recall` is waited for longer, for it stands in line, and not sent
    again once the server may have heard it.
    """
    line = Line(url, key, timeout, patience)
    try:
        mind = ServedMind(line, agent)
        try:
            await mind.refresh()
        except UnknownMind:
            if metabolism is None:
                raise
            await _made(line, {"agent": agent, "metabolism": metabolism, "params": params})
            await mind.refresh()
        yield mind
    finally:
        await line.close()


async def _made(line: Line, mind: dict[str, Any]) -> None:
    with suppress(MindExists):  # somebody was quicker
        await line.write("POST", ("minds",), mind)
