"""Tide: golden numbers of T1 to T6, and what must hold of every memory."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.appraisal import Appraisals, Features
from ebbtide.core.changes import Access, Appraise, Change, Forget, PutMemory, Restore, Supersede, Touch
from ebbtide.core.memory import DAY, Content, State
from ebbtide.core.metabolism import Tide
from ebbtide.core.metabolism.tide import AGAIN, UNREAD
from ebbtide.core.replay import fold
from ebbtide.core.signals import Newness, Signals
from ebbtide.core.state import MindState
from ebbtide.stores.memory import MemoryStore
from tests.builders import BIRTH, one, rows, states
from tests.helpers import batch, configured

TIDE = Tide()


def need(s: Signals, days: float, tide: Tide = TIDE) -> float:
    return float(tide.vitality(s, BIRTH + days * DAY)[0])


def read(**values: float) -> Signals:
    return one(**{"used_at": BIRTH, "prior": 0.4, **values})


# ---- T5: the regime


@pytest.mark.parametrize(
    ("total", "uses", "w"),
    [
        (0.0, 0, 0.37 / 1.1),  # (0.577 − 0.54) / 0.11
        (10.0, 10, 0.9),  # ρ = (2.885 + 10) / 15 = 0.859; 2.90, at most 0.9
        (0.0, 10, 0.0),  # ρ = 2.885 / 15 = 0.192, below 0.54
        (6.04, 10, 0.5),  # ρ = 8.925 / 15 = 0.595; 0.055 / 0.11
    ],
)
def test_the_regime_follows_the_newness_of_what_was_used(total: float, uses: int, w: float) -> None:
    assert TIDE.regime_weight(Newness(total, uses)) == pytest.approx(w, abs=1e-12)


# ---- T1, T2: need


def test_a_new_memory_is_needed_by_its_content_and_its_recency() -> None:
    # w = 0.37/1.1: 0.73/1.1 · (1.5 · 0.4 + 0.5 · 1) + 0.37/1.1 · (0.5 · 0.4 + 2 · 1) = 0.73 + 0.74
    assert need(read(), 0.0) == pytest.approx(1.47, abs=1e-12)


def test_content_that_was_not_read_yet_counts_as_the_middle() -> None:
    # 0.73/1.1 · (0.75 + 0.5) + 0.37/1.1 · (0.25 + 2) = (0.9125 + 0.8325) / 1.1
    assert need(read(prior=UNREAD), 0.0) == pytest.approx(1.745 / 1.1, abs=1e-12)


def test_a_fortnight_leaves_half_of_the_recency() -> None:
    # R = 1 / (1 + 14/14) = 0.5:  0.73/1.1 · (0.6 + 0.25) + 0.37/1.1 · (0.2 + 1) = (0.6205 + 0.444) / 1.1
    assert need(read(), 14.0) == pytest.approx(1.0645 / 1.1, abs=1e-12)


def test_a_use_is_worth_half_after_a_thousand_days_and_after_thirty() -> None:
    # Used three times at birth. After 30 days: U_long = 3 · 2^−0.03 = 2.9382609, U_short = 3 · 2^−1 = 1.5
    # log2(3.9382609) = 1.9775587, log2(2.5) = 1.3219281; R = 1 / (1 + 30/14) = 0.3181818
    # 0.73/1.1 · (1.9775587 + 0.6 + 0.1590909) + 0.37/1.1 · (0.6609640 + 0.2 + 0.6363636) = 1.8161402 + 0.5036466
    assert need(read(use_long=3.0, use_short=3.0), 30.0) == pytest.approx(2.3197867, abs=1e-6)


def test_what_a_newer_memory_says_is_needed_less() -> None:
    assert need(read(superseded=0.6), 0.0) == pytest.approx(0.87, abs=1e-12)  # 1.47 − 0.6


def test_need_is_the_same_in_a_large_column_as_alone() -> None:
    # More rows than are worked out at once, and in the second part no memory was used, superseded or left unread.
    count, some = 40_000, np.arange(40_000) < 10_000
    s = rows(
        count,
        used_at=BIRTH,
        use_long=np.where(some, 3.0, 0.0),
        use_short=np.where(some, 3.0, 0.0),
        prior=np.where(some, UNREAD, 0.4),
        superseded=np.where(some, 0.25, 0.0),
    )
    every = TIDE.vitality(s, BIRTH + 30 * DAY)
    # As above with the middle for content: 2.3197867 + (0.73 · 1.5 + 0.37 · 0.5) / 1.1 · 0.1 − 0.25 = 2.1861503
    assert every[some].tolist() == pytest.approx([2.1861503] * 10_000, abs=1e-6)
    # R = 0.3181818: 0.73/1.1 · (0.6 + 0.1590909) + 0.37/1.1 · (0.2 + 0.6363636) = 0.5037603 + 0.2813223
    assert every[~some].tolist() == pytest.approx([0.7850826] * 30_000, abs=1e-6)


def test_the_terms_add_up_to_the_need() -> None:
    s, now = read(use_long=3.0, use_short=3.0, superseded=0.2), BIRTH + 5 * DAY
    terms = TIDE.terms(s, now)
    assert list(terms) == ["lasting use", "recent use", "content", "recency", "superseded"]
    assert math.fsum(float(column[0]) for column in terms.values()) == pytest.approx(need(s, 5.0), abs=1e-12)


def test_a_use_adds_one_to_what_is_left_of_earlier_ones() -> None:
    after = TIDE.used(read(use_long=1.0, use_short=1.0), np.array([BIRTH + 30 * DAY]))
    assert after["use_long"][0] == pytest.approx(1.9794202975, abs=1e-9)  # 2^−0.03 + 1
    assert after["use_short"][0] == pytest.approx(1.5, abs=1e-12)  # 2^−1 + 1
    assert after["used_at"][0] == BIRTH + 30 * DAY


uses = st.floats(0.0, 50.0)


@given(uses, uses, st.floats(-1.0, 1.0), st.floats(0.0, 3000.0), st.floats(0.0, 3000.0), st.floats(0, 20))
def test_a_use_never_weakens(long: float, short: float, prior: float, at: float, later: float, total: float) -> None:
    s = read(use_long=long, use_short=short, prior=prior if prior >= 0 else UNREAD)
    moment = BIRTH + at * DAY
    used = {name: float(column[0]) for name, column in TIDE.used(s, np.array([moment])).items()}
    after = read(prior=float(s.prior[0]), last_accessed_at=moment, **used)
    assert need(after, at + later) >= need(s, at + later) - 1e-12


# ---- T3: the content prior

LENGTH_ONLY = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def features(length: float, asks: float = 0.0) -> Features:
    return Features(length, 1.0, 0.0, asks, 0.0, 0.0)


def test_a_prior_is_the_share_of_earlier_memories_that_stand_out_less() -> None:
    # Running z of the length, the memory itself included; five more are imagined below it, and five above:
    # 2: nothing to compare with                                                          → 5 of 10
    # 4: mean 3, deviation 1, z = 1; before it z = 0                                      → 1 + 5 of 1 + 10
    # 3: mean 3, z = 0; before it 0 and 1: one equal, which counts half                   → 0.5 + 5 of 2 + 10
    # 1: mean 2.5, deviation √1.25 = 1.118, z = −1.342; all three before it stand higher  → 5 of 3 + 10
    known = Appraisals.none()
    assert known.take([features(x) for x in (2.0, 4.0, 3.0, 1.0)], LENGTH_ONLY) == [0.5, 6 / 11, 5.5 / 12, 5 / 13]


def test_who_follows_a_question_is_taken_for_its_answer() -> None:
    # Weight on `answers` only. Third: values 0, 0, 1: mean 1/3, deviation √(2/9) = 0.471, z = 1.414, above both.
    known = Appraisals.none()
    priors = known.take([features(2.0), features(2.0, asks=1.0), features(2.0)], (0, 0, 0, 0, 0, 0, 1.0))
    assert priors == [0.5, 0.5, 7 / 12]


def test_what_is_known_of_texts_survives_as_plain_values() -> None:
    known = Appraisals.none()
    known.take([features(x, asks=x % 2) for x in (2.0, 4.0, 3.0)], TIDE.prior_weights())
    again = Appraisals.of(known.plain())
    assert again.plain() == known.plain()
    assert again.take([features(3.5)], TIDE.prior_weights()) == known.take([features(3.5)], TIDE.prior_weights())


# ---- T4: superseded


def lived(*changes: Change) -> MindState:
    state = MindState()
    for seq, change in enumerate((configured("tide"), *changes), start=1):
        fold(state, change, seq)
    return state


def put(memory: int, days: float = 0.0) -> PutMemory:
    return PutMemory(BIRTH + days * DAY, memory, Content(f"k{memory}", f"text {memory}"), BIRTH + days * DAY)


def column(state: MindState, name: str, memory: int) -> float:
    return float(state.table.columns[name][state.table.row(memory)])


def test_the_newer_memory_takes_over_its_share_of_the_uses_and_the_older_one_gives_it_up() -> None:
    used = [Access(BIRTH, (1,)), Access(BIRTH, (1,))]
    state = lived(put(1), *used, put(2, 30.0), Supersede(BIRTH + 30 * DAY, 4, ((1, 2, 0.4),)))
    assert (column(state, "superseded", 1), column(state, "superseded_by", 1)) == (0.4, 2.0)
    assert column(state, "use_short", 2) == pytest.approx(0.4, abs=1e-12)  # 0.4 · 2 · 2^−1
    assert column(state, "use_short", 1) == pytest.approx(1.2, abs=1e-12)  # 0.6 · 2, as at the last use
    assert column(state, "use_long", 2) == pytest.approx(0.7835362381, abs=1e-9)  # 0.4 · 2 · 2^−0.03
    both = TIDE.decayed(state.signals(), BIRTH + 30 * DAY)[1]
    assert float(both.sum()) == pytest.approx(1.0, abs=1e-12)  # 2 · 2^−1: moved, not copied


def test_who_is_superseded_is_so_no_longer_when_the_newer_one_leaves_and_again_when_it_comes_back() -> None:
    changes: list[Change] = [put(1), put(2, 1.0), Supersede(BIRTH + DAY, 3, ((1, 2, 0.4),))]
    gone = lived(*changes, Forget(BIRTH + 2 * DAY, 2, "k2", "asked"))
    assert (column(gone, "superseded", 1), column(gone, "superseded_by", 1)) == (0.0, AGAIN)
    fold(gone, Restore(BIRTH + 3 * DAY, 2, "k2"), 6)
    assert (column(gone, "superseded", 1), column(gone, "superseded_by", 1)) == (0.4, 2.0)


# ---- T5: newness of uses, by order of arrival


async def test_a_use_says_how_new_the_memory_is_among_those_older_than_a_day() -> None:
    store = MemoryStore()
    await store.apply(batch(configured("tide"), put(1), put(2), put(3, 2.0), put(4, 9.5)))
    await store.apply(batch(Touch(BIRTH + 10 * DAY, (2, 4))))
    # Three are older than a day; 2 came with 1, and after it: 2 of 3. The fourth is too young to say anything.
    entry = (await store.journal(after=store.seq - 1))[0]
    assert isinstance(entry.change, Touch)
    assert entry.change.newness == (2 / 3,)
    assert store.state.newness == Newness(2 / 3, 1)


async def test_the_newness_of_many_uses_is_that_of_each_by_itself() -> None:
    store = MemoryStore()
    days = [0.0, 3.0, 3.0, 1.0, 2.5] * 5  # in no order, and some of one moment
    await store.apply(batch(configured("tide"), *(put(memory, day) for memory, day in enumerate(days, 1))))
    now, ids = BIRTH + 10 * DAY, list(range(1, 26))
    every = store.state.newness_of(ids, now) or ()
    assert every == tuple(place for memory in ids for place in store.state.newness_of([memory], now) or ())
    assert sorted(every) == pytest.approx([place / 25 for place in range(1, 26)])


# ---- T6: states


def test_the_lower_quarter_of_a_mind_is_fading() -> None:
    s = rows(8, used_at=BIRTH, prior=np.linspace(0.0, 0.7, 8))
    # The quantile 0.25 of eight lies between the second and the third: 0.1 + 0.75 · 0.1.
    assert states(TIDE.judge(s, BIRTH)) == [State.FADING] * 2 + [State.ACTIVE] * 6


def test_who_is_pinned_does_not_fade() -> None:
    s = rows(8, used_at=BIRTH, prior=np.linspace(0.0, 0.7, 8), pinned=[1, 0, 0, 0, 0, 0, 0, 0])
    assert states(TIDE.judge(s, BIRTH)) == [State.ACTIVE, State.FADING] + [State.ACTIVE] * 6
    # w = 0.37/1.1, and nothing for content: (0.73 · 0.5 + 0.37 · 2) / 1.1
    assert TIDE.why(s.take(np.array([0])), BIRTH) == (
        "pinned; without the pin fading: not used yet, put today; needed least in this mind (need 1.005): "
        "among the lowest 25 %, so it fades"
    )


def test_in_a_mind_of_three_nothing_fades() -> None:
    assert states(TIDE.judge(rows(3, used_at=BIRTH, prior=[0.0, 0.5, 1.0]), BIRTH)) == [State.ACTIVE] * 3


def test_a_place_in_a_search_is_the_share_needed_less_as_if_ten_more_stood_evenly_around() -> None:
    s = rows(3, used_at=BIRTH, prior=[0.5, 0.0, 1.0])
    standing = TIDE.standing(s, TIDE.vitality(s, BIRTH), BIRTH)
    # (needed less + 10/2) / (others + 10): (1 + 5) / 12, (0 + 5) / 12, (2 + 5) / 12
    assert standing.tolist() == pytest.approx([6 / 12, 5 / 12, 7 / 12])
    ranked = TIDE.rank(np.full(3, 0.5), TIDE.vitality(s, BIRTH), standing)
    assert ranked.tolist() == pytest.approx([0.6, 0.5 + 0.2 * 5 / 12, 0.5 + 0.2 * 7 / 12])


def test_in_an_empty_mind_none_has_a_place() -> None:
    s = rows(0)
    assert TIDE.standing(s, TIDE.vitality(s, BIRTH), BIRTH).tolist() == []


def test_the_only_memory_stands_in_the_middle() -> None:
    s = rows(1, used_at=BIRTH, prior=1.0)
    assert TIDE.standing(s, TIDE.vitality(s, BIRTH), BIRTH).tolist() == [0.5]


def test_in_a_large_mind_the_most_needed_gets_nearly_a_fifth() -> None:
    s = rows(991, used_at=BIRTH, use_long=np.arange(991.0), use_short=np.arange(991.0), prior=0.5)
    standing = TIDE.standing(s, TIDE.vitality(s, BIRTH), BIRTH)
    # (needed less + 5) / 1000: nothing is needed less than the first, 990 less than the last
    assert (standing[0], standing[-1]) == (pytest.approx(0.005), pytest.approx(0.995))


def test_a_place_is_bounded_by_how_far_the_need_lies_from_the_middle_one() -> None:
    s = rows(991, used_at=BIRTH, prior=np.linspace(0.0, 1.0, 991))
    standing = TIDE.standing(s, TIDE.vitality(s, BIRTH), BIRTH)
    # w = 0.37/1.1, so content counts (0.73 · 1.5 + 0.37 · 0.5) / 1.1 = 1.28/1.1, the middle one 0.64/1.1; over 1.5
    assert (standing[0], standing[-1]) == (pytest.approx(0.5 - 0.64 / 1.65), pytest.approx(0.5 + 0.64 / 1.65))
    alike = rows(991, used_at=BIRTH, prior=np.linspace(0.5, 0.501, 991))
    # 0.001 · 1.28/1.1 / 2 / 1.5
    assert TIDE.standing(alike, TIDE.vitality(alike, BIRTH), BIRTH)[-1] == pytest.approx(0.5 + 0.00128 / 3.3)


def test_where_all_texts_are_of_one_form_content_has_no_say_in_a_search() -> None:
    s = replace(rows(3, used_at=BIRTH, prior=[0.5, 0.0, 1.0]), variety=0.0)
    assert TIDE.standing(s, TIDE.vitality(s, BIRTH), BIRTH).tolist() == pytest.approx([0.5, 0.5, 0.5])


def test_variety_is_the_share_of_the_variance_of_conversations() -> None:
    weights = TIDE.prior_weights()
    plain = Features(length=4.0, idf=3.0, time=0.0, asks=0.0, first=0.0, second=0.0)
    facts, talk = Appraisals.none(), Appraisals.none()
    facts.take([plain] * 10, weights)
    assert facts.variety(weights) == Appraisals.none().variety(weights) == 0.0
    talk.take([plain, Features(length=6.0, idf=5.0, time=1.0, asks=1.0, first=1.0, second=1.0)] * 10, weights)
    assert talk.variety(weights) == 1.0
    mixed = Appraisals.none()
    mixed.take([plain, plain._replace(length=5.2, time=1.0)] * 10, weights)
    # length and time vary as much as in conversations: (0.25 + 0.09) / 0.695 = 0.4892; 3 · 0.4892 − 1
    assert mixed.variety(weights) == pytest.approx(3 * 0.34 / 0.695 - 1)


# ---- why


def test_a_reason_counts_uses_and_days() -> None:
    s = rows(2, used_at=BIRTH, prior=[0.5, 0.4], access_count=[0, 3], last_accessed_at=BIRTH, use_long=[0.0, 3.0])
    why = TIDE.why(s.take(np.array([1])), BIRTH + 12 * DAY)
    # (0.73 · log2(1 + 3 · 2^(−0.012)) + 1.28 · 0.4 + 1.105 / (1 + 12/14)) / 1.1 = 1.3213 + 0.4655 + 0.5409
    assert why == ("used 3 times, last 12 days ago; content rated 40 %; needed most in this mind (need 2.328)")


async def test_words_are_read_once() -> None:
    store = MemoryStore()
    await store.apply(batch(configured("tide"), put(1), put(2)))
    await store.apply(batch(Appraise(BIRTH, (1, 2), (features(2.0), features(4.0)))))
    before = store.seq
    await store.apply(batch(Appraise(BIRTH, (1,), (features(9.0),))))
    assert store.seq == before
    assert (column(store.state, "prior", 1), column(store.state, "prior", 2)) == (0.5, 6 / 11)
