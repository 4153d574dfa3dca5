"""Commands of the reaper, which removes what has been expired for long, and of the ways back."""

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
    from ebbtide.mind import Mind
    from ebbtide.mind.reaping import Harvest, ReapReport
    from ebbtide.mind.unreaping import Undone

STILL_EXPIRED = "what comes back is still expired: `ebbtide touch --revive KEY` keeps it"
ACTIONS = {"delete": "deleted", "prune": "pruned", "evidence": "deleted as evidence"}
reap = typer.Typer(invoke_without_command=True)


def register(app: typer.Typer) -> None:
    reap.callback()(reap_root)
    for command in (undo, recover, runs):
        reap.command()(command)
    app.add_typer(reap, name="reap", rich_help_panel=PANEL)


def reap_root(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would go, and why.")] = False,
    everywhere: All = False,
) -> None:
    """Delete or prune what has been expired for long, by its importance; retention minds only.

    What is deleted waits in the trash, what is pruned keeps its key, and an archive (the setting `archive`) has both.
    The first run after a pause (the parameter `reap_pause`, 7 days) deletes nothing and says what the next one will.

    ebbtide reap --dry-run
    """
    if context.invoked_subcommand is not None:
        if dry_run or everywhere:
            raise InvalidInput(problem=f"--dry-run and --all do not go with `reap {context.invoked_subcommand}`")
        return
    caller: Caller = context.obj

    async def work(mind: "Mind") -> "ReapReport":
        settings = caller.settings
        with caller.progress(f"{mind.agent}: reaping") as progress:
            return await mind.reap(
                dry_run=dry_run, batch_size=settings.batch_size, pause=settings.batch_pause, progress=progress
            )

    async def work_if_retention(mind: "Mind") -> "ReapReport | None":
        from ebbtide.core.metabolism import traits_of

        return await work(mind) if traits_of(mind.metabolism).reaps else None

    if everywhere:
        answers = caller.run_in_all(work_if_retention)
        tell_all(caller, {agent: answer for agent, answer in answers.items() if answer is not None}, _line)
        return
    report = caller.run(work)
    render.as_json(report) if caller.as_json else _report(report)


def _report(report: "ReapReport") -> None:
    if report.harvest:
        render.table(("key", "what", "importance", "why"), [_row(one) for one in report.harvest[:SHOWN]])
    if len(report.harvest) > SHOWN:
        render.say(f"[dim]… and {len(report.harvest) - SHOWN} more (--json lists all)[/]")
    render.say(_figures(report))
    if report.deferred:
        _deferred(report)
    if report.run:
        render.say(f"run {report.run}; `ebbtide reap undo {report.run}` takes it back")
        render.say(f"[dim]{STILL_EXPIRED}[/]")


def _deferred(report: "ReapReport") -> None:
    """What the next run takes, and why this one does not."""
    if report.deferrals:
        render.table(("key", "by the next run", "importance", "why"), [_row(one) for one in report.deferrals[:SHOWN]])
    if len(report.deferrals) > SHOWN:
        render.say(f"[dim]… and {len(report.deferrals) - SHOWN} more (--json lists all)[/]")
    render.say(
        f"the first run after a pause deletes nothing: the next one will delete {report.deferred} "
        "(`ebbtide reap --dry-run` lists them, `ebbtide touch --revive KEY` keeps one)"
    )


def _row(one: "Harvest") -> tuple[str, str, str, str]:
    what = {"delete": "delete", "prune": "prune", "evidence": "delete as evidence"}[one.action]
    return render.safe(one.key), what, f"{one.importance:.2f}", render.safe(one.why)


def _figures(report: "ReapReport") -> str:
    would = "would have " if report.dry_run else ""
    counts = f"{would}deleted {report.deleted}, pruned {report.pruned}, evidence {report.evidence}, kept {report.kept}"
    kept = f", archived {report.archived}" if report.archived else ""
    kept += f", left to the next run {report.deferred}" if report.deferred else ""
    seen = f"seen {report.seen}, expired {report.expired}: "
    return f"{seen}{counts}{kept}, conflicts {report.conflicts}, {report.seconds * 1000:.1f} ms"


def _line(report: "ReapReport") -> str:
    back = f"; `ebbtide --agent {report.agent} reap undo {report.run}` takes it back" if report.run else ""
    return f"{_figures(report)}{back}"


def undo(context: typer.Context, run: Annotated[str, typer.Argument(help="The run, as `reap` named it.")]) -> None:
    """Take a whole run back, as far as trash and archive hold it. What comes back is still expired.

    ebbtide reap undo reap-3f9c2ab41d07
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> "Undone":
        with caller.progress(f"{mind.agent}: bringing back") as progress:
            return await mind.unreap(run, progress=progress)

    undone = caller.run(work)
    render.as_json(undone) if caller.as_json else _undone(undone)


def _undone(undone: "Undone") -> None:
    ways = {
        "back from the trash": undone.restored,
        "whole again": undone.unpruned,
        "back from the archive": undone.recovered,
        "[red]not back[/], its key is taken": undone.lost,
    }
    if undone.damaged:
        render.say(f"[red]{counted(undone.damaged, 'line')} of the archive cannot be read[/]")
    for what, keys in ways.items():
        if keys:
            more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
            render.say(f"{what}: {render.safe(', '.join(keys[:SHOWN]))}{more}")
    render.say(f"[dim]{STILL_EXPIRED}[/]")


def recover(context: typer.Context, key: Annotated[str, typer.Argument(help="The memory's key.")]) -> None:
    """Bring one memory back from the archive, after its time in the trash is over.

    ebbtide reap recover ferry
    """
    caller: Caller = context.obj
    memory = caller.run(lambda mind: mind.recover(key))
    if caller.as_json:
        render.as_json(memory)
        return
    render.say(
        f"[bold]{render.safe(memory.key)}[/] is back  {render.styled(memory.state)}  {render.preview(memory.text)}"
    )
    if memory.state == "expired":
        render.say(f"[dim]{STILL_EXPIRED}[/]")


def runs(context: typer.Context) -> None:
    """Which runs the trash and the archive still hold something of, latest first."""
    caller: Caller = context.obj

    async def work(mind: "Mind") -> list[dict[str, Any]]:
        trashed = [one for one in await mind.trash() if one.run]
        waiting = Counter(one.run for one in trashed)
        found: dict[str, dict[str, Any]] = {}
        found |= {one.run: {"run": one.run, "at": one.forgotten_at, "archived": 0, "damaged": 0} for one in trashed}
        for kept in await mind.archived() if caller.settings.archive else ():
            found[kept.run] = {"run": kept.run, "at": kept.at, "archived": kept.memories, "damaged": kept.damaged}
        latest_first = sorted(found.values(), key=lambda one: -(one["at"] or 0.0))
        return [{**one, "in_trash": waiting[one["run"]]} for one in latest_first]

    found = caller.run(work)
    if caller.as_json:
        render.as_json(found)
        return
    rows = [(one["run"], _moment(one["at"]), str(one["in_trash"]), _archived(one)) for one in found]
    render.table(("run", "when", "in the trash", "in the archive"), rows) if rows else render.say(
        "[dim]no run of the reaper that could be taken back[/]"
    )


def _moment(at: float | None) -> str:
    return "?" if at is None else iso(at)


def _archived(one: dict[str, Any]) -> str:
    return f"{one['archived']} ([red]{one['damaged']} unreadable[/])" if one["damaged"] else str(one["archived"])
