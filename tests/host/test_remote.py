"""Every verb of a mind that another process owns answers as it would in the mind itself."""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ebbtide.core.draft import Draft
from ebbtide.core.errors import Conflict, InvalidInput, KeyTaken, StoreClosed
from ebbtide.core.memory import DAY, Message, State
from ebbtide.host import desk, wire
from ebbtide.host.host import Host
from ebbtide.host.remote import RemoteMind
from ebbtide.mind import Mind
from tests.helpers import FakeClock
from tests.host.neighbours import entered, street

# What is different in any two minds: how long something took, where it lies, and names made up for runs and batches.
UNLIKE = re.compile(r"(seconds|disk_bytes|ram_bytes|token|run|where|path)=('[^']*'|[\d.e-]+)")
LONG = "The ferry to Lamma leaves at 8:40 from pier four, and 渡轮八点四十分从中环四号码头开往南丫岛. " * 3


@dataclass(frozen=True)
class Said:
    """A call. `args` may be made from the answer to the call before it; `through`: the view it goes to."""

    verb: str
    args: tuple[Any, ...] | Callable[[Any], tuple[Any, ...]] = ()
    options: dict[str, Any] = field(default_factory=dict)
    through: str = ""


def say(verb: str, *args: Any, **options: Any) -> Said:
    return Said(verb, args, options)


def after(seconds: float) -> Said:
    return Said("", (seconds,))


def view(name: str, verb: str, *args: Any, **options: Any) -> Said:
    return Said(verb, args, options, name)


COMMON = [
    say("put", "The ferry leaves at 8:40.", key="ferry", phrase="ferry", keywords=["ferry", "pier"], kind="fact"),
    say("put", "渡轮八点四十分开。", key="渡轮", domain="travel"),
    say("put", "nobody gave this one a key"),
    say("put", "again", key="ferry"),
    say("put", "no text of mine", importance="much"),
    say("put", "signals are refused", access_count=7),
    say("check_drafts", [Draft("fine", key="fine")]),
    say("check_drafts", [{"text": "fine"}, {"text": ""}]),
    say("put_many", [Draft("a draft", key="draft", keywords=("tide",)), {"text": "a mapping", "key": "mapping"}]),
    say("put_many", [{"text": "unnamed"}, {"text": "it asks for the next key", "key": "m7"}]),
    say("put_many", ["no draft"]),
    say("check_drafts", ["no draft"]),
    say("link", "ferry", "渡轮", "EQUIV", 0.7),
    say("link", "ferry", "draft", "about", np.float64(0.25)),
    say("link", "ferry", "nobody", "about"),
    say("follow", "ferry"),
    say("follow", "ferry", relations=["about"]),
    say("get", "ferry"),
    say("get", "nobody"),
    say("look", 1),
    say("look", 99),
    say("list"),
    say("list", State.ACTIVE),
    say("list", state="active", limit=np.int64(2)),
    say("list", [State.ACTIVE, "active"], kind="fact"),
    say("list", state="asleep"),
    say("list", everything=True, limit=0),
    say("surroundings"),
    say("explain", "ferry"),
    say("explain", "ferry", at=1.9e9, days=3),
    say("stats"),
    say("search", "ferry", explain=True),
    say("search", "渡轮", 1, state=(State.ACTIVE,), keywords=("pier",), vitality=False),
    say("search", "ferry", state="asleep"),
    say("indexed"),
    say("touch", "ferry", "渡轮"),
    say("touch", "ferry", "draft"),
    say("pin", "ferry", "渡轮"),
    say("pin", "ferry", "nobody"),
    say("unpin", "ferry", "draft"),
    say("list", pinned=True),
    Said("credit", lambda told: ("It leaves at 8:40.", told["search"]), {"dry_run": True}),
    say("credit", "It leaves at 8:40.", ["ferry", "渡轮", "nobody"], question="When does it go?"),
    say("credit", "八点四十分开。", {"渡轮": 0.8, "ferry": None}, question="几点？"),
    say("credit", "八点四十分开。", question="渡轮几点？", dry_run=True),
    say("credit", "8:40"),
    say("settled"),
    say("applied", "nobody's call"),
    after(DAY),
    say("merge", "draft", "mapping"),
    say("trash"),
    say("restore", "mapping"),
    say("put", "The ferry leaves at 9.", key="ferry", replace=True),
    say("revert", "ferry"),
    say("forget", "mapping", "m3"),
    say("forget", "mapping"),
    say("restore", "mapping", new_key="mapped"),
    say("unlink", "ferry", "draft", "about"),
    say("unlink", "ferry", "draft", "about"),
    say("traces"),
    say("journal"),
    say("journal", after=2, limit=3),
    say("journal", key="ferry"),
    say("configure", trash_days=20.0, touch_spacing=-1),
    say("configure", no_such=1),
    say("forecast", 10),
    say("forecast", -1),
    say("timeline", 2, 2),
    say("timeline", -1),
    say("suggestions"),
    say("accept", "delete", "ferry"),
    say("dismiss", "merge", "ferry", "draft"),
    say("tick", dry_run=True),
    say("tick", batch_size=2),
    say("tick", at=1.0),
    say("tune", ["50%", 2], metabolisms=("tide",), params={"long_use": 2.0}),
    say("tune", "much"),
    say("check"),
    say("reembed"),
    say("queue"),
    say("idle"),
    say("compress"),
    view("past", "as_of", lambda now: now - DAY / 2),
    view("past", "list"),
    view("past", "put", "not in the past"),
    view("past", "journal", limit=2),
    view("older", "as_of", 5.0),
    view("ahead", "at", "+90d"),
    view("ahead", "list", everything=True),
    view("ahead", "pin", "ferry"),
    view("never", "at", "soon"),
    view("other", "replay", "score", {"tick_every": 3.0}),
    view("other", "stats"),
    view("copy", "rehearsal"),
    view("copy", "forget", "ferry"),
    view("copy", "trash"),
    say("get", "ferry"),
    after(45 * DAY),
    say("tick"),
    say("list", everything=True),
    say("suggestions", "delete", limit=5),
    say("configure", budget_memories=3, journal_entries=20),
    say("squeeze", dry_run=True),
    say("squeeze"),
    say("trash"),
    Said("unsqueeze", lambda answers: (answers["trash"][0].run,)),
    say("unsqueeze", "no such run"),
    say("compact"),
    say("configure", budget_memories=0),
    say("compact", 1e12),
    say("journal"),
]
OF = {
    "activity": [
        after(365 * DAY),
        say("suggestions"),
        say("dismiss", "delete", "m7"),
        say("accept", "delete", "mapped"),
        say("suggestions"),
        say("remember", [{"role": "user", "content": "hello"}]),
        say("recall", ["ferry"]),
        say("fade"),
        say("focus"),
    ],
    "score": [say("list", score=(0, 60)), say("list", score=[61, 100]), say("reap")],
    "retention": [
        say("put", LONG, key="long", importance=0.9, policy="ephemeral"),
        say("put", "the evidence", key="evidence", importance=0.1),
        say("link", "long", "evidence", "SUPPORTED_BY"),
        say("touch", "long"),
        say("settled"),
        after(400 * DAY),
        say("touch", "long"),
        say("touch", "long", revive=True),
        after(400 * DAY),
        say("get", "long"),
        say("reap", dry_run=True),
        Said("reap", options={"batch_size": 2}),
        say("archived"),
        Said("unreap", lambda answers: (answers["reap"].run,)),
        say("unreap", "no such run"),
        say("reap"),
        after(60 * DAY),
        say("tick"),
        say("recover", "draft"),
        say("recover", "nobody"),
    ],
    "network": [
        say("remember", [Message("user", "Anna takes the ferry | Bob stays", 5.0)]),
        say("remember", [{"role": "user", "content": "Carl knows Anna"}]),
        say("remember", "no list"),
        say("idle"),
        say("queue"),
        say("focus"),
        say("recall", ["Anna"]),
        say("recall", "Anna"),
        say("fade", 2),
        say("compress"),
        say("traces"),
        say("surroundings", limit=3),
        say("retry", 1),
        say("drop", 1),
        say("list", everything=True),
    ],
}


class Talk:
    """One side of a conversation: what was answered, written down so that two can be compared."""

    def __init__(self, mind: Mind, clock: FakeClock) -> None:
        self.mind, self.clock = mind, clock
        self.views: dict[str, Mind] = {}
        self.answers: dict[str, Any] = {}

    async def hear(self, said: Said) -> str:
        if not said.verb:
            assert isinstance(said.args, tuple)
            self.clock.forward(*said.args)
            return ""
        try:
            answer = await self._ask(said)
        except Exception as error:  # noqa: BLE001 — whatever it is, the other must raise it too
            return f"{type(error).__name__}: {error} {getattr(error, 'facts', '')}"
        self.answers[said.verb] = answer
        if isinstance(answer, Mind | RemoteMind):
            self.views[said.through] = answer
            return f"{answer.metabolism} {answer.params} {answer.now()}"
        return UNLIKE.sub(
            r"\1=…", repr([*answer] if isinstance(answer, tuple | list) and not hasattr(answer, "_fields") else answer)
        )

    async def _ask(self, said: Said) -> Any:
        asked = self.mind if said.verb in wire.VIEWS or not said.through else self.views[said.through]
        args = said.args(self.answers) if callable(said.args) else said.args
        args = tuple(arg(self.clock.now()) if callable(arg) else arg for arg in args)
        return await getattr(asked, said.verb)(*args, **said.options)


@pytest.mark.parametrize("metabolism", list(OF))
async def test_a_mind_next_door_answers_as_one_at_home(tmp_path: Path, metabolism: str) -> None:
    here, there = FakeClock(), FakeClock()
    async with (
        entered(tmp_path / "home", here, archive=str(tmp_path / "kept")) as house,
        street(tmp_path / "away", metabolism, clock=there, archive=str(tmp_path / "kept-there")) as others,
    ):
        await house.create("ada", metabolism)
        async with house.mind("ada") as at_home, others.guests[0].mind("ada") as away:
            assert isinstance(at_home, Mind)
            assert isinstance(away, RemoteMind)
            one, other = Talk(at_home, here), Talk(away, there)
            for said in [*COMMON[:-2], *OF[metabolism], *COMMON[-2:]]:
                assert await other.hear(said) == await one.hear(said), said
                assert other.mind.params == one.mind.params


def test_no_verb_is_forgotten() -> None:
    spoken = {said.verb for each in (COMMON, *OF.values()) for said in each if said.verb}
    assert spoken == wire.verbs()
    public = {name for name in dir(Mind) if not name.startswith("_")}
    assert not {name for name in public if not hasattr(RemoteMind, name)}
    assert all(inspect.iscoroutinefunction(getattr(Mind, verb)) for verb in wire.verbs())
    assert wire.verbs() >= wire.ONCE | wire.VIEWS | wire.NEVER_AGAIN


async def test_arguments_no_verb_takes_are_refused_on_this_side(tmp_path: Path) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        with pytest.raises(TypeError):
            await mind.search("tide", colour="blue")  # type: ignore[call-arg]
        with pytest.raises(InvalidInput, match="surrogate"):
            await mind.put("half a pair: \ud800")
        with pytest.raises(InvalidInput, match="must be text, not bytes"):
            await mind.put(b"bytes")  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="object is no value"):
            await mind.get(object())  # type: ignore[arg-type]
        assert (await mind.stats()).store.memories == 0


async def test_too_much_at_once_is_refused_and_the_line_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        await mind.put_many([{"text": "x" * 5000, "key": f"k{number}"} for number in range(20)])
        monkeypatch.setattr(wire, "LARGEST", 50_000)
        with pytest.raises(InvalidInput, match="too much at once"):
            await mind.put("y" * 60_000)
        with pytest.raises(InvalidInput, match="too much at once"):
            await mind.list()
        assert len((await mind.list(limit=5)).memories) == 5


@pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
async def test_many_memories_of_any_length_are_put_and_their_journal_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """A thousand at a time, each all or none, though they go through the wire in several parts, and so do entries."""
    monkeypatch.setattr(wire, "LARGEST", 50_000)
    monkeypatch.setattr(wire, "_PART", 20_000)
    drafts = [{"text": f"{n} " + "x" * 5000} | ({"key": f"k{n}"} if named else {}) for n in range(50)]
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind, here.owner.mind("ada") as owned:
        await mind.check_drafts(drafts)
        assert await mind.put_many(drafts) == 50
        put = (await owned.list()).memories
        assert [memory.text for memory in put] == [draft["text"] for draft in drafts]
        expected = [entry async for entry in owned.entries()]
        assert len({entry.token for entry in expected[1:] if entry.token}) == 1  # one batch
        assert [entry async for entry in mind.entries()] == expected
        assert await mind.journal(limit=1000) == expected
        assert await mind.journal(after=3, limit=30) == expected[3:33]
        assert await mind.journal(key=put[6].key) == [expected[7]]


async def test_what_could_not_be_said_to_its_end_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_PART", 1000)
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        with pytest.raises(InvalidInput, match="cannot be told"):
            await mind.put_many([*[{"text": "x" * 500, "key": f"k{n}"} for n in range(10)], {"text": "\ud800"}])
        leaving = asyncio.create_task(mind.put_many([{"text": "x" * 500, "key": f"k{n}"} for n in range(10)]))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.wait([leaving])
        assert (await mind.stats()).store.memories == 0


async def test_what_one_configures_the_others_know_with_their_next_call(tmp_path: Path) -> None:
    async with street(tmp_path, guests=2) as here:
        one, other = here.guests
        async with one.mind("ada") as mine, other.mind("ada") as yours:
            await mine.configure(trash_days=3.0)
            await yours.trash()
            assert mine.params["trash_days"] == yours.params["trash_days"] == 3.0
            async with here.owner.mind("ada") as owned:
                await owned.configure(trash_days=4.0)
            async with one.mind("ada") as mine_again:
                assert mine_again.params["trash_days"] == mine.params["trash_days"] == 4.0


async def left_before_the_answer(work: Coroutine[Any, Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is done, its answer is on the way, and just then whoever asked leaves."""
    do = desk.Desk.do

    async def do_and_be_left(self: desk.Desk, *args: Any) -> Any:
        answer = await do(self, *args)
        asked.cancel()
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(desk.Desk, "do", do_and_be_left)
        asked = asyncio.create_task(work)
        await asyncio.wait_for(asyncio.wait([asked]), 60)
    assert asked.cancelled()


async def test_what_was_configured_is_known_also_to_one_who_did_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        await left_before_the_answer(mind.configure(trash_days=77.0), monkeypatch)
        await mind.trash()
        assert mind.params["trash_days"] == 77.0


async def test_a_mind_can_be_opened_after_one_who_did_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def looked_at() -> None:
        async with here.guests[0].mind("ada"):
            pass

    async with street(tmp_path) as here:
        await left_before_the_answer(looked_at(), monkeypatch)
        async with here.guests[0].mind("ada") as mind:
            assert mind.metabolism == "activity"


async def test_by_what_a_mind_lives_is_told_to_whoever_asks_for_just_that(tmp_path: Path) -> None:
    async with street(tmp_path) as here:
        assert here.owner.host is not None
        told = desk.Desk(here.owner.host)
        answers = [await told.do(wire.Call("ada", verb)) for verb in ("regime", "trash", "regime")]
        assert [answer.regime and answer.regime[0] for answer in answers] == ["activity", None, "activity"]


async def test_a_mind_that_is_closed_after_every_call_is_as_good(tmp_path: Path) -> None:
    async with street(tmp_path, open_minds=0) as here, here.guests[0].mind("ada") as mind:
        await mind.configure(trash_days=3.0)
        assert mind.params["trash_days"] == 3.0


async def test_of_two_answers_the_one_heard_last_has_the_last_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call is done before the second, and is on its way out when the second is answered."""
    held, go = asyncio.Event(), asyncio.Event()
    mind_of = Host.mind

    @asynccontextmanager
    async def slow_to_leave(self: Host, agent: str) -> AsyncIterator[Mind]:
        async with mind_of(self, agent) as mind:
            yield mind
        monkeypatch.setattr(Host, "mind", mind_of)
        held.set()
        await go.wait()

    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        monkeypatch.setattr(Host, "mind", slow_to_leave)
        first = asyncio.create_task(mind.configure(trash_days=3.0))
        await asyncio.wait_for(held.wait(), 60)
        await mind.configure(trash_days=4.0)
        go.set()
        await first
        assert mind.params["trash_days"] == 4.0


async def test_progress_is_told_and_what_it_raises_ends_the_run(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def enough(done: int, total: int) -> None:
        raise Enough

    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        told: list[int] = []
        await mind.put_many(
            [{"text": f"memory {n}", "key": f"k{n}"} for n in range(2500)], lambda done, _: told.append(done)
        )
        assert told == [1000, 2000, 2500]
        seen: list[tuple[int, int]] = []
        await mind.check(lambda *far: seen.append(far))
        past = await mind.as_of(mind.now(), lambda *far: seen.append(far))
        assert seen
        assert all(done <= total for done, total in seen)
        with pytest.raises(Enough):
            await mind.check(enough)
        assert (await past.stats()).store.memories == 2500


async def test_a_call_that_is_left_ends_at_the_owner_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def without_end(self: Mind) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr(Mind, "idle", without_end)
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        waiting = asyncio.create_task(mind.idle())
        await asyncio.wait_for(begun.wait(), 10)
        waiting.cancel()
        await asyncio.wait_for(ended.wait(), 10)
        assert (await mind.stats()).agent == "ada"


async def test_views_are_each_guests_own_and_not_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "MOST_VIEWS", 3)
    async with (
        street(tmp_path, guests=2) as here,
        here.guests[0].mind("ada") as mind,
        here.guests[1].mind("ada") as other,
    ):
        await mind.put("tide", key="tide")
        first, *views = [await mind.rehearsal() for _ in range(4)]
        await views[0].forget("tide")
        assert (await views[1].get("tide")).text == "tide"
        with pytest.raises(Conflict, match="make it again"):
            await first.get("tide")
        await views[1].close()
        with pytest.raises(Conflict, match="make it again"):
            await views[1].get("tide")
        theirs = await other.rehearsal()
        assert (await theirs.get("tide")).text == (await views[2].get("tide")).text == "tide"
        assert (await mind.get("tide")).text == "tide"


async def test_a_view_is_not_taken_for_the_mind_when_its_owner_is_gone(tmp_path: Path) -> None:
    async with entered(tmp_path) as owner:
        await owner.create("ada", "activity")
        async with entered(tmp_path) as guest, guest.mind("ada") as mind:
            await mind.put("tide", key="tide")
            copy = await mind.rehearsal()
            await owner.leave()
            with pytest.raises(Conflict, match="make it again"):
                await copy.forget("tide")
            assert (await mind.get("tide")).text == "tide"
            assert guest.owner
            with pytest.raises(Conflict, match="make it again"):
                await copy.forget("tide")
            again = await mind.rehearsal()
            await again.forget("tide")
            assert (await mind.get("tide")).text == "tide"
            with pytest.raises(KeyTaken):
                await mind.put("tide", key="tide")
    with pytest.raises(StoreClosed):
        await mind.get("tide")


async def test_a_turn_with_a_mind_next_door_credits_there(tmp_path: Path) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind, here.owner.mind("ada") as owned:
        assert isinstance(mind, RemoteMind)
        await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
        async with mind.turn("When does the ferry to Lamma go?") as turn:
            assert "The ferry to Lamma leaves at 8:40." in turn.context
            turn.answered("It leaves at 8:40.")
        assert turn.used is not None
        assert turn.used.touched == ("ferry",)
        assert (await owned.explain("ferry")).memory.meta.last_touched_at is not None
