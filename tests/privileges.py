"""What a folder forbids is not forbidden to root. Tests of such folders give that privilege up for a moment.

On Linux it is a capability of the thread. Threads started meanwhile are without it as well, and user and files stay as
they are, so everything that could be read before can be read still.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_VERSION = 0x20080522  # of the structures below: two words for each set of capabilities
_OVERRIDES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def permissions_apply() -> Iterator[None]:
    """Inside, the permissions of files and folders bind this thread, whoever runs the tests."""
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        yield
        return
    before = _capabilities()
    _set_effective(before & ~_OVERRIDES)
    try:
        yield
    finally:
        _set_effective(before)


def _capabilities() -> int:
    return int(_call("capget")[0].effective)


def _set_effective(capabilities: int) -> None:
    sets = _call("capget")
    sets[0].effective = capabilities
    _call("capset", sets)


def _call(name: str, sets: "ctypes.Array[_Sets] | None" = None) -> "ctypes.Array[_Sets]":
    """One of the two system calls, for this thread."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        pytest.skip("nothing is forbidden to this user, and this system cannot take that back")
    sets = (_Sets * 2)() if sets is None else sets
    if function(ctypes.byref(_Header(_VERSION, 0)), sets):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return sets
