"""Commands that forget, and that undo forgetting."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.times import relative

if TYPE_CHECKING:
    from ebbtide.mind import Mind


def register(app: typer.Typer) -> None:
    for command in (forget, restore, merge, trash):
        app.command(rich_help_panel="Forgetting")(command)


def forget(context: typer.Context, keys: Annotated[list[str], typer.Argument(help="The memories' keys.")]) -> None:
    """Put memories into the trash, all of them or none; `restore` brings them back."""
    caller: Caller = context.obj
    caller.run(lambda mind: mind.forget(*keys))
    render.as_json({"forgotten": keys}) if caller.as_json else render.say(
        f"forgot {render.safe(', '.join(keys))}; `ebbtide restore KEY` undoes it"
    )


def restore(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="The memory's key.")],
    new_key: Annotated[str | None, typer.Option("--as", help="Under another key, if its own is taken.")] = None,
    memory_id: Annotated[
        int | None, typer.Option("--id", help="Of several forgotten under this key, which (`trash --json` tells).")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Bring back the earlier text of a living memory.")] = False,
) -> None:
    """Bring a memory back from the trash as it was; what was merged is un-merged."""
    caller: Caller = context.obj
    if text and (new_key or memory_id is not None):
        raise InvalidInput(problem="--text brings back an earlier text: --as and --id do not go with it")

    async def work(mind: "Mind") -> Any:
        return await mind.revert(key) if text else await mind.restore(key, new_key=new_key, id=memory_id)

    memory = caller.run(work)
    render.as_json(memory) if caller.as_json else render.say(
        f"[bold]{render.safe(memory.key)}[/] is back  {render.styled(memory.state)}  {render.preview(memory.text)}"
    )


def merge(
    context: typer.Context,
    into: Annotated[str, typer.Argument(help="The memory that stays.")],
    other: Annotated[str, typer.Argument(help="The memory that goes into it.")],
    text: Annotated[str | None, typer.Option(help="What the merged memory says (default: both texts).")] = None,
) -> None:
    """Make one memory of two. `restore OTHER` undoes it."""
    caller: Caller = context.obj
    memory = caller.run(lambda mind: mind.merge(into, other, text=text))
    render.as_json(memory) if caller.as_json else render.say(
        f"{render.safe(other)} is now part of [bold]{render.safe(into)}[/]: {render.preview(memory.text)}"
    )


def trash(context: typer.Context) -> None:
    """What can still be restored, and until when."""
    caller: Caller = context.obj

    async def work(mind: "Mind") -> Any:
        return mind.now(), await mind.trash()

    now, found = caller.run(work)
    if caller.as_json:
        render.as_json(list(found))
        return
    if not found:
        render.say("[dim]the trash is empty[/]")
        return
    rows = [(render.safe(f.key), f.cause, relative(f.gone_at, now), render.preview(f.text)) for f in found]
    render.table(("key", "why", "gone for good", "text"), rows)
