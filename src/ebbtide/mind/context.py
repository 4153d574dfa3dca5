"""Memories for a prompt: the best of what was found, whole, within a budget of tokens, fenced as data.

    <notice>
    <<data 3f…
    [2026-05-08] Lin is allergic to peanuts.
    [2026-05-11] Lin moved to Lamma.
    3f… data>>

What is shown is chosen best first. A memory that does not fit is passed over for a smaller one that does; only the very
best is cut rather than left out. They stand in order of their dates, so that what came later can correct what came
before.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from ebbtide.core.errors import InvalidInput
from ebbtide.mind.fence import Fence
from ebbtide.mind.left_out import counted
from ebbtide.mind.search import Found, Hit
from ebbtide.mind.window import Count

LEAST = 100  # tokens: the fence and its notice take about half of them
_CUT = "…"


def packed(hits: Sequence[Hit], tokens: int, count: Count) -> tuple[str, tuple[Hit, ...]]:
    """The context and what it shows, best first; empty where nothing was found. Raises InvalidInput for a budget that
    is too small for anything."""
    if tokens < LEAST:
        raise InvalidInput(problem=f"a context needs a budget of at least {LEAST} tokens, not {tokens!r:.40}")
    if not hits:
        return "", ()
    fence = Fence.for_(hit.memory.text for hit in hits)
    shown: list[Hit] = []
    for hit in hits:
        if count(_fenced(fence, [*shown, hit])) <= tokens:
            shown.append(hit)
    if shown:
        return _fenced(fence, shown), tuple(shown)
    return _cut(fence, hits[0], tokens, count), (hits[0],)


def remarks(found: Found) -> str:
    """What a model should know of the answer beside its memories: that some are hidden, or that none fits well."""
    said = []
    if found.hits and found.weak is not None:
        said.append("None of these memories is a good match: what was asked for may never have been stored.")
    if (out := found.left_out) is not None:
        are = "memory that matches is" if out.count == 1 else "memories that match are"
        said.append(f"{out.count} {are} not shown because of the state ({counted(out.states)}).")
    return " ".join(said)


def dated(moment: float) -> str:
    """The day, in UTC; nothing for a moment no calendar has."""
    try:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        return ""


def _fenced(fence: Fence, hits: Sequence[Hit]) -> str:
    by_date = sorted(hits, key=lambda hit: (hit.memory.created_at, hit.memory.id))
    return _around(fence, "\n".join(_entry(hit, hit.memory.text) for hit in by_date))


def _cut(fence: Fence, hit: Hit, tokens: int, count: Count) -> str:
    """As much of its beginning as there is room for."""
    low, high = 0, len(hit.memory.text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(_around(fence, _entry(hit, hit.memory.text[:middle] + _CUT))) <= tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return _around(fence, _entry(hit, hit.memory.text[:low] + _CUT))


def _around(fence: Fence, text: str) -> str:
    return f"{fence.notice}\n{fence.around(text)}"


def _entry(hit: Hit, text: str) -> str:
    """A line of its own; further lines are indented, so that no text can look like the beginning of another."""
    return f"[{dated(hit.memory.created_at)}] " + "\n  ".join(text.splitlines())
