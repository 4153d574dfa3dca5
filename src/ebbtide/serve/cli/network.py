"""Commands of the network mind: tell it, ask it, watch it fade."""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.errors import InvalidInput
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.files import json_lines, read_text
from ebbtide.serve.cli.times import iso

if TYPE_CHECKING:
    from ebbtide.core.state import Task
    from ebbtide.mind import Mind

Number = Annotated[int, typer.Argument(help="The task's number, as `ebbtide queue` shows it.")]
queue = typer.Typer(help="What waits to be remembered, and what failed.", invoke_without_command=True)


def register(app: typer.Typer) -> None:
    for command in (remember, recall, focus, traces, compress, watch):
        app.command(rich_help_panel="Network minds")(command)
    queue.callback()(queue_root)
    queue.command("retry")(retry)
    queue.command("drop")(drop)
    app.add_typer(queue, name="queue", rich_help_panel="Network minds")


def remember(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="A JSONL file of messages, or a text file; - is standard input.")],
    role: Annotated[str, typer.Option(help="Who said it, if the file is plain text.")] = "user",
    later: Annotated[bool, typer.Option("--later", help="Only put it into the queue.")] = False,
) -> None:
    """Hand a conversation to a network mind (made if there is none). Lines: {"role": …, "content": …}.

    ebbtide --agent ada remember conversation.jsonl
    """
    from ebbtide.mind.network import parsed_messages

    caller: Caller = context.obj
    messages = _messages(read_text(source), source, role)

    async def work(mind: "Mind") -> dict[str, Any]:
        before = (await mind.stats()).store.memories
        task = await mind.remember(messages)
        if not later:
            with caller.progress("remembering"):
                await mind.idle()
                await mind.compress()
        stats = await mind.stats()
        failed = next((t.error for t in await mind.queue() if t.id == task), None)
        new = stats.store.memories - before
        return {"task": task, "later": later, "new": new, "focus": await mind.focus(), "error": failed}

    found = caller.run(work, make=lambda _: parsed_messages(messages), metabolism="network")
    render.as_json(found) if caller.as_json else render.say(_remembered(found))
    if found["error"]:
        raise typer.Exit(1)


def _remembered(found: dict[str, Any]) -> str:
    if found["error"]:
        return render.safe(f"task {found['task']} was set aside: {found['error']}")
    if found["later"]:
        return f"task {found['task']} waits in the queue"
    focus = render.safe("、".join(found["focus"]))
    return f"remembered: {found['new']:+d} memories; in focus: [bold]{focus}[/]"


def _messages(text: str, source: str, role: str) -> list[Any]:
    """JSON lines if the first line is an object, a JSON list of messages, or else one message of plain text."""
    start = text.lstrip()[:1]
    if start == "[":
        try:
            found = json.loads(text)
        except ValueError as error:
            raise InvalidInput(problem=f"{source}: not JSON ({error})") from None
        return found if isinstance(found, list) else [found]
    if start == "{":
        return [message for _, message in json_lines(text, source)]
    return [{"role": role, "content": text}]


def recall(
    context: typer.Context,
    keywords: Annotated[list[str] | None, typer.Argument(help="What it is about; none: whatever comes up.")] = None,
    relation: Annotated[list[str] | None, typer.Option(help="Only links of this name; may be given again.")] = None,
    depth: Annotated[int | None, typer.Option(help="How many links from the focus (default 2).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many memories at most.")] = 100,
) -> None:
    """What comes to mind, outward from what it is on, stronger links first."""
    caller: Caller = context.obj
    text = caller.run(lambda mind: mind.recall(keywords or (), relation or (), depth, limit))
    if caller.as_json:
        render.as_json({"text": text})
    else:
        render.say(render.safe(text) or "[dim]nothing comes to mind[/]")


def focus(context: typer.Context) -> None:
    """What the mind is on, most recently mentioned first."""
    caller: Caller = context.obj
    found = caller.run(lambda mind: mind.focus())
    if caller.as_json:
        render.as_json(list(found))
    else:
        render.say(render.safe("\n".join(found)) or "[dim]nothing is in focus[/]")


def traces(context: typer.Context) -> None:
    """What was once known: links that lead to something forgotten."""
    caller: Caller = context.obj
    found = caller.run(lambda mind: mind.traces())
    if caller.as_json:
        render.as_json(list(found))
        return
    rows = [tuple(map(render.preview, (t.source, t.relation, f"{t.strength:.2f}", t.known))) for t in found]
    render.table(("from", "relation", "strength", "once known"), rows) if rows else render.say("[dim]no traces[/]")


def compress(
    context: typer.Context,
    slices: Annotated[int, typer.Option(min=1, help="How many time slices to work at most.")] = 1,
    cycles: Annotated[int, typer.Option(min=0, help="Let so many extra cycles pass first.")] = 0,
) -> None:
    """Go on with the compression that is due, for a number of time slices."""
    caller: Caller = context.obj

    async def work(mind: "Mind") -> dict[str, Any]:
        before = (await mind.stats()).store.memories
        with caller.progress("fading"):
            await mind.fade(cycles) if cycles else None
            done = await _slices(mind, slices)
        stats = (await mind.stats()).store
        return {"done": done, "forgotten": before - stats.memories, "memories": stats.memories, "traces": stats.traces}

    found = caller.run(work)
    if caller.as_json:
        render.as_json(found)
        return
    rest = "nothing more is due" if found["done"] else "more is due"
    render.say(f"forgot {found['forgotten']}, {found['memories']} memories and {found['traces']} traces left; {rest}")


async def _slices(mind: "Mind", slices: int) -> bool:
    for _ in range(slices):
        if await mind.compress(_for(mind.time_slice)):
            return True
    return False


def _for(seconds: float) -> Callable[[], bool]:
    ends = time.monotonic() + seconds
    return lambda: time.monotonic() >= ends


def queue_root(context: typer.Context) -> None:
    """List what waits, in order, and what was set aside."""
    if context.invoked_subcommand is not None:
        return
    caller: Caller = context.obj
    tasks = caller.run(lambda mind: mind.queue())
    if caller.as_json:
        render.as_json([_described(task) for task in tasks])
        return
    rows = [_row(_described(task)) for task in tasks]
    render.table(("task", "kind", "since", "state", ""), rows) if rows else render.say("[dim]the queue is empty[/]")


def _described(task: "Task") -> dict[str, Any]:
    state = "waiting" if task.error is None else "set aside"
    said = {"messages": len(task.messages), "error": task.error}
    return {"task": task.id, "kind": task.kind, "at": task.at, "state": state, **said}


def _row(found: dict[str, Any]) -> tuple[str, ...]:
    about = render.preview(found["error"]) if found["error"] else f"{found['messages']} messages"
    return str(found["task"]), found["kind"], iso(found["at"]), found["state"], about


def retry(context: typer.Context, task: Number) -> None:
    """Try a task again that was set aside."""
    caller: Caller = context.obj

    async def work(mind: "Mind") -> str | None:
        await mind.retry(task)
        await mind.idle()
        return next((t.error for t in await mind.queue() if t.id == task), None)

    error = caller.run(work)
    render.as_json({"task": task, "error": error}) if caller.as_json else render.say(
        render.safe(f"task {task} failed again: {error}") if error else f"task {task} is done"
    )
    if error:
        raise typer.Exit(1)


def drop(context: typer.Context, task: Number) -> None:
    """Give a task up for good."""
    caller: Caller = context.obj
    caller.run(lambda mind: mind.drop(task))
    render.as_json({"dropped": task}) if caller.as_json else render.say(f"task {task} is dropped")


def watch(
    context: typer.Context,
    cycles: Annotated[int, typer.Option(min=1, help="How many cycles to watch.")] = 160,
    every: Annotated[float, typer.Option(min=0.0, max=60.0, help="Seconds between two cycles.")] = 0.2,
) -> None:
    """Watch a mind fade, cycle by cycle. On a copy: nothing is changed."""
    from ebbtide.serve.cli.watching import play

    caller: Caller = context.obj
    caller.run(lambda mind: play(mind, cycles, every, caller))
