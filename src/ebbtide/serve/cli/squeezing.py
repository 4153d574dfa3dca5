"""Commands of the budget: what leaves next, halving it before it does, and the ways back."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.tending import PANEL, SHOWN, All, tell_all
from ebbtide.serve.times import iso

if TYPE_CHECKING:
    from ebbtide.core.budget import BudgetUse
    from ebbtide.mind import Mind
    from ebbtide.mind.squeezing import SqueezeReport
    from ebbtide.mind.unreaping import Undone

squeeze = typer.Typer(invoke_without_command=True)


def register(app: typer.Typer) -> None:
    squeeze.callback()(squeeze_root)
    for command in (undo, runs):
        squeeze.command()(command)
    app.add_typer(squeeze, name="squeeze", rich_help_panel=PANEL)


def squeeze_root(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would leave next.")] = False,
    everywhere: All = False,
) -> None:
    """Halve the texts of what leaves next, once a mind is nearly as full as its budget lets it be.

    The budget (`budget_memories`, `budget_characters`) is kept at every put: what a mind needs least leaves for the
    trash, never what is pinned, protected or in focus. The scheduler squeezes by itself.

    ebbtide squeeze --dry-run
    """
    if context.invoked_subcommand is not None:
        if dry_run or everywhere:
            raise InvalidInput(problem=f"--dry-run and --all do not go with `squeeze {context.invoked_subcommand}`")
        return
    caller: Caller = context.obj

    async def work(mind: "Mind") -> "SqueezeReport":
        with caller.progress(f"{mind.agent}: halving") as progress:
            return await mind.squeeze(dry_run=dry_run, pause=caller.settings.batch_pause, progress=progress)

    if everywhere:
        tell_all(caller, caller.run_in_all(work), _line)
        return
    report = caller.run(work)
    render.as_json(report) if caller.as_json else _report(report)


def _report(report: "SqueezeReport") -> None:
    if report.leavers:
        rows = [
            (render.safe(one.key), f"{one.vitality:.3f}", one.action, render.preview(one.text))
            for one in report.leavers[:SHOWN]
        ]
        render.table(("next to leave", "vitality", "what", "text"), rows)
    if len(report.leavers) > SHOWN:
        render.say(f"[dim]… and {len(report.leavers) - SHOWN} more (--json lists all)[/]")
    render.say(_line(report))


def _line(report: "SqueezeReport") -> str:
    would = "would halve" if report.dry_run else "halved"
    line = f"{budget_line(report.budget)}; {would} {report.halved}, conflicts {report.conflicts}"
    return f"{line}; `ebbtide squeeze undo {report.run}` takes it back" if report.run else line


def budget_line(use: "BudgetUse") -> str:
    """How much of the budget is taken, in words."""
    taken = [
        f"{have:,} of {limit:,} {what}"
        for have, limit, what in (
            (use.memories, use.budget_memories, "memories"),
            (use.characters, use.budget_characters, "characters"),
        )
        if limit
    ]
    return ", ".join(taken) or "no budget"


def undo(
    context: typer.Context, run: Annotated[str, typer.Argument(help="The run, as `squeeze runs` names it.")]
) -> None:
    """Take a run of the budget back: what left in it is restored, what it halved is whole again.

    In a full mind the next to leave go in their place: raise the budget first, or pin what is to stay.

    ebbtide squeeze undo budget-4711
    """
    caller: Caller = context.obj
    undone = caller.run(lambda mind: mind.unsqueeze(run))
    render.as_json(undone) if caller.as_json else _undone(undone)


def _undone(undone: "Undone") -> None:
    ways = {
        "back from the trash": undone.restored,
        "whole again": undone.unpruned,
        "[red]not back[/], its key is taken": undone.lost,
    }
    for what, keys in ways.items():
        if keys:
            more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
            render.say(f"{what}: {render.safe(', '.join(keys[:SHOWN]))}{more}")
    if undone.displaced:
        left = counted(undone.displaced, "memory", "memories")
        render.say(f"{left} left in their place: `ebbtide config budget_memories=…` raises the budget")


def runs(context: typer.Context) -> None:
    """Which runs of the budget the trash still holds, latest first."""
    from ebbtide.core.budget import BUDGET

    caller: Caller = context.obj

    async def work(mind: "Mind") -> list[dict[str, Any]]:
        gone = [one for one in await mind.trash() if one.cause == BUDGET]
        sizes = Counter(one.run for one in gone)
        return [
            {"run": run, "at": at, "in_trash": sizes[run]}
            for run, at in {one.run: one.forgotten_at for one in gone}.items()
        ]

    found = caller.run(work)
    if caller.as_json:
        render.as_json(found)
        return
    rows = [(one["run"], iso(one["at"]), str(one["in_trash"])) for one in found]
    render.table(("run", "when", "in the trash"), rows) if rows else render.say(
        "[dim]nothing in the trash has left for the budget[/]"
    )
