"""Commands of conversations: tell any mind; ask a network mind, and watch it fade."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ebbtide.core.counted import counted
from ebbtide.core.errors import InvalidInput, StoreError
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller
from ebbtide.serve.cli.files import json_lines, parsed, read_text
from ebbtide.serve.cli.memories import At
from ebbtide.serve.times import iso

if TYPE_CHECKING:
    from ebbtide.core.state import Task
    from ebbtide.mind import Mind

Number = Annotated[int, typer.Argument(help="The task's number, as `ebbtide queue` shows it.")]
queue = typer.Typer(help="What waits to be remembered, and what failed.", invoke_without_command=True)


def register(app: typer.Typer) -> None:
    app.command(rich_help_panel="Conversations")(remember)
    for command in (recall, focus, traces, compress, watch):
        app.command(rich_help_panel="Network minds")(command)
    queue.callback()(queue_root)
    queue.command("list")(queue_list)
    queue.command("retry")(retry)
    queue.command("drop")(drop)
    app.add_typer(queue, name="queue", rich_help_panel="Conversations")


def remember(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="Messages, as JSON lines or a JSON list, or a text; - is stdin.")],
    role: Annotated[str | None, typer.Option(help="It is plain text, and said by: user, assistant, system.")] = None,
    later: Annotated[
        bool, typer.Option("--later", help="Do not wait: the next command on this mind goes on with it.")
    ] = False,
) -> None:
    """Hand a conversation to a mind (made if there is none). Lines: {"role": …, "content": …}, and if known
    "timestamp" and "name" (of the speaker).

    ebbtide --agent ada remember conversation.jsonl
    """
    from ebbtide.core.metabolism import traits_of
    from ebbtide.mind.conversation import parsed_messages

    caller: Caller = context.obj
    messages = _messages(read_text(source), source, role)

    async def work(mind: "Mind") -> dict[str, Any]:
        before = (await mind.stats()).store.memories
        task = await mind.remember(messages)
        error = None if later else await _worked_off(mind, task, caller)
        new = (await mind.stats()).store.memories - before
        focus = list(await mind.focus()) if traits_of(mind.metabolism).network else []
        return {"task": task, "later": later, "new": new, "focus": focus, "error": error}

    def check(_: str) -> None:
        from ebbtide.app import require_model

        parsed_messages(messages)
        require_model(caller.settings)

    found = caller.run(work, make=check)
    _answer(caller, found, _remembered(found))


def _remembered(found: dict[str, Any]) -> str:
    if found["later"]:
        return f"task {found['task']} waits in the queue"
    from ebbtide.mind.recall import joined

    focus = render.safe(joined(found["focus"]))
    counted = "+1 memory" if found["new"] == 1 else f"{found['new']:+d} memories"
    return f"remembered: {counted}" + (f"; in focus: [bold]{focus}[/]" if focus else "")


def _messages(text: str, source: str, role: str | None) -> list[Any]:
    """A JSON list, JSON lines, or one message of plain text, by how it begins; with a role it is always text."""
    start = text.lstrip()[:1]
    if role is not None or start not in ("[", "{"):
        return [{"role": "user" if role is None else role, "content": text}]
    if start == "{":
        return [message for _, message in json_lines(text, source)]
    try:
        return list(parsed(text, source))
    except InvalidInput as error:  # a text may well begin so: [12:03] Lin: …
        raise InvalidInput(problem=f"{error}; if it is plain text, say whose with --role") from None


async def _worked_off(mind: "Mind", task: int, caller: Caller) -> str | None:
    """Until this task is done and what it called for is compressed. Why it was set aside, if it was."""
    with caller.progress("remembering"), _told_once(task) as troubles:
        await mind.idle()
        left = next((found for found in await mind.queue() if found.id == task), None)
        if left is None:
            await mind.compress()
            return None
    if left.error is None:  # the mailbox holds it back until the store works again
        raise StoreError(problem=" ".join([f"Task {task} still waits: the disk failed.", *troubles]))
    return left.error


@contextmanager
def _told_once(task: int) -> Iterator[list[str]]:
    """The mailbox logs what it cannot do; of this task we tell ourselves, in one line and when the bar is gone."""
    troubles: list[str] = []

    def is_news(record: logging.LogRecord) -> bool:
        about_it = task in (record.args or ())
        if about_it and record.exc_info:
            troubles.append(str(record.exc_info[1]))
        return not about_it

    log = logging.getLogger("ebbtide")
    log.addFilter(is_news)
    try:
        yield troubles
    finally:
        log.removeFilter(is_news)


def _answer(caller: Caller, found: dict[str, Any], said: str) -> None:
    """What became of a task: for programs all of it, for people what was done, or why it was not."""
    task, error = found["task"], found["error"]
    if caller.as_json:
        render.as_json(found)
    elif error:
        raise typer.TyperException(f"task {task} was set aside (`ebbtide queue retry {task}` tries it again): {error}")
    else:
        render.say(said)
    if error:
        raise typer.Exit(1)


def recall(
    context: typer.Context,
    keywords: Annotated[list[str] | None, typer.Argument(help="What it is about; none: whatever comes up.")] = None,
    relation: Annotated[list[str] | None, typer.Option(help="Only links of this name; may be given again.")] = None,
    depth: Annotated[int | None, typer.Option(help="How many links from the focus (default 2).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many memories at most.")] = 100,
    at: At = None,
) -> None:
    """What comes to mind, outward from what it is on, stronger links first. With --at no walk counts."""
    caller: Caller = context.obj.at(at)
    text = caller.run(lambda mind: mind.recall(keywords or (), relation or (), depth, limit))
    if caller.as_json:
        render.as_json({"text": text})
    elif text:  # not through Rich: it is for a model to read, to the last tab
        sys.stdout.write(f"{render.printable(text)}\n")
    else:
        render.say("[dim]nothing comes to mind: try other keywords, or `ebbtide search`[/]")


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
            await mind.fade(cycles)  # none at all, too: a mind that does not fade says so
            done = await _slices(mind, slices)
        stats = (await mind.stats()).store
        return {"done": done, "forgotten": before - stats.memories, "memories": stats.memories, "traces": stats.traces}

    found = caller.run(work)
    if caller.as_json:
        render.as_json(found)
        return
    rest = "nothing more is due" if found["done"] else "more is due"
    left = f"{counted(found['memories'], 'memory', 'memories')} and {counted(found['traces'], 'trace')} left"
    render.say(f"forgot {found['forgotten']}, {left}; {rest}")


async def _slices(mind: "Mind", slices: int) -> bool:
    for _ in range(slices):
        if await mind.compress(_for(mind.time_slice)):
            return True
    return False


def _for(seconds: float) -> Callable[[], bool]:
    ends = time.monotonic() + seconds
    return lambda: time.monotonic() >= ends


def queue_root(context: typer.Context) -> None:
    """What waits, in order, and what was set aside; on its own it lists them."""
    if context.invoked_subcommand is None:
        queue_list(context)


def queue_list(context: typer.Context) -> None:
    """List what waits, in order, and what was set aside."""
    caller: Caller = context.obj
    found = [_described(task) for task in caller.run(lambda mind: mind.queue())]
    if caller.as_json:
        render.as_json(found)
        return
    rows = [_row(task) for task in found]
    render.table(("task", "kind", "since", "state", ""), rows) if rows else render.say("[dim]the queue is empty[/]")


def _described(task: "Task") -> dict[str, Any]:
    state = "waiting" if task.error is None else "set aside"
    said = {"messages": len(task.messages), "error": task.error}
    return {"task": task.id, "kind": task.kind, "at": task.at, "state": state, **said}


def _row(found: dict[str, Any]) -> tuple[str, ...]:
    counted = {0: "", 1: "1 message"}.get(found["messages"], f"{found['messages']} messages")
    about = render.preview(found["error"], 300) if found["error"] else counted
    return str(found["task"]), found["kind"], iso(found["at"]), found["state"], about


def retry(context: typer.Context, task: Number) -> None:
    """Try a task again that was set aside."""
    caller: Caller = context.obj

    async def work(mind: "Mind") -> dict[str, Any]:
        await mind.retry(task)
        return {"task": task, "error": await _worked_off(mind, task, caller)}

    _answer(caller, caller.run(work), f"task {task} is done")


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

    async def work(mind: "Mind") -> None:
        await mind.fade(0)  # a mind that does not fade says so, before it is copied
        await play(mind, cycles, every, caller)

    caller.run(work)
