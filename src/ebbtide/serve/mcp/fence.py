"""Every stored text in an answer stands inside the fence: see `mind/fence.py`."""

from collections.abc import Iterable
from typing import Any

from ebbtide.mind.fence import Fence

TEXT, NOTICE = "text", "notice"  # the fields of an answer that hold stored words, and the warning about them
ADVICE = "advice"  # the engine's own words, without any stored ones: they stand outside the fence


def strings(value: Any) -> Iterable[str]:
    """Every string anywhere in an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def fenced(value: Any, fence: Fence) -> Any:
    """An answer with every text in it fenced, for clients that show a model the values rather than the words."""
    if isinstance(value, list):
        return [fenced(item, fence) for item in value]
    if not isinstance(value, dict):
        return value
    told = {name: fenced(item, fence) for name, item in value.items()}
    if value.get(TEXT):
        told[TEXT] = fence.around(value[TEXT])
    if NOTICE in value:
        told[NOTICE] = fence.notice
    return told
