"""Minds without `async`: the same verbs, blocking.

    with ebbtide.sync.open("ada", data="minds") as mind:
        mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")

A mind lives on an event loop in a thread of its own, which goes on between two calls: queues, indexes and other
processes that share the mind are served meanwhile. It may be used from any thread. Ctrl-C leaves the call in hand.
A process that was forked meanwhile opens its minds itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ebbtide.app import open_mind
from ebbtide.core.embedding import Embedder
from ebbtide.core.ports import Clock, SmallModel
from ebbtide.sync.portal import Portal
from ebbtide.sync.served import SyncServedMind
from ebbtide.sync.verbs import SyncMind

__all__ = ["SyncMind", "SyncServedMind", "connect", "open"]


@contextmanager
def open(  # noqa: A001 — `ebbtide.sync.open` reads as it should
    agent: str | None = None,
    *,
    data: str | Path | None = None,
    metabolism: str | None = None,
    durability: str | None = None,
    clock: Clock | None = None,
    model: SmallModel | None = None,
    embedder: Embedder | None = None,
    **params: Any,
) -> Iterator[SyncMind]:
    """Open an agent's mind, or make it if there is none yet, as `ebbtide.open` does."""
    opening = open_mind(
        agent,
        data=data,
        metabolism=metabolism,
        durability=durability,
        clock=clock,
        model=model,
        embedder=embedder,
        **params,
    )
    with Portal(opening) as portal:
        yield SyncMind(portal.value, portal)


@contextmanager
def connect(
    url: str,
    key: str | None = None,
    *,
    agent: str,
    metabolism: str | None = None,
    timeout: float = 30.0,
    patience: float = 30.0,
    **params: Any,
) -> Iterator[SyncServedMind]:
    """A mind of a server, as `ebbtide.client.connect` gives it."""
    from ebbtide import client  # a client of HTTP is not cheap, and most have their minds at home

    connecting = client.connect(
        url, key, agent=agent, metabolism=metabolism, timeout=timeout, patience=patience, **params
    )
    with Portal(connecting) as portal:
        yield SyncServedMind(portal.value, portal)
