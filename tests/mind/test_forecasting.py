"""What will become of a whole mind if nothing happens: the same as asking each memory by itself, only at once."""

import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.errors import InvalidInput
from ebbtide.core.memory import DAY
from ebbtide.mind import Mind
from ebbtide.mind.forecasting import Fate, Outlook
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, Deed, FakeClock, everything, histories, live, lives, mind_in_ram, snapshot
from tests.reapers import of_every_level, reapable


def told(outlook: Outlook) -> list[tuple[str, str, float]]:
    """Who, what, and in how many days (of a network mind: scans)."""
    return [(fate.key, fate.event, _ahead(outlook, fate)) for fate in outlook.fates]


def _ahead(outlook: Outlook, fate: Fate) -> float:
    return float(fate.scans or 0) if fate.at is None else round((fate.at - outlook.at) / DAY, 3)


# ---- by hand


async def test_a_retention_mind_tells_who_expires_is_pruned_and_is_deleted() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    outlook = await mind.forecast(days=40)
    # Expired after S · ln(I / 0.05), S = 1 day; the buffer is a day; deleted at once below 0.2, else 30 days later.
    assert told(outlook) == [
        ("low", "expired", 0.693),  # ln 2
        ("edge", "expired", 1.386),  # ln 4
        ("low", "deleted", 1.693),
        ("mid", "expired", 2.303),  # ln 10
        ("edge", "pruned", 2.386),
        ("high", "expired", 2.639),  # ln 14; kept
        ("mid", "pruned", 3.303),
        ("edge", "deleted", 32.386),
        ("mid", "deleted", 33.303),
    ]
    assert outlook.counts == {"expired": 4, "pruned": 2, "deleted": 3}
    assert outlook.fates[0].why.startswith("R 0.0500, T_delete 0.05: 0.00 days")


async def test_what_a_retention_mind_foretells_is_what_its_reaper_does() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    fates = (await mind.forecast(days=100)).fates
    done = []
    for fate in [fate for fate in fates if fate.event != "expired"]:
        assert fate.at is not None
        clock.moment = fate.at - 1.0
        assert not (await mind.reap(dry_run=True)).harvest
        clock.moment = fate.at
        (harvested,) = (await mind.reap(dry_run=True)).harvest
        done.append((harvested.key, f"{harvested.action.rstrip('e')}ed"))
        await mind.reap()
    assert done == [(fate.key, fate.event) for fate in fates if fate.event != "expired"]


async def test_a_score_mind_tells_who_turns_deprecated() -> None:
    mind = await mind_in_ram("score")
    await mind.put("the ferry leaves at 8:40", key="ferry")
    outlook = await mind.forecast(days=30)
    # It is born cold, at 50. 50 · 0.95^t is rounded to less than 30 below 29.5: t = ln 0.59 / ln 0.95 = 10.287
    assert told(outlook) == [("ferry", "deprecated", 10.287)]
    explained = {coming.event: coming.at for coming in (await mind.explain("ferry")).forecast}
    assert outlook.fates[0].at == explained["deprecated"]


async def test_an_activity_mind_tells_who_turns_cold_and_may_be_deleted() -> None:
    mind = await mind_in_ram("activity")
    await mind.put("the ferry leaves at 8:40", key="ferry")
    outlook = await mind.forecast(days=110)
    # 0 − 0.3 · 20/30 = −0.2 and 0 − 0.3 · 100/30 = −1.0; what is left of 1.5 · e^−20 is 3.1e−9.
    assert told(outlook) == [("ferry", "cold", 20.0), ("ferry", "delete_candidate", 100.0)]


async def test_a_network_mind_tells_it_in_scans() -> None:
    mind = await mind_in_ram("network")
    await mind.put("x" * 100, key="a")
    await mind.put("y" * 100, key="b")
    await mind.link("a", "b", "about", 1.0)
    outlook = await mind.forecast(scans=200)
    # 0.97^n < 1 from the first scan on; it leaves fewer than 5 of 100 characters when 0.97^n < 0.05: n = 99
    assert told(outlook) == [("a", "fading", 1.0), ("a", "vanishing", 99.0)]
    assert (outlook.days, outlook.scans) == (None, 200)
    assert outlook.fates[0].why == "importance 0.970 then"


# ---- against one by one


async def one_by_one(mind: Mind, days: float, scans: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for memory in await everything(mind):
        for coming in (await mind.explain(memory.key)).forecast:
            if coming.scans is not None:
                counts[coming.event] += 0 < coming.scans <= scans
            elif coming.at is not None:
                counts[coming.event] += mind.now() < coming.at <= mind.now() + days * DAY
    return +counts


def reach(metabolism: str, days: float, scans: int) -> dict[str, Any]:
    return {"scans": scans} if metabolism == "network" else {"days": days}


@pytest.mark.parametrize("metabolism", METABOLISMS)
@lives
@given(deeds=histories(), days=st.sampled_from((1.0, 7.0, 30.0, 365.0)), scans=st.sampled_from((1, 50, 500)))
async def test_it_counts_what_each_memory_says_of_itself(
    metabolism: str, deeds: list[Deed], days: float, scans: int
) -> None:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    await live(deeds, mind, clock)
    before = await snapshot(mind)
    outlook = await mind.forecast(**reach(metabolism, days, scans))
    assert outlook.counts == await one_by_one(mind, days, scans)
    assert Counter(fate.event for fate in outlook.fates) == outlook.counts
    moments = [fate.at if fate.at is not None else fate.scans for fate in outlook.fates]
    assert moments == sorted(moments, key=lambda moment: moment or 0)
    assert await snapshot(mind) == before  # looking ahead leaves no trace


# ---- what if


async def test_what_if_the_mind_lived_by_other_rules() -> None:
    mind = await reapable(FakeClock())
    await of_every_level(mind)
    gentle = await mind.replay(params={"delete_below": 0.025, "reap_buffer": 48.0})
    # ln(0.1 / 0.025) = ln 4 = 1.386 days instead of 0.693, and two days more until it is deleted
    fates = told(await gentle.forecast(days=5))
    assert ("low", "expired", 1.386) in fates
    assert ("low", "deleted", 3.386) in fates
    as_score = await mind.replay(metabolism="score")
    assert (await as_score.forecast(days=365)).counts == {"deprecated": 4}  # born cold already
    assert (await mind.forecast(days=1)).counts == {"expired": 1}


# ---- the edges


async def test_an_empty_mind_has_nothing_to_come() -> None:
    for metabolism in METABOLISMS:
        outlook = await (await mind_in_ram(metabolism)).forecast()
        assert (outlook.counts, outlook.fates, outlook.metabolism) == ({}, (), metabolism)


async def test_only_the_first_are_listed_but_all_are_counted() -> None:
    mind = await reapable(FakeClock())
    await of_every_level(mind)
    outlook = await mind.forecast(days=40, limit=2)
    assert [fate.key for fate in outlook.fates] == ["low", "edge"]
    assert sum(outlook.counts.values()) == 9
    assert (await mind.forecast(days=40, limit=0)).fates == ()


async def test_what_has_happened_is_no_forecast() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    clock.forward(2 * DAY)  # low and edge have expired
    assert (await mind.forecast(days=1)).counts == {"expired": 2, "pruned": 1}
    assert clock.now() > BIRTH


@pytest.mark.parametrize(
    ("metabolism", "asked", "told"),
    [
        ("retention", {"days": 0}, "looks ahead"),
        ("retention", {"days": -3.0}, "looks ahead"),
        ("retention", {"days": float("inf")}, "looks ahead"),
        ("score", {"days": float("nan")}, "looks ahead"),
        ("activity", {"scans": 10}, "only a network mind fades by scans"),
        ("network", {"days": 10.0}, "fades by scans, not by days"),
        ("network", {"scans": 0}, "looks ahead"),
        ("network", {"scans": 1.5}, "looks ahead"),
        ("score", {"limit": -1}, "cannot list -1 events"),
    ],
)
async def test_a_senseless_question_is_refused(metabolism: str, asked: dict[str, Any], told: str) -> None:
    mind = await mind_in_ram(metabolism)
    with pytest.raises(InvalidInput, match=told):
        await mind.forecast(**asked)


@pytest.mark.parametrize("metabolism", ["activity", "score", "retention"])
async def test_a_large_mind_is_told_at_one_stroke(metabolism: str) -> None:
    """Twenty thousand memories: one by one that would take minutes."""
    mind = await mind_in_ram(metabolism)
    await mind.put_many([{"text": "x", "key": f"k{number}"} for number in range(20_000)])
    started = time.perf_counter()
    assert sum((await mind.forecast(days=365)).counts.values()) >= 20_000
    assert time.perf_counter() - started < 10.0
