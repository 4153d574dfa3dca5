"""Commands that forget, and that undo forgetting."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.times import moment, relative

if TYPE_CHECKING:
    from ebbtide.mind import Mind
    from ebbtide.mind.upkeep import Shift, TickReport

SHOWN = 50


def register(app: typer.Typer) -> None:
    for command in (forget, restore, merge, trash, tick):
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
    text: Annotated[bool, typer.Option("--text", help="Bring back the earlier text of a living memory.")] = False,
) -> None:
    """Bring a memory back from the trash as it was; what was merged is un-merged."""
    caller: Caller = context.obj
    if text and new_key:
        raise InvalidInput(problem="--text and --as do not go together")

    async def work(mind: "Mind") -> Any:
        return await mind.revert(key) if text else await mind.restore(key, new_key=new_key)

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


def tick(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be written.")] = False,
    at: Annotated[str | None, typer.Option(help="With --dry-run: for another moment, like +30d.")] = None,
) -> None:
    """Write down the states of this moment, and empty the trash of what has waited its time.

    How often this runs changes nothing: it only writes down what is already true.
    """
    caller: Caller = context.obj
    if at is not None and not dry_run:
        raise InvalidInput(problem="--at needs --dry-run: a tick writes down what is true now")

    async def work(mind: "Mind") -> "TickReport":
        settings = caller.settings
        when = None if at is None else moment(at, mind.now())
        with caller.progress("writing down") as progress:
            return await mind.tick(
                dry_run=dry_run,
                at=when,
                batch_size=settings.batch_size,
                pause=settings.batch_pause,
                progress=progress,
            )

    report = caller.run(work)
    render.as_json(report) if caller.as_json else _report(report)


def _report(report: "TickReport") -> None:
    if report.shifts:
        render.table(("key", "written", "now"), [_shift(shift) for shift in report.shifts[:SHOWN]])
    if len(report.shifts) > SHOWN:
        render.say(f"[dim]… and {len(report.shifts) - SHOWN} more (--json lists all)[/]")
    verb = "would change" if report.dry_run else "changed"
    counts = f"seen {report.seen}, {verb} {report.changed}, conflicts {report.conflicts}"
    render.say(f"{counts}, gone for good {report.discarded}, {report.seconds * 1000:.1f} ms")


def _shift(shift: "Shift") -> tuple[str, str, str]:
    before, after = render.styled(shift.before), render.styled(shift.after)
    if shift.score is not None:
        before, after = f"{before} {shift.score_before}", f"{after} {shift.score}"
    marks = " ".join(f"[magenta]{name}[/]" for name in shift.marks.names)
    return render.safe(shift.key), before, f"{after} {marks}".strip()
