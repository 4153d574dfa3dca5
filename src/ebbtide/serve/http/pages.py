"""Pages of lists that change meanwhile: each begins behind the place where the last one ended, not after so many."""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from fastapi import Query

from ebbtide.serve.http.problems import Unacceptable

T = TypeVar("T")
FIRST = "0"
After = Annotated[str, Query(max_length=4096, description="Go on behind this: `next` of the page before, as it is.")]


def cut(
    found: Iterable[T], place: Callable[[T], tuple[Any, ...]], after: str, limit: int
) -> tuple[list[T], str | None]:
    """A page of something that is all there at once, and where to go on.

    `place` is where one stands, and goes on standing whoever else comes and goes: text and numbers. Those of one place
    are told in the order they are in.
    """
    rows = _standing(found, place)
    if after != FIRST:
        begin = _meant(after)
        try:
            rows = [row for row in rows if row[0] > begin]
        except TypeError:
            raise _no_place() from None
    onward = _told(rows[limit - 1][0]) if len(rows) > limit else None
    return [one for _, one in rows[:limit]], onward


def _standing(found: Iterable[T], place: Callable[[T], tuple[Any, ...]]) -> list[tuple[tuple[Any, ...], T]]:
    seen: Counter[tuple[Any, ...]] = Counter()
    rows = []
    for one in found:
        where = place(one)
        rows.append(((*where, seen[where]), one))
        seen[where] += 1
    return sorted(rows, key=lambda row: row[0])


def _told(place: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(place, ensure_ascii=False).encode()).decode().rstrip("=")


def _meant(after: str) -> tuple[Any, ...]:
    try:
        said = json.loads(base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)))
    except (ValueError, RecursionError):
        raise _no_place() from None
    if not isinstance(said, list):
        raise _no_place()
    return tuple(said)


def _no_place() -> Unacceptable:
    return Unacceptable("`after` is the `next` of the page before, as it was told; for the first page leave it out.")
