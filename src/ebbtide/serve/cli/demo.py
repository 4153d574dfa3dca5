"""One life on a clock that we turn, by each metabolism: put, link, use, months passing, explain, forget, undo."""

import tempfile
from dataclasses import dataclass

from ebbtide.app import open_mind
from ebbtide.core.counted import counted
from ebbtide.core.memory import DAY, HOUR
from ebbtide.core.metabolism import METABOLISMS, traits_of
from ebbtide.mind import Mind
from ebbtide.serve.cli import memories, render
from ebbtide.serve.times import distance

START = 1_767_225_600.0  # 1 January 2026
LOOKS = {"at once": 0.0, "a day on": DAY, "a week on": 7 * DAY, "a month on": 30 * DAY, "90 days on": 90 * DAY}
SCANS = (0, 1, 5, 10, 20)
_FIRST = "tide"  # what a newcomer should see first
PROMISES = {
    "activity": "counts links and uses, adds how recent they are, takes off age; nothing is stored",
    "network": "knows no clock: a memory is worth the strength of its links, and only scans wear those down",
    "score": "keeps a score from 0 to 100: use lifts it, days wear it down, links slow the wear",
    "tide": "estimates what will be needed, from use, content and what is newer; nothing is hidden",
    "retention": "forgets along Ebbinghaus' curve; what has expired is out of sight at once",
}


@dataclass
class TurnedClock:
    moment: float = START

    def now(self) -> float:
        return self.moment

    def turn(self, seconds: float) -> None:
        self.moment += seconds


@dataclass(frozen=True)
class Scene:
    """How one life went: whether forgetting was undone without a trace, and replay gave the same mind."""

    metabolism: str
    undone: bool
    same: bool
    journal_entries: int


async def play() -> list[Scene]:
    scenes = []
    with tempfile.TemporaryDirectory(prefix="ebbtide-demo-") as folder:
        for metabolism in sorted(METABOLISMS, key=lambda name: name != _FIRST):
            clock = TurnedClock()
            render.console().rule(f"[bold]{metabolism}")
            render.say(f"[italic]{PROMISES[metabolism]}[/]\n")
            async with open_mind(metabolism, data=folder, metabolism=metabolism, clock=clock) as mind:
                scenes.append(await _live(mind, clock))
    render.console().rule()
    render.say('Yours now:  ebbtide put "The ferry leaves at 8:40." --key ferry  &&  ebbtide explain ferry')
    return scenes


async def _live(mind: Mind, clock: TurnedClock) -> Scene:
    await _remember(mind)
    await _use(mind, clock)
    await _let_time_pass(mind, clock)
    if traits_of(mind.metabolism).by_scans:
        await _let_it_fade(mind)
    await _explain(mind)
    undone = await _forget_and_undo(mind)
    same = not await mind.check()
    entries = (await mind.stats()).store.journal_entries
    verdict = "the same, bit for bit" if same else "NOT the same"
    render.say(f"journal: {entries} entries; replayed from empty: {verdict}\n")
    return Scene(mind.metabolism, undone, same, entries)


async def _remember(mind: Mind) -> None:
    await mind.put("The ferry to Lamma leaves Central pier 4 at 8:40 on weekdays.", key="ferry", keywords=["travel"])
    await mind.put("小林对花生过敏，聚餐时不要点含花生的菜。", key="allergy", keywords=["小林", "花生"])
    await mind.put("Lin lives on Lamma and works from the library on Fridays.", key="lin")
    await mind.put("The café by the pier was closed on 3 January.", key="café")
    await mind.link("lin", "ferry", "takes", 0.8)
    await mind.link("ferry", "lin", "brings", 0.6)
    await mind.link("lin", "allergy", "关于", 0.9)
    await mind.link("allergy", "lin", "属于", 0.9)
    render.say("put four memories, and linked ferry ↔ lin ↔ allergy; nobody asks about the café")


async def _use(mind: Mind, clock: TurnedClock) -> None:
    for _ in range(6):
        clock.turn(9 * HOUR)
        await mind.get("allergy")
        await mind.follow("lin")
    render.say("read [bold]allergy[/] and walked on from [bold]lin[/], six times in two days\n")


async def _let_time_pass(mind: Mind, clock: TurnedClock) -> None:
    keys = ("allergy", "lin", "ferry", "café")
    rows = []
    start = clock.now()
    for name, later in LOOKS.items():
        seen = [await mind.explain(key, at=start + later) for key in keys]
        rows.append((name, *(f"{render.styled(e.memory.state)} {e.memory.vitality:.2f}" for e in seen)))
    render.table(("", *keys), rows)
    clock.turn(max(LOOKS.values()))
    report = await mind.tick()
    render.say(f"{distance(clock.now() - start)} later a tick wrote down {report.changed} of {report.seen} states\n")


async def _let_it_fade(mind: Mind) -> None:
    """On a copy: time does nothing to this mind, being told other things does."""
    copy = await mind.rehearsal()
    rows = []
    for scans in SCANS:
        while (await copy.explain("lin")).memory.meta.scan_count < scans:
            await copy.fade()
        living = {memory.key: memory for memory in (await copy.list(everything=True)).memories}
        told = [living[key].text if key in living else "[dim]forgotten[/]" for key in ("allergy", "ferry", "café")]
        rows.append((counted(scans, "scan"), *told))
    render.table(("on a copy, after", "allergy", "ferry", "café"), rows)


async def _explain(mind: Mind) -> None:
    memories.show(await mind.explain("café"), 30.0)
    render.say("")


async def _forget_and_undo(mind: Mind) -> bool:
    before = await mind.explain("lin")
    await mind.forget("lin")
    traces = (await mind.stats()).store.traces
    await mind.restore("lin")
    undone = await mind.explain("lin") == before
    verdict = "as it was" if undone else "CHANGED"
    became = f"{counted(traces, 'link')} became {'a trace' if traces == 1 else 'traces'}"
    render.say(f"forgot [bold]lin[/] ({became}), then undid it: {verdict}")
    return undone
