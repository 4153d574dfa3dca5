"""Whatever a clock counts in, everything it goes into works; what is no time is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ebbtide
from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY, HOUR
from ebbtide.mind.clocks import PlainClock, StoppedClock, plain_clock
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, LetterEmbedder


class Counting:
    """A clock that gives its moments as this type has them."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.moment = kind, BIRTH

    def now(self) -> Any:
        return self.kind(self.moment)


@pytest.mark.parametrize("kind", [np.float64, np.int64, int, np.float32])
@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_clock_may_count_in_anything(tmp_path: Path, metabolism: str, kind: Any) -> None:
    clock = Counting(kind)
    parts: dict[str, Any] = {"data": tmp_path, "clock": clock, "embedder": LetterEmbedder()}
    async with ebbtide.open("ada", metabolism=metabolism, **parts) as mind:
        assert type((await mind.put("The ferry leaves at 8:40.", key="ferry")).created_at) is float
        await mind.put_many([{"text": "Lin takes it.", "key": "lin"}, {"text": "The parcel came.", "key": "parcel"}])
        await mind.link("lin", "ferry", "takes")
        await mind.get("ferry")
        await mind.touch("lin")
        await mind.follow("lin")
        await mind.pin("parcel")
        clock.moment += 2 * HOUR
        await mind.search("ferry")
        await mind.tick()
        if metabolism == "retention":
            clock.moment += 40 * DAY
            await mind.reap()
        if metabolism == "network":
            await mind.remember([{"role": "user", "content": "Ada sails to Lamma."}])
            await mind.idle()
            await mind.recall()
            await mind.fade(1)
        await mind.unpin("parcel")
        await mind.forget("parcel")
        assert type((await mind.stats()).at) is float
        assert type((await mind.at("+1d")).now()) is float
        assert all(type(entry.change.at) is float for entry in await mind.journal(limit=1000))
        assert await mind.check() == []
    async with ebbtide.open("ada", **parts) as mind:
        assert await mind.check() == []
        assert "parcel" in [gone.key for gone in await mind.trash()]


@pytest.mark.parametrize("said", [float("nan"), float("inf"), np.float64("-inf"), None, "2026-11-15", 1j])
async def test_a_clock_that_gives_no_time_is_named(tmp_path: Path, said: Any) -> None:
    class Broken:
        def now(self) -> Any:
            return said

    with pytest.raises(InvalidInput, match=r"the clock Broken says .*: it must give seconds since 1970"):
        async with ebbtide.open("ada", data=tmp_path, clock=Broken()):
            pass


def test_a_clock_is_wrapped_once() -> None:
    clock = plain_clock(Counting(int))
    assert isinstance(clock, PlainClock)
    assert plain_clock(clock) is clock
    stopped = StoppedClock(1.0)
    assert plain_clock(stopped) is stopped
    assert json.dumps(clock.now()) == "1750000000.0"
