"""The keys of a data folder: who may come in, and to which minds. Kept as hashes; a key itself is shown once.

A key is 256 random bits behind its id, so one round of SHA-256 is all the hashing it needs: there is nothing to guess.
"""

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from filelock import FileLock

from ebbtide.core.errors import InvalidInput, NotFound, StoreUnreadable
from ebbtide.host import agents as names

FILE, LOCK = "_keys.json", "_keys.lock"
MAX_NAME = 80
_SAID = re.compile(r"ebb_([0-9a-f]{8})_[A-Za-z0-9_-]{43}")
_NOBODY = "0" * 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Key:
    """`agents` are the minds it opens; an admin's opens all, and what concerns all."""

    id: str
    hash: str
    created_at: float
    name: str = ""
    agents: tuple[str, ...] = ()
    admin: bool = False
    expires_at: float | None = None

    def opens(self, agent: str) -> bool:
        return self.admin or agent in self.agents

    def is_good(self, now: float) -> bool:
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True)
class _File:
    format: Literal[1] = 1
    keys: tuple[Key, ...] = ()


_decoder = msgspec.json.Decoder(_File)
Stamp = tuple[int, int, int]


class Keyring:
    """The keys as they are on disk at this moment: whoever revokes one, in whatever process, is heard at once."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._path = data / FILE
        self._stamp: Stamp | None = None
        self._keys: dict[str, Key] = {}
        self._ignores_case = False  # the disk, not we

    def keys(self) -> list[Key]:
        """In the order they were made."""
        return list(self._now().values())

    def find(self, said: str, now: float) -> Key | None:
        """Whose key this is; None if it is nobody's, any more or ever."""
        form = _SAID.fullmatch(said)
        key = self._now().get(form[1]) if form else None
        same = hmac.compare_digest(_hash(said), key.hash if key else _NOBODY)
        return self._as_spelled(key) if key and same and key.is_good(now) else None

    def current(self, id_: str, now: float) -> Key | None:
        """The key of this id, if it is still good."""
        key = self._now().get(id_)
        return self._as_spelled(key) if key and key.is_good(now) else None

    def create(
        self,
        now: float,
        agents: Sequence[str] = (),
        *,
        admin: bool = False,
        name: str = "",
        expires_at: float | None = None,
    ) -> tuple[Key, str]:
        """A new key, and what to say to be let in: that is kept nowhere. Makes the data folder where there is none."""
        self._check(agents, admin, name)

        def add(keys: tuple[Key, ...]) -> tuple[tuple[Key, ...], tuple[Key, str]]:
            taken = {key.id for key in keys}
            id_ = next(new for new in iter(lambda: secrets.token_hex(4), "") if new not in taken)
            said = f"ebb_{id_}_{secrets.token_urlsafe(32)}"
            key = Key(id_, _hash(said), now, name, tuple(dict.fromkeys(agents)), admin, expires_at)
            return (*keys, key), (key, said)

        return self._change(add)

    def revoke(self, id_: str) -> Key:
        gone = self._now().get(id_)
        if gone is None:
            raise NotFound(problem=f"there is no key {id_!r:.80}: `ebbtide keys list` shows those there are")

        def drop(keys: tuple[Key, ...]) -> tuple[tuple[Key, ...], Key]:
            return tuple(key for key in keys if key.id != id_), gone

        return self._change(drop)

    # ----

    def _check(self, agents: Sequence[str], admin: bool, name: str) -> None:
        if admin == bool(agents):
            raise InvalidInput(problem="a key is either for agents or for an admin: say --agent NAME or --admin")
        if len(name) > MAX_NAME or not name.isprintable():
            raise InvalidInput(problem=f"a key's name is one line of at most {MAX_NAME} characters")
        for agent in agents:
            names.folder_of(self.data, agent)
            names.require_distinct(self.data, agent)  # where Bob and bob are one folder, one key must not open both

    def _now(self) -> dict[str, Key]:
        stamp = self._look()
        if stamp != self._stamp:
            self._keys = {key.id: key for key in self._read()} if stamp else {}
            self._stamp, self._ignores_case = stamp, self._path.with_name(FILE.upper()).exists()
        return self._keys

    def _as_spelled(self, key: Key) -> Key:
        """Without the minds that are spelled otherwise: where Bob leads to bob, a key for Bob from before bob was made
        does not."""
        if not self._ignores_case or key.admin:
            return key
        spelled = {agent.casefold(): agent for agent in names.agents(self.data)}
        return replace(key, agents=tuple(name for name in key.agents if spelled.get(name.casefold(), name) == name))

    def _look(self) -> Stamp | None:
        try:
            seen = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StoreUnreadable(path=self._path, detail=_why(error)) from error
        return seen.st_mtime_ns, seen.st_size, seen.st_ino

    def _read(self) -> tuple[Key, ...]:
        try:
            return _decoder.decode(self._path.read_bytes()).keys
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise StoreUnreadable(path=self._path, detail=_why(error)) from error

    def _change(self, change: Callable[[tuple[Key, ...]], tuple[tuple[Key, ...], T]]) -> T:
        """One after another, also among processes; the file is never half written, and for this user's eyes only."""
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            with FileLock(self.data / LOCK):
                keys, answer = change(self._read())
                self._write(msgspec.json.format(msgspec.json.encode(_File(keys=keys)), indent=1))
        except OSError as error:
            raise StoreUnreadable(path=self._path, detail=_why(error)) from error
        return answer

    def _write(self, text: bytes) -> None:
        new = self._path.with_name(f"{FILE}.new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)


def _why(error: Exception) -> str:
    """Without the path, which those who are told so need not know."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _hash(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
