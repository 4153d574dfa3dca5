"""Demo minds with months behind them, so that there is something to see: curves, states, traces, suggestions.

They live through their past by the verbs everybody uses, on a clock that we turn, in a folder of their own, and are
moved into the data folder when they are done: nobody ever sees half of one.
"""

import random
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from ebbtide.app import running
from ebbtide.core.memory import DAY, Message
from ebbtide.host import Host
from ebbtide.host.agents import exists
from ebbtide.host.ownership import House
from ebbtide.mind import Mind
from ebbtide.serve import demo_data as team
from ebbtide.serve import demo_data_tide as ada
from ebbtide.serve.demo_data_lives import RESEARCH, RESEARCH_LINKS, TRAVELLER, TRAVELLER_LINKS, Note
from ebbtide.serve.demo_data_talk import EVENINGS
from ebbtide.settings import Settings

_PREFIX, _LOCK = "_demo-", "_demo.lock"
HALF_A_YEAR = 183.0
_SEED = 26  # of the days on which things were used; the same past for everybody

Deed = Callable[[Mind], Awaitable[Any]]
Link = tuple[str, str, str, float]


class Past:
    """A clock that is turned, and what happened when. `ago` is in days before now."""

    def __init__(self, now: float) -> None:
        self._end = now
        self._moment = now
        self._deeds: list[tuple[float, int, Deed]] = []
        self.chance = random.Random(_SEED)

    def now(self) -> float:
        return self._moment

    def begin(self, ago: float) -> None:
        self._moment = self._end - ago * DAY

    def at(self, ago: float, deed: Deed) -> None:
        """What happens then; what happens at the same moment happens in the order it was said."""
        self._deeds.append((-ago, len(self._deeds), deed))

    async def play(self, mind: Mind) -> None:
        for ago, _, deed in sorted(self._deeds, key=lambda one: one[:2]):
            self._moment = max(self._moment, self._end + ago * DAY)
            await deed(mind)
            await mind.settled()
        self._deeds.clear()
        self._moment = self._end


async def fill(house: House, now: float | None = None) -> list[str]:
    """Make the demo minds that are not there yet, with a past that ends now. Returns their names."""
    _tidy(house.data)
    missing = [demo for demo in DEMOS if not exists(house.data, demo.agent)]
    if not missing:
        return []
    house.data.mkdir(parents=True, exist_ok=True)
    with _workshop(house.data) as folder:
        past = Past(time.time() if now is None else now)
        async with running(Settings(data=folder), clock=past) as host:
            for demo in missing:
                await _live(host, past, demo)
        return [demo.agent for demo in missing if _moved(folder / demo.agent, house.data / demo.agent)]


@contextmanager
def _workshop(data: Path) -> Iterator[Path]:
    """A folder of one's own, in use while its lock is held: of a process that is killed, that alone is given back."""
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX, dir=data, ignore_cleanup_errors=True) as folder,
        FileLock(Path(folder) / _LOCK),
    ):
        yield Path(folder)


def _tidy(data: Path) -> None:
    """What somebody who was killed left behind half made; what somebody else is making just now stays."""
    for folder in data.glob(f"{_PREFIX}*"):
        with suppress(OSError), FileLock(folder / _LOCK, timeout=0):  # one that is held is a Timeout, which is one too
            shutil.rmtree(folder, ignore_errors=True)


async def _live(host: Host, past: Past, demo: "Demo") -> None:
    past.begin(HALF_A_YEAR)
    await host.create(demo.agent, demo.metabolism, demo.params)
    async with host.mind(demo.agent) as mind:
        demo.tell(past)
        await past.play(mind)


def _moved(source: Path, target: Path) -> bool:
    """False if somebody else was quicker: theirs stays."""
    try:
        source.rename(target)
    except OSError:
        if target.exists():
            return False
        raise
    return True


# ---- tide: one person's assistant


def _ada(past: Past) -> None:
    """Only what was of use is touched, and a budget lets go what is needed least."""
    _notes(past, ada.ADA, "touch", "")
    _linked(past, ada.ADA_LINKS, {note.key: note.ago for note in ada.ADA})
    for note in ada.ADA:  # in the background, words and meanings would be read at another moment each time
        past.at(note.ago, _do("reembed"))
    ago, key = ada.ADA_PINNED
    past.at(ago, _do("pin", key))
    for ago in (150.0, 120.0, 90.0, 60.0, 30.0, 7.0, 0.0):
        past.at(ago, _do("tick"))


# ---- activity: the assistant of a team


def _team(past: Past) -> None:
    for (domain, kind), facts in team.FACTS.items():
        for fact in facts:
            past.at(fact.ago, _put(fact.text, key=fact.key, domain=domain, kind=kind))
            _used(past, fact)
    _weekly(past, "meeting", "例会", [f"例会：{said}" for said in team.MEETINGS], chained=False)
    releases = [f"Release 2.{number} brought {said}." for number, said in enumerate(team.RELEASES)]
    _weekly(past, "release", "release", releases, chained=True)
    handovers = [f"{who} was on call: {said}." for who, said in team.HANDOVERS]
    _weekly(past, "handover", "on-call", handovers, every=14, chained=True)
    told = {fact.key: fact.ago for facts in team.FACTS.values() for fact in facts}
    _linked(past, team.LINKS, told)
    for ago, key, text in team.CORRECTIONS:
        past.at(ago, _put(text, key=key, replace=True))
    for ago, key in team.FORGOTTEN:
        past.at(ago, _do("forget", key))
    _tidied(past)


def _used(past: Past, fact: team.Fact) -> None:
    """More often when it was new, and sometimes by walking on from it."""
    for _ in range(fact.uses):
        ago = fact.ago * past.chance.random() ** 0.8
        verb = past.chance.choices(("get", "follow", "touch"), (6, 3, 2))[0]
        past.at(ago, _do(verb, fact.key))


def _weekly(past: Past, kind: str, name: str, texts: Sequence[str], every: float = 7.0, *, chained: bool) -> None:
    for number, text in enumerate(texts):
        ago = HALF_A_YEAR - 1 - every * number
        key = f"{name}-{number + 1}"
        past.at(ago, _put(text, key=key, kind=kind, domain="log"))
        if number and chained:
            past.at(ago - 0.1, _do("link", key, f"{name}-{number}", "after", 0.4))


def _tidied(past: Past) -> None:
    for ago in (120.0, 60.0, 30.0, 7.0):
        past.at(ago, _do("tick"))
    ago, stays, goes = team.MERGED
    past.at(ago, _do("merge", stays, goes))
    ago, unwanted = team.DISMISSED
    past.at(ago, _do("dismiss", "delete", unwanted))
    past.at(0.0, _do("tick"))


# ---- network: a conversation


def _talk(past: Past) -> None:
    step = (HALF_A_YEAR - 2.0) / len(EVENINGS)
    for number, (said, answered) in enumerate(EVENINGS):
        ago = HALF_A_YEAR - 1.0 - step * number
        past.at(ago, _evening(said, answered))
        if number % 6 == 5:
            past.at(ago - 0.5, _do("recall"))


def _evening(said: str, answered: str) -> Deed:
    async def deed(mind: Mind) -> None:
        await mind.remember([Message("user", said), Message("assistant", answered)])
        await mind.idle()
        await mind.compress()

    return deed


# ---- score: a traveller's assistant


def _travels(past: Past) -> None:
    _notes(past, TRAVELLER, "get", "travel")
    _linked(past, TRAVELLER_LINKS, {note.key: note.ago for note in TRAVELLER})
    for ago in (90.0, 60.0, 30.0, 14.0, 7.0, 3.0, 0.0):
        past.at(ago, _do("tick"))


# ---- retention: a research group's assistant


def _research(past: Past) -> None:
    _notes(past, RESEARCH, "touch", "research")
    _linked(past, RESEARCH_LINKS, {note.key: note.ago for note in RESEARCH})
    for ago in (*range(114, 70, -5), *range(53, 0, -5)):  # with one pause of three weeks
        past.at(float(ago), _do("reap"))
    past.at(0.0, _do("tick"))


# ---- what they share


def _notes(past: Past, notes: Sequence[Note], verb: str, domain: str) -> None:
    for note in notes:
        own = {name: value for name in ("importance", "policy") if (value := getattr(note, name)) is not None}
        past.at(note.ago, _put(note.text, key=note.key, domain=domain, **own))
        ago = note.ago
        while note.every and (ago := ago - note.every * past.chance.uniform(0.7, 1.3)) > note.until:
            past.at(ago, _do(verb, note.key))


def _linked(past: Past, links: Sequence[Link], told: dict[str, float]) -> None:
    """A link is made a few hours after the later of its ends was told."""
    for link in links:
        past.at(min(told[link[0]], told[link[1]]) - 0.2, _do("link", *link))


def _do(verb: str, *args: Any) -> Deed:
    return lambda mind: getattr(mind, verb)(*args)


def _put(text: str, **given: Any) -> Deed:
    return lambda mind: mind.put(text, **given)


class Demo(NamedTuple):
    agent: str
    metabolism: str
    params: dict[str, Any]
    tell: Callable[[Past], None]


# The network forgets faster than it would by itself, and retention more slowly: half a year is not long, nor short.
# The one without a suffix is what a newcomer sees first.
DEMOS = (
    Demo("demo", "tide", {"budget_memories": 80}, _ada),
    Demo("demo-activity", "activity", {}, _team),
    Demo("demo-network", "network", {"decay_rate": 0.9}, _talk),
    Demo("demo-score", "score", {}, _travels),
    Demo("demo-retention", "retention", {"initial_strength": 10.0}, _research),
)
