"""Many minds under one roof: made, opened, kept apart, and closed when too many are open.   SPEC C1, C2."""

import asyncio
import gc
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.app import running
from ebbtide.core.errors import Conflict, InvalidAgent, MindExists, StoreClosed, StoreFull, UnknownMemory, UnknownMind
from ebbtide.core.ports import Store
from ebbtide.host import Host
from ebbtide.mind.mailbox import Mailbox
from ebbtide.settings import Settings
from ebbtide.stores.sqlite import SqliteStore
from tests.helpers import METABOLISMS, FakeClock, everything


def settings(folder: Path, open_minds: int = 64) -> Settings:
    return Settings(data=folder, open_minds=open_minds)


def made_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def made(host: Host, *agents: str) -> None:
    for agent in agents:
        await host.create(agent, "activity")


@pytest.mark.parametrize("agent", ["../x", "", "a/b", ".a", "-a", "a b", "ä", "a\n", "a\0b", "x" * 129, ".."])
async def test_an_id_that_could_lead_elsewhere_is_refused_and_makes_nothing(tmp_path: Path, agent: str) -> None:
    async with running(settings(tmp_path / "data")) as host:
        with pytest.raises(InvalidAgent, match="is not an agent id"):
            await host.create(agent, "activity")
        with pytest.raises(InvalidAgent):
            async with host.mind(agent):
                pass
    assert made_in(tmp_path) == []


@pytest.mark.parametrize("agent", ["a", "Ada-1.2_3", "x" * 128, "0"])
async def test_an_id_within_the_rules_names_a_folder_of_its_own(tmp_path: Path, agent: str) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, agent)
        assert host.agents() == [agent]
    assert (tmp_path / agent / "mind.db").exists()


async def test_two_ids_that_differ_in_case_only_cannot_share_a_folder(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, "Ada")
        with pytest.raises(Conflict, match="'Ada' differs from 'ada' in case only"):
            await host.create("ada", "activity")


async def test_a_mind_is_made_once(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await host.create("ada", "score")
        with pytest.raises(MindExists, match="exists already, with the metabolism 'score'"):
            await host.create("ada", "activity")
        async with host.mind("ada") as mind:
            assert mind.metabolism == "score"
            with pytest.raises(MindExists):
                await host.create("ada", "activity")


async def test_a_mind_that_is_not_there_is_not_made_by_asking_for_it(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        with pytest.raises(UnknownMind, match="There is no mind 'ada'"):
            async with host.mind("ada"):
                pass
        assert host.agents() == []


async def test_minds_see_nothing_of_each_other(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, "ada", "bob")
        async with host.mind("ada") as ada, host.mind("bob") as bob:
            await ada.put("only Ada knows", key="secret")
            with pytest.raises(UnknownMemory):
                await bob.get("secret")
            assert (await bob.list()).memories == ()
            assert (await bob.stats()).store.journal_entries == 1


async def test_only_so_many_minds_stay_open_and_the_longest_unused_is_closed(tmp_path: Path) -> None:
    async with running(settings(tmp_path, open_minds=2)) as host:
        await made(host, "a", "b", "c")
        for agent in ("a", "b", "a", "c"):
            async with host.mind(agent) as mind:
                await mind.put(f"said to {agent}")
        assert list(host._open) == ["a", "c"]  # b was unused the longest
        async with host.mind("b") as mind:
            assert [memory.text for memory in (await mind.list()).memories] == ["said to b"]


async def test_a_mind_in_use_is_never_closed_under_its_users_hands(tmp_path: Path) -> None:
    async with running(settings(tmp_path, open_minds=1)) as host:
        await made(host, "a", "b", "c")
        async with host.mind("a") as mine:
            for agent in ("b", "c"):
                async with host.mind(agent) as other:
                    await other.put("hello")
            await mine.put("still open", key="k")
            assert (await mine.get("k")).text == "still open"
        assert len(host._open) == 1


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_mind_that_has_yet_to_remember_what_it_was_told_is_not_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metabolism: str
) -> None:
    may, remember = asyncio.Event(), Mailbox._attempt

    async def attempt(mailbox: Mailbox, number: int) -> None:
        await may.wait()
        await remember(mailbox, number)

    monkeypatch.setattr(Mailbox, "_attempt", attempt)
    async with running(settings(tmp_path, open_minds=1)) as host:
        await host.create("told", metabolism)
        await made(host, "other")
        async with host.mind("told") as mind:
            for number in range(3):
                await mind.remember([{"role": "user", "content": f"Ferry {number} leaves from pier {number + 4}."}])
        async with host.mind("other"):
            pass
        async with host.mind("other"):
            assert host.opened() == ["told", "other"]  # though nobody uses it, and one mind too many is open
            may.set()
            await asyncio.gather(*host._busy.values())
            assert host.opened() == ["other"]
        async with host.mind("told") as again:
            assert "remember" not in [task.kind for task in await again.queue()]
            assert (await again.stats()).store.memories >= 3


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_host_that_closes_does_not_wait_for_what_is_yet_to_be_remembered(
    tmp_path: Path, metabolism: str
) -> None:
    async with running(settings(tmp_path)) as host:
        await host.create("told", metabolism)
        async with host.mind("told") as mind:
            for number in range(20):
                await mind.remember([{"role": "user", "content": f"Ferry {number} leaves from pier {number + 4}."}])
    with pytest.raises(StoreClosed):
        await mind.stats()
    async with running(settings(tmp_path)) as host, host.mind("told") as mind:
        await mind.idle()
        assert "remember" not in [task.kind for task in await mind.queue()]
        told = [memory.text for memory in await everything(mind) if memory.kind == "segment"]
        assert [f"Ferry {number} leaves from pier {number + 4}." for number in range(20)] == told


async def test_two_who_ask_for_one_mind_get_the_same(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, "ada")
        async with host.mind("ada") as one, host.mind("ada") as other:
            assert one is other


async def test_what_was_written_is_there_when_the_host_is_opened_again(tmp_path: Path) -> None:
    clock = FakeClock()
    async with running(settings(tmp_path), clock) as host:
        await made(host, "ada")
        async with host.mind("ada") as mind:
            await mind.put("to be kept", key="k")
            await mind.get("k")
    async with running(settings(tmp_path), clock) as host, host.mind("ada") as mind:
        assert (await mind.explain("k")).memory.meta.access_count == 1
        assert await mind.check() == []


async def test_a_mind_whose_maker_died_half_way_can_still_be_made(tmp_path: Path) -> None:
    """The file is there, but not a word about how the mind is to live: it must not pass for one with defaults."""
    await SqliteStore(tmp_path / "ada").close()
    async with running(settings(tmp_path)) as host:
        with pytest.raises(UnknownMind, match="There is no mind 'ada'"):
            async with host.mind("ada"):
                pass
        await host.create("ada", "score")
    await SqliteStore(tmp_path / "bob").close()
    async with ebbtide.open("bob", data=tmp_path, metabolism="retention") as mind:
        assert mind.metabolism == "retention"


async def test_a_mind_that_was_refused_is_not_left_open(tmp_path: Path) -> None:
    await SqliteStore(tmp_path / "ada").close()
    async with running(settings(tmp_path)) as host:
        with pytest.raises(UnknownMind):
            async with host.mind("ada"):
                pass
        await SqliteStore(tmp_path / "ada").close()  # nobody holds its lock


class Held:
    """An opener whose thread waits, with the mind open and locked, until it is let go."""

    def __init__(self, host: Host) -> None:
        self.opened, self.go = asyncio.Event(), threading.Event()
        self._open, self._loop = host._opener, asyncio.get_running_loop()
        host._opener = self

    def __call__(self, folder: Path) -> Store:
        store = self._open(folder)
        self._loop.call_soon_threadsafe(self.opened.set)
        assert self.go.wait(60)
        return store


async def left(work: Coroutine[Any, Any, Any], after: asyncio.Event) -> None:
    """Whoever asked for this is gone before it is done."""
    asked = asyncio.create_task(work)
    await asyncio.wait_for(after.wait(), 60)
    asked.cancel()
    await asyncio.wait_for(asyncio.wait([asked]), 60)
    assert asked.cancelled()


async def used(host: Host, agent: str) -> str:
    async with host.mind(agent) as mind:
        return (await mind.stats()).agent


async def test_a_mind_that_nobody_waits_for_any_more_when_it_is_open_can_be_used(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, "ada")
        held = Held(host)
        await left(used(host, "ada"), held.opened)
        another = asyncio.create_task(used(host, "ada"))
        held.go.set()
        assert await another == "ada"
        assert host.opened() == ["ada"]


async def test_a_mind_whose_maker_has_left_is_made_and_can_be_used(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        held = Held(host)
        await left(host.create("ada", "score"), held.opened)
        held.go.set()
        await host.at_rest()
        assert await used(host, "ada") == "ada"


async def test_what_fails_when_nobody_waits_for_it_any_more_is_not_complained_about(tmp_path: Path) -> None:
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    async with running(settings(tmp_path)) as host:
        await made(host, "ada")
        held = Held(host)
        await left(host.create("bob", "score"), held.opened)
        another = asyncio.create_task(host.create("bob", "score"))
        await asyncio.sleep(0)  # it stands at the door
        another.cancel()
        await asyncio.wait([another])
        held.go.set()
        await host.at_rest()
        assert host.agents() == ["ada", "bob"]
    del another
    gc.collect()  # a failure that nobody has looked at is told when it is thrown away
    assert complaints == []


async def test_a_mind_that_nobody_waits_for_any_more_is_closed_with_its_host(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, "ada")
        held = Held(host)
        await left(used(host, "ada"), held.opened)
        held.go.set()
    await SqliteStore(tmp_path / "ada").close()  # nobody holds its lock


async def test_a_mind_that_nobody_waits_for_any_more_is_closed_where_none_stays_open(tmp_path: Path) -> None:
    async with running(settings(tmp_path, open_minds=0)) as host:
        await made(host, "ada")
        held = Held(host)
        await left(used(host, "ada"), held.opened)
        held.go.set()
        await host.at_rest()
        assert host.opened() == []
        await SqliteStore(tmp_path / "ada").close()  # nobody holds its lock


async def test_a_mind_that_makes_way_is_closed_also_if_whoever_it_makes_way_for_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing, go = asyncio.Event(), asyncio.Event()

    async def until_its_turn_is_over(*_: Any) -> None:
        closing.set()
        await go.wait()

    async with running(settings(tmp_path, open_minds=1)) as host:
        await made(host, "ada", "bob")
        await used(host, "ada")
        monkeypatch.setattr(host.slices, "leave", until_its_turn_is_over)
        await left(used(host, "bob"), closing)
        go.set()
        assert await used(host, "ada") == "ada"


async def test_a_mind_that_cannot_be_closed_cleanly_is_no_affair_of_whoever_uses_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(settings(tmp_path, open_minds=1)) as host:
        await made(host, "ada", "bob")
        async with host.mind("ada") as ada:
            close = ada.close

        async def badly() -> None:
            await close()
            raise StoreFull(path="ada", detail="no room")

        monkeypatch.setattr(ada, "close", badly)
        assert await used(host, "bob") == "bob"
        assert "ada was not closed cleanly" in caplog.text


async def test_a_mind_that_one_of_its_users_has_closed_is_opened_anew_for_the_others(tmp_path: Path) -> None:
    async with running(settings(tmp_path)) as host:
        await made(host, "ada")
        async with host.mind("ada") as mine:
            await mine.put("said before", key="k")
            await mine.close()
            async with host.mind("ada") as yours:
                assert (await yours.get("k")).text == "said before"
            with pytest.raises(StoreClosed):
                await mine.get("k")
            await mine.close()
            assert await used(host, "ada") == "ada"
        with pytest.raises(MindExists):
            await host.create("ada", "activity")


async def test_who_comes_while_a_mind_is_being_closed_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing, go = asyncio.Event(), asyncio.Event()
    close = SqliteStore.close

    async def slowly(self: SqliteStore) -> None:
        closing.set()
        await go.wait()
        await close(self)

    async with running(settings(tmp_path)) as host:
        await made(host, "ada")
        async with host.mind("ada") as mine:
            monkeypatch.setattr(SqliteStore, "close", slowly)
            await left(mine.close(), closing)
            another = asyncio.create_task(used(host, "ada"))
            for _ in range(10):
                await asyncio.sleep(0)
            assert not another.done()
            go.set()
            assert await another == "ada"
