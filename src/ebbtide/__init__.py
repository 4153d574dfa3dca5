"""Ebbtide: long-term memory for agents that forgets on purpose, can say why, and can undo it.

The names below are the public surface. They are loaded when first used, so that `import ebbtide` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ebbtide import client, sync, testing
    from ebbtide.app import open_mind as open  # noqa: A004 — `ebbtide.open` reads as it should
    from ebbtide.core.draft import Draft
    from ebbtide.core.errors import EbbtideError
    from ebbtide.core.memory import Mark, Memory, Message, State, Step
    from ebbtide.mind import Mind
    from ebbtide.mind.turn import Turn
    from ebbtide.mind.window import ContextWindow

__version__ = "0.1.0"
__all__ = [
    "ContextWindow",
    "Draft",
    "EbbtideError",
    "Mark",
    "Memory",
    "Message",
    "Mind",
    "State",
    "Step",
    "Turn",
    "__version__",
    "client",
    "open",
    "sync",
    "testing",
]

_HOME = {
    "ContextWindow": "mind.window",
    "Draft": "core.draft",
    "EbbtideError": "core.errors",
    "Mark": "core.memory",
    "Memory": "core.memory",
    "Message": "core.memory",
    "Mind": "mind",
    "State": "core.memory",
    "Step": "core.memory",
    "Turn": "mind.turn",
    "open": "app:open_mind",
}
_ROOMS = ("client", "sync", "testing")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"ebbtide.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'ebbtide' has no attribute {name!r}")
    module, _, attribute = _HOME[name].partition(":")
    return getattr(import_module(f"ebbtide.{module}"), attribute or name)


def __dir__() -> list[str]:
    return __all__
