"""Commands about what time does: writing it down, tidying up, and what is to come."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from ebbtide.core.counted import counted
from ebbtide.core.errors import EbbtideError, InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.history import Settings, parsed
from ebbtide.serve.times import distance, iso, moment, relative

if TYPE_CHECKING:
    from ebbtide.mind import Mind
    from ebbtide.mind.forecasting import Fate, Outlook
    from ebbtide.mind.suggestions import Suggestion
    from ebbtide.mind.timeline import Timeline
    from ebbtide.mind.upkeep import Shift, TickReport

PANEL = "Tending"
SHOWN = 50
All = Annotated[bool, typer.Option("--all", help="In every mind of the data folder, one after another.")]
Kind = Annotated[str, typer.Argument(help="delete or merge.")]
Keys = Annotated[list[str], typer.Argument(help="The memory's key; of a merge, both.")]
suggestions = typer.Typer(invoke_without_command=True)


def register(app: typer.Typer) -> None:
    for command in (tick, forecast, timeline):
        app.command(rich_help_panel=PANEL)(command)
    suggestions.callback()(suggestions_root)
    suggestions.command("accept")(accept)
    suggestions.command("dismiss")(dismiss)
    app.add_typer(suggestions, name="suggestions", rich_help_panel=PANEL)


# ---- tick


def tick(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be written.")] = False,
    at: Annotated[str | None, typer.Option(help="With --dry-run: for another moment, like +30d.")] = None,
    everywhere: All = False,
) -> None:
    """Write down the states of this moment, and empty the trash of what has waited its time.

    How often this runs changes nothing: it only writes down what is already true. In an activity mind it also looks
    for memories that say nearly the same.

    ebbtide tick --dry-run --at +30d
    """
    caller: Caller = context.obj
    if at is not None and not dry_run:
        raise InvalidInput(problem="--at needs --dry-run: a tick writes down what is true now")

    async def work(mind: "Mind") -> "TickReport":
        settings = caller.settings
        when = None if at is None else moment(at, mind.now())
        with caller.progress(f"{mind.agent}: writing down") as progress:
            return await mind.tick(
                dry_run=dry_run,
                at=when,
                batch_size=settings.batch_size,
                pause=settings.batch_pause,
                progress=progress,
            )

    if everywhere:
        tell_all(caller, caller.run_in_all(work), _figures)
        return
    report = caller.run(work)
    render.as_json(report) if caller.as_json else _report(report)


def tell_all(caller: Caller, answers: dict[str, Any], line: Any) -> None:
    """One line for each mind, in JSON one object; if something failed anywhere the exit code says so."""
    failed = {agent: error for agent, error in answers.items() if isinstance(error, EbbtideError)}
    if caller.as_json:
        told = {agent: {"error": str(answers[agent])} for agent in failed}
        render.as_json([{"agent": agent, **told.get(agent, render.plain(answers[agent]))} for agent in answers])
    else:
        for agent, answer in answers.items():
            said = f"[red]failed[/]: {render.safe(str(answer))}" if agent in failed else line(answer)
            render.say(f"[bold]{agent}[/]: {said}")
        if not answers:
            render.say(f"[dim]no minds yet in {render.safe(str(caller.settings.data))}[/]")
    if failed:
        raise typer.Exit(1)


def _report(report: "TickReport") -> None:
    if report.shifts:
        render.table(("key", "written", "now"), [_shift(shift) for shift in report.shifts[:SHOWN]])
    if len(report.shifts) > SHOWN:
        render.say(f"[dim]… and {len(report.shifts) - SHOWN} more (--json lists all)[/]")
    render.say(_figures(report))
    if report.pairs and not report.dry_run:
        render.say("[dim]`ebbtide suggestions` shows what may be merged[/]")


def _figures(report: "TickReport") -> str:
    verb = "would change" if report.dry_run else "changed"
    counts = f"seen {report.seen}, {verb} {report.changed}, conflicts {report.conflicts}"
    pairs = f", newly found alike {report.pairs}" if report.pairs else ""
    return f"{counts}, gone for good {report.discarded}{pairs}, {report.seconds * 1000:.1f} ms"


def _shift(shift: "Shift") -> tuple[str, str, str]:
    before, after = render.styled(shift.before), render.styled(shift.after)
    if shift.score is not None:
        before, after = f"{before} {shift.score_before}", f"{after} {shift.score}"
    marks = " ".join(f"[magenta]{name}[/]" for name in shift.marks.names)
    return render.safe(shift.key), before, f"{after} {marks}".strip()


# ---- suggestions


def suggestions_root(
    context: typer.Context,
    kind: Annotated[str | None, typer.Option(help="Only these: delete or merge.")] = None,
) -> None:
    """What may be deleted or merged, and why; nothing happens before you accept it.

    ebbtide suggestions --kind merge

    ebbtide suggestions accept merge ferry boat
    """
    if context.invoked_subcommand is not None:
        if kind is not None:
            raise InvalidInput(problem="--kind is for the list; here the kind stands before the keys")
        return
    caller: Caller = context.obj
    wanted = None if kind is None else _kind(kind)

    async def work(mind: "Mind") -> "tuple[str, list[Suggestion]]":
        return mind.metabolism, list(await mind.suggestions(wanted))

    metabolism, found = caller.run(work)
    render.as_json(found) if caller.as_json else _list(metabolism, found)


def _kind(text: str) -> Literal["delete", "merge"]:
    if text not in ("delete", "merge"):
        raise InvalidInput(problem=f"{text!r:.80} is no kind of suggestion: there are delete and merge")
    return cast(Literal["delete", "merge"], text)


def _list(metabolism: str, found: "list[Suggestion]") -> None:
    from ebbtide.core.metabolism import traits_of

    if not traits_of(metabolism).merges:
        render.say(f"[dim]only activity minds make suggestions; this one lives by {metabolism} and tidies up itself[/]")
        return
    if not found:
        render.say("[dim]nothing to tidy up; what says nearly the same is found by `ebbtide tick`[/]")
        return
    rows = [(one.kind, _both(one.keys), _both(one.texts), render.safe(one.why)) for one in found[:SHOWN]]
    render.table(("what", "key", "text", "why"), rows)
    if len(found) > SHOWN:
        render.say(f"[dim]… and {len(found) - SHOWN} more (--json lists all)[/]")
    first = found[0]
    render.say(f"[dim]`ebbtide suggestions accept {first.kind} {render.safe(' '.join(first.keys))}` does it[/]")


def _both(words: tuple[str, ...]) -> str:
    return "\n".join(map(render.preview, words))


def accept(
    context: typer.Context,
    kind: Kind,
    keys: Keys,
    text: Annotated[str | None, typer.Option(help="What the merged memory says (default: both texts).")] = None,
) -> None:
    """Do as suggested. What goes, goes into the trash: `restore` undoes it.

    ebbtide suggestions accept merge ferry boat --text "The ferry leaves at 8:40."
    """
    caller: Caller = context.obj
    if text is not None and kind == "delete":
        raise InvalidInput(problem="--text is what a merged memory says; a deleted one says nothing")

    async def work(mind: "Mind") -> str:
        known = await mind.suggestions(_kind(kind))
        await mind.accept(_kind(kind), *keys, text=text)
        return next(one.keys[-1] for one in known if set(one.keys) == set(keys))

    gone = caller.run(work)
    if caller.as_json:
        render.as_json({"accepted": kind, "keys": keys, "gone": gone})
        return
    stays = render.safe(next((key for key in keys if key != gone), ""))
    done = f"{render.safe(gone)} is now part of [bold]{stays}[/]" if stays else f"{render.safe(gone)} is in the trash"
    render.say(f"{done}; `ebbtide restore {render.safe(gone)}` undoes it")


def dismiss(context: typer.Context, kind: Kind, keys: Keys) -> None:
    """Not this one: it is not suggested again until its facts change (its text, its uses, its links).

    ebbtide suggestions dismiss delete ferry
    """
    caller: Caller = context.obj
    caller.run(lambda mind: mind.dismiss(_kind(kind), *keys))
    render.as_json({"dismissed": kind, "keys": keys}) if caller.as_json else render.say(
        f"not to {kind} {render.safe(' and '.join(keys))}: until its facts change"
    )


# ---- forecast


def forecast(
    context: typer.Context,
    days: Annotated[float | None, typer.Option(max=36525, help="How far to look ahead (default 30).")] = None,
    scans: Annotated[int | None, typer.Option(help="The same for a network mind (default 100).")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many to list; all are counted.")] = 50,
    metabolism: Annotated[str | None, typer.Option(help="What if it lived by this one?")] = None,
    settings: Settings = None,
) -> None:
    """What will turn cold, expire or become deletable if nothing happens, when and why. Changes nothing.

    ebbtide forecast --days 90

    ebbtide forecast --set delete_below=0.2      what if? Both side by side
    """
    caller: Caller = context.obj
    params = parsed(settings)

    async def work(mind: "Mind") -> "list[Outlook]":
        if metabolism is None and not params:
            return [await mind.forecast(days, scans=scans, limit=limit)]
        with caller.progress("replaying the journal") as progress:
            other = await mind.replay(metabolism, params, progress)
        mixed = _by_scans(mind.metabolism) != _by_scans(other.metabolism)
        return [await _outlook(each, days, scans, limit, mixed) for each in (mind, other)]

    now, *then = caller.run(work)
    if caller.as_json:
        render.as_json({"now": now, "then": then[0]} if then else now)
        return
    if then:
        _compare(now, then[0])
    _show(then[0] if then else now)


def _by_scans(metabolism: str) -> bool:
    from ebbtide.core.metabolism import traits_of

    return traits_of(metabolism).by_scans


async def _outlook(mind: "Mind", days: float | None, scans: int | None, limit: int, mixed: bool) -> "Outlook":
    """Where one of two counts in scans and the other in days, each takes what is meant for it."""
    if mixed:
        days, scans = (None, scans) if _by_scans(mind.metabolism) else (days, None)
    return await mind.forecast(days, scans=scans, limit=limit)


def _compare(now: "Outlook", then: "Outlook") -> None:
    events = dict.fromkeys([*now.counts, *then.counts])
    rows = [(_event(name), str(now.counts.get(name, 0)), str(then.counts.get(name, 0))) for name in events]
    columns = (f"now ({now.metabolism}, {_reach(now)})", f"what if ({then.metabolism}, {_reach(then)})")
    render.table(("", *columns), rows or [("nothing", "0", "0")])


def _show(found: "Outlook") -> None:
    if found.fates:
        rows = [(render.safe(f.key), _event(f.event), _when(f, found.at), render.safe(f.why)) for f in found.fates]
        render.table(("key", "what", "when", "why"), rows)
    total = sum(found.counts.values())
    if total > len(found.fates):
        render.say(f"[dim]… and {total - len(found.fates)} more (--limit lists them)[/]")
    counts = ", ".join(f"{count} {_event(name)}" for name, count in found.counts.items()) or "nothing changes"
    render.say(f"within {_reach(found)}: {counts}")


def timeline(
    context: typer.Context,
    weeks_back: Annotated[int, typer.Option("--back", min=0, max=520, help="Weeks to look back.")] = 8,
    weeks_ahead: Annotated[int, typer.Option("--ahead", min=0, max=520, help="Weeks to look ahead.")] = 8,
) -> None:
    """How many memories were in each state week by week, are now, and will be if nothing happens. Changes nothing.

    ebbtide timeline --back 4 --ahead 12
    """
    caller: Caller = context.obj
    found = caller.run(lambda mind: mind.timeline(weeks_back, weeks_ahead))
    render.as_json(found) if caller.as_json else _show_weeks(found)


def _show_weeks(found: "Timeline") -> None:
    states = list(dict.fromkeys(state for point in found.points for state in point.states))
    when = ["now" if point.at == found.at else iso(point.at)[:10] for point in found.points]
    numbers = [[point.memories, *(point.states.get(state, 0) for state in states)] for point in found.points]
    rows = [(day, *(f"{number:,}" for number in row)) for day, row in zip(when, numbers, strict=True)]
    render.table(("week to", "memories", *states), rows)
    if found.estimated:
        render.say("[dim]weeks back are estimated: the journal is long, so only memories still here are counted[/]")
    if found.compacted:
        render.say("[dim]earlier weeks are missing: the journal was compacted[/]")
    if _by_scans(found.metabolism):
        render.say("[dim]nothing ahead: this mind fades by scans, not by weeks[/]")


def _reach(found: "Outlook") -> str:
    return counted(found.scans or 0, "scan") if found.days is None else distance(found.days * 86400.0)


def _event(name: str) -> str:
    return name.replace("_", " ")


def _when(fate: "Fate", now: float) -> str:
    if fate.at is None:
        return f"after {counted(fate.scans or 0, 'more scan')}"
    return f"{relative(fate.at, now)} ({iso(fate.at)})"
