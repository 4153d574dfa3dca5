"""The archive on fsspec: a folder of this machine, or a bucket that speaks S3.   SPEC R6.

    <agent>/<day>-<run>[.<part>[-<piece>]].jsonl

Each file is written once, whole or not at all. None is larger than a piece, so whatever the size of a run, no
more than one piece of it is in RAM as bytes.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from ebbtide.core.archive import UNDATED, Archived, ArchivedRun, Found, day, decode, encode
from ebbtide.core.errors import Conflict, InvalidAgent, InvalidInput, StoreError, StoreUnreadable
from ebbtide.stores.archive.bucket import Bucket
from ebbtide.stores.archive.folder import Folder
from ebbtide.stores.archive.shelf import Shelf

PIECE_RECORDS = 5_000
PIECE_BYTES = 16 * 2**20
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")  # no dot: what follows one is the part
_NAME = re.compile(rf"(\d{{4}}-\d\d-\d\d|{UNDATED})-({_RUN.pattern})(?:\.(\d+)(?:-(\d+))?)?\.jsonl")


class _File(NamedTuple):
    """One file of an agent, in an order that does not depend on where it lies."""

    day: str
    run: str
    part: int
    piece: int
    path: str
    size: int


class FsspecArchive:
    """An `Archive` in a local folder (a path, or file://…) or in a bucket (s3://bucket/prefix).

    Options for S3: endpoint, key, secret, token, region, and timeout in seconds. What is not given comes from where
    AWS tools look: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_DEFAULT_REGION, the shared files.
    """

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        self._shelf = _shelf(url, dict(options or {}))

    async def put(self, agent: str, run: str, records: Sequence[Archived], *, part: int = 1) -> str:
        folder = self._folder(agent)
        _require_one_run(agent, run, records, part)
        return await asyncio.to_thread(self._put, folder, run, records, part)

    async def find(self, agent: str, key: str | None = None, run: str | None = None) -> Found:
        return await asyncio.to_thread(self._find, self._folder(agent), key, run)

    async def runs(self, agent: str) -> list[ArchivedRun]:
        return await asyncio.to_thread(self._runs, self._folder(agent))

    async def close(self) -> None:
        await asyncio.to_thread(self._shelf.close)

    def _folder(self, agent: str) -> str:
        """No agent that passes can lead anywhere but to its own folder."""
        if not _AGENT.fullmatch(agent):
            raise InvalidAgent(agent=agent)
        return f"{self._shelf.root}/{agent}"

    def _put(self, folder: str, run: str, records: Sequence[Archived], part: int) -> str:
        first = ""
        for piece, body in enumerate(_pieces(records), 1):
            path = f"{folder}/{_name(day(records[0].at), run, part, piece)}"
            if not self._shelf.write_new(path, body) and self._shelf.read(path) != body:
                told = f"{self._shelf.shown(path)} holds other records: archive these under another run or part"
                raise Conflict(problem=told)
            first = first or self._shelf.shown(path)
        return first

    def _find(self, folder: str, key: str | None, run: str | None) -> Found:
        records, damaged = [], []
        for file in self._files(folder):
            for record in self._records(file) if run in (None, file.run) else ():
                if isinstance(record, StoreError):
                    damaged.append(record)
                elif key in (None, record.content.key):
                    records.append(record)
        records.reverse()
        return Found(tuple(sorted(records, key=lambda record: -record.at)), tuple(damaged))

    def _runs(self, folder: str) -> list[ArchivedRun]:
        found: dict[str, ArchivedRun] = {}
        for file in self._files(folder):
            more = self._counted(file)
            found[file.run] = _together(found[file.run], more) if file.run in found else more
        return sorted(found.values(), key=lambda run: (-(run.at or 0.0), run.run))

    def _counted(self, file: _File) -> ArchivedRun:
        at, memories, damaged = None, 0, 0
        for record in self._records(file):
            if isinstance(record, StoreError):
                damaged += 1
            else:
                memories += 1
                at = _earlier(at, record.at)
        return ArchivedRun(file.run, at, memories, file.size, damaged)

    def _records(self, file: _File) -> Iterator[Archived | StoreError]:
        """Every line of a file as a record, or as the error that says why it is none."""
        shown, agent = self._shelf.shown(file.path), file.path.split("/")[-2]
        for number, line in enumerate(self._shelf.read(file.path).split(b"\n"), 1):
            if line:
                yield _record(line, f"{shown}, line {number},", agent, file.run)

    def _files(self, folder: str) -> list[_File]:
        """Only what bears a name that `put` gives: whatever else lies there is not ours."""
        found = []
        for path, size in self._shelf.files(folder):
            if match := _NAME.fullmatch(path.rpartition("/")[2]):
                day, run, part, piece = match.groups()
                found.append(_File(day, run, int(part or 1), int(piece or 1), path, size))
        return sorted(found)


def _require_one_run(agent: str, run: str, records: Sequence[Archived], part: int) -> None:
    if not _RUN.fullmatch(run):
        problem = f"{run!r:.80} is not a run: use 1 to 128 letters, digits, '_' or '-', starting with a letter or digit"
        raise InvalidInput(problem=problem)
    if part < 1:
        raise InvalidInput(problem=f"{part} is not a part: they are numbered from 1 on")
    if any((record.agent, record.run) != (agent, run) for record in records):
        raise InvalidInput(problem=f"these records are not all of the agent {agent!r} and the run {run!r}")


def _name(day: str, run: str, part: int, piece: int) -> str:
    number = f".{part}-{piece}" if piece > 1 else f".{part}" if part > 1 else ""
    return f"{day}-{run}{number}.jsonl"


def _pieces(records: Sequence[Archived]) -> Iterator[bytes]:
    """The records as the bodies of files. Where one ends follows from the records alone, so a repeat makes the same."""
    lines: list[bytes] = []
    size = 0
    for line in map(encode, records):
        if lines and (len(lines) == PIECE_RECORDS or size + len(line) > PIECE_BYTES):
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def _record(line: bytes, where: str, agent: str, run: str) -> Archived | StoreError:
    try:
        record = decode(line, where)
    except StoreError as error:
        return error
    if (record.agent, record.run) != (agent, run):
        return StoreUnreadable(path=where, detail=f"it is not a record of the agent {agent!r} and the run {run!r}")
    return record


def _together(one: ArchivedRun, more: ArchivedRun) -> ArchivedRun:
    return ArchivedRun(
        run=one.run,
        at=_earlier(one.at, more.at),
        memories=one.memories + more.memories,
        bytes=one.bytes + more.bytes,
        damaged=one.damaged + more.damaged,
    )


def _earlier(one: float | None, other: float | None) -> float | None:
    return min((moment for moment in (one, other) if moment is not None), default=None)


def _shelf(url: str, options: dict[str, Any]) -> Shelf:
    scheme, found, rest = url.partition("://")
    if found and scheme == "s3":
        return Bucket(rest, options)
    if options:
        raise InvalidInput(problem=f"an archive in a folder has no options: {', '.join(sorted(options))}")
    if not found:
        return Folder(Path(url))
    if scheme == "file" and rest.startswith("/"):
        return Folder(Path(unquote(rest)))
    raise InvalidInput(
        problem=f"the archive {scheme}://… is neither a folder, nor file:///folder, nor s3://bucket/prefix"
    )
