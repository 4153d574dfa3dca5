"""The live view of a mind fading: bars that shrink, texts that grow short, and memories that go."""

import asyncio
from typing import TYPE_CHECKING, Any

from ebbtide.serve.cli import render
from ebbtide.serve.cli.caller import Caller

if TYPE_CHECKING:
    from rich.table import Table

    from ebbtide.core.memory import Memory
    from ebbtide.mind import Mind

SHOWN = 24
WIDTH = 20


async def play(mind: "Mind", cycles: int, every: float, caller: Caller) -> None:
    with caller.progress("making a copy") as progress:
        copy = await mind.rehearsal(progress)
    if caller.as_json or not render.console().is_terminal:
        render.as_json([await _figures(copy, cycle) for cycle in range(cycles + 1) if await _step(copy, cycle)])
        return
    from rich.live import Live

    with Live(console=render.console(), auto_refresh=False) as live:
        for cycle in range(cycles + 1):
            await _step(copy, cycle)
            live.update(await _picture(copy, cycle), refresh=True)
            if not (await copy.stats()).store.memories:
                break
            await asyncio.sleep(every)


async def _step(copy: "Mind", cycle: int) -> bool:
    if cycle:
        await copy.fade()
    return True


async def _figures(copy: "Mind", cycle: int) -> dict[str, Any]:
    stats = await copy.stats()
    return {"cycle": cycle, "memories": stats.store.memories, "traces": stats.store.traces, "states": stats.states}


async def _picture(copy: "Mind", cycle: int) -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    stats = await copy.stats()
    page = await copy.list(everything=True, limit=500)
    title = f"cycle {cycle}: {stats.store.memories} memories, {stats.store.traces} traces"
    drawn = Table("importance", "state", "text", box=SIMPLE, title=title, title_justify="left", pad_edge=False)
    for memory in sorted(page.memories, key=lambda m: -m.vitality)[:SHOWN]:
        drawn.add_row(*_line(memory))
    return drawn


def _line(memory: "Memory") -> tuple[str, str, str]:
    bar = "█" * round(WIDTH * min(memory.vitality, 1.0))
    return (
        f"[cyan]{bar:<{WIDTH}}[/] {memory.vitality:5.2f}",
        render.styled(memory.state),
        render.preview(memory.text, 70),
    )
