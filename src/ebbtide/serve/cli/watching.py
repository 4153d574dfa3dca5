"""The live view of a mind fading: bars that shrink, texts that grow short, and memories that go."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from ebbtide.core.counted import counted
from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller

if TYPE_CHECKING:
    from rich.table import Table

    from ebbtide.core.memory import Memory
    from ebbtide.mind import Mind

SHOWN = 24
AROUND = 5  # lines of a frame that are no memories
LOOKED_AT = 500  # the oldest: with so many there is always somebody who is going
WIDTH = 20
BESIDE = WIDTH + 24  # columns of a line that are no text


async def play(mind: "Mind", cycles: int, every: float, caller: Caller) -> None:
    """As a picture at a terminal; elsewhere, where nothing can be drawn over, in figures and without waiting."""
    with caller.progress("making a copy") as progress:
        copy = await mind.rehearsal(progress)
    if caller.as_json:
        render.as_json([await _figures(copy, cycle) async for cycle in _passing(copy, cycles)])
    elif render.console().is_terminal and not render.console().is_dumb_terminal:
        await _draw(copy, cycles, every)
    else:
        async for cycle in _passing(copy, cycles):
            render.say(_title(await _figures(copy, cycle)))


async def _passing(copy: "Mind", cycles: int) -> AsyncIterator[int]:
    """Each cycle once it has passed, from 0 on, as long as there is something left to fade."""
    for cycle in range(cycles + 1):
        await copy.fade(min(cycle, 1))
        yield cycle
        if not (await copy.stats()).store.memories:
            return


async def _figures(copy: "Mind", cycle: int) -> dict[str, Any]:
    stats = await copy.stats()
    return {"cycle": cycle, "memories": stats.store.memories, "traces": stats.store.traces, "states": stats.states}


def _title(figures: dict[str, Any]) -> str:
    memories, traces = counted(figures["memories"], "memory", "memories"), counted(figures["traces"], "trace")
    return f"cycle {figures['cycle']}: {memories}, {traces}"


async def _draw(copy: "Mind", cycles: int, every: float) -> None:
    from rich.live import Live

    seen = {memory.key: memory for memory in await _cast(copy, render.console().height - AROUND)}
    whole = max([1.0, *(memory.vitality for memory in seen.values())])
    with Live(console=render.console(), auto_refresh=False) as live:
        async for cycle in _passing(copy, cycles):
            living = await _living(copy)
            seen = {key: living.get(key, memory) for key, memory in seen.items()}
            title = _title(await _figures(copy, cycle))
            lines = [_line(memory, whole) if key in living else _gone(memory) for key, memory in seen.items()]
            live.update(_picture(title, lines), refresh=True)
            await asyncio.sleep(every)


async def _cast(copy: "Mind", room: int) -> "list[Memory]":
    """Who is followed to the end: as many as fit, the strong and the weak alike, strongest first."""
    found = sorted((await _living(copy)).values(), key=lambda memory: -memory.vitality)
    count = min(len(found), SHOWN, max(room, 1))
    return [found[number * len(found) // count] for number in range(count)]


async def _living(copy: "Mind") -> "dict[str, Memory]":
    """The oldest by key. Nobody is born in a copy, so whoever was among them is as long as it lives."""
    page = await copy.list(everything=True, limit=LOOKED_AT)
    return {memory.key: memory for memory in page.memories}


def _picture(title: str, lines: list[tuple[str, str, str]]) -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    picture = Table("importance", "state", "text", box=SIMPLE, title=title, title_justify="left", pad_edge=False)
    for line in lines:
        bar, state, text = map(render.drawn, line)
        text.truncate(max(render.console().width - BESIDE, 1), overflow="ellipsis")  # a line each: the frame fits
        picture.add_row(bar, state, text)
    return picture


def _line(memory: "Memory", whole: float) -> tuple[str, str, str]:
    bar = "█" * round(WIDTH * min(memory.vitality / whole, 1.0))
    return (
        f"[cyan]{bar:<{WIDTH}}[/] {memory.vitality:5.2f}",
        render.styled(memory.state),
        render.preview(memory.text, 200),
    )


def _gone(memory: "Memory") -> tuple[str, str, str]:
    return "", "[dim]forgotten[/]", f"[dim]{render.preview(memory.text, 200)}[/]"
