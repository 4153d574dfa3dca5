"""A batch's name is its own, also where one process became two."""

import subprocess
import sys

from ebbtide.mind.tokens import new_token

FORKING = """
import os
from ebbtide.mind.tokens import new_token
new_token()
if child := os.fork():
    os.waitpid(child, 0)
print(new_token(), flush=True)
"""


def test_no_two_batches_have_the_same_name() -> None:
    assert len({new_token() for _ in range(1000)}) == 1000


def test_a_fork_does_not_go_on_naming_as_its_parent() -> None:
    """Both would give the next batch the same name, and the store would take the later one for a repetition."""
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True)
    one, two = done.stdout.split()
    assert one != two
