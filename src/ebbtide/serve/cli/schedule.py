"""Commands about when minds are ticked and reaped: by the clock, or now."""

import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.errors import InvalidInput, UnknownMind
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.tending import PANEL
from ebbtide.serve.cli.times import distance, iso, relative

if TYPE_CHECKING:
    from ebbtide.host.schedule import Run, Scheduler
    from ebbtide.host.timetable import Due, Figures, Jobs

LOOK_EVERY = 0.5  # seconds between two looks at what has been done
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
    return f"{counts}{gone}, {done.seconds * 1000:.1f} ms"


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
            render.say(_line(run.agent, run.job, run.figures))
        if not runs:
            render.say("[dim]nothing to do[/]")
    if any(run.figures.error is not None for run in runs):
        raise typer.Exit(1)


def _line(agent: str, job: str, done: "Figures") -> str:
    return f"[bold]{agent}[/] {job}: {figures(done)}"


def keep_running(context: typer.Context) -> None:
    """Tick and reap all minds when they are due, until Ctrl-C. With --json, one object a line.

    Between two jobs every mind is closed, so that other commands can use it meanwhile.

    ebbtide schedule run
    """
    caller: Caller = context.obj
    if caller.agent is not None:
        raise InvalidInput(problem="the schedule is for all minds: --agent does not go with `schedule run`")

    async def work() -> None:
        from ebbtide.app import scheduler

        async with caller.host(open_minds=0) as host:
            keeper = scheduler(host, caller.settings)
            _say(caller, f"[dim]looking after {len(host.agents())} minds; Ctrl-C stops it[/]")
            keeper.start()
            try:
                await _watched(keeper, caller)
            finally:
                await keeper.stop()

    caller.run_async(work())
    _say(caller, "[dim]stopped; what was not finished is still due[/]")


async def _watched(keeper: "Scheduler", caller: Caller) -> None:
    """Tell each run that has come to an end, until somebody says stop."""
    stopped = asyncio.Event()
    before = keeper.status().minds
    with _signals(stopped):
        while not stopped.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await stopped.wait()
            now = keeper.status().minds
            for agent, job, done in _news(before, now):
                _tell(caller, agent, job, done)
            before = now


@contextmanager
def _signals(stopped: asyncio.Event) -> Iterator[None]:
    """Stopping is how this ends, so it is no error; a second Ctrl-C does not wait. Elsewhere asyncio does its best."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        stopped.set()
        clear()

    def clear() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            clear()


def _news(before: "dict[str, Jobs]", now: "dict[str, Jobs]") -> "Iterator[tuple[str, str, Figures]]":
    for agent, jobs in now.items():
        for name, job in jobs.items():
            known = before.get(agent, {}).get(name)
            if job.last is not None and (known is None or known.runs < job.runs):
                yield agent, name, job.last


def _tell(caller: Caller, agent: str, job: str, done: "Figures") -> None:
    if caller.as_json:
        line = json.dumps({"agent": agent, "job": job, **render.plain(done)}, ensure_ascii=False)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    else:
        _say(caller, _line(agent, job, done))


def _say(caller: Caller, text: str) -> None:
    """At once, also into a pipe: whoever reads it is waiting."""
    if not caller.as_json:
        render.say(text)
        sys.stdout.flush()
