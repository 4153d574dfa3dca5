"""The archive in a bucket of a real S3 server, and all the ways not to get there.   SPEC R6."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from ebbtide.core.archive import Archive
from ebbtide.core.errors import EbbtideError, InvalidInput
from ebbtide.stores.archive import FsspecArchive
from tests.archives import ArchiveContract, named, record
from tests.s3 import S3Server, looking, s3_server, secret_of

pytestmark = pytest.mark.slow

BUCKET = "minds"


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        with looking(server) as files:
            files.mkdir(BUCKET)
        yield server


class TestInABucket(ArchiveContract):
    @pytest.fixture
    async def archive(self, s3: S3Server, request: pytest.FixtureRequest) -> AsyncIterator[Archive]:
        self.prefix = f"{BUCKET}/{abs(hash(request.node.nodeid)):x}/档案"
        archive = FsspecArchive(f"s3://{self.prefix}", s3.options())
        with looking(s3) as self.files:
            yield archive
            await archive.close()

    def names(self) -> list[str]:
        return sorted(path.removeprefix(f"{self.prefix}/") for path in self.files.find(self.prefix))

    def write(self, name: str, body: bytes) -> None:
        self.files.pipe_file(f"{self.prefix}/{name}", body)

    def read(self, name: str) -> bytes:
        return bytes(self.files.cat_file(f"{self.prefix}/{name}"))


async def test_two_at_once_under_one_name_leave_one_of_them_whole(s3: S3Server) -> None:
    one, other = (FsspecArchive(f"s3://{BUCKET}/twice", s3.options()) for _ in range(2))
    for number in range(5):
        run = f"run{number}"
        puts = [one.put("ada", run, [record(1, run)]), other.put("ada", run, [record(2, run)])]
        outcomes = await asyncio.gather(*puts, return_exceptions=True)
        assert sum(isinstance(outcome, str) for outcome in outcomes) == 1
        assert len((await one.find("ada", run=run)).records) == 1
    await one.close()
    await other.close()


async def test_a_bucket_without_a_prefix_will_do_and_a_closed_archive_has_let_go(s3: S3Server) -> None:
    with looking(s3) as files:
        files.mkdir("whole")
    archive = FsspecArchive("s3://whole", s3.options())
    assert await archive.put("ada", "r1", [record(1)]) == "s3://whole/ada/2025-06-16-r1.jsonl"
    assert (await archive.find("ada")).records == (record(1),)
    await archive.close()
    await archive.close()


async def test_endpoint_and_keys_may_stand_in_the_environment(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "keeper")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret_of("keeper"))
    archive = FsspecArchive(f"s3://{BUCKET}/environment")
    await archive.put("ada", "r1", [record(1)])
    assert (await archive.find("ada")).records == (record(1),)
    await archive.close()


# ---- no way to it


async def require_told(archive: Archive, told: str, *never: str) -> None:
    """By every call."""
    with named(told, *never):
        await archive.put("ada", "r1", [record(1)])
    with named(told, *never):
        await archive.find("ada")
    with named(told, *never):
        await archive.runs("ada")
    await archive.close()


async def test_a_bucket_that_is_not_there(s3: S3Server) -> None:
    archive = FsspecArchive("s3://nowhere/x", s3.options())
    await require_told(archive, "The archive s3://nowhere/x cannot be used: there is no bucket 'nowhere'")
    with looking(s3) as files:
        assert not files.exists("nowhere")


@pytest.mark.parametrize("wrong", [{"key": "nobody"}, {"secret": "not-the-secret"}])
async def test_a_wrong_key_or_secret(s3: S3Server, wrong: dict[str, str]) -> None:
    archive = FsspecArchive(f"s3://{BUCKET}/x", s3.options() | wrong)
    await require_told(archive, "access was refused", secret_of("keeper"), *wrong.values())


async def test_one_who_may_only_read_reads(s3: S3Server) -> None:
    keeper, reader = (FsspecArchive(f"s3://{BUCKET}/r", s3.options(who)) for who in ("keeper", "reader"))
    await keeper.put("ada", "r1", [record(1)])
    assert (await reader.find("ada")).records == (record(1),)
    with named(r"access was refused \(AccessDenied\)", secret_of("reader")):
        await reader.put("ada", "r2", [record(1, "r2")])
    assert [run.run for run in await keeper.runs("ada")] == ["r1"]
    await keeper.close()
    await reader.close()


async def test_no_key_at_all(s3: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    await require_told(FsspecArchive(f"s3://{BUCKET}/x", {"endpoint": s3.endpoint}), "no key was found")


async def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: whoever knocks is turned away
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        options = {"endpoint": f"http://user:pass-word@{address}", "key": "k-e-y", "secret": "s-e-c"}
        archive = FsspecArchive("s3://minds/x", options)
        await require_told(archive, f"there is no connection to {address}", "pass-word", "k-e-y", "s-e-c")


@asynccontextmanager
async def impostor(answer: bytes | None) -> AsyncIterator[str]:
    """Says the same to everybody and hangs up; None: listens, and says nothing until the other gives up."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await (reader.read() if answer is None else reader.readuntil(b"\r\n\r\n"))
            writer.write(answer or b"")
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "no answer within 1 seconds|no connection"),
        (b"", "no answer within 1 seconds|no connection"),
        (b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n", "cannot be used"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "cannot be used"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<?xml", "cannot be used"),
    ],
)
async def test_somebody_else_listens(answer: bytes | None, told: str) -> None:
    async with impostor(answer) as address:
        options = {"endpoint": address, "key": "k-e-y", "secret": "s-e-c", "timeout": 1.0}
        archive = FsspecArchive("s3://minds/x", options)
        with named(told, "k-e-y", "s-e-c"):
            await archive.find("ada")
        await archive.close()


def test_options_that_do_not_fit_are_refused_without_a_word_of_the_secret() -> None:
    for url, options, told in (
        ("s3://k:s-e-c@bucket", {}, "do not belong into the archive's address"),
        ("s3://bucket", {"secrete": "s-e-c"}, "no option secrete: there are endpoint, key, secret"),
        ("s3://bucket", {"endpoint": "s-e-c"}, "endpoint is not an address"),
    ):
        with pytest.raises(InvalidInput, match=told) as raised:
            FsspecArchive(url, options)
        assert "s-e-c" not in str(raised.value)


async def test_a_page_in_place_of_an_archive_is_never_taken_for_a_kept_record() -> None:
    async with impostor(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>") as address:
        archive = FsspecArchive("s3://minds/x", {"endpoint": address, "key": "k", "secret": "s", "timeout": 1.0})
        with pytest.raises(EbbtideError):
            await archive.put("ada", "r1", [record(1)])
        await archive.close()


# ---- what it takes

WITHOUT = """
import sys
sys.modules["s3fs"] = None
from ebbtide.core.errors import ArchiveUnreachable
from ebbtide.stores.archive import FsspecArchive
FsspecArchive("a-folder")
try:
    FsspecArchive("s3://bucket")
except ArchiveUnreachable as error:
    print(error)
"""


def test_without_the_package_for_s3_folders_work_and_the_error_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    assert "`pip install 'ebbtide[s3]'`" in done.stdout
    assert not list(tmp_path.iterdir())


def test_an_archive_that_nobody_uses_costs_no_import() -> None:
    told = "import json, sys, ebbtide.stores.archive; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=60, check=True)
    assert not {"fsspec", "s3fs", "botocore", "aiohttp"} & set(json.loads(done.stdout))
