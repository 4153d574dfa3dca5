"""Commands about the server: running it, and the keys by which others come in."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.times import iso, relative, span

if TYPE_CHECKING:
    from ebbtide.serve.keys import Key, Keyring
    from ebbtide.serve.server import Address

PANEL = "Servers"
keys = typer.Typer(no_args_is_help=True, help="The keys by which others come in.")


def register(app: typer.Typer) -> None:
    app.command(rich_help_panel=PANEL)(serve)
    keys.command("create")(create)
    keys.command("list")(list_)
    keys.command("revoke")(revoke)
    app.add_typer(keys, name="keys", rich_help_panel=PANEL)


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Where to listen (default 127.0.0.1: this machine only).")] = None,
    port: Annotated[str | None, typer.Option(help="At which port (default 8321); 0 takes one that is free.")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Fill in demo minds with months behind them.")] = False,
    no_page: Annotated[bool, typer.Option("--no-page", help="Only the API and the tools for agents.")] = False,
    log_format: Annotated[str | None, typer.Option(help="text, or json for one object a line.")] = None,
) -> None:
    """HTTP API, tools for agents (MCP) and a page to look at, in one process that also ticks and reaps.

    Beyond this machine it serves only with keys: `ebbtide keys create`. Ctrl-C stops it; what it has acknowledged is
    on disk.

    ebbtide serve --demo
    """
    caller: Caller = context.obj
    caller.require_present()
    if caller.agent is not None:
        raise InvalidInput(problem="the server is for all minds: --agent does not go with `serve`")
    import asyncio

    from ebbtide.serve.http.logs import logging_to_stderr
    from ebbtide.serve.server import serve as run
    from ebbtide.settings import load_settings

    said = {"data": caller.data, "host": host, "port": port, "log_format": log_format}
    settings = load_settings(said)
    with logging_to_stderr(settings.log_format):
        asyncio.run(run(settings, lambda where: _announce(caller, where), page=not no_page, demo=demo))
    _say(caller, "[dim]stopped; everything is on disk[/]")


def _announce(caller: Caller, where: "Address") -> None:
    if caller.as_json:
        render.as_json(where)
        _flush()
        return
    lines = [
        f"Ebbtide serves {render.safe(str(caller.settings.data))}",
        *([f"  page  {where.page}"] if where.page else []),
        f"  API   {where.docs}",
        f"  MCP   {where.mcp}",
        f"[dim]{'keys are required' if where.keys else 'this machine only, no key needed'}; Ctrl-C stops it[/]",
    ]
    _say(caller, "\n".join(lines))


def _say(caller: Caller, text: str) -> None:
    if not caller.as_json:
        render.say(text)
    _flush()


def _flush() -> None:
    """At once, also into a pipe: whoever reads it is waiting."""
    import sys

    sys.stdout.flush()


# ---- keys


def create(
    context: typer.Context,
    agent: Annotated[list[str] | None, typer.Option("--agent", "-a", help="A mind it opens; may be repeated.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="It opens every mind, and what concerns all.")] = False,
    name: Annotated[str, typer.Option(help="Whose it is, or what for.")] = "",
    expires: Annotated[str | None, typer.Option(help="After how long it is no good any more, e.g. 90d.")] = None,
) -> None:
    """Make a key. It is shown this once: only its hash is kept.

    ebbtide keys create --agent ada --name laptop --expires 90d
    """
    caller: Caller = context.obj
    agents = [*([caller.agent] if caller.agent is not None else []), *(agent or [])]
    now = _now()
    until = None if expires is None else now + span(expires)
    key, said = _keyring(caller).create(now, agents, admin=admin, name=name, expires_at=until)
    if caller.as_json:
        render.as_json({**_plain(key), "key": said})
    else:
        render.say(f"[bold]{said}[/]")
        render.say(f"[dim]it opens {_scope(key)}, and is shown only now; `ebbtide keys revoke {key.id}` ends it[/]")


def list_(context: typer.Context) -> None:
    """The keys there are, without what they say.

    ebbtide keys list
    """
    caller: Caller = context.obj
    found, now = _keyring(caller).keys(), _now()
    if caller.as_json:
        render.as_json([_plain(key) for key in found])
    elif found:
        render.table(("id", "name", "opens", "made", "expires"), [_row(key, now) for key in found])
    else:
        render.say("[dim]no keys yet: `ebbtide keys create` makes one[/]")


def revoke(
    context: typer.Context, id_: Annotated[str, typer.Argument(metavar="ID", help="As `keys list` shows it.")]
) -> None:
    """End a key, at once and for good.

    ebbtide keys revoke 1f2e3d4c
    """
    caller: Caller = context.obj
    gone = _keyring(caller).revoke(id_)
    if caller.as_json:
        render.as_json(_plain(gone))
    else:
        render.say(f"the key {gone.id} opens nothing any more")


def _keyring(caller: Caller) -> "Keyring":
    from ebbtide.serve.keys import Keyring

    caller.require_present()
    return Keyring(caller.settings.data)


def _now() -> float:
    from ebbtide.app import SystemClock

    return SystemClock().now()


def _plain(key: "Key") -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "agents": list(key.agents),
        "admin": key.admin,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
    }


def _scope(key: "Key") -> str:
    return "every mind" if key.admin else ", ".join(key.agents)


def _row(key: "Key", now: float) -> tuple[str, str, str, str, str]:
    until = "never" if key.expires_at is None else relative(key.expires_at, now)
    return key.id, render.safe(key.name), _scope(key), iso(key.created_at), until
