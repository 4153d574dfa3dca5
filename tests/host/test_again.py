"""A call made twice under one name happens once, is answered twice, and also when the first to do it is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import Conflict, KeyTaken
from ebbtide.core.memory import DAY
from ebbtide.host import again, wire
from ebbtide.host.desk import Desk
from ebbtide.host.remote import RemoteMind
from ebbtide.host.wire import Call
from ebbtide.mind import Mind
from tests.helpers import FakeClock, snapshot
from tests.host.neighbours import REFUSED, entered, street


@dataclass(frozen=True)
class Case:
    """A call and what has to be there before it. `aged`: the memories are a year old by then."""

    verb: str
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    metabolism: str = "activity"
    before: tuple[tuple[Any, ...], ...] = ()
    aged: bool = False

    def __str__(self) -> str:
        return f"{self.verb}-{'-'.join(self.options) or len(self.args)}"


MANY = [{"text": "one"}, {"text": "two", "key": "two"}]
CASES = [
    Case("put", ("The ferry leaves at 8:40.",)),
    Case("put", ("The ferry leaves at 8:40.",), {"key": "ferry"}),
    Case("put", ("another text",), {"key": "a", "replace": True}),
    Case("put", ("important",), {"key": "i", "importance": 0.5}, "retention"),
    Case("put_many", (MANY,)),
    Case("put_many", ([{"text": f"memory {n}"} for n in range(2100)],)),
    Case("link", ("a", "b", "about")),
    Case("unlink", ("a", "b", "about"), before=(("link", "a", "b", "about"),)),
    Case("configure", (), {"trash_days": 7.0, "touch_spacing": -5}),
    Case("forget", ("a", "b")),
    Case("restore", ("a",), before=(("forget", "a"),)),
    Case("restore", ("b",), before=(("merge", "a", "b"),)),
    Case("revert", ("a",), before=(("put_over", "a"),)),
    Case("merge", ("a", "b")),
    Case("touch", ("a",)),
    Case("touch", ("a", "b"), before=(("touch", "b"),)),
    Case("touch", ("a",), before=(("touch", "a"),)),
    Case("touch", ("a",), {"revive": True}, "retention"),
    Case("pin", ("a", "b"), before=(("pin", "b"),)),
    Case("pin", ("a",), before=(("pin", "a"),)),
    Case("unpin", ("a", "b"), before=(("pin", "b"),)),
    Case("credit", ("something else", {"a": 0.9, "b": None}), before=(("put_over", "a"),)),
    Case("credit", ("something else", {"a": 0.9}), {"question": "what?"}, before=(("put_over", "a"), ("touch", "a"))),
    Case("credit", ("of no use", ["a"]), before=(("put_over", "a"),)),
    Case("accept", ("delete", "a"), aged=True),
    Case("dismiss", ("delete", "a"), aged=True),
    Case("remember", ([{"role": "user", "content": "Anna met Bob"}],), metabolism="network"),
    Case("drop", (5,), metabolism="network", before=(("remember_badly",),)),
    Case("retry", (5,), metabolism="network", before=(("remember_badly",),)),
    Case("recover", ("a",), metabolism="retention", before=(("reaped",),)),
]


def test_every_verb_that_is_one_batch_is_tried() -> None:
    assert {case.verb for case in CASES} == wire.ONCE


@asynccontextmanager
async def prepared(data: Path, case: Case, clock: FakeClock) -> AsyncIterator[Callable[[], Any]]:
    """Gives a way to open the mind again, as another process would that has taken over."""
    async with entered(data, clock, archive=str(data.parent / "kept")) as house:
        await house.create("ada", case.metabolism)
        async with house.mind("ada") as mind:
            await mind.put_many([{"text": f"this is {key}", "key": key} for key in "abc"])
            for deed in case.before:
                await _do(mind, clock, *deed)
        clock.forward(365 * DAY if case.aged else 1.0)
    yield lambda: entered(data, clock, archive=str(data.parent / "kept"))


async def _do(mind: Mind, clock: FakeClock, verb: str, *args: Any) -> None:
    if verb == "put_over":
        await mind.put("something else", key=args[0], replace=True)
    elif verb == "reaped":
        clock.forward(900 * DAY)
        await mind.reap()  # prunes
        for _ in range(6):  # without a pause, until 30 days have passed
            clock.forward(5 * DAY)
            await mind.reap()
        clock.forward(60 * DAY)
        await mind.tick()
    elif verb == "remember_badly":
        await mind.remember([{"role": "user", "content": REFUSED}])
        await mind.idle()
    else:
        await getattr(mind, verb)(*args)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("death", [False, True], ids=["at the same owner", "after its death"])
async def test_twice_is_once(tmp_path: Path, case: Case, death: bool) -> None:
    clock, call = FakeClock(), Call("ada", case.verb, case.args, case.options, "the-name")
    async with prepared(tmp_path / "minds", case, clock) as opened:
        async with opened() as house:
            assert house.host is not None
            first = (await Desk(house.host).do(call)).value
            async with house.mind("ada") as mind:
                await mind.settled()
                state, length = await snapshot(mind), (await mind.stats()).store.journal_entries
            if not death:
                assert (await Desk(house.host).do(call)).value == first
        async with opened() as house:
            assert house.host is not None
            assert (await Desk(house.host).do(call)).value == first
            async with house.mind("ada") as mind:
                assert [entry.token async for entry in mind.entries()].count("the-name") <= 1
                if case.metabolism != "network":  # which goes on by itself
                    assert (await mind.stats()).store.journal_entries == length
                    assert await snapshot(mind) == state


async def test_two_of_one_name_at_one_time_happen_one_after_the_other(tmp_path: Path) -> None:
    async with street(tmp_path) as here:
        assert here.owner.host is not None
        call = Call("ada", "put", ("tide",), {"key": "tide"}, "the-name")
        asked = [Desk(here.owner.host).do(call) for _ in range(5)]
        answers = [answer.value for answer in await asyncio.gather(*asked)]
        assert [answer.key for answer in answers] == ["tide"] * 5
        with pytest.raises(KeyTaken):
            await Desk(here.owner.host).do(Call("ada", "put", ("tide",), {"key": "tide"}, "another"))


async def test_a_name_that_another_verb_has_is_refused(tmp_path: Path) -> None:
    async with street(tmp_path) as here, here.owner.mind("ada") as mind:
        await again.once(mind, "put", "the-name", lambda: mind.put("tide", key="tide"))
        with pytest.raises(Conflict, match="given to another call"):
            await again.once(mind, "forget", "the-name", lambda: mind.forget("tide"))
        assert (await mind.get("tide")).text == "tide"


async def test_a_name_given_on_this_side_is_the_name_on_the_other(tmp_path: Path) -> None:
    """So an edge that has a name from its caller may say it to any mind, here or next door."""
    async with street(tmp_path) as here, here.owner.mind("ada") as owned, here.guests[0].mind("ada") as mind:
        assert isinstance(mind, RemoteMind)
        first = await again.once(mind, "put", "the-name", lambda: mind.put("tide"))
        second = await again.once(mind, "put", "the-name", lambda: mind.put("tide"))
        third = await again.once(owned, "put", "the-name", lambda: owned.put("tide"))
        assert first.id == second.id == third.id
        assert [seen.key for seen in (await mind.list()).memories] == [first.key]
