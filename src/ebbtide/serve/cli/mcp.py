"""The command by which an agent's program starts its memory."""

from dataclasses import replace
from typing import Annotated

import typer

from ebbtide.serve.cli.caller import Caller


def register(app: typer.Typer) -> None:
    app.command(rich_help_panel="Servers")(mcp)


def mcp(
    context: typer.Context,
    metabolism: Annotated[
        str | None,
        typer.Option(
            help="Of the mind, if it is yet to be made: tide (the default), activity, network, score or retention."
        ),
    ] = None,
) -> None:
    """Be an MCP server on standard input and output, for the program that starts this.

    {"mcpServers": {"memory": {"command": "ebbtide", "args": ["mcp", "--agent", "ada"]}}}

    Ends when its input does. Several may run at once, beside `ebbtide serve`: they share the mind.
    """
    caller: Caller = context.obj
    caller.require_present()
    settings = caller.settings
    from ebbtide.core.parameters import regime
    from ebbtide.host.agents import folder_of

    name = metabolism or settings.metabolism
    params = settings.params if name == settings.metabolism else {}
    folder_of(settings.data, settings.agent)
    regime(name, params)  # better said now than at the first call
    from ebbtide.serve.mcp.stdio import serve

    caller.run_async(serve(replace(settings, metabolism=name, params=params)))
