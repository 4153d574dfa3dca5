"""A real small model for the tests of this folder. `make test-model` prepares what they need and runs them.

Any other OpenAI-compatible endpoint can be put to the same tests:
    EBBTIDE_TEST_BASE_URL=http://localhost:11434/v1 EBBTIDE_TEST_MODEL=qwen2.5:3b .venv/bin/pytest tests_model
"""

import os
import select
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from ebbtide.models.openai import OpenAIModel

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".venv-model" / "bin" / "python"
WEIGHTS = ROOT / ".cache" / "qwen2.5-coder-0.5b-instruct-q4.gguf"
READY_WITHIN = 180.0  # seconds
SAYS = "listening at "


class Served(NamedTuple):
    """Where a small model listens, and under which name."""

    base_url: str
    model: str


@pytest.fixture(scope="session")
def served_model() -> Iterator[Served]:
    """A small model served on loopback, started once for all tests: `served_model.base_url`, `.model`."""
    base_url = os.environ.get("EBBTIDE_TEST_BASE_URL")
    if base_url:
        yield Served(base_url, os.environ.get("EBBTIDE_TEST_MODEL", "default"))
        return
    if not PYTHON.exists() or not WEIGHTS.exists():
        pytest.skip("there is no model here yet: run `make test-model`")
    command = [str(PYTHON), str(Path(__file__).with_name("server.py")), str(WEIGHTS)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield Served(f"{_address(server.stdout)}/v1", "qwen2.5-coder-0.5b")
        finally:
            server.stdin.close()  # it ends with that
            try:
                server.wait(timeout=30.0)
            except subprocess.TimeoutExpired:
                server.kill()


@pytest.fixture
async def small_model(served_model: Served) -> AsyncIterator[OpenAIModel]:
    """The small model behind its port, with the patience a slow machine needs."""
    async with OpenAIModel(served_model.base_url, served_model.model, timeout=300.0) as model:
        yield model


def _address(output: IO[str]) -> str:
    while True:
        readable, _, _ = select.select([output], [], [], READY_WITHIN)
        line = output.readline() if readable else ""
        if not line:
            pytest.fail(f"the model's server was not ready within {READY_WITHIN:g} s, or ended")
        if line.startswith(SAYS):
            return line.removeprefix(SAYS).strip()
