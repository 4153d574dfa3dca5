"""Names for batches that no other batch has, in this process or another."""

import itertools
import os
import uuid

_origin: str
_numbers = itertools.count(1)


def new_token() -> str:
    return f"{_origin}-{next(_numbers)}"


def _name_this_process() -> None:
    global _origin  # noqa: PLW0603 — it is the process's name, and there is one process
    _origin = uuid.uuid4().hex[:12]


_name_this_process()
if hasattr(os, "register_at_fork"):  # a fork would go on counting under its parent's name
    os.register_at_fork(after_in_child=_name_this_process)
