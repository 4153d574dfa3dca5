"""A forked child is nobody at the other end of its parent's lines, and must not hold them open when the parent dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Socket(Protocol):
    def fileno(self) -> int: ...


_ours: set[Socket] = set()


@contextmanager
def not_for_children(socket: Socket) -> Iterator[None]:
    """While the block lasts, a fork of this process has no such socket."""
    _ours.add(socket)
    try:
        yield
    finally:
        _ours.discard(socket)


def _let_go() -> None:
    """Each makes way for something that leads nowhere. Closed, its number would go to the next file the child opens,
    and whatever in the child still has the socket would close that one."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for socket in _ours:
        if (number := socket.fileno()) >= 0:
            os.dup2(nowhere, number, inheritable=False)
    os.close(nowhere)
    _ours.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
