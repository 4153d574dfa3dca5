"""A shelf that is a bucket, or a prefix in one, behind anything that speaks S3."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from ebbtide.core.errors import ArchiveUnreachable, InvalidInput, StoreFull
from ebbtide.stores.archive.shelf import NO_ROOM

TIMEOUT = 60.0  # seconds for one file or listing, all attempts included

_OPTIONS = {"endpoint": "endpoint_url", "key": "key", "secret": "secret", "token": "token"}
_MISSING = "S3 takes a package more, which `pip install 'ebbtide[s3]'` brings"


class Bucket:
    """One PUT is one file, whole or not at all: that much S3 promises."""

    def __init__(self, rest: str, options: dict[str, Any]) -> None:
        if "@" in rest.partition("/")[0]:
            raise InvalidInput(problem="key and secret do not belong into the archive's address: give them as options")
        self.root = rest.strip("/")
        self._bucket = self.root.partition("/")[0]
        if not self._bucket or rest.startswith("/"):
            raise InvalidInput(problem="the archive's address names no bucket: use s3://bucket/prefix")
        self._timeout = float(options.pop("timeout", TIMEOUT))
        self._host = _host(options.get("endpoint"))
        self._s3, self._raised = self._connected(options)

    def shown(self, path: str) -> str:
        return f"s3://{path}"

    def files(self, folder: str) -> list[tuple[str, int]]:
        with self._named_errors():
            try:
                listed = self._s3.ls(folder, detail=True, timeout=self._timeout)
            except FileNotFoundError as error:
                if _code(error):  # it is not the folder that is missing
                    raise
                return []
            return [(found["name"], found["size"]) for found in listed if found["type"] == "file"]

    def read(self, path: str) -> bytes:
        with self._named_errors():
            return bytes(self._s3.cat_file(path, timeout=self._timeout))

    def write_new(self, path: str, body: bytes) -> bool:
        """We look first, for not every server knows the condition; the condition is for two who look at once."""
        with self._named_errors():
            if self._exists(path):
                return False
            try:
                self._s3.pipe_file(path, body, mode="create", timeout=self._timeout)
            except OSError as error:
                if _code(error) != "PreconditionFailed":
                    raise
                return False
            return True

    def close(self) -> None:
        if (session := getattr(self._s3, "_s3creator", None)) is not None:  # it has said something
            self._s3.close_session(self._s3.loop, session)

    def _exists(self, path: str) -> bool:
        try:
            self._s3.info(path, timeout=self._timeout)
        except FileNotFoundError:
            return False
        return True

    def _connected(self, options: Mapping[str, Any]) -> tuple[Any, tuple[type[Exception], ...]]:
        """The file system, and the errors it may raise. No word is exchanged yet."""
        try:
            from aiohttp import ClientError
            from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]
            from s3fs import S3FileSystem  # type: ignore[import-untyped]
        except ImportError as error:
            raise ArchiveUnreachable(archive=self.shown(self.root), detail=_MISSING) from error
        return S3FileSystem(**_arguments(options, self._timeout)), (OSError, BotoCoreError, ClientError)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except self._raised as error:
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                raise StoreFull(path=self.shown(self.root), detail=error.strerror) from error
            raise ArchiveUnreachable(archive=self.shown(self.root), detail=self._reason(error)) from error

    def _reason(self, error: Exception) -> str:
        """In our own words, for theirs may hold an address with a password in it."""
        told = _code(error) or type(error).__name__
        if _code(error) == "NoSuchBucket":
            return f"there is no bucket {self._bucket!r}"
        if isinstance(error, PermissionError):
            return f"access was refused ({told}): look at the key, the secret and what they permit"
        if isinstance(error, TimeoutError):
            return f"{self._host} gave no answer within {self._timeout:g} seconds"
        if "Credentials" in told:
            return "no key was found: give key and secret as options, or in the environment"
        if isinstance(error, OSError):
            return f"{self._host} answered with an error ({told})"
        return f"there is no connection to {self._host} ({told})"


def _host(endpoint: str | None) -> str:
    if endpoint is None:
        return "the server"
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(problem="the archive's endpoint is not an address: use http://host:port or https://host")
    return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname


def _arguments(options: Mapping[str, Any], timeout: float) -> dict[str, Any]:
    """What s3fs takes. Nothing is cached: neither listings, nor the instance with its keys."""
    if unknown := options.keys() - _OPTIONS.keys() - {"region"}:
        known = ", ".join([*_OPTIONS, "region", "timeout"])
        raise InvalidInput(problem=f"an archive has no option {', '.join(sorted(unknown))}: there are {known}")
    region = {"region_name": options["region"]} if "region" in options else {}
    waits = {"connect_timeout": min(5.0, timeout), "read_timeout": timeout, "retries": {"max_attempts": 2}}
    return {
        **{_OPTIONS[name]: value for name, value in options.items() if name in _OPTIONS},
        "client_kwargs": region,
        "config_kwargs": waits,
        "use_listings_cache": False,
        "skip_instance_cache": True,
    }


def _code(error: BaseException) -> str:
    """What S3 calls the error; empty if it did not come from there."""
    answer = getattr(error.__cause__, "response", None) or {}
    return str(answer.get("Error", {}).get("Code", ""))
