"""Signals at awkward moments: while the server starts, and while it puts everything on disk."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from ebbtide.core.errors import Conflict, InvalidInput
from ebbtide.host.card import CARD
from ebbtide.serve.listening import listening
from ebbtide.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="speaks of signals")]

_SERVER = """
import asyncio, os, signal, sys
from contextlib import asynccontextmanager
from pathlib import Path
from ebbtide.serve import server
from ebbtide.settings import Settings

real = server.house
awkward = sys.argv[2]

def tell():
    os.kill(os.getpid(), signal.SIGTERM)

@asynccontextmanager
async def house(*args, **how):
    async with real(*args, **how) as minds:
        if awkward == "starting":
            tell()
            await asyncio.Event().wait()
        yield minds
        tell()
        for _ in range(10):  # the loop hears of it
            await asyncio.sleep(0)
    print("left", flush=True)

server.house = house
settings = Settings(data=Path(sys.argv[1]), port=0, embedder="none")
asyncio.run(server.serve(settings, lambda where: tell(), page=False))
print("ended", flush=True)
"""


@pytest.mark.parametrize(("moment", "said"), [("leaving", "left\nended\n"), ("starting", "ended\n")])
def test_a_signal_at_an_awkward_moment_leaves_everything_in_order(tmp_path: Path, moment: str, said: str) -> None:
    command = [sys.executable, "-c", dedent(_SERVER), str(tmp_path), moment]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, said), done.stderr
    assert not (tmp_path / CARD).exists()


def test_an_address_is_had_before_anything_is_loaded() -> None:
    with listening(Settings(port=0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(Conflict, match="taken by another process"), listening(Settings(port=port)):
            raise AssertionError
        with socket.create_connection(("127.0.0.1", port), timeout=10):  # whoever comes early waits
            pass


@pytest.mark.parametrize("host", ["a..b", ".", "x" * 64 + ".example", "no.such.host.invalid"])
def test_what_cannot_be_a_host_is_told_in_words(host: str) -> None:
    with pytest.raises(InvalidInput, match="host"), listening(Settings(host=host, port=0)):
        raise AssertionError
