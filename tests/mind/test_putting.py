"""What `put` returns is assembled without looking the memory up; it must be what looking it up would give."""

from pathlib import Path
from typing import Any

import pytest

import ebbtide
from ebbtide.core.errors import InvalidInput, KeyTaken
from ebbtide.core.memory import Memory
from tests.helpers import METABOLISMS, FakeClock, mind_in_ram

BORN: list[dict[str, Any]] = [{}, {"phrase": "tide", "keywords": ("sea", "海"), "kind": "fact", "domain": "harbour"}]
RETAINED: list[dict[str, Any]] = [
    {"importance": 0.0},
    {"importance": 1.0, "policy": "ephemeral"},
    {"importance": 0.3},
    {"policy": "persistent"},
]


async def seen(mind: ebbtide.Mind, key: str) -> Memory:
    """Looked up, without that being a use of it."""
    return (await mind.explain(key)).memory


@pytest.mark.parametrize("metabolism", METABOLISMS)
async def test_a_put_returns_the_memory_as_it_stands(tmp_path: Path, metabolism: str) -> None:
    clock = FakeClock()
    async with ebbtide.open("ada", data=tmp_path, metabolism=metabolism, clock=clock) as mind:
        for number, given in enumerate([*BORN, *(RETAINED if metabolism == "retention" else [])]):
            clock.forward(1000.25)
            put = await mind.put("潮水 comes and goes", key=f"k{number}", **given)
            assert put == await seen(mind, f"k{number}")


async def test_a_put_after_new_parameters_goes_by_them(tmp_path: Path) -> None:
    async with ebbtide.open("ada", data=tmp_path, metabolism="score", clock=FakeClock()) as mind:
        assert (await mind.put("one", key="one")).meta.score == 50
        await mind.configure(initial=75.0)
        put = await mind.put("two", key="two")
        assert put.meta.score == 75
        assert put == await seen(mind, "two")


async def test_a_replacing_put_returns_the_memory_with_its_past(tmp_path: Path) -> None:
    clock = FakeClock()
    async with ebbtide.open("ada", data=tmp_path, clock=clock) as mind:
        await mind.put("one", key="one")
        clock.forward(60.0)
        await mind.get("one")
        replaced = await mind.put("another", key="one", replace=True)
        assert replaced.text == "another"
        assert replaced.meta.access_count == 1
        assert replaced == await seen(mind, "one")


async def test_a_put_with_importance_and_policy_can_be_repeated_and_neither_changed() -> None:
    mind = await mind_in_ram("retention")
    given: dict[str, Any] = {"key": "allergy", "importance": 0.9, "policy": "persistent", "replace": True}
    await mind.put("小林对花生过敏。", **given)
    again = await mind.put("小林对花生和虾过敏。", **given)
    assert (again.text, again.meta.importance, again.meta.policy) == ("小林对花生和虾过敏。", 0.9, "persistent")
    for other, kept in (({"importance": 0.8}, "0.9"), ({"policy": "normal"}, "persistent")):
        with pytest.raises(InvalidInput, match=f"is given when a memory is made, and stays {kept} when it is replaced"):
            await mind.put("x", **{**given, **other})
    assert (await mind.get("allergy")).text == "小林对花生和虾过敏。"


async def test_a_taken_key_names_the_way_out() -> None:
    mind = await mind_in_ram()
    await mind.put("x", key="ferry")
    with pytest.raises(KeyTaken, match=r"'ferry' is taken: choose another, or .* putting with replace=True"):
        await mind.put("y", key="ferry")
