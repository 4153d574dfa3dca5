"""Values to JSON and back. The journal is meant to be readable by people, so it is JSON and not something denser."""

import zlib
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from ebbtide.core.changes import KIND_OF, KINDS, Change, Entry
from ebbtide.core.memory import Content
from ebbtide.core.snapshot import Senses, Snapshot
from ebbtide.core.state import Task, Trashed

_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[Any]] = {kind: msgspec.json.Decoder(change) for kind, change in KINDS.items()}
_trashed = msgspec.json.Decoder(Trashed)
_snapshot = msgspec.json.Decoder(Snapshot)
_task = msgspec.json.Decoder(Task)
_senses = msgspec.json.Decoder(Senses)
_words = msgspec.json.Decoder(tuple[str, ...])
_ids = msgspec.json.Decoder(tuple[int, ...])

# What reading back raises when the bytes are not ours; the third is SQLite naming what it cannot read itself.
GARBLED = (msgspec.MsgspecError, zlib.error, UnicodeDecodeError)
_T = TypeVar("_T")


def kind(change: Change) -> str:
    return KIND_OF[type(change)]


def encode(value: Any) -> str:
    return _said(_encoder.encode(value)).decode()


def encode_all(values: Sequence[Any]) -> list[str]:
    """Each by itself, at one stroke. Line ends inside a text are escaped, so none but those between values remain."""
    if len(values) == 1:
        return [encode(values[0])]
    return _said(_encoder.encode_lines(values)).decode().split("\n")[:-1]


def _said(body: bytes) -> bytes:
    """Without empty speakers: a content without a speaker is written as before there were speakers.

    A quotation mark inside a text is escaped, so this cannot be a part of one.
    """
    return body.replace(b',"speaker":""}', b"}")


def entry(seq: int, kind: str, body: str, token: str | None) -> Entry:
    if kind not in _decoders:
        raise msgspec.ValidationError(f"there are no entries of the kind {kind!r}")
    return Entry(seq, _decode(_decoders[kind], body), token or "")


def trashed(body: str) -> Trashed:
    return _decode(_trashed, body)


def task(body: str) -> Task:
    return _decode(_task, body)


def senses(body: str) -> Senses:
    return _decode(_senses, body)


def words(body: str) -> tuple[str, ...]:
    return _decode(_words, body)


def ids(body: str) -> tuple[int, ...]:
    return _decode(_ids, body)


def _decode(decoder: msgspec.json.Decoder[_T], body: str | None) -> _T:
    return decoder.decode(body or "")  # a damaged file gives nothing where there must be something


def content(row: Sequence[str]) -> Content:
    """From the first seven columns of a row, as every query that reads contents has them."""
    key, text, phrase, keywords, kind, domain, speaker = row[:7]
    return Content(key, text, phrase, words(keywords) if keywords != "[]" else (), kind, domain, speaker)


def pack(snapshot: Snapshot) -> bytes:
    return zlib.compress(_said(_encoder.encode(snapshot)), 6)


def unpack(body: bytes) -> Snapshot:
    return _snapshot.decode(zlib.decompress(body))
