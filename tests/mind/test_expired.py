"""Expired is invisible at once and everywhere, without tick or reaper; what is protected does not expire.  SPEC R2, R5

By default a memory lives 1 day · ln(0.5 / 0.05) = 2.302585 days after its last use.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from ebbtide.core.errors import Expired, InvalidInput
from ebbtide.core.memory import DAY, State
from ebbtide.core.snapshot import load
from ebbtide.mind import Mind
from tests.builders import BIRTH
from tests.helpers import (
    RETENTION_PUT,
    Deed,
    FakeClock,
    able_to_search,
    everything,
    held,
    histories,
    live,
    lives,
    mind_in_ram,
    mind_on_disk,
    snapshot,
    store_of,
)
from tests.serve.shell import Shell

LIFE = math.log(10) * DAY
END = BIRTH + LIFE


@asynccontextmanager
async def harbour(folder: Path, clock: FakeClock) -> AsyncIterator[Mind]:
    """A mind that knows a ferry, and a pier that is there for good and leads to it."""
    async with mind_on_disk(folder, "retention", clock) as mind:
        await mind.put("The ferry leaves at 8:40.", key="ferry")
        await mind.put("The pier is in Central.", key="pier", policy="persistent")
        await mind.link("pier", "ferry", "near")
        yield mind


async def by_search(mind: Mind) -> bool:
    return "ferry" in [hit.memory.key for hit in (await mind.search("when does the ferry leave?")).hits]


async def by_a_search_for_its_neighbour(mind: Mind) -> bool:
    return "ferry" in [hit.memory.key for hit in (await mind.search("pier Central")).hits]


async def by_follow(mind: Mind) -> bool:
    return "ferry" in [step.key for step in await mind.follow("pier")]


async def by_list(mind: Mind) -> bool:
    return "ferry" in [memory.key for memory in (await mind.list()).memories]


async def by_pages(mind: Mind) -> bool:
    """As an export reads a whole mind."""
    page = await mind.list(limit=1)
    found = list(page.memories)
    while page.next is not None:
        page = await mind.list(limit=1, after=page.next)
        found += page.memories
    return "ferry" in [memory.key for memory in found]


async def by_get(mind: Mind) -> bool:
    """In a view of this moment, where a look is not a use: a use would let it live on."""
    try:
        return (await (await mind.as_of(mind.now())).get("ferry")).key == "ferry"
    except Expired:
        return False


WAYS = (by_search, by_a_search_for_its_neighbour, by_follow, by_list, by_pages, by_get)


# ---- invisible at once


@pytest.mark.parametrize("seen", WAYS)
async def test_what_has_expired_is_out_of_sight_to_the_second(
    seen: Callable[[Mind], Awaitable[bool]], tmp_path: Path
) -> None:
    clock = FakeClock()
    async with harbour(tmp_path, clock) as mind:
        clock.moment = END - 1.0
        assert await seen(mind)
        clock.moment = END + 1e-3  # a float of today tells microseconds
        assert not await seen(mind)
        assert len([entry async for entry in mind.entries() if type(entry.change).__name__ == "WriteDown"]) == 0
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        assert not await seen(mind)


async def test_get_says_that_it_has_expired_and_counts_nothing(tmp_path: Path) -> None:
    clock = FakeClock()
    async with harbour(tmp_path, clock) as mind:
        clock.moment = END + 1.0
        before = await snapshot(mind)
        for refused in (mind.get("ferry"), mind.follow("ferry"), mind.touch("ferry"), mind.touch("pier", "ferry")):
            with pytest.raises(Expired, match="ferry"):
                await refused
        assert await snapshot(mind) == before


def test_the_command_line_exports_nothing_that_has_expired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Made in 2025; the command line goes by the clock on the wall."""

    async def long_ago() -> None:
        async with harbour(tmp_path / "data", FakeClock()):
            pass

    asyncio.run(long_ago())
    shell = Shell(tmp_path / "data", capsys)
    found = shell.json("--agent", "ada", "list", "--limit", "10000")
    assert [memory["key"] for memory in found["memories"]] == ["pier"]
    asked = shell.json("--agent", "ada", "list", "--state", "expired")
    assert [memory["key"] for memory in asked["memories"]] == ["ferry"]
    assert "expired" in shell.refused(3, "--agent", "ada", "get", "ferry")


async def test_recall_is_for_network_minds_where_nothing_expires(tmp_path: Path) -> None:
    async with mind_on_disk(tmp_path, "retention") as mind:
        with pytest.raises(InvalidInput, match="network mind"):
            await mind.recall()
    async with mind_on_disk(tmp_path / "other", "network") as mind:
        assert State.EXPIRED not in store_of(mind).regime.metabolism.states


# ---- only when asked for


async def test_expired_cold_and_deprecated_are_found_when_they_are_asked_for() -> None:
    # After 40 days: 2.3 days are over; 1.5 · e^−40 − 0.4 < 0.5; 50 · 0.95⁴⁰ = 6.4 < 30
    for metabolism, state in (
        ("retention", State.EXPIRED),
        ("activity", State.COLD),
        ("score", State.DEPRECATED),
    ):
        clock = FakeClock()
        mind = await mind_in_ram(metabolism, clock, tools=able_to_search())
        await mind.put("The ferry leaves at 8:40.", key="ferry")
        clock.forward(40 * DAY)
        found = await mind.search("ferry", explain=True)
        assert (found.hits, [declined.key for declined in found.declined]) == ((), ["ferry"])
        assert found.declined[0].state == state.value
        assert [hit.memory.key for hit in (await mind.search("ferry", state=state)).hits] == ["ferry"]
        page = await mind.list()
        assert (page.memories, page.left_out) == ((), {state: 1})
        assert [memory.key for memory in (await mind.list(state)).memories] == ["ferry"]


async def test_a_score_mind_leaves_out_what_is_deprecated_and_nothing_else() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("score", clock, tools=able_to_search())
    await mind.put("The ferry leaves at 8:40.", key="ferry")
    clock.forward(10 * DAY)  # 29.94, which rounds to 30: cold
    assert [hit.memory.state for hit in (await mind.search("ferry")).hits] == [State.COLD]
    clock.forward(DAY)  # 28.44
    assert (await mind.search("ferry")).hits == ()


async def test_cold_is_still_reached_by_its_key_and_by_walking_back() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock)
    for key in ("pier", "ferry"):
        await mind.put(f"this is the {key}", key=key)
    await mind.link("pier", "ferry", "near")
    clock.forward(400 * DAY)
    assert [step.key for step in await mind.follow("pier")] == ["ferry"]
    assert (await mind.list()).memories == ()
    assert (await mind.get("ferry")).state is State.ACTIVE  # a use makes it one


# ---- brought back


async def test_a_touch_that_is_to_revive_brings_it_back(tmp_path: Path) -> None:
    clock = FakeClock()
    async with harbour(tmp_path, clock) as mind:
        clock.forward(10 * DAY)
        assert (await mind.touch("ferry", revive=True)).counted == ("ferry",)
        for seen in WAYS:
            assert await seen(mind)
        (ferry,) = [memory for memory in await everything(mind) if memory.key == "ferry"]
        # S = 1 · (2 − e^−10) = 1.9999546; it lives 1.9999546 · ln 10 = 4.605066 days from now
        assert ferry.meta.strength == pytest.approx(1.9999546, abs=1e-7)
        assert ferry.meta.expires_at == pytest.approx(clock.now() + 4.605066 * DAY, abs=0.1 * DAY / 1e4)
        assert await mind.check() == []


# ---- R5: evidence and equals


async def case(clock: FakeClock, *links: tuple[str, str, str]) -> Mind:
    """Whoever is named in the links; none would live longer than 2.3 days by itself."""
    mind = await mind_in_ram("retention", clock)
    for key in dict.fromkeys(end for source, _, target in links for end in (source, target)):
        await mind.put(f"this is {key}", key=key)
    for source, relation, target in links:
        await mind.link(source, target, relation)
    return mind


async def alive(mind: Mind) -> set[str]:
    return {memory.key for memory in (await mind.list()).memories}


async def test_evidence_does_not_expire_while_something_is_supported_by_it() -> None:
    clock = FakeClock()
    mind = await case(clock, ("event", "SUPPORTED_BY", "evidence"), ("event", "about", "other"))
    clock.forward(1000 * DAY)
    assert await alive(mind) == {"evidence"}
    (evidence,) = (await mind.list()).memories
    assert (evidence.meta.protected, evidence.meta.expires_at) == (True, None)
    assert "does not expire while" in (await mind.explain("evidence")).why


async def test_a_chain_of_evidence_is_protected_link_by_link() -> None:
    clock = FakeClock()
    mind = await case(clock, ("claim", "SUPPORTED_BY", "report"), ("report", "SUPPORTED_BY", "photo"))
    clock.forward(1000 * DAY)
    assert await alive(mind) == {"report", "photo"}
    await mind.forget("claim")
    assert await alive(mind) == {"photo"}  # the report, expired as it is, is there and rests on it
    await mind.forget("report")
    assert await alive(mind) == set()


async def test_both_of_two_equals_are_protected() -> None:
    clock = FakeClock()
    mind = await case(clock, ("ferry", "EQUIV", "渡轮"))
    clock.forward(1000 * DAY)
    assert await alive(mind) == {"ferry", "渡轮"}
    await mind.unlink("ferry", "渡轮", "EQUIV")
    assert await alive(mind) == set()


@pytest.mark.parametrize("gone", ["ferry", "渡轮"])
async def test_an_equal_that_is_forgotten_protects_no_more_and_does_again_once_restored(gone: str) -> None:
    clock = FakeClock()
    mind = await case(clock, ("ferry", "EQUIV", "渡轮"))
    clock.forward(1000 * DAY)
    await mind.forget(gone)
    assert await alive(mind) == set()
    clock.forward(DAY)
    await mind.restore(gone)
    assert await alive(mind) == {"ferry", "渡轮"}


async def test_once_its_event_is_forgotten_evidence_lives_on_by_its_own_clock() -> None:
    clock = FakeClock()
    mind = await case(clock, ("event", "SUPPORTED_BY", "evidence"))
    clock.forward(DAY)
    await mind.get("evidence")
    await mind.forget("event")
    clock.moment = BIRTH + DAY + LIFE - 1.0
    assert await alive(mind) == {"evidence"}
    clock.forward(2.0)
    assert await alive(mind) == set()


async def test_evidence_whose_own_time_was_over_long_ago_goes_with_its_event_and_not_before() -> None:
    clock = FakeClock()
    mind = await case(clock, ("event", "SUPPORTED_BY", "evidence"))
    clock.forward(100 * DAY)
    assert await alive(mind) == {"evidence"}
    await mind.forget("event")
    (evidence,) = [memory for memory in await everything(mind) if memory.key == "evidence"]
    assert (evidence.state, evidence.meta.expires_at) == (State.EXPIRED, clock.now())
    # The reaper's 24 hours begin now: its 97 days of being held do not count as expired.
    assert (await mind.reap(dry_run=True)).deleted == 0
    await mind.restore("event")
    assert await alive(mind) == {"evidence"}
    assert (await mind.explain("evidence")).memory.meta.protected


async def test_evidence_that_comes_back_after_its_event_has_gone_expires_then_and_not_before() -> None:
    clock = FakeClock()
    mind = await case(clock, ("event", "SUPPORTED_BY", "evidence"))
    clock.forward(10 * DAY)
    await mind.forget("evidence")
    await mind.forget("event")
    clock.forward(DAY)
    back = await mind.restore("evidence")
    assert (back.state, back.meta.expires_at) == (State.EXPIRED, clock.now())
    await mind.restore("event")
    assert await alive(mind) == {"evidence"}
    assert await mind.check() == []


async def test_a_merge_passes_protection_on_and_its_undoing_gives_it_back() -> None:
    clock = FakeClock()
    mind = await case(
        clock, ("event", "SUPPORTED_BY", "photo"), ("other", "SUPPORTED_BY", "scan"), ("photo", "EQUIV", "copy")
    )
    clock.forward(100 * DAY)
    assert await alive(mind) == {"photo", "scan", "copy"}
    await mind.merge("event", "other")
    assert await alive(mind) == {"photo", "scan", "copy"}  # the event rests on both now
    await mind.merge("scan", "photo")
    assert await alive(mind) == {"scan", "copy"}  # and copy is its equal
    await mind.merge("scan", "copy")  # a memory is not its own equal
    assert {memory.key: memory.meta.protected for memory in await everything(mind)} == {"event": False, "scan": True}
    for key in ("copy", "photo", "other"):
        await mind.restore(key)
    assert await alive(mind) == {"photo", "scan", "copy"}
    assert await mind.check() == []


async def test_evidence_is_protected_again_after_opening_the_file(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "retention", clock) as mind:
        for key in ("event", "photo", "copy", "other"):
            await mind.put(f"this is {key}", key=key)
        await mind.link("event", "photo", "SUPPORTED_BY")
        await mind.link("photo", "copy", "EQUIV")
        clock.forward(10 * DAY)
        before = await snapshot(mind)
    clock.forward(90 * DAY)
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        assert await snapshot(mind) == before
        assert await alive(mind) == {"photo", "copy"}
        await mind.unlink("event", "photo", "SUPPORTED_BY")
        await mind.unlink("photo", "copy", "EQUIV")
        left = clock.now()
    clock.forward(DAY)
    async with mind_on_disk(tmp_path, clock=clock) as mind:
        ends = {memory.key: memory.meta.expires_at for memory in await everything(mind)}
        assert (ends["photo"], ends["copy"]) == (left, left)
        assert ends["other"] == pytest.approx(END)
        assert await mind.check() == []


# ---- whatever happens


async def test_a_base_from_before_there_was_protection_is_read_with_it() -> None:
    mind = await case(FakeClock(), ("event", "SUPPORTED_BY", "photo"), ("photo", "EQUIV", "copy"))
    base = await store_of(mind).snapshot()
    new = ("protected", "exposed_at", "pruned_at")
    older = [(said, {name: row[name] for name in row if name not in new}) for said, row in base.memories]
    read = load(replace(base, memories=tuple(older)))
    columns = read.table.columns
    assert dict(zip(columns["id"][:3].tolist(), columns["protected"][:3].tolist(), strict=True)) == held(base)


async def require_protection(mind: Mind) -> None:
    found = await store_of(mind).snapshot()
    assert {row["id"]: row["protected"] for _, row in found.memories} == held(found)
    for memory in await everything(mind):
        assert not (memory.meta.protected and memory.state is State.EXPIRED)


any_life = histories(RETENTION_PUT)


@settings(lives, max_examples=100)
@given(deeds=any_life)
async def test_protection_is_what_the_links_say_after_any_history(deeds: list[Deed]) -> None:
    mind = await mind_in_ram("retention", clock := FakeClock())
    await live(deeds, mind, clock)
    await require_protection(mind)


@settings(lives, max_examples=15)
@given(deeds=any_life, later=any_life)
async def test_protection_is_what_the_links_say_on_disk_and_after_opening(deeds: list[Deed], later: list[Deed]) -> None:
    clock = FakeClock()
    with TemporaryDirectory() as folder:
        for life in (deeds, later, []):
            async with mind_on_disk(Path(folder), "retention", clock) as mind:
                await require_protection(mind)
                await live(life, mind, clock)
                await require_protection(mind)
