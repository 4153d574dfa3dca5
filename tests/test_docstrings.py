"""What the docstrings of the verbs show is what happens."""

import ast
import doctest
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

import ebbtide
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from ebbtide.mind.network import Conversing
from tests.helpers import FakeClock, LetterEmbedder

VERBS = [name for name, member in inspect.getmembers(Mind) if not name.startswith("_") and callable(member)]
INSIDE = {"applied", "close", "now", "wake"}  # for whoever carries calls, not for callers
REAPING = ("reap", "unreap", "recover", "archived")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

_parser, _checker = doctest.DocTestParser(), doctest.OutputChecker()


def examples(verb: str) -> list[doctest.Example]:
    return _parser.get_examples(inspect.getdoc(getattr(Mind, verb)) or "")


@pytest.mark.parametrize("verb", sorted(set(VERBS) - INSIDE))
async def test_a_verb_does_what_its_docstring_shows(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EBBTIDE_ARCHIVE", str(tmp_path / "archive"))
    assert examples(verb), f"the docstring of {verb} has no example"
    async with lived_in(tmp_path, verb) as mind:
        names: dict[str, Any] = {"mind": mind, "State": ebbtide.State, "DAY": DAY}
        for example in examples(verb):
            said = await run(example.source, names)
            assert _checker.check_output(example.want, said, FLAGS), f"{example.source}{said}"


@asynccontextmanager
async def lived_in(data: Path, verb: str) -> AsyncIterator[Mind]:
    """A mind that has this verb, and knows of the ferry."""
    metabolism = "network" if verb in vars(Conversing) else "retention" if verb in REAPING else "activity"
    clock = FakeClock()
    how: dict[str, Any] = {"clock": clock, "embedder": LetterEmbedder()}
    async with ebbtide.open("ada", data=data, metabolism=metabolism, **how) as mind:
        if metabolism == "network":
            await mind.remember([{"role": "user", "content": "Lin takes the ferry to Lamma."}])
            await mind.idle()
            await mind.compress()
        else:
            await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
            await mind.put("Lin lives on Lamma.", key="lin")
            await mind.link("lin", "ferry", "takes", 0.8)
        clock.forward(5 * DAY if metabolism == "retention" else 0.0)
        yield mind


async def run(source: str, names: dict[str, Any]) -> str:
    """What a prompt would show: of an expression its value, unless that is None."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("_value", ast.Store())], last.value)
    code: CodeType = compile(ast.fix_missing_locations(tree), "<docstring>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    said = StringIO()
    with redirect_stdout(said):
        done = FunctionType(code, names)()
        if inspect.isawaitable(done):
            await done
    value = names.pop("_value", None)
    return said.getvalue() + (f"{value!r}\n" if value is not None else "")
