"""A complaint is for a model: it names tools and their arguments, no command, and no folder of this machine."""

import re
from collections.abc import Iterator

import pytest

from ebbtide.core import errors
from ebbtide.core.errors import EbbtideError
from ebbtide.serve.mcp.complaints import one_line
from ebbtide.serve.mcp.tools import TOOLS

FACTS = {
    name: f"the {name}"
    for name in ("problem", "agent", "field", "reason", "key", "relation", "source", "target", "task", "metabolism")
} | {"detail": "it is so", "server": "it", "owner": "", "data": "/home/ada", "path": "/home/ada", "archive": "s3://a"}
UNHEARD_OF = {errors.UnknownTask}  # no tool takes a task


def every(kind: type[EbbtideError] = EbbtideError) -> Iterator[type[EbbtideError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from every(below)


@pytest.mark.parametrize("kind", [kind for kind in every() if kind not in UNHEARD_OF])
def test_no_complaint_speaks_of_commands_or_folders(kind: type[EbbtideError]) -> None:
    said = one_line(kind(**FACTS))
    assert "/home" not in said
    assert "s3:" not in said
    assert not re.search(r"`|--\w", said)


def test_what_a_complaint_tells_to_call_is_there() -> None:
    said = one_line(errors.Expired(key="ferry"))
    for tool, argument in re.findall(r"(\w+) with (\w+)=", said):
        assert argument in TOOLS[tool].asked.model_fields
    assert said.count(" with ") == 2


def test_a_complaint_is_one_line_of_whole_characters_and_not_without_end() -> None:
    said = one_line(errors.InvalidInput(problem="a\nb\u2028c\x85d \ud83d " + "x" * 2_000))
    assert said.startswith("a b c d ? x")
    assert (len(said), said[-1]) == (1_001, "…")
