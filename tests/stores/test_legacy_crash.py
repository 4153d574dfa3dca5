"""A takeover or roll-back that is killed: the file is the older one or the new one, never between.   SPEC S5."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ebbtide.stores.sqlite.legacy import roll_back, take_over
from tests.helpers import FakeClock, mind_on_disk
from tests.legacy_files import AT, GROWN, dump, older_file, query, row

pytestmark = pytest.mark.slow

ROWS = 3000
TAKE_OVER = """
import os, signal, sys
from pathlib import Path
from ebbtide.stores.sqlite.legacy import take_over

def progress(done, total):
    print(done, total, flush=True)
    if done == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

take_over(Path(sys.argv[1]), float(sys.argv[3]), "score", {}, progress)
print("done", flush=True)
"""
ROLL_BACK = """
import sys
from pathlib import Path
from ebbtide.stores.sqlite.legacy import roll_back

print("ready", flush=True)
roll_back(Path(sys.argv[1]), False)
print("done", flush=True)
"""


def big_file(path: Path, *, wal: bool = False) -> Path:
    rows = (row(f"k{i}", f"第{i}条记忆 " * 20, links=[f"k{i * 7 % ROWS}"], meta={"tags": ["x"]}) for i in range(ROWS))
    return older_file(path, rows, GROWN, wal=wal)


def kill_after(lines: int, program: str, *arguments: object) -> None:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for _ in range(lines):
            child.stdout.readline()
        child.kill()


@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("step", [1000, 3000, 5000, 6000])
def test_killed_at_any_step_the_file_is_the_older_one(tmp_path: Path, step: int, wal: bool) -> None:
    path = big_file(tmp_path / "old.db", wal=wal)
    before = dump(path)
    killed = subprocess.run(
        [sys.executable, "-c", TAKE_OVER, path, str(step), str(AT)], capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert dump(path) == before
    assert take_over(path, AT, "score", {}).memories == ROWS  # and can still be taken over


@pytest.mark.parametrize("lines", range(4, 8))
async def test_killed_from_outside_it_is_the_older_or_the_new_one(tmp_path: Path, lines: int) -> None:
    """The last lines come right before the commit and right after it: the kill lands on both sides, and inside."""
    path = big_file(tmp_path / "ada" / "mind.db")
    before = dump(path)
    kill_after(lines, TAKE_OVER, path, "-1", AT)
    if query(path, "SELECT 1 FROM sqlite_master WHERE name = 'legacy_memories'"):
        async with mind_on_disk(tmp_path, clock=FakeClock(AT)) as mind:
            assert await mind.check() == []
            assert (await mind.stats()).store.memories == ROWS
        roll_back(path)
    assert dump(path) == before


def test_a_roll_back_that_is_killed_has_happened_or_not(tmp_path: Path) -> None:
    path = big_file(tmp_path / "ada" / "mind.db")
    before = dump(path)
    for _ in range(3):
        take_over(path, AT, "score", {})
        kill_after(1, ROLL_BACK, path)
        if query(path, "SELECT 1 FROM sqlite_master WHERE name = 'legacy_memories'"):
            roll_back(path)
        assert dump(path) == before
