"""One owner per data folder, whoever comes and goes and however."""

import asyncio
import errno
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from ebbtide.core.errors import Conflict, InvalidInput, MindExists, StoreClosed, StoreError, StoreUnreadable
from ebbtide.host import handshake, ownership, wire
from ebbtide.host.card import CARD
from ebbtide.host.handshake import LANGUAGE
from ebbtide.host.host import Host
from ebbtide.host.ownership import LOCK, House
from ebbtide.mind import Mind
from tests.host.neighbours import card, entered, house, line_of, street
from tests.host.village import until


def files(data: Path) -> set[str]:
    return {path.name for path in data.iterdir()} - {"ada"}


async def test_the_first_owns_and_the_others_share_its_minds(tmp_path: Path) -> None:
    async with street(tmp_path, guests=3) as here:
        for number, guest in enumerate(here.guests):
            async with guest.mind("ada") as mind:
                await mind.put(f"from guest {number}", key=f"g{number}")
        async with here.owner.mind("ada") as mind:
            assert [seen.key for seen in (await mind.list()).memories] == ["g0", "g1", "g2"]
        assert [guest.agents() for guest in here.guests] == [["ada"]] * 3


async def test_lock_and_card_are_for_this_user_only_and_the_card_goes_with_its_owner(tmp_path: Path) -> None:
    async with street(tmp_path):
        assert files(tmp_path) == {LOCK, CARD}
        modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in (LOCK, CARD)}
        assert modes == {LOCK: 0o600, CARD: 0o600}
        assert card(tmp_path)["pid"] == os.getpid()
    assert files(tmp_path) == {LOCK}
    async with entered(tmp_path) as next_one:  # the lock is free
        assert next_one.owner


async def test_many_who_come_at_the_very_same_moment_agree_on_one(tmp_path: Path) -> None:
    data = tmp_path / "yet" / "to be made"
    houses = [house(data) for _ in range(8)]

    async def move_in(one: House) -> None:
        await one.enter()
        with suppress(MindExists):
            await one.create("ada", "activity")

    await asyncio.gather(*map(move_in, houses))
    try:
        assert [one.owner for one in houses].count(True) == 1
        for number, one in enumerate(houses):
            async with one.mind("ada") as mind:
                await mind.put(f"from {number}")
        async with houses[3].mind("ada") as mind:
            assert (await mind.stats()).store.memories == 8
    finally:
        for one in houses:
            await one.leave()
    assert files(data) == {LOCK}


@pytest.mark.parametrize(
    "stale",
    [
        "",
        "no json",
        "[1, 2]",
        '{"pid": 1}',
        '{"pid": 1, "port": 99999, "token": "x"}',
        '{"pid": 1, "port": "x", "token": 3}',
        '{"pid": 1, "port": 1, "token": "x"}',
        '{"pid": 1, "port": 1, "token": "x", "colour": "blue"}',
    ],
)
async def test_a_card_left_behind_is_no_obstacle(tmp_path: Path, stale: str) -> None:
    (tmp_path / CARD).write_text(stale, "utf-8")
    async with street(tmp_path) as here:
        assert here.owner.owner


async def test_while_an_owner_starts_up_others_wait_for_it(tmp_path: Path) -> None:
    """It has the lock, and the card is its predecessor's still, whose port a stranger has by now."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        said = {"pid": 1, "port": stranger.getsockname()[1], "token": "old"}
        (tmp_path / CARD).write_text(json.dumps(said), "utf-8")
        stranger.close()
    opening = asyncio.Event()
    owner, guest = house(tmp_path), house(tmp_path)
    open_host = owner._open_host

    @asynccontextmanager
    async def slowly() -> AsyncIterator[Host]:
        async with open_host() as host:
            await opening.wait()
            yield host

    owner._open_host = slowly
    first = asyncio.create_task(owner.enter())
    await asyncio.sleep(0)
    second = asyncio.create_task(guest.enter())
    await asyncio.sleep(0.1)
    assert not first.done()
    assert not second.done()
    assert not (tmp_path / CARD).exists()
    opening.set()
    await asyncio.gather(first, second)
    assert (owner.owner, guest.owner) == (True, False)
    await guest.leave()
    await owner.leave()


async def test_takeovers_in_a_row_lose_nothing(tmp_path: Path) -> None:
    async with entered(tmp_path) as founder:
        await founder.create("ada", "activity")
        houses = [house(tmp_path) for _ in range(4)]
        for each in houses:
            await each.enter()
        async with AsyncExitStack() as stack:
            minds = {each: await stack.enter_async_context(each.mind("ada")) for each in houses}
            await founder.leave()
            while minds:
                for number, mind in enumerate(minds.values()):
                    await mind.put("said", key=f"{len(minds)}-{number}")
                (owner,) = [each for each in minds if each.owner]
                await owner.leave()
                del minds[owner]
    async with entered(tmp_path) as after, after.mind("ada") as mind:
        assert (await mind.stats()).store.memories == 4 + 3 + 2 + 1
        assert await mind.check() == []


async def test_an_idle_guest_takes_over_by_itself_and_runs_what_an_owner_runs(tmp_path: Path) -> None:
    running: list[str] = []
    taken_over = asyncio.Event()

    @asynccontextmanager
    async def scheduler(host: Host) -> AsyncIterator[None]:
        running.append("started")
        taken_over.set()
        yield
        running.append("stopped")

    owner, guest = house(tmp_path), house(tmp_path, on_owner=scheduler)
    await owner.enter()
    await guest.enter()
    assert not running
    await owner.leave()
    await asyncio.wait_for(taken_over.wait(), 5)
    assert running == ["started"]
    await guest.leave()
    assert running == ["started", "stopped"]
    assert files(tmp_path) == {LOCK}


async def test_an_idle_guest_that_cannot_take_over_tries_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    troubles = [OSError("no more sockets"), ZeroDivisionError(), Conflict(problem="not now")]
    taken_over = asyncio.Event()

    @asynccontextmanager
    async def scheduler(host: Host) -> AsyncIterator[None]:
        if troubles:
            raise troubles.pop()
        taken_over.set()
        yield

    async def rest() -> None:
        assert not guest.owner

    monkeypatch.setattr(ownership, "_rest", rest)
    owner, guest = house(tmp_path), house(tmp_path, on_owner=scheduler)
    await owner.enter()
    await guest.enter()
    await owner.leave()
    await asyncio.wait_for(taken_over.wait(), 60)
    await until(lambda: guest.owner)
    assert all(trouble in caplog.text for trouble in ("no more sockets", "ZeroDivisionError", "not now"))
    await guest.leave()


async def test_a_door_that_cannot_be_opened_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: Any) -> None:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(asyncio, "start_server", refused)
    with pytest.raises(StoreUnreadable, match="too many open files"):
        await house(tmp_path).enter()


async def test_a_mind_made_by_an_owner_that_did_not_live_to_tell_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, guest = house(tmp_path), house(tmp_path)
    await owner.enter()
    await guest.enter()
    create = Host.create

    async def made_and_hung_up(self: Host, *args: Any) -> None:
        await create(self, *args)
        monkeypatch.setattr(Host, "create", create)
        line_of(guest)._writer.transport.abort()

    monkeypatch.setattr(Host, "create", made_and_hung_up)
    await guest.create("ada", "activity")
    with pytest.raises(MindExists):
        await guest.create("ada", "activity")
    await guest.leave()
    await owner.leave()


async def test_a_write_on_disk_whose_answer_got_lost_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        put, guest = Mind.put, here.guests[0]

        async def put_and_hang_up(self: Mind, *args: Any, **given: Any) -> Any:
            memory = await put(self, *args, **given)
            monkeypatch.setattr(Mind, "put", put)
            line_of(guest)._writer.transport.abort()
            return memory

        monkeypatch.setattr(Mind, "put", put_and_hang_up)
        memory = await mind.put("tide")
        assert [seen.id for seen in (await mind.list()).memories] == [memory.id]


@pytest.mark.parametrize("traces", ["keep", "sweep"])
async def test_a_recall_is_made_again_unless_it_sweeps_what_it_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, traces: str
) -> None:
    async with street(tmp_path, "network") as here, here.guests[0].mind("ada") as mind:
        guest, recall = here.guests[0], Mind.recall
        await mind.configure(traces=traces)
        await mind.remember([{"role": "user", "content": "Anna met Bob"}])

        async def recall_and_hang_up(self: Mind, *args: Any, **given: Any) -> str:
            text = await recall(self, *args, **given)
            monkeypatch.setattr(Mind, "recall", recall)
            line_of(guest)._writer.transport.abort()
            return text

        monkeypatch.setattr(Mind, "recall", recall_and_hang_up)
        if traces == "sweep":
            with pytest.raises(Conflict, match="in the middle of recall"):
                await mind.recall(["Anna"])
        assert "Anna" in await mind.recall(["Anna"])


async def test_a_batch_that_is_left_in_the_middle_is_whole_or_not_there(tmp_path: Path) -> None:
    async with street(tmp_path, durability="full") as here, here.guests[0].mind("ada") as mind:
        for number in range(20):
            drafts = [{"text": f"memory {n}", "key": f"{number}-{n}"} for n in range(100)]
            writing = asyncio.create_task(mind.put_many(drafts))
            for _ in range(number):
                await asyncio.sleep(0)
            writing.cancel()
            await asyncio.wait([writing])
        await mind.put("the line holds", key="last")
        keys = {seen.key for seen in (await mind.list(limit=10_000)).memories}
        rounds = [sum(key.startswith(f"{number}-") for key in keys) for number in range(20)]
        assert set(rounds) <= {0, 100}
        assert await mind.check() == []


async def test_an_owner_that_never_answers_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "PATIENCE", 0.1)
    async with street(tmp_path):
        (tmp_path / CARD).unlink()
        other = house(tmp_path)
        with pytest.raises(Conflict, match="does not answer"):
            await other.enter()
        await other.leave()


async def test_who_has_left_takes_nothing_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner has hung up and still has the lock; whoever waits for that leaves, and then the lock is free."""
    waiting, attached = asyncio.Event(), House._attached

    async def not_yet(self: House) -> bool:
        waiting.set()
        return await attached(self)

    async with street(tmp_path) as here, here.guests[0].mind("ada") as mind:
        (guest,) = here.guests
        monkeypatch.setattr(House, "_attached", not_yet)
        (tmp_path / CARD).unlink()
        line_of(guest)._writer.transport.abort()
        put = asyncio.create_task(mind.put("tide"))
        await asyncio.wait_for(waiting.wait(), 60)
        await asyncio.wait_for(guest.leave(), 60)
        await here.owner.leave()
        with pytest.raises(StoreClosed):
            await asyncio.wait_for(put, 60)
        assert not guest.owner
        for entering in (guest.enter(), guest.create("bob", "activity")):
            with pytest.raises(StoreClosed):
                await entering
    assert files(tmp_path) == {LOCK}


async def test_who_leaves_while_it_takes_over_owns_nothing(tmp_path: Path) -> None:
    opening, go = asyncio.Event(), asyncio.Event()
    here = house(tmp_path)
    open_host = here._open_host

    @asynccontextmanager
    async def slowly() -> AsyncIterator[Host]:
        async with open_host() as host:
            opening.set()
            await go.wait()
            yield host

    here._open_host = slowly
    entering = asyncio.create_task(here.enter())
    await asyncio.wait_for(opening.wait(), 60)
    leaving = asyncio.create_task(here.leave())
    await asyncio.sleep(0)
    go.set()
    await asyncio.wait_for(asyncio.gather(entering, leaving), 60)
    assert not here.owner
    assert files(tmp_path) == {LOCK}
    async with entered(tmp_path) as next_one:  # the lock is free
        assert next_one.owner


async def test_a_folder_taken_away_is_an_error_and_no_hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "LEAVING", 0.1)
    data = tmp_path / "minds"
    async with entered(data) as owner:
        await owner.create("ada", "activity")
        async with entered(data) as guest, guest.mind("ada") as mind:
            data.rename(tmp_path / "elsewhere")
            await owner.leave()
            with pytest.raises(StoreError, match="cannot be used"):
                async with asyncio.timeout(10):
                    await mind.get("tide")
    assert not data.exists()


async def test_an_owner_whose_folder_was_made_anew_leaves_the_new_owners_card_alone(tmp_path: Path) -> None:
    data = tmp_path / "minds"
    async with entered(data) as first:
        await first.create("ada", "activity")
        data.rename(tmp_path / "elsewhere")
        async with entered(data) as second:
            await second.create("ada", "activity")
            assert second.owner
            await first.leave()
            assert (data / CARD).exists()


async def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "minds").write_text("not a folder")
    with pytest.raises(StoreUnreadable, match="minds"):
        async with entered(tmp_path / "minds") as here:
            await here.create("ada", "activity")


async def test_a_mind_that_could_not_be_made_leaves_no_folder(tmp_path: Path) -> None:
    async with entered(tmp_path / "minds") as here:
        with pytest.raises(InvalidInput):
            await here.create("ada", "no such metabolism")
        assert not (tmp_path / "minds").exists()
        await here.create("ada", "activity")
        assert here.owner
    assert files(tmp_path / "minds") == {LOCK}


async def test_a_mind_whose_maker_has_left_keeps_the_folder_that_was_made_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, make = asyncio.Event(), Host._made

    async def slowly(self: Host, *args: Any) -> None:
        begun.set()
        await make(self, *args)

    monkeypatch.setattr(Host, "_made", slowly)
    async with entered(tmp_path / "minds") as here:
        making = asyncio.create_task(here.create("ada", "score"))
        await asyncio.wait_for(begun.wait(), 60)
        making.cancel()
        await asyncio.wait([making])
        assert making.cancelled()
        assert files(tmp_path / "minds") == {LOCK, CARD}
        async with here.mind("ada") as mind:
            assert mind.metabolism == "score"


async def test_one_of_another_language_is_not_spoken_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def in_the_old_one(reader: asyncio.StreamReader, *_: Any) -> bool:
        language, _ = await wire.receive(reader, handshake._HELLO)
        return bool(language == LANGUAGE)

    monkeypatch.setattr(ownership, "PATIENCE", 0.1)
    async with street(tmp_path):
        monkeypatch.setattr("ebbtide.host.handshake.LANGUAGE", LANGUAGE + 1)
        monkeypatch.setattr("ebbtide.host.door.answer_the_door", in_the_old_one)
        other = house(tmp_path)
        with pytest.raises(Conflict, match=rf"\({os.getpid()}\) that does not answer"):
            await other.enter()
        await other.leave()
