"""Names for batches that no other batch has, in this process or another.

A call that may come again because its answer got lost has a name of its own; then its batches are named after it, and
a repetition is recognised, also by another process that has taken over meanwhile.
"""

import itertools
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_origin: str
_numbers = itertools.count(1)
_call: ContextVar[Iterator[str] | None] = ContextVar("call", default=None)


def new_token() -> str:
    call = _call.get()
    return next(call) if call is not None else f"{_origin}-{next(_numbers)}"


@contextmanager
def named(name: str) -> Iterator[None]:
    """Batches made in this block bear the call's name: the first as it is, those after it with a number."""
    names = itertools.chain([name], (f"{name}.{number}" for number in itertools.count(2)))
    before = _call.set(names)
    try:
        yield
    finally:
        _call.reset(before)


def _name_this_process() -> None:
    global _origin  # noqa: PLW0603 — it is the process's name, and there is one process
    _origin = uuid.uuid4().hex[:12]


_name_this_process()
if hasattr(os, "register_at_fork"):  # a fork would go on counting under its parent's name
    os.register_at_fork(after_in_child=_name_this_process)
