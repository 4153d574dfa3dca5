"""From what a caller says to JSON, and of many memories as many at once as a server takes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

AT_ONCE = 1000
LARGEST = 4_000_000  # bytes of memories in one request: a server takes 4 MiB unless it is told otherwise
_BETWEEN = 2  # bytes from one to the next


def encoded(body: Any) -> bytes:
    """In UTF-8. Half a surrogate pair, which that has no bytes for, is escaped: it is the server's to refuse."""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")


def plain(value: Any) -> Any:
    """Of a Draft or a Message only what was said."""
    if not is_dataclass(value) or isinstance(value, type):
        return dict(value) if isinstance(value, Mapping) else value
    return {name: said for name, said in asdict(value).items() if said not in (None, "", ())}


def chunks(drafts: Iterable[Any]) -> Iterator[list[Any]]:
    """As many as fit into one request, a thousand at most; one that is too large by itself comes by itself."""
    chunk: list[Any] = []
    size = 0
    for draft in map(plain, drafts):
        length = len(encoded(draft)) + _BETWEEN
        if chunk and (len(chunk) == AT_ONCE or size + length > LARGEST):
            yield chunk
            chunk, size = [], 0
        chunk.append(draft)
        size += length
    if chunk:
        yield chunk
