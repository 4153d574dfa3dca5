"""Tuning (B3): the journal of a mind replayed under other regimes with room for so many memories."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.candidates import Candidate
from ebbtide.core.errors import Expired, InvalidInput
from ebbtide.core.memory import DAY
from ebbtide.core.parameters import regime as regime_by_name
from ebbtide.core.tuning import Kept, Loss, Tuning
from ebbtide.mind import Mind, trials
from ebbtide.mind import history as replaying
from ebbtide.mind.trials import Trial
from ebbtide.models.analysis import Analyzer
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH
from tests.helpers import METABOLISMS, FakeClock, able_to_search, lives, mind_in_ram, snapshot, store_of

Event = tuple[float, str, str]  # the day, the verb, the key


async def lived(events: Sequence[Event], metabolism: str = "score") -> Mind:
    clock = FakeClock()
    mind = await mind_in_ram(metabolism, clock)
    for day, verb, key in events:
        clock.moment = BIRTH + day * DAY
        if verb == "put":
            await mind.put(f"the text of {key}", key=key, replace=True)
        else:
            with suppress(Expired):  # in a retention mind
                await getattr(mind, verb)(key)
    return mind


def under(found: Tuning, name: str, budget: int = 0) -> Kept:
    metabolism, _, called = name.rpartition("/")
    return next(
        outcome.results[budget]
        for outcome in found.outcomes
        if (outcome.candidate.metabolism, outcome.candidate.name) == (metabolism, called)
    )


# ---- by hand

SIX = [
    (0.0, "put", "a"), (1.0, "put", "b"), (2.0, "touch", "a"), (3.0, "put", "c"), (4.0, "put", "d"), (5.0, "put", "e"),
    (6.0, "touch", "b"), (6.0, "get", "a"), (7.0, "touch", "c"), (8.0, "put", "f"),
    (9.0, "touch", "d"), (9.0, "touch", "e"), (9.0, "touch", "a"), (9.0, "touch", "f"),
]  # fmt: skip
# Room for three. Score is 50 · 0.95^days, and a use adds 10 · (1 − e^(−idle / 6 h)), which is 10.0 here:
#   day 4, d is put:  a (50 · 0.95² + 10) · 0.95² = 49.75, b 50 · 0.95³ = 42.87, c 47.50   b leaves
#   day 5, e is put:  a 47.26, c 45.13, d 47.50                                              c leaves
#   day 8, f is put:  a (44.90 + 10) · 0.95² = 49.54, d 40.73, e 42.87                       d leaves
# By last use: day 4 b (1; a has 2, c 3), day 5 a (2; c 3, d 4), day 8 d (4; c 7, e 5).
# f is exactly a day old when it is used, which is not more than a day: seven uses count.


async def test_what_leaves_and_what_that_costs_is_as_worked_out_by_hand() -> None:
    found = await (await lived(SIX)).tune("50%")
    assert (found.memories, found.uses, found.budgets[0].memories) == (6, 7, 3)
    now, lru = under(found, "score/current"), under(found, "LRU")
    assert (now.kept, now.lost, now.gained, now.missed) == (4, 3, 0, 0)
    assert [(loss.key, loss.uses, loss.left_at) for loss in now.losses] == [
        ("b", 1, BIRTH + 4 * DAY), ("c", 1, BIRTH + 5 * DAY), ("d", 1, BIRTH + 8 * DAY),
    ]  # fmt: skip
    assert (lru.kept, lru.lost, lru.gained, lru.missed) == (3, 4, 1, 2)  # c gained, a missed on day 6 and day 9
    assert lru.losses[0] == Loss("a", "the text of a", 2, BIRTH + 5 * DAY)
    assert [loss.key for loss in lru.losses] == ["a", "b", "d"]
    assert under(found, "everything").kept == 7


async def test_uses_are_told_by_the_day_they_fall_on() -> None:
    found = await (await lived(SIX)).tune("50%")
    assert [(step.starts_at, step.uses) for step in found.steps] == [
        (BIRTH + day * DAY, uses) for day, uses in ((2, 1), (3, 0), (4, 0), (5, 0), (6, 2), (7, 1), (8, 0), (9, 3))
    ]
    assert under(found, "score/current").steps == (1, 0, 0, 0, 1, 0, 0, 2)


async def test_seven_uses_are_too_few_to_judge_and_told_all_the_same() -> None:
    found = await (await lived(SIX)).tune("50%")
    assert (found.enough, found.clear) == (False, False)
    assert found.outcomes[found.best - 1].results[0].kept == max(
        outcome.results[0].kept for outcome in found.outcomes if not outcome.candidate.is_reference
    )


async def test_without_a_budget_the_usual_shares_are_tested() -> None:
    found = await (await lived(SIX)).tune()
    assert [budget.memories for budget in found.budgets] == [3, 2, 1]  # of six: 3, 1.5 and 0.6
    assert found.main == 1


# ---- which uses count


async def test_a_memory_used_twice_within_an_hour_was_needed_once() -> None:
    events: list[Event] = [(0.0, "put", "a"), (2.0, "get", "a"), (2.0, "touch", "a"), (2.0 + 1 / 24, "get", "a")]
    assert (await (await lived(events)).tune("100%")).uses == 2


async def test_a_replaced_text_that_had_left_is_a_new_memory() -> None:
    # Room for one: b drives a out, and a, told anew, drives b out.
    events: list[Event] = [
        (0.0, "put", "a"), (1.0, "put", "b"), (2.0, "touch", "a"), (3.0, "put", "a"), (4.0, "touch", "a"),
        (5.0, "touch", "b"),
    ]  # fmt: skip
    found = await (await lived(events)).tune(1)
    assert (found.memories, found.uses) == (2, 3)
    assert {loss.key: loss.uses for loss in under(found, "LRU").losses} == {"a": 1, "b": 1}


async def test_what_its_owner_forgot_takes_no_room() -> None:
    events: list[Event] = [
        (0.0, "put", "a"), (1.0, "put", "b"), (2.0, "forget", "b"), (3.0, "put", "c"), (4.0, "touch", "a"),
    ]  # fmt: skip
    found = await (await lived(events)).tune(2)
    assert (found.uses, under(found, "LRU").kept) == (1, 1)


async def test_a_pinned_memory_never_has_to_make_room() -> None:
    events: list[Event] = [(0.0, "put", "a"), (0.5, "pin", "a"), (1.0, "put", "b"), (2.0, "put", "c")]
    found = await (await lived([*events, (9.0, "touch", "a"), (9.0, "touch", "b")])).tune(2)
    assert {name: under(found, name).kept for name in ("LRU", "random", "score/current", "tide/default")} == {
        "LRU": 1, "random": 1, "score/current": 1, "tide/default": 1,
    }  # fmt: skip


async def test_what_a_search_would_not_have_shown_is_told_apart() -> None:
    # A retention memory of importance 0.5 and strength 1 day expires after ln 10 = 2.3 days.
    events: list[Event] = [(0.0, "put", "a"), (2.0, "touch", "a"), (9.0, "touch", "a")]
    found = await (await lived(events)).tune("100%")
    kept = under(found, "retention/default")
    # Touched on day 2 its strength is 1 + (1 − e⁻²) = 1.86 days: it expires 4.3 days later, on day 6.3.
    assert (kept.kept, kept.hidden) == (2, 1)
    assert under(found, "retention/slow").hidden == 0
    assert under(found, "score/current").hidden == 0


async def test_memories_of_a_compacted_journal_are_there_from_its_base_on() -> None:
    mind = await lived(SIX)
    clock = FakeClock(BIRTH + 60 * DAY)
    mind = Mind("ada", store_of(mind), clock, mind._scratch)
    await mind.compact(BIRTH + 5.5 * DAY)
    found = await mind.tune("50%")
    assert (found.memories, found.uses) == (6, 6)  # the use on day 2 is folded into the base
    # Five are there when the journal begins, on day 6: b, the lowest, and c leave, as they did before.
    now = under(found, "score/current")
    assert (now.kept, [loss.key for loss in now.losses]) == (3, ["b", "c", "d"])


async def test_what_the_mind_let_go_by_itself_is_counted() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("retention", clock)
    await mind.put("a", key="a", importance=0.1)
    clock.forward(9 * DAY)
    await mind.reap()
    clock.forward(1 * DAY)
    await mind.reap()
    assert (await mind.tune("50%")).decided == 1


# ---- what is asked


@pytest.mark.parametrize("budget", ["much", "0%", -1, "120%", 2.5])
async def test_what_is_no_budget_is_refused(budget: str) -> None:
    with pytest.raises(InvalidInput, match=r"budget|number of memories"):
        await (await mind_in_ram()).tune(budget)


async def test_an_empty_mind_has_nothing_to_judge_by() -> None:
    found = await (await mind_in_ram()).tune()
    assert (found.memories, found.uses, found.steps, found.enough, found.best) == (0, 0, (), False, 1)


async def test_only_the_metabolisms_asked_for_are_replayed() -> None:
    found = await (await lived(SIX)).tune("50%", metabolisms="tide", params={"long_use": 3.0})
    assert [(one.candidate.metabolism, one.candidate.name) for one in found.outcomes[:3]] == [
        ("score", "current"), ("tide", "given"), ("tide", "default"),
    ]  # fmt: skip


async def test_progress_is_told_to_the_end_and_others_have_their_turn() -> None:
    mind = await lived([(0.01 * n, "put", f"k{n}") for n in range(300)])
    told: list[tuple[int, int]] = []
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    found = await mind.tune("50%", metabolisms="score", progress=lambda done, total: told.append((done, total)))
    task.cancel()
    total = 301 * 4  # its entries, under current, slow, LRU and random
    assert (told[-1], {of for _, of in told}) == ((total, total), {total})
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert turns >= len(told) >= 8
    assert len(found.outcomes) == 5


async def test_texts_are_read_for_a_regime_that_looks_at_them() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("score", clock, tools=able_to_search())
    await mind.put("Mira's new phone number is 555 0142, and her birthday is on 12 May 1990.", key="fact")
    for number in range(3):
        await mind.put("ok", key=f"ok{number}")
    clock.forward(2 * DAY)
    await mind.touch("fact")
    # All were born at one moment and never used: by content alone the fact is worth the most.
    assert under(await mind.tune(1), "tide/default").kept == 0  # the last put stays, the others leave
    assert under(await mind.tune(2), "tide/default").kept == 1
    assert under(await mind.tune(2), "LRU").kept == 0


async def test_other_parameters_of_tide_read_nothing_anew() -> None:
    clock = FakeClock()
    mind = await mind_in_ram("tide", clock, tools=able_to_search())
    for number in range(4):
        await mind.put(f"number {number}", key=f"k{number}")
        clock.forward(DAY)
    await mind.indexed()
    await mind.touch("k0")
    found = await mind.tune("100%")
    assert (found.uses, under(found, "tide/lasting").kept) == (1, 1)


@pytest.mark.parametrize(("vectors", "lost"), [(True, "old"), (False, "new")])
async def test_what_is_superseded_under_tide_leaves_first_if_vectors_say_so(vectors: bool, lost: str) -> None:
    """Used twice, the old time of the ferry is needed more than the new one, unless that is known to say the same."""
    clock = FakeClock()
    mind = await mind_in_ram("activity", clock, tools=able_to_search())
    await mind.put("I take the ferry to Lamma at 8:40 on weekdays.", key="old")
    for _ in range(2):
        clock.forward(DAY)
        await mind.touch("old")
    for key, text in (("new", "I take the ferry to Lamma at 8:50 on weekdays."), ("bees", "Bo keeps bees.")):
        clock.forward(DAY)
        await mind.put(text, key=key)
    if vectors:
        await mind._indexing.catch_up()
    clock.forward(2 * DAY)
    await mind.touch("old", "new")
    found = under(await mind.tune(2, metabolisms="tide"), "tide/default")
    assert [(loss.key, loss.uses) for loss in found.losses] == [(lost, 1)]


# ---- laws

KEYS = tuple("abcdefgh")
histories = st.lists(
    st.tuples(st.sampled_from((0.0, 1 / 48, 0.5, 3.0)), st.sampled_from(("put", "touch", "get", "forget", "pin")),
              st.sampled_from(KEYS)),
    max_size=30,
)  # fmt: skip


async def random_life(history: Sequence[Event], metabolism: str) -> Mind:
    """What cannot be done is left out."""
    day, here, events = 0.0, set[str](), list[Event]()
    for wait, verb, key in history:
        day += wait
        if verb == "put" or key in here:
            events.append((day, verb, key))
            here = here - {key} if verb == "forget" else here | {key}
    return await lived(events, metabolism)


@lives
@given(histories, st.sampled_from(("score", "activity", "tide")))
async def test_with_room_for_all_every_use_is_kept(history: Sequence[Event], metabolism: str) -> None:
    found = await (await random_life(history, metabolism)).tune("100%")
    assert {outcome.results[0].kept for outcome in found.outcomes} == {found.uses}


@lives
@given(histories, st.sampled_from(METABOLISMS), st.sampled_from(METABOLISMS))
async def test_a_trial_with_room_for_all_is_the_replay(history: Sequence[Event], old: str, new: str) -> None:
    """Puts are told in runs there, and one by one here."""
    store, regime = store_of(await random_life(history, old)), regime_by_name(new, {})[0]
    retold = await replaying.retold(store, MemoryStore, regime, analyzer=Analyzer())
    story, readings = await trials.read(store), trials.Readings(Analyzer())
    reader = readings if old != new else None
    copy, retelling = await replaying.beginning(store, MemoryStore, regime, None, reader)
    await Trial(Candidate("x", new, {}), 100, story, copy, retelling).live(trials.Teller(story.entries, None))
    assert replace(await copy.snapshot(), seq=0) == replace(await retold.snapshot(), seq=0)


@lives
@given(
    st.lists(st.tuples(st.sampled_from((0.1, 1.0, 9.0)), st.booleans(), st.integers(0, 11)), max_size=30),
    st.sampled_from(METABOLISMS),
    st.integers(1, 5),
)
async def test_what_leaves_is_what_the_engines_own_budget_lets_go(
    moves: Sequence[tuple[float, bool, int]], metabolism: str, budget: int
) -> None:
    day, made, events = 0.0, 0, list[Event]()
    for wait, is_put, number in moves:
        day += wait
        events.append((day, "put", f"k{made}") if is_put or not made else (day, "touch", f"k{number % made}"))
        made += events[-1][1] == "put"
    mind = await lived(events, metabolism)
    store, regime = store_of(mind), regime_by_name(metabolism, {"budget_memories": 0})[0]
    story = await trials.read(store)
    copy, retelling = await replaying.beginning(store, MemoryStore, regime, None, None)
    trial = Trial(Candidate("x", metabolism, {}), budget, story, copy, retelling)
    await trial.live(trials.Teller(story.entries, None))
    engine = await mind.replay(params={"budget_memories": budget})
    assert (await copy.living()).tolist() == (await store_of(engine).living()).tolist()


@lives
@given(histories)
async def test_more_room_never_costs_lru_a_use(history: Sequence[Event]) -> None:
    found = await (await random_life(history, "activity")).tune([1, 2, 3, 4, 5], metabolisms="activity")
    kept = [result.kept for result in found.outcomes[-2].results]
    assert found.outcomes[-2].candidate.name == "LRU"
    assert kept == sorted(kept)


@lives
@given(histories, st.sampled_from(("score", "tide", "retention")))
async def test_tuning_writes_nothing(history: Sequence[Event], metabolism: str) -> None:
    mind = await random_life(history, metabolism)
    before, seq = await snapshot(mind), store_of(mind).seq
    first, again = await mind.tune("30%"), await mind.tune("30%")
    assert (await snapshot(mind), store_of(mind).seq) == (before, seq)
    assert first.outcomes == again.outcomes
