"""A tide mind through its verbs: what is read behind the puts, what supersedes what, why, and what is kept."""

from pathlib import Path

import numpy as np
import pytest

from ebbtide.core.changes import Appraise, Supersede, Touch
from ebbtide.core.memory import DAY
from ebbtide.core.metabolism.tide import UNREAD
from ebbtide.core.signals import Newness
from ebbtide.mind import Mind
from tests.helpers import FakeClock, able_to_search, mind_in_ram, mind_on_disk, snapshot, store_of

FERRY = "I take the ferry to Lamma at 8:40 on weekdays."
LATER = "I take the ferry to Lamma at 8:50 on weekdays."


async def tell(mind: Mind, clock: FakeClock) -> None:
    """The ferry is put and used, and two days later something newer says nearly the same."""
    await mind.put(FERRY, key="ferry")
    await mind.put("Tides", key="tides")
    clock.forward(2 * DAY)
    await mind.touch("ferry")
    await mind.put("Do you know where Bo lives?", key="question")
    await mind.put(LATER, key="ferry-2")
    await mind._indexing.catch_up()


async def ferries(clock: FakeClock, metabolism: str = "tide") -> Mind:
    mind = await mind_in_ram(metabolism, clock, tools=able_to_search())
    await tell(mind, clock)
    return mind


async def columns(mind: Mind, *names: str) -> dict[str, tuple[float, ...]]:
    s = await store_of(mind).signals()
    contents = await store_of(mind).contents(s.id.tolist())
    return {
        contents[memory].key: tuple(float(getattr(s, name)[row]) for name in names)
        for row, memory in enumerate(s.id.tolist())
    }


async def test_words_are_read_behind_the_puts_each_once_and_in_order() -> None:
    mind = await ferries(FakeClock())
    read = [entry.change.ids async for entry in mind.entries() if isinstance(entry.change, Appraise)]
    assert [memory for ids in read for memory in ids] == [1, 2, 3, 4]
    await mind.search("ferry")
    assert [e.change.ids async for e in mind.entries() if isinstance(e.change, Appraise)] == read
    priors = await columns(mind, "prior")
    assert priors["ferry"] == (0.5,)  # the first has nothing to be compared with
    assert priors["tides"] == (5 / 11,)  # shorter than the only one before it, and says nothing of when


async def test_the_older_of_two_that_say_nearly_the_same_is_superseded() -> None:
    mind = await ferries(FakeClock())
    found = [entry.change.found async for entry in mind.entries() if isinstance(entry.change, Supersede)]
    assert [(older, newer) for each in found for older, newer, _ in each] == [(1, 4)]
    share = found[0][0][2]
    ones = await columns(mind, "superseded", "superseded_by", "use_long")
    assert list(ones["ferry"]) == pytest.approx([share, 4.0, 1.0 - share])
    assert list(ones["ferry-2"]) == pytest.approx([0.0, 0.0, share])


async def test_two_people_do_not_supersede_each_other() -> None:
    mind = await mind_in_ram("tide", tools=able_to_search())
    await mind.put("On Monday we met Alice at the pier.", key="alice")
    await mind.put("On Monday we met Celia at the pier.", key="celia")
    await mind._indexing.catch_up()
    assert await columns(mind, "superseded") == {"alice": (0.0,), "celia": (0.0,)}


async def test_an_explanation_reads_like_a_reason() -> None:
    clock = FakeClock()
    mind = await ferries(clock)
    clock.forward(12 * DAY)
    explained = await mind.explain("ferry")
    assert explained.why.startswith(
        "used once, 12 days ago; says when and where, speaks in the first person; a newer memory, ferry-2, says nearly "
        "the same; needed least in this mind (need "
    )
    assert sum(explained.terms.values()) == pytest.approx(explained.memory.vitality)


async def test_forgetting_the_newer_one_and_restoring_it_is_as_if_nothing_had_been() -> None:
    mind = await ferries(FakeClock())
    before = await columns(mind, "superseded", "superseded_by", "use_long", "use_short")
    await mind.forget("ferry-2")
    assert (await columns(mind, "superseded"))["ferry"] == (0.0,)
    await mind.restore("ferry-2")
    await mind._indexing.catch_up()
    assert await columns(mind, "superseded", "superseded_by", "use_long", "use_short") == before


async def test_the_journal_tells_the_whole_mind() -> None:
    mind = await ferries(FakeClock())
    await mind.forget("tides")
    assert list(await mind.check()) == []


async def test_a_restart_keeps_what_was_read_used_and_superseded(tmp_path: Path) -> None:
    clock = FakeClock()
    async with mind_on_disk(tmp_path, "tide", clock) as mind:
        await tell(mind, clock)
        before = await snapshot(mind)
    assert before.senses is not None
    assert before.senses.newness == (0.5, 1)  # of the two older than a day the ferry came first: 1 of 2
    assert before.senses.appraisals["count"] == 4
    async with mind_on_disk(tmp_path, "tide", clock) as mind:
        assert await snapshot(mind) == before
        assert list(await mind.check()) == []


async def test_a_mind_of_another_metabolism_is_read_anew_when_seen_under_tide() -> None:
    mind = await ferries(FakeClock(), "activity")
    under = await mind.replay("tide")
    s = await store_of(under).signals()
    assert not np.any(s.prior == UNREAD)
    own = await columns(await ferries(FakeClock()), "prior")
    assert (await columns(under, "prior"))["tides"] == own["tides"]
    uses = await columns(under, "use_long")
    assert uses["ferry"][0] + uses["ferry-2"][0] == pytest.approx(1.0)  # the newer one has taken over a share
    assert s.newness == Newness(0.5, 1)


async def test_a_tide_mind_under_other_parameters_keeps_what_was_found() -> None:
    mind = await ferries(FakeClock())
    under = await mind.replay(params={"superseded": 0.0})
    assert await columns(under, "superseded_by", "prior") == await columns(mind, "superseded_by", "prior")
    assert (await under.explain("ferry")).terms["superseded"] == 0.0


async def test_being_found_is_no_use_and_says_nothing_of_the_regime() -> None:
    mind = await ferries(FakeClock())
    before = await snapshot(mind)
    await mind.search("ferry")
    assert (await snapshot(mind)) == before
    touches = [entry.change.newness async for entry in mind.entries() if isinstance(entry.change, Touch)]
    assert touches == [(0.5,)]


async def test_an_explained_search_ranks_as_a_plain_one_with_a_bonus_and_without() -> None:
    mind = await ferries(FakeClock())
    for bonus in (0.2, 0.0):
        await mind.configure(rank_bonus=bonus)
        plain, explained = await mind.search("ferry"), await mind.search("ferry", explain=True)
        assert [(hit.memory.key, hit.score) for hit in plain.hits] == [
            (hit.memory.key, hit.score) for hit in explained.hits
        ]
        for hit in explained.hits:
            assert hit.why is not None
            points = sum(term.points for term in hit.why.terms)
            assert hit.score == pytest.approx(hit.similarity + points + bonus * hit.why.scaled, abs=1e-12)


async def test_few_hits_are_the_first_of_many_though_only_what_is_within_reach_is_looked_at() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("tide", clock, tools=able_to_search())
    for number in range(60):
        await mind.put(f"Ferry {'tide ' * (number % 7)}{number} leaves pier {number % 5}", key=f"k{number}")
        if number % 4 == 0:
            await mind.touch(f"k{number}")
        clock.forward(DAY)
    await mind._indexing.catch_up()
    every = [(hit.memory.key, hit.score) for hit in (await mind.search("ferry tide pier 3", 60)).hits]
    for k in (1, 3, 10):
        assert [(hit.memory.key, hit.score) for hit in (await mind.search("ferry tide pier 3", k)).hits] == every[:k]
    plain = [hit.memory.key for hit in (await mind.search("ferry tide pier 3", 10, vitality=False)).hits]
    assert plain != [key for key, _ in every[:10]]  # need does make a difference here
