"""The journal backwards: nothing is left out, nothing comes twice, and everybody has a name."""

import pytest

from ebbtide.core.errors import UnknownMemory
from ebbtide.mind import Mind
from ebbtide.serve.page.entries import ids_of, kind_of, latest, names, params_before
from tests.helpers import FakeClock, mind_in_ram


async def lived() -> Mind:
    mind = await mind_in_ram("score", FakeClock())
    for number in range(30):
        await mind.put(f"number {number}", key=f"k{number}")
        await mind.get(f"k{number}")
    await mind.link("k0", "k1", "then")
    await mind.forget("k2")
    return mind


async def every(mind: Mind, **where: str) -> list[int]:
    found: list[int] = []
    before: int | None = None
    while True:
        leaf = await latest(mind, before=before, limit=7, **where)
        found += [entry.seq for entry in leaf.entries]
        if leaf.older is None:
            return found
        before = leaf.older


async def test_leaf_by_leaf_it_is_the_journal_backwards() -> None:
    mind = await lived()
    assert await every(mind) == [entry.seq for entry in reversed(await mind.journal(limit=1000))]


async def test_of_one_kind_it_is_what_the_journal_has_of_it() -> None:
    mind = await lived()
    wanted = [entry.seq for entry in reversed(await mind.journal(limit=1000)) if kind_of(entry) == "put"]
    assert await every(mind, kind="put") == wanted


async def test_about_one_memory_it_is_what_the_journal_has_of_that() -> None:
    mind = await lived()
    assert await every(mind, key="k1") == [entry.seq for entry in reversed(await mind.journal(key="k1"))]
    assert [kind_of(entry) for entry in (await latest(mind, key="k2", kind="forget")).entries] == ["forget"]
    with pytest.raises(UnknownMemory):
        await latest(mind, key="nobody")


async def test_after_a_compaction_it_ends_where_the_journal_begins() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("score", clock)
    await mind.put("long ago", key="old")
    clock.forward(90 * 86400.0)
    await mind.compact(clock.now() - 40 * 86400.0)
    await mind.put("today", key="new")
    assert [kind_of(entry) for entry in (await latest(mind)).entries] == ["put"]


async def test_everybody_has_a_name_also_who_is_gone() -> None:
    mind = await lived()
    leaf = await latest(mind, limit=100)
    called = await names(mind, leaf.entries)
    assert called[1] == "k0"
    assert called[3] == "k2"
    link = next(entry for entry in leaf.entries if kind_of(entry) == "link")
    assert [called[memory] for memory in ids_of(link)] == ["k0", "k1"]


async def test_before_parameters_there_were_others() -> None:
    mind = await lived()
    await mind.configure(initial=60.0)
    await mind.configure(initial=70.0)
    leaf = await latest(mind, kind="configure", limit=2)
    before = await params_before(mind, leaf.entries)
    assert [before[entry.seq]["initial"] for entry in leaf.entries] == [60.0, 50.0]
    first = (await mind.journal(limit=1))[0]
    assert await params_before(mind, [first]) == {}
