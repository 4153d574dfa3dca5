"""Commands that put, read and link memories."""

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, DEFAULT_STRENGTH, Memory, State
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.files import put_file, read_text
from ebbtide.serve.cli.hidden import out_of_sight
from ebbtide.serve.times import distance, iso, relative

if TYPE_CHECKING:
    from ebbtide.mind.explain import Explanation
    from ebbtide.mind.reading import Page

DEFAULT_RELATION = "related"
LAST = 2**63 - 1  # no id and no entry comes after this one
Key = Annotated[str, typer.Argument(help="The memory's key.")]
Relation = Annotated[str, typer.Argument(help="The link's name.")]
At = Annotated[
    str | None, typer.Option(help="Look at the mind at another moment, as no use of it: a date, +90d (to come), -3d.")
]


def register(app: typer.Typer) -> None:
    for command in (put, get, link, unlink, follow, list_memories, explain):
        app.command("list" if command is list_memories else None, rich_help_panel="Memories")(command)


def put(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(help="What to remember; - reads standard input.")] = None,
    key: Annotated[str | None, typer.Option(help="Its name (default: one is made up).")] = None,
    phrase: Annotated[str | None, typer.Option(help="A short summary.")] = None,
    keyword: Annotated[list[str] | None, typer.Option(help="A keyword; may be given again.")] = None,
    kind: Annotated[str | None, typer.Option(help="What sort of memory it is.")] = None,
    domain: Annotated[str | None, typer.Option(help="What it belongs to.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it: user, or a name.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1; retention minds only.")] = None,
    policy: Annotated[str | None, typer.Option(help="normal, persistent or ephemeral; retention minds only.")] = None,
    replace: Annotated[bool, typer.Option(help="If the key is taken, give that memory this text.")] = False,
    source: Annotated[str | None, typer.Option("--from", help="A JSONL file of memories; - is standard input.")] = None,
) -> None:
    """Remember something, or many things.

    ebbtide put "The ferry to Lamma leaves at 8:40." --key ferry --keyword travel

    ebbtide put --from memories.jsonl      one object a line: {"text": …, "key": …, "keywords": […]}
    """
    from ebbtide.core.draft import Draft

    caller: Caller = context.obj
    given: dict[str, Any] = {"key": key, "phrase": phrase, "keywords": keyword, "kind": kind, "domain": domain}
    given |= {"speaker": speaker, "importance": importance, "policy": policy}
    given = {name: value for name, value in given.items() if value is not None}
    if source is not None:
        if text is not None or given or replace:
            raise InvalidInput(problem="--from FILE stands alone: text, key and all the rest are in the file")
        put_file(caller, source)
        return
    if text is None:
        raise InvalidInput(problem="nothing to remember: give a text, or --from FILE")
    said = read_text(text).rstrip("\r\n") if text == "-" else text
    memory = caller.run(
        lambda mind: mind.put(said, replace=replace, **given),
        make=lambda metabolism: Draft.parse({"text": said, **given}).check(metabolism),
    )
    _answer(caller, memory, f"remembered [bold]{render.safe(memory.key)}[/] ({memory.state})")


def get(context: typer.Context, key: Key, at: At = None) -> None:
    """Read a memory. That is a use of it, and counts; with --at it is only a look, and counts nothing.

    ebbtide get ferry --at +90d
    """
    caller: Caller = context.obj.at(at)
    memory = caller.run(lambda mind: mind.get(key))
    if caller.as_json:
        render.as_json(memory)
        return
    render.say(f"[bold]{render.safe(memory.key)}[/]  {_state(memory)}  {_vitality(memory)}")
    render.say(render.safe(memory.text))
    if memory.speaker:
        render.say(f"[dim]said by: {render.safe(memory.speaker)}[/]")
    if memory.keywords:
        render.say(f"[dim]keywords: {render.safe(', '.join(memory.keywords))}[/]")


def link(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="From this memory …")],
    target: Annotated[str, typer.Argument(help="… to this one.")],
    relation: Relation = DEFAULT_RELATION,
    strength: Annotated[float, typer.Option(help="From 0 to 1.")] = DEFAULT_STRENGTH,
) -> None:
    """Link two memories.

    ebbtide link ferry island "leads to" --strength 0.8
    """
    caller: Caller = context.obj
    caller.run(lambda mind: mind.link(source, target, relation, strength))
    answer = {"source": source, "target": target, "relation": relation, "strength": strength}
    _answer(caller, answer, render.safe(f"{source} —{relation}→ {target}"))


def unlink(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="From this memory …")],
    target: Annotated[str, typer.Argument(help="… to this one.")],
    relation: Relation = DEFAULT_RELATION,
) -> None:
    """Take a link away."""
    caller: Caller = context.obj
    caller.run(lambda mind: mind.unlink(source, target, relation))
    answer = {"source": source, "target": target, "relation": relation}
    _answer(caller, answer, render.safe(f"{source} and {target} are no longer linked by {relation}"))


def follow(
    context: typer.Context,
    key: Key,
    relation: Annotated[list[str] | None, typer.Option(help="Only links of this name; may be given again.")] = None,
) -> None:
    """Walk a memory's links, strongest first. What is reached counts as walked to."""
    caller: Caller = context.obj
    steps = caller.run(lambda mind: mind.follow(key, relation or ()))
    if caller.as_json:
        render.as_json(steps)
        return
    seen = [step for step in steps if not step.expired]
    for step in seen:
        there = f"[bold]{render.safe(step.key or '?')}[/]  "
        there += render.preview(step.memory.text) if step.memory else "[dim]once known, now forgotten[/]"
        render.say(f"—{render.safe(step.relation)} {step.strength:.2f}→ {there}")
    if not steps:
        render.say("[dim]no links lead on from here[/]")
    if expired := len(steps) - len(seen):
        render.say(f"[dim]{out_of_sight({State.EXPIRED: expired})}[/]")


def list_memories(
    context: typer.Context,
    state: Annotated[list[State] | None, typer.Option(help="Only this state; may be given again.")] = None,
    score: Annotated[str | None, typer.Option(help="Only scores in this range, like 30-69 (score minds).")] = None,
    kind: Annotated[str | None, typer.Option(help="Only this kind.")] = None,
    domain: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only what is pinned.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also what is normally out of sight.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    after: Annotated[int, typer.Option(min=0, max=LAST, help="Go on after this id (the last list said which).")] = 0,
    at: At = None,
) -> None:
    """List memories by the state they are in at this moment, or at another one.

    ebbtide list --at +90d      what is still in sight in 90 days if nothing happens
    """
    caller: Caller = context.obj.at(at)
    asked: dict[str, Any] = {"kind": kind, "domain": domain, "everything": everything, "after": after, "limit": limit}
    asked["pinned"] = pinned or None
    page = caller.run(lambda mind: mind.list(state or None, score=_range(score), **asked))
    if caller.as_json:
        render.as_json(page)
        return
    if page.memories:
        rows = [(render.safe(m.key), _state(m), _vitality(m), render.preview(m.text)) for m in page.memories]
        render.table(("key", "state", "vitality", "text"), rows)
    _footer(page)


def _footer(page: "Page") -> None:
    if not page.memories:
        render.say("[dim]nothing to list[/]")
    if page.next is not None:
        render.say(f"[dim]more: --after {page.next}[/]")
    if page.left_out:
        render.say(f"[dim]{out_of_sight(page.left_out)}[/]")


def _range(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,3})-(\d{1,3})", text)
    if not found or int(found[1]) > int(found[2]):
        raise InvalidInput(problem=f"{text!r:.80} is not a range of scores: use two numbers, like 30-69")
    return int(found[1]), int(found[2])


def explain(
    context: typer.Context,
    key: Key,
    at: At = None,
    days: Annotated[float, typer.Option(min=0.01, max=36525, help="How far the curve looks ahead.")] = 30.0,
) -> None:
    """Why a memory is what it is, and what becomes of it if nothing happens. Counts as no use."""
    caller: Caller = context.obj.at(at)
    explanation = caller.run(lambda mind: mind.explain(key, days=days))
    if not caller.as_json:
        show(explanation, days)
        return
    from ebbtide.core.metabolism import traits_of

    along = "scans" if traits_of(explanation.metabolism).by_scans else "at"
    curve = [{along: when, "vitality": vitality} for when, vitality in explanation.curve]
    render.as_json({**render.plain(explanation), "curve": curve})


def show(e: "Explanation", days: float) -> None:
    from ebbtide.core.metabolism import traits_of

    traits = traits_of(e.metabolism)
    render.say(f"[bold]{render.safe(e.memory.key)}[/]  {_state(e.memory)}  {e.why}")
    render.say(f"[dim]{render.preview(e.memory.text, 100)}[/]")
    total = [(f"[bold]{traits.total}[/]", f"[bold]{e.memory.vitality:+.4f}[/]")]
    render.table((f"{e.metabolism} at {iso(e.at)}", "value"), [(n, f"{v:+.4f}") for n, v in e.terms.items()] + total)
    for coming in e.forecast:
        when = "never: pinned" if e.memory.meta.pinned else _when(coming, e.at)
        render.say(f"  {coming.event.replace('_', ' ')}: {when}")
    curve = [vitality for _, vitality in e.curve]
    ahead = counted(round(e.curve[-1][0]), "scan") if traits.by_scans else distance(days * DAY)
    render.say(f"  [cyan]{render.sparkline(curve)}[/] {ahead} ahead: {curve[0]:.3f} → {curve[-1]:.3f}")


def _when(coming: Any, now: float) -> str:
    if coming.scans is not None:
        return "already" if coming.scans == 0 else f"after {counted(coming.scans, 'more scan')}"
    if coming.at is None:
        return "never, as things stand"
    return "already" if coming.at <= now else f"{relative(coming.at, now)} ({iso(coming.at)})"


def _state(memory: Memory) -> str:
    marks = " ".join(f"[magenta]{name}[/]" for name in memory.marks.names)
    pinned = "[blue]pinned[/]" if memory.meta.pinned else ""
    return " ".join(filter(None, (render.styled(memory.state), pinned, marks)))


def _vitality(memory: Memory) -> str:
    return f"score {memory.meta.score}" if memory.meta.score is not None else f"{memory.vitality:.3f}"


def _answer(caller: Caller, value: Any, text: str) -> None:
    render.as_json(value) if caller.as_json else render.say(text)
