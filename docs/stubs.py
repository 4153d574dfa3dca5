"""Writes src/ebbtide/sync/verbs.pyi: the verbs of `Mind` as `SyncMind` has them.

    python docs/stubs.py

A test compares the two, so a verb that changes is changed in both or noticed.
"""

import ast
import builtins
import inspect
import subprocess
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from ebbtide.mind import Mind

STUB = Path(__file__).parents[1] / "src" / "ebbtide" / "sync" / "verbs.pyi"
_OTHERWISE = {
    "Mind": "SyncMind",
    "AsyncIterator": "Iterator",
    "list": "_list",  # `list` is a verb in there
    "Turn": "SyncTurn",
}
_ALWAYS = [
    ("builtins", "list as _list"),
    ("ebbtide.mind", "Mind"),
    ("ebbtide.sync.portal", "Portal"),
    ("ebbtide.sync.turn", "SyncTurn"),
    ("typing", "Any"),
]
_TOP = """\
# Written by docs/stubs.py from `Mind`.
# ruff: noqa: A002 — arguments have the names they have there
"""
_HEAD = """\
class SyncMind:
    _mind: Any
    _portal: Portal[Any]
    def __init__(self, mind: Mind, portal: Portal[Any]) -> None: ...
    @property
    def agent(self) -> str: ...
"""


def verbs() -> dict[str, ast.FunctionDef]:
    """Each verb and property as the stub should have it."""
    return {name: _blocking(member) for name, member in _members().items()}


def stubbed(text: str) -> dict[str, ast.FunctionDef]:
    """What a stub says, verb by verb; what is not of `Mind` left out."""
    (mind,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    found = {node.name: node for node in mind.body if isinstance(node, ast.FunctionDef)}
    return {name: node for name, node in found.items() if name not in ("__init__", "agent")}


def render() -> str:
    body = [textwrap.indent(ast.unparse(node), "    ") for node in verbs().values()]
    return "\n".join([_TOP, *_imports(), "", _HEAD.rstrip(), *body]) + "\n"


def _members() -> dict[str, Any]:
    found = {name: member for name, member in inspect.getmembers(Mind) if not name.startswith("_")}
    return dict(sorted(found.items(), key=lambda one: _place(_function(one[1]))))


def _function(member: Any) -> Callable[..., Any]:
    found = member.fget if isinstance(member, property) else member
    assert inspect.isfunction(found)
    return found


def _place(function: Any) -> tuple[str, int]:
    return function.__code__.co_filename, function.__code__.co_firstlineno


def _blocking(member: Any) -> ast.FunctionDef:
    function = _function(member)
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for defaults in (node.args.defaults, node.args.kw_defaults):
        defaults[:] = [_literal(one, function) for one in defaults]
    node = _Renamed().visit(node)
    decorators: list[ast.expr] = [ast.Name("property")] if isinstance(member, property) else []
    body: list[ast.stmt] = [ast.Expr(ast.Constant(...))]
    return ast.fix_missing_locations(
        ast.FunctionDef(node.name, node.args, body, decorators, node.returns, None, lineno=1, col_offset=0)
    )


def _literal(default: Any, function: Any) -> Any:
    """A stub need not know where a number comes from."""
    return ast.Constant(function.__globals__[default.id]) if isinstance(default, ast.Name) else default


class _Renamed(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(_OTHERWISE.get(node.id, node.id))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Name(_OTHERWISE["Mind"]) if node.value == "Mind" else node


def _imports() -> Iterable[str]:
    """As the modules have them that the verbs are written in."""
    wanted = defaultdict(set)
    for module, name in [*_ALWAYS, *(pair for member in _members().values() for pair in _named(member))]:
        wanted[module].add(name)
    return [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(wanted.items())]


def _named(member: Any) -> Iterable[tuple[str, str]]:
    node = _blocking(member)
    module = sys.modules[_function(member).__module__]
    known = _imported(module)
    for part in [*ast.walk(node.args), *(ast.walk(node.returns) if node.returns else ())]:
        name = part.id if isinstance(part, ast.Name) else ""
        if name and name not in _OTHERWISE.values() and not hasattr(builtins, name):
            yield known.get(name, module.__name__), name
        elif name == "Iterator":
            yield "collections.abc", name


def _imported(module: ModuleType) -> dict[str, str]:
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in found for alias in node.names}


if __name__ == "__main__":
    STUB.write_text(render(), "utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--fix", "--select", "I", str(STUB)], check=True)
    subprocess.run([*ruff, "format", "--quiet", str(STUB)], check=True)
