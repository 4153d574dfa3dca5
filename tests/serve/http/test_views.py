"""Minds as they were: told once to all who look at the same moment, and nobody waits for another's telling."""

import asyncio
from typing import Any

import pytest

from ebbtide.core.errors import Conflict, StoreFull
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind import Mind
from ebbtide.serve.http.views import KEPT, Views, settled
from tests.helpers import FakeClock, mind_in_ram
from tests.serve.http.server import Api

NOW = 1_000_000_030.0


class Past:
    """Counts what is retold and what is closed; may fail, and may take until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told, self.closed, self.gone = list[float](), list[Any](), False
        as_of, close, trash = Mind.as_of, Mind.close, Mind.trash

        async def counted(mind: Mind, moment: float) -> Mind:
            self.told.append(moment)
            return await as_of(mind, moment)

        async def closing(mind: Mind) -> None:
            self.closed.append(mind)
            await close(mind)

        async def looked(mind: Mind) -> Any:
            if self.gone:
                raise Conflict(problem="this view of the mind is not held any longer: make it again")
            return await trash(mind)

        monkeypatch.setattr(Mind, "as_of", counted)
        monkeypatch.setattr(Mind, "close", closing)
        monkeypatch.setattr(Mind, "trash", looked)


async def _looked_at(kept: Views, mind: Mind, moment: float) -> Mind:
    async with kept.of(mind, moment) as past:
        return past


async def _aged() -> tuple[Mind, float]:
    """A mind of ten days, and its birth."""
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock)
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(10 * DAY)
    return mind, clock.now() - 10 * DAY


async def test_a_moment_said_as_an_offset_is_retold_once_for_a_while(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    past = Past(monkeypatch)
    api.clock.forward(10 * DAY)
    for _ in range(3):
        await api.get("/memories", as_of="-3d")
        api.clock.forward(5.0)
    assert len(past.told) == 1


@pytest.mark.parametrize(
    ("said", "moment", "meant"),
    [
        ("-3d", NOW - 3 * DAY, 1_000_000_080.0 - 3 * DAY),  # whole minutes: 1,000,000,080 is 16,666,668 of them
        ("-24h", NOW - DAY, 1_000_000_080.0 - DAY),
        ("-23h", NOW - 23 * HOUR, NOW - 23 * HOUR),
        ("+3d", NOW + 3 * DAY, NOW + 3 * DAY),
        ("2001-09-09T01:46:40", NOW - 3 * DAY, NOW - 3 * DAY),
        ("999999999.5", 999_999_999.5, 999_999_999.5),
    ],
)
def test_only_a_far_offset_is_taken_to_the_next_minute(said: str, moment: float, meant: float) -> None:
    assert settled(said, moment, NOW) == meant


async def test_nobody_waits_for_the_telling_of_another_mind(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    await api.house.create("bob", "activity")
    api.clock.forward(DAY)
    as_of, telling, end = Mind.as_of, asyncio.Event(), asyncio.Event()

    async def slow(mind: Mind, moment: float) -> Mind:
        if mind.agent == "ada":
            telling.set()
            await end.wait()
        return await as_of(mind, moment)

    monkeypatch.setattr(Mind, "as_of", slow)
    waiting = asyncio.create_task(api.get("/memories", as_of="-1h"))
    await telling.wait()
    assert (await api.client.get("/v1/minds/bob/memories?as_of=-1h")).status_code == 200
    end.set()
    assert (await waiting)["memories"]


async def test_who_looks_at_the_same_moment_waits_for_one_telling(monkeypatch: pytest.MonkeyPatch) -> None:
    mind, birth = await _aged()
    past, kept = Past(monkeypatch), Views()
    found = await asyncio.gather(*[_looked_at(kept, mind, birth + DAY) for _ in range(5)])
    assert (len(past.told), len({id(one) for one in found}), past.closed) == (1, 1, [])


async def test_the_longest_unused_is_closed_and_one_in_use_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    mind, birth = await _aged()
    past, kept = Past(monkeypatch), Views()
    async with kept.of(mind, birth + 1) as first:
        others = [await _looked_at(kept, mind, birth + 2 + number) for number in range(KEPT + 1)]
        assert past.closed == others[:1]
    assert past.closed == [others[0], first]
    await kept.close()
    assert len(past.closed) == KEPT + 2


async def test_a_view_that_ended_with_its_process_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    mind, birth = await _aged()
    past, kept = Past(monkeypatch), Views()
    first = await _looked_at(kept, mind, birth + DAY)
    past.gone = True
    again = await _looked_at(kept, mind, birth + DAY)
    assert (again is not first, past.closed) == (True, [first])


async def test_whatever_goes_wrong_no_view_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    mind, birth = await _aged()
    past, kept = Past(monkeypatch), Views()
    first = await _looked_at(kept, mind, birth + DAY)

    async def cancelled(_: Mind) -> Any:
        raise asyncio.CancelledError

    monkeypatch.setattr(Mind, "trash", cancelled)
    with pytest.raises(asyncio.CancelledError):
        await _looked_at(kept, mind, birth + DAY)
    assert past.closed == [first]
    with pytest.raises(StoreFull):
        async with kept.of(mind, birth + DAY):
            raise StoreFull(path="", detail="")
    await kept.close()
    assert len(past.closed) == len(past.told) == 2
