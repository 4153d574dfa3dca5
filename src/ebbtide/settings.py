"""One frozen Settings, read from the file and the environment in one function.

Later wins: the defaults here, `ebbtide.toml` in the data folder, EBBTIDE_* in the environment, what the caller says.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ebbtide.core.errors import InvalidInput

FILE = "ebbtide.toml"
PREFIX = "EBBTIDE_"
MAX_DIMENSIONS = 65_536  # of an embedder: more is a slip of the hand
MAX_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Settings:
    data: Path = field(default_factory=lambda: Path.home() / ".ebbtide")
    agent: str = "default"
    metabolism: str = "tide"  # of minds yet to be made
    params: Mapping[str, Any] = field(default_factory=dict)  # of minds yet to be made
    durability: str = "normal"  # normal: survives a crash; full: survives a power cut
    open_minds: int = 64  # how many minds stay open at once
    batch_size: int = 100  # memories a tick writes in one transaction
    batch_pause: float = 0.0  # seconds a tick gives way between two of them
    archive: str = ""  # where the reaper's archive is: a folder, or s3://bucket/prefix; empty: there is none
    archive_endpoint: str = ""  # of an S3-compatible server that is not Amazon's
    archive_key: str = field(default="", repr=False)
    archive_secret: str = field(default="", repr=False)
    model: str = "builtin"  # the small model of network minds: builtin, or openai for any compatible endpoint
    model_url: str = ""  # of the endpoint, up to and with /v1
    model_name: str = ""
    model_key: str = field(default="", repr=False)
    model_timeout: float = 60.0  # seconds one answer may take
    embedder: str = "builtin"  # what finds by meaning: builtin, static, openai for any compatible endpoint, or none
    embedder_url: str = ""  # of the endpoint, up to and with /v1
    embedder_name: str = ""
    embedder_key: str = field(default="", repr=False)
    embedder_timeout: float = 60.0  # seconds one answer may take
    embedder_dimensions: int = 0  # 0: as many as it answers with
    host: str = "127.0.0.1"  # where `serve` listens; anywhere but on loopback keys are required
    port: int = 8321  # 0: any that is free
    require_keys: bool = False  # on loopback too
    body_limit: int = 4 * 2**20  # bytes a request may bring
    log_format: str = "text"  # of the server: text, or json for one object a line


def load_settings(said: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings to go by. What cannot be used is an error that names it.

    Empty variables count as not set; variables of other names are somebody else's.
    """
    environ = os.environ if environ is None else environ
    said = {name: value for name, value in (said or {}).items() if value is not None}
    from_environment = _from_environment(environ)
    data = _folder(said.get("data", from_environment.get("data")))
    merged = {**_from_file(data / FILE), **from_environment, **said, "data": data}
    return Settings(**{name: _checked(name, value) for name, value in merged.items()})


def _folder(data: Any) -> Path:
    if data is not None and not str(data):
        raise InvalidInput(problem="the data folder is '': name one, or leave it out")
    try:
        return Settings().data if data is None else Path(data).expanduser()
    except RuntimeError:  # this user has no home, or there is no such user
        problem = "no home folder to find the minds in: name a folder with --data or EBBTIDE_DATA"
        raise InvalidInput(problem=problem) from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = [f.name for f in fields(Settings) if f.name != "params"]
    return {name: value for name in names if (value := environ.get(f"{PREFIX}{name.upper()}"))}


def _from_file(path: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except NotADirectoryError:
        raise InvalidInput(problem=f"{path.parent} is not a folder") from None
    except OSError as error:
        raise InvalidInput(problem=f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidInput(problem=f"{path} cannot be read: {error}") from error
    known = {f.name for f in fields(Settings)} - {"data"}
    for name in found:
        if name not in known:
            raise InvalidInput(problem=f"{path} has an unknown setting {name!r}: there are {', '.join(sorted(known))}")
    return found


def _positive(value: Any) -> int:
    if not str(value).isdecimal() or int(value) < 1:
        raise ValueError("it must be a whole number, at least 1")
    return int(value)


def _pause(value: Any) -> float:
    seconds = float(value)
    if not 0.0 <= seconds < 3600.0:
        raise ValueError("it must be from 0 to 3600 seconds")
    return seconds


def _durability(value: Any) -> str:
    if value not in ("normal", "full"):
        raise ValueError("it must be normal or full")
    return str(value)


def _model(value: Any) -> str:
    if value not in ("builtin", "openai"):
        raise ValueError("it must be builtin or openai")
    return str(value)


def _embedder(value: Any) -> str:
    if value not in ("builtin", "static", "openai", "none"):
        raise ValueError("it must be builtin, static, openai or none")
    return str(value)


def _dimensions(value: Any) -> int:
    if not str(value).isdecimal() or int(value) > MAX_DIMENSIONS:
        raise ValueError(f"it must be a whole number from 0 to {MAX_DIMENSIONS}")
    return int(value)


def _port(value: Any) -> int:
    if not str(value).isdecimal() or int(value) > MAX_PORT:
        raise ValueError(f"it must be a whole number from 0 to {MAX_PORT}")
    return int(value)


def _yes(value: Any) -> bool:
    said = str(value).casefold()
    if said not in ("true", "false", "1", "0", "yes", "no"):
        raise ValueError("it must be true or false")
    return said in ("true", "1", "yes")


def _log_format(value: Any) -> str:
    if value not in ("text", "json"):
        raise ValueError("it must be text or json")
    return str(value)


def _table(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("it must be a table of parameters")
    return value


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "data": Path,
    "agent": str,
    "metabolism": str,
    "params": _table,
    "durability": _durability,
    "open_minds": _positive,
    "batch_size": _positive,
    "batch_pause": _pause,
    "archive": str,
    "archive_endpoint": str,
    "archive_key": str,
    "archive_secret": str,
    "model": _model,
    "model_url": str,
    "model_name": str,
    "model_key": str,
    "model_timeout": _pause,
    "embedder": _embedder,
    "embedder_url": str,
    "embedder_name": str,
    "embedder_key": str,
    "embedder_timeout": _pause,
    "embedder_dimensions": _dimensions,
    "host": str,
    "port": _port,
    "require_keys": _yes,
    "body_limit": _positive,
    "log_format": _log_format,
}


def _checked(name: str, value: Any) -> Any:
    try:
        return _CHECKS[name](value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(problem=f"the setting {name} = {value!r} is not usable: {error}") from error
