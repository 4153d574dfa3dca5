"""What other parameters would do, told before anything is done; and parameters as something to turn."""

from pathlib import Path

import pytest

from ebbtide.app import house
from ebbtide.core.memory import DAY
from ebbtide.core.parameters import regime
from ebbtide.serve.page.effect import Moved, effect
from ebbtide.serve.page.entries import latest
from ebbtide.serve.page.graph import graph
from ebbtide.serve.page.knobs import MEANINGS, UNITS, changed, knobs
from ebbtide.settings import Settings
from tests.helpers import METABOLISMS, FakeClock, mind_in_ram, snapshot


async def test_an_effect_names_who_would_change_and_leaves_the_mind_as_it_is() -> None:
    mind = await mind_in_ram("score")
    await mind.put("the tide table", key="tide")
    before = await snapshot(mind)
    found = await effect(mind, {"active_from": 40.0})  # at birth the score is 50
    assert (found.now, found.then) == ({"cold": 1}, {"active": 1})
    assert found.moved == (Moved("tide", "the tide table", "cold", "active"),)
    assert found.ways == {("cold", "active"): 1}
    assert await snapshot(mind) == before


async def test_an_effect_is_what_applying_does() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("retention", clock)
    for number in range(5):
        await mind.put(f"number {number}", key=f"k{number}", importance=0.2 * (number + 1))
    clock.forward(2 * DAY)
    found = await effect(mind, {"delete_below": 0.1})
    await mind.configure(delete_below=0.1)
    states = (await mind.stats()).states
    assert found.then == {state.value: count for state, count in states.items()}


async def test_the_forecast_is_told_for_both() -> None:
    mind = await mind_in_ram("retention")
    await mind.put("a thing", key="thing")
    found = await effect(mind, {"delete_below": 1e-30})  # S·ln(0.5 / 1e-30) = 68 days: beyond the month looked at
    assert found.coming_now["expired"] == 1
    assert "expired" not in found.coming_then


async def test_as_if_always_so_goes_back_to_the_beginning() -> None:
    mind = await mind_in_ram("score")
    await mind.put("born with 50", key="old")
    assert (await effect(mind, {"initial": 80.0})).then == {"cold": 1}
    assert (await effect(mind, {"initial": 80.0}, always=True)).then == {"active": 1}


async def test_what_a_smaller_pool_would_forget_is_forgotten_on_the_copy_only() -> None:
    mind = await mind_in_ram("network")
    for key in "abc":
        await mind.put(f"the text of {key}", key=key)
    found = await effect(mind, {"node_pool": 2})
    assert [each.then for each in found.moved] == ["forgotten"]
    assert (await mind.stats()).store.memories == 3


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_parameter_has_a_knob_that_can_show_what_it_is_now(metabolism: str) -> None:
    params = regime(metabolism, {})[0].params()
    found = {knob.name: knob for knob in knobs(metabolism, params)}
    assert set(found) == set(params)
    for knob in found.values():
        if not knob.switch and not knob.options:
            assert knob.low <= params[knob.name] <= knob.high, knob
            assert 0 < knob.step <= knob.high - knob.low, knob


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_wherever_a_knob_is_turned_to_is_allowed(metabolism: str) -> None:
    params = regime(metabolism, {})[0].params()
    for knob in knobs(metabolism, params):
        for end in (knob.low, knob.high) if not knob.switch and not knob.options else ():
            _, fallbacks = regime(metabolism, {knob.name: end})
            # Two thresholds may cross; a threshold is then refused with the name of the other.
            assert all(fallback.reason.split()[-1] in params for fallback in fallbacks), (knob, fallbacks)


@pytest.mark.parametrize("metabolism", METABOLISMS)
def test_every_parameter_is_explained_in_both_languages(metabolism: str) -> None:
    for knob in knobs(metabolism, regime(metabolism, {})[0].params()):
        assert all(MEANINGS[knob.name])
        assert knob.unit in UNITS


def test_only_what_differs_is_changed() -> None:
    assert changed({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 3.0, "unknown": 1}) == {"b": 3.0}


@pytest.mark.parametrize("always", [False, True])
async def test_it_is_the_same_for_a_mind_that_another_process_owns(tmp_path: Path, always: bool) -> None:
    settings, clock = Settings(data=tmp_path, embedder="none"), FakeClock()
    async with house(settings, clock) as owner, house(settings, clock) as guest:
        await owner.create("ada", "score", {})
        async with owner.mind("ada") as here, guest.mind("ada") as there:
            assert type(here) is not type(there)
            for number in range(3):
                await here.put(f"number {number}", key=f"k{number}")
            wanted = {"active_from": 40.0}
            moved = (await effect(here, wanted, always=always)).moved
            assert (await effect(there, wanted, always=always)).moved == moved
            assert len(moved) == 3
            assert [entry.seq for entry in (await latest(there)).entries] == [4, 3, 2, 1]
            assert graph(await there.surroundings()) == graph(await here.surroundings())
