"""Commands that pin memories, so that the engine leaves them alone, and that end it."""

from typing import TYPE_CHECKING, Annotated

import typer

from ebbtide.core.memory import State
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller

if TYPE_CHECKING:
    from ebbtide.mind import Mind
    from ebbtide.mind.pinning import Pinned

Keys = Annotated[list[str], typer.Argument(help="The memories' keys.")]


def register(app: typer.Typer) -> None:
    for command in (pin, unpin):
        app.command(rich_help_panel="Memories")(command)


def pin(context: typer.Context, keys: Keys) -> None:
    """Protect memories: never hidden, expired, compressed, evicted, reaped or suggested for deletion.

    For facts that must not fade, like an allergy. It raises no score, and you may still forget or replace what is
    pinned. All of them or, if a key is unknown, none.

    ebbtide pin allergy passport
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> "tuple[Pinned, dict[str, State]]":
        before = {key: (await mind.explain(key)).memory.state for key in keys}
        return await mind.pin(*keys), before

    pinned, before = caller.run(work)
    _answer(caller, pinned, "pinned", "pinned already")
    back = [f"{key} (was {before[key]})" for key in pinned.changed if before[key] is not State.ACTIVE]
    if back and not caller.as_json:
        render.say(f"[dim]active again: {render.safe(', '.join(back))}[/]")


def unpin(context: typer.Context, keys: Keys) -> None:
    """End the protection of memories: from now on they are judged as any other.

    ebbtide unpin passport
    """
    caller: Caller = context.obj
    _answer(caller, caller.run(lambda mind: mind.unpin(*keys)), "unpinned", "not pinned")


def _answer(caller: Caller, found: "Pinned", changed: str, already: str) -> None:
    if caller.as_json:
        render.as_json(found)
        return
    for words, keys in ((changed, found.changed), (already, found.already)):
        if keys:
            render.say(f"{words}: [bold]{render.safe(', '.join(keys))}[/]")
