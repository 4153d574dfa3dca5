"""Commands about whole minds."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.counted import counted
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.history import Settings, parsed
from ebbtide.serve.cli.squeezing import budget_line

if TYPE_CHECKING:
    from ebbtide.mind import Mind
    from ebbtide.mind.mind import Stats

log = logging.getLogger("ebbtide")


def register(app: typer.Typer) -> None:
    for command in (init, minds, config, stats, adopt, demo, version):
        app.command(rich_help_panel="Minds")(command)


def init(
    context: typer.Context,
    metabolism: Annotated[
        str | None, typer.Option(help="tide (the default), activity, network, score or retention.")
    ] = None,
    settings: Settings = None,
) -> None:
    """Make a mind, and choose how it ages.

    ebbtide --agent ada init --metabolism score --set usage_gain=8
    """
    caller: Caller = context.obj
    caller.require_present()

    async def work() -> str:
        chosen = caller.settings
        async with caller.host() as host:
            name = chosen.metabolism if metabolism is None else metabolism
            await host.create(chosen.agent, name, {**chosen.params, **parsed(settings)})
            return name

    name, agent = caller.run_async(work()), caller.settings.agent
    answer = {"agent": agent, "metabolism": name}
    render.as_json(answer) if caller.as_json else render.say(f"the mind {agent!r} lives by {name}")


def minds(context: typer.Context) -> None:
    """Which minds there are."""
    caller: Caller = context.obj

    async def work() -> list[str]:
        async with caller.host() as host:
            return host.agents()

    found = caller.run_async(work())
    if caller.as_json:
        render.as_json(found)
    else:
        render.say("\n".join(found) or f"[dim]no minds yet in {render.safe(str(caller.settings.data))}[/]")


def config(
    context: typer.Context,
    settings: Annotated[list[str] | None, typer.Argument(help="NAME=VALUE to change; none: show all.")] = None,
) -> None:
    """Show or change the mind's parameters.

    ebbtide config trash_days=60
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> tuple[str, dict[str, Any], list[Any]]:
        fallbacks = await mind.configure(**parsed(settings)) if settings else []
        return mind.metabolism, mind.params, fallbacks

    metabolism, params, fallbacks = caller.run(work)
    for fallback in fallbacks:
        log.warning("%s", fallback)
    if caller.as_json:
        render.as_json({"metabolism": metabolism, "params": params, "fallbacks": [str(f) for f in fallbacks]})
        return
    render.table((metabolism, "value"), [(name, str(value)) for name, value in params.items()])
    from ebbtide.core.outdated import outdated
    from ebbtide.core.parameters import regime

    _tell_outdated(outdated(regime(metabolism, params)[0]))


def stats(context: typer.Context) -> None:
    """The mind in numbers."""
    caller: Caller = context.obj
    found: Stats = caller.run(lambda mind: mind.stats())
    if caller.as_json:
        render.as_json(found)
        return
    rows = [("metabolism", found.metabolism)]
    rows += [(str(state), str(count)) for state, count in found.states.items()]
    rows += [(name.replace("_", " "), str(count)) for name, count in found.marks.items()]
    rows += [("pinned", str(found.pinned))] if found.pinned else []
    store = found.store
    rows += [("budget", budget_line(found.budget))] if found.budget.fullness else []
    rows += [("memories", str(store.memories)), ("links", f"{store.links} ({counted(store.traces, 'trace')})")]
    rows += [("in the trash", str(store.trash)), ("journal entries", str(store.journal_entries))]
    rows += [("on disk", f"{store.disk_bytes / 1024:.0f} KiB"), ("in RAM", f"{store.ram_bytes / 1024:.0f} KiB")]
    render.table((f"mind {found.agent}", ""), rows)
    _tell_outdated(found.outdated)


def _tell_outdated(former: dict[str, Any]) -> None:
    """A mind keeps the parameters it was made with, so better defaults have to be asked for."""
    if former:
        from ebbtide.core.outdated import as_arguments

        command = f"ebbtide config {as_arguments(former)}"
        render.say(f"{', '.join(former)} are defaults of an earlier version; `{command}` sets those of today")


def adopt(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A SQLite file with the older `memories` table.")],
    metabolism: Annotated[str, typer.Option(help="How the new mind is to live.")] = "score",
    roll_back: Annotated[bool, typer.Option("--roll-back", help="Write the older table back, to FILE.")] = False,
    keep_new: Annotated[
        bool | None, typer.Option("--keep-new/--drop-new", help="With --roll-back: memories that came since.")
    ] = None,
) -> None:
    """Take over an older memories(key, summary, text, meta, links, created_at) file; it is itself left untouched.

    ebbtide --agent ada adopt old.db

    ebbtide --agent ada adopt --roll-back old-again.db --keep-new
    """
    from ebbtide import app

    caller: Caller = context.obj
    caller.require_present()
    chosen = caller.settings
    if roll_back:
        answer: Any = {"written": str(file), "since": app.unadopt(chosen, chosen.agent, file, keep_new)}
        lines = [f"wrote the older table to {file}; the mind {chosen.agent!r} is still here"]
    else:
        with caller.progress("taking over") as progress:
            answer = app.adopt(chosen, chosen.agent, file, metabolism, progress)
        took = f"{counted(answer.memories, 'memory', 'memories')} and {counted(answer.links, 'link')}"
        lines = [f"took over {took} into the mind {chosen.agent!r}"]
        lines += [f"left out: {tally}" for tally in answer.skipped] + [f"note: {tally}" for tally in answer.warnings]
    render.as_json(answer) if caller.as_json else render.say(render.safe("\n".join(lines)))


def demo(context: typer.Context) -> None:
    """One mind's life in a few seconds, under each metabolism. Leaves nothing behind."""
    from ebbtide.serve.cli.demo import play

    caller: Caller = context.obj
    render.console().quiet = caller.as_json
    scenes = caller.run_async(play())
    render.console().quiet = False
    if caller.as_json:
        render.as_json(scenes)


def version(context: typer.Context) -> None:
    """Which Ebbtide this is."""
    from ebbtide import __version__

    caller: Caller = context.obj
    render.as_json({"version": __version__}) if caller.as_json else render.say(f"ebbtide {__version__}")
