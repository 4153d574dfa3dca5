"""Looks at another moment: what the mind will be if nothing happens, or was; nothing is written, no use counts."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.core.errors import Conflict, InvalidInput
from ebbtide.core.memory import DAY, State
from ebbtide.host import Host
from ebbtide.stores.memory import MemoryStore
from ebbtide.stores.sqlite import SqliteStore
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, FakeClock, able_to_search, everything, mind_in_ram, mind_on_disk, store_of
from tests.scripted_model import network_in_ram, tell

every_metabolism = pytest.mark.parametrize("metabolism", METABOLISMS)


@every_metabolism
@given(days=st.floats(0.001, 2000.0))
@settings(deadline=None, max_examples=20)
async def test_a_look_ahead_shows_what_time_alone_will_make_of_it(metabolism: str, days: float) -> None:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    await mind.put("Lin takes it.", key="lin")
    await mind.link("lin", "ferry", "takes")
    view = await mind.at(clock.now() + days * DAY)
    looked = await everything(view), await view.explain("lin"), (await view.stats()).states
    clock.forward(days * DAY)
    assert looked == (await everything(mind), await mind.explain("lin"), (await mind.stats()).states)


@every_metabolism
async def test_nothing_is_written_and_nothing_counts(metabolism: str) -> None:
    mind = await mind_in_ram(metabolism, tools=able_to_search(), count_hits=True)
    await mind.put("The ferry to Lamma leaves at 8:40.", key="ferry")
    await mind.put("Lin takes it.", key="lin")
    await mind.link("lin", "ferry", "takes")
    await mind._indexing.ready()  # a mind that looks at words writes down what it reads, when it reads it
    seq = store_of(mind).seq
    view = await mind.at("+1h")
    assert (await view.get("ferry")).meta.access_count == 0
    assert [hit.memory.key for hit in (await view.search("ferry", k=1)).hits] == ["ferry"]
    assert [step.key for step in await view.follow("lin")] == ["ferry"]
    await view.list()
    assert store_of(mind).seq == seq
    for write in (view.put("more"), view.touch("ferry"), view.forget("ferry"), view.tick(), view.configure()):
        with pytest.raises(Conflict, match="nothing can be written"):
            await write
    assert store_of(mind).seq == seq


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("+90d", 90 * DAY), ("90d", 90 * DAY), ("+2w", 14 * DAY), ("2099-01-01", None), (BIRTH + 5, 5.0)],
)  # fmt: skip
async def test_moments_as_people_say_them(said: Any, seconds: float | None) -> None:
    mind = await mind_in_ram()
    wanted = 4_070_908_800.0 if seconds is None else BIRTH + seconds  # 2099-01-01T00:00Z
    assert (await mind.at(said)).now() == wanted


@pytest.mark.parametrize(
    "said", ["soon", "", "+90", "2099-13-01", "+9999999y", float("nan"), float("inf"), True, None, 1e18]
)
async def test_what_is_no_moment_is_refused(said: Any) -> None:
    mind = await mind_in_ram()
    with pytest.raises(InvalidInput, match=r"is not a moment|is on no calendar"):
        await mind.at(said)


async def test_a_moment_that_has_passed_is_the_mind_as_it_was() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock)
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(2 * DAY)
    await mind.put("The ferry leaves at 9:10.", key="ferry", replace=True)
    clock.forward(DAY)
    assert (await (await mind.at("-2d")).get("ferry")).text == "The ferry leaves at 8:40."
    with pytest.raises(InvalidInput, match="not there yet"):
        await mind.at("-10d")


async def test_another_regime_can_be_looked_ahead_in() -> None:
    mind = await mind_in_ram()
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    ahead = await (await mind.replay("score")).at("+30d")
    # 50 · 0.95^30 = 10.73, rounded 11: below 30
    assert [(m.state, m.meta.score) for m in await everything(ahead)] == [(State.DEPRECATED, 11)]


async def test_closing_a_look_ahead_leaves_the_mind_open(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path) as mind:
        await mind.put("The ferry leaves at 8:40.", key="ferry")
        view = await mind.at("+1d")
        await view.search("ferry")
        await view.close()
        assert (await mind.get("ferry")).key == "ferry"
        assert [hit.memory.key for hit in (await mind.search("ferry")).hits] == ["ferry"]


# ---- recall


async def test_recall_works_in_views_and_counts_no_walk() -> None:
    mind = await network_in_ram()
    await tell(mind, "Ada sails home")
    told = await mind.recall()
    before = store_of(mind).seq
    for moment in ("+90d", mind.now()):
        view = await mind.at(moment)
        assert await view.recall() == told
        assert await view.recall(["Ada"]) == await mind.recall(["Ada"])
        assert await view.focus() == await mind.focus()
        with pytest.raises(InvalidInput, match="1 to 100 links deep"):
            await view.recall(depth=0)
        with pytest.raises(InvalidInput, match="is told nothing"):
            await view.remember([{"role": "user", "content": "more"}])
    walks = [entry.change async for entry in mind.entries() if entry.seq > before]
    assert len(walks) == 2  # the mind's own two recalls, and none of its views'


async def test_a_view_sweeps_no_trace() -> None:
    mind = await network_in_ram(traces="sweep")
    await tell(mind, "Ada sails home")
    (sails,) = [memory for memory in await everything(mind) if memory.kind != "entity"]
    await mind.forget(sails.key)
    seq = store_of(mind).seq
    assert "once knew" in await (await mind.at("+1d")).recall()
    assert store_of(mind).seq == seq
    assert "once knew" in await mind.recall()
    assert "once knew" not in await mind.recall()


# ---- over the wire


async def test_a_look_ahead_whose_mind_was_closed_says_so(tmp_path: Path) -> None:
    from ebbtide.host.desk import Desk
    from ebbtide.host.wire import Call

    host = Host(tmp_path, SqliteStore, MemoryStore, FakeClock(), open_minds=1)
    await host.create("ada", "activity")
    await host.create("bob", "activity")
    desk = Desk(host)
    view = (await desk.do(Call("ada", "at", ("+90d",)))).value
    assert view.now == BIRTH + 90 * DAY
    assert (await desk.do(Call("ada", "list", view=view.number))).value.memories == ()
    async with host.mind("bob"):
        pass
    with pytest.raises(Conflict, match="make it again"):
        await desk.do(Call("ada", "list", view=view.number))
    await desk.close()
    await host.close()
