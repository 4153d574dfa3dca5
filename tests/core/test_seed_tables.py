"""The tables and figures of seeds 000, 002 and 003 as written there, and what SPEC A4, R4 and R5 make of them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.core.memory import DAY, HOUR, POLICIES, Mark, Policy, State
from ebbtide.core.metabolism import Activity, Network, Retention, Score
from ebbtide.core.metabolism.retention import DELETE, KEEP, PRUNE
from ebbtide.core.parameters import Common
from ebbtide.core.signals import Column, Signals
from ebbtide.stores.sqlite import FILE, SqliteStore
from tests.builders import BIRTH, forecast, marks, one, rows, states

ACTIVITY, SCORE, RETENTION = Activity(), Score(), Retention()
EPHEMERAL, PERSISTENT = POLICIES.index(Policy.EPHEMERAL), POLICIES.index(Policy.PERSISTENT)


# ---- seed 000: coefficients, time constants, lifecycle mapping


@pytest.mark.parametrize(
    ("name", "figure"),
    [("a", 1.0), ("b", 0.8), ("c", 1.2), ("d", 0.8), ("e", 1.5), ("f", 1.0), ("g", 0.3)],
)
def test_000_coefficient_guidelines(name: str, figure: float) -> None:
    assert getattr(ACTIVITY, name) == figure


def test_000_time_constants() -> None:
    # T_access = 24 hours, T_link = 72 hours, T_age = 30 days
    assert (ACTIVITY.t_access * HOUR, ACTIVITY.t_link * HOUR, ACTIVITY.t_age * DAY) == (86_400, 259_200, 2_592_000)


def test_000_scoring_formula_a_day_after_a_link_was_made() -> None:
    # One link in, one out, read once, walked to once, all of it a day ago; ten days old:
    # (1.0 + 0.8 + 1.2 + 0.8) · ln 2 + 1.5 · e^−1 + 1.0 · e^−(1/3) − 0.3 · 10/30
    # = 3.8 · 0.6931471806 + 1.5 · 0.3678794412 + 0.7165313106 − 0.1 = 3.8023097587
    now = BIRTH + 10 * DAY
    s = one(
        in_degree=1, out_degree=1, access_count=1, traverse_count=1,
        last_accessed_at=now - DAY, last_linked_at=now - DAY,
    )  # fmt: skip
    assert ACTIVITY.vitality(s, now)[0] == pytest.approx(3.8023097587, abs=1e-9)


# A memory nobody uses: 1.5 · e^−days − 0.01 · days
LIFECYCLE = [
    # days, score, state, marked
    (1.0, 0.5418191618, State.ACTIVE, False),  # 1.5 · 0.3678794412 − 0.01
    (19.0, -0.1899999916, State.ACTIVE, False),  # 1.5 · 5.6028e−9 − 0.19
    (21.0, -0.2099999989, State.COLD, False),  # 1.5 · 7.5826e−10 − 0.21
    (99.0, -0.99, State.COLD, False),
    (101.0, -1.01, State.COLD, True),
]


@pytest.mark.parametrize(("days", "score", "state", "marked"), LIFECYCLE)
def test_000_lifecycle_mapping(days: float, score: float, state: State, marked: bool) -> None:
    verdicts = ACTIVITY.judge(one(), BIRTH + days * DAY)
    assert verdicts.vitality[0] == pytest.approx(score, abs=1e-9)
    assert (states(verdicts), marks(verdicts)) == ([state], [Mark.DELETE if marked else Mark.NONE])


def test_000_the_borders_belong_to_active_and_to_delete() -> None:
    """memory_score ≥ θ_active is active, memory_score ≤ θ_delete may be let go."""
    now = BIRTH + 60 * DAY
    score = float(ACTIVITY.vitality(one(), now)[0])
    higher = float(np.nextafter(score, 1.0))
    at = Activity(theta_active=score, theta_delete=score - 1.0).judge(one(), now)
    below = Activity(theta_active=higher, theta_delete=score - 1.0).judge(one(), now)
    assert states(at) + states(below) == [State.ACTIVE, State.COLD]
    low = float(np.nextafter(score, -1.0))
    assert marks(Activity(theta_delete=score).judge(one(), now)) == [Mark.DELETE]
    assert marks(Activity(theta_delete=low).judge(one(), now)) == [Mark.NONE]


def test_000_eligible_for_delete_takes_all_three_conditions() -> None:
    now = BIRTH + 120 * DAY  # −0.3 · 120/30 = −1.2
    asked = rows(4, in_degree=[0, 1, 0, 0], last_accessed_at=[BIRTH, BIRTH, now - 29 * DAY, now - 30 * DAY])
    assert marks(Activity(a=0.0).judge(asked, now)) == [Mark.DELETE, Mark.NONE, Mark.NONE, Mark.DELETE]


def test_000_tick_every_six_hours() -> None:
    assert 6.0 <= ACTIVITY.tick_every <= 24.0
    assert ACTIVITY.tick_every == 6.0


# ---- A4: merge candidates


def mergeable(days: float, **values: Any) -> bool:
    return bool(ACTIVITY.mergeable(one(**values), BIRTH + days * DAY)[0])


def test_a4_low_for_long_means_below_theta_active_fourteen_days_ago_already() -> None:
    # On day 20 it stood at −0.2 + 1.5 · e^−20 ≥ −0.2, on day 20.1 at −0.201
    assert (mergeable(34.0), mergeable(34.1)) == (False, True)


@pytest.mark.parametrize("what", ["last_accessed_at", "last_linked_at", "created_at"])
def test_a4_nothing_may_have_happened_for_fourteen_days(what: str) -> None:
    now = 100.0
    then = BIRTH + (now - 14.0) * DAY
    assert mergeable(now)
    # Just then it is at its most alive, 1.5 or 1.0 points: low enough only by a higher θ.
    lenient = Activity(theta_active=9.0)
    found = [lenient.mergeable(one(**{what: then + s}), BIRTH + now * DAY)[0] for s in (0.0, 1.0)]
    assert found == [True, False]


def test_a4_at_most_two_links() -> None:
    # With links it stays above θ_active for long: 1.0 · ln 2 + 0.8 · ln 2 = 1.2477 − 0.01 · days < −0.2 from day 144.8
    assert (mergeable(158.0, in_degree=1, out_degree=1), mergeable(159.0, in_degree=1, out_degree=1)) == (False, True)
    lenient = Activity(theta_active=9.0)
    s = rows(4, in_degree=[0, 2, 1, 3], out_degree=[2, 0, 2, 0])
    assert lenient.mergeable(s, BIRTH + 100 * DAY).tolist() == [True, True, False, False]


def test_a4_high_overlap_is_a_cosine_of_085() -> None:
    assert ACTIVITY.merge_overlap == 0.85


# ---- seed 002: thresholds, the formula's ranges, the column


@pytest.mark.parametrize(
    ("score", "state"),
    [
        (100, State.ACTIVE),
        (70, State.ACTIVE),
        (69, State.COLD),
        (30, State.COLD),
        (29, State.DEPRECATED),
        (0, State.DEPRECATED),
    ],
)
def test_002_default_thresholds(score: int, state: State) -> None:
    """Active: 70-100, Cold: 30-69, Deprecated: 0-29."""
    assert states(SCORE.judge(one(base=float(score)), BIRTH)) == [state]


def test_002_base_score_begins_at_50() -> None:
    assert SCORE.born(BIRTH, {})["score"] == 50
    assert SCORE.judge(one(**SCORE.born(BIRTH, {})), BIRTH).vitality[0] == 50.0


@pytest.mark.parametrize(("days", "worn"), [(0.0, 50.0), (0.5, 48.7339717240), (1.0, 47.5)])
def test_002_time_decay_factor_is_095_to_1(days: float, worn: float) -> None:
    # 50 · 0.95^days; 0.95^0.5 = 0.9746794345
    factor = SCORE.terms(one(), BIRTH + days * DAY)["base·time_factor"][0]
    assert factor == pytest.approx(worn, abs=1e-9)
    assert 0.95 <= factor / 50.0 <= 1.0


@pytest.mark.parametrize(("hours", "boost"), [(0.0, 0.0), (6.0, 6.3212055883), (1e6, 10.0)])
def test_002_usage_boost_is_0_to_10(hours: float, boost: float) -> None:
    # 10 · (1 − exp(−hours / 6)); 1 − e^−1 = 0.6321205588. Nothing wears off meanwhile: decay is off.
    at = np.array([BIRTH + hours * HOUR])
    assert Score(decay=False).used(one(), at)["base"][0] - 50.0 == pytest.approx(boost, abs=1e-9)


def test_002_structure_slows_decay_by_at_most_four_hundredths_a_day() -> None:
    # d = 0.95 + 0.04 · (1 − exp(−Σ/3)): 0.95 without links, 0.99 with endless ones; 50 · 0.99 = 49.5
    found = SCORE.vitality(rows(2, weight=[0.0, 1e9]), BIRTH + DAY)
    assert found.tolist() == pytest.approx([47.5, 49.5], abs=1e-9)


async def test_002_the_column_is_checked_and_indexed(tmp_path: Path) -> None:
    """INTEGER … CHECK (score >= 0 AND score <= 100), and an index on it."""
    await SqliteStore(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        kinds = {name: kind for _, name, kind, *_ in file.execute("PRAGMA table_info(memories)")}
        indexed = [
            column
            for _, index, *_ in file.execute("PRAGMA index_list(memories)").fetchall()
            for _, _, column in file.execute(f"PRAGMA index_info({index})")
        ]
        born = "INSERT INTO memories VALUES (1, 'k', '', '', '[]', '', '', 1, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0, 0, 1"
        for score, refused in ((-1, True), (101, True), (0, False), (100, False)):
            filled = f"{born}, NULL, NULL, NULL, {score}, NULL, NULL, NULL, NULL, NULL, 0{', NULL' * 6}, '')"
            file.execute("DELETE FROM memories")
            if refused:
                with pytest.raises(sqlite3.IntegrityError, match="score BETWEEN 0 AND 100"):
                    file.execute(filled)
            else:
                file.execute(filled)
    assert (kinds["score"], "score" in indexed) == ("INTEGER", True)


def test_002_every_quarter_of_an_hour() -> None:
    assert SCORE.tick_every * HOUR == 15 * 60


# ---- seed 003: the schema's defaults, the dying time, the controls


def test_003_schema_defaults() -> None:
    born = RETENTION.born(BIRTH, {})
    assert (born["importance"], born["strength"], POLICIES[born["policy"]]) == (0.5, 1.0, "normal")
    # expires_at: calculated; 1 day · ln(0.5 / 0.05) = 2.3025850930 days
    assert lives(one(**born)) == pytest.approx(2.3025850930, abs=1e-8)


def lives(s: Signals) -> float:
    """Days from birth to expiry."""
    return float(RETENTION.expires_at(s)[0] - BIRTH) / DAY


def test_003_importance_half_strength_seven_threshold_005_lives_sixteen_days() -> None:
    # −7 · ln(0.05 / 0.5) = 7 · 2.3025850930 = 16.118
    s = one(importance=0.5, strength=7.0)
    assert (RETENTION.delete_below, round(lives(s), 1)) == (0.05, 16.1)
    end = float(RETENTION.expires_at(s)[0])
    assert [states(RETENTION.judge(s, end + shift)) for shift in (-1.0, 0.0)] == [[State.ACTIVE], [State.EXPIRED]]
    assert RETENTION.vitality(s, end)[0] == pytest.approx(0.05, abs=1e-9)


def test_003_policies() -> None:
    """normal by the curve, persistent never, ephemeral soon: 0.25 days · ln 10 = 0.5756 days."""
    s = rows(3, policy=[0, PERSISTENT, EPHEMERAL], strength=[1.0, 1.0, 0.25])
    assert ((RETENTION.expires_at(s) - BIRTH) / DAY).tolist() == pytest.approx([2.3025850930, np.inf, 0.5756462732])


def test_003_controls() -> None:
    assert RETENTION.max_strength == 365.0  # MAX_STRENGTH
    assert Common().touch_spacing * HOUR == 3600.0  # now − last_touched_at > 1 hour
    assert RETENTION.reap_buffer * HOUR == 86_400.0  # buffer_time 24h
    assert Common().candidates == 200  # Top-N of the first stage


def test_003_levels_of_the_reaper() -> None:
    """Twenty-four hours after expiry, and not before: very low goes, low is pruned and goes later, the rest is kept."""
    s = rows(5, importance=[0.1, 0.19999, 0.2, 0.69999, 0.7], strength=0.001)  # all live the shortest life, an hour
    due = BIRTH + HOUR + 24 * HOUR
    assert RETENTION.reaping(s, due - 1.0).tolist() == [KEEP] * 5
    assert RETENTION.reaping(s, due).tolist() == [DELETE, DELETE, PRUNE, PRUNE, KEEP]
    pruned = rows(5, importance=[0.1, 0.19999, 0.2, 0.69999, 0.7], strength=0.001, pruned_at=due)
    assert RETENTION.reaping(pruned, due + 30 * DAY - 1.0).tolist() == [DELETE, DELETE, KEEP, KEEP, KEEP]
    assert RETENTION.reaping(pruned, due + 30 * DAY).tolist() == [DELETE, DELETE, DELETE, DELETE, KEEP]


# ---- R4: a touch makes stronger, by the spacing effect


def after_touches(days: Sequence[float], retention: Retention = RETENTION, **values: Any) -> list[float]:
    """Strength after each of the touches, so many days after the one before."""
    s, now, found = one(**values), BIRTH, list[float]()
    for wait in days:
        now += wait * DAY
        strength = retention.touched(s, np.array([now]))["strength"]
        found.append(float(strength[0]))
        s = one(**{**values, "strength": strength, "last_touched_at": now, "last_accessed_at": now})
    return found


def test_r4_strength_after_touches_at_growing_distances() -> None:
    # S · (2 − exp(−Δt / S)):
    # 1 · (2 − e^−1)                    = 1 · 1.6321205588
    # 1.6321205588 · (2 − e^−0.6126998) = 1.6321205588 · 1.4581141
    # 2.3798180178 · (2 − e^−2.9414014) = 2.3798180178 · 1.9472083
    # 4.6340014071 · (2 − e^−6.4738866) = 4.6340014071 · 1.9984569
    assert after_touches([1.0, 1.0, 7.0, 30.0]) == pytest.approx(
        [1.6321205588, 2.3798180178, 4.6340014071, 9.2608515487], abs=1e-9
    )


def test_r4_at_once_adds_nothing_and_ever_so_late_doubles() -> None:
    assert after_touches([0.0, 0.0]) == [1.0, 1.0]
    assert after_touches([1e5]) == [2.0]


def test_r4_the_gain_scales_the_effect() -> None:
    # 1 · (1 + 0.5 · (1 − e^−1)) = 1.3160602794;  with no gain nothing grows
    assert after_touches([1.0], Retention(touch_gain=0.5)) == pytest.approx([1.3160602794], abs=1e-9)
    assert after_touches([1.0], Retention(touch_gain=0.0)) == [1.0]


def test_r4_never_stronger_than_a_year() -> None:
    # 300 · (2 − e^−1) = 489.6 > 365
    assert after_touches([300.0, 300.0], strength=300.0) == [365.0, 365.0]


def test_r4_an_ephemeral_memory_is_never_stronger_than_a_day() -> None:
    # 0.25 · (2 − e^−4) = 0.4954210903;  0.4954210903 · (2 − e^−2.0184849) = 0.9250222;  then 1.5… > 1
    found = after_touches([1.0, 1.0, 1.0, 1.0], policy=EPHEMERAL, strength=0.25)
    assert found == pytest.approx([0.4954210903, 0.9250222, 1.0, 1.0], abs=1e-6)


def test_r4_a_new_expires_at_follows() -> None:
    # touched on the second day at strength 2 − e^−2 = 1.8646647168: 2 + 1.8646647168 · ln 10 = 6.2935491803 days
    (strength,) = after_touches([2.0])
    assert lives(one(strength=strength, last_accessed_at=BIRTH + 2 * DAY)) == pytest.approx(6.2935491803, abs=1e-8)


days = st.floats(0.0, 1e5)


@given(strength=st.floats(1e-3, 1e3), policy=st.sampled_from((0, PERSISTENT, EPHEMERAL)), waits=st.lists(days))
def test_r4_a_touch_never_weakens(strength: float, policy: int, waits: list[float]) -> None:
    found = [strength, *after_touches(waits, strength=strength, policy=policy)]
    assert found == sorted(found)


@given(strength=st.floats(1e-3, 365.0), one_wait=days, other=days)
def test_r4_the_longer_it_was_left_alone_the_stronger(strength: float, one_wait: float, other: float) -> None:
    (sooner,), (later,) = (after_touches([wait], strength=strength) for wait in sorted((one_wait, other)))
    assert sooner <= later


# ---- R5: protected while it is held


def test_r5_does_not_expire_while_it_is_held_and_no_sooner_than_it_is_let_go() -> None:
    # By its own clock each would be gone after 2.30 days.
    let_go = BIRTH + 50 * DAY
    s = rows(4, protected=[1, 2, 0, 0], exposed_at=[let_go, -np.inf, let_go, -np.inf])
    assert ((RETENTION.expires_at(s) - BIRTH) / DAY).tolist() == pytest.approx([np.inf, np.inf, 50.0, 2.3025850930])
    assert states(RETENTION.judge(s, BIRTH + 49 * DAY)) == [State.ACTIVE] * 3 + [State.EXPIRED]
    assert states(RETENTION.judge(s, let_go)) == [State.ACTIVE] * 2 + [State.EXPIRED] * 2


def test_r5_let_go_early_it_lives_by_its_own_clock() -> None:
    assert lives(one(exposed_at=BIRTH + DAY)) == pytest.approx(2.3025850930, abs=1e-8)


def test_r5_the_reapers_buffer_begins_when_it_was_let_go() -> None:
    s = one(importance=0.1, exposed_at=BIRTH + 50 * DAY)
    assert forecast(RETENTION, s, BIRTH)["deleted"] == [BIRTH + 51 * DAY]


# ---- vitality scaled to 0–1, for ranking


def scaled(metabolism: Activity | Network | Retention | Score, *vitality: float) -> list[float]:
    found: Column = metabolism.scaled(np.array(vitality))
    return [round(value, 9) for value in found.tolist()]


def test_scaled_of_each_metabolism() -> None:
    # 0.5 + 0.5 · tanh((v + 0.2) / 2): tanh(±1) = ±0.761594156
    assert scaled(ACTIVITY, -2.2, -0.2, 1.8) == [0.119202922, 0.5, 0.880797078]
    assert scaled(SCORE, 0.0, 29.0, 50.0, 100.0) == [0.0, 0.29, 0.5, 1.0]
    assert scaled(Network(), 0.0, 0.25, 1.0, 7.0) == [0.0, 0.25, 1.0, 1.0]
    assert scaled(RETENTION, 0.0, 0.05, 1.0) == [0.0, 0.05, 1.0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2))
def test_scaled_activity_keeps_the_order_and_stays_within_0_and_1(vitality: list[float]) -> None:
    found = ACTIVITY.scaled(np.array(sorted(vitality))).tolist()
    assert found == sorted(found)
    assert 0.0 <= found[0] <= found[-1] <= 1.0
