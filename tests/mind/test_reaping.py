"""The reaper (SPEC R6): who goes when, what goes with whom, and that nobody goes whom anything happened to."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.changes import Batch, Forget, Rewrite, Touch
from ebbtide.core.errors import Expired, InvalidInput
from ebbtide.core.memory import DAY, HOUR, State
from ebbtide.mind import Mind
from ebbtide.mind.reaping import SKELETON, ReapReport
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, WAIT, Deed, FakeClock, batch, live, lives, mind_in_ram, snapshot, store_of
from tests.reapers import LONG, WatchedArchive, of_every_level, reapable


def done(report: ReapReport) -> tuple[int, int, int, int]:
    return report.deleted, report.pruned, report.evidence, report.conflicts


async def keys(mind: Mind) -> set[str]:
    return {content.key for content, _ in (await store_of(mind).snapshot()).memories}


async def reaped_at(mind: Mind, clock: FakeClock, days: float) -> tuple[int, int, int, int]:
    clock.moment = BIRTH + days * DAY
    return done(await mind.reap())


# ---- who goes, and when


async def test_each_level_goes_at_its_hour() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    assert await reaped_at(mind, clock, 1.6930) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 1.6932) == (1, 0, 0, 0)  # low: ln 2 + 1 = 1.69315
    assert await reaped_at(mind, clock, 2.3862) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 2.3864) == (0, 1, 0, 0)  # edge: ln 4 + 1 = 2.38629
    assert await reaped_at(mind, clock, 3.3025) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 3.3027) == (0, 1, 0, 0)  # mid: ln 10 + 1 = 3.30259
    assert await reaped_at(mind, clock, 2.3863 + 30) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 2.3865 + 30) == (1, 0, 0, 0)  # edge: 30 days after it was pruned
    assert await reaped_at(mind, clock, 3.3028 + 30) == (1, 0, 0, 0)  # mid
    assert await reaped_at(mind, clock, 10_000) == (0, 0, 0, 0)
    assert await keys(mind) == {"high"}


async def test_the_thirty_days_run_from_the_pruning_not_from_when_it_was_due() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await mind.put(LONG, key="mid")  # due at 3.3026 days
    assert await reaped_at(mind, clock, 10) == (0, 1, 0, 0)
    assert await reaped_at(mind, clock, 39.999) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 40) == (1, 0, 0, 0)


async def test_what_is_kept_for_its_importance_is_hidden_not_gone() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await mind.put(LONG, key="high", importance=0.7)
    clock.forward(100 * DAY)
    report = await mind.reap()
    assert (report.seen, report.expired, report.kept, report.run) == (1, 1, 1, "")
    with pytest.raises(Expired):
        await mind.get("high")
    assert [m.text for m in (await mind.list(State.EXPIRED)).memories] == [LONG]


async def test_the_reapers_own_parameters_count() -> None:
    clock = FakeClock()
    mind = await reapable(clock, reap_buffer=2, delete_importance=0.6, prune_importance=0.8, prune_days=1)
    await mind.put(LONG, key="a", importance=0.5)  # ln 10 days + 2 h = 2.38592 days
    await mind.put(LONG, key="b", importance=0.7)  # ln 14 days + 2 h = 2.72239 days
    assert await reaped_at(mind, clock, 2.3858) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 2.3860) == (1, 0, 0, 0)
    assert await reaped_at(mind, clock, 2.7225) == (0, 1, 0, 0)
    assert await reaped_at(mind, clock, 3.7226) == (1, 0, 0, 0)


async def test_a_touch_after_the_pruning_starts_its_life_anew() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await mind.put(LONG, key="mid")
    assert await reaped_at(mind, clock, 4) == (0, 1, 0, 0)
    clock.moment = BIRTH + 30 * DAY
    await mind.touch("mid", revive=True)
    # S = 1 · (1 + 1 − e^−30) = 2: expires after 2 · ln 10 = 4.6052 days, due a day later
    assert (await mind.get("mid")).meta.strength == pytest.approx(2.0)
    assert await reaped_at(mind, clock, 35.6) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 65.6) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 65.7) == (1, 0, 0, 0)  # 30 + 5.6052 + 30 days: pruned it has been already


async def test_the_protected_and_the_persistent_stay() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    for key in ("one", "two", "proof", "claim"):
        await mind.put(LONG, key=key, importance=0.1)
    await mind.put(LONG, key="forever", importance=0.1, policy="persistent")
    await mind.put(LONG, key="keeper", importance=1.0, policy="persistent")
    await mind.link("one", "two", "EQUIV")
    await mind.link("keeper", "proof", "SUPPORTED_BY")
    assert await reaped_at(mind, clock, 1000) == (1, 0, 0, 0)
    assert await keys(mind) == {"one", "two", "proof", "forever", "keeper"}


# ---- pruning


async def test_pruning_leaves_a_skeleton_that_is_found_by_its_key() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    words: dict[str, Any] = {"kind": "fact", "domain": "travel", "keywords": ["ferry", "渡轮"]}
    await mind.put(LONG, key="said", phrase="渡轮 8:40", **words)
    await mind.put(LONG, key="bare", **words)
    await mind.put("short", key="short")
    assert await reaped_at(mind, clock, 5) == (0, 3, 0, 0)
    found = {memory.key: memory for memory in (await mind.list(State.EXPIRED)).memories}
    assert {key: memory.text for key, memory in found.items()} == {
        "said": "渡轮 8:40",
        "bare": LONG[: SKELETON - 1] + "…",
        "short": "short",
    }
    assert (found["said"].keywords, found["said"].kind, found["said"].domain) == (("ferry", "渡轮"), "fact", "travel")
    assert "pruned" in (await mind.explain("said")).why
    assert found["said"].meta.original_length == len(LONG)


async def evidence_mind(clock: FakeClock, **proof: Any) -> Mind:
    """Two claims, both SUPPORTED_BY one proof; the claims are pruned at 3.3026 days."""
    mind = await reapable(clock)
    await mind.put(LONG, key="claim")
    await mind.put(LONG, key="other")
    await mind.put(LONG, key="proof", **{"importance": 0.3, **proof})
    await mind.link("claim", "proof", "SUPPORTED_BY")
    await mind.link("other", "proof", "SUPPORTED_BY")
    return mind


@pytest.mark.parametrize("batch_size", [1, 2, 100])
async def test_evidence_goes_with_the_last_it_supports(batch_size: int) -> None:
    clock = FakeClock()
    mind = await evidence_mind(clock)
    clock.forward(4 * DAY)
    listed = await mind.reap(dry_run=True)
    report = await mind.reap(batch_size=batch_size)
    assert done(report) == done(listed) == (0, 2, 1, 0)
    assert [(one.key, one.action) for one in listed.harvest][-1] == ("proof", "evidence")
    assert [(gone.key, gone.cause) for gone in await mind.trash()] == [("proof", "evidence")]


async def test_evidence_of_one_pruned_and_one_deleted_goes() -> None:
    clock = FakeClock()
    mind = await evidence_mind(clock)
    await mind.put(LONG, key="slight", importance=0.1)
    await mind.link("slight", "proof", "SUPPORTED_BY")
    clock.forward(4 * DAY)
    listed = await mind.reap(dry_run=True)
    assert done(await mind.reap(batch_size=1)) == done(listed) == (1, 2, 1, 0)


async def test_evidence_of_what_was_only_deleted_lives_on_by_itself() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await mind.put(LONG, key="slight", importance=0.1)
    await mind.put(LONG, key="proof", importance=0.1)
    await mind.link("slight", "proof", "SUPPORTED_BY")
    assert await reaped_at(mind, clock, 2) == (1, 0, 0, 0)
    assert await reaped_at(mind, clock, 2.9) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 3) == (1, 0, 0, 0)  # a day after nothing held it any more


async def test_evidence_goes_later_if_its_own_time_comes_later() -> None:
    clock = FakeClock()
    mind = await evidence_mind(clock)
    clock.forward(2 * DAY)
    await store_of(mind).apply(_touch_of(await _id(mind, "proof"), clock))  # it alone: no cascade
    # S = 1 · (1 + 1 − e^−2) = 1.86466; expires 2 + 1.86466 · ln 6 = 5.34106, due a day later
    assert await reaped_at(mind, clock, 4) == (0, 2, 0, 0)
    assert await reaped_at(mind, clock, 6.341) == (0, 0, 0, 0)
    assert await reaped_at(mind, clock, 6.3412) == (0, 0, 1, 0)


async def _id(mind: Mind, key: str) -> int:
    memory = await store_of(mind).find(key)
    assert memory is not None
    return memory


def _touch_of(memory: int, clock: FakeClock) -> Batch:
    return batch(Touch(clock.now(), (memory,)))


@pytest.mark.parametrize("why", ["a third claim", "equal to another", "important", "persistent"])
async def test_evidence_that_anything_else_holds_stays(why: str) -> None:
    clock = FakeClock()
    special: dict[str, Any] = {"important": {"importance": 0.7}, "persistent": {"policy": "persistent"}}
    mind = await evidence_mind(clock, **special.get(why, {}))
    await mind.put(LONG, key="third", importance=1.0)
    if why == "a third claim":
        await mind.link("third", "proof", "SUPPORTED_BY")
    if why == "equal to another":
        await mind.link("third", "proof", "EQUIV")
    clock.forward(10 * DAY)
    listed = await mind.reap(dry_run=True)
    assert done(await mind.reap()) == done(listed) == (0, 2, 0, 0)
    assert "proof" in await keys(mind)


# ---- the dry run


IMPORTANCES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.69, 0.7, 1.0)
NAMES = tuple("abcdefgh")
LEVELS = dict(zip(NAMES, IMPORTANCES, strict=True))
BORN = [Deed("put", (f"{key} {LONG}",), {"key": key, "importance": level}) for key, level in LEVELS.items()]
names, levels = st.sampled_from(NAMES), st.sampled_from(IMPORTANCES)
relations = st.sampled_from(("SUPPORTED_BY", "SUPPORTED_BY", "EQUIV", "about"))
happenings = st.lists(
    st.one_of(
        WAIT,
        st.builds(lambda source, target, relation: Deed("link", (source, target, relation)), names, names, relations),
        st.builds(lambda key: Deed("touch", (key,), {"revive": True}), names),
        st.builds(lambda key: Deed("forget", (key,)), names),
        st.builds(lambda key, level: Deed("put", (LONG,), {"key": key, "importance": level}), names, levels),
        st.just(Deed("reap")),
        st.just(Deed("tick")),
    ),
    max_size=30,
)
waits = st.sampled_from((1.7, 2.4, 3.31, 5.0, 20.0, 35.0, 70.0))


@lives
@given(deeds=happenings, wait=waits, batch_size=st.sampled_from((1, 2, 3, 100)))
async def test_a_dry_run_lists_exactly_what_the_run_does(deeds: list[Deed], wait: float, batch_size: int) -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await live([*BORN, *deeds], mind, clock)
    clock.forward(wait * DAY)
    before = await snapshot(mind)
    listed = await mind.reap(dry_run=True)
    assert await snapshot(mind) == before
    report = await mind.reap(batch_size=batch_size)
    after = await snapshot(mind)
    assert done(report) == done(listed)
    assert (report.seen, report.expired, report.kept) == (listed.seen, listed.expired, listed.kept)
    assert {(one.key, one.action) for one in listed.harvest} == await _what_happened(mind, report.run)
    assert not listed.run
    untouched = {one.key for one in listed.harvest}
    assert [pair[0] for pair in after.memories if pair[0].key not in untouched] == [
        pair[0] for pair in before.memories if pair[0].key not in untouched
    ]
    assert not await mind.check()


async def _what_happened(mind: Mind, run: str) -> set[tuple[str, str]]:
    told = {"reaped": "delete", "evidence": "evidence", "pruned": "prune"}
    found = set()
    async for entry in mind.entries():
        match entry.change:
            case Forget(key=key, cause=cause, run=name) if run and name == run:
                found.add((key, told[cause]))
            case Rewrite(content=content, cause=cause, run=name) if run and name == run:
                found.add((content.key, told[cause]))
    return found


async def test_a_dry_run_says_why() -> None:
    clock = FakeClock()
    mind = await reapable(clock)
    await of_every_level(mind)
    clock.forward(4 * DAY)
    report = await mind.reap(dry_run=True)
    assert [(one.key, one.action, one.importance) for one in report.harvest] == [
        ("low", "delete", 0.1),
        ("edge", "prune", 0.2),
        ("mid", "prune", 0.5),
    ]
    # 0.1 · e^−4 = 0.00183; expired 4 − 0.6931 = 3.31 days ago
    assert report.harvest[0].why == "R 0.0018, T_delete 0.05: 3.31 days over"


# ---- the edges


@pytest.mark.parametrize("metabolism", METABOLISMS[:3])
@pytest.mark.parametrize("dry_run", [False, True])
async def test_only_a_retention_mind_has_a_reaper(metabolism: str, dry_run: bool) -> None:
    mind = await mind_in_ram(metabolism)
    with pytest.raises(InvalidInput, match="only a retention mind has a reaper"):
        await mind.reap(dry_run=dry_run)
    with pytest.raises(InvalidInput, match="only a retention mind has a reaper"):
        await mind.unreap("reap-x")


async def test_a_batch_is_of_at_least_one() -> None:
    mind = await reapable(FakeClock())
    for size in (0, -1):
        with pytest.raises(InvalidInput, match="at least one"):
            await mind.reap(batch_size=size)


async def test_a_run_with_nothing_to_do_leaves_nothing(tmp_path: Path) -> None:
    clock = FakeClock()
    archive = WatchedArchive(tmp_path)
    mind = await reapable(clock, archive)
    await of_every_level(mind)
    clock.forward(HOUR)
    before = store_of(mind).seq
    report = await mind.reap()
    assert (done(report), report.run, report.seen, report.expired) == ((0, 0, 0, 0), "", 4, 0)
    assert store_of(mind).seq == before
    assert await mind.archived() == []


async def test_the_figures_of_a_run_add_up(tmp_path: Path) -> None:
    clock = FakeClock()
    mind = await reapable(clock, WatchedArchive(tmp_path))
    await of_every_level(mind)
    clock.forward(2.7 * DAY)  # all have expired; mid waits for its buffer, high is kept
    report = await mind.reap()
    told = (report.seen, report.expired, report.deleted, report.pruned, report.evidence, report.kept, report.archived)
    assert told == (4, 4, 1, 1, 0, 2, 2)
    assert (report.agent, report.at, report.dry_run) == ("ada", BIRTH + 2.7 * DAY, False)
