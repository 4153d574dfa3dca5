"""Commands about when minds are ticked and reaped: by the clock, or now."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.errors import InvalidInput, UnknownMind
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.tending import PANEL
from ebbtide.serve.times import distance, iso, relative

if TYPE_CHECKING:
    from ebbtide.host.schedule import Run
    from ebbtide.host.timetable import Due, Figures, Jobs

schedule = typer.Typer(invoke_without_command=True)


def register(app: typer.Typer) -> None:
    schedule.callback()(schedule_root)
    schedule.command("run")(keep_running)
    schedule.command("trigger")(trigger)
    app.add_typer(schedule, name="schedule", rich_help_panel=PANEL)


def schedule_root(context: typer.Context) -> None:
    """When each mind is ticked and reaped next, and what the last run did; with --agent only that one.

    ebbtide schedule
    """
    caller: Caller = context.obj
    caller.require_present()
    if context.invoked_subcommand is not None:
        return

    async def work() -> tuple[float, dict[str, "Jobs"]]:
        from ebbtide.app import SystemClock, scheduler

        async with caller.host() as host:
            known = scheduler(host, caller.settings).status().minds
            agents = [agent for agent in host.agents() if caller.agent in (None, agent)]
            if caller.agent is not None and not agents:
                raise UnknownMind(agent=caller.agent, data=host.data)
            return SystemClock().now(), {agent: known.get(agent, {}) for agent in agents}

    now, minds = caller.run_async(work())
    rows = list(_rows(minds))
    if caller.as_json:
        render.as_json(rows)
    elif rows:
        columns = ("mind", "job", "due", "every", "last run")
        render.table(columns, [_row(row, now) for row in rows])
    else:
        render.say(f"[dim]no minds yet in {render.safe(str(caller.settings.data))}[/]")


def _rows(minds: "dict[str, Jobs]") -> Iterator[dict[str, Any]]:
    """A mind nobody has looked at is due at once, whatever its jobs are."""
    from ebbtide.host.timetable import Due

    for agent, jobs in minds.items():
        if not jobs:
            yield {"agent": agent, "job": None, **_job(Due(None))}
        for name, job in jobs.items():
            if job.due is not None:
                yield {"agent": agent, "job": name, **_job(job)}


def _job(job: "Due") -> dict[str, Any]:
    return {
        "due_at": job.due,
        "interval": job.interval,
        "runs": job.runs,
        "failures": job.failures,
        "last": job.last,
    }


def _row(row: dict[str, Any], now: float) -> tuple[str, str, str, str, str]:
    due, interval, last = row["due_at"], row["interval"], row["last"]
    when = f"{relative(due, now)} ({iso(due)})" if due is not None and due > now else "now"
    said = "never" if last is None else f"{relative(last.at, now)}: {figures(last)}"
    return row["agent"], row["job"] or "everything", when, distance(interval) if interval else "?", said


def figures(done: "Figures") -> str:
    if done.error is not None:
        return f"[red]failed[/]: {render.preview(done.error, 200)}"
    counts = f"seen {done.seen}, changed {done.changed}, conflicts {done.conflicts}"
    gone = f", gone for good {done.discarded}" if done.discarded else ""
    later = f", {done.deferred} left to the next run" if done.deferred else ""
    return f"{counts}{gone}{later}, {done.seconds * 1000:.1f} ms"


# ---- doing it


def trigger(
    context: typer.Context,
    job: Annotated[str | None, typer.Option(help="Only this job: tick or reap.")] = None,
) -> None:
    """Do it now, due or not: in every mind, or with --agent in that one. The rhythm stays as it is.

    ebbtide schedule trigger --agent ada --job tick
    """
    caller: Caller = context.obj

    async def work() -> "list[Run]":
        from ebbtide.app import scheduler

        async with caller.host(open_minds=0) as host:
            return await scheduler(host, caller.settings).trigger(caller.agent, job)

    runs = caller.run_async(work())
    if caller.as_json:
        render.as_json(runs)
    else:
        for run in runs:
            render.say(line(run.agent, run.job, run.figures))
        if not runs:
            render.say("[dim]nothing to do[/]")
    if any(run.figures.error is not None for run in runs):
        raise typer.Exit(1)


def line(agent: str, job: str, done: "Figures") -> str:
    return f"[bold]{agent}[/] {job}: {figures(done)}"


def keep_running(context: typer.Context) -> None:
    """Tick and reap all minds when they are due, until Ctrl-C. With --json, one object a line.

    Between two jobs every mind is closed, so that other commands can use it meanwhile.

    ebbtide schedule run
    """
    caller: Caller = context.obj
    if caller.agent is not None:
        raise InvalidInput(problem="the schedule is for all minds: --agent does not go with `schedule run`")

    from ebbtide.serve.cli.keeping import keep

    caller.run_async(keep(caller))
