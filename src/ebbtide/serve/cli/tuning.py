"""The command that asks a mind's own journal which regime would have kept what was needed."""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.history import Settings, parsed
from ebbtide.serve.times import iso

if TYPE_CHECKING:
    from ebbtide.core.candidates import Candidate
    from ebbtide.core.tuning import Kept, Outcome, Tuning
    from ebbtide.mind import Mind

_NAMED = 3  # lost memories that are named for a row
_BARS = "▁▂▃▄▅▆▇█"


def register(app: typer.Typer) -> None:
    app.command(rich_help_panel="History")(tune)


def tune(
    context: typer.Context,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="Room for this share of all memories (25%), or for so many; may be given again."),
    ] = None,
    metabolism: Annotated[
        list[str] | None, typer.Option(help="Compare with this one only; may be given again.")
    ] = None,
    settings: Settings = None,
    lost: Annotated[bool, typer.Option("--lost", help="Name what every row would have lost.")] = False,
    apply: Annotated[
        int | None, typer.Option(metavar="ROW", help="Live by the parameters of this row from now on.")
    ] = None,
) -> None:
    """Which metabolism and parameters would have kept what you used? Changes nothing without --apply.

    Replays the mind's own journal with room for so many memories: the lowest vitality leaves. Each confirmed use of a
    memory older than a day (touch, credit, get) asks whether that memory would still have been there.

    ebbtide tune --budget 25%

    ebbtide tune --metabolism tide --set regime_most=0

    ebbtide tune --apply 2
    """
    caller: Caller = context.obj
    if apply is not None:
        if budget or lost:
            raise InvalidInput(problem="--apply replays nothing: leave out --budget and --lost")
        _apply(caller, apply, metabolism or [], parsed(settings))
        return

    async def work(mind: "Mind") -> "Tuning":
        with caller.progress("replaying the journal under each regime") as progress:
            given = parsed(settings) or None
            return await mind.tune(budget or (), metabolisms=metabolism or (), params=given, progress=progress)

    found: Tuning = caller.run(work)
    if caller.as_json:
        render.as_json(found)
    else:
        again = _command(caller, "tune", *_options(metabolism or [], settings or []))
        _show(found, again, all_lost=lost)


def _command(caller: Caller, *words: str) -> str:
    """To be typed for the same mind."""
    mind = ("--agent", caller.agent) if caller.agent is not None else ()
    return shlex.join(("ebbtide", *mind, *words))


def _options(metabolisms: list[str], settings: list[str]) -> list[str]:
    """The options that rows depend on."""
    given = [("--metabolism", each) for each in metabolisms] + [("--set", each) for each in settings]
    return [word for pair in given for word in pair]


# ---- applying


def _apply(caller: Caller, row: int, only: list[str], given: dict[str, Any]) -> None:
    """The rows are the same as long as options and parameters are, so nothing needs to be replayed."""
    from ebbtide.core.candidates import candidates, chosen, settings

    async def work(mind: "Mind") -> "tuple[Candidate, dict[str, Any]]":
        before = mind.params
        one = chosen(candidates(mind.metabolism, before, only, given or None), row, mind.metabolism)
        await mind.configure(**one.params)
        return one, {name: before[name] for name in one.params}

    one, before = caller.run(work)
    if caller.as_json:
        render.as_json({"row": row, "name": one.name, "params": one.params, "before": before})
        return
    render.table(("parameter", "before", "now"), [(n, str(before[n]), str(v)) for n, v in one.params.items()])
    render.say(f"the mind lives by {one.metabolism}/{one.name} from now on")
    render.say(f"[dim]back: {render.safe(_command(caller, 'config', *settings(before)))}[/]")


# ---- showing


def _show(found: "Tuning", again: str, *, all_lost: bool) -> None:
    """`again` is the command that gives the same rows."""
    when = f", from {_day(found.steps[0].starts_at)} on" if found.steps else ""
    uses = counted(found.uses, "use")
    many = counted(found.memories, "memory", "memories")
    render.say(f"{uses} of memories older than a day, {many} ever made{when} ({found.seconds:.1f} s)")
    shares = [f"{budget.share:.0%}" for budget in found.budgets]
    columns = ("row", "regime", *shares, "lost", "hidden", "over time")
    render.table(columns, [_row(found, outcome) for outcome in found.outcomes])
    room = ", ".join(f"{budget.memories:,}" for budget in found.budgets)
    render.say(f"[dim]uses kept with room for {room} memories; from `lost` on: with {shares[found.main]}[/]")
    for line in _verdict(found, again):
        render.say(line)
    for outcome in found.outcomes:
        if all_lost or outcome.number in (1, found.best):
            _name_lost(outcome, outcome.results[found.main])


def _day(moment: float) -> str:
    return iso(moment)[:10]


def _row(found: "Tuning", outcome: "Outcome") -> tuple[str, ...]:
    main = outcome.results[found.main]
    kept = [_percent(result.kept, found.uses) for result in outcome.results]
    best = "[bold]*[/]" if outcome.number == found.best else ""
    return (
        f"{outcome.number}{best}",
        _called(outcome.candidate),
        *kept,
        f"{main.lost:,}",
        f"{main.hidden:,}" if main.hidden else "",
        _over_time(found, main),
    )


def _called(candidate: "Candidate") -> str:
    name = "everything kept" if candidate.rule == "everything" else candidate.name
    return f"[dim]{name}[/]" if candidate.is_reference else f"{candidate.metabolism}/{name}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


def _over_time(found: "Tuning", kept: "Kept") -> str:
    """A bar for each step, as high as the share that is kept; a blank where nothing was used."""
    shares = [part / step.uses if step.uses else None for part, step in zip(kept.steps, found.steps, strict=True)]
    return "".join(" " if share is None else _BARS[min(7, int(8 * share))] for share in shares)


def _verdict(found: "Tuning", again: str) -> list[str]:
    """What the table comes to, and what to do."""
    from ebbtide.core.tuning import FEWEST

    if not found.enough:
        said = counted(found.uses, "use")
        return [
            f"{said} of memories older than a day: too few to judge by, {FEWEST} at least. Confirm what was of use "
            "(`touch`, `credit`), and ask again later"
        ]
    lines = [_comparison(found, again)]
    best, main = found.outcomes[found.best - 1], found.main
    for outcome in found.outcomes:
        is_bounded = outcome.candidate.is_reference and outcome.candidate.rule != "everything"
        if is_bounded and outcome.results[main].kept >= best.results[main].kept:
            lines.append(f"{outcome.candidate.name}, which no formula stands behind, keeps as much as the best row")
    if found.decided:
        gone = counted(found.decided, "memory", "memories")
        lines.append(f"[dim]this mind has let go of {gone} by itself; later use of those cannot be seen[/]")
    return lines


def _comparison(found: "Tuning", again: str) -> str:
    from ebbtide.core.candidates import moving

    best = found.outcomes[found.best - 1]
    if best.number == 1:
        return "no row keeps more than the mind does by its own parameters"
    kept, one = best.results[found.main], best.candidate
    uses = counted(kept.gained - kept.missed, "use")
    more = f"row {best.number} ({one.metabolism}/{one.name}) keeps {uses} more than now"
    more += f" ({kept.gained} gained, {kept.missed} missed)"
    if not found.clear:
        return f"{more}: no more than chance explains"
    how = f"`{again} --apply {best.number}` sets its parameters"
    return render.safe(f"{more}; {how if one.metabolism == found.metabolism else moving(one)}")


def _name_lost(outcome: "Outcome", kept: "Kept") -> None:
    if not kept.losses:
        return
    rows = [
        (render.safe(loss.key), str(loss.uses), "" if loss.left_at is None else _day(loss.left_at),
         render.preview(loss.text))
        for loss in kept.losses[:_NAMED]
    ]  # fmt: skip
    render.table((f"row {outcome.number} would have lost", "uses", "left", ""), rows)
