"""Commands about what happened, and what would have happened."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.memories import LAST
from ebbtide.serve.times import iso, span

if TYPE_CHECKING:
    from ebbtide.core.changes import Entry
    from ebbtide.mind import Mind

SHOWN = 50
Settings = Annotated[list[str] | None, typer.Option("--set", help="A parameter, NAME=VALUE; may be given again.")]


def register(app: typer.Typer) -> None:
    for command in (journal, replay, check, compact):
        app.command(rich_help_panel="History")(command)


def journal(
    context: typer.Context,
    key: Annotated[str | None, typer.Argument(help="Only what happened to this memory.")] = None,
    after: Annotated[int, typer.Option(min=0, max=LAST, help="Go on after this entry.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many at most.")] = 50,
) -> None:
    """Everything that ever happened to the mind, in order."""
    caller: Caller = context.obj
    found = caller.run(lambda mind: mind.journal(after=after, limit=limit + 1, key=key))
    entries = found[:limit]
    if caller.as_json:
        render.as_json([{"seq": entry.seq, "kind": _kind(entry), **render.plain(entry.change)} for entry in entries])
        return
    render.table(("entry", "when", "what", ""), [_row(entry) for entry in entries])
    if len(found) > limit:
        render.say(f"[dim]more: --after {entries[-1].seq}[/]")


def _kind(entry: "Entry") -> str:
    from ebbtide.core.changes import KIND_OF

    return KIND_OF[type(entry.change)]


def _row(entry: "Entry") -> tuple[str, str, str, str]:
    details = {name: value for name, value in render.plain(entry.change).items() if name != "at" and value is not None}
    text = json.dumps(details, ensure_ascii=False)
    return str(entry.seq), iso(entry.change.at), _kind(entry), render.preview(text, 90)


def replay(
    context: typer.Context,
    metabolism: Annotated[str | None, typer.Option(help="tide, activity, network, score or retention.")] = None,
    settings: Settings = None,
) -> None:
    """What would I remember under another metabolism, or other parameters? Changes nothing.

    ebbtide replay --metabolism retention --set delete_below=0.1
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> dict[str, Any]:
        with caller.progress("replaying the journal") as progress:
            other = await mind.replay(metabolism, parsed(settings), progress)
        return await _compare(mind, other)

    found = caller.run(work)
    render.as_json(found) if caller.as_json else _show(found)


async def _compare(mind: "Mind", other: "Mind") -> dict[str, Any]:
    here, there = await _states(mind), await _states(other)
    differs = [
        {"key": key, "now": here.get(key, "forgotten"), "then": there.get(key, "forgotten")}
        for key in sorted(here.keys() | there.keys())
        if here.get(key) != there.get(key)
    ]
    return {
        "now": {"metabolism": mind.metabolism, "states": (await mind.stats()).states},
        "then": {"metabolism": other.metabolism, "states": (await other.stats()).states},
        "differs": differs,
    }


async def _states(mind: "Mind") -> dict[str, str]:
    found: dict[str, str] = {}
    after: int | None = 0
    while after is not None:
        page = await mind.list(everything=True, after=after, limit=5000)
        found |= {memory.key: str(memory.state) for memory in page.memories}
        after = page.next
    return found


def _show(found: dict[str, Any]) -> None:
    now, then = found["now"], found["then"]
    if found["differs"]:
        columns = ("key", f"now ({now['metabolism']})", f"then ({then['metabolism']})")
        render.table(columns, [(render.safe(d["key"]), d["now"], d["then"]) for d in found["differs"][:SHOWN]])
    if len(found["differs"]) > SHOWN:
        render.say(f"[dim]… and {len(found['differs']) - SHOWN} more (--json lists all)[/]")
    for name, side in (("now", now), ("then", then)):
        counts = ", ".join(f"{count} {state}" for state, count in side["states"].items()) or "nothing"
        render.say(f"{name:>4}: {side['metabolism']}: {counts}")


def check(context: typer.Context) -> None:
    """Replay the journal and compare it with the mind: they must be the same, bit for bit."""
    caller: Caller = context.obj

    async def work(mind: "Mind") -> Any:
        with caller.progress("replaying the journal") as progress:
            return await mind.check(progress)

    differences = caller.run(work)
    if caller.as_json:
        render.as_json({"same": not differences, "differences": list(differences)})
    elif not differences:
        render.say("journal and mind are the same")
    else:
        render.say("journal and mind differ in: " + render.safe(", ".join(differences[:SHOWN])))
    if differences:
        raise typer.Exit(1)


def compact(
    context: typer.Context,
    older_than: Annotated[str, typer.Option(help="Fold entries older than this, like 90d.")] = "90d",
) -> None:
    """Fold the journal's beginning into a base, so that it does not grow for ever.

    The mind stays as it is; the time before can no longer be looked at.
    """
    caller: Caller = context.obj

    async def work(mind: "Mind") -> int:
        with caller.progress("replaying the journal") as progress:
            return await mind.compact(mind.now() - span(older_than), progress)

    folded = caller.run(work)
    said = f"folded {counted(folded, 'entry', 'entries')} into the base"
    render.as_json({"folded": folded}) if caller.as_json else render.say(said)


def parsed(settings: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE pairs; values as JSON reads them, anything else is text."""
    found: dict[str, Any] = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise InvalidInput(problem=f"{setting!r:.80} is not NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found
