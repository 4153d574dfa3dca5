"""Lists that change while somebody reads them: who stays is told once, whoever comes and goes meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.mind import Mind
from ebbtide.mind.mailbox import Mailbox
from ebbtide.serve.http.pages import FIRST, cut
from ebbtide.serve.http.problems import Unacceptable
from tests.serve.http.server import Api, refused, serving


async def _read(ask: Callable[[str], Awaitable[Any]], name: str) -> AsyncIterator[list[Any]]:
    """Page after page, as a client goes on."""
    after: str | None = FIRST
    while after is not None:
        page = await ask(after)
        yield page[name]
        after = page["next"]


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30)), st.integers(1, 5))
def test_whoever_stays_is_told_once_and_in_order(there: list[int], moves: list[int], limit: int) -> None:
    present, told, after = set(there), list[int](), str(FIRST)
    stays = set(there) - set(moves)
    while True:
        some, onward = cut(sorted(present), lambda one: (one,), after, limit)
        told += some
        if onward is None:
            break
        after = onward
        present ^= {moves.pop()} if moves else set()  # comes, or goes
    assert told == sorted(set(told))
    assert stays <= set(told)


def test_those_of_one_place_are_told_in_their_order() -> None:
    found = [("b", 1), ("a", 2), ("b", 3), ("b", 4)]
    first, onward = cut(found, lambda one: (one[0],), FIRST, 3)
    assert onward is not None
    rest, end = cut(found, lambda one: (one[0],), onward, 3)
    assert ([*first, *rest], end) == ([("a", 2), ("b", 1), ("b", 3), ("b", 4)], None)


@pytest.mark.parametrize("after", ["", "1", "x", "W", "WyJhIl0", "e30", "NTU", "é", "W1tbW1tbW1tb" * 300])
def test_what_was_never_told_leads_nowhere(after: str) -> None:
    with pytest.raises(Unacceptable):
        cut([1, 2], lambda one: (one,), after, 1)


async def test_the_trash_is_told_once_while_it_is_emptied_and_filled(api: Api) -> None:
    for number in range(6):
        await api.put(f"m{number}", f"Number {number}.")
    await api.ask("POST", "/forget", json={"keys": [f"m{number}" for number in range(5)]})
    told = []
    async for some in _read(lambda after: api.get("/trash", after=after, limit=2), "forgotten"):
        told += [gone["key"] for gone in some]
        if len(told) == 2:
            await api.post("/memories/m4/restore")
            await api.ask("DELETE", "/memories/m5")
    assert told == ["m4", "m3", "m2", "m1", "m0"]
    refused(await api.ask("GET", "/trash?after=2"), 422)


async def test_minds_are_told_once_while_others_are_made(api: Api) -> None:
    for agent in ("0", "bob", "eve"):
        await api.house.create(agent, "activity")

    async def ask(after: str) -> Any:
        return (await api.client.get("/v1/minds", params={"after": after, "limit": 1})).json()

    told = []
    async for some in _read(ask, "minds"):
        told += some
        if some == ["bob"]:
            await api.house.create("amy", "activity")
    assert told == ["0", "ada", "bob", "eve"]


async def test_tasks_are_told_once_while_others_begin(api: Api) -> None:
    begun = [(await api.run("/check"))["id"] for _ in range(4)]

    async def ask(after: str) -> Any:
        return (await api.client.get("/v1/tasks", params={"after": after, "limit": 1})).json()

    told = []
    async for some in _read(ask, "tasks"):
        told += [task["id"] for task in some]
        await api.run("/check")
    assert told == begun[::-1]


async def test_the_queue_is_told_once_while_it_is_worked_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Mailbox, "_attempt", never)
    async with serving(tmp_path / "network", "network") as api:
        async with api.house.mind("ada") as mind:
            numbers = [await _told(mind, number) for number in range(5)]
            left = [task.id for task in await mind.queue()]
        told: list[int] = []
        async for some in _read(lambda after: api.get("/queue", after=after, limit=2), "tasks"):
            told += [task["id"] for task in some]
            if len(told) == 2:
                await api.ask("DELETE", f"/queue/{told[0]}")
    assert (left, told) == (numbers, numbers)


async def _told(mind: Mind, number: int) -> int:
    return await mind.remember([{"role": "user", "content": f"Lin said {number}"}])
